use std::time::Duration;

use mcp_bridge_permissions::{
    Answer, AnswerKind, AuditRecord, Call, Engine, Hints, List, Mode, Rules, Source,
};
use serde_json::json;

#[test]
fn a_record_is_one_line_and_holds_no_arguments() {
    let arguments = json!({"b": "secret\n", "a": 1});
    let (hints, _) = Hints::from_annotations(&json!({"readOnlyHint": false}));
    let call = Call::new("s", "t x", "mcp__s__t_x")
        .with_arguments(&arguments)
        .with_hints(hints);
    let rules = Rules::new().with(List::Ask, Source::CliArg, "mcp__s");
    let decision = Engine::new(rules, Mode::Default).decide(&call);
    let line = AuditRecord::new(&call, &decision, Mode::Default)
        .with_answer(&Answer::new(AnswerKind::Once).with_remark("fine"))
        .with_duration(Duration::from_millis(1_500))
        .to_line();
    assert_eq!(
        line,
        "{\"outcome\":\"ask\",\"scope\":\"cli_rule\",\"mode\":\"default\",\"rule_source\":\"cli_arg\",\
         \"rule\":\"mcp__s\",\"reason_type\":\"rule\",\"reason_detail\":\"matched ask rule(s): mcp__s\",\
         \"is_read_only\":false,\"operation\":{\"publicName\":\"mcp__s__t_x\",\"originalServerName\":\"s\",\
         \"originalToolName\":\"t x\",\"isReadOnly\":false},\"arguments_sha256\":\
         \"b1a208c15d3ed9704c069db5956350a5a3298bef4276071f6b693bf915808305\",\"answer\":\"once\",\
         \"duration_ms\":1500}"
    );
}

#[test]
fn the_order_of_keys_does_not_change_the_digest() {
    let digest = |arguments| {
        let call = Call::new("s", "t", "mcp__s__t").with_arguments(&arguments);
        let decision = Engine::default().decide(&call);
        AuditRecord::new(&call, &decision, Mode::Default).arguments_sha256
    };
    assert_eq!(
        digest(json!({"a": {"x": 1, "y": [2]}, "b": 3})),
        digest(json!({"b": 3, "a": {"y": [2], "x": 1}}))
    );
    assert_ne!(digest(json!({"a": 1})), digest(json!({"a": "1"})));
}
