//! Connections to MCP servers: transports, both protocol eras, lists, calls, orderly ends.
//!
//! A [`Connection`] is one live server, a child process or a Streamable HTTP endpoint. It lists what the server offers over
//! all pages, calls its tools with timeouts, progress and cancellation, puts its questions to the host, and ends with
//! everything that it started. What comes back is raw JSON, numbers and key order as the server wrote them.
//!
//! ```no_run
//! use std::sync::Arc;
//! use mcp_bridge_connections::{Connection, ListKind, Options, ToolCall};
//! use mcp_bridge_server_config::ServerConfig;
//!
//! # async fn run() -> Result<(), mcp_bridge_connections::Error> {
//! let config = ServerConfig::stdio("uvx").args(["mcp-server-time"]);
//! let server = Connection::open("time", &config, &Options::default(), Arc::new(())).await?;
//! println!("{} tools", server.list(ListKind::Tools).await?.items.len());
//! let result = server.call_tool(ToolCall::new("get_current_time", Default::default())).await?;
//! println!("{result}");
//! server.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # What this crate leaves to others
//!
//! It knows no model, no permission and no artifact; it does not read configuration files, and does not restart what died.
//! rmcp, which speaks the protocol, stays inside: none of its types is in this API.

// In reading order: what a connection is told, what it is, what is asked of it, and what lies below.
mod error;
mod handler;
mod options;

mod connection;

mod calls;
mod listen;
mod lists;
mod progress;

mod child;
mod failure;
#[cfg(feature = "http")]
mod http;
mod lines;
mod wire;

pub use crate::calls::ToolCall;
pub use crate::connection::{Connection, ServerInfo};
pub use crate::error::{Error, ErrorKind, RpcError};
pub use crate::handler::{Elicitation, ElicitationAnswer, Event, Handler, Root};
pub use crate::lists::{ListKind, Listing};
pub use crate::options::{Capabilities, Lifecycle, Limits, Options, Timeouts};
pub use crate::progress::{Progress, ProgressSink};
pub use crate::wire::Problem;
