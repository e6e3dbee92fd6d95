use mcp_bridge_tool_schemas::{ModelSchema, PropertyNames, SchemaProfile, model_schema};
use serde_json::{Value, json};

fn changes(schema: &ModelSchema) -> Vec<String> {
    schema.changes().iter().map(ToString::to_string).collect()
}

#[test]
fn an_object_schema_passes_unchanged() {
    let schemas = [
        json!({"type": "object"}),
        json!({"type": "object", "properties": {"a b": {"$ref": "#/$defs/x"}}, "$defs": {"x": {}}, "oneOf": [{}]}),
    ];
    for schema in schemas {
        let adapted = model_schema(&schema, &SchemaProfile::default());
        assert_eq!((adapted.schema(), adapted.changes()), (&schema, &[][..]));
        assert_eq!(
            adapted.restore_arguments(json!({"a b": null})),
            json!({"a b": null})
        );
    }
}

#[test]
fn what_is_no_object_schema_becomes_an_open_object() {
    let open = json!({"type": "object", "properties": {}});
    let cases = [
        (
            json!(null),
            open.clone(),
            "replaced at the root: it is missing or no object",
        ),
        (
            json!(true),
            open.clone(),
            "replaced at the root: it is missing or no object",
        ),
        (
            json!({"type": "string"}),
            open,
            "replaced at the root: its type is \"string\"",
        ),
        (
            json!({"anyOf": [{}]}),
            json!({"type": "object", "anyOf": [{}]}),
            "added_type at the root: it names no type",
        ),
        (
            json!({"type": ["object", "null"]}),
            json!({"type": "object"}),
            "added_type at the root: arguments are always an object",
        ),
    ];
    for (given, want, change) in cases {
        let adapted = model_schema(&given, &SchemaProfile::default());
        assert_eq!(
            (adapted.schema(), changes(&adapted)),
            (&want, vec![change.to_owned()]),
            "given {given}"
        );
    }
}

#[test]
fn references_are_unfolded_and_recursion_ends_open() {
    let schema = json!({
        "type": "object",
        "properties": {
            "mode": {"$ref": "#/$defs/Mode", "description": "how"},
            "node": {"$ref": "#/$defs/Node"},
            "lost": {"$ref": "#/$defs/Lost"},
            "$ref": {"default": {"$ref": "kept"}}
        },
        "$defs": {
            "Mode": {"enum": ["fast"], "description": "general"},
            "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
        }
    });
    let adapted = model_schema(&schema, &SchemaProfile::inline_refs());
    assert_eq!(
        adapted.schema(),
        &json!({
            "type": "object",
            "properties": {
                "mode": {"enum": ["fast"], "description": "how"},
                "node": {"type": "object", "properties": {"next": {"type": "object"}}},
                "lost": {},
                "$ref": {"default": {"$ref": "kept"}}
            }
        })
    );
    assert_eq!(
        changes(&adapted),
        [
            "inlined at /properties/mode: #/$defs/Mode",
            "inlined at /properties/node: #/$defs/Node",
            "cut_recursion at /properties/node/properties/next: #/$defs/Node",
            "unresolved_reference at /properties/lost: #/$defs/Lost",
        ]
    );
    assert!(adapted.is_lossy());
}

#[test]
fn references_that_multiply_stay_bounded() {
    let mut defs = serde_json::Map::new();
    for i in 0..40 {
        let next = json!({"$ref": format!("#/$defs/d{}", i + 1)});
        defs.insert(
            format!("d{i}"),
            json!({"properties": {"a": next, "b": next}}),
        );
    }
    let schema =
        json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs});
    let adapted = model_schema(&schema, &SchemaProfile::inline_refs());
    assert!(adapted.schema().to_string().len() < 5_000_000);
    assert!(adapted.changes().len() <= 200);
}

#[test]
fn alternatives_at_the_root_are_merged_and_told() {
    let schema = json!({
        "type": "object",
        "description": "Finds.",
        "properties": {"q": {"oneOf": [{"type": "string"}]}},
        "oneOf": [
            {"required": ["id"], "properties": {"id": {"type": "string"}}},
            {"$ref": "#/$defs/by_slug"}
        ],
        "allOf": [{"required": ["q"]}],
        "$defs": {"by_slug": {"required": ["slug"], "properties": {"slug": {"type": "string"}, "id": {"type": "integer"}}}}
    });
    let adapted = model_schema(&schema, &SchemaProfile::anthropic());
    assert_eq!(
        adapted.schema(),
        &json!({
            "type": "object",
            "description": "Finds. Give exactly one of these: `id`; or `slug`.",
            "properties": {
                "q": {"oneOf": [{"type": "string"}]},
                "id": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "slug": {"type": "string"}
            },
            "required": ["q"]
        })
    );
}

