//! What a model asks for.

use serde_json::{Map, Value};

/// The tool that calls another one.
pub const USE_MCP_TOOL: &str = "use_mcp_tool";
/// The tool that reads a resource.
pub const ACCESS_MCP_RESOURCE: &str = "access_mcp_resource";

/// A call that was read whole.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// What is asked for.
    pub kind: CallKind,
    /// What was odd in the way it was written.
    pub notes: Vec<Note>,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CallKind {
    /// `use_mcp_tool`: call a tool.
    UseTool {
        /// `server_name`, trimmed.
        server: String,
        /// `tool_name`, trimmed.
        tool: String,
        /// `arguments`; empty where the model gave none.
        arguments: Map<String, Value>,
    },
    /// `access_mcp_resource`: read a resource.
    ReadResource {
        /// `server_name`, trimmed.
        server: String,
        /// `uri`, trimmed.
        uri: String,
    },
}

impl CallKind {
    /// The server that is named.
    pub fn server(&self) -> &str {
        match self {
            Self::UseTool { server, .. } | Self::ReadResource { server, .. } => server,
        }
    }
}

/// Something odd that was understood all the same.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// `arguments` was a string that holds an object.
    DoubleEncodedArguments,
    /// There were parameters of other names.
    UnknownParameter,
    /// The call was closed before its last parameter, and that parameter after it.
    MisplacedClosingTag,
    /// The last parameter was not closed.
    UnclosedParameter,
    /// `arguments` was JSON only once XML entities were decoded.
    DecodedEntities,
}

impl Note {
    /// A stable code.
    pub fn code(self) -> &'static str {
        match self {
            Self::DoubleEncodedArguments => "double_encoded_arguments",
            Self::UnknownParameter => "unknown_parameter",
            Self::MisplacedClosingTag => "misplaced_closing_tag",
            Self::UnclosedParameter => "unclosed_parameter",
            Self::DecodedEntities => "decoded_entities",
        }
    }
}

/// Which of the two tools a call is of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Door {
    UseTool,
    ReadResource,
}

impl Door {
    pub(crate) const ALL: [Self; 2] = [Self::UseTool, Self::ReadResource];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::UseTool => USE_MCP_TOOL,
            Self::ReadResource => ACCESS_MCP_RESOURCE,
        }
    }

    pub(crate) fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::UseTool => &["server_name", "tool_name", "arguments"],
            Self::ReadResource => &["server_name", "uri"],
        }
    }

    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|door| door.name() == name)
    }
}
