use std::collections::{HashMap, HashSet};
use std::fmt;

use jsonschema::{PatternOptions, Retrieve, Uri};
use serde_json::Value;

use crate::dialect::{IN_PLACE_LIST, IN_PLACE_ONE, dialect};
use crate::error::{SchemaError, SchemaErrorKind};
use crate::inline::{anchors, resolve};
use crate::violation::Violation;

/// How large a schema may be, and how much is told of what breaks it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// The values in a schema, counting every object, list and scalar. Default: 50,000.
    pub max_values: usize,
    /// How deep a schema may lie. Default: 100.
    pub max_depth: usize,
    /// How deep arguments may lie. Default: 128.
    pub max_argument_depth: usize,
    /// How many violations are told. Default: 5.
    pub max_violations: usize,
}

impl Limits {
    /// Sets [`max_values`](Self::max_values).
    #[must_use]
    pub fn with_max_values(mut self, values: usize) -> Self {
        self.max_values = values;
        self
    }

    /// Sets [`max_depth`](Self::max_depth).
    #[must_use]
    pub fn with_max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth;
        self
    }

    /// Sets [`max_argument_depth`](Self::max_argument_depth).
    #[must_use]
    pub fn with_max_argument_depth(mut self, depth: usize) -> Self {
        self.max_argument_depth = depth;
        self
    }

    /// Sets [`max_violations`](Self::max_violations).
    #[must_use]
    pub fn with_max_violations(mut self, violations: usize) -> Self {
        self.max_violations = violations;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_values: 50_000,
            max_depth: 100,
            max_argument_depth: 128,
            max_violations: 5,
        }
    }
}

/// A compiled schema.
pub struct Validator {
    inner: jsonschema::Validator,
    limits: Limits,
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Validator {
    /// Compiles a schema within the default [`Limits`].
    ///
    /// `$schema` chooses the dialect, 2020-12 where it is absent. `format` is not enforced, as 2020-12 says by default.
    ///
    /// # Errors
    ///
    /// [`SchemaErrorKind`] lists what does not compile. A tool with such a schema can still be called.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        Self::compile_within(schema, Limits::default())
    }

    /// The same within other limits.
    ///
    /// # Errors
    ///
    /// As for [`compile`](Self::compile).
    pub fn compile_within(schema: &Value, limits: Limits) -> Result<Self, SchemaError> {
        measure(schema, &limits)?;
        let draft = dialect(schema)?;
        find_endless_reference(schema)?;
        let build = |linear: bool| {
            let options = jsonschema::options()
                .with_draft(draft)
                .with_retriever(NothingElsewhere)
                .should_validate_formats(false);
            let options = if linear {
                options.with_pattern_options(
                    PatternOptions::regex()
                        .size_limit(1 << 20)
                        .dfa_size_limit(1 << 20),
                )
            } else {
                options.with_pattern_options(
                    PatternOptions::fancy_regex()
                        .backtrack_limit(100_000)
                        .size_limit(1 << 20)
                        .dfa_size_limit(1 << 20),
                )
            };
            options.build(schema)
        };
        // Look-around needs the engine that can backtrack; everything else gets the one that cannot.
        let inner = build(true).or_else(|_| build(false)).map_err(|error| {
            let outside = matches!(
                error.kind(),
                jsonschema::error::ValidationErrorKind::Referencing(_)
            );
            let kind = if outside {
                SchemaErrorKind::ExternalReference
            } else {
                SchemaErrorKind::Invalid
            };
            let place: String = error.instance_path().as_str().chars().take(120).collect();
            let what: String = error.to_string().chars().take(200).collect();
            match place.is_empty() {
                true => SchemaError::new(kind, format!("the schema does not compile: {what}")),
                false => SchemaError::new(
                    kind,
                    format!("the schema does not compile at {place}: {what}"),
                ),
            }
        })?;
        Ok(Self { inner, limits })
    }

    /// Whether `arguments` fit.
    #[must_use]
    pub fn is_valid(&self, arguments: &Value) -> bool {
        !deeper_than(arguments, self.limits.max_argument_depth) && self.inner.is_valid(arguments)
    }

