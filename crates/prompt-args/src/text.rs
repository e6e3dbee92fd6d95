//! Text that is borrowed as long as it can be.

use alloc::borrow::{Cow, ToOwned as _};
use alloc::string::String;
use core::ops::Range;

/// Text put together from pieces of a line, borrowed while the pieces touch.
#[derive(Clone, Debug)]
pub(crate) struct Text<'a> {
    line: &'a str,
    range: Range<usize>,
    owned: Option<String>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(line: &'a str) -> Self {
        Self {
            line,
            range: 0..0,
            owned: None,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.range.is_empty() && self.owned.as_ref().is_none_or(String::is_empty)
    }

    pub(crate) fn as_str(&self) -> &str {
        match &self.owned {
            Some(owned) => owned,
            None => self.line.get(self.range.clone()).unwrap_or_default(),
        }
    }

    /// Adds a piece of the line.
    pub(crate) fn push(&mut self, piece: Range<usize>) {
        if piece.is_empty() {
        } else if self.owned.is_none() && self.range.is_empty() {
            self.range = piece;
        } else if self.owned.is_none() && self.range.end == piece.start {
            self.range.end = piece.end;
        } else {
            let piece = self.line.get(piece).unwrap_or_default();
            self.owned().push_str(piece);
        }
    }

    pub(crate) fn push_str(&mut self, piece: &str) {
        self.owned().push_str(piece);
    }

    /// Adds a text of the same line.
    pub(crate) fn append(&mut self, other: Text<'a>) {
        match other.owned {
            None => self.push(other.range),
            Some(owned) => self.push_str(&owned),
        }
    }

    /// The texts before and after the first `=`.
    pub(crate) fn split(self) -> Result<(Text<'a>, Text<'a>), Text<'a>> {
        let Some((name, value)) = self.as_str().split_once('=') else {
            return Err(self);
        };
        let (mut before, mut after) = (Text::new(self.line), Text::new(self.line));
        if self.owned.is_none() {
            let middle = self.range.start + name.len();
            before.push(self.range.start..middle);
            after.push(middle + 1..self.range.end);
        } else {
            before.push_str(name);
            after.push_str(value);
        }
        Ok((before, after))
    }

    pub(crate) fn finish(self) -> Cow<'a, str> {
        match self.owned {
            Some(owned) => Cow::Owned(owned),
            None => Cow::Borrowed(self.line.get(self.range).unwrap_or_default()),
        }
    }

    fn owned(&mut self) -> &mut String {
        let borrowed = self.line.get(self.range.clone()).unwrap_or_default();
        self.owned.get_or_insert_with(|| borrowed.to_owned())
    }
}
