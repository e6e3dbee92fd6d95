//! A whole file of servers.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Number, Value};

use crate::entry;
use crate::expand::expand_json;
use crate::secrets::{SecretPlace, plaintext_secrets};
use crate::server::{ServerConfig, Trust};

/// No configuration is larger than this, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The longest name of a server, in characters.
const MAX_NAME_CHARS: usize = 100;

/// Who wrote a file.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Origin {
    /// The user's own settings: they may vouch for a server.
    User,
    /// A file that came with a project: it may not vouch for itself, so `trust` is dropped with a warning.
    Project,
}

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Loaded {
    /// The servers that can be used, in the order of the file.
    pub servers: Vec<Entry>,
    /// What could not be used, or is odd, in the order of the file.
    pub warnings: Vec<Warning>,
}

/// One server of a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// Its key in the file.
    pub name: String,
    /// Its configuration, with variables put in.
    pub config: ServerConfig,
}

/// Something in a file that was left out, changed or is odd.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Warning {
    /// A stable code, e.g. `invalid_name`, `missing_env`, `unknown_field`, `type_error`.
    pub code: &'static str,
    /// The server it is about.
    pub server: Option<String>,
    /// The member it is about, e.g. `args` or `oauth.callbackPort`, if it is about one.
    pub field: Option<String>,
    /// One sentence; holds no value that may be secret.
    pub message: String,
    /// The line of the entry, from 1.
    pub line: usize,
    /// The column of the entry in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, column {}: {}",
            self.line, self.column, self.message
        )
    }
}

/// A file that could not be read at all.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct LoadError {
    kind: LoadErrorKind,
    message: String,
    path: Option<PathBuf>,
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// There is no such file.
    NotFound,
    /// It cannot be opened or read, is no file, or no UTF-8.
    Unreadable,
    /// It is larger than 1 MiB.
    TooLarge,
    /// It is no JSON; the text says where.
    Syntax,
    /// It has no object `mcpServers`.
    NoServers,
}

impl LoadError {
    fn new(kind: LoadErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            path: None,
        }
    }

    fn at(mut self, path: &Path) -> Self {
        self.message = format!("{}: {}", path.display(), self.message);
        self.path = Some(path.to_owned());
        self
    }

    /// What is wrong.
    pub fn kind(&self) -> LoadErrorKind {
        self.kind
    }

    /// The file, where there was one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

/// Reads a file such as `.mcp.json`; variables come from the environment of this process.
///
/// # Errors
///
/// [`LoadError`] when the file as a whole cannot be used. An entry that cannot be used is a [`Warning`].
pub fn load_file(path: impl AsRef<Path>, origin: Origin) -> Result<Loaded, LoadError> {
    let path = path.as_ref();
    let text = read(path).map_err(|error| error.at(path))?;
    let environment = |name: &str| std::env::var(name).ok();
    load_str(&text, origin, &environment).map_err(|error| error.at(path))
}

fn read(path: &Path) -> Result<String, LoadError> {
    let unreadable = |error: &std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            LoadError::new(LoadErrorKind::NotFound, "there is no such file")
        }
        _ => LoadError::new(LoadErrorKind::Unreadable, error.to_string()),
    };
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let is_file = file
        .metadata()
        .map_err(|error| unreadable(&error))?
        .is_file();
    if !is_file {
        return Err(LoadError::new(
            LoadErrorKind::Unreadable,
            "it is no regular file",
        ));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(&error))?;
    check_size(bytes.len())?;
    String::from_utf8(bytes).map_err(|error| {
        LoadError::new(
            LoadErrorKind::Unreadable,
            format!("it is no UTF-8: {error}"),
        )
    })
}

fn check_size(bytes: usize) -> Result<(), LoadError> {
    if u64::try_from(bytes).is_ok_and(|bytes| bytes <= MAX_BYTES) {
        return Ok(());
    }
    let text = format!("it is larger than {MAX_BYTES} bytes");
    Err(LoadError::new(LoadErrorKind::TooLarge, text))
}

