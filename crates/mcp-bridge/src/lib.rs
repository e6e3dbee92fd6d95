//! Everything between MCP servers and an agent's model.
//!
//! A [`Bridge`] connects to any number of [MCP](https://modelcontextprotocol.io) servers at once, shows a model what they
//! offer under names that its API accepts, checks and permits each call, and turns what comes back into text that a model
//! can read, with everything big or binary kept as private artifacts.
//!
//! ```no_run
//! use mcp_bridge::{Bridge, ServerConfig};
//! use serde_json::json;
//!
//! # async fn run() -> Result<(), mcp_bridge::Error> {
//! let bridge = Bridge::builder()
//!     .server("git", ServerConfig::stdio("uvx").args(["mcp-server-git"]))
//!     .start()
//!     .await; // one bad server never stops the rest: see bridge.warnings()
//! for tool in bridge.catalog().tools() {
//!     println!("{}: {} {}", tool.name(), tool.description(), tool.input_schema());
//! }
//! let outcome = bridge.call("mcp__git__git_status", json!({"repo_path": "."})).await?;
//! println!("{}", outcome.text());
//! bridge.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # What a host decides
//!
//! A [`Host`] is asked and told: whether a call may run, what a person answers to a server's question, what happens. Each
//! of its methods has a default that is safe and silent, so a bridge without a host never approves by itself. Rules and
//! modes are those of [`permissions`]; a [`PermissionPolicy`] takes their place.
//!
//! # What is untrusted
//!
//! All that a server sends. Text in a [`Catalog`] and in an [`Outcome`] is bounded and fit for a model; a terminal needs
//! [`public_text`] before it.
//!
//! # What this crate leaves to others
//!
//! It talks to no model, draws no dialog and writes no settings. A server that goes away is taken out of the catalog and
//! told as an [`Event`]; [`Bridge::reconnect`] brings it back.

// In reading order: what is described, what is offered, how it is called, and what comes of it.
mod bridge;
mod builder;
mod call;
mod catalog;
mod command;
mod definition;
mod error;
mod event;
mod host;
mod instructions;
mod outcome;
mod permission;
mod progress;
mod refresh;
mod resources;
mod router;
mod server;
mod settings;
mod sink;
mod skill;
mod warning;

pub use mcp_bridge_artifact_store as artifact_store;
pub use mcp_bridge_connections as connections;
pub use mcp_bridge_elicitation as elicitation;
pub use mcp_bridge_permissions as permissions;
pub use mcp_bridge_prompt_args as prompt_args;
pub use mcp_bridge_public_text as public_text;
pub use mcp_bridge_server_config as server_config;
pub use mcp_bridge_skills as skills;
pub use mcp_bridge_tool_names as tool_names;
pub use mcp_bridge_tool_results as tool_results;
pub use mcp_bridge_tool_schemas as tool_schemas;
pub use mcp_bridge_use_mcp_tool as use_mcp_tool;

pub use mcp_bridge_artifact_store::SessionDir;
pub use mcp_bridge_server_config::ServerConfig;

pub use crate::bridge::Bridge;
pub use crate::builder::BridgeBuilder;
pub use crate::call::CallRequest;
pub use crate::catalog::{Catalog, Command, CommandKind, Counts, ServerState, ServerStatus, Tool};
pub use crate::definition::{CommandArgument, Resource};
pub use crate::error::{Error, ErrorKind};
pub use crate::event::Event;
pub use crate::host::{ApprovalRequest, Host};
pub use crate::instructions::{
    InstructionLimits, ServerInstructions, section as instructions_section,
};
pub use crate::outcome::{CommandOutcome, Outcome, OutcomeKind, PromptOutcome};
pub use crate::permission::PermissionPolicy;
pub use crate::progress::ProgressEvent;
pub use crate::settings::Limits;
pub use crate::warning::Warning;
