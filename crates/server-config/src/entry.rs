//! One server's entry, read from JSON.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};
use url::Url;

use crate::server::{
    HttpConfig, OAuthConfig, ServerConfig, StdioConfig, TIMEOUT_SECONDS, Transport, Trust,
    WebSocketConfig,
};

const FIELDS: [&str; 18] = [
    "type",
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "headersHelper",
    "oauth",
    "timeout",
    "startupTimeout",
    "disabled",
    "alwaysAllow",
    "disabledTools",
    "allowedTools",
    "parallelToolCalls",
    "watchPaths",
    "trust",
];
const OAUTH_FIELDS: [&str; 5] = [
    "clientId",
    "clientSecretEnv",
    "callbackPort",
    "authServerMetadataUrl",
    "clientMetadataUrl",
];

/// An entry that cannot be used, or a part of one that could not.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[error("{message}")]
pub(crate) struct Problem {
    /// A stable code, e.g. `missing_command`, `unknown_field`.
    pub code: &'static str,
    /// The member it is about, e.g. `args`; empty for the whole entry.
    pub field: String,
    /// One sentence; never holds a value of `env`, `headers` or `url`.
    pub message: String,
}

impl Problem {
    pub(crate) fn new(code: &'static str, field: &str, message: impl Into<String>) -> Self {
        Self {
            code,
            field: field.to_owned(),
            message: message.into(),
        }
    }
}

/// Reads an entry whose variables are already put in. What is merely odd goes to `warnings`.
pub(crate) fn read(entry: &Value, warnings: &mut Vec<Problem>) -> Result<ServerConfig, Problem> {
    let Value::Object(entry) = entry else {
        return Err(wrong("type_error", "", entry, "an object"));
    };
    for name in entry.keys().filter(|name| !FIELDS.contains(&name.as_str())) {
        warnings.push(unknown(name, &FIELDS));
    }
    let mut config = ServerConfig::new(transport(entry, warnings)?);
    if let Some(timeout) = seconds(entry, "timeout", warnings) {
        config.timeout = timeout;
    }
    if let Some(timeout) = seconds(entry, "startupTimeout", warnings) {
        config.startup_timeout = timeout;
    }
    config.disabled = flag(entry, "disabled")?;
    config.parallel_tool_calls = flag(entry, "parallelToolCalls")?;
    config.always_allow = list(entry, "alwaysAllow")?.unwrap_or_default();
    config.disabled_tools = list(entry, "disabledTools")?.unwrap_or_default();
    config.allowed_tools = list(entry, "allowedTools")?;
    config.watch_paths = list(entry, "watchPaths")?.unwrap_or_default();
    if flag(entry, "trust")? {
        config.trust = Trust::Trusted;
    }
    Ok(config)
}

fn transport(
    entry: &Map<String, Value>,
    warnings: &mut Vec<Problem>,
) -> Result<Transport, Problem> {
    let kind = match given(entry, "type") {
        None => match (given(entry, "command"), given(entry, "url")) {
            (Some(_), Some(_)) => {
                let text = "`command` and `url` stand together: give one of them, or say with `type` which counts";
                return Err(Problem::new("mixed_transport", "type", text));
            }
            (Some(_), None) => "stdio",
            (None, Some(_)) => {
                let text = "`type` is missing and taken for \"http\", since there is a `url`";
                warnings.push(Problem::new("type_inferred", "type", text));
                "http"
            }
            (None, None) => {
                let text = "`command` is missing: name a program, or give a `url`";
                return Err(Problem::new("missing_command", "command", text));
            }
        },
        Some(Value::String(kind)) => kind,
        Some(other) => return Err(wrong("type_error", "type", other, "a string")),
    };
    let unused: &[&str] = match kind {
        "stdio" => &["url", "headers", "oauth"],
        "http" | "streamable-http" | "streamableHttp" | "sse" | "ws" => {
            &["command", "args", "env", "cwd"]
        }
        _ => &[],
    };
    for name in unused.iter().filter(|name| says_something(entry, name)) {
        let text = format!("`{name}` has no effect on a server of type \"{kind}\"");
        warnings.push(Problem::new("unused_field", name, text));
    }
    match kind {
        "stdio" => stdio(entry).map(Transport::Stdio),
        "http" | "streamable-http" | "streamableHttp" => http(entry).map(Transport::Http),
        "sse" => http(entry).map(Transport::Sse),
        "ws" => web_socket(entry).map(Transport::WebSocket),
        other => {
            let shown: String = other.chars().take(40).collect();
            let text =
                format!("`type` is {shown:?}; known are \"stdio\", \"http\", \"sse\" and \"ws\"");
            Err(Problem::new("unknown_type", "type", text))
        }
    }
}

