use std::collections::{BTreeMap, BTreeSet};

use mcp_bridge_tool_names::{Clash, NameProfile, NameTable};
use proptest::collection::vec;
use proptest::prelude::*;

type Names = Vec<(String, String, String)>;

fn names(table: &NameTable) -> Names {
    let triple = |entry: &mcp_bridge_tool_names::Entry| {
        (
            entry.server().to_owned(),
            entry.tool().to_owned(),
            entry.name().to_string(),
        )
    };
    table.iter().map(triple).collect()
}

fn of<'t>(table: &'t NameTable, server: &str, tool: &str) -> &'t str {
    table.name(server, tool).map_or("", |name| name.as_str())
}

#[test]
fn every_member_of_a_clash_ends_in_its_digest() {
    let table = NameTable::build(
        &NameProfile::default(),
        [("s", "a-b"), ("s", "a_b"), ("s", "c"), ("s", "a-b")],
    );
    assert_eq!(table.len(), 3);
    assert_eq!(of(&table, "s", "a-b"), "mcp__s__a_b_ed3867d6");
    assert_eq!(of(&table, "s", "a_b"), "mcp__s__a_b_8d47d403");
    assert_eq!(of(&table, "s", "c"), "mcp__s__c");
    let entry = table.entry("s", "a-b").unwrap();
    assert_eq!(
        (entry.base().as_str(), entry.is_suffixed()),
        ("mcp__s__a_b", true)
    );
}

#[test]
fn a_literal_name_keeps_its_place_and_the_suffix_grows() {
    let table = NameTable::build(
        &NameProfile::default(),
        [("s", "a-b"), ("s", "a_b"), ("s", "a_b_ed3867d6")],
    );
    assert_eq!(of(&table, "s", "a_b_ed3867d6"), "mcp__s__a_b_ed3867d6");
    assert_eq!(of(&table, "s", "a_b"), "mcp__s__a_b_8d47d403");
    let grown = of(&table, "s", "a-b");
    assert!(grown.starts_with("mcp__s__a_b_ed3867d6"), "{grown}");
    assert_eq!(grown.len(), "mcp__s__a_b_".len() + 32);
}

#[test]
fn names_made_to_hit_every_suffix_are_still_apart() {
    let profile = NameProfile::default();
    let mut tools = vec!["a-b".to_owned(), "a_b".to_owned()];
    for _ in 0..4 {
        let table = NameTable::build(&profile, tools.iter().map(|tool| ("s", tool.as_str())));
        let taken = of(&table, "s", "a-b")
            .strip_prefix("mcp__s__")
            .unwrap()
            .to_owned();
        assert!(!tools.contains(&taken));
        tools.push(taken);
    }
}

#[test]
fn the_plain_one_may_keep_its_name() {
    let profile = NameProfile::openai();
    let tools = ["read_file", "read.file", "read file", "read-file"];
    let table = NameTable::build(&profile, tools.map(|tool| ("files", tool)));
    assert_eq!(of(&table, "files", "read_file"), "mcp__files__read_file");
    assert_eq!(of(&table, "files", "read-file"), "mcp__files__read-file");
    assert_eq!(table.iter().filter(|entry| entry.is_suffixed()).count(), 2);

    let literal = NameTable::build(&profile, [("a__b", "c"), ("a", "b__c")]);
    assert_eq!(
        literal.iter().filter(|entry| entry.is_suffixed()).count(),
        2
    );
}

#[test]
fn nobody_gets_a_reserved_name() {
    let profile = NameProfile::default().with_reserved(["mcp__s__help"]);
    let table = NameTable::build(&profile, [("s", "help"), ("s", "other")]);
    assert!(table.get("mcp__s__help").is_none());
    assert!(of(&table, "s", "help").starts_with("mcp__s__help_"));
    assert_eq!(of(&table, "s", "other"), "mcp__s__other");
}

#[test]
fn a_server_that_comes_and_goes_renames_only_who_it_clashes_with() {
    let profile = NameProfile::default();
    let mut table = NameTable::build(&profile, [("a_b", "c"), ("x", "y")]);
    let alone = names(&table);
    table.update("a-b", ["c", "d"]);
    assert_eq!(of(&table, "x", "y"), "mcp__x__y");
    assert_ne!(of(&table, "a_b", "c"), "mcp__a_b__c");
    table.update("a-b", []);
    assert_eq!(names(&table), alone);
    assert_eq!(table.servers().collect::<Vec<_>>(), ["a_b", "x"]);
}

