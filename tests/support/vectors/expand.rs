use serde_json::{Map, Value};

/// Writes out the compact forms `$repeat`, `$concat`, `$b64` and `$b64hex`, at any depth and nested in each other.
///
/// An object that only looks like a compact form is kept as it is.
#[must_use]
pub fn expand(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(expand).collect()),
        Value::Object(map) => compact(map).map_or_else(
            || {
                let entries = map.iter().map(|(key, value)| (key.clone(), expand(value)));
                Value::Object(entries.collect())
            },
            Value::String,
        ),
        other => other.clone(),
    }
}

fn compact(map: &Map<String, Value>) -> Option<String> {
    let mut entries = map.iter();
    let (key, value) = entries.next().filter(|_| map.len() == 1)?;
    match key.as_str() {
        "$repeat" => match value.as_array()?.as_slice() {
            [text, count] => {
                let count = usize::try_from(count.as_u64()?).ok()?;
                Some(expand(text).as_str()?.repeat(count))
            }
            _ => None,
        },
        "$concat" => {
            let parts = value.as_array()?.iter().map(expand);
            parts.map(|part| part.as_str().map(str::to_owned)).collect()
        }
        "$b64" => Some(base64_simd::STANDARD.encode_to_string(expand(value).as_str()?)),
        "$b64hex" => {
            let bytes = hex(expand(value).as_str()?)?;
            Some(base64_simd::STANDARD.encode_to_string(bytes))
        }
        _ => None,
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .chars()
        .map(|digit| {
            digit
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
        })
        .collect::<Option<_>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty()
        .then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn compact_forms_are_written_out_and_nest() {
        let cases = [
            (json!({"$repeat": ["ab", 3]}), json!("ababab")),
            (
                json!({"$concat": ["a", {"$repeat": ["é", 2]}]}),
                json!("aéé"),
            ),
            (json!({"$b64": "hello"}), json!("aGVsbG8=")),
            (json!({"$b64": {"$repeat": ["a", 3]}}), json!("YWFh")),
            (json!({"$b64hex": "00fF"}), json!("AP8=")),
            (
                json!([{"text": {"$repeat": ["x", 0]}}]),
                json!([{"text": ""}]),
            ),
        ];
        for (given, want) in cases {
            assert_eq!(expand(&given), want, "given {given}");
        }
    }

    #[test]
    fn what_only_looks_compact_is_kept() {
        let cases = [
            json!({"$repeat": ["a", -1]}),
            json!({"$repeat": ["a", 2], "b": 1}),
            json!({"$b64hex": "0"}),
            json!({"$concat": [1]}),
            json!({"$ref": "#/$defs/A"}),
            json!({}),
        ];
        for given in cases {
            assert_eq!(expand(&given), given);
        }
    }
}
