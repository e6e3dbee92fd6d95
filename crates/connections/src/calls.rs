//! Requests: one outcome always.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientRequest, CustomRequest, RequestId,
    ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::connection::Connection;
use crate::error::{Error, ErrorKind};
use crate::progress::{ProgressSink, Watch};
use crate::wire::{Wire, token_key};

/// The code of a 2025-11-25 server that wants a person to visit a URL first.
const URL_ELICITATION_REQUIRED: i64 = -32_042;

/// A call of a tool.
#[derive(Clone)]
#[non_exhaustive]
pub struct ToolCall {
    /// The tool's name as the server wrote it.
    pub name: String,
    /// Its arguments, sent as they are.
    pub arguments: Map<String, Value>,
    /// Members for `_meta`; `progressToken` is the connection's own.
    pub meta: Map<String, Value>,
    /// In place of the server's timeout.
    pub timeout: Option<Duration>,
    /// Who is told of progress.
    pub progress: Option<ProgressSink>,
}

impl ToolCall {
    /// A call of `name` with `arguments`.
    pub fn new(name: impl Into<String>, arguments: Map<String, Value>) -> Self {
        Self {
            name: name.into(),
            arguments,
            meta: Map::new(),
            timeout: None,
            progress: None,
        }
    }

    /// Sets [`meta`](Self::meta).
    #[must_use]
    pub fn with_meta(mut self, meta: Map<String, Value>) -> Self {
        self.meta = meta;
        self
    }

    /// Sets [`timeout`](Self::timeout).
    #[must_use]
    pub fn with_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets [`progress`](Self::progress).
    #[must_use]
    pub fn with_progress(mut self, sink: ProgressSink) -> Self {
        self.progress = Some(sink);
        self
    }
}

