//! What a server asks of its host, and tells it.
#![expect(
    deprecated,
    reason = "servers of the initialize era ask for roots and log; the protocol keeps both until 2027"
)]

use std::sync::Arc;

use async_trait::async_trait;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CustomRequest, CustomResult, ElicitationCapability,
    ErrorCode, ErrorData, FormElicitationCapability, Implementation, ProtocolVersion,
    UrlElicitationCapability,
};
use rmcp::model::{ListRootsResult, Root as RmcpRoot, RootsCapabilities};
use rmcp::service::RequestContext;
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::lists::ListKind;
use crate::options::Options;
use crate::wire::Problem;

/// A question of a server to a person.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Elicitation {
    /// The host's key for the server that asks.
    pub server_id: String,
    /// The parameters of `elicitation/create` as they came: `message`, `mode`, `requestedSchema`, `url` … Untrusted.
    pub params: Value,
}

/// What came of a question: the result of
/// [`elicitation/create`](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ElicitationAnswer {
    /// Yes; with the content of a form.
    Accept(Option<Value>),
    /// No.
    Decline,
    /// No answer.
    Cancel,
}

impl ElicitationAnswer {
    fn to_json(&self) -> Value {
        match self {
            Self::Accept(Some(content)) => json!({"action": "accept", "content": content}),
            Self::Accept(None) => json!({"action": "accept"}),
            Self::Decline => json!({"action": "decline"}),
            Self::Cancel => json!({"action": "cancel"}),
        }
    }
}

/// A folder that a server may know of.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Root {
    /// A `file://` URI.
    pub uri: String,
    /// A name for people.
    pub name: Option<String>,
}

impl Root {
    /// A root by its `file://` URI.
    pub fn new(uri: impl Into<String>, name: Option<String>) -> Self {
        Self {
            uri: uri.into(),
            name,
        }
    }
}

/// Something a server said without being asked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A list is no longer what it was.
    ListChanged(ListKind),
    /// A resource that was subscribed to changed.
    ResourceUpdated {
        /// The resource.
        uri: String,
    },
    /// It logged something. Untrusted text.
    Log {
        /// The level of RFC 5424.
        level: String,
        /// Who logged.
        logger: Option<String>,
        /// What.
        data: Value,
    },
    /// A question by URL was completed elsewhere (2025-11-25).
    ElicitationComplete {
        /// Its id.
        elicitation_id: String,
    },
    /// Something came in and could not be used.
    Problem(Problem),
}

impl Event {
    /// Reads a notification; `None` for one that is no event.
    pub(crate) fn read(method: &str, params: &Value) -> Option<Self> {
        let text = |key: &str| params.get(key).and_then(Value::as_str).map(str::to_owned);
        match method {
            "notifications/tools/list_changed" => Some(Self::ListChanged(ListKind::Tools)),
            "notifications/prompts/list_changed" => Some(Self::ListChanged(ListKind::Prompts)),
            "notifications/resources/list_changed" => Some(Self::ListChanged(ListKind::Resources)),
            "notifications/resources/updated" => {
                text("uri").map(|uri| Self::ResourceUpdated { uri })
            }
            "notifications/message" => Some(Self::Log {
                level: text("level").unwrap_or_else(|| "info".to_owned()),
                logger: text("logger"),
                data: params.get("data").cloned().unwrap_or(Value::Null),
            }),
            "notifications/elicitation/complete" => text("elicitationId")
                .map(|elicitation_id| Self::ElicitationComplete { elicitation_id }),
            _ => None,
        }
    }
}

/// Answers servers. Every default is safe: no answer, no roots, nothing remembered.
#[async_trait]
pub trait Handler: Send + Sync {
    /// Puts a question to a person. Dropped when the question is withdrawn.
    async fn elicit(&self, _question: Elicitation) -> ElicitationAnswer {
        ElicitationAnswer::Cancel
    }

    /// The folders that the server may know of.
    async fn roots(&self) -> Vec<Root> {
        Vec::new()
    }

