//! A server as a child process, ended with its whole tree.

use std::collections::VecDeque;
use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_bridge_server_config::{StdioConfig, child_env};
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{ChildStdin, ChildStdout, Command};

/// What a server wrote to stderr, as far as it is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stderr(Arc<Mutex<VecDeque<u8>>>);

impl Stderr {
    fn push(&self, bytes: &[u8], limit: usize) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let over = kept.len().saturating_sub(limit);
        kept.drain(..over);
    }

    pub(crate) fn tail(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// A running server process, with all it started.
///
/// Dropped without [`end`](Self::end), the whole process group is killed at once.
pub(crate) struct Child {
    process: Option<Box<dyn ChildWrapper>>,
    pub(crate) stderr: Stderr,
    stderr_task: Option<tokio::task::JoinHandle<()>>,
}

impl Child {
    /// Starts the command in a process group (a job object on Windows) of its own, without a shell, with the environment
    /// that is allowed for servers and what the configuration adds.
    pub(crate) fn spawn(
        config: &StdioConfig,
        max_stderr_bytes: usize,
    ) -> io::Result<(Self, ChildStdout, ChildStdin)> {
        let mut command = Command::new(&config.command);
        command
            .args(&config.args)
            .env_clear()
            .envs(child_env(unicode_environment(), &config.env))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(cwd) = &config.cwd {
            command.current_dir(cwd);
        }
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        command.wrap(process_wrap::tokio::KillOnDrop);
        let mut process = command.spawn()?;
        let missing = || io::Error::other("the process has no pipe");
        let stdout = process.stdout().take().ok_or_else(missing)?;
        let stdin = process.stdin().take().ok_or_else(missing)?;
        let stderr = Stderr::default();
        let stderr_task = process.stderr().take().map(|pipe| {
            let stderr = stderr.clone();
            tokio::spawn(drain(pipe, stderr, max_stderr_bytes))
        });
        let child = Self {
            process: Some(process),
            stderr,
            stderr_task,
        };
        Ok((child, stdout, stdin))
    }

    /// How the process ended, if it does within `patience`: its pipes close a moment before it has ended.
    pub(crate) async fn exit_status(
        &mut self,
        patience: Duration,
    ) -> Option<std::process::ExitStatus> {
        let ended = self.process.as_mut()?.wait();
        tokio::time::timeout(patience, ended).await.ok()?.ok()
    }

    /// Ends the process after its stdin was closed: waits, then SIGTERM to the group, waits, then SIGKILL to the group.
    ///
    /// The group is signalled even where its leader ended by itself, since what it started may still run.
    pub(crate) async fn end(&mut self, patience: Duration) {
        if let Some(process) = &mut self.process {
            let ended = tokio::time::timeout(patience, process.wait()).await;
            #[cfg(unix)]
            {
                let _ = process.signal(15); // SIGTERM
                if ended.is_err() {
                    let _ = tokio::time::timeout(patience, process.wait()).await;
                }
            }
            #[cfg(not(unix))]
            let _ = ended;
            let _ = process.start_kill();
            let _ = tokio::time::timeout(patience, process.wait()).await;
        }
        self.process = None;
        if let Some(task) = self.stderr_task.take() {
            task.abort();
        }
    }

    /// Waits a moment for stderr to be read to its end, so that an error can show it.
    pub(crate) async fn last_words(&mut self) -> String {
        if let Some(task) = &mut self.stderr_task {
            let _ = tokio::time::timeout(Duration::from_millis(200), task).await;
        }
        self.stderr.tail()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.start_kill();
        }
        if let Some(task) = &self.stderr_task {
            task.abort();
        }
    }
}

async fn drain(mut pipe: impl AsyncRead + Unpin, stderr: Stderr, limit: usize) {
    let mut buffer = vec![0; 8 * 1_024];
    while let Ok(count) = pipe.read(&mut buffer).await {
        if count == 0 {
            break;
        }
        stderr.push(buffer.get(..count).unwrap_or_default(), limit);
    }
}

/// The host's environment, less what is not Unicode.
fn unicode_environment() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}
