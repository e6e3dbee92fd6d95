//! Commands: prompts and skills by the line that a person types.

use mcp_bridge_prompt_args::{Declared, EmptyValue, Options, check_required, unknown_names, usage};
use mcp_bridge_tool_results::{Context, convert_prompt_messages};
use serde_json::{Map, Value};

use crate::bridge::Bridge;
use crate::call::failed;
use crate::catalog::{Command, CommandSource};
use crate::definition::PromptDefinition;
use crate::error::{Error, ErrorKind};
use crate::outcome::{CommandOutcome, PromptOutcome};
use crate::sink::StoreSink;

impl Bridge {
    /// Runs a command line: `/mcp__db__report region=eu title="Q3 review"` or `$db:tidy-up the attic`.
    ///
    /// A prompt's arguments are read by [`prompt_args`](crate::prompt_args) and checked against what the prompt declares
    /// before its server is asked. A skill is rendered here; its server is not asked.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unknown`] or [`ErrorKind::Ambiguous`] for the name, [`ErrorKind::InvalidArguments`] with the place in
    /// the line or the missing arguments, and what the server answers with an error.
    pub async fn run_command(&self, line: &str) -> Result<CommandOutcome, Error> {
        let (name, arguments) = split(line)?;
        let catalog = self.0.catalog();
        let command = catalog.command(name)?;
        match &command.source {
            CommandSource::Skill(skill) => Ok(CommandOutcome::Skill {
                text: skill.skill.render(arguments),
            }),
            CommandSource::Prompt(prompt) => {
                let outcome = self.render_prompt(command, prompt, arguments).await?;
                Ok(CommandOutcome::Prompt(outcome))
            }
        }
    }

    async fn render_prompt(
        &self,
        command: &Command,
        prompt: &PromptDefinition,
        line: &str,
    ) -> Result<PromptOutcome, Error> {
        let declared: Vec<Declared<'_>> = prompt
            .arguments
            .iter()
            .map(|argument| match argument.required {
                true => Declared::required(&argument.name),
                false => Declared::optional(&argument.name),
            })
            .collect();
        let invalid = |text: String| Error::new(ErrorKind::InvalidArguments, text);
        let arguments = Options::default()
            .parse_for(line, &declared)
            .map_err(|error| {
                invalid(format!(
                    "the arguments of `{}` cannot be read: {}",
                    command.typed(),
                    error.render(line).trim_end()
                ))
            })?;
        check_required(&declared, &arguments, EmptyValue::Given).map_err(|missing| {
            invalid(format!(
                "{missing}; usage: {} {}",
                command.typed(),
                usage(&declared)
            ))
        })?;
        let warnings = unknown_names(&declared, &arguments)
            .iter()
            .map(ToString::to_string)
            .collect();
        let sent: Map<String, Value> = arguments
            .to_map()
            .into_iter()
            .map(|(name, value)| (name, Value::String(value)))
            .collect();
        let (server_id, server) = self.0.server(command.server_id())?;
        let _permits = self.0.permits(server).await;
        let connection = self.0.connection(&server_id, server)?;
        let result = connection
            .get_prompt(&prompt.name, sent)
            .await
            .map_err(|error| {
                failed(&server_id, error).about(&format!("the prompt {:?}", prompt.name))
            })?;
        let bridge = std::sync::Arc::clone(&self.0);
        let name = prompt.name.clone();
        let converted = tokio::task::spawn_blocking(move || {
            let mut sink = StoreSink(&*bridge.store);
            let context = Context::new(&server_id, &name);
            convert_prompt_messages(&result, &context, &bridge.results, &mut sink)
        });
        let converted = converted.await.map_err(|error| {
            Error::new(ErrorKind::Internal, "the prompt could not be converted").with_source(error)
        })?;
        Ok(PromptOutcome {
            converted,
            warnings,
        })
    }
}

/// The name with its sigil, and what stands behind it.
fn split(line: &str) -> Result<(&str, &str), Error> {
    let line = line.trim();
    if !line.starts_with(['/', '$']) {
        let shown: String = line.chars().take(200).collect();
        let text = format!("{shown:?} is no command: a prompt starts with `/`, a skill with `$`");
        return Err(Error::new(ErrorKind::Unknown, text));
    }
    Ok(match line.split_once(char::is_whitespace) {
        Some((name, arguments)) => (name, arguments.trim_start()),
        None => (line, ""),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_sigil_a_name_and_the_rest() {
        let cases = [
            ("/mcp__s__p", Some(("/mcp__s__p", ""))),
            ("  $s:k  a  b ", Some(("$s:k", "a  b"))),
            ("/p\ta=1\nb=2", Some(("/p", "a=1\nb=2"))),
            ("p a", None),
            ("", None),
        ];
        for (line, want) in cases {
            assert_eq!(split(line).ok(), want, "line {line:?}");
        }
    }
}
