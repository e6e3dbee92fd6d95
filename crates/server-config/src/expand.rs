//! `${VAR}` in configuration strings.

use serde_json::Value;

/// A text or value with its variables put in.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Expanded<T> {
    /// The text or value; a reference that could not be resolved stands as it was.
    pub value: T,
    /// The variables that are not set and have no default, one entry for each place, in order.
    pub missing: Vec<String>,
    /// Places that look like a reference and cannot be one, e.g. a default that holds a reference of its own.
    pub malformed: Vec<String>,
}

/// Puts variables into one text, in one pass: what is put in is never read again.
///
/// `${NAME}` is the value of a variable that is set, even if it is empty. `${NAME:-default}` is the default where the
/// variable is empty or not set; the default ends at the first `}` and stays on one line. `${env:NAME}` is `${NAME}`.
/// Everything else stays as it is.
///
/// ```
/// let lookup = |name: &str| (name == "HOST").then(|| "db.example".to_owned());
/// let url = mcp_bridge_server_config::expand("https://${HOST}:${PORT:-443}/${TOKEN}", &lookup);
/// assert_eq!(url.value, "https://db.example:443/${TOKEN}");
/// assert_eq!(url.missing, ["TOKEN"]);
/// ```
pub fn expand(text: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Expanded<String> {
    let mut expanded = Expanded {
        value: String::with_capacity(text.len()),
        missing: Vec::new(),
        malformed: Vec::new(),
    };
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        expanded.value.push_str(before);
        match Reference::read(after) {
            Some((reference, behind)) => {
                expanded.put_in(&reference, lookup);
                rest = behind;
            }
            None => {
                expanded.value.push_str("${");
                rest = after;
            }
        }
    }
    expanded.value.push_str(rest);
    expanded
}

/// As [`expand`], in every string of a JSON value; keys stay as they are.
pub fn expand_json(value: &Value, lookup: &dyn Fn(&str) -> Option<String>) -> Expanded<Value> {
    let mut missing = Vec::new();
    let mut malformed = Vec::new();
    let value = walk(value, lookup, &mut missing, &mut malformed);
    Expanded {
        value,
        missing,
        malformed,
    }
}

fn walk(
    value: &Value,
    lookup: &dyn Fn(&str) -> Option<String>,
    missing: &mut Vec<String>,
    malformed: &mut Vec<String>,
) -> Value {
    match value {
        Value::String(text) => {
            let expanded = expand(text, lookup);
            missing.extend(expanded.missing);
            malformed.extend(expanded.malformed);
            Value::String(expanded.value)
        }
        Value::Array(items) => {
            let items = items.iter();
            items
                .map(|item| walk(item, lookup, missing, malformed))
                .collect()
        }
        Value::Object(members) => members
            .iter()
            .map(|(key, item)| (key.clone(), walk(item, lookup, missing, malformed)))
            .collect(),
        other => other.clone(),
    }
}

/// One `${…}`, as it stands behind its opening.
struct Reference<'a> {
    name: &'a str,
    default: Option<&'a str>,
    whole: &'a str,
}

impl<'a> Reference<'a> {
    fn read(after: &'a str) -> Option<(Self, &'a str)> {
        let (whole, behind) = after.split_once('}')?;
        let (name, default) = match whole.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (whole, None),
        };
        let name = name.strip_prefix("env:").unwrap_or(name);
        let is_one_line = default.is_none_or(|default| !default.contains('\n'));
        let reference = Self {
            name,
            default,
            whole,
        };
        (is_name(name) && is_one_line).then_some((reference, behind))
    }
}

impl Expanded<String> {
    fn put_in(&mut self, reference: &Reference<'_>, lookup: &dyn Fn(&str) -> Option<String>) {
        let value = lookup(reference.name);
        match (value, reference.default) {
            (Some(value), None) => self.value.push_str(&value),
            (Some(value), Some(_)) if !value.is_empty() => self.value.push_str(&value),
            (_, Some(default)) => {
                if default.contains("${") {
                    self.malformed.push(format!("${{{}}}", reference.whole));
                }
                self.value.push_str(default);
            }
            (None, None) => {
                self.missing.push(reference.name.to_owned());
                self.value.push_str("${");
                self.value.push_str(reference.whole);
                self.value.push('}');
            }
        }
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lookup(name: &str) -> Option<String> {
        match name {
            "A" => Some("alpha".to_owned()),
            "EMPTY" => Some(String::new()),
            "REF" => Some("${A}".to_owned()),
            _ => None,
        }
    }

    #[test]
    fn references_are_put_in_once() {
        let cases: [(&str, &str, &[&str]); 14] = [
            ("", "", &[]),
            ("x${A}y${A}", "xalphayalpha", &[]),
            ("${env:A}", "alpha", &[]),
            ("${REF}", "${A}", &[]),
            ("${EMPTY}", "", &[]),
            ("${EMPTY:-d}", "d", &[]),
            ("${NO:-d}", "d", &[]),
            ("${NO:-}", "", &[]),
            ("${NO:-a:-b}", "a:-b", &[]),
            ("${NO} ${env:NO}", "${NO} ${env:NO}", &["NO", "NO"]),
            ("${NO:-a\nb}", "${NO:-a\nb}", &[]),
            ("${1A}${}${A-d}${A", "${1A}${}${A-d}${A", &[]),
            ("$A %A% $${A}", "$A %A% $alpha", &[]),
            ("${${A}}", "${alpha}", &[]),
        ];
        for (text, want, missing) in cases {
            let expanded = expand(text, &lookup);
            assert_eq!(
                (&*expanded.value, &*expanded.missing),
                (
                    want,
                    &*missing
                        .iter()
                        .map(|name| (*name).to_owned())
                        .collect::<Vec<_>>()
                ),
                "text {text:?}"
            );
        }
    }

    #[test]
    fn a_default_with_a_reference_of_its_own_is_told() {
        let expanded = expand("${NO:-x${A}y}", &lookup);
        assert_eq!(expanded.malformed, ["${NO:-x${A}"]);
        assert_eq!(expand("${A:-x${A}y}", &lookup).value, "alphay}");
    }

    #[test]
    fn strings_anywhere_in_a_value_are_expanded() {
        let value = json!({"${A}": ["${A}", {"k": "${NO}"}], "n": 3});
        let expanded = expand_json(&value, &lookup);
        assert_eq!(
            expanded.value,
            json!({"${A}": ["alpha", {"k": "${NO}"}], "n": 3})
        );
        assert_eq!(expanded.missing, ["NO"]);
    }
}
