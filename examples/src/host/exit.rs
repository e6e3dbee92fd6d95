//! How the program ends.

use std::process::ExitCode;

/// The kinds of ends; the help names them all.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Exit {
    Done = 0,
    ToolError = 1,
    Usage = 2,
    NoServer = 3,
    Refused = 4,
    Arguments = 5,
    Connection = 6,
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The end of a run that did not do what was asked: one sentence, and the kind.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
        }
    }
}
