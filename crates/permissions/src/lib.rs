//! May this tool call run? Rules, modes, hints and trust, without I/O.
//!
//! An [`Engine`] holds [`Rules`] and a [`Mode`] and decides a [`Call`] at once: allow, ask a person, or deny. Every
//! [`Decision`] says what decided it and why, in a sentence that a person can read.
//!
//! ```
//! use mcp_bridge_permissions::{Call, Engine, List, Mode, Outcome, Rules, Source};
//!
//! let rules = Rules::new()
//!     .with(List::Allow, Source::UserSettings, "mcp__git__*")
//!     .with(List::Deny, Source::UserSettings, "git:push");
//! let engine = Engine::new(rules, Mode::Default);
//!
//! let log = engine.decide(&Call::new("git", "log", "mcp__git__log"));
//! assert_eq!(log.outcome, Outcome::Allow);
//! let push = engine.decide(&Call::new("git", "push", "mcp__git__push"));
//! assert_eq!(push.outcome, Outcome::Deny);
//! assert_eq!(push.explanation, "denied: the deny rule `git:push` of the user settings matches");
//! ```
//!
//! # How a rule is written
//!
//! | Form | Covers |
//! |---|---|
//! | `mcp__git__log` | the tool with that public name |
//! | `mcp__git`, `mcp__git__*` | every tool of the server `git`, and none of `github` |
//! | `mcp__git__get_*` | the tools of `git` whose name fits the glob |
//! | `git:log`, `git:get_*` | the same by the names that the server itself uses |
//! | `mcp__*`, `*` | every MCP tool; every tool |
//! | `mcp__fs__write_file(path=/srv/**, /options/mode<=5)` | calls whose arguments fit every condition |
//!
//! An allow rule matches the exact name only. A deny or ask rule matches generously: any spelling that folds to the
//! tool, and the name that the tool had before a clash gave it a suffix. What cannot work is reported by
//! [`Engine::diagnostics`], never silently useless.
//!
//! # What decides, first to last
//!
//! A deny rule; an ask rule (in [`Mode::DontAsk`] its answer is no); [`Mode::BypassPermissions`]; [`Mode::Plan`] for all
//! but read-only tools; read-only hints of a server whose hints are trusted, or full trust; an allow rule; and then the
//! person, or in [`Mode::DontAsk`] nobody.
//!
//! # What this crate leaves to others
//!
//! It never asks, never writes a file and never talks to a server; it needs no MCP bridge around it.

// In reading order: what is asked, what the rules say, how it is decided, and what is kept of it.
mod answer;
mod audit;
mod call;
mod command_line;
mod condition;
mod decision;
mod diagnostic;
mod engine;
mod fold;
mod glob;
mod hints;
mod index;
mod kinds;
mod pattern;
mod rules;

mod always_allow;

pub use crate::always_allow::{AlwaysAllow, Gates};
pub use crate::answer::{Answer, AnswerKind};
pub use crate::audit::AuditRecord;
pub use crate::call::Call;
pub use crate::command_line::split_rules;
pub use crate::decision::{Decision, MatchedRule, Outcome, Reason};
pub use crate::diagnostic::{Diagnostic, DiagnosticKind, KnownTool};
pub use crate::engine::Engine;
pub use crate::hints::{Declared, HintProblem, Hints};
pub use crate::kinds::{List, Matching, Mode, Source, Trust, UnknownWord};
pub use crate::rules::{Rule, Rules, Settings};