/// Reads the text of a file such as `.mcp.json`: `{"mcpServers": {"<name>": {…}}}`.
///
/// Comments, trailing commas and a byte order mark are accepted. `${VAR}` is [put in](crate::expand) everywhere but in
/// `headersHelper`. One entry that cannot be used costs only itself; one that cannot is also one with a secret as the
/// default of a variable or in its `headersHelper`, as [`plaintext_secrets`](crate::plaintext_secrets()) finds them.
///
/// ```
/// use mcp_bridge_server_config::{Origin, load_str};
///
/// let text = r#"{"mcpServers": {
///     "git": {"command": "uvx", "args": ["mcp-server-git"], "env": {"LEVEL": "${LEVEL:-info}"}},
///     "odd": {"comand": "uvx"}, // misspelt
/// }}"#;
/// let loaded = load_str(text, Origin::Project, &|_| None)?;
/// assert_eq!(loaded.servers[0].name, "git");
/// assert_eq!(
///     loaded.warnings.iter().map(|warning| warning.to_string()).collect::<Vec<_>>(),
///     [
///         "line 3, column 5: server `odd`: there is no field \"comand\"; did you mean `command`?",
///         "line 3, column 5: server `odd` was left out: `command` is missing: name a program, or give a `url`",
///     ]
/// );
/// # Ok::<(), mcp_bridge_server_config::LoadError>(())
/// ```
///
/// # Errors
///
/// [`LoadError`] for text that is no JSON, has no object `mcpServers`, or is larger than 1 MiB.
pub fn load_str(
    text: &str,
    origin: Origin,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Loaded, LoadError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    check_size(text.len())?;
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).map_err(
        |error| LoadError::new(LoadErrorKind::Syntax, format!("it is no JSON: {error}")),
    )?;
    let servers = match &parsed.value {
        Some(ast::Value::Object(root)) => root.get_object("mcpServers"),
        _ => None,
    };
    let Some(servers) = servers else {
        let text = "it has no object `mcpServers`";
        return Err(LoadError::new(LoadErrorKind::NoServers, text));
    };
    let mut reader = Reader {
        origin,
        lookup,
        place: Place::start(text),
        servers: Vec::new(),
        by_name: BTreeMap::new(),
        warnings: Vec::new(),
    };
    for property in &servers.properties {
        reader.place.advance(property.range.start);
        reader.entry(property.name.as_str(), &to_json(&property.value));
    }
    Ok(Loaded {
        servers: reader.servers.into_iter().flatten().collect(),
        warnings: reader.warnings,
    })
}

struct Reader<'a> {
    origin: Origin,
    lookup: &'a dyn Fn(&str) -> Option<String>,
    place: Place<'a>,
    /// `None` is an entry that a later one of the same name replaces.
    servers: Vec<Option<Entry>>,
    by_name: BTreeMap<String, usize>,
    warnings: Vec<Warning>,
}

