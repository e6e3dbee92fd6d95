//! The names of prompts and skills, which share one namespace.

use std::collections::HashMap;

use crate::entry::{Entry, EntryKind};
use crate::name::ToolName;
use crate::profile::NameProfile;
use crate::registry::{Raw, Registry};
use crate::resolve::{self, ResolveError};

/// The scheme of a resource that is a skill.
const SKILL_SCHEME: &str = "skill://";

/// A prompt or a skill that wants a command name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct CommandItem<'a> {
    kind: EntryKind,
    server: &'a str,
    identifier: &'a str,
    label: Option<&'a str>,
}

impl<'a> CommandItem<'a> {
    /// A prompt, by the name the server gave it.
    #[must_use]
    pub fn prompt(server: &'a str, name: &'a str) -> Self {
        Self {
            kind: EntryKind::Prompt,
            server,
            identifier: name,
            label: None,
        }
    }

    /// A resource, by its URI; it gets a command if the URI starts with `skill://`, after `name`, or `skill` without one.
    #[must_use]
    pub fn resource(server: &'a str, uri: &'a str, name: Option<&'a str>) -> Self {
        Self {
            kind: EntryKind::Resource,
            server,
            identifier: uri,
            label: Some(name.filter(|name| !name.is_empty()).unwrap_or("skill")),
        }
    }

    fn raw(self) -> Option<Raw<'a>> {
        let named = self.kind != EntryKind::Resource || self.identifier.starts_with(SKILL_SCHEME);
        named.then_some(Raw {
            kind: self.kind,
            identifier: self.identifier,
            label: self.label,
        })
    }
}

/// The command names of all prompts and skills of all servers, and the aliases of the skills.
#[derive(Clone, Debug)]
pub struct CommandTable {
    registry: Registry,
    aliases: HashMap<String, ToolName>,
    conflicts: Vec<AliasConflict>,
}

/// A skill that did not get its alias, since somebody else has it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct AliasConflict {
    /// The alias, as `<server>:<skill>`.
    pub alias: String,
    /// The command of the skill that goes without.
    pub command: ToolName,
}

impl CommandTable {
    /// Names every distinct prompt and skill; of exact repeats the last one counts.
    ///
    /// Names the host has for commands of its own belong in [`NameProfile::with_reserved`].
    #[must_use]
    pub fn build<'a>(
        profile: &NameProfile,
        items: impl IntoIterator<Item = CommandItem<'a>>,
    ) -> Self {
        let raws = items
            .into_iter()
            .filter_map(|item| Some((item.server, item.raw()?)));
        let mut table = Self {
            registry: Registry::build(profile, raws),
            aliases: HashMap::new(),
            conflicts: Vec::new(),
        };
        table.assign_aliases();
        table
    }

    /// Makes `items` all that `server` has; items of other servers among them are passed over.
    pub fn update<'a>(&mut self, server: &str, items: impl IntoIterator<Item = CommandItem<'a>>) {
        let own = items.into_iter().filter(|item| item.server == server);
        self.registry
            .update(server, own.filter_map(CommandItem::raw));
        self.assign_aliases();
    }

    /// The command of one prompt.
    #[must_use]
    pub fn prompt(&self, server: &str, name: &str) -> Option<&Entry> {
        self.registry.by_identifier(server, EntryKind::Prompt, name)
    }

    /// The command of one skill.
    #[must_use]
    pub fn resource(&self, server: &str, uri: &str) -> Option<&Entry> {
        self.registry
            .by_identifier(server, EntryKind::Resource, uri)
    }

    /// The command that is called by exactly this name or alias.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.registry.by_name(name).or_else(|| {
            let command = self.aliases.get(name)?;
            self.registry.by_name(command.as_str())
        })
    }

    /// The prompt a user means who types `/name`: exactly, or all in lower case.
    #[must_use]
    pub fn typed_prompt(&self, name: &str) -> Option<&Entry> {
        let prompt = |name: &str| {
            let entry = self.registry.by_name(name);
            entry.filter(|entry| entry.kind() == EntryKind::Prompt)
        };
        prompt(name).or_else(|| prompt(&name.to_ascii_lowercase()))
    }

    /// The command that `name` means: as [`get`](Self::get), or as the only one that differs in nothing but ASCII case
    /// and `-` for `_`.
    ///
    /// # Errors
    ///
    /// [`ResolveError`] with the near misses, or with all candidates when there are several.
    pub fn resolve(&self, name: &str) -> Result<&Entry, ResolveError> {
        match self.get(name) {
            Some(entry) => Ok(entry),
            None => resolve::resolve(&self.registry, name),
        }
    }

    /// The alias of a skill, as `<server>:<skill>` in the server's own spelling, by the name of its command.
    #[must_use]
    pub fn alias(&self, command: &str) -> Option<&str> {
        let entry = self.registry.by_name(command)?;
        let (alias, owner) = self.aliases.get_key_value(&alias_of(entry)?)?;
        (owner == entry.name()).then_some(alias)
    }

    /// The skills that did not get an alias, sorted.
    #[must_use]
    pub fn alias_conflicts(&self) -> &[AliasConflict] {
        &self.conflicts
    }

    /// All commands, sorted by name; sorting is part of each call.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.registry.sorted().into_iter()
    }

    /// The commands of one server: prompts, then skills, each sorted by identifier.
    pub fn server(&self, server: &str) -> impl Iterator<Item = &Entry> {
        self.registry.server(server)
    }

    /// How many commands there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.registry.len()
    }

    /// Whether there is no command.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How the names are made.
    #[must_use]
    pub fn profile(&self) -> &NameProfile {
        self.registry.profile()
    }

    /// Of several skills with one alias the first by server and URI has it, whatever order they came in.
    fn assign_aliases(&mut self) {
        self.aliases.clear();
        self.conflicts.clear();
        let registry = &self.registry;
        let skills = registry
            .servers()
            .flat_map(|server| registry.server(server))
            .filter_map(|entry| Some((alias_of(entry)?, entry)));
        for (alias, entry) in skills {
            if alias == entry.name().as_str() {
                continue;
            }
            let taken = self.aliases.contains_key(&alias)
                || registry.by_name(&alias).is_some()
                || registry.profile().is_reserved(&alias);
            if taken {
                self.conflicts.push(AliasConflict {
                    alias,
                    command: entry.name().clone(),
                });
            } else {
                self.aliases.insert(alias, entry.name().clone());
            }
        }
    }
}

fn alias_of(entry: &Entry) -> Option<String> {
    let skill = entry.kind() == EntryKind::Resource;
    skill.then(|| format!("{}:{}", entry.server(), entry.label()))
}

/// The address a host may keep for a prompt: `mcp://<server>/prompt/<name>`.
#[must_use]
pub fn prompt_uri(server: &str, name: &str) -> String {
    format!("mcp://{server}/prompt/{name}")
}

/// Server and name out of [`prompt_uri`], neither of them empty.
#[must_use]
pub fn parse_prompt_uri(uri: &str) -> Option<(&str, &str)> {
    let (server, name) = uri.strip_prefix("mcp://")?.split_once("/prompt/")?;
    (!server.is_empty() && !name.is_empty()).then_some((server, name))
}
