use serde_json::{Map, Number, Value};

use super::row::strings;
use super::{Outcome, Row};

/// Whether an outcome is right for its row.
///
/// # Errors
///
/// A sentence that shows what was wanted and what came.
pub fn check(row: &Row, outcome: &Outcome) -> Result<(), String> {
    match outcome {
        Outcome::Verdict(verdict) => verdict.clone(),
        Outcome::Unwired => Err("not wired".to_owned()),
        Outcome::Value(_) | Outcome::Error(_) => {
            if let Some(right) = &row.right_answer {
                return answers(row, right, outcome);
            }
            forbidden(&row.must_not_contain, outcome)?;
            let first = plain(row, outcome);
            if first.is_err() && row.accept.iter().any(|other| accepted(row, other, outcome)) {
                return Ok(());
            }
            first
        }
    }
}

/// Whether two JSON values are the same, with numbers compared by value: `1.0` is `1`, `1e3` is `1000`.
#[must_use]
pub fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => same_number(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, left)| right.get(key).is_some_and(|right| equal(left, right)))
        }
        _ => left == right,
    }
}

/// Whether `answer` fits `pattern`, in which objects may be the matchers `$any`, `$json`, `$number` and `$absent`.
#[must_use]
pub fn matches_pattern(pattern: &Value, answer: Option<&Value>) -> bool {
    if let Some((name, wanted)) = matcher(pattern) {
        return match name {
            "$any" => wanted.as_array().is_some_and(|options| {
                options.iter().any(|option| matches_pattern(option, answer))
            }),
            "$absent" => answer.is_none(),
            "$json" => parsed(answer).is_some_and(|parsed| equal(wanted, &parsed)),
            _ => match (wanted.as_str().map(serde_json::from_str), parsed(answer)) {
                (Some(Ok(Value::Number(wanted))), Some(Value::Number(given))) => {
                    same_number(&wanted, &given)
                }
                _ => false,
            },
        };
    }
    match (pattern, answer) {
        (Value::Object(pattern), Some(Value::Object(answer))) => {
            pattern
                .iter()
                .all(|(key, wanted)| matches_pattern(wanted, answer.get(key)))
                && answer.keys().all(|key| pattern.contains_key(key))
        }
        (Value::Array(pattern), Some(Value::Array(answer))) => {
            pattern.len() == answer.len()
                && pattern
                    .iter()
                    .zip(answer)
                    .all(|(wanted, given)| matches_pattern(wanted, Some(given)))
        }
        (pattern, Some(answer)) => equal(pattern, answer),
        (_, None) => false,
    }
}

/// The text of an answer that someone reads: its `public`, `content` or `text`, or else every string in it.
#[must_use]
pub fn produced_text(answer: &Value) -> String {
    let told = ["public", "content", "text"]
        .iter()
        .find_map(|key| answer.get(key).and_then(Value::as_str));
    told.map_or_else(
        || {
            let mut texts = Vec::new();
            collect(answer, &mut texts);
            texts.join("\n")
        },
        str::to_owned,
    )
}

fn plain(row: &Row, outcome: &Outcome) -> Result<(), String> {
    match (&row.expected, &row.error, outcome) {
        (Some(expected), _, Outcome::Value(answer)) => {
            let whole = |wanted: &Value| equal(wanted, answer);
            let alternatives = expected.get("any_of").and_then(Value::as_array);
            let right =
                alternatives.map_or_else(|| whole(expected), |options| options.iter().any(whole));
            right
                .then_some(())
                .ok_or_else(|| difference(expected, outcome))
        }
        (_, Some(error), Outcome::Error(kind)) => {
            // A line of arguments is refused at another place, and for another reason, by a parser that reads
            // apostrophes as text: there the refusal counts, not its kind.
            let any_kind = row.area == "prompt_args";
            (any_kind || error.get("kind").and_then(Value::as_str) == Some(kind))
                .then_some(())
                .ok_or_else(|| difference(error, outcome))
        }
        (_, Some(error), Outcome::Value(answer)) => (answer.get("error") == Some(error))
            .then_some(())
            .ok_or_else(|| difference(error, outcome)),
        (wanted, _, _) => Err(difference(wanted.as_ref().unwrap_or(&Value::Null), outcome)),
    }
}

