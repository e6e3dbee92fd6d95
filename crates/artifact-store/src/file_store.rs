//! Artifacts as files of a session.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cap_std::fs::{Dir, File};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error::{Error, ErrorKind};
use crate::folder::{
    create_private, open_dir, open_regular, private_dir, sync_dir, temporary_name, tighten,
    write_whole,
};
use crate::id::{ArtifactId, fit};
use crate::limits::{Durability, StoreOptions};
use crate::names::hex;
use crate::read::{Excerpt, ReadRange, read_range};
use crate::record::{ArtifactRecord, NewArtifact};
use crate::session::SessionDir;
use crate::store::{ArtifactStore, ArtifactWriter, Claim, Used};

/// A temporary file this old belongs to a program that is gone.
const LEFT_OVER: Duration = Duration::from_secs(3_600);

/// Keeps artifacts in a session's folder; clones share it. Several programs may write one session at once.
#[derive(Clone, Debug)]
pub struct FileStore {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    root: Dir,
    path: PathBuf,
    options: StoreOptions,
    used: Arc<Used>,
}

impl FileStore {
    /// Opens the store of `session`: counts what is there, and removes what a crash left half written an hour ago or more.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnsupportedLayout`] for a link in the way, and whatever keeps the folder from being made or read.
    pub fn open(session: &SessionDir, options: StoreOptions) -> Result<Self, Error> {
        let (root, path) = session.artifacts()?;
        let (mut bytes, mut files) = (0_u64, 0_u64);
        walk(&root, &mut |_, _, dir, name, size| {
            if name.ends_with(".tmp") {
                sweep(dir, name);
            } else if fit(name) {
                bytes = bytes.saturating_add(size);
                files += 1;
            }
        })?;
        let used = Arc::new(Used::new(bytes, files));
        Ok(Self {
            inner: Arc::new(Inner {
                root,
                path,
                options,
                used,
            }),
        })
    }

