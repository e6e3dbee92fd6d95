//! What is known of an artifact.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::id::ArtifactId;
use crate::limits::Naming;
use crate::names::{distinct_segment, path_segment};

/// An artifact to be: all that is known before its bytes are.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct NewArtifact {
    /// The server, as the host knows it.
    pub server: String,
    /// The tool, as the server wrote it.
    pub tool: String,
    /// What it is, in a word: `text`, `image`.
    pub kind: String,
    /// The position of the block in its result.
    pub index: usize,
    /// The MIME type.
    pub mime_type: String,
    /// The MIME type that the server gave, where the bytes said otherwise.
    pub declared_mime_type: Option<String>,
    /// The file name extension, with its dot; anything but a dot and 1 to 8 letters or digits is `.bin`.
    pub extension: String,
    /// The address, for a resource.
    pub uri: Option<String>,
    /// The number of characters, for text.
    pub chars: Option<u64>,
    /// An upper bound of the bytes that follow; 0 when unknown.
    pub size_hint: u64,
}

impl NewArtifact {
    /// A `kind` from `tool` on `server`, binary until more is said.
    pub fn new(
        server: impl Into<String>,
        tool: impl Into<String>,
        kind: impl Into<String>,
    ) -> Self {
        Self {
            server: server.into(),
            tool: tool.into(),
            kind: kind.into(),
            mime_type: "application/octet-stream".to_owned(),
            extension: ".bin".to_owned(),
            ..Self::default()
        }
    }

    /// Sets [`index`](Self::index).
    #[must_use]
    pub fn with_index(mut self, index: usize) -> Self {
        self.index = index;
        self
    }

    /// Sets [`mime_type`](Self::mime_type) and [`declared_mime_type`](Self::declared_mime_type).
    #[must_use]
    pub fn with_mime_type(
        mut self,
        mime_type: impl Into<String>,
        declared: Option<String>,
    ) -> Self {
        self.mime_type = mime_type.into();
        self.declared_mime_type = declared;
        self
    }

    /// Sets [`extension`](Self::extension).
    #[must_use]
    pub fn with_extension(mut self, extension: impl Into<String>) -> Self {
        self.extension = extension.into();
        self
    }

    /// Sets [`uri`](Self::uri).
    #[must_use]
    pub fn with_uri(mut self, uri: Option<String>) -> Self {
        self.uri = uri;
        self
    }

    /// Sets [`chars`](Self::chars).
    #[must_use]
    pub fn with_chars(mut self, chars: Option<u64>) -> Self {
        self.chars = chars;
        self
    }

    /// Sets [`size_hint`](Self::size_hint).
    #[must_use]
    pub fn with_size_hint(mut self, bytes: u64) -> Self {
        self.size_hint = bytes;
        self
    }

    /// The two folders below the store's root.
    pub(crate) fn folders(&self, naming: Naming) -> (String, String) {
        match naming {
            Naming::Distinct => (distinct_segment(&self.server), distinct_segment(&self.tool)),
            Naming::Reference => (path_segment(&self.server), path_segment(&self.tool)),
        }
    }

    pub(crate) fn file_name(&self, sha256: &str) -> String {
        let kind: String = path_segment(&self.kind).chars().take(32).collect();
        let digest: String = sha256.chars().take(16).collect();
        let letters = self.extension.strip_prefix('.').unwrap_or_default();
        let fits = (1..=8).contains(&letters.len())
            && letters.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let extension = if fits { letters } else { "bin" };
        format!("{:02}-{kind}-{digest}.{extension}", self.index)
    }

    pub(crate) fn record(
        &self,
        id: ArtifactId,
        path: Option<PathBuf>,
        size: u64,
        sha256: String,
    ) -> ArtifactRecord {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        ArtifactRecord {
            id: id.into(),
            kind: self.kind.clone(),
            mime_type: self.mime_type.clone(),
            declared_mime_type: self.declared_mime_type.clone(),
            path,
            size,
            chars: self.chars,
            uri: self.uri.clone(),
            sha256,
            server: self.server.clone(),
            tool: self.tool.clone(),
            created_unix_secs: now.ok().map(|now| now.as_secs()),
        }
    }
}

/// An artifact that is kept.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct ArtifactRecord {
    /// The id by which it is read back; see [`ArtifactId`].
    pub id: String,
    /// What it is, in a word.
    pub kind: String,
    /// The MIME type.
    pub mime_type: String,
    /// The MIME type that the server gave, where the bytes said otherwise.
    pub declared_mime_type: Option<String>,
    /// Its file, where there is one.
    pub path: Option<PathBuf>,
    /// Its size in bytes.
    pub size: u64,
    /// The number of characters, for text.
    pub chars: Option<u64>,
    /// The address, for a resource.
    pub uri: Option<String>,
    /// The SHA-256 digest of its bytes, in lower-case hex.
    pub sha256: String,
    /// The server, as the host knows it.
    pub server: String,
    /// The tool, as the server wrote it.
    pub tool: String,
    /// When it was kept, in seconds since 1970.
    pub created_unix_secs: Option<u64>,
}

impl ArtifactRecord {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "kind": self.kind, "mime_type": self.mime_type, "declared_mime_type": self.declared_mime_type,
            "chars": self.chars, "uri": self.uri, "sha256": self.sha256, "server": self.server, "tool": self.tool,
            "created_unix_secs": self.created_unix_secs,
        })
    }

    /// Fills in what a metadata file says; one that is damaged says nothing.
    pub(crate) fn with_json(mut self, told: &Value) -> Self {
        let text = |key: &str| told.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = |key: &str| told.get(key).and_then(Value::as_u64);
        self.kind = text("kind").unwrap_or(self.kind);
        self.mime_type = text("mime_type").unwrap_or(self.mime_type);
        self.declared_mime_type = text("declared_mime_type");
        self.chars = number("chars");
        self.uri = text("uri");
        self.sha256 = text("sha256").unwrap_or_default();
        self.server = text("server").unwrap_or(self.server);
        self.tool = text("tool").unwrap_or(self.tool);
        self.created_unix_secs = number("created_unix_secs");
        self
    }
}
