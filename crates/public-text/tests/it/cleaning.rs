use std::borrow::Cow;

use mcp_bridge_public_text::{Cleaner, is_secret_name, mask_args, public, without_controls};
use proptest::prelude::*;

#[test]
fn secrets_are_masked_and_words_are_not() {
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
    let github = format!("ghp_{}", "a1".repeat(18));
    let cases = [
        ("", ""),
        (
            "author=Ann, authority: x, tokenizer=gpt, max_tokens: 5",
            "author=Ann, authority: x, tokenizer=gpt, max_tokens: 5",
        ),
        ("token abc", "token abc"),
        ("token=", "token="),
        ("Token::new(x)", "Token::new(x)"),
        ("token=abc,next=1", "token=[REDACTED],next=1"),
        ("{'token': 'abc', 'n': 1}", "{'token': [REDACTED], 'n': 1}"),
        (
            r#"{"password":"a \" b","n":1}"#,
            r#"{"password":[REDACTED],"n":1}"#,
        ),
        (
            r#"{\"apiKey\":\"abc\",\"n\":1}"#,
            r#"{\"apiKey\":[REDACTED],\"n\":1}"#,
        ),
        (
            r#""credentials": {"user": "ann", "secret": "x"}"#,
            r#""credentials": {"user": "ann", "secret": [REDACTED]}"#,
        ),
        ("x-auth: Bearer abc def", "x-auth: [REDACTED] def"),
        (
            "Authorization: Bearer abc\nX-Next: 1",
            "[REDACTED]\nX-Next: 1",
        ),
        ("Bearer abcdefgh12345678 sent", "Bearer [REDACTED] sent"),
        (
            "Bearer authentication-required",
            "Bearer authentication-required",
        ),
        ("sk-abcdefgh1.error", "[REDACTED].error"),
        (
            "sk-learn-something disk-abcdefgh1",
            "sk-learn-something disk-abcdefgh1",
        ),
        (
            "https://U:P@E.com/home/x?code=abc&a=1#f",
            "https://[REDACTED]@e.com/home/x?code=[REDACTED]&a=1#f",
        ),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nafter",
            "[REDACTED]\nafter",
        ),
        (
            "-----BEGIN CERTIFICATE-----\nabc",
            "-----BEGIN CERTIFICATE-----\nabc",
        ),
        ("-----BEGIN PRIVATE KEY-----\nnever ends", "[REDACTED]"),
        ("login%3A password%3Dhunter2", "login: password=[REDACTED]"),
        ("100%25 and %E4%BD%A0", "100%25 and %E4%BD%A0"),
    ];
    for (given, want) in cases {
        assert_eq!(public(given), want, "given {given:?}");
    }
    assert_eq!(
        public(&format!("({jwt}) {github}.")),
        "([REDACTED]) [REDACTED]."
    );
    assert_eq!(
        public("xoxb-123456789012-abcdefABCDEF AKIAIOSFODNN7EXAMPLE"),
        "[REDACTED] [REDACTED]"
    );
}

