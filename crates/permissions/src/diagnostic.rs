use std::fmt;

use crate::kinds::Source;

/// A tool that exists, for finding rules that match none.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct KnownTool<'a> {
    /// The host's key for the server; empty for a tool of the host itself.
    pub server: &'a str,
    /// The tool's name as its server wrote it.
    pub tool: &'a str,
    /// The tool's name as the model sees it.
    pub public_name: &'a str,
    /// The public name before a clash gave it a suffix.
    pub base_name: &'a str,
}

impl<'a> KnownTool<'a> {
    /// A tool whose name met no clash.
    #[must_use]
    pub fn new(server: &'a str, tool: &'a str, public_name: &'a str) -> Self {
        Self {
            server,
            tool,
            public_name,
            base_name: public_name,
        }
    }

    /// Sets [`base_name`](Self::base_name).
    #[must_use]
    pub fn with_base_name(mut self, base_name: &'a str) -> Self {
        self.base_name = base_name;
        self
    }
}

/// What is wrong with a rule.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum DiagnosticKind {
    /// It cannot be read. An allow rule then allows nothing; a deny or ask rule whose condition cannot be read covers
    /// every call of its tool.
    Malformed,
    /// It matches none of the known tools.
    MatchesNothing,
    /// Another rule always decides before it.
    Shadowed,
    /// It opens the tools of more than one server.
    SeveralServers,
}

impl DiagnosticKind {
    /// A stable code for warnings.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Malformed => "permission_rule_malformed",
            Self::MatchesNothing => "permission_rule_matches_nothing",
            Self::Shadowed => "permission_rule_shadowed",
            Self::SeveralServers => "permission_rule_several_servers",
        }
    }
}

/// A rule that does not do what its author may think.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What is wrong.
    pub kind: DiagnosticKind,
    /// Where the rule was written.
    pub source: Option<Source>,
    /// The place in its source; may be empty.
    pub place: String,
    /// The rule.
    pub text: String,
    /// What is wrong, in words.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = self.text.chars().take(120).collect();
        write!(f, "rule {text:?}")?;
        if let Some(source) = self.source {
            write!(f, " of {}", source.in_words())?;
        }
        if !self.place.is_empty() {
            write!(f, " ({})", self.place)?;
        }
        write!(f, ": {}", self.message)
    }
}
