use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use sha2::{Digest, Sha256};

use crate::answer::{Answer, AnswerKind};
use crate::audit::canonical;
use crate::call::Call;
use crate::decision::{Decision, MatchedRule, Outcome, Reason};
use crate::diagnostic::{Diagnostic, DiagnosticKind, KnownTool};
use crate::index::Index;
use crate::kinds::{List, Matching, Mode, Source, Trust};
use crate::pattern::Pattern;
use crate::rules::{Rule, Rules};

/// How many calls a session remembers as allowed with their arguments; one goes for each that comes.
const MAX_BOUND: usize = 1_024;
const MAX_ALSO_MATCHED: usize = 16;

/// Rules and a mode, compiled: decides calls.
#[derive(Clone)]
pub struct Engine {
    mode: Mode,
    matching: Matching,
    deny: Index,
    ask: Index,
    allow: Index,
    bound: BTreeSet<[u8; 32]>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("mode", &self.mode)
            .field("deny", &self.deny.patterns().len())
            .field("ask", &self.ask.patterns().len())
            .field("allow", &self.allow.patterns().len())
            .finish_non_exhaustive()
    }
}

impl Default for Engine {
    /// No rules, [`Mode::Default`].
    fn default() -> Self {
        Self::new(Rules::new(), Mode::Default)
    }
}

impl Engine {
    /// Compiles `rules`. None is refused here: [`diagnostics`](Self::diagnostics) tells which cannot work.
    #[must_use]
    pub fn new(rules: Rules, mode: Mode) -> Self {
        Self::with_matching(rules, mode, Matching::Forms)
    }

    /// The same, and says how rules are compared with tools.
    #[must_use]
    pub fn with_matching(rules: Rules, mode: Mode, matching: Matching) -> Self {
        let mut engine = Self {
            mode,
            matching,
            deny: Index::new(List::Deny, matching),
            ask: Index::new(List::Ask, matching),
            allow: Index::new(List::Allow, matching),
            bound: BTreeSet::new(),
        };
        for rule in rules {
            engine.add_rule(rule);
        }
        engine
    }

