//! What the end-to-end tests share.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use mcp_bridge::elicitation::{self, Modes, Question};
use mcp_bridge::permissions::{Answer, AnswerKind, Mode, Rules};
use mcp_bridge::{ApprovalRequest, Bridge, BridgeBuilder, Event, Host, ServerConfig, ServerState};
use mcp_bridge_tests::script::Script;
use serde_json::json;
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

/// The well-behaved scripted server, as a program of its own.
pub(crate) fn good() -> ServerConfig {
    ServerConfig::stdio(env!("CARGO_BIN_EXE_scripted-server"))
}

/// A shell script as a server.
pub(crate) fn shell(script: &str) -> ServerConfig {
    ServerConfig::stdio("/bin/sh")
        .args(["-c", script])
        .with_startup_timeout(Duration::from_secs(2))
}

/// A builder that lets every call through, and has the good server beside whatever is added.
pub(crate) fn builder() -> BridgeBuilder {
    Bridge::builder()
        .permissions(Rules::new(), Mode::BypassPermissions)
        .server("good", good())
}

/// Opens a scripted server in this process.
pub(crate) fn pipe(
    script: Script,
) -> impl Fn() -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) + Send + Sync {
    move || {
        let (client, server) = tokio::io::duplex(1 << 16);
        tokio::spawn(script.clone().serve(server));
        tokio::io::split(client)
    }
}

/// A builder with one scripted server in this process, `s`, that lets every call through.
pub(crate) fn scripted(script: Script) -> BridgeBuilder {
    Bridge::builder()
        .permissions(Rules::new(), Mode::BypassPermissions)
        .stream_server("s", ServerConfig::stdio("s"), pipe(script))
}

/// Whether the good server does its work: what goes wrong elsewhere is no concern of its.
pub(crate) async fn assert_good_works(bridge: &Bridge) {
    let outcome = bridge
        .call("mcp__good__echo", json!({"text": "still here"}))
        .await
        .unwrap();
    assert_eq!((outcome.text(), outcome.is_error()), ("still here", false));
}

/// Why a server is not connected, and the codes of the warnings about it.
pub(crate) fn failure(bridge: &Bridge, server: &str) -> (String, Vec<String>) {
    let catalog = bridge.catalog();
    let reason = match &catalog.server(server).unwrap().state {
        ServerState::Failed(reason) | ServerState::NeedsAuth(reason) => reason.clone(),
        other => panic!("{server} is {other:?}"),
    };
    let warnings = bridge.warnings();
    let about = warnings
        .iter()
        .filter(|warning| warning.server_id.as_deref() == Some(server));
    (reason, about.map(|warning| warning.code.clone()).collect())
}

/// The processes whose environment holds `mark`.
pub(crate) fn alive(mark: &str) -> usize {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return 0;
    };
    processes
        .filter_map(|process| std::fs::read(process.ok()?.path().join("environ")).ok())
        .filter(|environ| {
            environ
                .windows(mark.len())
                .any(|window| window == mark.as_bytes())
        })
        .count()
}

/// A host with ready answers that remembers what it was asked and told.
#[derive(Clone, Default)]
pub(crate) struct Person {
    pub(crate) approval: Option<AnswerKind>,
    pub(crate) answer: Option<elicitation::Answer>,
    pub(crate) asked: Arc<Mutex<Vec<ApprovalRequest>>>,
    pub(crate) questions: Arc<Mutex<Vec<String>>>,
    pub(crate) events: Arc<Mutex<Vec<Event>>>,
}

impl Person {
    pub(crate) fn asked(&self) -> Vec<ApprovalRequest> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        self.events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[async_trait]
impl Host for Person {
    async fn approve(&self, request: &ApprovalRequest) -> Option<Answer> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request.clone());
        self.approval.map(Answer::new)
    }

    fn elicitation(&self) -> Modes {
        match self.answer {
            Some(_) => Modes::all(),
            None => Modes::default(),
        }
    }

    async fn elicit(&self, server_id: &str, question: &Question) -> elicitation::Answer {
        let line = format!("{server_id}: {}", question.message());
        self.questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line);
        self.answer.clone().unwrap_or(elicitation::Answer::Cancel)
    }

    fn event(&self, event: &Event) {
        self.events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(event.clone());
    }
}
