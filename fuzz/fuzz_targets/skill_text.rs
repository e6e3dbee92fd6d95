#![no_main]
//! Any text becomes a bounded skill.

use mcp_bridge_skills::{Skill, Source, SkillUri};

libfuzzer_sys::fuzz_target!(|parts: (&str, &str, &str)| {
    let (text, uri, arguments) = parts;
    let skill = Skill::new(text, &Source::new("s", uri));
    assert!(skill.body().chars().count() <= 20_000);
    assert!(!skill.render(arguments).contains('\u{1b}'));
    if let Ok(uri) = SkillUri::new(uri) {
        let _ = uri.resolve(text);
    }
});
