use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::change::{Change, ChangeKind};
use crate::dialect::{IN_PLACE_LIST, IN_PLACE_ONE, escape};
use crate::profile::PropertyNames;

/// How names lead back to the server's own, along the shape of the arguments.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Restore {
    /// The model's name, the server's name.
    names: BTreeMap<String, String>,
    properties: BTreeMap<String, Restore>,
    items: Option<Box<Restore>>,
    others: Option<Box<Restore>>,
}

impl Restore {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn names(&self) -> &BTreeMap<String, String> {
        &self.names
    }

    /// Drops branches that rename nothing.
    fn prune(&mut self) {
        self.properties.retain(|_, part| {
            part.prune();
            !part.is_empty()
        });
        for part in [&mut self.items, &mut self.others] {
            if let Some(inner) = part {
                inner.prune();
                if inner.is_empty() {
                    *part = None;
                }
            }
        }
    }

    pub(crate) fn apply(&self, value: Value) -> Value {
        match value {
            Value::Object(object) => {
                let mut out = Map::new();
                for (key, value) in object {
                    let part = self.properties.get(&key).or(self.others.as_deref());
                    let value = match part {
                        Some(part) => part.apply(value),
                        None => value,
                    };
                    let key = self.names.get(&key).cloned().unwrap_or(key);
                    out.insert(key, value);
                }
                Value::Object(out)
            }
            Value::Array(list) => match &self.items {
                Some(part) => list.into_iter().map(|item| part.apply(item)).collect(),
                None => Value::Array(list),
            },
            scalar => scalar,
        }
    }
}

/// Whether any property of `schema` has a name that `rule` refuses.
pub(crate) fn needs_renaming(schema: &Value, rule: &PropertyNames) -> bool {
    match schema {
        Value::Object(object) => object.iter().any(|(key, value)| {
            let refused = key == "properties"
                && value
                    .as_object()
                    .is_some_and(|named| named.keys().any(|name| !rule.accepts(name)));
            refused || needs_renaming(value, rule)
        }),
        Value::Array(list) => list.iter().any(|value| needs_renaming(value, rule)),
        _ => false,
    }
}

/// Renames properties in `schema`, which holds no references.
pub(crate) fn rename_properties(
    schema: &mut Value,
    rule: &PropertyNames,
    changes: &mut Vec<Change>,
) -> Restore {
    let mut restore = Restore::default();
    Renamer { rule, changes }.schema(schema, None, &mut restore, "");
    restore.prune();
    restore
}

struct Renamer<'a> {
    rule: &'a PropertyNames,
    changes: &'a mut Vec<Change>,
}

