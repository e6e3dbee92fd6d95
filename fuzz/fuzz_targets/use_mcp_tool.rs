#![no_main]
//! A text reads the same whole and in pieces.

use mcp_bridge_use_mcp_tool::{XmlParser, parse_json, parse_xml};

libfuzzer_sys::fuzz_target!(|parts: (&str, u8)| {
    let (text, size) = parts;
    let _ = parse_json("use_mcp_tool", text);
    let mut parser = XmlParser::default();
    let mut streamed = Vec::new();
    for piece in text.as_bytes().chunks(usize::from(size).max(1)) {
        streamed.extend(parser.push(piece));
    }
    streamed.extend(parser.finish());
    assert_eq!(streamed, parse_xml(text));
});
