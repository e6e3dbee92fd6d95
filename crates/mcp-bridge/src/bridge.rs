//! The bridge: servers, their lists, and the catalog made of them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_bridge_artifact_store::ArtifactStore;
use mcp_bridge_connections::{self as connections, Connection, ListKind};
use mcp_bridge_permissions::KnownTool;
use mcp_bridge_server_config::ServerConfig;
use mcp_bridge_tool_names::NameProfile;
use mcp_bridge_tool_results::Options as ResultOptions;
use mcp_bridge_tool_schemas::{SchemaProfile, ValidatorCache};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::builder::{BridgeBuilder, OpenStream};
use crate::catalog::{Catalog, Plan, ServerLists, ServerState, Tool};
use crate::event::Event;
use crate::host::Host;
use crate::permission::PermissionPolicy;
use crate::refresh::Refresher;
use crate::server;
use crate::settings::Limits;
use crate::warning::Warning;

/// How many warnings are kept, and how many of one code from one server.
const MAX_WARNINGS: usize = 1_000;
const MAX_WARNINGS_OF_A_KIND: usize = 20;

/// Everything between MCP servers and a model. Clones share the bridge.
///
/// End it with [`shutdown`](Self::shutdown); when the last clone is dropped without, child processes are killed at once.
#[derive(Clone)]
pub struct Bridge(
    pub(crate) Arc<Inner>,
    #[expect(dead_code, reason = "its end is the end of the background tasks")] Arc<DropGuard>,
);

/// What all clones share. No lock in here is held across an await.
pub(crate) struct Inner {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) policy: Arc<dyn PermissionPolicy>,
    pub(crate) store: Arc<dyn ArtifactStore>,
    pub(crate) limits: Limits,
    pub(crate) results: ResultOptions,
    pub(crate) schema_profile: SchemaProfile,
    pub(crate) tool_names: NameProfile,
    pub(crate) command_names: NameProfile,
    pub(crate) resource_tools: bool,
    pub(crate) connection: connections::Options,
    pub(crate) validators: ValidatorCache,
    pub(crate) calls: Semaphore,
    /// One person is asked one thing at a time.
    pub(crate) approvals: Semaphore,
    pub(crate) servers: BTreeMap<Arc<str>, Server>,
    catalog: watch::Sender<Arc<Catalog>>,
    warnings: Mutex<Warnings>,
    publishing: Mutex<()>,
}

/// One configured server.
pub(crate) struct Server {
    pub(crate) config: ServerConfig,
    /// In place of the configured transport.
    pub(crate) stream: Option<OpenStream>,
    pub(crate) calls: Semaphore,
    pub(crate) refresher: Refresher,
    live: Mutex<Live>,
}

struct Live {
    connection: Option<Connection>,
    lists: ServerLists,
}

impl Server {
    pub(crate) fn new(id: &Arc<str>, config: ServerConfig, calls: usize) -> Self {
        let state = if config.disabled {
            ServerState::Disabled
        } else {
            ServerState::Pending
        };
        Self {
            config,
            stream: None,
            calls: Semaphore::new(calls),
            refresher: Refresher::default(),
            live: Mutex::new(Live {
                connection: None,
                lists: ServerLists::empty(Arc::clone(id), state),
            }),
        }
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn connection(&self) -> Option<Connection> {
        self.live().connection.clone()
    }

    pub(crate) fn lists(&self) -> ServerLists {
        self.live().lists.clone()
    }

    /// Puts a connection and its lists in place; gives back the connection that was there.
    pub(crate) fn replace(
        &self,
        connection: Option<Connection>,
        lists: ServerLists,
    ) -> Option<Connection> {
        let mut live = self.live();
        live.lists = lists;
        let old = std::mem::replace(&mut live.connection, connection);
        drop(live);
        self.refresher.wake();
        old
    }

    pub(crate) fn edit(&self, edit: impl FnOnce(&mut ServerLists)) {
        edit(&mut self.live().lists);
    }
}

#[derive(Default)]
struct Warnings {
    kept: Vec<Warning>,
    counts: HashMap<(String, Option<String>), usize>,
}

impl Warnings {
    /// Whether the warning is news: not told already, and not one of too many.
    fn keep(&mut self, warning: &Warning) -> bool {
        let key = (warning.code.clone(), warning.server_id.clone());
        let count = self.counts.entry(key).or_default();
        if *count >= MAX_WARNINGS_OF_A_KIND
            || self.kept.len() >= MAX_WARNINGS
            || self.kept.contains(warning)
        {
            return false;
        }
        *count += 1;
        self.kept.push(warning.clone());
        true
    }
}

impl Bridge {
    /// Starts to describe a bridge.
    pub fn builder() -> BridgeBuilder {
        BridgeBuilder::default()
    }

