//! The generic use_mcp_tool / access_mcp_resource dialect, as JSON calls and as XML tags.
