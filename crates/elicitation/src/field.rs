use serde_json::{Number, Value};

/// One thing that a form asks for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// The name of the property, which the answer carries.
    pub name: String,
    /// What to call it before a person; as the server wrote it.
    pub title: Option<String>,
    /// What it means; as the server wrote it.
    pub description: Option<String>,
    /// Whether an answer without it is refused.
    pub is_required: bool,
    /// Whether JSON null is a value for it.
    pub is_nullable: bool,
    /// What to send if the person leaves it as it is. Only a default that fits the field is one.
    pub default: Option<Value>,
    /// What may be answered.
    pub kind: Kind,
}

impl Field {
    /// What to call it before a person: its title, else its name.
    #[must_use]
    pub fn label(&self) -> &str {
        self.title
            .as_deref()
            .filter(|title| !title.is_empty())
            .unwrap_or(&self.name)
    }

    /// One line to ask with: the label, ` *` where an answer is required, the choices.
    #[must_use]
    pub fn prompt(&self) -> String {
        let star = if self.is_required { " *" } else { "" };
        let choices = match &self.kind {
            Kind::Boolean => " (yes/no)".to_owned(),
            Kind::Choice(choices) | Kind::Choices { choices, .. } => {
                let values: Vec<String> = choices.iter().map(Choice::text).collect();
                format!(" ({})", values.join("/"))
            }
            _ => String::new(),
        };
        format!("{}{star}{choices}: ", self.label())
    }

    /// The name of its kind: `string`, `integer`, `number`, `boolean`, `enum`, `array` or `json`.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self.kind {
            Kind::Text(_) => "string",
            Kind::Integer(_) => "integer",
            Kind::Number(_) => "number",
            Kind::Boolean => "boolean",
            Kind::Choice(_) => "enum",
            Kind::Choices { .. } | Kind::Texts { .. } => "array",
            Kind::Json(_) => "json",
        }
    }

    /// Whether it seems to ask for a password or a key, which a form must never do: refuse, or at least warn.
    #[must_use]
    pub fn looks_secret(&self) -> bool {
        const TELLING: &[&str] = &[
            "password",
            "passwd",
            "passphrase",
            "secret",
            "apikey",
            "accesstoken",
            "privatekey",
            "creditcard",
        ];
        let texts = [Some(&self.name), self.title.as_ref()];
        let is_telling = texts.into_iter().flatten().any(|text| {
            let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
            let plain = plain.to_ascii_lowercase();
            TELLING.iter().any(|word| plain.contains(word))
        });
        is_telling || matches!(&self.kind, Kind::Text(rules) if rules.is_password)
    }
}

/// What may be answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// Text.
    Text(TextRules),
    /// A whole number.
    Integer(NumberRules),
    /// A number.
    Number(NumberRules),
    /// Yes or no.
    Boolean,
    /// One of some choices.
    Choice(Vec<Choice>),
    /// Any number of some choices, each once.
    Choices {
        /// What may be chosen.
        choices: Vec<Choice>,
        /// The fewest.
        min_items: Option<u64>,
        /// The most.
        max_items: Option<u64>,
    },
    /// A list of free texts, which the protocol does not foresee and servers ask for.
    Texts {
        /// The fewest.
        min_items: Option<u64>,
        /// The most.
        max_items: Option<u64>,
    },
    /// Something else, such as a nested object: to be given as JSON, of the schema that is kept here.
    Json(Value),
}

/// What a text has to be.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct TextRules {
    /// The fewest characters (Unicode code points).
    pub min_chars: Option<u64>,
    /// The most characters.
    pub max_chars: Option<u64>,
    /// The format, if it is one of the protocol's; others are not checked.
    pub format: Option<Format>,
    /// A regular expression that has to match somewhere; one that cannot be read is not checked here.
    pub pattern: Option<String>,
    /// Whether the server marked it as a password.
    pub is_password: bool,
}

/// What a number has to be.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct NumberRules {
    /// The least.
    pub minimum: Option<Number>,
    /// The greatest.
    pub maximum: Option<Number>,
    /// More than this.
    pub exclusive_minimum: Option<Number>,
    /// Less than this.
    pub exclusive_maximum: Option<Number>,
}

/// A format of text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Format {
    /// An e-mail address.
    Email,
    /// An absolute address, [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986).
    Uri,
    /// A day, `2026-12-31`.
    Date,
    /// A moment, [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339), `2026-12-31T23:59:59Z`.
    DateTime,
}

impl std::fmt::Display for Format {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Email => "an e-mail address",
            Self::Uri => "an absolute address such as `https://example.com/`",
            Self::Date => "a date such as `2026-12-31`",
            Self::DateTime => "a date and time such as `2026-12-31T23:59:59Z`",
        })
    }
}

/// One of some choices.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// What is sent.
    pub value: Value,
    /// What to call it before a person; as the server wrote it.
    pub title: Option<String>,
}

impl Choice {
    pub(crate) fn new(value: Value, title: Option<String>) -> Self {
        Self { value, title }
    }

    /// The value as a person types it: text without quotes, anything else as JSON.
    #[must_use]
    pub fn text(&self) -> String {
        self.value
            .as_str()
            .map_or_else(|| self.value.to_string(), str::to_owned)
    }
}
