//! How names are made.

use std::collections::BTreeSet;

use crate::digest::{self, SHORT_HEX};
use crate::name::ToolName;

/// How public names are made, and what a model API accepts.
///
/// The default is `mcp__<server>__<tool>` in letters, digits and `_`, at most 64 bytes, which every known model
/// API takes. Whatever is set here, a name still comes out unique: see the `with_` methods for what is repaired.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NameProfile {
    max_bytes: Option<usize>,
    prefix: String,
    separator: String,
    sanitizing: Sanitizing,
    clash: Clash,
    cut: Cut,
    reserved: BTreeSet<String>,
}

/// Which characters of a server's or a tool's name stay.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Sanitizing {
    /// Letters, digits and `_` of ASCII; every other run becomes one `_`; then `_` goes from both ends.
    Word,
    /// The same, and `-` stays.
    WordHyphen,
    /// The same, and `-` and `.` stay.
    WordHyphenDot,
    /// Letters, digits, `_`, and single `-` between them, so that `--` can only be a separator.
    SingleHyphens,
}

/// Who gets a digest at the end, as `_` and eight hex digits of SHA-256 over `server NUL tool`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Clash {
    /// Every member of a clash.
    SuffixAll,
    /// Every member of a clash, save the one that needed no change, if there is exactly one.
    KeepPlain,
    /// Every name that had to be changed, clash or not, and each literal clash: names hardly depend on each other.
    SuffixChanged,
}

/// What a name over the limit loses to make room for the digest.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Cut {
    /// The longer of server and tool gives first, so that both keep a readable start.
    Share,
    /// The end goes, whatever it is.
    End,
}

/// A name before clashes are looked at.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) name: ToolName,
    /// Whether server and tool stand in it as the server wrote them.
    pub(crate) plain: bool,
}

impl Default for NameProfile {
    fn default() -> Self {
        Self {
            max_bytes: Some(64),
            prefix: "mcp".to_owned(),
            separator: "__".to_owned(),
            sanitizing: Sanitizing::Word,
            clash: Clash::SuffixAll,
            cut: Cut::Share,
            reserved: BTreeSet::new(),
        }
    }
}

impl NameProfile {
    /// The lowest limit that leaves room for a prefix, a long digest and a readable rest.
    pub const LEAST_MAX_BYTES: usize = 40;

    /// The default without a limit: the names IaC Code gives.
    #[must_use]
    pub fn reference() -> Self {
        Self::default().with_max_bytes(None)
    }

    /// For OpenAI's function names: at most 64 of `A-Z a-z 0-9 _ -`.
    #[must_use]
    pub fn openai() -> Self {
        Self::default()
            .with_sanitizing(Sanitizing::WordHyphen)
            .with_clash(Clash::KeepPlain)
    }

    /// For Anthropic's tool names: at most 64 of `A-Z a-z 0-9 _ -`, which the cloud resellers of the API take too.
    #[must_use]
    pub fn anthropic() -> Self {
        Self::openai()
    }

    /// For Gemini's function names: at most 63 of `A-Z a-z 0-9 _ -`, starting with a letter.
    ///
    /// Newer interfaces of Gemini take 64 bytes, or more, and dots; this is what all of them take.
    #[must_use]
    pub fn gemini() -> Self {
        Self::openai().with_max_bytes(63)
    }

    /// `mcp--server--tool` as Roo-style agents write it: a changed name always ends in its digest.
    #[must_use]
    pub fn double_hyphen() -> Self {
        Self::default()
            .with_separator("--")
            .with_sanitizing(Sanitizing::SingleHyphens)
            .with_clash(Clash::SuffixChanged)
            .with_cut(Cut::End)
    }

    /// Sets the longest name in bytes, `None` for no limit. Default: 64.
    ///
    /// Values under [`LEAST_MAX_BYTES`](Self::LEAST_MAX_BYTES) are raised to it.
    #[must_use]
    pub fn with_max_bytes(mut self, bytes: impl Into<Option<usize>>) -> Self {
        self.max_bytes = bytes.into().map(|bytes| bytes.max(Self::LEAST_MAX_BYTES));
        self
    }

    /// Sets what every name starts with, before a separator. Default: `mcp`.
    ///
    /// Only the first 12 of its `A-Z a-z 0-9 _ -` count; nothing left means neither prefix nor separator.
    #[must_use]
    pub fn with_prefix(mut self, prefix: &str) -> Self {
        self.prefix = piece(prefix, 12);
        self
    }

    /// Sets what stands between prefix, server and tool. Default: `__`.
    ///
    /// Only the first four of its `A-Z a-z 0-9 _ -` count; nothing left means `_`.
    #[must_use]
    pub fn with_separator(mut self, separator: &str) -> Self {
        self.separator = piece(separator, 4);
        if self.separator.is_empty() {
            self.separator.push('_');
        }
        self
    }