#[test]
fn ten_thousand_tools_of_one_base_are_named_and_renamed_in_good_time() {
    let tools: Vec<String> = (0..10_000)
        .map(|i| "\u{8a9e}".repeat(i % 90 + 1) + &"!".repeat(i / 90))
        .collect();
    let start = std::time::Instant::now();
    let pairs = || tools.iter().map(|tool| ("s", tool.as_str()));
    let mut table = NameTable::build(&NameProfile::default(), pairs());
    assert_eq!(table.len(), 10_000);
    table.update("t", ["x"]);
    table.update("s", tools.iter().skip(1).map(String::as_str));
    assert_eq!(table.len(), 10_000);
    assert!(start.elapsed() < std::time::Duration::from_secs(20));
}

#[test]
fn an_update_that_takes_a_suffixed_name_moves_its_owner() {
    let profile = NameProfile::default();
    let mut table = NameTable::build(&profile, [("s", "a-b"), ("s", "a_b")]);
    let before = names(&table);
    // `s` with `a_b_ed3867d6` is spelled by this server and tool as well.
    table.update("s__a", ["x"]);
    table.update("S", ["x"]);
    assert_eq!(of(&table, "s", "a-b"), "mcp__s__a_b_ed3867d6");
    table.update("_s_", ["a_b_ed3867d6"]);
    assert_ne!(of(&table, "s", "a-b"), "mcp__s__a_b_ed3867d6");
    for server in ["_s_", "S", "s__a"] {
        table.update(server, []);
    }
    assert_eq!(names(&table), before);
}

fn pairs() -> impl Strategy<Value = Vec<(String, String)>> {
    let word = || prop_oneof!["[ab._-]{0,4}", ".{0,6}", "a{50,60}[bc]?"];
    vec(
        (prop_oneof!["[ab._-]{0,2}", Just("s".to_owned())], word()),
        0..14,
    )
}

fn profiles() -> impl Iterator<Item = NameProfile> {
    [Clash::SuffixAll, Clash::KeepPlain, Clash::SuffixChanged]
        .into_iter()
        .flat_map(|clash| {
            [
                NameProfile::default(),
                NameProfile::reference(),
                NameProfile::double_hyphen(),
            ]
            .map(|profile| {
                profile
                    .with_clash(clash)
                    .with_reserved(["mcp__s__a", "mcp--s--a"])
            })
        })
}

proptest! {
    #[test]
    fn names_are_unique_whatever_the_order(pairs in pairs()) {
        let borrowed = || pairs.iter().map(|(server, tool)| (server.as_str(), tool.as_str()));
        for profile in profiles() {
            let table = NameTable::build(&profile, borrowed());
            let again = NameTable::build(&profile, borrowed().collect::<Vec<_>>().into_iter().rev());
            prop_assert_eq!(names(&table), names(&again));
            let distinct: BTreeSet<_> = borrowed().collect();
            let unique: BTreeSet<_> = table.iter().map(|entry| entry.name()).collect();
            prop_assert_eq!((table.len(), unique.len()), (distinct.len(), distinct.len()));
            for (server, tool) in distinct {
                let name = table.name(server, tool).unwrap();
                let entry = table.resolve(name.as_str()).unwrap();
                prop_assert_eq!((entry.server(), entry.tool()), (server, tool));
                prop_assert!(profile.max_bytes().is_none_or(|max| name.as_str().len() <= max));
                prop_assert!(!profile.is_reserved(name.as_str()));
            }
        }
    }

    #[test]
    fn updates_end_where_a_full_build_ends(
        before in pairs(),
        steps in vec(("[ab._-]{0,2}", vec("[ab._-]{0,4}", 0..5)), 1..6),
    ) {
        for profile in profiles() {
            let mut table = NameTable::build(
                &profile,
                before.iter().map(|(server, tool)| (server.as_str(), tool.as_str())),
            );
            let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for (server, tool) in &before {
                all.entry(server).or_default().push(tool);
            }
            for (server, tools) in &steps {
                table.update(server, tools.iter().map(String::as_str));
                all.insert(server, tools.iter().map(String::as_str).collect());
                let pairs = all.iter().flat_map(|(server, tools)| tools.iter().map(|tool| (*server, *tool)));
                prop_assert_eq!(names(&table), names(&NameTable::build(&profile, pairs)));
            }
        }
    }
}
