//! What a model is told of the servers behind the one door.

use std::fmt::Write as _;

use serde_json::Value;

/// A server as it is described.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Described<'a> {
    /// The server's name.
    pub server: &'a str,
    /// Its tools.
    pub tools: Vec<DescribedTool<'a>>,
    /// The addresses of its resources and resource templates.
    pub resources: Vec<&'a str>,
}

/// A tool as it is described.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DescribedTool<'a> {
    /// Its name, as its server lists it.
    pub name: &'a str,
    /// What it does. Untrusted: the caller has removed what a prompt should not hold.
    pub description: &'a str,
    /// The JSON Schema of its arguments.
    pub input_schema: &'a Value,
}

impl<'a> Described<'a> {
    /// A server that offers nothing yet.
    pub fn new(server: &'a str) -> Self {
        Self {
            server,
            ..Self::default()
        }
    }

    /// Adds a tool.
    #[must_use]
    pub fn with_tool(
        mut self,
        name: &'a str,
        description: &'a str,
        input_schema: &'a Value,
    ) -> Self {
        self.tools.push(DescribedTool {
            name,
            description,
            input_schema,
        });
        self
    }

    /// Adds a resource or a template by its address.
    #[must_use]
    pub fn with_resource(mut self, uri: &'a str) -> Self {
        self.resources.push(uri);
        self
    }
}

/// A section of a system prompt: each server with its tools, their arguments, and its resources; at most `max_chars`
/// characters. What does not fit is counted in the last line. The same servers give the same text.
///
/// ```
/// use mcp_bridge_use_mcp_tool::{Described, describe};
/// use serde_json::json;
///
/// let schema = json!({"type": "object"});
/// let git = Described::new("git").with_tool("git_log", "The log.", &schema).with_resource("git://head");
/// assert_eq!(
///     describe(&[git], 1_000),
///     "## git\n- tool git_log: The log.\n  arguments: {\"type\":\"object\"}\n- resource git://head\n"
/// );
/// ```
pub fn describe(servers: &[Described<'_>], max_chars: usize) -> String {
    let mut section = String::new();
    let (mut chars, mut left_out) = (0, 0_usize);
    let mut add = |entry: &str| {
        let count = entry.chars().count();
        if left_out > 0 || chars + count > max_chars.saturating_sub(LAST_LINE) {
            left_out += 1;
        } else {
            chars += count;
            section.push_str(entry);
        }
    };
    for server in servers {
        add(&format!("## {}\n", one_line(server.server)));
        for tool in &server.tools {
            let mut entry = format!("- tool {}", one_line(tool.name));
            if !tool.description.is_empty() {
                // Further lines of a description are set in, so that they cannot be taken for entries.
                let _ = write!(entry, ": {}", tool.description.trim().replace('\n', "\n  "));
            }
            let _ = writeln!(entry, "\n  arguments: {}", tool.input_schema);
            add(&entry);
        }
        for uri in &server.resources {
            add(&format!("- resource {}\n", one_line(uri)));
        }
    }
    if left_out > 0 {
        let _ = writeln!(section, "[{left_out} more left out]");
    }
    section.chars().take(max_chars).collect()
}

/// Room for the line that counts what was left out, in characters.
const LAST_LINE: usize = 40;

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
