use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

use crate::controls::without_controls;

/// What ends a text that [`truncate`] has cut.
pub const TRUNCATED: &str = "[truncated]";

/// The longest beginning of `text` of at most `max_chars` characters that ends between two graphemes.
///
/// A single grapheme longer than that, which no script needs, is cut between two characters.
///
/// ```
/// assert_eq!(mcp_bridge_public_text::cut("a👩\u{200d}💻", 3), "a");
/// ```
#[must_use]
pub fn cut(text: &str, max_chars: usize) -> &str {
    let Some((limit, _)) = text.char_indices().nth(max_chars) else {
        return text;
    };
    // One character more lets the segmentation see whether the limit falls inside a grapheme.
    let seen = text
        .char_indices()
        .nth(max_chars + 1)
        .map_or(text.len(), |(index, _)| index);
    let seen = text.get(..seen).unwrap_or(text);
    let end = seen
        .grapheme_indices(true)
        .map(|(start, _)| start)
        .take_while(|start| *start <= limit)
        .last();
    let end = end.filter(|end| *end > 0).unwrap_or(limit);
    text.get(..end).unwrap_or_default()
}

/// `text` if it has at most `max_chars` characters; else its beginning, ended by [`TRUNCATED`] within that number.
///
/// Where there is no room for the marker, the text is [`cut`] without one.
///
/// ```
/// assert_eq!(mcp_bridge_public_text::truncate("a long sentence", 15), "a long sentence");
/// assert_eq!(mcp_bridge_public_text::truncate("a long sentence!", 15), "a lo[truncated]");
/// ```
#[must_use]
pub fn truncate(text: &str, max_chars: usize) -> Cow<'_, str> {
    if text.char_indices().nth(max_chars).is_none() {
        return Cow::Borrowed(text);
    }
    match max_chars.checked_sub(TRUNCATED.chars().count()) {
        Some(room) if room > 0 => Cow::Owned(format!("{}{TRUNCATED}", cut(text, room).trim_end())),
        _ => Cow::Borrowed(cut(text, max_chars)),
    }
}

/// `text` on one line: controls removed, each run of white space a single space, none at the ends.
///
/// ```
/// assert_eq!(mcp_bridge_public_text::one_line(" two\n\tlines\u{1b}[0m "), "two lines");
/// ```
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    let clean = without_controls(text);
    let is_single = !clean.starts_with(char::is_whitespace)
        && !clean.ends_with(char::is_whitespace)
        && !clean.contains(|char: char| char.is_whitespace() && char != ' ')
        && !clean.contains("  ");
    if is_single {
        return clean;
    }
    let mut line = String::with_capacity(clean.len());
    for word in clean.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    Cow::Owned(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_falls_between_graphemes() {
        let zalgo = format!("a{}", "\u{301}".repeat(50));
        let cases = [
            ("abc", 3, "abc"),
            ("abc", 2, "ab"),
            ("abc", 0, ""),
            ("é日👩\u{200d}💻x", 4, "é日"),
            ("é日👩\u{200d}💻x", 5, "é日👩\u{200d}💻"),
            ("a\r\nb", 2, "a"),
            (zalgo.as_str(), 3, "a\u{301}\u{301}"),
        ];
        for (given, max_chars, want) in cases {
            assert_eq!(
                cut(given, max_chars),
                want,
                "given {given:?} and {max_chars}"
            );
        }
    }
}
