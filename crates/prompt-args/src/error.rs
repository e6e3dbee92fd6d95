//! Why a line could not be read, and where.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;
use core::ops::Range;

/// How much of a line [`ParseError::render`] shows before and after the place, in characters.
const AROUND: usize = 30;

/// A line that could not be read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ParseError {
    kind: ParseErrorKind,
    span: Range<usize>,
    message: Cow<'static, str>,
    hint: Cow<'static, str>,
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// A word stands where no argument has begun, or a name is missing before `=`.
    NotKeyValue,
    /// A quote is never closed.
    UnterminatedQuote,
    /// The line starts with `{` and is no JSON object.
    InvalidJson,
    /// The line starts with `{`, and the crate was built without the feature `json`.
    JsonUnsupported,
}

impl ParseErrorKind {
    /// A stable name: `not_key_value`, `unterminated_quote`, `invalid_json` or `json_unsupported`.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NotKeyValue => "not_key_value",
            Self::UnterminatedQuote => "unterminated_quote",
            Self::InvalidJson => "invalid_json",
            Self::JsonUnsupported => "json_unsupported",
        }
    }
}

impl ParseError {
    pub(crate) fn new(
        kind: ParseErrorKind,
        span: Range<usize>,
        message: impl Into<Cow<'static, str>>,
        hint: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            kind,
            span,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> ParseErrorKind {
        self.kind
    }

    /// Where in the line, in bytes at character boundaries; at the end of the line it may be empty.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// The message, the place in `line` with carets under it, and the hint, as four lines fit for a terminal.
    ///
    /// A long line is shown in part, and control characters as `\u{fffd}`.
    #[must_use]
    pub fn render(&self, line: &str) -> String {
        let before = line.get(..self.span.start).unwrap_or_default();
        let at = line.get(self.span.clone()).unwrap_or_default();
        let after = line.get(self.span.end..).unwrap_or_default();
        let start = before.char_indices().rev().nth(AROUND - 1);
        let start = start.map_or(0, |(index, _)| index);
        let mut shown = String::new();
        if start > 0 {
            shown.push('\u{2026}');
        }
        push_fit(&mut shown, before.get(start..).unwrap_or_default(), AROUND);
        let indent = width(&shown);
        let from = shown.len();
        let mut cut = push_fit(&mut shown, at, 2 * AROUND);
        let carets = width(shown.get(from..).unwrap_or_default()).max(1);
        if !cut {
            cut = push_fit(&mut shown, after, AROUND);
        }
        if cut {
            shown.push('\u{2026}');
        }
        alloc::format!(
            "{self}\n  {shown}\n  {:indent$}{:^<carets$}\nhint: {}\n",
            "",
            "",
            self.hint
        )
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for ParseError {}

/// Adds at most `most` characters of `text`, and tells whether some are left.
fn push_fit(shown: &mut String, text: &str, most: usize) -> bool {
    let mut chars = text.chars();
    shown.extend(chars.by_ref().take(most).map(visible));
    chars.next().is_some()
}

/// The start of `text`, fit to stand in a message.
pub(crate) fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    if push_fit(&mut shown, text, AROUND) {
        shown.push('\u{2026}');
    }
    shown
}

/// Line breaks, other controls and marks that turn the direction of text would spoil the picture.
fn visible(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// Columns of a terminal, near enough for the characters people type.
fn width(text: &str) -> usize {
    let wide = |c| {
        matches!(c,
            '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}'
            | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}')
    };
    let none = |c| matches!(c, '\u{300}'..='\u{36f}' | '\u{fe00}'..='\u{fe0f}');
    let columns = |c| if none(c) { 0 } else { 1 + usize::from(wide(c)) };
    text.chars().map(columns).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_carets_stand_under_the_place() {
        let long = "x".repeat(100);
        let cases = [
            ("ab cd", 3..5, "oops\n  ab cd\n     ^^\nhint: mend\n".into()),
            ("ab", 2..2, "oops\n  ab\n    ^\nhint: mend\n".into()),
            (
                "\u{540d}\u{1b}=\n",
                4..5,
                "oops\n  \u{540d}\u{fffd}= \n     ^\nhint: mend\n".into(),
            ),
            (
                &*long,
                50..51,
                alloc::format!(
                    "oops\n  \u{2026}{0}x{0}\u{2026}\n   {1}^\nhint: mend\n",
                    "x".repeat(30),
                    " ".repeat(30)
                ),
            ),
            ("ab", 9..12, String::from("oops\n  \n  ^\nhint: mend\n")),
        ];
        for (line, span, want) in cases {
            let error = ParseError::new(ParseErrorKind::NotKeyValue, span, "oops", "mend");
            assert_eq!(error.render(line), want, "{line:?}");
        }
    }
}
