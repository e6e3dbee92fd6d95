//! Models that go round in circles.

use serde_json::{Map, Value};

/// Counts calls in a row that could not be made.
///
/// ```
/// let mut mistakes = mcp_bridge_use_mcp_tool::Mistakes::new(2);
/// assert!(!mistakes.mistake());
/// assert!(mistakes.mistake()); // two in a row: ask a person
/// assert_eq!(mistakes.count(), 0);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Mistakes {
    limit: usize,
    count: usize,
}

impl Default for Mistakes {
    /// Three in a row.
    fn default() -> Self {
        Self::new(3)
    }
}

impl Mistakes {
    /// Counts up to `limit`, at least one.
    pub fn new(limit: usize) -> Self {
        Self {
            limit: limit.max(1),
            count: 0,
        }
    }

    /// A call could not be made. `true` when that was one too many; the count then starts anew.
    pub fn mistake(&mut self) -> bool {
        self.count += 1;
        let is_too_many = self.count >= self.limit;
        if is_too_many {
            self.count = 0;
        }
        is_too_many
    }

    /// A call was sent: the count starts anew.
    pub fn sent(&mut self) {
        self.count = 0;
    }

    /// How many in a row so far.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// Counts the same call with the same result, again and again.
#[derive(Clone, Debug, PartialEq)]
pub struct Repetitions {
    limit: usize,
    last: Option<(String, String)>,
    count: usize,
}

impl Default for Repetitions {
    /// Three of the same are let through.
    fn default() -> Self {
        Self::new(3)
    }
}

impl Repetitions {
    /// Lets `limit` of the same through, at least one.
    pub fn new(limit: usize) -> Self {
        Self {
            limit: limit.max(1),
            last: None,
            count: 0,
        }
    }

    /// How often the last call gave the same result so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether a call may be made once more. The order of its arguments' keys makes no difference.
    pub fn allows(&self, server: &str, tool: &str, arguments: &Map<String, Value>) -> bool {
        let key = key(server, tool, arguments);
        self.count < self.limit || self.last.as_ref().is_none_or(|(last, _)| *last != key)
    }

    /// Takes in what a call gave; `result` may be a digest of it.
    pub fn record(
        &mut self,
        server: &str,
        tool: &str,
        arguments: &Map<String, Value>,
        result: &str,
    ) {
        let this = (key(server, tool, arguments), result.to_owned());
        if self.last.as_ref() == Some(&this) {
            self.count += 1;
        } else {
            self.last = Some(this);
            self.count = 1;
        }
    }
}

fn key(server: &str, tool: &str, arguments: &Map<String, Value>) -> String {
    let mut key = format!("{server:?} {tool:?} ");
    write_sorted(arguments, &mut key);
    key
}

fn write_sorted(members: &Map<String, Value>, out: &mut String) {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by_key(|(key, _)| key.as_str());
    out.push('{');
    for (key, value) in sorted {
        out.push_str(&format!("{key:?}:"));
        write_value(value, out);
        out.push(',');
    }
    out.push('}');
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => write_sorted(members, out),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_value(item, out);
                out.push(',');
            }
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}
