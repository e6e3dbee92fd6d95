//! The adapters: each file belongs to a group of crates and says which areas it answers.

mod bridge;
mod config;
mod connections;
mod names;
mod policy;
mod results;
mod texts;
mod use_mcp;

use serde_json::Value;

use crate::Adapter;

pub(crate) fn all() -> Vec<(&'static str, Adapter)> {
    [
        bridge::areas(),
        config::areas(),
        connections::areas(),
        names::areas(),
        policy::areas(),
        results::areas(),
        texts::areas(),
        use_mcp::areas(),
    ]
    .concat()
}

/// A member that is text; empty where it is none.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A member that is a list; empty where it is none.
fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    let list = value.get(key).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}
