//! Who decides whether a call may run.

use std::sync::{PoisonError, RwLock};

use mcp_bridge_permissions::{Answer, Call, Decision, Engine, KnownTool};

/// Decides what tools may do, at once and without I/O.
///
/// A host with its own permission system implements this; the default is the engine of
/// [`permissions`](crate::permissions).
pub trait PermissionPolicy: Send + Sync {
    /// Decides one call.
    fn decide(&self, call: &Call<'_>) -> Decision;

    /// Whether a tool can never run, so that a model need not see it. The default hides nothing.
    fn hides(&self, _tool: &KnownTool<'_>) -> bool {
        false
    }

    /// Takes in what a person answered. The default forgets it.
    fn remember(&self, _call: &Call<'_>, _answer: &Answer) {}

    /// What is wrong with the policy's own rules, given the tools that exist. The default finds nothing.
    fn diagnostics(&self, _tools: &[KnownTool<'_>]) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// The engine behind a lock that is held only while it decides.
#[derive(Debug)]
pub(crate) struct EnginePolicy(RwLock<Engine>);

impl EnginePolicy {
    pub(crate) fn new(engine: Engine) -> Self {
        Self(RwLock::new(engine))
    }

    fn engine(&self) -> std::sync::RwLockReadGuard<'_, Engine> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PermissionPolicy for EnginePolicy {
    fn decide(&self, call: &Call<'_>) -> Decision {
        self.engine().decide(call)
    }

    fn hides(&self, tool: &KnownTool<'_>) -> bool {
        self.engine().always_denies(tool)
    }

    fn remember(&self, call: &Call<'_>, answer: &Answer) {
        let mut engine = self.0.write().unwrap_or_else(PoisonError::into_inner);
        engine.answer(call, answer);
    }

    fn diagnostics(&self, tools: &[KnownTool<'_>]) -> Vec<(String, String)> {
        let found = self.engine().diagnostics(tools);
        found
            .into_iter()
            .map(|diagnostic| (diagnostic.kind.code().to_owned(), diagnostic.to_string()))
            .collect()
    }
}
