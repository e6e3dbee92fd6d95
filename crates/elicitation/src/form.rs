use serde_json::{Map, Value};

use crate::error::{Error, ErrorKind, FieldError, FieldProblem};
use crate::field::{Choice, Field, Format, Kind, NumberRules, TextRules};

/// More fields than this are no question that anybody answers.
const MAX_FIELDS: usize = 200;

/// More choices than this are none either.
const MAX_CHOICES: usize = 2_000;

/// A question of some fields.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Form {
    message: String,
    fields: Vec<Field>,
}

impl Form {
    /// Reads the schema of a form; null stands for a form without fields.
    ///
    /// What the protocol does not foresee becomes a field that takes JSON, so that one odd property does not void a form.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`] if the schema or its properties are no object, or are too many.
    pub fn new(message: impl Into<String>, schema: &Value) -> Result<Self, Error> {
        let refuse = |message: &str| Error::new(ErrorKind::InvalidRequest, message);
        let message = message.into();
        let properties = match schema {
            Value::Null => None,
            Value::Object(schema) => schema
                .get("properties")
                .filter(|properties| !properties.is_null()),
            _ => return Err(refuse("the schema of a form is no object")),
        };
        let Some(properties) = properties else {
            return Ok(Self {
                message,
                fields: Vec::new(),
            });
        };
        let properties = properties
            .as_object()
            .ok_or_else(|| refuse("the properties of a form are no object"))?;
        if properties.len() > MAX_FIELDS {
            return Err(refuse("a form of too many fields"));
        }
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let fields = properties
            .iter()
            .map(|(name, schema)| field(name, schema, required.contains(&name.as_str())));
        Ok(Self {
            message,
            fields: fields.collect::<Result<_, _>>()?,
        })
    }

    /// Why it is asked; as the server wrote it.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What is asked, in the server's order.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The values that fields have before anybody touches them.
    #[must_use]
    pub fn defaults(&self) -> Map<String, Value> {
        let known = |field: &Field| Some((field.name.clone(), field.default.clone()?));
        self.fields.iter().filter_map(known).collect()
    }

    /// Checks a whole answer: values of known fields are kept, in the form's order; others are dropped.
    ///
    /// A text for a field that takes no text is read as if it had been typed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidAnswer`] with each field that does not fit.
    pub fn check(&self, content: &Map<String, Value>) -> Result<Map<String, Value>, Error> {
        let mut checked = Map::new();
        let mut problems = Vec::new();
        for field in &self.fields {
            let value = match content.get(&field.name) {
                None => Ok(None),
                Some(value) => field.check(value),
            };
            match value {
                Ok(Some(value)) => {
                    checked.insert(field.name.clone(), value);
                }
                Ok(None) if field.is_required => {
                    problems.push(FieldError::new(&field.name, FieldProblem::Missing))
                }
                Ok(None) => {}
                Err(problem) => problems.push(problem),
            }
        }
        if problems.is_empty() {
            Ok(checked)
        } else {
            Err(Error::fields_invalid(problems))
        }
    }
}

fn field(name: &str, schema: &Value, is_required: bool) -> Result<Field, Error> {
    let (inner, is_nullable) = without_null(schema);
    let text = |key: &str| {
        let own = schema.get(key).or_else(|| inner.get(key));
        own.and_then(Value::as_str).map(str::to_owned)
    };
    let mut field = Field {
        name: name.to_owned(),
        title: text("title"),
        description: text("description"),
        is_required,
        is_nullable,
        default: None,
        kind: kind(inner, is_nullable)?,
    };
    let default = schema.get("default").or_else(|| inner.get("default"));
    field.default = default.and_then(|default| field.fits(default));
    Ok(field)
}

/// The schema of a value that may be null besides, as `anyOf`, `oneOf` or a list of types says it.
fn without_null(schema: &Value) -> (&Value, bool) {
    let is_null = |schema: &Value| schema.get("type").and_then(Value::as_str) == Some("null");
    for key in ["anyOf", "oneOf"] {
        if let Some([first, second]) = schema.get(key).and_then(Value::as_array).map(Vec::as_slice)
        {
            match (is_null(first), is_null(second)) {
                (false, true) => return (first, true),
                (true, false) => return (second, true),
                _ => {}
            }
        }
    }
    let types = schema.get("type").and_then(Value::as_array);
    (
        schema,
        types.is_some_and(|types| types.iter().any(|name| name == "null")),
    )
}

