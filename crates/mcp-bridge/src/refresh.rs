//! Lists that refresh themselves: changes are merged, a failed read keeps the last good list.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use mcp_bridge_connections::ListKind;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::bridge::Inner;
use crate::catalog::ServerState;
use crate::server;
use crate::warning::Warning;

const KINDS: [(ListKind, u8); 4] = [
    (ListKind::Tools, 1),
    (ListKind::Prompts, 2),
    (ListKind::Resources, 4),
    (ListKind::ResourceTemplates, 8),
];

/// Remembers what changed until it is read again; however often a server says so, it is one bit.
#[derive(Debug, Default)]
pub(crate) struct Refresher {
    changed: AtomicU8,
    woken: Notify,
}

impl Refresher {
    pub(crate) fn mark(&self, kind: ListKind) {
        // A server has one notification for resources and their templates.
        let bits = match kind {
            ListKind::Resources => 4 | 8,
            kind => KINDS
                .iter()
                .find(|(of, _)| *of == kind)
                .map_or(0, |(_, bit)| *bit),
        };
        self.changed.fetch_or(bits, Ordering::AcqRel);
        self.woken.notify_one();
    }

    /// Says that there is another connection to follow.
    pub(crate) fn wake(&self) {
        self.woken.notify_one();
    }

    fn take(&self) -> Vec<ListKind> {
        let bits = self.changed.swap(0, Ordering::AcqRel);
        KINDS
            .iter()
            .filter(|(_, bit)| bits & bit != 0)
            .map(|(kind, _)| *kind)
            .collect()
    }
}

/// Follows one server until nobody holds the bridge any more.
pub(crate) async fn run(bridge: Arc<Inner>, id: Arc<str>, end: CancellationToken) {
    tokio::select! {
        () = end.cancelled() => {}
        () = follow(&bridge, &id) => {}
    }
}

async fn follow(bridge: &Arc<Inner>, id: &Arc<str>) {
    let Some(server) = bridge
        .servers
        .get(id)
        .filter(|server| !server.config.disabled)
    else {
        return;
    };
    loop {
        let connection = server.connection();
        let closed = async {
            match &connection {
                Some(connection) => connection.closed().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = server.refresher.woken.notified() => {}
            () = closed => {
                lost(bridge, id);
                continue;
            }
        }
        let latest = Instant::now() + bridge.limits.refresh_late;
        loop {
            let quiet = (Instant::now() + bridge.limits.refresh_quiet).min(latest);
            if timeout_at(quiet, server.refresher.woken.notified())
                .await
                .is_err()
            {
                break;
            }
        }
        let kinds = server.refresher.take();
        if !kinds.is_empty() && server::refresh(bridge, id, &kinds).await {
            bridge.publish();
        }
    }
}

/// The connection ended by itself: the server's tools leave the catalog.
fn lost(inner: &Inner, id: &Arc<str>) {
    let Some(server) = inner.servers.get(id) else {
        return;
    };
    let Some(connection) = server
        .connection()
        .filter(|connection| connection.is_closed())
    else {
        return;
    };
    let mut text = format!("server `{id}` closed its connection");
    let stderr = connection.stderr_tail();
    if let Some(last) = stderr.lines().rev().find(|line| !line.trim().is_empty()) {
        text.push_str(&format!("; the last line of its stderr is {last:?}"));
    }
    let state = ServerState::Failed(text.clone());
    let lists = crate::catalog::ServerLists::empty(Arc::clone(id), state.clone());
    let old = server.replace(None, lists);
    inner.warn(Warning::new("connection_failed", Some(id), &text));
    inner.set_state(id, state);
    inner.publish();
    // What the server started may still run.
    if let Some(old) = old {
        tokio::spawn(async move { old.shutdown().await });
    }
}
