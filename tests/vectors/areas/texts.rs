//! Text for people, questions to them, and skills.

use mcp_bridge_elicitation::{
    Answer, Field, Form, Modes, Question, check_answer, check_url, url_questions,
};
use mcp_bridge_public_text::{Cleaner, is_secret_name, mask_args, public, without_controls};
use mcp_bridge_skills::{Severity, Skill, SkillUri, Source, Value as Yaml, find_skills};
use mcp_bridge_tool_names::{CommandItem, CommandTable, NameProfile};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::text;
use crate::{Adapter, Outcome, Row};

pub(crate) fn areas() -> Vec<(&'static str, Adapter)> {
    vec![
        ("redaction", redaction),
        ("redaction_data", redaction_data),
        ("status_args", status_args),
        ("status_values", status_values),
        ("elicitation", elicitation),
        ("bugs/elicitation", bugs_elicitation),
        ("skills", skills),
        ("bugs/skills", bugs_skills),
    ]
}

fn redaction(row: &Row) -> Outcome {
    let given = text(&row.input, "text");
    Outcome::Value(json!({"public": public(given), "controls_removed": without_controls(given)}))
}

fn redaction_data(row: &Row) -> Outcome {
    Outcome::Value(json!({"value": public_data(row.input.get("value").unwrap_or(&Value::Null))}))
}

fn public_data(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(public(text)),
        Value::Array(items) => items.iter().map(public_data).collect(),
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| {
                let hidden = is_secret_name(key) && !value.is_object() && !value.is_array();
                let value = if hidden {
                    json!("[REDACTED]")
                } else {
                    public_data(value)
                };
                (public(key).into_owned(), value)
            })
            .collect::<Map<_, _>>()
            .into(),
        value => value.clone(),
    }
}

/// Warnings as a status surface publishes them are not offered yet; values are.
fn status_values(row: &Row) -> Outcome {
    match row.input.get("value") {
        Some(value) => Outcome::Value(json!({"value": public_data(value)})),
        None => Outcome::Unwired,
    }
}

fn status_args(row: &Row) -> Outcome {
    let args = row
        .input
        .get("args")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    Outcome::Value(json!({"args": mask_args(args.filter_map(Value::as_str))}))
}

fn elicitation(row: &Row) -> Outcome {
    let input = &row.input;
    if let Some(schema) = input.get("field_schema") {
        let required = input.get("required") == Some(&json!(true));
        let name = input.get("name").and_then(Value::as_str).unwrap_or("field");
        let Some(field) = only_field(name, schema, required) else {
            return Outcome::Error("invalid_request".to_owned());
        };
        let Some(typed) = input.get("typed").and_then(Value::as_str) else {
            return Outcome::Value(json!({"prompt": field.prompt()}));
        };
        return Outcome::Value(match field.parse(typed) {
            Ok(Some(value)) => json!({"valid": true, "value": value}),
            // An optional field left empty: a host leaves it out of the answer.
            Ok(None) | Err(_) => json!({"valid": false}),
        });
    }
    if let Some(answer) = input.get("answer") {
        return match check_answer(input.get("schema").unwrap_or(&Value::Null), answer) {
            Ok(answer) => Outcome::Value(json!({"result": answer.to_json()})),
            Err(_) => Outcome::Error("invalid_answer".to_owned()),
        };
    }
    if let Some(request) = input.get("request") {
        return shaped(request);
    }
    if let Some(display) = input.get("display").and_then(Value::as_str) {
        return Outcome::Value(json!({"shown": Cleaner::for_display().clean(display).trim()}));
    }
    if let Some(returned) = input.get("handler_returns") {
        return Outcome::Value(json!({"normalized": Answer::normalize(returned).to_json()}));
    }
    let error = input.get("jsonrpc_error").unwrap_or(&Value::Null);
    let code = error
        .get("code")
        .and_then(Value::as_i64)
        .unwrap_or_default();
    let found = url_questions(code, error.get("data").unwrap_or(&Value::Null));
    let listed: Vec<&Value> = found
        .iter()
        .flatten()
        .map(|question| question.params())
        .collect();
    Outcome::Value(json!({"url_elicitation_required": found.is_some(), "elicitations": listed}))
}

