//! Real servers that nobody here wrote, started as they are: opt-in, since they have to be installed first.
//!
//! `.ci/install-real-servers DIR`, then `MCP_BRIDGE_REAL_SERVERS=DIR cargo test --workspace --test real -- --nocapture`.
//! Without the variable the tests say so and pass.

#![allow(
    clippy::print_stdout,
    reason = "what was found, and that nothing was run, is worth reading under `--nocapture`"
)]

#[cfg(test)]
mod servers;
