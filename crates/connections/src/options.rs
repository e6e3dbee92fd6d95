//! How a connection is made, and what it may cost.

use std::time::Duration;

/// Which era of the protocol is spoken.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Lifecycle {
    /// Asks with `server/discover` (2026-07-28), and falls back to `initialize` where that is not understood.
    #[default]
    Auto,
    /// `initialize` only (2024-11-05 to 2025-11-25).
    Initialize,
    /// `server/discover` only (2026-07-28).
    Discover,
}

/// What the host can do for a server. Only what is declared here is ever asked of it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Capabilities {
    /// It can put a form to a person.
    pub elicitation_form: bool,
    /// It can send a person to a URL.
    pub elicitation_url: bool,
    /// It has roots to show.
    pub roots: bool,
}

impl Capabilities {
    /// Sets both kinds of elicitation.
    #[must_use]
    pub fn with_elicitation(mut self, form: bool, url: bool) -> Self {
        self.elicitation_form = form;
        self.elicitation_url = url;
        self
    }

    /// Sets [`roots`](Self::roots).
    #[must_use]
    pub fn with_roots(mut self, roots: bool) -> Self {
        self.roots = roots;
        self
    }
}

/// The bounds of what a server may send.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// One message, on every transport, in bytes. Default: 16 MiB.
    pub max_message_bytes: usize,
    /// Pages of one list. Default: 1,000.
    pub max_pages: usize,
    /// Entries of one list. Default: 50,000.
    pub max_entries: usize,
    /// What is kept of stderr, in bytes. Default: 64 KiB.
    pub max_stderr_bytes: usize,
    /// Requests that wait for an answer at once, over HTTP; more wait for their turn. Default: 64.
    pub max_requests: usize,
    /// Calls in all where a server asks for input, the first included. Default: 4.
    pub max_rounds: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_message_bytes: 16 << 20,
            max_pages: 1_000,
            max_entries: 50_000,
            max_stderr_bytes: 64 << 10,
            max_requests: 64,
            max_rounds: 4,
        }
    }
}

/// How long things may take.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Timeouts {
    /// Until the server is ready. Default: 30 s; a server's own configuration goes before it.
    pub connect: Duration,
    /// One request for a page of a list, a resource, a prompt. Default: 20 s.
    pub list: Duration,
    /// One tool call, from the last sign of life. Default: 60 s; a server's own configuration goes before it.
    pub call: Duration,
    /// One tool call in all. Default: 3,600 s.
    pub total: Duration,
    /// Between two steps of ending a process. Default: 2 s.
    pub end: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            list: Duration::from_secs(20),
            call: Duration::from_secs(60),
            total: Duration::from_secs(3_600),
            end: Duration::from_secs(2),
        }
    }
}

/// How connections are made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The era. Default: [`Lifecycle::Auto`].
    pub lifecycle: Lifecycle,
    /// `clientInfo.name`. Default: `mcp-bridge`.
    pub client_name: String,
    /// `clientInfo.version`. Default: the version of this crate.
    pub client_version: String,
    /// What the host can do. Default: nothing.
    pub capabilities: Capabilities,
    /// The bounds.
    pub limits: Limits,
    /// The times.
    pub timeouts: Timeouts,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            lifecycle: Lifecycle::default(),
            client_name: "mcp-bridge".to_owned(),
            client_version: env!("CARGO_PKG_VERSION").to_owned(),
            capabilities: Capabilities::default(),
            limits: Limits::default(),
            timeouts: Timeouts::default(),
        }
    }
}

macro_rules! setters {
    ($on:ident: $($field:ident, $with:ident: $type:ty;)*) => {
        impl $on {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $with(mut self, value: $type) -> Self {
                    self.$field = value;
                    self
                }
            )*
        }
    };
}

setters! { Limits:
    max_message_bytes, with_max_message_bytes: usize;
    max_pages, with_max_pages: usize;
    max_entries, with_max_entries: usize;
    max_stderr_bytes, with_max_stderr_bytes: usize;
    max_requests, with_max_requests: usize;
    max_rounds, with_max_rounds: usize;
}

setters! { Timeouts:
    connect, with_connect: Duration;
    list, with_list: Duration;
    call, with_call: Duration;
    total, with_total: Duration;
    end, with_end: Duration;
}

setters! { Options:
    lifecycle, with_lifecycle: Lifecycle;
    capabilities, with_capabilities: Capabilities;
    limits, with_limits: Limits;
    timeouts, with_timeouts: Timeouts;
}

impl Options {
    /// Sets what the host calls itself.
    #[must_use]
    pub fn with_client(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.client_name = name.into();
        self.client_version = version.into();
        self
    }
}
