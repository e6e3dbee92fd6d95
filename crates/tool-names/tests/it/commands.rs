use mcp_bridge_tool_names::{
    CommandItem, CommandTable, EntryKind, NameProfile, parse_prompt_uri, prompt_uri,
};

fn table(items: &[CommandItem<'_>]) -> CommandTable {
    CommandTable::build(&NameProfile::default(), items.iter().copied())
}

#[test]
fn prompts_and_skills_share_one_namespace() {
    let table = table(&[
        CommandItem::prompt("s", "x_"),
        CommandItem::resource("s", "skill://s/1", Some("x")),
        CommandItem::resource("s", "skill://s/2", None),
        CommandItem::resource("s", "file:///notes", Some("notes")),
    ]);
    let listed: Vec<_> = table
        .iter()
        .map(|entry| (entry.name().as_str(), entry.kind(), entry.label()))
        .collect();
    assert_eq!(
        listed,
        [
            ("mcp__s__skill", EntryKind::Resource, "skill"),
            ("mcp__s__x_40f72d22", EntryKind::Prompt, "x_"),
            ("mcp__s__x_6d67cb6e", EntryKind::Resource, "x"),
        ]
    );
    assert_eq!(table.resource("s", "file:///notes"), None);
}

#[test]
fn of_one_uri_the_last_listing_counts() {
    let table = table(&[
        CommandItem::resource("s", "skill://s/1", Some("old")),
        CommandItem::resource("s", "skill://s/1", Some("new")),
    ]);
    let names: Vec<_> = table.iter().map(|entry| entry.name().as_str()).collect();
    assert_eq!(names, ["mcp__s__new"]);
}

#[test]
fn a_typed_prompt_is_found_exactly_or_in_lower_case() {
    let table = table(&[
        CommandItem::prompt("s", "p"),
        CommandItem::prompt("S", "Mixed"),
        CommandItem::resource("s", "skill://s/1", Some("k")),
    ]);
    let found = |name: &str| table.typed_prompt(name).map(|entry| entry.identifier());
    assert_eq!(found("mcp__s__p"), Some("p"));
    assert_eq!(found("MCP__S__P"), Some("p"));
    assert_eq!(found("mcp__S__Mixed"), Some("Mixed"));
    assert_eq!(found("mcp__s__mixed"), None);
    assert_eq!(found("mcp__s__k"), None);
    assert_eq!(
        table.resolve("mcp__s__mixed").unwrap().identifier(),
        "Mixed"
    );
}

#[test]
fn a_skill_has_an_alias_unless_somebody_else_has_it() {
    let profile = NameProfile::default().with_reserved(["s:clear"]);
    let mut table = CommandTable::build(
        &profile,
        [
            CommandItem::resource("s", "skill://s/2", Some("Do it")),
            CommandItem::resource("s", "skill://s/1", Some("Do it")),
            CommandItem::resource("s", "skill://s/3", Some("clear")),
        ],
    );
    let owner = table.get("s:Do it").unwrap();
    assert_eq!(owner.identifier(), "skill://s/1");
    assert_eq!(table.alias(owner.name().as_str()), Some("s:Do it"));
    let conflicts: Vec<_> = table
        .alias_conflicts()
        .iter()
        .map(|conflict| {
            let entry = table.get(conflict.command.as_str()).unwrap();
            (conflict.alias.as_str(), entry.identifier())
        })
        .collect();
    assert_eq!(
        conflicts,
        [("s:Do it", "skill://s/2"), ("s:clear", "skill://s/3")]
    );

    table.update(
        "s",
        [CommandItem::resource("s", "skill://s/2", Some("Do it"))],
    );
    assert_eq!(table.get("s:Do it").unwrap().identifier(), "skill://s/2");
    assert_eq!(table.alias_conflicts(), []);
}

#[test]
fn a_prompt_address_has_a_server_and_a_name() {
    assert_eq!(
        parse_prompt_uri(&prompt_uri("s", "p/q")),
        Some(("s", "p/q"))
    );
    for uri in [
        "http://s/prompt/p",
        "mcp://s/prompt/",
        "mcp:///prompt/p",
        "mcp://s/p",
        "",
    ] {
        assert_eq!(parse_prompt_uri(uri), None, "{uri}");
    }
}
