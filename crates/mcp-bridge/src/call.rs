//! The call path: look-up, check, permission, call, conversion.

use std::sync::Arc;
use std::time::Duration;

use mcp_bridge_connections::{self as connections, Connection, Progress, ProgressSink, ToolCall};
use mcp_bridge_permissions::{Call, Outcome as Verdict};
use mcp_bridge_tool_results::{Context, Note, convert, convert_resource_contents};
use serde_json::{Map, Value};
use tokio::sync::SemaphorePermit;

use crate::bridge::{Bridge, Inner, Server};
use crate::catalog::{ServerState, Tool, ToolKind};
use crate::definition::ToolDefinition;
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::host::ApprovalRequest;
use crate::outcome::{Outcome, OutcomeKind};
use crate::progress::ProgressEvent;
use crate::resources;
use crate::sink::StoreSink;

/// The tool name under which artifacts of [`Bridge::read_resource`] are kept.
const READ_RESOURCE: &str = "read_resource";
/// The server under which artifacts of the bridge's own tools are kept.
const OWN: &str = "mcp-bridge";
/// Results of nothing but text up to this size are converted at once; others may write files, off the runtime.
const SMALL_TEXT_BYTES: usize = 16 << 10;
/// Violations that are told at once.
const SHOWN_VIOLATIONS: usize = 10;

/// A tool call as a model makes it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallRequest {
    /// The public name, e.g. `mcp__git__git_status`.
    pub name: String,
    /// The arguments: an object; `null` counts as `{}`.
    pub arguments: Value,
    /// The model API's id of the call: it comes back with approvals and progress.
    pub tool_use_id: Option<String>,
    /// In place of the server's timeout.
    pub timeout: Option<Duration>,
}

impl CallRequest {
    /// A call of `name` with `arguments`.
    pub fn new(name: impl Into<String>, arguments: Value) -> Self {
        Self {
            name: name.into(),
            arguments,
            tool_use_id: None,
            timeout: None,
        }
    }

    /// Sets [`tool_use_id`](Self::tool_use_id).
    #[must_use]
    pub fn with_tool_use_id(mut self, id: impl Into<String>) -> Self {
        self.tool_use_id = Some(id.into());
        self
    }

    /// Sets [`timeout`](Self::timeout).
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

impl Bridge {
    /// Calls a tool by its public name.
    ///
    /// What the model must see is an [`Outcome`], also where the tool failed, the arguments break the tool's schema or
    /// the call was refused. Dropping the future cancels the call on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] where the bridge could not do its part: an unknown or ambiguous name, a server that is down, a timeout,
    /// a broken protocol. Its text is fit for the model too.
    pub async fn call(&self, name: &str, arguments: Value) -> Result<Outcome, Error> {
        self.call_with(CallRequest::new(name, arguments)).await
    }

    /// As [`call`](Self::call), with everything that can be said of one call.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub async fn call_with(&self, request: CallRequest) -> Result<Outcome, Error> {
        let catalog = self.0.catalog();
        let tool = match catalog.tool(&request.name) {
            Ok(tool) => tool,
            Err(error) => return Err(self.0.down_server_of(&request.name).unwrap_or(error)),
        };
        let arguments = match &request.arguments {
            Value::Null => Value::Object(Map::new()),
            Value::Object(_) => request.arguments.clone(),
            other => {
                let found = kind_of(other);
                let text = format!(
                    "The tool `{}` was not called: its arguments must be a JSON object, not {found}.",
                    tool.name()
                );
                return Ok(Outcome::not_sent(OutcomeKind::InvalidArguments, &text));
            }
        };
        match &tool.kind {
            ToolKind::Server {
                server_id,
                definition,
            } => {
                self.call_server(tool, server_id, definition, arguments, &request)
                    .await
            }
            ToolKind::Builtin(builtin) => {
                let schema = builtin.input_schema();
                let checked = self
                    .0
                    .validators
                    .get(schema)
                    .map(|validator| validator.check(&arguments));
                if let Some(outcome) = broken(tool, &checked.unwrap_or_default()) {
                    return Ok(outcome);
                }
                self.call_builtin(tool, &arguments, &request).await
            }
        }
    }

