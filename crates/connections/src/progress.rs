//! Progress of running requests, in order.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

/// One report of progress, as the server sent it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// How much is done; grows from report to report.
    pub progress: f64,
    /// How much there is, where the server knows.
    pub total: Option<f64>,
    /// What the server says of it. Untrusted text.
    pub message: Option<String>,
}

impl Progress {
    /// Reads the parameters of `notifications/progress`; `None` where `progress` is no finite number.
    pub(crate) fn read(params: &Value) -> Option<Self> {
        let number = |key: &str| {
            params
                .get(key)
                .and_then(Value::as_f64)
                .filter(|n| n.is_finite())
        };
        Some(Self {
            progress: number("progress")?,
            total: number("total"),
            message: params
                .get("message")
                .and_then(Value::as_str)
                .map(str::to_owned),
        })
    }
}

/// Is told of each report of one call, in order; must return at once.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// A sink and the call's own clock.
pub(crate) struct Watch {
    pub(crate) sink: Option<ProgressSink>,
    pub(crate) beat: Arc<tokio::sync::Notify>,
}

/// Who waits for which token.
///
/// A server may report before the sender knows the token, so the last report of an unknown token is kept for it.
#[derive(Default)]
pub(crate) struct Reports(HashMap<String, Entry>);

#[derive(Default)]
struct Entry {
    watch: Option<Watch>,
    early: Option<Progress>,
    last: Option<f64>,
}

impl Reports {
    /// Early reports are kept for a few tokens only: a server may invent tokens.
    const EARLY: usize = 64;

    /// Registers a call; what came early is given back, to be told once no lock is held.
    pub(crate) fn watch(
        &mut self,
        token: String,
        watch: Watch,
    ) -> Option<(ProgressSink, Progress)> {
        let entry = self.0.entry(token).or_default();
        let early = entry.early.take();
        if early.is_some() {
            watch.beat.notify_one();
        }
        let told = watch.sink.clone().zip(early);
        entry.watch = Some(watch);
        told
    }

    pub(crate) fn end(&mut self, token: &str) {
        self.0.remove(token);
    }

    /// Takes in a report; who is to be told of it is given back, to be told once no lock is held.
    pub(crate) fn report(
        &mut self,
        token: &str,
        progress: Progress,
    ) -> Option<(ProgressSink, Progress)> {
        if !self.0.contains_key(token) {
            if self
                .0
                .values()
                .filter(|entry| entry.watch.is_none())
                .count()
                >= Self::EARLY
            {
                self.0.retain(|_, entry| entry.watch.is_some());
            }
            self.0.insert(token.to_owned(), Entry::default());
        }
        let entry = self.0.get_mut(token)?;
        if entry.last.is_some_and(|last| progress.progress <= last) {
            return None;
        }
        entry.last = Some(progress.progress);
        match &entry.watch {
            Some(watch) => {
                watch.beat.notify_one();
                watch.sink.clone().map(|sink| (sink, progress))
            }
            None => {
                entry.early = Some(progress);
                None
            }
        }
    }
}

impl fmt::Debug for Reports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reports").field(&self.0.len()).finish()
    }
}
