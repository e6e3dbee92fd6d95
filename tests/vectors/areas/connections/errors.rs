//! What a failure means: whether a sign-in is due, whether the session is gone, whether the connection is lost.

use std::sync::Arc;

use mcp_bridge_connections::{Connection, Error, ErrorKind, ToolCall};
use mcp_bridge_server_config::ServerConfig;
use mcp_bridge_tests::http::{HttpServer, Response};
use mcp_bridge_tests::script::{Reply, Script};
use serde_json::{Map, Value, json};

use super::{connect, field, options, timed};
use crate::{Outcome, Row, check};

pub(super) fn classify(row: &Row) -> Outcome {
    let over_http = match field(&row.input, "transport").as_str() {
        Some("http") => true,
        Some("stdio") => false,
        _ => return Outcome::Unwired,
    };
    // An expired session is no kind of its own yet.
    let wanted = row.right_answer.as_ref().or(row.expected.as_ref());
    if wanted.is_some_and(|wanted| field(wanted, "class") == "session_expired") {
        return Outcome::Unwired;
    }
    let (rpc, http) = (field(&row.input, "jsonrpc"), field(&row.input, "http"));
    let answer = match (over_http, rpc.is_object(), http.is_object()) {
        (false, true, _) => timed(over_stdio(row)),
        (true, true, _) | (true, _, true) => timed(over_http_with(row)),
        // An exception known by its wording alone: no server can send it, and wording is never read.
        _ => return Outcome::Unwired,
    };
    match answer {
        Ok(answer) => judged(row, &answer),
        Err(problem) => Outcome::Verdict(Err(problem)),
    }
}

/// The row's text is a message, and what a challenge says is for whoever signs in: neither is compared here.
fn judged(row: &Row, answer: &Value) -> Outcome {
    let known = ["class", "transport_lost"];
    let mut row = row.clone();
    for wanted in [&mut row.expected, &mut row.right_answer]
        .into_iter()
        .flatten()
    {
        if let Some(wanted) = wanted.as_object_mut() {
            wanted.retain(|key, _| known.contains(&key.as_str()));
        }
    }
    Outcome::Verdict(check(&row, &Outcome::Value(answer.clone())))
}

fn rpc_error(row: &Row) -> Value {
    let rpc = field(&row.input, "jsonrpc");
    let mut error = json!({"code": field(rpc, "code"), "message": field(&row.input, "message")});
    if let (Some(error), false) = (error.as_object_mut(), field(rpc, "data").is_null()) {
        error.insert("data".to_owned(), field(rpc, "data").clone());
    }
    error
}

async fn over_stdio(row: &Row) -> Result<Value, String> {
    let error = rpc_error(row);
    let script = Script::new("s").capability("tools", json!({}));
    let script = script.on_call("t", move |_| vec![Reply::Error(error.clone())]);
    let connection = connect(script, &options())
        .await
        .map_err(|error| error.to_string())?;
    told(&connection).await
}

async fn over_http_with(row: &Row) -> Result<Value, String> {
    let http = field(&row.input, "http").clone();
    let error = rpc_error(row);
    let script = Script::new("s").capability("tools", json!({}));
    let script = script.on_call("t", move |_| vec![Reply::Error(error.clone())]);
    let server = HttpServer::with(script, move |request| {
        if request.message.get("method").and_then(Value::as_str) != Some("tools/call")
            || !http.is_object()
        {
            return None;
        }
        let status = http
            .get("status")
            .and_then(Value::as_u64)
            .and_then(|status| u16::try_from(status).ok())?;
        let body = http.get("body").and_then(Value::as_str).unwrap_or_default();
        let response = Response::new(status, body);
        Some(match http.get("www_authenticate").and_then(Value::as_str) {
            Some(challenge) => response.header("www-authenticate", challenge),
            None => response,
        })
    })
    .await
    .map_err(|error| error.to_string())?;
    let config = ServerConfig::http(server.url());
    let connection = Connection::open("srv", &config, &options(), Arc::new(())).await;
    told(&connection.map_err(|error| error.to_string())?).await
}

async fn told(connection: &Connection) -> Result<Value, String> {
    match connection.call_tool(ToolCall::new("t", Map::new())).await {
        Ok(result) => Err(format!("answered {result}")),
        Err(error) => Ok(json!({"class": class(&error), "transport_lost": connection.is_closed()})),
    }
}

fn class(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::AuthRequired => "needs_auth",
        _ => "failed",
    }
}
