use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::change::{Change, ChangeKind};
use crate::dialect::for_each_part;
use crate::inline::inline_references;
use crate::profile::{References, RootCombinators, SchemaProfile};
use crate::rename::{Restore, needs_renaming, rename_properties};

/// How many changes are told one by one.
const MAX_CHANGES: usize = 200;

/// A tool's input schema as a model API accepts it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSchema {
    schema: Value,
    changes: Vec<Change>,
    restore: Restore,
}

impl ModelSchema {
    /// The schema: always an object schema.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// What differs from the server's own schema, at most 200 entries.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Whether the model knows less than the server said.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        self.changes.iter().any(Change::is_lossy)
    }

    /// The renamed properties of the root: the model's name, the server's name.
    #[must_use]
    pub fn renamed(&self) -> &BTreeMap<String, String> {
        self.restore.names()
    }

    /// Puts arguments that a model wrote into the server's shape; everything but renamed keys stays as it is.
    #[must_use]
    pub fn restore_arguments(&self, arguments: Value) -> Value {
        if self.restore.is_empty() {
            return arguments;
        }
        self.restore.apply(arguments)
    }

    /// Gives the schema away.
    #[must_use]
    pub fn into_schema(self) -> Value {
        self.schema
    }
}

/// Makes a tool's `inputSchema` acceptable for a model API, changing as little as `profile` allows.
///
/// What is no object schema, such as a missing one, becomes an open object: MCP
/// [asks for an object](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool), and one odd schema
/// would void the whole request. Arguments are best checked against the server's own schema.
#[must_use]
pub fn model_schema(schema: &Value, profile: &SchemaProfile) -> ModelSchema {
    let mut changes = Vec::new();
    let mut schema = object_schema(schema, &mut changes);
    let rename = profile
        .property_names
        .as_ref()
        .filter(|rule| needs_renaming(&schema, rule));
    if profile.references == References::Inline || (rename.is_some() && has_reference(&schema)) {
        schema = inline_references(&schema, &mut changes);
    }
    if profile.root_combinators == RootCombinators::Merge {
        merge_root(&mut schema, &mut changes);
    }
    if !profile.dropped_keywords.is_empty() {
        drop_keywords(&mut schema, "", &profile.dropped_keywords, &mut changes);
    }
    if let Some(depth) = profile.max_depth {
        cut_depth(&mut schema, "", depth, &mut changes);
    }
    if let Some(bytes) = profile.max_bytes {
        cut_size(&mut schema, bytes, &mut changes);
    }
    let restore = match rename {
        Some(rule) => rename_properties(&mut schema, rule, &mut changes),
        None => Restore::default(),
    };
    if profile.requires_properties
        && let Some(object) = schema.as_object_mut()
        && !object.get("properties").is_some_and(Value::is_object)
    {
        object.insert("properties".to_owned(), json!({}));
        changes.push(Change::new(ChangeKind::AddedProperties, "", ""));
    }
    changes.truncate(MAX_CHANGES);
    ModelSchema {
        schema,
        changes,
        restore,
    }
}

fn object_schema(schema: &Value, changes: &mut Vec<Change>) -> Value {
    let replaced = |changes: &mut Vec<Change>, why: &str| {
        changes.push(Change::new(ChangeKind::Replaced, "", why));
        json!({"type": "object", "properties": {}})
    };
    let Value::Object(object) = schema else {
        return replaced(changes, "it is missing or no object");
    };
    match object.get("type") {
        Some(Value::String(kind)) if kind == "object" => schema.clone(),
        Some(Value::Array(kinds)) if kinds.iter().any(|kind| kind == "object") => {
            let mut object = object.clone();
            object.insert("type".to_owned(), json!("object"));
            changes.push(Change::new(
                ChangeKind::AddedType,
                "",
                "arguments are always an object",
            ));
            Value::Object(object)
        }
        None => {
            // The type comes first, where a reader looks for it.
            let mut typed = Map::new();
            typed.insert("type".to_owned(), json!("object"));
            typed.extend(object.clone());
            changes.push(Change::new(ChangeKind::AddedType, "", "it names no type"));
            Value::Object(typed)
        }
        Some(other) => replaced(changes, &format!("its type is {other}")),
    }
}

fn has_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => object.iter().any(|(key, value)| {
            // A property of that name has a schema where a reference has text.
            let is_reference = matches!(key.as_str(), "$ref" | "$dynamicRef" | "$recursiveRef");
            (is_reference && value.is_string()) || has_reference(value)
        }),
        Value::Array(list) => list.iter().any(has_reference),
        _ => false,
    }
}

/// Offers the properties of every alternative at the root, and tells the rule in words.
fn merge_root(schema: &mut Value, changes: &mut Vec<Change>) {
    let at_root = |schema: &Value| {
        ["oneOf", "anyOf", "allOf"]
            .iter()
            .any(|key| schema.get(key).is_some())
    };
    if !at_root(schema) {
        return;
    }
    // Alternatives are often references, which would take their properties out of sight.
    if ["oneOf", "anyOf", "allOf"]
        .iter()
        .any(|key| schema.get(key).is_some_and(has_reference))
    {
        *schema = inline_references(schema, changes);
    }
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    let mut sentences = Vec::new();
    flatten(object, &mut sentences, changes, 0);
    if !sentences.is_empty() {
        let rule = sentences.join(" ");
        let text = match object.get("description").and_then(Value::as_str) {
            Some(text) if !text.is_empty() => format!("{text} {rule}"),
            _ => rule,
        };
        object.insert("description".to_owned(), Value::from(text));
    }
}