    /// The mode.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Changes the mode.
    pub fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
    }

    /// Adds a rule.
    pub fn add_rule(&mut self, rule: Rule) {
        let pattern = match self.matching {
            Matching::Forms => Pattern::parse(rule),
            Matching::WholeName => Pattern::parse_whole_name(rule),
        };
        self.index_mut(pattern.rule.list).push(pattern);
    }

    /// Takes a person's answer to a question about `call`, and returns the rule that an [`AnswerKind::Always`] asks the
    /// host to write to its settings.
    pub fn answer(&mut self, call: &Call<'_>, answer: &Answer) -> Option<String> {
        let rule = |list| Rule::new(list, Source::Session, call.public_name);
        match answer.kind {
            AnswerKind::Once | AnswerKind::No => None,
            AnswerKind::Session => {
                self.add_once(rule(List::Allow));
                None
            }
            AnswerKind::Always => {
                self.add_once(rule(List::Allow));
                Some(call.public_name.to_owned())
            }
            AnswerKind::Never => {
                self.add_once(rule(List::Deny));
                None
            }
            AnswerKind::BoundToArguments => {
                if self.bound.len() >= MAX_BOUND {
                    self.bound.pop_first();
                }
                self.bound.insert(call_digest(call));
                None
            }
        }
    }

    fn add_once(&mut self, rule: Rule) {
        let known = self.index(rule.list).patterns();
        if !known
            .iter()
            .any(|pattern| pattern.rule.source == rule.source && pattern.rule.text == rule.text)
        {
            self.add_rule(rule);
        }
    }

    /// Decides one call, without asking anybody: what would happen, and why.
    #[must_use]
    pub fn decide(&self, call: &Call<'_>) -> Decision {
        let matched = Matched {
            deny: self.deny.matches(call),
            ask: self.ask.matches(call),
            allow: self.allow.matches(call),
        };
        let (outcome, reason) = self.outcome(call, &matched);
        let decided = reason.rule();
        let also_matched = [&matched.deny, &matched.ask, &matched.allow]
            .into_iter()
            .flatten()
            .map(|pattern| matched_rule(pattern))
            .filter(|rule| Some(rule) != decided)
            .take(MAX_ALSO_MATCHED)
            .collect();
        let asks = outcome == Outcome::Ask;
        let question = match (asks, call.host_tool) {
            (false, _) => String::new(),
            (true, false) => format!("Allow MCP {}?", call.label()),
            (true, true) => format!("Allow {}?", call.public_name),
        };
        Decision {
            outcome,
            explanation: explain(call, outcome, &reason),
            reason,
            question,
            suggested_rule: (asks && !call.host_tool).then(|| call.public_name.to_owned()),
            also_matched,
        }
    }

    fn outcome(&self, call: &Call<'_>, matched: &Matched<'_>) -> (Outcome, Reason) {
        let rule = |patterns: &[&Pattern]| patterns.first().map(|pattern| matched_rule(pattern));
        if let Some(rule) = rule(&matched.deny) {
            return (Outcome::Deny, Reason::Rule(rule));
        }
        let read_only = call.hints.plainly_read_only();
        if self.mode == Mode::Plan && !read_only {
            return (Outcome::Deny, Reason::Mode(Mode::Plan));
        }
        if let Some(rule) = rule(&matched.ask) {
            return match self.mode {
                Mode::DontAsk => (Outcome::Deny, Reason::AskRuleInMode(rule, Mode::DontAsk)),
                _ => (Outcome::Ask, Reason::Rule(rule)),
            };
        }
        if self.mode == Mode::BypassPermissions {
            return (Outcome::Allow, Reason::Mode(self.mode));
        }
        match call.trust {
            Trust::Hints | Trust::Full if read_only => return (Outcome::Allow, Reason::ReadOnly),
            Trust::Full if !call.hints.says_destructive() => {
                return (Outcome::Allow, Reason::Trust);
            }
            Trust::Untrusted | Trust::Hints | Trust::Full => {}
        }
        if let Some(rule) = rule(&matched.allow) {
            return (Outcome::Allow, Reason::Rule(rule));
        }
        if !self.bound.is_empty() && self.bound.contains(&call_digest(call)) {
            return (Outcome::Allow, Reason::SameArguments);
        }
        match self.mode {
            Mode::DontAsk => (Outcome::Deny, Reason::Mode(self.mode)),
            _ => (Outcome::Ask, Reason::PromptRequired),
        }
    }

    /// Whether a deny rule covers every call of this tool, whatever its arguments: such a tool need not be shown.
    #[must_use]
    pub fn always_denies(&self, tool: &KnownTool<'_>) -> bool {
        let call = as_call(tool);
        self.deny
            .matches(&call)
            .iter()
            .any(|pattern| pattern.conditions.is_empty())
    }

    /// Rules that are malformed, match none of `tools`, or never get to decide; in the order of the rules.
    ///
    /// Without `tools` only what the text itself shows is told.
    #[must_use]
    pub fn diagnostics(&self, tools: &[KnownTool<'_>]) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for index in [&self.deny, &self.ask, &self.allow] {
            let mut reach: BTreeMap<(Source, &str), BTreeSet<&str>> = BTreeMap::new();
            let mut alone: BTreeSet<(Source, &str)> = BTreeSet::new();
            for tool in tools {
                let call = as_call(tool);
                for pattern in index.candidates(&call) {
                    let key = (pattern.rule.source, pattern.rule.text.as_str());
                    reach.entry(key).or_default().insert(tool.server);
                    if !(pattern.rule.list != List::Deny && self.always_denies(tool)) {
                        alone.insert(key);
                    }
                }
            }
            for pattern in index.patterns() {
                let key = (pattern.rule.source, pattern.rule.text.as_str());
                let finding = if let Some(problem) = &pattern.problem {
                    Some((DiagnosticKind::Malformed, problem.clone()))
                } else if tools.is_empty() {
                    None
                } else {
                    match reach.get(&key) {
                        None => Some((
                            DiagnosticKind::MatchesNothing,
                            "it matches no known tool".to_owned(),
                        )),
                        Some(_) if !alone.contains(&key) => Some((
                            DiagnosticKind::Shadowed,
                            "deny rules cover every tool that it matches".to_owned(),
                        )),
                        Some(servers) if servers.len() > 1 && names_one_server(pattern) => Some((
                            DiagnosticKind::SeveralServers,
                            "it covers tools of several servers whose names look alike".to_owned(),
                        )),
                        Some(_) => None,
                    }
                };
                found.extend(finding.map(|(kind, message)| Diagnostic {
                    kind,
                    source: Some(pattern.rule.source),
                    place: pattern.rule.place.clone(),
                    text: pattern.rule.text.clone(),
                    message,
                }));
            }
        }
        found
    }

    fn index(&self, list: List) -> &Index {
        match list {
            List::Deny => &self.deny,
            List::Ask => &self.ask,
            List::Allow => &self.allow,
        }
    }

    fn index_mut(&mut self, list: List) -> &mut Index {
        match list {
            List::Deny => &mut self.deny,
            List::Ask => &mut self.ask,
            List::Allow => &mut self.allow,
        }
    }
}

