//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Parser, Subcommand};
use mcp_bridge::permissions::Mode;
use serde_json::{Map, Value};

use crate::host::exit::{Exit, Failure};

/// Connects to MCP servers and does what an agent would do with them.
///
/// Without a server, the built-in demo server is started as a child process. Without an action, a short guided tour
/// runs and ends by itself.
#[derive(Debug, Parser)]
#[command(name = "host", version, after_help = EXIT_CODES, args_conflicts_with_subcommands = true)]
#[command(group(ArgGroup::new("action").args(["list", "call", "prompt", "read"])))]
pub(crate) struct Args {
    /// Take servers from a file such as .mcp.json.
    #[arg(long, value_name = "FILE", help_heading = "Servers")]
    pub(crate) config: Option<PathBuf>,
    /// Start one server as a child process: `--server NAME -- COMMAND ARGS…`.
    #[arg(
        long,
        value_name = "NAME",
        requires = "command",
        help_heading = "Servers"
    )]
    pub(crate) server: Option<String>,
    /// The command that starts the server, and its arguments.
    #[arg(
        last = true,
        value_name = "COMMAND",
        requires = "server",
        help_heading = "Servers"
    )]
    pub(crate) command: Vec<String>,
    /// Connect to one server over Streamable HTTP.
    #[arg(long, value_name = "URL", help_heading = "Servers")]
    pub(crate) url: Option<String>,
    /// What to call the server at `--url`.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "remote",
        requires = "url",
        help_heading = "Servers"
    )]
    pub(crate) name: String,

    /// Print tools, commands, resources and instructions.
    #[arg(long, help_heading = "Actions")]
    pub(crate) list: bool,
    /// Call a tool by its public name, e.g. mcp__demo__echo.
    #[arg(long, value_name = "TOOL", help_heading = "Actions")]
    pub(crate) call: Option<String>,
    /// The tool's arguments, a JSON object.
    #[arg(long, value_name = "JSON", requires = "call", help_heading = "Actions")]
    pub(crate) args: Option<String>,
    /// Run a prompt or a skill: `/mcp__demo__review title=Plan text="Ship it"` or `$demo:release-notes 1.2`.
    #[arg(long, value_name = "LINE", help_heading = "Actions")]
    pub(crate) prompt: Option<String>,
    /// Read a resource of a server.
    #[arg(long, num_args = 2, value_names = ["SERVER", "URI"], help_heading = "Actions")]
    pub(crate) read: Option<Vec<String>>,

    /// Rules for tools that may run unasked, e.g. `mcp__demo__*`; repeat the option or separate with commas.
    #[arg(long, value_name = "RULES", help_heading = "Permissions")]
    pub(crate) allowed_tools: Vec<String>,
    /// Rules for tools that never run.
    #[arg(long, value_name = "RULES", help_heading = "Permissions")]
    pub(crate) disallowed_tools: Vec<String>,
    /// What happens to a tool without a rule.
    #[arg(long, value_name = "MODE", value_parser = modes(), help_heading = "Permissions")]
    pub(crate) permission_mode: Option<String>,

    /// Print one JSON object instead of text.
    #[arg(long, requires = "action")]
    pub(crate) json: bool,
    /// Keep artifacts in this folder; a temporary one otherwise.
    #[arg(long, value_name = "DIR")]
    pub(crate) session_dir: Option<PathBuf>,
    /// How long a call, a list or a connection may take; a report of progress starts the time of a call anew.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: Option<u64>,

    #[command(subcommand)]
    pub(crate) inner: Option<Inner>,
}

/// What the program does to itself.
#[derive(Debug, Subcommand)]
pub(crate) enum Inner {
    /// Serves the demo server on stdin and stdout.
    #[command(hide = true)]
    DemoServer,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  the tool reported an error
  2  the command line or a configuration file is wrong
  3  no server could be connected
  4  refused by a permission
  5  an unknown name, or arguments that do not fit
  6  a server or its connection failed, or took too long
  130  interrupted";

fn modes() -> PossibleValuesParser {
    PossibleValuesParser::new(Mode::ALL.iter().map(|mode| mode.as_str()))
}

/// The one thing to do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    Tour,
    List,
    Call(String, Map<String, Value>),
    Prompt(String),
    Read(String, String),
}

