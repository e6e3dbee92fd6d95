use mcp_bridge_permissions::Hints;
use serde_json::json;

#[test]
fn missing_hints_take_the_worse_default() {
    let cases = [
        // annotations, read-only, destructive, plainly read-only
        (json!(null), false, true, false),
        (json!({}), false, true, false),
        (json!({"readOnlyHint": true}), true, false, true),
        (json!({"read_only_hint": true}), true, false, true),
        (
            json!({"readOnlyHint": false, "read_only_hint": true}),
            false,
            true,
            false,
        ),
        (
            json!({"readOnlyHint": true, "destructiveHint": true}),
            true,
            false,
            false,
        ),
        (json!({"destructiveHint": false}), false, false, false),
        (json!({"readOnlyHint": 1}), false, true, false),
    ];
    for (annotations, read_only, destructive, plainly) in cases {
        let (hints, _) = Hints::from_annotations(&annotations);
        assert_eq!(
            (
                hints.read_only(),
                hints.destructive(),
                hints.plainly_read_only()
            ),
            (read_only, destructive, plainly),
            "given {annotations}"
        );
        assert!(hints.open_world());
        assert!(!hints.idempotent());
    }
}

#[test]
fn a_hint_of_the_wrong_type_is_reported() {
    let problems = |annotations| {
        let (_, problems) = Hints::from_annotations(&annotations);
        problems.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        problems(json!({"readOnlyHint": "true", "destructiveHint": null})),
        [
            "`readOnlyHint` is a string where a boolean belongs, and counts as absent",
            "`destructiveHint` is null where a boolean belongs, and counts as absent",
        ]
    );
    assert_eq!(
        problems(json!([true])),
        ["`annotations` is an array where an object belongs, and counts as absent"]
    );
}
