//! What an MCP server returned, turned into what a model reads.
//!
//! A result is a list of blocks: text, images, audio, embedded resources, links, and whatever a newer
//! protocol adds. This crate takes them as JSON, exactly as they came off the wire, and gives back text for
//! any model, parts for a multimodal one, and a record of what was too big or too binary to say. Bytes
//! leave through a [`Sink`], in chunks, so a large payload is never held a second time.
//!
//! ```
//! use mcp_bridge_tool_results::{Context, NoArtifacts, Options, convert};
//! use serde_json::json;
//!
//! let result = json!({"content": [{"type": "text", "text": "3 files changed"}]});
//! let told = convert(&result, &Context::new("git", "status"), &Options::default(), &mut NoArtifacts);
//! assert_eq!(told.text(), "3 files changed");
//! assert!(!told.is_error());
//! ```
//!
//! One odd block costs only itself: bad base64, an unknown type or a full disk is said in the text, noted
//! with a stable code, and the rest of the result survives.
//!
//! # What this crate leaves to others
//!
//! It never touches a file, never talks to a server, and never fetches a link. It does not remove terminal
//! controls from text: what a person is shown goes through a crate made for that.

// In reading order: how much is said, where bytes go, what comes out, and how each kind of result is read.
mod base64;
mod convert;
mod converted;
mod json;
mod keep;
mod mime;
mod options;
mod preview;
mod prompts;
mod resources;
mod sink;

pub use crate::convert::{Context, convert};
pub use crate::converted::{Artifact, Converted, Note, Part};
pub use crate::mime::{ExtensionTable, binary_extension, text_extension};
pub use crate::options::{Options, Wording};
pub use crate::prompts::{ConvertedPrompt, PromptMessage, convert_prompt_messages};
pub use crate::resources::{convert_resource_contents, render_resource_lines};
pub use crate::sink::{
    ArtifactHead, ArtifactWriter, NoArtifacts, Sink, SinkError, SinkErrorKind, StoredArtifact,
};
