//! What a conversion gives back.

use std::path::PathBuf;

use serde_json::{Map, Value};

/// A result, told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Converted {
    pub(crate) text: String,
    pub(crate) user_text: String,
    pub(crate) is_error: bool,
    pub(crate) parts: Vec<Part>,
    pub(crate) artifacts: Vec<Artifact>,
    pub(crate) structured_content: Option<Value>,
    pub(crate) meta: Map<String, Value>,
    pub(crate) notes: Vec<Note>,
}

impl Converted {
    /// What the model reads; never empty.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What a person reads: without the blocks meant for the model alone.
    #[must_use]
    pub fn user_text(&self) -> &str {
        &self.user_text
    }

    /// Whether the tool said that it failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// The same content piece by piece, for a model that takes images or audio.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// What the sink kept, in the order of the blocks.
    #[must_use]
    pub fn artifacts(&self) -> &[Artifact] {
        &self.artifacts
    }

    /// The structured content as the server sent it, whatever its size.
    #[must_use]
    pub fn structured_content(&self) -> Option<&Value> {
        self.structured_content.as_ref()
    }

    /// The result's `_meta`.
    #[must_use]
    pub fn meta(&self) -> &Map<String, Value> {
        &self.meta
    }

    /// What was corrected, replaced or left out.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Adds what the caller knows, such as a mismatch with the tool's output schema; it is said below the text.
    #[must_use]
    pub fn with_warning(mut self, note: Note) -> Self {
        for text in [&mut self.text, &mut self.user_text] {
            text.push_str("\n\nWarning: ");
            text.push_str(&note.message);
        }
        self.parts
            .push(Part::Text(format!("Warning: {}", note.message)));
        self.notes.push(note);
        self
    }
}

/// One piece of a result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// Text, or words about something that is not text.
    Text(String),
    /// An image of a type that the model takes; its bytes are the artifact's.
    Image(Artifact),
    /// A sound of a type that the model takes; its bytes are the artifact's.
    Audio(Artifact),
    /// A link to a resource, as the server sent it. Nothing was fetched.
    Link {
        /// The address.
        uri: String,
        /// The whole block: name, title, description, size, annotations.
        block: Value,
        /// The link in words.
        text: String,
    },
    /// The structured content, when it is small enough to be shown.
    Structured {
        /// The value.
        value: Value,
        /// The value in words.
        text: String,
    },
}

impl Part {
    /// The part in words, for a model that reads only text; empty for media, which [`Converted::text`] describes.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Link { text, .. } | Self::Structured { text, .. } => text,
            Self::Image(_) | Self::Audio(_) => "",
        }
    }
}

/// Something that the sink kept.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Artifact {
    /// The name by which it is read back.
    pub id: String,
    /// `text`, `image`, `audio`, `resource`, `structured-content` or `result`.
    pub kind: String,
    /// The MIME type, after any correction.
    pub mime_type: String,
    /// The MIME type that the server gave, where the bytes said otherwise.
    pub declared_mime_type: Option<String>,
    /// Its file, where there is one.
    pub path: Option<PathBuf>,
    /// Its size in bytes.
    pub size: u64,
    /// The number of characters, for text.
    pub chars: Option<u64>,
    /// The address, for a resource.
    pub uri: Option<String>,
    /// The SHA-256 digest of its bytes, in lower-case hex.
    pub sha256: String,
    /// The position of the block in its result.
    pub index: usize,
}

/// One thing worth knowing about a conversion.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Note {
    /// Stable and snake case: `invalid_base64`, `unsupported_block`, `mime_type_corrected`, `artifact_not_saved`,
    /// `text_saved`, `result_shortened`, `empty_media`, `media_budget`, `text_repeated`, `not_an_object`.
    pub code: String,
    /// One sentence for a person.
    pub message: String,
    /// The block it is about.
    pub index: Option<usize>,
}

impl Note {
    /// A note about the whole result.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            index: None,
        }
    }

    /// Sets [`index`](Self::index).
    #[must_use]
    pub fn at(mut self, index: usize) -> Self {
        self.index = Some(index);
        self
    }
}
