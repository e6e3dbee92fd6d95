use std::cmp::Ordering;

use serde_json::{Number, Value};

use crate::command_line::split_conditions;
use crate::glob::Glob;
use crate::kinds::List;

/// Longer strings are not searched: an allow rule does not match them, a deny or ask rule does.
const MAX_TEXT_BYTES: usize = 16_384;

/// One condition on the arguments, such as `path=/srv/**` or `/options/depth<=5`.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pointer: String,
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    Equals(Value),
    Text {
        glob: Glob,
        literal: String,
        number: Option<Number>,
    },
    Not(Box<Test>),
    Range {
        from: Option<Bound>,
        to: Option<Bound>,
    },
}

#[derive(Clone, Debug)]
struct Bound {
    number: Number,
    inclusive: bool,
}

impl Condition {
    /// Reads what stands between the parentheses of a rule; nothing and `*` are no condition at all.
    pub(crate) fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        if matches!(text.trim(), "" | "*") {
            return Ok(Vec::new());
        }
        split_conditions(text).map(Self::parse).collect()
    }

    fn parse(text: &str) -> Result<Self, String> {
        let (pointer, rest) = read_key(text)?;
        let (operator, value) = ["!=", "<=", ">=", "=", "<", ">"]
            .into_iter()
            .find_map(|operator| Some((operator, rest.strip_prefix(operator)?.trim())))
            .ok_or_else(|| format!("`{text}` is no condition: write `name=value`"))?;
        let bound = |inclusive| match number(value) {
            Some(number) => Ok(Some(Bound { number, inclusive })),
            None => Err(format!(
                "`{text}` compares with something that is no number"
            )),
        };
        let test = match operator {
            "=" => Test::read(value)?,
            "!=" => Test::Not(Box::new(Test::read(value)?)),
            "<" => Test::Range {
                from: None,
                to: bound(false)?,
            },
            "<=" => Test::Range {
                from: None,
                to: bound(true)?,
            },
            ">" => Test::Range {
                from: bound(false)?,
                to: None,
            },
            _ => Test::Range {
                from: bound(true)?,
                to: None,
            },
        };
        Ok(Self { pointer, test })
    }

    /// Whether `arguments` fit. In doubt an allow rule does not match, and a deny or ask rule does.
    pub(crate) fn holds(&self, arguments: &Value, list: List) -> bool {
        match arguments.pointer(&self.pointer) {
            Some(value) => self.test.holds(value, list),
            None => matches!(self.test, Test::Not(_)) && list != List::Allow,
        }
    }
}

impl Test {
    fn read(value: &str) -> Result<Self, String> {
        if value.starts_with(['"', '[', '{']) {
            return serde_json::from_str(value)
                .map(Self::Equals)
                .map_err(|_| format!("`{value}` is not valid JSON"));
        }
        if let Some((from, to)) = value.split_once("..")
            && (number(from).is_some() || from.is_empty())
            && (number(to).is_some() || to.is_empty())
            && !(from.is_empty() && to.is_empty())
        {
            let bound = |text| {
                number(text).map(|number| Bound {
                    number,
                    inclusive: true,
                })
            };
            return Ok(Self::Range {
                from: bound(from),
                to: bound(to),
            });
        }
        match value {
            "true" | "false" => Ok(Self::Equals(Value::Bool(value == "true"))),
            "null" => Ok(Self::Equals(Value::Null)),
            _ => Ok(Self::Text {
                glob: Glob::of_path(value),
                literal: value.to_owned(),
                number: number(value),
            }),
        }
    }

    fn holds(&self, value: &Value, list: List) -> bool {
        match self {
            Self::Equals(want) => same(want, value),
            Self::Not(test) => {
                // "In doubt" turns around under a negation.
                let turned = if list == List::Allow {
                    List::Deny
                } else {
                    List::Allow
                };
                !test.holds(value, turned)
            }
            Self::Range { from, to } => match value {
                Value::Number(value) => {
                    from.as_ref()
                        .is_none_or(|bound| bound.admits(value, Ordering::Greater))
                        && to
                            .as_ref()
                            .is_none_or(|bound| bound.admits(value, Ordering::Less))
                }
                _ => list != List::Allow,
            },
            Self::Text {
                glob,
                literal,
                number,
            } => match value {
                Value::String(text) if text.len() > MAX_TEXT_BYTES => list != List::Allow,
                Value::String(text) if text == literal => true,
                Value::String(text) => {
                    let climbs = climbs(text);
                    match list {
                        // `/srv/../etc` lies outside `/srv`, whatever the letters say.
                        List::Allow => !climbs && glob.matches(text),
                        List::Deny | List::Ask => {
                            glob.matches(text) || (climbs && glob.matches(&flattened(text)))
                        }
                    }
                }
                Value::Number(value) => number
                    .as_ref()
                    .is_some_and(|want| compare(want, value) == Some(Ordering::Equal)),
                Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => {
                    glob.is_any()
                        || (list != List::Allow && value.is_array() && self.any_item(value, list))
                }
            },
        }
    }

    /// A deny rule for one path also covers a list that names it.
    fn any_item(&self, value: &Value, list: List) -> bool {
        let items = value.as_array().into_iter().flatten();
        items
            .filter(|item| item.is_string())
            .any(|item| self.holds(item, list))
    }
}

