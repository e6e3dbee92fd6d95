//! A public name, checked once.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A name as the model or the user sees it: one or more of `A-Z a-z 0-9 _ - .`, nothing else.
///
/// Its length is a matter of the [`NameProfile`](crate::NameProfile) that made it. Cloning copies a pointer.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ToolName(Arc<str>); // Invariant: `problem(&self.0)` is `None`.

/// Text that is not a public name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidToolName {
    name: String,
    problem: ToolNameProblem,
}

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ToolNameProblem {
    /// The name is empty.
    Empty,
    /// The name holds this character, which no model API is sure to accept.
    Character(char),
}

fn problem(name: &str) -> Option<ToolNameProblem> {
    if name.is_empty() {
        return Some(ToolNameProblem::Empty);
    }
    let odd = |c: &char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    name.chars().find(odd).map(ToolNameProblem::Character)
}

impl ToolName {
    /// Checks `name` and keeps it as it is; [`NameProfile::name`](crate::NameProfile::name) makes one from any pair.
    ///
    /// # Errors
    ///
    /// [`InvalidToolName`] when `name` is empty or leaves the alphabet.
    pub fn new(name: impl Into<String>) -> Result<Self, InvalidToolName> {
        let name = name.into();
        match problem(&name) {
            None => Ok(Self(name.into())),
            Some(problem) => Err(InvalidToolName { name, problem }),
        }
    }

    /// For names made of checked pieces.
    pub(crate) fn from_made(name: &str) -> Self {
        debug_assert_eq!(problem(name), None, "a made name is valid");
        Self(name.into())
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl InvalidToolName {
    /// The refused text.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is wrong with it.
    #[must_use]
    pub fn problem(&self) -> ToolNameProblem {
        self.problem
    }
}

impl fmt::Display for InvalidToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start: String = self.name.chars().take(80).collect();
        match self.problem {
            ToolNameProblem::Empty => f.write_str("a tool name is never empty"),
            ToolNameProblem::Character(c) => write!(f, "tool name {start:?} holds {c:?}"),
        }
    }
}

impl std::error::Error for InvalidToolName {}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl AsRef<str> for ToolName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.0.as_ref().to_owned()
    }
}

impl FromStr for ToolName {
    type Err = InvalidToolName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::new(name)
    }
}

impl TryFrom<String> for ToolName {
    type Error = InvalidToolName;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::new(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_wrong_with_a_name() {
        let cases = [
            ("", "a tool name is never empty"),
            ("a b", "tool name \"a b\" holds ' '"),
            ("caf\u{e9}", "tool name \"caf\u{e9}\" holds '\u{e9}'"),
            ("a\0", "tool name \"a\\0\" holds '\\0'"),
        ];
        for (given, want) in cases {
            let error = ToolName::new(given).unwrap_err();
            assert_eq!((error.to_string().as_str(), error.name()), (want, given));
        }
        assert_eq!(ToolName::new("__proto__").unwrap().as_str(), "__proto__");
    }
}