#[test]
fn renamed_properties_lead_back_to_their_own_names() {
    let schema = json!({
        "type": "object",
        "properties": {
            "ids[]": {"type": "array", "items": {"type": "object", "properties": {"a b": {}, "a_b": {}}}},
            "page": {"type": "integer"}
        },
        "additionalProperties": {"properties": {"x y": {}}},
        "required": ["ids[]", "page"],
        "anyOf": [{"required": ["ids[]"]}, {"properties": {"ids()": {}}}]
    });
    let profile = SchemaProfile::default().with_property_names(PropertyNames::default());
    let adapted = model_schema(&schema, &profile);
    assert_eq!(
        adapted.schema(),
        &json!({
            "type": "object",
            "properties": {
                "ids___2": {"type": "array", "items": {"type": "object", "properties": {"a_b_2": {}, "a_b": {}}}},
                "page": {"type": "integer"}
            },
            "additionalProperties": {"properties": {"x_y": {}}},
            "required": ["ids___2", "page"],
            "anyOf": [{"required": ["ids___2"]}, {"properties": {"ids__": {}}}]
        })
    );
    let restored = adapted.restore_arguments(json!({
        "ids___2": [{"a_b_2": 1, "a_b": 2}], "page": 3, "other": {"x_y": null}, "ids__": {"a b": 1}
    }));
    assert_eq!(
        restored,
        json!({"ids[]": [{"a b": 1, "a_b": 2}], "page": 3, "other": {"x y": null}, "ids()": {"a b": 1}})
    );
}

#[test]
fn long_and_empty_names_fit_too() {
    let schema =
        json!({"type": "object", "properties": {"": {}, "é".repeat(100): {}, "n".repeat(65): {}}});
    let profile = SchemaProfile::default().with_property_names(PropertyNames::default());
    let adapted = model_schema(&schema, &profile);
    let names: Vec<&String> = adapted.schema()["properties"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(names, [&"_".to_owned(), &"_".repeat(64), &"n".repeat(64)]);
    assert_eq!(
        adapted.restore_arguments(json!({"n".repeat(64): 1})),
        json!({"n".repeat(65): 1})
    );
}

#[test]
fn strict_profiles_get_properties_and_limits() {
    let schema = json!({"type": "object", "additionalProperties": false});
    let adapted = model_schema(&schema, &SchemaProfile::openai());
    assert_eq!(
        adapted.schema(),
        &json!({"type": "object", "additionalProperties": false, "properties": {}})
    );

    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "object", "format": "x", "properties": {"b": {"enum": [1], "description": "d"}}}}
    });
    let profile = SchemaProfile::default()
        .with_dropped_keywords(["format"])
        .with_max_depth(1);
    let adapted = model_schema(&schema, &profile);
    let want = json!({
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"b": {"description": "d"}}}}
    });
    assert_eq!(adapted.schema(), &want);
    assert_eq!(
        changes(&adapted),
        [
            "dropped_keyword at /properties/a: format",
            "cut_depth at /properties/a/properties/b"
        ]
    );
    let small = model_schema(&schema, &SchemaProfile::default().with_max_bytes(120));
    assert!(small.schema().to_string().len() <= 120);
}

#[test]
fn a_property_may_be_called_like_a_keyword() {
    let schema = json!({
        "type": "object",
        "properties": {"oneOf": {"type": "string"}, "required": {"type": "array"}, "$ref": {"type": "string"}, "properties": {"type": "object"}},
        "required": ["required"]
    });
    for profile in [SchemaProfile::openai(), SchemaProfile::inline_refs()] {
        assert_eq!(model_schema(&schema, &profile).schema(), &schema);
    }
    // A profile that refuses `$` in names gives that one property another, and takes it back.
    let renamed = model_schema(&schema, &SchemaProfile::anthropic());
    let names: Vec<&String> = renamed.schema()["properties"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(names, ["oneOf", "required", "_ref", "properties"]);
    let given: Value = json!({"oneOf": "x", "_ref": "y"});
    assert_eq!(
        renamed.restore_arguments(given),
        json!({"oneOf": "x", "$ref": "y"})
    );
}
