//! Streamable HTTP, with every body read before rmcp decodes it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_core::stream::BoxStream;
use futures_util::{Stream, StreamExt, stream};
use http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use mcp_bridge_server_config::HttpConfig;
use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage,
    ServerResult,
};
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpClientTransportConfig, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use serde_json::{Value, json};
use sse_stream::{Sse, SseStream};

use crate::error::{Error, ErrorKind};
use crate::options::Options;
use crate::wire::Wire;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";
/// A result that stands for the raw one kept under the same id.
const STAND_IN: &str = "mcp-bridge/raw";

type Failed = StreamableHttpError<HttpError>;

/// What went wrong below MCP. No URL, header or body of a request is in it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("HTTP {status}{detail}")]
    Status { status: u16, detail: String },
    #[error("{what}")]
    Request { what: String },
}

/// Connects above rmcp's worker: results that it only saw a stand-in of become whole again.
pub(crate) fn transport(
    server_id: &str,
    config: &HttpConfig,
    wire: &Wire,
    options: &Options,
) -> Result<Raw, Error> {
    let refuse = |text: String| Error::new(ErrorKind::Protocol, server_id, text);
    let url = url::Url::parse(&config.url)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .ok_or_else(|| {
            refuse(format!(
                "server `{server_id}`: its URL is not an http or https address"
            ))
        })?;
    let client = reqwest_client(options).map_err(|error| {
        refuse(format!(
            "server `{server_id}`: no HTTP client could be made"
        ))
        .with_source(error)
    })?;
    let mut headers = HashMap::new();
    for (name, value) in &config.headers {
        let parsed = HeaderName::try_from(name.as_str())
            .ok()
            .zip(HeaderValue::try_from(value.as_str()).ok());
        let Some((name, mut value)) = parsed else {
            return Err(refuse(format!(
                "server `{server_id}`: {name:?} is not a valid HTTP header"
            )));
        };
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    let mut transport = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    transport.custom_headers = headers;
    transport.max_concurrent_requests = options.limits.max_requests.max(1);
    transport.max_sse_event_size = options.limits.max_message_bytes;
    transport.max_json_response_size = options.limits.max_message_bytes;
    let mut backoff = ExponentialBackoff::default();
    backoff.max_delay = Some(Duration::from_secs(30));
    backoff.max_times = Some(5);
    transport.retry_config = Arc::new(backoff);
    let client = Client {
        http: client,
        wire: wire.clone(),
    };
    Ok(Raw {
        inner: StreamableHttpClientTransport::with_client(client, transport),
        wire: wire.clone(),
    })
}

fn reqwest_client(options: &Options) -> Result<reqwest::Client, reqwest::Error> {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Another thread may have been faster, with a provider that is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
    reqwest::Client::builder()
        .connect_timeout(options.timeouts.connect)
        // Servers close idle connections after seconds, and a request must not be sent into a closed one.
        .pool_idle_timeout(Duration::from_secs(3))
        .redirect(reqwest::redirect::Policy::custom(|attempt| {
            let same = attempt
                .previous()
                .first()
                .is_some_and(|first| first.origin() == attempt.url().origin());
            if same && attempt.previous().len() < 5 {
                attempt.follow()
            } else {
                attempt.stop()
            }
        }))
        .user_agent(format!(
            "{}/{}",
            options.client_name, options.client_version
        ))
        .build()
}

/// rmcp's HTTP transport, with raw results put back.
pub(crate) struct Raw {
    inner: StreamableHttpClientTransport<Client>,
    wire: Wire,
}

impl Transport<RoleClient> for Raw {
    type Error = <StreamableHttpClientTransport<Client> as Transport<RoleClient>>::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let wanted = self.wire.outgoing(&message);
        let sent = wanted.then(|| self.inner.send(message));
        async move {
            match sent {
                Some(sent) => sent.await,
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let mut message = self.inner.receive().await?;
        if let JsonRpcMessage::Response(response) = &mut message
            && let Some(mut raw) = self.wire.take_raw(&response.id)
        {
            if let ServerResult::ListToolsResult(kept) = &response.result {
                let kept: Vec<&str> = kept.tools.iter().map(|tool| &*tool.name).collect();
                remove_refused(&mut raw, &kept);
            }
            response.result = ServerResult::CustomResult(rmcp::model::CustomResult(raw));
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// Removes tools whose `x-mcp-header` annotations rmcp found invalid: they must not be called over HTTP.
fn remove_refused(list: &mut Value, kept: &[&str]) {
    if let Some(tools) = list.get_mut("tools").and_then(Value::as_array_mut) {
        tools.retain(|tool| {
            minimal_tool(tool).is_none()
                || tool
                    .get("name")
                    .and_then(Value::as_str)
                    .is_some_and(|name| kept.contains(&name))
        });
    }
}

/// What rmcp needs of a tool to mirror its arguments into headers; `None` where it could not read the tool.
fn minimal_tool(tool: &Value) -> Option<Value> {
    let name = tool
        .get("name")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty())?;
    let schema = tool
        .get("inputSchema")
        .filter(|schema| schema.is_object())?;
    Some(json!({"name": name, "inputSchema": schema}))
}

/// The HTTP client below rmcp's worker.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    wire: Wire,
}

impl Client {
    /// Messages for rmcp's worker, with raw results kept aside.
    fn messages(wire: &Wire, text: &[u8]) -> Vec<ServerJsonRpcMessage> {
        let mut messages = wire.incoming(text);
        for message in &mut messages {
            if let JsonRpcMessage::Response(response) = message
                && let ServerResult::CustomResult(raw) = &mut response.result
            {
                let raw = raw.0.take();
                let stand_in = minimal_list(&raw).unwrap_or_else(|| {
                    ServerResult::CustomResult(rmcp::model::CustomResult(json!({STAND_IN: true})))
                });
                wire.keep_raw(response.id.clone(), raw);
                response.result = stand_in;
            }
        }
        messages
    }
}

/// A list of tools as far as rmcp has to know it.
fn minimal_list(raw: &Value) -> Option<ServerResult> {
    let tools = raw.get("tools")?.as_array()?;
    let tools: Vec<Value> = tools.iter().filter_map(minimal_tool).collect();
    let text = json!({"tools": tools}).to_string();
    let list: rmcp::model::ListToolsResult = serde_json::from_str(&text).ok()?;
    Some(ServerResult::ListToolsResult(list))
}

fn as_event(message: &ServerJsonRpcMessage) -> Sse {
    Sse {
        event: None,
        data: serde_json::to_string(message).ok(),
        id: None,
        retry: None,
    }
}

/// How much of either end of an event is kept, to find out whom it answers.
const END_BYTES: usize = 4_096;
/// What an event may have beside its message, in bytes.
const FRAME_BYTES: usize = 1_024;

/// The first and the last bytes of an event that was too large.
type Ends = (Vec<u8>, Vec<u8>);

/// Watches over the size of the event that is being received.
#[derive(Default)]
struct Oversight {
    head: Vec<u8>,
    since: usize,
    last: u8,
}

impl Oversight {
    fn exceeds(&mut self, chunk: &[u8], limit: usize) -> bool {
        for byte in chunk {
            let ends = matches!(byte, b'\n' | b'\r') && matches!(self.last, b'\n' | b'\r');
            if ends {
                self.since = 0;
                self.head.clear();
            } else {
                self.since += 1;
                if self.head.len() < END_BYTES {
                    self.head.push(*byte);
                }
            }
            self.last = *byte;
        }
        self.since > limit.saturating_add(FRAME_BYTES)
    }
}

/// A stream of events, each no larger than `limit`, with every message in it read first.
fn events(
    wire: Wire,
    body: impl Stream<Item = Result<Bytes, reqwest::Error>> + Send + 'static,
    limit: usize,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let mut event = Oversight::default();
    let ends: Arc<Mutex<Option<Ends>>> = Arc::default();
    let found = Arc::clone(&ends);
    let bounded = body.map(move |chunk| {
        let chunk = chunk.map_err(std::io::Error::other)?;
        if event.exceeds(&chunk, limit) {
            let last = chunk.len().saturating_sub(END_BYTES);
            let tail = chunk.get(last..).unwrap_or_default().to_vec();
            let head = std::mem::take(&mut event.head);
            *ends.lock().unwrap_or_else(PoisonError::into_inner) = Some((head, tail));
            return Err(std::io::Error::other(
                "an event is larger than the limit of this host",
            ));
        }
        Ok(chunk)
    });
    let parsed = SseStream::from_bytes_stream(bounded);
    parsed
        .flat_map(move |event| {
            let out: Vec<Result<Sse, SseError>> = match event {
                Ok(event) => {
                    let data = event.data.as_deref().unwrap_or_default();
                    let is_message = event.event.as_deref().is_none_or(|name| name == "message");
                    if data.trim().is_empty() || !is_message {
                        // Kept for its id and retry.
                        vec![Ok(Sse {
                            data: None,
                            ..event
                        })]
                    } else {
                        let mut out: Vec<_> = Client::messages(&wire, data.as_bytes())
                            .iter()
                            .map(as_event)
                            .collect();
                        match out.last_mut() {
                            Some(last) => {
                                last.id = event.id;
                                last.retry = event.retry;
                            }
                            None => out.push(Sse {
                                data: None,
                                ..event
                            }),
                        }
                        out.into_iter().map(Ok).collect()
                    }
                }
                Err(error) => {
                    let ends = found.lock().unwrap_or_else(PoisonError::into_inner).take();
                    match ends.and_then(|(head, tail)| wire.oversized(&head, &tail, limit)) {
                        // Whoever waits for it is told, before the stream ends.
                        Some(answer) => vec![Ok(as_event(&answer)), Err(error)],
                        None => vec![Err(error)],
                    }
                }
            };
            stream::iter(out)
        })
        .boxed()
}

fn sent(error: reqwest::Error) -> Failed {
    // The URL may hold a token.
    let error = error.without_url();
    let mut what = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        what = format!("{what}: {cause}");
        source = cause.source();
    }
    StreamableHttpError::Client(HttpError::Request { what })
}

async fn limited_body(
    response: reqwest::Response,
    limit: usize,
) -> Result<(Vec<u8>, bool), Failed> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(sent)?;
        let room = limit.saturating_sub(body.len());
        body.extend_from_slice(chunk.get(..room.min(chunk.len())).unwrap_or_default());
        if chunk.len() > room {
            return Ok((body, true));
        }
    }
    Ok((body, false))
}

