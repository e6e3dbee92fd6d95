//! Skill text from an MCP server to a bounded, disarmed skill command.
//!
//! A skill is text that a model will follow, so one that a server sends is the most dangerous thing it can send. This
//! crate reads it, keeps what guides, clears what acts, and says what it dropped. It never runs, fetches or expands
//! anything: shell syntax stays text.
//!
//! ```
//! use mcp_bridge_skills::{Skill, Source};
//!
//! let text = "---\ndescription: Ship it\nallowed-tools: [Bash]\n---\nTag $ARGUMENTS, then !`push`.";
//! let skill = Skill::new(text, &Source::new("git", "skill://release/SKILL.md"));
//! assert_eq!((skill.name(), skill.description()), ("release", "Ship it"));
//! assert!(skill.has_shell_syntax());
//! assert!(skill.render("v1").ends_with("Tag v1, then !`push`."));
//! ```
//!
//! # What this crate leaves to others
//!
//! It reads no resource and checks no digest, gives no public name, and asks nobody for approval.

// In reading order: where a skill is, what heads it, what it becomes.
mod address;
mod body;
mod frontmatter;
mod skill;
mod yaml;

pub use crate::address::{InvalidSkillUri, SkillUri, SkillUriProblem, find_skills, is_skill_uri};
pub use crate::body::{has_shell_syntax, hidden_count, html_comment_count};
pub use crate::frontmatter::Frontmatter;
pub use crate::skill::{Limits, Note, Severity, Skill, Source};
pub use crate::yaml::Value;
