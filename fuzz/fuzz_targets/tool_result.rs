#![no_main]
//! Any JSON becomes a result with a text, within the bounds.

use mcp_bridge_tool_results::{Context, NoArtifacts, Options, convert, convert_resource_contents};
use serde_json::Value;

libfuzzer_sys::fuzz_target!(|json: &[u8]| {
    let Ok(result) = serde_json::from_slice::<Value>(json) else { return };
    for options in [Options::default(), Options::reference(), Options::compact()] {
        let context = Context::new("s", "t");
        for told in [
            convert(&result, &context, &options, &mut NoArtifacts),
            convert_resource_contents(&result, &context, &options, &mut NoArtifacts),
        ] {
            assert!(!told.text().is_empty());
        }
    }
});