    #[tracing::instrument(level = "debug", name = "call", skip_all, fields(tool = tool.name()))]
    async fn call_server(
        &self,
        tool: &Tool,
        server_id: &Arc<str>,
        definition: &Arc<ToolDefinition>,
        arguments: Value,
        request: &CallRequest,
    ) -> Result<Outcome, Error> {
        let bridge = &self.0;
        let arguments = definition.model_schema.restore_arguments(arguments);
        match bridge
            .validators
            .get_keyed(definition.input_key, &definition.input_schema)
        {
            Ok(validator) => {
                if let Some(outcome) = broken(tool, &validator.check(&arguments)) {
                    return Ok(outcome);
                }
            }
            // An unfit schema leaves the arguments to the server's own check.
            Err(error) => {
                tracing::debug!(tool = tool.name(), %error, "arguments go unchecked");
            }
        }
        let (server_id, server) = bridge.server(server_id)?;
        let trust = match server.config.trust {
            mcp_bridge_server_config::Trust::Trusted => mcp_bridge_permissions::Trust::Hints,
            _ => mcp_bridge_permissions::Trust::Untrusted,
        };
        let call = Call::new(&server_id, &definition.remote_name, tool.name())
            .with_base_name(&tool.base_name)
            .with_hints(definition.hints)
            .with_trust(trust)
            .with_arguments(&arguments);
        if let Some(refusal) = self.permit(tool, &call, request).await {
            return Ok(Outcome::not_sent(OutcomeKind::Refused, &refusal));
        }
        let _permits = bridge.permits(server).await;
        let connection = bridge.connection(&server_id, server)?;
        let sent = ToolCall::new(&definition.remote_name, into_map(arguments))
            .with_timeout(request.timeout)
            .with_progress(self.progress_sink(&server_id, definition, tool, request));
        let result = connection
            .call_tool(sent)
            .await
            .map_err(|error| failed(&server_id, error))?;
        let definition = Arc::clone(definition);
        self.converted(result, move |bridge, result, store| {
            let context = Context::new(&server_id, &definition.remote_name);
            let converted = convert(result, &context, &bridge.results, store);
            match bridge.output_problem(&definition, result) {
                Some(note) => converted.with_warning(note),
                None => converted,
            }
        })
        .await
    }

    /// Whether a call may run: `None`, or the refusal that the model is told.
    async fn permit(&self, tool: &Tool, call: &Call<'_>, request: &CallRequest) -> Option<String> {
        let bridge = &self.0;
        let mut decision = bridge.policy.decide(call);
        if decision.outcome == Verdict::Ask {
            // The semaphore is never closed. One question at a time; an answer before this one may have settled it.
            let _turn = bridge.approvals.acquire().await;
            decision = bridge.policy.decide(call);
            if decision.outcome == Verdict::Ask {
                let question = ApprovalRequest {
                    server_id: call.server.to_owned(),
                    tool: call.tool.to_owned(),
                    public_name: tool.name().to_owned(),
                    title: tool.title(),
                    arguments: call.arguments.clone(),
                    hints: call.hints,
                    question: decision.question.clone(),
                    explanation: decision.explanation.clone(),
                    suggested_rule: decision.suggested_rule.clone(),
                    tool_use_id: request.tool_use_id.clone(),
                };
                match bridge.host.approve(&question).await {
                    Some(answer) => {
                        bridge.policy.remember(call, &answer);
                        if answer.kind.allows() {
                            return None;
                        }
                        let remark = answer.remark.map(|remark| format!(" They say: {remark}"));
                        return Some(format!(
                            "The call of `{}` was refused by the user.{}",
                            tool.name(),
                            remark.unwrap_or_default()
                        ));
                    }
                    None => decision = decision.headless(),
                }
            }
        }
        (decision.outcome != Verdict::Allow).then(|| {
            let why = decision.explanation.as_str();
            let why = why.strip_prefix("denied: ").unwrap_or(why);
            format!("The call of `{}` was refused: {why}.", tool.name())
        })
    }

    fn progress_sink(
        &self,
        server_id: &str,
        definition: &ToolDefinition,
        tool: &Tool,
        request: &CallRequest,
    ) -> ProgressSink {
        let bridge = Arc::downgrade(&self.0);
        let event = ProgressEvent::new(server_id, &definition.remote_name)
            .with_public_name(tool.name())
            .with_tool_use_id(request.tool_use_id.clone());
        Arc::new(move |progress: Progress| {
            if let Some(bridge) = bridge.upgrade() {
                let event = event
                    .clone()
                    .with_progress(Some(progress.progress), progress.total)
                    .with_message(progress.message);
                bridge.host.event(&Event::Progress(event));
            }
        })
    }

