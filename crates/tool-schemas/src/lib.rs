//! JSON Schemas of MCP tools: fit for a model API, compiled once, checked before a call.
//!
//! A server describes a tool's arguments with JSON Schema, any of it. A model API accepts a part of JSON Schema, each
//! another part. [`model_schema`] makes the first into the second and tells every change; the arguments that come back
//! are put into the server's own shape by [`ModelSchema::restore_arguments`]. A [`Validator`] checks them against the
//! schema as the server wrote it.
//!
//! ```
//! use mcp_bridge_tool_schemas::{SchemaProfile, Validator, model_schema};
//! use serde_json::json;
//!
//! let schema = json!({"type": "object", "properties": {"ids[]": {"type": "array"}}, "required": ["ids[]"]});
//! let for_model = model_schema(&schema, &SchemaProfile::anthropic());
//! assert_eq!(for_model.schema()["required"], json!(["ids__"]));
//!
//! let arguments = for_model.restore_arguments(json!({"ids__": "7"}));
//! assert_eq!(arguments, json!({"ids[]": "7"}));
//!
//! let violations = Validator::compile(&schema)?.check(&arguments);
//! assert_eq!(violations[0].to_string(), "at /ids[]: expected array, got string");
//! # Ok::<(), mcp_bridge_tool_schemas::SchemaError>(())
//! ```
//!
//! # What it refuses
//!
//! A schema that is too large or too deep, of an unknown dialect, that points outside of itself or to itself without
//! end does not compile. Nothing is ever fetched. Such a tool can still be called: its arguments are merely unchecked.
//!
//! # What this crate leaves to others
//!
//! It never repairs arguments, and adds nothing to what the model wrote.

// In reading order: what the model sees, then what its arguments are held against.
mod adapt;
mod cache;
mod change;
mod dialect;
mod error;
mod inline;
mod profile;
mod rename;
mod validator;
mod violation;

pub use crate::adapt::{ModelSchema, model_schema};
pub use crate::cache::{SchemaKey, ValidatorCache};
pub use crate::change::{Change, ChangeKind};
pub use crate::error::{SchemaError, SchemaErrorKind};
pub use crate::profile::{PropertyNames, References, RootCombinators, SchemaProfile};
pub use crate::validator::{Limits, Validator};
pub use crate::violation::Violation;