    pub(crate) async fn start(inner: Inner, warnings: Vec<Warning>) -> Self {
        let inner = Arc::new(inner);
        for warning in warnings {
            inner.warn(warning);
        }
        let mut starts = Vec::new();
        for (id, server) in &inner.servers {
            if !server.config.disabled {
                starts.push(server::start(&inner, id));
            }
        }
        futures_util::future::join_all(starts).await;
        inner.publish();
        inner.report_useless_rules();
        let end = CancellationToken::new();
        for id in inner.servers.keys() {
            let follow = crate::refresh::run(Arc::clone(&inner), Arc::clone(id), end.clone());
            tokio::spawn(follow);
        }
        Self(inner, Arc::new(end.drop_guard()))
    }

    /// What all servers offer right now. Never waits.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.0.catalog()
    }

    /// Follows the catalog: the receiver sees each new snapshot.
    pub fn catalog_changes(&self) -> watch::Receiver<Arc<Catalog>> {
        self.0.catalog.subscribe()
    }

    /// What went wrong so far without stopping anything, oldest first. At most 20 of one code from one server are kept.
    pub fn warnings(&self) -> Vec<Warning> {
        self.0.warnings().kept.clone()
    }

    /// The store of what was too big or too binary for a conversation.
    pub fn artifacts(&self) -> Arc<dyn ArtifactStore> {
        Arc::clone(&self.0.store)
    }

    /// Connects one server anew, ending its old connection first, and reads its lists again.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unknown`](crate::ErrorKind::Unknown) for a server that is not configured,
    /// [`ErrorKind::ServerDown`](crate::ErrorKind::ServerDown) with the reason if it does not come back.
    pub async fn reconnect(&self, server_id: &str) -> Result<(), crate::Error> {
        let (id, _) = self.0.server(server_id)?;
        server::end(&self.0, &id).await;
        server::start(&self.0, &id).await;
        self.0.publish();
        match self.0.server(server_id)?.1.lists().state {
            ServerState::Connected => Ok(()),
            other => Err(crate::error::down(server_id, &other)),
        }
    }

    /// Ends all servers in order, each with everything it started. A second call does nothing.
    pub async fn shutdown(&self) {
        let ends = self.0.servers.keys().map(|id| server::end(&self.0, id));
        futures_util::future::join_all(ends).await;
    }
}

impl fmt::Debug for Bridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers: Vec<_> = self.0.servers.keys().collect();
        f.debug_struct("Bridge")
            .field("servers", &servers)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").finish_non_exhaustive()
    }
}

