//! A sink that keeps everything in memory.

use std::io::{self, Write};

use mcp_bridge_tool_results::{
    ArtifactHead, ArtifactWriter, Sink, SinkError, SinkErrorKind, StoredArtifact,
};
use sha2::{Digest, Sha256};

#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) full_after: Option<usize>,
}

struct Writer<'s> {
    kept: &'s mut Kept,
    stem: String,
    extension: String,
    bytes: Vec<u8>,
}

impl Sink for Kept {
    fn begin<'s>(
        &'s mut self,
        head: &ArtifactHead<'_>,
    ) -> Result<Box<dyn ArtifactWriter + 's>, SinkError> {
        let stem = format!(
            "{}/{}/{:02}-{}",
            head.server, head.tool, head.index, head.kind
        );
        let extension = head.extension.to_owned();
        Ok(Box::new(Writer {
            kept: self,
            stem,
            extension,
            bytes: Vec::new(),
        }))
    }
}

impl Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self
            .kept
            .full_after
            .is_some_and(|limit| self.bytes.len() + bytes.len() > limit)
        {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ArtifactWriter for Writer<'_> {
    fn finish(self: Box<Self>) -> Result<StoredArtifact, SinkError> {
        let digest: String = Sha256::digest(&self.bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let short = digest
            .get(..16)
            .ok_or_else(|| SinkError::new(SinkErrorKind::Failed, "no digest"))?;
        let id = format!("{}-{short}{}", self.stem, self.extension);
        let stored = StoredArtifact::new(id.clone(), self.bytes.len() as u64, digest.clone())
            .with_path(Some(format!("/kept/{id}").into()));
        self.kept.files.push((id, self.bytes));
        Ok(stored)
    }
}