    fn find(&self, id: &str) -> Result<(ArtifactId, Dir, File, u64), Error> {
        let id = ArtifactId::new(id)
            .map_err(|error| Error::new(ErrorKind::InvalidId, error.to_string()))?;
        let missing = || Error::new(ErrorKind::NotFound, format!("no artifact is called `{id}`"));
        let what = format!("artifact `{id}`");
        let (server, tool, name) = id.segments();
        let server = open_dir(&self.inner.root, server)?.ok_or_else(missing)?;
        let dir = open_dir(&server, tool)?.ok_or_else(missing)?;
        let file = match open_regular(&dir, name) {
            Ok(Some(file)) => file,
            Ok(None) => return Err(missing()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(missing()),
            Err(error) => return Err(Error::reading(&what, error)),
        };
        let size = file
            .metadata()
            .map_err(|error| Error::reading(&what, error))?
            .len();
        Ok((id, dir, file, size))
    }

    fn record(&self, id: &ArtifactId, dir: &Dir, size: u64) -> ArtifactRecord {
        let (server, tool, name) = id.segments();
        let kind = name
            .split_once('-')
            .and_then(|(_, rest)| rest.rsplit_once('-'))
            .map(|(kind, _)| kind);
        let record = ArtifactRecord {
            id: id.to_string(),
            kind: kind.unwrap_or_default().to_owned(),
            mime_type: "application/octet-stream".to_owned(),
            path: Some(self.inner.path.join(server).join(tool).join(name)),
            size,
            server: server.to_owned(),
            tool: tool.to_owned(),
            ..ArtifactRecord::default()
        };
        match told(dir, name) {
            Some(told) => record.with_json(&told),
            None => record,
        }
    }
}

fn told(dir: &Dir, name: &str) -> Option<Value> {
    let mut text = Vec::new();
    let file = open_regular(dir, &about(name)).ok()??;
    file.take(1 << 20).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The file beside an artifact that says what it is; the dot keeps it from being an artifact itself.
fn about(name: &str) -> String {
    format!(".{name}.json")
}

fn sweep(dir: &Dir, name: &str) {
    let modified = dir
        .symlink_metadata(name)
        .and_then(|found| found.modified());
    let old =
        modified.is_ok_and(|time| time.into_std().elapsed().is_ok_and(|age| age >= LEFT_OVER));
    if name.starts_with('.') && old {
        // Another program may have swept it at the same moment.
        drop(dir.remove_file(name));
    }
}

/// Visits each regular file: server, tool, folder, name, size. Links and names of strangers are passed over.
fn walk(root: &Dir, visit: &mut dyn FnMut(&str, &str, &Dir, &str, u64)) -> Result<(), Error> {
    for server in names(root)? {
        let Ok(Some(server_dir)) = open_dir(root, &server) else {
            continue;
        };
        for tool in names(&server_dir)? {
            let Ok(Some(dir)) = open_dir(&server_dir, &tool) else {
                continue;
            };
            for name in names(&dir)? {
                match dir.symlink_metadata(&name) {
                    Ok(found) if found.is_file() => visit(&server, &tool, &dir, &name, found.len()),
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

fn names(dir: &Dir) -> Result<Vec<String>, Error> {
    let reading = |error| Error::reading("the artifacts' folder", error);
    let mut names = Vec::new();
    for entry in dir.entries().map_err(reading)? {
        names.extend(entry.map_err(reading)?.file_name().into_string().ok());
    }
    names.sort();
    Ok(names)
}

impl ArtifactStore for FileStore {
    fn begin(&self, artifact: &NewArtifact) -> Result<Box<dyn ArtifactWriter>, Error> {
        let inner = &self.inner;
        let claim = Claim::new(&inner.used, &inner.options.limits, artifact.size_hint)?;
        let (server, tool) = artifact.folders(inner.options.naming);
        let server_dir = private_dir(&inner.root, &server)?;
        let dir = private_dir(&server_dir, &tool)?;
        tighten(&server_dir);
        tighten(&dir);
        let temporary = temporary_name();
        let file = create_private(&dir, &temporary)
            .map_err(|error| Error::writing("an artifact", error))?;
        Ok(Box::new(Writer {
            inner: Arc::clone(inner),
            artifact: artifact.clone(),
            folders: (server, tool),
            temporary: Temporary {
                dir,
                name: Some(temporary),
            },
            file,
            claim,
            hash: Sha256::new(),
        }))
    }

    fn get(&self, id: &str) -> Result<ArtifactRecord, Error> {
        let (id, dir, _, size) = self.find(id)?;
        Ok(self.record(&id, &dir, size))
    }

    fn read(&self, id: &str, range: ReadRange) -> Result<Excerpt, Error> {
        let (id, _, file, size) = self.find(id)?;
        read_range(file, size, range, self.inner.options.limits.max_read_bytes)
            .map_err(|error| Error::reading(&format!("artifact `{id}`"), error))
    }

    fn list(&self) -> Result<Vec<ArtifactRecord>, Error> {
        let mut records = Vec::new();
        walk(&self.inner.root, &mut |server, tool, dir, name, size| {
            if let Ok(id) = ArtifactId::new(format!("{server}/{tool}/{name}")) {
                records.push(self.record(&id, dir, size));
            }
        })?;
        Ok(records)
    }
}

/// A file without its name yet; gone when dropped before it has one.
struct Temporary {
    dir: Dir,
    name: Option<String>,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(name) = self.name.take() {
            // What cannot be removed now is swept when the store is next opened.
            drop(self.dir.remove_file(name));
        }
    }
}

struct Writer {
    inner: Arc<Inner>,
    artifact: NewArtifact,
    folders: (String, String),
    temporary: Temporary,
    file: File,
    claim: Claim,
    hash: Sha256,
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.claim.add(bytes.len() as u64)?;
        self.file.write_all(bytes)?;
        self.hash.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl ArtifactWriter for Writer {
    fn finish(self: Box<Self>) -> Result<ArtifactRecord, Error> {
        let Self {
            inner,
            artifact,
            folders,
            mut temporary,
            file,
            mut claim,
            hash,
        } = *self;
        let sha256 = hex(&hash.finalize());
        let name = artifact.file_name(&sha256);
        let (server, tool) = folders;
        let id = ArtifactId::new(format!("{server}/{tool}/{name}"))
            .map_err(|error| Error::new(ErrorKind::InvalidId, error.to_string()))?;
        let writing = |error| Error::writing(&format!("artifact `{id}`"), error);
        let path = inner.path.join(&server).join(&tool).join(&name);
        let size = claim.size();
        let record = artifact.record(id.clone(), Some(path), size, sha256);
        let dir = &temporary.dir;
        let there = dir
            .symlink_metadata(&name)
            .is_ok_and(|found| found.is_file() && found.len() == size);
        if there {
            // The name holds the digest, so the bytes are the same; what was said of them first stays.
            return Ok(match told(dir, &name) {
                Some(told) => record.with_json(&told),
                None => record,
            });
        }
        let sync = inner.options.durability == Durability::Synced;
        if sync {
            file.sync_all().map_err(writing)?;
        }
        drop(file);
        write_whole(
            dir,
            &about(&name),
            record.to_json().to_string().as_bytes(),
            sync,
        )
        .map_err(writing)?;
        let from = temporary.name.clone().unwrap_or_default();
        dir.rename(&from, dir, &name).map_err(writing)?;
        temporary.name = None;
        claim.keep();
        if sync {
            sync_dir(&temporary.dir).map_err(writing)?;
        }
        Ok(record)
    }
}
