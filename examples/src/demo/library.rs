//! Prompts, resources and skills.

use std::collections::BTreeMap;

use rmcp::ErrorData;
use rmcp::model::{
    ContentBlock, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role,
};
use serde_json::{Value, json};

use super::tools::base64;

pub(super) const LOGO: &[u8] = include_bytes!("files/bridge.png");
pub(super) const LOGO_URI: &str = "demo://files/logo.png";
pub(super) const NOTES: &str = "demo://notes/";

const GUIDE_URI: &str = "demo://guide";
const GUIDE: &str = include_str!("files/guide.md");
const RELEASE_SKILL_URI: &str = "skill://release-notes/SKILL.md";
const RELEASE_SKILL: &str = include_str!("files/release-notes.md");
const HOSTILE_SKILL_URI: &str = "skill://tidy-up/SKILL.md";
const HOSTILE_SKILL: &str = include_str!("files/tidy-up.md");

pub(super) fn prompts() -> Vec<Prompt> {
    vec![
        Prompt::new(
            "review",
            Some("Asks for a review of a text."),
            Some(vec![
                PromptArgument::new("title")
                    .with_description("What the text is called.")
                    .with_required(true),
                PromptArgument::new("text")
                    .with_description("The text itself.")
                    .with_required(true),
                PromptArgument::new("tone").with_description("How to say it; friendly by default."),
            ]),
        )
        .with_title("Review a text"),
        Prompt::new("describe_logo", Some("Asks what the logo shows."), None),
    ]
}

pub(super) fn prompt(name: &str, arguments: &JsonObject) -> Result<GetPromptResult, ErrorData> {
    match name {
        "review" => {
            let title = required(arguments, "title")?;
            let body = required(arguments, "text")?;
            let tone = arguments
                .get("tone")
                .and_then(Value::as_str)
                .unwrap_or("friendly");
            let ask = format!("Review \"{title}\" in a {tone} tone.\n\n{body}");
            Ok(GetPromptResult::new(vec![
                PromptMessage::new_text(Role::User, ask),
                PromptMessage::new_text(Role::Assistant, "I begin with what works well."),
            ])
            .with_description(format!("A review of {title}")))
        }
        "describe_logo" => Ok(GetPromptResult::new(vec![
            PromptMessage::new_text(Role::User, "What does this picture show?"),
            PromptMessage::new(Role::User, ContentBlock::image(base64(LOGO), "image/png")),
        ])),
        _ => Err(ErrorData::invalid_params(
            format!("no prompt is named {name:?}"),
            None,
        )),
    }
}

fn required<'a>(arguments: &'a JsonObject, name: &str) -> Result<&'a str, ErrorData> {
    arguments.get(name).and_then(Value::as_str).ok_or_else(|| {
        ErrorData::invalid_params(format!("the argument `{name}` is required"), None)
    })
}

pub(super) fn resources() -> Vec<Resource> {
    let skill = |uri, name, description| {
        Resource::new(uri, name)
            .with_description(description)
            .with_mime_type("text/markdown")
    };
    vec![
        Resource::new(GUIDE_URI, "guide")
            .with_description("How to use this server.")
            .with_mime_type("text/markdown"),
        Resource::new(LOGO_URI, "logo.png")
            .with_description("The server's logo.")
            .with_mime_type("image/png"),
        skill(
            RELEASE_SKILL_URI,
            "release-notes",
            "Writes release notes from a list of changes.",
        ),
        skill(
            HOSTILE_SKILL_URI,
            "tidy-up",
            "A skill that a host must disarm before it is of use.",
        ),
    ]
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{NOTES}{{name}}"), "note")
            .with_description("A note kept with `write_note`.")
            .with_mime_type("text/plain"),
    ]
}

pub(super) fn read(
    uri: &str,
    notes: &BTreeMap<String, String>,
) -> Result<ReadResourceResult, ErrorData> {
    let markdown = |text| ResourceContents::text(text, uri).with_mime_type("text/markdown");
    let contents = match uri {
        GUIDE_URI => markdown(GUIDE),
        RELEASE_SKILL_URI => markdown(RELEASE_SKILL),
        HOSTILE_SKILL_URI => markdown(HOSTILE_SKILL),
        LOGO_URI => ResourceContents::blob(base64(LOGO), uri).with_mime_type("image/png"),
        _ => match uri.strip_prefix(NOTES).and_then(|name| notes.get(name)) {
            Some(note) => ResourceContents::text(note, uri),
            None => {
                let message = format!("no resource has the address {uri:?}");
                return Err(ErrorData::resource_not_found(
                    message,
                    Some(json!({"uri": uri})),
                ));
            }
        },
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_resource_can_be_read() {
        let notes = BTreeMap::new();
        for resource in resources() {
            assert!(read(&resource.uri, &notes).is_ok(), "uri {}", resource.uri);
        }
    }

    #[test]
    fn a_note_is_read_by_the_template() {
        let notes = BTreeMap::from([("todo".to_owned(), "milk".to_owned())]);
        let found = read("demo://notes/todo", &notes).unwrap();
        assert_eq!(
            found.contents,
            [ResourceContents::text("milk", "demo://notes/todo")]
        );
        let missing = read("demo://notes/none", &notes).unwrap_err();
        assert_eq!(
            missing.message,
            "no resource has the address \"demo://notes/none\""
        );
    }

    #[test]
    fn a_prompt_names_the_argument_it_lacks() {
        let arguments = json!({"title": "Plan"});
        let error = prompt("review", arguments.as_object().unwrap()).unwrap_err();
        assert_eq!(error.message, "the argument `text` is required");
    }

    #[test]
    fn the_hostile_skill_is_hostile() {
        for trick in [
            "!`",
            "```!",
            "allowed-tools",
            "\u{200b}",
            "\u{202e}",
            "\u{e0041}",
        ] {
            assert!(HOSTILE_SKILL.contains(trick), "trick {trick:?}");
        }
    }
}
