//! Reads the recordings below `data/`.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// One recording: a server in one protocol era.
pub(crate) struct Capture {
    /// The folder, e.g. `git` or `git/modern`.
    pub(crate) name: String,
    folder: PathBuf,
}

/// One request and its answer.
pub(crate) struct Exchange {
    /// The file, for messages.
    pub(crate) file: String,
    pub(crate) params: Value,
    /// `None` where the server answered with an error, or not at all.
    pub(crate) result: Option<Value>,
}

/// Every recording, in the order of the names.
pub(crate) fn captures() -> Vec<Capture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("captures/data");
    let mut captures = Vec::new();
    for folder in entries(&root) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let modern = folder.join("modern");
        if modern.is_dir() {
            captures.push(Capture {
                name: format!("{name}/modern"),
                folder: modern,
            });
        }
        captures.push(Capture { name, folder });
    }
    assert!(captures.len() >= 30, "only {} recordings", captures.len());
    captures
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> Value {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl Capture {
    /// The server's name without the era.
    pub(crate) fn server(&self) -> &str {
        self.name.split('/').next().unwrap()
    }

    /// The entries of a list over all pages: of `tools_list.json`, member `tools`.
    pub(crate) fn list(&self, file: &str, member: &str) -> Vec<Value> {
        let path = self.folder.join(file);
        if !path.exists() {
            return Vec::new();
        }
        let recorded = read(&path);
        let pages = recorded["pages"].as_array().unwrap();
        let items = pages
            .iter()
            .filter_map(|page| page["response"]["result"][member].as_array());
        items.flatten().cloned().collect()
    }

    pub(crate) fn tools(&self) -> Vec<Value> {
        self.list("tools_list.json", "tools")
    }

    pub(crate) fn resources(&self) -> Vec<Value> {
        self.list("resources_list.json", "resources")
    }

    pub(crate) fn prompts(&self) -> Vec<Value> {
        self.list("prompts_list.json", "prompts")
    }

    /// Every request of `method` in `calls/` and `errors/`.
    pub(crate) fn exchanges(&self, method: &str) -> Vec<Exchange> {
        let folders = ["calls", "errors"].map(|folder| self.folder.join(folder));
        let files = folders
            .iter()
            .filter(|folder| folder.is_dir())
            .flat_map(|folder| entries(folder));
        files
            .filter_map(|path| {
                let recorded = read(&path);
                let request = &recorded["request"];
                (request["method"] == method).then(|| Exchange {
                    file: path
                        .strip_prefix(self.folder.parent().unwrap())
                        .unwrap()
                        .display()
                        .to_string(),
                    params: request["params"].clone(),
                    result: recorded["response"].get("result").cloned(),
                })
            })
            .collect()
    }
}

/// The member `key` of an entry, as text.
pub(crate) fn text<'a>(entry: &'a Value, key: &str) -> &'a str {
    entry[key]
        .as_str()
        .unwrap_or_else(|| panic!("no `{key}` in {entry}"))
}