fn stdio(entry: &Map<String, Value>) -> Result<StdioConfig, Problem> {
    if given(entry, "headersHelper").is_some() {
        let text = "`headersHelper` is for servers reached over HTTP";
        return Err(Problem::new("mixed_transport", "headersHelper", text));
    }
    let command = required(entry, "command", "missing_command")?;
    if command.trim().is_empty() {
        return Err(Problem::new(
            "empty_command",
            "command",
            "`command` is empty",
        ));
    }
    let mut config = StdioConfig::new(command);
    config.args = list(entry, "args")?.unwrap_or_default();
    config.env = map(entry, "env")?;
    config.cwd = text(entry, "cwd")?.map(PathBuf::from);
    Ok(config)
}

fn http(entry: &Map<String, Value>) -> Result<HttpConfig, Problem> {
    let url = required(entry, "url", "missing_url")?;
    let is_http = Url::parse(&url)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if !is_http {
        let text = "`url` is no address that starts with `http://` or `https://`";
        return Err(Problem::new("bad_url", "url", text));
    }
    let mut config = HttpConfig::new(url);
    config.headers = map(entry, "headers")?;
    config.headers_helper =
        text(entry, "headersHelper")?.filter(|helper| !helper.trim().is_empty());
    config.oauth = oauth(entry)?;
    Ok(config)
}

fn web_socket(entry: &Map<String, Value>) -> Result<WebSocketConfig, Problem> {
    for name in ["headers", "headersHelper", "oauth"] {
        if given(entry, name).is_some_and(|value| *value != Value::Object(Map::new()))
            || (name == "oauth" && given(entry, name).is_some())
        {
            let text = format!("`{name}` is not supported on a WebSocket");
            return Err(Problem::new("mixed_transport", name, text));
        }
    }
    let url = required(entry, "url", "missing_url")?;
    if !Url::parse(&url).is_ok_and(|url| matches!(url.scheme(), "ws" | "wss") && url.has_host()) {
        let text = "`url` is no address that starts with `ws://` or `wss://`";
        return Err(Problem::new("bad_url", "url", text));
    }
    Ok(WebSocketConfig { url })
}

fn oauth(entry: &Map<String, Value>) -> Result<Option<OAuthConfig>, Problem> {
    let oauth = match given(entry, "oauth") {
        None => return Ok(None),
        Some(Value::Object(oauth)) => oauth,
        Some(other) => return Err(wrong("type_error", "oauth", other, "an object")),
    };
    for name in oauth.keys() {
        if name == "clientSecret" {
            let text = "a client secret must not stand in a configuration: name its variable with `clientSecretEnv`";
            return Err(Problem::new("plaintext_secret", "oauth.clientSecret", text));
        }
        if !OAUTH_FIELDS.contains(&name.as_str()) {
            let problem = unknown(name, &OAUTH_FIELDS);
            return Err(Problem::new(problem.code, "oauth", problem.message));
        }
    }
    let callback_port = match given(oauth, "callbackPort") {
        None => None,
        Some(port) => match port.as_u64().and_then(|port| u16::try_from(port).ok()) {
            Some(port) => Some(port),
            None => {
                return Err(wrong(
                    "type_error",
                    "oauth.callbackPort",
                    port,
                    "a port, 0 to 65535",
                ));
            }
        },
    };
    Ok(Some(OAuthConfig {
        client_id: text(oauth, "clientId")?,
        client_secret_env: text(oauth, "clientSecretEnv")?,
        callback_port,
        auth_server_metadata_url: text(oauth, "authServerMetadataUrl")?,
        client_metadata_url: text(oauth, "clientMetadataUrl")?,
    }))
}

fn says_something(entry: &Map<String, Value>, name: &str) -> bool {
    match given(entry, name) {
        None => false,
        Some(Value::Object(members)) => !members.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(_) => true,
    }
}

/// A member that is there and not null.
fn given<'a>(entry: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    entry.get(name).filter(|value| !value.is_null())
}

