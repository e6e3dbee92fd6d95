use std::sync::Arc;

use mcp_bridge_connections::{Limits, ListKind, Options};
use serde_json::{Value, json};

use crate::server::{Step, connect, connected, old_server, refusal};

/// Page `n` has the tool `n`, and points to the page that `next` says.
fn pages(next: fn(u64) -> Option<u64>) -> impl Fn(&str, &Value) -> Vec<Step> + Send + Sync {
    move |_, params| {
        let cursor = params["cursor"].as_str();
        let page: u64 = cursor.map_or(1, |cursor| cursor.parse().unwrap());
        let mut result = json!({"tools": [{"name": page.to_string(), "inputSchema": {}}]});
        if let Some(next) = next(page) {
            result["nextCursor"] = json!(next.to_string());
        }
        vec![Step::Result(result)]
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_has_all_its_pages_within_bounds() {
    type Next = fn(u64) -> Option<u64>;
    let table: [(&str, Next, &[&str], &[&str]); 4] = [
        ("one page", |_| None, &["1"], &[]),
        (
            "three pages",
            |page| (page < 3).then_some(page + 1),
            &["1", "2", "3"],
            &[],
        ),
        (
            "a cursor twice",
            |page| Some(if page == 2 { 2 } else { page + 1 }),
            &["1", "2"],
            &["cursor_repeated"],
        ),
        (
            "no end",
            |page| Some(page + 1),
            &["1", "2", "3", "4", "5"],
            &["list_too_long"],
        ),
    ];
    let options = Options::default().with_limits(Limits::default().with_max_pages(5));
    for (what, next, names, problems) in table {
        let (stream, _) = old_server(pages(next));
        let connection = connect(stream, &options, Arc::new(())).await.unwrap();
        let listing = connection.list(ListKind::Tools).await.unwrap();
        let listed: Vec<&str> = listing
            .items
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        let told: Vec<&str> = listing.problems.iter().map(|p| p.code).collect();
        assert_eq!((&*listed, &*told), (names, problems), "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_with_too_many_entries_is_cut() {
    let (stream, _) = old_server(|_, _| {
        let tools: Vec<_> = (0..10).map(|n| json!({"name": n.to_string()})).collect();
        vec![Step::Result(json!({"tools": tools}))]
    });
    let options = Options::default().with_limits(Limits::default().with_max_entries(3));
    let connection = connect(stream, &options, Arc::new(())).await.unwrap();
    let listing = connection.list(ListKind::Tools).await.unwrap();
    let expected = [
        json!({"name": "0"}),
        json!({"name": "1"}),
        json!({"name": "2"}),
    ];
    assert_eq!(listing.items, expected);
    assert_eq!(listing.problems[0].code, "list_too_long");
}

#[tokio::test(start_paused = true)]
async fn a_failed_later_page_leaves_the_pages_before_it() {
    let (stream, _) = old_server(|_, params| match params["cursor"].as_str() {
        None => vec![Step::Result(
            json!({"tools": [{"name": "a"}], "nextCursor": "x"}),
        )],
        Some(_) => refusal(),
    });
    let listing = connected(stream).await.list(ListKind::Tools).await.unwrap();
    assert_eq!(listing.items, [json!({"name": "a"})]);
    assert_eq!(listing.problems[0].code, "page_failed");
}

#[tokio::test(start_paused = true)]
async fn what_a_server_does_not_declare_is_not_asked_for() {
    let (stream, sent) = old_server(|_, _| refusal());
    let connection = connected(stream).await;
    let listing = connection.list(ListKind::Prompts).await.unwrap();
    assert_eq!(listing.items, Vec::<Value>::new());
    assert!(!sent.methods().contains(&"prompts/list".to_owned()));
}