/// An entry of `accept` names the parts that may differ from `expected`; beside an error it is a whole answer.
fn accepted(row: &Row, other: &Value, outcome: &Outcome) -> bool {
    let Outcome::Value(answer) = outcome else {
        let kind = other
            .get("error")
            .and_then(|error| error.get("kind"))
            .and_then(Value::as_str);
        return matches!(outcome, Outcome::Error(own) if kind == Some(own));
    };
    if is_form(other) {
        return answers(row, other, outcome).is_ok();
    }
    match &row.expected {
        None => matches_pattern(other, Some(answer)),
        Some(expected) => {
            let mut whole = expected.clone();
            let target = if row.area == "skills" {
                whole.pointer_mut("/commands/0")
            } else {
                Some(&mut whole)
            };
            target.is_some_and(|target| {
                overlay(target, other);
                true
            }) && matches_pattern(&whole, Some(answer))
        }
    }
}

fn overlay(target: &mut Value, parts: &Value) {
    match (target, parts) {
        (Value::Object(target), Value::Object(parts))
            if matcher(&Value::Object(parts.clone())).is_none() =>
        {
            for (key, part) in parts {
                target.insert(key.clone(), part.clone());
            }
        }
        (target, parts) => *target = parts.clone(),
    }
}

/// Checks a `right_answer`: the forms for people and machines, and for the rest the parts that it names.
fn answers(row: &Row, right: &Value, outcome: &Outcome) -> Result<(), String> {
    let Value::Object(forms) = right else {
        return Err(format!("the row's right answer is no object: {right}"));
    };
    if let Some(options) = forms.get("any_of").and_then(Value::as_array) {
        let mut reasons = Vec::new();
        for option in options {
            match answers(row, option, outcome) {
                Ok(()) => return Ok(()),
                Err(reason) => reasons.push(reason),
            }
        }
        return Err(reasons.join("; or "));
    }
    if let Some(must) = forms.get("must").and_then(Value::as_str) {
        return Err(format!("only the adapter can judge this: {must}"));
    }
    let wanted_error = forms.get("error").filter(|error| !error.is_null());
    let answer = match (outcome, wanted_error) {
        (Outcome::Error(kind), Some(error)) => {
            return (error.get("kind").and_then(Value::as_str) == Some(kind))
                .then_some(())
                .ok_or_else(|| difference(right, outcome));
        }
        (Outcome::Value(answer), None) => answer,
        _ => return Err(difference(right, outcome)),
    };
    let text = produced_text(answer);
    for key in ["must_contain", "content_contains"] {
        if let Some(missing) = strings(forms.get(key))
            .iter()
            .find(|part| !text.contains(*part))
        {
            return Err(format!("the text lacks {missing:?}: {}", short(&text)));
        }
    }
    forbidden(&strings(forms.get("must_not_contain")), outcome)?;
    forbidden(&row.must_not_contain, outcome)?;
    lists(forms, answer)?;
    let root = if row.area == "skills" {
        answer.pointer("/commands/0")
    } else {
        Some(answer)
    };
    for (key, wanted) in forms
        .iter()
        .filter(|(key, _)| !FORMS.contains(&key.as_str()))
    {
        let given = root.and_then(|root| root.get(key));
        let right = if row.area == "skills" {
            matches_parts(wanted, given)
        } else {
            matches_pattern(wanted, given)
        };
        if !right {
            return Err(format!(
                "wanted `{key}`: {}, got {}",
                short(&wanted.to_string()),
                show(outcome)
            ));
        }
    }
    Ok(())
}

/// Keys of a right answer that say something about the answer instead of being a part of it.
const FORMS: [&str; 10] = [
    "any_of",
    "content_contains",
    "enabled_server_names",
    "error",
    "must",
    "must_contain",
    "must_not_contain",
    "no_warning",
    "server_names",
    "warning_required",
];

fn is_form(value: &Value) -> bool {
    value
        .as_object()
        .is_some_and(|map| map.keys().any(|key| FORMS.contains(&key.as_str())))
}

