//! Tools that ask the user: a form and a web page.
//!
//! Up to 2025-11-25 a server sends `elicitation/create` and waits. From 2026-07-28 on it answers the call with the
//! question, and the client calls again with the answer.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ElicitRequest, ElicitRequestParams,
    ElicitResult, ElicitationAction, InputRequest, InputRequests, InputRequiredResult,
    ProtocolVersion,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use super::tools::{failure, text};

const ANSWER: &str = "answer"; // the key of the one question of a round
const ACCOUNT_URL: &str = "https://accounts.example.com/open?plan=demo";
const ACCOUNT_ID: &str = "open-account";

pub(super) async fn book_table(
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let requested_schema = serde_json::from_value(table_form())
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let question = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: "Which table would you like?".into(),
        requested_schema,
    };
    ask(request, context, question, |answer| match answer.action {
        ElicitationAction::Accept => {
            let content = answer.content.unwrap_or_default();
            let field = |key: &str| content.get(key).cloned().unwrap_or_default();
            let name = field("name").as_str().unwrap_or("nobody").to_owned();
            text(format!(
                "A table for {} in the name of {name}: {content}",
                field("guests")
            ))
        }
        ElicitationAction::Decline => text("No table was booked: the user declined."),
        _ => text("No table was booked: the user gave no answer."),
    })
    .await
}

pub(super) async fn open_account(
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let question = ElicitRequestParams::UrlElicitationParams {
        meta: None,
        message: "Open the account on our web site.".into(),
        url: ACCOUNT_URL.into(),
        elicitation_id: ACCOUNT_ID.into(),
    };
    ask(request, context, question, |answer| match answer.action {
        ElicitationAction::Accept => text("The user went to open an account."),
        _ => text("No account was opened: the user did not agree."),
    })
    .await
}

async fn ask(
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
    question: ElicitRequestParams,
    finish: impl FnOnce(ElicitResult) -> CallToolResult,
) -> Result<CallToolResponse, ErrorData> {
    let form = matches!(question, ElicitRequestParams::FormElicitationParams { .. });
    if !can_ask(context, form) {
        return Ok(failure("this client cannot put the question to its user").into());
    }
    let modern = context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    let answer = if !modern {
        context
            .peer
            .create_elicitation(question)
            .await
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?
    } else if let Some(responses) = request.input_responses {
        let answer = responses.get(ANSWER).cloned().unwrap_or(Value::Null);
        serde_json::from_value(answer)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?
    } else {
        let question = InputRequest::Elicitation(ElicitRequest::new(question));
        let questions = InputRequests::from([(ANSWER.to_owned(), question)]);
        let state = Some(request.name.into_owned());
        return Ok(InputRequiredResult::new(Some(questions), state).into());
    };
    Ok(finish(answer).into())
}

fn can_ask(context: &RequestContext<RoleServer>, form: bool) -> bool {
    let declared = context
        .client_capabilities()
        .and_then(|client| client.elicitation);
    declared.is_some_and(|modes| match form {
        true => modes.form.is_some() || modes.url.is_none(), // an empty object means forms only
        false => modes.url.is_some(),
    })
}

fn table_form() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name", "minLength": 1, "maxLength": 60},
            "email": {"type": "string", "title": "E-mail", "format": "email"},
            "date": {"type": "string", "title": "Day", "format": "date"},
            "guests": {"type": "integer", "title": "Guests", "minimum": 1, "maximum": 12, "default": 2},
            "outside": {"type": "boolean", "title": "Outside", "default": false},
            "menu": {
                "type": "string", "title": "Menu",
                "oneOf": [
                    {"const": "day", "title": "Dish of the day"},
                    {"const": "card", "title": "A la carte"},
                ],
            },
            "allergies": {
                "type": "array", "title": "Allergies",
                "items": {"type": "string", "enum": ["nuts", "milk", "gluten"]},
            },
        },
        "required": ["name", "date", "guests"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_one_that_the_protocol_allows() {
        let form: rmcp::model::ElicitationSchema = serde_json::from_value(table_form()).unwrap();
        assert_eq!(serde_json::to_value(form).unwrap(), table_form());
    }
}
