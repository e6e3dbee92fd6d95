use std::collections::HashMap;

use mcp_bridge_tool_schemas::{SchemaProfile, Validator, model_schema};
use serde_json::{Value, json};

use crate::data::{captures, text};

#[test]
fn every_recorded_input_schema_becomes_an_object_schema_for_a_model() {
    let (mut schemas, mut changed) = (0, 0);
    for capture in captures() {
        for tool in capture.tools() {
            let model = model_schema(&tool["inputSchema"], &SchemaProfile::default());
            let schema = model.schema();
            assert_eq!(
                schema["type"], "object",
                "{} {}",
                capture.name, tool["name"]
            );
            assert!(schema.is_object() && schema.get("properties").is_none_or(Value::is_object));
            if !model.changes().is_empty() {
                changed += 1;
                println!(
                    "{} {}: {} changes",
                    capture.name,
                    text(&tool, "name"),
                    model.changes().len()
                );
            }
            schemas += 1;
        }
    }
    println!("schemas: {schemas}, {changed} changed for a model");
    assert_eq!(schemas, 221);
}

#[test]
fn arguments_that_a_server_accepted_are_accepted_by_its_schema() {
    let (mut accepted, mut refused_by_both) = (0, 0);
    let (mut invalid, mut lenient) = (Vec::new(), Vec::new());
    for capture in captures() {
        let tools: HashMap<String, Value> = capture
            .tools()
            .into_iter()
            .map(|tool| (text(&tool, "name").to_owned(), tool["inputSchema"].clone()))
            .collect();
        for (name, schema) in &tools {
            if Validator::compile(schema).is_err() {
                invalid.push(format!("{} {name}", capture.name));
            }
        }
        for exchange in capture.exchanges("tools/call") {
            let Some(schema) = exchange.params["name"]
                .as_str()
                .and_then(|name| tools.get(name))
            else {
                continue;
            };
            let Ok(validator) = Validator::compile(schema) else {
                continue;
            };
            let arguments = exchange
                .params
                .get("arguments")
                .cloned()
                .unwrap_or_else(|| json!({}));
            let violations = validator.check(&arguments);
            let served = exchange
                .result
                .as_ref()
                .is_some_and(|result| result["isError"] != true);
            if served && violations.is_empty() {
                accepted += 1;
            } else if served {
                let pointers: Vec<&str> = violations
                    .iter()
                    .map(|violation| violation.pointer.as_str())
                    .collect();
                let line = format!("{} {}", exchange.file, pointers.join(" "));
                lenient.push(line.trim_end().to_owned());
            } else if !violations.is_empty() {
                refused_by_both += 1;
            }
        }
    }
    println!("arguments: {accepted} accepted, {refused_by_both} refused by server and schema");
    assert_eq!((accepted, refused_by_both), (105, 80));
    // A draft-04 `exclusiveMinimum: true`: such a schema is reported, and its tool is called unchecked.
    assert_eq!(invalid, ["openapi tool-bdf6d47e"]);
    // Servers that convert or ignore what they get; a host that checks is stricter than these.
    assert_eq!(
        lenient,
        [
            "sequential-thinking/calls/02-numbers-as-strings.json /thoughtNumber",
            "terraform-registry/errors/03-missing-arguments.json",
            "terraform-registry/errors/04-no-arguments-member.json",
            "terraform-registry/errors/05-wrong-type.json /provider /namespace",
        ]
    );
}
