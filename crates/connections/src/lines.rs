//! One JSON message a line, over any pair of byte streams.

use std::collections::VecDeque;
use std::io;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};

use crate::wire::Wire;

/// How much of either end of an oversized line is kept, to find out whom it answers.
const END_BYTES: usize = 4_096;
const READ_BYTES: usize = 64 * 1_024;

type Sent = (Vec<u8>, oneshot::Sender<io::Result<()>>);

/// The [stdio transport](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio) over any pair
/// of byte streams.
///
/// A task owns the writing half, so that a message is written whole or not at all, whoever stops waiting for it.
pub(crate) struct LineTransport<R> {
    read: R,
    lines: Lines,
    ready: VecDeque<ServerJsonRpcMessage>,
    buffer: Box<[u8]>,
    wire: Wire,
    send: Option<mpsc::Sender<Sent>>,
}

impl<R: AsyncRead + Send + Unpin> LineTransport<R> {
    pub(crate) fn new(
        read: R,
        write: impl AsyncWrite + Send + Unpin + 'static,
        wire: Wire,
        max_message_bytes: usize,
    ) -> Self {
        let (send, receive) = mpsc::channel(64);
        tokio::spawn(write_lines(write, receive));
        Self {
            read,
            lines: Lines::new(max_message_bytes),
            ready: VecDeque::new(),
            buffer: vec![0; READ_BYTES].into_boxed_slice(),
            wire,
            send: Some(send),
        }
    }

    fn take_in(&mut self, count: usize) {
        let bytes = self.buffer.get(..count).unwrap_or_default();
        for line in self.lines.push(bytes) {
            match line {
                Line::Whole(line) if line.trim_ascii().is_empty() => {}
                Line::Whole(line) => self.ready.extend(self.wire.incoming(&line)),
                Line::Oversized { head, tail } => {
                    let answer = self.wire.oversized(&head, &tail, self.lines.limit);
                    self.ready.extend(answer);
                }
            }
        }
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleClient> for LineTransport<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let wanted = self.wire.outgoing(&message);
        let send = self.send.clone().filter(|_| wanted);
        async move {
            if !wanted {
                return Ok(());
            }
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            let mut line = serde_json::to_vec(&message).map_err(io::Error::other)?;
            line.push(b'\n');
            let (done, written) = oneshot::channel();
            let send = send.ok_or_else(closed)?;
            send.send((line, done)).await.map_err(|_| closed())?;
            written.await.map_err(|_| closed())?
        }
    }

    /// Cancel-safe: what was read stays in `self`.
    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            match self.read.read(&mut self.buffer).await {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.take_in(count),
            }
            // A server may send faster than lines can be looked at: others, and the clock, have their turn.
            tokio::task::yield_now().await;
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.send = None;
        Ok(())
    }
}

async fn write_lines(mut write: impl AsyncWrite + Send + Unpin, mut receive: mpsc::Receiver<Sent>) {
    while let Some((line, done)) = receive.recv().await {
        let result = match write.write_all(&line).await {
            Ok(()) => write.flush().await,
            Err(error) => Err(error),
        };
        let failed = result.is_err();
        // Whoever sent it may have stopped waiting.
        let _ = done.send(result);
        if failed {
            break;
        }
    }
    let _ = write.shutdown().await;
}

enum Line {
    Whole(Vec<u8>),
    Oversized { head: Vec<u8>, tail: Vec<u8> },
}

/// Cuts a byte stream into lines of bounded length.
struct Lines {
    limit: usize,
    line: Vec<u8>,
    skipped: Option<(Vec<u8>, VecDeque<u8>)>,
}

impl Lines {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            skipped: None,
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let ends = part.last() == Some(&b'\n');
            self.extend(part.strip_suffix(b"\n").unwrap_or(part));
            if ends {
                lines.push(match self.skipped.take() {
                    Some((head, tail)) => Line::Oversized {
                        head,
                        tail: tail.into(),
                    },
                    None => Line::Whole(std::mem::take(&mut self.line)),
                });
            }
        }
        lines
    }

    fn extend(&mut self, part: &[u8]) {
        if let Some((_, tail)) = &mut self.skipped {
            let last = part.len().saturating_sub(END_BYTES);
            tail.extend(part.get(last..).unwrap_or_default());
            let over = tail.len().saturating_sub(END_BYTES);
            tail.drain(..over);
        } else if self.line.len() + part.len() <= self.limit {
            self.line.extend_from_slice(part);
        } else {
            let mut line = std::mem::take(&mut self.line);
            line.extend_from_slice(part.get(..END_BYTES.min(part.len())).unwrap_or_default());
            line.truncate(END_BYTES);
            self.skipped = Some((line, VecDeque::new()));
            self.extend(part);
        }
    }
}
