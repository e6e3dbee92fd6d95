use crate::kinds::{List, Mode, Source};

/// Whether a call may run.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a host must handle all three, and there is no fourth"
)]
pub enum Outcome {
    /// It runs.
    Allow,
    /// A person decides.
    Ask,
    /// It does not run; the model is told.
    Deny,
}

impl Outcome {
    /// `allow`, `ask` or `deny`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A rule that matched.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct MatchedRule {
    /// Where it was written.
    pub source: Source,
    /// Its text.
    pub text: String,
    /// What it does.
    pub list: List,
}

/// What decided.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// A rule.
    Rule(MatchedRule),
    /// The mode.
    Mode(Mode),
    /// An ask rule matched where the mode never asks.
    AskRuleInMode(MatchedRule, Mode),
    /// The tool is read-only, and the hints of its server are trusted.
    ReadOnly,
    /// Its server is fully trusted.
    Trust,
    /// A person allowed the same arguments before.
    SameArguments,
    /// Nothing settled it, so a person must.
    PromptRequired,
    /// Nobody is there to ask.
    Headless,
}

impl Reason {
    /// The rule that decided.
    #[must_use]
    pub fn rule(&self) -> Option<&MatchedRule> {
        match self {
            Self::Rule(rule) | Self::AskRuleInMode(rule, _) => Some(rule),
            _ => None,
        }
    }

    /// A stable word for logs: `rule`, the mode's own word, `read_only`, `trust`, `same_arguments`,
    /// `prompt_required` or `headless`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Rule(_) => "rule",
            Self::Mode(mode) | Self::AskRuleInMode(_, mode) => mode.as_str(),
            Self::ReadOnly => "read_only",
            Self::Trust => "trust",
            Self::SameArguments => "same_arguments",
            Self::PromptRequired => "prompt_required",
            Self::Headless => "headless",
        }
    }

    /// The same with the rule's text, for audit records.
    #[must_use]
    pub fn detail(&self) -> String {
        match self {
            Self::Rule(rule) if rule.list == List::Ask => {
                format!("matched ask rule(s): {}", rule.text)
            }
            Self::Rule(rule) => format!("matched {} rule: {}", rule.list, rule.text),
            Self::Mode(Mode::DontAsk) => "dont_ask converted ask to deny".to_owned(),
            Self::Mode(mode) => format!("{mode} mode"),
            Self::AskRuleInMode(rule, mode) => {
                format!("{mode} converted ask rule to deny: {}", rule.text)
            }
            Self::ReadOnly
            | Self::Trust
            | Self::SameArguments
            | Self::PromptRequired
            | Self::Headless => self.as_str().to_owned(),
        }
    }
}

/// The answer to one call, and what led to it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Decision {
    /// What to do.
    pub outcome: Outcome,
    /// What decided.
    pub reason: Reason,
    /// One sentence for the user.
    pub explanation: String,
    /// The question to put to a person; empty unless the outcome is [`Outcome::Ask`].
    pub question: String,
    /// The rule that an "always" would add, where one can.
    pub suggested_rule: Option<String>,
    /// Further rules that matched and did not decide, at most 16.
    pub also_matched: Vec<MatchedRule>,
}

impl Decision {
    /// The same where nobody can be asked: an ask becomes a refusal that says how to allow the call.
    #[must_use]
    pub fn headless(mut self) -> Self {
        if self.outcome != Outcome::Ask {
            return self;
        }
        self.outcome = Outcome::Deny;
        self.question.clear();
        self.explanation = match (&self.reason, &self.suggested_rule) {
            (Reason::Rule(rule), _) => format!(
                "denied: the ask rule `{}` of {} wants a person's answer and nobody is there to ask; \
                 remove that rule to allow the call",
                rule.text,
                rule.source.in_words()
            ),
            (_, Some(rule)) => format!(
                "denied: nobody is there to ask; allow the rule `{rule}` in the settings or with `--allowed-tools` to \
                 let this run"
            ),
            (_, None) => "denied: nobody is there to ask, and this may not run unasked".to_owned(),
        };
        if !matches!(self.reason, Reason::Rule(_)) {
            self.reason = Reason::Headless;
        }
        self
    }
}
