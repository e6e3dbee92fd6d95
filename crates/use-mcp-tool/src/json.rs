//! Calls as JSON.

use serde_json::{Map, Value};

use crate::call::{Call, CallKind, Door, Note};
use crate::error::{CallError, CallErrorKind};

/// Reads a call from the name of the tool and the text of its arguments, as a model API gives them.
///
/// `arguments` may be absent, null, an object, or a string that holds one (noted). Names are trimmed.
///
/// ```
/// use mcp_bridge_use_mcp_tool::{CallKind, parse_json};
///
/// let call = parse_json("use_mcp_tool", r#"{"server_name": "git", "tool_name": "log", "arguments": {"n": 3}}"#)?;
/// assert!(matches!(call.kind, CallKind::UseTool { tool, .. } if tool == "log"));
/// let error = parse_json("use_mcp_tool", r#"{"server_name": "git"}"#).unwrap_err();
/// assert_eq!(error.to_string(), "the parameter `tool_name` is missing: give the name of the tool as its server lists it");
/// # Ok::<(), mcp_bridge_use_mcp_tool::CallError>(())
/// ```
///
/// # Errors
///
/// [`CallError`] with the parameter that is missing or wrong.
pub fn parse_json(name: &str, arguments_text: &str) -> Result<Call, CallError> {
    let text = arguments_text.trim();
    let value = match text {
        "" => Value::Object(Map::new()),
        text => serde_json::from_str(text).map_err(|error| {
            let text = format!("the call's parameters are no JSON: {error}");
            CallError::new(CallErrorKind::InvalidArgument, text)
        })?,
    };
    parse_value(name, &value)
}

/// As [`parse_json`], from JSON that is parsed already.
///
/// # Errors
///
/// As [`parse_json`].
pub fn parse_value(name: &str, parameters: &Value) -> Result<Call, CallError> {
    let door = Door::of(name).ok_or_else(|| {
        let shown = crate::error::short(name);
        let text = format!("{shown:?} is neither `use_mcp_tool` nor `access_mcp_resource`");
        CallError::new(CallErrorKind::UnknownDoor, text)
    })?;
    let Value::Object(parameters) = parameters else {
        let text = format!(
            "the call's parameters must be an object, not {}",
            kind_of(parameters)
        );
        return Err(CallError::new(CallErrorKind::InvalidArgument, text));
    };
    let mut notes = Vec::new();
    let known = door.parameters();
    if parameters.keys().any(|key| !known.contains(&key.as_str())) {
        notes.push(Note::UnknownParameter);
    }
    let server = name_of(parameters, "server_name")?;
    let kind = match door {
        Door::ReadResource => CallKind::ReadResource {
            server,
            uri: name_of(parameters, "uri")?,
        },
        Door::UseTool => {
            let tool = name_of(parameters, "tool_name")?;
            let arguments = match parameters.get("arguments") {
                None | Some(Value::Null) => Map::new(),
                Some(Value::Object(arguments)) => arguments.clone(),
                Some(Value::String(text)) => {
                    let arguments = arguments_of(text)?;
                    if !text.trim().is_empty() {
                        notes.push(Note::DoubleEncodedArguments);
                    }
                    arguments
                }
                Some(other) => return Err(not_object(other)),
            };
            CallKind::UseTool {
                server,
                tool,
                arguments,
            }
        }
    };
    Ok(Call { kind, notes })
}

fn name_of(parameters: &Map<String, Value>, parameter: &str) -> Result<String, CallError> {
    match parameters.get(parameter) {
        None | Some(Value::Null) => Err(missing(parameter)),
        Some(Value::String(text)) if text.trim().is_empty() => Err(missing(parameter)),
        Some(Value::String(text)) => Ok(text.trim().to_owned()),
        Some(other) => {
            let text = format!(
                "the parameter `{parameter}` must be a string, not {}",
                kind_of(other)
            );
            Err(CallError::new(CallErrorKind::InvalidArgument, text).about(parameter))
        }
    }
}

pub(crate) fn missing(parameter: &str) -> CallError {
    let hint = match parameter {
        "server_name" => "give the name of a connected server",
        "tool_name" => "give the name of the tool as its server lists it",
        _ => "give the address of the resource",
    };
    let text = format!("the parameter `{parameter}` is missing: {hint}");
    CallError::new(CallErrorKind::MissingParameter, text).about(parameter)
}

/// Arguments written as text: JSON once, a fence around it allowed; nothing is an empty object.
pub(crate) fn arguments_of(text: &str) -> Result<Map<String, Value>, CallError> {
    let text = without_fence(text.trim());
    if text.is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(other) => Err(not_object(&other)),
        Err(error) => {
            let text = format!("the parameter `arguments` is no JSON: {error}");
            Err(CallError::new(CallErrorKind::InvalidArgument, text).about("arguments"))
        }
    }
}

fn not_object(found: &Value) -> CallError {
    let text = format!(
        "the parameter `arguments` must be a JSON object, not {}",
        kind_of(found)
    );
    CallError::new(CallErrorKind::InvalidArgument, text).about("arguments")
}

fn without_fence(text: &str) -> &str {
    let inner = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
        .and_then(|inner| inner.split_once('\n'));
    match inner {
        // Behind the opening stands at most the name of a language.
        Some((language, inner)) if language.trim().chars().all(char::is_alphanumeric) => {
            inner.trim()
        }
        _ => text,
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
