use std::collections::BTreeMap;

use url::Url;

/// Variables of the host that a server may see: where programs and caches are, the language, certificates.
const INHERITED: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "CURL_CA_BUNDLE",
    "HOME",
    "LANG",
    "LC_ALL",
    "LOCALAPPDATA",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "PATH",
    "PATHEXT",
    "REQUESTS_CA_BUNDLE",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "USER",
    "USERNAME",
    "USERPROFILE",
    "UV_CACHE_DIR",
    "UV_PYTHON_INSTALL_DIR",
    "UV_TOOL_DIR",
    "WINDIR",
    "XDG_CACHE_HOME",
    "no_proxy",
];
const PROXIES: &[&str] = &[
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "all_proxy",
    "https_proxy",
    "http_proxy",
];

/// The whole environment of a child process: the harmless part of `parent`, then `server_env` on top.
///
/// Anything that may hold a secret stays out, so a server learns a token only where its configuration says so. A proxy
/// is passed on unless its address holds a user or a password. Empty variables of the parent are left out.
///
/// ```
/// use std::collections::BTreeMap;
/// let parent = [("PATH", "/bin"), ("AWS_SECRET_ACCESS_KEY", "s")].map(|(k, v)| (k.to_owned(), v.to_owned()));
/// let child = mcp_bridge_server_config::child_env(parent, &BTreeMap::new());
/// assert_eq!(child.into_keys().collect::<Vec<_>>(), ["PATH"]);
/// ```
pub fn child_env(
    parent: impl IntoIterator<Item = (String, String)>,
    server_env: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut child: BTreeMap<String, String> = parent
        .into_iter()
        .filter(|(name, value)| !value.is_empty() && is_inherited(name, value))
        .collect();
    child.extend(
        server_env
            .iter()
            .map(|(name, value)| (name.clone(), value.clone())),
    );
    child
}

/// The whole environment of a `headersHelper`: as [`child_env`], plus the variables that `command` names as `$X`,
/// `${X}` or `${X:-default}`, where `parent` has them.
pub fn helper_env(
    parent: impl IntoIterator<Item = (String, String)>,
    command: &str,
) -> BTreeMap<String, String> {
    let named = named_variables(command);
    parent
        .into_iter()
        .filter(|(name, value)| {
            named.contains(&name.as_str()) || (!value.is_empty() && is_inherited(name, value))
        })
        .collect()
}

fn is_inherited(name: &str, value: &str) -> bool {
    INHERITED.contains(&name) || (PROXIES.contains(&name) && !has_credentials(value))
}

fn has_credentials(proxy: &str) -> bool {
    // `user:pass@host:1` is an address without a scheme, and would parse as one with the scheme `user`.
    let full = if proxy.contains("://") {
        proxy.to_owned()
    } else {
        format!("http://{proxy}")
    };
    match Url::parse(&full) {
        Ok(url) => !url.username().is_empty() || url.password().is_some_and(|p| !p.is_empty()),
        Err(_) => proxy.contains('@'),
    }
}

fn named_variables(command: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut pieces = command.split('$');
    pieces.next();
    for piece in pieces {
        let piece = piece.strip_prefix('{').unwrap_or(piece);
        let end = piece
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(piece.len());
        let name = piece.get(..end).unwrap_or_default();
        if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn a_proxy_with_credentials_stays_out() {
        let cases = [
            ("http://proxy:8080", true),
            ("proxy:8080", true),
            ("https://h/?x=u:p@y", true),
            ("http://user:pass@proxy:8080", false),
            ("user:pass@proxy:8080", false),
            ("http://user@proxy", false),
            ("socks5://u:p@h:1", false),
            ("http://%75ser:p@h", false),
            ("u@[", false),
        ];
        for (proxy, want) in cases {
            let child = child_env(pairs(&[("HTTPS_PROXY", proxy)]), &BTreeMap::new());
            assert_eq!(!child.is_empty(), want, "given {proxy:?}");
        }
    }

    #[test]
    fn a_helper_also_gets_the_variables_it_names() {
        let parent = pairs(&[
            ("A", "1"),
            ("B", "2"),
            ("C", "3"),
            ("D", "4"),
            ("PATH", "/"),
        ]);
        let child = helper_env(parent, "h $A --b=${B} ${C:-x} \\${1} D");
        assert_eq!(
            child.into_keys().collect::<Vec<_>>(),
            ["A", "B", "C", "PATH"]
        );
    }
}
