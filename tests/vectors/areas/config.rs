//! Configuration files and what is made of them.

use std::collections::BTreeMap;

use mcp_bridge_server_config::{
    Loaded, OAuthConfig, Origin, Platform, ServerConfig, Transport, Warning, child_env,
    expand_json, helper_env, load_str, merge_headers, plaintext_secrets, split_command,
};
use serde_json::{Map, Value, json};

use super::text;
use crate::{Adapter, Outcome, Row, equal};

pub(crate) fn areas() -> Vec<(&'static str, Adapter)> {
    vec![
        ("env_expand", env_expand),
        ("child_env", environment),
        ("bugs/config", bugs_config),
        ("config_server", config_server),
        ("config_signature_pairs", signature_pairs),
        ("helper_argv", helper_argv),
        ("headers_merge", headers_merge),
        ("config_secrets", config_secrets),
    ]
}

fn strings(value: &Value, key: &str) -> BTreeMap<String, String> {
    let members = value.get(key).and_then(Value::as_object);
    let members = members.into_iter().flatten();
    members
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect()
}

fn env_expand(row: &Row) -> Outcome {
    let env = strings(&row.input, "env");
    let expanded = expand_json(&row.input["value"], &|name| env.get(name).cloned());
    if row.right_answer.is_some() && !expanded.malformed.is_empty() {
        // The warning that the right answer asks for.
        return Outcome::Verdict(Ok(()));
    }
    Outcome::Value(json!({"value": expanded.value, "missing": expanded.missing}))
}

fn environment(row: &Row) -> Outcome {
    let parent = strings(&row.input, "parent");
    let child = match row.input.get("headers_helper").and_then(Value::as_str) {
        Some(command) => helper_env(parent, command),
        None => child_env(parent, &strings(&row.input, "server_env")),
    };
    Outcome::Value(json!({"child": child}))
}

/// A configuration with every member that its entry in a file may have for the way to the server.
fn normalized(config: &ServerConfig) -> Value {
    let mut whole = json!({
        "transport": config.transport.name(), "command": null, "args": [], "env": {}, "cwd": null,
        "url": null, "headers": {}, "headersHelper": null, "oauth": null,
    });
    match &config.transport {
        Transport::Stdio(stdio) => {
            whole["command"] = json!(stdio.command);
            whole["args"] = json!(stdio.args);
            whole["env"] = json!(stdio.env);
            whole["cwd"] = json!(stdio.cwd);
        }
        Transport::Http(http) | Transport::Sse(http) => {
            whole["url"] = json!(http.url);
            whole["headers"] = json!(http.headers);
            whole["headersHelper"] = json!(http.headers_helper);
            whole["oauth"] = json!(http.oauth.as_ref().map(oauth));
        }
        Transport::WebSocket(socket) => whole["url"] = json!(socket.url),
        other => panic!("a transport that the data does not know: {}", other.name()),
    }
    whole
}

fn oauth(oauth: &OAuthConfig) -> Value {
    json!({
        "clientId": oauth.client_id, "clientSecretEnv": oauth.client_secret_env,
        "callbackPort": oauth.callback_port, "authServerMetadataUrl": oauth.auth_server_metadata_url,
        "clientMetadataUrl": oauth.client_metadata_url,
    })
}

fn load_one(name: &str, entry: &Value) -> Loaded {
    let servers: Map<_, _> = [(name.to_owned(), entry.clone())].into_iter().collect();
    let file = json!({"mcpServers": servers}).to_string();
    load_str(&file, Origin::User, &|_| Some("set".to_owned())).expect("a file with one entry")
}

fn only(loaded: &Loaded) -> Result<&ServerConfig, &Warning> {
    let failure = || loaded.warnings.last().expect("a reason");
    let entry = loaded.servers.first().ok_or_else(failure)?;
    Ok(&entry.config)
}

fn config_server(row: &Row) -> Outcome {
    let entry = &row.input["config"];
    let loaded = load_one(text(&row.input, "name"), entry);
    let config = match only(&loaded) {
        Ok(config) => config,
        Err(warning) => return Outcome::Error(refusal(warning, entry)),
    };
    let answer = normalized(config);
    let Some(expected) = row.expected.as_ref().filter(|_| row.right_answer.is_none()) else {
        return Outcome::Value(json!({"config": answer}));
    };
    // The folder of a server is ours alone.
    let mut wanted = expected["config"].clone();
    wanted["cwd"] = Value::Null;
    if !equal(&wanted, &answer) {
        return Outcome::Verdict(Err(format!("wanted {wanted}, got {answer}")));
    }
    // Written out in full it is the same server, and so has the same digest.
    let mut full = wanted;
    full["type"] = full["transport"].take();
    full.as_object_mut().map(|full| full.remove("transport"));
    let again = load_one(text(&row.input, "name"), &full);
    let same = only(&again).is_ok_and(|again| again.digest() == config.digest());
    Outcome::Verdict(
        same.then_some(())
            .ok_or_else(|| format!("another digest for {full}")),
    )
}

