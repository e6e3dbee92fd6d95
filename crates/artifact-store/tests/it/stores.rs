//! What every store does, checked on each of them.

use std::io::Write;

use mcp_bridge_artifact_store::{
    ArtifactRecord, ArtifactStore, Error, ErrorKind, FileStore, Limits, MemoryStore, NewArtifact,
    ReadRange, SessionDir, StoreOptions,
};

fn on_each(options: &StoreOptions, check: impl Fn(&dyn ArtifactStore)) {
    check(&MemoryStore::new(options.clone()));
    let folder = tempfile::tempdir().unwrap();
    let sessions = [
        SessionDir::open(folder.path(), "/p".as_ref(), "one"),
        SessionDir::open_legacy(folder.path(), "two"),
    ];
    for session in sessions {
        check(&FileStore::open(&session.unwrap(), options.clone()).unwrap());
    }
}

fn keep(
    store: &dyn ArtifactStore,
    artifact: &NewArtifact,
    bytes: &[u8],
) -> Result<ArtifactRecord, Error> {
    let mut writer = store.begin(artifact)?;
    match writer.write_all(bytes) {
        Ok(()) => writer.finish(),
        Err(error) => Err(Error::new(ErrorKind::Write, error.to_string())),
    }
}

#[test]
fn what_was_kept_is_read_back_with_all_that_was_said_of_it() {
    on_each(&StoreOptions::default(), |store| {
        let artifact = NewArtifact::new("git", "log/all", "text")
            .with_index(3)
            .with_extension(".txt")
            .with_mime_type("text/plain", Some("text/odd".to_owned()))
            .with_uri(Some("file:///a".to_owned()))
            .with_chars(Some(5));
        let kept = keep(store, &artifact, b"hello").unwrap();
        assert!(
            kept.id.starts_with("git/log-all-")
                && kept.id.ends_with("/03-text-2cf24dba5fb0a30e.txt"),
            "{}",
            kept.id
        );
        assert_eq!(store.get(&kept.id).unwrap(), kept);
        assert_eq!(store.list().unwrap(), std::slice::from_ref(&kept));
        assert_eq!(
            store.read(&kept.id, ReadRange::All).unwrap().bytes,
            b"hello"
        );
        assert_eq!(keep(store, &artifact, b"hello").unwrap(), kept);
        assert_eq!(store.list().unwrap().len(), 1);
    });
}

#[test]
fn ranges_are_cut_to_what_is_there() {
    let limits = Limits::default().with_max_read_bytes(6);
    on_each(&StoreOptions::default().with_limits(limits), |store| {
        let kept = keep(
            store,
            &NewArtifact::new("s", "t", "text"),
            b"one\ntwo\nthree",
        )
        .unwrap();
        let cases = [
            (ReadRange::All, "one\ntw", 0, true),
            (ReadRange::Bytes { start: 4, count: 3 }, "two", 4, true),
            (
                ReadRange::Bytes {
                    start: 99,
                    count: 3,
                },
                "",
                13,
                false,
            ),
            (ReadRange::Lines { first: 1, count: 1 }, "one\n", 0, true),
            (ReadRange::Lines { first: 3, count: 9 }, "three", 8, false),
            (ReadRange::Lines { first: 0, count: 1 }, "one\n", 0, true),
            (
                ReadRange::Lines {
                    first: 9,
                    count: u64::MAX,
                },
                "",
                13,
                false,
            ),
        ];
        for (range, want, start, more) in cases {
            let read = store.read(&kept.id, range).unwrap();
            assert_eq!(
                (
                    String::from_utf8_lossy(&read.bytes).as_ref(),
                    read.start,
                    read.has_more()
                ),
                (want, start, more),
                "{range:?}"
            );
        }
    });
}

#[test]
fn quotas_hold_and_what_is_not_kept_gives_its_room_back() {
    let limits = Limits::default()
        .with_max_artifact_bytes(4)
        .with_max_session_bytes(6)
        .with_max_session_files(2);
    on_each(&StoreOptions::default().with_limits(limits), |store| {
        let artifact = |kind: &str| NewArtifact::new("s", "t", kind);
        let refused = |result: Result<ArtifactRecord, Error>| result.unwrap_err().to_string();
        assert_eq!(
            refused(keep(store, &artifact("a"), b"12345")),
            "an artifact may have 4 bytes"
        );
        assert_eq!(
            store
                .begin(&artifact("a").with_size_hint(9))
                .err()
                .unwrap()
                .kind(),
            ErrorKind::TooLarge
        );
        keep(store, &artifact("a"), b"1234").unwrap();
        assert_eq!(
            refused(keep(store, &artifact("b"), b"567")),
            "the session may keep 6 bytes"
        );
        drop(store.begin(&artifact("b")).unwrap());
        keep(store, &artifact("b"), b"56").unwrap();
        assert_eq!(
            store.begin(&artifact("c")).err().unwrap().kind(),
            ErrorKind::Full
        );
        assert_eq!(store.list().unwrap().len(), 2);
    });
}

#[test]
fn ids_from_a_model_reach_nothing_else() {
    on_each(&StoreOptions::default(), |store| {
        let cases = [
            ("../../etc/passwd", ErrorKind::InvalidId),
            ("s/t/..", ErrorKind::InvalidId),
            ("s/t/nothing", ErrorKind::NotFound),
            ("x/y/z", ErrorKind::NotFound),
        ];
        for (id, want) in cases {
            assert_eq!(
                store.read(id, ReadRange::All).unwrap_err().kind(),
                want,
                "given {id:?}"
            );
        }
    });
}
