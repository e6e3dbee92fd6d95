//! A small HTTP/1.1 server on loopback: a script behind `POST`, or one fixed answer to everything.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::script::{Record, Reply, Script};

/// A running server; dropping it ends it.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    task: JoinHandle<()>,
    record: Record,
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// One request as it came.
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "private to the tests of this workspace"
)]
pub struct Request {
    /// `POST`, `GET` or `DELETE`.
    pub method: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The JSON-RPC message of its body, or null.
    pub message: Value,
}

impl Request {
    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// One answer.
#[derive(Clone, Debug)]
pub struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Response {
    /// An answer without headers.
    #[must_use]
    pub fn new(status: u16, body: &str) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.to_owned(),
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

type Answer = dyn Fn(&Request) -> Option<Response> + Send + Sync;

struct Behaviour {
    first: Box<Answer>,
    script: Option<Script>,
}

impl fmt::Debug for Behaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Behaviour").field(&self.script).finish()
    }
}

impl HttpServer {
    /// Answers everything with this response.
    ///
    /// # Errors
    ///
    /// No port could be had.
    pub async fn fixed(response: Response) -> std::io::Result<Self> {
        Self::start(Behaviour {
            first: Box::new(move |_| Some(response.clone())),
            script: None,
        })
        .await
    }

    /// Answers each JSON-RPC request in a `POST` from the script, with `application/json`; refuses `GET` with 405.
    ///
    /// Only steps that answer are followed: a result, an error, a raw line (as the whole body).
    ///
    /// # Errors
    ///
    /// No port could be had.
    pub async fn script(script: Script) -> std::io::Result<Self> {
        Self::with(script, |_| None).await
    }

    /// Answers with `first` where it has an answer, and from the script where it has none.
    ///
    /// # Errors
    ///
    /// No port could be had.
    pub async fn with(
        script: Script,
        first: impl Fn(&Request) -> Option<Response> + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        Self::start(Behaviour {
            first: Box::new(first),
            script: Some(script),
        })
        .await
    }

    async fn start(behaviour: Behaviour) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let record = Record::default();
        let (behaviour, seen) = (Arc::new(behaviour), record.clone());
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(serve(stream, Arc::clone(&behaviour), seen.clone()));
            }
        });
        Ok(Self {
            address,
            task,
            record,
        })
    }

    /// The address of its MCP endpoint.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The messages it was sent.
    #[must_use]
    pub fn record(&self) -> Record {
        self.record.clone()
    }
}

async fn serve(stream: TcpStream, behaviour: Arc<Behaviour>, record: Record) {
    let mut stream = BufReader::new(stream);
    while let Ok(Some(request)) = read(&mut stream).await {
        if request.message.is_object() {
            record.push(request.message.clone());
        }
        let response =
            (behaviour.first)(&request).unwrap_or_else(|| scripted(&behaviour, &request));
        let length = response.body.len();
        let mut head = format!(
            "HTTP/1.1 {} x\r\ncontent-length: {length}\r\n",
            response.status
        );
        for (name, value) in response.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let whole = format!("{head}\r\n{}", response.body);
        if stream.write_all(whole.as_bytes()).await.is_err() {
            return;
        }
    }
}

fn scripted(behaviour: &Behaviour, request: &Request) -> Response {
    match (&behaviour.script, request.method.as_str()) {
        (Some(script), "POST") => {
            let answer = script.response(&request.message);
            answer.unwrap_or_else(|| Response::new(202, ""))
        }
        (Some(_), "DELETE") => Response::new(200, ""),
        _ => Response::new(405, ""),
    }
}

impl Script {
    /// The answer to one JSON-RPC message over HTTP; `None` for a message that is no request.
    #[must_use]
    pub fn response(&self, message: &Value) -> Option<Response> {
        let (method, id) = (message.get("method")?.as_str()?, message.get("id")?);
        let params = message.get("params").cloned();
        for step in self.answer(method, &params.unwrap_or_else(|| json!({}))) {
            let answer = match step {
                Reply::Result(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                Reply::Error(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
                _ => continue,
            };
            let response = Response::new(200, &answer.to_string());
            return Some(response.header("content-type", "application/json"));
        }
        Some(Response::new(500, ""))
    }
}

/// Reads one request; `None` at the end of the stream.
async fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<Option<Request>> {
    let mut first = String::new();
    if stream.read_line(&mut first).await? == 0 {
        return Ok(None);
    }
    let method = first.split(' ').next().unwrap_or_default().to_owned();
    let (mut length, mut chunked) = (0, false);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        let (name, value) = (name.to_ascii_lowercase(), value.trim().to_owned());
        match name.as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "transfer-encoding" => chunked = value.contains("chunked"),
            _ => {}
        }
        headers.push((name, value));
    }
    let mut body = Vec::new();
    if chunked {
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await?;
            let size = u64::from_str_radix(line.trim(), 16).unwrap_or(0);
            stream.take(size).read_to_end(&mut body).await?;
            stream.read_line(&mut line).await?;
            if size == 0 {
                break;
            }
        }
    } else {
        stream.take(length).read_to_end(&mut body).await?;
    }
    let message = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Some(Request {
        method,
        headers,
        message,
    }))
}
