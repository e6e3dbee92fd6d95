//! Describing a bridge.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use mcp_bridge_artifact_store::{ArtifactStore, FileStore, MemoryStore, SessionDir, StoreOptions};
use mcp_bridge_connections as connections;
use mcp_bridge_permissions::{Engine, List, Mode, Rules, Source};
use mcp_bridge_server_config::{Loaded, ServerConfig, Transport, Trust};
use mcp_bridge_tool_names::NameProfile;
use mcp_bridge_tool_results::Options as ResultOptions;
use mcp_bridge_tool_schemas::SchemaProfile;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::bridge::{Bridge, Inner};
use crate::host::Host;
use crate::permission::{EnginePolicy, PermissionPolicy};
use crate::settings::Limits;
use crate::warning::Warning;

/// Describes a [`Bridge`]; see [`Bridge::builder`].
///
/// Without further words a bridge keeps artifacts in memory, asks nobody, refuses what would have to be asked, and
/// answers no question.
#[must_use = "nothing happens before `start`"]
pub struct BridgeBuilder {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) permissions: Permissions,
    pub(crate) store: Arc<dyn ArtifactStore>,
    pub(crate) limits: Limits,
    pub(crate) results: ResultOptions,
    pub(crate) schema_profile: SchemaProfile,
    pub(crate) names: NameProfile,
    pub(crate) reserved: Vec<String>,
    pub(crate) resource_tools: bool,
    pub(crate) connection: connections::Options,
    pub(crate) servers: BTreeMap<String, ServerConfig>,
    pub(crate) streams: BTreeMap<String, OpenStream>,
    pub(crate) warnings: Vec<Warning>,
}

/// A pair of byte streams to a server.
pub(crate) type Streams = (
    Box<dyn AsyncRead + Send + Unpin>,
    Box<dyn AsyncWrite + Send + Unpin>,
);
/// Opens a server of the embedder's own anew.
pub(crate) type OpenStream = Arc<dyn Fn() -> Streams + Send + Sync>;

/// Who decides.
pub(crate) enum Permissions {
    Engine(Rules, Mode),
    Own(Arc<dyn PermissionPolicy>),
}

impl Permissions {
    /// The policy, with what the servers' configurations allow; a configuration that nobody trusts allows nothing.
    pub(crate) fn into_policy(
        self,
        servers: &BTreeMap<String, ServerConfig>,
        warnings: &mut Vec<Warning>,
    ) -> Arc<dyn PermissionPolicy> {
        let (mut rules, mode) = match self {
            Self::Engine(rules, mode) => (rules, mode),
            Self::Own(policy) => return policy,
        };
        for (id, config) in servers
            .iter()
            .filter(|(_, config)| !config.always_allow.is_empty())
        {
            if config.trust == Trust::Trusted {
                for tool in &config.always_allow {
                    rules = rules.with(List::Allow, Source::UserSettings, format!("{id}:{tool}"));
                }
            } else {
                let text = "its list of tools that may run unasked is not followed, since nobody vouches for its configuration";
                warnings.push(Warning::new("always_allow_ignored", Some(id), text));
            }
        }
        Arc::new(EnginePolicy::new(Engine::new(rules, mode)))
    }
}

impl Default for BridgeBuilder {
    fn default() -> Self {
        Self {
            host: Arc::new(()),
            permissions: Permissions::Engine(Rules::new(), Mode::Default),
            store: Arc::new(MemoryStore::default()),
            limits: Limits::default(),
            results: ResultOptions::default(),
            schema_profile: SchemaProfile::default(),
            names: NameProfile::default(),
            reserved: Vec::new(),
            resource_tools: true,
            connection: connections::Options::default(),
            servers: BTreeMap::new(),
            streams: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }
}

impl BridgeBuilder {
    /// Adds a server that the embedding program names itself: its read-only hints are trusted.
    ///
    /// `id` is the host's key for it; a second server of the same id takes the place of the first.
    pub fn server(self, id: impl Into<String>, config: ServerConfig) -> Self {
        self.configured_server(id, config.with_trust(Trust::Trusted))
    }

    /// Adds a server as a configuration file describes it, with the trust that the configuration gives it: none by default.
    pub fn configured_server(mut self, id: impl Into<String>, config: ServerConfig) -> Self {
        let id = id.into();
        self.streams.remove(&id);
        for (option, is_given) in unsupported(&config) {
            if is_given {
                let text = format!("`{option}` is configured and not followed by this version");
                self.warnings
                    .push(Warning::new("unsupported_option", Some(&id), &text));
            }
        }
        if self.servers.insert(id.clone(), config).is_some() {
            let text = "the server is configured twice; the last configuration counts";
            self.warnings
                .push(Warning::new("duplicate_config", Some(&id), text));
        }
        self
    }

