//! The ten lines of an embedding: `cargo run --example embed`.

use mcp_bridge::{Bridge, ServerConfig};
use mcp_bridge_examples::demo::{self, BoxError};
use serde_json::json;

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
#[tokio::main]
async fn main() -> Result<(), BoxError> {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return demo::serve_stdio().await; // the program is its own server, so that it needs no other
    }
    let this_program = std::env::current_exe()?.display().to_string();

    let bridge = Bridge::builder()
        .server("demo", ServerConfig::stdio(this_program).args(["serve"]))
        .start()
        .await; // one bad server never stops the rest: see bridge.warnings()
    for tool in bridge.catalog().tools() {
        println!("{}: {}", tool.name(), tool.description()); // ready for a model API, with tool.input_schema()
    }
    let outcome = bridge
        .call("mcp__demo__weather", json!({"city": "Porto"}))
        .await?;
    println!("{}", outcome.text()); // what the model reads
    bridge.shutdown().await;
    Ok(())
}
