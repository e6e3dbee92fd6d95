//! The name by which an artifact is read back.

use std::fmt;
use std::str::FromStr;

/// An artifact's id, `server/tool/file`: three segments of `A-Za-z0-9_.-` that never begin with a dot, so no id leads
/// out of its session or to a file that is being written.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ArtifactId(String); // Invariant: `segments` gives three that are `fit`.

/// A text that is no artifact id.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{id:?} is not an artifact id")]
pub struct InvalidArtifactId {
    id: String,
}

impl InvalidArtifactId {
    /// The first 200 characters of what was given.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl ArtifactId {
    /// Checks `id` and keeps it as it is.
    ///
    /// # Errors
    ///
    /// [`InvalidArtifactId`] for anything that no store gives out.
    pub fn new(id: impl Into<String>) -> Result<Self, InvalidArtifactId> {
        let id = id.into();
        let mut segments = id.split('/');
        let three = [segments.next(), segments.next(), segments.next()];
        let fits = three.iter().all(|segment| segment.is_some_and(fit));
        if fits && segments.next().is_none() {
            Ok(Self(id))
        } else {
            Err(InvalidArtifactId {
                id: id.chars().take(200).collect(),
            })
        }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn segments(&self) -> (&str, &str, &str) {
        let (server, rest) = self.0.split_once('/').unwrap_or_default();
        let (tool, name) = rest.split_once('/').unwrap_or_default();
        (server, tool, name)
    }
}

pub(crate) fn fit(segment: &str) -> bool {
    !segment.is_empty()
        && segment.len() <= 255
        && !segment.starts_with('.')
        && segment
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

impl FromStr for ArtifactId {
    type Err = InvalidArtifactId;

    fn from_str(id: &str) -> Result<Self, Self::Err> {
        Self::new(id)
    }
}

impl TryFrom<String> for ArtifactId {
    type Error = InvalidArtifactId;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        Self::new(id)
    }
}

impl From<ArtifactId> for String {
    fn from(id: ArtifactId) -> Self {
        id.0
    }
}

impl AsRef<str> for ArtifactId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
