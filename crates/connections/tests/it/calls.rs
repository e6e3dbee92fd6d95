use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use mcp_bridge_connections::{
    Capabilities, Elicitation, ElicitationAnswer, ErrorKind, Event, Handler, Limits, ListKind,
    Options, Timeouts,
};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::server::{Step, Told, call, connect, connected, old_server};

const SECOND: Duration = Duration::from_secs(1);

fn done() -> Step {
    Step::Result(json!({"content": [], "done": true}))
}

fn progress(params: &Value, done: u64) -> Step {
    let token = &params["_meta"]["progressToken"];
    let params = json!({"progressToken": token, "progress": done, "message": format!("{done}")});
    Step::Notify("notifications/progress", params)
}

fn with_timeouts(call: u64, total: u64) -> Options {
    let timeouts = Timeouts::default()
        .with_call(SECOND * u32::try_from(call).unwrap())
        .with_total(SECOND * u32::try_from(total).unwrap());
    Options::default().with_timeouts(timeouts)
}

#[tokio::test(start_paused = true)]
async fn a_result_comes_as_the_server_wrote_it() {
    let text = r#"{"zeta":1.10,"content":[{"type":"odd"}],"big":123456789012345678901234567890}"#;
    let raw: Value = serde_json::from_str(text).unwrap();
    let sent = raw.clone();
    let (stream, _) = old_server(move |_, _| vec![Step::Result(sent.clone())]);
    let result = connected(stream).await.call_tool(call("x")).await.unwrap();
    assert_eq!(result.to_string(), text);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_is_cancelled_on_the_server() {
    let (stream, sent) = old_server(|_, _| Vec::new());
    let connection = connected(stream).await;
    let waited = tokio::time::timeout(SECOND, connection.call_tool(call("slow"))).await;
    assert!(waited.is_err());
    tokio::time::sleep(SECOND).await;
    let id = sent.id_of("tools/call");
    assert_eq!(
        sent.params("notifications/cancelled"),
        [json!({"requestId": id, "reason": "no longer wanted"})]
    );
}

#[tokio::test(start_paused = true)]
async fn silence_ends_a_call_and_progress_prolongs_it_up_to_a_total() {
    // Reports every `every` seconds, `reports` times, and then an answer.
    let table = [
        ("silent", 0, 0, None, 10),
        ("reports, then an answer", 8, 3, Some(true), 24),
        ("reports too late", 11, 3, None, 10),
        ("reports for ever", 8, 100, None, 60),
    ];
    for (what, every, reports, expected, seconds) in table {
        let (stream, sent) = old_server(move |_, params| {
            let mut steps = Vec::new();
            for report in 1..=reports {
                steps.push(Step::Wait(SECOND * every));
                steps.push(progress(params, report));
            }
            if reports > 0 {
                steps.push(done());
            }
            steps
        });
        let options = with_timeouts(10, 60);
        let connection = connect(stream, &options, Arc::new(())).await.unwrap();
        let start = Instant::now();
        let result = connection.call_tool(call("x")).await;
        let took = start.elapsed().as_secs();
        let done = result.as_ref().ok().map(|result| result["done"] == true);
        assert_eq!((done, took), (expected, seconds), "{what}");
        if let Err(error) = result {
            assert_eq!(error.kind(), ErrorKind::Timeout, "{what}");
            tokio::time::sleep(SECOND).await;
            assert_eq!(sent.params("notifications/cancelled").len(), 1, "{what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn progress_comes_in_order_and_never_goes_back() {
    let (stream, _) = old_server(|_, params| {
        let mut steps: Vec<Step> = [1, 2, 2, 1, 3].map(|n| progress(params, n)).into();
        steps.push(done());
        steps
    });
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let call = call("x").with_progress(Arc::new(move |progress| {
        sink.lock().unwrap().push(progress.message.unwrap());
    }));
    connected(stream).await.call_tool(call).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["1", "2", "3"]);
}

#[tokio::test(start_paused = true)]
async fn events_come_in_the_order_in_which_they_were_sent() {
    let (stream, _) = old_server(|_, _| {
        let mut steps: Vec<Step> = (0..50)
            .flat_map(|n| {
                [
                    Step::Notify("notifications/message", json!({"level": "info", "data": n})),
                    Step::Notify("notifications/tools/list_changed", json!({})),
                    Step::Notify("notifications/resources/updated", json!({"uri": "a:b"})),
                ]
            })
            .collect();
        steps.push(done());
        steps
    });
    let told = Arc::new(Told::default());
    let connection = connect(stream, &Options::default(), told.clone())
        .await
        .unwrap();
    connection.call_tool(call("x")).await.unwrap();
    let expected: Vec<Event> = (0..50)
        .flat_map(|n| {
            [
                Event::Log {
                    level: "info".to_owned(),
                    logger: None,
                    data: json!(n),
                },
                Event::ListChanged(ListKind::Tools),
                Event::ResourceUpdated {
                    uri: "a:b".to_owned(),
                },
            ]
        })
        .collect();
    assert_eq!(told.events(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_message_above_the_limit_ends_only_its_call() {
    let (stream, _) = old_server(|_, params| {
        let size = if params["name"] == "large" { 20_000 } else { 1 };
        let slow = params["name"] == "slow";
        let wait = Step::Wait(SECOND * u32::from(slow));
        vec![wait, Step::Result(json!({"text": "x".repeat(size)}))]
    });
    let options = Options::default().with_limits(Limits::default().with_max_message_bytes(10_000));
    let connection = connect(stream, &options, Arc::new(())).await.unwrap();
    let (slow, large) = tokio::join!(
        connection.call_tool(call("slow")),
        connection.call_tool(call("large"))
    );
    assert_eq!(slow.unwrap(), json!({"text": "x"}));
    assert_eq!(large.unwrap_err().kind(), ErrorKind::TooLarge);
    let after = connection.call_tool(call("small")).await.unwrap();
    assert_eq!(after, json!({"text": "x"}));
}

#[tokio::test(start_paused = true)]
async fn garbage_is_reported_and_does_not_end_the_connection() {
    let garbage = [
        "Starting up...",
        "{\"jsonrpc\":",
        "",
        "null",
        "[]",
        "{}",
        "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}",
        "\u{0}",
    ];
    let (stream, _) = old_server(move |_, _| {
        let lines = garbage.iter().map(|line| Step::Line((*line).to_owned()));
        lines.chain([done()]).collect()
    });
    let told = Arc::new(Told::default());
    let connection = connect(stream, &Options::default(), told.clone())
        .await
        .unwrap();
    let result = connection.call_tool(call("x")).await.unwrap();
    assert_eq!(result["done"], true);
    let codes: Vec<&str> = told
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::Problem(problem) => Some(problem.code),
            _ => None,
        })
        .collect();
    assert_eq!(
        codes,
        [
            "not_json",
            "not_json",
            "not_a_message",
            "not_a_message",
            "unexpected_answer",
            "not_json",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_server_is_given_whole() {
    let (stream, _) = old_server(|_, _| {
        vec![Step::Error(
            json!({"code": -32_602, "message": "Unknown tool: x", "data": {"a": 1}}),
        )]
    });
    let error = connected(stream).await.call_tool(call("x")).await;
    let error = error.unwrap_err();
    let rpc = error.rpc().unwrap();
    assert_eq!(error.kind(), ErrorKind::Rpc);
    assert_eq!(
        (rpc.code, &*rpc.message, &rpc.data),
        (-32_602, "Unknown tool: x", &json!({"a": 1}))
    );
}

#[tokio::test(start_paused = true)]
async fn a_running_call_ends_with_the_connection() {
    let (stream, _) = old_server(|_, _| Vec::new());
    let connection = connected(stream).await;
    let other = connection.clone();
    let (result, ()) = tokio::join!(connection.call_tool(call("x")), async {
        tokio::time::sleep(SECOND).await;
        other.shutdown().await;
    });
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Closed);
    assert!(connection.is_closed());
}

/// A person who takes their time.
struct Slow;

#[async_trait]
impl Handler for Slow {
    async fn elicit(&self, _question: Elicitation) -> ElicitationAnswer {
        tokio::time::sleep(SECOND * 100).await;
        ElicitationAnswer::Decline
    }
}

#[tokio::test(start_paused = true)]
async fn the_clock_stands_still_while_a_person_is_asked() {
    let (stream, _) = old_server(|_, _| {
        let question = json!({
            "jsonrpc": "2.0",
            "id": "q",
            "method": "elicitation/create",
            "params": {"message": "Really?", "requestedSchema": {"type": "object"}},
        });
        let ask = Step::Line(question.to_string());
        vec![ask, Step::Wait(SECOND * 105), done()]
    });
    let options = with_timeouts(10, 600)
        .with_capabilities(Capabilities::default().with_elicitation(true, false));
    let connection = connect(stream, &options, Arc::new(Slow)).await.unwrap();
    let result = connection.call_tool(call("x")).await.unwrap();
    assert_eq!(result["done"], true);
}
