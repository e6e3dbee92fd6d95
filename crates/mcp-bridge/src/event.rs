//! What a host is told while the bridge works.

use std::sync::Arc;

use crate::catalog::{Catalog, ServerState};
use crate::progress::ProgressEvent;
use crate::warning::Warning;

/// Something happened that a host may want to show or record.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A server changed its state; one event per change.
    ServerState {
        /// The host's key for the server.
        server_id: Arc<str>,
        /// Where it stands now.
        state: ServerState,
    },
    /// A new catalog was published.
    CatalogChanged(Arc<Catalog>),
    /// A running call reported progress.
    Progress(ProgressEvent),
    /// Something was lost, cut, refused or repaired.
    Warning(Warning),
    /// A server logged something (`notifications/message`). The text is fit to show.
    Log {
        /// The host's key for the server.
        server_id: Arc<str>,
        /// The level of [RFC 5424](https://www.rfc-editor.org/rfc/rfc5424), e.g. `info`.
        level: String,
        /// What it said.
        text: String,
    },
    /// A resource that was subscribed to changed.
    ResourceUpdated {
        /// The host's key for the server.
        server_id: Arc<str>,
        /// The resource.
        uri: String,
    },
}
