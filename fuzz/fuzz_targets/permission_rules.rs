#![no_main]
//! Rules of any text decide any call, and a deny of everything stays a deny.

use mcp_bridge_permissions::{Call, Engine, KnownTool, List, Mode, Outcome, Rules, Source, split_rules};

libfuzzer_sys::fuzz_target!(|parts: (&str, &str, &str)| {
    let (line, server, tool) = parts;
    let mut rules = Rules::new();
    for rule in split_rules(line).into_iter().take(50) {
        rules = rules.with(List::Allow, Source::CliArg, rule);
    }
    let call = Call::new(server, tool, "mcp__s__t");
    let engine = Engine::new(rules.clone(), Mode::Default);
    let _ = engine.decide(&call);
    let _ = engine.diagnostics(&[KnownTool::new(server, tool, "mcp__s__t")]);
    let engine = Engine::new(rules.with(List::Deny, Source::CliArg, "*"), Mode::BypassPermissions);
    assert_eq!(engine.decide(&call).outcome, Outcome::Deny);
});