/// The forms about the lists of an answer: its `servers` and its `warnings`.
fn lists(forms: &Map<String, Value>, answer: &Value) -> Result<(), String> {
    let items = |key: &str| {
        answer
            .get(key)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let texts = |items: Vec<Value>, key: &str| {
        let mut texts: Vec<String> = items
            .iter()
            .flat_map(|item| strings(item.get(key)))
            .collect();
        texts.sort();
        texts
    };
    let enabled = |item: &Value| item.get("disabled") != Some(&Value::Bool(true));
    let names = [
        ("server_names", texts(items("servers"), "name")),
        (
            "enabled_server_names",
            texts(
                items("servers").into_iter().filter(enabled).collect(),
                "name",
            ),
        ),
    ];
    for (key, given) in names {
        if let Some(wanted) = forms.get(key) {
            let mut wanted = strings(Some(wanted));
            wanted.sort();
            if wanted != given {
                return Err(format!("wanted {key} {wanted:?}, got {given:?}"));
            }
        }
    }
    if forms.get("warning_required") == Some(&Value::Bool(true)) && items("warnings").is_empty() {
        return Err(format!("a warning is due: {}", short(&answer.to_string())));
    }
    let codes = texts(items("warnings"), "code");
    if let Some(code) = strings(forms.get("no_warning"))
        .iter()
        .find(|code| codes.contains(code))
    {
        return Err(format!("the warning `{code}` is out of place"));
    }
    Ok(())
}

/// Like [`matches_pattern`], but an object in the pattern names only some of the keys.
fn matches_parts(pattern: &Value, answer: Option<&Value>) -> bool {
    match (pattern, answer) {
        (Value::Object(parts), Some(Value::Object(answer))) if matcher(pattern).is_none() => parts
            .iter()
            .all(|(key, wanted)| matches_parts(wanted, answer.get(key))),
        _ => matches_pattern(pattern, answer),
    }
}

fn forbidden(parts: &[String], outcome: &Outcome) -> Result<(), String> {
    let Outcome::Value(answer) = outcome else {
        return Ok(());
    };
    let text = produced_text(answer);
    match parts.iter().find(|part| text.contains(*part)) {
        Some(part) => Err(format!("{part:?} may not be in the text: {}", short(&text))),
        None => Ok(()),
    }
}

fn matcher(value: &Value) -> Option<(&str, &Value)> {
    let map = value.as_object().filter(|map| map.len() == 1)?;
    let (key, value) = map.iter().next()?;
    ["$any", "$json", "$number", "$absent"]
        .contains(&key.as_str())
        .then_some((key, value))
}

fn parsed(answer: Option<&Value>) -> Option<Value> {
    serde_json::from_str(answer?.as_str()?).ok()
}

fn same_number(left: &Number, right: &Number) -> bool {
    let (left, right) = (left.to_string(), right.to_string());
    let whole = |text: &str| !text.contains(['.', 'e', 'E']);
    if left == right {
        return true;
    }
    if whole(&left) && whole(&right) {
        return left == "-0" && right == "0" || left == "0" && right == "-0";
    }
    matches!((left.parse::<f64>(), right.parse::<f64>()), (Ok(left), Ok(right)) if left == right)
}

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(map) => map.values().for_each(|item| collect(item, texts)),
        _ => {}
    }
}

fn difference(wanted: &Value, outcome: &Outcome) -> String {
    format!(
        "wanted {}, got {}",
        short(&wanted.to_string()),
        show(outcome)
    )
}

fn show(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Value(answer) => short(&answer.to_string()),
        Outcome::Error(kind) => format!("the error `{kind}`"),
        other => format!("{other:?}"),
    }
}

