use mcp_bridge_tool_schemas::{SchemaErrorKind, Validator};
use proptest::prelude::*;
use serde_json::{Value, json};

#[track_caller]
fn told(schema: &Value, arguments: &Value) -> Vec<String> {
    let violations = Validator::compile(schema).unwrap().check(arguments);
    violations.iter().map(ToString::to_string).collect()
}

#[test]
fn a_violation_says_where_and_what() {
    let schema = json!({
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1},
            "s": {"enum": ["a", "b"]},
            "l": {"type": "array", "items": {"type": ["string", "null"]}, "maxItems": 1},
            "p": {"pattern": "^x"},
            "o": {"anyOf": [{"type": "string"}, {"type": "boolean"}]}
        },
        "required": ["n"],
        "additionalProperties": false
    });
    let cases = [
        (
            json!({"n": 1, "s": "a", "l": [null], "p": "x", "o": true}),
            vec![],
        ),
        (json!({}), vec!["the property \"n\" is missing"]),
        (json!({"n": 0}), vec!["at /n: must be at least 1"]),
        (
            json!({"n": "1"}),
            vec!["at /n: expected integer, got string"],
        ),
        (
            json!({"n": 1, "s": "secret"}),
            vec!["at /s: must be one of \"a\", \"b\""],
        ),
        (
            json!({"n": 1, "p": "secret"}),
            vec!["at /p: must be text that matches ^x"],
        ),
        (
            json!({"n": 1, "l": [1]}),
            vec!["at /l/0: expected null or string, got number"],
        ),
        (
            json!({"n": 1, "l": ["a", "b"]}),
            vec!["at /l: must have at most 1 item"],
        ),
        (
            json!({"n": 1, "o": 5}),
            vec!["at /o: fits none of the 2 alternatives"],
        ),
        (json!({"n": 1, "m": 2}), vec!["there is no property \"m\""]),
        (json!([]), vec!["expected object, got array"]),
    ];
    for (arguments, want) in cases {
        assert_eq!(told(&schema, &arguments), want, "given {arguments}");
    }
}

#[test]
fn a_violation_names_the_part_of_the_schema() {
    let schema = json!({"properties": {"a/b": {"type": "string"}}});
    let violations = Validator::compile(&schema)
        .unwrap()
        .check(&json!({"a/b": 1}));
    let [violation] = violations.as_slice() else {
        panic!("{violations:?}")
    };
    assert_eq!(violation.pointer, "/a~1b");
    assert_eq!(violation.schema_pointer, "/properties/a~1b/type");
    assert_eq!(violation.expected.as_deref(), Some("string"));
}

#[test]
fn at_most_five_are_told_in_bounded_text() {
    let schema = json!({"additionalProperties": {"enum": ["x".repeat(1_000_000)]}});
    let arguments: Value = (0..50)
        .map(|i| (format!("{i}{}", "k".repeat(1_000)), json!(i)))
        .collect();
    let violations = told(&schema, &arguments);
    assert_eq!(violations.len(), 5);
    assert!(violations.iter().all(|text| text.chars().count() < 800));
}

#[test]
fn dialects_are_told_apart_by_schema() {
    let tuple = |dialect| json!({"$schema": dialect, "items": [{"type": "string"}], "additionalItems": false});
    let check =
        |dialect| Validator::compile(&tuple(dialect)).map(|v| v.check(&json!(["a", 1])).len());
    assert_eq!(check("http://json-schema.org/draft-07/schema#"), Ok(1));
    assert_eq!(check("https://json-schema.org/draft/2019-09/schema"), Ok(1));
    let error = check("https://example.com/mine").unwrap_err();
    assert_eq!(error.kind(), SchemaErrorKind::UnknownDialect);
    assert_eq!(
        error.to_string(),
        "the dialect \"https://example.com/mine\" is not supported"
    );
}