    /// What is wrong with `arguments`, at most [`max_violations`](Limits::max_violations); nothing when they fit.
    #[must_use]
    pub fn check(&self, arguments: &Value) -> Vec<Violation> {
        if deeper_than(arguments, self.limits.max_argument_depth) {
            return vec![Violation::too_deep(self.limits.max_argument_depth)];
        }
        if self.inner.is_valid(arguments) {
            return Vec::new();
        }
        let errors = self.inner.iter_errors(arguments);
        errors
            .take(self.limits.max_violations.max(1))
            .map(|error| Violation::read(&error))
            .collect()
    }
}

struct NothingElsewhere;

impl Retrieve for NothingElsewhere {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("{uri} lies outside the schema, and nothing is fetched").into())
    }
}

fn deeper_than(value: &Value, depth: usize) -> bool {
    let mut open = vec![(value, 0_usize)];
    while let Some((value, level)) = open.pop() {
        if level > depth {
            return true;
        }
        match value {
            Value::Object(object) => open.extend(object.values().map(|value| (value, level + 1))),
            Value::Array(list) => open.extend(list.iter().map(|value| (value, level + 1))),
            _ => {}
        }
    }
    false
}

fn measure(schema: &Value, limits: &Limits) -> Result<(), SchemaError> {
    let too_large = |what: String| Err(SchemaError::new(SchemaErrorKind::TooLarge, what));
    if deeper_than(schema, limits.max_depth) {
        return too_large(format!(
            "the schema lies more than {} levels deep",
            limits.max_depth
        ));
    }
    let mut open = vec![schema];
    let mut count = 0_usize;
    while let Some(value) = open.pop() {
        count += 1;
        if count > limits.max_values {
            return too_large(format!(
                "the schema has more than {} values",
                limits.max_values
            ));
        }
        match value {
            Value::Object(object) => open.extend(object.values()),
            Value::Array(list) => open.extend(list),
            _ => {}
        }
    }
    Ok(())
}

/// A schema that applies itself to the same value again would be checked without end.
fn find_endless_reference(root: &Value) -> Result<(), SchemaError> {
    let anchors = anchors(root);
    let mut done: HashSet<*const Value> = HashSet::new();
    let mut starts = vec![root];
    while let Some(start) = starts.pop() {
        match start {
            Value::Object(object) => starts.extend(object.values()),
            Value::Array(list) => starts.extend(list),
            _ => continue,
        }
        let mut open: HashSet<*const Value> = HashSet::new();
        // Each entry is a schema to enter, or one to leave.
        let mut stack = vec![(start, false)];
        while let Some((schema, leave)) = stack.pop() {
            let id = std::ptr::from_ref(schema);
            if leave {
                open.remove(&id);
                done.insert(id);
                continue;
            }
            if done.contains(&id) {
                continue;
            }
            if !open.insert(id) {
                return Err(SchemaError::new(
                    SchemaErrorKind::EndlessReference,
                    "the schema refers to itself for the same value, and no check would end",
                ));
            }
            stack.push((schema, true));
            stack.extend(
                in_place(root, &anchors, schema)
                    .into_iter()
                    .map(|part| (part, false)),
            );
        }
    }
    Ok(())
}

/// The schemas that apply to the same value as `schema` does.
fn in_place<'a>(
    root: &'a Value,
    anchors: &HashMap<&'a str, &'a Value>,
    schema: &'a Value,
) -> Vec<&'a Value> {
    let Some(object) = schema.as_object() else {
        return Vec::new();
    };
    let mut parts = Vec::new();
    for (key, value) in object {
        match (key.as_str(), value) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                parts.extend(resolve(root, anchors, reference));
            }
            ("dependentSchemas" | "dependencies", Value::Object(named)) => {
                parts.extend(named.values())
            }
            (key, Value::Array(list)) if IN_PLACE_LIST.contains(&key) => parts.extend(list),
            (key, part) if IN_PLACE_ONE.contains(&key) => parts.push(part),
            _ => {}
        }
    }
    parts.retain(|part| part.is_object());
    parts
}
