//! rmcp's errors, as ours.

use std::time::Duration;

use rmcp::model::ErrorData;
use rmcp::service::{ClientInitializeError, ServiceError};
use serde_json::Value;

use crate::error::{Error, ErrorKind, RpcError};
use crate::wire::{MADE_HERE, TOO_LARGE};

pub(crate) fn timed_out(server_id: &str, method: &str, patience: Duration, how: &str) -> Error {
    let text = format!(
        "server `{server_id}` did not answer {method} for {} s {how}; the request was cancelled, its effect is unknown",
        patience.as_secs_f64()
    );
    Error::new(ErrorKind::Timeout, server_id, text)
}

/// A failed request.
pub(crate) fn request(server_id: &str, method: &str, error: ServiceError) -> Error {
    match error {
        ServiceError::McpError(data) => rpc(server_id, method, data),
        ServiceError::TransportClosed => {
            let text = format!(
                "the connection to server `{server_id}` closed during {method}; its effect is unknown"
            );
            Error::new(ErrorKind::Closed, server_id, text)
        }
        ServiceError::TransportSend(error) => transport(server_id, method, error.error.as_ref())
            .unwrap_or_else(|| {
                let text = format!("{method} could not be sent to server `{server_id}`");
                Error::new(ErrorKind::Closed, server_id, text)
            })
            .with_source(error),
        other => {
            let text = format!("server `{server_id}`: {method} failed: {other}");
            Error::new(ErrorKind::Protocol, server_id, text)
        }
    }
}

/// A failed start.
pub(crate) fn initialize(server_id: &str, error: ClientInitializeError) -> Error {
    match error {
        ClientInitializeError::JsonRpcError(data) => rpc(server_id, "initialize", data),
        ClientInitializeError::TransportError { error, context } => {
            transport(server_id, "initialize", error.error.as_ref())
                .unwrap_or_else(|| {
                    let text = format!("server `{server_id}` could not be reached ({context})");
                    Error::new(ErrorKind::Closed, server_id, text)
                })
                .with_source(error)
        }
        ClientInitializeError::ConnectionClosed(_) => {
            let text = format!(
                "server `{server_id}` closed the connection before it was ready; check that it is an MCP server"
            );
            Error::new(ErrorKind::Closed, server_id, text).with_source(error)
        }
        ClientInitializeError::LegacyFallbackFailed { discover, fallback } => {
            let of = initialize(server_id, *fallback);
            if of.status().is_some() || of.rpc().is_some() {
                return of;
            }
            let first = initialize(server_id, *discover);
            if first.kind() == ErrorKind::Http {
                first
            } else {
                of
            }
        }
        other => {
            let text =
                format!("server `{server_id}` does not speak a protocol version of this host");
            Error::new(ErrorKind::Protocol, server_id, text).with_source(other)
        }
    }
}

fn rpc(server_id: &str, method: &str, data: ErrorData) -> Error {
    let made_here = data.data.as_ref().and_then(|data| data.get(MADE_HERE));
    if made_here.and_then(Value::as_str) == Some(TOO_LARGE) {
        let text = format!(
            "server `{server_id}`: {method} was answered, but {}",
            data.message
        );
        return Error::new(ErrorKind::TooLarge, server_id, text);
    }
    let message: String = data.message.chars().take(2_000).collect();
    let code = data.code.0;
    let text = format!("server `{server_id}` refused {method} with error {code}: {message}");
    Error::new(ErrorKind::Rpc, server_id, text).with_rpc(RpcError {
        code: i64::from(code),
        message: data.message.into_owned(),
        data: data.data.unwrap_or(Value::Null),
    })
}

#[cfg(not(feature = "http"))]
fn transport(
    _server_id: &str,
    _method: &str,
    _error: &(dyn std::error::Error + Send + Sync + 'static),
) -> Option<Error> {
    None
}

#[cfg(feature = "http")]
fn transport(
    server_id: &str,
    method: &str,
    error: &(dyn std::error::Error + Send + Sync + 'static),
) -> Option<Error> {
    use rmcp::transport::streamable_http_client::StreamableHttpError;

    let error = error.downcast_ref::<StreamableHttpError<crate::http::HttpError>>()?;
    let at = format!("server `{server_id}`");
    let failed = |kind, text: String| Error::new(kind, server_id, text);
    Some(match error {
        StreamableHttpError::AuthRequired(_) => failed(
            ErrorKind::AuthRequired,
            format!("{at} wants a sign-in (HTTP 401); give it credentials in the headers of its configuration"),
        )
        .with_status(Some(401)),
        StreamableHttpError::InsufficientScope(_) => failed(
            ErrorKind::AuthRequired,
            format!("{at} refuses these credentials (HTTP 403)"),
        )
        .with_status(Some(403)),
        StreamableHttpError::HttpStatus(status) => failed(
            ErrorKind::Http,
            format!("{at} answered {method} with HTTP {}; try again later", status.status),
        )
        .with_status(Some(status.status)),
        StreamableHttpError::ResponseBodyTooLarge { max_size } => failed(
            ErrorKind::TooLarge,
            format!("{at}: the answer to {method} is larger than {max_size} bytes, the limit of this host"),
        ),
        StreamableHttpError::Client(client) => match client {
            crate::http::HttpError::Status { status, detail } => {
                let way_out = match status {
                    404 | 405 => "; check the URL",
                    _ => "",
                };
                let text = format!("{at} answered {method} with HTTP {status}{way_out}{detail}");
                failed(ErrorKind::Http, text).with_status(Some(*status))
            }
            crate::http::HttpError::Request { what } => {
                failed(ErrorKind::Closed, format!("{at} could not be reached: {what}"))
            }
        },
        StreamableHttpError::UnexpectedContentType(got) => failed(
            ErrorKind::Protocol,
            format!(
                "{at} answered {method} with content type {:?}; is this the URL of an MCP server?",
                got.as_deref().unwrap_or("none")
            ),
        ),
        StreamableHttpError::SessionExpired => failed(
            ErrorKind::Closed,
            format!(
                "the session with server `{server_id}` expired twice in a row, so {method} was not processed; try again later"
            ),
        ),
        other => failed(ErrorKind::Protocol, format!("{at}: {method} failed: {other}")),
    })
}
