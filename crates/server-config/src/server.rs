use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::redact::public_url;

/// The shortest and the longest time that a call may be given.
pub(crate) const TIMEOUT_SECONDS: (f64, f64) = (1.0, 3600.0);
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
const DEFAULT_STARTUP_TIMEOUT: Duration = Duration::from_secs(30);

/// How to reach one server, and what its host allows it.
///
/// [`Debug`] names variables and headers but never prints their values, nor a URL's password or query.
///
/// ```
/// use mcp_bridge_server_config::ServerConfig;
///
/// let git = ServerConfig::stdio("uvx").args(["mcp-server-git"]).env("LOG", "off");
/// let docs = ServerConfig::http("https://docs.example/mcp").header("Authorization", "Bearer t");
/// assert_eq!(git.transport.name(), "stdio");
/// assert!(!format!("{docs:?}").contains("Bearer"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerConfig {
    /// The way to the server.
    pub transport: Transport,
    /// How long one request may take without progress. Default: 60 s; a file may say 1 s to 3,600 s.
    pub timeout: Duration,
    /// How long the server may take to start and to introduce itself. Default: 30 s.
    pub startup_timeout: Duration,
    /// Whether the server is configured but not to be started. Default: no.
    pub disabled: bool,
    /// Tools that may run without asking, by the server's own names; `*` is every tool.
    pub always_allow: Vec<String>,
    /// Tools that are not offered, by the server's own names.
    pub disabled_tools: Vec<String>,
    /// The only tools that are offered, if given; [`disabled_tools`](Self::disabled_tools) still applies.
    pub allowed_tools: Option<Vec<String>>,
    /// Whether calls of this server may run at the same time though they change something. Default: no. For the host,
    /// which makes the calls.
    pub parallel_tool_calls: bool,
    /// Files and folders whose change is to restart the server; relative ones start at its folder. For the host, which
    /// watches them.
    pub watch_paths: Vec<String>,
    /// Whether the server's hints may loosen a decision. Default: untrusted.
    pub trust: Trust,
}

/// The way to a server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Transport {
    /// A child process that speaks on its standard streams.
    Stdio(StdioConfig),
    /// Streamable HTTP.
    Http(HttpConfig),
    /// The HTTP transport of 2024-11-05, with its separate event stream.
    Sse(HttpConfig),
    /// A WebSocket.
    WebSocket(WebSocketConfig),
}

/// A server that runs as a child process.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct StdioConfig {
    /// The program, found through `PATH` unless it is a path.
    pub command: String,
    /// Its arguments, as they are: no shell reads them.
    pub args: Vec<String>,
    /// Variables on top of those that [`child_env`](crate::child_env()) lets through.
    pub env: BTreeMap<String, String>,
    /// The folder it runs in; the host's own where absent.
    pub cwd: Option<PathBuf>,
}

/// A server reached over HTTP.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct HttpConfig {
    /// The endpoint.
    pub url: String,
    /// Headers sent with every request.
    pub headers: BTreeMap<String, String>,
    /// A command that prints more headers as a JSON object of strings.
    pub headers_helper: Option<String>,
    /// How to sign in, where the server asks for it.
    pub oauth: Option<OAuthConfig>,
}

/// A server reached through a WebSocket.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct WebSocketConfig {
    /// The endpoint, `ws` or `wss`.
    pub url: String,
}

/// What a file says about signing in. A client secret is named by its variable and never written down.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct OAuthConfig {
    /// The client's registered id.
    pub client_id: Option<String>,
    /// The environment variable that holds the client's secret.
    pub client_secret_env: Option<String>,
    /// The local port for the answer; 0 is any.
    pub callback_port: Option<u16>,
    /// Where the authorization server's metadata is, if not where the server says.
    pub auth_server_metadata_url: Option<String>,
    /// The client's metadata document, used as its id.
    pub client_metadata_url: Option<String>,
}

/// Whether a server's own words may loosen what its host decides.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Trust {
    /// Hints may only tighten a decision.
    #[default]
    Untrusted,
    /// The user or the embedder vouches for the server. A project's own file cannot say this.
    Trusted,
}

impl ServerConfig {
    /// A server over `transport`, with every other field at its default.
    pub fn new(transport: Transport) -> Self {
        Self {
            transport,
            timeout: DEFAULT_TIMEOUT,
            startup_timeout: DEFAULT_STARTUP_TIMEOUT,
            disabled: false,
            always_allow: Vec::new(),
            disabled_tools: Vec::new(),
            allowed_tools: None,
            parallel_tool_calls: false,
            watch_paths: Vec::new(),
            trust: Trust::default(),
        }
    }

    /// A child process.
    pub fn stdio(command: impl Into<String>) -> Self {
        Self::new(Transport::Stdio(StdioConfig::new(command)))
    }

    /// A Streamable HTTP endpoint.
    pub fn http(url: impl Into<String>) -> Self {
        Self::new(Transport::Http(HttpConfig::new(url)))
    }

    /// An endpoint of the older HTTP transport.
    pub fn sse(url: impl Into<String>) -> Self {
        Self::new(Transport::Sse(HttpConfig::new(url)))
    }

    /// A WebSocket endpoint.
    pub fn web_socket(url: impl Into<String>) -> Self {
        Self::new(Transport::WebSocket(WebSocketConfig { url: url.into() }))
    }

    /// Appends one argument of the command; without effect on a server that is no child process.
    #[must_use]
    pub fn arg(self, arg: impl Into<String>) -> Self {
        self.args([arg])
    }

