//! Servers that cannot be started, do not answer, or answer nonsense, and calls that cannot be made: each is told in a
//! sentence, and the other servers keep working.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use mcp_bridge::artifact_store::{
    ArtifactRecord, ArtifactStore, ArtifactWriter, Error as StoreError, Excerpt, FileStore, Limits,
    NewArtifact, ReadRange, StoreOptions,
};
use mcp_bridge::{Bridge, ErrorKind, OutcomeKind, ServerConfig, SessionDir};
use mcp_bridge_tests::http::{HttpServer, Response};
use mcp_bridge_tests::script::good as good_script;
use serde_json::json;

use crate::common::{alive, assert_good_works, builder, failure, shell};

async fn start_beside_good(server: &str, config: ServerConfig) -> Bridge {
    let bridge = builder().server(server, config).start().await;
    assert_good_works(&bridge).await;
    bridge
}

#[tokio::test]
async fn a_missing_command_is_named_and_costs_only_its_own_tools() {
    let bridge = start_beside_good("gone", ServerConfig::stdio("no-such-command-anywhere")).await;
    let (reason, codes) = failure(&bridge, "gone");
    assert!(reason.contains("no-such-command-anywhere"), "{reason}");
    assert_eq!(codes, ["connection_failed"]);
    let error = bridge.call("mcp__gone__tool", json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ServerDown);
    assert!(
        error.to_string().contains("no-such-command-anywhere"),
        "{error}"
    );
    bridge.shutdown().await;
}

#[tokio::test]
async fn a_command_that_exits_at_once_shows_what_it_said() {
    let script = "echo 'cannot read the configuration' >&2; exit 3";
    let bridge = start_beside_good("exits", shell(script)).await;
    let (reason, codes) = failure(&bridge, "exits");
    assert!(reason.contains("cannot read the configuration"), "{reason}");
    assert_eq!(codes, ["connection_failed"]);
    bridge.shutdown().await;
}

#[tokio::test]
async fn a_server_that_speaks_garbage_fails_with_a_sentence() {
    let script = "while :; do echo 'this is no JSON'; sleep 0.1; done";
    let started = Instant::now();
    let bridge = start_beside_good("garbage", shell(script)).await;
    let (reason, codes) = failure(&bridge, "garbage");
    assert!(reason.contains("`garbage`"), "{reason}");
    assert!(codes.contains(&"connection_failed".to_owned()), "{codes:?}");
    assert!(started.elapsed() < Duration::from_secs(20));
    bridge.shutdown().await;
}

#[tokio::test]
async fn http_errors_are_told_by_their_status() {
    for (status, state, code) in [
        (401, "needs_auth", "needs_auth"),
        (404, "failed", "connection_failed"),
        (500, "failed", "connection_failed"),
    ] {
        let response = Response::new(status, "nothing here")
            .header("www-authenticate", "Bearer realm=\"x\"")
            .header("content-type", "text/plain");
        let server = HttpServer::fixed(response).await.unwrap();
        let bridge = start_beside_good("web", ServerConfig::http(server.url())).await;
        let (reason, codes) = failure(&bridge, "web");
        assert!(reason.contains(&status.to_string()), "{reason}");
        assert_eq!(codes, [code], "status {status}");
        assert_eq!(
            bridge.catalog().server("web").unwrap().state.as_str(),
            state
        );
        bridge.shutdown().await;
    }
}

#[tokio::test]
async fn a_server_over_http_is_as_good_as_one_over_stdio() {
    let server = HttpServer::script(good_script("web")).await.unwrap();
    let bridge = start_beside_good("web", ServerConfig::http(server.url())).await;
    let outcome = bridge
        .call("mcp__web__add", json!({"a": 2, "b": 3}))
        .await
        .unwrap();
    assert_eq!(outcome.structured_content(), Some(&json!({"sum": 5})));
    bridge.shutdown().await;
}

