use std::collections::BTreeSet;

use mcp_bridge_tool_names::{CommandItem, CommandTable, NameProfile, NameTable, ToolName};

use crate::data::{captures, text};

/// Every (server, tool) of all recordings.
fn pairs() -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for capture in captures() {
        for tool in capture.tools() {
            pairs.push((capture.server().to_owned(), text(&tool, "name").to_owned()));
        }
    }
    pairs
}

#[test]
fn every_recorded_tool_gets_a_valid_unique_name_that_leads_back() {
    let profiles = [
        NameProfile::default(),
        NameProfile::openai(),
        NameProfile::anthropic(),
        NameProfile::gemini(),
        NameProfile::double_hyphen(),
    ];
    let pairs = pairs();
    let distinct: BTreeSet<&(String, String)> = pairs.iter().collect();
    assert_eq!((pairs.len(), distinct.len()), (221, 191));
    for profile in profiles {
        let table = NameTable::build(
            &profile,
            pairs
                .iter()
                .map(|(server, tool)| (server.as_str(), tool.as_str())),
        );
        assert_eq!(table.len(), distinct.len());
        let mut names = BTreeSet::new();
        for (server, tool) in &distinct {
            let name = table.name(server, tool).unwrap();
            assert!(ToolName::new(name.as_str()).is_ok(), "{name}");
            assert!(name.as_str().len() <= 64, "{name}");
            assert!(names.insert(name.clone()), "{name} twice");
            let entry = table.resolve(name.as_str()).unwrap();
            assert_eq!(
                (entry.server(), entry.tool()),
                (server.as_str(), tool.as_str())
            );
        }
    }
    println!(
        "names: {} tools in {} recordings",
        pairs.len(),
        captures().len()
    );
}

#[test]
fn the_order_of_servers_changes_no_name() {
    let pairs = pairs();
    let borrowed = || {
        pairs
            .iter()
            .map(|(server, tool)| (server.as_str(), tool.as_str()))
    };
    let names = |table: &NameTable| -> Vec<String> {
        table.iter().map(|entry| entry.name().to_string()).collect()
    };
    let forwards = NameTable::build(&NameProfile::default(), borrowed());
    let backwards = NameTable::build(
        &NameProfile::default(),
        borrowed().collect::<Vec<_>>().into_iter().rev(),
    );
    assert_eq!(names(&forwards), names(&backwards));
}

#[test]
fn every_recorded_prompt_and_skill_gets_a_command_that_leads_back() {
    let (mut prompts, mut skills) = (0, 0);
    for capture in captures() {
        let server = capture.server();
        let (listed_prompts, listed_resources) = (capture.prompts(), capture.resources());
        let items = listed_prompts
            .iter()
            .map(|prompt| CommandItem::prompt(server, text(prompt, "name")))
            .chain(listed_resources.iter().map(|resource| {
                CommandItem::resource(server, text(resource, "uri"), resource["name"].as_str())
            }));
        let table = CommandTable::build(&NameProfile::default(), items);
        for prompt in &listed_prompts {
            let entry = table.prompt(server, text(prompt, "name")).unwrap();
            assert_eq!(
                table.get(entry.name().as_str()).unwrap().identifier(),
                text(prompt, "name")
            );
            prompts += 1;
        }
        for resource in &listed_resources {
            let uri = text(resource, "uri");
            let entry = table.resource(server, uri);
            assert_eq!(entry.is_some(), uri.starts_with("skill://"), "{uri}");
            if let Some(entry) = entry {
                assert_eq!(table.get(entry.name().as_str()).unwrap().identifier(), uri);
                skills += 1;
            }
        }
    }
    println!("commands: {prompts} prompts, {skills} skills");
    assert_eq!((prompts, skills), (37, 22));
}
