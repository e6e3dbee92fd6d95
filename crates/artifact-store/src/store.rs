//! What every store does.

use std::io::Write;
use std::sync::Arc;

use crate::error::Error;
use crate::read::{Excerpt, ReadRange};
use crate::record::{ArtifactRecord, NewArtifact};

/// Keeps artifacts of one session and gives them back by id.
pub trait ArtifactStore: Send + Sync {
    /// Starts an artifact.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Full`](crate::ErrorKind::Full) or [`TooLarge`](crate::ErrorKind::TooLarge) when it is known to go over
    /// a limit, and whatever keeps a file from being made.
    fn begin(&self, artifact: &NewArtifact) -> Result<Box<dyn ArtifactWriter>, Error>;

    /// What is known of one artifact.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidId`](crate::ErrorKind::InvalidId) or [`NotFound`](crate::ErrorKind::NotFound).
    fn get(&self, id: &str) -> Result<ArtifactRecord, Error>;

    /// A part of one artifact, bounded by the store's limit for one read.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get), and whatever keeps a file from being read.
    fn read(&self, id: &str, range: ReadRange) -> Result<Excerpt, Error>;

    /// All artifacts, by id.
    ///
    /// # Errors
    ///
    /// Whatever keeps the store from being read.
    fn list(&self) -> Result<Vec<ArtifactRecord>, Error>;
}

/// One artifact being written. Dropped before [`finish`](Self::finish), it leaves nothing behind.
pub trait ArtifactWriter: Write + Send {
    /// Gives the artifact its name and keeps it.
    ///
    /// # Errors
    ///
    /// As [`ArtifactStore::begin`].
    fn finish(self: Box<Self>) -> Result<ArtifactRecord, Error>;
}

macro_rules! forward {
    ($($owner:ident),*) => {$(
        impl<S: ArtifactStore + ?Sized> ArtifactStore for $owner<S> {
            fn begin(&self, artifact: &NewArtifact) -> Result<Box<dyn ArtifactWriter>, Error> {
                (**self).begin(artifact)
            }

            fn get(&self, id: &str) -> Result<ArtifactRecord, Error> {
                (**self).get(id)
            }

            fn read(&self, id: &str, range: ReadRange) -> Result<Excerpt, Error> {
                (**self).read(id, range)
            }

            fn list(&self) -> Result<Vec<ArtifactRecord>, Error> {
                (**self).list()
            }
        }
    )*};
}

forward!(Arc, Box);

/// What of the quota is used, shared by a store and its writers.
#[derive(Debug, Default)]
pub(crate) struct Used {
    bytes: std::sync::atomic::AtomicU64,
    files: std::sync::atomic::AtomicU64,
}

/// One writer's part of the quota; what is not kept goes back.
#[derive(Debug)]
pub(crate) struct Claim {
    used: Arc<Used>,
    limits: crate::limits::Limits,
    bytes: u64,
    kept: bool,
}

use std::sync::atomic::Ordering::Relaxed;

impl Used {
    pub(crate) fn new(bytes: u64, files: u64) -> Self {
        Self {
            bytes: bytes.into(),
            files: files.into(),
        }
    }
}

impl Claim {
    pub(crate) fn new(
        used: &Arc<Used>,
        limits: &crate::limits::Limits,
        size_hint: u64,
    ) -> Result<Self, Error> {
        use crate::error::ErrorKind::{Full, TooLarge};
        // A hint may be a few bytes above the size, so only what is far over is refused unseen.
        if size_hint > limits.max_artifact_bytes.saturating_add(3) {
            return Err(Error::new(
                TooLarge,
                format!("an artifact may have {} bytes", limits.max_artifact_bytes),
            ));
        }
        let claim = Self {
            used: Arc::clone(used),
            limits: limits.clone(),
            bytes: 0,
            kept: false,
        };
        if used.files.fetch_add(1, Relaxed) >= limits.max_session_files {
            return Err(Error::new(
                Full,
                format!(
                    "the session may keep {} artifacts",
                    limits.max_session_files
                ),
            ));
        }
        Ok(claim)
    }

    pub(crate) fn add(&mut self, bytes: u64) -> std::io::Result<()> {
        use std::io::{Error, ErrorKind};
        if self.bytes.saturating_add(bytes) > self.limits.max_artifact_bytes {
            let message = format!(
                "an artifact may have {} bytes",
                self.limits.max_artifact_bytes
            );
            return Err(Error::new(ErrorKind::FileTooLarge, message));
        }
        self.bytes += bytes;
        if self
            .used
            .bytes
            .fetch_add(bytes, Relaxed)
            .saturating_add(bytes)
            > self.limits.max_session_bytes
        {
            let message = format!(
                "the session may keep {} bytes",
                self.limits.max_session_bytes
            );
            return Err(Error::new(ErrorKind::QuotaExceeded, message));
        }
        Ok(())
    }

    pub(crate) fn size(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn keep(&mut self) {
        self.kept = true;
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if !self.kept {
            self.used.bytes.fetch_sub(self.bytes, Relaxed);
            self.used.files.fetch_sub(1, Relaxed);
        }
    }
}
