//! What an embedder may want otherwise.

use crate::arguments::Arguments;
use crate::declared::Declared;
use crate::error::ParseError;
use crate::scan;

/// How a line is read.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// What stands between the words of a value. Default: [`Spacing::AsTyped`].
    pub spacing: Spacing,
    /// Whether words before the first `name=` are values of the declared arguments, in their order; more words than
    /// arguments go to the last one. Default: yes; it takes [`parse_for`](Self::parse_for) to declare any.
    pub positional: bool,
}

/// What stands between the words of an unquoted value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Spacing {
    /// The white space of the line.
    AsTyped,
    /// One space.
    Single,
}

/// Whether `name=` or `name=""` gives an argument.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum EmptyValue {
    /// It does: what an empty value means is the server's business.
    Given,
    /// It counts as missing.
    Missing,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            spacing: Spacing::AsTyped,
            positional: true,
        }
    }
}

impl Options {
    /// The reading of IaC Code: single spaces, and words need a name before them.
    #[must_use]
    pub fn reference() -> Self {
        Self {
            spacing: Spacing::Single,
            positional: false,
        }
    }

    /// Sets [`spacing`](Self::spacing).
    #[must_use]
    pub fn with_spacing(mut self, spacing: Spacing) -> Self {
        self.spacing = spacing;
        self
    }

    /// Sets [`positional`](Self::positional).
    #[must_use]
    pub fn with_positional(mut self, positional: bool) -> Self {
        self.positional = positional;
        self
    }

    /// Reads a line.
    ///
    /// # Errors
    ///
    /// [`ParseError`], with the place in `line` and a hint.
    pub fn parse<'a>(&self, line: &'a str) -> Result<Arguments<'a>, ParseError> {
        scan::parse(self, line, &[])
    }

    /// Reads a line for a prompt that declares its arguments; undeclared names are kept, missing ones are no error here.
    ///
    /// ```
    /// # use mcp_bridge_prompt_args::{Declared, Options};
    /// let declared = [Declared::required("band"), Declared::optional("hall")];
    /// let arguments = Options::default().parse_for("Muse 'Town Hall'", &declared)?;
    /// assert_eq!(arguments.get("hall"), Some("Town Hall"));
    /// # Ok::<(), mcp_bridge_prompt_args::ParseError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ParseError`], with the place in `line` and a hint.
    pub fn parse_for<'a>(
        &self,
        line: &'a str,
        declared: &[Declared<'_>],
    ) -> Result<Arguments<'a>, ParseError> {
        scan::parse(self, line, declared)
    }
}
