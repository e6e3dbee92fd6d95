//! Tests of the public API.

mod cleaning;
mod shortening;
