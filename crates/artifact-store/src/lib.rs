//! Private files for what tools return: atomic, bounded, safe from symbolic links.
//!
//! A session has one folder, opened once; every file below it is reached through that handle, so no name, link
//! or rename leads out of it. An artifact appears whole or not at all, is readable by its owner alone, and has an
//! id that a model can hand back: `server/tool/00-image-2cf24dba5fb0a30e.png`.
//!
//! ```
//! use std::io::Write;
//! use mcp_bridge_artifact_store::{ArtifactStore, MemoryStore, NewArtifact, ReadRange};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = MemoryStore::default();
//! let mut writer = store.begin(&NewArtifact::new("git", "log", "text").with_extension(".txt"))?;
//! writer.write_all(b"one\ntwo\n")?;
//! let kept = writer.finish()?;
//! assert_eq!(store.read(&kept.id, ReadRange::Lines { first: 2, count: 1 })?.bytes, b"two\n");
//! # Ok(())
//! # }
//! ```
//!
//! # What this crate leaves to others
//!
//! It never decides what is worth keeping, never looks inside an artifact but to count its lines, and never deletes
//! one. It knows nothing of MCP beyond the words server and tool.

// In reading order: names, where they live, what is kept, and the stores.
mod error;
mod file_store;
mod folder;
mod id;
mod limits;
mod memory;
mod names;
mod read;
mod record;
mod session;
mod store;

pub use crate::error::{Error, ErrorKind};
pub use crate::file_store::FileStore;
pub use crate::id::{ArtifactId, InvalidArtifactId};
pub use crate::limits::{Durability, Limits, Naming, StoreOptions};
pub use crate::memory::MemoryStore;
pub use crate::names::{
    Platform, distinct_segment, path_segment, project_dir_candidates, project_dir_name,
};
pub use crate::read::{Excerpt, ReadRange};
pub use crate::record::{ArtifactRecord, NewArtifact};
pub use crate::session::{Layout, SessionDir, SessionMarker};
pub use crate::store::{ArtifactStore, ArtifactWriter};
