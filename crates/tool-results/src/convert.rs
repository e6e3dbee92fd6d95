//! Block by block, from JSON to words and artifacts.

use serde_json::{Map, Value};

use crate::base64::Decoder;
use crate::converted::{Artifact, Converted, Note, Part};
use crate::json::{loose, one_line, pretty, quoted, sorted, truthy};
use crate::keep::Unsaved;
use crate::mime::is_textual;
use crate::options::{Options, Wording};
use crate::preview::preview;
use crate::sink::{Sink, SinkError};

pub(crate) const OCTETS: &str = "application/octet-stream";

/// Where a result came from: it names artifacts and headings.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Context<'a> {
    /// The server, as the host knows it.
    pub server: &'a str,
    /// The tool, as the server wrote it.
    pub tool: &'a str,
}

impl<'a> Context<'a> {
    /// A result of `tool` on `server`.
    #[must_use]
    pub fn new(server: &'a str, tool: &'a str) -> Self {
        Self { server, tool }
    }
}

/// Converts the result of a `tools/call`.
///
/// It cannot fail: what is not understood is shown as JSON, and what cannot be kept is said to be lost.
/// See the [tool result](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result) of the specification.
#[must_use]
pub fn convert(
    result: &Value,
    context: &Context<'_>,
    options: &Options,
    sink: &mut dyn Sink,
) -> Converted {
    let mut converter = Converter::new(*context, options, sink);
    let structured = result
        .get("structuredContent")
        .filter(|value| !value.is_null());
    let blocks = result.get("content").and_then(Value::as_array);
    if result.get("content").is_none() && structured.is_none() && !result.is_object() {
        converter.unsupported(0, result);
        converter.note(0, "not_an_object", "the result is not an object");
    }
    let blocks = blocks.map_or(&[][..], Vec::as_slice);
    let mut repeated = false;
    for (index, block) in blocks.iter().enumerate() {
        let again = options.merge_equal_text
            && structured.is_some_and(|value| says_the_same(block, value))
            && converter.audience(block).0;
        match structured {
            Some(value) if again && !repeated => {
                repeated = true;
                converter.block(index, block);
                if let Some(section) = converter.sections.last_mut() {
                    section.structure(value);
                }
                converter.note(
                    index,
                    "text_repeated",
                    "the text is the structured content and is said once",
                );
            }
            _ => converter.block(index, block),
        }
    }
    if let Some(value) = structured
        && !repeated
    {
        converter.structured(blocks.len(), value);
    }
    let meta = ["_meta", "meta"]
        .iter()
        .find_map(|key| result.get(*key).filter(|meta| truthy(meta)));
    let mut converted = Converted {
        is_error: result.get("isError").is_some_and(truthy),
        structured_content: structured.cloned(),
        meta: meta.and_then(Value::as_object).cloned().unwrap_or_default(),
        ..Converted::default()
    };
    converter.finish(&mut converted, blocks.len() + 1);
    converted
}

fn says_the_same(block: &Value, structured: &Value) -> bool {
    let Some(text) = block.get("text").and_then(Value::as_str) else {
        return false;
    };
    let text = text.trim();
    text.starts_with(['{', '[']) == (structured.is_object() || structured.is_array())
        && block.get("type").and_then(Value::as_str) == Some("text")
        && serde_json::from_str::<Value>(text).is_ok_and(|value| value == *structured)
}

/// One block, told.
pub(crate) struct Section {
    pub(crate) text: String,
    pub(crate) parts: Vec<Part>,
    for_model: bool,
    for_user: bool,
}

impl Section {
    fn structure(&mut self, value: &Value) {
        let text = std::mem::take(&mut self.text);
        let small = self.parts.len() == 1 && !text.is_empty();
        if small {
            self.parts = vec![Part::Structured {
                value: value.clone(),
                text: text.clone(),
            }];
        }
        self.text = text;
    }
}

