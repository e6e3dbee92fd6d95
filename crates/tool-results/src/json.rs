//! JSON values in words.

use serde_json::{Map, Value};

/// A field as text, however the server typed it: the way loosely typed hosts print it.
pub(crate) fn loose(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    }
}

/// Whether a flag is set, however the server typed it.
pub(crate) fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

pub(crate) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

/// The same value with the keys of every object in order.
pub(crate) fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Object(fields) => {
            let mut pairs: Vec<_> = fields.iter().collect();
            pairs.sort_by(|left, right| left.0.cmp(right.0));
            let pairs = pairs
                .into_iter()
                .map(|(key, value)| (key.clone(), sorted(value)));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// `text` in quotes, as Python's `repr` writes it for printable text.
pub(crate) fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut out = String::from(quote);
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other if other == quote => {
                out.push('\\');
                out.push(other);
            }
            other if other.is_ascii_control() => {
                out.push_str(&format!("\\x{:02x}", u32::from(other)));
            }
            other => out.push(other),
        }
    }
    out.push(quote);
    out
}

/// `text` on one line: every control character is a space, so a name cannot forge a line of its own.
pub(crate) fn one_line(text: &str) -> String {
    let flat = |character: char| {
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
            ' '
        } else {
            character
        }
    };
    text.chars().map(flat).collect::<String>().trim().to_owned()
}
