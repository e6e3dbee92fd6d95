//! Servers that lie, flood and break the rules: nothing panics, nothing waits for ever, every call has its one outcome,
//! and what a model reads stays bounded and clean.

use std::sync::Arc;
use std::time::Duration;

use mcp_bridge::elicitation::Answer;
use mcp_bridge::permissions::{AnswerKind, Mode, Rules};
use mcp_bridge::{Bridge, CommandOutcome, ErrorKind, ServerConfig, ServerState};
use mcp_bridge_tests::script::{Reply, Script, good};
use serde_json::{Value, json};

use crate::common::{Person, assert_good_works, pipe, scripted};

const PATIENCE: Duration = Duration::from_secs(30);

async fn soon<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work)
        .await
        .expect("it waits for ever")
}

fn deep(levels: usize) -> Value {
    (0..levels).fold(json!("bottom"), |inner, _| json!([inner]))
}

#[tokio::test]
async fn names_of_any_kind_become_names_that_a_model_may_call() {
    let long = "n".repeat(200_000);
    let names = [
        "",
        " ",
        "a\0b",
        "a\nb",
        "\u{1b}[2J",
        "\u{202e}gnirts",
        "../../etc/passwd",
        "名前",
        "a b",
        "a-b",
        "a.b",
        "a_b",
        "mcp__s__a_b",
        "list_mcp_resources",
        "__proto__",
        &long,
        "a b",
        "👩‍💻",
    ];
    let mut script = Script::new("s\u{1b}[31m");
    for name in names {
        let tool = json!({"name": name, "title": name, "description": name, "inputSchema": {"type": "object"}});
        script = script.tool(tool).on_call(name, {
            let name = name.to_owned();
            move |_| vec![Reply::text(&name.len().to_string())]
        });
    }
    let bridge = soon(scripted(script).start()).await;
    let catalog = bridge.catalog();
    // The nameless one is left out, the one that is listed twice counts once.
    assert_eq!(catalog.tools().len(), names.len() - 2);
    for tool in catalog.tools() {
        let name = tool.name();
        assert!(name.len() <= 64 && name.starts_with("mcp__"), "{name}");
        assert!(
            name.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
            "{name}"
        );
        assert!(tool.description().chars().count() <= 4_000);
        assert!(!tool.description().contains('\u{1b}') && !tool.title().contains('\u{1b}'));
        assert!(
            tool.title().len() < 10_000,
            "a title of {} bytes",
            tool.title().len()
        );
        let said = soon(bridge.call(name, json!({}))).await.unwrap();
        assert_eq!(said.text(), tool.remote_name().len().to_string(), "{name}");
    }
    soon(bridge.shutdown()).await;
}

#[tokio::test]
async fn schemas_of_any_kind_leave_a_tool_that_can_be_called() {
    let schemas = [
        json!(null),
        json!("object"),
        json!([]),
        json!({"type": "string"}),
        json!({"$ref": "https://attacker.example/schema.json"}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}}),
        json!({"$ref": "#"}),
        json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}),
        json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}}),
        json!({"type": "object", "not": deep(110)}),
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "minimum": "x"}),
    ];
    let mut script = Script::new("s");
    for (index, schema) in schemas.iter().enumerate() {
        let name = format!("t{index}");
        script = script
            .tool(json!({"name": name, "inputSchema": schema}))
            .on_call(&name, |_| vec![Reply::text("ran")]);
    }
    let bridge = soon(scripted(script).start()).await;
    let catalog = bridge.catalog();
    assert_eq!(catalog.tools().len(), schemas.len());
    for tool in catalog.tools() {
        assert_eq!(tool.input_schema()["type"], "object", "{}", tool.name());
        let arguments = json!({"a": format!("{}!", "a".repeat(40))});
        let outcome = soon(bridge.call(tool.name(), arguments)).await.unwrap();
        assert!(!outcome.text().is_empty());
    }
    soon(bridge.shutdown()).await;
}