pub(crate) struct Converter<'a> {
    pub(crate) context: Context<'a>,
    pub(crate) options: &'a Options,
    pub(crate) sink: &'a mut dyn Sink,
    pub(crate) sections: Vec<Section>,
    pub(crate) artifacts: Vec<Artifact>,
    pub(crate) notes: Vec<Note>,
    media: usize,
}

/// A resource's own fields, checked.
struct Described {
    uri: Option<String>,
    mime_type: Option<String>,
}

impl<'a> Converter<'a> {
    pub(crate) fn new(context: Context<'a>, options: &'a Options, sink: &'a mut dyn Sink) -> Self {
        Self {
            context,
            options,
            sink,
            sections: Vec::new(),
            artifacts: Vec::new(),
            notes: Vec::new(),
            media: 0,
        }
    }

    pub(crate) fn note(&mut self, index: usize, code: &str, message: impl Into<String>) {
        self.notes.push(Note::new(code, message).at(index));
    }

    pub(crate) fn reference(&self) -> bool {
        self.options.wording == Wording::Reference
    }

    fn compact(&self) -> bool {
        self.options.wording == Wording::Compact
    }

    /// A string of the server's that stands on a line of its own.
    fn line(&self, text: &str) -> String {
        if self.reference() {
            text.to_owned()
        } else {
            one_line(text)
        }
    }

    /// Whether a block is for the model, and whether it is for the user.
    fn audience(&self, block: &Value) -> (bool, bool) {
        let listed = block
            .pointer("/annotations/audience")
            .and_then(Value::as_array);
        match listed {
            Some(roles) if self.options.honor_audience && !roles.is_empty() => {
                let has = |role: &str| roles.iter().any(|given| given == role);
                let (model, user) = (has("assistant"), has("user"));
                // Roles that nobody knows say nothing.
                if model || user {
                    (model, user)
                } else {
                    (true, true)
                }
            }
            _ => (true, true),
        }
    }

    fn push(&mut self, block: &Value, text: String, extra: Option<Part>) {
        let (for_model, for_user) = self.audience(block);
        let parts = match extra {
            Some(part) => vec![part],
            None if text.is_empty() => Vec::new(),
            None => vec![Part::Text(text.clone())],
        };
        self.sections.push(Section {
            text,
            parts,
            for_model,
            for_user,
        });
    }

    pub(crate) fn block(&mut self, index: usize, block: &Value) {
        match block.get("type").and_then(Value::as_str) {
            Some("text") => self.text_block(index, block),
            Some(kind @ ("image" | "audio")) => self.media_block(index, block, kind),
            Some("resource") => self.resource_block(index, block, block.get("resource")),
            Some("resource_link") => self.link(block),
            _ => self.unsupported(index, block),
        }
    }

    fn text_block(&mut self, index: usize, block: &Value) {
        let text = match block.get("text") {
            Some(Value::String(text)) => std::borrow::Cow::Borrowed(text.as_str()),
            Some(other) if self.reference() => std::borrow::Cow::Owned(loose(other)),
            None if self.reference() => std::borrow::Cow::Borrowed(""),
            _ => return self.unsupported(index, block),
        };
        let mime_type = block
            .get("mimeType")
            .and_then(Value::as_str)
            .filter(|name| !name.is_empty())
            .unwrap_or("text/plain");
        let said = self.inline_or_saved(index, "text", mime_type, None, &text);
        self.push(block, said, None);
    }

    fn unsupported(&mut self, index: usize, block: &Value) {
        let kind = block
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("unknown");
        let kind: String = one_line(kind).chars().take(80).collect();
        self.note(
            index,
            "unsupported_block",
            format!("block {index} is of the type {kind:?}, which is shown as JSON"),
        );
        let json = pretty(&sorted(block));
        let said = if self.reference() {
            json
        } else {
            self.inline_or_saved(index, "unsupported", "application/json", None, &json)
        };
        let text = if self.compact() {
            format!("[unsupported content: {kind}]\n{said}")
        } else {
            format!("Unsupported MCP content block:\n{said}")
        };
        self.push(block, text, None);
    }

