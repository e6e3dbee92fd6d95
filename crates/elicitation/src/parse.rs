use std::cmp::Ordering;

use serde_json::{Number, Value};

use crate::error::{FieldError, FieldProblem};
use crate::field::{Choice, Field, Kind, NumberRules, TextRules};
use crate::formats;

/// A longer text for a number is refused before it is read.
const MAX_NUMBER_BYTES: usize = 400;

impl Field {
    /// Reads what a person typed; nothing if they left an optional field empty that takes no empty text.
    ///
    /// Text is taken as it is. Numbers are plain digits, with spaces around them if need be; `yes`, `y`, `true`, `1` and
    /// their opposites are truth values. A choice is typed as its value or as its title. Lists are typed with commas, or
    /// as a JSON array.
    ///
    /// # Errors
    ///
    /// [`FieldError`], which says what is missing from a fitting value; ask again.
    pub fn parse(&self, text: &str) -> Result<Option<Value>, FieldError> {
        let refuse = |problem| FieldError::new(&self.name, problem);
        let takes_empty = matches!(self.kind, Kind::Text(_) | Kind::Choice(_));
        // An empty line leaves an optional field out, where it could not be the value either.
        let fits_nothing = match &self.kind {
            Kind::Text(rules) => rules.format.is_some() && !self.is_required,
            _ => !takes_empty,
        };
        if text.trim().is_empty() && fits_nothing {
            return if self.is_required {
                Err(refuse(FieldProblem::Missing))
            } else {
                Ok(None)
            };
        }
        let value = match &self.kind {
            Kind::Text(_) => Value::String(text.to_owned()),
            Kind::Integer(_) => integer(text)
                .map(Value::Number)
                .ok_or_else(|| refuse(FieldProblem::NotInteger))?,
            Kind::Number(_) => number(text)
                .map(Value::Number)
                .ok_or_else(|| refuse(FieldProblem::NotNumber))?,
            Kind::Boolean => {
                Value::Bool(boolean(text).ok_or_else(|| refuse(FieldProblem::NotBoolean))?)
            }
            Kind::Choice(choices) => {
                if text.is_empty() && !self.is_required && choose(choices, text).is_none() {
                    return Ok(None);
                }
                choose(choices, text).ok_or_else(|| refuse(FieldProblem::NotChoice))?
            }
            Kind::Choices { choices, .. } => {
                let chosen = items(text)
                    .iter()
                    .map(|item| choose_item(choices, item))
                    .collect::<Option<Vec<_>>>();
                Value::Array(chosen.ok_or_else(|| refuse(FieldProblem::NotChoice))?)
            }
            Kind::Texts { .. } => Value::Array(items(text)),
            Kind::Json(_) => {
                serde_json::from_str(text).map_err(|_| refuse(FieldProblem::NotJson))?
            }
        };
        self.rules(&value).map_err(refuse)?;
        Ok(Some(value))
    }

    /// Checks a value that came as JSON; a text for a field that takes no text is read as if typed.
    ///
    /// # Errors
    ///
    /// [`FieldError`] if it does not fit.
    pub fn check(&self, value: &Value) -> Result<Option<Value>, FieldError> {
        let is_text_kind = matches!(self.kind, Kind::Text(_) | Kind::Choice(_));
        match value {
            Value::Null if self.is_nullable => Ok(Some(Value::Null)),
            Value::Null if !self.is_required && !matches!(self.kind, Kind::Json(_)) => Ok(None),
            Value::String(text) if !is_text_kind && !matches!(self.kind, Kind::Json(_)) => {
                self.parse(text)
            }
            value => self
                .rules(value)
                .map(|()| Some(value.clone()))
                .map_err(|problem| FieldError::new(&self.name, problem)),
        }
    }

    /// `value`, if it fits as it is.
    pub(crate) fn fits(&self, value: &Value) -> Option<Value> {
        let fits = (value.is_null() && self.is_nullable) || self.rules(value).is_ok();
        fits.then(|| value.clone())
    }

    fn rules(&self, value: &Value) -> Result<(), FieldProblem> {
        match &self.kind {
            Kind::Text(rules) => text_rules(rules, value.as_str().ok_or(FieldProblem::NotText)?),
            Kind::Integer(rules) => {
                let number = value
                    .as_number()
                    .filter(|number| is_whole(number))
                    .ok_or(FieldProblem::NotInteger)?;
                number_rules(rules, number)
            }
            Kind::Number(rules) => {
                number_rules(rules, value.as_number().ok_or(FieldProblem::NotNumber)?)
            }
            Kind::Boolean => value
                .is_boolean()
                .then_some(())
                .ok_or(FieldProblem::NotBoolean),
            Kind::Choice(choices) => is_choice(choices, value)
                .then_some(())
                .ok_or(FieldProblem::NotChoice),
            Kind::Choices {
                choices,
                min_items,
                max_items,
            } => {
                let items = value.as_array().ok_or(FieldProblem::NotList)?;
                if !items.iter().all(|item| is_choice(choices, item)) {
                    return Err(FieldProblem::NotChoice);
                }
                // Each item is a choice, so a list without repetitions is no longer than the choices.
                let is_repeated = items.len() > choices.len()
                    || items
                        .iter()
                        .enumerate()
                        .any(|(index, item)| items.iter().take(index).any(|other| other == item));
                if is_repeated {
                    return Err(FieldProblem::Repeated);
                }
                count(items.len(), *min_items, *max_items)
            }
            Kind::Texts {
                min_items,
                max_items,
            } => {
                let items = value.as_array().ok_or(FieldProblem::NotList)?;
                if !items.iter().all(Value::is_string) {
                    return Err(FieldProblem::NotText);
                }
                count(items.len(), *min_items, *max_items)
            }
            Kind::Json(schema) => has_type(schema, value)
                .then_some(())
                .ok_or(FieldProblem::NotJson),
        }
    }
}

