//! A scripted MCP server: answers requests by method with raw JSON, over any byte stream, and records what it was sent.
//!
//! ```
//! use mcp_bridge_tests::script::{Reply, Script};
//! use serde_json::json;
//!
//! let script = Script::new("files")
//!     .tool(json!({"name": "read", "inputSchema": {"type": "object"}}))
//!     .on_call("read", |_| vec![Reply::text("hello")]);
//! let record = script.record();
//! let (client, server) = tokio::io::duplex(64 * 1024);
//! # let _ = (client, record);
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let task = tokio::spawn(script.serve(server)); // ends when the client hangs up
//! # task.abort();
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Notify, mpsc, oneshot};

/// Chooses the next steps, with everything in hand that the server was sent.
pub type Next = Arc<dyn Fn(&Record) -> Vec<Reply> + Send + Sync>;

/// One thing that a scripted server does about a request; a handler gives several, done in order.
#[derive(Clone)]
#[expect(
    clippy::exhaustive_enums,
    reason = "private to the tests of this workspace"
)]
pub enum Reply {
    /// Answers with this result.
    Result(Value),
    /// Answers with this JSON-RPC error object.
    Error(Value),
    /// Writes a line as it is, with `{id}` replaced by the request's id.
    Line(String),
    /// Sends a notification.
    Notify(&'static str, Value),
    /// Reports progress, under the request's own token.
    Progress(f64, Option<f64>),
    /// Sends a request of its own and waits for the answer, which the last step can look up in the [`Record`].
    Ask(&'static str, Value),
    /// Waits.
    Wait(Duration),
    /// Hangs up.
    Close,
    /// Decides what to do next after the steps before it are done.
    Then(Next),
}

impl Reply {
    /// A tool result of one text block.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Result(json!({"content": [{"type": "text", "text": text}]}))
    }

    /// A JSON-RPC error.
    #[must_use]
    pub fn error(code: i32, message: &str) -> Self {
        Self::Error(json!({"code": code, "message": message}))
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Result(value) => write!(f, "Result({value})"),
            Self::Error(value) => write!(f, "Error({value})"),
            Self::Line(line) => write!(f, "Line({line:?})"),
            Self::Notify(method, _) => write!(f, "Notify({method})"),
            Self::Progress(done, total) => write!(f, "Progress({done}, {total:?})"),
            Self::Ask(method, _) => write!(f, "Ask({method})"),
            Self::Wait(time) => write!(f, "Wait({time:?})"),
            Self::Close => f.write_str("Close"),
            Self::Then(_) => f.write_str("Then(..)"),
        }
    }
}

type Handler = Arc<dyn Fn(&Value) -> Vec<Reply> + Send + Sync>;

/// What a scripted server was sent, in order.
#[derive(Clone, Debug, Default)]
pub struct Record {
    messages: Arc<Mutex<Vec<Value>>>,
    changed: Arc<Notify>,
}

impl Record {
    pub(crate) fn push(&self, message: Value) {
        self.messages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(message);
        self.changed.notify_waiters();
    }

    /// Everything so far.
    #[must_use]
    pub fn messages(&self) -> Vec<Value> {
        self.messages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The `params` of every request and notification of `method` so far.
    #[must_use]
    pub fn params(&self, method: &str) -> Vec<Value> {
        let mut messages = self.messages();
        messages.retain(|message| message.get("method").and_then(Value::as_str) == Some(method));
        messages
            .iter()
            .map(|message| message.get("params").cloned().unwrap_or(Value::Null))
            .collect()
    }

    /// The answers to the server's own requests so far, whole.
    #[must_use]
    pub fn answers(&self) -> Vec<Value> {
        let mut messages = self.messages();
        messages.retain(|message| message.get("method").is_none());
        messages
    }

    /// Waits until `count` messages of `method` have come, and gives their `params`.
    pub async fn wait_for(&self, method: &str, count: usize) -> Vec<Value> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let params = self.params(method);
            if params.len() >= count {
                return params;
            }
            changed.await;
        }
    }
}

