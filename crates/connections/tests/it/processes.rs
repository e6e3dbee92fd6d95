use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_bridge_connections::{Connection, Error, ErrorKind, Lifecycle, Options, Timeouts};
use mcp_bridge_server_config::ServerConfig;

/// A server that is ready, and whatever `more` adds to its script.
fn script(more: &str) -> String {
    let answer = r#"{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"sh","version":"1"}}}"#;
    format!(
        "read -r line; id=${{line#*'\"id\":'}}; id=${{id%%,*}}; printf '{answer}\\n' \"$id\"; {more}"
    )
}

async fn open(script: &str, startup: Duration) -> Result<Connection, Error> {
    let config = ServerConfig::stdio("sh")
        .args(["-c", script])
        .with_startup_timeout(startup);
    let timeouts = Timeouts::default().with_end(Duration::from_millis(300));
    let options = Options::default()
        .with_lifecycle(Lifecycle::Initialize)
        .with_timeouts(timeouts);
    Connection::open("sh", &config, &options, Arc::new(())).await
}

/// Whether the process whose id a script wrote to `file` still runs.
async fn runs(file: &Path) -> bool {
    let pid = std::fs::read_to_string(file).unwrap();
    let pid = pid.trim();
    assert!(!pid.is_empty());
    for _ in 0..50 {
        if let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) {
            // Behind the name in brackets stands the state.
            if stat
                .rsplit(") ")
                .next()
                .is_some_and(|rest| rest.starts_with('Z'))
            {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        }
        if Path::new("/proc/self").exists() {
            return false;
        }
        let state = std::process::Command::new("ps")
            .args(["-o", "stat=", "-p", pid])
            .output()
            .unwrap();
        let state = String::from_utf8(state.stdout).unwrap();
        if state.trim().is_empty() || state.trim().starts_with('Z') {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    true
}

#[tokio::test]
async fn a_process_that_exits_at_once_shows_its_stderr() {
    let script = "echo 'no such database' >&2; exit 3";
    let error = open(script, Duration::from_secs(5)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exited);
    assert_eq!(error.stderr(), "no such database\n");
    assert_eq!(
        error.to_string(),
        "server `sh` ended before it was ready (exit status: 3); its stderr ends with:\n  no such database"
    );
}

#[tokio::test]
async fn a_command_that_does_not_exist_is_named() {
    let config = ServerConfig::stdio("mcp-bridge-no-such-command");
    let error = Connection::open("gone", &config, &Options::default(), Arc::new(()))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CommandNotFound);
    assert!(error.to_string().contains("mcp-bridge-no-such-command"));
}

#[tokio::test]
async fn a_hung_start_leaves_nothing_of_its_tree() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    // It ignores SIGTERM, and so does what it started.
    let script = format!(
        "trap '' TERM; sleep 300 & echo $! > '{}'; wait",
        file.display()
    );
    let start = Instant::now();
    let error = open(&script, Duration::from_millis(500)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(start.elapsed() < Duration::from_secs(4));
    assert!(!runs(&file).await);
}

#[tokio::test]
async fn a_shutdown_leaves_nothing_of_the_tree() {
    let ends = [
        ("reads to the end", "while read -r line; do :; done"),
        ("never looks at its input", "exec sleep 300"),
        ("ignores SIGTERM", "trap '' TERM; while :; do sleep 1; done"),
    ];
    for (what, end) in ends {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let more = format!("sleep 300 & echo $! > '{}'; {end}", file.display());
        let connection = open(&script(&more), Duration::from_secs(5)).await.unwrap();
        // The script writes it after its answer.
        while !std::fs::read_to_string(&file).is_ok_and(|pid| pid.ends_with('\n')) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let start = Instant::now();
        connection.shutdown().await;
        connection.shutdown().await;
        assert!(start.elapsed() < Duration::from_secs(3), "{what}");
        assert!(!runs(&file).await, "{what}");
        assert!(connection.is_closed(), "{what}");
    }
}

#[tokio::test]
async fn the_last_clone_takes_the_tree_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let more = format!("sleep 300 & echo $! > '{}'; wait", file.display());
    let connection = open(&script(&more), Duration::from_secs(5)).await.unwrap();
    while !std::fs::read_to_string(&file).is_ok_and(|pid| pid.ends_with('\n')) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    drop(connection);
    assert!(!runs(&file).await);
}

#[tokio::test]
async fn a_start_that_takes_too_long_is_told_as_such_though_the_process_then_ends() {
    let cases = [
        (
            "cat >/dev/null",
            ErrorKind::Timeout,
            "was not ready after 0.3 s",
        ),
        (
            "echo 'Listening on port 80'; cat >/dev/null",
            ErrorKind::Timeout,
            "it wrote \"Listening on port 80\"",
        ),
        (
            "read -r line; echo 'Usage: server [options]'",
            ErrorKind::Exited,
            "it wrote \"Usage: server [options]\"",
        ),
    ];
    for (script, kind, part) in cases {
        let error = open(script, Duration::from_millis(300)).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{script}: {error}");
        assert!(error.to_string().contains(part), "{script}: {error}");
    }
}

#[tokio::test]
async fn a_flood_of_garbage_stops_neither_the_clock_nor_other_servers() {
    let started = Instant::now();
    let flood = open("yes garbage", Duration::from_millis(500));
    let good = script("read -r line; sleep 5");
    let good = async {
        let opened = open(&good, Duration::from_secs(20)).await.unwrap();
        (started.elapsed(), opened)
    };
    let (flood, (ready, good)) = tokio::join!(flood, good);
    let error = flood.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    assert!(
        error.to_string().contains("it wrote \"garbage\""),
        "{error}"
    );
    assert!(
        ready < Duration::from_secs(5),
        "the good server took {ready:?}"
    );
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
    good.shutdown().await;
}