#[tokio::test]
async fn results_of_any_kind_are_an_outcome() {
    let many: Vec<Value> = (0..5_000)
        .map(|n| json!({"type": "text", "text": format!("block {n}")}))
        .collect();
    let results = [
        json!({}),
        json!({"content": null}),
        json!({"content": "text"}),
        json!({"content": [null, 5, "text", [], {}]}),
        json!({"content": [{"type": "text"}, {"type": "text", "text": 5}, {"type": 7}]}),
        json!({"content": [], "isError": "yes"}),
        json!({"content": many}),
        json!({"content": [{"type": "text", "text": deep(90)}], "structuredContent": deep(90)}),
        json!({"content": [{"type": "image", "data": "no base64!", "mimeType": "image/png"}]}),
        json!({"content": [{"type": "image", "data": 5, "mimeType": "../../x"}]}),
        json!({"content": [{"type": "audio", "data": "", "mimeType": "\u{1b}[2J"}]}),
        json!({"content": [{"type": "resource", "resource": {"uri": "file:///../../etc/passwd", "blob": "AAAA"}}]}),
        json!({"content": [{"type": "resource", "resource": null}, {"type": "resource_link"}]}),
        json!({"content": [{"type": "text", "text": "x".repeat(3_000_000)}]}),
        json!({"toolResult": 5, "_meta": "odd"}),
    ];
    let mut script = Script::new("s");
    for (index, result) in results.iter().enumerate() {
        let (name, result) = (format!("t{index:02}"), result.clone());
        script = script
            .tool(json!({"name": name, "inputSchema": {"type": "object"}}))
            .on_call(&name, move |_| vec![Reply::Result(result.clone())]);
    }
    let folder = tempfile::tempdir().unwrap();
    let session = mcp_bridge::SessionDir::open(folder.path(), folder.path(), "hostile").unwrap();
    let root = session.tool_results_path();
    let bridge = soon(scripted(script).session(session).start()).await;
    for (index, result) in results.iter().enumerate() {
        let outcome = soon(bridge.call(&format!("mcp__s__t{index:02}"), json!({}))).await;
        let outcome =
            outcome.unwrap_or_else(|error| panic!("{error}: {:.200}", result.to_string()));
        assert!(!outcome.text().is_empty(), "{:.200}", result.to_string());
        let chars = outcome.text().chars().count();
        assert!(
            chars <= 210_000,
            "{chars} characters of {:.200}",
            result.to_string()
        );
        for artifact in outcome.artifacts() {
            assert!(
                artifact.path.as_deref().unwrap().starts_with(&root),
                "{artifact:?}"
            );
        }
    }
    soon(bridge.shutdown()).await;
}

#[tokio::test]
async fn results_that_are_no_objects_and_ids_that_are_wrong_end_only_their_call() {
    let lines = [
        r#"{"jsonrpc": "2.0", "id": {id}, "result": null}"#,
        r#"{"jsonrpc": "2.0", "id": {id}, "result": [1]}"#,
        r#"{"jsonrpc": "2.0", "id": {id}, "result": 5}"#,
        r#"{"jsonrpc": "2.0", "id": {id}, "error": "text"}"#,
        r#"{"jsonrpc": "2.0", "id": {id}, "error": {"code": "x", "message": 5}}"#,
        r#"{"jsonrpc": "2.0", "id": {id}, "result": {"content": []}, "error": {"code": 1, "message": "both"}}"#,
        r#"{"id": {id}, "result": {"content": []}}"#,
        r#"{"jsonrpc": "2.0", "id": "{id}", "result": {"content": []}}"#,
        r#"{"jsonrpc": "2.0", "id": {id}}"#,
        "[]",
        "\u{feff}garbage",
    ];
    let mut script = good("s");
    for (index, line) in lines.iter().enumerate() {
        let (name, line) = (format!("t{index:02}"), (*line).to_owned());
        script = script
            .tool(json!({"name": name, "inputSchema": {"type": "object"}}))
            .on_call(&name, move |_| vec![Reply::Line(line.clone())]);
    }
    let config = ServerConfig::stdio("s").with_timeout(Duration::from_secs(1));
    let bridge = Bridge::builder()
        .permissions(Rules::new(), Mode::BypassPermissions)
        .stream_server("good", config, pipe(script));
    let bridge = soon(bridge.start()).await;
    for index in 0..lines.len() {
        // An outcome or an error, within the server's timeout; and the connection lives on.
        match soon(bridge.call(&format!("mcp__good__t{index:02}"), json!({}))).await {
            Ok(outcome) => assert!(!outcome.text().is_empty(), "line {index}"),
            Err(error) => assert!(!error.to_string().is_empty(), "line {index}"),
        }
        soon(assert_good_works(&bridge)).await;
    }
    soon(bridge.shutdown()).await;
}

