//! Names for MCP tools and commands that a model API will accept.
//!
//! A server may call itself and its tools anything; a model API accepts a short ASCII name. This crate turns
//! the pair into one public name such as `mcp__git__git_log`, the same on every machine and in every order of
//! servers, and finds the pair again by table, never by taking the name apart.
//!
//! ```
//! use mcp_bridge_tool_names::{NameProfile, NameTable};
//!
//! let table = NameTable::build(
//!     &NameProfile::default(),
//!     [("git", "git_log"), ("files", "read file"), ("files", "read.file")],
//! );
//!
//! let entry = table.resolve("mcp__git__git_log")?;
//! assert_eq!((entry.server(), entry.tool()), ("git", "git_log"));
//!
//! // Two tools that would have shared a name both end in a digest of the pair.
//! let name = table.name("files", "read file").map(|name| name.as_str());
//! assert_eq!(name, Some("mcp__files__read_file_d8793cb6"));
//! # Ok::<(), mcp_bridge_tool_names::ResolveError>(())
//! ```
//!
//! # What holds for every input
//!
//! - Each distinct pair has a name, each name belongs to one pair, and no name is longer than the profile says.
//! - A name depends on the set of pairs, not on their order; a pair that clashes with no other keeps its name
//!   whatever else comes or goes, and one given twice counts once.
//! - Nothing panics, and the work is linear in the text given, plus one sort.
//!
//! # What this crate leaves to others
//!
//! It never talks to a server, and never decides whether a tool may run.

// In reading order: what a name is, how one is made, then the tables that keep them apart.
mod name;
mod profile;

mod digest;
mod entry;
mod registry;

mod commands;
mod resolve;
mod tools;

pub use crate::commands::{AliasConflict, CommandItem, CommandTable, parse_prompt_uri, prompt_uri};
pub use crate::entry::{Entry, EntryKind};
pub use crate::name::{InvalidToolName, ToolName, ToolNameProblem};
pub use crate::profile::{Clash, Cut, NameProfile, Sanitizing};
pub use crate::resolve::{ResolveError, ResolveErrorKind};
pub use crate::tools::NameTable;
