use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::change::{Change, ChangeKind};
use crate::dialect::{NAMED, for_each_part};

/// How many values a schema may grow to, and how deep: a few references can otherwise unfold without end.
const MAX_VALUES: usize = 20_000;
const MAX_DEPTH: usize = 64;

/// Replaces every `$ref` with what it points to, and drops the definitions.
pub(crate) fn inline_references(schema: &Value, changes: &mut Vec<Change>) -> Value {
    let mut inliner = Inliner {
        root: schema,
        anchors: anchors(schema),
        open: Vec::new(),
        left: MAX_VALUES,
        changes,
    };
    let mut out = inliner.schema(schema, "", 0);
    remove_definitions(&mut out);
    out
}

struct Inliner<'a> {
    root: &'a Value,
    anchors: HashMap<&'a str, &'a Value>,
    /// The references being unfolded.
    open: Vec<&'a str>,
    left: usize,
    changes: &'a mut Vec<Change>,
}

impl<'a> Inliner<'a> {
    fn schema(&mut self, schema: &'a Value, pointer: &str, depth: usize) -> Value {
        let Value::Object(object) = schema else {
            return schema.clone();
        };
        self.left = self.left.saturating_sub(1);
        let reference = ["$ref", "$dynamicRef", "$recursiveRef"]
            .into_iter()
            .find_map(|key| object.get(key).and_then(Value::as_str));
        let mut out = self.siblings(object, pointer, depth);
        let Some(reference) = reference else {
            return Value::Object(out);
        };
        let Some(target) = resolve(self.root, &self.anchors, reference) else {
            self.changes.push(Change::new(
                ChangeKind::UnresolvedReference,
                pointer,
                reference,
            ));
            return Value::Object(out);
        };
        if self.open.contains(&reference) || self.left == 0 || depth >= MAX_DEPTH {
            self.changes
                .push(Change::new(ChangeKind::CutRecursion, pointer, reference));
            if let Some(kind) = target.get("type") {
                out.entry("type").or_insert_with(|| kind.clone());
            }
            return Value::Object(out);
        }
        self.changes
            .push(Change::new(ChangeKind::Inlined, pointer, reference));
        self.open.push(reference);
        let target = self.schema(target, pointer, depth + 1);
        self.open.pop();
        merge(target, out)
    }

    fn siblings(
        &mut self,
        object: &'a Map<String, Value>,
        pointer: &str,
        depth: usize,
    ) -> Map<String, Value> {
        let mut out = Map::new();
        for (key, value) in object {
            let here = format!("{pointer}/{key}");
            let value = match (key.as_str(), value) {
                (
                    "$ref" | "$dynamicRef" | "$recursiveRef" | "$anchor" | "$dynamicAnchor"
                    | "$recursiveAnchor",
                    Value::String(_) | Value::Bool(_),
                )
                | ("$defs" | "definitions", Value::Object(_)) => continue,
                // Values, not schemas: what looks like a reference in here is none.
                ("const" | "enum" | "default" | "examples" | "required", value) => value.clone(),
                (key, Value::Object(named)) if NAMED.contains(&key) => {
                    let parts = named.iter().map(|(name, part)| {
                        (
                            name.clone(),
                            self.schema(part, &format!("{here}/{name}"), depth + 1),
                        )
                    });
                    Value::Object(parts.collect())
                }
                (_, Value::Object(_)) => self.schema(value, &here, depth + 1),
                (_, Value::Array(list)) => list
                    .iter()
                    .map(|part| self.schema(part, &here, depth + 1))
                    .collect(),
                (_, scalar) => scalar.clone(),
            };
            out.insert(key.clone(), value);
        }
        out
    }
}

/// What stood beside the reference wins where it only describes; what restricts must hold as well.
fn merge(target: Value, siblings: Map<String, Value>) -> Value {
    let Value::Object(mut merged) = target else {
        if siblings.is_empty() {
            return target;
        }
        let mut out = siblings;
        if target == Value::Bool(false) {
            out.insert("not".to_owned(), json!({}));
        }
        return Value::Object(out);
    };
    let mut clashing = Map::new();
    for (key, value) in siblings {
        let describes = matches!(
            key.as_str(),
            "title"
                | "description"
                | "default"
                | "examples"
                | "deprecated"
                | "readOnly"
                | "writeOnly"
                | "$comment"
        );
        match merged.get(&key) {
            Some(there) if !describes && *there != value => {
                clashing.insert(key, value);
            }
            _ => {
                merged.insert(key, value);
            }
        }
    }
    if !clashing.is_empty() {
        let both = json!([Value::Object(merged), Value::Object(clashing)]);
        merged = Map::new();
        merged.insert("allOf".to_owned(), both);
    }
    Value::Object(merged)
}

fn remove_definitions(schema: &mut Value) {
    if let Some(object) = schema.as_object_mut() {
        object.shift_remove("$defs");
        object.shift_remove("definitions");
    }
    for_each_part(schema, "", &mut |part, _| remove_definitions(part));
}

/// What `reference` points to inside `root`; nothing outside is ever looked at.
pub(crate) fn resolve<'a>(
    root: &'a Value,
    anchors: &HashMap<&'a str, &'a Value>,
    reference: &str,
) -> Option<&'a Value> {
    let fragment = match reference.split_once('#') {
        Some(("", fragment)) => fragment,
        Some((base, fragment)) if root.get("$id").and_then(Value::as_str) == Some(base) => fragment,
        Some(_) => return None,
        None if root.get("$id").and_then(Value::as_str) == Some(reference) => "",
        None => return None,
    };
    match fragment.chars().next() {
        None => Some(root),
        Some('/') => root
            .pointer(fragment)
            .or_else(|| root.pointer(&percent_decoded(fragment)?)),
        Some(_) => anchors.get(fragment).copied(),
    }
}

/// Every `$anchor`, wherever it stands.
pub(crate) fn anchors(schema: &Value) -> HashMap<&str, &Value> {
    let mut found = HashMap::new();
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(object) => {
                for key in ["$anchor", "$dynamicAnchor"] {
                    if let Some(name) = object.get(key).and_then(Value::as_str) {
                        found.entry(name).or_insert(value);
                    }
                }
                open.extend(object.values());
            }
            Value::Array(list) => open.extend(list),
            _ => {}
        }
    }
    found
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let mut digit = || char::from(bytes.next()?).to_digit(16);
            out.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}