    /// Converts a result; off the runtime where files may be written.
    async fn converted(
        &self,
        result: Value,
        convert: impl FnOnce(&Inner, &Value, &mut StoreSink<'_>) -> mcp_bridge_tool_results::Converted
        + Send
        + 'static,
    ) -> Result<Outcome, Error> {
        if is_small_text(&result) {
            let mut sink = StoreSink(&*self.0.store);
            return Ok(Outcome::converted(convert(&self.0, &result, &mut sink)));
        }
        let bridge = Arc::clone(&self.0);
        // A dropped future leaves the work to end by itself: an artifact is written whole or not at all.
        tokio::task::spawn_blocking(move || {
            let mut sink = StoreSink(&*bridge.store);
            Outcome::converted(convert(&bridge, &result, &mut sink))
        })
        .await
        .map_err(|error| {
            Error::new(ErrorKind::Internal, "the result could not be converted").with_source(error)
        })
    }

    async fn call_builtin(
        &self,
        tool: &Tool,
        arguments: &Value,
        request: &CallRequest,
    ) -> Result<Outcome, Error> {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        let server_id = text("server");
        if let Some(Err(error)) = server_id.map(|id| self.0.server(id)) {
            let text = sentence(&error.to_string());
            return Ok(Outcome::not_sent(OutcomeKind::InvalidArguments, &text));
        }
        let call = Call::host_tool(tool.name(), tool.hints())
            .with_server(server_id.unwrap_or_default())
            .with_arguments(arguments);
        if let Some(refusal) = self.permit(tool, &call, request).await {
            return Ok(Outcome::not_sent(OutcomeKind::Refused, &refusal));
        }
        match (tool.remote_name(), server_id, text("uri")) {
            (resources::READ, Some(server_id), Some(uri)) => {
                self.read_resource(server_id, uri).await
            }
            _ => {
                let catalog = self.0.catalog();
                let of = |id: &str| server_id.is_none_or(|wanted| wanted == id);
                let listed = catalog
                    .resources()
                    .iter()
                    .chain(catalog.resource_templates());
                let lines = mcp_bridge_tool_results::render_resource_lines(
                    listed
                        .filter(|resource| of(&resource.server_id))
                        .map(|resource| (&*resource.server_id, &*resource.raw)),
                    &self.0.results,
                );
                let result = serde_json::json!({"content": [{"type": "text", "text": lines}]});
                let name = tool.remote_name().to_owned();
                self.converted(result, move |bridge, result, store| {
                    convert(result, &Context::new(OWN, &name), &bridge.results, store)
                })
                .await
            }
        }
    }

    /// Reads a resource and converts its contents, as `read_mcp_resource` does for a model. No permission is asked.
    ///
    /// # Errors
    ///
    /// [`Error`] for a server that is not configured or down, and for what the server answers with an error.
    pub async fn read_resource(&self, server_id: &str, uri: &str) -> Result<Outcome, Error> {
        let (server_id, server) = self.0.server(server_id)?;
        let _permits = self.0.permits(server).await;
        let connection = self.0.connection(&server_id, server)?;
        let result = connection
            .read_resource(uri)
            .await
            .map_err(|error| failed(&server_id, error).about(&format!("the resource {uri:?}")))?;
        self.converted(result, move |bridge, result, store| {
            let context = Context::new(&server_id, READ_RESOURCE);
            convert_resource_contents(result, &context, &bridge.results, store)
        })
        .await
    }
}

impl Inner {
    /// Waits for a place among the running calls; the server's own first, so that one server cannot hold all places.
    pub(crate) async fn permits<'a>(
        &'a self,
        server: &'a Server,
    ) -> (Option<SemaphorePermit<'a>>, Option<SemaphorePermit<'a>>) {
        // The semaphores are never closed.
        let own = server.calls.acquire().await.ok();
        (own, self.calls.acquire().await.ok())
    }

    pub(crate) fn connection(&self, id: &str, server: &Server) -> Result<Connection, Error> {
        server
            .connection()
            .ok_or_else(|| crate::error::down(id, &server.lists().state))
    }

    /// The error for a name that belongs to a server which is not connected.
    fn down_server_of(&self, name: &str) -> Option<Error> {
        let rest = name.strip_prefix("mcp__")?;
        let fits = |id: &str| {
            rest.strip_prefix(id)
                .is_some_and(|tool| tool.starts_with("__"))
        };
        let (id, server) = self.servers.iter().find(|(id, _)| fits(id))?;
        let state = server.lists().state;
        (state != ServerState::Connected).then(|| crate::error::down(id, &state))
    }

