use std::collections::BTreeSet;
use std::time::Duration;

use mcp_bridge_server_config::{Origin, ServerConfig, Trust, load_str};

#[track_caller]
fn read(entry: &str) -> ServerConfig {
    let text = format!(r#"{{"mcpServers": {{"s": {entry}}}}}"#);
    match load_str(&text, Origin::User, &|_| None)
        .as_ref()
        .map(|loaded| &*loaded.servers)
    {
        Ok([entry]) => entry.config.clone(),
        other => panic!("no usable entry in {text}: {other:?}"),
    }
}

#[test]
fn everything_that_is_run_or_reached_counts() {
    let entries = [
        r#"{"command": "c"}"#,
        r#"{"command": "d"}"#,
        r#"{"command": "c", "args": ["a b"]}"#,
        r#"{"command": "c", "args": ["a", "b"]}"#,
        r#"{"command": "c", "env": {"TOKEN": "a"}}"#,
        r#"{"command": "c", "env": {"TOKEN": "b"}}"#,
        r#"{"command": "c", "cwd": "/x"}"#,
        r#"{"type": "http", "url": "https://h/"}"#,
        r#"{"type": "sse", "url": "https://h/"}"#,
        r#"{"type": "ws", "url": "wss://h/"}"#,
        r#"{"type": "http", "url": "https://h/", "headers": {"A": "Bearer a"}}"#,
        r#"{"type": "http", "url": "https://h/", "headers": {"A": "Bearer b"}}"#,
        r#"{"type": "http", "url": "https://h/", "headersHelper": "get"}"#,
        r#"{"type": "http", "url": "https://h/", "oauth": {}}"#,
        r#"{"type": "http", "url": "https://h/", "oauth": {"clientId": "a"}}"#,
        r#"{"type": "http", "url": "https://h/", "oauth": {"clientSecretEnv": "A"}}"#,
        r#"{"type": "http", "url": "https://h/", "oauth": {"clientSecretEnv": "B"}}"#,
        r#"{"type": "http", "url": "https://h/", "oauth": {"callbackPort": 1}}"#,
        r#"{"type": "http", "url": "https://h/", "oauth": {"authServerMetadataUrl": "a"}}"#,
        r#"{"type": "http", "url": "https://h/", "oauth": {"clientMetadataUrl": "a"}}"#,
    ];
    let configs = entries.map(read);
    let digests: BTreeSet<String> = configs
        .iter()
        .map(|config| config.transport.digest())
        .collect();
    assert_eq!(digests.len(), entries.len());
    let digests: BTreeSet<String> = configs.iter().map(ServerConfig::digest).collect();
    assert_eq!(digests.len(), entries.len());
}

#[test]
fn how_the_file_wrote_it_does_not_count() {
    let same = [
        (
            r#"{"command": "c"}"#,
            r#"{"type": "stdio", "env": {}, "args": [], "command": "c", "cwd": null}"#,
        ),
        (
            r#"{"type": "http", "url": "https://h/"}"#,
            r#"{"url": "https://h/", "headers": {}, "headersHelper": " ", "oauth": null}"#,
        ),
        (
            r#"{"command": "c", "env": {"A": "1", "B": "2"}}"#,
            r#"{"command": "c", "env": {"B": "2", "A": "1"}}"#,
        ),
    ];
    for (left, right) in same {
        assert_eq!(
            read(left).digest(),
            read(right).digest(),
            "{left} and {right}"
        );
    }
}

#[test]
fn what_a_server_is_allowed_counts_for_its_approval_only() {
    let plain = ServerConfig::stdio("c");
    let other = [
        plain.clone().with_always_allow(["t"]),
        plain.clone().with_disabled_tools(["t"]),
        plain.clone().with_allowed_tools(["t"]),
        plain.clone().with_allowed_tools([""; 0]),
        plain.clone().with_parallel_tool_calls(),
        plain.clone().with_watch_paths(["t"]),
        plain.clone().with_trust(Trust::Trusted),
    ];
    for config in other {
        assert_eq!(
            config.transport.digest(),
            plain.transport.digest(),
            "{config:?}"
        );
        assert_ne!(config.digest(), plain.digest(), "{config:?}");
    }
    let times = plain
        .clone()
        .with_timeout(Duration::from_secs(9))
        .disabled();
    assert_eq!(times.digest(), plain.digest());
}

#[test]
fn a_digest_is_the_same_on_every_machine() {
    let config = ServerConfig::stdio("uvx").args(["mcp-server-git"]);
    // Of `["stdio",["uvx",["mcp-server-git"],[],null]]`.
    let want = "ba1dc1e8855f0b3b701b78c5addccef0078bc1f386192c47fcac838c9a5250cf";
    assert_eq!(config.transport.digest(), want);
}
