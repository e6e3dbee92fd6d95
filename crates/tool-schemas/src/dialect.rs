use jsonschema::Draft;
use serde_json::Value;

use crate::error::{SchemaError, SchemaErrorKind};

/// The dialect that `$schema` names; [2020-12](https://json-schema.org/draft/2020-12) where it is absent.
pub(crate) fn dialect(schema: &Value) -> Result<Draft, SchemaError> {
    let Some(named) = schema.get("$schema") else {
        return Ok(Draft::Draft202012);
    };
    let text = named.as_str().unwrap_or_default();
    let bare = text.trim_end_matches('#');
    let bare = bare
        .strip_prefix("https://json-schema.org/")
        .or_else(|| bare.strip_prefix("http://json-schema.org/"));
    match bare {
        Some("draft/2020-12/schema" | "schema") => Ok(Draft::Draft202012),
        Some("draft/2019-09/schema") => Ok(Draft::Draft201909),
        Some("draft-07/schema") => Ok(Draft::Draft7),
        Some("draft-06/schema") => Ok(Draft::Draft6),
        Some("draft-04/schema") => Ok(Draft::Draft4),
        _ => {
            let shown: String = named.to_string().chars().take(120).collect();
            Err(SchemaError::new(
                SchemaErrorKind::UnknownDialect,
                format!("the dialect {shown} is not supported"),
            ))
        }
    }
}

/// Keywords whose value is one schema that applies to the same value.
pub(crate) const IN_PLACE_ONE: &[&str] = &["not", "if", "then", "else"];
/// Keywords whose value is a list of schemas that apply to the same value.
pub(crate) const IN_PLACE_LIST: &[&str] = &["allOf", "anyOf", "oneOf"];
/// Keywords whose value is one schema for a part of the value.
pub(crate) const PART_ONE: &[&str] = &[
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "contentSchema",
];
/// Keywords whose value is an object of schemas, by name.
pub(crate) const NAMED: &[&str] = &[
    "properties",
    "patternProperties",
    "dependentSchemas",
    "$defs",
    "definitions",
    "dependencies",
];

/// Calls `each` with every schema directly inside `schema`, and its pointer.
pub(crate) fn for_each_part(
    schema: &mut Value,
    pointer: &str,
    each: &mut dyn FnMut(&mut Value, &str),
) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    for (keyword, value) in object.iter_mut() {
        let key = keyword.as_str();
        match value {
            Value::Object(named) if NAMED.contains(&key) => {
                for (name, part) in named.iter_mut() {
                    each(part, &format!("{pointer}/{key}/{}", escape(name)));
                }
            }
            Value::Array(list)
                if IN_PLACE_LIST.contains(&key) || matches!(key, "prefixItems" | "items") =>
            {
                for (index, part) in list.iter_mut().enumerate() {
                    each(part, &format!("{pointer}/{key}/{index}"));
                }
            }
            part @ (Value::Object(_) | Value::Bool(_))
                if IN_PLACE_ONE.contains(&key) || PART_ONE.contains(&key) =>
            {
                each(part, &format!("{pointer}/{key}"));
            }
            _ => {}
        }
    }
}

pub(crate) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
