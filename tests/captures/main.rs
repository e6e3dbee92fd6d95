//! Recorded traffic of real servers through names, schemas and conversion: nothing lost, nothing invalid, no panic.

#![allow(
    clippy::print_stdout,
    reason = "what was counted is worth reading under `--nocapture`"
)]

#[cfg(test)]
mod data;
#[cfg(test)]
mod names;
#[cfg(test)]
mod results;
#[cfg(test)]
mod schemas;
