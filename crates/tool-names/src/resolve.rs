//! From a name that somebody wrote to the entry that is meant.

use std::fmt;

use crate::entry::Entry;
use crate::name::ToolName;
use crate::registry::Registry;

/// How many near misses an error names.
const MOST_NEAR: usize = 3;

/// How much of the name that was asked for an error keeps, in characters.
const MOST_ASKED: usize = 128;

/// A name that belongs to no entry, or to no single one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ResolveError {
    kind: ResolveErrorKind,
    asked: String,
    candidates: Vec<Entry>,
}

/// Why a name did not resolve.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ResolveErrorKind {
    /// No entry has a name like it; [`ResolveError::candidates`] are near misses, nearest first, if there are any.
    NotFound,
    /// Several names differ from it only in case or in `-` for `_`; [`ResolveError::candidates`] are all of them.
    Ambiguous,
}

impl ResolveError {
    /// Why.
    #[must_use]
    pub fn kind(&self) -> ResolveErrorKind {
        self.kind
    }

    /// The name that was asked for, cut at 128 characters.
    #[must_use]
    pub fn asked(&self) -> &str {
        &self.asked
    }

    /// What may have been meant.
    #[must_use]
    pub fn candidates(&self) -> &[Entry] {
        &self.candidates
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asked = &self.asked;
        match self.kind {
            ResolveErrorKind::NotFound => write!(f, "no tool or command is named {asked:?}")?,
            ResolveErrorKind::Ambiguous => write!(f, "{asked:?} may mean more than one name")?,
        }
        for (index, entry) in self.candidates.iter().enumerate() {
            let lead = match (index, self.kind) {
                (0, ResolveErrorKind::NotFound) => "; did you mean",
                (0, ResolveErrorKind::Ambiguous) => ":",
                _ => ",",
            };
            write!(f, "{lead} `{}`", entry.name())?;
        }
        Ok(())
    }
}

impl std::error::Error for ResolveError {}

/// Looks `asked` up as it is, then with case and `-` folded.
pub(crate) fn resolve<'r>(registry: &'r Registry, asked: &str) -> Result<&'r Entry, ResolveError> {
    if let Some(entry) = registry.by_name(asked) {
        return Ok(entry);
    }
    let same = |entry: &&Entry| {
        let name = entry.name().as_str();
        name.len() == asked.len() && name.bytes().map(fold).eq(asked.bytes().map(fold))
    };
    let mut folded: Vec<&Entry> = registry.entries().filter(same).collect();
    if let [only] = *folded {
        return Ok(only);
    }
    folded.sort_unstable_by(|a, b| a.name().cmp(b.name()));
    let (kind, candidates) = if folded.is_empty() {
        (ResolveErrorKind::NotFound, near(registry, asked))
    } else {
        (ResolveErrorKind::Ambiguous, folded)
    };
    Err(ResolveError {
        kind,
        asked: asked.chars().take(MOST_ASKED).collect(),
        candidates: candidates.into_iter().cloned().collect(),
    })
}

fn fold(byte: u8) -> u8 {
    match byte {
        b'-' => b'_',
        byte => byte.to_ascii_lowercase(),
    }
}

/// The names nearest to `asked`: a few typing errors away, or the same tool under another server.
fn near<'r>(registry: &'r Registry, asked: &str) -> Vec<&'r Entry> {
    let asked: Vec<u8> = asked.bytes().take(MOST_ASKED).map(fold).collect();
    let most = (asked.len() / 4).clamp(1, 4);
    let separator = registry.profile().separator();
    let mut found: Vec<(usize, &ToolName, &Entry)> = Vec::new();
    let mut scratch = Vec::new();
    for entry in registry.entries() {
        let name: Vec<u8> = entry.name().as_str().bytes().map(fold).collect();
        let distance = distance(&asked, &name, most, &mut scratch).or_else(|| {
            let part = registry.profile().part(entry.label());
            let tail: Vec<u8> = separator.bytes().chain(part.bytes()).map(fold).collect();
            let same =
                asked.ends_with(&tail) || asked == part.bytes().map(fold).collect::<Vec<_>>();
            same.then_some(most + 1)
        });
        if let Some(distance) = distance {
            found.push((distance, entry.name(), entry));
        }
        if found.len() > 64 {
            found.sort_unstable_by_key(|&(distance, name, _)| (distance, name));
            found.truncate(MOST_NEAR);
        }
    }
    found.sort_unstable_by_key(|&(distance, name, _)| (distance, name));
    let nearest = found.into_iter().take(MOST_NEAR);
    nearest.map(|(.., entry)| entry).collect()
}

/// The edit distance of `a` and `b`, if it is at most `most`.
fn distance(a: &[u8], b: &[u8], most: usize, row: &mut Vec<usize>) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    row.clear();
    row.extend(0..=b.len());
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut least = left;
        let mut cells = row.iter_mut();
        if let Some(cell) = cells.next() {
            *cell = left;
        }
        for (cell, y) in cells.zip(b) {
            let replaced = diagonal + usize::from(x != y);
            diagonal = *cell;
            left = replaced.min(diagonal + 1).min(left + 1);
            *cell = left;
            least = least.min(left);
        }
        if least > most {
            return None;
        }
    }
    row.last().copied().filter(|&distance| distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_counts_edits_up_to_a_bound() {
        let cases = [
            ("", "", 2, Some(0)),
            ("git", "gti", 2, Some(2)),
            ("git", "git_", 2, Some(1)),
            ("git", "svn", 2, None),
            ("kitten", "sitting", 3, Some(3)),
            ("a", "abcdef", 3, None),
        ];
        for (a, b, most, want) in cases {
            let got = distance(a.as_bytes(), b.as_bytes(), most, &mut Vec::new());
            assert_eq!(got, want, "{a} {b}");
        }
    }
}
