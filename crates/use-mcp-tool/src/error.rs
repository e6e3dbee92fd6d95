//! Why a call cannot be made.

use std::fmt;

use serde_json::{Map, Value};

/// The most names that are listed.
const MOST_NAMES: usize = 50;

/// A call that cannot be made, told so that a model can do better.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallError {
    /// What is wrong.
    pub kind: CallErrorKind,
    /// One sentence.
    pub message: String,
    /// The parameter it is about.
    pub parameter: Option<String>,
    /// The server that was named.
    pub server: Option<String>,
    /// The tool that was named.
    pub tool: Option<String>,
    /// What could have been named instead.
    pub names: Box<Names>,
}

/// What could have been named, each cut at 200 characters and without control characters.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Names {
    /// The names there are, in the host's order, at most 50.
    pub available: Vec<String>,
    /// Names that look like the one given, at most three.
    pub did_you_mean: Vec<String>,
}

/// What is wrong with a call.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum CallErrorKind {
    /// The name is neither of the two tools.
    UnknownDoor,
    /// A parameter is missing or empty.
    MissingParameter,
    /// A parameter is of the wrong type, or no JSON.
    InvalidArgument,
    /// A parameter stands twice, with different values.
    DuplicateParameter,
    /// The text ended inside a call.
    IncompleteCall,
    /// A parameter, or the whole text, is too large.
    ParameterTooLarge,
    /// There is no such server.
    UnknownServer,
    /// The name fits several servers.
    AmbiguousServer,
    /// The server has no such tool.
    UnknownTool,
    /// The name fits several tools.
    AmbiguousTool,
    /// The tool is switched off.
    ToolDisabled,
}

impl CallErrorKind {
    /// A stable code.
    pub fn code(self) -> &'static str {
        match self {
            Self::UnknownDoor => "unknown_call",
            Self::MissingParameter => "missing_parameter",
            Self::InvalidArgument => "invalid_argument",
            Self::DuplicateParameter => "duplicate_parameter",
            Self::IncompleteCall => "incomplete_call",
            Self::ParameterTooLarge => "parameter_too_large",
            Self::UnknownServer => "unknown_server",
            Self::AmbiguousServer => "ambiguous_server",
            Self::UnknownTool => "unknown_tool",
            Self::AmbiguousTool => "ambiguous_tool",
            Self::ToolDisabled => "tool_disabled",
        }
    }
}

impl CallError {
    pub(crate) fn new(kind: CallErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            parameter: None,
            server: None,
            tool: None,
            names: Box::default(),
        }
    }

    pub(crate) fn about(mut self, parameter: &str) -> Self {
        self.parameter = Some(parameter.to_owned());
        self
    }

    pub(crate) fn named(mut self, server: &str, tool: Option<&str>) -> Self {
        self.server = Some(short(server));
        self.tool = tool.map(short);
        self
    }

    pub(crate) fn with_names<'a>(
        mut self,
        available: impl IntoIterator<Item = &'a str>,
        wanted: &str,
    ) -> Self {
        let names: Vec<&str> = available.into_iter().collect();
        self.names.did_you_mean = crate::resolve::near(&names, wanted);
        self.names.available = names.into_iter().take(MOST_NAMES).map(short).collect();
        self
    }

    /// One flat JSON object for the model: `status`, `type`, `message`, and of `parameter`, `server`, `tool`,
    /// `available_servers` or `available_tools`, and `did_you_mean` what there is.
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        json.insert("status".into(), "error".into());
        json.insert("type".into(), self.kind.code().into());
        json.insert("message".into(), self.message.as_str().into());
        for (key, value) in [
            ("parameter", &self.parameter),
            ("server", &self.server),
            ("tool", &self.tool),
        ] {
            if let Some(value) = value {
                json.insert(key.into(), value.as_str().into());
            }
        }
        let available = match self.kind {
            CallErrorKind::UnknownServer | CallErrorKind::AmbiguousServer => "available_servers",
            _ => "available_tools",
        };
        for (key, names) in [
            (available, &self.names.available),
            ("did_you_mean", &self.names.did_you_mean),
        ] {
            if !names.is_empty() {
                json.insert(key.into(), names.clone().into());
            }
        }
        Value::Object(json)
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CallError {}

/// A name as an error repeats it.
pub(crate) fn short(name: &str) -> String {
    let shown = name.chars().take(200);
    shown
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
