use mcp_bridge_tool_names::{NameProfile, NameTable, ResolveErrorKind};
use proptest::prelude::*;

fn table(pairs: &[(&str, &str)]) -> NameTable {
    NameTable::build(&NameProfile::openai(), pairs.iter().copied())
}

#[test]
fn case_and_hyphens_are_forgiven_where_one_tool_is_meant() {
    let table = table(&[
        ("git", "git_log"),
        ("my__db", "run-query"),
        ("db", "run_query"),
    ]);
    let cases = [
        ("mcp__git__git_log", "git_log"),
        ("MCP--git--git-log", "git_log"),
        ("mcp__my__db__run_query", "run-query"),
        ("mcp__db__run_query", "run_query"),
    ];
    for (asked, tool) in cases {
        assert_eq!(table.resolve(asked).unwrap().tool(), tool, "{asked}");
    }
}

#[test]
fn a_name_that_may_mean_two_tools_means_none() {
    let table = table(&[("s", "a-b"), ("s", "a_b"), ("s", "A_B")]);
    let error = table.resolve("mcp__s__A-B").unwrap_err();
    assert_eq!(error.kind(), ResolveErrorKind::Ambiguous);
    assert_eq!(
        error.to_string(),
        "\"mcp__s__A-B\" may mean more than one name: `mcp__s__A_B`, `mcp__s__a-b`, `mcp__s__a_b`"
    );
    assert_eq!(table.resolve("mcp__s__a-b").unwrap().tool(), "a-b");
}

#[test]
fn an_unknown_name_comes_with_near_misses() {
    let table = table(&[
        ("git", "git_log"),
        ("git", "git_status"),
        ("db", "run_query"),
    ]);
    let cases = [
        ("mcp__git__git_lgo", "; did you mean `mcp__git__git_log`"),
        (
            "mcp__nope__run_query",
            "; did you mean `mcp__db__run_query`",
        ),
        ("run_query", "; did you mean `mcp__db__run_query`"),
        ("zzz", ""),
        ("", ""),
    ];
    for (asked, near) in cases {
        let error = table.resolve(asked).unwrap_err();
        let want = format!("no tool or command is named {asked:?}{near}");
        assert_eq!(
            (error.kind(), error.to_string()),
            (ResolveErrorKind::NotFound, want)
        );
    }
}

#[test]
fn an_error_stays_short_whatever_was_asked() {
    let table = table(&[("git", "git_log")]);
    let error = table.resolve(&"x\u{1b}".repeat(1 << 20)).unwrap_err();
    assert_eq!(error.asked().chars().count(), 128);
    assert!(!error.to_string().contains('\u{1b}'));
}

proptest! {
    #[test]
    fn any_text_may_be_asked_for(asked in ".{0,80}") {
        let table = table(&[("git", "git_log"), ("git", "git-log")]);
        if let Err(error) = table.resolve(&asked) {
            prop_assert!(error.candidates().len() <= 3);
        }
    }
}
