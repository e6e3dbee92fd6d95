use std::fmt;

use serde_json::Value;

/// How one boolean hint stands in a tool's annotations.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Declared {
    /// Not there: the default of the protocol counts.
    #[default]
    Absent,
    /// There, but no boolean: the default of the protocol counts.
    Invalid,
    /// `true`.
    True,
    /// `false`.
    False,
}

impl Declared {
    /// The value, or `default` where none was properly declared.
    #[must_use]
    pub fn or(self, default: bool) -> bool {
        match self {
            Self::True => true,
            Self::False => false,
            Self::Absent | Self::Invalid => default,
        }
    }
}

/// What a tool says of itself.
///
/// All of these are [hints](https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations): a
/// server may lie, so they loosen a decision only under [`Trust`](crate::Trust). A tool without annotations counts as
/// destructive, not idempotent, and in touch with an open world.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Hints {
    /// `readOnlyHint`; by default `false`.
    pub read_only_hint: Declared,
    /// `destructiveHint`; by default `true`.
    pub destructive_hint: Declared,
    /// `idempotentHint`; by default `false`.
    pub idempotent_hint: Declared,
    /// `openWorldHint`; by default `true`.
    pub open_world_hint: Declared,
}

impl Hints {
    /// Reads `annotations`, and tells what could not be read.
    ///
    /// `readOnlyHint` is looked up before `read_only_hint`, which some servers write.
    #[must_use]
    pub fn from_annotations(annotations: &Value) -> (Self, Vec<HintProblem>) {
        let mut problems = Vec::new();
        if !annotations.is_object() && !annotations.is_null() {
            problems.push(HintProblem {
                hint: "annotations",
                found: kind_of(annotations),
                expected: "an object",
            });
        }
        let mut read = |camel: &'static str, snake: &str| match annotations
            .get(camel)
            .or_else(|| annotations.get(snake))
        {
            None => Declared::Absent,
            Some(Value::Bool(true)) => Declared::True,
            Some(Value::Bool(false)) => Declared::False,
            Some(other) => {
                problems.push(HintProblem {
                    hint: camel,
                    found: kind_of(other),
                    expected: "a boolean",
                });
                Declared::Invalid
            }
        };
        let hints = Self {
            read_only_hint: read("readOnlyHint", "read_only_hint"),
            destructive_hint: read("destructiveHint", "destructive_hint"),
            idempotent_hint: read("idempotentHint", "idempotent_hint"),
            open_world_hint: read("openWorldHint", "open_world_hint"),
        };
        (hints, problems)
    }

    /// `readOnlyHint` as the protocol reads it.
    #[must_use]
    pub fn read_only(self) -> bool {
        self.read_only_hint.or(false)
    }

    /// `destructiveHint` as the protocol reads it: without meaning in a read-only tool, otherwise `true` unless denied.
    #[must_use]
    pub fn destructive(self) -> bool {
        !self.read_only() && self.destructive_hint.or(true)
    }

    /// `idempotentHint` as the protocol reads it.
    #[must_use]
    pub fn idempotent(self) -> bool {
        self.idempotent_hint.or(false)
    }

    /// `openWorldHint` as the protocol reads it.
    #[must_use]
    pub fn open_world(self) -> bool {
        self.open_world_hint.or(true)
    }

    /// Read-only, and not destructive in the same breath: of contradictory hints the worse counts.
    ///
    /// This is the one that decides.
    #[must_use]
    pub fn plainly_read_only(self) -> bool {
        self.read_only() && !self.says_destructive()
    }

    /// The tool itself says that it destroys; silence is not enough.
    #[must_use]
    pub fn says_destructive(self) -> bool {
        self.destructive_hint == Declared::True
    }
}

/// An annotation that was not understood, and counts as absent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HintProblem {
    hint: &'static str,
    found: &'static str,
    expected: &'static str,
}

impl HintProblem {
    /// The name of the annotation.
    #[must_use]
    pub fn hint(&self) -> &str {
        self.hint
    }
}

impl fmt::Display for HintProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            hint,
            found,
            expected,
        } = self;
        write!(
            f,
            "`{hint}` is {found} where {expected} belongs, and counts as absent"
        )
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
