/// A question that cannot be asked, or an answer that cannot be sent.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    fields: Vec<FieldError>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            fields: Vec::new(),
        }
    }

    pub(crate) fn fields_invalid(fields: Vec<FieldError>) -> Self {
        let sentences: Vec<String> = fields.iter().map(ToString::to_string).collect();
        Self {
            kind: ErrorKind::InvalidAnswer,
            message: sentences.join("; "),
            fields,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What is wrong with which field, where an answer was refused for its fields.
    #[must_use]
    pub fn fields(&self) -> &[FieldError] {
        &self.fields
    }

    /// The JSON-RPC code to answer the server with: invalid params, where the request is at fault.
    #[must_use]
    pub fn json_rpc_code(&self) -> Option<i64> {
        (self.kind != ErrorKind::InvalidAnswer).then_some(-32602)
    }
}

/// What is at fault.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is not one of the protocol. The server has to be told.
    InvalidRequest,
    /// The mode was not offered to the server. The server has to be told.
    UnsupportedMode,
    /// The answer does not fit the question. Ask again.
    InvalidAnswer,
}

/// A value that does not fit its field. Never holds the value.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{field}` {problem}")]
pub struct FieldError {
    field: String,
    problem: FieldProblem,
}

impl FieldError {
    pub(crate) fn new(field: &str, problem: FieldProblem) -> Self {
        Self {
            field: field.to_owned(),
            problem,
        }
    }

    /// The name of the field.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// What does not fit.
    #[must_use]
    pub fn problem(&self) -> &FieldProblem {
        &self.problem
    }
}

/// What does not fit; printed as the end of a sentence that begins with the field.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldProblem {
    /// A required field without a value.
    #[error("is required")]
    Missing,
    /// No text.
    #[error("must be text")]
    NotText,
    /// Fewer characters than this.
    #[error("must have at least {0} characters")]
    TooShort(u64),
    /// More characters than this.
    #[error("must have at most {0} characters")]
    TooLong(u64),
    /// Not of the format.
    #[error("must be {0}")]
    Format(crate::Format),
    /// Not of the pattern, a regular expression.
    #[error("must match the pattern {0:?}")]
    Pattern(String),
    /// No whole number in plain digits.
    #[error("must be a whole number")]
    NotInteger,
    /// No number that JSON can carry.
    #[error("must be a number")]
    NotNumber,
    /// Less than this.
    #[error("must be at least {0}")]
    TooSmall(String),
    /// More than this.
    #[error("must be at most {0}")]
    TooLarge(String),
    /// Not more than this.
    #[error("must be more than {0}")]
    NotAbove(String),
    /// Not less than this.
    #[error("must be less than {0}")]
    NotBelow(String),
    /// Neither yes nor no.
    #[error("must be yes or no")]
    NotBoolean,
    /// None of the choices.
    #[error("must be one of the choices")]
    NotChoice,
    /// No list.
    #[error("must be a list")]
    NotList,
    /// Fewer items than this.
    #[error("must have at least {0} items")]
    TooFew(u64),
    /// More items than this.
    #[error("must have at most {0} items")]
    TooMany(u64),
    /// An item twice, where each may be chosen once.
    #[error("must not have an item twice")]
    Repeated,
    /// No JSON, or JSON of another type than the field asks for.
    #[error("must be JSON of the type that the field asks for")]
    NotJson,
}
