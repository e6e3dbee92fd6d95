//! The vector runner: cases as data, one JSON object a line, each answered through the public API of a crate.
//!
//! `tests/vectors/README.md` describes a row. An [`Adapter`] turns one row's input into an [`Outcome`]; everything
//! that decides whether the outcome is right lives here.

mod expand;
mod matching;
mod row;
mod run;

pub use expand::expand;
pub use matching::{check, equal, matches_pattern, produced_text};
pub use row::{Adapter, Outcome, Row};
pub use run::{AreaCount, DataSet, Exceptions, Report, judge, load, run};
