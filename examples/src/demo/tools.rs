//! Tools: one for each kind of result.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
    ProgressNotificationParam, Resource, ResourceContents, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use super::{Demo, library, questions};

const TONE: &[u8] = include_bytes!("files/tone.wav");
const VISITORS: &[u8] = include_bytes!("files/visitors.csv.gz");

const LONG_TEXT_BYTES: usize = 200_000;
const PROGRESS_STEPS: u8 = 10;
const PROGRESS_PAUSE: Duration = Duration::from_millis(200);

// A demo is no store: these keep a client from filling the memory.
const MAX_NOTES: usize = 100;
const MAX_NOTE_BYTES: usize = 10_000;

pub(super) fn list(bonus: bool) -> Vec<Tool> {
    let reads = || ToolAnnotations::new().read_only(true).open_world(false);
    let writes = |destructive| {
        ToolAnnotations::new()
            .read_only(false)
            .destructive(destructive)
            .idempotent(true)
            .open_world(false)
    };
    let mut tools = vec![
        tool("echo", "Says the given text back.", text_schema("text"))
            .with_title("Echo")
            .with_annotations(reads()),
        tool("weather", "The weather of a city, made up.", city_schema())
            .with_title("Weather")
            .with_raw_output_schema(object(weather_schema()))
            .with_annotations(reads().idempotent(true)),
        tool(
            "picture",
            "A PNG image of a bridge, 64 by 64 pixels.",
            no_arguments(),
        )
        .with_annotations(reads()),
        tool(
            "sound",
            "A WAV recording of a quarter of a second.",
            no_arguments(),
        )
        .with_annotations(reads()),
        tool(
            "report",
            "A report as an embedded text resource.",
            no_arguments(),
        )
        .with_annotations(reads()),
        tool(
            "archive",
            "A gzip file as an embedded binary resource.",
            no_arguments(),
        )
        .with_annotations(reads()),
        tool(
            "link",
            "A link to the resource with the server's logo.",
            no_arguments(),
        )
        .with_annotations(reads()),
        tool("long_text", "A log of 200 KB.", no_arguments()).with_annotations(reads()),
        tool("fail", "Reports an error, always.", no_arguments()).with_annotations(reads()),
        tool(
            "slow",
            "Works for two seconds and reports progress.",
            no_arguments(),
        )
        .with_annotations(reads()),
        tool(
            "book_table",
            "Books a table; asks the user for the details.",
            no_arguments(),
        )
        .with_annotations(ToolAnnotations::new().read_only(false).destructive(false)),
        tool(
            "open_account",
            "Opens an account; sends the user to a web page.",
            no_arguments(),
        )
        .with_annotations(
            ToolAnnotations::new()
                .read_only(false)
                .destructive(false)
                .open_world(true),
        ),
        tool("write_note", "Keeps a note under a name.", note_schema())
            .with_annotations(writes(false)),
        tool(
            "delete_note",
            "Deletes a note for good.",
            text_schema("name"),
        )
        .with_annotations(writes(true)),
        tool(
            "toggle_bonus",
            "Adds the tool `bonus`, or removes it.",
            no_arguments(),
        )
        .with_annotations(
            ToolAnnotations::new()
                .read_only(false)
                .destructive(false)
                .open_world(false),
        ),
    ];
    if bonus {
        tools.push(
            tool("bonus", "Only here after `toggle_bonus`.", no_arguments())
                .with_annotations(reads()),
        );
    }
    tools
}

fn tool(name: &'static str, description: &'static str, input_schema: Value) -> Tool {
    Tool::new(name, description, object(input_schema))
}

fn object(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(map) => Arc::new(map),
        _ => Arc::default(),
    }
}

fn no_arguments() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": false})
}

fn text_schema(name: &str) -> Value {
    json!({
        "type": "object",
        "properties": {name: {"type": "string", "minLength": 1}},
        "required": [name],
        "additionalProperties": false,
    })
}