fn only_field(name: &str, schema: &Value, required: bool) -> Option<Field> {
    let names = if required { vec![name] } else { Vec::new() };
    let schema = json!({"type": "object", "properties": {name: schema}, "required": names});
    Form::new("", &schema).ok()?.fields().first().cloned()
}

fn shaped(request: &Value) -> Outcome {
    let schema = request.get("requestedSchema").unwrap_or(&Value::Null);
    let (Ok(question), Ok(form)) = (Question::new(request), Form::new("", schema)) else {
        return Outcome::Error("invalid_request".to_owned());
    };
    let (mode, url) = match &question {
        Question::Url(question) => ("url", question.url()),
        _ => ("form", ""),
    };
    let fields: Vec<Value> = form
        .fields()
        .iter()
        .map(|field| {
            let mut shaped = json!({
                "name": field.name,
                "label": field.label(),
                "description": field.description.as_deref().unwrap_or_default(),
                "required": field.is_required,
                "type": field.type_name(),
            });
            if let mcp_bridge_elicitation::Kind::Choice(choices) = &field.kind {
                let values: Vec<&Value> = choices.iter().map(|choice| &choice.value).collect();
                if let Some(shaped) = shaped.as_object_mut() {
                    shaped.insert("enum".to_owned(), json!(values));
                }
            }
            shaped
        })
        .collect();
    // The ids of request and session, and the server's label, are the host's.
    Outcome::Value(json!({"shaped": {
        "requestId": "r", "sessionId": "s", "server": "", "message": question.message(), "url": url, "mode": mode,
        "fields": fields,
    }}))
}

fn bugs_elicitation(row: &Row) -> Outcome {
    let expected = row.expected.as_ref().unwrap_or(&Value::Null);
    Outcome::Verdict(match row.op.as_deref() {
        Some("elicit") => elicit(text(&row.input, "handler"), expected),
        Some("elicit_form") => elicit_form(&row.input, expected),
        Some("elicit_url") => elicit_url(text(&row.input, "url"), expected),
        other => Err(format!("no such operation: {other:?}")),
    })
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: T, want: T) -> Result<(), String> {
    if got == want {
        Ok(())
    } else {
        Err(format!("{what}: got {got:?}, wanted {want:?}"))
    }
}

fn elicit(handler: &str, expected: &Value) -> Result<(), String> {
    if handler == "none" {
        let question =
            Question::new(&json!({"message": "m"})).map_err(|error| error.to_string())?;
        let refusal = Modes::default().check(&question).err();
        same(
            "JSON-RPC error",
            refusal.and_then(|error| error.json_rpc_code()).is_some(),
            true,
        )?;
        return same("capability", Modes::default().capability(), None);
    }
    // A handler that ends without an answer returns nothing; a refusal is an answer.
    let returned = if handler == "refused" {
        json!({"action": "decline"})
    } else {
        Value::Null
    };
    let answer = Answer::normalize(&returned).to_json();
    same("action", answer.get("action"), expected.get("action"))?;
    same("content", answer.get("content"), None)
}

fn elicit_form(input: &Value, expected: &Value) -> Result<(), String> {
    let form = Form::new("", input.get("schema").unwrap_or(&Value::Null));
    let form = form.map_err(|error| error.to_string())?;
    let mut content = Map::new();
    let mut invalid = Vec::new();
    for field in form.fields() {
        let Some(typed) = input.get("input").and_then(|input| input.get(&field.name)) else {
            continue;
        };
        match field.parse(typed.as_str().unwrap_or_default()) {
            Ok(Some(value)) => {
                content.insert(field.name.clone(), value);
            }
            Ok(None) => {}
            Err(error) => invalid.push(error.field().to_owned()),
        }
    }
    match expected.get("invalid") {
        Some(wanted) => same("invalid", &json!(invalid), wanted),
        None => {
            let checked = form.check(&content).map_err(|error| error.to_string())?;
            let wanted = expected.get("content").unwrap_or(&Value::Null);
            let checked = Value::from(checked);
            if crate::equal(&checked, wanted) {
                Ok(())
            } else {
                Err(format!("content: got {checked}, wanted {wanted}"))
            }
        }
    }
}

