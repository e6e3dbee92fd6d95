//! Hearing of changed lists in the 2026-07-28 era, where a server tells only who listens.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientRequest, CustomRequest, ErrorCode,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::{Map, Value, json};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::connection::ServerInfo;

const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How long the end of a subscription may take to be said.
const LAST_WORD: Duration = Duration::from_millis(200);
/// A subscription that lasted this long ended for a reason of its own, and is opened again soon.
const STEADY: Duration = Duration::from_secs(60);

/// A subscription in the background; it ends with this.
///
/// What the server tells is an [`Event`](crate::Event) like any other; see
/// [subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/subscriptions).
#[derive(Debug, Default)]
pub(crate) struct Listener {
    end: CancellationToken,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Listener {
    /// Listens for the changes that the server offers to tell, as long as the connection lasts.
    pub(crate) fn start(server_id: &str, info: &ServerInfo, peer: &Peer<RoleClient>) -> Self {
        let listener = Self::default();
        let wanted = wanted(info);
        if !wanted.is_empty() {
            let params = json!({"notifications": wanted});
            let end = listener.end.clone();
            let follow = follow(server_id.to_owned(), params, peer.clone(), end);
            *listener.task() = Some(tokio::spawn(follow));
        }
        listener
    }

    fn task(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it in order, so that the server waits for nobody.
    pub(crate) async fn end(&self) {
        self.end.cancel();
        let task = self.task().take();
        if let Some(task) = task {
            let _ = tokio::time::timeout(LAST_WORD, task).await;
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

/// The members of `notifications` in `subscriptions/listen`.
fn wanted(info: &ServerInfo) -> Map<String, Value> {
    let offers = |list: &str| {
        let declared = info.capabilities.get(list);
        declared.and_then(|declared| declared.get("listChanged")) == Some(&Value::Bool(true))
    };
    let lists = [
        ("tools", "toolsListChanged"),
        ("prompts", "promptsListChanged"),
        ("resources", "resourcesListChanged"),
    ];
    lists
        .into_iter()
        .filter(|(list, _)| info.is_modern && offers(list))
        .map(|(_, member)| (member.to_owned(), Value::Bool(true)))
        .collect()
}

async fn follow(server_id: String, params: Value, peer: Peer<RoleClient>, end: CancellationToken) {
    let mut pause = SHORTEST_PAUSE;
    while !peer.is_transport_closed() {
        let opened = Instant::now();
        let request = CustomRequest::new("subscriptions/listen", Some(params.clone()));
        let request = ClientRequest::CustomRequest(request);
        let options = PeerRequestOptions::no_options();
        let Ok(handle) = peer.send_request_with_option(request, options).await else {
            return;
        };
        let answer = tokio::select! {
            answer = handle.rx => answer,
            () = end.cancelled() => {
                let reason = Some("the client leaves".to_owned());
                let params = CancelledNotificationParam::new(Some(handle.id), reason);
                let notification = CancelledNotification::new(params);
                // A closed connection needs no cancellation.
                let _ = peer.send_notification(notification.into()).await;
                return;
            }
        };
        match answer {
            Ok(Err(ServiceError::McpError(error))) => {
                tracing::debug!(server = server_id, %error, "the server does not tell of changed lists");
                if error.code == ErrorCode::METHOD_NOT_FOUND {
                    return;
                }
            }
            Ok(_) => {}
            Err(_) => return,
        }
        if opened.elapsed() >= STEADY {
            pause = SHORTEST_PAUSE;
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = end.cancelled() => return,
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
