//! What all servers offer, as one immutable snapshot.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use mcp_bridge_permissions::Hints;
use mcp_bridge_tool_names::{
    CommandItem, CommandTable, EntryKind, NameProfile, NameTable, ResolveError, ResolveErrorKind,
};
use serde_json::Value;

use crate::definition::{CommandArgument, PromptDefinition, Resource, ToolDefinition};
use crate::error::{Error, ErrorKind};
use crate::instructions::{InstructionLimits, ServerInstructions, section};
use crate::resources;
use crate::skill::SkillCommand;
use crate::warning::Warning;

/// Where a server stands.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ServerState {
    /// Being started.
    Pending,
    /// Connected; its lists are in the catalog.
    Connected,
    /// Not connected, with the reason.
    Failed(String),
    /// It wants a sign-in.
    NeedsAuth(String),
    /// Switched off by its configuration.
    Disabled,
}

impl ServerState {
    /// The state in one word: `pending`, `connected`, `failed`, `needs_auth`, `disabled`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Connected => "connected",
            Self::Failed(_) => "failed",
            Self::NeedsAuth(_) => "needs_auth",
            Self::Disabled => "disabled",
        }
    }
}

/// One server's place in the catalog.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerStatus {
    /// The host's key for the server.
    pub id: Arc<str>,
    /// Where it stands.
    pub state: ServerState,
    /// The protocol revision in use, once connected.
    pub protocol_version: Option<String>,
    /// `serverInfo` as the server sent it: shown, never a key.
    pub server_info: Value,
    /// How many tools, prompts, resources, resource templates and skills it has.
    pub counts: Counts,
}

/// How much a server offers.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Counts {
    /// Tools, those that the model does not see included.
    pub tools: usize,
    /// Prompts.
    pub prompts: usize,
    /// Resources.
    pub resources: usize,
    /// Resource templates.
    pub resource_templates: usize,
    /// Skills.
    pub skills: usize,
}

/// One server's lists, as last read.
#[derive(Clone, Debug)]
pub(crate) struct ServerLists {
    pub(crate) id: Arc<str>,
    pub(crate) state: ServerState,
    pub(crate) protocol_version: Option<String>,
    pub(crate) server_info: Value,
    pub(crate) instructions: Option<ServerInstructions>,
    pub(crate) tools: Arc<[Arc<ToolDefinition>]>,
    pub(crate) prompts: Arc<[PromptDefinition]>,
    pub(crate) resources: Arc<[Resource]>,
    pub(crate) templates: Arc<[Resource]>,
    pub(crate) skills: Arc<[Arc<SkillCommand>]>,
}

impl ServerLists {
    pub(crate) fn empty(id: Arc<str>, state: ServerState) -> Self {
        Self {
            id,
            state,
            protocol_version: None,
            server_info: Value::Null,
            instructions: None,
            tools: Arc::default(),
            prompts: Arc::default(),
            resources: Arc::default(),
            templates: Arc::default(),
            skills: Arc::default(),
        }
    }

    fn status(&self) -> ServerStatus {
        ServerStatus {
            id: Arc::clone(&self.id),
            state: self.state.clone(),
            protocol_version: self.protocol_version.clone(),
            server_info: self.server_info.clone(),
            counts: Counts {
                tools: self.tools.len(),
                prompts: self.prompts.len(),
                resources: self.resources.len(),
                resource_templates: self.templates.len(),
                skills: self.skills.len(),
            },
        }
    }
}

/// A tool as the model sees it.
#[derive(Clone, Debug)]
pub struct Tool {
    pub(crate) name: String,
    pub(crate) base_name: String,
    pub(crate) kind: ToolKind,
}

#[derive(Clone, Debug)]
pub(crate) enum ToolKind {
    Server {
        server_id: Arc<str>,
        definition: Arc<ToolDefinition>,
    },
    Builtin(&'static resources::BuiltinTool),
}

impl Tool {
    /// The public name, e.g. `mcp__git__git_status`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does, bounded and without terminal controls. Untrusted text.
    pub fn description(&self) -> &str {
        match &self.kind {
            ToolKind::Server { definition, .. } => &definition.description,
            ToolKind::Builtin(tool) => tool.description,
        }
    }

    /// The JSON Schema of its arguments, fit for a model API.
    pub fn input_schema(&self) -> &Value {
        match &self.kind {
            ToolKind::Server { definition, .. } => definition.model_schema.schema(),
            ToolKind::Builtin(tool) => tool.input_schema(),
        }
    }

    /// The JSON Schema of its structured content, where it declares one.
    pub fn output_schema(&self) -> Option<&Value> {
        match &self.kind {
            ToolKind::Server { definition, .. } => {
                definition.output_schema.as_ref().map(|(_, schema)| schema)
            }
            ToolKind::Builtin(_) => None,
        }
    }

