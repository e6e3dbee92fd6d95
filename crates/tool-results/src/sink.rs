//! Where bytes go that a conversation cannot hold.

use std::io::Write;
use std::path::PathBuf;

/// What is known of an artifact before its bytes are.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ArtifactHead<'a> {
    /// The server, as the host knows it.
    pub server: &'a str,
    /// The tool as the server wrote it, or `read_resource` for a resource that was read.
    pub tool: &'a str,
    /// The position of the block in its result.
    pub index: usize,
    /// `text`, `image`, `audio`, `resource`, `structured-content` or `result`.
    pub kind: &'a str,
    /// The MIME type, after any correction.
    pub mime_type: &'a str,
    /// The MIME type that the server gave, where the bytes said otherwise.
    pub declared_mime_type: Option<&'a str>,
    /// The file name extension that fits, with its dot.
    pub extension: &'a str,
    /// The address, for a resource.
    pub uri: Option<&'a str>,
    /// The number of characters, for text.
    pub chars: Option<u64>,
    /// An upper bound of the bytes that follow.
    pub size_hint: u64,
}

/// An artifact that is kept.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct StoredArtifact {
    /// The name by which it is read back.
    pub id: String,
    /// Its file, where there is one that the model's other tools can open.
    pub path: Option<PathBuf>,
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 digest of its bytes, in lower-case hex.
    pub sha256: String,
}

impl StoredArtifact {
    /// An artifact without a file; see [`with_path`](Self::with_path).
    pub fn new(id: impl Into<String>, size: u64, sha256: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            path: None,
            size,
            sha256: sha256.into(),
        }
    }

    /// Sets [`path`](Self::path).
    #[must_use]
    pub fn with_path(mut self, path: Option<PathBuf>) -> Self {
        self.path = path;
        self
    }
}

/// Takes artifacts, one at a time.
pub trait Sink {
    /// Starts one artifact.
    ///
    /// # Errors
    ///
    /// A [`SinkError`] when nothing can be kept; the conversion says so and goes on.
    fn begin<'s>(
        &'s mut self,
        head: &ArtifactHead<'_>,
    ) -> Result<Box<dyn ArtifactWriter + 's>, SinkError>;
}

/// One artifact being written. Dropped before [`finish`](Self::finish), it leaves nothing behind.
pub trait ArtifactWriter: Write {
    /// Keeps what was written, named by its content: the sink computes the digest over the chunks as they pass.
    ///
    /// # Errors
    ///
    /// A [`SinkError`] when the bytes could not be kept.
    fn finish(self: Box<Self>) -> Result<StoredArtifact, SinkError>;
}

/// Keeps nothing: for hosts without a place for artifacts. Every large or binary block is described, and
/// said to be lost.
#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a unit value that is written where it is used"
)]
pub struct NoArtifacts;

impl Sink for NoArtifacts {
    fn begin<'s>(
        &'s mut self,
        _head: &ArtifactHead<'_>,
    ) -> Result<Box<dyn ArtifactWriter + 's>, SinkError> {
        Err(SinkError::new(
            SinkErrorKind::Unsupported,
            "this host keeps no artifacts",
        ))
    }
}

/// An artifact that could not be kept. The message is shown to the model, so it names no secret.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct SinkError {
    kind: SinkErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What kept an artifact from being kept.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum SinkErrorKind {
    /// The artifact is over a limit. Trying again will not help.
    TooLarge,
    /// The quota is used up or the disk is full. Removing artifacts may help.
    Full,
    /// The sink keeps no artifacts.
    Unsupported,
    /// Reading or writing failed. Trying again may help.
    Failed,
}

impl SinkError {
    /// An error that says `message`: lower case, without a full stop.
    pub fn new(kind: SinkErrorKind, message: impl Into<String>) -> Self {
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

    /// What kept it from being kept.
    #[must_use]
    pub fn kind(&self) -> SinkErrorKind {
        self.kind
    }
}
