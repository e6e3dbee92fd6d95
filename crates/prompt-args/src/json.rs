//! The reader of lines that are a JSON object.

use alloc::borrow::{Cow, ToOwned as _};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use serde_core::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::arguments::{Argument, Arguments};
use crate::error::{ParseError, ParseErrorKind};

pub(crate) fn parse(line: &str) -> Result<Arguments<'_>, ParseError> {
    // What JSON calls white space is less than what people type around a line.
    let start = line.len() - line.trim_start().len();
    let text = line.trim();
    let object: Object<'_> =
        serde_json::from_str(text).map_err(|error| invalid(line, start, &error))?;
    let mut all = Vec::with_capacity(object.0.len());
    let mut end = start;
    for (name, raw) in object.0 {
        let raw = raw.get();
        // The value borrows from the line, so the difference of addresses is its place.
        let at = (raw.as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
        let name_span = quoted(line, end..at);
        end = at + raw.len();
        let value = if raw.starts_with('"') {
            let value: Str<'_> =
                serde_json::from_str(raw).map_err(|error| invalid(line, at, &error))?;
            value.0
        } else {
            compact(raw)
        };
        all.push(Argument {
            name,
            value,
            name_span,
            value_span: at..end,
        });
    }
    Ok(Arguments::new(all))
}

/// From the first to the last `"` of `range`.
fn quoted(line: &str, range: Range<usize>) -> Range<usize> {
    let between = line.get(range.clone()).unwrap_or_default();
    match (between.find('"'), between.rfind('"')) {
        (Some(first), Some(last)) => range.start + first..range.start + last + 1,
        _ => range.end..range.end,
    }
}

/// Valid JSON without the white space between its tokens.
fn compact(json: &str) -> Cow<'_, str> {
    if !json.contains([' ', '\t', '\n', '\r']) {
        return Cow::Borrowed(json);
    }
    let mut compact = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in json.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = in_string,
            '"' => in_string = !in_string,
            ' ' | '\t' | '\n' | '\r' if !in_string => continue,
            _ => {}
        }
        compact.push(c);
    }
    Cow::Owned(compact)
}

fn invalid(line: &str, start: usize, error: &serde_json::Error) -> ParseError {
    let text = line.get(start..).unwrap_or_default();
    let lines = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    let before: usize = lines.map(str::len).sum();
    let mut at = (start + before + error.column().saturating_sub(1)).min(line.len());
    while !line.is_char_boundary(at) {
        at = at.saturating_sub(1);
    }
    let c = line.get(at..).and_then(|rest| rest.chars().next());
    let message = alloc::format!("{error}");
    let message = message
        .rsplit_once(" at line ")
        .map_or(&*message, |(message, _)| message);
    ParseError::new(
        ParseErrorKind::InvalidJson,
        at..at + c.map_or(0, char::len_utf8),
        alloc::format!("not a JSON object: {message}"),
        "a line that starts with { must be one JSON object, such as {\"name\": \"value\"}",
    )
}

/// The members of an object in order, repeats included.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<Str<'de>, &'de RawValue>()? {
                    members.push((name.0, value));
                }
                Ok(Object(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// A string, borrowed where it has no escapes.
struct Str<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Str<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Str<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: serde_core::de::Error>(
                self,
                text: &'de str,
            ) -> Result<Self::Value, E> {
                Ok(Str(Cow::Borrowed(text)))
            }

            fn visit_str<E: serde_core::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Str(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Text)
    }
}