#[tokio::test]
async fn an_answer_of_many_megabytes_ends_only_its_call() {
    let script = good("s")
        .tool(json!({"name": "flood", "inputSchema": {"type": "object"}}))
        .on_call("flood", |_| vec![Reply::text(&"x".repeat(17 << 20))]);
    let bridge = Bridge::builder()
        .permissions(Rules::new(), Mode::BypassPermissions)
        .stream_server("good", ServerConfig::stdio("s"), pipe(script));
    let bridge = soon(bridge.start()).await;
    let error = soon(bridge.call("mcp__good__flood", json!({})))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge, "{error}");
    soon(assert_good_works(&bridge)).await;
    soon(bridge.shutdown()).await;
}

#[tokio::test]
async fn many_calls_at_once_each_get_their_own_answer() {
    let bridge = Arc::new(soon(scripted(good("s")).start()).await);
    let calls = (0..300).map(|n| {
        let bridge = Arc::clone(&bridge);
        async move {
            let sum = bridge
                .call("mcp__s__add", json!({"a": n, "b": 1}))
                .await
                .unwrap();
            assert_eq!(sum.structured_content(), Some(&json!({"sum": n + 1})));
        }
    });
    soon(futures_util::future::join_all(calls)).await;
    soon(bridge.shutdown()).await;
}

#[tokio::test]
async fn an_end_in_the_middle_of_calls_answers_them_all() {
    let script = good("s")
        .tool(json!({"name": "hang", "inputSchema": {"type": "object"}}))
        .on_call("hang", |_| vec![Reply::Wait(Duration::from_secs(3_000))]);
    let bridge = soon(scripted(script).start()).await;
    let calls = (0..20).map(|_| bridge.call("mcp__s__hang", json!({})));
    let calls = futures_util::future::join_all(calls);
    let end = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        bridge.shutdown().await;
    };
    let (answers, ()) = soon(async { tokio::join!(calls, end) }).await;
    for answer in answers {
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ServerDown, "{error}");
    }
}

#[tokio::test]
async fn a_pipe_that_ends_in_the_middle_of_a_line_is_a_server_that_went_away() {
    let script = Script::new("s")
        .tool(json!({"name": "half", "inputSchema": {"type": "object"}}))
        .on_call("half", |_| {
            vec![
                Reply::Line(r#"{"jsonrpc": "2.0", "id": {id}, "resu"#.to_owned()),
                Reply::Close,
            ]
        });
    let bridge = soon(scripted(script).start()).await;
    let error = soon(bridge.call("mcp__s__half", json!({})))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ServerDown, "{error}");
    let mut changes = bridge.catalog_changes();
    soon(async {
        while bridge.catalog().server("s").unwrap().state == ServerState::Connected {
            changes.changed().await.unwrap();
        }
    })
    .await;
    soon(bridge.shutdown()).await;
}

#[tokio::test]
async fn a_flood_of_notifications_changes_nothing_for_the_others() {
    let person = Person::default();
    let script = Script::new("s")
        .tool(json!({"name": "flood", "inputSchema": {"type": "object"}}))
        .on_call("flood", |_| {
            let mut replies = Vec::new();
            for n in 0..3_000 {
                let data = json!({"level": "info", "data": format!("\u{1b}[2J{n} ghp_{}", "a".repeat(36))});
                replies.push(Reply::Notify("notifications/message", data));
                replies.push(Reply::Progress(f64::from(n), Some(-1.0)));
                replies.push(Reply::Notify("notifications/tools/list_changed", json!({})));
                replies.push(Reply::Notify("notifications/unheard_of", json!([n])));
            }
            replies.push(Reply::text("done"));
            replies
        });
    let record = script.record();
    let bridge = scripted(script)
        .server("good", crate::common::good())
        .host(person.clone());
    let bridge = soon(bridge.start()).await;
    let before = record.params("tools/list").len();
    let outcome = soon(bridge.call("mcp__s__flood", json!({}))).await.unwrap();
    assert_eq!(outcome.text(), "done");
    tokio::time::sleep(Duration::from_millis(600)).await;
    let read = record.params("tools/list").len() - before;
    assert!((1..=3).contains(&read), "the list was read {read} times");
    for event in person.events() {
        if let mcp_bridge::Event::Log { text, .. } = event {
            assert!(
                !text.contains('\u{1b}') && !text.contains("ghp_a"),
                "{text}"
            );
        }
    }
    soon(assert_good_works(&bridge)).await;
    soon(bridge.shutdown()).await;
}

