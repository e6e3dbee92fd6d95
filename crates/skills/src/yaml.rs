use saphyr_parser::{Event, Parser, ScalarStyle};

/// A value of a header, as YAML has it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number, in the digits of its author.
    Number(String),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A map, in the order of its author; of a key given twice, the last value.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The text of a scalar as its author wrote it; nothing for null, lists and maps.
    #[must_use]
    pub fn to_text(&self) -> Option<String> {
        match self {
            Self::Bool(value) => Some(value.to_string()),
            Self::Number(text) | Self::Text(text) => Some(text.clone()),
            Self::Null | Self::List(_) | Self::Map(_) => None,
        }
    }
}

/// What stands in the way of reading a header.
pub(crate) struct Problem {
    /// Where, counted from 1 in the header; 0 if nowhere in particular.
    pub(crate) line: usize,
    pub(crate) message: String,
}

pub(crate) struct Bounds {
    pub(crate) depth: usize,
    pub(crate) nodes: usize,
}

/// Reads one document that is a map; `None` for a header with nothing in it. Also tells which keys came twice.
pub(crate) fn parse(header: &str, bounds: &Bounds) -> Result<Option<Document>, Problem> {
    // YAML forbids it; parsers differ in what they make of it.
    if let Some(line) = header
        .lines()
        .position(|line| line.starts_with('\t') && !line.trim().is_empty())
    {
        return Err(Problem {
            line: line + 1,
            message: "a line is indented with a tab".to_owned(),
        });
    }
    let mut parser = Parser::new_from_str(header);
    let mut open: Vec<Open> = Vec::new();
    let mut document = None;
    let mut repeated = Vec::new();
    let mut nodes = 0;
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| Problem {
            line: error.marker().line(),
            message: error.info().to_owned(),
        })?;
        let refuse = |message: &str| Problem {
            line: span.start.line(),
            message: message.to_owned(),
        };
        let value = match event {
            Event::Nothing | Event::StreamStart | Event::DocumentEnd => continue,
            Event::StreamEnd => break,
            Event::DocumentStart(_) if document.is_some() => {
                return Err(refuse("more than one document"));
            }
            Event::DocumentStart(_) => continue,
            Event::Alias(_) => return Err(refuse("aliases are not read")),
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                nodes += 1;
                if open.len() >= bounds.depth || nodes > bounds.nodes {
                    return Err(refuse("nested too deep or too long"));
                }
                open.push(match event {
                    Event::SequenceStart(..) => Open::List(Vec::new()),
                    _ => Open::Map {
                        entries: Vec::new(),
                        key: None,
                    },
                });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(items)) => Value::List(items),
                Some(Open::Map { entries, .. }) => Value::Map(entries),
                None => return Err(refuse("unbalanced")),
            },
            Event::Scalar(text, style, ..) => {
                nodes += 1;
                if nodes > bounds.nodes {
                    return Err(refuse("too long"));
                }
                scalar(text.into_owned(), style)
            }
        };
        let is_top = open.len() == 1;
        match open.last_mut() {
            None => document = Some(value),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Map { entries, key }) => match key.take() {
                None => *key = Some(value.to_text().unwrap_or_default()),
                Some(name) => {
                    let before = entries.len();
                    entries.retain(|(known, _)| *known != name);
                    if is_top && entries.len() < before {
                        repeated.push(name.clone());
                    }
                    entries.push((name, value));
                }
            },
        }
    }
    match document {
        None => Ok(None),
        Some(Value::Map(entries)) => Ok(Some(Document { entries, repeated })),
        Some(_) => Err(Problem {
            line: 1,
            message: "not a map of names to values".to_owned(),
        }),
    }
}

pub(crate) struct Document {
    pub(crate) entries: Vec<(String, Value)>,
    pub(crate) repeated: Vec<String>,
}

enum Open {
    List(Vec<Value>),
    Map {
        entries: Vec<(String, Value)>,
        key: Option<String>,
    },
}

/// The core schema of [YAML 1.2](https://yaml.org/spec/1.2.2/#103-core-schema): only plain scalars are anything but text.
fn scalar(text: String, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::Text(text);
    }
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_number(&text) => Value::Number(text),
        _ => Value::Text(text),
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits.starts_with(|char: char| char.is_ascii_digit() || char == '.')
        && digits
            .chars()
            .all(|char| char.is_ascii_digit() || matches!(char, '.' | 'e' | 'E' | '+' | '-'))
        && text.parse::<f64>().is_ok()
}