    fn output_problem(&self, definition: &ToolDefinition, result: &Value) -> Option<Note> {
        let (key, schema) = definition.output_schema.as_ref()?;
        if result.get("isError") == Some(&Value::Bool(true)) {
            return None;
        }
        let Some(content) = result
            .get("structuredContent")
            .filter(|content| !content.is_null())
        else {
            let text = "the tool declares an output schema and gave no structured content";
            return Some(Note::new("structured_content_missing", text));
        };
        let violations = self.validators.get_keyed(*key, schema).ok()?.check(content);
        let first = violations.first()?;
        let text = format!("the structured content does not fit the tool's output schema: {first}");
        Some(Note::new("output_schema_mismatch", text))
    }
}

fn broken(tool: &Tool, violations: &[mcp_bridge_tool_schemas::Violation]) -> Option<Outcome> {
    if violations.is_empty() {
        return None;
    }
    let mut text = format!(
        "The tool `{}` was not called: its arguments do not fit its schema.",
        tool.name()
    );
    for violation in violations.iter().take(SHOWN_VIOLATIONS) {
        text.push_str(&format!("\n- {violation}"));
    }
    let rest = violations.len().saturating_sub(SHOWN_VIOLATIONS);
    if rest > 0 {
        text.push_str(&format!("\n- and {rest} more"));
    }
    Some(Outcome::not_sent(OutcomeKind::InvalidArguments, &text))
}

fn is_small_text(result: &Value) -> bool {
    let only_text = |block: &Value| block.get("type") == Some(&Value::from("text"));
    let blocks = result.get("content").and_then(Value::as_array);
    result
        .get("structuredContent")
        .is_none_or(|content| is_small(content, &mut SMALL_TEXT_BYTES.clone()))
        && blocks.is_some_and(|blocks| {
            blocks.iter().all(only_text)
                && blocks
                    .iter()
                    .try_fold(SMALL_TEXT_BYTES, |left, block| {
                        left.checked_sub(block.get("text")?.as_str()?.len())
                    })
                    .is_some()
        })
}

/// Whether a value is certainly short as text; looks at no more than that.
fn is_small(value: &Value, left: &mut usize) -> bool {
    let own = match value {
        Value::String(text) => text.len() + 3,
        _ => 8,
    };
    let Some(rest) = left.checked_sub(own) else {
        return false;
    };
    *left = rest;
    match value {
        Value::Array(items) => items.iter().all(|item| is_small(item, left)),
        Value::Object(members) => members.iter().all(|(key, item)| {
            *left = left.saturating_sub(key.len());
            is_small(item, left)
        }),
        _ => true,
    }
}

/// A connection's failure in the facade's kinds.
pub(crate) fn failed(server_id: &str, error: connections::Error) -> Error {
    use connections::ErrorKind as Kind;
    let kind = match error.kind() {
        Kind::Timeout => ErrorKind::Timeout,
        Kind::TooLarge => ErrorKind::TooLarge,
        Kind::AuthRequired => ErrorKind::AuthRequired,
        Kind::Rpc => ErrorKind::Rpc,
        Kind::Protocol => ErrorKind::Protocol,
        _ => ErrorKind::ServerDown,
    };
    let text = mcp_bridge_public_text::public(&error.to_string()).into_owned();
    Error::new(kind, text)
        .on_server(server_id)
        .with_source(error)
}

fn into_map(arguments: Value) -> Map<String, Value> {
    match arguments {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The same words as a sentence.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_short_text_is_converted_on_the_runtime() {
        let text = |len: usize| json!({"type": "text", "text": "x".repeat(len)});
        let cases = [
            (json!({"content": [text(5), text(7)]}), true),
            (json!({"content": []}), true),
            (json!({"content": [text(9_000), text(9_000)]}), false),
            (
                json!({"content": [text(5)], "structuredContent": {"a": [1, 2]}}),
                true,
            ),
            (
                json!({"content": [], "structuredContent": ["x".repeat(20_000)]}),
                false,
            ),
            (
                json!({"content": [{"type": "image", "data": "", "mimeType": "image/png"}]}),
                false,
            ),
            (json!({"content": "text"}), false),
            (json!(null), false),
        ];
        for (result, want) in cases {
            assert_eq!(
                is_small_text(&result),
                want,
                "given {:.80}",
                result.to_string()
            );
        }
    }
}
