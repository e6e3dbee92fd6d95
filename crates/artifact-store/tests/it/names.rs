//! Names of strangers, and ids from a model.

use std::collections::BTreeMap;

use mcp_bridge_artifact_store::{
    ArtifactId, Platform, distinct_segment, path_segment, project_dir_candidates, project_dir_name,
};
use proptest::prelude::*;

#[test]
fn a_name_becomes_one_plain_segment() {
    let cases = [
        ("ros", "ros", "ros"),
        ("a/b", "a-b", "a-b-c14cddc0"),
        ("..", "mcp", "mcp-5ec1f7e7"),
        ("\u{65e5}", "mcp", "mcp-9f9e4f1c"),
        ("nul", "nul", "nul-e2f9a3ad"),
        ("", "mcp", "mcp-e3b0c442"),
    ];
    for (given, plain, distinct) in cases {
        assert_eq!(path_segment(given), plain, "given {given:?}");
        let stem = |name: &str| {
            name.rsplit_once('-')
                .map_or(name.to_owned(), |(stem, _)| stem.to_owned())
        };
        let found = distinct_segment(given);
        assert_eq!(stem(&found), stem(distinct), "given {given:?}");
        assert_eq!(found.len(), distinct.len(), "given {given:?}");
    }
}

#[test]
fn a_long_project_path_ends_in_a_digest() {
    let long = "/a".repeat(150);
    assert_eq!(
        project_dir_name("/home/u/p.q", Platform::Unix),
        "-home-u-p-q"
    );
    assert_eq!(project_dir_name(&long, Platform::Unix).len(), 200);
    assert_eq!(project_dir_name(&long, Platform::Windows).len(), 64);
    let candidates = project_dir_candidates(&long, Platform::Windows);
    assert_eq!(
        candidates.iter().map(String::len).collect::<Vec<_>>(),
        [64, 200, 213]
    );
}

#[test]
fn only_ids_of_the_store_are_ids() {
    let cases = [
        ("s/t/00-text-0123456789abcdef.txt", true),
        ("s/t", false),
        ("s/t/u/v", false),
        ("../t/x", false),
        ("s/../x", false),
        ("s/t/.x.tmp", false),
        ("s/t/", false),
        ("/s/t/x", false),
        ("s\\t/u/x", false),
        ("s/t/x\0", false),
        ("", false),
    ];
    for (given, want) in cases {
        assert_eq!(ArtifactId::new(given).is_ok(), want, "given {given:?}");
    }
}

proptest! {
    #[test]
    fn segments_are_plain_and_distinct_ones_differ(names in prop::collection::vec(".{0,80}", 1..8)) {
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for name in names {
            let segment = distinct_segment(&name);
            let id = [segment.as_str(), &path_segment(&name), "x"].join("/");
            prop_assert!(ArtifactId::new(id).is_ok() || name.len() > 200);
            prop_assert!(segment.len() <= 64);
            let before = seen.insert(segment, name.clone());
            prop_assert!(before.is_none_or(|before| before == name));
        }
    }

    #[test]
    fn any_text_is_an_id_or_is_refused(given in ".{0,60}") {
        prop_assert_eq!(ArtifactId::new(given.clone()).is_ok(), given.split('/').count() == 3
            && given.split('/').all(|part| !part.is_empty() && !part.starts_with('.')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))));
    }
}
