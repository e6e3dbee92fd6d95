//! What servers list, read leniently from raw JSON: one odd entry costs only itself.

use std::sync::Arc;

use mcp_bridge_permissions::Hints;
use mcp_bridge_public_text as public_text;
use mcp_bridge_tool_schemas::{ModelSchema, SchemaKey, SchemaProfile, model_schema};
use serde_json::Value;

use crate::warning::Warning;

/// The longest title, in characters.
const MAX_TITLE_CHARS: usize = 1_000;
/// The longest description of a prompt, an argument or a resource, in characters.
const MAX_DESCRIPTION_CHARS: usize = 4_000;

/// A tool as its server defines it.
#[derive(Debug)]
pub(crate) struct ToolDefinition {
    pub(crate) remote_name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    /// As the server sent it; arguments are checked against this one.
    pub(crate) input_schema: Value,
    pub(crate) input_key: SchemaKey,
    /// As the model sees it.
    pub(crate) model_schema: ModelSchema,
    pub(crate) output_schema: Option<(SchemaKey, Value)>,
    pub(crate) annotations: Value,
    pub(crate) hints: Hints,
    /// `false` for tools that only an MCP App may call (`_meta.ui.visibility`).
    pub(crate) for_model: bool,
}

impl ToolDefinition {
    /// Reads one entry of `tools/list`; `None` (and a warning) where it has no usable name.
    pub(crate) fn read(
        server_id: &str,
        raw: &Value,
        profile: &SchemaProfile,
        description_chars: usize,
        warnings: &mut Vec<Warning>,
    ) -> Option<Self> {
        let Some(remote_name) = text(raw, "name").filter(|name| !name.is_empty()) else {
            let message = "an entry of tools/list has no name and was left out";
            warnings.push(Warning::new("invalid_tool", Some(server_id), message));
            return None;
        };
        let input = raw.get("inputSchema").cloned().unwrap_or(Value::Null);
        let model_schema = model_schema(&input, profile);
        for change in model_schema.changes() {
            tracing::debug!(server = server_id, tool = remote_name, %change, "input schema adapted");
        }
        let annotations = raw.get("annotations").cloned().unwrap_or(Value::Null);
        let (hints, problems) = Hints::from_annotations(&annotations);
        for problem in problems {
            let message = format!("tool {remote_name:?}: {problem}");
            warnings.push(Warning::new(
                "invalid_annotation",
                Some(server_id),
                &message,
            ));
        }
        let title = text(raw, "title")
            .or_else(|| text(&annotations, "title"))
            .map(short_line);
        let description = match text(raw, "description") {
            Some(description) => bounded(description, description_chars),
            None => format!("MCP tool '{remote_name}' from server '{server_id}'."),
        };
        Some(Self {
            remote_name: remote_name.to_owned(),
            title,
            description,
            input_key: SchemaKey::of(&input),
            input_schema: input,
            model_schema,
            output_schema: raw
                .get("outputSchema")
                .filter(|schema| schema.is_object())
                .map(|schema| (SchemaKey::of(schema), schema.clone())),
            annotations,
            hints,
            for_model: visible_to_model(raw),
        })
    }
}

/// [MCP Apps](https://github.com/modelcontextprotocol/ext-apps): `_meta.ui.visibility` lists who may call a tool.
fn visible_to_model(tool: &Value) -> bool {
    match tool.pointer("/_meta/ui/visibility") {
        Some(Value::Array(who)) => who.iter().any(|who| who == "model"),
        _ => true,
    }
}

/// A resource, or a resource template, that a server lists.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Resource {
    /// The host's key for the server.
    pub server_id: Arc<str>,
    /// `uri`, or `uriTemplate` ([RFC 6570](https://www.rfc-editor.org/rfc/rfc6570)) of a template.
    pub uri: String,
    /// The programmatic name; may be empty.
    pub name: String,
    /// The name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its MIME type.
    pub mime_type: Option<String>,
    /// Its size in bytes, before any encoding.
    pub size: Option<u64>,
    pub(crate) raw: Arc<Value>,
}

