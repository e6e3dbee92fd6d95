//! The demo server.
//!
//! It speaks both eras of the protocol, `initialize` up to 2025-11-25 and `server/discover` from 2026-07-28 on. Its only
//! state is a few notes in memory and whether the tool `bonus` is there.

use std::collections::BTreeMap;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    SubscriptionFilter, Tool,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use tokio::net::TcpListener;
use tokio::sync::watch;

mod library;
mod questions;
mod tools;

/// What went wrong while serving.
pub type BoxError = Box<dyn Error + Send + Sync>;

const INSTRUCTIONS: &str = "\
A demo server with one tool for each kind of result.
Call `write_note` before `delete_note`: only a note that exists can be deleted.
`toggle_bonus` adds or removes the tool `bonus`; list the tools again afterwards.";

/// The demo server; clones share their state.
#[derive(Clone, Debug)]
pub struct Demo {
    state: Arc<Mutex<State>>,
    tool_changes: Arc<watch::Sender<()>>,
}

#[derive(Debug, Default)]
struct State {
    notes: BTreeMap<String, String>,
    bonus: bool,
}

impl Default for Demo {
    fn default() -> Self {
        Self::new()
    }
}

impl Demo {
    /// A server with one note, `welcome`.
    pub fn new() -> Self {
        let mut state = State::default();
        state
            .notes
            .insert("welcome".into(), "Notes live until the server ends.".into());
        Self {
            state: Arc::new(Mutex::new(state)),
            tool_changes: Arc::new(watch::Sender::new(())),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn toggle_bonus(&self) -> bool {
        let mut state = self.state();
        state.bonus = !state.bonus;
        self.tool_changes.send_replace(());
        state.bonus
    }
}

/// Serves one client on stdin and stdout, until it closes the connection.
///
/// # Errors
///
/// When the client's first message is no valid opening.
pub async fn serve_stdio() -> Result<(), BoxError> {
    say("demo server: serving on stdin and stdout");
    let service = Demo::new().serve(rmcp::transport::stdio()).await?;
    service.waiting().await?;
    Ok(())
}

/// Serves any number of clients over Streamable HTTP on `addr`; port 0 takes a free one. Prints the URL on stderr.
///
/// # Errors
///
/// When `addr` cannot be bound.
pub async fn serve_http(addr: SocketAddr) -> Result<(), BoxError> {
    let server = HttpServer::bind(addr).await?;
    say(&format!("demo server: serving on {}", server.url()));
    server.run().await
}

/// The demo server on a bound HTTP address.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    addr: SocketAddr,
}

impl HttpServer {
    /// Binds `addr`; clients that connect from now on wait for [`run`](Self::run).
    ///
    /// # Errors
    ///
    /// When `addr` cannot be bound.
    pub async fn bind(addr: SocketAddr) -> Result<Self, BoxError> {
        let listener = TcpListener::bind(addr).await?;
        let addr = listener.local_addr()?;
        Ok(Self { listener, addr })
    }

    /// Where clients reach the server.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.addr)
    }

    /// Serves until the future is dropped.
    ///
    /// # Errors
    ///
    /// When the listening socket fails.
    pub async fn run(self) -> Result<(), BoxError> {
        let demo = Demo::new();
        let service = StreamableHttpService::new(
            move || Ok(demo.clone()),
            Arc::new(LocalSessionManager::default()),
            StreamableHttpServerConfig::default(),
        );
        let router = axum::Router::new().nest_service("/mcp", service);
        axum::serve(self.listener, router).await?;
        Ok(())
    }
}

#[expect(clippy::print_stderr, reason = "stderr is where a stdio server logs")]
fn say(line: &str) {
    eprintln!("{line}");
}

impl ServerHandler for Demo {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(
                "demo-server",
                env!("CARGO_PKG_VERSION"),
            ))
            .with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut changes = self.tool_changes.subscribe();
        let peer = context.peer.clone();
        tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                if peer.notify_tool_list_changed().await.is_err() {
                    break;
                }
            }
        });
        self.negotiate_initialize(&request)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.tool_changes.subscribe();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => {
                    if changed.is_err() || context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let bonus = self.state().bonus;
        Ok(ListToolsResult::with_all_items(tools::list(bonus)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let bonus = self.state().bonus;
        tools::list(bonus)
            .into_iter()
            .find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        tools::call(self, request, &context).await
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(library::prompts()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        Ok(library::prompt(&request.name, &arguments)?.into())
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(library::resources()))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(
            library::templates(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(library::read(&request.uri, &self.state().notes)?.into())
    }
}
