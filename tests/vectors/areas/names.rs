//! Names of tools and commands, and the arguments of prompts.

use std::collections::BTreeSet;

use mcp_bridge_prompt_args::{
    Declared, EmptyValue, Options, ParseError, check_required, split_command, unknown_names, usage,
};
use mcp_bridge_tool_names::{
    CommandItem, CommandTable, Entry, NameProfile, NameTable, ResolveErrorKind, parse_prompt_uri,
    prompt_uri,
};
use serde_json::{Value, json};

use super::{list, text};
use crate::{Adapter, Outcome, Row};

pub(crate) fn areas() -> Vec<(&'static str, Adapter)> {
    vec![
        ("names", names),
        ("collisions", collisions),
        ("prompt_args", prompt_args),
        ("prompt_required", prompt_required),
        ("slash_lookup", slash_lookup),
        ("bugs/naming", bugs_naming),
        ("bugs/prompts", bugs_prompts),
        ("use-mcp-tool/native-name", native_name),
    ]
}

fn texts<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    list(value, key).iter().filter_map(Value::as_str).collect()
}

fn names(row: &Row) -> Outcome {
    let (server, item) = (text(&row.input, "server"), text(&row.input, "item"));
    if row.tags.iter().any(|tag| tag == "over64") {
        let table = NameTable::build(
            &NameProfile::default(),
            [(server, item), (server, "other"), ("other", item)],
        );
        if let Err(problem) = fits_and_resolves(&table, 64) {
            return Outcome::Verdict(Err(problem));
        }
    }
    let profile = NameProfile::reference();
    let table = NameTable::build(&profile, [(server, item)]);
    Outcome::Value(json!({
        "server_part": profile.part(server),
        "item_part": profile.part(item),
        "public_name": table.name(server, item).map(|name| name.as_str()),
        "authenticate_name": profile.name(server, "authenticate").as_str(),
    }))
}

fn fits_and_resolves(table: &NameTable, max_bytes: usize) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for entry in table.iter() {
        let name = entry.name().as_str();
        let resolved = table.resolve(name).map_err(|error| error.to_string())?;
        if name.len() > max_bytes || !seen.insert(name) || resolved != entry {
            return Err(format!("{name} is too long, not unique or not its own"));
        }
    }
    Ok(())
}

fn collisions(row: &Row) -> Outcome {
    let profile = NameProfile::reference();
    // A server named twice is the one defined last.
    let mut servers: Vec<&Value> = Vec::new();
    for server in list(&row.input, "servers") {
        servers.retain(|earlier| text(earlier, "name") != text(server, "name"));
        servers.push(server);
    }
    let mut pairs = Vec::new();
    let mut items = Vec::new();
    for server in &servers {
        let name = text(server, "name");
        pairs.extend(texts(server, "tools").into_iter().map(|tool| (name, tool)));
        let prompts = texts(server, "prompts").into_iter();
        items.extend(prompts.map(|prompt| CommandItem::prompt(name, prompt)));
        for resource in list(server, "resources") {
            let label = resource.get("name").and_then(Value::as_str);
            items.push(CommandItem::resource(name, text(resource, "uri"), label));
        }
    }
    let tools = NameTable::build(&profile, pairs.iter().copied());
    let commands = CommandTable::build(&profile, items.iter().copied());
    let again = NameTable::build(&profile, pairs.iter().rev().copied());
    if !tools.iter().eq(again.iter()) {
        return Outcome::Verdict(Err("the order of the tools changes a name".to_owned()));
    }
    let distinct: BTreeSet<&str> = commands.iter().map(|entry| entry.name().as_str()).collect();
    if distinct.len() != commands.len() {
        return Outcome::Verdict(Err("two commands of one name".to_owned()));
    }
    let (mut tool_rows, mut prompt_rows, mut resource_rows) = (Vec::new(), Vec::new(), Vec::new());
    for row in list(row.expected.as_ref().unwrap_or(&Value::Null), "tools") {
        let (server, tool) = (text(row, "server"), text(row, "tool"));
        let name = tools.name(server, tool).map(|name| name.as_str());
        tool_rows.push(json!({"server": server, "tool": tool, "public_name": name}));
    }
    for row in list(row.expected.as_ref().unwrap_or(&Value::Null), "prompts") {
        let (server, prompt) = (text(row, "server"), text(row, "prompt"));
        let name = commands
            .prompt(server, prompt)
            .map(|entry| entry.name().as_str());
        prompt_rows.push(json!({"server": server, "prompt": prompt, "public_name": name}));
    }
    for row in list(row.expected.as_ref().unwrap_or(&Value::Null), "resources") {
        let (server, uri) = (text(row, "server"), text(row, "uri"));
        let name = commands
            .resource(server, uri)
            .map(|entry| entry.name().as_str());
        resource_rows.push(
            json!({"server": server, "uri": uri, "name": row.get("name"), "public_name": name}),
        );
    }
    let answer = json!({"tools": tool_rows, "prompts": prompt_rows, "resources": resource_rows});
    if row.reference_bug.is_none() {
        return Outcome::Value(answer);
    }
    Outcome::Verdict(distinct_and_calm(row, &answer, &pairs, &tools))
}