impl Reader<'_> {
    fn warn(&mut self, server: &str, code: &'static str, field: &str, message: String) {
        self.warnings.push(Warning {
            code,
            server: Some(server.to_owned()),
            field: Some(short(field)).filter(|field| !field.is_empty()),
            message,
            line: self.place.line,
            column: self.place.column,
        });
    }

    fn entry(&mut self, name: &str, raw: &Value) {
        let shown = short(name);
        if let Err(why) = check_name(name) {
            let text = format!("server {shown:?} was left out: {why}");
            return self.warn(&shown, "invalid_name", "", text);
        }
        let secrets = plaintext_secrets(raw);
        let mut refused = secrets.iter().filter_map(|secret| {
            let where_it_is = short(&secret.field);
            let text = match secret.place {
                SecretPlace::Value => return None,
                SecretPlace::Default => format!(
                    "server `{shown}` was left out: the default of a variable in `{where_it_is}` is a secret; set the variable instead"
                ),
                SecretPlace::Helper => format!(
                    "server `{shown}` was left out: `{where_it_is}` holds a secret; name its variable instead"
                ),
            };
            Some((secret.field.as_str(), text))
        });
        if let Some((field, text)) = refused.next() {
            return self.warn(&shown, "plaintext_secret", field, text);
        }
        let expanded = expand_entry(raw, self.lookup);
        for variable in &expanded.missing {
            let text = format!("server `{shown}` was left out: the variable {variable} is not set");
            self.warn(&shown, "missing_env", "", text);
        }
        for place in &expanded.malformed {
            let text =
                format!("server `{shown}`: the default in `{place}` cannot hold another variable");
            self.warn(&shown, "malformed_variable", "", text);
        }
        if !expanded.missing.is_empty() {
            return;
        }
        let mut problems = Vec::new();
        let read = entry::read(&expanded.value, &mut problems);
        for problem in problems {
            let text = format!("server `{shown}`: {problem}");
            self.warn(&shown, problem.code, &problem.field, text);
        }
        match read {
            Ok(config) => self.add(name, &shown, config),
            Err(problem) => {
                let text = format!("server `{shown}` was left out: {problem}");
                self.warn(&shown, problem.code, &problem.field, text);
            }
        }
    }

    fn add(&mut self, name: &str, shown: &str, mut config: ServerConfig) {
        if self.origin == Origin::Project && config.trust == Trust::Trusted {
            config.trust = Trust::Untrusted;
            let text = format!(
                "server `{shown}`: a project's own file cannot vouch for a server, so `trust` is dropped"
            );
            self.warn(shown, "trust_ignored", "trust", text);
        }
        let name = name.to_owned();
        if let Some(earlier) = self.by_name.insert(name.clone(), self.servers.len()) {
            if let Some(slot) = self.servers.get_mut(earlier) {
                *slot = None;
            }
            let text = format!("server `{shown}` stands twice; the last entry counts");
            self.warn(shown, "duplicate_name", "", text);
        }
        self.servers.push(Some(Entry { name, config }));
    }
}

/// Variables in everything but `headersHelper`, whose own process gets them.
fn expand_entry(raw: &Value, lookup: &dyn Fn(&str) -> Option<String>) -> crate::Expanded<Value> {
    let mut expanded = expand_json(
        &match raw {
            Value::Object(members) => Value::Object(
                members
                    .iter()
                    .filter(|(name, _)| *name != "headersHelper")
                    .map(|(n, v)| (n.clone(), v.clone()))
                    .collect(),
            ),
            other => other.clone(),
        },
        lookup,
    );
    if let (Some(helper), Value::Object(members)) = (raw.get("headersHelper"), &mut expanded.value)
    {
        members.insert("headersHelper".to_owned(), helper.clone());
    }
    expanded
}

fn check_name(name: &str) -> Result<(), &'static str> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() {
        Err("its name is empty")
    } else if name.chars().count() > MAX_NAME_CHARS {
        Err("its name is longer than 100 characters")
    } else if !name.chars().all(fits) {
        Err("its name may hold letters, digits, `_`, `-` and `.` only")
    } else {
        Ok(())
    }
}

fn short(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_control())
        .take(MAX_NAME_CHARS)
        .collect()
}

/// Line and column of a byte that only moves on, both from 1; columns count characters.
struct Place<'a> {
    text: &'a str,
    byte: usize,
    line: usize,
    column: usize,
}

impl<'a> Place<'a> {
    fn start(text: &'a str) -> Self {
        Self {
            text,
            byte: 0,
            line: 1,
            column: 1,
        }
    }

    fn advance(&mut self, byte: usize) {
        let Some(passed) = self.text.get(self.byte..byte) else {
            return;
        };
        match passed.rsplit_once('\n') {
            Some((before, last)) => {
                self.line += before.matches('\n').count() + 1;
                self.column = last.chars().count() + 1;
            }
            None => self.column += passed.chars().count(),
        }
        self.byte = byte;
    }
}

fn to_json(value: &ast::Value<'_>) -> Value {
    match value {
        ast::Value::StringLit(text) => Value::String(text.value.to_string()),
        ast::Value::NumberLit(number) => number
            .value
            .parse::<Number>()
            .map_or_else(|_| Value::String(number.value.to_owned()), Value::Number),
        ast::Value::BooleanLit(flag) => Value::Bool(flag.value),
        ast::Value::Object(object) => {
            let members = object.properties.iter();
            let members =
                members.map(|member| (member.name.as_str().to_owned(), to_json(&member.value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        ast::Value::Array(array) => array.elements.iter().map(to_json).collect(),
        ast::Value::NullKeyword(_) => Value::Null,
    }
}
