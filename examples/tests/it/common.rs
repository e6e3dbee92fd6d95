//! Where the programs are.

use std::path::PathBuf;

/// Where cargo puts the examples that it builds beside these tests.
#[track_caller]
pub(crate) fn example(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.push("examples");
    path.push(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "{} is not built: run `cargo build --examples` first",
        path.display()
    );
    path
}
