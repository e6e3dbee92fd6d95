//! What went wrong without stopping anything.

use std::fmt;

use mcp_bridge_public_text as public_text;

/// The longest message, in characters: it may quote what a server wrote.
const MAX_CHARS: usize = 4_000;

/// Something was lost, cut, refused or repaired, and the rest went on.
///
/// `code` is stable and snake_case, so that a host can filter or translate; `message` is a sentence for people,
/// already fit to show.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Warning {
    /// What kind of thing happened, e.g. `connection_failed`, `tools_failed`, `skill_read_failed`.
    pub code: String,
    /// The server it happened to, where it was one.
    pub server_id: Option<String>,
    /// One sentence for people.
    pub message: String,
}

impl Warning {
    /// A warning about `server_id`; terminal controls and secrets in `message` are masked, and it is cut at 4,000
    /// characters.
    pub fn new(code: impl Into<String>, server_id: Option<&str>, message: &str) -> Self {
        Self {
            code: code.into(),
            server_id: server_id.map(str::to_owned),
            message: public_text::truncate(&public_text::public(message), MAX_CHARS).into_owned(),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.server_id {
            Some(server) => write!(f, "[{}] {server}: {}", self.code, self.message),
            None => write!(f, "[{}] {}", self.code, self.message),
        }
    }
}
