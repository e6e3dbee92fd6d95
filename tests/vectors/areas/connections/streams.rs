//! Bytes as they come: lines in pieces, events in every form that the standard allows, sessions that expire.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use mcp_bridge_connections::{Connection, Event, ToolCall};
use mcp_bridge_server_config::ServerConfig;
use mcp_bridge_tests::http::{HttpServer, Response};
use mcp_bridge_tests::script::{Reply, Script};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::{Events, asked, field, options, paused, strings, timed};
use crate::{Outcome, Row};

/// Two requests are answered by the row's chunks, in which 1 and 2 stand for their ids.
pub(super) fn stdio_feed(row: &Row) -> Outcome {
    let chunks = strings(field(&row.input, "chunks"));
    let events = Arc::new(Events::default());
    let handler = Arc::clone(&events);
    let answer = paused(async move {
        let (client, server) = tokio::io::duplex(1 << 16);
        let feed = tokio::spawn(async move {
            let (read, mut write) = tokio::io::split(server);
            let mut lines = BufReader::new(read).lines();
            let mut ids = Vec::new();
            while let Ok(Some(line)) = lines.next_line().await {
                let message: Value = serde_json::from_str(&line).unwrap_or_default();
                match field(&message, "method").as_str() {
                    Some("initialize") => {
                        let result = json!({
                            "protocolVersion": "2025-11-25", "capabilities": {},
                            "serverInfo": {"name": "s", "version": "1"},
                        });
                        let answer = json!({"jsonrpc": "2.0", "id": field(&message, "id"), "result": result});
                        let _ = write.write_all(format!("{answer}\n").as_bytes()).await;
                    }
                    Some("test/ask") => ids.push(field(&message, "id").clone()),
                    _ => {}
                }
                if let [first, second] = ids.as_slice() {
                    for chunk in &chunks {
                        let named = chunk
                            .replace("\"id\":1,", &format!("\"id\":{first},"))
                            .replace("\"id\":2,", &format!("\"id\":{second},"));
                        let _ = write.write_all(named.as_bytes()).await;
                        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                    }
                    ids.clear();
                }
            }
        });
        let (read, write) = tokio::io::split(client);
        let connection = Connection::over_stream("srv", read, write, &options(), handler).await;
        let connection = connection.map_err(|error| error.to_string())?;
        let (first, second) = tokio::join!(
            connection.request("test/ask", json!({})),
            connection.request("test/ask", json!({})),
        );
        let answered = [(1, first), (2, second)]
            .into_iter()
            .filter(|(_, result)| result.is_ok());
        let responses: Vec<u8> = answered.map(|(number, _)| number).collect();
        let skipped = events
            .all()
            .iter()
            .filter(|event| matches!(event, Event::Problem(_)))
            .count();
        let alive = !connection.is_closed();
        feed.abort();
        Ok::<_, String>(
            json!({"responses": responses, "skipped_lines": skipped, "connection_ok": alive}),
        )
    });
    match answer {
        Ok(answer) => asked(row, answer),
        Err(problem) => Outcome::Verdict(Err(problem)),
    }
}

