use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_bridge_connections::{
    Connection, Error, ErrorKind, Event, Handler, Lifecycle, Limits, Options,
};
use mcp_bridge_server_config::ServerConfig;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::server::{Told, call};

struct Request {
    method: String,
    session: Option<String>,
    message: Value,
}

struct Response {
    status: u16,
    session: Option<&'static str>,
    body: String,
}

impl Response {
    fn status(status: u16) -> Self {
        Self {
            status,
            session: None,
            body: String::new(),
        }
    }
}

/// What a ready server answers; its session is `session`.
fn ready(request: &Request, session: &'static str) -> Response {
    let result = match request.message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "serverInfo": {"name": "web", "version": "1"},
        }),
        Some("tools/call") => json!({"content": [], "session": request.session}),
        _ if request.method == "POST" => return Response::status(202),
        _ => return Response::status(405),
    };
    Response {
        status: 200,
        session: Some(session),
        body: json!({"jsonrpc": "2.0", "id": request.message["id"], "result": result}).to_string(),
    }
}

/// A server on loopback, and its URL.
async fn serve(answer: impl Fn(&Request) -> Response + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                while let Some(request) = read(&mut stream).await {
                    let Response {
                        status,
                        session,
                        body,
                    } = answer(&request);
                    let media_type = match body.starts_with('{') {
                        true => "application/json",
                        false => "text/event-stream",
                    };
                    let session = session.map(|id| format!("mcp-session-id: {id}\r\n"));
                    let whole = format!(
                        "HTTP/1.1 {status} x\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\n{}\r\n{body}",
                        body.len(),
                        session.unwrap_or_default(),
                    );
                    if stream.write_all(whole.as_bytes()).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    url
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut first = String::new();
    stream.read_line(&mut first).await.ok().filter(|n| *n > 0)?;
    let method = first.split(' ').next()?.to_owned();
    let (mut length, mut session) = (0, None);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "mcp-session-id" => session = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Request {
        method,
        session,
        message: serde_json::from_slice(&body).unwrap_or(Value::Null),
    })
}

async fn open(url: &str) -> Result<Connection, Error> {
    open_for(url, Arc::new(())).await
}

async fn open_for(url: &str, handler: Arc<dyn Handler>) -> Result<Connection, Error> {
    let config = ServerConfig::http(url);
    let options = Options::default().with_lifecycle(Lifecycle::Initialize);
    Connection::open("web", &config, &options, handler).await
}

#[tokio::test]
async fn a_status_is_an_error_of_its_kind() {
    let table = [
        (401, ErrorKind::AuthRequired),
        (403, ErrorKind::AuthRequired),
        (404, ErrorKind::Http),
        (500, ErrorKind::Http),
    ];
    for (status, kind) in table {
        let url = serve(move |_| Response::status(status)).await;
        let error = open(&url).await.unwrap_err();
        assert_eq!((error.kind(), error.status()), (kind, Some(status)));
        assert!(error.to_string().contains(&format!("HTTP {status}")));
    }
}

#[tokio::test]
async fn a_failed_call_leaves_the_connection_as_it_was() {
    let calls = AtomicUsize::new(0);
    let url = serve(move |request| {
        let is_call = request.message["method"] == "tools/call";
        if is_call && calls.fetch_add(1, Ordering::SeqCst) == 0 {
            return Response::status(500);
        }
        ready(request, "one")
    })
    .await;
    let connection = open(&url).await.unwrap();
    let error = connection.call_tool(call("x")).await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::Http, Some(500)));
    let result = connection.call_tool(call("x")).await.unwrap();
    assert_eq!(result, json!({"content": [], "session": "one"}));
    connection.shutdown().await;
}

#[tokio::test]
async fn a_call_in_an_expired_session_is_made_again_in_a_new_one() {
    let starts = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&starts);
    let url = serve(move |request| {
        if request.message["method"] == "initialize" {
            let session = ["one", "two"][seen.fetch_add(1, Ordering::SeqCst)];
            return ready(request, session);
        }
        if request.message["method"] == "tools/call" && request.session.as_deref() == Some("one") {
            return Response::status(404);
        }
        ready(request, "two")
    })
    .await;
    let connection = open(&url).await.unwrap();
    let (first, second) = tokio::join!(
        connection.call_tool(call("x")),
        connection.call_tool(call("y"))
    );
    let expected = json!({"content": [], "session": "two"});
    assert_eq!(
        (first.unwrap(), second.unwrap()),
        (expected.clone(), expected)
    );
    assert_eq!(starts.load(Ordering::SeqCst), 2);
    connection.shutdown().await;
}

#[tokio::test]
async fn a_session_that_expires_twice_is_an_error() {
    let starts = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&starts);
    let url = serve(move |request| {
        if request.message["method"] == "tools/call" {
            return Response::status(404);
        }
        if request.message["method"] == "initialize" {
            seen.fetch_add(1, Ordering::SeqCst);
        }
        ready(request, "one")
    })
    .await;
    let connection = open(&url).await.unwrap();
    assert!(connection.call_tool(call("x")).await.is_err());
    assert_eq!(starts.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn nobody_listening_is_an_error_without_the_url() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let url = format!("http://127.0.0.1:{port}/mcp?token=secret");
    let error = open(&url).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert!(!error.to_string().contains("secret"));
}

#[tokio::test]
async fn a_stream_of_events_is_read_in_order_up_to_the_answer() {
    let url = serve(|request| {
        let mut response = ready(request, "one");
        if request.message["method"] == "tools/call" {
            let log = |n: u64| {
                json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": n}})
            };
            let answer = &response.body;
            response.body = format!(
                ": hello\n\ndata: {}\n\nevent: message\r\ndata: {}\r\n\r\nevent: other\ndata: {{}}\n\ndata:{answer}\n\n",
                log(1),
                log(2),
            );
        }
        response
    })
    .await;
    let told = Arc::new(Told::default());
    let connection = open_for(&url, told.clone()).await.unwrap();
    let result = connection.call_tool(call("x")).await.unwrap();
    assert_eq!(result, json!({"content": [], "session": "one"}));
    let logged = [1, 2].map(|n| Event::Log {
        level: "info".to_owned(),
        logger: None,
        data: json!(n),
    });
    assert_eq!(told.events(), logged);
    connection.shutdown().await;
}

#[tokio::test]
async fn an_event_above_the_limit_ends_only_its_call() {
    let url = serve(|request| {
        let mut response = ready(request, "one");
        if request.message["params"]["name"] == "big" {
            let text = "x".repeat(200_000);
            let answer = json!({"jsonrpc": "2.0", "id": request.message["id"], "result": {"content": [], "text": text}});
            response.body = format!("data: {answer}\n\n");
        }
        response
    })
    .await;
    let options = Options::default()
        .with_lifecycle(Lifecycle::Initialize)
        .with_limits(Limits::default().with_max_message_bytes(20_000));
    let config = ServerConfig::http(url);
    let connection = Connection::open("web", &config, &options, Arc::new(()))
        .await
        .unwrap();
    let error = connection.call_tool(call("big")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge, "{error}");
    let result = connection.call_tool(call("x")).await.unwrap();
    assert_eq!(result, json!({"content": [], "session": "one"}));
    connection.shutdown().await;
}
