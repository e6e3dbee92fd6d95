//! Tests of the public API.

mod audit;
mod decisions;
mod diagnostics;
mod hints;
mod properties;
mod rules;
