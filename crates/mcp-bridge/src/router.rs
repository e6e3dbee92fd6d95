//! From one connection to the host.

use std::sync::{Arc, Weak};

use async_trait::async_trait;
use mcp_bridge_connections::{Elicitation, ElicitationAnswer, Event as Told, Handler, Root};
use mcp_bridge_elicitation::{Answer, Question};
use mcp_bridge_public_text as public_text;
use serde_json::Value;

use crate::bridge::Inner;
use crate::event::Event;
use crate::warning::Warning;

/// The longest log line that is shown, in characters.
const LOG_CHARS: usize = 4_000;

/// Hands what one server asks and says to the host, checked and cleaned.
pub(crate) struct Router {
    pub(crate) server_id: Arc<str>,
    pub(crate) bridge: Weak<Inner>,
}

impl Router {
    fn warn(&self, bridge: &Inner, code: &str, message: &str) {
        bridge.warn(Warning::new(code, Some(&self.server_id), message));
    }
}

#[async_trait]
impl Handler for Router {
    async fn elicit(&self, asked: Elicitation) -> ElicitationAnswer {
        let Some(bridge) = self.bridge.upgrade() else {
            return ElicitationAnswer::Cancel;
        };
        let question = match Question::new(&asked.params) {
            Ok(question) => question,
            Err(error) => {
                let text = format!("a question could not be read and was cancelled: {error}");
                self.warn(&bridge, "elicitation_invalid", &text);
                return ElicitationAnswer::Cancel;
            }
        };
        if let Question::Url(url) = &question
            && let Err(problem) = url.check()
        {
            let text = format!("a question with an unfit URL was cancelled: {problem}");
            self.warn(&bridge, "elicitation_invalid", &text);
            return ElicitationAnswer::Cancel;
        }
        match (
            bridge.host.elicit(&self.server_id, &question).await,
            &question,
        ) {
            (Answer::Accept(content), Question::Form(form)) => {
                match form.check(&content.unwrap_or_default()) {
                    Ok(content) => ElicitationAnswer::Accept(Some(Value::Object(content))),
                    Err(error) => {
                        let text =
                            format!("an answer does not fit its form and was not sent: {error}");
                        self.warn(&bridge, "elicitation_answer_invalid", &text);
                        ElicitationAnswer::Cancel
                    }
                }
            }
            (Answer::Accept(_), _) => ElicitationAnswer::Accept(None),
            (Answer::Decline, _) => ElicitationAnswer::Decline,
            _ => ElicitationAnswer::Cancel,
        }
    }

    async fn roots(&self) -> Vec<Root> {
        match self.bridge.upgrade() {
            Some(bridge) => bridge.host.roots(&self.server_id).await,
            None => Vec::new(),
        }
    }

    fn event(&self, event: Told) {
        let Some(bridge) = self.bridge.upgrade() else {
            return;
        };
        match event {
            Told::ListChanged(kind) => bridge.list_changed(&self.server_id, kind),
            Told::ResourceUpdated { uri } => bridge.host.event(&Event::ResourceUpdated {
                server_id: Arc::clone(&self.server_id),
                uri,
            }),
            Told::Log { level, data, .. } => {
                let text = match data {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                let text = public_text::public(&text);
                bridge.host.event(&Event::Log {
                    server_id: Arc::clone(&self.server_id),
                    level: public_text::public(&level).into_owned(),
                    text: public_text::truncate(&text, LOG_CHARS).into_owned(),
                });
            }
            Told::Problem(problem) => self.warn(&bridge, problem.code, &problem.message),
            _ => {}
        }
    }
}
