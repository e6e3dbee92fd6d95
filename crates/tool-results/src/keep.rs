//! What cannot be said is kept: bytes and long text on their way to the sink.

use std::io::Write as _;

use crate::base64::{Decoder, Invalid};
use crate::convert::{Converter, OCTETS};
use crate::converted::Artifact;
use crate::mime::{ExtensionTable, binary_extension, corrected, matchable, text_extension};
use crate::preview::preview;
use crate::sink::{ArtifactHead, SinkError, SinkErrorKind, StoredArtifact};

impl Converter<'_> {
    pub(crate) fn save_base64(
        &mut self,
        index: usize,
        kind: &str,
        declared: &str,
        uri: Option<&str>,
        data: &str,
    ) -> Result<Artifact, Unsaved> {
        let mut decoder = Decoder::new(data);
        let first = decoder.next_piece()?.unwrap_or_default();
        let mut mime_type = declared.to_owned();
        if self.options.sniff {
            match corrected(declared, first) {
                Some(found) => mime_type = found.to_owned(),
                None if matchable(declared) && infer::get(first).is_none() => {
                    mime_type = OCTETS.to_owned()
                }
                None => {}
            }
        }
        let before = (mime_type != declared).then_some(declared);
        let table = if self.reference() {
            ExtensionTable::Reference
        } else {
            ExtensionTable::Full
        };
        let head = ArtifactHead {
            server: self.context.server,
            tool: self.context.tool,
            index,
            kind,
            mime_type: &mime_type,
            declared_mime_type: before,
            extension: binary_extension(&mime_type, table),
            uri,
            chars: None,
            size_hint: (data.len() as u64).div_ceil(4).saturating_mul(3),
        };
        let lost = |error: SinkError| Unsaved::Sink(error, mime_type.clone());
        let mut writer = self.sink.begin(&head).map_err(lost)?;
        writer
            .write_all(first)
            .map_err(|error| lost(broken(error)))?;
        while let Some(piece) = decoder.next_piece()? {
            writer
                .write_all(piece)
                .map_err(|error| lost(broken(error)))?;
        }
        let stored = writer.finish().map_err(lost)?;
        let artifact = record(&head, stored);
        if let Some(before) = before
            && before != OCTETS
        {
            self.note(
                index,
                "mime_type_corrected",
                format!("block {index} was called {before:?}, and its bytes are {mime_type}"),
            );
        }
        Ok(artifact)
    }

    /// `text` itself when it is small enough, else its preview and where the whole of it is.
    pub(crate) fn inline_or_saved(
        &mut self,
        index: usize,
        kind: &str,
        mime_type: &str,
        uri: Option<&str>,
        text: &str,
    ) -> String {
        if self.options.fits_inline(text) {
            return text.to_owned();
        }
        self.saved_text(index, kind, mime_type, uri, text)
    }

    pub(crate) fn saved_text(
        &mut self,
        index: usize,
        kind: &str,
        mime_type: &str,
        uri: Option<&str>,
        text: &str,
    ) -> String {
        let chars = text.chars().count();
        let table = if self.reference() {
            ExtensionTable::Reference
        } else {
            ExtensionTable::Full
        };
        let head = ArtifactHead {
            server: self.context.server,
            tool: self.context.tool,
            index,
            kind,
            mime_type,
            declared_mime_type: None,
            extension: text_extension(mime_type, table),
            uri,
            chars: Some(chars as u64),
            size_hint: text.len() as u64,
        };
        let stored = self.sink.begin(&head).and_then(|mut writer| {
            writer.write_all(text.as_bytes()).map_err(broken)?;
            writer.finish()
        });
        let mut said = match stored {
            Ok(stored) => {
                let artifact = record(&head, stored);
                let mut said = format!(
                    "Saved large MCP text output as {} ({chars} chars, {} bytes).",
                    artifact.id, artifact.size
                );
                if let Some(path) = &artifact.path {
                    said.push_str(&format!("\nRead the full output from {}.", path.display()));
                }
                self.artifacts.push(artifact);
                self.note(
                    index,
                    "text_saved",
                    format!("block {index} was saved: {chars} characters are too many to show"),
                );
                said
            }
            Err(error) => {
                self.not_saved(index, &error);
                format!(
                    "The large MCP text output ({chars} chars, {} bytes) could not be saved: {error}.",
                    text.len()
                )
            }
        };
        if !self.reference() {
            said.push_str("\nPreview:\n");
            said.push_str(&preview(text, self.options));
        }
        said
    }
}

/// Why bytes were not kept.
pub(crate) enum Unsaved {
    Invalid,
    Sink(SinkError, String),
}

impl From<Invalid> for Unsaved {
    fn from(_: Invalid) -> Self {
        Self::Invalid
    }
}

fn broken(error: std::io::Error) -> SinkError {
    let kind = match error.kind() {
        std::io::ErrorKind::FileTooLarge => SinkErrorKind::TooLarge,
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => SinkErrorKind::Full,
        _ => SinkErrorKind::Failed,
    };
    SinkError::new(kind, error.to_string()).with_source(error)
}

fn record(head: &ArtifactHead<'_>, stored: StoredArtifact) -> Artifact {
    Artifact {
        id: stored.id,
        kind: head.kind.to_owned(),
        mime_type: head.mime_type.to_owned(),
        declared_mime_type: head.declared_mime_type.map(str::to_owned),
        path: stored.path,
        size: stored.size,
        chars: head.chars,
        uri: head.uri.map(str::to_owned),
        sha256: stored.sha256,
        index: head.index,
    }
}
