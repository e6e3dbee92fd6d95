//! Messages as they come off the wire, before rmcp sees them.
//!
//! rmcp decodes every result through one closed, untagged enum: an odd block, tool or key voids the whole, and some
//! malformed answers leave their caller waiting for ever. So this module reads each message itself. A result is handed
//! on as an opaque value; what rmcp would refuse is repaired or reported, and whoever waits for it gets an answer.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, CustomRequest, CustomResult, ErrorCode, ErrorData, JsonRpcError,
    JsonRpcMessage, JsonRpcRequest, JsonRpcResponse, JsonRpcVersion2_0, RequestId,
    ServerJsonRpcMessage, ServerRequest, ServerResult,
};
use serde_json::{Value, json};

use crate::handler::{Event, Handler};
use crate::progress::{Progress, Reports};

/// Where `data` of an error made here says what happened.
pub(crate) const MADE_HERE: &str = "mcp-bridge/problem";
pub(crate) const TOO_LARGE: &str = "too_large";

/// So many messages that cannot be used are told of one connection.
const MAX_PROBLEMS: usize = 100;

/// Methods whose results rmcp itself has to understand.
const TYPED: [&str; 2] = ["initialize", "server/discover"];

/// Something that came in and could not be handed on as it was.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Problem {
    /// Stable and snake case.
    pub code: &'static str,
    /// One sentence. Parts that come from the server are quoted and bounded.
    pub message: String,
}

impl Problem {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

/// What this connection has asked and not been answered yet, and who wants to know of progress and events.
#[derive(Clone)]
pub(crate) struct Wire {
    state: Arc<Mutex<State>>,
    handler: Arc<dyn Handler>,
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Wire").field(&self.state).finish()
    }
}

#[derive(Debug, Default)]
struct State {
    pending: BTreeMap<u64, (RequestId, String)>,
    order: HashMap<RequestId, u64>,
    next: u64,
    reports: Reports,
    raw: HashMap<RequestId, Value>,
    /// How many messages could not be used.
    problems: usize,
    /// The first line that was no JSON, quoted and bounded.
    garbage: Option<String>,
    /// The last request that was answered, with the whole of `initialize` or `server/discover` as it came.
    handshake: Value,
}

