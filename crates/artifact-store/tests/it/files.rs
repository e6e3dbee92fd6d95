//! Folders, links, and what is left after a crash.

use std::fs;
use std::io::Write;
use std::path::Path;

use mcp_bridge_artifact_store::{
    ArtifactStore, ErrorKind, FileStore, Layout, NewArtifact, SessionDir, SessionMarker,
    StoreOptions,
};

fn open(folder: &Path) -> (SessionDir, FileStore) {
    let session = SessionDir::open(folder, "/p".as_ref(), "one").unwrap();
    let store = FileStore::open(&session, StoreOptions::default()).unwrap();
    (session, store)
}

fn keep(store: &FileStore, bytes: &[u8]) -> String {
    let mut writer = store
        .begin(&NewArtifact::new("s", "t", "text").with_extension(".txt"))
        .unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap().id
}

#[test]
fn a_new_session_gets_its_marker_and_the_next_one_finds_it() {
    let folder = tempfile::tempdir().unwrap();
    let (session, store) = open(folder.path());
    assert_eq!(session.layout(), Layout::V2);
    let marker = SessionMarker::read(session.path()).unwrap().unwrap();
    assert!(marker.belongs_to("one"));
    assert_eq!(marker.layout_version, Some(2));
    let id = keep(&store, b"x");
    let (_, again) = open(folder.path());
    assert_eq!(again.list().unwrap(), [store.get(&id).unwrap()]);
}

#[test]
fn an_older_transcript_keeps_the_legacy_layout() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("projects/-p")).unwrap();
    fs::write(folder.path().join("projects/-p/one.jsonl"), "{}").unwrap();
    let (session, store) = open(folder.path());
    assert_eq!(session.layout(), Layout::Legacy);
    keep(&store, b"x");
    assert!(folder.path().join("tool-results/one/mcp/s/t").is_dir());
}

#[test]
fn session_ids_that_lead_elsewhere_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for id in ["", "..", "a/b", ".hidden", "nul", "a\0", "x.", "a b"] {
        for session in [
            SessionDir::open(folder.path(), "/p".as_ref(), id),
            SessionDir::open_legacy(folder.path(), id),
        ] {
            assert_eq!(
                session.unwrap_err().kind(),
                ErrorKind::InvalidSessionId,
                "given {id:?}"
            );
        }
    }
}

#[test]
fn an_artifact_that_was_never_finished_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (session, store) = open(folder.path());
    let mut writer = store.begin(&NewArtifact::new("s", "t", "text")).unwrap();
    writer.write_all(b"half").unwrap();
    drop(writer);
    let left: Vec<_> = fs::read_dir(session.tool_results_path().join("mcp/s/t"))
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn old_temporary_files_are_swept_and_young_ones_are_left() {
    let folder = tempfile::tempdir().unwrap();
    let (session, store) = open(folder.path());
    keep(&store, b"x");
    let tool = session.tool_results_path().join("mcp/s/t");
    let hour = std::time::Duration::from_secs(3_700);
    let old = fs::File::create(tool.join(".1-2-3.tmp")).unwrap();
    old.set_modified(std::time::SystemTime::now() - hour)
        .unwrap();
    fs::File::create(tool.join(".4-5-6.tmp")).unwrap();
    let (_, again) = open(folder.path());
    assert_eq!(
        (
            tool.join(".1-2-3.tmp").exists(),
            tool.join(".4-5-6.tmp").exists()
        ),
        (false, true)
    );
    assert_eq!(again.list().unwrap().len(), 1);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn everything_is_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config");
        let (_, store) = open(&config);
        let id = keep(&store, b"x");
        let path = store.get(&id).unwrap().path.unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        let folders: Vec<u32> = path
            .ancestors()
            .skip(1)
            .take_while(|path| path.starts_with(&config))
            .map(mode)
            .collect();
        assert_eq!(folders, [0o700; 8]);
    }

    #[test]
    fn a_folder_that_others_could_read_is_taken_from_them() {
        let folder = tempfile::tempdir().unwrap();
        let (session, store) = open(folder.path());
        keep(&store, b"x");
        let tool = session.tool_results_path().join("mcp/s/t");
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        keep(&store, b"y");
        assert_eq!(
            fs::metadata(&tool).unwrap().permissions().mode() & 0o777,
            0o700
        );
    }

    #[test]
    fn a_marker_that_is_damaged_or_of_another_session_is_refused() {
        let markers = [
            "not json",
            "[]",
            r#"{"session_id":"one","layout_version":3}"#,
            r#"{"session_id":"one","layout_version":2.0}"#,
            r#"{"session_id":"one","layout_version":null}"#,
            r#"{"session_id":"","layout_version":2}"#,
            r#"{"session_id":"two","layout_version":2}"#,
        ];
        for marker in markers {
            let folder = tempfile::tempdir().unwrap();
            let (session, _) = open(folder.path());
            fs::write(session.path().join("metadata.json"), marker).unwrap();
            let again = SessionDir::open(folder.path(), "/p".as_ref(), "one");
            assert_eq!(
                again.unwrap_err().kind(),
                ErrorKind::UnsupportedLayout,
                "given {marker}"
            );
        }
    }

    #[test]
    fn a_link_in_the_way_is_refused_and_nothing_is_written_behind_it() {
        for inner in [
            "tool-results",
            "tool-results/mcp",
            "tool-results/mcp/s",
            "tool-results/mcp/s/t",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let elsewhere = tempfile::tempdir().unwrap();
            let session = SessionDir::open(folder.path(), "/p".as_ref(), "one").unwrap();
            let inner = session.path().join(inner);
            fs::create_dir_all(inner.parent().unwrap()).unwrap();
            symlink(elsewhere.path(), &inner).unwrap();
            let refused = FileStore::open(&session, StoreOptions::default())
                .and_then(|store| store.begin(&NewArtifact::new("s", "t", "text")).map(drop));
            assert_eq!(
                refused.unwrap_err().kind(),
                ErrorKind::UnsupportedLayout,
                "{}",
                inner.display()
            );
            assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_linked_artifact_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let (session, store) = open(folder.path());
        keep(&store, b"x");
        let tool = session.tool_results_path().join("mcp/s/t");
        symlink("/etc/passwd", tool.join("00-text-0000000000000000.txt")).unwrap();
        let read = store.get("s/t/00-text-0000000000000000.txt");
        assert_eq!(read.unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(store.list().unwrap().len(), 1);
    }

    #[test]
    fn a_link_where_the_artifact_will_be_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (session, store) = open(folder.path());
        let id = keep(&store, b"x");
        let path = session.tool_results_path().join("mcp").join(&id);
        let outside = folder.path().join("outside");
        fs::remove_file(&path).unwrap();
        symlink(&outside, &path).unwrap();
        assert_eq!(keep(&store, b"x"), id);
        assert_eq!(fs::read(&path).unwrap(), b"x");
        assert!(!outside.exists());
    }
}