fn required(entry: &Map<String, Value>, name: &str, code: &'static str) -> Result<String, Problem> {
    match text(entry, name)? {
        Some(text) if !text.is_empty() => Ok(text),
        Some(_) => Err(Problem::new(code, name, format!("`{name}` is empty"))),
        None => Err(Problem::new(code, name, format!("`{name}` is missing"))),
    }
}

fn text(entry: &Map<String, Value>, name: &str) -> Result<Option<String>, Problem> {
    match given(entry, name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(wrong("type_error", name, other, "a string")),
    }
}

fn flag(entry: &Map<String, Value>, name: &str) -> Result<bool, Problem> {
    match given(entry, name) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(wrong("type_error", name, other, "true or false")),
    }
}

fn list(entry: &Map<String, Value>, name: &str) -> Result<Option<Vec<String>>, Problem> {
    let Some(value) = given(entry, name) else {
        return Ok(None);
    };
    let strings = value.as_array().and_then(|items| {
        let strings = items.iter().map(|item| item.as_str().map(str::to_owned));
        strings.collect::<Option<Vec<_>>>()
    });
    match strings {
        Some(strings) => Ok(Some(strings)),
        None => Err(wrong("type_error", name, value, "a list of strings")),
    }
}

fn map(entry: &Map<String, Value>, name: &str) -> Result<BTreeMap<String, String>, Problem> {
    let Some(value) = given(entry, name) else {
        return Ok(BTreeMap::new());
    };
    let strings = value.as_object().and_then(|members| {
        let strings = members
            .iter()
            .map(|(key, item)| Some((key.clone(), item.as_str()?.to_owned())));
        strings.collect::<Option<BTreeMap<_, _>>>()
    });
    strings.ok_or_else(|| wrong("type_error", name, value, "an object of strings"))
}

/// A time in seconds; one out of bounds is moved to the nearest bound, anything else is left out, both with a warning.
fn seconds(
    entry: &Map<String, Value>,
    name: &str,
    warnings: &mut Vec<Problem>,
) -> Option<Duration> {
    let (least, most) = TIMEOUT_SECONDS;
    let value = given(entry, name)?;
    let Some(given) = value.as_f64().filter(|number| number.is_finite()) else {
        let mut problem = wrong("timeout_invalid", name, value, "a number of seconds");
        problem.message.push_str("; the default counts");
        warnings.push(problem);
        return None;
    };
    let clamped = given.clamp(least, most);
    if clamped != given {
        let text = format!(
            "`{name}` is {given} s and becomes {clamped} s: {least} s to {most} s are possible"
        );
        warnings.push(Problem::new("timeout_clamped", name, text));
    }
    Some(Duration::from_secs_f64(clamped))
}

fn wrong(code: &'static str, field: &str, found: &Value, wanted: &str) -> Problem {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list of other things",
        Value::Object(_) => "an object",
    };
    let what = match field {
        "" => "the entry".to_owned(),
        field => format!("`{field}`"),
    };
    Problem::new(
        code,
        field,
        format!("{what} must be {wanted}, and is {found}"),
    )
}

fn unknown(name: &str, known: &[&str]) -> Problem {
    let shown: String = name.chars().take(60).collect();
    let near = known.iter().find(|known| {
        distance(
            &known.to_lowercase(),
            &shown.to_lowercase().replace(['_', '-'], ""),
        ) <= 2
    });
    let text = match near {
        Some(near) => format!("there is no field {shown:?}; did you mean `{near}`?"),
        None => format!("there is no field {shown:?}"),
    };
    Problem::new("unknown_field", name, text)
}

