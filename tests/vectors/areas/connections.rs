//! Connections: pages, timeouts, cancellation, processes, transports, and what their failures mean.

mod errors;
mod processes;
mod streams;

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_bridge_connections::{
    Connection, Error, ErrorKind, Event, Handler, Lifecycle, ListKind, Options, Timeouts, ToolCall,
};
use mcp_bridge_server_config::ServerConfig;
use mcp_bridge_tests::script::{Record, Reply, Script};
use serde_json::{Map, Value, json};

use crate::{Outcome, Row};

pub(crate) fn areas() -> Vec<(&'static str, crate::Adapter)> {
    vec![
        ("errors", errors::classify),
        ("progress_callback", progress_callback),
        ("bugs/lifecycle", lifecycle),
        ("bugs/pagination", pagination),
        ("bugs/progress", progress),
        ("bugs/refresh", refresh),
    ]
}

/// Runs to the end while waiting costs no time.
fn paused<T>(work: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().start_paused(true).build();
    runtime
        .unwrap_or_else(|error| panic!("no runtime: {error}"))
        .block_on(work)
}

/// Runs to the end in real time, for processes and sockets.
fn timed<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime
        .unwrap_or_else(|error| panic!("no runtime: {error}"))
        .block_on(work)
}

fn options() -> Options {
    Options::default().with_lifecycle(Lifecycle::Initialize)
}

/// Keeps what a server said without being asked.
#[derive(Default)]
struct Events(Mutex<Vec<Event>>);

impl Handler for Events {
    fn event(&self, event: Event) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(event);
    }
}

impl Events {
    fn all(&self) -> Vec<Event> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

async fn connect(script: Script, options: &Options) -> Result<Connection, Error> {
    let (client, server) = tokio::io::duplex(1 << 16);
    tokio::spawn(script.serve(server));
    let (read, write) = tokio::io::split(client);
    Connection::over_stream("srv", read, write, options, Arc::new(())).await
}

/// The parts of an answer that the row asks for.
fn asked(row: &Row, answer: Value) -> Outcome {
    let wanted = row.expected.as_ref().and_then(Value::as_object);
    match (wanted, answer) {
        (Some(wanted), Value::Object(mut answer)) => {
            answer.retain(|key, _| wanted.contains_key(key));
            Outcome::Value(Value::Object(answer))
        }
        (_, answer) => Outcome::Value(answer),
    }
}

fn field<'a>(value: &'a Value, key: &str) -> &'a Value {
    value.get(key).unwrap_or(&Value::Null)
}

fn millis(value: &Value, key: &str) -> Option<Duration> {
    field(value, key).as_u64().map(Duration::from_millis)
}

fn strings(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn list_kind(method: &str) -> Option<(ListKind, &'static str, &'static str)> {
    Some(match method {
        "tools/list" => (ListKind::Tools, "tools", "name"),
        "resources/list" => (ListKind::Resources, "resources", "uri"),
        "resources/templates/list" => (
            ListKind::ResourceTemplates,
            "resourceTemplates",
            "uriTemplate",
        ),
        "prompts/list" => (ListKind::Prompts, "prompts", "name"),
        _ => return None,
    })
}

/// Entries of a list, from their names alone.
fn entries(key: &str, names: &Value) -> Value {
    let entry = |name: String| json!({key: name, "name": name, "inputSchema": {"type": "object"}});
    strings(names).into_iter().map(entry).collect()
}

fn names(key: &str, items: &[Value]) -> Vec<Value> {
    items.iter().map(|item| field(item, key).clone()).collect()
}

fn pagination(row: &Row) -> Outcome {
    let method = field(&row.input, "method")
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let (Some("walk"), Some((kind, member, key))) = (row.op.as_deref(), list_kind(&method)) else {
        return Outcome::Unwired;
    };
    let pages = field(&row.input, "pages").clone();
    let script = Script::new("s")
        .capability(kind_capability(kind), json!({}))
        .on(&method, move |params| {
            let cursor = field(params, "cursor").as_str().unwrap_or("<none>");
            let Some(page) = pages.get(cursor) else {
                return vec![Reply::error(-32602, "no such cursor")];
            };
            let mut result = Map::new();
            result.insert(member.to_owned(), entries(key, field(page, "items")));
            if let Some(next) = page.get("nextCursor") {
                result.insert("nextCursor".to_owned(), next.clone());
            }
            vec![Reply::Result(Value::Object(result))]
        });
    let record = script.record();
    paused(async move {
        let listed = match connect(script, &options()).await {
            Ok(connection) => connection.list(kind).await,
            Err(error) => Err(error),
        };
        match listed {
            Ok(listing) => Outcome::Value(json!({
                "items": names(key, &listing.items), "requests": record.params(&method).len(),
            })),
            Err(error) => Outcome::Verdict(Err(error.to_string())),
        }
    })
}

fn kind_capability(kind: ListKind) -> &'static str {
    match kind {
        ListKind::Tools => "tools",
        ListKind::Prompts => "prompts",
        _ => "resources",
    }
}

