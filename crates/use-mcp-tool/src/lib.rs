//! The generic dialect of MCP: `use_mcp_tool` and `access_mcp_resource`, as JSON calls and as XML tags in text.
//!
//! Some models and hosts prefer one door for all servers to a tool of its own for each: the model names a server, a tool
//! and arguments. This crate reads such calls in both ways that models write them, finds what was meant, and notices when
//! a model goes round in circles.
//!
//! ```
//! use mcp_bridge_use_mcp_tool::{CallKind, Known, Segment, parse_xml, resolve};
//!
//! let text = "<use_mcp_tool><server_name>git</server_name><tool_name>git-log</tool_name></use_mcp_tool>";
//! let [Segment::Call(call)] = &parse_xml(text)[..] else { panic!("one call") };
//! let CallKind::UseTool { server, tool, .. } = &call.kind else { panic!("of a tool") };
//! let known = [Known::new("git", ["git_log", "git_status"])];
//! assert_eq!(resolve(&known, server, tool)?.tool, "git_log");
//! # Ok::<(), mcp_bridge_use_mcp_tool::CallError>(())
//! ```
//!
//! # What a call looks like
//!
//! | Tool | Parameters |
//! |---|---|
//! | `use_mcp_tool` | `server_name`, `tool_name`, `arguments` (a JSON object; may be absent) |
//! | `access_mcp_resource` | `server_name`, `uri` |
//!
//! A call that is not whole is never given out as one, and nothing is guessed: what cannot be read is a [`CallError`] that
//! tells the model what to write instead.
//!
//! # What this crate leaves to others
//!
//! It calls nothing, asks nobody and checks no schema; names that a model API accepts, and the text of results, are made
//! elsewhere.

// In reading order: what a call is, the two ways it is written, what is meant, and when to stop.
mod call;
mod describe;
mod error;
mod json;
mod loops;
mod resolve;
mod xml;

pub use crate::call::{ACCESS_MCP_RESOURCE, Call, CallKind, Note, USE_MCP_TOOL};
pub use crate::describe::{Described, DescribedTool, describe};
pub use crate::error::{CallError, CallErrorKind, Names};
pub use crate::json::{parse_json, parse_value};
pub use crate::loops::{Mistakes, Repetitions};
pub use crate::resolve::{Known, Resolved, resolve};
pub use crate::xml::{Segment, XmlParser, parse_xml};
