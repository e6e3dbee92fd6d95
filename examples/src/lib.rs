//! A demo server: one of everything that an MCP server can offer, small enough to read.
//!
//! The example programs start it as a child process or reach it over HTTP; an embedder can run it to see how a host
//! behaves with images, long texts, questions, progress and lists that change.

pub mod demo;
pub mod host;
