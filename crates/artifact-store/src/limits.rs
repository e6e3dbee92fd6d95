//! How much is kept, how safely, and under which names.

/// How much a store accepts.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// The largest artifact, in bytes. Default: 256 MiB.
    pub max_artifact_bytes: u64,
    /// All artifacts of the session, in bytes. Default: 1 GiB.
    pub max_session_bytes: u64,
    /// All artifacts of the session. Default: 10,000.
    pub max_session_files: u64,
    /// What one read gives back at most, in bytes. Default: 1 MiB.
    pub max_read_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_artifact_bytes: 256 << 20,
            max_session_bytes: 1 << 30,
            max_session_files: 10_000,
            max_read_bytes: 1 << 20,
        }
    }
}

impl Limits {
    /// Sets [`max_artifact_bytes`](Self::max_artifact_bytes).
    #[must_use]
    pub fn with_max_artifact_bytes(mut self, bytes: u64) -> Self {
        self.max_artifact_bytes = bytes;
        self
    }

    /// Sets [`max_session_bytes`](Self::max_session_bytes).
    #[must_use]
    pub fn with_max_session_bytes(mut self, bytes: u64) -> Self {
        self.max_session_bytes = bytes;
        self
    }

    /// Sets [`max_session_files`](Self::max_session_files).
    #[must_use]
    pub fn with_max_session_files(mut self, files: u64) -> Self {
        self.max_session_files = files;
        self
    }

    /// Sets [`max_read_bytes`](Self::max_read_bytes).
    #[must_use]
    pub fn with_max_read_bytes(mut self, bytes: u64) -> Self {
        self.max_read_bytes = bytes;
        self
    }
}

/// Whether a finished artifact survives a power cut.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Durability {
    /// File and folder are synced before the artifact has its name.
    #[default]
    Synced,
    /// The operating system writes when it likes; a crash of the program alone loses nothing.
    Buffered,
}

/// How a server's or a tool's name becomes a folder.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Naming {
    /// A name that had to be changed carries a digest, so no two servers share a folder.
    #[default]
    Distinct,
    /// The folders of the IaC Code host: `a/b` and `a-b` share one.
    Reference,
}

/// How a store works.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct StoreOptions {
    /// How much is accepted.
    pub limits: Limits,
    /// Whether artifacts are synced. Default: they are.
    pub durability: Durability,
    /// How folders are named. Default: [`Naming::Distinct`].
    pub naming: Naming,
}

impl StoreOptions {
    /// Sets [`limits`](Self::limits).
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets [`durability`](Self::durability).
    #[must_use]
    pub fn with_durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Sets [`naming`](Self::naming).
    #[must_use]
    pub fn with_naming(mut self, naming: Naming) -> Self {
        self.naming = naming;
        self
    }
}
