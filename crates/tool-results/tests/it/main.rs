//! The public API of the crate, one module for each concern.

mod errors;
mod results;
mod support;
