use std::sync::Arc;
use std::time::Duration;

use mcp_bridge_connections::{ErrorKind, Event, Lifecycle, ListKind, Options, Timeouts};
use serde_json::{Value, json};

use crate::server::{self, Step, Told, connect};

#[tokio::test(start_paused = true)]
async fn each_lifecycle_meets_each_era() {
    let modern: fn(&str) -> Vec<Step> = |method| match method {
        "server/discover" => server::modern(),
        _ => server::refusal(),
    };
    let legacy: fn(&str) -> Vec<Step> = |method| match method {
        "initialize" => server::legacy(),
        _ => server::refusal(),
    };
    let table = [
        (Lifecycle::Auto, modern, Some(("2026-07-28", true))),
        (Lifecycle::Auto, legacy, Some(("2025-11-25", false))),
        (Lifecycle::Discover, modern, Some(("2026-07-28", true))),
        (Lifecycle::Discover, legacy, None),
        (Lifecycle::Initialize, legacy, Some(("2025-11-25", false))),
        (Lifecycle::Initialize, modern, None),
    ];
    for (row, (lifecycle, answer, expected)) in table.into_iter().enumerate() {
        let (stream, _) = server::server(move |method, _| answer(method));
        let options = Options::default().with_lifecycle(lifecycle);
        let connected = connect(stream, &options, Arc::new(())).await;
        let info = connected.as_ref().ok().map(|server| server.server());
        let met = info.map(|info| (info.protocol_version.as_str(), info.is_modern));
        assert_eq!(met, expected, "row {row}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up() {
    let (stream, _) = server::server(|_, _| Vec::new());
    let timeouts = Timeouts::default().with_connect(Duration::from_secs(5));
    let options = Options::default()
        .with_lifecycle(Lifecycle::Initialize)
        .with_timeouts(timeouts);
    let error = connect(stream, &options, Arc::new(())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(
        error.to_string(),
        "server `fake` was not ready after 5 s; raise its startup timeout if it needs longer"
    );
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_listened_to_until_the_end_and_again_after_a_pause() {
    let (stream, sent) = server::server(|method, _| match method {
        "server/discover" => server::modern(),
        "subscriptions/listen" => vec![
            Step::Notify(
                "notifications/subscriptions/acknowledged",
                json!({"notifications": {"toolsListChanged": true}}),
            ),
            Step::Notify("notifications/tools/list_changed", json!({})),
            Step::Wait(Duration::from_secs(600)),
            Step::Result(json!({"resultType": "complete"})),
        ],
        _ => server::refusal(),
    });
    let told = Arc::new(Told::default());
    let connection = connect(stream, &Options::default(), told.clone())
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(told.events(), [Event::ListChanged(ListKind::Tools)]);
    let wanted: Vec<Value> = sent
        .params("subscriptions/listen")
        .iter()
        .map(|params| params["notifications"].clone())
        .collect();
    assert_eq!(wanted, [json!({"toolsListChanged": true})]);
    tokio::time::sleep(Duration::from_secs(302)).await;
    assert_eq!(sent.params("subscriptions/listen").len(), 2);
    connection.shutdown().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(sent.params("notifications/cancelled").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_know_subscriptions_is_asked_once() {
    let (stream, sent) = server::server(|method, _| match method {
        "server/discover" => server::modern(),
        _ => server::refusal(),
    });
    let connection = server::connected(stream).await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(sent.methods(), ["server/discover", "subscriptions/listen"]);
    assert!(!connection.is_closed());
}
