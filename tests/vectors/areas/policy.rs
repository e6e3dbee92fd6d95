//! May a call run, and what is a model shown of a schema?

use mcp_bridge_permissions::{
    AlwaysAllow, AuditRecord, Call, Engine, Gates, Hints, KnownTool, List, Matching, Mode,
    Outcome as Decided, Rules, Source, Trust,
};
use mcp_bridge_tool_names::{NameProfile, NameTable};
use mcp_bridge_tool_schemas::{SchemaProfile, Validator, model_schema};
use serde_json::{Value, json};

use super::{list, text};
use crate::{Adapter, Outcome, Row};

pub(crate) fn areas() -> Vec<(&'static str, Adapter)> {
    vec![
        ("permissions", permissions),
        ("bugs/permissions", bugs_permissions),
        ("bugs/schema", bugs_schema),
        ("use-mcp-tool/always-allow", always_allow),
    ]
}

/// The rules of a row: list, then source, then texts.
fn rules(given: &Value) -> Rules {
    let mut rules = Rules::new();
    let lists = given.as_object().into_iter().flatten();
    for (list, sources) in lists {
        let sources = sources.as_object().into_iter().flatten();
        for (source, texts) in sources {
            let (Ok(list), Ok(source)) = (list.parse::<List>(), source.parse::<Source>()) else {
                panic!("an unknown list or source: {list} {source}");
            };
            for text in texts.as_array().into_iter().flatten() {
                rules = rules.with(list, source, text.as_str().unwrap_or_default());
            }
        }
    }
    rules
}

fn permissions(row: &Row) -> Outcome {
    const SERVER: &str = "yuque";
    let public_name = text(&row.input, "public_name");
    let tool = row.input.get("tool").cloned().unwrap_or_default();
    let kind = text(&tool, "kind");
    let (hints, _) = Hints::from_annotations(tool.get("annotations").unwrap_or(&Value::Null));
    let call = match kind {
        "mcp_tool" => Call::new(SERVER, "search-docs", public_name)
            .with_hints(hints)
            .with_trust(Trust::Hints),
        "authenticate" => Call::host_tool(public_name, hints).with_server(SERVER),
        _ => {
            let (hints, _) = Hints::from_annotations(&json!({"readOnlyHint": true}));
            Call::host_tool(public_name, hints)
        }
    };
    let Ok(mode) = text(&row.input, "mode").parse::<Mode>() else {
        return Outcome::Verdict(Err("an unknown mode".to_owned()));
    };
    let rules = rules(row.input.get("rules").unwrap_or(&Value::Null));
    let engine = Engine::with_matching(rules, mode, Matching::WholeName);
    let decision = engine.decide(&call);
    let audit = AuditRecord::new(&call, &decision, mode).to_json();
    let headless = match decision.clone().headless().outcome {
        Decided::Allow => "runs",
        _ => "refused",
    };
    if let Some(right) = row
        .right_answer
        .as_ref()
        .filter(|_| row.reference_bug.is_some())
    {
        let accepted = match list(right, "any_of") {
            [] => vec![right.clone()],
            all => all.to_vec(),
        };
        let told = decision.outcome.as_str();
        let known = accepted
            .iter()
            .any(|answer| text(answer, "behavior") == told);
        // Some rows accept a rule that is told to be useless instead.
        let tools = [KnownTool::new(SERVER, "search-docs", public_name)];
        let may_tell = accepted
            .iter()
            .any(|answer| text(answer, "must").contains("message"));
        let denied = row.input.pointer("/rules/deny").and_then(Value::as_object);
        let denied = denied
            .into_iter()
            .flatten()
            .flat_map(|(_, rules)| rules.as_array());
        let mut denied = denied.flatten().filter_map(Value::as_str);
        let is_told = |rule: &str| {
            let told = engine.diagnostics(&tools);
            told.iter()
                .any(|problem| problem.to_string().contains(rule))
        };
        let known = known || (may_tell && denied.any(is_told));
        let safe = headless == "refused" || told == "allow";
        return verdict(known && safe, || {
            format!("{told}: {}", decision.explanation)
        });
    }
    let wanted = row.expected.clone().unwrap_or_default();
    // Where the rows let a question run by itself, nobody having been asked, the right answer is a refusal.
    let wanted_headless = match text(&wanted, "headless") {
        "runs" => "runs",
        _ => "refused",
    };
    let asks = decision.outcome == Decided::Ask;
    let message = if asks { decision.question.as_str() } else { "" };
    let suggested = decision.suggested_rule.as_deref().filter(|_| asks);
    let mut found = json!({
        "behavior": decision.outcome.as_str(),
        "message": message,
        "suggested_rule": suggested,
        "read_only": call.hints.plainly_read_only(),
        "destructive": call.hints.says_destructive(),
    });
    let mut wanted_part = wanted.clone();
    if let (Some(found), Some(wanted)) = (found.as_object_mut(), wanted_part.as_object_mut()) {
        wanted.remove("headless");
        // The rows keep no record of some decisions, and of a host's own tools only a part.
        let kept = wanted.remove("audit").unwrap_or_default();
        for key in [
            "scope",
            "rule_source",
            "rule",
            "reason_type",
            "reason_detail",
            "is_read_only",
        ] {
            if let Some(value) = kept.get(key).filter(|value| !value.is_null()) {
                wanted.insert(format!("audit {key}"), value.clone());
                found.insert(
                    format!("audit {key}"),
                    audit.get(key).cloned().unwrap_or_default(),
                );
            }
        }
        if kind == "mcp_tool"
            && let Some(operation) = kept.get("operation")
        {
            wanted.insert("operation".to_owned(), operation.clone());
            found.insert(
                "operation".to_owned(),
                audit.get("operation").cloned().unwrap_or_default(),
            );
        }
    }
    verdict(found == wanted_part && headless == wanted_headless, || {
        format!("wanted {wanted_part} and {wanted_headless}, got {found} and {headless}")
    })
}