impl Bound {
    fn admits(&self, value: &Number, side: Ordering) -> bool {
        compare(value, &self.number)
            .is_some_and(|order| order == side || (self.inclusive && order == Ordering::Equal))
    }
}

fn read_key(text: &str) -> Result<(String, &str), String> {
    let text = text.trim_start();
    if text.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
        if let Some(Ok(key)) = values.next()
            && let Some(rest) = text.get(values.byte_offset()..)
        {
            return Ok((pointer_to(&key), rest.trim_start()));
        }
        return Err(format!("`{text}` has an unfinished name"));
    }
    let end = text.find(['=', '!', '<', '>']).unwrap_or(text.len());
    let (key, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let key = key.trim_end();
    match key.chars().next() {
        None => Err(format!("`{text}` names no argument")),
        Some('/') => Ok((key.to_owned(), rest)),
        Some(_) => Ok((pointer_to(key), rest)),
    }
}

fn pointer_to(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn number(text: &str) -> Option<Number> {
    match serde_json::from_str(text.trim()) {
        Ok(Value::Number(number)) => Some(number),
        _ => None,
    }
}

/// Exact for integers of up to 128 bits; everything else as a double.
fn compare(left: &Number, right: &Number) -> Option<Ordering> {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            compare(left, right) == Some(Ordering::Equal)
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, left)| right.get(key).is_some_and(|right| same(left, right)))
        }
        _ => left == right,
    }
}

/// Whether a path goes up, also when the dots are percent-encoded, or could end early at a NUL.
fn climbs(text: &str) -> bool {
    text.contains('\0')
        || text.split(['/', '\\']).any(|segment| {
            let plain = segment.to_ascii_lowercase().replace("%2e", ".");
            plain == ".." || plain == "." || plain.contains("%2f") || plain.contains("%5c")
        })
}

/// The path without `.` and `..`, so that a deny rule finds what a detour leads to.
fn flattened(text: &str) -> String {
    let plain = text
        .replace('\\', "/")
        .replace("%2e", ".")
        .replace("%2E", ".");
    let mut kept: Vec<&str> = Vec::new();
    for segment in plain.split('/') {
        match segment {
            "." => {}
            ".." => {
                if kept.last().is_some_and(|last| !last.is_empty()) {
                    kept.pop();
                }
            }
            segment => kept.push(segment),
        }
    }
    kept.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn holds(text: &str, arguments: &Value) -> (bool, bool) {
        let conditions = Condition::parse_all(text).unwrap();
        let all = |list| conditions.iter().all(|c| c.holds(arguments, list));
        (all(List::Allow), all(List::Deny))
    }

    #[test]
    fn conditions_look_at_arguments() {
        let cases = [
            // condition, arguments, (allow matches, deny matches)
            ("", json!({}), (true, true)),
            ("*", json!(null), (true, true)),
            ("path=/srv/**", json!({"path": "/srv/a/b"}), (true, true)),
            ("path=/srv/*", json!({"path": "/srv/a/b"}), (false, false)),
            (
                "path=/srv/**",
                json!({"path": "/srv/../etc"}),
                (false, true),
            ),
            (
                "path=/etc/**",
                json!({"path": "/srv/../etc/passwd"}),
                (false, true),
            ),
            (
                "path=/etc/**",
                json!({"path": ["/tmp/a", "/etc/passwd"]}),
                (false, true),
            ),
            ("path=/srv/**", json!({}), (false, false)),
            ("/a/b=1", json!({"a": {"b": 1}}), (true, true)),
            ("n=1", json!({"n": "1"}), (true, true)),
            ("n=1", json!({"n": 1.0}), (true, true)),
            ("n=1..10", json!({"n": 10}), (true, true)),
            ("n=1..10", json!({"n": 11}), (false, false)),
            ("n<10", json!({"n": 10}), (false, false)),
            ("n<10", json!({"n": "many"}), (false, true)),
            ("n!=3", json!({"n": 4}), (true, true)),
            ("n!=3", json!({"n": 3}), (false, false)),
            ("on=true", json!({"on": true}), (true, true)),
            (r#"s="a*", n>1"#, json!({"s": "a*", "n": 2}), (true, true)),
            (r#"s="a*""#, json!({"s": "ab"}), (false, false)),
            (r#""a=b"=1"#, json!({"a=b": 1}), (true, true)),
            ("l=[1,2]", json!({"l": [1, 2]}), (true, true)),
        ];
        for (text, arguments, want) in cases {
            assert_eq!(holds(text, &arguments), want, "{text} on {arguments}");
        }
    }

    #[test]
    fn big_integers_are_told_apart() {
        let arguments = serde_json::from_str(r#"{"n": 9007199254740993}"#).unwrap();
        assert_eq!(holds("n=9007199254740992", &arguments), (false, false));
    }

    #[test]
    fn what_is_no_condition_says_why() {
        let cases = [
            ("x", "`x` is no condition: write `name=value`"),
            ("=1", "`=1` names no argument"),
            ("n<x", "`n<x` compares with something that is no number"),
            ("n=[1", "`[1` is not valid JSON"),
        ];
        for (given, want) in cases {
            assert_eq!(Condition::parse_all(given).unwrap_err(), want);
        }
    }
}