struct Matched<'a> {
    deny: Vec<&'a Pattern>,
    ask: Vec<&'a Pattern>,
    allow: Vec<&'a Pattern>,
}

fn matched_rule(pattern: &Pattern) -> MatchedRule {
    MatchedRule {
        source: pattern.rule.source,
        text: pattern.rule.text.clone(),
        list: pattern.rule.list,
    }
}

fn names_one_server(pattern: &Pattern) -> bool {
    use crate::pattern::Target;
    !matches!(pattern.target, Target::All { .. } | Target::Names(_))
}

fn as_call<'a>(tool: &KnownTool<'a>) -> Call<'a> {
    let mut call =
        Call::new(tool.server, tool.tool, tool.public_name).with_base_name(tool.base_name);
    call.host_tool = tool.server.is_empty();
    call
}

fn call_digest(call: &Call<'_>) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in [call.server, call.tool, call.public_name] {
        digest.update(part.len().to_le_bytes());
        digest.update(part);
    }
    digest.update(canonical(call.arguments));
    digest.finalize().into()
}

fn explain(call: &Call<'_>, outcome: Outcome, reason: &Reason) -> String {
    let what = match outcome {
        Outcome::Allow => "allowed",
        Outcome::Ask => "asks",
        Outcome::Deny => "denied",
    };
    let why = match reason {
        Reason::Rule(rule) => {
            format!(
                "the {} rule `{}` of {} matches",
                rule.list,
                rule.text,
                rule.source.in_words()
            )
        }
        Reason::AskRuleInMode(rule, mode) => format!(
            "the ask rule `{}` of {} matches, and the mode {mode} never asks",
            rule.text,
            rule.source.in_words()
        ),
        Reason::Mode(Mode::BypassPermissions) => {
            "the mode bypass_permissions asks for nothing".to_owned()
        }
        Reason::Mode(Mode::Plan) => "the mode plan runs read-only tools only".to_owned(),
        Reason::Mode(mode) => format!("no rule allows it, and the mode {mode} never asks"),
        Reason::ReadOnly => "the tool is read-only, and its server's hints are trusted".to_owned(),
        Reason::Trust => "its server is fully trusted".to_owned(),
        Reason::SameArguments => "it was allowed with the same arguments before".to_owned(),
        Reason::Headless => "nobody is there to ask".to_owned(),
        Reason::PromptRequired if call.hints.says_destructive() => {
            "no rule allows it, and the tool calls itself destructive".to_owned()
        }
        Reason::PromptRequired if call.hints.read_only() && call.trust == Trust::Untrusted => {
            "no rule allows it, and the hints of its server are not trusted".to_owned()
        }
        Reason::PromptRequired => "no rule allows it".to_owned(),
    };
    format!("{what}: {why}")
}
