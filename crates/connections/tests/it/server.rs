//! A scripted server over an in-memory pipe, and a handler that remembers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use mcp_bridge_connections::{Connection, Error, Event, Handler, Options, ToolCall};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::mpsc;

/// One step of an answer.
pub(crate) enum Step {
    /// Answers with this result.
    Result(Value),
    /// Answers with this error.
    Error(Value),
    /// Sends a notification.
    Notify(&'static str, Value),
    /// Writes a line as it is.
    Line(String),
    /// Waits.
    Wait(Duration),
}

/// All that a server was sent.
#[derive(Clone, Default)]
pub(crate) struct Sent(Arc<Mutex<Vec<Value>>>);

impl Sent {
    /// The `params` of every message of `method`.
    pub(crate) fn params(&self, method: &str) -> Vec<Value> {
        let sent = self.0.lock().unwrap();
        let of_method = sent.iter().filter(|message| message["method"] == method);
        of_method.map(|message| message["params"].clone()).collect()
    }

    /// Every method, in order.
    pub(crate) fn methods(&self) -> Vec<String> {
        let sent = self.0.lock().unwrap();
        let methods = sent.iter().filter_map(|message| message["method"].as_str());
        methods.map(str::to_owned).collect()
    }

    pub(crate) fn id_of(&self, method: &str) -> Value {
        let sent = self.0.lock().unwrap();
        let found = sent.iter().find(|message| message["method"] == method);
        found.map(|message| message["id"].clone()).unwrap()
    }

    pub(crate) fn push(&self, message: Value) {
        self.0.lock().unwrap().push(message);
    }
}

/// A handler that remembers what it was told.
#[derive(Default)]
pub(crate) struct Told(Mutex<Vec<Event>>);

impl Told {
    pub(crate) fn events(&self) -> Vec<Event> {
        self.0.lock().unwrap().clone()
    }
}

#[async_trait]
impl Handler for Told {
    fn event(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

pub(crate) fn legacy() -> Vec<Step> {
    vec![Step::Result(json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {"listChanged": true}},
        "serverInfo": {"name": "fake", "version": "1"},
    }))]
}

pub(crate) fn modern() -> Vec<Step> {
    vec![Step::Result(json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {"listChanged": true}, "prompts": {}},
        "ttlMs": 0,
        "cacheScope": "private",
    }))]
}

pub(crate) fn refusal() -> Vec<Step> {
    vec![Step::Error(
        json!({"code": -32601, "message": "Method not found"}),
    )]
}

/// A server of the older era; `answer` is asked for every request that is not of its start.
pub(crate) fn old_server(
    answer: impl Fn(&str, &Value) -> Vec<Step> + Send + Sync + 'static,
) -> (DuplexStream, Sent) {
    server(move |method, params| match method {
        "initialize" => legacy(),
        "server/discover" => refusal(),
        _ => answer(method, params),
    })
}

/// A server that does what `answer` says about each request, for each at its own pace.
pub(crate) fn server(
    answer: impl Fn(&str, &Value) -> Vec<Step> + Send + Sync + 'static,
) -> (DuplexStream, Sent) {
    let (client, server) = tokio::io::duplex(1 << 16);
    let (read, mut write) = tokio::io::split(server);
    let (lines, mut to_write) = mpsc::unbounded_channel::<String>();
    let sent = Sent::default();
    tokio::spawn(async move {
        while let Some(line) = to_write.recv().await {
            let line = format!("{line}\n");
            if write.write_all(line.as_bytes()).await.is_err() {
                return;
            }
        }
    });
    let seen = sent.clone();
    tokio::spawn(async move {
        let mut read = BufReader::new(read).lines();
        while let Ok(Some(line)) = read.next_line().await {
            let message: Value = serde_json::from_str(&line).unwrap();
            seen.push(message.clone());
            if let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) {
                let steps = answer(method, &message["params"]);
                tokio::spawn(follow(steps, id.clone(), lines.clone()));
            }
        }
    });
    (client, sent)
}

async fn follow(steps: Vec<Step>, id: Value, lines: mpsc::UnboundedSender<String>) {
    for step in steps {
        let line = match step {
            Step::Result(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Step::Error(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
            Step::Notify(method, params) => {
                json!({"jsonrpc": "2.0", "method": method, "params": params})
            }
            Step::Line(line) => {
                let _ = lines.send(line);
                continue;
            }
            Step::Wait(time) => {
                tokio::time::sleep(time).await;
                continue;
            }
        };
        let _ = lines.send(line.to_string());
    }
}

pub(crate) async fn connect(
    stream: DuplexStream,
    options: &Options,
    handler: Arc<dyn Handler>,
) -> Result<Connection, Error> {
    let (read, write) = tokio::io::split(stream);
    Connection::over_stream("fake", read, write, options, handler).await
}

/// Connects with all defaults, and a handler that remembers nothing.
pub(crate) async fn connected(stream: DuplexStream) -> Connection {
    connect(stream, &Options::default(), Arc::new(()))
        .await
        .unwrap()
}

pub(crate) fn call(name: &str) -> ToolCall {
    ToolCall::new(name, Map::new())
}