    /// What its annotations claim, with the defaults of the protocol where they are silent. Untrusted.
    pub fn hints(&self) -> Hints {
        match &self.kind {
            ToolKind::Server { definition, .. } => definition.hints,
            ToolKind::Builtin(_) => Hints::from_annotations(&resources::ANNOTATIONS).0,
        }
    }

    /// Whether it is for the model, and not for an app of the server's alone.
    pub(crate) fn is_for_model(&self) -> bool {
        match &self.kind {
            ToolKind::Server { definition, .. } => definition.for_model,
            ToolKind::Builtin(_) => true,
        }
    }

    /// Its annotations as the server sent them; null where it sent none. Untrusted.
    pub fn annotations(&self) -> &Value {
        match &self.kind {
            ToolKind::Server { definition, .. } => &definition.annotations,
            ToolKind::Builtin(_) => &Value::Null,
        }
    }

    /// Its name for people: `title`, else `annotations.title`, else `MCP <server>:<tool>`.
    pub fn title(&self) -> String {
        match &self.kind {
            ToolKind::Server {
                server_id,
                definition,
            } => definition
                .title
                .clone()
                .unwrap_or_else(|| format!("MCP {server_id}:{}", definition.remote_name)),
            ToolKind::Builtin(tool) => tool.title.to_owned(),
        }
    }

    /// The host's key for its server; `None` for the bridge's own tools.
    pub fn server_id(&self) -> Option<&str> {
        match &self.kind {
            ToolKind::Server { server_id, .. } => Some(server_id),
            ToolKind::Builtin(_) => None,
        }
    }

    /// Its name as the server wrote it.
    pub fn remote_name(&self) -> &str {
        match &self.kind {
            ToolKind::Server { definition, .. } => &definition.remote_name,
            ToolKind::Builtin(tool) => tool.name,
        }
    }
}

/// What a command is made from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum CommandKind {
    /// A prompt: `/mcp__server__prompt`.
    Prompt,
    /// A skill: `$mcp__server__skill`.
    Skill,
}

/// A prompt or a skill as a command.
#[derive(Clone, Debug)]
pub struct Command {
    pub(crate) name: String,
    pub(crate) alias: Option<String>,
    pub(crate) server_id: Arc<str>,
    pub(crate) source: CommandSource,
}

#[derive(Clone, Debug)]
pub(crate) enum CommandSource {
    Prompt(PromptDefinition),
    Skill(Arc<SkillCommand>),
}

impl Command {
    /// Its name without the sigil, e.g. `mcp__db__report`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A shorter name, `<server>:<skill>`, where a skill has one.
    pub fn alias(&self) -> Option<&str> {
        self.alias.as_deref()
    }

    /// What it is made from.
    pub fn kind(&self) -> CommandKind {
        match self.source {
            CommandSource::Prompt(_) => CommandKind::Prompt,
            CommandSource::Skill(_) => CommandKind::Skill,
        }
    }

    /// Its name with the sigil that a person types: `/` for a prompt, `$` for a skill.
    pub fn typed(&self) -> String {
        match self.kind() {
            CommandKind::Prompt => format!("/{}", self.name),
            CommandKind::Skill => format!("${}", self.name),
        }
    }

    /// The host's key for its server.
    pub fn server_id(&self) -> &str {
        &self.server_id
    }

    /// Its name for people, where the server gives one.
    pub fn title(&self) -> Option<&str> {
        match &self.source {
            CommandSource::Prompt(prompt) => prompt.title.as_deref(),
            CommandSource::Skill(_) => None,
        }
    }

    /// What it does. Untrusted text.
    pub fn description(&self) -> String {
        match &self.source {
            CommandSource::Prompt(prompt) => prompt
                .description
                .clone()
                .unwrap_or_else(|| format!("MCP prompt {}", prompt.name)),
            CommandSource::Skill(skill) => skill.skill.description().to_owned(),
        }
    }

    /// The arguments it declares.
    pub fn arguments(&self) -> &[CommandArgument] {
        match &self.source {
            CommandSource::Prompt(prompt) => &prompt.arguments,
            CommandSource::Skill(_) => &[],
        }
    }

    /// How to type its required arguments: `region=<value> title=<value>`.
    pub fn argument_hint(&self) -> String {
        match &self.source {
            CommandSource::Prompt(prompt) => {
                let required = prompt.arguments.iter().filter(|argument| argument.required);
                let hints: Vec<_> = required.map(|a| format!("{}=<value>", a.name)).collect();
                hints.join(" ")
            }
            CommandSource::Skill(skill) => skill.skill.argument_hint().to_owned(),
        }
    }

