use crate::decision::Outcome;

/// The two switches of a host that approves by lists: both must be on.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Gates {
    /// Anything at all may run unasked.
    pub auto_approve: bool,
    /// So may MCP tools.
    pub mcp: bool,
}

impl Gates {
    /// Both switches.
    #[must_use]
    pub fn new(auto_approve: bool, mcp: bool) -> Self {
        Self { auto_approve, mcp }
    }

    fn open(self) -> bool {
        self.auto_approve && self.mcp
    }
}

/// The `alwaysAllow` and `disabledTools` lists of one server's entry, as Roo-style hosts keep them.
///
/// ```
/// use mcp_bridge_permissions::{AlwaysAllow, Gates, Outcome};
///
/// let lists = AlwaysAllow::new(["read"]).with_disabled(["drop"]);
/// assert_eq!(lists.decide(Gates::new(true, true), "read"), Outcome::Allow);
/// assert_eq!(lists.decide(Gates::new(true, false), "read"), Outcome::Ask);
/// assert_eq!(lists.decide(Gates::new(true, true), "drop"), Outcome::Deny);
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct AlwaysAllow {
    tools: Vec<String>,
    disabled: Vec<String>,
}

impl AlwaysAllow {
    /// The tools that run unasked, by the server's own names; `*` stands for all of them.
    pub fn new<T: Into<String>>(tools: impl IntoIterator<Item = T>) -> Self {
        Self {
            tools: tools.into_iter().map(Into::into).collect(),
            disabled: Vec::new(),
        }
    }

    /// The tools that never run.
    #[must_use]
    pub fn with_disabled<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.disabled = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Decides a call of `tool`, named as its server names it.
    #[must_use]
    pub fn decide(&self, gates: Gates, tool: &str) -> Outcome {
        let listed = |list: &[String], any: bool| {
            list.iter().any(|name| name == tool || (any && name == "*"))
        };
        if listed(&self.disabled, false) {
            Outcome::Deny
        } else if gates.open() && listed(&self.tools, true) {
            Outcome::Allow
        } else {
            Outcome::Ask
        }
    }
}