fn elicit_url(url: &str, expected: &Value) -> Result<(), String> {
    let checked = check_url(url);
    if expected.get("openable") == Some(&json!(false)) {
        return same("openable", checked.is_ok(), false);
    }
    // Consent is in the type: a checked address is only something to ask about.
    let checked = checked.map_err(|problem| problem.to_string())?;
    if let Some(host) = expected.get("host_shown").and_then(Value::as_str) {
        same("host", checked.host(), host)?;
    }
    if expected.get("warnings") == Some(&json!([])) {
        same("warnings", checked.warnings().len(), 0)?;
    }
    let least = expected
        .get("warnings_min")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    same(
        "enough warnings",
        checked.warnings().len() as u64 >= least,
        true,
    )
}

const SERVER: &str = "ros";

fn skills(row: &Row) -> Outcome {
    let listed: Vec<&Value> = row
        .input
        .get("skills")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect();
    let server = |skill: &'_ Value| {
        skill
            .get("server")
            .and_then(Value::as_str)
            .unwrap_or(SERVER)
            .to_owned()
    };
    let servers: Vec<String> = listed.iter().map(|skill| server(skill)).collect();
    let mut warnings = Vec::new();
    let mut read = Vec::new();
    for (skill, server) in listed.iter().zip(&servers) {
        let uri = text(skill, "uri");
        let contents = skill.get("contents").and_then(Value::as_array);
        let body = contents
            .into_iter()
            .flatten()
            .find_map(|item| item.get("text")?.as_str());
        let optional = |key: &str| skill.get(key).and_then(Value::as_str);
        match body {
            Some(body) if skill.get("fails").is_none() => {
                let name = optional("name").or(Some("vpc"));
                let source = Source::new(server, uri).with_name(name);
                let source = source
                    .with_title(optional("title"))
                    .with_description(optional("description"));
                read.push((server, uri, name, Skill::new(body, &source)));
            }
            _ => warnings.push(json!({"code": "skill_read_failed", "server": server})),
        }
    }
    let items = read
        .iter()
        .map(|(server, uri, name, _)| CommandItem::resource(server, uri, *name));
    let names = CommandTable::build(&NameProfile::reference(), items);
    let mut commands = Vec::new();
    for (server, uri, _, skill) in &read {
        let Some(name) = names
            .resource(server, uri)
            .map(|entry| entry.name().as_str())
        else {
            continue;
        };
        let own = skill
            .notes()
            .iter()
            .filter(|note| note.severity == Severity::Warning);
        warnings.extend(own.map(|note| json!({"code": note.code, "server": server})));
        commands.push(json!({
            "name": name,
            "aliases": names.alias(name).into_iter().collect::<Vec<_>>(),
            "description": skill.description(),
            "source_uri": format!("mcp://{server}/{uri}"),
            "content": compact(skill.body()),
            "content_length": skill.body().chars().count(),
            "has_shell_syntax": skill.has_shell_syntax(),
            "frontmatter": frontmatter(skill),
        }));
    }
    let must = row
        .right_answer
        .as_ref()
        .and_then(|right| right.get("must"));
    let answer = json!({"commands": commands, "warnings": warnings});
    match must.and_then(Value::as_str) {
        Some(_) => Outcome::Verdict(kept_or_said(row, &answer)),
        None => Outcome::Value(answer),
    }
}

/// A skill with an odd field is there with its body; one without text is not there, and a warning says so.
fn kept_or_said(row: &Row, answer: &Value) -> Result<(), String> {
    let blob = row.input.pointer("/skills/0/contents/0/blob").is_some();
    let commands = answer
        .get("commands")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    if blob {
        let is_said = answer
            .get("warnings")
            .and_then(Value::as_array)
            .is_some_and(|warnings| !warnings.is_empty());
        return same("command or warning", (commands == 0) || is_said, true);
    }
    same("commands", commands, 1)?;
    let whole = row
        .input
        .pointer("/skills/0/contents/0/text")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let body = answer
        .pointer("/commands/0/content/text")
        .and_then(Value::as_str)
        .unwrap_or_default();
    same(
        "body",
        !body.is_empty() && whole.ends_with(&format!("---\n{body}")),
        true,
    )?;
    same(
        "allowed tools",
        answer.pointer("/commands/0/frontmatter/allowed_tools"),
        Some(&json!([])),
    )
}

