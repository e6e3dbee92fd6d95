#![no_main]
//! A line never panics the parser, and what it reads can be written and read again.

libfuzzer_sys::fuzz_target!(|line: &str| {
    match mcp_bridge_prompt_args::parse(line) {
        Ok(arguments) => {
            let map = arguments.to_map();
            if let Ok(again) = mcp_bridge_prompt_args::parse(&mcp_bridge_prompt_args::format_args(&map)) {
                assert_eq!(again.to_map(), map);
            } else {
                panic!("what was written could not be read");
            }
        }
        Err(error) => drop(error.render(line)),
    }
});
