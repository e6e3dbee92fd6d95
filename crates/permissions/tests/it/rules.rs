use mcp_bridge_permissions::{Call, Engine, List, Mode, Outcome, Rules, Settings, Source};
use serde_json::json;

fn matches(list: List, text: &str, call: &Call<'_>) -> bool {
    let rules = Rules::new().with(list, Source::UserSettings, text);
    let want = if list == List::Allow {
        Outcome::Allow
    } else {
        Outcome::Deny
    };
    Engine::new(rules, Mode::Default).decide(call).outcome == want
}

#[test]
fn allow_is_exact_and_deny_is_generous() {
    let docs = Call::new("docs", "search", "mcp__docs__search");
    let github = Call::new("github", "log", "mcp__github__log");
    let team = Call::new("Team DB", "drop-database", "mcp__Team_DB__drop-database");
    let clash = Call::new("s", "a.b", "mcp__s__a_b_1a2b3c4d").with_base_name("mcp__s__a_b");
    let cases = [
        // rule, call, an allow rule matches, a deny rule matches
        ("*", docs, true, true),
        ("mcp__*", docs, true, true),
        ("mcp__docs", docs, true, true),
        (" mcp__docs__* ", docs, true, true),
        ("mcp__docs__search", docs, true, true),
        ("mcp__docs__sea*", docs, true, true),
        ("mcp__docs__se?", docs, false, false),
        ("docs:search", docs, true, true),
        ("docs:*", docs, true, true),
        ("MCP__DOCS__SEARCH", docs, false, true),
        ("Docs:Search", docs, false, true),
        ("mcp__doc", docs, false, false),
        ("mcp__d*", docs, false, true),
        ("mcp__*__search", docs, false, true),
        ("search", docs, false, false),
        ("mcp__git", github, false, false),
        ("mcp__git__*", github, false, false),
        ("git:*", github, false, false),
        ("mcp__Team_DB", team, true, true),
        ("mcp__Team DB", team, true, true),
        ("mcp__Team DB__*", team, true, true),
        ("mcp__Team DB__drop-database", team, false, true),
        ("mcp__team_db__drop_database", team, false, true),
        ("Team DB:drop-database", team, true, true),
        ("mcp__s__a_b", clash, false, true),
        ("mcp__s__a_b_1a2b3c4d", clash, true, true),
        ("s:a.b", clash, true, true),
        ("mcp__docs__search()", docs, true, true),
        ("mcp__docs__search(*)", docs, true, true),
        ("mcp__docs__search(x)", docs, false, true),
        ("mcp__docs__search(q=a*)", docs, false, false),
        ("", docs, false, false),
        ("mcp__", docs, false, false),
        (":search", docs, false, false),
    ];
    for (text, call, allow, deny) in cases {
        let got = (
            matches(List::Allow, text, &call),
            matches(List::Deny, text, &call),
        );
        assert_eq!(got, (allow, deny), "{text:?} on {}", call.public_name);
    }
}

#[test]
fn a_rule_for_one_tool_opens_no_server_with_the_same_look() {
    let call = Call::new("git__log", "wipe", "mcp__git__log__wipe");
    assert!(!matches(List::Allow, "mcp__git__log", &call));
    assert!(!matches(List::Allow, "mcp__git", &call));
    assert!(matches(List::Allow, "mcp__git__log__*", &call));
}

#[test]
fn conditions_narrow_a_rule() {
    let inside = json!({"path": "/srv/data/a/b.txt", "mode": 5});
    let detour = json!({"path": "/srv/data/../../etc/passwd", "mode": 5});
    let call = Call::new("fs", "write_file", "mcp__fs__write_file");
    let cases = [
        ("mcp__fs__write_file(path=/srv/data/**)", &inside, true),
        ("mcp__fs__write_file(path=/srv/data/**)", &detour, false),
        (
            "mcp__fs__write_file(path=/srv/data/**, mode<=4)",
            &inside,
            false,
        ),
        ("fs:write_*(/mode=1..5)", &inside, true),
        ("mcp__fs(path=/srv/**)", &inside, true),
    ];
    for (text, arguments, want) in cases {
        assert_eq!(
            matches(List::Allow, text, &call.with_arguments(arguments)),
            want,
            "{text}"
        );
    }
    assert!(matches(
        List::Deny,
        "mcp__fs(path=/etc/**)",
        &call.with_arguments(&detour)
    ));
}

#[test]
fn settings_are_read_leniently() {
    let section = json!({
        "allow": ["mcp__s", 5], "deny": "mcp__t", "ask": null, "mode": "yolo", "audit": {}
    });
    let settings = Settings::read(&section, Source::ProjectSettings);
    let texts: Vec<_> = settings
        .rules
        .iter()
        .map(|r| (r.text.as_str(), r.place.as_str()))
        .collect();
    assert_eq!(texts, [("mcp__s", "permissions.allow[0]")]);
    assert_eq!(settings.mode, None);
    let told: Vec<_> = settings
        .diagnostics
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        told,
        [
            "rule \"\" of the project settings (permissions.deny): a list of rules must be an array, and this one was \
             left out",
            "rule \"\" of the project settings (permissions.allow[1]): a rule must be a string, and this one was left \
             out",
            "rule \"yolo\" of the project settings (permissions.mode): unknown permission mode \"yolo\"; known are \
             default, accept_edits, bypass_permissions, dont_ask, plan",
        ]
    );
    let plan = Settings::read(&json!({"mode": "plan"}), Source::UserSettings);
    assert_eq!(plan.mode, Some(Mode::Plan));
}