fn compact(body: &str) -> Value {
    let chars = body.chars().count();
    let digest: String = Sha256::digest(body)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let (bytes, head) = (body.len(), body.chars().take(60).collect::<String>());
    match chars.checked_sub(60).filter(|_| chars > 600) {
        Some(start) => {
            let tail: String = body.chars().skip(start).collect();
            json!({"chars": chars, "bytes": bytes, "sha256": digest, "head": head, "tail": tail})
        }
        None => json!({"chars": chars, "bytes": bytes, "sha256": digest, "text": body}),
    }
}

/// The header with the names of the data files, and their words for what has no effect.
fn frontmatter(skill: &Skill) -> Value {
    let header = skill.frontmatter();
    let raw = |key: &str, absent: Value| header.get(key).map_or(absent, yaml);
    let is_cut = skill
        .notes()
        .iter()
        .any(|note| note.code == "skill_truncated");
    let has_own = header
        .get("description")
        .is_some_and(|own| *own != Yaml::Null);
    let arguments = match header.get("arguments") {
        Some(Yaml::List(items)) => items.iter().map(yaml).collect(),
        _ => json!(skill.arguments()),
    };
    json!({
        "name": raw("name", json!("")),
        "description": if has_own || is_cut && skill.description() != skill.name() { skill.description() } else { "" },
        "descriptions": {},
        "allowed_tools": [],
        "when_to_use": raw("when_to_use", json!("")),
        "argument_hint": skill.argument_hint(),
        "arguments": arguments,
        "user_invocable": skill.is_user_invocable(),
        "model": "inherit",
        "effort": "",
        "context": "inline",
        "agent": "general-purpose",
        "paths": [],
        "auto_trigger": {},
    })
}

fn yaml(value: &Yaml) -> Value {
    match value {
        Yaml::Bool(value) => json!(value),
        Yaml::Number(digits) => serde_json::from_str(digits).unwrap_or_else(|_| json!(digits)),
        Yaml::Text(text) => json!(text),
        Yaml::List(items) => items.iter().map(yaml).collect(),
        Yaml::Map(entries) => entries
            .iter()
            .map(|(key, value)| (key.clone(), yaml(value)))
            .collect::<Map<_, _>>()
            .into(),
        _ => Value::Null,
    }
}

fn bugs_skills(row: &Row) -> Outcome {
    let expected = row.expected.as_ref().unwrap_or(&Value::Null);
    Outcome::Verdict(match row.op.as_deref() {
        Some("skill") => skill_file(text(&row.input, "file"), expected),
        Some("find_skills") => {
            let uris = row
                .input
                .get("uris")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            let found = find_skills(uris.filter_map(Value::as_str));
            let names: Vec<&str> = found.iter().map(SkillUri::name).collect();
            same(
                "skills",
                &json!(names),
                expected.get("skills").unwrap_or(&Value::Null),
            )
        }
        Some("skill_ref") => {
            let base = SkillUri::new(text(&row.input, "base")).map_err(|error| error.to_string());
            base.and_then(|base| match base.resolve(text(&row.input, "ref")) {
                Ok(uri) => same(
                    "uri",
                    Some(uri.as_str()),
                    expected.get("uri").and_then(Value::as_str),
                ),
                Err(error) => {
                    use mcp_bridge_skills::SkillUriProblem::OutsideSkill;
                    same("problem", error.problem(), OutsideSkill)?;
                    same(
                        "error",
                        Some(&json!("outside_skill")),
                        expected.get("error"),
                    )
                }
            })
        }
        other => Err(format!("no such operation: {other:?}")),
    })
}

fn skill_file(file: &str, expected: &Value) -> Result<(), String> {
    let skill = Skill::new(file, &Source::new("s", "skill://demo/SKILL.md"));
    let options = expected.get("any_of").and_then(Value::as_array);
    let wanted = options
        .and_then(|options| options.first())
        .unwrap_or(expected);
    same(
        "name",
        Some(skill.name()),
        wanted.get("name").and_then(Value::as_str),
    )?;
    same(
        "description",
        Some(skill.description()),
        wanted.get("description").and_then(Value::as_str),
    )?;
    if let Some(body) = wanted.get("body").and_then(Value::as_str) {
        same("body", skill.body(), body)?;
    }
    let least = wanted
        .get("diagnostics_min")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    let warnings = skill
        .notes()
        .iter()
        .filter(|note| note.severity == Severity::Warning)
        .count();
    same("enough warnings", warnings as u64 >= least, true)
}
