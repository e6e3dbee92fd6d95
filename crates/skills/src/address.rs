use std::collections::BTreeSet;

/// The scheme of skill addresses, as servers write it.
const SCHEME: &str = "skill://";

/// The file that holds a skill's text.
const FILE: &str = "SKILL.md";

/// Whether `uri` can be the address of a skill's text: see [`SkillUri::new`].
#[must_use]
pub fn is_skill_uri(uri: &str) -> bool {
    SkillUri::new(uri).is_ok()
}

/// The skills among the addresses of one server's resources, in their order, each once.
///
/// Every valid address of a `SKILL.md` is one. Other `skill://` addresses are taken for skills too, as servers wrote them
/// before there was an extension, unless they lie in the folder of a skill: those are its supporting files.
///
/// ```
/// let uris = ["skill://git-flow/SKILL.md", "skill://git-flow/refs/a.md", "file:///etc/passwd", "skill://../x/SKILL.md"];
/// let names: Vec<_> = mcp_bridge_skills::find_skills(uris).iter().map(|uri| uri.name().to_owned()).collect();
/// assert_eq!(names, ["git-flow"]);
/// ```
#[must_use]
pub fn find_skills<'a>(uris: impl IntoIterator<Item = &'a str>) -> Vec<SkillUri> {
    let mut seen = BTreeSet::new();
    let valid: Vec<SkillUri> = uris
        .into_iter()
        .filter_map(|uri| SkillUri::new(uri).ok())
        .filter(|uri| seen.insert(uri.uri.clone()))
        .collect();
    let folders: BTreeSet<String> = valid
        .iter()
        .filter_map(|uri| uri.directory().map(str::to_owned))
        .collect();
    let is_inside = |uri: &SkillUri| {
        uri.uri.match_indices('/').any(|(slash, _)| {
            uri.uri
                .get(..slash)
                .is_some_and(|folder| folders.contains(folder))
        })
    };
    valid
        .iter()
        .filter(|uri| uri.directory().is_some() || !is_inside(uri))
        .cloned()
        .collect()
}

/// The address of a skill's text: `skill://<path>/SKILL.md`, or the older `skill://<path>`.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct SkillUri {
    // Invariant: `problem(&self.uri)` is `None`.
    uri: String,
}

impl SkillUri {
    /// Checks `uri` and keeps it as it is.
    ///
    /// # Errors
    ///
    /// [`InvalidSkillUri`] unless it begins `skill://` and names a path without empty segments, dot segments in any
    /// encoding, encoded slashes, backslashes, white space, control characters, queries or fragments.
    pub fn new(uri: impl Into<String>) -> Result<Self, InvalidSkillUri> {
        let uri = uri.into();
        match problem(&uri) {
            None => Ok(Self { uri }),
            Some(problem) => Err(InvalidSkillUri { uri, problem }),
        }
    }

    /// The address as the server wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.uri
    }

    /// The name that the address gives the skill: the last segment of its path, without `SKILL.md`.
    #[must_use]
    pub fn name(&self) -> &str {
        let path = self.directory().unwrap_or(&self.uri);
        path.rsplit('/').next().unwrap_or_default()
    }

    /// The address of the skill's folder, without a slash at its end; the older form has none.
    #[must_use]
    pub fn directory(&self) -> Option<&str> {
        let directory = self.uri.strip_suffix(FILE)?.strip_suffix('/')?;
        (directory.len() > SCHEME.len()).then_some(directory)
    }

    /// The address of a file that the skill refers to, relative to its folder or in full.
    ///
    /// ```
    /// use mcp_bridge_skills::{SkillUri, SkillUriProblem};
    ///
    /// let skill = SkillUri::new("skill://git-flow/SKILL.md")?;
    /// assert_eq!(skill.resolve("./refs/a.md#top")?, "skill://git-flow/refs/a.md");
    /// assert_eq!(skill.resolve("../../secret").unwrap_err().problem(), SkillUriProblem::OutsideSkill);
    /// # Ok::<(), mcp_bridge_skills::InvalidSkillUri>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidSkillUri`] for whatever does not stay inside the folder of this skill, in every encoding, and for every
    /// reference from an address that has no folder.
    pub fn resolve(&self, reference: &str) -> Result<String, InvalidSkillUri> {
        let refuse = |problem| InvalidSkillUri {
            uri: reference.to_owned(),
            problem,
        };
        let outside = || refuse(SkillUriProblem::OutsideSkill);
        let directory = self.directory().ok_or_else(outside)?;
        let path = reference
            .split_once('#')
            .map_or(reference, |(path, _)| path);
        let path = match path.strip_prefix(directory) {
            Some(inside) => inside.strip_prefix('/').ok_or_else(outside)?,
            None if path.starts_with('/') || has_scheme(path) => return Err(outside()),
            None => path,
        };
        let mut segments: Vec<&str> = Vec::new();
        for segment in path.split('/') {
            match segment {
                "." => {}
                ".." => {
                    segments.pop().ok_or_else(outside)?;
                }
                segment => segments.push(segment),
            }
        }
        let uri = format!("{directory}/{}", segments.join("/"));
        match problem(&uri) {
            None => Ok(uri),
            Some(SkillUriProblem::DotSegment) => Err(outside()),
            Some(problem) => Err(refuse(problem)),
        }
    }
}

impl std::fmt::Display for SkillUri {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.uri)
    }
}

impl AsRef<str> for SkillUri {
    fn as_ref(&self) -> &str {
        &self.uri
    }
}

/// An address or a reference that is refused.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{problem}: {uri:?}")]
pub struct InvalidSkillUri {
    uri: String,
    problem: SkillUriProblem,
}

impl InvalidSkillUri {
    /// What was refused, as it was given.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Why.
    #[must_use]
    pub fn problem(&self) -> SkillUriProblem {
        self.problem
    }
}

/// Why an address or a reference is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum SkillUriProblem {
    /// It does not begin `skill://`.
    Scheme,
    /// It has `.` or `..` as a segment, plain or encoded.
    DotSegment,
    /// It has an empty segment, or a character that no path of a skill needs.
    Malformed,
    /// It leaves the folder of the skill that refers to it.
    OutsideSkill,
}

impl std::fmt::Display for SkillUriProblem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Scheme => "not a `skill://` address",
            Self::DotSegment => "a dot segment in a skill's address",
            Self::Malformed => "a malformed skill address",
            Self::OutsideSkill => "a reference that leaves its skill",
        })
    }
}

fn problem(uri: &str) -> Option<SkillUriProblem> {
    let Some(path) = uri.strip_prefix(SCHEME) else {
        return Some(SkillUriProblem::Scheme);
    };
    let lower = path.to_ascii_lowercase();
    let dots = |segment: &str| matches!(segment.replace("%2e", ".").as_str(), "." | "..");
    // Decoded twice by a careless server, `%252e` would be a dot; no honest name has an encoded percent sign.
    if lower.split('/').any(dots) || lower.contains("%25") {
        return Some(SkillUriProblem::DotSegment);
    }
    let is_odd =
        |char: char| char.is_control() || char.is_whitespace() || matches!(char, '\\' | '?' | '#');
    let is_malformed = path.is_empty()
        || path.split('/').any(str::is_empty)
        || path.contains(is_odd)
        || ["%2f", "%5c", "%00"]
            .iter()
            .any(|encoded| lower.contains(encoded));
    is_malformed.then_some(SkillUriProblem::Malformed)
}

fn has_scheme(reference: &str) -> bool {
    let first = reference.split('/').next().unwrap_or_default();
    first.contains(':')
}
