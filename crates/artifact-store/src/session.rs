//! A session's folder, and the marker that says how it is laid out.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use serde_json::{Value, json};

use crate::error::{Error, ErrorKind};
use crate::folder::{has_dir, open_regular, open_root, private_dir, tighten, write_whole};
use crate::id::fit;
use crate::names::{Platform, is_reserved, project_dir_candidates, project_dir_name};

const MARKER: &str = "metadata.json";
const TOOL_RESULTS: &str = "tool-results";

/// Where a session's artifacts are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Layout {
    /// `<config>/projects/<project>/<session>/tool-results/mcp/<server>/<tool>/`.
    V2,
    /// `<config>/tool-results/<session>/mcp/<server>/<tool>/`.
    Legacy,
}

/// The folder of one session, open.
#[derive(Clone, Debug)]
pub struct SessionDir {
    session_id: String,
    layout: Layout,
    path: PathBuf,
    dir: Arc<Dir>,
}

impl SessionDir {
    /// Opens the session's folder below `config_dir`, made when missing.
    ///
    /// A new session has the v2 layout and gets its marker. One whose transcript is older than that layout keeps the legacy one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSessionId`] for an id that cannot name a folder, [`ErrorKind::UnsupportedLayout`] for a link in the
    /// way, a damaged marker, or one of another version or session.
    pub fn open(config_dir: &Path, project_dir: &Path, session_id: &str) -> Result<Self, Error> {
        check_session_id(session_id)?;
        let config = open_root(config_dir)?;
        let cwd = project_dir.to_string_lossy();
        let projects = private_dir(&config, "projects")?;
        let mut project = project_dir_name(&cwd, Platform::current());
        for candidate in project_dir_candidates(&cwd, Platform::current()) {
            if !candidate.is_empty() && has_dir(&projects, &candidate)? {
                project = candidate;
                break;
            }
        }
        if project.is_empty() {
            return Err(Error::new(
                ErrorKind::UnsupportedLayout,
                "the project folder has no name",
            ));
        }
        let parent = private_dir(&projects, &project)?;
        if has_legacy_transcript(&parent, session_id) {
            return Self::legacy_in(&config, config_dir, session_id);
        }
        let dir = private_dir(&parent, session_id)?;
        match SessionMarker::read_in(&dir)? {
            Some(marker) if !marker.belongs_to(session_id) => {
                return Err(unsupported("the marker names another session"));
            }
            Some(marker) if marker.layout_version.is_none() => {
                return Self::legacy_in(&config, config_dir, session_id);
            }
            Some(_) => {}
            None if has_transcript(&dir)? => {
                return Self::legacy_in(&config, config_dir, session_id);
            }
            None => SessionMarker::write_in(&dir, session_id, &cwd)?,
        }
        let path = config_dir.join("projects").join(project).join(session_id);
        tighten(&dir);
        Ok(Self {
            session_id: session_id.to_owned(),
            layout: Layout::V2,
            path,
            dir: Arc::new(dir),
        })
    }

    /// Opens the session's folder in the legacy layout, made when missing.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open), but there is no marker.
    pub fn open_legacy(config_dir: &Path, session_id: &str) -> Result<Self, Error> {
        check_session_id(session_id)?;
        Self::legacy_in(&open_root(config_dir)?, config_dir, session_id)
    }

    fn legacy_in(config: &Dir, config_dir: &Path, session_id: &str) -> Result<Self, Error> {
        let dir = private_dir(&private_dir(config, TOOL_RESULTS)?, session_id)?;
        tighten(&dir);
        let path = config_dir.join(TOOL_RESULTS).join(session_id);
        Ok(Self {
            session_id: session_id.to_owned(),
            layout: Layout::Legacy,
            path,
            dir: Arc::new(dir),
        })
    }

    /// The session's id.
    #[must_use]
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// How the folder is laid out.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The folder, for people; the store itself goes by its handle.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that tool results are kept in, for hosts that let their file tools read it.
    #[must_use]
    pub fn tool_results_path(&self) -> PathBuf {
        match self.layout {
            Layout::V2 => self.path.join(TOOL_RESULTS),
            Layout::Legacy => self.path.clone(),
        }
    }

    /// Makes the folder `relative` below the session's, each part for its owner alone.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnsupportedLayout`] for a part that is a link, a file, or not a plain name.
    pub fn create_private_dir(&self, relative: &str) -> Result<PathBuf, Error> {
        let mut path = self.path.clone();
        let mut dir = self
            .dir
            .try_clone()
            .map_err(|error| Error::reading("the session folder", error))?;
        for part in relative.split('/') {
            if !fit(part) {
                return Err(unsupported("a part of the folder is not a plain name"));
            }
            dir = private_dir(&dir, part)?;
            path.push(part);
        }
        Ok(path)
    }

