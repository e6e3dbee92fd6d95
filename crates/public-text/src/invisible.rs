use std::borrow::Cow;

/// Removes characters that nobody sees: tags, zero-width and bidirectional controls, fillers, stray selectors.
///
/// Text hidden in them reads as nothing to a person and as instructions to a model, and a change of direction makes a
/// line show something other than what it says. Joiners and variation selectors stay where scripts and emoji need them,
/// after a character that is not ASCII; a byte-order mark stays where it belongs, at the start. A line or paragraph
/// separator becomes a line feed.
///
/// ```
/// assert_eq!(mcp_bridge_public_text::without_invisible("pay\u{200b}\u{e0041}\u{202e}ment 👩\u{200d}💻"), "payment 👩\u{200d}💻");
/// ```
#[must_use]
pub fn without_invisible(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || Invisible::new(text).all(|(_, kept)| kept == Kept::AsItIs) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for (char, kept) in Invisible::new(text) {
        match kept {
            Kept::AsItIs => shown.push(char),
            Kept::AsLineFeed => shown.push('\n'),
            Kept::No => {}
        }
    }
    Cow::Owned(shown)
}

/// How many characters [`without_invisible`] would remove: for a warning that says so.
#[must_use]
pub fn invisible_count(text: &str) -> usize {
    if text.is_ascii() {
        return 0;
    }
    Invisible::new(text)
        .filter(|(_, kept)| *kept == Kept::No)
        .count()
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Kept {
    AsItIs,
    AsLineFeed,
    No,
}

struct Invisible<'a> {
    chars: std::str::Chars<'a>,
    /// The last character kept, if any.
    before: Option<char>,
}

impl<'a> Invisible<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            chars: text.chars(),
            before: None,
        }
    }
}

impl Iterator for Invisible<'_> {
    type Item = (char, Kept);

    fn next(&mut self) -> Option<Self::Item> {
        let char = self.chars.next()?;
        let kept = match char {
            '\u{2028}' | '\u{2029}' => Kept::AsLineFeed,
            '\u{feff}' if self.before.is_none() => Kept::AsItIs,
            char if is_joiner(char)
                && self
                    .before
                    .is_some_and(|before| !before.is_ascii() && !is_joiner(before)) =>
            {
                Kept::AsItIs
            }
            // A keycap: its selector stands after a plain digit.
            '\u{fe0f}' if self.chars.clone().next() == Some('\u{20e3}') => Kept::AsItIs,
            char if is_selector(char) && self.before.is_some_and(takes_selector) => Kept::AsItIs,
            char if is_joiner(char) || is_selector(char) || is_hidden(char) => Kept::No,
            _ => Kept::AsItIs,
        };
        match kept {
            Kept::AsItIs => self.before = Some(char),
            Kept::AsLineFeed => self.before = Some('\n'),
            Kept::No => {}
        }
        Some((char, kept))
    }
}

fn is_joiner(char: char) -> bool {
    matches!(char, '\u{200c}' | '\u{200d}')
}

fn is_selector(char: char) -> bool {
    matches!(char, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}')
}

fn takes_selector(before: char) -> bool {
    !(before.is_ascii() || is_joiner(before) || is_selector(before) || before == '\u{feff}')
}

fn is_hidden(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_scripts_and_emoji_need_stays() {
        let cases = [
            ("plain", "plain", 0),
            ("\u{feff}\u{feff}x\u{feff}", "\u{feff}x", 2),
            (
                "👩\u{200d}💻 ❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}",
                "👩\u{200d}💻 ❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}",
                0,
            ),
            ("می\u{200c}خواهم", "می\u{200c}خواهم", 0),
            (
                "pass\u{200d}word é\u{200d}\u{200d}x",
                "password é\u{200d}x",
                2,
            ),
            ("😀\u{fe01}\u{fe02}\u{e0101}", "😀\u{fe01}", 2),
            ("a\u{202e}b\u{2066}c\u{ad}", "abc", 3),
            ("\u{e0068}\u{e0069}", "", 2),
            ("one\u{2028}two", "one\ntwo", 0),
        ];
        for (given, want, count) in cases {
            assert_eq!(
                (without_invisible(given).as_ref(), invisible_count(given)),
                (want, count),
                "given {given:?}"
            );
        }
    }
}
