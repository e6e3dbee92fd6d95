//! One line of text to named arguments, the way people type them.
//!
//! A user who runs `/report region=eu title="Q3 review"` wants two arguments, and one who types a Windows path wants its
//! backslashes. Shell rules give neither. This crate reads a line as `name=value` pairs or as a JSON object:
//!
//! ```
//! use mcp_bridge_prompt_args::parse;
//!
//! let arguments = parse(r#"file=C:\new\table.txt title="Q3 review" note=it's fine"#)?;
//! assert_eq!(arguments.get("file"), Some(r"C:\new\table.txt"));
//! assert_eq!(arguments.get("title"), Some("Q3 review"));
//! assert_eq!(arguments.get("note"), Some("it's fine"));
//!
//! let error = parse("title=\"Q3 review").unwrap_err();
//! assert_eq!(error.render("title=\"Q3 review"), "\
//! the quote `\"` is never closed
//!   title=\"Q3 review
//!         ^^^^^^^^^^
//! hint: close it, or write \\\" for a quote that is part of the text
//! ");
//! # Ok::<(), mcp_bridge_prompt_args::ParseError>(())
//! ```
//!
//! # The grammar
//!
//! - The line is split at white space outside quotes. A piece with an unquoted `=` starts an argument; what is left of the
//!   first one is the name, which is never empty and holds no white space.
//! - Any other piece is a word, and goes on with the value before it, white space as it was typed; white space at either
//!   end of a value only stays inside quotes.
//! - Where no value is there to go on with, a word in quotes that holds `=` is an argument too: `"title=Q3 review"`.
//! - `'` and `"` quote anywhere in a piece and vanish. Inside quotes `\` and that quote make the quote itself; every other
//!   `\` is text, there and elsewhere.
//! - `'` between two letters or digits is an apostrophe, and text.
//! - Where a line cannot be closed otherwise, `\` and a quote before white space or the end **are** the end of the quotes,
//!   so that `dir="C:\temp\"` works; failing that, such an apostrophe is a quote.
//! - A name given twice keeps its last value; [`Arguments::duplicates`] tells of the others.
//! - A line that starts with `{` is a JSON object. A string is its text; any other value is its JSON, as it was written,
//!   less white space.
//!
//! # What this crate leaves to others
//!
//! It knows no prompts and sends nothing. It uses no `std`, only `alloc`, and without its feature `json` no other crate;
//! the feature `miette` makes [`ParseError`] a diagnostic of the crate of that name.

#![no_std]

extern crate alloc;

// In reading order: what comes out, how it is read, then what is done with it.
mod arguments;
mod error;

mod options;
mod scan;
mod text;

#[cfg(feature = "json")]
mod json;

#[cfg(feature = "miette")]
mod diagnostic;

mod command;
mod complete;
mod declared;
mod format;

pub use crate::arguments::{Argument, Arguments};
pub use crate::command::{Command, split_command};
pub use crate::complete::{Completion, complete_at};
pub use crate::declared::{
    Declared, MissingArguments, UnknownName, check_required, unknown_names, usage,
};
pub use crate::error::{ParseError, ParseErrorKind};
#[cfg(feature = "json")]
pub use crate::format::format_args;
pub use crate::format::{InvalidName, format_json, format_pairs};
pub use crate::options::{EmptyValue, Options, Spacing};

/// Reads a line with the default [`Options`].
///
/// # Errors
///
/// [`ParseError`], with the place in `line` and a hint.
pub fn parse(line: &str) -> Result<Arguments<'_>, ParseError> {
    Options::default().parse(line)
}
