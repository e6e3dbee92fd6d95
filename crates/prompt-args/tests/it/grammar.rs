use mcp_bridge_prompt_args::{
    Arguments, Declared, Options, ParseErrorKind, Spacing, parse, split_command,
};
use proptest::prelude::*;

#[track_caller]
fn pairs(arguments: &Arguments<'_>) -> Vec<(String, String)> {
    arguments
        .iter()
        .map(|item| (item.name.to_string(), item.value.to_string()))
        .collect()
}

#[track_caller]
fn reads(line: &str, want: &[(&str, &str)]) {
    let got = parse(line).unwrap_or_else(|error| panic!("{}", error.render(line)));
    let want: Vec<_> = want
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    assert_eq!(pairs(&got), want, "{line:?}");
}

#[test]
fn an_empty_line_has_no_arguments() {
    for line in ["", "  ", "\t\n", "\u{3000}"] {
        reads(line, &[]);
    }
}

#[test]
fn a_piece_with_an_equals_sign_starts_an_argument() {
    reads("a=1 b=2", &[("a", "1"), ("b", "2")]);
    reads("\u{3000}a=1\u{a0}b=2\r\n", &[("a", "1"), ("b", "2")]);
    reads("a=b=c", &[("a", "b=c")]);
    reads("url=https://e.com/?q=1", &[("url", "https://e.com/?q=1")]);
    reads("a=", &[("a", "")]);
    reads("a=\"\"", &[("a", "")]);
    reads(
        "\u{540d}='\u{1f469}\u{200d}\u{1f4bb}'",
        &[("\u{540d}", "\u{1f469}\u{200d}\u{1f4bb}")],
    );
    reads("__proto__=x", &[("__proto__", "x")]);
}

#[test]
fn words_go_on_with_the_value_as_they_were_typed() {
    reads("a=x  y\tz b=1", &[("a", "x  y\tz"), ("b", "1")]);
    reads("a= x", &[("a", "x")]);
    reads("a=  'x'  y", &[("a", "x  y")]);
    reads("a=x \"\" y", &[("a", "x y")]);
    reads("expr=x == y", &[("expr", "x == y")]);
    let single = Options::default().with_spacing(Spacing::Single);
    let arguments = single.parse("a=x  y\n'z  z'").unwrap();
    assert_eq!(arguments.get("a"), Some("x y z  z"));
}

#[test]
fn quotes_vanish_wherever_they_stand() {
    reads("a='x y'", &[("a", "x y")]);
    reads("a=x\" y \"z", &[("a", "x y z")]);
    reads("'a'=\"it's\"", &[("a", "it's")]);
    reads("a=\"say \\\"hi\\\"\"", &[("a", "say \"hi\"")]);
    reads("a='\\n \\\\ \\''", &[("a", "\\n \\\\ '")]);
    reads("a=b \"c=d\"", &[("a", "b c=d")]);
    reads("a=b \"c d\"=e", &[("a", "b c d=e")]);
    reads(
        "\"title=Q3 review\" a=b",
        &[("title", "Q3 review"), ("a", "b")],
    );
}

