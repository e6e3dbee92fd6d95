//! Tests of the public API.

use mcp_bridge_elicitation::{
    Answer, ErrorKind, Field, FieldProblem, Form, Kind, Modes, Question, UrlProblem, UrlWarning,
    check_answer, check_url, url_questions,
};
use proptest::prelude::*;
use serde_json::{Value, json};

#[track_caller]
fn field(schema: Value) -> Field {
    let schema = json!({"type": "object", "properties": {"f": schema}, "required": ["f"]});
    let form = Form::new("", &schema).ok();
    form.and_then(|form| form.fields().first().cloned())
        .unwrap_or_else(|| panic!("no field from {schema}"))
}

#[track_caller]
fn parsed(schema: Value, typed: &str) -> Result<Value, String> {
    field(schema)
        .parse(typed)
        .map(Option::unwrap_or_default)
        .map_err(|error| error.problem().to_string())
}

#[test]
fn typed_text_becomes_a_value_or_a_sentence() {
    let small = json!({"type": "integer", "minimum": 1, "maximum": 9});
    let sizes =
        json!({"oneOf": [{"const": "s", "title": "Small"}, {"const": "m", "title": "Medium"}]});
    let many = json!({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A, first"}, {"const": "b"}]}, "maxItems": 1});
    let cases = [
        (json!({}), " x ", Ok(json!(" x "))),
        (
            json!({"type": "string", "minLength": 2}),
            "é",
            Err("must have at least 2 characters"),
        ),
        (
            json!({"type": "string", "maxLength": 2}),
            "日本語",
            Err("must have at most 2 characters"),
        ),
        (
            json!({"type": "string", "format": "email"}),
            "a",
            Err("must be an e-mail address"),
        ),
        (
            json!({"type": "string", "format": "email"}),
            "",
            Ok(json!("")),
        ),
        (
            json!({"type": "string", "pattern": "^a+$"}),
            "aa",
            Ok(json!("aa")),
        ),
        (
            json!({"type": "string", "pattern": "^a+$"}),
            "ab",
            Err("must match the pattern \"^a+$\""),
        ),
        (
            json!({"type": "string", "pattern": "(?<=a"}),
            "ab",
            Ok(json!("ab")),
        ),
        (small.clone(), " 7 ", Ok(json!(7))),
        (small.clone(), "+07", Ok(json!(7))),
        (small.clone(), "", Err("is required")),
        (small.clone(), "10", Err("must be at most 9")),
        (small.clone(), "-0", Err("must be at least 1")),
        (small, "4.5", Err("must be a whole number")),
        (
            json!({"type": "integer"}),
            "1_000",
            Err("must be a whole number"),
        ),
        (json!({"type": "number"}), "-0.5", Ok(json!(-0.5))),
        (json!({"type": "number"}), "NaN", Err("must be a number")),
        (json!({"type": "number"}), "1e999", Err("must be a number")),
        (
            json!({"type": "number", "exclusiveMinimum": 0}),
            "0",
            Err("must be more than 0"),
        ),
        (json!({"type": "boolean"}), "YES", Ok(json!(true))),
        (
            json!({"type": "boolean"}),
            "maybe",
            Err("must be yes or no"),
        ),
        (sizes.clone(), "m", Ok(json!("m"))),
        (sizes.clone(), "Medium", Ok(json!("m"))),
        (sizes, "x", Err("must be one of the choices")),
        (
            json!({"enum": ["a", "b"], "enumNames": ["One", "Two"]}),
            "Two",
            Ok(json!("b")),
        ),
        (json!({"enum": [1, 2]}), "2", Ok(json!(2))),
        (
            json!({"enum": ["a"]}),
            "",
            Err("must be one of the choices"),
        ),
        (many.clone(), "b", Ok(json!(["b"]))),
        (many.clone(), "[\"A, first\"]", Ok(json!(["a"]))),
        (many.clone(), "a, b", Err("must have at most 1 items")),
        (many, "b, b", Err("must not have an item twice")),
        (
            json!({"type": "array", "items": {"type": "string"}}),
            "a, b",
            Ok(json!(["a", "b"])),
        ),
        (json!({"type": "object"}), "{\"a\": 1}", Ok(json!({"a": 1}))),
        (
            json!({"type": "object"}),
            "text",
            Err("must be JSON of the type that the field asks for"),
        ),
        (
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
            "3",
            Ok(json!(3)),
        ),
        (json!({"type": ["string", "null"]}), "x", Ok(json!("x"))),
    ];
    for (schema, typed, want) in cases {
        assert_eq!(
            parsed(schema.clone(), typed),
            want.map_err(str::to_owned),
            "given {schema} and {typed:?}"
        );
    }
    let digits = "123456789012345678901234567890";
    assert_eq!(
        parsed(json!({"type": "integer"}), digits).map(|value| value.to_string()),
        Ok(digits.to_owned())
    );
}

#[test]
fn an_optional_field_left_empty_has_no_value() {
    let schema = json!({"properties": {"n": {"type": "integer"}, "e": {"enum": ["a"]}, "l": {"type": "array", "items": {"enum": ["a"]}}}});
    let form = Form::new("", &schema).unwrap();
    assert_eq!(
        form.fields()
            .iter()
            .map(|field| field.parse(""))
            .collect::<Vec<_>>(),
        [Ok(None), Ok(None), Ok(None)]
    );
}

#[test]
fn odd_schemas_become_json_fields_or_are_refused() {
    let odd = [
        json!({"type": "object", "properties": {}}),
        json!({"anyOf": [{}, {}]}),
        json!(true),
        json!({"$ref": "#/x"}),
        json!(7),
    ];
    for schema in odd {
        assert!(
            matches!(field(schema.clone()).kind, Kind::Json(_)),
            "given {schema}"
        );
    }
    for (schema, message) in [
        (json!([]), "the schema of a form is no object"),
        (
            json!({"properties": 1}),
            "the properties of a form are no object",
        ),
    ] {
        let error = Form::new("", &schema).unwrap_err();
        assert_eq!(
            (
                error.kind(),
                error.to_string().as_str(),
                error.json_rpc_code()
            ),
            (ErrorKind::InvalidRequest, message, Some(-32602))
        );
    }
    let huge = json!({"properties": {"a": {"enum": vec![0; 3_000]}}});
    assert_eq!(
        Form::new("", &huge).unwrap_err().to_string(),
        "a field of too many choices"
    );
    assert_eq!(
        Form::new("", &json!({"type": "object"})).unwrap(),
        Form::default()
    );
}

#[test]
fn defaults_are_only_those_that_fit() {
    let schema = json!({"properties": {
        "a": {"type": "string", "default": "d"}, "b": {"type": "integer", "default": "1"}, "c": {"type": "boolean", "default": true},
        "d": {"enum": ["x"], "default": "y"}, "e": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}}});
    assert_eq!(
        Value::from(Form::new("", &schema).unwrap().defaults()),
        json!({"a": "d", "c": true, "e": null})
    );
}

#[test]
fn passwords_are_noticed() {
    let schema = json!({"properties": {"userPassword": {}, "a": {"title": "API key"}, "b": {"type": "string", "format": "password"}, "city": {}}});
    let form = Form::new("", &schema).unwrap();
    assert_eq!(
        form.fields()
            .iter()
            .map(Field::looks_secret)
            .collect::<Vec<_>>(),
        [true, true, true, false]
    );
}

#[test]
fn an_answer_is_checked_as_a_whole_and_never_repeated_in_errors() {
    let schema = json!({"properties": {"n": {"type": "integer", "maximum": 5}, "b": {"type": "boolean"}}, "required": ["n"]});
    let answer = check_answer(
        &schema,
        &json!({"action": "accept", "content": {"b": "no", "n": 3, "x": 1}}),
    )
    .unwrap();
    assert_eq!(
        answer.to_json(),
        json!({"action": "accept", "content": {"n": 3, "b": false}})
    );
    let error = check_answer(
        &schema,
        &json!({"action": "accept", "content": {"b": "s3cret"}}),
    )
    .unwrap_err();
    assert_eq!(error.to_string(), "`n` is required; `b` must be yes or no");
    assert_eq!(error.fields()[0].problem(), &FieldProblem::Missing);
    assert_eq!(error.json_rpc_code(), None);
    for action in [json!({"action": "Accept"}), json!({}), json!(null)] {
        assert_eq!(
            check_answer(&schema, &action).unwrap_err().kind(),
            ErrorKind::InvalidAnswer
        );
    }
}

#[test]
fn only_an_answer_is_an_answer() {
    let cases = [
        (
            json!({"action": "accept", "content": {"a": 1}}),
            json!({"action": "accept", "content": {"a": 1}}),
        ),
        (
            json!({"action": "accept", "content": 5}),
            json!({"action": "accept"}),
        ),
        (
            json!({"action": "decline", "content": {"a": 1}}),
            json!({"action": "decline"}),
        ),
        (json!({"action": "ACCEPT"}), json!({"action": "cancel"})),
        (json!(["accept"]), json!({"action": "cancel"})),
        (Value::Null, json!({"action": "cancel"})),
    ];
    for (given, want) in cases {
        assert_eq!(Answer::normalize(&given).to_json(), want, "given {given}");
    }
}

#[test]
fn a_host_is_asked_only_what_it_offered() {
    let form = Question::new(&json!({"message": "m"})).unwrap();
    let url = Question::new(&json!({"mode": "url", "url": "https://e.com/"})).unwrap();
    assert_eq!((form.message(), Modes::default().capability()), ("m", None));
    assert_eq!(Modes::form().capability(), Some(json!({"form": {}})));
    assert_eq!(Modes::all().check(&url), Ok(()));
    let error = Modes::form().check(&url).unwrap_err();
    assert_eq!(
        (error.kind(), error.json_rpc_code()),
        (ErrorKind::UnsupportedMode, Some(-32602))
    );
    for params in [
        json!(null),
        json!({"mode": "url"}),
        json!({"mode": "voice"}),
        json!({"mode": 1}),
    ] {
        assert!(Question::new(&params).is_err(), "given {params}");
    }
}

#[test]
fn addresses_are_shown_as_browsers_read_them() {
    let cases = [
        ("https://pay.example/x", Ok(("pay.example", vec![]))),
        ("http://127.0.0.1:8/x", Ok(("127.0.0.1", vec![]))),
        ("http://[::1]/", Ok(("[::1]", vec![]))),
        (
            "http://pay.example/",
            Ok(("pay.example", vec![UrlWarning::NotEncrypted])),
        ),
        ("https://2130706433/", Ok(("127.0.0.1", vec![]))),
        (
            "https://8.8.8.8/",
            Ok(("8.8.8.8", vec![UrlWarning::IpAddress])),
        ),
        (
            "https://bank.example@evil.example/",
            Ok(("evil.example", vec![UrlWarning::UserInfo])),
        ),
        (
            "https://\u{430}pple.example/",
            Ok(("xn--pple-43d.example", vec![UrlWarning::Punycode])),
        ),
        ("https://e.com/\u{202e}x", Err(UrlProblem::Invalid)),
        ("java\nscript:alert(1)", Err(UrlProblem::Invalid)),
        (" https://e.com", Err(UrlProblem::Invalid)),
        ("javascript:alert(1)", Err(UrlProblem::Scheme)),
        ("file:///etc/passwd", Err(UrlProblem::Scheme)),
        ("not a url", Err(UrlProblem::Invalid)),
        ("", Err(UrlProblem::Invalid)),
        ("https://", Err(UrlProblem::Invalid)),
    ];
    for (given, want) in cases {
        let checked = check_url(given);
        let checked = checked
            .as_ref()
            .map(|url| (url.host(), url.warnings().to_vec()))
            .map_err(|problem| *problem);
        assert_eq!(checked, want, "given {given:?}");
    }
    assert_eq!(
        check_url(&format!("https://e.com/{}", "a".repeat(10_000))),
        Err(UrlProblem::TooLong)
    );
}

#[test]
fn addresses_in_an_error_are_found_and_bounded() {
    let data = json!({"elicitations": [{"url": "a", "elicitationId": "1", "message": "m"}, {}, 5, null, {"url": ""}]});
    let found = url_questions(-32042, &data).unwrap();
    assert_eq!(
        found
            .iter()
            .map(|question| (
                question.url(),
                question.message(),
                question.elicitation_id()
            ))
            .collect::<Vec<_>>(),
        [("a", "m", Some("1"))]
    );
    let many = json!({"elicitations": vec![json!({"url": "u"}); 1_000]});
    assert_eq!(
        url_questions(-32042, &many).map(|found| found.len()),
        Some(32)
    );
    assert_eq!(url_questions(-32042, &Value::Null), Some(vec![]));
    assert_eq!(url_questions(-32601, &data), None);
}

fn schema() -> impl Strategy<Value = Value> {
    let kinds = vec![
        json!({"type": "string", "minLength": 1, "maxLength": 4}),
        json!({"type": "string", "format": "date-time"}),
        json!({"type": "integer", "minimum": -5}),
        json!({"type": "number", "maximum": 1e3}),
        json!({"type": "boolean"}),
        json!({"enum": ["a", 1, null, true]}),
        json!({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1}),
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"type": "object"}),
    ];
    prop::sample::select(kinds)
}

proptest! {
    #[test]
    fn what_was_parsed_passes_the_check(schema in schema(), typed in prop_oneof![".{0,12}", "[-+0-9.e, ab\\[\\]\"{}:]{0,12}"]) {
        let schema = json!({"properties": {"f": schema}});
        let form = Form::new("", &schema).unwrap();
        if let Ok(Some(value)) = form.fields()[0].parse(&typed) {
            let content = serde_json::Map::from_iter([("f".to_owned(), value)]);
            prop_assert_eq!(form.check(&content), Ok(content));
        }
    }

    #[test]
    fn any_address_is_checked_or_refused(text in "(https?://)?[ -~\u{200b}é日]{0,40}") {
        if let Ok(url) = check_url(&text) {
            prop_assert!(url.as_str().starts_with("http") && url.as_str().contains(url.host()));
            prop_assert!(url.as_str().is_ascii());
        }
    }
}
