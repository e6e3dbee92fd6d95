//! What came of a call or a command.

use mcp_bridge_tool_results::{
    Artifact, Context, Converted, ConvertedPrompt, NoArtifacts, Note, Options, Part, PromptMessage,
    convert,
};
use serde_json::{Map, Value, json};

/// What came of a tool call: always something that the model can read.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    kind: OutcomeKind,
    converted: Converted,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum OutcomeKind {
    /// The tool ran and says that it did its work.
    Completed,
    /// The tool ran and says that it failed (`isError`).
    ToolError,
    /// The call was not sent: its arguments break the tool's schema.
    InvalidArguments,
    /// The call was not sent: a rule, a mode or a person refused it.
    Refused,
}

impl Outcome {
    pub(crate) fn converted(converted: Converted) -> Self {
        let kind = if converted.is_error() {
            OutcomeKind::ToolError
        } else {
            OutcomeKind::Completed
        };
        Self { kind, converted }
    }

    /// The bridge's own words where the call was not sent.
    pub(crate) fn not_sent(kind: OutcomeKind, text: &str) -> Self {
        let result = json!({"content": [{"type": "text", "text": text}], "isError": true});
        let context = Context::new("", "");
        let converted = convert(&result, &context, &Options::default(), &mut NoArtifacts);
        Self { kind, converted }
    }

    /// How the call ended.
    pub fn kind(&self) -> OutcomeKind {
        self.kind
    }

    /// What the model reads; never empty.
    pub fn text(&self) -> &str {
        self.converted.text()
    }

    /// What a person reads: without what the server meant for the model alone. Still untrusted text.
    pub fn user_text(&self) -> &str {
        self.converted.user_text()
    }

    /// Whether the model should be told that the call failed.
    pub fn is_error(&self) -> bool {
        self.kind != OutcomeKind::Completed
    }

    /// The same content piece by piece, for a model that takes images or audio.
    pub fn parts(&self) -> &[Part] {
        self.converted.parts()
    }

    /// What was kept as files or in memory, because it was big or binary.
    pub fn artifacts(&self) -> &[Artifact] {
        self.converted.artifacts()
    }

    /// `structuredContent` as the server sent it.
    pub fn structured_content(&self) -> Option<&Value> {
        self.converted.structured_content()
    }

    /// `_meta` of the result as the server sent it.
    pub fn meta(&self) -> &Map<String, Value> {
        self.converted.meta()
    }

    /// What was corrected, replaced or left out, each with a stable code.
    pub fn notes(&self) -> &[Note] {
        self.converted.notes()
    }
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CommandOutcome {
    /// A prompt was rendered by its server.
    Prompt(PromptOutcome),
    /// A skill was rendered by the bridge: text for the model, headed by a line that names its origin.
    Skill {
        /// The text.
        text: String,
    },
}

/// A rendered prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptOutcome {
    pub(crate) converted: ConvertedPrompt,
    pub(crate) warnings: Vec<String>,
}

impl PromptOutcome {
    /// The messages in order, with their roles and every kind of content.
    pub fn messages(&self) -> &[PromptMessage] {
        self.converted.messages()
    }

    /// What was kept as files or in memory.
    pub fn artifacts(&self) -> &[Artifact] {
        self.converted.artifacts()
    }

    /// What was corrected, replaced or left out.
    pub fn notes(&self) -> &[Note] {
        self.converted.notes()
    }

    /// What is odd about the arguments, e.g. a name that the prompt does not declare.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl CommandOutcome {
    /// All of it as one text, without base64: what a text-only model reads.
    pub fn text(&self) -> String {
        match self {
            Self::Prompt(prompt) => prompt.converted.text(),
            Self::Skill { text } => text.clone(),
        }
    }
}