impl Wire {
    pub(crate) fn new(handler: Arc<dyn Handler>) -> Self {
        Self {
            state: Arc::default(),
            handler,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, code: &'static str, message: impl Into<String>) {
        let count = {
            let mut state = self.state();
            state.problems += 1;
            state.problems
        };
        let problem = match count {
            ..MAX_PROBLEMS => Problem::new(code, message),
            MAX_PROBLEMS => {
                let text = "further messages that cannot be used are not told";
                Problem::new("too_many_problems", text)
            }
            _ => return,
        };
        self.handler.event(Event::Problem(problem));
    }

    /// Notes an outgoing message. `false` means that it must not be sent.
    pub(crate) fn outgoing(&self, message: &ClientJsonRpcMessage) -> bool {
        match message {
            JsonRpcMessage::Request(request) => {
                let mut state = self.state();
                let place = state.next;
                state.next += 1;
                let method = request.request.method().to_owned();
                if let Some(old) = state.order.insert(request.id.clone(), place) {
                    state.pending.remove(&old);
                }
                state.pending.insert(place, (request.id.clone(), method));
                true
            }
            // rmcp answers what it cannot read with an error of no request: a server has no use for it.
            JsonRpcMessage::Error(error) => error.id.is_some(),
            _ => true,
        }
    }

    /// Forgets a request that nobody waits for any more.
    pub(crate) fn forget(&self, id: &RequestId) {
        let mut state = self.state();
        if let Some(place) = state.order.remove(id) {
            state.pending.remove(&place);
        }
        state.raw.remove(id);
    }

    /// `initialize` or `server/discover` as the server answered it.
    pub(crate) fn handshake(&self) -> Value {
        self.state().handshake.clone()
    }

    /// The first line that was no JSON, if there was one.
    pub(crate) fn first_garbage(&self) -> Option<String> {
        self.state().garbage.clone()
    }

    pub(crate) fn watch_progress(&self, token: String, sink: crate::progress::Watch) {
        let told = self.state().reports.watch(token, sink);
        if let Some((sink, progress)) = told {
            sink(progress);
        }
    }

    pub(crate) fn end_progress(&self, token: &str) {
        self.state().reports.end(token);
    }

    /// Keeps a raw result under its id, to be taken back above the HTTP transport.
    #[cfg(feature = "http")]
    pub(crate) fn keep_raw(&self, id: RequestId, raw: Value) {
        self.state().raw.insert(id, raw);
    }

    #[cfg(feature = "http")]
    pub(crate) fn take_raw(&self, id: &RequestId) -> Option<Value> {
        self.state().raw.remove(id)
    }

    /// Reads one incoming text: a message, or a batch of them (2025-03-26). Gives what is for rmcp; events are told here,
    /// so that they come in the order of the wire.
    pub(crate) fn incoming(&self, text: &[u8]) -> Vec<ServerJsonRpcMessage> {
        match serde_json::from_slice::<Value>(text) {
            Ok(Value::Array(batch)) => {
                let messages = batch.into_iter();
                messages.filter_map(|message| self.read(message)).collect()
            }
            Ok(message) => self.read(message).into_iter().collect(),
            Err(error) => {
                let shown = shown(&String::from_utf8_lossy(text.get(..1_000).unwrap_or(text)));
                self.state().garbage.get_or_insert_with(|| shown.clone());
                let text = format!("skipped a line that is no JSON ({error}): {shown}");
                self.report("not_json", text);
                Vec::new()
            }
        }
    }

    /// Answers whoever waits for a message that was too large to read; `head` and `tail` are its ends.
    pub(crate) fn oversized(
        &self,
        head: &[u8],
        tail: &[u8],
        limit: usize,
    ) -> Option<ServerJsonRpcMessage> {
        let id = find_id(head).or_else(|| find_id(tail));
        let id = id.and_then(|id| self.answered(&id)).map(|(id, _)| id);
        let id = id.or_else(|| self.only_pending());
        let text = format!(
            "a message from the server is larger than {limit} bytes, the limit of this host"
        );
        if id.is_none() {
            self.report("message_too_large", text.as_str());
        }
        Some(failure(id?, &text, TOO_LARGE))
    }

    fn read(&self, message: Value) -> Option<ServerJsonRpcMessage> {
        let Value::Object(mut object) = message else {
            let shown = shown(&message.to_string());
            let text = format!("skipped a message that is no JSON object: {shown}");
            self.report("not_a_message", text);
            return None;
        };
        let id = object.get("id").and_then(request_id);
        if let Some(method) = object.get("method").and_then(Value::as_str) {
            let method = method.to_owned();
            let params = object.remove("params");
            return match id {
                Some(id) => Some(server_request(id, &method, params)),
                None => self.notification(&method, params),
            };
        }
        let error = object.remove("error").filter(|error| !error.is_null());
        let result = object.remove("result");
        if error.is_none() && result.is_none() {
            let text = "skipped a message with neither a method, a result nor an error";
            self.report("not_a_message", text);
            return None;
        }
        let known = match &id {
            Some(id) => self.answered(id),
            None => self.only_pending().and_then(|id| self.answered(&id)),
        };
        let Some((id, method)) = known else {
            let text = "dropped an answer to nothing that was asked, or one that came too late";
            self.report("unexpected_answer", text);
            return None;
        };
        match error {
            Some(error) => Some(rpc_error(id, &error)),
            None => result.map(|result| self.result(id, &method, result)),
        }
    }

    fn result(&self, id: RequestId, method: &str, result: Value) -> ServerJsonRpcMessage {
        if TYPED.contains(&method) {
            self.state().handshake = result.clone();
            let text = json!({"jsonrpc": "2.0", "id": 0, "result": result}).to_string();
            if let Ok(JsonRpcMessage::Response(response)) =
                serde_json::from_str::<ServerJsonRpcMessage>(&text)
            {
                return response_of(id, response.result);
            }
        }
        response_of(id, ServerResult::CustomResult(CustomResult(result)))
    }

    fn notification(&self, method: &str, params: Option<Value>) -> Option<ServerJsonRpcMessage> {
        let params = params.unwrap_or(Value::Null);
        if method == "notifications/progress" {
            let token = params.get("progressToken").map(token_key);
            if let (Some(token), Some(progress)) = (token, Progress::read(&params)) {
                let told = self.state().reports.report(&token, progress);
                if let Some((sink, progress)) = told {
                    sink(progress);
                }
            }
            return None;
        }
        if let Some(event) = Event::read(method, &params) {
            self.handler.event(event);
            return None;
        }
        // What is left is for rmcp, such as the cancellation of a request of the server's own.
        let text = json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string();
        match serde_json::from_str::<ServerJsonRpcMessage>(&text) {
            Ok(message @ JsonRpcMessage::Notification(_)) => Some(message),
            _ => None,
        }
    }

    /// Takes a request off the list; its id comes back as it was sent, whatever spelling the server used.
    fn answered(&self, id: &RequestId) -> Option<(RequestId, String)> {
        let mut state = self.state();
        let other = match id {
            RequestId::String(text) => text.parse().ok().map(RequestId::Number),
            RequestId::Number(number) => Some(RequestId::String(number.to_string().into())),
        };
        let place = state
            .order
            .remove(id)
            .or_else(|| state.order.remove(&other?))?;
        state.pending.remove(&place)
    }

    /// The only request that waits, to which an answer without an id must belong.
    fn only_pending(&self) -> Option<RequestId> {
        let state = self.state();
        let mut pending = state.pending.values();
        match (pending.next(), pending.next()) {
            (Some((id, _)), None) => Some(id.clone()),
            _ => None,
        }
    }
}

pub(crate) fn token_key(token: &Value) -> String {
    match token {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn response_of(id: RequestId, result: ServerResult) -> ServerJsonRpcMessage {
    JsonRpcMessage::Response(JsonRpcResponse {
        jsonrpc: JsonRpcVersion2_0,
        id,
        result,
    })
}

/// An error in place of an answer that could not be used.
pub(crate) fn failure(id: RequestId, text: &str, problem: &str) -> ServerJsonRpcMessage {
    let data = json!({MADE_HERE: problem});
    JsonRpcMessage::Error(JsonRpcError {
        jsonrpc: JsonRpcVersion2_0,
        id: Some(id),
        error: ErrorData::new(ErrorCode(-32_603), text.to_owned(), Some(data)),
    })
}

fn rpc_error(id: RequestId, error: &Value) -> ServerJsonRpcMessage {
    let code = error.get("code").and_then(Value::as_i64).unwrap_or(-32_603);
    let code = i32::try_from(code).unwrap_or(-32_603);
    let message = match error.get("message").and_then(Value::as_str) {
        Some(message) => message.to_owned(),
        None => shown(&error.to_string()),
    };
    JsonRpcMessage::Error(JsonRpcError {
        jsonrpc: JsonRpcVersion2_0,
        id: Some(id),
        error: ErrorData::new(ErrorCode(code), message, error.get("data").cloned()),
    })
}

fn server_request(id: RequestId, method: &str, params: Option<Value>) -> ServerJsonRpcMessage {
    // rmcp's form types know a part of JSON Schema only, so a question stays as it came.
    if method != "elicitation/create" {
        let text = match &params {
            Some(params) => json!({"jsonrpc": "2.0", "id": 0, "method": method, "params": params}),
            None => json!({"jsonrpc": "2.0", "id": 0, "method": method}),
        };
        if let Ok(JsonRpcMessage::Request(request)) =
            serde_json::from_str::<ServerJsonRpcMessage>(&text.to_string())
        {
            return JsonRpcMessage::Request(JsonRpcRequest { id, ..request });
        }
    }
    JsonRpcMessage::Request(JsonRpcRequest {
        jsonrpc: JsonRpcVersion2_0,
        id,
        request: ServerRequest::CustomRequest(CustomRequest::new(method, params)),
    })
}

fn request_id(id: &Value) -> Option<RequestId> {
    match id {
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        Value::Number(number) => number.as_i64().map(RequestId::Number),
        _ => None,
    }
}

/// Looks for the first `"id": …` in a part of a message.
fn find_id(part: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(part);
    let (_, rest) = text.split_once("\"id\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    if let Some(rest) = rest.strip_prefix('"') {
        return Some(RequestId::String(rest.split_once('"')?.0.into()));
    }
    let digits: String = rest
        .chars()
        .take_while(|c| *c == '-' || c.is_ascii_digit())
        .collect();
    digits.parse().ok().map(RequestId::Number)
}

fn shown(text: &str) -> String {
    let cut: String = text.chars().take(200).collect();
    format!("{cut:?}")
}
