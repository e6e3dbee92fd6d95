//! From arguments back to a line.

use alloc::string::{String, ToString as _};
use core::fmt;

/// A name that `name=value` cannot say: it is empty or holds white space.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidName {
    name: String,
}

impl InvalidName {
    /// The refused name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start: String = self.name.chars().take(80).collect();
        write!(f, "name {start:?} is empty or holds white space")
    }
}

impl core::error::Error for InvalidName {}

/// A line that reads back as the same arguments: pairs where they will do, else a JSON object.
///
/// ```
/// # use mcp_bridge_prompt_args::{format_args, parse};
/// let line = format_args([("dir", r"C:\temp\"), ("title", "Q3 review")]);
/// assert_eq!(line, r#"dir=C:\temp\ title="Q3 review""#);
/// assert_eq!(parse(&line)?.get("title"), Some("Q3 review"));
/// # Ok::<(), mcp_bridge_prompt_args::ParseError>(())
/// ```
#[cfg(feature = "json")]
#[must_use]
pub fn format_args<N: AsRef<str>, V: AsRef<str>>(
    arguments: impl IntoIterator<Item = (N, V), IntoIter: Clone>,
) -> String {
    let arguments = arguments.into_iter();
    format_pairs(arguments.clone()).unwrap_or_else(|_| format_json(arguments))
}

/// A line of `name=value` pairs that reads back as the same arguments.
///
/// # Errors
///
/// [`InvalidName`] for a name that is empty or holds white space; [`format_json`] takes any.
pub fn format_pairs<N: AsRef<str>, V: AsRef<str>>(
    arguments: impl IntoIterator<Item = (N, V)>,
) -> Result<String, InvalidName> {
    let mut line = String::new();
    for (name, value) in arguments {
        let (name, value) = (name.as_ref(), value.as_ref());
        if name.is_empty() || name.contains(char::is_whitespace) {
            let name = name.to_string();
            return Err(InvalidName { name });
        }
        if !line.is_empty() {
            line.push(' ');
        }
        push_text(&mut line, name, |c| matches!(c, '=' | '{'));
        line.push('=');
        push_text(&mut line, value, char::is_whitespace);
    }
    Ok(line)
}

/// A JSON object that reads back as the same arguments.
#[must_use]
pub fn format_json<N: AsRef<str>, V: AsRef<str>>(
    arguments: impl IntoIterator<Item = (N, V)>,
) -> String {
    let mut line = String::from("{");
    for (name, value) in arguments {
        if line.len() > 1 {
            line.push_str(", ");
        }
        push_json(&mut line, name.as_ref());
        line.push_str(": ");
        push_json(&mut line, value.as_ref());
    }
    line.push('}');
    line
}

fn push_text(line: &mut String, text: &str, needs_quotes: impl Fn(char) -> bool) {
    if !text.contains(|c| matches!(c, '"' | '\'') || needs_quotes(c)) {
        line.push_str(text);
        return;
    }
    // A backslash before the closing quote would read as an escape, so those at the end stay outside.
    let inside = text.trim_end_matches('\\');
    line.push('"');
    for c in inside.chars() {
        if c == '"' {
            line.push('\\');
        }
        line.push(c);
    }
    line.push('"');
    line.push_str(text.get(inside.len()..).unwrap_or_default());
}

fn push_json(line: &mut String, text: &str) {
    line.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => line.extend(['\\', c]),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            c if c.is_control() => {
                line.push_str(&alloc::format!("\\u{:04x}", u32::from(c)));
            }
            c => line.push(c),
        }
    }
    line.push('"');
}
