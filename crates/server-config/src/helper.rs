//! A `headersHelper`: its command cut into words, and its headers laid over those of the file.

use std::collections::{BTreeMap, BTreeSet};

/// By which rules a command is cut into words.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Platform {
    /// Quotes and backslashes of a POSIX shell.
    Posix,
    /// Backslashes are parts of paths, except before `"`.
    Windows,
}

impl Platform {
    /// The one that this program was built for.
    pub fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else {
            Self::Posix
        }
    }
}

/// A command whose last word has no end.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// A quote is never closed.
    #[error("a quote in the command is not closed")]
    UnclosedQuote,
    /// Nothing stands behind the last backslash.
    #[error("the command ends in a backslash that escapes nothing")]
    UnfinishedEscape,
}

/// Cuts a command into a program and its arguments. No shell reads it: variables, patterns and `#` stay as they are.
///
/// With [`Platform::Posix`] a backslash keeps the next character, in double quotes only `"` and `\`. With
/// [`Platform::Windows`] 2n backslashes before a `"` are n of them, one more makes the quote a character, and all others
/// are what they are. Both know `"…"` and `'…'`, and separate words at spaces, tabs and line ends.
///
/// ```
/// use mcp_bridge_server_config::{Platform, split_command};
///
/// assert_eq!(split_command(r"get 'a b' ${X}", Platform::Posix)?, ["get", "a b", "${X}"]);
/// assert_eq!(split_command(r"C:\bin\get.exe a", Platform::Windows)?, [r"C:\bin\get.exe", "a"]);
/// # Ok::<(), mcp_bridge_server_config::SplitError>(())
/// ```
///
/// # Errors
///
/// [`SplitError`] for a quote or an escape without an end.
pub fn split_command(command: &str, platform: Platform) -> Result<Vec<String>, SplitError> {
    let mut words = Vec::new();
    // `Some("")` is a word that is empty so far, e.g. of `''`.
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => {
                let word = word.get_or_insert_default();
                if platform == Platform::Posix {
                    let next = chars.next().ok_or(SplitError::UnfinishedEscape)?;
                    if quote.is_some() && !matches!(next, '"' | '\\') {
                        word.push('\\');
                    }
                    word.push(next);
                } else {
                    let mut count = 1;
                    while chars.next_if_eq(&'\\').is_some() {
                        count += 1;
                    }
                    let before_quote = chars.peek() == Some(&'"');
                    let kept = if before_quote { count / 2 } else { count };
                    word.extend(std::iter::repeat_n('\\', kept));
                    if before_quote && count % 2 == 1 {
                        word.extend(chars.next());
                    }
                }
            }
            (_, Some(open)) if c == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (' ' | '\t' | '\r' | '\n', None) => words.extend(word.take()),
            (_, None) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(SplitError::UnclosedQuote);
    }
    words.extend(word);
    Ok(words)
}

/// The headers of a file with those of its helper on top. A name counts as the same in capitals and small letters; of two
/// such names from the helper the last counts.
///
/// ```
/// use std::collections::BTreeMap;
/// let headers = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
///     pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
/// };
/// let merged = mcp_bridge_server_config::merge_headers(
///     &headers(&[("Accept", "a"), ("authorization", "old")]),
///     &headers(&[("Authorization", "new")]),
/// );
/// assert_eq!(merged, headers(&[("Accept", "a"), ("Authorization", "new")]));
/// ```
pub fn merge_headers(
    fixed: &BTreeMap<String, String>,
    dynamic: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut seen = BTreeSet::new();
    let newest = dynamic.iter().rev();
    let mut merged: BTreeMap<String, String> = newest
        .filter(|(name, _)| seen.insert(name.to_lowercase()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for (name, value) in fixed {
        if !seen.contains(&name.to_lowercase()) {
            merged.insert(name.clone(), value.clone());
        }
    }
    merged
}