    fn described(&self, fields: &Value) -> Described {
        let read = |key: &str| {
            let value = fields.get(key).filter(|value| truthy(value))?;
            match value {
                Value::String(text) => Some(self.line(text)),
                other if self.reference() => Some(loose(other)),
                _ => None,
            }
        };
        Described {
            uri: read("uri"),
            mime_type: read("mimeType"),
        }
    }

    pub(crate) fn resource_block(&mut self, index: usize, block: &Value, resource: Option<&Value>) {
        let Some(resource) = resource.filter(|resource| resource.is_object()) else {
            return self.unsupported(index, block);
        };
        let given = |key: &str| resource.get(key).filter(|value| !value.is_null());
        match (given("text"), given("blob")) {
            (Some(Value::String(text)), _) => self.resource_text(index, block, resource, text),
            (Some(other), _) if self.reference() => {
                self.resource_text(index, block, resource, &loose(other));
            }
            (_, Some(blob)) => {
                let about = self.described(resource);
                match self.text_of_blob(&about, blob) {
                    Some(text) => self.resource_text(index, block, resource, &text),
                    None => self.binary(index, block, "resource", blob, about),
                }
            }
            _ => self.unsupported(index, block),
        }
    }

    fn resource_text(&mut self, index: usize, block: &Value, resource: &Value, text: &str) {
        let about = self.described(resource);
        let mime_type = about.mime_type.as_deref().unwrap_or("text/plain");
        let said = self.inline_or_saved(index, "resource", mime_type, about.uri.as_deref(), text);
        let uri = about.uri.unwrap_or_default();
        let text = if self.compact() {
            if block.get("type").is_none() {
                said
            } else {
                let kind = about
                    .mime_type
                    .map(|name| format!(" ({name})"))
                    .unwrap_or_default();
                format!("[resource {uri}{kind}]\n{said}")
            }
        } else {
            let kind = about
                .mime_type
                .map(|name| format!("\nMIME: {name}"))
                .unwrap_or_default();
            let server = quoted(self.context.server);
            format!("Resource from MCP server {server}\nURI: {uri}{kind}\n\n{said}")
        };
        self.push(block, text, None);
    }

    /// The text of a blob that is text by type and small enough to be looked at whole.
    fn text_of_blob(&self, about: &Described, blob: &Value) -> Option<String> {
        let (mime_type, data) = (about.mime_type.as_deref()?, blob.as_str()?);
        let small = self.options.max_inline_bytes.saturating_mul(4).min(1 << 20);
        if !self.options.text_blobs || !is_textual(mime_type) || data.len() > small {
            return None;
        }
        let (mut decoder, mut bytes) = (Decoder::new(data), Vec::new());
        while let Some(piece) = decoder.next_piece().ok()? {
            bytes.extend_from_slice(piece);
        }
        String::from_utf8(bytes).ok()
    }

    fn link(&mut self, block: &Value) {
        let text_of = |key: &str| match block.get(key) {
            Some(Value::String(text)) => Some(self.line(text)),
            Some(other) if self.reference() => Some(loose(other)),
            _ => None,
        };
        let filled = |key: &str| text_of(key).filter(|_| block.get(key).is_some_and(truthy));
        let name = filled("name");
        let uri = text_of("uri").unwrap_or_default();
        let text = if self.compact() {
            let name = name
                .or_else(|| filled("title"))
                .unwrap_or_else(|| "(unnamed)".to_owned());
            format!("[resource link: {name} <{uri}>]")
        } else {
            let name = name.unwrap_or_else(|| "(unnamed)".to_owned());
            let mut lines = vec![format!("Resource link: {name}"), format!("URI: {uri}")];
            if let Some(mime_type) = filled("mimeType") {
                lines.push(format!("MIME: {mime_type}"));
            }
            if !self.reference() {
                lines.extend(
                    filled("title")
                        .filter(|title| *title != name)
                        .map(|title| format!("Title: {title}")),
                );
                lines.extend(filled("description").map(|words| format!("Description: {words}")));
                let size = block.get("size").filter(|size| size.is_number());
                lines.extend(size.map(|size| format!("Size: {size} bytes")));
            }
            lines.join("\n")
        };
        let text = if self.reference() || self.options.fits_inline(&text) {
            text
        } else {
            preview(&text, self.options)
        };
        let (for_model, for_user) = self.audience(block);
        let part = Part::Link {
            uri,
            block: block.clone(),
            text: text.clone(),
        };
        self.sections.push(Section {
            text,
            parts: vec![part],
            for_model,
            for_user,
        });
    }

