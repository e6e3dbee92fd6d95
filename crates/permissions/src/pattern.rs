use crate::condition::Condition;
use crate::glob::Glob;
use crate::kinds::List;
use crate::rules::Rule;

/// Longer rules are refused: nobody writes them, and each costs time on every call.
const MAX_RULE_BYTES: usize = 4_096;

/// What a rule names, read from its text.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// Every tool; of MCP servers only, if so said.
    All { mcp_only: bool },
    /// `mcp__server`
    Server(String),
    /// `mcp__server__glob`, cut later where the call's server ends.
    Tools(String),
    /// `server:tool`, where the tool may be a glob.
    Original(String),
    /// A whole public name.
    Name(String),
    /// A glob over the whole public name.
    Names(Glob),
    /// Nothing: the rule is malformed, and an allow rule.
    Nothing,
}

/// A rule, ready to match.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(crate) rule: Rule,
    pub(crate) target: Target,
    pub(crate) conditions: Vec<Condition>,
    /// What is wrong with its text.
    pub(crate) problem: Option<String>,
}

impl Pattern {
    pub(crate) fn parse(rule: Rule) -> Self {
        let text = rule.text.trim().to_owned();
        let strict = rule.list == List::Allow;
        let mut problem = None;
        let (name, conditions) = match text.strip_suffix(')').and_then(|text| text.split_once('('))
        {
            Some((name, inside)) => match Condition::parse_all(inside) {
                Ok(conditions) => (name.trim_end().to_owned(), conditions),
                Err(why) => {
                    problem = Some(why);
                    (name.trim_end().to_owned(), Vec::new())
                }
            },
            None => (text, Vec::new()),
        };
        let target = if name.is_empty() {
            problem = Some("a rule needs the name of a tool".to_owned());
            Target::Nothing
        } else if rule.text.len() > MAX_RULE_BYTES {
            problem = Some(format!("a rule has at most {MAX_RULE_BYTES} bytes"));
            Target::Nothing
        } else if strict && problem.is_some() {
            // An allow rule whose condition is unreadable must not allow every argument.
            Target::Nothing
        } else {
            target(&name, strict, &mut problem)
        };
        Self {
            rule,
            target,
            conditions,
            problem,
        }
    }

    /// For [`Matching::WholeName`](crate::Matching::WholeName).
    pub(crate) fn parse_whole_name(rule: Rule) -> Self {
        let server = rule
            .text
            .strip_prefix("mcp__")
            .map(|server| server.strip_suffix("__*").unwrap_or(server))
            .filter(|server| {
                !server.is_empty() && !server.contains("__") && !server.contains(['*', '(', ' '])
            });
        let wild = rule.text.contains(['*', '?', '(', ':', ' ']);
        let (target, problem) = match server {
            Some(server) if rule.list != List::Allow => (Target::Server(server.to_owned()), None),
            Some(_) => (
                Target::Nothing,
                Some("an allow rule must be one whole tool name here".to_owned()),
            ),
            None if wild => (
                Target::Nothing,
                Some("a rule must be one whole tool name here".to_owned()),
            ),
            None => (Target::Name(rule.text.clone()), None),
        };
        Self {
            rule,
            target,
            conditions: Vec::new(),
            problem,
        }
    }
}

fn target(name: &str, strict: bool, problem: &mut Option<String>) -> Target {
    let wild = |text: &str| text.contains(['*', '?']);
    match name {
        "*" => return Target::All { mcp_only: false },
        "mcp__*" | "mcp__*__*" => return Target::All { mcp_only: true },
        _ => {}
    }
    let Some(rest) = name.strip_prefix("mcp__") else {
        return match name.rsplit_once(':') {
            Some((server, tool)) if !server.is_empty() && !tool.is_empty() => {
                Target::Original(name.to_owned())
            }
            Some(_) => {
                *problem = Some("write `server:tool`, with both names".to_owned());
                Target::Nothing
            }
            None if wild(name) => Target::Names(Glob::of_name(name)),
            None => Target::Name(name.to_owned()),
        };
    };
    let literal = rest.split(['*', '?']).next().unwrap_or_default();
    let cut = literal.find("__").is_some_and(|at| at > 0);
    match (wild(rest), cut) {
        (true, true) => Target::Tools(rest.to_owned()),
        (true, false) => {
            *problem =
                Some("a wildcard may stand in the tool's part only: `mcp__server__*`".to_owned());
            if strict {
                Target::Nothing
            } else {
                Target::Names(Glob::of_name(name))
            }
        }
        (false, true) => Target::Name(name.to_owned()),
        (false, false) if rest.is_empty() => {
            *problem = Some("`mcp__` is followed by the name of a server".to_owned());
            Target::Nothing
        }
        (false, false) => Target::Server(rest.to_owned()),
    }
}
