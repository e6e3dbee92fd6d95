#![no_main]
//! Any file is read or refused, its names are apart, and its commands can be cut or are refused.

use std::collections::BTreeSet;

use mcp_bridge_server_config::{Origin, Platform, load_str, split_command};

libfuzzer_sys::fuzz_target!(|text: &str| {
    for platform in [Platform::Posix, Platform::Windows] {
        let _ = split_command(text, platform);
    }
    let lookup = |name: &str| (name.len() % 2 == 0).then(|| name.to_owned());
    let Ok(loaded) = load_str(text, Origin::Project, &lookup) else { return };
    let names: BTreeSet<&str> = loaded.servers.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names.len(), loaded.servers.len());
    for entry in &loaded.servers {
        assert_eq!(entry.config.digest(), entry.config.clone().digest());
        let _ = format!("{entry:?}");
    }
});
