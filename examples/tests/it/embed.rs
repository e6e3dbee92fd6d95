//! The README's embedding.

use std::process::Command;

use crate::common::example;

#[test]
fn ten_lines_list_the_tools_and_call_one() {
    let output = Command::new(example("embed")).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    assert!(
        stdout.contains("mcp__demo__weather: The weather of a city, made up."),
        "{stdout}"
    );
    assert!(stdout.contains(r#""temperature":22"#), "{stdout}");
}
