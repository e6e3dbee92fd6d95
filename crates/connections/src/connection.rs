//! One live server.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_bridge_server_config::{ServerConfig, Transport as TransportConfig};
use rmcp::RoleClient;
use rmcp::model::{ProtocolVersion, ServerPeerInfo};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, Peer, RunningService,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::child::{Child, Stderr};
use crate::error::{Error, ErrorKind};
use crate::handler::{Asking, Client, Handler, Questions};
use crate::lines::LineTransport;
use crate::listen::Listener;
use crate::options::{Lifecycle, Limits, Options, Timeouts};
use crate::wire::Wire;

/// What a server said of itself when it was connected.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerInfo {
    /// The protocol revision in use, e.g. `2025-11-25`.
    pub protocol_version: String,
    /// `serverInfo` as it came, or null: display data, never a key.
    pub server_info: Value,
    /// `capabilities` as they came.
    pub capabilities: Value,
    /// `instructions`, or null. Untrusted.
    pub instructions: Value,
    /// Whether the 2026-07-28 era is spoken, in which servers send no requests.
    pub is_modern: bool,
}

impl ServerInfo {
    fn read(raw: &Value, peer: &ServerPeerInfo) -> Self {
        let member = |key: &str| raw.get(key).cloned().unwrap_or(Value::Null);
        let in_meta = |raw: &Value| {
            let meta = raw.get("_meta")?;
            meta.get("io.modelcontextprotocol/serverInfo").cloned()
        };
        let server_info = match member("serverInfo") {
            Value::Null => in_meta(raw).unwrap_or(Value::Null),
            info => info,
        };
        Self {
            protocol_version: peer.protocol_version.as_str().to_owned(),
            server_info,
            capabilities: member("capabilities"),
            instructions: member("instructions"),
            is_modern: !peer.protocol_version.has_initialize(),
        }
    }

    /// Whether the server declares a capability, e.g. `tools`.
    pub fn declares(&self, capability: &str) -> bool {
        self.capabilities
            .get(capability)
            .is_some_and(|declared| !declared.is_null())
    }
}

/// A connected server. Clones share the connection; it ends with [`shutdown`](Self::shutdown), or at once (the whole process
/// tree killed) when the last clone is dropped.
#[derive(Clone)]
pub struct Connection(Arc<Inner>);

struct Inner {
    server_id: Arc<str>,
    info: ServerInfo,
    listener: Listener,
    peer: Peer<RoleClient>,
    service: Mutex<Option<RunningService<RoleClient, Client>>>,
    child: Mutex<Option<Child>>,
    stderr: Option<Stderr>,
    wire: Wire,
    questions: Questions,
    limits: Limits,
    timeouts: Timeouts,
}

impl Connection {
    /// Starts or reaches the server and makes itself known.
    ///
    /// # Errors
    ///
    /// An [`Error`] of the kind that tells what to do; nothing is left running.
    pub async fn open(
        server_id: &str,
        config: &ServerConfig,
        options: &Options,
        handler: Arc<dyn Handler>,
    ) -> Result<Self, Error> {
        let mut options = options.clone();
        options.timeouts.connect = config.startup_timeout;
        options.timeouts.call = config.timeout;
        match Self::open_once(server_id, config, &options, Arc::clone(&handler)).await {
            Err(Failed { error, retry: true }) if options.lifecycle == Lifecycle::Auto => {
                tracing::debug!(server = server_id, %error, "trying again with initialize");
                options.lifecycle = Lifecycle::Initialize;
                let again = Self::open_once(server_id, config, &options, handler).await;
                again.map_err(|failed| failed.error)
            }
            other => other.map_err(|failed| failed.error),
        }
    }

    async fn open_once(
        server_id: &str,
        config: &ServerConfig,
        options: &Options,
        handler: Arc<dyn Handler>,
    ) -> Result<Self, Failed> {
        match &config.transport {
            TransportConfig::Stdio(stdio) => {
                let spawned = Child::spawn(stdio, options.limits.max_stderr_bytes);
                let (child, stdout, stdin) =
                    spawned.map_err(|error| not_spawned(server_id, &stdio.command, error))?;
                let parts = Parts::new(server_id, options, handler);
                let transport = parts.lines(stdout, stdin);
                parts.connect(transport, Some(child)).await
            }
            #[cfg(feature = "http")]
            TransportConfig::Http(http) => {
                let parts = Parts::new(server_id, options, handler);
                let transport = crate::http::transport(server_id, http, &parts.wire, options)?;
                parts.connect(transport, None).await
            }
            _ => {
                let text = format!(
                    "server `{server_id}`: its transport, {:?}, is not supported",
                    config.transport.name()
                );
                Err(Error::new(ErrorKind::Unsupported, server_id, text).into())
            }
        }
    }

