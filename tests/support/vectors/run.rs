use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use super::{Adapter, Outcome, Row, check};

/// Files whose rows belong to several areas; each area is named after the file too.
const MIXED: [&str; 2] = ["bugs", "use-mcp-tool"];

/// How long one row may take before the run gives up on it.
const ROW_LIMIT: Duration = Duration::from_secs(120);

/// The rows of a folder, and what was wrong with the folder.
#[derive(Debug, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "private to the tests of this workspace"
)]
pub struct DataSet {
    /// Every row that could be read, in the order of the files' names.
    pub rows: Vec<Row>,
    /// A sentence for each line that could not.
    pub problems: Vec<String>,
}

/// Reads every `*.jsonl` of `folder`.
///
/// # Errors
///
/// A folder that cannot be read, or that holds no row at all: such a run would prove nothing.
pub fn load(folder: &Path) -> Result<DataSet, String> {
    let unreadable = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(unreadable)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "jsonl")
    });
    files.sort();
    let mut data = DataSet::default();
    let mut ids = BTreeSet::new();
    for path in files {
        let area = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let before = data.rows.len();
        for (number, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
        {
            let row = serde_json::from_str::<Value>(line)
                .map_err(|error| error.to_string())
                .and_then(|raw| Row::read(raw, &area, MIXED.contains(&area.as_str())));
            match row {
                Ok(row) if ids.insert(row.id.clone()) => data.rows.push(row),
                Ok(row) => data.problems.push(format!(
                    "{area}.jsonl:{}: the id {} twice",
                    number + 1,
                    row.id
                )),
                Err(problem) => data
                    .problems
                    .push(format!("{area}.jsonl:{}: {problem}", number + 1)),
            }
        }
        if data.rows.len() == before {
            data.problems.push(format!("{area}.jsonl has no rows"));
        }
    }
    if data.rows.is_empty() {
        return Err(format!("no rows in {}", folder.display()));
    }
    Ok(data)
}

/// Rows that cannot match, each with the reason.
#[derive(Clone, Debug, Default)]
pub struct Exceptions(BTreeMap<String, String>);

impl Exceptions {
    /// Reads `[[exception]]` tables with an `id` and a `reason`.
    ///
    /// # Errors
    ///
    /// A sentence about the entry that cannot be read, has no reason, or repeats an id.
    pub fn read(text: &str) -> Result<Self, String> {
        let document: toml_edit::DocumentMut = text
            .parse()
            .map_err(|error| format!("exceptions: {error}"))?;
        let mut reasons = BTreeMap::new();
        if let Some(key) = document
            .iter()
            .map(|(key, _)| key)
            .find(|key| *key != "exception")
        {
            return Err(format!("exceptions: unknown key `{key}`"));
        }
        let tables = document
            .get("exception")
            .and_then(toml_edit::Item::as_array_of_tables);
        for table in tables.into_iter().flatten() {
            let text = |key: &str| {
                table
                    .get(key)
                    .and_then(toml_edit::Item::as_str)
                    .unwrap_or_default()
                    .trim()
            };
            let (id, reason) = (text("id"), text("reason"));
            if id.is_empty() || reason.is_empty() {
                return Err(format!(
                    "exceptions: an entry needs `id` and `reason`: {id:?}, {reason:?}"
                ));
            }
            if reasons.insert(id.to_owned(), reason.to_owned()).is_some() {
                return Err(format!("exceptions: {id} twice"));
            }
        }
        Ok(Self(reasons))
    }
}

/// The counts of one area.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "private to the tests of this workspace"
)]
pub struct AreaCount {
    /// Rows that match.
    pub passed: usize,
    /// Rows that do not.
    pub failed: usize,
    /// Rows that do not, and are listed with a reason.
    pub excepted: usize,
    /// Rows that nothing answers yet.
    pub unwired: usize,
}

