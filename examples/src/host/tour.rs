//! The guided tour.
//!
//! With the demo server every kind of result is shown. With any other server the tour only looks around: it calls at most
//! one tool, one that needs no arguments and that the permissions let run.

use std::time::Duration;

use mcp_bridge::{Bridge, Command, CommandKind, Error, Outcome, OutcomeKind};
use serde_json::{Value, json};

use crate::host::listing;
use crate::host::screen::Screen;

/// How much of a text is shown before the rest is only counted.
const SHOWN_LINES: usize = 8;
/// How long a server's word that its list changed may take to reach the catalog.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Tour<'a> {
    pub(crate) bridge: &'a Bridge,
    pub(crate) screen: &'a Screen,
}

impl Tour<'_> {
    /// One of everything, on the demo server.
    pub(crate) async fn demo(self) {
        let screen = self.screen;
        listing::print(self.bridge, screen);

        screen.title("A tool call: what the model reads");
        self.call("mcp__demo__echo", json!({"text": "Hello from the host."}))
            .await;

        screen.title("Structured content, checked against the tool's output schema");
        self.call("mcp__demo__weather", json!({"city": "Porto"}))
            .await;

        screen.title("An image: described to the model, its bytes in a private file");
        self.call("mcp__demo__picture", json!({})).await;

        screen.title("200 KB of text: a preview for the model, the whole in a private file");
        self.call("mcp__demo__long_text", json!({})).await;

        screen.title("A tool that fails: an answer like any other, so that the model can react");
        self.call("mcp__demo__fail", json!({})).await;

        screen.title("A misspelt name: near misses are named");
        self.call("mcp__demo__ecko", json!({"text": "?"})).await;

        screen.title("Arguments that break the schema: the server is not bothered");
        self.call("mcp__demo__weather", json!({"city": 7})).await;

        screen.title("Permission: a tool that writes is asked about");
        self.call(
            "mcp__demo__write_note",
            json!({"name": "tour", "text": "written on the tour"}),
        )
        .await;
        self.call("mcp__demo__delete_note", json!({"name": "welcome"}))
            .await;

        screen.title("Progress of long work");
        self.call("mcp__demo__slow", json!({})).await;

        screen.title("A question of the server to the user");
        self.call("mcp__demo__book_table", json!({})).await;

        screen.title("A prompt as a command");
        self.run("/mcp__demo__review title=Plan text=\"Ship it on Friday\" tone=kind")
            .await;

        screen.title(
            "A skill as a command: the shell syntax of a hostile one is text, and nothing runs",
        );
        self.run("$demo:tidy-up the attic").await;

        screen.title("A resource");
        self.read("demo", "demo://guide").await;

        screen.title("A list that changes");
        self.changing_list().await;
    }

    /// A careful look at servers that nobody here knows.
    pub(crate) async fn look_around(self) {
        let screen = self.screen;
        listing::print(self.bridge, screen);
        let catalog = self.bridge.catalog();

        let harmless = catalog.tools().iter().find(|tool| {
            let required = tool
                .input_schema()
                .get("required")
                .and_then(Value::as_array);
            tool.server_id().is_some()
                && tool.hints().read_only()
                && required.is_none_or(|names| names.is_empty())
        });
        if let Some(tool) = harmless {
            screen.title("A tool that only reads and needs no arguments");
            self.call(tool.name(), json!({})).await;
        }
        let bare = |kind: CommandKind| {
            let fits = move |command: &&Command| {
                command.kind() == kind
                    && command
                        .arguments()
                        .iter()
                        .all(|argument| !argument.required)
            };
            catalog.commands().iter().find(fits)
        };
        if let Some(prompt) = bare(CommandKind::Prompt) {
            screen.title("A prompt that needs no arguments");
            self.run(&prompt.typed()).await;
        }
        if let Some(skill) = bare(CommandKind::Skill) {
            screen.title("A skill");
            self.run(&skill.typed()).await;
        }
        if let Some(resource) = catalog.resources().first() {
            screen.title("A resource");
            self.read(&resource.server_id, &resource.uri).await;
        }
    }

    async fn call(self, name: &str, arguments: Value) {
        self.screen.line(&format!("> {name} {arguments}"));
        let outcome = self.bridge.call(name, arguments).await;
        self.screen.end_progress();
        self.told(outcome);
    }

    async fn run(self, line: &str) {
        self.screen.line(&format!("> {line}"));
        match self.bridge.run_command(line).await {
            Ok(outcome) => self.screen.quote(&outcome.text(), SHOWN_LINES),
            Err(error) => self.failed(&error),
        }
    }

    async fn read(self, server_id: &str, uri: &str) {
        self.screen.line(&format!("> {server_id} {uri}"));
        self.told(self.bridge.read_resource(server_id, uri).await);
    }

    /// The server adds a tool and says so; the catalog follows by itself.
    async fn changing_list(self) {
        let mut changes = self.bridge.catalog_changes();
        let has_bonus = || self.bridge.catalog().tool("mcp__demo__bonus").is_ok();
        self.call("mcp__demo__toggle_bonus", json!({})).await;
        let seen = tokio::time::timeout(CHANGE_TIMEOUT, async {
            while !has_bonus() && changes.changed().await.is_ok() {}
        });
        let line = match seen.await {
            Ok(()) => "  the catalog has a new tool: mcp__demo__bonus",
            Err(_) => "  the catalog did not change",
        };
        self.screen.line(line);
        self.call("mcp__demo__bonus", json!({})).await;
    }

    fn told(self, outcome: Result<Outcome, Error>) {
        match outcome {
            Ok(outcome) => self.show(&outcome),
            Err(error) => self.failed(&error),
        }
    }

    fn failed(self, error: &Error) {
        self.screen.quote(&error.to_string(), SHOWN_LINES);
    }

    fn show(self, outcome: &Outcome) {
        let how = match outcome.kind() {
            OutcomeKind::ToolError => Some("  the tool reports an error:"),
            OutcomeKind::Refused => Some("  refused, and the model is told:"),
            OutcomeKind::InvalidArguments => Some("  not sent, and the model is told:"),
            _ => None,
        };
        if let Some(how) = how {
            self.screen.line(how);
        }
        self.screen.quote(outcome.text(), SHOWN_LINES);
        for artifact in outcome.artifacts() {
            if let Some(path) = &artifact.path {
                let (kind, size) = (&artifact.mime_type, artifact.size);
                self.screen
                    .line(&format!("  kept: {kind}, {size} bytes, {}", path.display()));
            }
        }
    }
}
