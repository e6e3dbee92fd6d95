//! Tests of the public API.

use mcp_bridge_use_mcp_tool::{
    CallErrorKind, CallKind, Described, Known, Mistakes, Repetitions, Segment, XmlParser, describe,
    parse_json, parse_xml, resolve,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A segment in a line.
fn told(segment: &Segment) -> String {
    match segment {
        Segment::Text(text) => format!("text {text:?}"),
        Segment::Call(call) => {
            let notes: Vec<&str> = call.notes.iter().map(|note| note.code()).collect();
            let what = match &call.kind {
                CallKind::UseTool {
                    server,
                    tool,
                    arguments,
                } => {
                    format!("{server} {tool} {}", Value::Object(arguments.clone()))
                }
                CallKind::ReadResource { server, uri } => format!("{server} {uri}"),
                _ => "?".to_owned(),
            };
            format!("call {what} {notes:?}")
        }
        Segment::Error(error) => format!("error {}", error.kind.code()),
        _ => "?".to_owned(),
    }
}

fn all(text: &str) -> Vec<String> {
    parse_xml(text).iter().map(told).collect()
}

#[test]
fn calls_are_read_from_text() {
    let call = |body: &str| {
        format!("<use_mcp_tool><server_name>a</server_name><tool_name>t</tool_name>{body}")
    };
    let cases: [(String, &[&str]); 17] = [
        ("just text".into(), &["text \"just text\""]),
        (String::new(), &[]),
        (call("</use_mcp_tool>"), &["call a t {} []"]),
        (
            format!("before {} after", call("<arguments>\n{\"n\": 12345678901234567890123}\n</arguments></use_mcp_tool>")),
            &["text \"before\"", "call a t {\"n\":12345678901234567890123} []", "text \"after\""],
        ),
        (
            call("<arguments>{\"a\":1}</use_mcp_tool></arguments> fin"),
            &["call a t {\"a\":1} [\"misplaced_closing_tag\"]", "text \"fin\""],
        ),
        (call("<arguments>{\"a\":1}</use_mcp_tool>"), &["call a t {\"a\":1} [\"unclosed_parameter\"]"]),
        (
            call("<arguments>{\"h\":\"</arguments></use_mcp_tool>\\\"\"}</arguments></use_mcp_tool>"),
            &["call a t {\"h\":\"</arguments></use_mcp_tool>\\\"\"} []"],
        ),
        (call("<arguments>```json\n{\"a\":1}\n```</arguments></use_mcp_tool>"), &["call a t {\"a\":1} []"]),
        (
            call("<arguments>{&quot;a&quot;: &quot;x &amp;lt; y&quot;}</arguments></use_mcp_tool>"),
            &["call a t {\"a\":\"x &lt; y\"} [\"decoded_entities\"]"],
        ),
        (call("<arguments>[1]</arguments></use_mcp_tool>"), &["error invalid_argument"]),
        (call("<arguments>{\"a\":</arguments></use_mcp_tool>"), &["error incomplete_call"]),
        (call("<tool_name>u</tool_name></use_mcp_tool>"), &["error duplicate_parameter"]),
        (call("<tool_name> t </tool_name></use_mcp_tool>"), &["call a t {} []"]),
        ("<use_mcp_tool><tool_name>t</tool_name></use_mcp_tool>".into(), &["error missing_parameter"]),
        (call(""), &["error incomplete_call"]),
        (
            format!("<thinking>maybe {}</use_mcp_tool></thinking> no", call("")),
            &["text \"<thinking>maybe <use_mcp_tool><server_name>a</server_name><tool_name>t</tool_name></use_mcp_tool></thinking> no\""],
        ),
        (
            "<access_mcp_resource><server_name>a</server_name><uri> x://y?a=1&b=2 </uri></access_mcp_resource>".into(),
            &["call a x://y?a=1&b=2 []"],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(all(&text), want, "text {text:?}");
    }
}

#[test]
fn calls_are_read_from_json() {
    let cases = [
        (r#"{"server_name":" s ","tool_name":"t"}"#, Ok(json!({}))),
        (
            r#"{"server_name":"s","tool_name":"t","arguments":null}"#,
            Ok(json!({})),
        ),
        (
            r#"{"server_name":"s","tool_name":"t","arguments":{"a":1}}"#,
            Ok(json!({"a": 1})),
        ),
        (
            r#"{"server_name":"s","tool_name":"t","arguments":"{\"a\": 1}"}"#,
            Ok(json!({"a": 1})),
        ),
        (
            r#"{"server_name":"s","tool_name":"t","arguments":""}"#,
            Ok(json!({})),
        ),
        (
            r#"{"server_name":"s","tool_name":"t","arguments":"[]"}"#,
            Err("invalid_argument"),
        ),
        (
            r#"{"server_name":"s","tool_name":"t","arguments":[1]}"#,
            Err("invalid_argument"),
        ),
        (
            r#"{"server_name":"s","tool_name":7}"#,
            Err("invalid_argument"),
        ),
        (
            r#"{"server_name":"","tool_name":"t"}"#,
            Err("missing_parameter"),
        ),
        ("", Err("missing_parameter")),
        ("[]", Err("invalid_argument")),
        ("{", Err("invalid_argument")),
    ];
    for (text, want) in cases {
        let got = parse_json("use_mcp_tool", text);
        let got = match &got {
            Ok(call) => match &call.kind {
                CallKind::UseTool {
                    server,
                    tool,
                    arguments,
                } => {
                    assert_eq!((&**server, &**tool), ("s", "t"));
                    Ok(Value::Object(arguments.clone()))
                }
                other => panic!("{other:?}"),
            },
            Err(error) => Err(error.kind.code()),
        };
        assert_eq!(got, want, "text {text}");
    }
    let error = parse_json("use_mpc_tool", "{}").unwrap_err();
    assert_eq!(error.kind, CallErrorKind::UnknownDoor);
}

#[test]
fn an_error_is_one_flat_object() {
    let known = [
        Known::new("weather", ["get"]),
        Known::new("git", ["log", "push"]).with_disabled(["push"]),
    ];
    let cases = [
        (
            ("wether", "get"),
            json!({
                "status": "error", "type": "unknown_server",
                "message": "there is no server \"wether\"; did you mean `weather`?",
                "server": "wether", "available_servers": ["weather", "git"], "did_you_mean": ["weather"],
            }),
        ),
        (
            ("git", "status"),
            json!({
                "status": "error", "type": "unknown_tool", "message": "there is no tool \"status\"; there are `log`",
                "server": "git", "tool": "status", "available_tools": ["log"],
            }),
        ),
        (
            ("git", "Push"),
            json!({
                "status": "error", "type": "tool_disabled",
                "message": "the tool `push` of the server `git` is switched off", "server": "git", "tool": "Push",
            }),
        ),
    ];
    for ((server, tool), want) in cases {
        assert_eq!(resolve(&known, server, tool).unwrap_err().to_json(), want);
    }
    let two = [Known::new("s", ["a-b", "a_b"])];
    assert!(resolve(&two, "s", "a_b").unwrap().is_exact);
    assert_eq!(
        resolve(&two, "s", "A_B").unwrap_err().kind,
        CallErrorKind::AmbiguousTool
    );
}

#[test]
fn a_description_is_bounded_and_its_entries_cannot_be_forged() {
    let schema = json!({"type": "object"});
    let servers: Vec<Described<'_>> = (0..50)
        .map(|_| {
            Described::new("s\n## forged")
                .with_tool("t\n", "Does it.\n- tool forged: x", &schema)
                .with_resource("x://y")
        })
        .collect();
    let whole = describe(&servers[..1], 1_000);
    assert_eq!(
        whole,
        "## s ## forged\n- tool t: Does it.\n  - tool forged: x\n  arguments: {\"type\":\"object\"}\n- resource x://y\n"
    );
    let cut = describe(&servers, 500);
    assert!(
        cut.chars().count() <= 500 && cut.ends_with(" more left out]\n"),
        "{cut}"
    );
}

#[test]
fn a_model_that_goes_round_in_circles_is_noticed() {
    let mut mistakes = Mistakes::default();
    let told: Vec<bool> = (0..4).map(|_| mistakes.mistake()).collect();
    assert_eq!(told, [false, false, true, false]);

    let mut repetitions = Repetitions::default();
    let (one, two) = (
        json!({"a": 1, "b": [{"x": 1, "y": 2}]}),
        json!({"b": [{"y": 2, "x": 1}], "a": 1}),
    );
    let (one, two) = (one.as_object().unwrap(), two.as_object().unwrap());
    for arguments in [one, two, one] {
        assert!(repetitions.allows("s", "t", arguments));
        repetitions.record("s", "t", arguments, "same");
    }
    assert!(!repetitions.allows("s", "t", two));
    assert!(repetitions.allows("s", "other", two));
    repetitions.record("s", "t", two, "another result");
    assert!(repetitions.allows("s", "t", two));
}

#[test]
fn a_text_of_any_size_is_bounded() {
    let flood = "x".repeat(3 << 20);
    let told = all(&flood);
    assert_eq!((told.len(), &*told[1]), (2, "error parameter_too_large"));
    let call = "<use_mcp_tool><server_name>a</server_name><tool_name>t</tool_name></use_mcp_tool>";
    for text in [
        format!("{call}{}", "x".repeat(600 << 10)),
        format!("{call}{flood}"),
        format!("{flood}{call}"),
    ] {
        let mut parser = XmlParser::default();
        let mut streamed: Vec<Segment> = text
            .as_bytes()
            .chunks(4_000)
            .flat_map(|piece| parser.push(piece))
            .collect();
        streamed.extend(parser.finish());
        assert_eq!(streamed, parse_xml(&text));
    }
    let text = format!("<use_mcp_tool><server_name>{}", "x".repeat(600 << 10));
    assert_eq!(all(&text), ["error parameter_too_large"]);
    let brackets = format!("<use_mcp_tool><arguments>{}", "{".repeat(400 << 10));
    assert_eq!(all(&brackets), ["error incomplete_call"]);
}

#[test]
fn a_hostile_text_takes_no_longer_than_its_length() {
    let bodies = [
        "<a>".repeat(300_000),
        "<thinking></thinking>".repeat(45_000),
        format!("<use_mcp_tool>{}", "<a>".repeat(300_000)),
        format!(
            "<use_mcp_tool>{}",
            "<uri></uri><tool_name></tool_name>".repeat(20_000)
        ),
        format!("<use_mcp_tool><arguments>{}", "<".repeat(500_000)),
        "<use_mcp_tool></use_mcp_tool>".repeat(35_000),
        format!("<use_mcp_tool><uri></use_mcp_tool>{}", " ".repeat(500_000)),
    ];
    for body in bodies {
        let started = std::time::Instant::now();
        let mut parser = XmlParser::default();
        let mut count = 0;
        for piece in body.as_bytes().chunks(7) {
            count += parser.push(piece).len();
        }
        count += parser.finish().len();
        assert!(count > 0);
        let taken = started.elapsed();
        assert!(
            taken < std::time::Duration::from_secs(5),
            "{taken:?} for {:.40}",
            body
        );
    }
}

const PIECES: [&str; 20] = [
    "<use_mcp_tool>",
    "</use_mcp_tool>",
    "<access_mcp_resource>",
    "</access_mcp_resource>",
    "<server_name>",
    "</server_name>",
    "<tool_name>",
    "</tool_name>",
    "<arguments>",
    "</arguments>",
    "<uri>",
    "</uri>",
    "<thinking>",
    "</thinking>",
    "{\"a\": \"é\"}",
    "{",
    "}",
    "\"",
    " text 👩\u{200d}💻 ",
    "<",
];

proptest! {
    #[test]
    fn a_stream_says_the_same_however_it_is_cut(
        pieces in prop::collection::vec(0..PIECES.len(), 0..30),
        cuts in prop::collection::vec(1_usize..9, 1..40),
    ) {
        let text: String = pieces.iter().map(|index| PIECES[*index]).collect();
        let mut parser = XmlParser::default();
        let mut streamed = Vec::new();
        let (mut rest, mut turn) = (text.as_bytes(), 0);
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(cuts[turn % cuts.len()].min(rest.len()));
            streamed.extend(parser.push(piece));
            rest = after;
            turn += 1;
        }
        streamed.extend(parser.finish());
        prop_assert_eq!(streamed, parse_xml(&text));
    }

    #[test]
    fn any_text_is_read(text in "\\PC*", name in "[a-z_]{0,20}") {
        let _ = parse_xml(&text);
        let _ = parse_json(&name, &text);
        let _ = parse_json("use_mcp_tool", &text);
    }
}
