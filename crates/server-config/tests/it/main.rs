//! Tests of the public API.

mod digest;
mod helper;
mod secrets;

use mcp_bridge_server_config::{
    LoadErrorKind, Origin, ServerConfig, Trust, expand, load_file, load_str,
};
use proptest::prelude::*;

fn lookup(name: &str) -> Option<String> {
    (name == "TOKEN").then(|| "s3cret".to_owned())
}

#[test]
fn one_bad_entry_costs_only_itself() {
    let text = r#"{
  // The team's servers.
  "mcpServers": {
    "good": {"command": "${CMD:-uvx}", "args": ["a"], "env": {"T": "${TOKEN}"}},
    "bad name": {"command": "c"},
    "unset": {"type": "http", "url": "https://${HOST}/", "headers": {"A": "${TOKEN}"}},
    "wrong": {"command": ["c"]},
    "web": {"url": "https://h.example/mcp", "trust": true},
  },
}"#;
    let loaded = load_str(text, Origin::Project, &lookup).unwrap();
    let names: Vec<&str> = loaded.servers.iter().map(|entry| &*entry.name).collect();
    assert_eq!(names, ["good", "web"]);
    let good = ServerConfig::stdio("uvx").args(["a"]).env("T", "s3cret");
    assert_eq!(loaded.servers[0].config, good);
    assert_eq!(loaded.servers[1].config.trust, Trust::Untrusted);
    let told: Vec<_> = loaded
        .warnings
        .iter()
        .map(|warning| (warning.code, warning.to_string()))
        .collect();
    let want = [
        (
            "invalid_name",
            "line 5, column 5: server \"bad name\" was left out: its name may hold letters, digits, `_`, `-` and `.` only",
        ),
        (
            "missing_env",
            "line 6, column 5: server `unset` was left out: the variable HOST is not set",
        ),
        (
            "type_error",
            "line 7, column 5: server `wrong` was left out: `command` must be a string, and is a list of other things",
        ),
        (
            "type_inferred",
            "line 8, column 5: server `web`: `type` is missing and taken for \"http\", since there is a `url`",
        ),
        (
            "trust_ignored",
            "line 8, column 5: server `web`: a project's own file cannot vouch for a server, so `trust` is dropped",
        ),
    ];
    assert_eq!(told, want.map(|(code, text)| (code, text.to_owned())));
}

#[test]
fn a_users_own_file_may_vouch() {
    let text =
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://h/mcp", "trust": true}}}"#;
    let loaded = load_str(text, Origin::User, &lookup).unwrap();
    assert_eq!(loaded.servers[0].config.trust, Trust::Trusted);
    assert_eq!(loaded.warnings, []);
}

#[test]
fn a_file_that_is_none_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mcp.json");
    let cases: [(Option<&[u8]>, LoadErrorKind, &str); 6] = [
        (None, LoadErrorKind::NotFound, "there is no such file"),
        (
            Some(b"{ not json"),
            LoadErrorKind::Syntax,
            "line 1 column 7",
        ),
        (
            Some(b"[]"),
            LoadErrorKind::NoServers,
            "no object `mcpServers`",
        ),
        (
            Some(b"{\"mcpServers\": 5}"),
            LoadErrorKind::NoServers,
            "no object `mcpServers`",
        ),
        (Some(b"\xff\xfe{}"), LoadErrorKind::Unreadable, "no UTF-8"),
        (
            Some(&[b' '; (1 << 20) + 1]),
            LoadErrorKind::TooLarge,
            "larger than 1048576 bytes",
        ),
    ];
    for (bytes, kind, part) in cases {
        if let Some(bytes) = bytes {
            std::fs::write(&path, bytes).unwrap();
        }
        let error = load_file(&path, Origin::Project).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.to_string().contains("mcp.json"), "{error}");
    }
    let error = load_file(folder.path(), Origin::Project).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Unreadable, "{error}");
}

#[test]
fn deep_nesting_is_an_error_and_no_end() {
    let text = format!("{{\"mcpServers\": {}", "[".repeat(100_000));
    let error = load_str(&text, Origin::Project, &lookup).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Syntax, "{error}");
}

