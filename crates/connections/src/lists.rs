//! What a server lists, page by page.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::connection::Connection;
use crate::error::{Error, ErrorKind};
use crate::wire::Problem;

/// What can be listed.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum ListKind {
    /// `tools/list`.
    Tools,
    /// `resources/list`.
    Resources,
    /// `resources/templates/list`.
    ResourceTemplates,
    /// `prompts/list`.
    Prompts,
}

impl ListKind {
    /// The method that lists it.
    pub fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Resources => "resources/list",
            Self::ResourceTemplates => "resources/templates/list",
            Self::Prompts => "prompts/list",
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }

    fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources | Self::ResourceTemplates => "resources",
            Self::Prompts => "prompts",
        }
    }
}

/// A list, all pages of it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Listing {
    /// The entries as the server sent them. Untrusted.
    pub items: Vec<Value>,
    /// What was left out, and why.
    pub problems: Vec<Problem>,
    /// How long the server says that the list stays fresh (`ttlMs`), where it says so.
    pub ttl: Option<Duration>,
}

impl Connection {
    /// Lists everything of one kind, over all pages; nothing where the server does not declare the capability.
    ///
    /// The walk ends with a problem after [`Limits::max_pages`](crate::Limits::max_pages) pages or
    /// [`Limits::max_entries`](crate::Limits::max_entries) entries, and at a cursor that was seen before: what was read so
    /// far is kept.
    ///
    /// # Errors
    ///
    /// An [`Error`] if the first page cannot be read. If a later page fails, the pages before it are given with a problem.
    pub async fn list(&self, kind: ListKind) -> Result<Listing, Error> {
        let mut listing = Listing::default();
        if !self.server().declares(kind.capability()) {
            return Ok(listing);
        }
        let limits = self.limits();
        let mut cursor: Option<String> = None;
        let mut seen = HashSet::new();
        for page in 1.. {
            let mut params = Map::new();
            if let Some(cursor) = &cursor {
                params.insert("cursor".to_owned(), json!(cursor));
            }
            let mut result = match self
                .plain_request(kind.method(), Value::Object(params))
                .await
            {
                Ok(result) => result,
                Err(error) if page == 1 => return Err(error),
                Err(error) => {
                    let text = format!("page {page} could not be read: {error}");
                    listing.problems.push(Problem::new("page_failed", text));
                    break;
                }
            };
            let Some(Value::Array(items)) = result.get_mut(kind.key()).map(Value::take) else {
                let text = format!("{} was answered without `{}`", kind.method(), kind.key());
                if page == 1 {
                    return Err(Error::new(ErrorKind::Protocol, self.server_id(), text));
                }
                listing.problems.push(Problem::new("page_failed", text));
                break;
            };
            listing.items.extend(items);
            if let Some(ttl) = result.get("ttlMs").and_then(Value::as_u64) {
                let ttl = Duration::from_millis(ttl);
                listing.ttl = Some(listing.ttl.map_or(ttl, |least| least.min(ttl)));
            }
            if listing.items.len() > limits.max_entries {
                listing.items.truncate(limits.max_entries);
                let text = format!(
                    "the list has more than {} entries; the rest is left out",
                    limits.max_entries
                );
                listing.problems.push(Problem::new("list_too_long", text));
                break;
            }
            match result.get("nextCursor").and_then(Value::as_str) {
                None => break,
                Some(next) if !seen.insert(next.to_owned()) => {
                    let text = "the server gave the same cursor twice; the walk ended there";
                    listing.problems.push(Problem::new("cursor_repeated", text));
                    break;
                }
                Some(_) if page >= limits.max_pages => {
                    let text = format!(
                        "the list has more than {} pages; the rest is left out",
                        limits.max_pages
                    );
                    listing.problems.push(Problem::new("list_too_long", text));
                    break;
                }
                Some(next) => cursor = Some(next.to_owned()),
            }
        }
        Ok(listing)
    }
}