    /// Speaks with a server over any pair of byte streams, one message a line: an in-memory pipe, a Unix socket.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub async fn over_stream(
        server_id: &str,
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
        options: &Options,
        handler: Arc<dyn Handler>,
    ) -> Result<Self, Error> {
        let parts = Parts::new(server_id, options, handler);
        let transport = parts.lines(read, write);
        let connected = parts.connect(transport, None).await;
        connected.map_err(|failed| failed.error)
    }

    /// The host's key for the server.
    pub fn server_id(&self) -> &str {
        &self.0.server_id
    }

    /// What the server said of itself.
    pub fn server(&self) -> &ServerInfo {
        &self.0.info
    }

    /// Whether the connection is closed.
    pub fn is_closed(&self) -> bool {
        self.0.peer.is_transport_closed()
    }

    /// Waits until the connection is closed, by either side.
    pub async fn closed(&self) {
        // rmcp has no signal for it.
        let mut interval = tokio::time::interval(Duration::from_millis(100));
        while !self.is_closed() {
            interval.tick().await;
        }
    }

    /// The end of what the process wrote to stderr; empty for other transports. Untrusted text.
    pub fn stderr_tail(&self) -> String {
        self.0.stderr.as_ref().map(Stderr::tail).unwrap_or_default()
    }

    /// Ends the connection in order: the session is closed, and a process is given time to end before its whole group is.
    ///
    /// Calls that still run end with [`ErrorKind::Closed`]. A second call does nothing.
    pub async fn shutdown(&self) {
        let service = self
            .0
            .service
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let child = self
            .0
            .child
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        self.0.listener.end().await;
        if let Some(mut service) = service {
            // Its error says that the task had ended already.
            let _ = service.close_with_timeout(self.0.timeouts.end).await;
        }
        if let Some(mut child) = child {
            child.end(self.0.timeouts.end).await;
        }
    }

    pub(crate) fn peer(&self) -> &Peer<RoleClient> {
        &self.0.peer
    }

    pub(crate) fn wire(&self) -> &Wire {
        &self.0.wire
    }

    pub(crate) fn questions(&self) -> &Questions {
        &self.0.questions
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    pub(crate) fn timeouts(&self) -> &Timeouts {
        &self.0.timeouts
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("server_id", &self.0.server_id)
            .field("is_closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}

/// A failed start, and whether the older era may do better with a fresh process.
pub(crate) struct Failed {
    pub(crate) error: Error,
    pub(crate) retry: bool,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self {
            error,
            retry: false,
        }
    }
}

/// What a connection is made from, before it is one.
struct Parts<'a> {
    server_id: &'a str,
    options: &'a Options,
    wire: Wire,
    questions: Questions,
}

impl<'a> Parts<'a> {
    fn new(server_id: &'a str, options: &'a Options, handler: Arc<dyn Handler>) -> Self {
        let wire = Wire::new(Arc::clone(&handler));
        let questions = Questions {
            server_id: Arc::from(server_id),
            handler,
            form: options.capabilities.elicitation_form,
            url: options.capabilities.elicitation_url,
            asking: Asking::default(),
            turn: Arc::new(tokio::sync::Semaphore::new(1)),
        };
        Self {
            server_id,
            options,
            wire,
            questions,
        }
    }

    fn lines<R: AsyncRead + Send + Unpin>(
        &self,
        read: R,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> LineTransport<R> {
        let limit = self.options.limits.max_message_bytes;
        LineTransport::new(read, write, self.wire.clone(), limit)
    }

    async fn connect<T>(self, transport: T, mut child: Option<Child>) -> Result<Connection, Failed>
    where
        T: Transport<RoleClient> + Send + 'static,
    {
        let client = Client::new(self.options, self.questions.clone());
        let start = client.serve_with_lifecycle(transport, lifecycle(self.options.lifecycle));
        let patience = self.options.timeouts.connect;
        let mut failed = match tokio::time::timeout(patience, start).await {
            Ok(Ok(service)) => match self.connected(service, &mut child) {
                Ok(connection) => return Ok(connection),
                Err(failed) => failed,
            },
            Ok(Err(error)) => self.refused(error),
            Err(_) => {
                let text = format!(
                    "server `{}` was not ready after {} s; raise its startup timeout if it needs longer",
                    self.server_id,
                    patience.as_secs_f64()
                );
                Error::new(ErrorKind::Timeout, self.server_id, text).into()
            }
        };
        if let Some(mut child) = child {
            let stderr = child.last_words().await;
            let patience = match failed.error.kind() {
                ErrorKind::Closed => Duration::from_millis(500),
                _ => Duration::ZERO,
            };
            let status = match failed.error.kind() {
                // It ends because this host gave up, if it does.
                ErrorKind::Timeout => None,
                _ => child.exit_status(patience).await,
            };
            if let Some(status) = status {
                let text = format!(
                    "server `{}` ended before it was ready ({status})",
                    self.server_id
                );
                let retry = failed.retry;
                let error = Error::new(ErrorKind::Exited, self.server_id, text);
                failed = Failed {
                    error: error.with_source(failed.error),
                    retry,
                };
            }
            failed.error = failed
                .error
                .with_garbage(self.wire.first_garbage())
                .with_stderr(stderr);
            child.end(Duration::from_millis(200)).await;
        }
        Err(failed)
    }

    fn connected(
        &self,
        service: RunningService<RoleClient, Client>,
        child: &mut Option<Child>,
    ) -> Result<Connection, Failed> {
        let Some(peer_info) = service.peer().peer_info() else {
            let text = format!("server `{}` said nothing of itself", self.server_id);
            return Err(Error::new(ErrorKind::Protocol, self.server_id, text).into());
        };
        if !ProtocolVersion::KNOWN_VERSIONS.contains(&peer_info.protocol_version) {
            let text = format!(
                "server `{}` wants protocol version {:?}, which this host does not speak",
                self.server_id,
                peer_info.protocol_version.as_str()
            );
            return Err(Error::new(ErrorKind::Protocol, self.server_id, text).into());
        }
        let child = child.take();
        let info = ServerInfo::read(&self.wire.handshake(), &peer_info);
        let listener = Listener::start(self.server_id, &info, service.peer());
        Ok(Connection(Arc::new(Inner {
            server_id: Arc::from(self.server_id),
            info,
            listener,
            peer: service.peer().clone(),
            service: Mutex::new(Some(service)),
            stderr: child.as_ref().map(|child| child.stderr.clone()),
            child: Mutex::new(child),
            wire: self.wire.clone(),
            questions: self.questions.clone(),
            limits: self.options.limits.clone(),
            timeouts: self.options.timeouts.clone(),
        })))
    }

    fn refused(&self, error: ClientInitializeError) -> Failed {
        let id = self.server_id;
        let retry = matches!(
            error,
            ClientInitializeError::UncorrelatedErrorResponse { .. }
                | ClientInitializeError::NoCompatibleProtocolVersion { .. }
                | ClientInitializeError::LegacyFallbackFailed { .. }
                | ClientInitializeError::ConnectionClosed(_)
        );
        Failed {
            error: crate::failure::initialize(id, error),
            retry,
        }
    }
}

fn lifecycle(lifecycle: Lifecycle) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match lifecycle {
        Lifecycle::Initialize => ClientLifecycleMode::Initialize,
        Lifecycle::Discover => ClientLifecycleMode::Discover { preferred_versions },
        Lifecycle::Auto => ClientLifecycleMode::Auto {
            preferred_versions,
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        },
    }
}

fn not_spawned(server_id: &str, command: &str, error: std::io::Error) -> Error {
    let (kind, text) = match error.kind() {
        std::io::ErrorKind::NotFound => (
            ErrorKind::CommandNotFound,
            format!(
                "server `{server_id}`: the command {command:?} (or its working directory) does not exist; install it or correct the configuration"
            ),
        ),
        _ => (
            ErrorKind::Spawn,
            format!("server `{server_id}`: the command {command:?} could not be started: {error}"),
        ),
    };
    Error::new(kind, server_id, text).with_source(error)
}