/// How many letters must be put in, taken out or changed, of words of at most 60 letters.
fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (line, a) in one.chars().enumerate() {
        let mut corner = line;
        let mut left = line + 1;
        for (b, above) in two.iter().zip(row.iter_mut().skip(1)) {
            let here = (corner + usize::from(a != *b))
                .min(left + 1)
                .min(*above + 1);
            corner = std::mem::replace(above, here);
            left = here;
        }
        if let Some(first) = row.first_mut() {
            *first = line + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_entry_is_read_whole() {
        let entry = json!({
            "command": "uvx", "args": ["a"], "env": {"K": "v"}, "cwd": "/srv", "timeout": 90, "startupTimeout": 5,
            "disabled": true, "alwaysAllow": ["r"], "disabledTools": ["d"], "allowedTools": [], "trust": true,
            "parallelToolCalls": true, "watchPaths": ["x.json"],
        });
        let mut warnings = Vec::new();
        let want = ServerConfig::stdio("uvx")
            .args(["a"])
            .env("K", "v")
            .cwd("/srv")
            .with_timeout(Duration::from_secs(90))
            .with_startup_timeout(Duration::from_secs(5))
            .disabled()
            .with_always_allow(["r"])
            .with_disabled_tools(["d"])
            .with_allowed_tools(Vec::<String>::new())
            .with_parallel_tool_calls()
            .with_watch_paths(["x.json"])
            .with_trust(Trust::Trusted);
        assert_eq!(read(&entry, &mut warnings), Ok(want));
        assert_eq!(warnings, []);
    }

    #[test]
    fn every_kind_of_server_is_told_apart() {
        let cases = [
            (json!({"command": "c"}), Ok("stdio")),
            (
                json!({"type": "stdio", "command": "c", "url": "ignored"}),
                Ok("stdio"),
            ),
            (json!({"url": "https://h/mcp"}), Ok("http")),
            (
                json!({"type": "streamableHttp", "url": "https://h/mcp"}),
                Ok("http"),
            ),
            (json!({"type": "sse", "url": "http://h/mcp"}), Ok("sse")),
            (json!({"type": "ws", "url": "wss://h"}), Ok("ws")),
            (
                json!({"command": "c", "url": "https://h"}),
                Err("mixed_transport"),
            ),
            (json!({}), Err("missing_command")),
            (json!({"type": "stdio"}), Err("missing_command")),
            (json!({"command": " "}), Err("empty_command")),
            (json!({"type": "http"}), Err("missing_url")),
            (json!({"type": "http", "url": "not a url"}), Err("bad_url")),
            (
                json!({"type": "http", "url": "file:///etc/passwd"}),
                Err("bad_url"),
            ),
            (json!({"type": "ws", "url": "https://h"}), Err("bad_url")),
            (
                json!({"type": "ws", "url": "ws://h", "oauth": {}}),
                Err("mixed_transport"),
            ),
            (json!({"type": "carrier pigeon"}), Err("unknown_type")),
            (json!({"type": 5, "url": "https://h"}), Err("type_error")),
            (json!({"command": "c", "args": "a b"}), Err("type_error")),
            (json!({"command": "c", "env": {"A": 1}}), Err("type_error")),
            (json!("uvx"), Err("type_error")),
        ];
        for (entry, want) in cases {
            let mut warnings = Vec::new();
            let got = read(&entry, &mut warnings);
            let got = got
                .as_ref()
                .map(|config| config.transport.name())
                .map_err(|problem| problem.code);
            assert_eq!(got, want, "entry {entry}");
        }
    }

    #[test]
    fn what_is_odd_is_told_and_costs_nothing_else() {
        let entry = json!({"command": "c", "timeout": 0, "startupTimeout": "soon", "always_allow": [], "colour": 1});
        let mut warnings = Vec::new();
        let config = read(&entry, &mut warnings).unwrap();
        assert_eq!(config.timeout, Duration::from_secs(1));
        let told: Vec<_> = warnings
            .iter()
            .map(|problem| (problem.code, &*problem.message))
            .collect();
        assert_eq!(
            told,
            [
                (
                    "unknown_field",
                    "there is no field \"always_allow\"; did you mean `alwaysAllow`?"
                ),
                ("unknown_field", "there is no field \"colour\""),
                (
                    "timeout_clamped",
                    "`timeout` is 0 s and becomes 1 s: 1 s to 3600 s are possible"
                ),
                (
                    "timeout_invalid",
                    "`startupTimeout` must be a number of seconds, and is a string; the default counts"
                ),
            ]
        );
    }

    #[test]
    fn a_client_secret_is_refused_with_the_way_out() {
        let entry =
            json!({"type": "http", "url": "https://h", "oauth": {"clientSecret": "s3cret"}});
        let problem = read(&entry, &mut Vec::new()).unwrap_err();
        assert_eq!(problem.code, "plaintext_secret");
        assert!(problem.message.contains("clientSecretEnv") && !problem.message.contains("s3cret"));
    }
}
