#![no_main]
//! Any question can be asked or is refused, and only a fitting answer passes.

use mcp_bridge_elicitation::{Question, check_url};
use serde_json::Value;

libfuzzer_sys::fuzz_target!(|parts: (&str, &str)| {
    let (params, typed) = parts;
    let _ = check_url(typed);
    let Ok(params) = serde_json::from_str::<Value>(params) else { return };
    if let Ok(Question::Form(form)) = Question::new(&params) {
        for field in form.fields() {
            if let Ok(Some(value)) = field.parse(typed) {
                assert!(field.check(&value).is_ok(), "{value}");
            }
        }
    }
});