fn lifecycle(row: &Row) -> Outcome {
    match row.op.as_deref() {
        Some("discover") => discover(row),
        Some("stdio_feed") => streams::stdio_feed(row),
        Some("sse") => streams::server_sent_events(row),
        Some("http_script") => streams::http_script(row),
        Some("spawn_fixture") => processes::noisy_child(row),
        Some("spawn_tree") => processes::tree(row),
        Some("reconnect_loop") => processes::reconnects(row),
        _ => Outcome::Unwired,
    }
}

fn discover(row: &Row) -> Outcome {
    let mut script = Script::new("s");
    for (name, value) in field(&row.input, "capabilities")
        .as_object()
        .into_iter()
        .flatten()
    {
        script = script.capability(name, value.clone());
    }
    let methods = [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ];
    for (method, answer) in field(&row.input, "answers")
        .as_object()
        .into_iter()
        .flatten()
    {
        let Some((_, member, key)) = list_kind(method) else {
            continue;
        };
        let reply = match answer.as_i64().and_then(|code| i32::try_from(code).ok()) {
            Some(code) => Reply::error(code, "no"),
            None => Reply::Result(json!({member: entries(key, answer)})),
        };
        script = script.on(method, move |_| vec![reply.clone()]);
    }
    let record = script.record();
    paused(async move {
        let connection = match connect(script, &options()).await {
            Ok(connection) => connection,
            Err(error) => return Outcome::Verdict(Err(error.to_string())),
        };
        let mut answer = Map::new();
        for method in methods {
            let Some((kind, member, _)) = list_kind(method) else {
                continue;
            };
            let items = connection
                .list(kind)
                .await
                .map(|listing| listing.items)
                .unwrap_or_default();
            answer.insert(member.to_owned(), json!(names("name", &items)));
        }
        let silent: Vec<&str> = methods
            .into_iter()
            .filter(|method| record.params(method).is_empty())
            .collect();
        let mut silent: Vec<String> = silent.into_iter().map(str::to_owned).collect();
        silent.sort();
        answer.insert("not_requested".to_owned(), json!(silent));
        answer.insert("connected".to_owned(), json!(!connection.is_closed()));
        asked(row, Value::Object(answer))
    })
}

fn progress(row: &Row) -> Outcome {
    match row.op.as_deref() {
        Some("progress_sim") => progress_and_timeouts(row),
        Some("cancel_sim") => cancellation(row),
        Some("timeouts") => configured_timeouts(row),
        _ => Outcome::Unwired,
    }
}

fn outcome_word(result: &Result<Value, Error>) -> &'static str {
    match result {
        Ok(_) => "ok",
        Err(error) if error.kind() == ErrorKind::Timeout => "timeout",
        Err(_) => "error",
    }
}

fn progress_and_timeouts(row: &Row) -> Outcome {
    let time = |key: &str| millis(&row.input, key);
    let (Some(call), Some(total), Some(every)) = (
        time("timeout_ms"),
        time("max_total_ms"),
        time("progress_every_ms"),
    ) else {
        return Outcome::Unwired;
    };
    let answer_at = time("answer_at_ms");
    let script = Script::new("s")
        .capability("tools", json!({}))
        .on_call("slow", move |_| {
            let mut steps = Vec::new();
            let (mut now, mut done) = (Duration::ZERO, 0.0);
            let end = answer_at.unwrap_or(total * 4);
            while now + every < end {
                now += every;
                done += 1.0;
                steps.extend([Reply::Wait(every), Reply::Progress(done, None)]);
            }
            if answer_at.is_some() {
                steps.extend([Reply::Wait(end - now), Reply::text("done")]);
            }
            steps
        });
    let record = script.record();
    let timeouts = Timeouts::default().with_call(call).with_total(total);
    paused(async move {
        let connection = match connect(script, &options().with_timeouts(timeouts)).await {
            Ok(connection) => connection,
            Err(error) => return Outcome::Verdict(Err(error.to_string())),
        };
        let call = ToolCall::new("slow", Map::new()).with_progress(Arc::new(|_| {}));
        let result = connection.call_tool(call).await;
        settle().await;
        let token = record
            .params("tools/call")
            .first()
            .and_then(|params| params.pointer("/_meta/progressToken").cloned());
        let answer = json!({
            "token_sent": token.is_some_and(|token| !token.is_null()),
            "outcome": outcome_word(&result),
            "cancelled_sent": !record.params("notifications/cancelled").is_empty(),
        });
        asked(row, answer)
    })
}

