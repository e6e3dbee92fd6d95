use mcp_bridge_tool_names::{Cut, NameProfile, Sanitizing, ToolName};
use proptest::prelude::*;

#[test]
fn each_profile_has_its_own_shape() {
    let pairs = [
        ("git", "git_log"),
        ("my-server", "get-user"),
        ("v1.2", "a b"),
        ("", "\u{8a9e}"),
    ];
    let cases = [
        (
            NameProfile::default(),
            [
                "mcp__git__git_log",
                "mcp__my_server__get_user",
                "mcp__v1_2__a_b",
                "mcp__mcp__mcp",
            ],
        ),
        (
            NameProfile::openai(),
            [
                "mcp__git__git_log",
                "mcp__my-server__get-user",
                "mcp__v1_2__a_b",
                "mcp__mcp__mcp",
            ],
        ),
        (
            NameProfile::openai().with_sanitizing(Sanitizing::WordHyphenDot),
            [
                "mcp__git__git_log",
                "mcp__my-server__get-user",
                "mcp__v1.2__a_b",
                "mcp__mcp__mcp",
            ],
        ),
        (
            NameProfile::double_hyphen(),
            [
                "mcp--git--git_log",
                "mcp--my-server--get-user",
                "mcp--v1_2--a_b_be3019ab",
                "mcp--_--__d06bcc6d",
            ],
        ),
    ];
    for (profile, want) in cases {
        for ((server, tool), want) in pairs.iter().zip(want) {
            let name = profile.name(server, tool);
            assert_eq!(name.as_str(), want, "{server:?} {tool:?}");
        }
    }
}

#[test]
fn a_name_of_exactly_the_limit_is_left_alone() {
    let profile = NameProfile::openai();
    let fits = "a".repeat(54);
    let long = "a".repeat(55);
    assert_eq!(
        profile.name("srv", &fits).as_str(),
        format!("mcp__srv__{fits}")
    );
    let cut = profile.name("srv", &long);
    assert_eq!(cut.as_str().len(), 64);
    assert!(cut.as_str().starts_with("mcp__srv__aaaaaaaa"));
}

#[test]
fn the_reference_profile_never_cuts() {
    let long = "x".repeat(300);
    let name = NameProfile::reference().name(&long, "tool");
    assert_eq!(name.as_str(), format!("mcp__{long}__tool"));
}

#[test]
fn a_megabyte_of_anything_becomes_a_short_name() {
    for text in ["x", "\u{8a9e}", "a-", "\0", "_"] {
        let long = text.repeat(1 << 20);
        for profile in [NameProfile::default(), NameProfile::double_hyphen()] {
            assert!(profile.name(&long, &long).as_str().len() <= 64);
        }
    }
}

proptest! {
    #[test]
    fn any_pair_gets_a_valid_name_within_the_limit(
        server in ".{0,80}",
        tool in ".{0,80}",
        max in 0_usize..100,
        prefix in ".{0,20}",
        separator in ".{0,6}",
    ) {
        for cut in [Cut::Share, Cut::End] {
            let profile = NameProfile::gemini()
                .with_sanitizing(Sanitizing::WordHyphenDot)
                .with_max_bytes(max)
                .with_prefix(&prefix)
                .with_separator(&separator)
                .with_cut(cut);
            let name = profile.name(&server, &tool);
            prop_assert!(name.as_str().len() <= max.max(NameProfile::LEAST_MAX_BYTES));
            prop_assert!(name.as_str().starts_with(&profile.start()));
            prop_assert!(ToolName::new(name.as_str()).is_ok());
        }
    }

    #[test]
    fn a_part_of_a_part_is_the_part(raw in ".{0,60}") {
        for profile in [NameProfile::default(), NameProfile::gemini(), NameProfile::double_hyphen()] {
            let part = profile.part(&raw);
            prop_assert_eq!(profile.part(&part), part);
        }
    }
}