impl std::fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolCall")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Connection {
    /// Calls a tool; gives the result as the server sent it.
    ///
    /// The timeout is reset by progress, stands still while a person is being asked, and has a total cap. Where the server
    /// asks for input first (`input_required`, or error -32042), the host is asked and the call repeated, up to
    /// [`Limits::max_rounds`](crate::Limits::max_rounds) calls in all. Dropping the future cancels the call on the server.
    ///
    /// # Errors
    ///
    /// An [`Error`] of the kind that tells what to do. A tool's own `isError` is a result.
    pub async fn call_tool(&self, call: ToolCall) -> Result<Value, Error> {
        let mut params = Map::new();
        params.insert("name".to_owned(), json!(call.name));
        params.insert("arguments".to_owned(), Value::Object(call.arguments));
        if !call.meta.is_empty() {
            params.insert("_meta".to_owned(), Value::Object(call.meta));
        }
        let idle = call.timeout.unwrap_or(self.timeouts().call);
        self.rounds("tools/call", params, idle, call.progress).await
    }

    /// Reads a resource; gives the result as the server sent it.
    ///
    /// # Errors
    ///
    /// As [`call_tool`](Self::call_tool).
    pub async fn read_resource(&self, uri: &str) -> Result<Value, Error> {
        let mut params = Map::new();
        params.insert("uri".to_owned(), json!(uri));
        self.rounds("resources/read", params, self.timeouts().call, None)
            .await
    }

    /// Renders a prompt; gives the result as the server sent it.
    ///
    /// # Errors
    ///
    /// As [`call_tool`](Self::call_tool).
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, Error> {
        let mut params = Map::new();
        params.insert("name".to_owned(), json!(name));
        if !arguments.is_empty() {
            params.insert("arguments".to_owned(), Value::Object(arguments));
        }
        self.rounds("prompts/get", params, self.timeouts().call, None)
            .await
    }

    /// Sends any other request, e.g. `completion/complete`; gives the result as the server sent it.
    ///
    /// # Errors
    ///
    /// As [`call_tool`](Self::call_tool).
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, Error> {
        self.plain_request(method, params).await
    }

    pub(crate) async fn plain_request(&self, method: &str, params: Value) -> Result<Value, Error> {
        self.once(method, params, self.timeouts().list, None).await
    }

    async fn rounds(
        &self,
        method: &str,
        params: Map<String, Value>,
        idle: Duration,
        progress: Option<ProgressSink>,
    ) -> Result<Value, Error> {
        let total = self.timeouts().total;
        let rounds = self.rounds_without_cap(method, params, idle, progress);
        match tokio::time::timeout(total, rounds).await {
            Ok(result) => result,
            Err(_) => Err(crate::failure::timed_out(
                self.server_id(),
                method,
                total,
                "in all",
            )),
        }
    }

    async fn rounds_without_cap(
        &self,
        method: &str,
        params: Map<String, Value>,
        idle: Duration,
        progress: Option<ProgressSink>,
    ) -> Result<Value, Error> {
        let mut again = params.clone();
        for round in 1.. {
            let sent = Value::Object(std::mem::replace(&mut again, params.clone()));
            let result = self.once(method, sent, idle, progress.clone()).await;
            let last = round >= self.limits().max_rounds;
            match result {
                Ok(result) if result.get("resultType") == Some(&json!("input_required")) => {
                    if last {
                        let text = format!(
                            "server `{}` asked for input {round} times in one {method}; it was not asked again",
                            self.server_id()
                        );
                        return Err(Error::new(ErrorKind::Protocol, self.server_id(), text));
                    }
                    let responses = self.answer_all(&result).await;
                    again.insert("inputResponses".to_owned(), Value::Object(responses));
                    if let Some(state) = result.get("requestState") {
                        again.insert("requestState".to_owned(), state.clone());
                    }
                }
                Err(error) if !last && wants_url(&error) => {
                    if !self.visit_all(&error).await {
                        return Err(error);
                    }
                }
                other => return other,
            }
        }
        Err(Error::new(
            ErrorKind::Protocol,
            self.server_id(),
            "no round was made",
        ))
    }

    /// Asks everything that an `input_required` result wants, in the order of its keys.
    async fn answer_all(&self, result: &Value) -> Map<String, Value> {
        let mut responses = Map::new();
        let requests = result.get("inputRequests").and_then(Value::as_object);
        for (key, request) in requests.into_iter().flatten() {
            let params = request.get("params").cloned().unwrap_or(Value::Null);
            let answer = match request.get("method").and_then(Value::as_str) {
                Some("elicitation/create") => self.questions().ask(params).await,
                Some("roots/list") => {
                    let roots = self.questions().handler.roots().await;
                    let roots: Vec<_> = roots
                        .into_iter()
                        .map(|root| match root.name {
                            Some(name) => json!({"uri": root.uri, "name": name}),
                            None => json!({"uri": root.uri}),
                        })
                        .collect();
                    Some(json!({"roots": roots}))
                }
                _ => None,
            };
            let cancel = || json!({"action": "cancel"});
            responses.insert(key.clone(), answer.unwrap_or_else(cancel));
        }
        responses
    }

    /// Sends a person to each URL that a -32042 error names; `false` as soon as one is not accepted.
    async fn visit_all(&self, error: &Error) -> bool {
        let data = error.rpc().map(|rpc| &rpc.data);
        let questions = data
            .and_then(|data| data.get("elicitations"))
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        for mut question in questions.iter().cloned() {
            if let Some(question) = question.as_object_mut() {
                question.entry("mode").or_insert_with(|| json!("url"));
            }
            let answer = self.questions().ask(question).await;
            if answer.and_then(|a| a.get("action").cloned()) != Some(json!("accept")) {
                return false;
            }
        }
        !questions.is_empty()
    }

    /// Sends one request and waits for its one answer.
    async fn once(
        &self,
        method: &str,
        params: Value,
        idle: Duration,
        progress: Option<ProgressSink>,
    ) -> Result<Value, Error> {
        let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
        let options = PeerRequestOptions::no_options();
        let sent = self.peer().send_request_with_option(request, options).await;
        let handle = sent.map_err(|error| self.failed(method, error))?;
        let token = token_key(&serde_json::to_value(&handle.progress_token).unwrap_or_default());
        let beat = Arc::new(Notify::new());
        let mut guard = Guard {
            peer: self.peer().clone(),
            wire: self.wire().clone(),
            id: Some(handle.id.clone()),
            token: token.clone(),
        };
        let watch = Watch {
            sink: progress,
            beat: Arc::clone(&beat),
        };
        self.wire().watch_progress(token, watch);
        let mut answer = handle.rx;
        let clock = self.clock(idle, &beat);
        let answer = tokio::select! {
            biased;
            answer = &mut answer => answer,
            () = clock => {
                guard.cancel("timeout");
                return Err(crate::failure::timed_out(self.server_id(), method, idle, "without a sign of life"));
            }
        };
        guard.answered();
        match answer {
            Ok(Ok(ServerResult::CustomResult(result))) => Ok(result.0),
            Ok(Ok(other)) => serde_json::to_value(other).map_err(|error| {
                let text = format!(
                    "server `{}` answered {method} with something unreadable",
                    self.server_id()
                );
                Error::new(ErrorKind::Protocol, self.server_id(), text).with_source(error)
            }),
            Ok(Err(error)) => Err(self.failed(method, error)),
            Err(_) => Err(self.failed(method, ServiceError::TransportClosed)),
        }
    }

    /// Ends when `idle` passed without a sign of life; stands still while a person is being asked.
    fn clock<'a>(&self, idle: Duration, beat: &'a Notify) -> impl Future<Output = ()> + use<'a> {
        let asking = self.questions().asking.clone();
        async move {
            let mut deadline = Instant::now() + idle;
            loop {
                tokio::select! {
                    biased;
                    () = beat.notified() => deadline = Instant::now() + idle,
                    () = tokio::time::sleep_until(deadline) => {
                        if !asking.is_asking() {
                            return;
                        }
                        asking.done().await;
                        deadline = Instant::now() + idle;
                    }
                }
            }
        }
    }

    fn failed(&self, method: &str, error: ServiceError) -> Error {
        crate::failure::request(self.server_id(), method, error).with_stderr(if self.is_closed() {
            self.stderr_tail()
        } else {
            String::new()
        })
    }
}

fn wants_url(error: &Error) -> bool {
    error
        .rpc()
        .is_some_and(|rpc| rpc.code == URL_ELICITATION_REQUIRED)
}

/// Tells the server that nobody waits any more, unless the answer came.
struct Guard {
    peer: Peer<RoleClient>,
    wire: Wire,
    id: Option<RequestId>,
    token: String,
}

impl Guard {
    fn answered(&mut self) {
        if let Some(id) = self.id.take() {
            // A request that failed below was never answered on the wire.
            self.wire.forget(&id);
        }
    }

    fn cancel(&mut self, reason: &str) {
        let Some(id) = self.id.take() else { return };
        self.wire.forget(&id);
        let params = CancelledNotificationParam::new(Some(id), Some(reason.to_owned()));
        let notification = CancelledNotification::new(params);
        let peer = self.peer.clone();
        // Without a runtime there is no connection either.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                // A closed connection needs no cancellation.
                let _ = peer.send_notification(notification.into()).await;
            });
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.wire.end_progress(&self.token);
        self.cancel("no longer wanted");
    }
}
