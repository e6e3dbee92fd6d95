//! Prompts: messages with roles, whose media leave as artifacts.

use serde_json::{Map, Value, json};

use crate::convert::{Context, Converter, meta_of};
use crate::converted::{Artifact, Converted, Note, Part};
use crate::json::one_line;
use crate::options::Options;
use crate::sink::Sink;

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PromptMessage {
    /// `user` or `assistant`, or whatever the server wrote.
    pub role: String,
    /// The content in words, without base64.
    pub text: String,
    /// The content piece by piece.
    pub parts: Vec<Part>,
}

/// A prompt, told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConvertedPrompt {
    messages: Vec<PromptMessage>,
    description: Option<String>,
    artifacts: Vec<Artifact>,
    notes: Vec<Note>,
    meta: Map<String, Value>,
}

impl ConvertedPrompt {
    /// The messages in order, for a host that keeps roles.
    #[must_use]
    pub fn messages(&self) -> &[PromptMessage] {
        &self.messages
    }

    /// What the server says the prompt is.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// All messages as one text, each behind its role, with a blank line between them.
    #[must_use]
    pub fn text(&self) -> String {
        let told = |message: &PromptMessage| format!("{}: {}", message.role, message.text);
        let texts: Vec<String> = self.messages.iter().map(told).collect();
        texts.join("\n\n")
    }

    /// What the sink kept.
    #[must_use]
    pub fn artifacts(&self) -> &[Artifact] {
        &self.artifacts
    }

    /// What was corrected, replaced or left out; an index counts blocks over all messages.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The result's `_meta`.
    #[must_use]
    pub fn meta(&self) -> &Map<String, Value> {
        &self.meta
    }
}

/// Converts the result of a `prompts/get`. The tool of `context` names the artifacts; hosts use the prompt's name.
///
/// Content that is a bare string or a list of blocks is read too, and a missing role is `user`.
#[must_use]
pub fn convert_prompt_messages(
    result: &Value,
    context: &Context<'_>,
    options: &Options,
    sink: &mut dyn Sink,
) -> ConvertedPrompt {
    let messages = result.get("messages").and_then(Value::as_array);
    let mut converter = Converter::new(*context, options, sink);
    let mut prompt = ConvertedPrompt {
        description: result
            .get("description")
            .and_then(Value::as_str)
            .map(str::to_owned),
        meta: meta_of(result),
        ..ConvertedPrompt::default()
    };
    let mut index = 0;
    for message in messages.map_or(&[][..], Vec::as_slice) {
        let role = message.get("role").and_then(Value::as_str).map(one_line);
        let before = converter.sections.len();
        match message.get("content").unwrap_or(message) {
            Value::String(text) => converter.block(index, &json!({"type": "text", "text": text})),
            Value::Array(blocks) => {
                for block in blocks {
                    converter.block(index, block);
                    index += 1;
                }
            }
            other => converter.block(index, other),
        }
        index += 1;
        let told = converter
            .sections
            .split_off(before.min(converter.sections.len()));
        let texts: Vec<&str> = told.iter().map(|section| section.text.as_str()).collect();
        prompt.messages.push(PromptMessage {
            role: role
                .filter(|role| !role.is_empty())
                .unwrap_or_else(|| "user".to_owned()),
            text: texts.join("\n\n"),
            parts: told
                .iter()
                .flat_map(|section| section.parts.clone())
                .collect(),
        });
    }
    let mut rest = Converted::default();
    converter.finish(&mut rest, index);
    prompt.artifacts = rest.artifacts;
    prompt.notes = rest.notes;
    prompt
}
