//! The reader of `name=value` lines.

use alloc::borrow::Cow;
use alloc::string::ToString as _;
use alloc::vec::Vec;
use core::ops::Range;

use crate::arguments::{Argument, Arguments};
use crate::declared::Declared;
use crate::error::{ParseError, ParseErrorKind, excerpt};
use crate::options::{Options, Spacing};
use crate::text::Text;

pub(crate) fn parse<'a>(
    options: &Options,
    line: &'a str,
    declared: &[Declared<'_>],
) -> Result<Arguments<'a>, ParseError> {
    if line.trim_start().starts_with('{') {
        #[cfg(feature = "json")]
        return crate::json::parse(line);
        #[cfg(not(feature = "json"))]
        return Err(ParseError::new(
            ParseErrorKind::JsonUnsupported,
            0..line.len(),
            "JSON arguments are not supported here",
            "write name=value, and quote a first name that starts with {",
        ));
    }
    match Reader::new(options, line, declared, Closing::Unknown).read() {
        Err(error) if error.kind() == ParseErrorKind::UnterminatedQuote => {
            let closable = closable(line);
            if closable.first().is_some_and(|modes| modes & OUTSIDE != 0) {
                Reader::new(options, line, declared, Closing::Known(&closable)).read()
            } else {
                Err(error)
            }
        }
        read => read,
    }
    .map(Arguments::new)
}

const OUTSIDE: u8 = 1;
const SINGLE: u8 = 2;
const DOUBLE: u8 = 4;

fn mode(quote: u8) -> u8 {
    if quote == b'"' { DOUBLE } else { SINGLE }
}

/// For each byte, the modes in which the rest of the line can still be closed.
fn closable(line: &str) -> Vec<u8> {
    let bytes = line.as_bytes();
    let mut closable = alloc::vec![0; bytes.len() + 1];
    if let Some(end) = closable.last_mut() {
        *end = OUTSIDE;
    }
    let mut byte_after = None;
    let (mut next, mut next_but_one) = (OUTSIDE, 0);
    for (index, &byte) in bytes.iter().enumerate().rev() {
        let can = |modes: u8, mode: u8, gives: u8| if modes & mode == 0 { 0 } else { gives };
        let inside = |quote: u8| match byte {
            byte if byte == quote => can(next, OUTSIDE, mode(quote)),
            b'\\' if byte_after == Some(quote) => {
                let may_end = ends_piece(line, index + 2);
                let end = if may_end {
                    can(next_but_one, OUTSIDE, mode(quote))
                } else {
                    0
                };
                can(next_but_one, mode(quote), mode(quote)) | end
            }
            _ => next & mode(quote),
        };
        let outside = match byte {
            b'"' => can(next, DOUBLE, OUTSIDE),
            b'\'' if is_apostrophe(line, index) => {
                can(next, OUTSIDE, OUTSIDE) | can(next, SINGLE, OUTSIDE)
            }
            b'\'' => can(next, SINGLE, OUTSIDE),
            _ => next & OUTSIDE,
        };
        let modes = outside | inside(b'\'') | inside(b'"');
        if let Some(slot) = closable.get_mut(index) {
            *slot = modes;
        }
        byte_after = Some(byte);
        (next, next_but_one) = (modes, next);
    }
    closable
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace)
}

fn ends_piece(line: &str, at: usize) -> bool {
    let next = line.get(at..).and_then(|rest| rest.chars().next());
    next.is_none_or(char::is_whitespace)
}

/// Whether the `'` at `at` stands between two letters or digits.
fn is_apostrophe(line: &str, at: usize) -> bool {
    let before = line.get(..at).and_then(|text| text.chars().next_back());
    let after = line.get(at + 1..).and_then(|text| text.chars().next());
    before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)
}

/// What is known of how quotes end further on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Closing<'c> {
    /// Nothing: read by the plain rules.
    Unknown,
    /// The modes that can be closed, for each byte.
    Known(&'c [u8]),
}

impl Closing<'_> {
    fn can(self, mode: u8, at: usize) -> bool {
        match self {
            Self::Unknown => true,
            Self::Known(modes) => modes.get(at).is_some_and(|modes| modes & mode != 0),
        }
    }
}

