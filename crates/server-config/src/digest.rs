//! What tells whether two configurations are the same.

use std::fmt::Write as _;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::server::{HttpConfig, ServerConfig, Transport, Trust};

impl Transport {
    /// A digest of all that is run or reached: 64 hexadecimal digits, the same on every machine.
    ///
    /// Values of variables and headers count too, so the same server with another token is another one. How the file
    /// wrote it does not count: an empty `env` is none.
    ///
    /// A short secret could be guessed from a digest: keep it where the configuration itself may be kept.
    ///
    /// ```
    /// use mcp_bridge_server_config::ServerConfig;
    ///
    /// let digest = |token| ServerConfig::stdio("srv").env("TOKEN", token).transport.digest();
    /// assert_eq!(digest("a"), digest("a"));
    /// assert_ne!(digest("a"), digest("b"));
    /// ```
    pub fn digest(&self) -> String {
        hex_digest(&self.parts())
    }

    fn parts(&self) -> Value {
        let parts = match self {
            Self::Stdio(stdio) => json!([
                stdio.command,
                stdio.args,
                pairs(&stdio.env),
                // Two folders whose names are no Unicode and differ only there would be one.
                stdio.cwd.as_ref().map(|cwd| cwd.to_string_lossy()),
            ]),
            Self::Http(http) | Self::Sse(http) => http_parts(http),
            Self::WebSocket(socket) => json!([socket.url]),
        };
        json!([self.name(), parts])
    }
}

impl ServerConfig {
    /// As [`Transport::digest`], with what the server is allowed: its lists of tools, `parallelToolCalls`, `watchPaths`
    /// and `trust`. An approval that is kept with this digest ends when the entry asks for more.
    ///
    /// Times and [`disabled`](Self::disabled) do not count.
    pub fn digest(&self) -> String {
        hex_digest(&json!([
            self.transport.parts(),
            self.always_allow,
            self.disabled_tools,
            self.allowed_tools,
            self.parallel_tool_calls,
            self.watch_paths,
            self.trust == Trust::Trusted,
        ]))
    }
}

fn http_parts(http: &HttpConfig) -> Value {
    let oauth = http.oauth.as_ref().map(|oauth| {
        json!([
            oauth.client_id,
            oauth.client_secret_env,
            oauth.callback_port,
            oauth.auth_server_metadata_url,
            oauth.client_metadata_url,
        ])
    });
    json!([http.url, pairs(&http.headers), http.headers_helper, oauth])
}

/// Lists of pairs instead of objects: their order is the map's, whatever serde_json was built with.
fn pairs(map: &std::collections::BTreeMap<String, String>) -> Value {
    map.iter()
        .map(|(name, value)| json!([name, value]))
        .collect()
}

fn hex_digest(parts: &Value) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(parts.to_string()) {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
