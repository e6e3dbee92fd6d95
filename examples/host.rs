//! Connects to MCP servers and does what an agent would do with them: `cargo run --example host -- --help`.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    mcp_bridge_examples::host::main().await
}