fn note_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "pattern": "^[a-z0-9-]{1,40}$", "description": "Lower case letters, digits and hyphens."},
            "text": {"type": "string", "maxLength": MAX_NOTE_BYTES},
        },
        "required": ["name", "text"],
        "additionalProperties": false,
    })
}

fn city_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 1, "maxLength": 80},
            "unit": {"enum": ["celsius", "fahrenheit"], "default": "celsius"},
        },
        "required": ["city"],
        "additionalProperties": false,
    })
}

fn weather_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "unit": {"enum": ["celsius", "fahrenheit"]},
            "temperature": {"type": "integer"},
            "conditions": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["city", "unit", "temperature", "conditions"],
    })
}

pub(super) async fn call(
    demo: &Demo,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let arguments = request.arguments.clone().unwrap_or_default();
    let result = match request.name.as_ref() {
        "echo" => text(argument(&arguments, "text")?),
        "weather" => weather(&arguments)?,
        "picture" => one(ContentBlock::image(base64(library::LOGO), "image/png")),
        "sound" => one(ContentBlock::audio(base64(TONE), "audio/wav")),
        "report" => report(),
        "archive" => one(ContentBlock::resource(
            ResourceContents::blob(base64(VISITORS), "demo://files/visitors.csv.gz")
                .with_mime_type("application/gzip"),
        )),
        "link" => one(ContentBlock::resource_link(
            Resource::new(library::LOGO_URI, "logo.png").with_mime_type("image/png"),
        )),
        "long_text" => text(long_text()),
        "fail" => {
            failure("the disk of the imaginary machine is full: free some space and try again")
        }
        "slow" => slow(context).await,
        "book_table" => return questions::book_table(request, context).await,
        "open_account" => return questions::open_account(request, context).await,
        "write_note" => write_note(demo, &arguments)?,
        "delete_note" => delete_note(demo, &arguments)?,
        "toggle_bonus" => match demo.toggle_bonus() {
            true => text("`bonus` is there now."),
            false => text("`bonus` is gone."),
        },
        "bonus" if demo.state().bonus => text("You found it."),
        name => {
            let message = format!("no tool is named {name:?}");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    Ok(result.into())
}

pub(super) fn text(text: impl Into<String>) -> CallToolResult {
    one(ContentBlock::text(text))
}

pub(super) fn failure(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn one(block: ContentBlock) -> CallToolResult {
    CallToolResult::success(vec![block])
}

pub(super) fn base64(bytes: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(bytes)
}

fn argument<'a>(arguments: &'a JsonObject, name: &str) -> Result<&'a str, ErrorData> {
    arguments.get(name).and_then(Value::as_str).ok_or_else(|| {
        ErrorData::invalid_params(format!("the argument `{name}` must be a string"), None)
    })
}

fn weather(arguments: &JsonObject) -> Result<CallToolResult, ErrorData> {
    let city = argument(arguments, "city")?;
    let celsius = city.bytes().map(i64::from).sum::<i64>() % 30;
    let (unit, temperature) = match arguments.get("unit").and_then(Value::as_str) {
        Some("fahrenheit") => ("fahrenheit", celsius * 9 / 5 + 32),
        _ => ("celsius", celsius),
    };
    let conditions = if celsius < 15 {
        ["clouds", "wind"]
    } else {
        ["sun", "breeze"]
    };
    Ok(CallToolResult::structured(json!({
        "city": city, "unit": unit, "temperature": temperature, "conditions": conditions,
    })))
}

fn report() -> CallToolResult {
    let report = "# Visitors\n\n| Month | Visitors |\n|---|---|\n| October | 3,610 |\n| November | 3,412 |\n";
    CallToolResult::success(vec![
        ContentBlock::text("The report is attached."),
        ContentBlock::resource(
            ResourceContents::text(report, "demo://reports/visitors")
                .with_mime_type("text/markdown"),
        ),
    ])
}

fn long_text() -> String {
    let mut text = String::with_capacity(LONG_TEXT_BYTES + 100);
    let mut line = 0;
    while text.len() < LONG_TEXT_BYTES {
        line += 1;
        text.push_str(&format!(
            "line {line:05}: the machine hums along and has nothing to report\n"
        ));
    }
    text
}

async fn slow(context: &RequestContext<RoleServer>) -> CallToolResult {
    let token = context.meta.get_progress_token();
    for step in 1..=PROGRESS_STEPS {
        tokio::select! {
            () = context.ct.cancelled() => return failure("cancelled"),
            () = tokio::time::sleep(PROGRESS_PAUSE) => {}
        }
        if let Some(token) = &token {
            let progress = ProgressNotificationParam::new(token.clone(), f64::from(step))
                .with_total(f64::from(PROGRESS_STEPS))
                .with_message(format!("step {step} of {PROGRESS_STEPS}"));
            if context.peer.notify_progress(progress).await.is_err() {
                return failure("the client went away");
            }
        }
    }
    text(format!("Done after {PROGRESS_STEPS} steps."))
}

fn write_note(demo: &Demo, arguments: &JsonObject) -> Result<CallToolResult, ErrorData> {
    let (name, body) = (argument(arguments, "name")?, argument(arguments, "text")?);
    let named_well = (1..=40).contains(&name.len())
        && name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if !named_well {
        return Ok(failure(
            "a note's name is 1 to 40 lower case letters, digits and hyphens",
        ));
    }
    if body.len() > MAX_NOTE_BYTES {
        return Ok(failure(format!(
            "a note is at most {MAX_NOTE_BYTES} bytes long"
        )));
    }
    let mut state = demo.state();
    if state.notes.len() >= MAX_NOTES && !state.notes.contains_key(name) {
        return Ok(failure(format!(
            "there are {MAX_NOTES} notes already: delete one first"
        )));
    }
    state.notes.insert(name.to_owned(), body.to_owned());
    Ok(text(format!("Kept as {}{name}.", library::NOTES)))
}

fn delete_note(demo: &Demo, arguments: &JsonObject) -> Result<CallToolResult, ErrorData> {
    let name = argument(arguments, "name")?;
    Ok(match demo.state().notes.remove(name) {
        Some(_) => text(format!("The note `{name}` is gone.")),
        None => failure(format!("there is no note {name:?}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_schema_and_says_whether_it_only_reads() {
        for tool in list(true) {
            assert_eq!(
                tool.input_schema.get("type"),
                Some(&json!("object")),
                "tool {}",
                tool.name
            );
            let hints = tool.annotations.unwrap_or_default();
            assert!(hints.read_only_hint.is_some(), "tool {}", tool.name);
        }
    }

    #[test]
    fn the_bonus_comes_and_goes() {
        let demo = Demo::new();
        let names = |demo: &Demo| -> Vec<String> {
            list(demo.state().bonus)
                .iter()
                .map(|tool| tool.name.to_string())
                .collect()
        };
        let before = names(&demo);
        assert!(demo.toggle_bonus());
        assert_eq!(names(&demo).len(), before.len() + 1);
        assert!(!demo.toggle_bonus());
        assert_eq!(names(&demo), before);
    }

    #[test]
    fn the_weather_comes_in_the_unit_asked_for() {
        let arguments = json!({"city": "Porto", "unit": "fahrenheit"});
        let result = weather(arguments.as_object().unwrap()).unwrap();
        assert_eq!(
            result.structured_content,
            Some(
                json!({"city": "Porto", "unit": "fahrenheit", "temperature": 71, "conditions": ["sun", "breeze"]})
            )
        );
    }

    #[test]
    fn notes_are_bounded() {
        let demo = Demo::new();
        let write = |name: &str, text: &str| {
            let arguments = json!({"name": name, "text": text});
            write_note(&demo, arguments.as_object().unwrap())
                .unwrap()
                .is_error
        };
        assert_eq!(write("../up", "x"), Some(true));
        assert_eq!(write("big", &"x".repeat(MAX_NOTE_BYTES + 1)), Some(true));
        for n in 1..MAX_NOTES {
            assert_eq!(write(&format!("n{n}"), "x"), Some(false));
        }
        assert_eq!(write("one-more", "x"), Some(true));
        assert_eq!(write("welcome", "over"), Some(false));
    }
}