impl Inner {
    pub(crate) fn new(builder: BridgeBuilder) -> (Self, Vec<Warning>) {
        let BridgeBuilder {
            host,
            permissions,
            store,
            limits,
            results,
            schema_profile,
            names,
            reserved,
            resource_tools,
            mut connection,
            servers,
            mut streams,
            mut warnings,
        } = builder;
        let policy = permissions.into_policy(&servers, &mut warnings);
        let modes = host.elicitation();
        // Its calls, and room for lists and resources beside them.
        let at_once = limits.calls_per_server.saturating_add(16);
        connection.limits.max_requests = connection.limits.max_requests.max(at_once);
        connection.capabilities = connections::Capabilities::default()
            .with_elicitation(modes.form, modes.url)
            .with_roots(host.has_roots());
        let servers = servers
            .into_iter()
            .map(|(id, config)| {
                let id: Arc<str> = id.into();
                let mut server = Server::new(&id, config, limits.calls_per_server.max(1));
                server.stream = streams.remove(&*id);
                (id, server)
            })
            .collect();
        let builtin = crate::resources::TOOLS.iter().map(|tool| tool.name);
        let tool_names = names
            .clone()
            .with_reserved(builtin.chain(reserved.iter().map(|n| &**n)));
        let command_names = names.with_reserved(reserved.iter().map(|n| &**n));
        let empty = Plan {
            tool_names: &tool_names,
            command_names: &command_names,
            instructions: &limits.instructions,
            resource_tools,
        };
        let (catalog, _) = Catalog::build(&[], &empty, |_| false);
        let inner = Self {
            host,
            policy,
            store,
            calls: Semaphore::new(limits.calls.max(1)),
            approvals: Semaphore::new(1),
            limits,
            results,
            schema_profile,
            tool_names,
            command_names,
            resource_tools,
            connection,
            validators: ValidatorCache::default(),
            servers,
            catalog: watch::Sender::new(Arc::new(catalog)),
            warnings: Mutex::default(),
            publishing: Mutex::default(),
        };
        (inner, warnings)
    }

    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.borrow())
    }

    fn warnings(&self) -> MutexGuard<'_, Warnings> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn warn(&self, warning: Warning) {
        if self.warnings().keep(&warning) {
            tracing::warn!(
                code = warning.code,
                server = warning.server_id,
                "{}",
                warning.message
            );
            self.host.event(&Event::Warning(warning));
        }
    }

    /// Finds a configured server.
    pub(crate) fn server(&self, id: &str) -> Result<(Arc<str>, &Server), crate::Error> {
        match self.servers.get_key_value(id) {
            Some((id, server)) => Ok((Arc::clone(id), server)),
            None => {
                let known: Vec<String> = self.servers.keys().map(|id| format!("`{id}`")).collect();
                let text = match known.as_slice() {
                    [] => format!("there is no server {id:?}; none is configured"),
                    known => format!("there is no server {id:?}; known are {}", known.join(", ")),
                };
                Err(crate::Error::new(crate::ErrorKind::Unknown, text))
            }
        }
    }

    pub(crate) fn list_changed(&self, id: &str, kind: ListKind) {
        if let Some(server) = self.servers.get(id) {
            server.refresher.mark(kind);
        }
    }

    pub(crate) fn set_state(&self, id: &Arc<str>, state: ServerState) {
        if let Some(server) = self.servers.get(id) {
            server.edit(|lists| lists.state = state.clone());
            self.host.event(&Event::ServerState {
                server_id: Arc::clone(id),
                state,
            });
        }
    }

    /// Builds a new snapshot of everything and puts it in the place of the old one.
    pub(crate) fn publish(&self) {
        // Two refreshes at once must not overtake each other between reading and publishing.
        let publishing = self
            .publishing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let lists: Vec<ServerLists> = self.servers.values().map(Server::lists).collect();
        let plan = Plan {
            tool_names: &self.tool_names,
            command_names: &self.command_names,
            instructions: &self.limits.instructions,
            resource_tools: self.resource_tools,
        };
        let (catalog, warnings) = Catalog::build(&lists, &plan, |tool| self.hides(tool));
        let catalog = Arc::new(catalog);
        self.catalog.send_replace(Arc::clone(&catalog));
        drop(publishing);
        for warning in warnings {
            self.warn(warning);
        }
        self.host.event(&Event::CatalogChanged(catalog));
    }

    fn hides(&self, tool: &Tool) -> bool {
        let Some(server_id) = tool.server_id() else {
            return self
                .policy
                .hides(&KnownTool::new("", tool.name(), tool.name()));
        };
        let offered = self
            .servers
            .get(server_id)
            .is_some_and(|server| server.config.offers(tool.remote_name()));
        !offered || !tool.is_for_model() || self.policy.hides(&known(server_id, tool))
    }

    fn report_useless_rules(&self) {
        let lists: Vec<ServerLists> = self.servers.values().map(Server::lists).collect();
        let plan = Plan {
            tool_names: &self.tool_names,
            command_names: &self.command_names,
            instructions: &self.limits.instructions,
            resource_tools: self.resource_tools,
        };
        // A rule that hides a tool is not useless, so all tools count here.
        let (all, _) = Catalog::build(&lists, &plan, |_| false);
        let tools: Vec<_> = all
            .tools()
            .iter()
            .map(|tool| known(tool.server_id().unwrap_or_default(), tool))
            .collect();
        for (code, message) in self.policy.diagnostics(&tools) {
            self.warn(Warning::new(code, None, &message));
        }
    }
}

fn known<'a>(server_id: &'a str, tool: &'a Tool) -> KnownTool<'a> {
    KnownTool::new(server_id, tool.remote_name(), tool.name()).with_base_name(&tool.base_name)
}
