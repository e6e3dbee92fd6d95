//! Starting one server, reading what it offers, and ending it.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use mcp_bridge_connections::{Connection, ErrorKind, ListKind, Listing};
use mcp_bridge_public_text as public_text;
use mcp_bridge_skills::{Severity, Skill, Source, is_skill_uri};
use serde_json::Value;

use crate::bridge::Inner;
use crate::catalog::{ServerLists, ServerState};
use crate::definition::{PromptDefinition, Resource, ToolDefinition};
use crate::instructions::ServerInstructions;
use crate::router::Router;
use crate::skill::SkillCommand;
use crate::warning::Warning;

/// Connects a server and reads its lists. A failure becomes its state and a warning.
#[tracing::instrument(level = "debug", name = "connect", skip_all, fields(server = &**id))]
pub(crate) async fn start(bridge: &Arc<Inner>, id: &Arc<str>) {
    let Some(server) = bridge.servers.get(id) else {
        return;
    };
    bridge.set_state(id, ServerState::Pending);
    let handler = Arc::new(Router {
        server_id: Arc::clone(id),
        bridge: Arc::downgrade(bridge),
    });
    let opened = match &server.stream {
        Some(open) => {
            let (read, write) = open();
            let mut options = bridge.connection.clone();
            options.timeouts.connect = server.config.startup_timeout;
            options.timeouts.call = server.config.timeout;
            Connection::over_stream(id, read, write, &options, handler).await
        }
        None => Connection::open(id, &server.config, &bridge.connection, handler).await,
    };
    match opened {
        Ok(connection) => {
            let lists = read_all(bridge, id, &connection).await;
            if let Some(old) = server.replace(Some(connection), lists) {
                old.shutdown().await;
            }
            bridge.set_state(id, ServerState::Connected);
        }
        Err(error) => {
            let (code, state) = match error.kind() {
                ErrorKind::AuthRequired => {
                    ("needs_auth", ServerState::NeedsAuth(error.to_string()))
                }
                _ => ("connection_failed", ServerState::Failed(error.to_string())),
            };
            bridge.warn(Warning::new(code, Some(id), &error.to_string()));
            bridge.set_state(id, state);
        }
    }
}

/// Ends a server; its tools leave the catalog with the next publication.
pub(crate) async fn end(bridge: &Inner, id: &Arc<str>) {
    let Some(server) = bridge.servers.get(id) else {
        return;
    };
    let state = ServerState::Failed("it was shut down".to_owned());
    let old = server.replace(None, ServerLists::empty(Arc::clone(id), state));
    if let Some(connection) = old {
        connection.shutdown().await;
    }
}

async fn read_all(bridge: &Inner, id: &Arc<str>, connection: &Connection) -> ServerLists {
    let info = connection.server();
    let mut lists = ServerLists::empty(Arc::clone(id), ServerState::Connected);
    lists.protocol_version = Some(info.protocol_version.clone());
    lists.server_info = info.server_info.clone();
    lists.instructions = ServerInstructions::new(
        id,
        &info.instructions,
        &info.server_info,
        &bridge.limits.instructions,
    );
    let (tools, resources, templates, prompts) = futures_util::join!(
        read(bridge, id, connection, ListKind::Tools),
        read(bridge, id, connection, ListKind::Resources),
        read(bridge, id, connection, ListKind::ResourceTemplates),
        read(bridge, id, connection, ListKind::Prompts),
    );
    for (kind, items) in [
        (ListKind::Tools, tools),
        (ListKind::Resources, resources),
        (ListKind::ResourceTemplates, templates),
        (ListKind::Prompts, prompts),
    ] {
        if let Some(items) = items {
            take_in(bridge, &mut lists, kind, &items);
        }
    }
    lists.skills = read_skills(bridge, &lists, connection).await;
    lists
}

/// Reads one list; `None` (and a warning) where that failed.
#[tracing::instrument(level = "debug", name = "list", skip_all, fields(server = %id, ?kind))]
async fn read(
    bridge: &Inner,
    id: &Arc<str>,
    connection: &Connection,
    kind: ListKind,
) -> Option<Vec<Value>> {
    match connection.list(kind).await {
        Ok(Listing {
            items, problems, ..
        }) => {
            for problem in problems {
                bridge.warn(Warning::new(problem.code, Some(id), &problem.message));
            }
            Some(items)
        }
        // Many servers declare resources and know no templates.
        Err(error) if kind == ListKind::ResourceTemplates && error.kind() == ErrorKind::Rpc => {
            tracing::debug!(server = &**id, %error, "no resource templates");
            Some(Vec::new())
        }
        Err(error) => {
            let code = match kind {
                ListKind::Tools => "tools_failed",
                ListKind::Prompts => "prompts_failed",
                _ => "resources_failed",
            };
            bridge.warn(Warning::new(code, Some(id), &error.to_string()));
            None
        }
    }
}

