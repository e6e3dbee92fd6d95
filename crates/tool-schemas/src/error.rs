/// A schema that cannot be compiled. The tool can still be called, with its arguments unchecked.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct SchemaError {
    kind: SchemaErrorKind,
    message: String,
}

impl SchemaError {
    pub(crate) fn new(kind: SchemaErrorKind, message: impl AsRef<str>) -> Self {
        Self {
            kind,
            message: message.as_ref().chars().take(500).collect(),
        }
    }

    /// What failed.
    #[must_use]
    pub fn kind(&self) -> SchemaErrorKind {
        self.kind
    }
}

/// What keeps a schema from being compiled.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum SchemaErrorKind {
    /// It has more values, or lies deeper, than [`Limits`](crate::Limits) allow.
    TooLarge,
    /// Its `$schema` names no known dialect.
    UnknownDialect,
    /// It points outside of itself, and nothing is fetched.
    ExternalReference,
    /// It points to itself in a way that no check would end.
    EndlessReference,
    /// It is no valid schema.
    Invalid,
}
