use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::answer::{Answer, AnswerKind};
use crate::call::Call;
use crate::decision::{Decision, Outcome, Reason};
use crate::hints::Declared;
use crate::kinds::{Mode, Source};

/// What is kept of one decision. The arguments are not: only their digest is.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct AuditRecord {
    /// What was decided, before a person answered.
    pub outcome: Outcome,
    /// What decided.
    pub reason: Reason,
    /// The mode.
    pub mode: Mode,
    /// The host's key for the server.
    pub server: String,
    /// The tool's name as its server wrote it.
    pub tool: String,
    /// The tool's name as the model sees it.
    pub public_name: String,
    /// Whether the tool counts as read-only.
    pub read_only: bool,
    /// `readOnlyHint` counts, where the tool declares it.
    pub read_only_hint: Option<bool>,
    /// `destructiveHint`, where the tool declares it.
    pub destructive_hint: Option<bool>,
    /// SHA-256 of the arguments, keys sorted, in hex.
    pub arguments_sha256: String,
    /// What the person said.
    pub answer: Option<AnswerKind>,
    /// How long the decision took, the person's time included.
    pub duration: Duration,
}

impl AuditRecord {
    /// The record of a decision that nobody was asked about yet.
    #[must_use]
    pub fn new(call: &Call<'_>, decision: &Decision, mode: Mode) -> Self {
        let read_only = call.hints.plainly_read_only();
        let declared = |hint, value| (hint != Declared::Absent).then_some(value);
        Self {
            outcome: decision.outcome,
            reason: decision.reason.clone(),
            mode,
            server: call.server.to_owned(),
            tool: call.tool.to_owned(),
            public_name: call.public_name.to_owned(),
            read_only,
            read_only_hint: declared(call.hints.read_only_hint, read_only),
            destructive_hint: declared(call.hints.destructive_hint, call.hints.says_destructive()),
            arguments_sha256: hex(&Sha256::digest(canonical(call.arguments))),
            answer: None,
            duration: Duration::ZERO,
        }
    }

    /// Sets [`answer`](Self::answer).
    #[must_use]
    pub fn with_answer(mut self, answer: &Answer) -> Self {
        self.answer = Some(answer.kind);
        self
    }

    /// Sets [`duration`](Self::duration).
    #[must_use]
    pub fn with_duration(mut self, duration: Duration) -> Self {
        self.duration = duration;
        self
    }

    /// How far the decision reaches: `cli_rule`, `session_rule`, `settings_rule`, `mode`, `read_only`, `trust` or `once`.
    #[must_use]
    pub fn scope(&self) -> &'static str {
        match &self.reason {
            Reason::Rule(rule) | Reason::AskRuleInMode(rule, _) => match rule.source {
                Source::CliArg => "cli_rule",
                Source::Session => "session_rule",
                Source::UserSettings | Source::ProjectSettings | Source::LocalSettings => {
                    "settings_rule"
                }
            },
            Reason::Mode(_) => "mode",
            Reason::ReadOnly => "read_only",
            Reason::Trust => "trust",
            Reason::SameArguments => "session_rule",
            Reason::PromptRequired | Reason::Headless => "once",
        }
    }

    /// The record as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let rule = self.reason.rule();
        let rule_source = match (&self.reason, rule) {
            (_, Some(rule)) => Some(rule.source.as_str()),
            (Reason::Mode(_), None) => Some("mode"),
            (_, None) => None,
        };
        let mut operation = Map::new();
        operation.insert("publicName".to_owned(), json!(self.public_name));
        operation.insert("originalServerName".to_owned(), json!(self.server));
        operation.insert("originalToolName".to_owned(), json!(self.tool));
        if let Some(hint) = self.read_only_hint {
            operation.insert("isReadOnly".to_owned(), json!(hint));
        }
        if let Some(hint) = self.destructive_hint {
            operation.insert("isDestructive".to_owned(), json!(hint));
        }
        json!({
            "outcome": self.outcome.as_str(),
            "scope": self.scope(),
            "mode": self.mode.as_str(),
            "rule_source": rule_source,
            "rule": rule.map(|rule| rule.text.as_str()),
            "reason_type": self.reason.as_str(),
            "reason_detail": self.reason.detail(),
            "is_read_only": self.read_only,
            "operation": operation,
            "arguments_sha256": self.arguments_sha256,
            "answer": self.answer.map(AnswerKind::as_str),
            "duration_ms": u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// The record as one line of JSON, without the line break.
    #[must_use]
    pub fn to_line(&self) -> String {
        self.to_json().to_string()
    }
}

/// JSON with sorted keys: the same arguments give the same text.
pub(crate) fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                let _ = write!(out, "{}:", Value::from(key.as_str()));
                write_canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        scalar => {
            let _ = write!(out, "{scalar}");
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
