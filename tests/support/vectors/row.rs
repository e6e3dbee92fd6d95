use serde_json::Value;

/// Answers one row through the public API of the crate that it belongs to.
pub type Adapter = fn(&Row) -> Outcome;

/// One line of a data file, with the compact forms of its input written out.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "adapters read every field, and nothing outside this package sees it"
)]
pub struct Row {
    /// Stable identity, for reports and for the list of exceptions.
    pub id: String,
    /// The area that the row counts for, such as `names` or `bugs/naming`.
    pub area: String,
    /// What is asked, in the files where one area holds several questions.
    pub op: Option<String>,
    /// The question.
    pub input: Value,
    /// The answer, where there is one; it may be `null`.
    pub expected: Option<Value>,
    /// The refusal, where the answer is one: an object with a `kind`.
    pub error: Option<Value>,
    /// Other answers that are just as right.
    pub accept: Vec<Value>,
    /// Why `expected` is not what a user would want.
    pub reference_bug: Option<String>,
    /// What a good implementation answers instead of a faulty `expected`.
    pub right_answer: Option<Value>,
    /// Strings that the answer's public text may not hold.
    pub must_not_contain: Vec<String>,
    /// Remarks that change how the row is run.
    pub tags: Vec<String>,
    /// The whole line as it was read.
    pub raw: Value,
}

/// What an adapter has to say of a row.
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the runner must handle every outcome"
)]
pub enum Outcome {
    /// An answer, in the shape of the row's `expected`.
    Value(Value),
    /// A refusal, as its kind.
    Error(String),
    /// The adapter compared by itself, with the whole row in hand.
    Verdict(Result<(), String>),
    /// No crate answers this yet.
    Unwired,
}

impl Row {
    /// Whether the row carries `tag`.
    #[must_use]
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|own| own == tag)
    }

    /// Reads one line's object. `file_area` is the stem of its file, `mixed` files hold several areas.
    ///
    /// # Errors
    ///
    /// A sentence about what is missing or of the wrong type.
    pub fn read(raw: Value, file_area: &str, mixed: bool) -> Result<Self, String> {
        let text = |key: &str| raw.get(key).and_then(Value::as_str).map(str::to_owned);
        let id = text("id").ok_or("a row without an `id`")?;
        let area = text("area").ok_or_else(|| format!("row {id} has no `area`"))?;
        let area = if mixed {
            format!("{file_area}/{area}")
        } else if area == file_area {
            area
        } else {
            return Err(format!(
                "row {id} says area `{area}` in the file of `{file_area}`"
            ));
        };
        let input = raw
            .get("input")
            .map(super::expand)
            .ok_or_else(|| format!("row {id} has no `input`"))?;
        let expected = raw.get("expected").map(super::expand);
        let error = raw.get("error").filter(|error| !error.is_null()).cloned();
        if expected.is_some() == error.is_some() {
            return Err(format!(
                "row {id} needs exactly one of `expected` and `error`"
            ));
        }
        let right_answer = raw.get("right_answer").cloned();
        let reference_bug = text("reference_bug");
        if reference_bug.is_some() != right_answer.is_some() {
            return Err(format!(
                "row {id} needs `reference_bug` and `right_answer` together"
            ));
        }
        Ok(Self {
            op: text("op").or_else(|| input.get("op").and_then(Value::as_str).map(str::to_owned)),
            accept: raw
                .get("accept")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default(),
            must_not_contain: strings(raw.get("must_not_contain")),
            tags: strings(raw.get("tags")),
            id,
            area,
            input,
            expected,
            error,
            reference_bug,
            right_answer,
            raw,
        })
    }
}

pub(super) fn strings(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(items)) => items
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_needs_one_answer_and_the_area_of_its_file() {
        let cases = [
            (
                json!({"area": "a", "input": 1, "expected": 1}),
                "a row without an `id`",
            ),
            (
                json!({"id": "x", "area": "a", "expected": 1}),
                "row x has no `input`",
            ),
            (
                json!({"id": "x", "area": "a", "input": 1}),
                "row x needs exactly one of `expected` and `error`",
            ),
            (
                json!({"id": "x", "area": "b", "input": 1, "expected": 1}),
                "row x says area `b` in the file of `a`",
            ),
            (
                json!({"id": "x", "area": "a", "input": 1, "expected": 1, "reference_bug": "why"}),
                "row x needs `reference_bug` and `right_answer` together",
            ),
        ];
        for (raw, want) in cases {
            assert_eq!(Row::read(raw, "a", false).unwrap_err(), want);
        }
    }

    #[test]
    fn a_mixed_file_prefixes_the_area_and_the_operation_may_stand_in_the_input() {
        let raw =
            json!({"id": "x", "area": "naming", "input": {"op": "resolve"}, "expected": null});
        let row = Row::read(raw, "bugs", true).unwrap();
        assert_eq!(
            (row.area.as_str(), row.op.as_deref()),
            ("bugs/naming", Some("resolve"))
        );
        assert_eq!(row.expected, Some(Value::Null));
    }
}
