//! A line that calls a command.

/// A command as a user typed it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Command<'a> {
    /// The name, without its `/`.
    pub name: &'a str,
    /// All after the name, without white space at either end.
    pub arguments: &'a str,
    /// Where [`arguments`](Self::arguments) starts in the text that was given, in bytes.
    pub arguments_offset: usize,
}

/// Takes `/name arguments` apart; `None` for text that does not start with `/` and a name.
///
/// ```
/// # use mcp_bridge_prompt_args::split_command;
/// let command = split_command(" /mcp__db__report region=eu ").unwrap();
/// assert_eq!((command.name, command.arguments), ("mcp__db__report", "region=eu"));
/// assert_eq!(split_command("see /etc/hosts"), None);
/// ```
#[must_use]
pub fn split_command(text: &str) -> Option<Command<'_>> {
    let rest = text.trim_start().strip_prefix('/')?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (name, rest) = rest.split_at_checked(end)?;
    let arguments = rest.trim_start();
    (!name.is_empty()).then_some(Command {
        name,
        arguments: arguments.trim_end(),
        arguments_offset: text.len() - arguments.len(),
    })
}