    /// The folder of the artifacts, open, and its path.
    pub(crate) fn artifacts(&self) -> Result<(Dir, PathBuf), Error> {
        let dir = match self.layout {
            Layout::V2 => private_dir(&private_dir(&self.dir, TOOL_RESULTS)?, "mcp")?,
            Layout::Legacy => private_dir(&self.dir, "mcp")?,
        };
        tighten(&dir);
        Ok((dir, self.tool_results_path().join("mcp")))
    }
}

fn unsupported(message: &str) -> Error {
    Error::new(ErrorKind::UnsupportedLayout, message)
}

fn check_session_id(id: &str) -> Result<(), Error> {
    if fit(id) && id.len() <= 128 && !id.ends_with('.') && !is_reserved(id) {
        return Ok(());
    }
    let short: String = id.chars().take(60).collect();
    Err(Error::new(
        ErrorKind::InvalidSessionId,
        format!("{short:?} cannot name a session: letters, digits, `-`, `_` and `.` can"),
    ))
}

fn has_legacy_transcript(project: &Dir, session_id: &str) -> bool {
    project
        .symlink_metadata(format!("{session_id}.jsonl"))
        .is_ok()
}

/// A transcript in a folder without a marker is from before the markers.
fn has_transcript(dir: &Dir) -> Result<bool, Error> {
    let reading = |error| Error::reading("the session folder", error);
    for entry in dir.entries().map_err(reading)? {
        let name = entry.map_err(reading)?.file_name();
        if Path::new(&name)
            .extension()
            .is_some_and(|extension| extension == "jsonl")
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The file `metadata.json` of a session's folder.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct SessionMarker {
    /// The session that the folder belongs to.
    pub session_id: Option<String>,
    /// The version of the layout: 2, or `None` for a folder from before it.
    pub layout_version: Option<u64>,
}

impl SessionMarker {
    /// Reads the marker in `session_dir`; `None` when there is none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnsupportedLayout`] for a marker that is a link, no file, no JSON object, of another version than 2, or of a
    /// version without a session.
    pub fn read(session_dir: &Path) -> Result<Option<Self>, Error> {
        let reading = |error| Error::reading("the session folder", error);
        match std::fs::symlink_metadata(session_dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(reading(error)),
            Ok(found) if !found.is_dir() => {
                return Err(unsupported("the session folder is a link or no folder"));
            }
            Ok(_) => {}
        }
        let dir = Dir::open_ambient_dir(session_dir, ambient_authority()).map_err(reading)?;
        Self::read_in(&dir)
    }

    fn read_in(dir: &Dir) -> Result<Option<Self>, Error> {
        let reading = |error| Error::reading("the session's marker", error);
        let file = match open_regular(dir, MARKER) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(reading(error)),
            Ok(None) => return Err(unsupported("the session's marker is a link or no file")),
            Ok(Some(file)) => file,
        };
        let mut text = Vec::new();
        file.take(1 << 20).read_to_end(&mut text).map_err(reading)?;
        let value: Value = serde_json::from_slice(&text)
            .map_err(|error| unsupported("the session's marker is not JSON").with_source(error))?;
        let Some(fields) = value.as_object() else {
            return Err(unsupported("the session's marker is not an object"));
        };
        let session_id = fields
            .get("session_id")
            .and_then(Value::as_str)
            .filter(|id| !id.is_empty())
            .map(str::to_owned);
        let layout_version = match fields.get("layout_version") {
            None => None,
            Some(version) if version.as_u64() == Some(2) && session_id.is_some() => Some(2),
            Some(_) => return Err(unsupported("the session's marker is of another version")),
        };
        Ok(Some(Self {
            session_id,
            layout_version,
        }))
    }

    fn write_in(dir: &Dir, session_id: &str, cwd: &str) -> Result<(), Error> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = rfc3339(now.map(|now| now.as_secs()).unwrap_or_default());
        let marker = json!({
            "schema_version": 1, "layout_version": 2, "session_id": session_id, "name": null, "cwd": cwd,
            "git_branch": null, "created_at": now, "updated_at": now,
        });
        write_whole(dir, MARKER, format!("{marker}\n").as_bytes(), true)
            .map_err(|error| Error::writing("the session's marker", error))
    }

    /// Whether the folder is that of `session_id`.
    #[must_use]
    pub fn belongs_to(&self, session_id: &str) -> bool {
        self.session_id.as_deref() == Some(session_id)
    }
}

/// Seconds since 1970 as a date, by the civil calendar of days.
fn rfc3339(secs: u64) -> String {
    let days = secs / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (secs / 3_600 % 24, secs / 60 % 60, secs % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
        ];
        for (secs, want) in cases {
            assert_eq!(rfc3339(secs), want);
        }
    }
}
