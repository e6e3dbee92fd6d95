//! What the bridge asks and tells, on this terminal.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_bridge::elicitation::{self, Modes, Question};
use mcp_bridge::permissions::{self, AnswerKind};
use mcp_bridge::{ApprovalRequest, Event, Host};
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::host::dialogue;
use crate::host::screen::Screen;

/// Who answers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Answers {
    /// The person at the terminal, or nobody where there is none.
    Person,
    /// The tour, so that it ends by itself: yes to what writes, no to what deletes, and a form filled in.
    Tour,
}

#[derive(Debug)]
pub(crate) struct Terminal {
    pub(crate) screen: Arc<Screen>,
    pub(crate) answers: Answers,
}

impl Terminal {
    /// Asks on a thread of its own, since a person takes time to type.
    async fn ask<T: Send + 'static>(
        &self,
        dialogue: impl FnOnce(&Screen) -> T + Send + 'static,
    ) -> Option<T> {
        if !self.screen.is_interactive() {
            return None;
        }
        let screen = Arc::clone(&self.screen);
        spawn_blocking(move || dialogue(&screen)).await.ok()
    }

    fn tour_approves(&self, request: &ApprovalRequest) -> permissions::Answer {
        let kind = match request.tool.starts_with("delete") {
            true => AnswerKind::No,
            false => AnswerKind::Once,
        };
        let word = if kind.allows() { "yes" } else { "no" };
        self.screen.line(&format!("  asked: {}", request.question));
        self.screen.line(&format!("  the tour answers: {word}"));
        permissions::Answer::new(kind)
    }

    fn tour_answers(&self, question: &Question) -> elicitation::Answer {
        self.screen
            .line(&format!("  asked: {}", question.message()));
        let Question::Form(form) = question else {
            self.screen.line("  the tour answers: no");
            return elicitation::Answer::Decline;
        };
        for field in form.fields() {
            let need = if field.is_required {
                "required"
            } else {
                "optional"
            };
            self.screen.line(&format!(
                "    {} ({}, {need})",
                field.label(),
                field.type_name()
            ));
        }
        let content = json!({"name": "Ann", "date": "2030-05-01", "guests": 4});
        self.screen.line(&format!("  the tour answers: {content}"));
        elicitation::Answer::Accept(content.as_object().cloned())
    }
}

#[async_trait]
impl Host for Terminal {
    async fn approve(&self, request: &ApprovalRequest) -> Option<permissions::Answer> {
        if self.answers == Answers::Tour {
            return Some(self.tour_approves(request));
        }
        let why = format!("{} ({})", request.question, request.explanation);
        let arguments = request.arguments.clone();
        self.ask(move |screen| dialogue::approve(screen, &why, &arguments))
            .await
    }

    fn elicitation(&self) -> Modes {
        Modes::all()
    }

    async fn elicit(&self, server_id: &str, question: &Question) -> elicitation::Answer {
        if self.answers == Answers::Tour {
            return self.tour_answers(question);
        }
        let (server, asked) = (server_id.to_owned(), question.clone());
        let answer = self.ask(move |screen| match &asked {
            Question::Form(form) => dialogue::fill_in(screen, &server, form),
            Question::Url(url) => dialogue::visit(screen, &server, url),
            _ => elicitation::Answer::Cancel,
        });
        answer.await.unwrap_or_else(|| {
            let line = "was cancelled, since nobody is there to answer";
            self.screen
                .note(&format!("A question of the server `{server_id}` {line}."));
            elicitation::Answer::Cancel
        })
    }

    fn event(&self, event: &Event) {
        match event {
            Event::Progress(progress) => self.screen.progress(
                &progress.interactive(),
                &progress.headless(),
                progress.fraction(),
            ),
            Event::Warning(warning) => self.screen.note(&format!("warning: {warning}")),
            Event::Log {
                server_id,
                level,
                text,
            } => {
                self.screen.note(&format!("{server_id} ({level}): {text}"));
            }
            _ => {}
        }
    }
}