fn kind(schema: &Value, is_nullable: bool) -> Result<Kind, Error> {
    if let Some(choices) = choices(schema, "oneOf")? {
        return Ok(Kind::Choice(choices));
    }
    let type_name = match schema.get("type") {
        Some(Value::Array(types)) if is_nullable && types.len() == 2 => {
            types.iter().find(|name| *name != "null")
        }
        other => other,
    };
    let is_object = schema.is_object();
    Ok(match type_name.and_then(Value::as_str) {
        Some("string") => Kind::Text(text_rules(schema)),
        Some("integer") => Kind::Integer(number_rules(schema)),
        Some("number") => Kind::Number(number_rules(schema)),
        Some("boolean") => Kind::Boolean,
        Some("array") => list(schema)?,
        None if is_object && type_name.is_none() && !is_combined(schema) => {
            Kind::Text(text_rules(schema))
        }
        _ => Kind::Json(schema.clone()),
    })
}

fn is_combined(schema: &Value) -> bool {
    [
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "properties",
        "items",
        "const",
        "not",
    ]
    .iter()
    .any(|key| schema.get(key).is_some())
}

fn list(schema: &Value) -> Result<Kind, Error> {
    let count = |key: &str| schema.get(key).and_then(Value::as_u64);
    let (min_items, max_items) = (count("minItems"), count("maxItems"));
    let items = schema.get("items").unwrap_or(&Value::Null);
    let any_of = choices(items, "anyOf")?;
    if let Some(choices) =
        any_of.map_or_else(|| choices(items, "oneOf"), |choices| Ok(Some(choices)))?
    {
        return Ok(Kind::Choices {
            choices,
            min_items,
            max_items,
        });
    }
    Ok(match items.get("type").and_then(Value::as_str) {
        Some("string") => Kind::Texts {
            min_items,
            max_items,
        },
        _ => Kind::Json(schema.clone()),
    })
}

/// The choices of `enum`, with titles from `enumNames` as older revisions have them, or of `const` and `title` under `key`.
fn choices(schema: &Value, key: &str) -> Result<Option<Vec<Choice>>, Error> {
    let title = |title: Option<&Value>| title.and_then(Value::as_str).map(str::to_owned);
    let list = |key: &str| {
        schema
            .get(key)
            .and_then(Value::as_array)
            .filter(|list| !list.is_empty())
    };
    let choices: Option<Vec<Choice>> = if let Some(values) = list("enum") {
        let names = schema.get("enumNames").and_then(Value::as_array);
        let named = |index: usize| title(names.and_then(|names| names.get(index)));
        Some(
            values
                .iter()
                .enumerate()
                .map(|(index, value)| Choice::new(value.clone(), named(index)))
                .collect(),
        )
    } else if let Some(options) = list(key) {
        options
            .iter()
            .map(|option| {
                Some(Choice::new(
                    option.get("const")?.clone(),
                    title(option.get("title")),
                ))
            })
            .collect()
    } else {
        None
    };
    match choices {
        Some(choices) if choices.len() > MAX_CHOICES => Err(Error::new(
            ErrorKind::InvalidRequest,
            "a field of too many choices",
        )),
        choices => Ok(choices),
    }
}

fn text_rules(schema: &Value) -> TextRules {
    let format = schema.get("format").and_then(Value::as_str);
    TextRules {
        min_chars: schema.get("minLength").and_then(Value::as_u64),
        max_chars: schema.get("maxLength").and_then(Value::as_u64),
        format: match format {
            Some("email") => Some(Format::Email),
            Some("uri") => Some(Format::Uri),
            Some("date") => Some(Format::Date),
            Some("date-time") => Some(Format::DateTime),
            _ => None,
        },
        pattern: schema
            .get("pattern")
            .and_then(Value::as_str)
            .map(str::to_owned),
        is_password: format == Some("password"),
    }
}

fn number_rules(schema: &Value) -> NumberRules {
    let number = |key: &str| schema.get(key).and_then(Value::as_number).cloned();
    NumberRules {
        minimum: number("minimum"),
        maximum: number("maximum"),
        exclusive_minimum: number("exclusiveMinimum"),
        exclusive_maximum: number("exclusiveMaximum"),
    }
}
