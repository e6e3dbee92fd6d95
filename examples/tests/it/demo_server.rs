//! The demo server, spoken to in raw JSON.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::common::example;

struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    fn start() -> Self {
        let mut child = Command::new(example("demo-server"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            input,
            output,
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn request(&mut self, id: u32, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.receive()
    }

    fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}

fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}, "url": {}}},
    });
    params
}

#[test]
fn the_older_era_asks_by_a_request_of_its_own() {
    let mut server = Session::start();
    let opening = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {"form": {}}},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let opened = server.request(1, "initialize", &opening);
    assert_eq!(opened["result"]["protocolVersion"], "2025-11-25");
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));

    let question = server.request(
        2,
        "tools/call",
        &json!({"name": "book_table", "arguments": {}}),
    );
    assert_eq!(question["method"], "elicitation/create");
    let answer =
        json!({"action": "accept", "content": {"name": "Ann", "date": "2026-12-01", "guests": 3}});
    server.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}));
    let done = server.receive();
    assert_eq!(
        done["result"]["content"][0]["text"],
        r#"A table for 3 in the name of Ann: {"name":"Ann","date":"2026-12-01","guests":3}"#
    );

    let refused = server.request(
        3,
        "tools/call",
        &json!({"name": "open_account", "arguments": {}}),
    );
    assert_eq!(refused["result"]["isError"], true);
    server.end();
}

#[test]
fn the_newer_era_answers_with_the_question() {
    let mut server = Session::start();
    let found = server.request(1, "server/discover", &modern(json!({})));
    assert_eq!(
        found["result"]["supportedVersions"],
        json!([
            "2024-11-05",
            "2025-03-26",
            "2025-06-18",
            "2025-11-25",
            "2026-07-28"
        ])
    );
    let call = json!({"name": "open_account", "arguments": {}});
    let asked = server.request(2, "tools/call", &modern(call.clone()));
    assert_eq!(asked["result"]["resultType"], "input_required");
    assert_eq!(
        asked["result"]["inputRequests"]["answer"]["params"]["url"],
        "https://accounts.example.com/open?plan=demo"
    );
    let mut again = call;
    again["requestState"] = asked["result"]["requestState"].clone();
    again["inputResponses"] = json!({"answer": {"action": "accept"}});
    let done = server.request(3, "tools/call", &modern(again));
    assert_eq!(
        done["result"]["content"][0]["text"],
        "The user went to open an account."
    );
    server.end();
}

#[test]
fn a_changed_list_is_announced() {
    let mut server = Session::start();
    let opening = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    });
    server.request(1, "initialize", &opening);
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let before = server.request(2, "tools/list", &json!({}));
    server.send(&json!({
        "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "toggle_bonus", "arguments": {}},
    }));
    let mut seen = [server.receive(), server.receive()];
    seen.sort_by_key(|message| message.get("id").is_some()); // the two may come in either order
    assert_eq!(seen[0]["method"], "notifications/tools/list_changed");
    assert_eq!(
        seen[1]["result"]["content"][0]["text"],
        "`bonus` is there now."
    );
    let after = server.request(4, "tools/list", &json!({}));
    let count = |list: &Value| list["result"]["tools"].as_array().unwrap().len();
    assert_eq!(count(&after), count(&before) + 1);
    server.end();
}
