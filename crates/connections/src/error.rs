//! Why a connection could not do its part.

use serde_json::Value;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A failed connect, list or call.
///
/// The text is one readable sentence that names the server and holds no header, credential or URL query.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    server_id: String,
    message: String,
    rpc: Option<Box<RpcError>>,
    status: Option<u16>,
    stderr: String,
    source: Option<BoxError>,
}

/// What to do about an [`Error`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The command does not exist. Mend the configuration.
    CommandNotFound,
    /// The command could not be started for another reason.
    Spawn,
    /// The process ended before it was asked to.
    Exited,
    /// The server did not answer in time.
    Timeout,
    /// The connection is closed, or closed during the call; the effect of the call is unknown.
    Closed,
    /// The server broke the protocol.
    Protocol,
    /// A message was larger than the limit.
    TooLarge,
    /// The HTTP server answered with an error status.
    Http,
    /// The server wants a sign-in.
    AuthRequired,
    /// The server answered with a JSON-RPC error.
    Rpc,
    /// The transport is not supported by this build.
    Unsupported,
}

/// A JSON-RPC error as the server sent it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RpcError {
    /// `code`; codes from -32000 to -32019 mean whatever the server likes.
    pub code: i64,
    /// `message`. Untrusted text.
    pub message: String,
    /// `data`, or null.
    pub data: Value,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, server_id: &str, message: impl Into<String>) -> Self {
        Self {
            kind,
            server_id: server_id.to_owned(),
            message: message.into(),
            rpc: None,
            status: None,
            stderr: String::new(),
            source: None,
        }
    }

    pub(crate) fn with_rpc(mut self, rpc: RpcError) -> Self {
        self.rpc = Some(Box::new(rpc));
        self
    }

    #[cfg(feature = "http")]
    pub(crate) fn with_status(mut self, status: Option<u16>) -> Self {
        self.status = status;
        self
    }

    /// Adds the first line that was no message, quoted.
    pub(crate) fn with_garbage(mut self, line: Option<String>) -> Self {
        if let Some(line) = line {
            self.message.push_str("; it wrote ");
            self.message.push_str(&line);
            self.message
                .push_str(", which is no message of the protocol");
        }
        self
    }

    /// Adds the end of what the process wrote to stderr.
    pub(crate) fn with_stderr(mut self, stderr: String) -> Self {
        let last = stderr.trim_end();
        if !last.is_empty() {
            let lines: Vec<&str> = last.lines().collect();
            let shown = lines.len().saturating_sub(5);
            let tail = lines.get(shown..).unwrap_or_default().join("\n  ");
            self.message.push_str("; its stderr ends with:\n  ");
            self.message.push_str(&tail);
        }
        self.stderr = stderr;
        self
    }

    pub(crate) fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What to do about it.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The host's key for the server.
    pub fn server_id(&self) -> &str {
        &self.server_id
    }

    /// The JSON-RPC error behind it, where there is one.
    pub fn rpc(&self) -> Option<&RpcError> {
        self.rpc.as_deref()
    }

    /// The HTTP status behind it, where there is one.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// The end of what the process wrote to stderr, at most 64 KiB. Untrusted text.
    pub fn stderr(&self) -> &str {
        &self.stderr
    }
}
