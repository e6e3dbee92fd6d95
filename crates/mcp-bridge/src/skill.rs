//! A skill as the catalog keeps it.

use mcp_bridge_skills::Skill;

/// A skill and the listing it came from.
#[derive(Debug)]
pub(crate) struct SkillCommand {
    /// The resource it was read from.
    pub(crate) uri: String,
    /// The resource's name, from which the command's name is made.
    pub(crate) name: String,
    pub(crate) skill: Skill,
}
