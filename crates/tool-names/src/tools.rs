//! The names of tools.

use crate::entry::{Entry, EntryKind};
use crate::name::ToolName;
use crate::profile::NameProfile;
use crate::registry::{Raw, Registry};
use crate::resolve::{self, ResolveError};

/// The public names of all tools of all servers.
#[derive(Clone, Debug)]
pub struct NameTable(Registry);

impl NameTable {
    /// Names every distinct (server, tool) pair; exact repeats count once.
    #[must_use]
    pub fn build<'a>(
        profile: &NameProfile,
        tools: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let raws = tools.into_iter().map(|(server, tool)| (server, raw(tool)));
        Self(Registry::build(profile, raws))
    }

    /// Makes `tools` all that `server` has, an empty list removing the server.
    ///
    /// The table is then the same as one built anew over all pairs. The work goes with the tools of this server,
    /// plus the clashing tools of all servers where a clash begins or ends.
    pub fn update<'a>(&mut self, server: &str, tools: impl IntoIterator<Item = &'a str>) {
        self.0.update(server, tools.into_iter().map(raw));
    }

    /// The name of one tool.
    #[must_use]
    pub fn name(&self, server: &str, tool: &str) -> Option<&ToolName> {
        self.entry(server, tool).map(Entry::name)
    }

    /// The entry of one tool.
    #[must_use]
    pub fn entry(&self, server: &str, tool: &str) -> Option<&Entry> {
        self.0.by_identifier(server, EntryKind::Tool, tool)
    }

    /// The tool with exactly this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.0.by_name(name)
    }

    /// The tool that `name` means: exactly, or as the only one that differs in nothing but ASCII case and `-` for `_`.
    ///
    /// # Errors
    ///
    /// [`ResolveError`] with the near misses, or with all candidates when there are several.
    pub fn resolve(&self, name: &str) -> Result<&Entry, ResolveError> {
        resolve::resolve(&self.0, name)
    }

    /// All tools, sorted by public name; sorting is part of each call.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.0.sorted().into_iter()
    }

    /// The tools of one server, sorted by the tool as the server wrote it.
    pub fn server(&self, server: &str) -> impl Iterator<Item = &Entry> {
        self.0.server(server)
    }

    /// The servers that have a tool, sorted.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.0.servers()
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How the names are made.
    #[must_use]
    pub fn profile(&self) -> &NameProfile {
        self.0.profile()
    }
}

fn raw(tool: &str) -> Raw<'_> {
    Raw {
        kind: EntryKind::Tool,
        identifier: tool,
        label: None,
    }
}
