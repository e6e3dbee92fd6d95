use std::collections::BTreeMap;

use mcp_bridge_server_config::{Platform, SplitError, merge_headers, split_command};
use proptest::prelude::*;

#[test]
fn a_command_is_cut_as_a_posix_shell_cuts_it() {
    let cases: [(&str, Result<&[&str], SplitError>); 11] = [
        ("", Ok(&[])),
        (" \t\r\n", Ok(&[])),
        ("a  b\tc\n", Ok(&["a", "b", "c"])),
        ("'' a", Ok(&["", "a"])),
        ("a'b c'd\"e f\"", Ok(&["ab cde f"])),
        (r"a\ b \' \\", Ok(&["a b", "'", r"\"])),
        (r#""a\"b\\c\d" 'e\f'"#, Ok(&[r#"a"b\c\d"#, r"e\f"])),
        (
            "$X ${Y:-z} *.rs ~ #c",
            Ok(&["$X", "${Y:-z}", "*.rs", "~", "#c"]),
        ),
        ("a\u{a0}b", Ok(&["a\u{a0}b"])),
        ("'a", Err(SplitError::UnclosedQuote)),
        (r"a\", Err(SplitError::UnfinishedEscape)),
    ];
    for (command, want) in cases {
        let want = want.map(|words| words.iter().map(|word| (*word).to_owned()).collect());
        assert_eq!(
            split_command(command, Platform::Posix),
            want,
            "given {command:?}"
        );
    }
}

#[test]
fn on_windows_backslashes_are_parts_of_paths() {
    let cases: [(&str, Result<&[&str], SplitError>); 8] = [
        (r"C:\a\b.exe x\", Ok(&[r"C:\a\b.exe", r"x\"])),
        (r"\\srv\share", Ok(&[r"\\srv\share"])),
        (r#""C:\a b\c.exe" 'd e'"#, Ok(&[r"C:\a b\c.exe", "d e"])),
        (r#""C:\a b\\" c"#, Ok(&[r"C:\a b\", "c"])),
        (r#"a\"b"#, Ok(&[r#"a"b"#])),
        (r#""a\\\"b""#, Ok(&[r#"a\"b"#])),
        (r#"'a\"b'"#, Ok(&[r#"a\"b"#])),
        (r#""C:\a\""#, Err(SplitError::UnclosedQuote)),
    ];
    for (command, want) in cases {
        let want = want.map(|words| words.iter().map(|word| (*word).to_owned()).collect());
        assert_eq!(
            split_command(command, Platform::Windows),
            want,
            "given {command:?}"
        );
    }
}

#[test]
fn a_refused_command_says_why() {
    let texts = ["a 'b", "a\\"].map(|command| {
        split_command(command, Platform::Posix)
            .unwrap_err()
            .to_string()
    });
    let want = [
        "a quote in the command is not closed",
        "the command ends in a backslash that escapes nothing",
    ];
    assert_eq!(texts, want);
}

fn headers(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

type Pairs = &'static [(&'static str, &'static str)];

#[test]
fn headers_of_a_helper_replace_those_of_the_file() {
    let cases: [(Pairs, Pairs, Pairs); 4] = [
        (&[("A", "1")], &[], &[("A", "1")]),
        (
            &[("A", "1"), ("a", "2"), ("B", "3")],
            &[("a", "4")],
            &[("B", "3"), ("a", "4")],
        ),
        (&[], &[("A", "1"), ("a", "2")], &[("a", "2")]),
        (&[("X-É", "1")], &[("x-é", "2")], &[("x-é", "2")]),
    ];
    for (fixed, dynamic, want) in cases {
        let got = merge_headers(&headers(fixed), &headers(dynamic));
        assert_eq!(got, headers(want), "given {fixed:?} and {dynamic:?}");
    }
}

proptest! {
    #[test]
    fn any_command_is_cut_or_refused(command in "[a ${}'\"\\\\\t\n]{0,60}") {
        for platform in [Platform::Posix, Platform::Windows] {
            if let Ok(words) = split_command(&command, platform) {
                let chars: usize = words.iter().map(|word| word.chars().count()).sum();
                prop_assert!(chars <= command.chars().count());
            }
        }
    }

    #[test]
    fn quoted_words_come_back_whole(words in proptest::collection::vec("[^']{0,20}", 0..6)) {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        for platform in [Platform::Posix, Platform::Windows] {
            prop_assert_eq!(split_command(&quoted.join(" "), platform), Ok(words.clone()));
        }
    }
}
