use mcp_bridge_prompt_args::{format_json, format_pairs, parse};
use proptest::collection::btree_map;
use proptest::prelude::*;

#[test]
fn pairs_are_quoted_only_where_they_must_be() {
    let cases = [
        ("a", "x", "a=x"),
        ("a", "", "a="),
        ("a", "x y", "a=\"x y\""),
        ("a", "it's", "a=\"it's\""),
        ("a", "\"", "a=\"\\\"\""),
        ("a", r"C:\a b\", r#"a="C:\a b"\"#),
        ("{a", "x", "\"{a\"=x"),
        ("a=b", "=", "\"a=b\"=="),
    ];
    for (name, value, want) in cases {
        assert_eq!(format_pairs([(name, value)]).unwrap(), want);
    }
    let error = format_pairs([("a b", "x")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "name \"a b\" is empty or holds white space"
    );
    assert_eq!(format_json([("a\u{1}", "\"\n")]), r#"{"a\u0001": "\"\n"}"#);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,20}", "[ab='\"\\\\ \t\n{}\u{3000}\0]{0,12}"]
}

proptest! {
    #[test]
    fn pairs_read_back_as_they_were(map in btree_map(text(), text(), 0..5)) {
        match format_pairs(&map) {
            Ok(line) => prop_assert_eq!(parse(&line).map(|read| read.to_map()), Ok(map)),
            Err(error) => prop_assert!(map.contains_key(error.name())),
        }
    }

    #[cfg(feature = "json")]
    #[test]
    fn every_map_reads_back_as_it_was(map in btree_map(text(), text(), 0..5)) {
        let lines = [mcp_bridge_prompt_args::format_args(&map), format_json(&map)];
        for line in lines {
            let read = parse(&line).unwrap().to_map();
            prop_assert_eq!(&read, &map, "{}", line);
        }
    }
}
