use mcp_bridge_permissions::{
    Answer, AnswerKind, Call, Engine, Hints, List, Matching, Mode, Outcome, Reason, Rules, Source,
    Trust,
};
use serde_json::json;

fn hints(read_only: bool, destructive: bool) -> Hints {
    Hints::from_annotations(&json!({"readOnlyHint": read_only, "destructiveHint": destructive})).0
}

#[test]
fn modes_and_trust_decide_what_no_rule_does() {
    use Outcome::{Allow, Ask, Deny};
    let plain = Call::new("s", "t", "mcp__s__t");
    let read = plain.with_hints(hints(true, false));
    let calls = [
        plain,
        read,
        read.with_trust(Trust::Hints),
        plain.with_trust(Trust::Hints).with_hints(hints(true, true)),
        plain.with_trust(Trust::Full),
        plain.with_trust(Trust::Full).with_hints(hints(false, true)),
    ];
    let cases = [
        (Mode::Default, [Ask, Ask, Allow, Ask, Allow, Ask]),
        (Mode::AcceptEdits, [Ask, Ask, Allow, Ask, Allow, Ask]),
        (Mode::BypassPermissions, [Allow; 6]),
        (Mode::DontAsk, [Deny, Deny, Allow, Deny, Allow, Deny]),
        (Mode::Plan, [Deny, Ask, Allow, Deny, Deny, Deny]),
    ];
    for (mode, want) in cases {
        let engine = Engine::new(Rules::new(), mode);
        assert_eq!(
            calls.map(|call| engine.decide(&call).outcome),
            want,
            "in {mode}"
        );
    }
}

#[test]
fn deny_beats_ask_beats_allow_in_every_mode() {
    use Outcome::{Allow, Ask, Deny};
    let call = Call::new("s", "t", "mcp__s__t");
    let cases = [
        // mode, allow rule only, allow and ask rules, all three
        (Mode::Default, [Allow, Ask, Deny]),
        (Mode::AcceptEdits, [Allow, Ask, Deny]),
        (Mode::BypassPermissions, [Allow, Ask, Deny]),
        (Mode::DontAsk, [Allow, Deny, Deny]),
        (Mode::Plan, [Deny, Deny, Deny]),
    ];
    for (mode, want) in cases {
        let allow = Rules::new().with(List::Allow, Source::CliArg, "mcp__s__t");
        let ask = allow
            .clone()
            .with(List::Ask, Source::UserSettings, "mcp__s__t");
        let deny = ask
            .clone()
            .with(List::Deny, Source::ProjectSettings, "mcp__s__t");
        let got = [allow, ask, deny].map(|rules| Engine::new(rules, mode).decide(&call).outcome);
        assert_eq!(got, want, "in {mode}");
    }
}

#[test]
fn a_decision_says_what_decided_and_what_else_matched() {
    let rules = Rules::new()
        .with(List::Allow, Source::CliArg, "mcp__s")
        .with(List::Ask, Source::Session, "s:t")
        .with(List::Ask, Source::UserSettings, "mcp__s__*");
    let decision = Engine::new(rules, Mode::Default).decide(&Call::new("s", "t", "mcp__s__t"));
    assert_eq!(decision.outcome, Outcome::Ask);
    assert_eq!(
        decision.explanation,
        "asks: the ask rule `mcp__s__*` of the user settings matches"
    );
    assert_eq!(decision.question, "Allow MCP s:t?");
    assert_eq!(decision.suggested_rule.as_deref(), Some("mcp__s__t"));
    let also: Vec<&str> = decision
        .also_matched
        .iter()
        .map(|rule| rule.text.as_str())
        .collect();
    assert_eq!(also, ["s:t", "mcp__s"]);
}

#[test]
fn headless_refuses_and_says_how_to_allow() {
    let call = Call::new("s", "t", "mcp__s__t");
    let decision = Engine::default().decide(&call).headless();
    assert_eq!(
        (decision.outcome, &decision.reason),
        (Outcome::Deny, &Reason::Headless)
    );
    assert_eq!(
        decision.explanation,
        "denied: nobody is there to ask; allow the rule `mcp__s__t` in the settings or with `--allowed-tools` to let \
         this run"
    );
    let rules = Rules::new().with(List::Ask, Source::UserSettings, "s:*");
    assert_eq!(
        Engine::new(rules, Mode::Default)
            .decide(&call)
            .headless()
            .explanation,
        "denied: the ask rule `s:*` of the user settings wants a person's answer and nobody is there to ask; remove \
         that rule to allow the call"
    );
    let rules = Rules::new().with(List::Allow, Source::UserSettings, "s:*");
    assert_eq!(
        Engine::new(rules, Mode::Default)
            .decide(&call)
            .headless()
            .outcome,
        Outcome::Allow
    );
}

#[test]
fn a_persons_answer_counts_as_long_as_it_says() {
    use Outcome::{Allow, Ask, Deny};
    let (a, b) = (json!({"x": 1, "y": 2}), json!({"x": 2}));
    let same = json!({"y": 2, "x": 1});
    let call = Call::new("s", "t", "mcp__s__t");
    let cases = [
        // answer, the rule to write, the same call again, the same with other arguments
        (AnswerKind::Once, None, Ask, Ask),
        (AnswerKind::No, None, Ask, Ask),
        (AnswerKind::Session, None, Allow, Allow),
        (AnswerKind::Always, Some("mcp__s__t"), Allow, Allow),
        (AnswerKind::BoundToArguments, None, Allow, Ask),
        (AnswerKind::Never, None, Deny, Deny),
    ];
    for (kind, write, again, other) in cases {
        let mut engine = Engine::default();
        let rule = engine.answer(&call.with_arguments(&a), &Answer::new(kind));
        let decide = |arguments| engine.decide(&call.with_arguments(arguments)).outcome;
        let got = (rule.as_deref(), decide(&same), decide(&b));
        assert_eq!(got, (write, again, other), "after {kind:?}");
    }
}

#[test]
fn whole_name_matching_opens_nothing_that_was_closed() {
    let call = Call::new("s", "t", "mcp__s__t");
    let cases = [
        (List::Allow, "*", Outcome::Ask),
        (List::Allow, "mcp__s__*", Outcome::Ask),
        (List::Allow, "mcp__s", Outcome::Ask),
        (List::Allow, "mcp__s__t", Outcome::Allow),
        (List::Deny, "mcp__s__*", Outcome::Deny),
        (List::Deny, "mcp__s", Outcome::Deny),
        (List::Deny, "s:t", Outcome::Ask),
    ];
    for (list, text, want) in cases {
        let rules = Rules::new().with(list, Source::UserSettings, text);
        let engine = Engine::with_matching(rules, Mode::Default, Matching::WholeName);
        assert_eq!(engine.decide(&call).outcome, want, "{list} {text}");
    }
}

#[test]
fn tools_of_the_host_are_believed_and_asked_about_by_name() {
    let read = Call::host_tool("read_mcp_resource", hints(true, false));
    assert_eq!(Engine::default().decide(&read).outcome, Outcome::Allow);
    let sign_in = Call::host_tool("mcp__s__authenticate", Hints::default()).with_server("s");
    let decision = Engine::default().decide(&sign_in);
    assert_eq!(decision.question, "Allow mcp__s__authenticate?");
    assert_eq!(decision.suggested_rule, None);
    let rules = Rules::new().with(List::Deny, Source::CliArg, "mcp__s");
    assert_eq!(
        Engine::new(rules, Mode::Default).decide(&sign_in).outcome,
        Outcome::Deny
    );
}