    /// Is told of an event, in order; must return at once.
    fn event(&self, _event: Event) {}
}

/// A handler that answers nothing.
#[async_trait]
impl Handler for () {}

/// Counts questions that a person is looking at, so that no clock runs meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct Asking(Arc<watch::Sender<usize>>);

impl Default for Asking {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

impl Asking {
    pub(crate) fn start(&self) -> AskingGuard {
        self.0.send_modify(|count| *count += 1);
        AskingGuard(self.clone())
    }

    pub(crate) fn is_asking(&self) -> bool {
        *self.0.borrow() > 0
    }

    /// Waits until nobody is being asked.
    pub(crate) async fn done(&self) {
        let mut count = self.0.subscribe();
        // The sender lives in `self`.
        let _ = count.wait_for(|count| *count == 0).await;
    }
}

pub(crate) struct AskingGuard(Asking);

impl Drop for AskingGuard {
    fn drop(&mut self) {
        self.0
            .0
            .send_modify(|count| *count = count.saturating_sub(1));
    }
}

/// Puts questions to the host, one at a time for each connection.
#[derive(Clone)]
pub(crate) struct Questions {
    pub(crate) server_id: Arc<str>,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) form: bool,
    pub(crate) url: bool,
    pub(crate) asking: Asking,
    pub(crate) turn: Arc<tokio::sync::Semaphore>,
}

impl Questions {
    /// Asks, and gives the result of `elicitation/create`; `None` where the host never offered to answer such questions.
    pub(crate) async fn ask(&self, params: Value) -> Option<Value> {
        let offered = match params.get("mode").and_then(Value::as_str) {
            None | Some("form") => self.form,
            Some("url") => self.url,
            Some(_) => false,
        };
        if !offered {
            return None;
        }
        let _asking = self.asking.start();
        // The semaphore is never closed.
        let _turn = self.turn.acquire().await;
        let question = Elicitation {
            server_id: self.server_id.to_string(),
            params,
        };
        Some(self.handler.elicit(question).await.to_json())
    }
}

/// rmcp's view of the host.
pub(crate) struct Client {
    pub(crate) config: ClientConfig,
    pub(crate) questions: Questions,
}

impl Client {
    pub(crate) fn new(options: &Options, questions: Questions) -> Self {
        let offered = &options.capabilities;
        let mut capabilities = ClientCapabilities::default();
        if offered.elicitation_form || offered.elicitation_url {
            let mut elicitation = ElicitationCapability::default();
            elicitation.form = offered
                .elicitation_form
                .then(FormElicitationCapability::default);
            elicitation.url = offered
                .elicitation_url
                .then(UrlElicitationCapability::default);
            capabilities.elicitation = Some(elicitation);
        }
        if offered.roots {
            capabilities.roots = Some(RootsCapabilities::default());
        }
        let mut config = ClientConfig::default();
        config.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        config.capabilities = capabilities;
        config.client_info =
            Implementation::new(options.client_name.clone(), options.client_version.clone());
        Self { config, questions }
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }
    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        if self.config.capabilities.roots.is_none() {
            let text = "this host has no roots";
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None));
        }
        let roots = self.questions.handler.roots().await;
        let roots = roots.into_iter().map(|root| {
            let mut told = RmcpRoot::new(root.uri);
            told.name = root.name;
            told
        });
        Ok(ListRootsResult::new(roots.collect()))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != "elicitation/create" {
            let text = format!("this host does not answer {:?}", request.method);
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None));
        }
        let params = request.params.unwrap_or(Value::Null);
        let answer = tokio::select! {
            answer = self.questions.ask(params) => answer,
            () = context.ct.cancelled() => Some(ElicitationAnswer::Cancel.to_json()),
        };
        answer.map(CustomResult).ok_or_else(|| {
            let text = "this host did not declare that kind of elicitation";
            ErrorData::new(ErrorCode::INVALID_PARAMS, text, None)
        })
    }
}