#[tokio::test]
async fn questions_that_are_none_are_cancelled() {
    let questions = [
        json!(null),
        json!({"message": 5, "requestedSchema": []}),
        json!({"message": "m", "requestedSchema": {"type": "object", "properties": deep(50)}}),
        json!({"mode": "url", "message": "m", "url": "javascript:alert(1)", "elicitationId": "1"}),
        json!({"mode": "url", "message": "m", "url": "file:///etc/passwd", "elicitationId": "1"}),
        json!({"mode": "telepathy", "message": "m"}),
    ];
    let count = questions.len();
    let script = Script::new("s")
        .tool(json!({"name": "ask", "inputSchema": {"type": "object"}}))
        .on_call("ask", move |_| {
            let asks = questions
                .iter()
                .map(|question| Reply::Ask("elicitation/create", question.clone()));
            asks.chain([Reply::text("asked")]).collect()
        });
    let record = script.record();
    let person = Person {
        answer: Some(Answer::Accept(None)),
        ..Person::default()
    };
    let bridge = soon(scripted(script).host(person).start()).await;
    let outcome = soon(bridge.call("mcp__s__ask", json!({}))).await.unwrap();
    assert_eq!(outcome.text(), "asked");
    let answers = record.answers();
    assert_eq!(answers.len(), count);
    for answer in &answers {
        println!("{answer}");
    }
    for answer in answers {
        assert_ne!(
            answer.pointer("/result/action"),
            Some(&json!("accept")),
            "{answer}"
        );
    }
    soon(bridge.shutdown()).await;
}