/// What a run found.
#[derive(Debug, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "private to the tests of this workspace"
)]
pub struct Report {
    /// The counts of each area that has rows.
    pub areas: BTreeMap<String, AreaCount>,
    /// One text for each failed row.
    pub failures: Vec<String>,
    /// Exceptions that no longer hold: the row passes, or is not there.
    pub stale: Vec<String>,
}

impl Report {
    /// The counts over all areas.
    #[must_use]
    pub fn total(&self) -> AreaCount {
        self.areas
            .values()
            .fold(AreaCount::default(), |sum, area| AreaCount {
                passed: sum.passed + area.passed,
                failed: sum.failed + area.failed,
                excepted: sum.excepted + area.excepted,
                unwired: sum.unwired + area.unwired,
            })
    }
}

/// Whether one row passes; `None` when nothing answers it.
///
/// A row tagged `python_whitespace` also passes when the same input with plain spaces in place of U+001C to U+001F does:
/// then the reading of these characters is the only difference.
#[must_use]
pub fn judge(row: &Row, adapter: Adapter) -> Option<Result<(), String>> {
    let once = |row: &Row| match catch_unwind(AssertUnwindSafe(|| adapter(row))) {
        Ok(Outcome::Unwired) => None,
        Ok(outcome) => Some(check(row, &outcome)),
        Err(payload) => {
            let text = payload
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| payload.downcast_ref::<&str>().copied());
            Some(Err(format!("panicked: {}", text.unwrap_or("no message"))))
        }
    };
    let verdict = once(row)?;
    if verdict.is_err() && row.has_tag("python_whitespace") {
        let mut plain = row.clone();
        plain.input = with_spaces(&row.input);
        if once(&plain).is_some_and(|other| other.is_ok()) {
            return Some(Ok(()));
        }
    }
    Some(verdict)
}

fn with_spaces(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            Value::String(text.replace(|c| ('\u{1c}'..='\u{1f}').contains(&c), " "))
        }
        Value::Array(items) => Value::Array(items.iter().map(with_spaces).collect()),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), with_spaces(value)))
            .collect(),
        other => other.clone(),
    }
}

