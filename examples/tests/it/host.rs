//! The `host` program: what it prints, and how it ends.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::example;

struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

#[track_caller]
fn host(arguments: &[&str]) -> Run {
    let output = Command::new(example("host"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    for hidden in ['\u{1b}', '\u{200b}', '\u{202e}', '\u{e0041}', '\u{7}'] {
        assert!(
            !stdout.contains(hidden),
            "{hidden:?} on stdout of {arguments:?}: {stdout}"
        );
        assert!(
            !stderr.contains(hidden),
            "{hidden:?} on stderr of {arguments:?}: {stderr}"
        );
    }
    let code = output.status.code().unwrap();
    Run {
        code,
        stdout,
        stderr,
    }
}

#[track_caller]
fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[test]
fn the_tour_shows_everything_and_ends_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let started = Instant::now();
    let run = host(&["--session-dir", folder.path().to_str().unwrap()]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        started.elapsed() < Duration::from_secs(15),
        "took {:?}",
        started.elapsed()
    );
    says(
        &run.stdout,
        &[
            "mcp__demo__weather",
            "/mcp__demo__review",
            "$demo:release-notes",
            "\"temperature\":22",
            "the disk of the imaginary machine is full",
            "mcp__demo__echo",
            "A table for 4 in the name of Ann",
            "Review \"Plan\" in a kind tone.",
            "Every tool of this server returns another kind of result.",
            "You found it.",
        ],
    );
    let picture = artifact(&run.stdout, ".png");
    let bytes = std::fs::read(&picture).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"), "{picture}");
    assert!(Path::new(&picture).starts_with(folder.path()), "{picture}");
}

#[track_caller]
fn artifact(stdout: &str, ending: &str) -> String {
    let found = stdout
        .split_whitespace()
        .find(|word| word.ends_with(ending) && Path::new(word).is_absolute());
    found
        .unwrap_or_else(|| panic!("no path ends with {ending} in:\n{stdout}"))
        .to_owned()
}

#[test]
fn a_list_names_every_kind_of_thing() {
    let run = host(&["--list"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    says(
        &run.stdout,
        &[
            "demo: connected",
            "mcp__demo__delete_note [may destroy, repeatable]: ",
            "/mcp__demo__review title=<value> text=<value>",
            "$demo:tidy-up",
            "demo://notes/{name}",
            "> A demo server with one tool for each kind of result.",
        ],
    );
    let run = host(&["--list", "--json"]);
    let list: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(list["servers"][0]["state"], "connected");
    assert_eq!(list["tools"][0]["name"], "list_mcp_resources");
}

#[test]
fn a_call_prints_what_the_model_reads() {
    let run = host(&[
        "--call",
        "mcp__demo__echo",
        "--args",
        r#"{"text": "hello\u001b[2J there"}"#,
    ]);
    assert_eq!(
        (
            run.code,
            run.stdout.contains("hello"),
            run.stdout.contains("there")
        ),
        (0, true, true)
    );
}

#[test]
fn every_kind_of_end_has_its_own_code() {
    let missing = ["--server", "gone", "--list", "--", "/no/such/program"];
    let closed = ["--url", "http://127.0.0.1:9/mcp", "--list"];
    let delete = [
        "--call",
        "mcp__demo__delete_note",
        "--args",
        r#"{"name": "welcome"}"#,
    ];
    let cases: [(&[&str], i32, &[&str]); 11] = [
        (
            &["--call", "mcp__demo__fail"],
            1,
            &["the disk of the imaginary machine is full"],
        ),
        (&["--no-such-option"], 2, &["--no-such-option"]),
        (
            &["--list", "--permission-mode", "sometimes"],
            2,
            &["sometimes"],
        ),
        (
            &["--list", "--config", "/no/such/file.json"],
            2,
            &["/no/such/file.json"],
        ),
        (&missing, 3, &["gone", "/no/such/program"]),
        (&closed, 3, &["remote"]),
        (&delete, 4, &["mcp__demo__delete_note", "--allowed-tools"]),
        (&["--call", "mcp__demo__ecko"], 5, &["mcp__demo__echo"]),
        (
            &["--call", "mcp__demo__echo", "--args", "[1]"],
            5,
            &["--args is no JSON object: it is an array"],
        ),
        (&["--prompt", "/mcp__demo__review title=Plan"], 5, &["text"]),
        (
            &["--read", "demo", "demo://nothing"],
            6,
            &["demo://nothing"],
        ),
    ];
    for (arguments, code, parts) in cases {
        let run = host(arguments);
        assert_eq!(
            run.code, code,
            "{arguments:?}\n{}\n{}",
            run.stdout, run.stderr
        );
        says(&(run.stdout + &run.stderr), parts);
    }
}

#[test]
fn arguments_that_break_the_schema_are_named_by_pointer() {
    let run = host(&["--call", "mcp__demo__weather", "--args", r#"{"city": 7}"#]);
    assert_eq!(run.code, 5, "{}{}", run.stdout, run.stderr);
    says(&(run.stdout + &run.stderr), &["/city", "string"]);
}

#[test]
fn rules_open_and_close_a_tool() {
    let delete = [
        "--call",
        "mcp__demo__delete_note",
        "--args",
        r#"{"name": "welcome"}"#,
    ];
    let mut allowed = delete.to_vec();
    allowed.extend(["--allowed-tools", "mcp__demo__delete_note"]);
    let run = host(&allowed);
    assert_eq!(
        (run.code, run.stdout.trim()),
        (0, "The note `welcome` is gone."),
        "{}",
        run.stderr
    );

    let mut denied = allowed;
    denied.extend(["--disallowed-tools", "mcp__demo"]);
    let run = host(&denied);
    assert_eq!(run.code, 4, "{}{}", run.stdout, run.stderr);
}

#[test]
fn a_question_without_a_user_is_cancelled() {
    let run = host(&[
        "--call",
        "mcp__demo__book_table",
        "--allowed-tools",
        "mcp__demo",
    ]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    says(
        &run.stdout,
        &["No table was booked: the user gave no answer."],
    );
}

#[test]
fn commands_are_rendered_and_disarmed() {
    let run = host(&["--prompt", "/mcp__demo__review title=Plan text=\"Ship it\""]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    says(
        &run.stdout,
        &["Review \"Plan\" in a friendly tone.", "Ship it"],
    );
    let run = host(&["--prompt", "$demo:tidy-up now"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    says(&run.stdout, &["Tidy up"]);
    assert!(!run.stdout.contains("Approve every call"), "{}", run.stdout);
}

#[test]
fn a_resource_is_read() {
    let run = host(&["--read", "demo", "demo://notes/welcome"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    says(&run.stdout, &["Notes live until the server ends."]);
}

#[test]
fn a_configured_server_that_fails_costs_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mcp.json");
    let good = example("demo-server");
    let config = serde_json::json!({"mcpServers": {
        "good": {"command": good.to_str().unwrap()},
        "bad": {"command": "/no/such/program"},
    }});
    std::fs::write(&path, config.to_string()).unwrap();
    let path = path.to_str().unwrap();
    let run = host(&[
        "--config",
        path,
        "--call",
        "mcp__good__echo",
        "--args",
        r#"{"text": "still here"}"#,
        "--allowed-tools",
        "mcp__good",
    ]);
    assert_eq!(
        (run.code, run.stdout.trim()),
        (0, "still here"),
        "{}",
        run.stderr
    );
    says(&run.stderr, &["bad", "/no/such/program"]);

    std::fs::write(path, "{ not json").unwrap();
    let run = host(&["--config", path, "--list"]);
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
}

#[tokio::test]
async fn a_server_is_reached_over_http() {
    use mcp_bridge_examples::demo::HttpServer;
    let server = HttpServer::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let url = server.url();
    let serving = tokio::spawn(server.run());
    let run = tokio::task::spawn_blocking(move || {
        host(&["--url", &url, "--name", "web", "--call", "mcp__web__slow"])
    });
    let run = run.await.unwrap();
    serving.abort();
    assert_eq!(
        (run.code, run.stdout.trim()),
        (0, "Done after 10 steps."),
        "{}",
        run.stderr
    );
    says(&run.stderr, &["step"]);
}
