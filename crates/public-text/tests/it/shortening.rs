use mcp_bridge_public_text::{TRUNCATED, cut, one_line, truncate};
use proptest::prelude::*;

#[test]
fn a_marker_says_that_something_is_missing() {
    let cases = [
        ("", 0, String::new()),
        ("short", 5, "short".to_owned()),
        ("no room for it", 3, "no ".to_owned()),
        (
            "a sentence that is too long",
            20,
            format!("a sentenc{TRUNCATED}"),
        ),
    ];
    for (given, max_chars, want) in cases {
        assert_eq!(
            truncate(given, max_chars),
            want,
            "given {given:?} and {max_chars}"
        );
    }
}

#[test]
fn one_line_has_no_break_and_no_gap() {
    let cases = [
        ("", ""),
        ("one", "one"),
        (" a \r\n\t b\u{2028}c ", "a b c"),
        ("a\u{1b}[2Kb", "ab"),
    ];
    for (given, want) in cases {
        assert_eq!(one_line(given), want, "given {given:?}");
    }
}

proptest! {
    #[test]
    fn a_shortened_text_fits_and_stays_so(given in "[a-z 👩\u{200d}💻\u{301}日\r\n]{0,80}", max_chars in 0_usize..60) {
        let once = truncate(&given, max_chars).into_owned();
        prop_assert!(once.chars().count() <= max_chars);
        let again = truncate(&once, max_chars);
        prop_assert_eq!(again.as_ref(), once.as_str());
        prop_assert!(given.starts_with(cut(&given, max_chars)));
    }
}