    /// Adds the servers of a configuration file, with its warnings; see [`load_file`](crate::server_config::load_file).
    pub fn configured_servers(mut self, loaded: Loaded) -> Self {
        for warning in loaded.warnings {
            let server = warning.server.as_deref();
            let text = warning.to_string();
            self = self.warning(Warning::new(warning.code, server, &text));
        }
        for entry in loaded.servers {
            self = self.configured_server(entry.name, entry.config);
        }
        self
    }

    /// Adds a server behind byte streams of the embedder's own, e.g. one that runs in the same process.
    ///
    /// `open` makes a new pair, what the server writes first, each time the server is connected; messages are lines of
    /// JSON, as over stdio. `config` gives everything but the way to the server.
    pub fn stream_server<R, W>(
        self,
        id: impl Into<String>,
        config: ServerConfig,
        open: impl Fn() -> (R, W) + Send + Sync + 'static,
    ) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let id = id.into();
        let mut builder = self.server(id.clone(), config);
        let open = move || -> Streams {
            let (read, write) = open();
            (Box::new(read), Box::new(write))
        };
        builder.streams.insert(id, Arc::new(open));
        builder
    }

    /// Keeps artifacts as private files of this session.
    ///
    /// If the folder cannot be used, artifacts stay in memory and the bridge starts with the warning `session_failed`.
    pub fn session(mut self, session: SessionDir) -> Self {
        match FileStore::open(&session, StoreOptions::default()) {
            Ok(store) => self.store = Arc::new(store),
            Err(error) => {
                let text = format!(
                    "artifacts stay in memory, since the session's folder cannot be used: {error}"
                );
                self.warnings
                    .push(Warning::new("session_failed", None, &text));
            }
        }
        self
    }

    /// Keeps artifacts in a store of the host's own. Default: in memory.
    pub fn artifact_store(mut self, store: impl ArtifactStore + 'static) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Sets the program that is asked and told. Default: it answers nothing.
    pub fn host(mut self, host: impl Host + 'static) -> Self {
        self.host = Arc::new(host);
        self
    }

    /// Sets the rules and the mode by which calls are allowed. Default: no rules, [`Mode::Default`].
    ///
    /// A server's [`always_allow`](ServerConfig::always_allow) adds allow rules, where its configuration is trusted.
    pub fn permissions(mut self, rules: Rules, mode: Mode) -> Self {
        self.permissions = Permissions::Engine(rules, mode);
        self
    }

    /// Puts a permission system of the host's own in the place of rules and modes.
    pub fn permission_policy(mut self, policy: impl PermissionPolicy + 'static) -> Self {
        self.permissions = Permissions::Own(Arc::new(policy));
        self
    }

    /// Sets the numbers.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how results are told.
    pub fn results(mut self, options: ResultOptions) -> Self {
        self.results = options;
        self
    }

    /// Sets what the model API accepts as an input schema. Default: any object schema.
    pub fn schema_profile(mut self, profile: SchemaProfile) -> Self {
        self.schema_profile = profile;
        self
    }

    /// Sets what the model API accepts as a tool name. Default: 64 bytes of letters, digits and `_`.
    pub fn name_profile(mut self, profile: NameProfile) -> Self {
        self.names = profile;
        self
    }

    /// Names of the host's own tools and commands, which no server can take.
    pub fn reserved_names(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.reserved.extend(names.into_iter().map(Into::into));
        self
    }

    /// Leaves `list_mcp_resources` and `read_mcp_resource` out of the catalog.
    pub fn without_resource_tools(mut self) -> Self {
        self.resource_tools = false;
        self
    }

    /// Sets how servers are connected: era, what the host calls itself, limits and times. What the host can do is taken
    /// from [`Host`].
    pub fn connection(mut self, options: connections::Options) -> Self {
        self.connection = options;
        self
    }

    /// Adds a warning of the host's own making, e.g. of reading its configuration, to those of the bridge.
    pub fn warning(mut self, warning: Warning) -> Self {
        self.warnings.push(warning);
        self
    }

    /// Connects all servers in parallel and reads what they offer.
    ///
    /// It always succeeds: a server that cannot be connected costs only its own tools and leaves a
    /// [warning](Bridge::warnings). Must be called within a tokio runtime.
    pub async fn start(self) -> Bridge {
        let (inner, warnings) = Inner::new(self);
        Bridge::start(inner, warnings).await
    }
}

/// What a configuration may ask for that is not done yet, and whether it does.
fn unsupported(config: &ServerConfig) -> [(&'static str, bool); 3] {
    let (helper, oauth) = match &config.transport {
        Transport::Http(http) | Transport::Sse(http) => {
            (http.headers_helper.is_some(), http.oauth.is_some())
        }
        _ => (false, false),
    };
    [
        ("headersHelper", helper),
        ("oauth", oauth),
        ("watchPaths", !config.watch_paths.is_empty()),
    ]
}

impl fmt::Debug for BridgeBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers: Vec<_> = self.servers.keys().collect();
        f.debug_struct("BridgeBuilder")
            .field("servers", &servers)
            .finish_non_exhaustive()
    }
}