/// The row's events become log messages that carry their data, and the answer follows in one event more.
pub(super) fn server_sent_events(row: &Row) -> Outcome {
    let wanted = row
        .expected
        .as_ref()
        .map(|expected| strings(field(expected, "data")))
        .unwrap_or_default();
    let mut stream = strings(field(&row.input, "chunks")).concat();
    for data in &wanted {
        let log = json!({
            "jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": data},
        });
        stream = stream.replacen(data, &log.to_string(), 1);
    }
    let events = Arc::new(Events::default());
    let handler = Arc::clone(&events);
    let told = timed(async move {
        let script = Script::new("s").capability("tools", json!({}));
        let server = HttpServer::with(script, move |request| {
            if field(&request.message, "method") != "tools/call" {
                return None;
            }
            let result = json!({"content": []});
            let answer =
                json!({"jsonrpc": "2.0", "id": field(&request.message, "id"), "result": result});
            let body = format!("{stream}data: {answer}\n\n");
            Some(Response::new(200, &body).header("content-type", "text/event-stream"))
        })
        .await
        .map_err(|error| error.to_string())?;
        let config = ServerConfig::http(server.url());
        let connection = Connection::open("srv", &config, &options(), handler).await;
        let connection = connection.map_err(|error| error.to_string())?;
        let called = connection.call_tool(ToolCall::new("t", Map::new())).await;
        connection.shutdown().await;
        called.map(|_| ()).map_err(|error| error.to_string())
    });
    if let Err(problem) = told {
        return Outcome::Verdict(Err(problem));
    }
    let logged = events.all().into_iter().filter_map(|event| match event {
        Event::Log { data, .. } => Some(data),
        _ => None,
    });
    Outcome::Value(json!({"data": logged.collect::<Vec<_>>()}))
}

/// A server with sessions; the row says how often a call finds its session gone.
pub(super) fn http_script(row: &Row) -> Outcome {
    let first = field(&row.input, "session")
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let responses = field(&row.input, "responses");
    let until_renewed = responses == "404_until_reinit";
    let of = |method: &str| -> Vec<Value> {
        let steps = responses.as_array().into_iter().flatten();
        steps
            .filter(|step| field(step, "to") == method)
            .cloned()
            .collect()
    };
    let (calls, renewals) = (of("tools/call"), of("initialize"));
    let calls_at_once = field(&row.input, "concurrent_calls").as_u64().unwrap_or(1);
    let (initializes, called) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
    let last_session = Arc::new(Mutex::new(String::new()));
    let (counted, seen) = (Arc::clone(&initializes), Arc::clone(&last_session));
    let answer = timed(async move {
        let script = Script::new("s")
            .capability("tools", json!({}))
            .on_call("t", |_| vec![Reply::text("ok")]);
        let plain = script.clone();
        let server = HttpServer::with(script, move |request| {
            match field(&request.message, "method").as_str() {
                Some("initialize") => {
                    let count = counted.fetch_add(1, Ordering::SeqCst);
                    let renewed = renewals
                        .get(count.wrapping_sub(1))
                        .map(|step| field(step, "session"));
                    let session = match (count, renewed.and_then(Value::as_str)) {
                        (0, _) => first.clone(),
                        (_, Some(session)) => session.to_owned(),
                        (count, None) => format!("{first}-{count}"),
                    };
                    plain
                        .response(&request.message)
                        .map(|response| response.header("mcp-session-id", &session))
                }
                Some("tools/call") => {
                    let session = request
                        .header("mcp-session-id")
                        .unwrap_or_default()
                        .to_owned();
                    let gone = if until_renewed {
                        session == first
                    } else {
                        let step = calls.get(called.fetch_add(1, Ordering::SeqCst));
                        step.is_some_and(|step| field(step, "status") == 404)
                    };
                    *seen.lock().unwrap_or_else(PoisonError::into_inner) = session;
                    gone.then(|| Response::new(404, ""))
                }
                _ => None,
            }
        })
        .await
        .map_err(|error| error.to_string())?;
        let config = ServerConfig::http(server.url());
        let connection = Connection::open("srv", &config, &options(), Arc::new(())).await;
        let connection = connection.map_err(|error| error.to_string())?;
        let call = || connection.call_tool(ToolCall::new("t", Map::new()));
        let results = futures_util::future::join_all((0..calls_at_once).map(|_| call())).await;
        let all_ok = results.iter().all(Result::is_ok);
        let again = initializes.load(Ordering::SeqCst).saturating_sub(1);
        let session = last_session
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        Ok::<_, String>(json!({
            "initializes": again, "initializes_max": again.max(1), "final": if all_ok { "ok" } else { "error" },
            "last_session_header": session,
        }))
    });
    match answer {
        Ok(answer) => asked(row, answer),
        Err(problem) => Outcome::Verdict(Err(problem)),
    }
}
