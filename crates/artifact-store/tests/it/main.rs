//! The public API of the crate, one module for each concern.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod files;
mod names;
mod stores;
