use serde_json::Value;

use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::kinds::{List, Mode, Source};

/// One rule as it was written.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Rule {
    /// What it does.
    pub list: List,
    /// Where it was written.
    pub source: Source,
    /// Its text.
    pub text: String,
    /// The place in its source, such as `permissions.allow[2]`; may be empty.
    pub place: String,
}

impl Rule {
    /// A rule without a place.
    #[must_use]
    pub fn new(list: List, source: Source, text: impl Into<String>) -> Self {
        Self {
            list,
            source,
            text: text.into(),
            place: String::new(),
        }
    }

    /// Sets [`place`](Self::place).
    #[must_use]
    pub fn with_place(mut self, place: impl Into<String>) -> Self {
        self.place = place.into();
        self
    }
}

/// The rules of all sources; they add up, and their order means nothing.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Rules(Vec<Rule>);

impl Rules {
    /// No rules.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a rule.
    #[must_use]
    pub fn with(mut self, list: List, source: Source, text: impl Into<String>) -> Self {
        self.push(Rule::new(list, source, text));
        self
    }

    /// Adds a rule.
    pub fn push(&mut self, rule: Rule) {
        self.0.push(rule);
    }

    /// Denies one tool by the names that its server uses, as a server's list of excluded tools does.
    pub fn exclude(&mut self, server: &str, tool: &str, source: Source) {
        self.push(Rule::new(List::Deny, source, format!("{server}:{tool}")));
    }

    /// The rules, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.0.iter()
    }

    /// How many rules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Extend<Rule> for Rules {
    fn extend<T: IntoIterator<Item = Rule>>(&mut self, rules: T) {
        self.0.extend(rules);
    }
}

impl FromIterator<Rule> for Rules {
    fn from_iter<T: IntoIterator<Item = Rule>>(rules: T) -> Self {
        Self(rules.into_iter().collect())
    }
}

impl IntoIterator for Rules {
    type Item = Rule;
    type IntoIter = std::vec::IntoIter<Rule>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// The section `permissions` of one settings file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// The rules of `allow`, `ask` and `deny`.
    pub rules: Rules,
    /// The `mode`, where there is a known one.
    pub mode: Option<Mode>,
    /// What was not understood, and left out.
    pub diagnostics: Vec<Diagnostic>,
}

impl Settings {
    /// Reads `{"allow": […], "ask": […], "deny": […], "mode": "…"}`; an odd entry costs only itself.
    ///
    /// Keys of other rooms, such as `additional_directories` and `audit`, are passed over.
    #[must_use]
    pub fn read(section: &Value, source: Source) -> Self {
        let mut settings = Self::default();
        let mut report = |text: &str, place: String, message: &str| {
            settings.diagnostics.push(Diagnostic {
                kind: DiagnosticKind::Malformed,
                source: Some(source),
                place,
                text: text.to_owned(),
                message: message.to_owned(),
            });
        };
        match section {
            Value::Object(_) | Value::Null => {}
            _ => report(
                "",
                "permissions".to_owned(),
                "this section is no object and was left out",
            ),
        }
        for &list in List::ALL {
            let place = format!("permissions.{list}");
            match section.get(list.as_str()) {
                None | Some(Value::Null) => {}
                Some(Value::Array(entries)) => {
                    for (index, entry) in entries.iter().enumerate() {
                        let place = format!("{place}[{index}]");
                        match entry {
                            Value::String(text) => settings
                                .rules
                                .push(Rule::new(list, source, text.as_str()).with_place(place)),
                            _ => report(
                                "",
                                place,
                                "a rule must be a string, and this one was left out",
                            ),
                        }
                    }
                }
                Some(_) => report(
                    "",
                    place,
                    "a list of rules must be an array, and this one was left out",
                ),
            }
        }
        match section.get("mode") {
            None | Some(Value::Null) => {}
            Some(mode) => match mode.as_str().unwrap_or_default().parse() {
                Ok(mode) => settings.mode = Some(mode),
                Err(error) => {
                    report(
                        error.text(),
                        "permissions.mode".to_owned(),
                        &error.to_string(),
                    );
                }
            },
        }
        settings
    }
}
