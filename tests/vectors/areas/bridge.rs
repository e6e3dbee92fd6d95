//! What the facade says in words: progress, and the servers' own instructions.

use mcp_bridge::{InstructionLimits, ProgressEvent, ServerInstructions, instructions_section};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use unicode_segmentation::UnicodeSegmentation;

use super::text;
use crate::{Outcome, Row};

pub(crate) fn areas() -> Vec<(&'static str, crate::Adapter)> {
    vec![
        ("progress", progress),
        ("instructions", instructions),
        ("bugs/instructions", instructions_of_many),
    ]
}

fn owned(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn progress(row: &Row) -> Outcome {
    let Some(given) = row.input.get("event") else {
        return Outcome::Unwired;
    };
    let number = |key: &str| given.get(key).and_then(Value::as_f64);
    let event = ProgressEvent::new(text(given, "server_name"), text(given, "tool_name"))
        .with_progress(number("progress"), number("total"))
        .with_message(owned(given, "message"))
        .with_public_name(text(given, "public_name"))
        .with_tool_use_id(owned(given, "tool_use_id"));
    if row
        .right_answer
        .as_ref()
        .is_some_and(|right| right.get("must").is_some())
    {
        return Outcome::Verdict(cut_between_graphemes(
            text(given, "message"),
            text(&event.a2a(), "message"),
        ));
    }
    let mut metadata = event.a2a();
    if let Some(message) = metadata.get_mut("message") {
        *message = shape(message.as_str().unwrap_or_default());
    }
    Outcome::Value(json!({
        "text": shape(&event.text()),
        "title": event.title(),
        "public_name": event.public_name(),
        "metadata": metadata,
    }))
}

/// How the rows write a text: whole, or from 600 characters on as its length and its ends.
fn shape(text: &str) -> Value {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() < 600 {
        return json!(text);
    }
    let head: String = chars.iter().take(40).collect();
    let tail: String = chars.iter().skip(chars.len() - 40).collect();
    json!({"chars": chars.len(), "head": head, "tail": tail})
}

fn cut_between_graphemes(whole: &str, shown: &str) -> Result<(), String> {
    let kept = shown
        .strip_suffix(mcp_bridge::public_text::TRUNCATED)
        .unwrap_or(shown);
    let boundary = whole
        .grapheme_indices(true)
        .any(|(start, _)| start == kept.len());
    if whole.starts_with(kept) && boundary && shown.chars().count() <= 4_000 {
        Ok(())
    } else {
        Err(format!("cut to {} bytes of {}", kept.len(), whole.len()))
    }
}

/// The servers of a row that have something to say, in its order, and whether each is connected.
fn said(row: &Row, limits: &InstructionLimits) -> Vec<(bool, Option<ServerInstructions>)> {
    let servers = row.input.get("servers").and_then(Value::as_array);
    let read = |server: &Value| {
        let name = owned(server, "name").unwrap_or_else(|| "srv".to_owned());
        let info = server
            .get("serverInfo")
            .cloned()
            .unwrap_or_else(|| json!({"name": "n", "version": "1"}));
        let given = server.get("instructions").unwrap_or(&Value::Null);
        let connected = owned(server, "state").is_none_or(|state| state == "connected");
        (
            connected,
            ServerInstructions::new(&name, given, &info, limits),
        )
    };
    servers.into_iter().flatten().map(read).collect()
}

fn section(said: &[(bool, Option<ServerInstructions>)], limits: &InstructionLimits) -> String {
    let shown = said.iter().filter(|(connected, _)| *connected);
    instructions_section(shown.filter_map(|(_, server)| server.as_ref()), limits)
}

fn instructions(row: &Row) -> Outcome {
    let limits = InstructionLimits::default();
    let said = said(row, &limits);
    let stored: Vec<Value> = said
        .iter()
        .map(|(_, server)| {
            server
                .as_ref()
                .map_or(Value::Null, |server| digest(&server.text))
        })
        .collect();
    Outcome::Value(json!({"prompt_section": digest(&section(&said, &limits)), "stored": stored}))
}

/// How the rows write a long text: its length, its digest, and itself or its ends.
fn digest(text: &str) -> Value {
    let chars: Vec<char> = text.chars().collect();
    let sha256: String = Sha256::digest(text.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let mut shape = Map::new();
    shape.insert("chars".to_owned(), json!(chars.len()));
    shape.insert("sha256".to_owned(), json!(sha256));
    if chars.len() < 600 {
        shape.insert("text".to_owned(), json!(text));
    } else {
        let head: String = chars.iter().take(120).collect();
        let tail: String = chars.iter().skip(chars.len() - 120).collect();
        shape.insert("head".to_owned(), json!(head));
        shape.insert("tail".to_owned(), json!(tail));
    }
    Value::Object(shape)
}

fn instructions_of_many(row: &Row) -> Outcome {
    if row.op.as_deref() != Some("instructions") {
        return Outcome::Unwired;
    }
    let limits = InstructionLimits::default();
    let section = section(&said(row, &limits), &limits);
    let headings = section.lines().filter_map(|line| line.strip_prefix("## "));
    let labels: Vec<&str> = headings
        .map(|heading| heading.split(' ').next().unwrap_or_default())
        .collect();
    let wanted = row.expected.clone().unwrap_or_default();
    let told = wanted
        .get("contains")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let contains: Vec<&Value> = told
        .filter(|part| section.contains(part.as_str().unwrap_or_default()))
        .collect();
    Outcome::Value(json!({"sections": labels, "contains": contains}))
}
