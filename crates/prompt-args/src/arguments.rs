//! What a line says.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::ops::Range;

/// The arguments of a line, in the order of their names' last appearance.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Arguments<'a> {
    items: Vec<Argument<'a>>,
    duplicates: Vec<Argument<'a>>,
}

/// One argument, borrowed from the line where nothing had to be changed.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Argument<'a> {
    /// The name, without quotes.
    pub name: Cow<'a, str>,
    /// The value, without quotes.
    pub value: Cow<'a, str>,
    /// Where the name stands in the line, in bytes, quotes included; empty for a word that got its name by its place.
    pub name_span: Range<usize>,
    /// Where the value stands in the line, in bytes, quotes included.
    pub value_span: Range<usize>,
}

impl<'a> Arguments<'a> {
    /// Keeps the last of each name.
    pub(crate) fn new(all: Vec<Argument<'a>>) -> Self {
        // Few names are the rule, and for them looking is quicker than sorting.
        if all.len() <= 16 {
            let mut arguments = Self::default();
            let mut rest = all.into_iter();
            while let Some(item) = rest.next() {
                let again = rest.as_slice().iter().any(|later| later.name == item.name);
                arguments.add(item, again);
            }
            return arguments;
        }
        let mut order: Vec<(&str, usize)> = all
            .iter()
            .enumerate()
            .map(|(index, item)| (&*item.name, index))
            .collect();
        order.sort_unstable();
        let mut again: Vec<usize> = order
            .windows(2)
            .filter_map(|pair| match pair {
                [(a, index), (b, _)] if a == b => Some(*index),
                _ => None,
            })
            .collect();
        again.sort_unstable();
        let mut again = again.into_iter().peekable();
        let mut arguments = Self::default();
        for (index, item) in all.into_iter().enumerate() {
            let repeated = again.next_if_eq(&index).is_some();
            arguments.add(item, repeated);
        }
        arguments
    }

    fn add(&mut self, item: Argument<'a>, again: bool) {
        if again {
            self.duplicates.push(item);
        } else {
            self.items.push(item);
        }
    }

    /// The value of `name`, by looking through all; [`to_map`](Self::to_map) serves many look-ups.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.items.iter().find(|item| item.name == name)?;
        Some(&found.value)
    }

    /// The arguments.
    pub fn iter(&self) -> core::slice::Iter<'_, Argument<'a>> {
        self.items.iter()
    }

    /// The arguments that lost their place to a later one of the same name.
    #[must_use]
    pub fn duplicates(&self) -> &[Argument<'a>] {
        &self.duplicates
    }

    /// How many arguments there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Names and values.
    #[must_use]
    pub fn to_map(&self) -> BTreeMap<String, String> {
        self.iter()
            .map(|item| (item.name.to_string(), item.value.to_string()))
            .collect()
    }
}

impl<'s, 'a> IntoIterator for &'s Arguments<'a> {
    type Item = &'s Argument<'a>;
    type IntoIter = core::slice::Iter<'s, Argument<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for Arguments<'a> {
    type Item = Argument<'a>;
    type IntoIter = alloc::vec::IntoIter<Argument<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}