fn flatten(
    object: &mut Map<String, Value>,
    sentences: &mut Vec<String>,
    changes: &mut Vec<Change>,
    depth: usize,
) {
    for key in ["allOf", "oneOf", "anyOf"] {
        let Some(value) = object.shift_remove(key) else {
            continue;
        };
        if depth == 0 {
            changes.push(Change::new(ChangeKind::MergedRoot, &format!("/{key}"), ""));
        }
        let mut wanted = Vec::new();
        for branch in value.as_array().into_iter().flatten() {
            let Some(branch) = branch.as_object() else {
                continue;
            };
            let mut branch = branch.clone();
            if depth < 8 {
                flatten(&mut branch, sentences, changes, depth + 1);
            }
            let required: Vec<&str> = branch
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            if !required.is_empty() {
                wanted.push(
                    required
                        .iter()
                        .map(|name| format!("`{name}`"))
                        .collect::<Vec<_>>()
                        .join(" and "),
                );
            }
            if key == "allOf" {
                let mut all: Vec<Value> = object
                    .get("required")
                    .and_then(Value::as_array)
                    .cloned()
                    .unwrap_or_default();
                all.extend(
                    required
                        .iter()
                        .map(|name| json!(name))
                        .filter(|name| !all.contains(name))
                        .collect::<Vec<_>>(),
                );
                if !all.is_empty() {
                    object.insert("required".to_owned(), Value::Array(all));
                }
            }
            offer(object, &branch);
        }
        let start = match key {
            "oneOf" => "Give exactly one of these:",
            "anyOf" => "Give at least one of these:",
            _ => continue,
        };
        if !wanted.is_empty() {
            wanted.dedup();
            let list: String = wanted.join("; or ").chars().take(1_000).collect();
            sentences.push(format!("{start} {list}."));
        }
    }
}

/// Adds the properties of a branch; one that two branches describe differently is either.
fn offer(object: &mut Map<String, Value>, branch: &Map<String, Value>) {
    let Some(Value::Object(offered)) = branch.get("properties") else {
        return;
    };
    let properties = object.entry("properties").or_insert_with(|| json!({}));
    let Some(properties) = properties.as_object_mut() else {
        return;
    };
    for (name, schema) in offered {
        match properties.get_mut(name) {
            None => {
                properties.insert(name.clone(), schema.clone());
            }
            Some(there) if there == schema => {}
            Some(there) => {
                if let Some(list) = there
                    .as_object_mut()
                    .filter(|object| object.len() == 1)
                    .and_then(|object| object.get_mut("anyOf"))
                    .and_then(Value::as_array_mut)
                {
                    if !list.contains(schema) {
                        list.push(schema.clone());
                    }
                } else {
                    *there = json!({"anyOf": [there.clone(), schema]});
                }
            }
        }
    }
}

fn drop_keywords(
    schema: &mut Value,
    pointer: &str,
    keywords: &[String],
    changes: &mut Vec<Change>,
) {
    if let Some(object) = schema.as_object_mut() {
        for keyword in keywords {
            if object.shift_remove(keyword).is_some() {
                changes.push(Change::new(
                    ChangeKind::DroppedKeyword,
                    pointer,
                    keyword.as_str(),
                ));
            }
        }
    }
    for_each_part(schema, pointer, &mut |part, at| {
        drop_keywords(part, at, keywords, changes)
    });
}

fn cut_depth(schema: &mut Value, pointer: &str, left: usize, changes: &mut Vec<Change>) {
    for_each_part(schema, pointer, &mut |part, at| {
        if left > 0 {
            cut_depth(part, at, left - 1, changes);
        } else if part.as_object().is_some_and(|object| !object.is_empty()) {
            let kept = ["type", "description"]
                .into_iter()
                .filter_map(|key| Some((key.to_owned(), part.get(key)?.clone())));
            let open = Value::Object(kept.collect());
            if *part != open {
                *part = open;
                changes.push(Change::new(ChangeKind::CutDepth, at, ""));
            }
        }
    });
}

/// First the texts go, then the depth, then everything.
fn cut_size(schema: &mut Value, max_bytes: usize, changes: &mut Vec<Change>) {
    let fits = |schema: &Value| schema.to_string().len() <= max_bytes;
    if fits(schema) {
        return;
    }
    changes.push(Change::new(
        ChangeKind::CutSize,
        "",
        format!("it is longer than {max_bytes} bytes"),
    ));
    let mut unseen = Vec::new();
    for keywords in [
        &["$comment", "examples"][..],
        &["title", "default"],
        &["description"],
    ] {
        let keywords: Vec<String> = keywords
            .iter()
            .map(|keyword| (*keyword).to_owned())
            .collect();
        drop_keywords(schema, "", &keywords, &mut unseen);
        if fits(schema) {
            return;
        }
    }
    for depth in [8, 4, 2, 1, 0] {
        cut_depth(schema, "", depth, &mut unseen);
        if fits(schema) {
            return;
        }
    }
    *schema = json!({"type": "object", "properties": {}});
}