/// Runs every row against the adapter of its area.
///
/// # Errors
///
/// The row that did not answer in time. Its thread is left running: the caller should end the process.
pub fn run(
    rows: &[Row],
    adapters: &HashMap<&'static str, Adapter>,
    exceptions: &Exceptions,
) -> Result<Report, String> {
    let work: Vec<(Row, Adapter)> = rows
        .iter()
        .filter_map(|row| Some((row.clone(), *adapters.get(row.area.as_str())?)))
        .collect();
    let ids: Vec<String> = work.iter().map(|(row, _)| row.id.clone()).collect();
    let (sender, verdicts) = mpsc::channel();
    std::thread::spawn(move || {
        for (row, adapter) in work {
            if sender.send(judge(&row, adapter)).is_err() {
                return;
            }
        }
    });
    let mut answered = HashMap::new();
    for id in ids {
        let verdict = verdicts
            .recv_timeout(ROW_LIMIT)
            .map_err(|_| format!("{id} gave no answer within {} s", ROW_LIMIT.as_secs()))?;
        answered.insert(id, verdict);
    }

    let mut report = Report::default();
    let mut unused = exceptions.0.clone();
    for row in rows {
        let count = report.areas.entry(row.area.clone()).or_default();
        let listed = unused.remove(&row.id).is_some();
        match answered.remove(&row.id).flatten() {
            Some(Ok(())) => {
                count.passed += 1;
                if listed {
                    report.stale.push(format!("{} passes", row.id));
                }
            }
            _ if listed => count.excepted += 1,
            Some(Err(reason)) => {
                count.failed += 1;
                report
                    .failures
                    .push(format!("{} {}: {reason}", row.area, row.id));
            }
            None => count.unwired += 1,
        }
    }
    report.stale.extend(
        unused
            .into_keys()
            .map(|id| format!("{id} is not in the data")),
    );
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(id: &str, area: &str, input: Value) -> Row {
        let raw = json!({"id": id, "area": area, "input": input, "expected": "a b"});
        Row::read(raw, area, false).unwrap()
    }

    fn echo(row: &Row) -> Outcome {
        match row.input.as_str() {
            Some("panic") => panic!("no such input"),
            Some("unwired") => Outcome::Unwired,
            _ => Outcome::Value(row.input.clone()),
        }
    }

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn a_folder_without_rows_is_an_error() {
        assert!(
            load(Path::new("no/such/folder"))
                .unwrap_err()
                .starts_with("cannot read no/such/folder: ")
        );
        let empty = folder(&[("README.md", "x")]);
        assert_eq!(
            load(empty.path()).unwrap_err(),
            format!("no rows in {}", empty.path().display())
        );
        let blank = folder(&[("a.jsonl", "\n\n")]);
        assert!(load(blank.path()).is_err());
    }

    #[test]
    fn what_cannot_be_read_is_named_by_file_and_line() {
        let good = r#"{"id": "1", "area": "a", "input": 1, "expected": 1}"#;
        let data = folder(&[
            ("a.jsonl", &format!("{good}\nnot json\n{good}\n")),
            ("b.jsonl", ""),
        ]);
        let data = load(data.path()).unwrap();
        assert_eq!(data.rows.len(), 1);
        assert_eq!(
            data.problems,
            [
                "a.jsonl:2: expected ident at line 1 column 2",
                "a.jsonl:3: the id 1 twice",
                "b.jsonl has no rows"
            ]
        );
    }

    #[test]
    fn each_row_counts_once_in_the_right_column() {
        let rows = [
            row("1", "a", json!("a b")),
            row("2", "a", json!("wrong")),
            row("3", "a", json!("panic")),
            row("4", "a", json!("unwired")),
            row("5", "a", json!("wrong too")),
            row("6", "b", json!("a b")),
        ];
        let adapters = HashMap::from([("a", echo as Adapter)]);
        let exceptions = Exceptions::read(
            "[[exception]]\nid = \"5\"\nreason = \"r\"\n[[exception]]\nid = \"1\"\nreason = \"r\"\n[[exception]]\nid = \"9\"\nreason = \"r\"",
        )
        .unwrap();
        let report = run(&rows, &adapters, &exceptions).unwrap();
        let a = AreaCount {
            passed: 1,
            failed: 2,
            excepted: 1,
            unwired: 1,
        };
        let b = AreaCount {
            unwired: 1,
            ..AreaCount::default()
        };
        assert_eq!(
            report.areas,
            BTreeMap::from([("a".to_owned(), a), ("b".to_owned(), b)])
        );
        assert_eq!(
            report.failures,
            [
                "a 2: wanted \"a b\", got \"wrong\"",
                "a 3: panicked: no such input"
            ]
        );
        assert_eq!(report.stale, ["1 passes", "9 is not in the data"]);
        assert_eq!(
            report.total(),
            AreaCount {
                passed: 1,
                failed: 2,
                excepted: 1,
                unwired: 2
            }
        );
    }

    #[test]
    fn python_whitespace_may_be_read_either_way() {
        let mut tagged = row("1", "a", json!("a\u{1d}b"));
        assert!(judge(&tagged, echo).unwrap().is_err());
        tagged.tags = vec!["python_whitespace".to_owned()];
        assert_eq!(judge(&tagged, echo), Some(Ok(())));
    }

    #[test]
    fn an_exception_needs_an_id_and_a_reason() {
        let cases = [
            (
                "[[exception]]\nid = \"1\"",
                "exceptions: an entry needs `id` and `reason`: \"1\", \"\"",
            ),
            (
                "[[exceptions]]\nid = \"1\"",
                "exceptions: unknown key `exceptions`",
            ),
            (
                "[[exception]]\nid = \"1\"\nreason = \"r\"\n[[exception]]\nid = \"1\"\nreason = \"r\"",
                "exceptions: 1 twice",
            ),
        ];
        for (text, want) in cases {
            assert_eq!(Exceptions::read(text).unwrap_err(), want);
        }
        assert!(Exceptions::read("").unwrap().0.is_empty());
    }
}
