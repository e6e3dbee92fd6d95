use mcp_bridge_permissions::{Engine, KnownTool, List, Mode, Rules, Source};

#[test]
fn rules_that_cannot_work_are_told() {
    let tools = [
        KnownTool::new("docs", "search", "mcp__docs__search"),
        KnownTool::new("docs", "drop", "mcp__docs__drop"),
        KnownTool::new("a b", "x", "mcp__a_b__x"),
        KnownTool::new("a_b", "y", "mcp__a_b__y"),
    ];
    let rules = Rules::new()
        .with(List::Deny, Source::UserSettings, "mcp__x__nothing")
        .with(List::Deny, Source::UserSettings, "docs:drop")
        .with(List::Allow, Source::CliArg, "mcp__docs_*")
        .with(List::Allow, Source::CliArg, "mcp__docs__drop")
        .with(List::Allow, Source::CliArg, "mcp__docs__search(x)")
        .with(List::Allow, Source::CliArg, "mcp__a_b")
        .with(List::Allow, Source::CliArg, "mcp__docs__search(q=1)");
    let engine = Engine::new(rules, Mode::Default);
    let told = |tools| {
        let found = engine.diagnostics(tools);
        found
            .iter()
            .map(|d| (d.kind.code(), d.text.clone()))
            .collect::<Vec<_>>()
    };
    let known = |code, text: &str| (code, text.to_owned());
    assert_eq!(
        told(&tools),
        [
            known("permission_rule_matches_nothing", "mcp__x__nothing"),
            known("permission_rule_malformed", "mcp__docs_*"),
            known("permission_rule_shadowed", "mcp__docs__drop"),
            known("permission_rule_malformed", "mcp__docs__search(x)"),
            known("permission_rule_several_servers", "mcp__a_b"),
        ]
    );
    assert_eq!(
        told(&[]),
        [
            known("permission_rule_malformed", "mcp__docs_*"),
            known("permission_rule_malformed", "mcp__docs__search(x)"),
        ]
    );
}

#[test]
fn a_denied_tool_can_be_hidden() {
    let rules = Rules::new()
        .with(List::Deny, Source::UserSettings, "s:drop")
        .with(List::Deny, Source::UserSettings, "s:write(path=/etc/**)");
    let engine = Engine::new(rules, Mode::Default);
    let hidden = |tool, name| engine.always_denies(&KnownTool::new("s", tool, name));
    assert!(hidden("drop", "mcp__s__drop"));
    assert!(!hidden("write", "mcp__s__write"));
    assert!(!hidden("read", "mcp__s__read"));
}
