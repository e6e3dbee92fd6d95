use mcp_bridge_server_config::{Origin, SecretPlace, load_str, plaintext_secrets};
use proptest::prelude::*;
use serde_json::{Value, json};

fn found(entry: &Value) -> Vec<(String, SecretPlace)> {
    let found = plaintext_secrets(entry).into_iter();
    found.map(|secret| (secret.field, secret.place)).collect()
}

#[test]
fn a_value_is_a_secret_by_its_name_or_its_look() {
    let cases = [
        ("Authorization", "Bearer abc", Some(SecretPlace::Value)),
        ("Authorization", "", Some(SecretPlace::Value)),
        ("Authorization", "Bearer ${T}", None),
        ("Authorization", "Bearer ${T:-}", None),
        (
            "Authorization",
            "Bearer ${T:-abc}",
            Some(SecretPlace::Default),
        ),
        ("API-Key", "k", Some(SecretPlace::Value)),
        ("TOKENIZERS_PARALLELISM", "false", None),
        ("MAX_TOKENS", "4096", None),
        ("MAX_TOKENS", "${MAX_TOKENS:-4096}", None),
        ("DB_PASSWORD", "4096", Some(SecretPlace::Value)),
        ("DB_PASSWORD", "${P:-4096}", Some(SecretPlace::Default)),
        ("GIT_AUTHOR_NAME", "${GIT_AUTHOR_NAME:-bot}", None),
        (
            "GIT_AUTHOR_NAME",
            "${A:-sk-0123456789}",
            Some(SecretPlace::Default),
        ),
        ("X-Org", "basic dXNlcjpwYXNz", Some(SecretPlace::Value)),
        ("X-Org", "basic", None),
        ("X-Org", "the basic plan", None),
        ("X-Org", "a=1;password=p", Some(SecretPlace::Value)),
        ("X-Org", "password=${P}", None),
        ("X-Org", "password=p ${P}", Some(SecretPlace::Value)),
        ("X-Org", "https://h/?author=x", None),
        ("X-Org", "ghp_0123456789abcdef", Some(SecretPlace::Value)),
        ("X-Org", "sk-short", None),
        ("X-Org", "${K:-sk-0123456789}", Some(SecretPlace::Default)),
        ("X-Org", "${K:-plain} ${", None),
    ];
    for (name, value, want) in cases {
        for field in ["headers", "env"] {
            let entry = json!({field: {name: value}});
            let want: Vec<_> = want
                .map(|place| (format!("{field}.{name}"), place))
                .into_iter()
                .collect();
            assert_eq!(found(&entry), want, "given {entry}");
        }
    }
}

#[test]
fn a_helper_may_name_variables_only() {
    let cases = [
        ("get --token abc", true),
        ("get --token=abc", true),
        ("get -H 'Authorization: Bearer abc'", true),
        ("get sk-0123456789", true),
        ("get --token ${T:-abc}", true),
        ("get --token ${T}", false),
        ("get --token $T --verbose", false),
        ("get --token=${T}", false),
        ("get --token-file /run/t", false),
        ("get --no-token --x", false),
        ("get -H 'Authorization: Bearer ${T}'", false),
        ("get --token", false),
        ("", false),
    ];
    for (command, want) in cases {
        let entry = json!({"headersHelper": command});
        let want = if want {
            vec![("headersHelper".to_owned(), SecretPlace::Helper)]
        } else {
            vec![]
        };
        assert_eq!(found(&entry), want, "given {command:?}");
    }
}

#[test]
fn an_entry_of_any_other_shape_has_none() {
    for entry in [
        json!(null),
        json!([]),
        json!({"env": ["TOKEN=x"], "headers": null, "headersHelper": 5}),
    ] {
        assert_eq!(found(&entry), [], "given {entry}");
    }
}

#[test]
fn reading_refuses_secrets_in_defaults_and_helpers_only() {
    let text = r#"{"mcpServers": {
"plain": {"type": "http", "url": "https://h/", "headers": {"Authorization": "Bearer s3cret"}},
"default": {"command": "c", "env": {"TOKEN": "${TOKEN:-s3cret}"}},
"helper": {"type": "http", "url": "https://h/", "headersHelper": "get --token s3cret"}
}}"#;
    let loaded = load_str(text, Origin::User, &|_| Some("set".to_owned())).unwrap();
    let names: Vec<&str> = loaded.servers.iter().map(|entry| &*entry.name).collect();
    assert_eq!(names, ["plain"]);
    let told: Vec<_> = loaded
        .warnings
        .iter()
        .map(|w| (w.code, w.field.as_deref(), w.to_string()))
        .collect();
    let want = [
        ("plaintext_secret", Some("env.TOKEN"), "line 3, column 1: server `default` was left out: the default of a variable in `env.TOKEN` is a secret; set the variable instead".to_owned()),
        ("plaintext_secret", Some("headersHelper"), "line 4, column 1: server `helper` was left out: `headersHelper` holds a secret; name its variable instead".to_owned()),
    ];
    assert_eq!(told, want);
}

proptest! {
    #[test]
    fn a_whole_reference_is_never_a_secret(field in "[A-Za-z_-]{1,20}", variable in "[A-Z_]{1,20}") {
        let value = format!("${{{variable}}}");
        prop_assert_eq!(plaintext_secrets(&json!({"headers": {field: value}})), []);
    }

    #[test]
    fn any_text_is_judged(name in "\\PC{0,20}", value in "[a-zA-Z=:${}; '\"-]{0,60}") {
        let entry = json!({"env": {name: &value}, "headersHelper": &value});
        prop_assert!(plaintext_secrets(&entry).len() <= 2);
    }
}
