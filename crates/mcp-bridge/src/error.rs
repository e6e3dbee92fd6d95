//! Why the bridge could not do its part.

use std::error::Error as StdError;

use crate::catalog::ServerState;

type BoxError = Box<dyn StdError + Send + Sync>;

/// The longest text, in characters: it may quote what a server or a model wrote.
const MAX_CHARS: usize = 8_000;

/// The bridge could not do its part of a call, a command or a read.
///
/// The text is one or two sentences that a model or a person can act on: it names the input and the way out, and holds
/// no credential. What a tool itself reports as failed, and what a permission refused, is not an error but an
/// [`Outcome`](crate::Outcome).
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    server_id: Option<String>,
    source: Option<BoxError>,
}

/// What to do about an [`Error`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No tool, command or resource of that name. The text names near misses.
    Unknown,
    /// The tool is there, and the host's configuration or rules switch it off.
    SwitchedOff,
    /// The name stands for several things. The text names them.
    Ambiguous,
    /// A command's arguments could not be read, or a required one is missing.
    InvalidArguments,
    /// The server is not connected, or went away during the call; the effect of the call is unknown.
    ServerDown,
    /// The server did not answer in time. The call was cancelled on the server.
    Timeout,
    /// The answer was larger than the configured limit.
    TooLarge,
    /// The server wants a sign-in that the host has not made.
    AuthRequired,
    /// The server answered with a JSON-RPC error.
    Rpc,
    /// The server broke the protocol.
    Protocol,
    /// The bridge itself failed, e.g. a task of the runtime was aborted.
    Internal,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            kind,
            message: mcp_bridge_public_text::truncate(&message, MAX_CHARS).into_owned(),
            server_id: None,
            source: None,
        }
    }

    pub(crate) fn on_server(mut self, server_id: &str) -> Self {
        self.server_id = Some(server_id.to_owned());
        self
    }

    /// Puts what was being done before the text.
    pub(crate) fn about(mut self, what: &str) -> Self {
        let message = format!("{what}: {}", self.message);
        self.message = mcp_bridge_public_text::truncate(&message, MAX_CHARS).into_owned();
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

    /// The server it happened on, where it was one.
    pub fn server_id(&self) -> Option<&str> {
        self.server_id.as_deref()
    }
}

/// A server cannot be used, for the reason that its state gives.
pub(crate) fn down(server_id: &str, state: &ServerState) -> Error {
    let (kind, why) = match state {
        ServerState::NeedsAuth(why) => (ErrorKind::AuthRequired, why.as_str()),
        ServerState::Failed(why) => (ErrorKind::ServerDown, why.as_str()),
        ServerState::Disabled => (
            ErrorKind::ServerDown,
            "it is switched off by its configuration",
        ),
        ServerState::Pending => (ErrorKind::ServerDown, "it is still being started"),
        ServerState::Connected => (ErrorKind::ServerDown, "it went away just now"),
    };
    // Most reasons name the server themselves.
    let text = match why.contains(&format!("`{server_id}`")) {
        true => why.to_owned(),
        false => format!("the server `{server_id}` is not connected: {why}"),
    };
    Error::new(kind, text).on_server(server_id)
}