/// Sends notifications on a running server from outside, and changes what it lists.
#[derive(Clone, Debug)]
pub struct Remote {
    lists: Arc<Mutex<HashMap<&'static str, Vec<Value>>>>,
    outgoing: Arc<Mutex<Option<mpsc::UnboundedSender<String>>>>,
}

impl Remote {
    /// Replaces one list: `tools`, `resources`, `resourceTemplates` or `prompts`.
    pub fn set(&self, list: &'static str, items: Vec<Value>) {
        self.lists
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(list, items);
    }

    /// Sends a notification; nothing happens when no client is connected.
    pub fn notify(&self, method: &str, params: Value) {
        let line = json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string();
        if let Some(outgoing) = &*self.outgoing.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = outgoing.send(line);
        }
    }
}

/// A server that follows a script.
///
/// Without a handler of its own a method gets a sensible answer: `initialize` agrees to the client's version,
/// `server/discover` and unknown methods are refused with -32601, lists give what was added, an unknown tool is an
/// error result.
#[derive(Clone)]
pub struct Script {
    name: String,
    capabilities: Map<String, Value>,
    instructions: Option<String>,
    page: usize,
    handlers: HashMap<String, Handler>,
    calls: HashMap<String, Handler>,
    record: Record,
    remote: Remote,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Script {
    /// A server of this name that offers nothing yet.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            capabilities: Map::new(),
            instructions: None,
            page: usize::MAX,
            handlers: HashMap::new(),
            calls: HashMap::new(),
            record: Record::default(),
            remote: Remote {
                lists: Arc::default(),
                outgoing: Arc::default(),
            },
        }
    }

    fn list(self, list: &'static str, capability: &str, item: Value) -> Self {
        let script = self.capability(capability, json!({"listChanged": true}));
        let mut lists = script
            .remote
            .lists
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        lists.entry(list).or_default().push(item);
        drop(lists);
        script
    }

    /// Adds a tool, as `tools/list` gives it.
    #[must_use]
    pub fn tool(self, tool: Value) -> Self {
        self.list("tools", "tools", tool)
    }

    /// Adds a resource.
    #[must_use]
    pub fn resource(self, resource: Value) -> Self {
        self.list("resources", "resources", resource)
    }

    /// Adds a resource template.
    #[must_use]
    pub fn template(self, template: Value) -> Self {
        self.list("resourceTemplates", "resources", template)
    }

    /// Adds a prompt.
    #[must_use]
    pub fn prompt(self, prompt: Value) -> Self {
        self.list("prompts", "prompts", prompt)
    }

    /// Declares a capability.
    #[must_use]
    pub fn capability(mut self, name: &str, value: Value) -> Self {
        self.capabilities.insert(name.to_owned(), value);
        self
    }

    /// Says something of itself.
    #[must_use]
    pub fn instructions(mut self, text: &str) -> Self {
        self.instructions = Some(text.to_owned());
        self
    }

    /// Gives lists in pages of `items`.
    #[must_use]
    pub fn pages_of(mut self, items: usize) -> Self {
        self.page = items.max(1);
        self
    }

    /// Handles every request of `method`, which is given the `params`.
    #[must_use]
    pub fn on(
        mut self,
        method: &str,
        handler: impl Fn(&Value) -> Vec<Reply> + Send + Sync + 'static,
    ) -> Self {
        self.handlers.insert(method.to_owned(), Arc::new(handler));
        self
    }

    /// Handles calls of one tool, which is given the `arguments`.
    #[must_use]
    pub fn on_call(
        mut self,
        tool: &str,
        handler: impl Fn(&Value) -> Vec<Reply> + Send + Sync + 'static,
    ) -> Self {
        self.calls.insert(tool.to_owned(), Arc::new(handler));
        self
    }

    /// What the server is sent, from now on.
    #[must_use]
    pub fn record(&self) -> Record {
        self.record.clone()
    }

    /// A handle on the server while it runs.
    #[must_use]
    pub fn remote(&self) -> Remote {
        self.remote.clone()
    }

    /// The steps that answer one request.
    pub(crate) fn answer(&self, method: &str, params: &Value) -> Vec<Reply> {
        if let Some(handler) = self.handlers.get(method) {
            return handler(params);
        }
        let reply = match method {
            "initialize" => Reply::Result(self.initialize(params)),
            "ping" | "logging/setLevel" | "resources/subscribe" => Reply::Result(json!({})),
            "tools/list" => self.page_of("tools", params),
            "resources/list" => self.page_of("resources", params),
            "resources/templates/list" => self.page_of("resourceTemplates", params),
            "prompts/list" => self.page_of("prompts", params),
            "tools/call" => {
                let name = params
                    .get("name")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                let arguments = params
                    .get("arguments")
                    .cloned()
                    .unwrap_or_else(|| json!({}));
                if let Some(handler) = self.calls.get(name) {
                    return handler(&arguments);
                }
                let text = format!("unknown tool {name}");
                Reply::Result(json!({"content": [{"type": "text", "text": text}], "isError": true}))
            }
            _ => Reply::error(-32601, "method not found"),
        };
        vec![reply]
    }

    fn initialize(&self, params: &Value) -> Value {
        let version = params
            .get("protocolVersion")
            .cloned()
            .unwrap_or_else(|| json!("2025-11-25"));
        let mut result = json!({
            "protocolVersion": version,
            "capabilities": self.capabilities,
            "serverInfo": {"name": self.name, "version": "1.0.0"},
        });
        if let (Some(text), Some(result)) = (&self.instructions, result.as_object_mut()) {
            result.insert("instructions".to_owned(), json!(text));
        }
        result
    }

    fn page_of(&self, list: &str, params: &Value) -> Reply {
        let items = {
            let lists = self
                .remote
                .lists
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            lists.get(list).cloned().unwrap_or_default()
        };
        let cursor = params.get("cursor").and_then(Value::as_str);
        let start: usize = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
        let end = start.saturating_add(self.page).min(items.len());
        let page: Vec<Value> = items.iter().take(end).skip(start).cloned().collect();
        let mut result = Map::new();
        result.insert(list.to_owned(), Value::Array(page));
        if end < items.len() {
            result.insert("nextCursor".to_owned(), json!(end.to_string()));
        }
        Reply::Result(Value::Object(result))
    }

    /// Serves one client until it hangs up or the script closes. Requests are answered side by side.
    pub async fn serve<S>(self, stream: S)
    where
        S: AsyncRead + AsyncWrite + Send + 'static,
    {
        let (read, mut write) = tokio::io::split(stream);
        let (outgoing, mut lines) = mpsc::unbounded_channel::<String>();
        *self
            .remote
            .outgoing
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(outgoing.clone());
        let waiting: Waiting = Arc::default();
        let closed = Arc::new(Notify::new());
        let mut incoming = BufReader::new(read).lines();
        let mut tasks = tokio::task::JoinSet::new();
        loop {
            tokio::select! {
                line = incoming.next_line() => {
                    let Ok(Some(line)) = line else { break };
                    let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
                    self.record.push(message.clone());
                    let exchange = Exchange {
                        script: self.clone(),
                        outgoing: outgoing.clone(),
                        waiting: Arc::clone(&waiting),
                        closed: Arc::clone(&closed),
                    };
                    exchange.receive(message, &mut tasks);
                }
                Some(line) = lines.recv() => {
                    if write.write_all(format!("{line}\n").as_bytes()).await.is_err() { break }
                    let _ = write.flush().await;
                }
                () = closed.notified() => break,
                Some(_) = tasks.join_next() => {}
            }
        }
        *self
            .remote
            .outgoing
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = None;
        // What was written before the end still goes out.
        while let Ok(line) = lines.try_recv() {
            let _ = write.write_all(format!("{line}\n").as_bytes()).await;
        }
        let _ = write.shutdown().await;
    }
}