/// Lets what was just sent arrive.
async fn settle() {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

fn cancellation(row: &Row) -> Outcome {
    let how = field(&row.input, "how")
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let script = Script::new("s")
        .capability("tools", json!({}))
        .on_call("slow", |_| {
            vec![Reply::Wait(Duration::from_secs(7_200)), Reply::text("late")]
        })
        .on_call("quick", |_| vec![Reply::text("ok")]);
    let silent = how == "initialize_timeout";
    let first = if silent {
        script.clone().on("initialize", |_| Vec::new())
    } else {
        script.clone()
    };
    let record = script.record();
    paused(async move {
        let connected = connect(first, &options()).await;
        let other = match (how.as_str(), connected) {
            ("initialize_timeout", Err(error)) if error.kind() == ErrorKind::Timeout => {
                connect(script, &options()).await
            }
            ("user" | "drop_future", Ok(connection)) => {
                let slow = connection.clone();
                let call =
                    tokio::spawn(
                        async move { slow.call_tool(ToolCall::new("slow", Map::new())).await },
                    );
                let sent = record.wait_for("tools/call", 1).await;
                call.abort();
                let _ = call.await;
                drop(sent);
                Ok(connection)
            }
            ("timeout", Ok(connection)) => {
                let result = connection
                    .call_tool(ToolCall::new("slow", Map::new()))
                    .await;
                if outcome_word(&result) != "timeout" {
                    return Outcome::Verdict(Err(format!("{result:?}")));
                }
                Ok(connection)
            }
            (_, Ok(_)) => return Outcome::Unwired,
            (_, Err(error)) => Err(error),
        };
        settle().await;
        let quick = match other {
            Ok(connection) => {
                connection
                    .call_tool(ToolCall::new("quick", Map::new()))
                    .await
            }
            Err(error) => Err(error),
        };
        asked(
            row,
            json!({
                "cancelled_notifications": record.params("notifications/cancelled").len(), "other_calls_ok": quick.is_ok(),
            }),
        )
    })
}

fn configured_timeouts(row: &Row) -> Outcome {
    let mut answer = Map::new();
    for (name, server) in field(&row.input, "servers")
        .as_object()
        .into_iter()
        .flatten()
    {
        let mut config = ServerConfig::stdio("x");
        if let Some(start) = millis(server, "startup_timeout_ms") {
            config = config.with_startup_timeout(start);
        }
        if let Some(call) = millis(server, "call_timeout_ms") {
            config = config.with_timeout(call);
        }
        let whole = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let times =
            json!({"start_ms": whole(config.startup_timeout), "call_ms": whole(config.timeout)});
        answer.insert(name.clone(), times);
    }
    Outcome::Value(Value::Object(answer))
}

fn refresh(row: &Row) -> Outcome {
    if row.op.as_deref() != Some("refresh_filter") {
        return Outcome::Unwired;
    }
    let list = strings(field(&row.input, "list"));
    let config = ServerConfig::stdio("x");
    let config = match field(&row.input, "mode").as_str() {
        Some("exclude") => config.with_disabled_tools(list),
        Some("allow") => config.with_allowed_tools(list),
        _ => return Outcome::Unwired,
    };
    let visible = |listing: &Value| {
        let mut tools = strings(listing);
        tools.retain(|tool| config.offers(tool));
        tools.sort();
        tools
    };
    let listings = field(&row.input, "listings")
        .as_array()
        .into_iter()
        .flatten();
    Outcome::Value(json!({"visible": listings.map(visible).collect::<Vec<_>>()}))
}

/// The parameters of a report in the order in which the rows give them.
fn report(arguments: &Value) -> Value {
    let mut params = json!({"progressToken": "{token}"});
    let keys = ["progress", "total", "message"];
    for (key, value) in keys.iter().zip(arguments.as_array().into_iter().flatten()) {
        if let (Some(params), false) = (params.as_object_mut(), value.is_null()) {
            params.insert((*key).to_owned(), value.clone());
        }
    }
    params
}

fn progress_callback(row: &Row) -> Outcome {
    let params = report(field(&row.input, "callback_arguments"));
    let script = Script::new("ros")
        .capability("tools", json!({}))
        .on_call("plan", move |_| {
            let params = params.clone();
            let next = move |record: &Record| {
                let calls = record.params("tools/call");
                let token = calls
                    .first()
                    .and_then(|call| call.pointer("/_meta/progressToken").cloned());
                let mut params = params.clone();
                if let (Some(params), Some(token)) = (params.as_object_mut(), token) {
                    params.insert("progressToken".to_owned(), token);
                }
                vec![Reply::Line(
                    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
                        .to_string(),
                )]
            };
            vec![
                Reply::Then(Arc::new(next)),
                Reply::Wait(Duration::from_millis(10)),
                Reply::text("done"),
            ]
        });
    let reports: Arc<Mutex<Vec<Value>>> = Arc::default();
    let seen = Arc::clone(&reports);
    paused(async move {
        let connection = match connect(script, &options()).await {
            Ok(connection) => connection,
            Err(error) => return Outcome::Verdict(Err(error.to_string())),
        };
        let call = ToolCall::new("plan", Map::new()).with_progress(Arc::new(move |report| {
            let event = json!({
                "progress": report.progress, "total": report.total, "message": report.message, "server": "ros",
                "tool": "plan", "tool_use_id": "tu", "public_name": "mcp__ros__plan",
            });
            seen.lock().unwrap_or_else(PoisonError::into_inner).push(event);
        }));
        if let Err(error) = connection.call_tool(call).await {
            return Outcome::Verdict(Err(error.to_string()));
        }
        let reports = reports.lock().unwrap_or_else(PoisonError::into_inner);
        Outcome::Value(reports.last().cloned().unwrap_or(Value::Null))
    })
}
