//! Measurements of mcp-bridge, each beside a floor: what the machine could do at best with the same data.
//!
//! `cargo bench -p mcp-bridge-benches` prints them. Compare rows of one run, never rows of two: a ratio to the floor
//! is a property of the code, a time is a property of the day.
