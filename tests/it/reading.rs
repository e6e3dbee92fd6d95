//! What a model reads of every kind of result, as a snapshot: a change of a word is a change that somebody decided.

use std::fmt::Write as _;
use std::time::Duration;

use mcp_bridge::connections::{Lifecycle, Options};
use mcp_bridge::elicitation::Answer;
use mcp_bridge::permissions::{Mode, Rules};
use mcp_bridge::{Bridge, ServerConfig};
use mcp_bridge_examples::demo::{Demo, HttpServer};
use rmcp::ServiceExt as _;
use serde_json::{Value, json};

use crate::common::Person;

/// The demo server in this process; artifacts stay in memory, so that no path differs from run to run.
async fn demo() -> Bridge {
    let answer = json!({"name": "Ann", "date": "2030-05-01", "guests": 4});
    let person = Person {
        answer: Some(Answer::Accept(answer.as_object().cloned())),
        ..Person::default()
    };
    let open = || {
        let (client, server) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move {
            if let Ok(service) = Demo::new().serve(server).await {
                let _ = service.waiting().await;
            }
        });
        tokio::io::split(client)
    };
    Bridge::builder()
        .permissions(Rules::new(), Mode::BypassPermissions)
        .host(person)
        .stream_server("demo", ServerConfig::stdio("demo"), open)
        .start()
        .await
}

#[tokio::test]
async fn every_kind_of_result_reads_as_it_did() {
    let bridge = demo().await;
    let calls: [(&str, Value); 16] = [
        ("mcp__demo__echo", json!({"text": "Hello.\nTwo lines."})),
        ("mcp__demo__weather", json!({"city": "Porto"})),
        ("mcp__demo__picture", json!({})),
        ("mcp__demo__sound", json!({})),
        ("mcp__demo__report", json!({})),
        ("mcp__demo__archive", json!({})),
        ("mcp__demo__link", json!({})),
        ("mcp__demo__fail", json!({})),
        ("mcp__demo__book_table", json!({})),
        ("mcp__demo__open_account", json!({})),
        ("mcp__demo__write_note", json!({"name": "a", "text": "b"})),
        ("mcp__demo__write_note", json!({"name": "A B", "text": 5})),
        ("mcp__demo__delete_note", json!({"name": "nothing"})),
        ("list_mcp_resources", json!({})),
        (
            "read_mcp_resource",
            json!({"server": "demo", "uri": "demo://notes/a"}),
        ),
        ("mcp__demo__missing", json!({})),
    ];
    let mut read = String::new();
    for (name, arguments) in calls {
        let _ = writeln!(read, "## {name} {arguments}");
        match bridge.call(name, arguments).await {
            Ok(outcome) => {
                let _ = writeln!(read, "{:?}\n{}", outcome.kind(), outcome.text());
                for artifact in outcome.artifacts() {
                    let _ = writeln!(read, "kept: {} {}", artifact.mime_type, artifact.size);
                }
            }
            Err(error) => {
                let _ = writeln!(read, "{:?}\n{error}", error.kind());
            }
        }
        read.push('\n');
    }
    for line in [
        "/mcp__demo__review title=Plan text=\"Ship it\"",
        "/mcp__demo__describe_logo",
        "$demo:tidy-up now",
    ] {
        let text = bridge.run_command(line).await.unwrap().text();
        let _ = writeln!(read, "## {line}\n{text}\n");
    }
    insta::assert_snapshot!(read);
    bridge.shutdown().await;
}

#[tokio::test]
async fn the_tools_are_shown_as_they_were() {
    let bridge = demo().await;
    let mut shown = String::new();
    for tool in bridge.catalog().tools() {
        let _ = writeln!(
            shown,
            "{}: {}\n{}",
            tool.name(),
            tool.description(),
            tool.input_schema()
        );
    }
    let _ = writeln!(shown, "\n{}", bridge.catalog().instructions());
    insta::assert_snapshot!(shown);
    bridge.shutdown().await;
}

#[tokio::test]
async fn a_changed_list_reaches_the_catalog_in_both_eras_and_over_http() {
    for lifecycle in [Lifecycle::Initialize, Lifecycle::Discover] {
        let server = HttpServer::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let url = server.url();
        let serving = tokio::spawn(server.run());
        let bridge = Bridge::builder()
            .permissions(Rules::new(), Mode::BypassPermissions)
            .connection(Options::default().with_lifecycle(lifecycle))
            .server("web", ServerConfig::http(url))
            .start()
            .await;
        let mut changes = bridge.catalog_changes();
        let has_bonus = || bridge.catalog().tool("mcp__web__bonus").is_ok();
        assert!(!has_bonus(), "{lifecycle:?}");
        // The server may not know yet that somebody listens, so it is told to change the list more than once.
        for _ in 0..6 {
            bridge
                .call("mcp__web__toggle_bonus", json!({}))
                .await
                .unwrap();
            let change = tokio::time::timeout(Duration::from_secs(2), changes.changed());
            if change.await.is_ok() && has_bonus() {
                break;
            }
        }
        assert!(has_bonus(), "{lifecycle:?}");
        let catalog = bridge.catalog();
        let version = catalog.server("web").unwrap().protocol_version.as_deref();
        assert_eq!(
            version == Some("2026-07-28"),
            lifecycle == Lifecycle::Discover
        );
        bridge.shutdown().await;
        serving.abort();
    }
}
