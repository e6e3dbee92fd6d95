//! Artifacts in memory: for a host without a session, and for tests.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use crate::error::{Error, ErrorKind};
use crate::id::ArtifactId;
use crate::limits::{Limits, StoreOptions};
use crate::names::hex;
use crate::read::{Excerpt, ReadRange, read_range};
use crate::record::{ArtifactRecord, NewArtifact};
use crate::store::{ArtifactStore, ArtifactWriter, Claim, Used};

type Kept = BTreeMap<String, (ArtifactRecord, Arc<Vec<u8>>)>;

/// Keeps artifacts until it is dropped; clones share them. Paths are absent from its records.
#[derive(Clone, Debug)]
pub struct MemoryStore {
    options: StoreOptions,
    used: Arc<Used>,
    kept: Arc<Mutex<Kept>>,
}

impl Default for MemoryStore {
    /// A store of at most 64 MiB, 16 MiB in one artifact: memory is dearer than disk.
    fn default() -> Self {
        let limits = Limits::default()
            .with_max_artifact_bytes(16 << 20)
            .with_max_session_bytes(64 << 20);
        Self::new(StoreOptions::default().with_limits(limits))
    }
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new(options: StoreOptions) -> Self {
        Self {
            options,
            used: Arc::default(),
            kept: Arc::default(),
        }
    }

    fn find(&self, id: &str) -> Result<(ArtifactRecord, Arc<Vec<u8>>), Error> {
        let id = ArtifactId::new(id)
            .map_err(|error| Error::new(ErrorKind::InvalidId, error.to_string()))?;
        let found = lock(&self.kept).get(id.as_str()).cloned();
        found
            .ok_or_else(|| Error::new(ErrorKind::NotFound, format!("no artifact is called `{id}`")))
    }
}

/// A writer that panicked held the lock only between whole changes.
fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ArtifactStore for MemoryStore {
    fn begin(&self, artifact: &NewArtifact) -> Result<Box<dyn ArtifactWriter>, Error> {
        let claim = Claim::new(&self.used, &self.options.limits, artifact.size_hint)?;
        Ok(Box::new(Writer {
            store: self.clone(),
            artifact: artifact.clone(),
            claim,
            hash: Sha256::new(),
            bytes: Vec::new(),
        }))
    }

    fn get(&self, id: &str) -> Result<ArtifactRecord, Error> {
        self.find(id).map(|(record, _)| record)
    }

    fn read(&self, id: &str, range: ReadRange) -> Result<Excerpt, Error> {
        let (record, bytes) = self.find(id)?;
        let limit = self.options.limits.max_read_bytes;
        read_range(Cursor::new(bytes.as_slice()), record.size, range, limit)
            .map_err(|error| Error::reading(id, error))
    }

    fn list(&self) -> Result<Vec<ArtifactRecord>, Error> {
        Ok(lock(&self.kept)
            .values()
            .map(|(record, _)| record.clone())
            .collect())
    }
}

struct Writer {
    store: MemoryStore,
    artifact: NewArtifact,
    claim: Claim,
    hash: Sha256,
    bytes: Vec<u8>,
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.claim.add(bytes.len() as u64)?;
        self.hash.update(bytes);
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ArtifactWriter for Writer {
    fn finish(self: Box<Self>) -> Result<ArtifactRecord, Error> {
        let Self {
            store,
            artifact,
            mut claim,
            hash,
            bytes,
        } = *self;
        let sha256 = hex(&hash.finalize());
        let (server, tool) = artifact.folders(store.options.naming);
        let id = format!("{server}/{tool}/{}", artifact.file_name(&sha256));
        let id = ArtifactId::new(id)
            .map_err(|error| Error::new(ErrorKind::InvalidId, error.to_string()))?;
        let mut kept = lock(&store.kept);
        if let Some((record, _)) = kept.get(id.as_str()) {
            return Ok(record.clone());
        }
        claim.keep();
        let record = artifact.record(id.clone(), None, bytes.len() as u64, sha256);
        kept.insert(id.into(), (record.clone(), Arc::new(bytes)));
        Ok(record)
    }
}