#[tokio::test]
async fn a_hung_initialize_times_out_and_its_whole_process_tree_is_ended() {
    let mark = format!("hung-{}", std::process::id());
    let config = shell("sleep 600 & sleep 600")
        .env("MCP_BRIDGE_TEST_MARK", &mark)
        .with_startup_timeout(Duration::from_secs(1));
    let started = Instant::now();
    let bridge = start_beside_good("hung", config).await;
    let (reason, codes) = failure(&bridge, "hung");
    assert!(reason.contains("1 s"), "{reason}");
    assert_eq!(codes, ["connection_failed"]);
    assert!(started.elapsed() < Duration::from_secs(20));
    for _ in 0..100 {
        if alive(&mark) == 0 {
            bridge.shutdown().await;
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{} processes are left", alive(&mark));
}

#[tokio::test]
async fn a_misspelt_tool_is_answered_with_near_misses() {
    let bridge = builder().start().await;
    let error = bridge.call("mcp__good__ecko", json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unknown);
    assert!(error.to_string().contains("mcp__good__echo"), "{error}");
    bridge.shutdown().await;
}

#[tokio::test]
async fn arguments_that_break_the_schema_are_told_by_pointer_and_never_sent() {
    let bridge = builder().start().await;
    let cases = [
        (
            json!({"a": "two", "b": 3}),
            "The tool `mcp__good__add` was not called: its arguments do not fit its schema.\n\
             - at /a: expected integer, got string",
        ),
        (
            json!([1, 2]),
            "The tool `mcp__good__add` was not called: its arguments must be a JSON object, not an array.",
        ),
    ];
    for (arguments, text) in cases {
        let outcome = bridge.call("mcp__good__add", arguments).await.unwrap();
        assert_eq!(
            (outcome.kind(), outcome.text()),
            (OutcomeKind::InvalidArguments, text)
        );
        assert!(outcome.is_error());
    }
    assert_good_works(&bridge).await;
    bridge.shutdown().await;
}

/// A store on a disk that has no room.
struct FullDisk;

struct NoRoom;

impl Write for NoRoom {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::Error::from(io::ErrorKind::StorageFull))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ArtifactWriter for NoRoom {
    fn finish(self: Box<Self>) -> Result<ArtifactRecord, StoreError> {
        unreachable!("nothing was written")
    }
}

impl ArtifactStore for FullDisk {
    fn begin(&self, _: &NewArtifact) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        Ok(Box::new(NoRoom))
    }

    fn get(&self, _: &str) -> Result<ArtifactRecord, StoreError> {
        unreachable!("nothing is kept")
    }

    fn read(&self, _: &str, _: ReadRange) -> Result<Excerpt, StoreError> {
        unreachable!("nothing is kept")
    }

    fn list(&self) -> Result<Vec<ArtifactRecord>, StoreError> {
        Ok(Vec::new())
    }
}

#[tokio::test]
async fn a_full_disk_costs_the_artifact_and_not_the_result() {
    let folder = tempfile::tempdir().unwrap();
    let session = SessionDir::open(folder.path(), folder.path(), "small").unwrap();
    let limits = Limits::default().with_max_session_bytes(1_000);
    let quota = FileStore::open(&session, StoreOptions::default().with_limits(limits)).unwrap();
    for builder in [
        builder().artifact_store(FullDisk),
        builder().artifact_store(quota),
    ] {
        let bridge = builder.start().await;
        let outcome = bridge
            .call("mcp__good__big", json!({"chars": 200_000}))
            .await
            .unwrap();
        assert_eq!(outcome.kind(), OutcomeKind::Completed);
        assert!(outcome.artifacts().is_empty());
        let text = outcome.text();
        assert!(
            text.contains("000000001"),
            "the preview is lost: {text:.300}"
        );
        assert!(text.contains("could not be saved: "), "{text:.600}");
        assert_eq!(outcome.notes().len(), 1, "{:?}", outcome.notes());
        assert_good_works(&bridge).await;
        bridge.shutdown().await;
    }
}

#[tokio::test]
async fn a_server_that_dies_leaves_the_catalog_and_the_others_alone() {
    let script = "read line; sleep 0.3; echo 'out of memory' >&2; exit 1";
    let mut bridge = builder().server("dies", shell(script)).start().await;
    let (reason, _) = failure(&bridge, "dies");
    assert!(reason.contains("out of memory"), "{reason}");
    assert_good_works(&bridge).await;
    bridge.shutdown().await;

    // One that dies after it has worked.
    let server = crate::common::good().env("MCP_BRIDGE_TEST_MARK", "dies-later");
    bridge = builder().server("later", server).start().await;
    bridge
        .call("mcp__later__echo", json!({"text": "a"}))
        .await
        .unwrap();
    let mut changes = bridge.catalog_changes();
    end("dies-later");
    tokio::time::timeout(Duration::from_secs(10), async {
        while bridge.catalog().tool("mcp__later__echo").is_ok() {
            changes.changed().await.unwrap();
        }
    })
    .await
    .unwrap();
    let error = bridge
        .call("mcp__later__echo", json!({"text": "b"}))
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.server_id()),
        (ErrorKind::ServerDown, Some("later"))
    );
    assert_good_works(&bridge).await;
    bridge.reconnect("later").await.unwrap();
    bridge
        .call("mcp__later__echo", json!({"text": "c"}))
        .await
        .unwrap();
    bridge.shutdown().await;
    assert_eq!(alive("dies-later"), 0);
}

/// Kills every process whose environment holds `mark`.
fn end(mark: &str) {
    for process in std::fs::read_dir("/proc").unwrap().flatten() {
        let environ = std::fs::read(process.path().join("environ")).unwrap_or_default();
        if environ
            .windows(mark.len())
            .any(|window| window == mark.as_bytes())
            && let Some(id) = process.file_name().to_str().and_then(|id| id.parse().ok())
            && let Some(pid) = rustix::process::Pid::from_raw(id)
        {
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
    }
}

#[tokio::test]
async fn what_a_configuration_asks_for_in_vain_is_told() {
    use mcp_bridge::server_config::{Origin, load_str};
    let text = r#"{"mcpServers": {
        "web": {"type": "http", "url": "http://127.0.0.1:9/mcp", "headersHelper": "print-token", "watchPaths": ["a"]},
        "old": {"type": "sse", "url": "http://127.0.0.1:9/sse"}
    }}"#;
    let loaded = load_str(text, Origin::Project, &|_| None).unwrap();
    let bridge = builder().configured_servers(loaded).start().await;
    let mut told: Vec<String> = bridge.warnings().iter().map(ToString::to_string).collect();
    told.sort();
    assert_eq!(told.len(), 4, "{told:#?}");
    assert_eq!(
        told[2..],
        [
            "[unsupported_option] web: `headersHelper` is configured and not followed by this version",
            "[unsupported_option] web: `watchPaths` is configured and not followed by this version",
        ]
    );
    assert!(
        told[0].contains("old") && told[0].contains("its transport, \"sse\", is not supported"),
        "{}",
        told[0]
    );
    assert_good_works(&bridge).await;
    bridge.shutdown().await;
}
