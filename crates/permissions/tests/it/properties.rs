use mcp_bridge_permissions::{Call, Engine, List, Mode, Outcome, Rule, Rules, Source, split_rules};
use proptest::prelude::*;
use serde_json::json;

fn rule() -> impl Strategy<Value = Rule> {
    let text = prop_oneof![
        Just("*".to_owned()),
        Just("mcp__*".to_owned()),
        "mcp__[ab]",
        "mcp__[ab]__[xy*]",
        "[ab]:[xy*]",
        "mcp__[ab]__[xy]\\(p=[/a-c*.]{1,4}\\)",
        ".{0,20}",
    ];
    let list = prop::sample::select(List::ALL);
    let source = prop::sample::select(Source::ALL);
    (list, source, text).prop_map(|(list, source, text)| Rule::new(list, source, text))
}

fn rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Deny => 0,
        Outcome::Ask => 1,
        Outcome::Allow => 2,
    }
}

proptest! {
    #[test]
    fn rules_do_what_their_list_says(
        rules in prop::collection::vec(rule(), 0..12),
        extra in rule(),
        mode in prop::sample::select(Mode::ALL),
        server in "[ab]",
        tool in "[xy]",
        path in "[/a-c.]{0,5}",
    ) {
        let arguments = json!({"p": path});
        let name = format!("mcp__{server}__{tool}");
        let call = Call::new(&server, &tool, &name).with_arguments(&arguments);
        let decide = |rules: Vec<Rule>| {
            Engine::new(rules.into_iter().collect::<Rules>(), mode).decide(&call)
        };
        let before = decide(rules.clone());
        let mut more = rules.clone();
        more.push(extra.clone());
        let after = decide(more.clone());
        match extra.list {
            List::Deny => prop_assert!(rank(after.outcome) <= rank(before.outcome)),
            List::Ask => prop_assert!(after.outcome != Outcome::Allow || before.outcome == Outcome::Allow),
            List::Allow => {
                prop_assert!(rank(after.outcome) >= rank(before.outcome));
                if before.reason.rule().is_some_and(|rule| rule.list != List::Allow) {
                    prop_assert_eq!(after.outcome, before.outcome);
                }
            }
        }
        more.reverse();
        prop_assert_eq!(decide(more), after);
    }

    #[test]
    fn no_text_of_a_rule_breaks_anything(text in ".{0,200}", list in prop::sample::select(List::ALL)) {
        let engine = Engine::new(Rules::new().with(list, Source::CliArg, &*text), Mode::Default);
        let decision = engine.decide(&Call::new("s", "t", "mcp__s__t"));
        prop_assert!(!decision.explanation.is_empty());
        for rule in split_rules(&text) {
            prop_assert!(!rule.is_empty() && rule == rule.trim());
        }
    }
}