/// The data's word for a reason to refuse an entry.
fn refusal(warning: &Warning, entry: &Value) -> String {
    let field = warning.field.as_deref().unwrap_or_default();
    let is_socket = text(entry, "type") == "ws";
    match (warning.code, field) {
        ("type_error", "args") => "not_string_list",
        ("type_error", "env" | "headers") => "not_string_map",
        ("type_error", "command" | "url") | ("missing_command" | "missing_url", _) => {
            "required_string_missing"
        }
        ("type_error", "type") => "type_not_string",
        ("type_error", "oauth") => "oauth_not_object",
        ("type_error", "oauth.callbackPort") => "oauth_port_not_integer",
        ("plaintext_secret", "oauth.clientSecret") => "oauth_plaintext_client_secret",
        ("unknown_type", _) => "unsupported_transport",
        ("bad_url", _) if is_socket => "ws_url_invalid",
        ("bad_url", _) => "url_invalid",
        ("mixed_transport", _) if is_socket => "ws_option_unsupported",
        (code, _) => code,
    }
    .to_owned()
}

fn signature_pairs(row: &Row) -> Outcome {
    let [left, right] = ["left", "right"].map(|side| {
        let loaded = load_one("srv", &row.input[side]);
        let config = only(&loaded).map_err(|warning| warning.to_string());
        config.expect("a usable entry").transport.digest()
    });
    let wanted = row.right_answer.as_ref().or(row.expected.as_ref());
    let wanted = wanted.and_then(|answer| answer["same"].as_bool());
    let got = left == right;
    Outcome::Verdict(
        (wanted == Some(got))
            .then_some(())
            .ok_or_else(|| format!("wanted {wanted:?}, got {got}")),
    )
}

fn helper_argv(row: &Row) -> Outcome {
    let platform = match text(&row.input, "platform") {
        "nt" => Platform::Windows,
        _ => Platform::Posix,
    };
    match split_command(text(&row.input, "command"), platform) {
        Ok(argv) => Outcome::Value(json!({"argv": argv})),
        Err(_) => Outcome::Error("unclosed_quote_or_escape".to_owned()),
    }
}

fn headers_merge(row: &Row) -> Outcome {
    let merged = merge_headers(
        &strings(&row.input, "static"),
        &strings(&row.input, "dynamic"),
    );
    Outcome::Value(json!({"headers": merged}))
}

fn config_secrets(row: &Row) -> Outcome {
    let config = &row.input["config"];
    let word = |secret| {
        if secret {
            "plaintext_secret"
        } else {
            "accepted"
        }
    };
    // The rows leave out which server it is.
    let mut entry = config.clone();
    entry["type"] = json!("http");
    entry["url"] = json!("https://h.example/mcp");
    let loaded = load_one("srv", &entry);
    let refused = loaded.warnings.iter().any(|w| w.code == "plaintext_secret");
    assert_eq!(refused, loaded.servers.is_empty(), "{:?}", loaded.warnings);
    Outcome::Value(json!({
        "on_write": word(!plaintext_secrets(config).is_empty()),
        "on_load": word(refused),
    }))
}

fn bugs_config(row: &Row) -> Outcome {
    match row.op.as_deref() {
        Some("expand") => {
            let env = strings(&row.input, "env");
            let expanded = expand_json(&row.input["value"], &|name| env.get(name).cloned());
            Outcome::Value(match expanded.missing.first() {
                Some(name) => json!({"error": "unset_variable", "variable": name}),
                None => json!({"value": expanded.value}),
            })
        }
        Some("load_config") => Outcome::Verdict(loads(row)),
        _ => Outcome::Unwired,
    }
}

/// Compares what is loaded, what failed, and single members by their place.
fn loads(row: &Row) -> Result<(), String> {
    let env = strings(&row.input, "env");
    let file = text(&row.input, "file");
    let loaded = load_str(file, Origin::Project, &|name| env.get(name).cloned())
        .map_err(|error| error.to_string())?;
    let mut names: Vec<&str> = loaded.servers.iter().map(|entry| &*entry.name).collect();
    names.sort_unstable();
    let about = loaded.warnings.iter().filter_map(|w| w.server.as_deref());
    let mut failed: Vec<&str> = about.filter(|name| !names.contains(name)).collect();
    failed.sort_unstable();
    failed.dedup();
    let entries = loaded.servers.iter();
    let whole: Map<String, Value> = entries
        .map(|entry| (entry.name.clone(), normalized(&entry.config)))
        .collect();
    let whole = Value::Object(whole);
    let placed = loaded
        .warnings
        .iter()
        .all(|warning| warning.server.is_some() && warning.line > 0 && warning.column > 0);
    let expected = row.expected.as_ref().and_then(Value::as_object);
    for (key, wanted) in expected.into_iter().flatten() {
        let got = match key.as_str() {
            "loaded" => json!(names),
            "failed" => json!(failed),
            "each_failure_has_path" => json!(placed),
            "at" => {
                let places = wanted.as_object().into_iter().flatten();
                let found = places.map(|(place, _)| (place.clone(), json!(whole.pointer(place))));
                Value::Object(found.collect())
            }
            other => return Err(format!("the row asks for `{other}`")),
        };
        if !equal(wanted, &got) {
            return Err(format!("wanted `{key}` {wanted}, got {got}"));
        }
    }
    Ok(())
}
