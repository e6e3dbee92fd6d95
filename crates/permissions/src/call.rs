use serde_json::Value;

use crate::hints::Hints;
use crate::kinds::Trust;

static NO_ARGUMENTS: Value = Value::Null;

/// One call to decide.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Call<'a> {
    /// The host's key for the server; empty for a tool of the host itself.
    pub server: &'a str,
    /// The tool's name as its server wrote it.
    pub tool: &'a str,
    /// The tool's name as the model sees it.
    pub public_name: &'a str,
    /// The public name before a clash gave it a suffix; the same as `public_name` where none did.
    pub base_name: &'a str,
    /// What the tool says of itself.
    pub hints: Hints,
    /// What the host believes of the server.
    pub trust: Trust,
    /// The arguments; `null` where there are none.
    pub arguments: &'a Value,
    /// A tool of the host that only looks like one of the server's, such as the reading of resources.
    pub host_tool: bool,
}

impl<'a> Call<'a> {
    /// A call of a server's tool, without arguments or hints, from a server that is not trusted.
    #[must_use]
    pub fn new(server: &'a str, tool: &'a str, public_name: &'a str) -> Self {
        Self {
            server,
            tool,
            public_name,
            base_name: public_name,
            hints: Hints::default(),
            trust: Trust::default(),
            arguments: &NO_ARGUMENTS,
            host_tool: false,
        }
    }

    /// A call of a tool of the host, whose hints are therefore believed.
    #[must_use]
    pub fn host_tool(public_name: &'a str, hints: Hints) -> Self {
        Self {
            hints,
            trust: Trust::Hints,
            host_tool: true,
            ..Self::new("", public_name, public_name)
        }
    }

    /// Sets [`server`](Self::server), so that rules for a whole server cover a tool of the host too.
    #[must_use]
    pub fn with_server(mut self, server: &'a str) -> Self {
        self.server = server;
        self
    }

    /// Sets [`base_name`](Self::base_name).
    #[must_use]
    pub fn with_base_name(mut self, base_name: &'a str) -> Self {
        self.base_name = base_name;
        self
    }

    /// Sets [`hints`](Self::hints).
    #[must_use]
    pub fn with_hints(mut self, hints: Hints) -> Self {
        self.hints = hints;
        self
    }

    /// Sets [`trust`](Self::trust).
    #[must_use]
    pub fn with_trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    /// Sets [`arguments`](Self::arguments).
    #[must_use]
    pub fn with_arguments(mut self, arguments: &'a Value) -> Self {
        self.arguments = arguments;
        self
    }

    /// The name for people: `server:tool`, or the public name of a tool of the host.
    #[must_use]
    pub fn label(&self) -> String {
        if self.host_tool {
            self.public_name.to_owned()
        } else {
            format!("{}:{}", self.server, self.tool)
        }
    }
}
