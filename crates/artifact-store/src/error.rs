//! How the store fails.

/// A failed operation on the store.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The id is not one that the store gives out.
    InvalidId,
    /// The session id cannot name a folder.
    InvalidSessionId,
    /// The session's folder is not laid out as it must be: a link, a file in the way, or a marker of another version or session.
    UnsupportedLayout,
    /// Nothing is stored under the id.
    NotFound,
    /// The artifact is over [`Limits::max_artifact_bytes`](crate::Limits::max_artifact_bytes). Trying again will not help.
    TooLarge,
    /// The session's quota is used up, or the disk is full.
    Full,
    /// Reading failed. Trying again may help.
    Read,
    /// Writing failed. Trying again may help.
    Write,
}

impl Error {
    /// An error of a store of one's own; `message` is lower case and ends bare.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
        }
    }

    /// Adds what caused it.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What failed.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    pub(crate) fn reading(what: &str, source: std::io::Error) -> Self {
        let kind = if source.kind() == std::io::ErrorKind::NotFound {
            ErrorKind::NotFound
        } else {
            ErrorKind::Read
        };
        Self::new(kind, format!("could not read {what}: {source}")).with_source(source)
    }

    pub(crate) fn writing(what: &str, source: std::io::Error) -> Self {
        let kind = match source.kind() {
            std::io::ErrorKind::FileTooLarge => ErrorKind::TooLarge,
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => ErrorKind::Full,
            _ => ErrorKind::Write,
        };
        Self::new(kind, format!("could not write {what}: {source}")).with_source(source)
    }
}
