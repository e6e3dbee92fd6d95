//! One named thing.

use std::sync::Arc;

use crate::digest;
use crate::name::ToolName;

/// A thing a server offers, and the name it got.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    pub(crate) kind: EntryKind,
    pub(crate) server: Arc<str>,
    pub(crate) identifier: Arc<str>,
    /// `None` where it is the identifier.
    pub(crate) label: Option<Arc<str>>,
    pub(crate) base: ToolName,
    pub(crate) name: ToolName,
}

/// What an [`Entry`] names.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum EntryKind {
    /// A tool, identified by its name.
    Tool,
    /// A prompt, identified by its name.
    Prompt,
    /// A resource that is a skill, identified by its URI.
    Resource,
}

impl EntryKind {
    /// `tool`, `prompt` or `resource`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
        }
    }
}

impl Entry {
    /// The kind of thing.
    #[must_use]
    pub fn kind(&self) -> EntryKind {
        self.kind
    }

    /// The server, as it was given.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// What the server knows the thing by, exactly as the server wrote it: a name, or the URI of a resource.
    #[must_use]
    pub fn identifier(&self) -> &str {
        &self.identifier
    }

    /// The tool as the server wrote it: [`identifier`](Self::identifier), where tools are meant.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.identifier
    }

    /// The text the name was made from: the name of a resource, else the [`identifier`](Self::identifier).
    #[must_use]
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.identifier)
    }

    /// The public name.
    #[must_use]
    pub fn name(&self) -> &ToolName {
        &self.name
    }

    /// The name before a clash gave it a suffix; the same as [`name`](Self::name) where there was none.
    #[must_use]
    pub fn base(&self) -> &ToolName {
        &self.base
    }

    /// Whether a clash gave the name a suffix.
    #[must_use]
    pub fn is_suffixed(&self) -> bool {
        self.base != self.name
    }

    /// The digest that tells this entry from any other, in hex; `round` tells its own attempts apart.
    pub(crate) fn digest(&self, round: usize) -> String {
        let kind = (self.kind != EntryKind::Tool).then(|| self.kind.as_str());
        let round = (round > 0).then(|| round.to_string());
        digest::hex(
            kind.into_iter()
                .chain([&*self.server, &*self.identifier])
                .chain(round.as_deref()),
        )
    }
}
