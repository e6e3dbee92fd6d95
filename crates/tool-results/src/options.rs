//! How much of a result is said inline, and in which words.

/// The sentences around what a server sent.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Wording {
    /// Previews, paths, titles and sizes: all that helps a model go on.
    #[default]
    Full,
    /// The exact texts of the IaC Code host, for hosts whose users rely on them.
    Reference,
    /// Short bracketed headings, as agents with a generic `use_mcp_tool` show results.
    Compact,
}

/// What a conversion may say, and how.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// The sentences around what a server sent. Default: [`Wording::Full`].
    pub wording: Wording,
    /// Characters of one block that stay inline. Default: 50,000.
    pub max_inline_chars: usize,
    /// UTF-8 bytes of one block that stay inline; both limits must hold. Default: 100,000.
    pub max_inline_bytes: usize,
    /// Characters of the whole result, or `None` for no limit. Default: 200,000.
    pub max_total_chars: Option<usize>,
    /// Characters of the preview of a block that was saved; 0 for none. Default: 4,000.
    pub preview_chars: usize,
    /// UTF-8 bytes of that preview. Default: 16,000.
    pub preview_bytes: usize,
    /// The share of a preview that comes from the head, in percent; the rest is the tail. Default: 70.
    pub preview_head_percent: u8,
    /// Whether blocks for the user alone are kept from the model. Default: true.
    pub honor_audience: bool,
    /// Whether a text block equal to the structured content, compared as JSON, is said once. Default: true.
    pub merge_equal_text: bool,
    /// Whether a blob of a textual MIME type that is valid UTF-8 is shown as text. Default: true.
    pub text_blobs: bool,
    /// Whether a MIME type is checked against the first bytes. Default: true.
    pub sniff: bool,
    /// Images and audio blocks offered to a multimodal host as such; 0 for a model that reads only text.
    /// Default: 20.
    pub max_media_items: usize,
    /// Bytes of one image or audio part; a larger one is described instead. Default: 5 MiB.
    pub max_media_bytes: u64,
    /// Media types that the model takes inline. Default: PNG, JPEG, GIF, WebP, WAV and MP3.
    pub media_types: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            wording: Wording::Full,
            max_inline_chars: 50_000,
            max_inline_bytes: 100_000,
            max_total_chars: Some(200_000),
            preview_chars: 4_000,
            preview_bytes: 16_000,
            preview_head_percent: 70,
            honor_audience: true,
            merge_equal_text: true,
            text_blobs: true,
            sniff: true,
            max_media_items: 20,
            max_media_bytes: 5 * 1024 * 1024,
            media_types: [
                "image/png",
                "image/jpeg",
                "image/gif",
                "image/webp",
                "audio/wav",
                "audio/mpeg",
            ]
            .map(str::to_owned)
            .to_vec(),
        }
    }
}

impl Options {
    /// The IaC Code host's texts to the letter: no previews, no limit for the whole, nothing said once, MIME types believed.
    #[must_use]
    pub fn reference() -> Self {
        Self {
            wording: Wording::Reference,
            max_total_chars: None,
            preview_chars: 0,
            honor_audience: false,
            merge_equal_text: false,
            text_blobs: false,
            sniff: false,
            ..Self::default()
        }
    }

    /// The short texts of agents with a generic `use_mcp_tool`: bracketed headings, an `Error:` line, text up to 400 KiB, five images.
    #[must_use]
    pub fn compact() -> Self {
        Self {
            wording: Wording::Compact,
            max_inline_chars: 400 * 1024,
            max_inline_bytes: 400 * 1024,
            max_total_chars: Some(400 * 1024),
            max_media_items: 5,
            max_media_bytes: 2 * 1024 * 1024,
            ..Self::default()
        }
    }

    /// Sets both inline limits of one block: [`max_inline_chars`](Self::max_inline_chars) and
    /// [`max_inline_bytes`](Self::max_inline_bytes).
    #[must_use]
    pub fn with_max_inline(mut self, chars: usize, bytes: usize) -> Self {
        self.max_inline_chars = chars;
        self.max_inline_bytes = bytes;
        self
    }

    /// Sets both limits of a preview: [`preview_chars`](Self::preview_chars) and [`preview_bytes`](Self::preview_bytes).
    #[must_use]
    pub fn with_preview(mut self, chars: usize, bytes: usize) -> Self {
        self.preview_chars = chars;
        self.preview_bytes = bytes;
        self
    }

    /// Sets [`max_total_chars`](Self::max_total_chars).
    #[must_use]
    pub fn with_max_total_chars(mut self, chars: Option<usize>) -> Self {
        self.max_total_chars = chars;
        self
    }

    /// Sets [`max_media_items`](Self::max_media_items).
    #[must_use]
    pub fn with_max_media_items(mut self, items: usize) -> Self {
        self.max_media_items = items;
        self
    }

    /// Sets [`wording`](Self::wording).
    #[must_use]
    pub fn with_wording(mut self, wording: Wording) -> Self {
        self.wording = wording;
        self
    }

    pub(crate) fn fits_inline(&self, text: &str) -> bool {
        text.len() <= self.max_inline_bytes
            && (text.len() <= self.max_inline_chars
                || text.chars().count() <= self.max_inline_chars)
    }
}
