//! MCP server configuration: what people already have in `.mcp.json`, read with care.
//!
//! A [`ServerConfig`] says how to reach one server and what its host allows it. It is built in code, or read from a file by
//! [`load_file`]: comments are accepted, `${VAR}` is put in, and one entry that cannot be used costs only itself.
//!
//! ```
//! use mcp_bridge_server_config::{Origin, ServerConfig, load_str};
//!
//! let by_hand = ServerConfig::stdio("uvx").args(["mcp-server-git"]);
//! let text = r#"{"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"]}}}"#;
//! let loaded = load_str(text, Origin::Project, &|name| std::env::var(name).ok())?;
//! assert_eq!(loaded.servers[0].config, by_hand);
//! # Ok::<(), mcp_bridge_server_config::LoadError>(())
//! ```
//!
//! # The file
//!
//! `{"mcpServers": {"<name>": {…}}}`, with these members of an entry:
//!
//! | Member | What it is |
//! |---|---|
//! | `type` | `stdio`, `http` (also `streamable-http`, `streamableHttp`), `sse`, `ws`; inferred from `command` or `url` |
//! | `command`, `args`, `env`, `cwd` | a child process; no shell reads them |
//! | `url`, `headers`, `headersHelper`, `oauth` | a server reached over HTTP |
//! | `timeout`, `startupTimeout` | seconds, 1 to 3,600; 60 and 30 where absent |
//! | `disabled` | configured, and not started |
//! | `alwaysAllow`, `allowedTools`, `disabledTools` | tools by the server's own names |
//! | `parallelToolCalls`, `watchPaths`, `trust` | see the fields of [`ServerConfig`] |
//!
//! # What this crate leaves to others
//!
//! It starts nothing, asks nobody and never writes a file. Whether a project's servers may be started at all is for the
//! host to ask: [`ServerConfig::digest`] tells whether an entry is still the one that was approved, and
//! [`plaintext_secrets()`] what must not be written to a file. [`child_env()`] is what a server may then see of the host's
//! environment. A `headersHelper` is for the host to run; [`split_command()`], [`helper_env()`] and [`merge_headers()`]
//! are the parts of that which need no process.

// In reading order: what a configuration is, how it is read, and what of it may be shown or passed on.
mod digest;
mod server;

mod entry;
mod expand;
mod load;
mod secrets;

mod child_env;
mod helper;
mod redact;

pub use crate::child_env::{child_env, helper_env};
pub use crate::expand::{Expanded, expand, expand_json};
pub use crate::helper::{Platform, SplitError, merge_headers, split_command};
pub use crate::load::{
    Entry, LoadError, LoadErrorKind, Loaded, Origin, Warning, load_file, load_str,
};
pub use crate::redact::{public_url, redact_args};
pub use crate::secrets::{PlaintextSecret, SecretPlace, plaintext_secrets};
pub use crate::server::{
    HttpConfig, OAuthConfig, ServerConfig, StdioConfig, Transport, Trust, WebSocketConfig,
};
