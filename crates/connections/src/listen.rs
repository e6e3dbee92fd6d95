//! Hearing of changed lists in the 2026-07-28 era, where a server tells only who listens.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, CustomRequest, ErrorCode};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::connection::ServerInfo;

const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A subscription that lasted this long ended for a reason of its own, and is opened again soon.
const STEADY: Duration = Duration::from_secs(60);

/// Listens in the background for the changes that the server offers to tell, as long as the connection lasts.
///
/// What the server tells is an [`Event`](crate::Event) like any other; see
/// [subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/subscriptions).
pub(crate) fn start(server_id: &str, info: &ServerInfo, peer: &Peer<RoleClient>) {
    let wanted = wanted(info);
    if wanted.is_empty() {
        return;
    }
    let params = json!({"notifications": wanted});
    tokio::spawn(follow(server_id.to_owned(), params, peer.clone()));
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

async fn follow(server_id: String, params: Value, peer: Peer<RoleClient>) {
    let mut pause = SHORTEST_PAUSE;
    while !peer.is_transport_closed() {
        let opened = Instant::now();
        let request = CustomRequest::new("subscriptions/listen", Some(params.clone()));
        let request = ClientRequest::CustomRequest(request);
        let options = PeerRequestOptions::no_options();
        let Ok(handle) = peer.send_request_with_option(request, options).await else {
            return;
        };
        match handle.rx.await {
            Ok(Ok(_)) => {}
            Ok(Err(ServiceError::McpError(error))) => {
                tracing::debug!(server = server_id, %error, "the server does not tell of changed lists");
                if error.code == ErrorCode::METHOD_NOT_FOUND {
                    return;
                }
            }
            Ok(Err(_)) => {}
            Err(_) => return,
        }
        if opened.elapsed() >= STEADY {
            pause = SHORTEST_PAUSE;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