    /// Sets which characters stay. Default: [`Sanitizing::Word`].
    #[must_use]
    pub fn with_sanitizing(mut self, sanitizing: Sanitizing) -> Self {
        self.sanitizing = sanitizing;
        self
    }

    /// Sets who gets a digest. Default: [`Clash::SuffixAll`].
    #[must_use]
    pub fn with_clash(mut self, clash: Clash) -> Self {
        self.clash = clash;
        self
    }

    /// Sets how a long name is cut. Default: [`Cut::Share`].
    #[must_use]
    pub fn with_cut(mut self, cut: Cut) -> Self {
        self.cut = cut;
        self
    }

    /// Adds names of the host itself, which no entry of a table will get. Default: none.
    #[must_use]
    pub fn with_reserved<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.reserved.extend(names.into_iter().map(Into::into));
        self
    }

    /// The longest name in bytes, if there is a limit.
    #[must_use]
    pub fn max_bytes(&self) -> Option<usize> {
        self.max_bytes
    }

    /// What every name starts with, such as `mcp__`.
    #[must_use]
    pub fn start(&self) -> String {
        let mut start = self.prefix.clone();
        if !start.is_empty() {
            start.push_str(&self.separator);
        }
        start
    }

    /// What stands between prefix, server and tool.
    #[must_use]
    pub fn separator(&self) -> &str {
        &self.separator
    }

    /// Whether the host keeps `name` for itself.
    #[must_use]
    pub fn is_reserved(&self, name: &str) -> bool {
        self.reserved.contains(name)
    }

    /// The part of a name that stands for `raw`, a server or a tool, at full length.
    ///
    /// ```
    /// # use mcp_bridge_tool_names::NameProfile;
    /// assert_eq!(NameProfile::default().part("../read  file!"), "read_file");
    /// assert_eq!(NameProfile::default().part("\u{8a9e}"), "mcp");
    /// ```
    #[must_use]
    pub fn part(&self, raw: &str) -> String {
        let mut part = String::with_capacity(raw.len());
        self.push_part(&mut part, raw);
        part
    }

    /// Adds the part for `raw` to `name`.
    fn push_part(&self, name: &mut String, raw: &str) {
        let (hyphen, dot) = match self.sanitizing {
            Sanitizing::Word => (false, false),
            Sanitizing::WordHyphen => (true, false),
            Sanitizing::WordHyphenDot => (true, true),
            Sanitizing::SingleHyphens => return push_single_hyphens(name, raw),
        };
        let start = name.len();
        let mut in_run = false;
        for byte in raw.bytes() {
            let stays = byte.is_ascii_alphanumeric()
                || (byte == b'_' && name.len() > start)
                || (byte == b'-' && hyphen)
                || (byte == b'.' && dot);
            if stays {
                name.push(char::from(byte));
            } else if !in_run && name.len() > start {
                name.push('_');
            }
            in_run = !stays;
        }
        while name.len() > start && name.ends_with('_') {
            name.pop();
        }
        if name.len() == start {
            name.push_str("mcp");
        }
    }

    /// The name of one pair on its own, before clashes with others: [`NameTable`](crate::NameTable) settles those.
    #[must_use]
    pub fn name(&self, server: &str, tool: &str) -> ToolName {
        let digest = || digest::hex([server, tool]);
        self.base(server, &self.part(server), tool, digest).name
    }

    /// `server_part` is `self.part(server)`, which callers with many tools of one server have at hand.
    pub(crate) fn base(
        &self,
        server: &str,
        server_part: &str,
        tool: &str,
        digest: impl FnOnce() -> String,
    ) -> Base {
        let mut name = self.joined(server_part, "", tool.len());
        let tool_start = name.len();
        self.push_part(&mut name, tool);
        let tool_part = name.get(tool_start..).unwrap_or_default();
        let fits = self.max_bytes.is_none_or(|max| name.len() <= max);
        let plain = fits && server_part == server && tool_part == tool;
        if !fits || (!plain && self.clash == Clash::SuffixChanged) {
            if self.cut == Cut::Share {
                name = self.shared(server_part, tool_part);
            }
            name = self.suffixed(&name, first(&digest(), SHORT_HEX));
        }
        let name = ToolName::from_made(&name);
        Base { name, plain }
    }

    /// `base` and `suffix` with `_` between them, `base` cut where the limit demands it.
    pub(crate) fn suffixed(&self, base: &str, suffix: &str) -> String {
        let room = self
            .max_bytes
            .map_or(usize::MAX, |max| max.saturating_sub(suffix.len() + 1));
        format!("{}_{suffix}", first(base, room))
    }

    pub(crate) fn clash(&self) -> Clash {
        self.clash
    }

    /// A name with room for `more` bytes.
    fn joined(&self, server: &str, tool: &str, more: usize) -> String {
        let (prefix, separator) = (&*self.prefix, &*self.separator);
        let pieces = prefix.len() + 2 * separator.len() + server.len() + tool.len();
        let mut name = String::with_capacity(pieces + more);
        if !prefix.is_empty() {
            name.push_str(prefix);
            name.push_str(separator);
        }
        for piece in [server, separator, tool] {
            name.push_str(piece);
        }
        name
    }

    /// Server and tool cut so that the name and a short digest fit the limit.
    fn shared(&self, server: &str, tool: &str) -> String {
        let taken = self.start().len() + self.separator.len() + SHORT_HEX + 1;
        let room = self
            .max_bytes
            .map_or(usize::MAX, |max| max.saturating_sub(taken));
        let half = room / 2;
        let for_server = server.len().min(half.max(room.saturating_sub(tool.len())));
        let for_tool = room.saturating_sub(for_server);
        self.joined(first(server, for_server), first(tool, for_tool), 0)
    }
}

