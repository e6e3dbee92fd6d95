use serde_json::{Value, json};

use crate::error::{Error, ErrorKind};
use crate::form::Form;
use crate::url::UrlQuestion;

/// The JSON-RPC code of a call that first needs a visit to an address.
pub const URL_ELICITATION_REQUIRED: i64 = -32042;

/// More addresses than this in one error are not asked for.
const MAX_URLS: usize = 32;

/// What a server asks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Question {
    /// Some fields to fill in.
    Form(Form),
    /// An address to visit.
    Url(UrlQuestion),
}

impl Question {
    /// Reads the params of `elicitation/create`, or of one input request of a call. No `mode` is a form.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`] if they are no object or lack what their mode needs, [`ErrorKind::UnsupportedMode`]
    /// for a mode that the protocol does not have.
    pub fn new(params: &Value) -> Result<Self, Error> {
        if !params.is_object() {
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                "the params of an elicitation are no object",
            ));
        }
        let message = params
            .get("message")
            .and_then(Value::as_str)
            .unwrap_or_default();
        match params.get("mode") {
            None | Some(Value::Null) => {}
            Some(mode) if mode == "form" => {}
            Some(mode) if mode == "url" => {
                let url = UrlQuestion::from_params(params);
                let url = url.ok_or_else(|| {
                    Error::new(
                        ErrorKind::InvalidRequest,
                        "an elicitation of mode `url` has no url",
                    )
                });
                return Ok(Self::Url(url?));
            }
            Some(_) => {
                return Err(Error::new(
                    ErrorKind::UnsupportedMode,
                    "an elicitation of an unknown mode",
                ));
            }
        }
        let schema = params
            .get("requestedSchema")
            .or_else(|| params.get("schema"))
            .unwrap_or(&Value::Null);
        Ok(Self::Form(Form::new(message, schema)?))
    }

    /// Why it is asked; as the server wrote it.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Form(form) => form.message(),
            Self::Url(url) => url.message(),
        }
    }
}

/// What a host can ask its user: what it may tell servers, and what it has to refuse. The default can ask nothing.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Modes {
    /// Whether it can show forms.
    pub form: bool,
    /// Whether it can show an address and open it on request.
    pub url: bool,
}

impl Modes {
    /// A host that can do both.
    #[must_use]
    pub fn all() -> Self {
        Self {
            form: true,
            url: true,
        }
    }

    /// A host that can show forms.
    #[must_use]
    pub fn form() -> Self {
        Self {
            form: true,
            url: false,
        }
    }

    /// The `elicitation` capability to declare; none if nothing can be asked.
    #[must_use]
    pub fn capability(self) -> Option<Value> {
        match (self.form, self.url) {
            (false, false) => None,
            (true, false) => Some(json!({"form": {}})),
            (false, true) => Some(json!({"url": {}})),
            (true, true) => Some(json!({"form": {}, "url": {}})),
        }
    }

    /// Refuses a question that was not offered to be asked.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnsupportedMode`]: the server gets a JSON-RPC error, since nobody has refused or dismissed anything.
    pub fn check(self, question: &Question) -> Result<(), Error> {
        let (is_able, message) = match question {
            Question::Form(_) => (self.form, "this client does not show forms"),
            Question::Url(_) => (self.url, "this client does not show addresses"),
        };
        if is_able {
            Ok(())
        } else {
            Err(Error::new(ErrorKind::UnsupportedMode, message))
        }
    }
}

/// The addresses that a failed call needs visited, if its error says so; entries without an address are left out.
///
/// ```
/// let data = serde_json::json!({"elicitations": [{"mode": "url", "url": "https://e.com/", "elicitationId": "1"}, 5]});
/// let questions = mcp_bridge_elicitation::url_questions(-32042, &data).unwrap_or_default();
/// assert_eq!(questions.iter().map(|question| question.url()).collect::<Vec<_>>(), ["https://e.com/"]);
/// assert_eq!(mcp_bridge_elicitation::url_questions(-32000, &data), None);
/// ```
#[must_use]
pub fn url_questions(code: i64, data: &Value) -> Option<Vec<UrlQuestion>> {
    let listed = data.get("elicitations").and_then(Value::as_array);
    let questions = listed
        .into_iter()
        .flatten()
        .filter_map(UrlQuestion::from_params)
        .take(MAX_URLS);
    (code == URL_ELICITATION_REQUIRED).then(|| questions.collect())
}
