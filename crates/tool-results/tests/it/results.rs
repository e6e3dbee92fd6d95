//! What a model reads, block by block.

use mcp_bridge_tool_results::{
    Context, Converted, NoArtifacts, Note, Options, Part, convert, convert_prompt_messages,
    convert_resource_contents, render_resource_lines,
};
use serde_json::{Value, json};

use crate::support::Kept;

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGM4IScHAAK2AQU0pnWqAAAAAElFTkSuQmCC";

fn told(result: &Value, options: &Options) -> Converted {
    convert(
        result,
        &Context::new("s", "t"),
        options,
        &mut Kept::default(),
    )
}

fn codes(converted: &Converted) -> Vec<&str> {
    converted
        .notes()
        .iter()
        .map(|note| note.code.as_str())
        .collect()
}

#[test]
fn each_block_has_its_words() {
    let cases = [
        (json!({"content": []}), "MCP tool returned no content."),
        (
            json!({"content": [{"type": "text", "text": ""}]}),
            "MCP tool returned no content.",
        ),
        (
            json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
            "a\n\nb",
        ),
        (
            json!({"content": [{"type": "resource_link", "uri": "r://q", "name": "q", "title": "Q\n3", "description": "sums", "mimeType": "application/pdf", "size": 12}]}),
            "Resource link: q\nURI: r://q\nMIME: application/pdf\nTitle: Q 3\nDescription: sums\nSize: 12 bytes",
        ),
        (
            json!({"content": [{"type": "resource", "resource": {"uri": "f:///m.rs", "mimeType": "text/plain", "blob": "Zm4gbWFpbigpe30="}}]}),
            "Resource from MCP server 's'\nURI: f:///m.rs\nMIME: text/plain\n\nfn main(){}",
        ),
        (
            json!({"content": [], "structuredContent": {"id": 1915883588174806058_u64}}),
            "Structured content:\n{\n  \"id\": 1915883588174806058\n}",
        ),
        (
            json!({"content": [{"type": "text", "text": "{\"a\": 1}"}], "structuredContent": {"a": 1}}),
            "{\"a\": 1}",
        ),
        (
            json!({"content": [{"type": "text", "text": "x"}], "structuredContent": {"a": 1}}),
            "x\n\nStructured content:\n{\n  \"a\": 1\n}",
        ),
        (
            json!({"content": [{"type": "odd", "n": 1}]}),
            "Unsupported MCP content block:\n{\n  \"n\": 1,\n  \"type\": \"odd\"\n}",
        ),
        (
            json!({"content": [{"type": "image", "data": "%", "mimeType": "image/png"}, {"type": "text", "text": "kept"}]}),
            "The image block was left out: its data is not valid base64 (image/png).\n\nkept",
        ),
        (
            json!("nonsense"),
            "Unsupported MCP content block:\n\"nonsense\"",
        ),
    ];
    for (result, want) in cases {
        assert_eq!(
            told(&result, &Options::default()).text(),
            want,
            "given {result}"
        );
    }
}

#[test]
fn an_image_is_a_part_and_never_base64_in_the_text() {
    let result = json!({"content": [{"type": "image", "mimeType": "image/png", "data": PNG}]});
    let converted = told(&result, &Options::default());
    assert!(
        matches!(converted.parts(), [Part::Image(_)]),
        "{:?}",
        converted.parts()
    );
    assert!(!converted.text().contains("iVBOR"));
    let text_only = told(&result, &Options::default().with_max_media_items(0));
    assert!(matches!(text_only.parts(), [Part::Text(_)]));
    assert_eq!(text_only.text(), "Saved image/png artifact as s/t/00-image-2d5b35dca8ed2f0a.png (69 bytes).\nThe file is /kept/s/t/00-image-2d5b35dca8ed2f0a.png.".replace("2d5b35dca8ed2f0a", digest_of(&converted)));
}

fn digest_of(converted: &Converted) -> &str {
    converted
        .artifacts()
        .first()
        .and_then(|artifact| artifact.sha256.get(..16))
        .unwrap_or_default()
}

#[test]
fn a_lying_mime_type_is_corrected_and_both_are_kept() {
    let cases = [
        (
            json!({"type": "image", "mimeType": "image/jpeg", "data": PNG}),
            "image/png",
            Some("image/jpeg"),
        ),
        (
            json!({"type": "image", "mimeType": "image/png", "data": "aGVsbG8sIG5vdCBhIHBpY3R1cmU="}),
            "application/octet-stream",
            Some("image/png"),
        ),
        (
            json!({"type": "image", "data": PNG}),
            "image/png",
            Some("application/octet-stream"),
        ),
        (
            json!({"type": "image", "mimeType": "image/png", "data": PNG}),
            "image/png",
            None,
        ),
        (
            json!({"type": "image", "mimeType": "image/svg+xml", "data": "PHN2Zy8+"}),
            "image/svg+xml",
            None,
        ),
    ];
    for (block, mime_type, declared) in cases {
        let converted = told(&json!({"content": [block]}), &Options::default());
        let found: Vec<_> = converted
            .artifacts()
            .iter()
            .map(|artifact| {
                (
                    artifact.mime_type.as_str(),
                    artifact.declared_mime_type.as_deref(),
                )
            })
            .collect();
        assert_eq!(found, [(mime_type, declared)], "given {block}");
    }
}

