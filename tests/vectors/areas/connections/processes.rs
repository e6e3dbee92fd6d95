//! Children: noise on stderr, whole trees ended, nothing left behind.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_bridge_connections::{Connection, ToolCall};
use mcp_bridge_server_config::ServerConfig;
use serde_json::{Map, Value, json};

use super::{asked, field, options, timed};
use crate::{Outcome, Row};

const MARK: &str = "MCP_BRIDGE_TEST_MARK";

/// A server that is a shell with the scripted server below it, marked so that its processes can be counted.
fn config(mark: &str, before: &str) -> ServerConfig {
    let program = env!("CARGO_BIN_EXE_scripted-server");
    ServerConfig::stdio("/bin/sh")
        .args(["-c", &format!("{before} exec '{program}'")])
        .env(MARK, mark)
}

async fn open(config: &ServerConfig) -> Result<Connection, String> {
    let opened = Connection::open("srv", config, &options(), Arc::new(())).await;
    opened.map_err(|error| error.to_string())
}

/// The processes that carry the mark.
fn marked(mark: &str) -> Vec<std::path::PathBuf> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let carries = |path: &std::path::Path| {
        let environ = std::fs::read(path.join("environ")).unwrap_or_default();
        let wanted = format!("{MARK}={mark}");
        environ
            .split(|byte| *byte == 0)
            .any(|entry| entry == wanted.as_bytes())
    };
    processes
        .map(|process| process.path())
        .filter(|path| carries(path))
        .collect()
}

/// Children of this process that ended and were not collected.
fn zombies() -> usize {
    let own = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_zombie = |stat: String| {
        // After the command in parentheses: the state, then the parent.
        let rest = stat
            .rsplit_once(')')
            .map(|(_, rest)| rest.to_owned())
            .unwrap_or_default();
        let mut fields = rest.split_whitespace();
        fields.next() == Some("Z") && fields.next() == Some(&own)
    };
    let stats =
        processes.filter_map(|process| std::fs::read_to_string(process.path().join("stat")).ok());
    stats.filter(|stat| is_zombie(stat.clone())).count()
}

/// Waits up to ten seconds for a count to come down.
async fn falls_to_zero(count: impl Fn() -> usize) -> usize {
    let mut last = count();
    for _ in 0..200 {
        if last == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        last = count();
    }
    last
}

fn unique(row: &Row) -> String {
    format!("{}-{}", row.id, std::process::id())
}

pub(super) fn noisy_child(row: &Row) -> Outcome {
    let number = |key: &str| field(&row.input, key).as_u64().unwrap_or_default();
    let mark = unique(row);
    let before = format!(
        "head -c {} /dev/zero | tr '\\0' x >&2;",
        number("stderr_bytes_before_reply")
    );
    let (config, calls) = (config(&mark, &before), number("calls"));
    let limit = field(
        row.expected.as_ref().unwrap_or(&Value::Null),
        "stderr_tail_max_bytes",
    )
    .clone();
    let answer = timed(async {
        let connection = open(&config).await?;
        let mut ok = 0;
        for _ in 0..calls {
            let mut arguments = Map::new();
            arguments.insert("text".to_owned(), json!("x"));
            ok += usize::from(
                connection
                    .call_tool(ToolCall::new("echo", arguments))
                    .await
                    .is_ok(),
            );
        }
        let own = std::fs::read_link("/proc/self/fd/2").ok();
        let shared = marked(&mark)
            .iter()
            .any(|path| std::fs::read_link(path.join("fd/2")).ok() == own);
        let kept = connection.stderr_tail().len();
        connection.shutdown().await;
        // The row's bound, where what was kept is within it; else what was kept.
        let within = kept > 0 && limit.as_u64().is_some_and(|limit| kept as u64 <= limit);
        Ok::<_, String>(json!({
            "calls_ok": ok, "stderr_tail_max_bytes": if within { limit } else { json!(kept) },
            "host_stderr_bytes": if shared { Value::Null } else { json!(0) },
        }))
    });
    answered(row, answer)
}

fn answered(row: &Row, answer: Result<Value, String>) -> Outcome {
    match answer {
        Ok(answer) => asked(row, answer),
        Err(problem) => Outcome::Verdict(Err(problem)),
    }
}

pub(super) fn tree(row: &Row) -> Outcome {
    let mark = unique(row);
    let deaf = if field(&row.input, "grandchild_ignores_eof") == true {
        "sleep 600 &"
    } else {
        ""
    };
    let config = config(&mark, deaf);
    let by_drop = match field(&row.input, "end").as_str() {
        Some("close") => false,
        Some("drop") => true,
        _ => return Outcome::Unwired,
    };
    let answer = timed(async {
        let connection = open(&config).await?;
        if marked(&mark).len() < 2 {
            return Err("the tree did not start".to_owned());
        }
        let started = Instant::now();
        if by_drop {
            drop(connection);
        } else {
            connection.shutdown().await;
        }
        let survivors = falls_to_zero(|| marked(&mark).len()).await;
        let took = started.elapsed();
        let zombies = falls_to_zero(zombies).await;
        let limit = field(row.expected.as_ref().unwrap_or(&Value::Null), "max_millis").clone();
        let in_time = limit
            .as_u64()
            .is_some_and(|limit| took <= Duration::from_millis(limit));
        let millis = if in_time {
            limit
        } else {
            json!(took.as_secs_f64() * 1_000.0)
        };
        Ok(json!({"survivors": survivors, "zombies": zombies, "max_millis": millis}))
    });
    answered(row, answer)
}

pub(super) fn reconnects(row: &Row) -> Outcome {
    let times = field(&row.input, "times").as_u64().unwrap_or_default();
    let mark = unique(row);
    let config = config(&mark, "");
    let answer = timed(async {
        for _ in 0..times {
            open(&config).await?.shutdown().await;
        }
        let last = open(&config).await?;
        let live = marked(&mark).len();
        let zombies = falls_to_zero(zombies).await;
        last.shutdown().await;
        Ok(json!({"live_children": live, "zombies": zombies}))
    });
    answered(row, answer)
}