    fn structured(&mut self, index: usize, value: &Value) {
        let json = if self.compact() {
            value.to_string()
        } else if self.reference() {
            pretty(&sorted(value))
        } else {
            pretty(value)
        };
        let saved = self.artifacts.len() + self.notes.len();
        let said =
            self.inline_or_saved(index, "structured-content", "application/json", None, &json);
        let whole = saved == self.artifacts.len() + self.notes.len();
        let text = if self.compact() {
            said
        } else {
            format!("Structured content:\n{said}")
        };
        let part = if whole {
            Part::Structured {
                value: value.clone(),
                text: text.clone(),
            }
        } else {
            Part::Text(text.clone())
        };
        self.sections.push(Section {
            text,
            parts: vec![part],
            for_model: true,
            for_user: true,
        });
    }

    fn media_block(&mut self, index: usize, block: &Value, kind: &str) {
        let about = Described {
            uri: None,
            mime_type: self.described(block).mime_type,
        };
        let empty = Value::String(String::new());
        self.binary(
            index,
            block,
            kind,
            block.get("data").unwrap_or(&empty),
            about,
        );
    }

    fn binary(&mut self, index: usize, block: &Value, kind: &str, data: &Value, about: Described) {
        let declared = about.mime_type.as_deref().unwrap_or(OCTETS);
        let uri_line = match &about.uri {
            Some(uri) if !self.reference() && !self.compact() => format!("\nURI: {uri}"),
            _ => String::new(),
        };
        let Some(data) = data.as_str() else {
            let text = format!("The {kind} block has no base64 text ({declared}).{uri_line}");
            self.note(
                index,
                "invalid_base64",
                format!("block {index} has no base64 text"),
            );
            return self.push(block, text, None);
        };
        if data.is_empty() && !self.reference() {
            self.note(index, "empty_media", format!("block {index} is empty"));
            return self.push(
                block,
                format!("The {kind} block is empty ({declared}).{uri_line}"),
                None,
            );
        }
        match self.save_base64(index, kind, declared, about.uri.as_deref(), data) {
            Ok(artifact) => {
                let part = self.media_part(index, &artifact);
                let text = self.binary_text(&artifact, part.is_some()) + &uri_line;
                self.artifacts.push(artifact);
                self.push(block, text, part);
            }
            Err(Unsaved::Invalid) => {
                self.note(
                    index,
                    "invalid_base64",
                    format!("block {index} is not valid base64"),
                );
                let text = format!(
                    "The {kind} block was left out: its data is not valid base64 ({declared}).{uri_line}"
                );
                self.push(block, text, None);
            }
            Err(Unsaved::Sink(error, mime_type)) => {
                self.not_saved(index, &error);
                let size = data.len() / 4 * 3;
                let text = format!(
                    "The {kind} ({mime_type}, about {size} bytes) could not be saved: {error}.{uri_line}"
                );
                self.push(block, text, None);
            }
        }
    }

    pub(crate) fn not_saved(&mut self, index: usize, error: &SinkError) {
        self.note(
            index,
            "artifact_not_saved",
            format!("block {index} could not be saved: {error}"),
        );
    }