#[test]
fn the_audience_decides_who_reads_a_block() {
    let block = |text: &str, audience: Value| json!({"type": "text", "text": text, "annotations": {"audience": audience}});
    let result = json!({"content": [block("user", json!(["user"])), block("model", json!(["assistant"])), block("both", json!([]))]});
    let converted = told(&result, &Options::default());
    assert_eq!(
        (converted.text(), converted.user_text()),
        ("model\n\nboth", "user\n\nboth")
    );
    let only_user = told(
        &json!({"content": [block("u", json!(["user"]))]}),
        &Options::default(),
    );
    assert_eq!(
        only_user.text(),
        "MCP tool returned output for the user only."
    );
}

#[test]
fn long_text_is_saved_whole_and_shown_in_part() {
    let text = "0123456789\n".repeat(20);
    let options = Options::default()
        .with_max_inline(50, 50)
        .with_preview(40, 40);
    let mut kept = Kept::default();
    let converted = convert(
        &json!({"content": [{"type": "text", "text": text}]}),
        &Context::new("s", "t"),
        &options,
        &mut kept,
    );
    let id = kept
        .files
        .first()
        .map(|(id, _)| id.clone())
        .unwrap_or_default();
    assert_eq!(
        converted.text(),
        format!(
            "Saved large MCP text output as {id} (220 chars, 220 bytes).\nRead the full output from /kept/{id}.\nPreview:\n0123456789\n0123456789\n[... 186 characters left out ...]\n0123456789"
        )
    );
    assert_eq!(kept.files, [(id, text.into_bytes())]);
    assert_eq!(codes(&converted), ["text_saved"]);
}

#[test]
fn the_whole_result_has_a_limit_too() {
    let blocks: Vec<Value> = (0..50)
        .map(|n| json!({"type": "text", "text": format!("block {n} {}", "x".repeat(40))}))
        .collect();
    let options = Options::default()
        .with_max_total_chars(Some(1_000))
        .with_preview(200, 800);
    let converted = told(&json!({"content": blocks}), &options);
    assert!(
        converted.text().chars().count() < 1_000,
        "{}",
        converted.text()
    );
    assert!(
        converted.text().contains("block 0 ") && converted.text().contains("Read the full output")
    );
    assert_eq!(codes(&converted), ["result_shortened", "text_saved"]);
}

#[test]
fn flags_and_meta_come_through() {
    let cases = [
        (json!(true), true),
        (json!(null), false),
        (json!(0), false),
        (json!(1), true),
    ];
    for (flag, want) in cases {
        let converted = told(
            &json!({"isError": flag, "content": [], "_meta": {"k": 1}}),
            &Options::default(),
        );
        assert_eq!(converted.is_error(), want, "given {flag}");
        assert_eq!(converted.meta().get("k"), Some(&json!(1)));
    }
}

#[test]
fn a_warning_of_the_caller_is_said_below_the_text() {
    let converted = told(
        &json!({"content": [{"type": "text", "text": "a"}]}),
        &Options::default(),
    )
    .with_warning(Note::new("output_schema_mismatch", "`/n` is not a number"));
    assert_eq!(converted.text(), "a\n\nWarning: `/n` is not a number");
    assert_eq!(codes(&converted), ["output_schema_mismatch"]);
}

#[test]
fn a_prompt_keeps_its_roles_and_tells_its_media() {
    let result = json!({"description": "d", "messages": [
        {"role": "user", "content": {"type": "text", "text": "look"}},
        {"role": "assistant", "content": {"type": "image", "mimeType": "image/png", "data": PNG}},
        {"content": "bare"},
    ]});
    let prompt = convert_prompt_messages(
        &result,
        &Context::new("s", "p"),
        &Options::default(),
        &mut NoArtifacts,
    );
    assert_eq!(
        prompt.text(),
        "user: look\n\nassistant: The image (image/png, about 69 bytes) could not be saved: this host keeps no artifacts.\n\nuser: bare"
    );
    assert_eq!(prompt.description(), Some("d"));
    assert_eq!(prompt.messages().len(), 3);
}

#[test]
fn a_read_resource_is_told_item_by_item() {
    let result =
        json!({"contents": [{"uri": "x://1", "text": "one"}, {"uri": "x://2", "blob": "AP8Q"}]});
    let converted = convert_resource_contents(
        &result,
        &Context::new("s", "read_resource"),
        &Options::default(),
        &mut Kept::default(),
    );
    let uris: Vec<_> = converted
        .artifacts()
        .iter()
        .map(|artifact| artifact.uri.clone())
        .collect();
    assert_eq!(uris, [Some("x://2".to_owned())]);
    assert!(converted.text().starts_with(
        "Resource from MCP server 's'\nURI: x://1\n\none\n\nSaved application/octet-stream artifact"
    ));
}

#[test]
fn resources_are_listed_one_on_a_line() {
    let resource = json!({"uri": "file:///a", "name": "a\nb | f", "title": "T", "mimeType": "text/plain", "size": 3});
    let cases = [
        (
            Options::default(),
            "s | file:///a | a b | f | text/plain | T | 3 bytes",
        ),
        (
            Options::reference(),
            "s | file:///a | a\nb | f | text/plain",
        ),
    ];
    for (options, want) in cases {
        assert_eq!(render_resource_lines([("s", &resource)], &options), want);
    }
    assert_eq!(
        render_resource_lines([], &Options::default()),
        "No MCP resources are currently available."
    );
}
