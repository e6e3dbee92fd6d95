use crate::skill::{Limits, Note};
use crate::yaml::{self, Bounds, Document, Problem, Value};

/// The header of a skill, between two lines of `---`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Frontmatter {
    entries: Vec<(String, Value)>,
}

impl Frontmatter {
    /// What the author wrote for `key`, also where it has no effect: for comparing a header with a listing.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, value)| value)
    }

    /// All that the author wrote, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries
            .iter()
            .map(|(key, value)| (key.as_str(), value))
    }

    /// A text field; a number or a truth value is read as its text, anything else is reported and left out.
    pub(crate) fn text(&self, keys: &[&str], notes: &mut Vec<Note>) -> String {
        let Some((key, value)) = keys.iter().find_map(|key| Some((key, self.get(key)?))) else {
            return String::new();
        };
        match value {
            Value::Null => String::new(),
            value => value.to_text().unwrap_or_else(|| {
                notes.push(Note::warning(
                    "skill_field_ignored",
                    format!("`{key}` is no text, and is ignored"),
                ));
                String::new()
            }),
        }
    }

    /// Names of arguments: a list, the keys of a map, or the words of a text.
    pub(crate) fn names(&self, key: &str, notes: &mut Vec<Note>) -> Vec<String> {
        let mut names: Vec<String> = match self.get(key) {
            None => Vec::new(),
            Some(Value::Text(text)) => text
                .split([' ', ',', '\t', '\n'])
                .map(str::to_owned)
                .collect(),
            Some(Value::List(items)) => items.iter().filter_map(argument_name).collect(),
            Some(Value::Map(entries)) => entries.iter().map(|(name, _)| name.clone()).collect(),
            Some(other) => {
                notes.push(Note::warning(
                    "skill_field_ignored",
                    format!("`{key}` is no list, and is read as text"),
                ));
                other.to_text().into_iter().collect()
            }
        };
        names.retain(|name| !name.is_empty());
        names
    }
}

fn argument_name(item: &Value) -> Option<String> {
    match item {
        Value::Map(entries) => entries
            .iter()
            .find(|(key, _)| key == "name")
            .and_then(|(_, name)| name.to_text()),
        item => item.to_text(),
    }
}

/// Parts `text` into its header and its body, and reads the header.
pub(crate) fn split<'a>(
    text: &'a str,
    limits: &Limits,
    notes: &mut Vec<Note>,
) -> (Frontmatter, &'a str) {
    // A byte-order mark is no text; anywhere else it stays.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((header, body)) = fences(text) else {
        return (Frontmatter::default(), text);
    };
    if header.len() > limits.frontmatter_bytes {
        let message = format!(
            "the header is larger than {} bytes, and is ignored",
            limits.frontmatter_bytes
        );
        notes.push(Note::warning("skill_frontmatter", message));
        return (Frontmatter::default(), body);
    }
    let bounds = Bounds {
        depth: limits.frontmatter_depth,
        nodes: limits.frontmatter_values,
    };
    let entries = match yaml::parse(header, &bounds) {
        Ok(None) => Vec::new(),
        Ok(Some(Document { entries, repeated })) => {
            notes.extend(repeated.iter().map(|key| {
                Note::info(
                    "skill_field_repeated",
                    format!("`{key}` is given twice: the last value counts"),
                )
            }));
            entries
        }
        Err(problem) => recover(header, &problem, notes),
    };
    (Frontmatter { entries }, body)
}

/// The text between a first line `---` and the next such line, and the text after that and after blank lines.
fn fences(text: &str) -> Option<(&str, &str)> {
    let mut lines = text.split_inclusive('\n');
    let first = lines
        .next()
        .filter(|line| line.ends_with('\n') && is_fence(line))?;
    let mut len = 0;
    for line in lines {
        if is_fence(line) {
            let header = text.get(first.len()..first.len() + len)?;
            return Some((
                header,
                without_blank_lines(text.get(first.len() + len + line.len()..)?),
            ));
        }
        len += line.len();
    }
    None
}

fn without_blank_lines(body: &str) -> &str {
    let indented = body.trim_start();
    let blank = body.get(..body.len() - indented.len()).unwrap_or_default();
    let start = if indented.is_empty() {
        body.len()
    } else {
        blank.rfind('\n').map_or(0, |end| end + 1)
    };
    body.get(start..).unwrap_or_default()
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("---")
        .is_some_and(|rest| rest.trim().is_empty())
}

/// Reads the flat lines `name: text` of a header that is no YAML, as most authors mean them; the rest is left out.
fn recover(header: &str, problem: &Problem, notes: &mut Vec<Note>) -> Vec<(String, Value)> {
    let mut entries: Vec<(String, Value)> = Vec::new();
    for line in header.lines() {
        let is_flat = line.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
        let Some((key, rest)) = line.split_once(':').filter(|_| is_flat) else {
            continue;
        };
        let (key, rest) = (key.trim_end(), rest.trim());
        if rest.is_empty()
            || !key
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-'))
        {
            continue;
        }
        entries.retain(|(known, _)| known != key);
        entries.push((key.to_owned(), Value::Text(unquoted(rest).to_owned())));
    }
    // The header's first line is the second of the text.
    let place = if problem.line == 0 {
        String::new()
    } else {
        format!(" at line {}", problem.line + 1)
    };
    let kept = match entries.len() {
        0 => "it is ignored".to_owned(),
        count => format!(
            "{count} plain `name: text` lines of it are kept; a value with `: ` in it needs quotes"
        ),
    };
    let message = format!(
        "the header is not valid YAML{place} ({}): {kept}",
        problem.message
    );
    notes.push(Note::warning("skill_frontmatter", message));
    entries
}

fn unquoted(text: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(text)
}