/// An argument whose value may still grow.
#[derive(Clone, Debug)]
pub(crate) struct Open<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) name_span: Range<usize>,
    pub(crate) value: Text<'a>,
    pub(crate) value_span: Range<usize>,
    positional: bool,
}

impl<'a> Open<'a> {
    pub(crate) fn close(self) -> Argument<'a> {
        Argument {
            name: self.name,
            value: self.value.finish(),
            name_span: self.name_span,
            value_span: self.value_span,
        }
    }
}

/// One piece of a line, without its quotes.
#[derive(Debug)]
pub(crate) struct Piece<'a> {
    /// The name, where the piece starts an argument, and where it ends in the line.
    pub(crate) name: Option<(Text<'a>, usize)>,
    /// The rest, all of it for a word.
    pub(crate) text: Text<'a>,
    pub(crate) span: Range<usize>,
    pub(crate) quoted: bool,
    /// A quote that was open when the line ended.
    pub(crate) unclosed: Option<(char, usize)>,
}

pub(crate) struct Reader<'a, 'o> {
    options: &'o Options,
    line: &'a str,
    declared: &'o [Declared<'o>],
    closing: Closing<'o>,
    at: usize,
    pub(crate) done: Vec<Argument<'a>>,
    pub(crate) open: Option<Open<'a>>,
    words: usize,
}

