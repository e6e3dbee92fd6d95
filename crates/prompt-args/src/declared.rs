//! A line held against what a prompt declares.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::arguments::Arguments;
use crate::options::EmptyValue;

/// How many unknown names get their near misses looked up.
const MOST_EXPLAINED: usize = 16;

/// The longest name, in bytes, that near misses are looked up for.
const LONGEST_EXPLAINED: usize = 64;

/// An argument that a prompt declares.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Declared<'d> {
    /// Its name.
    pub name: &'d str,
    /// Whether the prompt needs it.
    pub required: bool,
}

impl<'d> Declared<'d> {
    /// An argument the prompt needs.
    #[must_use]
    pub fn required(name: &'d str) -> Self {
        Self {
            name,
            required: true,
        }
    }

    /// An argument the prompt can do without.
    #[must_use]
    pub fn optional(name: &'d str) -> Self {
        Self {
            name,
            required: false,
        }
    }
}

/// Required arguments that were not given.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MissingArguments {
    names: Vec<String>,
}

impl MissingArguments {
    /// All of them, in the order they are declared; never empty.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

impl fmt::Display for MissingArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.names.len() == 1 { "" } else { "s" };
        write!(f, "missing required argument{plural}: ")?;
        for (index, name) in self.names.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{name}")?;
        }
        Ok(())
    }
}

impl core::error::Error for MissingArguments {}

/// A name that the prompt does not declare.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct UnknownName {
    /// The name.
    pub name: String,
    /// Where it stands in the line, in bytes.
    pub span: Range<usize>,
    /// Declared names that look like it, nearest first, at most three.
    pub near: Vec<String>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the prompt has no argument {:?}", self.name)?;
        for (index, name) in self.near.iter().enumerate() {
            let lead = if index == 0 { "; did you mean" } else { "," };
            write!(f, "{lead} {name:?}")?;
        }
        Ok(())
    }
}

/// Looks for every required argument; one declared without a name is passed over, since no line could give it.
///
/// # Errors
///
/// [`MissingArguments`] names all that were not given.
pub fn check_required(
    declared: &[Declared<'_>],
    arguments: &Arguments<'_>,
    empty: EmptyValue,
) -> Result<(), MissingArguments> {
    let given: BTreeMap<&str, &str> = arguments
        .iter()
        .map(|item| (&*item.name, &*item.value))
        .collect();
    let missing = |declared: &&Declared<'_>| {
        declared.required
            && !declared.name.is_empty()
            && match given.get(declared.name) {
                None => true,
                Some(value) => value.is_empty() && empty == EmptyValue::Missing,
            }
    };
    let mut seen = BTreeSet::new();
    let names: Vec<String> = declared
        .iter()
        .filter(missing)
        .filter(|declared| seen.insert(declared.name))
        .map(|declared| declared.name.to_string())
        .collect();
    if names.is_empty() {
        Ok(())
    } else {
        Err(MissingArguments { names })
    }
}

/// The names on a line that the prompt does not declare, in the order of the line.
///
/// They are a matter for a warning: a server may know more than it declares.
#[must_use]
pub fn unknown_names(declared: &[Declared<'_>], arguments: &Arguments<'_>) -> Vec<UnknownName> {
    let known: BTreeSet<&str> = declared.iter().map(|declared| declared.name).collect();
    let unknown = arguments.iter().filter(|item| !known.contains(&*item.name));
    let explain = |(index, item): (usize, &crate::Argument<'_>)| UnknownName {
        name: item.name.to_string(),
        span: item.name_span.clone(),
        near: if index < MOST_EXPLAINED && item.name.len() <= LONGEST_EXPLAINED {
            near(&known, &item.name)
        } else {
            Vec::new()
        },
    };
    unknown.enumerate().map(explain).collect()
}

/// How a prompt is called: each required argument as `name=<value>`, in order.
#[must_use]
pub fn usage(declared: &[Declared<'_>]) -> String {
    let mut usage = String::new();
    let named = declared.iter().filter(|declared| !declared.name.is_empty());
    for declared in named.filter(|declared| declared.required) {
        if !usage.is_empty() {
            usage.push(' ');
        }
        usage.push_str(declared.name);
        usage.push_str("=<value>");
    }
    usage
}

fn near(known: &BTreeSet<&str>, name: &str) -> Vec<String> {
    let most = (name.chars().count() / 3).clamp(1, 3);
    let name = name.to_lowercase();
    let mut found: Vec<(usize, &str)> = known
        .iter()
        .filter(|known| known.len() <= LONGEST_EXPLAINED + 3)
        .filter_map(|&known| Some((distance(&name, &known.to_lowercase(), most)?, known)))
        .collect();
    found.sort_unstable();
    let nearest = found.into_iter().take(3);
    nearest.map(|(_, name)| name.to_string()).collect()
}

/// The edit distance of `a` and `b` in characters, two neighbours in the wrong order being one edit.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut before_x = None;
    for (i, x) in a.chars().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        let mut left = i + 1;
        row.push(left);
        let mut before_y = None;
        for (j, &y) in b.iter().enumerate() {
            let cell = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX / 2);
            let replaced = cell(&last, j) + usize::from(x != y);
            left = replaced.min(cell(&last, j + 1) + 1).min(left + 1);
            if j > 0 && before_x == Some(y) && before_y == Some(x) {
                left = left.min(cell(&before, j - 1) + 1);
            }
            row.push(left);
            before_y = Some(y);
        }
        before = core::mem::replace(&mut last, row);
        before_x = Some(x);
    }
    last.last().copied().filter(|&distance| distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_counts_swapped_neighbours_once() {
        let cases = [
            ("repo", "repo", Some(0)),
            ("rpeo", "repo", Some(1)),
            ("rep", "repo", Some(1)),
            ("", "abc", Some(3)),
            ("branch", "repo", None),
        ];
        for (a, b, want) in cases {
            assert_eq!(distance(a, b, 3), want, "{a} {b}");
        }
    }
}