/// Each distinct pair has a name of its own, and whoever had its plain name in the reference still has it.
fn distinct_and_calm(
    row: &Row,
    answer: &Value,
    pairs: &[(&str, &str)],
    tools: &NameTable,
) -> Result<(), String> {
    fits_and_resolves(tools, usize::MAX)?;
    let wanted: BTreeSet<_> = pairs.iter().collect();
    if tools.len() != wanted.len() {
        return Err(format!("{} names for {} tools", tools.len(), wanted.len()));
    }
    let expected = row.expected.as_ref().unwrap_or(&Value::Null);
    for kind in ["tools", "prompts", "resources"] {
        let field = match kind {
            "tools" => "tool",
            "prompts" => "prompt",
            _ => "name",
        };
        for (ours, theirs) in list(answer, kind).iter().zip(list(expected, kind)) {
            let plain = NameProfile::reference().name(text(ours, "server"), text(ours, field));
            let changed = ours.get("public_name") != theirs.get("public_name");
            if changed && text(theirs, "public_name") == plain.as_str() {
                return Err(format!("{ours} instead of {theirs}"));
            }
        }
    }
    Ok(())
}

fn refused(error: &ParseError) -> Outcome {
    Outcome::Error(error.kind().code().to_owned())
}

fn map(arguments: &mcp_bridge_prompt_args::Arguments<'_>) -> Value {
    let map = arguments.to_map().into_iter();
    Value::Object(
        map.map(|(name, value)| (name, Value::String(value)))
            .collect(),
    )
}

fn prompt_args(row: &Row) -> Outcome {
    match Options::reference().parse(text(&row.input, "args")) {
        Ok(arguments) => Outcome::Value(json!({"arguments": map(&arguments)})),
        Err(error) => refused(&error),
    }
}

fn declared(value: &Value) -> Vec<Declared<'_>> {
    let one = |name, fields: &Value| match fields.get("required") {
        Some(Value::Bool(true)) => Declared::required(name),
        _ => Declared::optional(name),
    };
    // A declaration without a name declares nothing.
    let named = |fields: &&Value| !text(fields, "name").is_empty();
    match value {
        Value::Array(list) => list
            .iter()
            .filter(named)
            .map(|fields| one(text(fields, "name"), fields))
            .collect(),
        Value::Object(map) => map.iter().map(|(name, fields)| one(name, fields)).collect(),
        _ => Vec::new(),
    }
}