    /// Where it comes from: `mcp://<server>/prompt/<name>`, `mcp://<server>/skill://…`.
    pub fn source_uri(&self) -> String {
        match &self.source {
            CommandSource::Prompt(prompt) => {
                format!("mcp://{}/prompt/{}", self.server_id, prompt.name)
            }
            CommandSource::Skill(skill) => format!("mcp://{}/{}", self.server_id, skill.uri),
        }
    }
}

/// What all servers offer at one moment.
///
/// A snapshot never changes; a refresh publishes a new one. Lists are sorted by name, so that what a model sees is the
/// same in every run.
#[derive(Debug)]
pub struct Catalog {
    tools: Vec<Tool>,
    by_name: HashMap<String, Tool>,
    names: NameTable,
    commands: Vec<Command>,
    command_names: CommandTable,
    resources: Vec<Resource>,
    templates: Vec<Resource>,
    servers: Vec<ServerStatus>,
    instructions: String,
}

/// What a catalog is built with.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) tool_names: &'a NameProfile,
    pub(crate) command_names: &'a NameProfile,
    pub(crate) instructions: &'a InstructionLimits,
    pub(crate) resource_tools: bool,
}

impl Catalog {
    /// Builds the snapshot; `hides` says which tools the model does not see (they cannot be called either).
    pub(crate) fn build(
        servers: &[ServerLists],
        plan: &Plan<'_>,
        hides: impl Fn(&Tool) -> bool,
    ) -> (Self, Vec<Warning>) {
        let mut warnings = Vec::new();
        let (names, mut tools) = named_tools(servers, plan.tool_names);
        let (command_names, commands) = named_commands(servers, plan.command_names);
        for conflict in command_names.alias_conflicts() {
            let message = format!(
                "the alias `{}` is taken, so `{}` goes without",
                conflict.alias, conflict.command
            );
            warnings.push(Warning::new("alias_conflict", None, &message));
        }
        let resources: Vec<_> = servers
            .iter()
            .flat_map(|s| s.resources.iter())
            .cloned()
            .collect();
        let templates: Vec<_> = servers
            .iter()
            .flat_map(|s| s.templates.iter())
            .cloned()
            .collect();
        if plan.resource_tools && !(resources.is_empty() && templates.is_empty()) {
            tools.extend(resources::TOOLS.iter().map(|tool| Tool {
                name: tool.name.to_owned(),
                base_name: tool.name.to_owned(),
                kind: ToolKind::Builtin(tool),
            }));
        }
        tools.retain(|tool| !hides(tool));
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        let by_name = tools
            .iter()
            .map(|tool| (tool.name.clone(), tool.clone()))
            .collect();
        let connected = servers.iter().filter(|s| s.state == ServerState::Connected);
        let instructions = section(
            connected.filter_map(|server| server.instructions.as_ref()),
            plan.instructions,
        );
        let catalog = Self {
            tools,
            by_name,
            names,
            commands,
            command_names,
            resources,
            templates,
            servers: servers.iter().map(ServerLists::status).collect(),
            instructions,
        };
        (catalog, warnings)
    }

    /// The tools that a model may see, sorted by name.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Finds a tool by its public name: exactly, else without regard to case and to `-` against `_` where only one fits.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unknown`] naming near misses, [`ErrorKind::Ambiguous`] naming the candidates,
    /// [`ErrorKind::SwitchedOff`] for a tool that the model does not see.
    pub fn tool(&self, name: &str) -> Result<&Tool, Error> {
        if let Some(tool) = self.by_name.get(name) {
            return Ok(tool);
        }
        match self.names.resolve(name) {
            Ok(entry) => match self.by_name.get(entry.name().as_str()) {
                Some(tool) => Ok(tool),
                None => Err(Error::new(
                    ErrorKind::SwitchedOff,
                    format!(
                        "the tool {name:?} is switched off by the host's configuration or rules"
                    ),
                )),
            },
            Err(error) => Err(self.not_found("tool", name, &error)),
        }
    }

    fn not_found(&self, what: &str, name: &str, error: &ResolveError) -> Error {
        let shown: String = name.chars().take(200).collect();
        let candidates: Vec<_> = error
            .candidates()
            .iter()
            .map(|entry| match entry.kind() {
                EntryKind::Prompt => format!("`/{}`", entry.name()),
                EntryKind::Resource => format!("`${}`", entry.name()),
                _ => format!("`{}`", entry.name()),
            })
            .collect();
        let list = candidates.join(", ");
        match error.kind() {
            ResolveErrorKind::Ambiguous => Error::new(
                ErrorKind::Ambiguous,
                format!("the {what} name {shown:?} fits several: {list}; give one of them exactly"),
            ),
            _ if candidates.is_empty() => Error::new(
                ErrorKind::Unknown,
                format!(
                    "there is no {what} named {shown:?}; call one of the listed {what}s by its exact name"
                ),
            ),
            _ => Error::new(
                ErrorKind::Unknown,
                format!("there is no {what} named {shown:?}; did you mean {list}?"),
            ),
        }
    }

