//! What is being typed at the cursor.

use alloc::borrow::Cow;
use alloc::string::ToString as _;
use core::ops::Range;

use crate::arguments::{Argument, Arguments};
use crate::declared::Declared;
use crate::options::Options;
use crate::scan::{Closing, Open, Reader};

/// What a cursor stands on.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Completion<'a> {
    /// The argument whose value the text at the cursor is, or goes on with; `None` before the first one.
    pub argument: Option<Cow<'a, str>>,
    /// That value up to the cursor, without quotes: what `completion/complete` wants to know.
    pub value: Cow<'a, str>,
    /// Where that value stands in the line, in bytes, quotes included, up to the cursor.
    pub value_span: Range<usize>,
    /// The start of a name, if the text at the cursor may become one; empty after white space.
    pub name: Option<Cow<'a, str>>,
    /// The quote that is open at the cursor.
    pub quote: Option<char>,
    /// The arguments before, as context for `completion/complete`.
    pub before: Arguments<'a>,
}

/// What is being typed at `cursor`, a byte of `line`; the line after it is not looked at.
///
/// A prompt's declared arguments say where a word without a name belongs. `None` for a JSON line.
///
/// ```
/// # use mcp_bridge_prompt_args::complete_at;
/// let typed = complete_at("region=eu city=Ber", 18, &[]).unwrap();
/// assert_eq!(typed.argument.as_deref(), Some("city"));
/// assert_eq!((&*typed.value, typed.before.get("region")), ("Ber", Some("eu")));
///
/// let typed = complete_at("region=eu ci", 12, &[]).unwrap();
/// assert_eq!(typed.name.as_deref(), Some("ci"));
/// ```
#[must_use]
pub fn complete_at<'a>(
    line: &'a str,
    cursor: usize,
    declared: &[Declared<'_>],
) -> Option<Completion<'a>> {
    let mut cursor = cursor.min(line.len());
    while !line.is_char_boundary(cursor) {
        cursor = cursor.saturating_sub(1);
    }
    let line = line.get(..cursor)?;
    if line.trim_start().starts_with('{') {
        return None;
    }
    let options = Options::default();
    let mut reader = Reader::new(&options, line, declared, Closing::Unknown);
    let mut name = Some(Cow::Borrowed(""));
    let mut quote = None;
    while let Some((gap, piece)) = reader.next_piece() {
        let touches = piece.span.end == cursor;
        quote = piece.unclosed.map(|(quote, _)| quote);
        name = match (touches, &piece.name) {
            (false, _) => Some(Cow::Borrowed("")),
            (true, Some(_)) => None,
            (true, None) if piece.quoted => None,
            (true, None) => line.get(piece.span.clone()).map(Cow::Borrowed),
        };
        // A word that belongs to nothing yet is no error while it is being typed.
        let _ = reader.take(gap, piece);
    }
    let unfinished = name.as_deref() == Some("");
    let open = reader.open.take().map(Open::close);
    let mut before = reader.done;
    let (argument, value, value_span) = match open {
        // After white space the next word belongs to the next declared argument, if there is one.
        Some(open) if unfinished && open.name_span.is_empty() => {
            let next = declared.get(before.len() + 1);
            match next {
                Some(next) => {
                    before.push(open);
                    let name = Cow::Owned(next.name.to_string());
                    (Some(name), Cow::Borrowed(""), cursor..cursor)
                }
                None => parts(open),
            }
        }
        Some(open) => parts(open),
        None => {
            let first = declared.first().filter(|_| before.is_empty());
            let name = first.map(|first| Cow::Owned(first.name.to_string()));
            (name, Cow::Borrowed(""), cursor..cursor)
        }
    };
    Some(Completion {
        argument,
        value,
        value_span,
        name,
        quote,
        before: Arguments::new(before),
    })
}

type Parts<'a> = (Option<Cow<'a, str>>, Cow<'a, str>, Range<usize>);

fn parts(open: Argument<'_>) -> Parts<'_> {
    (Some(open.name), open.value, open.value_span)
}
