use serde_json::Value;
use url::{Host, Url};

/// A longer address cannot be shown in full, and is not opened.
const MAX_URL_BYTES: usize = 8 * 1024;

/// A page that the person is asked to visit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UrlQuestion {
    url: String,
    message: String,
    elicitation_id: Option<String>,
    params: Value,
}

impl UrlQuestion {
    pub(crate) fn from_params(params: &Value) -> Option<Self> {
        let text = |key: &str| params.get(key).and_then(Value::as_str);
        Some(Self {
            url: text("url").filter(|url| !url.is_empty())?.to_owned(),
            message: text("message").unwrap_or_default().to_owned(),
            elicitation_id: text("elicitationId").map(str::to_owned),
            params: params.clone(),
        })
    }

    /// The address as the server wrote it: show and open only what [`check`](Self::check) returns.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Why; as the server wrote it.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// By which the server will say that the visit is over, in the revisions that have it.
    #[must_use]
    pub fn elicitation_id(&self) -> Option<&str> {
        self.elicitation_id.as_deref()
    }

    /// The whole of what the server sent.
    #[must_use]
    pub fn params(&self) -> &Value {
        &self.params
    }

    /// Checks the address: see [`check_url`].
    ///
    /// # Errors
    ///
    /// [`UrlProblem`] for one that must not be opened; answer with [`Answer::Cancel`](crate::Answer::Cancel).
    pub fn check(&self) -> Result<CheckedUrl, UrlProblem> {
        check_url(&self.url)
    }
}

/// Whether an address may be shown with an offer to open it. Nothing is fetched, and only a person may decide to open it.
///
/// It is read as browsers read it, so that what is shown is where they would go.
///
/// ```
/// use mcp_bridge_elicitation::{UrlProblem, UrlWarning, check_url};
///
/// let url = check_url("https://bank.example@evil.example/")?;
/// assert_eq!((url.host(), url.warnings()), ("evil.example", &[UrlWarning::UserInfo][..]));
/// assert_eq!(check_url("javascript:alert(1)"), Err(UrlProblem::Scheme));
/// # Ok::<(), UrlProblem>(())
/// ```
///
/// # Errors
///
/// [`UrlProblem`] for one that must not be opened.
pub fn check_url(text: &str) -> Result<CheckedUrl, UrlProblem> {
    if text.len() > MAX_URL_BYTES {
        return Err(UrlProblem::TooLong);
    }
    // Browsers drop some of these without a word, and people do not see them.
    let is_odd = |char: char| char.is_control() || char.is_whitespace() || is_invisible(char);
    if text.contains(is_odd) {
        return Err(UrlProblem::Invalid);
    }
    let url = Url::parse(text).map_err(|_| UrlProblem::Invalid)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(UrlProblem::Scheme);
    }
    let host = url.host().ok_or(UrlProblem::Invalid)?;
    let mut warnings = Vec::new();
    if !url.username().is_empty() || url.password().is_some() {
        warnings.push(UrlWarning::UserInfo);
    }
    let is_loopback = match &host {
        Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    };
    if let Host::Domain(name) = &host {
        if name.split('.').any(|label| label.starts_with("xn--")) {
            warnings.push(UrlWarning::Punycode);
        }
    } else if !is_loopback {
        warnings.push(UrlWarning::IpAddress);
    }
    if url.scheme() == "http" && !is_loopback {
        warnings.push(UrlWarning::NotEncrypted);
    }
    Ok(CheckedUrl {
        host: host.to_string(),
        url: url.into(),
        warnings,
    })
}

fn is_invisible(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}')
}

/// An address that a person may be asked to open.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct CheckedUrl {
    url: String,
    host: String,
    warnings: Vec<UrlWarning>,
}

impl CheckedUrl {
    /// The full address, as a browser would open it: show all of it. Give it to a program as one argument, never to a
    /// shell.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// Where it leads: show it apart from the rest. Other scripts than Latin are in punycode.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// What a person should be told before they say yes.
    #[must_use]
    pub fn warnings(&self) -> &[UrlWarning] {
        &self.warnings
    }
}

/// What a person should be told about an address.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum UrlWarning {
    /// What stands before an `@` looks like a host and is none.
    UserInfo,
    /// The host is written in another script, or in several, and may look like another one.
    Punycode,
    /// The host is a number.
    IpAddress,
    /// Others on the way can read and change the page.
    NotEncrypted,
}

impl std::fmt::Display for UrlWarning {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::UserInfo => {
                "the address has a user name before an `@`, which may look like a host"
            }
            Self::Punycode => "the host has characters that may look like others",
            Self::IpAddress => "the host is a number and not a name",
            Self::NotEncrypted => "the connection is not encrypted",
        })
    }
}

/// Why an address must not be opened.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlProblem {
    /// It is no absolute address, or has characters that nobody sees.
    #[error("not a valid address")]
    Invalid,
    /// It is of another scheme than `http` and `https`.
    #[error("not a web address")]
    Scheme,
    /// It is longer than 8 KiB.
    #[error("an address too long to be shown")]
    TooLong,
}
