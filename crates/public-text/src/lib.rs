//! Untrusted text to text fit to show: controls out, secrets masked, cut at a grapheme.
//!
//! What a server writes reaches people and models: in warnings, progress lines, error texts, names and titles. Shown
//! raw it can move the cursor, hide words, or repeat a password that it was given. This crate makes such text fit to
//! show, in time linear in its length.
//!
//! ```
//! let shown = mcp_bridge_public_text::public("\u{1b}[31mlogin failed:\u{1b}[0m password=hunter2 in '/home/ann/.netrc'");
//! assert_eq!(shown, "login failed: password=[REDACTED] in '[PATH]'");
//! ```
//!
//! How much is hidden is a choice: [`public`] hides all that it knows, for text that leaves the machine;
//! [`Cleaner::for_model`] leaves paths readable, since a model that cannot see which file failed cannot mend it.
//!
//! # What this crate leaves to others
//!
//! It reads text, not meaning: a secret without a known form and without a telling name beside it passes. What must
//! never be shown has to be kept out by whoever holds it. Nested JSON is walked by the caller, with [`is_secret_name`]
//! for its keys.

// In reading order: what a terminal must not see, what nobody should see, how much is shown.
mod args;
mod cleaner;
mod controls;
mod invisible;
mod names;
mod paths;
mod secrets;
mod shorten;
mod tokens;

pub use crate::args::mask_args;
pub use crate::cleaner::{Cleaner, public};
pub use crate::controls::without_controls;
pub use crate::invisible::{invisible_count, without_invisible};
pub use crate::names::is_secret_name;
pub use crate::shorten::{TRUNCATED, cut, one_line, truncate};

/// What stands in the place of a secret.
pub const REDACTED: &str = "[REDACTED]";

/// What stands in the place of a path.
pub const PATH: &str = "[PATH]";