#[test]
fn paths_of_this_machine_are_masked_for_people_and_kept_for_a_model() {
    let cases = [
        ("open '/tmp/x': no such file", "open '[PATH]': no such file"),
        ("open /tmp/a b/x: no such file", "open [PATH]: no such file"),
        ("cp /home/u/a to /tmp/b", "cp [PATH] [PATH]"),
        (r"C:\Program Files (x86)\App, D:\", "[PATH], [PATH]"),
        (r"\\server\share\x", "[PATH]"),
        (
            "see file:///home/u/x and https://e.com/tmp/x",
            "see [PATH] https://e.com/tmp/x",
        ),
        (
            "/usr/bin/x ~/notes ../up and/or // note",
            "/usr/bin/x ~/notes ../up and/or // note",
        ),
        ("$HOME/.netrc", "[PATH]"),
        ("%2Fhome%2Fann", "[PATH]"),
        ("%252Fhome%252Fann", "[PATH]"),
    ];
    for (given, want) in cases {
        assert_eq!(public(given), want, "given {given:?}");
        assert_eq!(Cleaner::for_model().clean(given), given);
    }
}

#[test]
fn what_is_fine_is_borrowed() {
    assert!(matches!(
        public("status 404: not found at https://e.com/x"),
        Cow::Borrowed(_)
    ));
}

#[test]
fn arguments_of_secret_flags_are_masked() {
    let given = [
        "run",
        "--token",
        "--x",
        "-t",
        "abc",
        "--key=1",
        "--api-key=1",
        "-H",
        "X-Org: o",
        "-H",
        "Cookie: a=b",
        "-H",
    ];
    let want = [
        "run",
        "--token",
        "[REDACTED]",
        "-t",
        "abc",
        "--key=1",
        "--api-key=[REDACTED]",
        "-H",
        "X-Org: o",
        "-H",
        "Cookie: [REDACTED]",
        "-H",
    ];
    assert_eq!(mask_args(given), want);
    assert!(is_secret_name("password hint"));
}

#[test]
fn long_runs_of_anything_are_cleaned_at_once() {
    let seeds = [
        "a",
        "=",
        ":",
        "/",
        "-",
        ".",
        "%",
        "%25",
        "%2525",
        "\u{1b}]",
        "\u{1b}[",
        "'",
        "\"",
        "\\",
        "://",
        "a://@",
        "token=",
        "token:'",
        "eyJ-",
        "eyJhbGciOiJI.",
        "sk-",
        "-----BEGIN PRIVATE KEY",
        "-----BEGIN ",
        "/home/",
        "/home/u (",
        "C:\\ ",
        "é\u{200d}",
        "\u{202e}",
        "file://",
        "bearer ",
        "cookie:",
        "(",
        "ghp_",
        "A",
        "aA",
    ];
    let started = std::time::Instant::now();
    for seed in seeds {
        let text = seed.repeat(200_000 / seed.len());
        let shown = public(&text);
        assert!(shown.len() <= text.len() * 4, "given {seed:?}");
    }
    // Quadratic work over so much text takes minutes, linear work some milliseconds for each seed.
    assert!(
        started.elapsed().as_secs() < 60,
        "took {:?}",
        started.elapsed()
    );
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~\n\t]{0,6}",
        ".{0,4}",
        prop::sample::select(vec![
            "token",
            "=",
            ": ",
            "password",
            "\"",
            "'",
            "://",
            "u:p@h",
            "https",
            "file",
            "/home/u",
            "C:\\x",
            "%3D",
            "%2F",
            "%25",
            "\u{1b}[0m",
            "\u{1b}]0;",
            "\u{7}",
            "\u{9b}",
            "\u{200d}",
            "\u{fe0f}",
            "\u{feff}",
            "\u{202e}",
            "sk-abcdefgh1",
            "Bearer abcdefgh12345678",
            "Cookie: a",
            "-----BEGIN PRIVATE KEY-----",
            "-----END",
            "[REDACTED]",
            "[PATH]",
            "\\",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_terminal_control_passes(given in pieces()) {
        for shown in [public(&given), without_controls(&given), Cleaner::for_display().clean(&given)] {
            prop_assert!(!shown.contains(|char: char| char.is_control() && !matches!(char, '\n' | '\t')));
        }
    }

    #[test]
    fn cleaning_what_is_clean_changes_nothing(given in pieces()) {
        for cleaner in [Cleaner::default(), Cleaner::for_model(), Cleaner::for_display()] {
            let once = cleaner.clean(&given).into_owned();
            let again = cleaner.clean(&once);
            prop_assert_eq!(again.as_ref(), once.as_str());
        }
    }

    #[test]
    fn a_known_secret_never_shows(before in pieces(), after in "[ ,;\n].{0,20}") {
        let shown = public(&format!("{before}\ntoken=s3cr3tvalue{after}")).into_owned();
        prop_assert!(!shown.contains("s3cr3tvalue"), "{}", shown);
    }
}