impl<'a, 'o> Reader<'a, 'o> {
    pub(crate) fn new(
        options: &'o Options,
        line: &'a str,
        declared: &'o [Declared<'o>],
        closing: Closing<'o>,
    ) -> Self {
        Self {
            options,
            line,
            declared,
            closing,
            at: 0,
            done: Vec::new(),
            open: None,
            words: 0,
        }
    }

    fn read(mut self) -> Result<Vec<Argument<'a>>, ParseError> {
        while let Some((gap, piece)) = self.next_piece() {
            if let Some((quote, at)) = piece.unclosed {
                return Err(unclosed(self.line, quote, at));
            }
            self.take(gap, piece)?;
        }
        self.close();
        Ok(self.done)
    }

    /// The white space before the next piece, and the piece.
    pub(crate) fn next_piece(&mut self) -> Option<(Range<usize>, Piece<'a>)> {
        let rest = self.line.get(self.at..)?;
        let start = self.line.len() - rest.trim_start().len();
        let gap = self.at..start;
        self.at = start;
        (start < self.line.len()).then(|| (gap, self.piece()))
    }

    /// Reads one piece, which is not empty.
    fn piece(&mut self) -> Piece<'a> {
        let (line, start) = (self.line, self.at);
        let bytes = line.as_bytes();
        let mut piece = Piece {
            name: None,
            text: Text::new(line),
            span: start..start,
            quoted: false,
            unclosed: None,
        };
        let mut may_be_name = true;
        let mut run = start;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'=' if may_be_name => {
                    may_be_name = false;
                    piece.text.push(run..self.at);
                    run = self.at;
                    if is_name(piece.text.as_str()) {
                        let name = core::mem::replace(&mut piece.text, Text::new(line));
                        piece.name = Some((name, self.at));
                        run = self.at + 1;
                    }
                    self.at += 1;
                }
                b'\'' if is_apostrophe(line, self.at) && self.closing.can(OUTSIDE, self.at + 1) => {
                    self.at += 1;
                }
                b'"' | b'\'' => {
                    piece.text.push(run..self.at);
                    piece.quoted = true;
                    let opened = self.at;
                    self.at += 1;
                    if !self.quoted(byte, &mut piece.text) {
                        piece.unclosed = Some((char::from(byte), opened));
                    }
                    run = self.at;
                }
                b'\t'..=b'\r' | b' ' => break,
                0x80.. => {
                    let next = line.get(self.at..).and_then(|rest| rest.chars().next());
                    match next {
                        Some(c) if c.is_whitespace() => break,
                        // The scan stops at whole characters only, so there is always one here.
                        next => self.at += next.map_or(1, char::len_utf8),
                    }
                }
                _ => self.at += 1,
            }
        }
        piece.text.push(run..self.at);
        piece.span.end = self.at;
        piece
    }

    /// Reads up to the closing quote, and tells whether there was one.
    fn quoted(&mut self, quote: u8, text: &mut Text<'a>) -> bool {
        let mut run = self.at;
        let bytes = self.line.as_bytes();
        while let Some(rest) = bytes.get(self.at..) {
            let Some(found) = rest.iter().position(|&b| b == quote || b == b'\\') else {
                break;
            };
            let at = self.at + found;
            self.at = at + 1;
            if bytes.get(at) == Some(&quote) {
                text.push(run..at);
                return true;
            }
            if bytes.get(at + 1) != Some(&quote) {
                continue;
            }
            self.at = at + 2;
            if self.closing.can(mode(quote), at + 2) {
                text.push(run..at);
                run = at + 1;
            } else if ends_piece(self.line, at + 2) {
                text.push(run..at + 1);
                return true;
            }
        }
        self.at = self.line.len();
        text.push(run..self.at);
        false
    }

    pub(crate) fn take(&mut self, gap: Range<usize>, piece: Piece<'a>) -> Result<(), ParseError> {
        let span = piece.span;
        if let Some((name, end)) = piece.name {
            self.close();
            self.open = Some(Open {
                name: name.finish(),
                name_span: span.start..end,
                value: piece.text,
                value_span: end + 1..span.end,
                positional: false,
            });
            return Ok(());
        }
        let named = self.open.as_ref().is_some_and(|open| !open.positional);
        if self.options.positional
            && !named
            && let Some(declared) = self.declared.get(self.words)
            && (piece.quoted || !piece.text.is_empty())
        {
            self.words += 1;
            self.close();
            self.open = Some(Open {
                name: Cow::Owned(declared.name.to_string()),
                name_span: span.start..span.start,
                value: piece.text,
                value_span: span,
                positional: true,
            });
            return Ok(());
        }
        if piece.text.is_empty() {
            return Ok(());
        }
        let Some(open) = &mut self.open else {
            return self.first(span, piece.text);
        };
        if open.value.is_empty() {
            open.value_span.start = span.start;
        } else if self.options.spacing == Spacing::AsTyped
            || self.line.get(gap.clone()) == Some(" ")
        {
            open.value.push(gap);
        } else {
            open.value.push_str(" ");
        }
        open.value.append(piece.text);
        open.value_span.end = span.end;
        Ok(())
    }

    /// Takes a piece that no argument comes before: here even a quoted `=` starts one.
    fn first(&mut self, span: Range<usize>, text: Text<'a>) -> Result<(), ParseError> {
        match text.split() {
            Ok((name, value)) if is_name(name.as_str()) => {
                self.open = Some(Open {
                    name: name.finish(),
                    name_span: span.clone(),
                    value,
                    value_span: span,
                    positional: false,
                });
                Ok(())
            }
            _ => Err(not_key_value(self.line, span)),
        }
    }

    pub(crate) fn close(&mut self) {
        self.done.extend(self.open.take().map(Open::close));
    }
}

fn unclosed(line: &str, quote: char, at: usize) -> ParseError {
    let shown = line.get(at..).unwrap_or_default().trim_end();
    ParseError::new(
        ParseErrorKind::UnterminatedQuote,
        at..at + shown.len(),
        alloc::format!("the quote `{quote}` is never closed"),
        alloc::format!("close it, or write \\{quote} for a quote that is part of the text"),
    )
}

fn not_key_value(line: &str, span: Range<usize>) -> ParseError {
    let piece = line.get(span.clone()).unwrap_or_default();
    let (message, hint) = if piece.starts_with('=') {
        (
            alloc::format!("a name is missing before `{}`", excerpt(piece)),
            "write name=value",
        )
    } else {
        (
            alloc::format!("`{}` belongs to no argument", excerpt(piece)),
            "write name=value; words go on with the value before them",
        )
    };
    ParseError::new(ParseErrorKind::NotKeyValue, span, message, hint)
}
