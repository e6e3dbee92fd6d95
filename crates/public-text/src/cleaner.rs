use std::borrow::Cow;

use crate::controls::without_controls;
use crate::invisible::without_invisible;
use crate::secrets::mask;

/// `text` with everything hidden that this crate knows how to hide: [`Cleaner::default`] applied.
///
/// Cleaning what is already clean changes nothing.
#[must_use]
pub fn public(text: &str) -> Cow<'_, str> {
    Cleaner::default().clean(text)
}

/// What to take out of a text. Terminal controls always go.
///
/// ```
/// use mcp_bridge_public_text::Cleaner;
///
/// let text = "token=abc in '/tmp/x'";
/// assert_eq!(Cleaner::default().clean(text), "token=[REDACTED] in '[PATH]'");
/// assert_eq!(Cleaner::for_model().clean(text), "token=[REDACTED] in '/tmp/x'");
/// assert_eq!(Cleaner::for_display().clean(text), text);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Cleaner {
    /// Whether invisible characters are removed, as [`without_invisible`] does. Default: yes.
    pub invisible: bool,
    /// Whether secrets are masked: keys and tokens of known forms, values beside telling names, user names and passwords
    /// and telling parameters in addresses. Default: yes.
    pub secrets: bool,
    /// Whether paths of this machine are masked. Default: yes.
    pub paths: bool,
}

impl Cleaner {
    /// For text that a model reads and acts on, such as the text of an error: secrets masked, paths readable.
    #[must_use]
    pub fn for_model() -> Self {
        Self {
            paths: false,
            ..Self::default()
        }
    }

    /// For text that a person has to see as it is, such as a question: only what cannot be seen is removed.
    #[must_use]
    pub fn for_display() -> Self {
        Self {
            paths: false,
            secrets: false,
            ..Self::default()
        }
    }

    /// Leaves invisible characters where they are.
    #[must_use]
    pub fn keep_invisible(mut self) -> Self {
        self.invisible = false;
        self
    }

    /// Leaves secrets readable.
    #[must_use]
    pub fn keep_secrets(mut self) -> Self {
        self.secrets = false;
        self
    }

    /// Leaves paths readable.
    #[must_use]
    pub fn keep_paths(mut self) -> Self {
        self.paths = false;
        self
    }

    /// Cleans `text`; borrows where nothing had to change.
    ///
    /// What is hidden behind percent-encoding is found too: then the text is shown decoded.
    #[must_use]
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let visible = self.visible(text);
        if !self.secrets && !self.paths {
            return visible;
        }
        let masked = mask(&visible, self).map_or(visible, Cow::Owned);
        let decoded = percent_decoded(&masked).map(|decoded| self.visible(&decoded).into_owned());
        decoded
            .and_then(|decoded| mask(&decoded, self))
            .map_or(masked, Cow::Owned)
    }

    fn visible<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let text = without_controls(text);
        if !self.invisible {
            return text;
        }
        match text {
            Cow::Borrowed(text) => without_invisible(text),
            Cow::Owned(text) => match without_invisible(&text) {
                Cow::Owned(visible) => Cow::Owned(visible),
                Cow::Borrowed(_) => Cow::Owned(text),
            },
        }
    }
}

impl Default for Cleaner {
    fn default() -> Self {
        Self {
            invisible: true,
            secrets: true,
            paths: true,
        }
    }
}

/// How many layers of percent-encoding are taken off.
const MAX_LAYERS: usize = 8;

fn percent_decoded(text: &str) -> Option<String> {
    let mut decoded = decode_once(text)?;
    for _ in 1..MAX_LAYERS {
        match decode_once(&decoded) {
            Some(deeper) => decoded = deeper,
            None => break,
        }
    }
    Some(decoded)
}

fn decode_once(text: &str) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let mut is_changed = false;
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = match after {
            [high, low, tail @ ..] if byte == b'%' => hex(*high)
                .zip(hex(*low))
                .map(|(high, low)| (high << 4 | low, tail)),
            _ => None,
        };
        let (byte, after) = escaped
            .inspect(|_| is_changed = true)
            .unwrap_or((byte, after));
        bytes.push(byte);
        rest = after;
    }
    is_changed.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}
