//! The adapters: each file belongs to a group of crates and says which areas it answers.

mod bridge;
mod config;
mod connections;
mod names;
mod policy;
mod results;
mod texts;
mod use_mcp;

use crate::Adapter;

pub(crate) fn all() -> Vec<(&'static str, Adapter)> {
    [
        bridge::areas(),
        config::areas(),
        connections::areas(),
        names::areas(),
        policy::areas(),
        results::areas(),
        texts::areas(),
        use_mcp::areas(),
    ]
    .concat()
}