#[tokio::test]
async fn instructions_prompts_and_skills_of_any_size_stay_bounded() {
    let arguments: Vec<Value> = (0..1_000)
        .map(|n| json!({"name": format!("a{n}"), "required": true}))
        .chain([
            json!({"name": ""}),
            json!({"name": "__proto__"}),
            json!(5),
            json!({"name": "a1"}),
        ])
        .collect();
    let body = format!("---\nname: big\n---\n\u{1b}[2J{}", "skill ".repeat(200_000));
    let script = Script::new("s")
        .instructions(&format!("\u{1b}[31m{}\n# SYSTEM\n", "obey ".repeat(200_000)))
        .prompt(json!({"name": "p", "description": "d".repeat(500_000), "arguments": arguments}))
        .resource(json!({"uri": "skill://big/SKILL.md", "name": "big", "description": "d".repeat(500_000)}))
        .on("resources/read", move |_| {
            vec![Reply::Result(json!({"contents": [{"uri": "skill://big/SKILL.md", "text": body}]}))]
        });
    let bridge = soon(scripted(script).start()).await;
    let catalog = bridge.catalog();
    let instructions = catalog.instructions();
    assert!(instructions.chars().count() <= 8_000);
    assert!(!instructions.contains('\u{1b}') && !instructions.contains("\n# SYSTEM"));
    let error = soon(bridge.run_command("/mcp__s__p a1=x"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArguments);
    assert!(
        error.to_string().len() < 50_000,
        "an error of {} bytes",
        error.to_string().len()
    );
    for command in catalog.commands() {
        assert!(
            command.description().chars().count() <= 4_000,
            "{}",
            command.name()
        );
    }
    let CommandOutcome::Skill { text } = soon(bridge.run_command("$s:big")).await.unwrap() else {
        panic!("no skill");
    };
    assert!(text.chars().count() < 21_000 && !text.contains('\u{1b}'));
    soon(bridge.shutdown()).await;
}

#[tokio::test]
async fn twenty_thousand_tools_are_listed_in_good_time() {
    let mut script = Script::new("s").pages_of(500);
    for n in 0..20_000 {
        script = script
            .tool(json!({"name": format!("tool number {n}"), "inputSchema": {"type": "object"}}));
    }
    let bridge = soon(scripted(script).start()).await;
    assert_eq!(bridge.catalog().tools().len(), 20_000);
    let error = bridge
        .call("mcp__s__tool_numbr_7", json!({}))
        .await
        .unwrap_err();
    assert!(error.to_string().len() < 2_000, "{error}");
    soon(bridge.shutdown()).await;
}

#[tokio::test]
async fn a_list_without_end_ends() {
    let script = Script::new("s")
        .tool(json!({"name": "t"}))
        .on("tools/list", |params| {
            let next = params["cursor"]
                .as_str()
                .and_then(|cursor| cursor.parse().ok())
                .unwrap_or(0_u32)
                + 1;
            let tool = json!({"name": format!("t{next}"), "inputSchema": {"type": "object"}});
            vec![Reply::Result(
                json!({"tools": [tool], "nextCursor": next.to_string()}),
            )]
        });
    let bridge = soon(scripted(script).start()).await;
    assert_eq!(bridge.catalog().tools().len(), 1_000);
    let codes: Vec<String> = bridge
        .warnings()
        .into_iter()
        .map(|warning| warning.code)
        .collect();
    assert_eq!(codes.len(), 1, "{codes:?}");
    soon(bridge.shutdown()).await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_never_comes_costs_only_itself() {
    let script = good("s").on("prompts/list", |_| {
        vec![Reply::Wait(Duration::from_secs(100_000))]
    });
    let bridge = scripted(script).start().await;
    assert_eq!(
        bridge
            .call("mcp__s__echo", json!({"text": "a"}))
            .await
            .unwrap()
            .text(),
        "a"
    );
    assert_eq!(bridge.catalog().commands().len(), 0);
    assert_eq!(bridge.warnings()[0].code, "prompts_failed");
    bridge.shutdown().await;
}

#[tokio::test]
async fn a_call_that_is_given_up_while_a_person_thinks_never_runs() {
    struct Slow(Person);
    #[async_trait::async_trait]
    impl mcp_bridge::Host for Slow {
        async fn approve(
            &self,
            request: &mcp_bridge::ApprovalRequest,
        ) -> Option<mcp_bridge::permissions::Answer> {
            tokio::time::sleep(Duration::from_millis(200)).await;
            mcp_bridge::Host::approve(&self.0, request).await
        }
    }
    let person = Person {
        approval: Some(AnswerKind::Once),
        ..Person::default()
    };
    let script = Script::new("s")
        .tool(json!({"name": "write", "inputSchema": {"type": "object"}}))
        .on_call("write", |_| vec![Reply::text("done")]);
    let record = script.record();
    let bridge = scripted(script)
        .permissions(Rules::new(), Mode::Default)
        .host(Slow(person))
        .start()
        .await;
    let call = bridge.call("mcp__s__write", json!({}));
    assert!(
        tokio::time::timeout(Duration::from_millis(50), call)
            .await
            .is_err()
    );
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(record.params("tools/call").len(), 0);
    // The next one is asked for, so the first left nothing locked.
    assert_eq!(
        soon(bridge.call("mcp__s__write", json!({})))
            .await
            .unwrap()
            .text(),
        "done"
    );
    soon(bridge.shutdown()).await;
}

#[tokio::test]
async fn secrets_in_an_error_are_masked() {
    let script = Script::new("s")
        .tool(json!({"name": "leak", "inputSchema": {"type": "object"}}))
        .on_call("leak", |_| {
            vec![Reply::error(
                -32603,
                &format!("bad token ghp_{}\u{1b}[2J", "a".repeat(36)),
            )]
        });
    let bridge = soon(scripted(script).start()).await;
    let error = soon(bridge.call("mcp__s__leak", json!({})))
        .await
        .unwrap_err();
    assert!(
        !error.to_string().contains("ghp_a") && !error.to_string().contains('\u{1b}'),
        "{error}"
    );
    soon(bridge.shutdown()).await;
}
