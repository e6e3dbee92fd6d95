//! Which server and tool a model means.

use crate::error::{CallError, CallErrorKind};

/// A server as the host knows it, for [`resolve`].
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Known {
    /// The server's name.
    pub server: String,
    /// Its tools, by its own names.
    pub tools: Vec<String>,
    /// The tools that are switched off.
    pub disabled: Vec<String>,
}

impl Known {
    /// A server with its tools.
    pub fn new(
        server: impl Into<String>,
        tools: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self {
            server: server.into(),
            tools: tools.into_iter().map(Into::into).collect(),
            disabled: Vec::new(),
        }
    }

    /// Sets [`disabled`](Self::disabled).
    #[must_use]
    pub fn with_disabled(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.disabled = tools.into_iter().map(Into::into).collect();
        self
    }
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Resolved<'a> {
    /// The server.
    pub server: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// Whether both were named exactly; else without regard to case, and to `-` against `_`.
    pub is_exact: bool,
}

/// Finds a server and its tool: exactly, else without regard to case and to `-` against `_` where only one fits.
///
/// ```
/// use mcp_bridge_use_mcp_tool::{Known, resolve};
///
/// let known = [Known::new("git", ["git_log"])];
/// assert_eq!(resolve(&known, "git", "git-log")?.tool, "git_log");
/// let error = resolve(&known, "gti", "git_log").unwrap_err();
/// assert_eq!(error.to_string(), "there is no server \"gti\"; did you mean `git`?");
/// # Ok::<(), mcp_bridge_use_mcp_tool::CallError>(())
/// ```
///
/// # Errors
///
/// [`CallError`] with the names there are and those that look alike.
pub fn resolve<'a>(
    known: &'a [Known],
    server: &str,
    tool: &str,
) -> Result<Resolved<'a>, CallError> {
    let servers: Vec<&str> = known.iter().map(|known| &*known.server).collect();
    let found = find(&servers, server).map_err(|all| {
        let kind = match all.len() {
            0 => CallErrorKind::UnknownServer,
            _ => CallErrorKind::AmbiguousServer,
        };
        error(kind, "server", server, &servers, &all).named(server, None)
    })?;
    let entry = known.get(found.place).ok_or_else(|| {
        error(
            CallErrorKind::UnknownServer,
            "server",
            server,
            &servers,
            &[],
        )
    })?;
    let tools: Vec<&str> = entry.tools.iter().map(|tool| &**tool).collect();
    let is_on = |tool: &&str| !entry.disabled.iter().any(|name| name == tool);
    let enabled: Vec<&str> = tools.iter().copied().filter(is_on).collect();
    let named = find(&tools, tool).map_err(|all| {
        let kind = match all.len() {
            0 => CallErrorKind::UnknownTool,
            _ => CallErrorKind::AmbiguousTool,
        };
        error(kind, "tool", tool, &enabled, &all).named(&entry.server, Some(tool))
    })?;
    if entry.disabled.iter().any(|name| name == named.name) {
        let text = format!(
            "the tool `{}` of the server `{}` is switched off",
            named.name, entry.server
        );
        return Err(
            CallError::new(CallErrorKind::ToolDisabled, text).named(&entry.server, Some(tool))
        );
    }
    Ok(Resolved {
        server: &entry.server,
        tool: named.name,
        is_exact: found.is_exact && named.is_exact,
    })
}

struct Found<'a> {
    name: &'a str,
    place: usize,
    is_exact: bool,
}

/// The one name that fits, or all that fit without regard to spelling.
fn find<'a>(names: &[&'a str], wanted: &str) -> Result<Found<'a>, Vec<&'a str>> {
    if let Some((place, name)) = names.iter().enumerate().find(|(_, name)| **name == wanted) {
        return Ok(Found {
            name,
            place,
            is_exact: true,
        });
    }
    let folded = fold(wanted);
    let fitting = names
        .iter()
        .enumerate()
        .filter(|(_, name)| fold(name) == folded);
    match fitting.collect::<Vec<_>>().as_slice() {
        [(place, name)] => Ok(Found {
            name,
            place: *place,
            is_exact: false,
        }),
        all => Err(all.iter().map(|(_, name)| **name).collect()),
    }
}

fn error(
    kind: CallErrorKind,
    what: &str,
    wanted: &str,
    names: &[&str],
    fitting: &[&str],
) -> CallError {
    let shown = crate::error::short(wanted);
    let quoted = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let mut error = CallError::new(kind, "").with_names(names.iter().copied(), wanted);
    let fitting = fitting.iter().take(10);
    let fitting: Vec<String> = fitting.map(|name| crate::error::short(name)).collect();
    error.message = if !fitting.is_empty() {
        format!(
            "the {what} name {shown:?} fits several: {}",
            quoted(&fitting)
        )
    } else if !error.names.did_you_mean.is_empty() {
        format!(
            "there is no {what} {shown:?}; did you mean {}?",
            quoted(&error.names.did_you_mean)
        )
    } else if error.names.available.is_empty() {
        format!("there is no {what} {shown:?}, nor any other")
    } else {
        format!(
            "there is no {what} {shown:?}; there are {}",
            quoted(&error.names.available)
        )
    };
    error
}

fn fold(name: &str) -> String {
    name.trim().to_lowercase().replace('-', "_")
}

/// At most three names within two changes of a letter, nearest first.
pub(crate) fn near(names: &[&str], wanted: &str) -> Vec<String> {
    let wanted: String = fold(wanted).chars().take(100).collect();
    let mut near: Vec<(usize, &str)> = names
        .iter()
        .map(|name| (distance(&fold(name), &wanted), *name))
        .filter(|(distance, _)| *distance <= 2)
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter()
        .take(3)
        .map(|(_, name)| crate::error::short(name))
        .collect()
}

/// How many letters must be put in, taken out or changed; more than two is only told as more.
fn distance(one: &str, two: &str) -> usize {
    const FAR: usize = 3;
    let two: Vec<char> = two.chars().collect();
    if one.chars().count().abs_diff(two.len()) >= FAR {
        return FAR;
    }
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (line, a) in one.chars().enumerate() {
        let (mut corner, mut left) = (line, line + 1);
        for (b, above) in two.iter().zip(row.iter_mut().skip(1)) {
            let here = (corner + usize::from(a != *b))
                .min(left + 1)
                .min(*above + 1);
            corner = std::mem::replace(above, here);
            left = here;
        }
        if let Some(first) = row.first_mut() {
            *first = line + 1;
        }
    }
    row.last().copied().unwrap_or(FAR)
}
