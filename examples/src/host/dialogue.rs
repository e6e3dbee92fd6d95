//! Questions on a terminal: may a tool run, what goes into a form, is an address all right.
//!
//! Every end that is not a clear yes is a no: an ended input, an empty line, a typing error.

use mcp_bridge::elicitation::{self, Field, Form, UrlQuestion};
use mcp_bridge::permissions::{self, AnswerKind};
use serde_json::{Map, Value};

use crate::host::screen::Screen;

/// How often a field is asked again after an answer that does not fit.
const TRIES: usize = 3;

/// Whether a call may run. `why` is the question with its reason.
pub(crate) fn approve(screen: &Screen, why: &str, arguments: &Value) -> permissions::Answer {
    screen.note(why);
    screen.note(&format!("  arguments: {arguments}"));
    let typed = screen.ask("Allow it? [y]es, [n]o, [a]lways in this session:");
    permissions::Answer::new(approval(typed.as_deref()))
}

fn approval(typed: Option<&str>) -> AnswerKind {
    match typed.unwrap_or_default().trim().to_lowercase().as_str() {
        "y" | "yes" => AnswerKind::Once,
        "a" | "always" => AnswerKind::Session,
        _ => AnswerKind::No,
    }
}

/// Asks a form field by field, and whether to send what was typed.
pub(crate) fn fill_in(screen: &Screen, server_id: &str, form: &Form) -> elicitation::Answer {
    screen.note(&format!(
        "The server `{server_id}` asks: {}",
        form.message()
    ));
    if !is_yes(screen.ask("Answer it? [y]es, [n]o:")) {
        return elicitation::Answer::Decline;
    }
    let mut content = Map::new();
    for field in form.fields() {
        match fill_in_field(screen, field) {
            Ok(Some(value)) => {
                content.insert(field.name.clone(), value);
            }
            Ok(None) => {}
            Err(GaveUp) => return elicitation::Answer::Cancel,
        }
    }
    match form.check(&content) {
        Ok(content) => {
            screen.note(&format!("  {}", Value::Object(content.clone())));
            match is_yes(screen.ask("Send this? [y]es, [n]o:")) {
                true => elicitation::Answer::Accept(Some(content)),
                false => elicitation::Answer::Cancel,
            }
        }
        Err(error) => {
            screen.note(&format!("Nothing is sent: {error}."));
            elicitation::Answer::Cancel
        }
    }
}

struct GaveUp;

fn fill_in_field(screen: &Screen, field: &Field) -> Result<Option<Value>, GaveUp> {
    if field.looks_secret() {
        screen.note("  This looks like a secret; servers must not ask for those in a form.");
    }
    if let Some(description) = &field.description {
        screen.note(&format!("  {description}"));
    }
    let default = field.default.as_ref();
    let prompt = match default {
        Some(default) => format!("  {} [{default}]", field.prompt().trim_end()),
        None => format!("  {}", field.prompt().trim_end()),
    };
    for _ in 0..TRIES {
        let typed = screen.ask(&prompt).ok_or(GaveUp)?;
        if typed.is_empty() && (default.is_some() || !field.is_required) {
            return Ok(default.cloned());
        }
        match field.parse(&typed) {
            Ok(value) => return Ok(value),
            Err(error) => screen.note(&format!("  {error}")),
        }
    }
    Err(GaveUp)
}

/// Shows an address and asks for consent. Nothing is opened or fetched here: that is left to the person.
pub(crate) fn visit(
    screen: &Screen,
    server_id: &str,
    question: &UrlQuestion,
) -> elicitation::Answer {
    screen.note(&format!(
        "The server `{server_id}` asks you to open a page: {}",
        question.message()
    ));
    let address = match question.check() {
        Ok(address) => address,
        Err(problem) => {
            screen.note(&format!("It was refused: {problem}."));
            return elicitation::Answer::Cancel;
        }
    };
    screen.note_verbatim(&format!("  host:    {}", address.host()));
    screen.note_verbatim(&format!("  address: {}", address.as_str()));
    for warning in address.warnings() {
        screen.note(&format!("  careful: {warning}"));
    }
    match screen.ask("Do you agree, and open it yourself? [y]es, [n]o:") {
        None => elicitation::Answer::Cancel,
        typed if is_yes(typed.clone()) => elicitation::Answer::Accept(None),
        Some(_) => elicitation::Answer::Decline,
    }
}

fn is_yes(typed: Option<String>) -> bool {
    typed.is_some_and(|typed| matches!(typed.trim().to_lowercase().as_str(), "y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_allows() {
        let cases = [
            (Some("y"), AnswerKind::Once),
            (Some(" YES "), AnswerKind::Once),
            (Some("a"), AnswerKind::Session),
            (Some("always"), AnswerKind::Session),
            (Some("n"), AnswerKind::No),
            (Some(""), AnswerKind::No),
            (Some("yess"), AnswerKind::No),
            (None, AnswerKind::No),
        ];
        for (typed, want) in cases {
            assert_eq!(approval(typed), want, "typed {typed:?}");
        }
    }
}