#[test]
fn a_helpers_command_keeps_its_variables() {
    let text = r#"{"mcpServers": {"w": {"type": "http", "url": "https://h/", "headersHelper": "get ${TOKEN} ${NO}"}}}"#;
    let loaded = load_str(text, Origin::Project, &lookup).unwrap();
    let config = format!("{:?}", loaded.servers[0].config);
    assert!(!config.contains("s3cret"), "{config}");
    assert_eq!(loaded.warnings, []);
}

#[test]
fn a_member_that_has_no_effect_is_told() {
    let text = r#"{"mcpServers": {
"web": {"type": "http", "url": "https://h/", "args": ["a"], "env": {}, "command": null},
"own": {"type": "stdio", "command": "c", "url": "https://h/", "headers": []}
}}"#;
    let loaded = load_str(text, Origin::User, &lookup).unwrap();
    let told: Vec<_> = loaded
        .warnings
        .iter()
        .map(|warning| (warning.code, warning.field.as_deref(), warning.to_string()))
        .collect();
    let want = [
        (
            "args",
            "line 2, column 1: server `web`: `args` has no effect on a server of type \"http\"",
        ),
        (
            "url",
            "line 3, column 1: server `own`: `url` has no effect on a server of type \"stdio\"",
        ),
    ];
    let want = want.map(|(field, text)| ("unused_field", Some(field), text.to_owned()));
    assert_eq!(told, want);
    assert_eq!(loaded.servers.len(), 2);
}

#[test]
fn of_two_entries_of_one_name_the_last_counts() {
    let text = r#"{"mcpServers": {"a": {"command": "1"}, "b": {"command": "2"},
  "é": {"command": "3"}, "a": {"command": "4"}, "b": {}}}"#;
    let loaded = load_str(text, Origin::User, &lookup).unwrap();
    let servers: Vec<_> = loaded
        .servers
        .iter()
        .map(|entry| (&*entry.name, entry.config.clone()))
        .collect();
    let want = [("b", "2"), ("é", "3"), ("a", "4")];
    assert_eq!(
        servers,
        want.map(|(name, command)| (name, ServerConfig::stdio(command)))
    );
    let told: Vec<_> = loaded
        .warnings
        .iter()
        .map(|warning| (warning.code, warning.line, warning.column))
        .collect();
    assert_eq!(
        told,
        [("duplicate_name", 2, 26), ("missing_command", 2, 49)]
    );
}

#[test]
fn a_text_of_very_many_entries_is_read_in_one_go() {
    let entries: Vec<String> = (0..60_000)
        .map(|number| format!("\"{}\":1", number % 30_000))
        .collect();
    let text = format!("{{\"mcpServers\": {{{}}}}}", entries.join(",\n"));
    let loaded = load_str(&text, Origin::Project, &lookup).unwrap();
    assert_eq!(loaded.warnings.len(), 60_000);
    assert_eq!(
        loaded.warnings.last().map(|warning| warning.line),
        Some(60_000)
    );
    let error = load_str(&" ".repeat((1 << 20) + 1), Origin::Project, &lookup).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::TooLarge);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let _ = load_str(&text, Origin::Project, &lookup);
    }

    #[test]
    fn almost_any_file_is_read_or_refused(text in r#"\{"mcpServers": ?\{("[a-z ]{0,3}": ?\{?["a-z:,\[\]{}$ ]{0,30}\}?,?){0,3}\}\}"#) {
        let _ = load_str(&text, Origin::User, &lookup);
    }

    #[test]
    fn text_without_a_reference_stays_as_it_is(text in "[^$]*") {
        let expanded = expand(&text, &lookup);
        prop_assert_eq!(expanded.value, text);
        prop_assert!(expanded.missing.is_empty());
    }

    #[test]
    fn what_is_put_in_is_never_read_again(value in "\\PC*", around in "[^${}]*") {
        let text = format!("{around}${{X}}{around}");
        let expanded = expand(&text, &|_| Some(value.clone()));
        prop_assert_eq!(expanded.value, format!("{around}{value}{around}"));
    }
}