impl Renamer<'_> {
    /// `names` are those of the value that this schema shares with the schemas around it.
    fn schema(
        &mut self,
        schema: &mut Value,
        names: Option<&BTreeMap<String, String>>,
        restore: &mut Restore,
        pointer: &str,
    ) {
        let own;
        let names = match names {
            Some(names) => names,
            None => {
                own = self.choose(schema, pointer);
                restore
                    .names
                    .extend(own.iter().map(|(old, new)| (new.clone(), old.clone())));
                &own
            }
        };
        let Some(object) = schema.as_object_mut() else {
            return;
        };
        for key in ["properties", "dependentSchemas", "dependentRequired"] {
            if let Some(Value::Object(named)) = object.get_mut(key) {
                *named = std::mem::take(named)
                    .into_iter()
                    .map(|(name, part)| (names.get(&name).cloned().unwrap_or(name), part))
                    .collect();
            }
        }
        for (key, value) in object.iter_mut() {
            let here = format!("{pointer}/{key}");
            match (key.as_str(), value) {
                ("properties", Value::Object(named)) => {
                    for (name, part) in named.iter_mut() {
                        let below = restore.properties.entry(name.clone()).or_default();
                        self.schema(part, None, below, &format!("{here}/{}", escape(name)));
                    }
                }
                ("required", Value::Array(list)) => rename_list(list, names),
                ("dependentRequired", Value::Object(named)) => {
                    named
                        .values_mut()
                        .filter_map(Value::as_array_mut)
                        .for_each(|list| rename_list(list, names));
                }
                ("dependentSchemas", Value::Object(named)) => {
                    for part in named.values_mut() {
                        self.schema(part, Some(names), restore, &here);
                    }
                }
                (key, Value::Array(list)) if IN_PLACE_LIST.contains(&key) => {
                    for part in list {
                        self.schema(part, Some(names), restore, &here);
                    }
                }
                (key, part) if IN_PLACE_ONE.contains(&key) => {
                    self.schema(part, Some(names), restore, &here);
                }
                (
                    "items" | "prefixItems" | "additionalItems" | "unevaluatedItems" | "contains",
                    part,
                ) => {
                    let below = restore.items.get_or_insert_default();
                    match part {
                        Value::Array(list) => {
                            for part in list {
                                self.schema(part, None, below, &here);
                            }
                        }
                        part => self.schema(part, None, below, &here),
                    }
                }
                ("additionalProperties" | "unevaluatedProperties", part) => {
                    self.schema(part, None, restore.others.get_or_insert_default(), &here);
                }
                ("patternProperties", Value::Object(named)) => {
                    for part in named.values_mut() {
                        self.schema(part, None, restore.others.get_or_insert_default(), &here);
                    }
                }
                _ => {}
            }
        }
    }

    /// New names for the properties of one value that need one: the server's name, the model's name.
    fn choose(&mut self, schema: &Value, pointer: &str) -> BTreeMap<String, String> {
        let mut all = BTreeSet::new();
        collect(schema, &mut all);
        let mut taken: BTreeSet<String> = all
            .iter()
            .filter(|name| self.rule.accepts(name))
            .map(|name| (*name).to_owned())
            .collect();
        let mut chosen = BTreeMap::new();
        for name in all.into_iter().filter(|name| !self.rule.accepts(name)) {
            let fill = if self.rule.allows('_') { '_' } else { 'x' };
            let plain = |c| if self.rule.allows(c) { c } else { fill };
            let mut base: String = name.chars().map(plain).take(self.rule.max_bytes).collect();
            if base.is_empty() {
                base.push(fill);
            }
            let mut new = base.clone();
            let mut number = 2_usize;
            while !taken.insert(new.clone()) {
                let suffix = format!("{fill}{number}");
                let kept = self.rule.max_bytes.saturating_sub(suffix.len());
                new = base.chars().take(kept).collect::<String>() + &suffix;
                number += 1;
            }
            self.changes.push(Change::new(
                ChangeKind::Renamed,
                pointer,
                format!("{name:?} is {new:?}"),
            ));
            chosen.insert(name.to_owned(), new);
        }
        chosen
    }
}

fn rename_list(list: &mut [Value], names: &BTreeMap<String, String>) {
    for name in list {
        if let Some(new) = name.as_str().and_then(|name| names.get(name)) {
            *name = Value::from(new.as_str());
        }
    }
}

/// The names of the properties of one value, from every schema that applies to it.
fn collect<'a>(schema: &'a Value, names: &mut BTreeSet<&'a str>) {
    let Some(object) = schema.as_object() else {
        return;
    };
    for (key, value) in object {
        match (key.as_str(), value) {
            ("properties", Value::Object(named)) => names.extend(named.keys().map(String::as_str)),
            ("dependentSchemas", Value::Object(named)) => {
                named.values().for_each(|part| collect(part, names))
            }
            (key, Value::Array(list)) if IN_PLACE_LIST.contains(&key) => {
                list.iter().for_each(|part| collect(part, names));
            }
            (key, part) if IN_PLACE_ONE.contains(&key) => collect(part, names),
            _ => {}
        }
    }
}