type Waiting = Arc<Mutex<HashMap<String, oneshot::Sender<()>>>>;

struct Exchange {
    script: Script,
    outgoing: mpsc::UnboundedSender<String>,
    waiting: Waiting,
    closed: Arc<Notify>,
}

impl Exchange {
    fn receive(self, message: Value, tasks: &mut tokio::task::JoinSet<()>) {
        let id = message.get("id").cloned();
        match (message.get("method").and_then(Value::as_str), id) {
            (Some(method), Some(id)) => {
                let params = message.get("params").cloned().unwrap_or_else(|| json!({}));
                let steps = self.script.answer(method, &params);
                tasks.spawn(async move { self.follow(steps, &id, &params).await });
            }
            (None, Some(id)) => {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(waiter) = waiting.remove(&id.to_string()) {
                    let _ = waiter.send(());
                }
            }
            _ => {}
        }
    }

    fn await_answer(&self, id: &Value, sender: oneshot::Sender<()>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.insert(id.to_string(), sender);
    }

    async fn follow(self, steps: Vec<Reply>, id: &Value, params: &Value) {
        let mut steps: std::collections::VecDeque<Reply> = steps.into();
        while let Some(step) = steps.pop_front() {
            let line = match step {
                Reply::Result(result) => {
                    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
                }
                Reply::Error(error) => {
                    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
                }
                Reply::Line(line) => line.replace("{id}", &id.to_string()),
                Reply::Notify(method, params) => {
                    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
                }
                Reply::Progress(progress, total) => {
                    let token = params
                        .pointer("/_meta/progressToken")
                        .cloned()
                        .unwrap_or(Value::Null);
                    let mut params = json!({"progressToken": token, "progress": progress});
                    if let (Some(total), Some(params)) = (total, params.as_object_mut()) {
                        params.insert("total".to_owned(), json!(total));
                    }
                    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
                        .to_string()
                }
                Reply::Ask(method, params) => {
                    let own = json!(format!("ask-{id}-{}", steps.len()));
                    let (sender, answered) = oneshot::channel();
                    self.await_answer(&own, sender);
                    let request =
                        json!({"jsonrpc": "2.0", "id": own, "method": method, "params": params});
                    let _ = self.outgoing.send(request.to_string());
                    let _ = answered.await;
                    continue;
                }
                Reply::Wait(time) => {
                    tokio::time::sleep(time).await;
                    continue;
                }
                Reply::Close => {
                    self.closed.notify_one();
                    return;
                }
                Reply::Then(next) => {
                    for step in next(&self.script.record).into_iter().rev() {
                        steps.push_front(step);
                    }
                    continue;
                }
            };
            let _ = self.outgoing.send(line);
        }
    }
}

