//! Secrets that stand in an entry as they are.

use serde_json::Value;

use crate::redact::is_secret_name;

/// A secret that an entry holds itself, instead of naming its variable.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct PlaintextSecret {
    /// Where it stands, e.g. `headers.Authorization`.
    pub field: String,
    /// As what it stands there.
    pub place: SecretPlace,
}

/// As what a secret stands in an entry.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum SecretPlace {
    /// A value without a variable. Common in files written by hand, which are read all the same.
    Value,
    /// The default of a variable, `${TOKEN:-secret}`: it hides that the variable is not set.
    Default,
    /// A word of `headersHelper`, which other users of the machine can see.
    Helper,
}

/// The secrets that `entry` holds as they are, in its `env`, `headers` and `headersHelper`.
///
/// Found by the names of headers and variables and by the look of values, so that an entry can be refused before it is
/// written to a file: a false alarm costs no more than a `${VAR}`. Reading a file refuses only a
/// [default](SecretPlace::Default) and a [helper](SecretPlace::Helper). No value is part of the answer.
///
/// ```
/// use mcp_bridge_server_config::{SecretPlace, plaintext_secrets};
///
/// let entry = serde_json::json!({"headers": {"Authorization": "Bearer abc", "X-Key": "${KEY}"}});
/// let found = plaintext_secrets(&entry);
/// assert_eq!((found[0].field.as_str(), found[0].place), ("headers.Authorization", SecretPlace::Value));
/// assert_eq!(found.len(), 1);
/// ```
pub fn plaintext_secrets(entry: &Value) -> Vec<PlaintextSecret> {
    let mut found = Vec::new();
    for field in ["env", "headers"] {
        let members = entry.get(field).and_then(Value::as_object);
        for (name, value) in members.into_iter().flatten() {
            if let Some(place) = value.as_str().and_then(|value| place(name, value)) {
                let field = format!("{field}.{name}");
                found.push(PlaintextSecret { field, place });
            }
        }
    }
    let helper = entry.get("headersHelper").and_then(Value::as_str);
    if helper.is_some_and(helper_has_secret) {
        found.push(PlaintextSecret {
            field: "headersHelper".to_owned(),
            place: SecretPlace::Helper,
        });
    }
    found
}

fn place(name: &str, value: &str) -> Option<SecretPlace> {
    let name = name.to_ascii_lowercase();
    let parts = Parts::of(value);
    // A server is lost by this one, so `GIT_AUTHOR_NAME` is no reason.
    let is_sensitive_here = is_sensitive(&name.replace("author_", "").replace("author-", ""));
    let is_secret_default = |default: &&str| {
        let by_name = is_sensitive_here && !default.is_empty() && !is_harmless(&name, default);
        by_name || looks_secret(default)
    };
    if parts.defaults.iter().any(is_secret_default) {
        return Some(SecretPlace::Default);
    }
    // An empty value under such a name counts too: it waits for a secret to be typed in.
    let is_bare = !parts.has_reference && is_sensitive(&name) && !is_harmless(&name, value);
    (is_bare || looks_secret(&parts.literal)).then_some(SecretPlace::Value)
}

/// Whether a value says how much or whether: `MAX_TOKENS`, `TOKENIZERS_PARALLELISM`.
fn is_harmless(name: &str, value: &str) -> bool {
    const MOST_DIGITS: usize = 6;
    let is_count = !value.is_empty()
        && value.len() <= MOST_DIGITS
        && value.bytes().all(|byte| byte.is_ascii_digit());
    let may_be_digits = ["pass", "secret"].iter().any(|part| name.contains(part));
    is_flag_word(value) || (is_count && !may_be_digits)
}

/// A text without its references to variables, and what stands in them.
struct Parts<'a> {
    literal: String,
    defaults: Vec<&'a str>,
    has_reference: bool,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Self {
        let mut parts = Self {
            literal: String::with_capacity(text.len()),
            defaults: Vec::new(),
            has_reference: false,
        };
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((inside, behind)) = after.split_once('}') else {
                break;
            };
            parts.literal.push_str(before);
            parts.literal.push(' ');
            let default = inside.split_once(":-").map(|(_, default)| default);
            parts.defaults.extend(default);
            parts.has_reference = true;
            rest = behind;
        }
        parts.literal.push_str(rest);
        parts
    }
}

/// Broader than what is hidden from people: it also takes `Author`, `Session-Id` and `jwt`. In small letters.
fn is_sensitive(name: &str) -> bool {
    is_secret_name(name)
        || ["auth", "session", "jwt"]
            .iter()
            .any(|part| name.contains(part))
}

fn is_flag_word(value: &str) -> bool {
    matches!(value, "true" | "false")
}

fn looks_secret(text: &str) -> bool {
    let mut words = words(text);
    let scheme = words.next().is_some_and(is_scheme) && words.next().is_some();
    scheme || has_key_or_assignment(text)
}

fn helper_has_secret(command: &str) -> bool {
    let words: Vec<&str> = words(command).collect();
    let in_pair = words.iter().zip(words.iter().skip(1)).any(|(word, value)| {
        let is_value = !value.starts_with('-') && !is_reference(value);
        is_value && (is_scheme(word) || is_secret_flag(word))
    });
    in_pair || has_key_or_assignment(command)
}

fn is_secret_flag(word: &str) -> bool {
    let names_a_place = ["-file", "-path", "-env"]
        .iter()
        .any(|end| word.ends_with(end));
    word.starts_with('-')
        && !word.contains('=')
        && is_sensitive(&word.to_ascii_lowercase())
        && !names_a_place
}

/// `$X` or `${X}`, whose value stands elsewhere.
fn is_reference(word: &str) -> bool {
    word.starts_with('$')
        && Parts::of(word)
            .defaults
            .iter()
            .all(|default| default.is_empty())
}

fn has_key_or_assignment(text: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | ',' | '?' | '"' | '\''))
        .any(|word| {
            let assigned = word.split_once('=').is_some_and(|(name, value)| {
                let name = name.to_ascii_lowercase();
                let secret =
                    is_secret_name(&name) || name.contains("session") || name.contains("jwt");
                secret && !value.is_empty() && !is_flag_word(value) && !is_reference(value)
            });
            assigned || is_key(word) || word.split(['=', ':']).any(is_key)
        })
}

/// Whether a word begins as the keys of well-known services do, and is as long.
fn is_key(word: &str) -> bool {
    const BEGINNINGS: [&str; 10] = [
        "sk-",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xoxp-",
        "AKIA",
    ];
    const LEAST_CHARS: usize = 10;
    BEGINNINGS.iter().any(|beginning| {
        word.strip_prefix(beginning).is_some_and(|rest| {
            let fits = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            rest.chars().take_while(fits).count() >= LEAST_CHARS
        })
    })
}

fn is_scheme(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\''))
        .filter(|word| !word.is_empty())
}
