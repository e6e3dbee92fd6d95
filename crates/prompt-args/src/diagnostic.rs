//! Errors as diagnostics of `miette`.

use alloc::boxed::Box;
use core::fmt::Display;

use miette::{Diagnostic, LabeledSpan};

use crate::error::ParseError;

impl Diagnostic for ParseError {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(self.kind().code()))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(self.hint()))
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(core::iter::once(LabeledSpan::underline(
            self.span(),
        ))))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_diagnostic_says_what_the_error_says() {
        let error = crate::parse("a=1 b='x").unwrap_err();
        let text = |text: Option<Box<dyn Display + '_>>| text.map(|text| text.to_string());
        assert_eq!(text(error.code()).as_deref(), Some("unterminated_quote"));
        assert_eq!(text(error.help()).as_deref(), Some(error.hint()));
        let labels = error.labels().into_iter().flatten();
        let labels: Vec<_> = labels.map(|label| (label.offset(), label.len())).collect();
        assert_eq!(labels, [(6, 2)]);
    }
}
