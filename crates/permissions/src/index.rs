use std::collections::HashMap;

use crate::call::Call;
use crate::fold::{cuts, fold, fold_glob, fold_name};
use crate::glob::Glob;
use crate::kinds::{List, Matching};
use crate::pattern::{Pattern, Target};

/// The rules of one list, found by what they name.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    list: List,
    matching: Matching,
    patterns: Vec<Pattern>,
    names: HashMap<String, Vec<usize>>,
    /// By `server NUL tool`, as the server writes both.
    pairs: HashMap<String, Vec<usize>>,
    /// By the server's part of a public name; the glob is over the tool's part.
    servers: HashMap<String, Vec<(usize, Glob)>>,
    /// By the host's key of the server; the glob is over the tool's own name.
    originals: HashMap<String, Vec<(usize, Glob)>>,
    wide: Vec<usize>,
}

impl Index {
    pub(crate) fn new(list: List, matching: Matching) -> Self {
        Self {
            list,
            matching,
            patterns: Vec::new(),
            names: HashMap::new(),
            pairs: HashMap::new(),
            servers: HashMap::new(),
            originals: HashMap::new(),
            wide: Vec::new(),
        }
    }

    pub(crate) fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// An allow rule takes names as they are; a deny or ask rule takes any spelling.
    fn exact(&self) -> bool {
        self.list == List::Allow || self.matching == Matching::WholeName
    }

    fn key(&self, text: &str) -> String {
        if self.exact() {
            text.to_owned()
        } else {
            fold(text)
        }
    }

    fn name_key(&self, name: &str) -> String {
        if self.exact() {
            name.to_owned()
        } else {
            fold_name(name)
        }
    }

    fn glob(&self, text: &str) -> Glob {
        if self.exact() {
            Glob::of_name(text)
        } else {
            Glob::of_name(&fold_glob(text))
        }
    }

    pub(crate) fn push(&mut self, pattern: Pattern) {
        let at = self.patterns.len();
        match &pattern.target {
            Target::Nothing => {}
            Target::All { .. } | Target::Names(_) => self.wide.push(at),
            Target::Server(server) => {
                let key = self.key(server);
                self.servers
                    .entry(key)
                    .or_default()
                    .push((at, Glob::of_name("*")));
            }
            Target::Tools(rest) => {
                for (server, tool) in cuts(rest, "__") {
                    if !server.contains(['*', '?']) {
                        let (key, glob) = (self.key(server), self.glob(tool));
                        self.servers.entry(key).or_default().push((at, glob));
                    }
                }
            }
            Target::Original(text) => {
                for (server, tool) in cuts(text, ":") {
                    let server = self.key(server);
                    if tool.contains(['*', '?']) {
                        let glob = self.glob(tool);
                        self.originals
                            .entry(server.clone())
                            .or_default()
                            .push((at, glob));
                    }
                    // A tool may have a star in its own name.
                    let pair = format!("{server}\0{}", self.key(tool));
                    self.pairs.entry(pair).or_default().push(at);
                }
            }
            Target::Name(name) => {
                let key = self.name_key(name);
                self.names.entry(key).or_default().push(at);
                if !self.exact()
                    && let Some(rest) = name.strip_prefix("mcp__")
                {
                    for (server, tool) in cuts(rest, "__") {
                        let pair = format!("{}\0{}", fold(server), fold(tool));
                        self.pairs.entry(pair).or_default().push(at);
                    }
                }
            }
        }
        self.patterns.push(pattern);
    }

    /// The patterns that match, the one to name first at the front.
    pub(crate) fn matches(&self, call: &Call<'_>) -> Vec<&Pattern> {
        let mut found = self.candidates(call);
        found.retain(|pattern| {
            let conditions = &pattern.conditions;
            conditions
                .iter()
                .all(|condition| condition.holds(call.arguments, self.list))
        });
        found.sort_by(|a, b| (a.rule.source, &a.rule.text).cmp(&(b.rule.source, &b.rule.text)));
        found
    }

    /// The patterns that would match with the right arguments.
    pub(crate) fn candidates(&self, call: &Call<'_>) -> Vec<&Pattern> {
        let mut found: Vec<usize> = Vec::new();
        found.extend(
            self.names
                .get(&self.name_key(call.public_name))
                .into_iter()
                .flatten(),
        );
        if !self.exact() && call.base_name != call.public_name {
            found.extend(
                self.names
                    .get(&self.name_key(call.base_name))
                    .into_iter()
                    .flatten(),
            );
        }
        for &at in &self.wide {
            let covers = match self.patterns.get(at).map(|pattern| &pattern.target) {
                Some(Target::All { mcp_only }) => {
                    !mcp_only || !call.host_tool || call.public_name.starts_with("mcp__")
                }
                // An allow rule without a server must not open a server's tool.
                Some(Target::Names(glob)) if self.exact() => {
                    call.host_tool && glob.matches(call.public_name)
                }
                Some(Target::Names(glob)) => {
                    glob.matches(call.public_name) || glob.matches(call.base_name)
                }
                _ => false,
            };
            if covers {
                found.push(at);
            }
        }
        if !call.server.is_empty() {
            self.server_matches(call, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found
            .into_iter()
            .filter_map(|at| self.patterns.get(at))
            .collect()
    }

    fn server_matches(&self, call: &Call<'_>, found: &mut Vec<usize>) {
        let (server, tool) = (self.key(call.server), self.key(call.tool));
        if !call.host_tool {
            found.extend(
                self.pairs
                    .get(&format!("{server}\0{tool}"))
                    .into_iter()
                    .flatten(),
            );
            let originals = self.originals.get(&server).into_iter().flatten();
            found.extend(
                originals
                    .filter(|(_, glob)| glob.matches(&tool))
                    .map(|(at, _)| at),
            );
        }
        let parts = public_parts(call);
        let part = parts.map_or_else(|| server.clone(), |(part, _)| self.key(part));
        let tool_part = parts.map_or_else(|| tool.clone(), |(_, tool)| self.key(tool));
        let mut by = |key: &str| {
            let globs = self.servers.get(key).into_iter().flatten();
            found.extend(
                globs
                    .filter(|(_, glob)| glob.matches(&tool_part))
                    .map(|(at, _)| at),
            );
        };
        by(&part);
        if part != server {
            by(&server);
        }
    }
}

/// The server's and the tool's part of the public name, cut where the server's name ends.
fn public_parts<'a>(call: &Call<'a>) -> Option<(&'a str, &'a str)> {
    let server = fold(call.server);
    let rest = call.public_name.strip_prefix("mcp__")?;
    cuts(rest, "__").find(|(part, _)| fold(part) == server)
}
