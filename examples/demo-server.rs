//! Runs the demo server alone: `cargo run --example demo-server`, or with `-- --http 127.0.0.1:8000`.

use std::net::SocketAddr;

use clap::Parser;
use mcp_bridge_examples::demo::{self, BoxError};

/// A server with one of everything, on stdin and stdout unless told otherwise.
#[derive(Debug, Parser)]
struct Args {
    /// Serve Streamable HTTP on this address instead, e.g. 127.0.0.1:8000; port 0 takes a free one.
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    match Args::parse().http {
        Some(addr) => demo::serve_http(addr).await,
        None => demo::serve_stdio().await,
    }
}
