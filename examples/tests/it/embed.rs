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

#[test]
fn the_readme_shows_the_program_that_runs_here() {
    let readme = include_str!("../../../README.md");
    let program = include_str!("../../embed.rs");
    let shown = readme
        .split("```rust,no_run")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let body = shown.split("async fn main").nth(1).unwrap().lines().skip(1);
    let lines = body
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.contains("git"));
    let mut count = 0;
    for line in lines {
        assert!(program.contains(line), "the example lacks {line:?}");
        count += 1;
    }
    assert!(count >= 9, "only {count} lines were compared");
}