fn media_type(response: &reqwest::Response) -> String {
    let header = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let essence = header
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

fn with_headers(
    mut request: reqwest::RequestBuilder,
    auth: Option<String>,
    headers: HashMap<HeaderName, HeaderValue>,
) -> reqwest::RequestBuilder {
    if let Some(token) = auth {
        request = request.bearer_auth(token);
    }
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request
}

fn challenge(response: &reqwest::Response) -> String {
    let header = response.headers().get(WWW_AUTHENTICATE);
    header
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
        .to_owned()
}

/// The errors that a status alone decides.
fn refused(response: &reqwest::Response) -> Option<Failed> {
    match response.status() {
        StatusCode::UNAUTHORIZED => Some(StreamableHttpError::AuthRequired(
            AuthRequiredError::new(challenge(response)),
        )),
        StatusCode::FORBIDDEN => {
            let error = InsufficientScopeError::new(challenge(response), None);
            Some(StreamableHttpError::InsufficientScope(error))
        }
        _ => None,
    }
}

impl StreamableHttpClient for Client {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(
            uri,
            message,
            session_id,
            auth_header,
            custom_headers,
            limits,
        )
        .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        // rmcp's worker opens a new session by itself where the old one has expired.
        if let JsonRpcMessage::Request(request) = &message
            && matches!(request.request, ClientRequest::InitializeRequest(_))
        {
            self.wire.outgoing(&message);
        }
        let body = serde_json::to_vec(&message)?;
        let mut request = self
            .http
            .post(&*uri)
            .header(ACCEPT, format!("{JSON}, {EVENTS}"))
            .header(CONTENT_TYPE, JSON)
            .body(body);
        if let Some(session) = &session_id {
            request = request.header(SESSION, &**session);
        }
        let request = with_headers(request, auth_header, custom_headers);
        let response = request.send().await.map_err(sent)?;
        if let Some(error) = refused(&response) {
            return Err(error);
        }
        let status = response.status();
        if status == StatusCode::NOT_FOUND && session_id.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let session = response.headers().get(SESSION);
        let session = session
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let media_type = media_type(&response);
        let retry_after = response.headers().get("retry-after");
        let retry_after = retry_after
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        if !status.is_success() {
            let limit = if media_type == JSON {
                limits.max_json_response_size
            } else {
                limits.max_error_response_size
            };
            let (body, _) = limited_body(response, limit).await?;
            return self.error_response(
                &message,
                status,
                &body,
                session,
                session_id.is_some(),
                retry_after,
            );
        }
        if media_type == EVENTS {
            let body = response.bytes_stream();
            let events = events(self.wire.clone(), body, limits.max_sse_event_size);
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        let (body, cut) = limited_body(response, limits.max_json_response_size).await?;
        if cut {
            let max_size = limits.max_json_response_size;
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size });
        }
        if !matches!(message, JsonRpcMessage::Request(_)) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if media_type != JSON {
            return Err(StreamableHttpError::UnexpectedContentType(Some(media_type)));
        }
        let mut messages = Self::messages(&self.wire, &body);
        match (messages.pop(), messages.is_empty()) {
            (Some(message), true) => Ok(StreamableHttpPostResponse::Json(message, session)),
            (Some(last), false) => {
                messages.push(last);
                let all: Vec<_> = messages.iter().map(as_event).map(Ok).collect();
                Ok(StreamableHttpPostResponse::Sse(
                    stream::iter(all).boxed(),
                    session,
                ))
            }
            (None, _) => Err(StreamableHttpError::UnexpectedServerResponse(
                "the body holds no answer".into(),
            )),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        let request = self.http.delete(&*uri).header(SESSION, &*session_id);
        let response = with_headers(request, auth_header, custom_headers)
            .send()
            .await;
        // A server need not support it (405), and the session ends either way.
        response.map(drop).map_err(sent)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        let limit = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            limit,
        )
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        max_sse_event_size: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        let mut request = self.http.get(&*uri).header(ACCEPT, EVENTS);
        if let Some(session) = &session_id {
            request = request.header(SESSION, &**session);
        }
        if let Some(last) = last_event_id {
            request = request.header(LAST_EVENT, last);
        }
        let response = with_headers(request, auth_header, custom_headers)
            .send()
            .await
            .map_err(sent)?;
        if let Some(error) = refused(&response) {
            return Err(error);
        }
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        if !response.status().is_success() {
            let status = response.status().as_u16();
            return Err(HttpStatusError::new(status, None).into());
        }
        let media_type = media_type(&response);
        if media_type != EVENTS {
            return Err(StreamableHttpError::UnexpectedContentType(Some(media_type)));
        }
        let body = response.bytes_stream();
        Ok(events(self.wire.clone(), body, max_sse_event_size))
    }
}

