//! What the servers offer, as text and as JSON.

use mcp_bridge::{Bridge, Command, Resource, ServerState, ServerStatus, Tool};
use serde_json::{Value, json};

use crate::host::screen::Screen;

/// The longest description in a list, in characters.
const DESCRIPTION_CHARS: usize = 100;
/// Instructions are shown as far as a system prompt would have them, and no further than this.
const INSTRUCTION_LINES: usize = 40;

pub(crate) fn print(bridge: &Bridge, screen: &Screen) {
    let catalog = bridge.catalog();
    screen.title("Servers");
    for server in catalog.servers() {
        screen.line(&format!("  {}", server_line(server)));
    }
    screen.title(&format!("Tools ({})", catalog.tools().len()));
    for tool in catalog.tools() {
        screen.line(&format!("  {}", tool_line(tool)));
    }
    screen.title(&format!("Commands ({})", catalog.commands().len()));
    for command in catalog.commands() {
        screen.line(&format!("  {}", command_line(command)));
    }
    let resources = catalog
        .resources()
        .iter()
        .chain(catalog.resource_templates());
    let resources: Vec<_> = resources.collect();
    screen.title(&format!("Resources ({})", resources.len()));
    for resource in resources {
        screen.line(&format!("  {}", resource_line(resource)));
    }
    if !catalog.instructions().is_empty() {
        screen.title("Instructions, as a section of a system prompt");
        screen.quote(catalog.instructions(), INSTRUCTION_LINES);
    }
}

fn server_line(server: &ServerStatus) -> String {
    let mut line = format!("{}: {}", server.id, server.state.as_str());
    match &server.state {
        ServerState::Failed(why) | ServerState::NeedsAuth(why) => {
            line.push_str(": ");
            line.push_str(why);
        }
        ServerState::Connected => {
            if let Some(version) = &server.protocol_version {
                line.push_str(&format!(", protocol {version}"));
            }
            let part = |key: &str| server.server_info.get(key).and_then(Value::as_str);
            if let Some(name) = part("name") {
                line.push_str(&format!(", {name} {}", part("version").unwrap_or_default()));
            }
        }
        _ => {}
    }
    line
}

fn tool_line(tool: &Tool) -> String {
    format!(
        "{} [{}]: {}",
        tool.name(),
        hints(tool),
        short(tool.description())
    )
}

/// What the tool says that it does, in a few words.
pub(crate) fn hints(tool: &Tool) -> String {
    let hints = tool.hints();
    let mut words = vec![match (hints.read_only(), hints.destructive()) {
        (true, _) => "reads",
        (false, true) => "may destroy",
        (false, false) => "writes",
    }];
    if hints.idempotent() && !hints.read_only() {
        words.push("repeatable");
    }
    if hints.open_world() {
        words.push("open world");
    }
    words.join(", ")
}

fn command_line(command: &Command) -> String {
    let mut line = command.typed();
    if let Some(alias) = command.alias() {
        line.push_str(&format!(" (${alias})"));
    }
    let hint = command.argument_hint();
    if !hint.is_empty() {
        line.push_str(&format!(" {hint}"));
    }
    format!("{line}: {}", short(&command.description()))
}

fn resource_line(resource: &Resource) -> String {
    let kind = resource.mime_type.as_deref().unwrap_or("unknown type");
    let about = resource.description.as_deref().unwrap_or(&resource.name);
    format!(
        "{} {} [{kind}]: {}",
        resource.server_id,
        resource.uri,
        short(about)
    )
}

fn short(text: &str) -> String {
    let line = mcp_bridge::public_text::one_line(text);
    mcp_bridge::public_text::truncate(&line, DESCRIPTION_CHARS).into_owned()
}

pub(crate) fn to_json(bridge: &Bridge) -> Value {
    let catalog = bridge.catalog();
    let servers: Vec<_> = catalog.servers().iter().map(server_json).collect();
    let tools: Vec<_> = catalog.tools().iter().map(tool_json).collect();
    let commands: Vec<_> = catalog.commands().iter().map(command_json).collect();
    let resources: Vec<_> = catalog
        .resources()
        .iter()
        .map(|r| resource_json(r, "uri"))
        .collect();
    let templates: Vec<_> = catalog
        .resource_templates()
        .iter()
        .map(|resource| resource_json(resource, "uri_template"))
        .collect();
    json!({
        "servers": servers,
        "tools": tools,
        "commands": commands,
        "resources": resources,
        "resource_templates": templates,
        "instructions": catalog.instructions(),
        "warnings": warnings_json(bridge),
    })
}

pub(crate) fn warnings_json(bridge: &Bridge) -> Vec<Value> {
    let warnings = bridge.warnings();
    let entries = warnings.iter().map(|warning| {
        json!({"code": warning.code, "server": warning.server_id, "message": warning.message})
    });
    entries.collect()
}

fn server_json(server: &ServerStatus) -> Value {
    let reason = match &server.state {
        ServerState::Failed(why) | ServerState::NeedsAuth(why) => Some(why),
        _ => None,
    };
    json!({
        "id": &*server.id,
        "state": server.state.as_str(),
        "reason": reason,
        "protocol_version": server.protocol_version,
        "server_info": server.server_info,
    })
}

fn tool_json(tool: &Tool) -> Value {
    json!({
        "name": tool.name(),
        "title": tool.title(),
        "description": tool.description(),
        "server": tool.server_id(),
        "remote_name": tool.remote_name(),
        "annotations": tool.annotations(),
        "input_schema": tool.input_schema(),
        "output_schema": tool.output_schema(),
    })
}

fn command_json(command: &Command) -> Value {
    json!({
        "typed": command.typed(),
        "alias": command.alias(),
        "server": command.server_id(),
        "description": command.description(),
        "argument_hint": command.argument_hint(),
    })
}

fn resource_json(resource: &Resource, address: &str) -> Value {
    json!({
        "server": &*resource.server_id,
        address: resource.uri,
        "name": resource.name,
        "description": resource.description,
        "mime_type": resource.mime_type,
        "size": resource.size,
    })
}