impl Args {
    /// What was asked for.
    pub(crate) fn action(&self) -> Result<Action, Failure> {
        if self.list {
            return Ok(Action::List);
        }
        if let Some(tool) = &self.call {
            let arguments = parse_arguments(self.args.as_deref().unwrap_or("{}"))?;
            return Ok(Action::Call(tool.clone(), arguments));
        }
        if let Some(line) = &self.prompt {
            return Ok(Action::Prompt(line.clone()));
        }
        match self.read.as_deref() {
            Some([server, uri]) => Ok(Action::Read(server.clone(), uri.clone())),
            _ => Ok(Action::Tour),
        }
    }

    /// Whether a server was named; the demo server stands in otherwise.
    pub(crate) fn names_servers(&self) -> bool {
        self.config.is_some() || self.server.is_some() || self.url.is_some()
    }

    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.timeout.map(Duration::from_secs)
    }
}

fn parse_arguments(text: &str) -> Result<Map<String, Value>, Failure> {
    let wrong =
        |why: String| Failure::new(Exit::Arguments, format!("--args is no JSON object: {why}"));
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => Err(wrong(format!("it is {}", kind(&other)))),
        Err(error) => Err(wrong(error.to_string())),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(line: &[&str]) -> Result<Args, clap::Error> {
        Args::try_parse_from(std::iter::once("host").chain(line.iter().copied()))
    }

    #[test]
    fn each_action_is_understood() {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let cases: [(&[&str], Action); 6] = [
            (&[], Action::Tour),
            (
                &[
                    "--server",
                    "git",
                    "--list",
                    "--",
                    "uvx",
                    "mcp-server-git",
                    "--list",
                ],
                Action::List,
            ),
            (&["--call", "t"], Action::Call("t".into(), Map::new())),
            (
                &["--call", "t", "--args", r#"{"n": 12345678901234567890123}"#],
                Action::Call(
                    "t".into(),
                    object(serde_json::from_str(r#"{"n": 12345678901234567890123}"#).unwrap()),
                ),
            ),
            (&["--prompt", "/p a=b"], Action::Prompt("/p a=b".into())),
            (
                &["--read", "demo", "demo://guide"],
                Action::Read("demo".into(), "demo://guide".into()),
            ),
        ];
        for (line, want) in cases {
            let action = parse(line).unwrap().action().unwrap();
            assert_eq!(action, want, "line {line:?}");
        }
        assert_eq!(object(json!({})), Map::new());
    }

    #[test]
    fn a_command_needs_a_name_and_a_name_a_command() {
        let cases: [&[&str]; 7] = [
            &["--server", "git"],
            &["--", "uvx"],
            &["--name", "x"],
            &["--args", "{}"],
            &["--list", "--call", "t"],
            &["--json"],
            &["--timeout", "0"],
        ];
        for line in cases {
            assert!(parse(line).is_err(), "line {line:?}");
        }
    }

    #[test]
    fn the_readmes_commands_are_understood() {
        let readme = include_str!("../../../README.md");
        let lines = readme
            .lines()
            .filter_map(|line| line.strip_prefix("cargo run --example host -- "));
        let mut count = 0;
        for line in lines {
            // Words, of which those in single quotes stay together.
            let parts = line.split('\'').enumerate();
            let words: Vec<&str> = parts
                .flat_map(|(index, part)| match index % 2 {
                    0 => part.split_whitespace().collect(),
                    _ => vec![part],
                })
                .collect();
            parse(&words).unwrap().action().unwrap();
            count += 1;
        }
        assert_eq!(count, 3);
    }

    #[test]
    fn arguments_must_be_an_object() {
        let cases = [
            ("[1]", "--args is no JSON object: it is an array"),
            (
                "{",
                "--args is no JSON object: EOF while parsing an object at line 1 column 1",
            ),
        ];
        for (given, want) in cases {
            let failure = parse_arguments(given).unwrap_err();
            assert_eq!(
                (failure.exit, failure.message.as_str()),
                (Exit::Arguments, want)
            );
        }
    }
}
