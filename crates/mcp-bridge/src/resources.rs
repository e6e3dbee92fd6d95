//! The bridge's own tools over resources: `list_mcp_resources` and `read_mcp_resource`.

use std::sync::LazyLock;

use serde_json::{Value, json};

/// A tool that the bridge itself answers.
#[derive(Debug)]
pub(crate) struct BuiltinTool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    schema: &'static LazyLock<Value>,
}

impl BuiltinTool {
    pub(crate) fn input_schema(&self) -> &'static Value {
        self.schema
    }
}

/// Both tools only read.
pub(crate) static ANNOTATIONS: LazyLock<Value> =
    LazyLock::new(|| json!({"readOnlyHint": true, "openWorldHint": false}));

static LIST_SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "type": "object",
        "properties": {
            "server": {"type": "string", "description": "Only the resources of this server; all servers where absent."},
        },
    })
});

static READ_SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "type": "object",
        "properties": {
            "server": {"type": "string", "description": "The server that offers the resource."},
            "uri": {"type": "string", "description": "The resource's URI, as list_mcp_resources shows it."},
        },
        "required": ["server", "uri"],
    })
});

pub(crate) const LIST: &str = "list_mcp_resources";
pub(crate) const READ: &str = "read_mcp_resource";

pub(crate) static TOOLS: [BuiltinTool; 2] = [
    BuiltinTool {
        name: LIST,
        title: "List MCP resources",
        description: "Lists the resources that connected MCP servers offer, one per line: server | uri | name | MIME type.",
        schema: &LIST_SCHEMA,
    },
    BuiltinTool {
        name: READ,
        title: "Read an MCP resource",
        description: "Reads one resource of an MCP server by its URI.",
        schema: &READ_SCHEMA,
    },
];