fn take_in(bridge: &Inner, lists: &mut ServerLists, kind: ListKind, items: &[Value]) {
    let id = Arc::clone(&lists.id);
    match kind {
        ListKind::Tools => {
            let mut warnings = Vec::new();
            lists.tools = items
                .iter()
                .filter_map(|raw| {
                    let (profile, chars) =
                        (&bridge.schema_profile, bridge.limits.description_chars);
                    ToolDefinition::read(&id, raw, profile, chars, &mut warnings).map(Arc::new)
                })
                .collect();
            for warning in warnings {
                bridge.warn(warning);
            }
        }
        ListKind::Prompts => {
            lists.prompts = items.iter().filter_map(PromptDefinition::read).collect()
        }
        ListKind::Resources => {
            lists.resources = items
                .iter()
                .filter_map(|raw| Resource::read(&id, raw))
                .collect();
        }
        ListKind::ResourceTemplates => {
            lists.templates = items
                .iter()
                .filter_map(|raw| Resource::read(&id, raw))
                .collect();
        }
        _ => {}
    }
}

/// Reads the skills among the resources, several at once, within a bound of number and time.
async fn read_skills(
    bridge: &Inner,
    lists: &ServerLists,
    connection: &Connection,
) -> Arc<[Arc<SkillCommand>]> {
    let limits = &bridge.limits;
    let id = &lists.id;
    let found: Vec<&Resource> = lists
        .resources
        .iter()
        .filter(|r| is_skill_uri(&r.uri))
        .collect();
    if found.len() > limits.skills_per_server {
        let text = format!(
            "the server lists {} skills; only {} were read",
            found.len(),
            limits.skills_per_server
        );
        bridge.warn(Warning::new("skill_read_failed", Some(id), &text));
    }
    let mut reads = Vec::new();
    for resource in found.into_iter().take(limits.skills_per_server) {
        reads.push(read_skill(bridge, id, connection, resource));
    }
    let reads = stream::iter(reads)
        .buffered(limits.skill_reads.max(1))
        .filter_map(std::future::ready)
        .take_until(tokio::time::sleep(limits.skill_time));
    reads.collect::<Vec<_>>().await.into()
}

async fn read_skill(
    bridge: &Inner,
    id: &Arc<str>,
    connection: &Connection,
    resource: &Resource,
) -> Option<Arc<SkillCommand>> {
    let failed = |text: &str| {
        let text = format!("the skill {:?} was left out: {text}", resource.uri);
        bridge.warn(Warning::new("skill_read_failed", Some(id), &text));
    };
    let result = match connection.read_resource(&resource.uri).await {
        Ok(result) => result,
        Err(error) => {
            failed(&error.to_string());
            return None;
        }
    };
    let contents = result.get("contents").and_then(Value::as_array);
    let text = contents
        .into_iter()
        .flatten()
        .find_map(|item| item.get("text").and_then(Value::as_str));
    let Some(text) = text else {
        failed("it has no text");
        return None;
    };
    let source = Source::new(id, &resource.uri)
        .with_name(
            Some(&resource.name)
                .filter(|name| !name.is_empty())
                .map(|name| &**name),
        )
        .with_title(resource.title.as_deref())
        .with_description(resource.description.as_deref());
    let skill = Skill::new(&public_text::without_controls(text), &source);
    for note in skill
        .notes()
        .iter()
        .filter(|note| note.severity == Severity::Warning)
    {
        let text = format!("skill {:?}: {}", resource.uri, note.message);
        bridge.warn(Warning::new(note.code, Some(id), &text));
    }
    Some(Arc::new(SkillCommand {
        uri: resource.uri.clone(),
        name: match resource.name.is_empty() {
            true => skill.name().to_owned(),
            false => resource.name.clone(),
        },
        skill,
    }))
}

/// Reads lists again; what cannot be read keeps its last good state. `true` where anything is new.
pub(crate) async fn refresh(bridge: &Arc<Inner>, id: &Arc<str>, kinds: &[ListKind]) -> bool {
    let Some((server, connection)) = bridge
        .servers
        .get(id)
        .and_then(|server| Some((server, server.connection()?)))
    else {
        return false;
    };
    let mut lists = server.lists();
    let mut is_new = false;
    for kind in kinds {
        if let Some(items) = read(bridge, id, &connection, *kind).await {
            take_in(bridge, &mut lists, *kind, &items);
            is_new = true;
        }
    }
    if kinds.contains(&ListKind::Resources) {
        lists.skills = read_skills(bridge, &lists, &connection).await;
    }
    if is_new {
        server.edit(|current| {
            // The state may have changed meanwhile.
            lists.state = current.state.clone();
            *current = lists;
        });
    }
    is_new
}
