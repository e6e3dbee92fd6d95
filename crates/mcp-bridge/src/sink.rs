//! Artifacts of a conversion, into the session's store.

use mcp_bridge_artifact_store as store;
use mcp_bridge_tool_results as results;
use results::{ArtifactHead, SinkError, SinkErrorKind, StoredArtifact};
use std::io;

/// Hands what a conversion keeps to an [`ArtifactStore`](store::ArtifactStore).
pub(crate) struct StoreSink<'a>(pub(crate) &'a dyn store::ArtifactStore);

impl results::Sink for StoreSink<'_> {
    fn begin<'s>(
        &'s mut self,
        head: &ArtifactHead<'_>,
    ) -> Result<Box<dyn results::ArtifactWriter + 's>, SinkError> {
        let artifact = store::NewArtifact::new(head.server, head.tool, head.kind)
            .with_index(head.index)
            .with_mime_type(head.mime_type, head.declared_mime_type.map(str::to_owned))
            .with_extension(head.extension)
            .with_uri(head.uri.map(str::to_owned))
            .with_chars(head.chars)
            .with_size_hint(head.size_hint);
        let writer = self.0.begin(&artifact).map_err(refused)?;
        Ok(Box::new(StoreWriter(writer)))
    }
}

struct StoreWriter(Box<dyn store::ArtifactWriter>);

impl io::Write for StoreWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl results::ArtifactWriter for StoreWriter {
    fn finish(self: Box<Self>) -> Result<StoredArtifact, SinkError> {
        let kept = self.0.finish().map_err(refused)?;
        Ok(StoredArtifact::new(kept.id, kept.size, kept.sha256).with_path(kept.path))
    }
}

fn refused(error: store::Error) -> SinkError {
    let kind = match error.kind() {
        store::ErrorKind::TooLarge => SinkErrorKind::TooLarge,
        store::ErrorKind::Full => SinkErrorKind::Full,
        _ => SinkErrorKind::Failed,
    };
    SinkError::new(kind, error.to_string()).with_source(error)
}