#[test]
fn what_cannot_be_checked_does_not_compile() {
    use SchemaErrorKind::{EndlessReference, ExternalReference, Invalid, TooLarge, UnknownDialect};
    let mut deep = json!({});
    for _ in 0..200 {
        deep = json!({"not": deep});
    }
    let cases = [
        (
            json!({"$ref": "https://example.com/x.json"}),
            ExternalReference,
        ),
        (
            json!({"properties": {"a": {"$ref": "file:///etc/passwd"}}}),
            ExternalReference,
        ),
        (json!({"$ref": "#/$defs/nowhere"}), ExternalReference),
        (json!({"$ref": "#"}), EndlessReference),
        (
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
            EndlessReference,
        ),
        (
            json!({"properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}]}}}),
            EndlessReference,
        ),
        (json!({"type": "objekt"}), Invalid),
        (json!({"pattern": "("}), Invalid),
        (json!({"pattern": "(a{1000}){1000}"}), Invalid),
        (json!({"$schema": 7}), UnknownDialect),
        (deep, TooLarge),
        (json!({"enum": vec![0; 60_000]}), TooLarge),
    ];
    for (schema, want) in cases {
        let error = Validator::compile(&schema).unwrap_err();
        let shown: String = schema.to_string().chars().take(100).collect();
        assert_eq!(error.kind(), want, "given {shown}: {error}");
        assert!(error.to_string().chars().count() <= 500);
    }
}

#[test]
fn recursion_through_a_property_is_fine() {
    let schema = json!({
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
        "properties": {"list": {"$ref": "#/$defs/node"}}
    });
    assert_eq!(
        told(&schema, &json!({"list": {"next": {"next": {}}}})),
        [] as [&str; 0]
    );
    assert_eq!(
        told(&schema, &json!({"list": {"next": {"next": 1}}})),
        ["at /list/next/next: expected object, got number"]
    );
}

#[test]
fn arguments_are_taken_as_they_are() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "string", "format": "email"}, "n": {"type": "integer"}},
        "required": ["a"]
    });
    let big = serde_json::from_str(r#"{"a": "x", "n": 123456789012345678901234567890}"#).unwrap();
    assert_eq!(told(&schema, &big), [] as [&str; 0]);
    assert_eq!(
        told(&schema, &json!({"a": "x", "more": null})),
        [] as [&str; 0]
    );
}

#[test]
fn deep_arguments_are_refused_before_they_are_walked() {
    let mut deep = json!(1);
    for _ in 0..500 {
        deep = json!([deep]);
    }
    assert_eq!(
        told(&json!({}), &deep),
        ["the arguments lie more than 128 levels deep"]
    );
}

#[test]
fn look_around_in_patterns_works() {
    assert_eq!(
        told(&json!({"pattern": "^(?!no).*$"}), &json!("yes")),
        [] as [&str; 0]
    );
    assert_eq!(
        told(&json!({"pattern": "^(?!no).*$"}), &json!("no")),
        ["must be text that matches ^(?!no).*$"]
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "properties",
        "items",
        "$ref",
        "#",
        "#/items",
        "anyOf",
        "required",
        "object",
        "string",
        "not",
        "$defs",
        "pattern",
        "enum",
        "a[]",
        "$schema",
        "additionalProperties",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..5).prop_map(|entries| entries
                .into_iter()
                .map(|(k, v)| (k.to_owned(), v))
                .collect()),
        ]
    })
}

proptest! {
    #[test]
    fn no_schema_breaks_anything(schema in any_json(), arguments in any_json()) {
        use mcp_bridge_tool_schemas::{PropertyNames, SchemaProfile, model_schema};
        if let Ok(validator) = Validator::compile(&schema) {
            prop_assert_eq!(validator.check(&arguments).is_empty(), validator.is_valid(&arguments));
        }
        let profiles = [
            SchemaProfile::default(),
            SchemaProfile::openai(),
            SchemaProfile::anthropic().with_property_names(PropertyNames::default().with_extra("_")),
            SchemaProfile::inline_refs().with_max_depth(2).with_max_bytes(200),
        ];
        for profile in profiles {
            let adapted = model_schema(&schema, &profile);
            prop_assert_eq!(&adapted.schema()["type"], "object");
            let _ = adapted.restore_arguments(arguments.clone());
        }
    }
}