fn prompt_required(row: &Row) -> Outcome {
    let declared = declared(row.input.get("declared").unwrap_or(&Value::Null));
    let command = json!({
        "argument_names": declared.iter().map(|declared| declared.name).collect::<Vec<_>>(),
        "argument_hint": usage(&declared),
        "source_uri": prompt_uri("s", "p-1"),
    });
    let listed = row.raw.get("command");
    let listed = listed.or_else(|| row.expected.as_ref()?.get("command"));
    let same = |key: &&str| listed.and_then(|listed| listed.get(*key)) == command.get(*key);
    if let Some(key) = ["argument_names", "argument_hint", "source_uri"]
        .iter()
        .find(|key| !same(key))
    {
        return Outcome::Verdict(Err(format!("{key} in {command} instead of {listed:?}")));
    }
    let options = Options::reference();
    let arguments = match options.parse_for(text(&row.input, "args"), &declared) {
        Ok(arguments) => arguments,
        Err(error) => return refused(&error),
    };
    if let Err(missing) = check_required(&declared, &arguments, EmptyValue::Missing) {
        let first = row.error.as_ref().map(|error| text(error, "name"));
        if first != missing.names().first().map(String::as_str) {
            return Outcome::Verdict(Err(missing.to_string()));
        }
        return Outcome::Error("missing_required".to_owned());
    }
    // The rest of what a listing shows belongs to the bridge.
    let expected = row.expected.as_ref();
    let wanted = expected.and_then(|expected| expected.get("sent_arguments"));
    let sent = map(&arguments);
    Outcome::Verdict(match wanted {
        Some(wanted) if *wanted == sent => Ok(()),
        _ => Err(format!("sent {sent} instead of {wanted:?}")),
    })
}

fn slash_lookup(row: &Row) -> Outcome {
    if let Some(uri) = row.input.get("source_uri").and_then(Value::as_str) {
        return Outcome::Value(json!({"is_prompt": parse_prompt_uri(uri).is_some()}));
    }
    let commands = list(&row.input, "commands");
    let prompts = commands
        .iter()
        .filter_map(|command| parse_prompt_uri(text(command, "uri")))
        .map(|(server, name)| CommandItem::prompt(server, name));
    let table = CommandTable::build(&NameProfile::reference(), prompts);
    let typed = split_command(text(&row.input, "prompt"));
    let found = typed.and_then(|typed| Some((table.typed_prompt(typed.name)?, typed.arguments)));
    Outcome::Value(found.map_or(
        Value::Null,
        |(entry, arguments)| json!({"command": entry.name().as_str(), "args": arguments}),
    ))
}

fn server_pairs(input: &Value) -> Vec<(&str, &str)> {
    let pairs = |server| {
        let name = text(server, "name");
        texts(server, "tools")
            .into_iter()
            .map(move |tool| (name, tool))
    };
    list(input, "servers").iter().flat_map(pairs).collect()
}

fn bugs_naming(row: &Row) -> Outcome {
    let pairs = server_pairs(&row.input);
    let profile = NameProfile::openai();
    let table = NameTable::build(&profile, pairs.iter().copied());
    match row.op.as_deref() {
        Some("qualify_names") => Outcome::Verdict(qualified(row, &table, &pairs)),
        Some("resolve_name") => Outcome::Value(match table.resolve(text(&row.input, "name")) {
            Ok(entry) => json!({"server": entry.server(), "tool": entry.tool()}),
            Err(error) => json!({"error": code(error.kind())}),
        }),
        Some("list_tools") => {
            let listed = |order: &Value| {
                let order: Vec<&str> = order
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                let mut table = NameTable::build(&profile, []);
                // All connect, then the first one connects again.
                for server in order.iter().chain(order.first()) {
                    let own = pairs.iter().filter(|(name, _)| name == server);
                    table.update(server, own.map(|(_, tool)| *tool));
                }
                table
                    .iter()
                    .map(|entry| entry.name().to_string())
                    .collect::<Vec<_>>()
            };
            let lists: Vec<_> = list(&row.input, "connect_orders")
                .iter()
                .map(listed)
                .collect();
            Outcome::Value(json!({
                "same_for_all_orders": lists.windows(2).all(|pair| pair.first() == pair.last()),
                "names": lists.first(),
            }))
        }
        _ => Outcome::Unwired,
    }
}

fn code(kind: ResolveErrorKind) -> &'static str {
    match kind {
        ResolveErrorKind::NotFound => "not_found",
        ResolveErrorKind::Ambiguous => "ambiguous_tool",
        _ => "other",
    }
}