#[test]
fn backslashes_of_paths_stay() {
    reads(r"p=C:\new\table", &[("p", r"C:\new\table")]);
    reads(r#"p="C:\Program Files\x""#, &[("p", r"C:\Program Files\x")]);
    reads(r"p=\\server\share\", &[("p", r"\\server\share\")]);
    reads(r#"p="C:\dir\""#, &[("p", r"C:\dir\")]);
    reads(
        r#"p="C:\a b\" q="D:\c d\" r="e""#,
        &[("p", r"C:\a b\"), ("q", r"D:\c d\"), ("r", "e")],
    );
    reads(r"p='\' q=1", &[("p", r"\"), ("q", "1")]);
}

#[test]
fn an_apostrophe_in_a_word_is_text() {
    reads("a=it's John's", &[("a", "it's John's")]);
    reads("a=O'Neil b='x y'", &[("a", "O'Neil"), ("b", "x y")]);
    reads("a=rock'n'roll", &[("a", "rock'n'roll")]);
    reads("a=x'y z'", &[("a", "xy z")]);
}

#[test]
fn errors_name_the_place_and_what_to_do() {
    let cases = [
        (
            "word",
            ParseErrorKind::NotKeyValue,
            0..4,
            "`word` belongs to no argument",
        ),
        (
            " =x",
            ParseErrorKind::NotKeyValue,
            1..3,
            "a name is missing before `=x`",
        ),
        (
            "a=1 b='x ",
            ParseErrorKind::UnterminatedQuote,
            6..8,
            "the quote `'` is never closed",
        ),
        (
            "a=\"x\\\"y",
            ParseErrorKind::UnterminatedQuote,
            2..7,
            "the quote `\"` is never closed",
        ),
    ];
    for (line, kind, span, message) in cases {
        let error = parse(line).unwrap_err();
        let got = (error.kind(), error.span(), error.to_string());
        assert_eq!(got, (kind, span, message.to_owned()), "{line:?}");
    }
    let long = "x".repeat(1 << 20);
    let error = parse(&long).unwrap_err();
    assert!(error.render(&long).len() < 500);
}

#[test]
fn the_last_of_a_name_counts_and_the_others_are_told() {
    let arguments = parse("a=1 b=2 a=3 a=4").unwrap();
    let lost: Vec<_> = arguments
        .duplicates()
        .iter()
        .map(|item| (&*item.name, &*item.value, item.value_span.clone()))
        .collect();
    assert_eq!(lost, [("a", "1", 2..3), ("a", "3", 10..11)]);
    assert_eq!(arguments.get("a"), Some("4"));

    let many: String = (0..100).map(|i| format!("k{}={i} ", i % 40)).collect();
    let arguments = parse(&many).unwrap();
    assert_eq!((arguments.len(), arguments.duplicates().len()), (40, 60));
    assert_eq!(arguments.get("k7"), Some("87"));
}

#[test]
fn words_before_the_first_name_fill_the_declared_arguments() {
    let declared = ["band", "hall", "note"].map(Declared::required);
    let cases: [(&str, &[(&str, &str)]); 5] = [
        (
            "Muse 'Town Hall' x",
            &[("band", "Muse"), ("hall", "Town Hall"), ("note", "x")],
        ),
        (
            "Muse a b  c d",
            &[("band", "Muse"), ("hall", "a"), ("note", "b  c d")],
        ),
        ("Muse note=1 2", &[("band", "Muse"), ("note", "1 2")]),
        ("'' x", &[("band", ""), ("hall", "x")]),
        ("'a=b'", &[("band", "a=b")]),
    ];
    for (line, want) in cases {
        let arguments = Options::default().parse_for(line, &declared).unwrap();
        let want: Vec<_> = want
            .iter()
            .map(|(n, v)| (n.to_string(), v.to_string()))
            .collect();
        assert_eq!(pairs(&arguments), want, "{line:?}");
    }
    let error = Options::reference()
        .parse_for("Muse", &declared)
        .unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::NotKeyValue);
}

#[test]
fn what_needs_no_change_is_borrowed() {
    let line = "a=x  y b='two words' c=\"say \\\"hi\\\"\" 'd'=e";
    let arguments = parse(line).unwrap();
    let borrowed: Vec<bool> = arguments
        .iter()
        .map(|item| matches!(item.value, std::borrow::Cow::Borrowed(_)))
        .collect();
    assert_eq!(borrowed, [true, true, false, true]);
}

#[cfg(not(feature = "json"))]
#[test]
fn without_json_a_brace_is_refused_with_a_hint() {
    let error = parse(" {\"a\": 1}").unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::JsonUnsupported);
}

#[test]
fn a_command_is_a_slash_a_name_and_the_rest() {
    let cases = [
        ("/a", Some(("a", "", 2))),
        (" /a  b=c \n", Some(("a", "b=c", 5))),
        ("/a\u{3000}x", Some(("a", "x", 5))),
        ("/a/b c", Some(("a/b", "c", 5))),
        ("/", None),
        ("/ a", None),
        ("a /b", None),
        ("", None),
    ];
    for (text, want) in cases {
        let got = split_command(text).map(|c| (c.name, c.arguments, c.arguments_offset));
        assert_eq!(got, want, "{text:?}");
    }
}

#[test]
fn a_megabyte_takes_no_longer_than_its_length_deserves() {
    let lines = [
        format!("a={}", "x".repeat(1 << 20)),
        format!("a={}", "w ".repeat(1 << 19)),
        (0..50_000).map(|i| format!("key{i}=v ")).collect(),
        format!("a={}", "'\\' ".repeat(1 << 18)),
        format!("a={}", "it's ".repeat(200_000)),
        "'".repeat((1 << 20) + 1),
    ];
    let start = std::time::Instant::now();
    let kinds: Vec<_> = lines.iter().map(|line| parse(line).is_ok()).collect();
    assert_eq!(kinds.len(), lines.len());
    assert!(start.elapsed() < std::time::Duration::from_secs(20));
}

proptest! {
    #[test]
    fn any_line_reads_or_is_refused_at_a_place_in_it(
        line in prop_oneof![".{0,200}", "[ab='\"\\\\ \t{}:,\u{3000}\u{e9}]{0,60}"],
    ) {
        match parse(&line) {
            Ok(arguments) => {
                for item in arguments.iter().chain(arguments.duplicates()) {
                    prop_assert!(line.get(item.name_span.clone()).is_some());
                    prop_assert!(line.get(item.value_span.clone()).is_some());
                }
            }
            Err(error) => {
                prop_assert!(line.get(error.span()).is_some());
                prop_assert!(error.render(&line).ends_with('\n'));
            }
        }
    }

    #[test]
    fn spacing_changes_nothing_but_white_space(line in "[ab='\"\\\\ \t]{0,40}") {
        let squeeze = |line: &str, spacing| {
            let read = Options::default().with_spacing(spacing).parse(line);
            read.map(|arguments| {
                arguments
                    .iter()
                    .map(|item| format!("{}={}", item.name, item.value).replace([' ', '\t'], ""))
                    .collect::<Vec<_>>()
            })
        };
        prop_assert_eq!(squeeze(&line, Spacing::AsTyped), squeeze(&line, Spacing::Single));
    }
}
