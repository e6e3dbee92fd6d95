#![no_main]
//! Every pair has a name that fits, is its own, and leads back to it.

use mcp_bridge_tool_names::{NameProfile, NameTable};

libfuzzer_sys::fuzz_target!(|pairs: Vec<(String, String)>| {
    let table = NameTable::build(
        &NameProfile::default(),
        pairs.iter().map(|(server, tool)| (&**server, &**tool)),
    );
    for (server, tool) in &pairs {
        let name = table.name(server, tool).expect("every pair has a name");
        assert!(name.as_str().len() <= 64);
        let entry = table.get(name.as_str()).expect("every name leads back");
        assert_eq!((entry.server(), entry.tool()), (&**server, &**tool));
    }
});
