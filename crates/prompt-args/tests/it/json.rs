use mcp_bridge_prompt_args::{ParseErrorKind, parse};

#[test]
fn values_are_strings_or_json_as_it_was_written() {
    let cases: [(&str, &[(&str, &str)]); 8] = [
        ("{}", &[]),
        ("\u{3000}{\"a\": \"x\\ny\"} ", &[("a", "x\ny")]),
        (r#"{"a": true, "b": null}"#, &[("a", "true"), ("b", "null")]),
        (r#"{"a": 1e3, "b": 1.50}"#, &[("a", "1e3"), ("b", "1.50")]),
        (
            r#"{"a": 123456789012345678901234567890}"#,
            &[("a", "123456789012345678901234567890")],
        ),
        (
            r#"{"a": { "b" : [ 1, " x \" y " ] } }"#,
            &[("a", r#"{"b":[1," x \" y "]}"#)],
        ),
        (r#"{"\u0061": "\ud83d\ude00"}"#, &[("a", "\u{1f600}")]),
        (r#"{"": "x", "a b": "y"}"#, &[("", "x"), ("a b", "y")]),
    ];
    for (line, want) in cases {
        let arguments = parse(line).unwrap_or_else(|error| panic!("{}", error.render(line)));
        let got: Vec<_> = arguments
            .iter()
            .map(|item| (&*item.name, &*item.value))
            .collect();
        assert_eq!(got, want, "{line}");
    }
}

#[test]
fn places_and_repeats_are_told() {
    let line = r#" {"a": 1, "b" : "x", "a": 2}"#;
    let arguments = parse(line).unwrap();
    let shown: Vec<_> = arguments
        .duplicates()
        .iter()
        .chain(&arguments)
        .map(|item| {
            (
                line.get(item.name_span.clone()).unwrap(),
                line.get(item.value_span.clone()).unwrap(),
            )
        })
        .collect();
    assert_eq!(shown, [("\"a\"", "1"), ("\"b\"", "\"x\""), ("\"a\"", "2")]);
}

#[test]
fn what_is_not_a_json_object_is_refused_at_its_place() {
    let cases = [
        ("{", "not a JSON object: EOF while parsing an object"),
        ("{a: 1}", "not a JSON object: key must be a string"),
        ("{\"a\": NaN}", "not a JSON object: expected value"),
        ("{\"a\": 1,}", "not a JSON object: trailing comma"),
        ("{\"a\": 1} x", "not a JSON object: trailing characters"),
        (
            "{\"a\": \"\\ud800\"}",
            "not a JSON object: unexpected end of hex escape",
        ),
    ];
    for (line, want) in cases {
        let error = parse(line).unwrap_err();
        assert_eq!(error.kind(), ParseErrorKind::InvalidJson, "{line}");
        assert_eq!(error.to_string(), want, "{line}");
        assert!(line.get(error.span()).is_some(), "{line}");
    }
    let line = "{\n  \"a\": 1,\n  b\n}";
    let error = parse(line).unwrap_err();
    assert_eq!(line.get(error.span()), Some("b"));
}

#[test]
fn depth_and_length_are_no_trouble() {
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(300_000), "]".repeat(300_000));
    let got = parse(&deep).map(|arguments| arguments.get("a").map(str::len));
    assert_eq!(got, Ok(Some(600_001)));
    let unclosed = "{\"a\":".repeat(100_000);
    assert!(parse(&unclosed).is_err());
}