fn verdict(right: bool, problem: impl FnOnce() -> String) -> Outcome {
    Outcome::Verdict(if right { Ok(()) } else { Err(problem()) })
}

fn bugs_permissions(row: &Row) -> Outcome {
    match row.op.as_deref() {
        Some("permit") => permit(row),
        Some("hints") => hints(row),
        _ => Outcome::Unwired,
    }
}

fn permit(row: &Row) -> Outcome {
    let (server, tool) = (text(&row.input, "server"), text(&row.input, "tool"));
    let table = NameTable::build(&NameProfile::default(), [(server, tool)]);
    let Some(public_name) = table.name(server, tool).map(ToString::to_string) else {
        return Outcome::Verdict(Err("no name".to_owned()));
    };
    let mut rules = Rules::new();
    for (key, list_kind) in [("allow", List::Allow), ("deny", List::Deny)] {
        for rule in list(&row.input, key).iter().filter_map(Value::as_str) {
            rules = rules.with(list_kind, Source::UserSettings, rule);
        }
    }
    let excluded = row.input.get("exclude_tools").and_then(Value::as_object);
    for (server, tools) in excluded.into_iter().flatten() {
        for tool in tools
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            rules.exclude(server, tool, Source::UserSettings);
        }
    }
    let engine = Engine::new(rules, Mode::Default);
    let decision = engine.decide(&Call::new(server, tool, &public_name));
    let found = engine
        .diagnostics(&[KnownTool::new(server, tool, &public_name)])
        .len();
    let least = row
        .expected
        .as_ref()
        .and_then(|wanted| wanted.get("diagnostics_min"));
    let least = least.and_then(Value::as_u64).unwrap_or_default();
    let wanted = row.expected.clone().unwrap_or_default();
    let told = decision.outcome.as_str();
    let enough = u64::try_from(found).is_ok_and(|found| found >= least);
    verdict(told == text(&wanted, "decision") && enough, || {
        format!("{told} with {found} diagnostics: {}", decision.explanation)
    })
}

fn hints(row: &Row) -> Outcome {
    let annotations = row.input.get("annotations").unwrap_or(&Value::Null);
    let (hints, problems) = Hints::from_annotations(annotations);
    let wanted = row.expected.clone().unwrap_or_default();
    let least = wanted
        .get("diagnostics_min")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    let enough = u64::try_from(problems.len()).is_ok_and(|found| found >= least);
    let found = (Some(hints.read_only()), Some(hints.destructive()));
    let wanted = (
        wanted.get("read_only").and_then(Value::as_bool),
        wanted.get("destructive").and_then(Value::as_bool),
    );
    verdict(found == wanted && enough, || {
        format!("wanted {wanted:?}, got {found:?} and {problems:?}")
    })
}

