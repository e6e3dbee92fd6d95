//! What the tests of this workspace share: the vector runner and scripted servers.
//!
//! This package is never published. Its code may be blunt where a library's may not, but it never prints:
//! the test binaries do that.

pub mod http;
pub mod script;
pub mod vectors;

/// The README's programs are compiled as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub mod readme {}
