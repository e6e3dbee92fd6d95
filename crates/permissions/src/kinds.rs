use std::fmt;
use std::str::FromStr;

/// A word of a settings file or a command line that names nothing known.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("unknown {what} {text:?}; known are {known}")]
pub struct UnknownWord {
    what: &'static str,
    text: String,
    known: String,
}

impl UnknownWord {
    /// The refused text, cut at 80 characters.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

macro_rules! words {
    ($type:ident, $what:literal, $($variant:ident = $word:literal),+ $(,)?) => {
        impl $type {
            /// Every value, in order.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word in settings files, command lines and audit records.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $type {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, UnknownWord> {
                match text.trim() {
                    $($word => Ok(Self::$variant),)+
                    other => Err(UnknownWord {
                        what: $what,
                        text: other.chars().take(80).collect(),
                        known: [$($word),+].join(", "),
                    }),
                }
            }
        }
    };
}

/// How much runs without a question.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Mode {
    /// What no rule and no trusted hint settles is asked.
    #[default]
    Default,
    /// For MCP tools the same as [`Default`](Self::Default): edits of files are the host's own matter.
    AcceptEdits,
    /// Everything runs that no deny or ask rule matches.
    BypassPermissions,
    /// What would be asked is denied.
    DontAsk,
    /// Only read-only tools run.
    Plan,
}
words!(
    Mode,
    "permission mode",
    Default = "default",
    AcceptEdits = "accept_edits",
    BypassPermissions = "bypass_permissions",
    DontAsk = "dont_ask",
    Plan = "plan",
);

/// Where a rule was written. A rule of an earlier source is named first where several match.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Source {
    /// The user's own settings.
    UserSettings,
    /// Settings that came with the project.
    ProjectSettings,
    /// The user's settings for this project.
    LocalSettings,
    /// The command line.
    CliArg,
    /// An answer given in this session.
    Session,
}
words!(
    Source,
    "rule source",
    UserSettings = "user_settings",
    ProjectSettings = "project_settings",
    LocalSettings = "local_settings",
    CliArg = "cli_arg",
    Session = "session",
);

impl Source {
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::UserSettings => "the user settings",
            Self::ProjectSettings => "the project settings",
            Self::LocalSettings => "the local settings",
            Self::CliArg => "the command line",
            Self::Session => "this session",
        }
    }
}

/// What a rule does.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[expect(
    clippy::exhaustive_enums,
    reason = "allow, ask, deny: there is no fourth"
)]
pub enum List {
    /// The call never runs.
    Deny,
    /// A person is asked.
    Ask,
    /// The call runs.
    Allow,
}
words!(
    List,
    "rule list",
    Deny = "deny",
    Ask = "ask",
    Allow = "allow"
);

/// What the host believes of one server. The default believes nothing.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Trust {
    /// Its hints may tighten a decision, and loosen none.
    #[default]
    Untrusted,
    /// Its read-only tools run unasked.
    Hints,
    /// All of its tools run unasked, save those it calls destructive itself.
    Full,
}
words!(
    Trust,
    "trust",
    Untrusted = "untrusted",
    Hints = "hints",
    Full = "full"
);

/// How the text of a rule is compared with a tool.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Matching {
    /// Every rule form of this crate.
    #[default]
    Forms,
    /// The whole public name, byte for byte; a deny or ask rule may also name a whole server.
    ///
    /// For settings written for a host without rule forms: an `allow: ["*"]` that did nothing there opens nothing here.
    WholeName,
}
words!(
    Matching,
    "matching",
    Forms = "forms",
    WholeName = "whole_name"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for mode in Mode::ALL {
            assert_eq!(mode.as_str().parse(), Ok(*mode));
        }
        for source in Source::ALL {
            assert_eq!(source.as_str().parse(), Ok(*source));
        }
    }

    #[test]
    fn an_unknown_mode_names_the_known_ones() {
        assert_eq!(
            "yolo".parse::<Mode>().unwrap_err().to_string(),
            "unknown permission mode \"yolo\"; known are default, accept_edits, bypass_permissions, dont_ask, plan"
        );
    }
}