    fn binary_text(&self, artifact: &Artifact, shown: bool) -> String {
        let (mime_type, size, id) = (&artifact.mime_type, artifact.size, &artifact.id);
        if self.compact() {
            return match (artifact.kind.as_str(), &artifact.uri) {
                _ if shown => String::new(),
                ("audio", _) => format!("[audio {mime_type}, {size} bytes]"),
                (_, Some(uri)) => format!("[binary {mime_type}, {size} bytes, {uri}]"),
                _ => format!("[binary {mime_type}, {size} bytes]"),
            };
        }
        let mut text = format!("Saved {mime_type} artifact as {id} ({size} bytes).");
        if !self.reference() {
            if let Some(path) = &artifact.path {
                text.push_str(&format!("\nThe file is {}.", path.display()));
            }
            if let Some(declared) = &artifact.declared_mime_type {
                text.push_str(&format!("\nThe server called it {declared}."));
            }
        }
        text
    }

    /// The artifact as a part for a multimodal model, within the budget.
    fn media_part(&mut self, index: usize, artifact: &Artifact) -> Option<Part> {
        let family = artifact.mime_type.split('/').next().unwrap_or_default();
        let known = self.options.media_types.contains(&artifact.mime_type);
        if !known || self.options.max_media_items == 0 {
            return None;
        }
        if self.media >= self.options.max_media_items
            || artifact.size > self.options.max_media_bytes
        {
            self.note(
                index,
                "media_budget",
                format!("block {index} is described only: the result has too much media"),
            );
            return None;
        }
        self.media += 1;
        match family {
            "image" => Some(Part::Image(artifact.clone())),
            "audio" => Some(Part::Audio(artifact.clone())),
            _ => None,
        }
    }

    pub(crate) fn finish(mut self, converted: &mut Converted, index: usize) {
        let join = |sections: &[Section], wanted: fn(&Section) -> bool| {
            let texts: Vec<&str> = sections
                .iter()
                .filter(|section| wanted(section) && !section.text.is_empty())
                .map(|section| section.text.as_str())
                .collect();
            texts.join("\n\n").trim().to_owned()
        };
        let sections = std::mem::take(&mut self.sections);
        let mut text = join(&sections, |section| section.for_model);
        let mut parts: Vec<Part> = sections
            .iter()
            .filter(|section| section.for_model)
            .flat_map(|section| section.parts.clone())
            .collect();
        let user_text = join(&sections, |section| section.for_user);
        let limit = self.options.max_total_chars.unwrap_or(usize::MAX);
        if text.len() > limit && text.chars().count() > limit {
            self.note(
                index,
                "result_shortened",
                format!("the whole result is over {limit} characters"),
            );
            text = self.saved_text(index, "result", "text/plain", None, &text);
            parts.retain(|part| matches!(part, Part::Image(_) | Part::Audio(_)));
            parts.insert(0, Part::Text(text.clone()));
        }
        let user_text = if user_text.len() > limit && user_text.chars().count() > limit {
            preview(&user_text, self.options)
        } else {
            user_text
        };
        if text.is_empty() {
            text = if self.compact() {
                "(No response)".to_owned()
            } else if !user_text.is_empty() {
                "MCP tool returned output for the user only.".to_owned()
            } else {
                "MCP tool returned no content.".to_owned()
            };
            // Parts of the kind that speak for themselves need no placeholder.
            if parts.is_empty() {
                parts.push(Part::Text(text.clone()));
            }
        }
        if self.compact() && converted.is_error {
            text = format!("Error:\n{text}");
        }
        converted.user_text = if user_text.is_empty() {
            text.clone()
        } else {
            user_text
        };
        converted.text = text;
        converted.parts = parts;
        converted.artifacts = self.artifacts;
        converted.notes = self.notes;
    }
}

/// The object's fields, for results that carry `_meta`.
pub(crate) fn meta_of(result: &Value) -> Map<String, Value> {
    result
        .get("_meta")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}
