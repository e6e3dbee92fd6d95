//! Sinks that fail, and input that nobody planned for.

use mcp_bridge_tool_results::{
    Context, ExtensionTable, Options, binary_extension, convert, text_extension,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::Kept;

#[test]
fn a_full_disk_costs_only_its_own_block() {
    let mut kept = Kept {
        full_after: Some(3),
        ..Kept::default()
    };
    let result = json!({"content": [{"type": "audio", "mimeType": "audio/wav", "data": "AAECAwQFBgc="}, {"type": "text", "text": "rest"}]});
    let options = Options::reference();
    let converted = convert(&result, &Context::new("s", "t"), &options, &mut kept);
    assert_eq!(
        converted.text(),
        "The audio (audio/wav, about 9 bytes) could not be saved: no storage space.\n\nrest"
    );
    let codes: Vec<_> = converted
        .notes()
        .iter()
        .map(|note| note.code.as_str())
        .collect();
    assert_eq!(codes, ["artifact_not_saved"]);
    assert!(kept.files.is_empty());
}

#[test]
fn an_extension_never_comes_from_the_type_itself() {
    let cases = [
        ("audio/x-wav", ".wav"),
        ("APPLICATION/JSON", ".json"),
        ("text/plain; charset=utf-8", ".txt"),
        ("image/svg+xml", ".svg"),
        ("text/../x", ".bin"),
        ("application/x-foo", ".bin"),
        ("", ".bin"),
    ];
    for (given, want) in cases {
        assert_eq!(
            binary_extension(given, ExtensionTable::Full),
            want,
            "given {given:?}"
        );
    }
    assert_eq!(
        binary_extension("audio/x-wav", ExtensionTable::Reference),
        ".bin"
    );
    assert_eq!(text_extension("text/csv", ExtensionTable::Full), ".csv");
    assert_eq!(
        text_extension("text/csv", ExtensionTable::Reference),
        ".txt"
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let keys = prop_oneof![
        Just("type".to_owned()),
        Just("text".to_owned()),
        Just("data".to_owned()),
        Just("resource".to_owned()),
        Just("uri".to_owned()),
        Just("blob".to_owned()),
        Just("mimeType".to_owned()),
        Just("content".to_owned()),
        ".{0,6}",
    ];
    let words = prop_oneof![
        Just("text".to_owned()),
        Just("image".to_owned()),
        Just("resource".to_owned()),
        Just("resource_link".to_owned()),
        Just("aGVsbG8=".to_owned()),
        ".{0,80}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        words.prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((keys.clone(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_gives_text_and_no_panic(content in any_json(), structured in any_json(), limit in 0_usize..40) {
        let result = json!({"content": [content.clone(), content], "structuredContent": structured});
        for options in [Options::default(), Options::reference(), Options::compact()] {
            let options = options.with_max_inline(limit, limit).with_preview(limit, limit);
            let converted = convert(&result, &Context::new("s", "t"), &options, &mut Kept::default());
            prop_assert!(!converted.text().is_empty());
        }
    }
}