fn text_rules(rules: &TextRules, text: &str) -> Result<(), FieldProblem> {
    let chars = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    if let Some(min) = rules.min_chars.filter(|min| chars < *min) {
        return Err(FieldProblem::TooShort(min));
    }
    if let Some(max) = rules.max_chars.filter(|max| chars > *max) {
        return Err(FieldProblem::TooLong(max));
    }
    // An empty text is the answer of somebody who left a field empty; whether it may be is for the lengths to say.
    if text.is_empty() {
        return Ok(());
    }
    if let Some(format) = rules.format.filter(|format| !formats::fits(*format, text)) {
        return Err(FieldProblem::Format(format));
    }
    match &rules.pattern {
        Some(pattern) if !formats::matches(pattern, text) => {
            Err(FieldProblem::Pattern(pattern.clone()))
        }
        _ => Ok(()),
    }
}

fn number_rules(rules: &NumberRules, number: &Number) -> Result<(), FieldProblem> {
    let keeps = |bound: &Option<Number>,
                 allowed: &[Ordering],
                 problem: fn(String) -> FieldProblem| match bound {
        Some(bound) if !compare(number, bound).is_some_and(|order| allowed.contains(&order)) => {
            Err(problem(bound.to_string()))
        }
        _ => Ok(()),
    };
    keeps(
        &rules.minimum,
        &[Ordering::Greater, Ordering::Equal],
        FieldProblem::TooSmall,
    )?;
    keeps(
        &rules.maximum,
        &[Ordering::Less, Ordering::Equal],
        FieldProblem::TooLarge,
    )?;
    keeps(
        &rules.exclusive_minimum,
        &[Ordering::Greater],
        FieldProblem::NotAbove,
    )?;
    keeps(
        &rules.exclusive_maximum,
        &[Ordering::Less],
        FieldProblem::NotBelow,
    )
}

fn compare(left: &Number, right: &Number) -> Option<Ordering> {
    let whole = |number: &Number| number.to_string().parse::<i128>().ok();
    match whole(left).zip(whole(right)) {
        Some((left, right)) => Some(left.cmp(&right)),
        None => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

fn is_whole(number: &Number) -> bool {
    let text = number.to_string();
    !text.contains(['.', 'e', 'E'])
        || number
            .as_f64()
            .is_some_and(|value| value.is_finite() && value.fract() == 0.0)
}

fn integer(text: &str) -> Option<Number> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty()
        || digits.len() > MAX_NUMBER_BYTES
        || !digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    let sign = if text.starts_with('-') && digits != "0" {
        "-"
    } else {
        ""
    };
    serde_json::from_str(&format!("{sign}{digits}")).ok()
}

fn number(text: &str) -> Option<Number> {
    let text = text.trim();
    if text.len() > MAX_NUMBER_BYTES {
        return None;
    }
    let plain = text
        .strip_prefix('+')
        .filter(|rest| !rest.starts_with(['+', '-']))
        .unwrap_or(text);
    let number: Number = serde_json::from_str(plain).ok()?;
    number
        .as_f64()
        .is_some_and(f64::is_finite)
        .then_some(number)
}

fn boolean(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "yes" | "y" | "true" | "1" => Some(true),
        "no" | "n" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// The choice of this value, else the only one of this title.
fn choose(choices: &[Choice], text: &str) -> Option<Value> {
    if let Some(choice) = choices.iter().find(|choice| choice.text() == text) {
        return Some(choice.value.clone());
    }
    let mut titled = choices
        .iter()
        .filter(|choice| choice.title.as_deref() == Some(text));
    match (titled.next(), titled.next()) {
        (Some(choice), None) => Some(choice.value.clone()),
        _ => None,
    }
}

fn choose_item(choices: &[Choice], item: &Value) -> Option<Value> {
    if is_choice(choices, item) {
        return Some(item.clone());
    }
    choose(choices, item.as_str()?)
}

fn is_choice(choices: &[Choice], value: &Value) -> bool {
    choices.iter().any(|choice| match (&choice.value, value) {
        (Value::Number(one), Value::Number(other)) => compare(one, other) == Some(Ordering::Equal),
        (one, other) => one == other,
    })
}

fn items(text: &str) -> Vec<Value> {
    if let Ok(Value::Array(items)) = serde_json::from_str(text) {
        return items;
    }
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(|item| Value::String(item.to_owned()))
        .collect()
}

fn count(len: usize, min: Option<u64>, max: Option<u64>) -> Result<(), FieldProblem> {
    let len = u64::try_from(len).unwrap_or(u64::MAX);
    match (min.filter(|min| len < *min), max.filter(|max| len > *max)) {
        (Some(min), _) => Err(FieldProblem::TooFew(min)),
        (_, Some(max)) => Err(FieldProblem::TooMany(max)),
        (None, None) => Ok(()),
    }
}

/// Whether the type is the one that the schema names, if it names one; the rest is the server's to check.
fn has_type(schema: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("number") => value.is_number(),
        Some("integer") => value.as_number().is_some_and(is_whole),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        _ => true,
    };
    match schema.get("type") {
        None => true,
        Some(Value::Array(names)) => names.iter().any(is),
        Some(name) => is(name),
    }
}
