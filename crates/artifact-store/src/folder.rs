//! Private folders and whole files, below a handle.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, File, Metadata, OpenOptions};
#[cfg(unix)]
use cap_std::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};

use crate::error::{Error, ErrorKind};

/// Opens the folder at the root of everything, which the host names; made with its parents when missing.
pub(crate) fn open_root(path: &Path) -> Result<Dir, Error> {
    let what = format!("folder `{}`", path.display());
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(path)
        .map_err(|error| Error::writing(&what, error))?;
    Dir::open_ambient_dir(path, ambient_authority()).map_err(|error| Error::reading(&what, error))
}

/// Whether `name` is there, and a folder that is no link.
pub(crate) fn has_dir(parent: &Dir, name: &str) -> Result<bool, Error> {
    match parent.symlink_metadata(name) {
        Ok(found) if found.is_dir() && !found.is_symlink() => Ok(true),
        Ok(_) => Err(in_the_way(name)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::reading(&format!("folder `{name}`"), error)),
    }
}

/// Opens the folder `name`, made for its owner alone when missing; a link or a file in its place is refused.
pub(crate) fn private_dir(parent: &Dir, name: &str) -> Result<Dir, Error> {
    if !has_dir(parent, name)? {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        builder.mode(0o700);
        match parent.create_dir_with(name, &builder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(Error::writing(&format!("folder `{name}`"), error));
            }
            _ => {}
        }
    }
    open_dir(parent, name)?.ok_or_else(|| in_the_way(name))
}

/// Opens the folder `name`, or gives `None` when there is none.
pub(crate) fn open_dir(parent: &Dir, name: &str) -> Result<Option<Dir>, Error> {
    if !has_dir(parent, name)? {
        return Ok(None);
    }
    let reading = |error| Error::reading(&format!("folder `{name}`"), error);
    let before = parent.symlink_metadata(name).map_err(reading)?;
    let dir = parent.open_dir(name).map_err(reading)?;
    let now = dir.dir_metadata().map_err(reading)?;
    // Looked at before it was opened, it may have been swapped for a link in between.
    if before.is_symlink() || !same_file(&before, &now) {
        return Err(in_the_way(name));
    }
    Ok(Some(dir))
}

fn in_the_way(name: &str) -> Error {
    Error::new(
        ErrorKind::UnsupportedLayout,
        format!("`{name}` is a link or no folder"),
    )
}

#[cfg(unix)]
fn same_file(left: &Metadata, right: &Metadata) -> bool {
    (left.dev(), left.ino()) == (right.dev(), right.ino())
}

#[cfg(not(unix))]
fn same_file(_left: &Metadata, right: &Metadata) -> bool {
    right.is_dir()
}

/// Takes a folder of ours away from everybody but its owner.
pub(crate) fn tighten(dir: &Dir) {
    #[cfg(unix)]
    if dir
        .dir_metadata()
        .is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
    {
        // Another user's folder stays as it is: writing into it then fails by itself.
        drop(dir.set_permissions(".", cap_std::fs::Permissions::from_mode(0o700)));
    }
    #[cfg(not(unix))]
    let _ = dir;
}

/// A name that no other writer on this machine has.
pub(crate) fn temporary_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanos = now.map(|now| now.as_nanos()).unwrap_or_default();
    format!(
        ".{}-{nanos:x}-{}.tmp",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    )
}

/// Makes a file that was not there, for its owner alone.
pub(crate) fn create_private(dir: &Dir, name: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    options.mode(0o600);
    dir.open_with(name, &options)
}

/// Writes a small file so that it is there whole or not at all.
pub(crate) fn write_whole(dir: &Dir, name: &str, bytes: &[u8], sync: bool) -> io::Result<()> {
    let temporary = temporary_name();
    let written = create_private(dir, &temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        if sync { file.sync_all() } else { Ok(()) }
    });
    let done = written.and_then(|()| dir.rename(&temporary, dir, name));
    if done.is_err() {
        drop(dir.remove_file(&temporary));
    }
    done
}

/// Makes a rename last. A file system that cannot sync a folder has nothing to do here.
pub(crate) fn sync_dir(dir: &Dir) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match dir.open(".").and_then(|file| file.sync_all()) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        other => other,
    }
}

/// Opens a regular file that is no link.
pub(crate) fn open_regular(dir: &Dir, name: &str) -> io::Result<Option<File>> {
    match dir.symlink_metadata(name) {
        Ok(found) if found.is_file() => dir.open(name).map(Some),
        Ok(_) => Ok(None),
        Err(error) => Err(error),
    }
}
