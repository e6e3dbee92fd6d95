/// What a person says to a question.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// Yes or no, and for how long.
    pub kind: AnswerKind,
    /// Words for the model, such as the reason of a refusal.
    pub remark: Option<String>,
}

/// Yes or no, and for how long.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum AnswerKind {
    /// Yes, this call only.
    Once,
    /// Yes, this tool, until the session ends.
    Session,
    /// Yes, this tool; the host also writes the rule to its settings.
    Always,
    /// Yes, this tool with the same arguments, until the session ends.
    BoundToArguments,
    /// No, this call only.
    No,
    /// No, and not again in this session.
    Never,
}

impl AnswerKind {
    /// A stable word for audit records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Always => "always",
            Self::BoundToArguments => "bound_to_arguments",
            Self::No => "no",
            Self::Never => "never",
        }
    }

    /// Whether the call may run.
    #[must_use]
    pub fn allows(self) -> bool {
        !matches!(self, Self::No | Self::Never)
    }
}

impl Answer {
    /// An answer without a remark.
    #[must_use]
    pub fn new(kind: AnswerKind) -> Self {
        Self { kind, remark: None }
    }

    /// Sets [`remark`](Self::remark).
    #[must_use]
    pub fn with_remark(mut self, remark: impl Into<String>) -> Self {
        self.remark = Some(remark.into());
        self
    }
}
