//! An MCP server's question to fields, typed text to checked values.
//!
//! A server may ask its user something in the middle of a call: a form of a few fields, or a page to visit
//! ([elicitation](https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation)). This crate reads the
//! request into fields that a host can ask one by one, turns what was typed into values with precise errors, checks the
//! whole before it is sent, and says whether an address is fit to be shown and opened.
//!
//! ```
//! use mcp_bridge_elicitation::Question;
//! use serde_json::json;
//!
//! let question = Question::new(&json!({"message": "How many?", "requestedSchema": {"type": "object", "properties":
//!     {"n": {"type": "integer", "minimum": 1, "default": 2}}, "required": ["n"]}}))?;
//! let Question::Form(form) = question else { unreachable!() };
//! let field = &form.fields()[0];
//! assert_eq!(field.prompt(), "n *: ");
//! assert_eq!(field.parse("42")?, Some(json!(42)));
//! assert_eq!(field.parse("42xyz").unwrap_err().to_string(), "`n` must be a whole number");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this crate leaves to others
//!
//! It asks nobody, opens nothing and fetches nothing. Messages, titles and descriptions are as the server wrote them:
//! clean them before a terminal sees them. Answers are never put into an error text.

// In reading order: a question, its fields, a typed text, an answer, an address.
mod answer;
mod error;
mod field;
mod form;
mod formats;
mod parse;
mod question;
mod url;

pub use crate::answer::{Answer, check_answer};
pub use crate::error::{Error, ErrorKind, FieldError, FieldProblem};
pub use crate::field::{Choice, Field, Format, Kind, NumberRules, TextRules};
pub use crate::form::Form;
pub use crate::question::{Modes, Question, URL_ELICITATION_REQUIRED, url_questions};
pub use crate::url::{CheckedUrl, UrlProblem, UrlQuestion, UrlWarning, check_url};