impl Client {
    fn error_response(
        &self,
        message: &ClientJsonRpcMessage,
        status: StatusCode,
        body: &[u8],
        session: Option<String>,
        had_session: bool,
        retry_after: Option<String>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let JsonRpcMessage::Request(request) = message else {
            return Err(status_error(status, body, retry_after));
        };
        let error = serde_json::from_slice::<Value>(body).ok();
        let error = error
            .as_ref()
            .and_then(|body| body.get("error"))
            .filter(|error| error.is_object());
        let is_discover = matches!(request.request, ClientRequest::DiscoverRequest(_));
        let told = match error {
            // An error of a gateway may carry another id, or none; the request of this POST is the one it answers.
            Some(error) => {
                let text = json!({"jsonrpc": "2.0", "id": request.id, "error": error}).to_string();
                Self::messages(&self.wire, text.as_bytes()).pop()
            }
            // Older servers refuse a discovery in whatever way they like: the lifecycle then tries `initialize`.
            None if is_discover && !had_session && status.is_client_error() => {
                self.wire.forget(&request.id);
                let text = format!("server/discover was answered with HTTP {status}");
                let error = ErrorData::invalid_request(text, None);
                Some(ServerJsonRpcMessage::error(error, Some(request.id.clone())))
            }
            None => None,
        };
        match told {
            Some(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
            None => Err(status_error(status, body, retry_after)),
        }
    }
}

fn status_error(status: StatusCode, body: &[u8], retry_after: Option<String>) -> Failed {
    if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
        return HttpStatusError::new(status.as_u16(), retry_after).into();
    }
    let text = String::from_utf8_lossy(body);
    let line: String = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(200)
        .collect();
    let detail = if line.is_empty() {
        String::new()
    } else {
        format!(": {line:?}")
    };
    StreamableHttpError::Client(HttpError::Status {
        status: status.as_u16(),
        detail,
    })
}