/// A server that has a bit of everything and does nothing wrong: tools `echo`, `add`, `big` and `fail`, a resource, a
/// prompt and instructions.
#[must_use]
pub fn good(name: &str) -> Script {
    let object = |properties: Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required});
    let tool = |name: &str, schema: Value| {
        json!({
            "name": name, "description": format!("The tool {name}."), "inputSchema": schema,
            "annotations": {"readOnlyHint": true},
        })
    };
    let number = json!({"type": "integer"});
    Script::new(name)
        .instructions("Call echo first.")
        .tool(tool("echo", object(json!({"text": {"type": "string"}}), &["text"])))
        .tool(tool("add", object(json!({"a": number, "b": number}), &["a", "b"])))
        .tool(tool("big", object(json!({"chars": number}), &["chars"])))
        .tool(tool("fail", object(json!({}), &[])))
        .on_call("echo", |arguments| {
            vec![Reply::text(arguments.get("text").and_then(Value::as_str).unwrap_or_default())]
        })
        .on_call("add", |arguments| {
            let number = |key: &str| arguments.get(key).and_then(Value::as_i64).unwrap_or_default();
            let sum = number("a").saturating_add(number("b"));
            vec![Reply::Result(json!({
                "content": [{"type": "text", "text": sum.to_string()}], "structuredContent": {"sum": sum},
            }))]
        })
        .on_call("big", |arguments| {
            let chars = arguments.get("chars").and_then(Value::as_u64).unwrap_or_default();
            let lines = (0..chars / 10).map(|number| format!("{number:09}\n"));
            vec![Reply::text(&lines.collect::<String>())]
        })
        .on_call("fail", |_| {
            vec![Reply::Result(json!({"content": [{"type": "text", "text": "it broke"}], "isError": true}))]
        })
        .resource(json!({"uri": "note://one", "name": "one", "mimeType": "text/plain"}))
        .on("resources/read", |params| match params.get("uri").and_then(Value::as_str) {
            Some("note://one") => {
                vec![Reply::Result(json!({"contents": [{"uri": "note://one", "text": "the first note"}]}))]
            }
            _ => vec![Reply::error(-32602, "no such note")],
        })
        .prompt(json!({
            "name": "report", "description": "A report.", "arguments": [{"name": "region", "required": true}],
        }))
        .on("prompts/get", |params| {
            let region = params.pointer("/arguments/region").and_then(Value::as_str).unwrap_or_default();
            let text = format!("Report on {region}.");
            vec![Reply::Result(json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}))]
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(script: Script, sent: &[Value], count: usize) -> Vec<Value> {
        let (client, server) = tokio::io::duplex(1 << 16);
        let task = tokio::spawn(script.serve(server));
        let (read, mut write) = tokio::io::split(client);
        for message in sent {
            write
                .write_all(format!("{message}\n").as_bytes())
                .await
                .unwrap();
        }
        let mut read = BufReader::new(read).lines();
        let mut got = Vec::new();
        while got.len() < count {
            let Some(line) = read.next_line().await.unwrap() else {
                break;
            };
            got.push(serde_json::from_str(&line).unwrap());
        }
        drop((read, write));
        task.await.unwrap();
        got
    }

    #[tokio::test(start_paused = true)]
    async fn a_script_answers_in_steps_and_records_what_it_was_sent() {
        let script = Script::new("s")
            .tool(json!({"name": "t"}))
            .on_call("t", |arguments| {
                assert_eq!(arguments, &json!({"a": 1}));
                vec![
                    Reply::Progress(1.0, Some(2.0)),
                    Reply::Wait(Duration::from_secs(3600)),
                    Reply::Line(
                        r#"{"jsonrpc": "2.0", "id": {id}, "result": {"content": []}}"#.to_owned(),
                    ),
                ]
            });
        let record = script.record();
        let call = json!({
            "jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {"name": "t", "arguments": {"a": 1}, "_meta": {"progressToken": "p"}},
        });
        let got = lines(script, std::slice::from_ref(&call), 2).await;
        assert_eq!(
            got[0]["params"],
            json!({"progressToken": "p", "progress": 1.0, "total": 2.0})
        );
        assert_eq!(
            got[1],
            json!({"jsonrpc": "2.0", "id": 7, "result": {"content": []}})
        );
        assert_eq!(record.messages(), [call]);
    }

    #[tokio::test]
    async fn lists_come_in_pages() {
        let script = Script::new("s")
            .prompt(json!({"name": "a"}))
            .prompt(json!({"name": "b"}))
            .prompt(json!({"name": "c"}))
            .pages_of(2);
        let request = |id: u8, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": "prompts/list", "params": params});
        let got = lines(script.clone(), &[request(1, json!({}))], 1).await;
        assert_eq!(
            got[0]["result"],
            json!({"prompts": [{"name": "a"}, {"name": "b"}], "nextCursor": "2"})
        );
        let got = lines(script, &[request(2, json!({"cursor": "2"}))], 1).await;
        assert_eq!(got[0]["result"], json!({"prompts": [{"name": "c"}]}));
    }
}
