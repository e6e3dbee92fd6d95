//! Tests of the public API.

mod commands;
mod profiles;
mod resolve;
mod tables;