    /// Appends arguments of the command; without effect on a server that is no child process.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        if let Transport::Stdio(stdio) = &mut self.transport {
            stdio.args.extend(args.into_iter().map(Into::into));
        }
        self
    }

    /// Sets one variable of the child process; without effect on a server that is none.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Transport::Stdio(stdio) = &mut self.transport {
            stdio.env.insert(name.into(), value.into());
        }
        self
    }

    /// Sets the folder of the child process; without effect on a server that is none.
    #[must_use]
    pub fn cwd(mut self, path: impl Into<PathBuf>) -> Self {
        if let Transport::Stdio(stdio) = &mut self.transport {
            stdio.cwd = Some(path.into());
        }
        self
    }

    /// Sets one header; without effect on a server that is not reached over HTTP.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Transport::Http(http) | Transport::Sse(http) = &mut self.transport {
            http.headers.insert(name.into(), value.into());
        }
        self
    }

    /// Sets [`timeout`](Self::timeout).
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets [`startup_timeout`](Self::startup_timeout).
    #[must_use]
    pub fn with_startup_timeout(mut self, timeout: Duration) -> Self {
        self.startup_timeout = timeout;
        self
    }

    /// Marks the server as [`disabled`](Self::disabled).
    #[must_use]
    pub fn disabled(mut self) -> Self {
        self.disabled = true;
        self
    }

    /// Sets [`always_allow`](Self::always_allow).
    #[must_use]
    pub fn with_always_allow(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.always_allow = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Sets [`disabled_tools`](Self::disabled_tools).
    #[must_use]
    pub fn with_disabled_tools(
        mut self,
        tools: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.disabled_tools = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Sets [`allowed_tools`](Self::allowed_tools).
    #[must_use]
    pub fn with_allowed_tools(
        mut self,
        tools: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.allowed_tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets [`parallel_tool_calls`](Self::parallel_tool_calls) to yes.
    #[must_use]
    pub fn with_parallel_tool_calls(mut self) -> Self {
        self.parallel_tool_calls = true;
        self
    }

    /// Sets [`watch_paths`](Self::watch_paths).
    #[must_use]
    pub fn with_watch_paths(mut self, paths: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.watch_paths = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Sets [`trust`](Self::trust).
    #[must_use]
    pub fn with_trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    /// Whether `tool`, a name as the server wrote it, is offered at all. In both lists `*` stands for any characters and
    /// `?` for any one.
    pub fn offers(&self, tool: &str) -> bool {
        let fits = |patterns: &[String]| patterns.iter().any(|pattern| glob(pattern, tool));
        self.allowed_tools.as_deref().is_none_or(fits) && !fits(&self.disabled_tools)
    }
}

/// Whether a name fits a pattern with `*` and `?`, in time of at most the product of their lengths.
fn glob(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.chars(), name.chars());
    // Behind the last `*`, and where in the name the rest of the pattern was tried.
    let mut last_star = None;
    loop {
        let untried = name.clone();
        match (pattern.next(), name.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                last_star = Some((pattern.clone(), untried.clone()));
                name = untried;
            }
            (Some('?'), Some(_)) => {}
            (Some(wanted), Some(found)) if wanted == found => {}
            _ => {
                let Some((behind, mut tried)) = last_star else {
                    return false;
                };
                if tried.next().is_none() {
                    return false;
                }
                pattern = behind.clone();
                name = tried.clone();
                last_star = Some((behind, tried));
            }
        }
    }
}

impl Transport {
    /// `stdio`, `http`, `sse` or `ws`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stdio(_) => "stdio",
            Self::Http(_) => "http",
            Self::Sse(_) => "sse",
            Self::WebSocket(_) => "ws",
        }
    }
}

impl StdioConfig {
    /// `command` without arguments, with no variable of its own, in the host's folder.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
        }
    }
}

impl HttpConfig {
    /// `url` without further headers.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            headers: BTreeMap::new(),
            headers_helper: None,
            oauth: None,
        }
    }
}

impl fmt::Debug for StdioConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StdioConfig")
            .field("command", &self.command)
            .field("args", &crate::redact_args(&self.args))
            .field("env", &self.env.keys())
            .field("cwd", &self.cwd)
            .finish()
    }
}

impl fmt::Debug for HttpConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpConfig")
            .field("url", &public_url(&self.url))
            .field("headers", &self.headers.keys())
            .field("headers_helper", &self.headers_helper.is_some())
            .field("oauth", &self.oauth)
            .finish()
    }
}

impl fmt::Debug for WebSocketConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSocketConfig")
            .field("url", &public_url(&self.url))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_holds_no_secret() {
        let configs = [
            ServerConfig::stdio("c")
                .env("TOKEN", "s3cret")
                .args(["--token", "s3cret"]),
            ServerConfig::http("https://u:s3cret@h/p?k=s3cret").header("X-Key", "s3cret"),
            ServerConfig::sse("https://h/p?k=s3cret"),
            ServerConfig::web_socket("ws://h/?s3cret"),
        ];
        for config in configs {
            let shown = format!("{config:?}");
            assert!(!shown.contains("s3cret"), "{shown}");
        }
    }

    #[test]
    fn patterns_stand_for_any_characters() {
        let cases = [
            ("*", "", true),
            ("*", "get", true),
            ("get_*", "get_time", true),
            ("get_*", "forget_time", false),
            ("*_time", "get_time_time", true),
            ("g?t", "get", true),
            ("g?t", "gt", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("", "a", false),
            ("é*", "étude", true),
        ];
        for (pattern, name, want) in cases {
            assert_eq!(glob(pattern, name), want, "{pattern:?} {name:?}");
        }
    }

    #[test]
    fn a_tool_is_offered_when_both_lists_agree() {
        let config = ServerConfig::stdio("c")
            .with_allowed_tools(["a", "b"])
            .with_disabled_tools(["b"]);
        let offered = ["a", "b", "c"].map(|tool| config.offers(tool));
        assert_eq!(offered, [true, false, false]);
    }
}
