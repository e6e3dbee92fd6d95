//! Resources: what was read, and what there is to read.

use serde_json::Value;

use crate::convert::{Context, Converter, meta_of};
use crate::converted::Converted;
use crate::json::{one_line, truthy};
use crate::options::{Options, Wording};
use crate::sink::Sink;

/// Converts the result of a `resources/read`: every item as an embedded resource would be.
///
/// The tool of `context` names the artifacts; hosts use `read_resource`.
#[must_use]
pub fn convert_resource_contents(
    result: &Value,
    context: &Context<'_>,
    options: &Options,
    sink: &mut dyn Sink,
) -> Converted {
    let mut converter = Converter::new(*context, options, sink);
    let contents = result.get("contents").and_then(Value::as_array);
    let contents = contents.map_or(&[][..], Vec::as_slice);
    for (index, item) in contents.iter().enumerate() {
        converter.resource_block(index, item, Some(item));
    }
    let mut converted = Converted {
        meta: meta_of(result),
        ..Converted::default()
    };
    converter.finish(&mut converted, contents.len() + 1);
    converted
}

/// The text of a `list_mcp_resources` tool: one line for each pair of a server and a resource of its list.
///
/// A line is `server | uri`, and then the name and the MIME type where they are given. The full wording adds title,
/// description and size, and keeps every field on its line.
#[must_use]
pub fn render_resource_lines<'a>(
    resources: impl IntoIterator<Item = (&'a str, &'a Value)>,
    options: &Options,
) -> String {
    let full = options.wording != Wording::Reference;
    let lines: Vec<String> = resources
        .into_iter()
        .map(|(server, resource)| line(server, resource, full))
        .collect();
    if lines.is_empty() {
        return "No MCP resources are currently available.".to_owned();
    }
    lines.join("\n")
}

fn line(server: &str, resource: &Value, full: bool) -> String {
    let field = |key: &str| {
        let text = resource.get(key).filter(|value| truthy(value))?.as_str()?;
        Some(if full {
            one_line(text)
        } else {
            text.to_owned()
        })
    };
    let address = field("uri").or_else(|| field("uriTemplate"));
    let server = if full {
        one_line(server)
    } else {
        server.to_owned()
    };
    let mut fields = vec![server, address.unwrap_or_default()];
    let name = field("name");
    fields.extend(name.clone());
    fields.extend(field("mimeType"));
    if full {
        fields.extend(field("title").filter(|title| Some(title) != name.as_ref()));
        fields.extend(field("description"));
        let size = resource.get("size").and_then(Value::as_u64);
        fields.extend(size.map(|size| format!("{size} bytes")));
    }
    fields.join(" | ")
}
