use std::fmt;

/// One difference between a tool's schema and what the model sees of it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// What was done.
    pub kind: ChangeKind,
    /// Where, as a JSON pointer into the schema.
    pub pointer: String,
    /// More about it; may be empty.
    pub detail: String,
}

impl Change {
    pub(crate) fn new(kind: ChangeKind, pointer: &str, detail: impl Into<String>) -> Self {
        let short = |text: &str| text.chars().take(200).collect::<String>();
        Self {
            kind,
            pointer: short(pointer),
            detail: short(&detail.into()),
        }
    }

    /// Whether the model knows less than the server said.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        match self.kind {
            ChangeKind::AddedType
            | ChangeKind::AddedProperties
            | ChangeKind::Inlined
            | ChangeKind::Renamed => false,
            ChangeKind::Replaced
            | ChangeKind::MergedRoot
            | ChangeKind::CutRecursion
            | ChangeKind::UnresolvedReference
            | ChangeKind::DroppedKeyword
            | ChangeKind::CutDepth
            | ChangeKind::CutSize => true,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = if self.pointer.is_empty() {
            "the root"
        } else {
            &self.pointer
        };
        write!(f, "{} at {pointer}", self.kind.code())?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

/// What was done to a schema.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// It was no object schema, and an open one stands in its place.
    Replaced,
    /// The root got the `type` that MCP asks for.
    AddedType,
    /// The root got empty `properties`.
    AddedProperties,
    /// Alternatives at the root were merged, and are told in words.
    MergedRoot,
    /// A `$ref` was replaced with what it points to.
    Inlined,
    /// A `$ref` to something that holds itself ends in an open schema.
    CutRecursion,
    /// A `$ref` that points to nothing became an open schema.
    UnresolvedReference,
    /// A property got a name that the model API accepts.
    Renamed,
    /// A keyword that the model API refuses was left out.
    DroppedKeyword,
    /// What lay too deep became an open schema.
    CutDepth,
    /// The schema was too large, and lost its texts or its depth.
    CutSize,
}

impl ChangeKind {
    /// A stable code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Replaced => "replaced",
            Self::AddedType => "added_type",
            Self::AddedProperties => "added_properties",
            Self::MergedRoot => "merged_root",
            Self::Inlined => "inlined",
            Self::CutRecursion => "cut_recursion",
            Self::UnresolvedReference => "unresolved_reference",
            Self::Renamed => "renamed",
            Self::DroppedKeyword => "dropped_keyword",
            Self::CutDepth => "cut_depth",
            Self::CutSize => "cut_size",
        }
    }
}