    /// Prompts and skills as commands, sorted by name.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// Finds a command by its name or alias, with or without its sigil.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unknown`] naming near misses, [`ErrorKind::Ambiguous`] naming the candidates.
    pub fn command(&self, name: &str) -> Result<&Command, Error> {
        let bare = name.strip_prefix(['/', '$']).unwrap_or(name);
        let wanted = match name.chars().next() {
            Some('/') => Some(CommandKind::Prompt),
            Some('$') => Some(CommandKind::Skill),
            _ => None,
        };
        let entry = self
            .command_names
            .resolve(bare)
            .map_err(|error| self.not_found("command", name, &error))?;
        self.commands
            .iter()
            .find(|command| command.name == entry.name().as_str())
            .filter(|command| wanted.is_none_or(|kind| command.kind() == kind))
            .ok_or_else(|| {
                let other = match entry.kind() {
                    EntryKind::Prompt => "a prompt, typed with a slash: `/",
                    _ => "a skill, typed with a dollar sign: `$",
                };
                let message = format!("{name:?} is {other}{}`", entry.name());
                Error::new(ErrorKind::Unknown, message)
            })
    }

    /// The resources of all servers, in the servers' order.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// The resource templates of all servers, in the servers' order.
    pub fn resource_templates(&self) -> &[Resource] {
        &self.templates
    }

    /// All configured servers, sorted by id.
    pub fn servers(&self) -> &[ServerStatus] {
        &self.servers
    }

    /// Where one server stands.
    pub fn server(&self, id: &str) -> Option<&ServerStatus> {
        self.servers.iter().find(|server| &*server.id == id)
    }

    /// What the servers say of themselves, as a section for the system prompt; empty where none says anything.
    pub fn instructions(&self) -> &str {
        &self.instructions
    }
}

fn named_tools(servers: &[ServerLists], profile: &NameProfile) -> (NameTable, Vec<Tool>) {
    let names = NameTable::build(
        profile,
        servers.iter().flat_map(|server| {
            let tools = server.tools.iter();
            tools.map(|tool| (&*server.id, &*tool.remote_name))
        }),
    );
    let mut tools = Vec::with_capacity(names.len());
    for server in servers {
        let mut seen = HashSet::new();
        // Of exact repeats the first counts.
        for definition in server
            .tools
            .iter()
            .filter(|tool| seen.insert(&*tool.remote_name))
        {
            if let Some(entry) = names.entry(&server.id, &definition.remote_name) {
                tools.push(Tool {
                    name: entry.name().to_string(),
                    base_name: entry.base().to_string(),
                    kind: ToolKind::Server {
                        server_id: Arc::clone(&server.id),
                        definition: Arc::clone(definition),
                    },
                });
            }
        }
    }
    (names, tools)
}

fn named_commands(servers: &[ServerLists], profile: &NameProfile) -> (CommandTable, Vec<Command>) {
    let names = CommandTable::build(
        profile,
        servers.iter().flat_map(|server| {
            let prompts = server.prompts.iter();
            let prompts = prompts.map(|prompt| CommandItem::prompt(&server.id, &prompt.name));
            let skills = server.skills.iter();
            let skills = skills
                .map(|skill| CommandItem::resource(&server.id, &skill.uri, Some(&skill.name)));
            prompts.chain(skills)
        }),
    );
    let mut commands = BTreeMap::new();
    for server in servers {
        let prompts = server.prompts.iter().map(|prompt| {
            (
                names.prompt(&server.id, &prompt.name),
                CommandSource::Prompt(prompt.clone()),
            )
        });
        let skills = server.skills.iter().map(|skill| {
            (
                names.resource(&server.id, &skill.uri),
                CommandSource::Skill(Arc::clone(skill)),
            )
        });
        for (entry, source) in prompts.chain(skills) {
            let Some(entry) = entry else { continue };
            let name = entry.name().to_string();
            let alias = names.alias(&name).map(str::to_owned);
            let command = Command {
                name: name.clone(),
                alias,
                server_id: Arc::clone(&server.id),
                source,
            };
            commands.insert(name, command);
        }
    }
    (names, commands.into_values().collect())
}
