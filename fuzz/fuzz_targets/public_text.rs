#![no_main]
//! Cleaned text holds no terminal control, and a cut one fits.

use mcp_bridge_public_text::{public, truncate};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let shown = public(text);
    assert!(!shown.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
    assert!(truncate(&shown, 50).chars().count() <= 50);
});
