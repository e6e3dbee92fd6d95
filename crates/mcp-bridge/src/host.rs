//! The program around the bridge.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_bridge_connections::Root;
use mcp_bridge_elicitation::{self as elicitation, Modes, Question};
use mcp_bridge_permissions::{Answer, Hints};
use serde_json::Value;

use crate::event::Event;

/// A call that waits for a person's word.
///
/// Names, title and arguments are as server and model wrote them: clean them
/// ([`public_text`](crate::public_text)) before a terminal shows them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The host's key for the server.
    pub server_id: String,
    /// The tool as the server wrote it.
    pub tool: String,
    /// The tool as the model called it.
    pub public_name: String,
    /// Its name for people.
    pub title: String,
    /// What it would be called with.
    pub arguments: Value,
    /// What it says of itself. Untrusted.
    pub hints: Hints,
    /// The question, in a sentence.
    pub question: String,
    /// Why it is asked, in a sentence.
    pub explanation: String,
    /// The rule that an "always" stands for.
    pub suggested_rule: Option<String>,
    /// The model API's id of the tool call, where the caller gave one.
    pub tool_use_id: Option<String>,
}

/// What the bridge asks of the program around it. Every default is safe and silent.
#[async_trait]
pub trait Host: Send + Sync {
    /// Asks a person whether a call may run. Questions come one at a time, in order; the future is dropped when the
    /// call is cancelled meanwhile.
    ///
    /// The default answers `None`, nobody is there: the call is refused with a sentence that says how to allow it.
    async fn approve(&self, _request: &ApprovalRequest) -> Option<Answer> {
        None
    }

    /// Which kinds of questions this host can put to a person. Servers are told of these only.
    ///
    /// The default is none.
    fn elicitation(&self) -> Modes {
        Modes::default()
    }

    /// Puts a server's question to a person. What is accepted is checked before it is sent. The future is dropped when
    /// the question is withdrawn.
    ///
    /// The default cancels.
    async fn elicit(&self, _server_id: &str, _question: &Question) -> elicitation::Answer {
        elicitation::Answer::Cancel
    }

    /// Whether servers may ask for [`roots`](Self::roots). The default is no.
    fn has_roots(&self) -> bool {
        false
    }

    /// The folders that a server may know of.
    async fn roots(&self, _server_id: &str) -> Vec<Root> {
        Vec::new()
    }

    /// Is told what happens; must return at once. The default ignores it.
    fn event(&self, _event: &Event) {}
}

/// A host that answers nothing.
#[async_trait]
impl Host for () {}

macro_rules! forward {
    ($($owner:ident),*) => {$(
        #[async_trait]
        impl<H: Host + ?Sized> Host for $owner<H> {
            async fn approve(&self, request: &ApprovalRequest) -> Option<Answer> {
                (**self).approve(request).await
            }

            fn elicitation(&self) -> Modes {
                (**self).elicitation()
            }

            async fn elicit(&self, server_id: &str, question: &Question) -> elicitation::Answer {
                (**self).elicit(server_id, question).await
            }

            fn has_roots(&self) -> bool {
                (**self).has_roots()
            }

            async fn roots(&self, server_id: &str) -> Vec<Root> {
                (**self).roots(server_id).await
            }

            fn event(&self, event: &Event) {
                (**self).event(event);
            }
        }
    )*};
}

forward!(Arc, Box);