fn short(text: &str) -> String {
    const SHOWN_CHARS: usize = 700;
    let mut shown: String = text.chars().take(SHOWN_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(raw: Value) -> Row {
        let area = raw["area"].as_str().unwrap_or("a").to_owned();
        let mut raw = raw;
        raw["id"] = json!("x");
        raw["area"] = json!(area);
        raw["input"] = json!(null);
        Row::read(raw, &area, false).unwrap()
    }

    #[track_caller]
    fn verdicts(raw: Value, cases: &[(Outcome, bool)]) {
        let row = row(raw);
        for (outcome, want) in cases {
            let got = check(&row, outcome);
            assert_eq!(got.is_ok(), *want, "{outcome:?} gave {got:?}");
        }
    }

    fn value(answer: Value) -> Outcome {
        Outcome::Value(answer)
    }

    fn error(kind: &str) -> Outcome {
        Outcome::Error(kind.to_owned())
    }

    #[test]
    fn an_answer_must_equal_the_expected_one() {
        verdicts(
            json!({"expected": {"a": [1, "x"], "b": null}}),
            &[
                (value(json!({"b": null, "a": [1.0, "x"]})), true),
                (value(json!({"a": [1, "x"]})), false),
                (value(json!({"a": [1, "x"], "b": null, "c": 1})), false),
                (error("a"), false),
                (Outcome::Unwired, false),
                (Outcome::Verdict(Ok(())), true),
                (Outcome::Verdict(Err("no".into())), false),
            ],
        );
        verdicts(
            json!({"expected": null}),
            &[(value(json!(null)), true), (error("none"), false)],
        );
    }

    #[test]
    fn numbers_are_compared_by_value_and_whole_ones_exactly() {
        let cases = [
            ("1", "1.0", true),
            ("1e3", "1000.0", true),
            ("-0", "0", true),
            ("9007199254740993", "9007199254740992", false),
            ("1e400", "2e400", true), // both are infinite as doubles
            ("1", "true", false),
        ];
        for (left, right, want) in cases {
            let parse = |text: &str| serde_json::from_str(text).unwrap();
            assert_eq!(
                equal(&parse(left), &parse(right)),
                want,
                "{left} and {right}"
            );
        }
    }

    #[test]
    fn an_error_is_compared_by_kind() {
        let missing = json!({"error": {"kind": "missing", "name": "a"}});
        verdicts(
            missing,
            &[
                (error("missing"), true),
                (error("other"), false),
                (
                    value(json!({"error": {"kind": "missing", "name": "a"}})),
                    true,
                ),
                (
                    value(json!({"error": {"kind": "missing", "name": "b"}})),
                    false,
                ),
                (value(json!(null)), false),
            ],
        );
    }

    #[test]
    fn any_refusal_of_a_line_of_arguments_will_do() {
        let raw = json!({"area": "prompt_args", "error": {"kind": "not_key_value"}});
        verdicts(
            raw,
            &[
                (error("unterminated_quote"), true),
                (value(json!({"arguments": {}})), false),
            ],
        );
    }

    #[test]
    fn accepted_parts_are_laid_over_the_expected_answer() {
        let raw = json!({
            "expected": {"class": "auth", "text": "t"},
            "accept": [{"class": "failed"}, {"text": {"$any": ["u", {"$absent": true}]}}],
        });
        verdicts(
            raw,
            &[
                (value(json!({"class": "auth", "text": "t"})), true),
                (value(json!({"class": "failed", "text": "t"})), true),
                (value(json!({"class": "failed", "text": "u"})), false),
                (value(json!({"class": "auth", "text": "u"})), true),
                (value(json!({"class": "auth"})), true),
                (value(json!({"class": "other", "text": "t"})), false),
            ],
        );
    }

    #[test]
    fn beside_an_error_an_accepted_answer_is_whole() {
        let raw = json!({"error": {"kind": "k"}, "accept": [{"arguments": {"a": "b"}}]});
        verdicts(
            raw,
            &[
                (error("k"), true),
                (value(json!({"arguments": {"a": "b"}})), true),
                (value(json!({"arguments": {"a": "b", "c": "d"}})), false),
            ],
        );
    }

    #[test]
    fn with_a_reference_bug_only_the_right_answer_counts() {
        let raw = json!({
            "expected": {"valid": true, "value": "B"},
            "reference_bug": "why",
            "right_answer": {"any_of": [{"valid": false}, {"valid": true, "value": ["B"]}]},
        });
        verdicts(
            raw,
            &[
                (value(json!({"valid": true, "value": "B"})), false),
                (value(json!({"valid": false, "reason": "r"})), true),
                (value(json!({"valid": true, "value": ["B"]})), true),
                (error("invalid"), false),
            ],
        );
    }

    #[test]
    fn a_right_answer_may_be_an_error_or_the_absence_of_one() {
        let raw = json!({"expected": 1, "reference_bug": "why", "right_answer": {"error": {"kind": "url_invalid"}}});
        verdicts(
            raw,
            &[
                (error("url_invalid"), true),
                (error("other"), false),
                (value(json!({})), false),
            ],
        );
        let raw = json!({
            "error": {"kind": "crash"}, "reference_bug": "why",
            "right_answer": {"error": null, "must_contain": ["keep me"], "must_not_contain": ["None"]},
        });
        verdicts(
            raw,
            &[
                (value(json!({"text": "keep me", "other": "None"})), true),
                (value(json!({"content": "keep me None"})), false),
                (value(json!({"lines": ["keep", "me"]})), false),
                (error("crash"), false),
            ],
        );
    }

    #[test]
    fn a_sentence_for_people_never_passes_by_itself() {
        let raw =
            json!({"expected": 1, "reference_bug": "why", "right_answer": {"must": "be good"}});
        verdicts(
            raw,
            &[(value(json!(1)), false), (Outcome::Verdict(Ok(())), true)],
        );
        let raw = json!({
            "expected": 1, "reference_bug": "why",
            "right_answer": {"any_of": [{"behavior": "deny"}, {"must": "refuse"}]},
        });
        verdicts(
            raw,
            &[
                (value(json!({"behavior": "deny"})), true),
                (value(json!({"behavior": "ask"})), false),
            ],
        );
    }

    #[test]
    fn forbidden_text_spoils_an_equal_answer() {
        let raw = json!({"expected": {"public": "x s3cret", "raw": "s3cret"}, "must_not_contain": ["s3cret"]});
        verdicts(
            raw,
            &[(value(json!({"public": "x s3cret", "raw": "s3cret"})), false)],
        );
        let raw =
            json!({"expected": {"public": "x", "raw": "s3cret"}, "must_not_contain": ["s3cret"]});
        verdicts(
            raw,
            &[(value(json!({"public": "x", "raw": "s3cret"})), true)],
        );
    }

    #[test]
    fn lists_of_servers_and_warnings_have_forms_of_their_own() {
        let raw = json!({
            "expected": 1, "reference_bug": "why",
            "right_answer": {
                "server_names": ["b", "a"], "enabled_server_names": ["a"], "warning_required": true, "no_warning": "bad",
            },
        });
        let servers = json!([{"name": "a"}, {"name": "b", "disabled": true}]);
        verdicts(
            raw,
            &[
                (
                    value(json!({"servers": servers, "warnings": [{"code": "x"}]})),
                    true,
                ),
                (
                    value(json!({"servers": servers, "warnings": [{"code": "bad"}]})),
                    false,
                ),
                (value(json!({"servers": servers, "warnings": []})), false),
                (
                    value(json!({"servers": [], "warnings": [{"code": "x"}]})),
                    false,
                ),
            ],
        );
    }

    #[test]
    fn a_skill_row_names_parts_of_the_first_command() {
        let expected = json!({"commands": [{"name": "n", "content": {"text": ""}, "frontmatter": {"a": 1, "b": 2}}]});
        let raw = json!({"area": "skills", "expected": expected, "accept": [{"content": {"text": "\n"}}]});
        let other = |text: &str| json!({"commands": [{"name": "n", "content": {"text": text}, "frontmatter": {"a": 1, "b": 2}}]});
        verdicts(
            raw,
            &[
                (value(other("")), true),
                (value(other("\n")), true),
                (value(other("x")), false),
            ],
        );
        let raw = json!({
            "area": "skills", "expected": expected, "reference_bug": "why",
            "right_answer": {"frontmatter": {"b": 3}},
        });
        let given = |b: u8| json!({"commands": [{"name": "n", "frontmatter": {"a": 1, "b": b}}], "warnings": []});
        verdicts(raw, &[(value(given(3)), true), (value(given(2)), false)]);
    }

    #[test]
    fn matchers_look_into_strings_and_for_what_is_missing() {
        let cases = [
            (
                json!({"$any": ["a", {"$absent": true}]}),
                Some(json!("a")),
                true,
            ),
            (json!({"$any": ["a", {"$absent": true}]}), None, true),
            (json!({"$any": ["a"]}), Some(json!("b")), false),
            (json!({"$absent": true}), Some(json!(null)), false),
            (
                json!({"$json": {"b": [1, null]}}),
                Some(json!("{\"b\": [1.0, null]}")),
                true,
            ),
            (json!({"$json": {"b": 1}}), Some(json!({"b": 1})), false),
            (json!({"$json": 1}), Some(json!("not json")), false),
            (json!({"$number": "1e3"}), Some(json!("1000.0")), true),
            (json!({"$number": "1e3"}), Some(json!("1001")), false),
            (json!({"$number": "1e3"}), Some(json!("\"1e3\"")), false),
            (json!([{"$number": "1"}, 2]), Some(json!(["1", 2])), true),
            (json!([1]), Some(json!([1, 2])), false),
        ];
        for (pattern, answer, want) in cases {
            assert_eq!(
                matches_pattern(&pattern, answer.as_ref()),
                want,
                "{pattern} on {answer:?}"
            );
        }
    }
}
