use serde_json::{Map, Value, json};

use crate::error::{Error, ErrorKind};
use crate::form::Form;

/// What the server is told. There are no other answers, and only an accepted form has content.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the protocol knows these three actions, and a host has to send one of them"
)]
pub enum Answer {
    /// The person agreed, with the values of a form or, for an address, without.
    Accept(Option<Map<String, Value>>),
    /// The person said no.
    Decline,
    /// Nobody said anything: no window, a closed one, a time-out, an interrupted call.
    Cancel,
}

impl Answer {
    /// Reads what a handler of any make returned; what is no answer is nobody's answer.
    ///
    /// ```
    /// use mcp_bridge_elicitation::Answer;
    /// use serde_json::json;
    ///
    /// assert_eq!(Answer::normalize(&json!({"action": "decline", "content": {"a": 1}})), Answer::Decline);
    /// assert_eq!(Answer::normalize(&json!("accept")), Answer::Cancel);
    /// ```
    #[must_use]
    pub fn normalize(returned: &Value) -> Self {
        match returned.get("action").and_then(Value::as_str) {
            Some("accept") => {
                Self::Accept(returned.get("content").and_then(Value::as_object).cloned())
            }
            Some("decline") => Self::Decline,
            _ => Self::Cancel,
        }
    }

    /// The word of the protocol.
    #[must_use]
    pub fn action(&self) -> &'static str {
        match self {
            Self::Accept(_) => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }

    /// The result to send: `action`, and `content` where there is some.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Accept(Some(content)) => json!({"action": "accept", "content": content}),
            _ => json!({"action": self.action()}),
        }
    }
}

/// Checks an answer to a form before it is sent: content only with `accept`, only of the form's fields, each fitting.
///
/// # Errors
///
/// [`ErrorKind::InvalidAnswer`] for an unknown action or a value that does not fit, [`ErrorKind::InvalidRequest`] for a
/// schema that is none.
pub fn check_answer(schema: &Value, answer: &Value) -> Result<Answer, Error> {
    match answer.get("action").and_then(Value::as_str) {
        Some("accept") => {}
        Some("decline") => return Ok(Answer::Decline),
        Some("cancel") => return Ok(Answer::Cancel),
        _ => {
            return Err(Error::new(
                ErrorKind::InvalidAnswer,
                "the action is not `accept`, `decline` or `cancel`",
            ));
        }
    }
    let form = Form::new("", schema)?;
    let none = Map::new();
    let content = match answer.get("content") {
        None | Some(Value::Null) => &none,
        Some(Value::Object(content)) => content,
        Some(_) => {
            return Err(Error::new(
                ErrorKind::InvalidAnswer,
                "the content is no object",
            ));
        }
    };
    let content = form.check(content)?;
    Ok(Answer::Accept(
        (!form.fields().is_empty()).then_some(content),
    ))
}