impl Resource {
    pub(crate) fn read(server_id: &Arc<str>, raw: &Value) -> Option<Self> {
        let uri = text(raw, "uri").or_else(|| text(raw, "uriTemplate"))?;
        let owned = |key| text(raw, key).map(str::to_owned);
        let clean = |key| text(raw, key).map(|text| bounded(text, MAX_DESCRIPTION_CHARS));
        Some(Self {
            server_id: Arc::clone(server_id),
            uri: uri.to_owned(),
            name: owned("name").unwrap_or_default(),
            title: text(raw, "title").map(short_line),
            description: clean("description"),
            mime_type: owned("mimeType"),
            size: raw.get("size").and_then(Value::as_u64),
            raw: Arc::new(raw.clone()),
        })
    }
}

/// A prompt as its server defines it.
#[derive(Clone, Debug)]
pub(crate) struct PromptDefinition {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) arguments: Vec<CommandArgument>,
}

/// An argument that a prompt declares.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct CommandArgument {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// Whether the prompt cannot do without it.
    pub required: bool,
}

impl PromptDefinition {
    pub(crate) fn read(raw: &Value) -> Option<Self> {
        let name = text(raw, "name").filter(|name| !name.is_empty())?;
        let arguments = raw
            .get("arguments")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|argument| {
                Some(CommandArgument {
                    name: text(argument, "name")?.to_owned(),
                    description: text(argument, "description")
                        .map(|text| bounded(text, MAX_DESCRIPTION_CHARS)),
                    required: argument.get("required") == Some(&Value::Bool(true)),
                })
            })
            .collect();
        Some(Self {
            name: name.to_owned(),
            title: text(raw, "title").map(short_line),
            description: text(raw, "description").map(|text| bounded(text, MAX_DESCRIPTION_CHARS)),
            arguments,
        })
    }
}

fn short_line(text: &str) -> String {
    let line = public_text::one_line(text);
    public_text::truncate(&line, MAX_TITLE_CHARS).into_owned()
}

fn bounded(text: &str, max_chars: usize) -> String {
    let clean = public_text::without_controls(text);
    public_text::truncate(&clean, max_chars).into_owned()
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(raw: &Value) -> (Option<ToolDefinition>, Vec<Warning>) {
        let mut warnings = Vec::new();
        let tool = ToolDefinition::read("s", raw, &SchemaProfile::default(), 40, &mut warnings);
        (tool, warnings)
    }

    #[test]
    fn a_tool_without_a_name_costs_only_itself() {
        for raw in [json!({}), json!(5), json!({"name": ""}), json!({"name": 7})] {
            let (tool, warnings) = read(&raw);
            assert!(tool.is_none(), "given {raw}");
            assert_eq!(warnings[0].code, "invalid_tool");
        }
    }

    #[test]
    fn a_missing_schema_and_description_get_honest_defaults() {
        let (tool, warnings) = read(&json!({"name": "t"}));
        let tool = tool.unwrap();
        assert!(warnings.is_empty());
        assert_eq!(tool.description, "MCP tool 't' from server 's'.");
        assert_eq!(
            tool.model_schema.schema(),
            &json!({"type": "object", "properties": {}})
        );
        assert!(tool.for_model);
    }

    #[test]
    fn tools_for_apps_only_are_kept_from_the_model() {
        let cases = [
            (json!(["app"]), false),
            (json!(["app", "model"]), true),
            (json!([]), false),
            (json!("app"), true),
        ];
        for (visibility, want) in cases {
            let raw = json!({"name": "t", "_meta": {"ui": {"visibility": visibility}}});
            assert_eq!(read(&raw).0.unwrap().for_model, want, "given {visibility}");
        }
    }
}
