//! The generic dialect: calls as JSON and as XML tags, and models that go round in circles.

use mcp_bridge_use_mcp_tool::{
    Call, CallError, CallKind, Known, Mistakes, Note, Repetitions, Segment, XmlParser, parse_json,
    parse_xml, resolve,
};
use serde_json::{Map, Value, json};

use super::{list, text};
use crate::{Adapter, Outcome, Row};

pub(crate) fn areas() -> Vec<(&'static str, Adapter)> {
    vec![
        ("use-mcp-tool/json-invocation", json_invocation),
        ("use-mcp-tool/xml-invocation", xml_invocation),
        ("use-mcp-tool/resolve", resolution),
        ("use-mcp-tool/mistakes", loops),
    ]
}

/// The rows list a part of what is said: every member of `wanted` must be there, arrays whole.
fn contains(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => wanted
            .iter()
            .all(|(key, value)| found.get(key).is_some_and(|found| contains(found, value))),
        (Value::Array(found), Value::Array(wanted)) => {
            found.len() == wanted.len()
                && found
                    .iter()
                    .zip(wanted)
                    .all(|(found, wanted)| contains(found, wanted))
        }
        (found, wanted) => found == wanted,
    }
}

fn verdict(row: &Row, found: &Value) -> Outcome {
    let mut wanted = row.expected.clone().unwrap_or_default();
    if let Some(wanted) = wanted.as_object_mut() {
        // What a host counts and sends is not for this crate to say.
        wanted.remove("mistake");
        wanted.remove("requests_sent");
    }
    Outcome::Verdict(match contains(found, &wanted) {
        true => Ok(()),
        false => Err(format!("wanted {wanted}, got {found}")),
    })
}

fn of_call(call: &Call) -> Value {
    let notes: Vec<&str> = call.notes.iter().copied().map(Note::code).collect();
    let call = match &call.kind {
        CallKind::UseTool {
            server,
            tool,
            arguments,
        } => {
            json!({"kind": "use_tool", "server": server, "tool": tool, "arguments": arguments})
        }
        CallKind::ReadResource { server, uri } => {
            json!({"kind": "read_resource", "server": server, "uri": uri})
        }
        _ => Value::Null,
    };
    json!({"call": call, "notes": notes})
}

fn of_error(error: &CallError) -> Value {
    let mut told = error.to_json();
    let partial: Map<String, Value> = [("server", &error.server), ("tool", &error.tool)]
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), Value::from(value.clone()?))))
        .collect();
    if let Some(told) = told.as_object_mut() {
        told.insert("partial".to_owned(), partial.into());
    }
    json!({"error": told})
}

fn json_invocation(row: &Row) -> Outcome {
    let (name, given) = (text(&row.input, "name"), text(&row.input, "arguments_text"));
    verdict(
        row,
        &match parse_json(name, given) {
            Ok(call) => of_call(&call),
            Err(error) => of_error(&error),
        },
    )
}

fn xml_invocation(row: &Row) -> Outcome {
    let given = text(&row.input, "text");
    let whole = parse_xml(given);
    let mut parser = XmlParser::default();
    let mut streamed = Vec::new();
    for piece in given.as_bytes().chunks(3) {
        streamed.extend(parser.push(piece));
    }
    streamed.extend(parser.finish());
    if whole != streamed {
        return Outcome::Verdict(Err(format!("streamed it reads {streamed:?}")));
    }
    let told = |segment: &Segment| match segment {
        Segment::Text(text) => json!({"text": text}),
        Segment::Call(call) => of_call(call),
        Segment::Error(error) => of_error(error),
        _ => Value::Null,
    };
    let calls = whole
        .iter()
        .filter(|segment| matches!(segment, Segment::Call(_)));
    let found = json!({
        "segments": whole.iter().map(told).collect::<Vec<_>>(),
        "calls_dispatched": calls.count(),
    });
    verdict(row, &found)
}

fn resolution(row: &Row) -> Outcome {
    let Some(call) = row.input.get("call") else {
        // Waiting for a server that is being connected is no matter of names.
        return Outcome::Unwired;
    };
    let known: Vec<Known> = list(&row.input, "servers")
        .iter()
        .map(|server| {
            let tools = list(server, "tools").iter().filter_map(Value::as_str);
            Known::new(text(server, "name"), tools)
        })
        .collect();
    let found = match resolve(&known, text(call, "server"), text(call, "tool")) {
        Ok(found) => {
            let how = if found.is_exact { "exact" } else { "folded" };
            json!({"server": found.server, "tool": found.tool, "match": how})
        }
        Err(error) => of_error(&error),
    };
    verdict(row, &found)
}

fn loops(row: &Row) -> Outcome {
    let limit = row.input.get("limit").and_then(Value::as_u64);
    let limit = limit
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(3);
    let events = list(&row.input, "events");
    match row.op.as_deref() {
        Some("mistakes") => {
            let mut mistakes = Mistakes::new(limit);
            let (mut counts, mut tripped) = (Vec::new(), Vec::new());
            for (index, event) in events.iter().enumerate() {
                if event == "dispatched" {
                    mistakes.sent();
                } else if mistakes.mistake() {
                    tripped.push(index);
                }
                counts.push(mistakes.count());
            }
            verdict(row, &json!({"counts": counts, "tripped_at": tripped}))
        }
        Some("repetition") => {
            let mut repetitions = Repetitions::new(limit);
            let mut allowed = Vec::new();
            for event in events {
                let arguments = event.get("args").and_then(Value::as_object).cloned();
                let arguments = arguments.unwrap_or_default();
                let may = repetitions.allows("s", "t", &arguments);
                if may {
                    repetitions.record("s", "t", &arguments, text(event, "result"));
                }
                allowed.push(may);
            }
            let blocked = allowed.contains(&false);
            let error = json!({"type": "repetition_limit", "count": repetitions.count()});
            let error = if blocked { error } else { Value::Null };
            verdict(row, &json!({"allowed": allowed, "error": error}))
        }
        _ => Outcome::Unwired,
    }
}
