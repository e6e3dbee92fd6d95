use std::fmt;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

/// One thing wrong with the arguments of a call.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Violation {
    /// Where in the arguments, as a JSON pointer; empty for the whole.
    pub pointer: String,
    /// Which part of the schema says so, as a JSON pointer.
    pub schema_pointer: String,
    /// What is wrong, in words. Holds no value of the arguments.
    pub message: String,
    /// What belongs there, where that can be said shortly.
    pub expected: Option<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "at {}: {}", self.pointer, self.message)
        }
    }
}

impl Violation {
    pub(crate) fn too_deep(depth: usize) -> Self {
        Self {
            pointer: String::new(),
            schema_pointer: String::new(),
            message: format!("the arguments lie more than {depth} levels deep"),
            expected: None,
        }
    }

    pub(crate) fn read(error: &jsonschema::ValidationError<'_>) -> Self {
        let (message, expected) = describe(error.kind(), error.instance());
        Self {
            pointer: short(error.instance_path().as_str(), 300),
            schema_pointer: short(error.schema_path().as_str(), 300),
            message: short(&message, 400),
            expected: expected.map(|expected| short(&expected, 300)),
        }
    }
}

fn describe(kind: &ValidationErrorKind, instance: &Value) -> (String, Option<String>) {
    use ValidationErrorKind as Kind;
    let bound = |words: &str, limit: &dyn fmt::Display| {
        let expected = format!("{words} {limit}");
        (format!("must be {expected}"), Some(expected))
    };
    match kind {
        Kind::Type { kind } => {
            let expected = match kind {
                TypeKind::Single(kind) => kind.to_string(),
                TypeKind::Multiple(kinds) => kinds
                    .iter()
                    .map(|kind| kind.to_string())
                    .collect::<Vec<_>>()
                    .join(" or "),
            };
            (
                format!("expected {expected}, got {}", type_of(instance)),
                Some(expected),
            )
        }
        Kind::Required { property } => (
            format!("the property {} is missing", listed(property)),
            None,
        ),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let names: Vec<String> = unexpected
                .iter()
                .take(5)
                .map(|name| format!("{:?}", short(name, 60)))
                .collect();
            (format!("there is no property {}", names.join(", ")), None)
        }
        Kind::Enum { options } => {
            let options = match options.as_ref() {
                Value::Array(options) => options
                    .iter()
                    .take(30)
                    .map(listed)
                    .collect::<Vec<_>>()
                    .join(", "),
                other => listed(other),
            };
            let expected = format!("one of {options}");
            (format!("must be {expected}"), Some(expected))
        }
        Kind::Constant { expected_value } => {
            let expected = listed(expected_value);
            (format!("must be {expected}"), Some(expected))
        }
        Kind::Maximum { limit } => bound("at most", limit),
        Kind::Minimum { limit } => bound("at least", limit),
        Kind::ExclusiveMaximum { limit } => bound("less than", limit),
        Kind::ExclusiveMinimum { limit } => bound("more than", limit),
        Kind::MultipleOf { multiple_of } => bound("a multiple of", multiple_of),
        Kind::MaxLength { limit } => counted("at most", *limit, "character"),
        Kind::MinLength { limit } => counted("at least", *limit, "character"),
        Kind::MaxItems { limit } => counted("at most", *limit, "item"),
        Kind::MinItems { limit } => counted("at least", *limit, "item"),
        Kind::MaxProperties { limit } => counted("at most", *limit, "property"),
        Kind::MinProperties { limit } => counted("at least", *limit, "property"),
        Kind::Pattern { pattern } => {
            let expected = format!("text that matches {pattern}");
            (format!("must be {expected}"), Some(expected))
        }
        Kind::Format { format } => bound("of the format", format),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => (
            format!("fits none of the {} alternatives", context.len()),
            None,
        ),
        Kind::OneOfMultipleValid { .. } => (
            "fits more than one alternative, and must fit exactly one".to_owned(),
            None,
        ),
        Kind::UniqueItems => ("has items that are equal, and must not".to_owned(), None),
        Kind::FalseSchema => ("nothing may stand here".to_owned(), None),
        Kind::Not { .. } => ("is of a shape that is forbidden here".to_owned(), None),
        Kind::Contains => (
            "lacks an item of the kind that it must contain".to_owned(),
            None,
        ),
        Kind::PropertyNames { .. } => ("has a property whose name is not allowed".to_owned(), None),
        Kind::AdditionalItems { limit } => {
            counted("at most", u64::try_from(*limit).unwrap_or(u64::MAX), "item")
        }
        other => (
            format!("does not fit the keyword `{}`", other.keyword()),
            None,
        ),
    }
}

fn counted(words: &str, limit: u64, thing: &str) -> (String, Option<String>) {
    let things = match (thing, limit) {
        (thing, 1) => thing.to_owned(),
        ("property", _) => "properties".to_owned(),
        (thing, _) => format!("{thing}s"),
    };
    let expected = format!("{words} {limit} {things}");
    (format!("must have {expected}"), Some(expected))
}

fn listed(value: &Value) -> String {
    short(&value.to_string(), 60)
}

fn short(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
