//! Tests of the public API.

mod check;
mod complete;
mod grammar;
#[cfg(feature = "json")]
mod json;
mod round_trip;