/// The first `bytes` of ASCII text, all of it when it is shorter.
pub(crate) fn first(text: &str, bytes: usize) -> &str {
    text.get(..bytes).unwrap_or(text)
}

fn piece(text: &str, most: usize) -> String {
    text.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        .take(most)
        .collect()
}

fn push_single_hyphens(name: &mut String, raw: &str) {
    let start = name.len();
    let mut last = '-';
    for byte in raw.bytes() {
        let class = match byte {
            b'-' => '-',
            byte if byte == b'_' || byte.is_ascii_alphanumeric() => 'w',
            _ => '_',
        };
        if class == 'w' {
            name.push(char::from(byte));
        } else if class != last {
            name.push(class);
        }
        last = class;
    }
    if name.len() > start && name.ends_with('-') {
        name.pop();
    }
    if name.len() == start {
        name.push('_');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_alphabet_keeps_what_it_can() {
        let cases = [
            // raw, word, with hyphen, with hyphen and dot, single hyphens
            (
                "read file",
                "read_file",
                "read_file",
                "read_file",
                "read_file",
            ),
            ("a-_b", "a__b", "a-_b", "a-_b", "a-_b"),
            ("a--b", "a_b", "a--b", "a--b", "a-b"),
            ("v1.2", "v1_2", "v1_2", "v1.2", "v1_2"),
            ("__a__", "a", "a", "a", "__a__"),
            ("-a-", "a", "-a-", "-a-", "a"),
            ("", "mcp", "mcp", "mcp", "_"),
            ("\u{8a9e}\0", "mcp", "mcp", "mcp", "_"),
        ];
        for (raw, word, hyphen, dot, single) in cases {
            let part = |sanitizing| NameProfile::default().with_sanitizing(sanitizing).part(raw);
            let got = [
                part(Sanitizing::Word),
                part(Sanitizing::WordHyphen),
                part(Sanitizing::WordHyphenDot),
                part(Sanitizing::SingleHyphens),
            ];
            assert_eq!(got, [word, hyphen, dot, single], "given {raw:?}");
        }
    }

    #[test]
    fn a_long_name_keeps_a_readable_start_of_both_and_ends_in_its_digest() {
        let profile = NameProfile::default();
        let long = "abcdefghij".repeat(8);
        let cases = [
            (
                &*long,
                "tool",
                "mcp__abcdefghijabcdefghijabcdefghijabcdefghijabcd__tool_5277a117",
            ),
            (
                "srv",
                &*long,
                "mcp__srv__abcdefghijabcdefghijabcdefghijabcdefghijabcde_b0c4eb9d",
            ),
            (
                &*long,
                &*long,
                "mcp__abcdefghijabcdefghijabcd__abcdefghijabcdefghijabcd_6dabccde",
            ),
        ];
        for (server, tool, want) in cases {
            assert_eq!(profile.name(server, tool).as_str(), want);
            assert_eq!(want.len(), 64);
        }
    }

    #[test]
    fn odd_settings_are_repaired() {
        let profile = NameProfile::default()
            .with_max_bytes(3)
            .with_prefix("x y/\u{e9}zzzzzzzzzzzzzzzz")
            .with_separator("//");
        assert_eq!(profile.max_bytes(), Some(40));
        assert_eq!(profile.start(), "xyzzzzzzzzzz_");
        assert_eq!(
            NameProfile::default()
                .with_prefix("")
                .name("s", "t")
                .as_str(),
            "s__t"
        );
    }
}