fn bugs_schema(row: &Row) -> Outcome {
    let schema = row.input.get("schema").cloned().unwrap_or_default();
    let wanted = row.expected.clone().unwrap_or_default();
    match row.op.as_deref() {
        Some("schema") => {
            let profile = match text(&row.input, "profile") {
                "openai" => SchemaProfile::openai(),
                "anthropic" => SchemaProfile::anthropic(),
                "inline_refs" => SchemaProfile::inline_refs(),
                _ => SchemaProfile::default(),
            };
            let shown = model_schema(&schema, &profile);
            let shown = shown.schema();
            let same = wanted.get("equals_input") != Some(&Value::Bool(true)) || *shown == schema;
            let at = wanted.get("at").and_then(Value::as_object);
            let placed = at
                .into_iter()
                .flatten()
                .all(|(pointer, value)| shown.pointer(pointer) == Some(value));
            let absent = list(&wanted, "absent")
                .iter()
                .filter_map(Value::as_str)
                .all(|pointer| shown.pointer(pointer).is_none());
            let key = wanted.get("no_key").and_then(Value::as_str);
            let free = key.is_none_or(|key| !shown.to_string().contains(&format!("{key:?}:")));
            verdict(same && placed && absent && free, || {
                format!("wanted {wanted}, got {shown}")
            })
        }
        Some("schema_rename_round_trip") => {
            let shown = model_schema(&schema, &SchemaProfile::anthropic());
            let names = shown.schema().get("properties").and_then(Value::as_object);
            let names: Vec<&str> = names
                .into_iter()
                .flatten()
                .map(|(name, _)| &**name)
                .collect();
            let fits = |name: &&str| {
                (1..=64).contains(&name.len())
                    && name
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
            };
            let given = row
                .input
                .get("args_by_original_key")
                .and_then(Value::as_object);
            // The model writes the arguments under the names that it was shown.
            let renamed: Value = given
                .into_iter()
                .flatten()
                .map(|(name, value)| {
                    let shown = shown
                        .renamed()
                        .iter()
                        .find(|(_, original)| *original == name);
                    (
                        shown.map_or(name, |(shown, _)| shown).clone(),
                        value.clone(),
                    )
                })
                .collect::<serde_json::Map<_, _>>()
                .into();
            let required = shown
                .schema()
                .get("required")
                .and_then(Value::as_array)
                .cloned();
            let required_known = required
                .into_iter()
                .flatten()
                .all(|name| names.contains(&name.as_str().unwrap_or_default()));
            let kept = list(&wanted, "kept_keys")
                .iter()
                .filter_map(Value::as_str)
                .all(|name| names.contains(&name));
            let sent = shown.restore_arguments(renamed);
            let right = names.iter().all(fits)
                && required_known
                && kept
                && wanted.get("args_sent") == Some(&sent);
            verdict(right, || {
                format!("wanted {wanted}, got {names:?} and {sent}")
            })
        }
        Some("prepare_call") => {
            let arguments = row.input.get("args").cloned().unwrap_or_default();
            let shown = model_schema(&schema, &SchemaProfile::default());
            let sent = shown.restore_arguments(arguments);
            let fits = Validator::compile(&schema).is_ok_and(|validator| validator.is_valid(&sent));
            let right = wanted.get("sent") == Some(&sent) && fits;
            verdict(right, || {
                format!("wanted {wanted}, got {sent}, which fits: {fits}")
            })
        }
        _ => Outcome::Unwired,
    }
}

fn always_allow(row: &Row) -> Outcome {
    if row.op.as_deref() != Some("decide") {
        // Writing the list back into its file is not offered yet.
        return Outcome::Unwired;
    }
    let server = row.input.get("server").cloned().unwrap_or_default();
    let names = |key: &str| -> Vec<String> {
        let names = list(&server, key).iter().filter_map(Value::as_str);
        names.map(str::to_owned).collect()
    };
    let lists = AlwaysAllow::new(names("alwaysAllow")).with_disabled(names("disabledTools"));
    let decide = |case: &Value| {
        let gate = |key: &str| case.pointer(&format!("/gates/{key}")) == Some(&Value::Bool(true));
        let gates = Gates::new(gate("auto_approve"), gate("mcp"));
        lists.decide(gates, text(case, "tool")).as_str()
    };
    let decisions: Vec<&str> = list(&row.input, "cases").iter().map(decide).collect();
    Outcome::Value(json!({"decisions": decisions}))
}