fn qualified(row: &Row, table: &NameTable, pairs: &[(&str, &str)]) -> Result<(), String> {
    let expected = row.expected.as_ref().unwrap_or(&Value::Null);
    // The pattern of these rows allows 64 letters, digits, `_` and `-`.
    fits_and_resolves(table, 64)?;
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if let Some(odd) = table
        .iter()
        .find(|entry| !entry.name().as_str().chars().all(valid))
    {
        return Err(format!("{} leaves the alphabet", odd.name()));
    }
    let distinct: BTreeSet<_> = pairs.iter().collect();
    if expected.get("count") != Some(&json!(table.len())) || table.len() != distinct.len() {
        return Err(format!("{} names", table.len()));
    }
    for (key, wanted) in [("exact", true), ("not_exact", false)] {
        for (path, name) in expected
            .get(key)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let (server, tool) = path.split_once('/').unwrap_or_default();
            let got = table.name(server, tool).map(|name| name.as_str());
            if got.is_none() || (got == name.as_str()) != wanted {
                return Err(format!("{path} is {got:?}"));
            }
        }
    }
    Ok(())
}

fn bugs_prompts(row: &Row) -> Outcome {
    match row.op.as_deref() {
        Some("prompt_args") => {
            let declared = declared(row.input.get("arguments").unwrap_or(&Value::Null));
            let line = text(&row.input, "line");
            let arguments = match Options::default().parse_for(line, &declared) {
                Ok(arguments) => arguments,
                Err(error) => return refused(&error),
            };
            if !unknown_names(&declared, &arguments).is_empty() {
                return Outcome::Verdict(Err("an unknown name".to_owned()));
            }
            Outcome::Value(
                match check_required(&declared, &arguments, EmptyValue::Given) {
                    Ok(()) => json!({"args": map(&arguments)}),
                    Err(missing) => {
                        json!({"error": "missing_arguments", "missing": missing.names()})
                    }
                },
            )
        }
        Some("prompt_commands") => {
            let built_in = texts(&row.input, "builtin");
            let profile = NameProfile::default().with_reserved(built_in.iter().copied());
            let mut items = Vec::new();
            for server in list(&row.input, "servers") {
                let name = text(server, "name");
                let prompts = texts(server, "prompts").into_iter();
                items.extend(prompts.map(|prompt| CommandItem::prompt(name, prompt)));
            }
            let table = CommandTable::build(&profile, items);
            let names: BTreeSet<&str> = table.iter().map(|entry| entry.name().as_str()).collect();
            let round_trip = |entry: &Entry| {
                table.get(entry.name().as_str()) == Some(entry)
                    && table.prompt(entry.server(), entry.identifier()) == Some(entry)
            };
            Outcome::Value(json!({
                "count": table.len(),
                "unique": names.len() == table.len(),
                "no_whitespace": !names.iter().any(|name| name.contains(char::is_whitespace)),
                "builtin_untouched": built_in.iter().all(|name| table.get(name).is_none()),
                "round_trip": table.iter().all(round_trip),
            }))
        }
        _ => Outcome::Unwired,
    }
}

fn native_name(row: &Row) -> Outcome {
    let pairs: Vec<(&str, &str)> = list(&row.input, "pairs")
        .iter()
        .filter_map(|pair| Some((pair.get(0)?.as_str()?, pair.get(1)?.as_str()?)))
        .collect();
    let table = NameTable::build(&NameProfile::double_hyphen(), pairs.iter().copied());
    let decode = |name: &str| match table.resolve(name) {
        Ok(entry) => {
            let exact = entry.name().as_str() == name;
            let how = if exact { "exact" } else { "folded" };
            json!({"server": entry.server(), "tool": entry.tool(), "match": how})
        }
        Err(error) => {
            // Candidates have no order of their own: here it is the order of the pairs.
            let among = |pair: &&(&str, &str)| {
                let mut candidates = error.candidates().iter();
                candidates.any(|entry| (entry.server(), entry.tool()) == **pair)
            };
            let candidates: Vec<_> = pairs.iter().filter(among).collect();
            json!({"error": {"type": code(error.kind()), "candidates": candidates}})
        }
    };
    match row.op.as_deref() {
        Some("name_encode") => {
            let name = |(server, tool): &(&str, &str)| {
                table.name(server, tool).map(|name| name.to_string())
            };
            Outcome::Value(json!({"names": pairs.iter().map(name).collect::<Vec<_>>()}))
        }
        Some("name_decode") => Outcome::Value(decode(text(&row.input, "name"))),
        Some("name_decode_many") => {
            let results: Vec<_> = texts(&row.input, "names").into_iter().map(decode).collect();
            Outcome::Value(json!({"results": results}))
        }
        _ => Outcome::Unwired,
    }
}
