//! Results as a model reads them, and the files that are kept from them.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mcp_bridge_artifact_store as store;
use mcp_bridge_artifact_store::{
    ArtifactStore, Durability, ErrorKind, FileStore, Naming, NewArtifact, Platform, ReadRange,
    SessionDir, SessionMarker, StoreOptions,
};
use mcp_bridge_tool_results as results;
use mcp_bridge_tool_results::{
    ArtifactHead, Context, Converted, ExtensionTable, Options, Part, Sink, SinkError,
    SinkErrorKind, StoredArtifact,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{list, text};
use crate::{Adapter, Outcome, Row};

pub(crate) fn areas() -> Vec<(&'static str, Adapter)> {
    vec![
        ("content", content),
        ("mime_ext", mime_ext),
        ("path_segment", path_segment),
        ("project_dir", project_dir),
        ("session_layout", session_layout),
        ("resource_lines", resource_lines),
        ("prompt_render", prompt_render),
        ("bugs/content", bugs_content),
        ("bugs/artifacts", bugs_artifacts),
        ("use-mcp-tool/result", compact_result),
        ("use-mcp-tool/resource", compact_resource),
    ]
}

/// Hands what a conversion keeps to a store.
struct Keeper(FileStore);

struct Keeping(Box<dyn store::ArtifactWriter>);

fn sink_error(error: store::Error) -> SinkError {
    let kind = match error.kind() {
        ErrorKind::TooLarge => SinkErrorKind::TooLarge,
        ErrorKind::Full => SinkErrorKind::Full,
        _ => SinkErrorKind::Failed,
    };
    SinkError::new(kind, error.to_string()).with_source(error)
}

impl Sink for Keeper {
    fn begin<'s>(
        &'s mut self,
        head: &ArtifactHead<'_>,
    ) -> Result<Box<dyn results::ArtifactWriter + 's>, SinkError> {
        let artifact = NewArtifact::new(head.server, head.tool, head.kind)
            .with_index(head.index)
            .with_mime_type(head.mime_type, head.declared_mime_type.map(str::to_owned))
            .with_extension(head.extension)
            .with_uri(head.uri.map(str::to_owned))
            .with_chars(head.chars)
            .with_size_hint(head.size_hint);
        let writer = self.0.begin(&artifact).map_err(sink_error)?;
        Ok(Box::new(Keeping(writer)))
    }
}

impl Write for Keeping {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl results::ArtifactWriter for Keeping {
    fn finish(self: Box<Self>) -> Result<StoredArtifact, SinkError> {
        let kept = self.0.finish().map_err(sink_error)?;
        Ok(StoredArtifact::new(kept.id, kept.size, kept.sha256).with_path(kept.path))
    }
}

/// A session in a folder of its own, gone afterwards.
struct Place {
    folder: tempfile::TempDir,
    session: SessionDir,
    keeper: Keeper,
}

fn place(legacy: bool, naming: Naming) -> Place {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let config = folder.path().join("config");
    let session = if legacy {
        SessionDir::open_legacy(&config, "sess-1")
    } else {
        SessionDir::open(&config, Path::new("/work/project"), "sess-1")
    };
    let session = session.expect("a session");
    let options = StoreOptions::default()
        .with_naming(naming)
        .with_durability(Durability::Buffered);
    let keeper = Keeper(FileStore::open(&session, options).expect("a store"));
    Place {
        folder,
        session,
        keeper,
    }
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).map_or(0, |found| found.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode(path: &Path) -> u32 {
    if path.is_dir() { 0o700 } else { 0o600 }
}

fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn content(row: &Row) -> Outcome {
    let (server, tool) = (text(&row.input, "server"), text(&row.input, "tool"));
    let mut place = place(text(&row.input, "layout") == "legacy", Naming::Reference);
    let result = row.input.get("result").unwrap_or(&Value::Null);
    let told = results::convert(
        result,
        &Context::new(server, tool),
        &Options::reference(),
        &mut place.keeper,
    );
    let mut said = told.text().to_owned();
    let base = place.session.tool_results_path();
    let mut artifacts = Vec::new();
    for (index, artifact) in told.artifacts().iter().enumerate() {
        let path = artifact.path.clone().unwrap_or_default();
        let bytes = fs::read(&path).unwrap_or_default();
        said = said.replace(&path.display().to_string(), &format!("{{PATH{index}}}"));
        let relative = path
            .strip_prefix(&base)
            .map(|path| path.display().to_string());
        let mut entry = json!({
            "id": artifact.id, "kind": artifact.kind, "mime_type": artifact.mime_type, "size": bytes.len(),
            "sha256": sha256(&bytes), "relative_path": relative.unwrap_or_default(),
            "file_mode": format!("{:#o}", mode(&path)).replace("0o0", "0o"),
            "dir_mode": format!("{:#o}", path.parent().map_or(0, mode)),
        });
        if let Some(entry) = entry.as_object_mut() {
            entry.extend(
                artifact
                    .chars
                    .map(|chars| ("chars".to_owned(), chars.into())),
            );
            entry.extend(
                artifact
                    .uri
                    .clone()
                    .map(|uri| ("uri".to_owned(), uri.into())),
            );
        }
        artifacts.push(entry);
    }
    let answer = json!({
        "is_error": told.is_error(), "content_chars": said.chars().count(), "content_bytes": said.len(),
        "content_sha256": sha256(said.as_bytes()), "artifacts": artifacts, "meta": told.meta(),
    });
    let Some(expected) = row
        .expected
        .as_ref()
        .filter(|_| row.reference_bug.is_none())
    else {
        return repaired(row, &told, result);
    };
    // The digest stands for the text, and what another implementation would have refused is not asked here.
    let mut wanted = expected.clone();
    if let Some(wanted) = wanted.as_object_mut() {
        wanted.remove("content");
        wanted.remove("sdk_path");
    }
    let same = sorted(&wanted) == sorted(&answer);
    verdict(same, || format!("answered {said:?} with {answer}"))
}

/// Where the reference loses the whole result or believes a missing type: the rest must survive, and a bad block is
/// either read after all or replaced by a note.
fn repaired(row: &Row, told: &Converted, result: &Value) -> Outcome {
    let right = row.right_answer.clone().unwrap_or_default();
    let says = |key: &str, has: bool| {
        let mut words = list(&right, key).iter().filter_map(Value::as_str);
        words.all(|word| told.text().contains(word) == has)
    };
    let noted = told
        .notes()
        .iter()
        .any(|note| note.code == "invalid_base64");
    let kept = told.artifacts().first();
    let typed = kept.is_none_or(|kept| {
        let blocks = list(result, "content");
        let media = blocks.iter().find(|block| block.get("data").is_some());
        let is_typed = media.is_none_or(|media| !media["mimeType"].is_null());
        is_typed || kept.mime_type == "application/octet-stream"
    });
    let flag = result
        .get("isError")
        .and_then(Value::as_bool)
        .unwrap_or_default();
    let same = told.is_error() == flag && (noted != kept.is_some()) && typed;
    verdict(
        same && says("must_contain", true) && says("must_not_contain", false),
        || format!("answered {:?} with {:?}", told.text(), told.notes()),
    )
}

fn sorted(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("{:?}", items.iter().map(sorted).collect::<Vec<_>>()),
        Value::Object(fields) => {
            let mut pairs: Vec<_> = fields
                .iter()
                .map(|(key, value)| (key, sorted(value)))
                .collect();
            pairs.sort();
            format!("{pairs:?}")
        }
        other => other.to_string(),
    }
}

fn verdict(right: bool, problem: impl FnOnce() -> String) -> Outcome {
    Outcome::Verdict(if right { Ok(()) } else { Err(problem()) })
}

fn mime_ext(row: &Row) -> Outcome {
    let given = text(&row.input, "mime_type");
    Outcome::Value(json!({
        "binary_extension": results::binary_extension(given, ExtensionTable::Reference),
        "text_extension": results::text_extension(given, ExtensionTable::Reference),
    }))
}

fn path_segment(row: &Row) -> Outcome {
    Outcome::Value(json!({"segment": store::path_segment(text(&row.input, "value"))}))
}

fn project_dir(row: &Row) -> Outcome {
    let cwd = text(&row.input, "cwd");
    let platform = match text(&row.input, "platform") {
        "win32" => Platform::Windows,
        _ => Platform::Unix,
    };
    Outcome::Value(json!({
        "write_name": store::project_dir_name(cwd, platform),
        "read_candidates": store::project_dir_candidates(cwd, platform),
    }))
}

fn kind_of(error: &store::Error) -> &'static str {
    match error.kind() {
        ErrorKind::UnsupportedLayout => "unsupported_layout",
        ErrorKind::InvalidSessionId => "invalid_session_id",
        _ => "other",
    }
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) {
    std::os::unix::fs::symlink(to, at).expect("a link");
}

#[cfg(not(unix))]
fn link(to: &Path, at: &Path) {
    std::os::windows::fs::symlink_dir(to, at).expect("a link");
}

fn session_layout(row: &Row) -> Outcome {
    if row.input.get("path_case").is_some() {
        return session_path(row);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let session = folder.path().join("S");
    let marker = session.join("metadata.json");
    let other = folder.path().join("other.json");
    let words = text(&row.input, "metadata");
    fs::create_dir(&session).expect("a session folder");
    match text(&row.input, "metadata_kind") {
        "file" => fs::write(&marker, words).expect("a marker"),
        "symlink" => {
            fs::write(&other, words).expect("a file elsewhere");
            link(&other, &marker);
        }
        "dangling_symlink" => link(&other, &marker),
        "directory" => fs::create_dir(&marker).expect("a folder"),
        _ => {}
    }
    let read = SessionMarker::read(&session);
    let told = |answer: Value| match &read {
        Ok(_) => json!({"value": answer}),
        Err(error) => json!({"error": kind_of(error)}),
    };
    let found = read.as_ref().ok().cloned().flatten();
    Outcome::Value(json!({
        "layout": told(json!(found.as_ref().and_then(|marker| marker.layout_version))),
        "supported_for_id_S": told(json!(found.is_none_or(|marker| marker.belongs_to("S")))),
        "tool_results": told(json!("tool-results")),
    }))
}

fn session_path(row: &Row) -> Outcome {
    let place = place(false, Naming::Reference);
    let path = place.session.path().to_owned();
    let elsewhere = place.folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder elsewhere");
    let mut session = Ok(place.session.clone());
    match text(&row.input, "setup").split_once(':') {
        Some(("link", inner)) => {
            let inner = path.join(inner);
            drop(fs::remove_dir_all(&inner));
            link(&elsewhere, &inner);
        }
        Some(("file", inner)) => {
            let inner = path.join(inner);
            drop(fs::remove_dir_all(&inner));
            fs::write(&inner, "x").expect("a file in the way");
        }
        _ if text(&row.input, "setup") == "session-link" => {
            fs::remove_dir_all(&path).expect("the session goes");
            link(&elsewhere, &path);
            let config = place.folder.path().join("config");
            session = SessionDir::open(&config, Path::new("/work/project"), "sess-1");
        }
        _ => {}
    }
    let made = session.and_then(|session| session.create_private_dir(text(&row.input, "target")));
    match made {
        Ok(path) => {
            Outcome::Value(json!({"value": "created", "dir_mode": format!("{:#o}", mode(&path))}))
        }
        Err(error) => Outcome::Value(json!({"error": kind_of(&error)})),
    }
}

fn resource_lines(row: &Row) -> Outcome {
    let wanted = row
        .input
        .pointer("/arguments/server")
        .and_then(Value::as_str);
    let wanted = wanted.filter(|server| !server.is_empty());
    let resources = list(&row.input, "resources").iter().map(|resource| {
        let server = resource.get("server").and_then(Value::as_str);
        (server.unwrap_or("s"), resource)
    });
    let resources = resources.filter(|(server, _)| wanted.is_none_or(|wanted| wanted == *server));
    let text = results::render_resource_lines(resources, &Options::reference());
    Outcome::Value(json!({"text": text, "is_error": false}))
}

fn prompt_render(row: &Row) -> Outcome {
    let mut place = place(false, Naming::Distinct);
    let told = results::convert_prompt_messages(
        &row.input,
        &Context::new("s", "p"),
        &Options::reference(),
        &mut place.keeper,
    );
    let text = told.text();
    if row.reference_bug.is_none() {
        let wanted = row
            .expected
            .as_ref()
            .and_then(|expected| expected.get("text"));
        let same = wanted.and_then(Value::as_str) == Some(text.as_str());
        return verdict(same, || format!("answered {text:?}"));
    }
    let right = row.right_answer.clone().unwrap_or_default();
    let words = |key: &str| {
        list(&right, key)
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
    };
    let told_of = told.artifacts().iter().all(|kept| {
        text.contains(&kept.mime_type)
            && text.contains(&kept.kind)
            && text.contains(&format!("{} bytes", kept.size))
    });
    let media = list(&row.input, "messages").iter().filter(|message| {
        matches!(
            message.pointer("/content/type").and_then(Value::as_str),
            Some("image" | "audio")
        )
    });
    let right = words("must_contain").iter().all(|word| text.contains(word))
        && !words("must_not_contain")
            .iter()
            .any(|word| text.contains(word))
        && told_of
        && told.artifacts().len() == media.count();
    verdict(right, || format!("answered {text:?}"))
}

fn part_kind(part: &Part) -> &'static str {
    match part {
        Part::Image(_) => "image",
        Part::Audio(_) => "audio",
        _ => "text",
    }
}

fn bugs_content(row: &Row) -> Outcome {
    let mut place = place(false, Naming::Distinct);
    let raw = row.input.get("raw_result_json").and_then(Value::as_str);
    let result = raw.map_or_else(
        || row.input.get("result").cloned().unwrap_or_default(),
        |raw| serde_json::from_str(raw).unwrap_or_default(),
    );
    let mut options = Options::default();
    if row.input.get("model_images") == Some(&Value::Bool(false)) {
        options = options.with_max_media_items(0);
    }
    let told = results::convert(
        &result,
        &Context::new("s", "t"),
        &options,
        &mut place.keeper,
    );
    let empty = serde_json::Map::new();
    let expected = row
        .expected
        .as_ref()
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let wrong: Vec<&String> = expected
        .iter()
        .filter(|(key, wanted)| !holds(key, wanted, &told, &result))
        .map(|(key, _)| key)
        .collect();
    verdict(wrong.is_empty(), || {
        format!("{wrong:?} in {:?} and {:?}", told.text(), told.parts())
    })
}

fn holds(key: &str, wanted: &Value, told: &Converted, result: &Value) -> bool {
    let all = |text: &str, has: bool| {
        let words = wanted.as_array().map_or(&[][..], Vec::as_slice);
        let mut words = words.iter().filter_map(Value::as_str);
        words.all(|word| text.contains(word) == has)
    };
    let kinds: Vec<&str> = told.parts().iter().map(part_kind).collect();
    match key {
        "is_error" => *wanted == told.is_error(),
        "text_non_empty" => !told.text().is_empty(),
        "text_contains" | "model_text_contains" => all(told.text(), true),
        "model_text_lacks" => all(told.text(), false),
        "user_text_contains" => all(told.user_text(), true),
        "user_text_lacks" => all(told.user_text(), false),
        "text_in_order" => {
            let mut rest = told.text();
            list(&json!({"w": wanted}), "w").iter().filter_map(Value::as_str).all(|word| {
                let found = rest.split_once(word);
                rest = found.map_or("", |(_, after)| after);
                found.is_some()
            })
        }
        "blocks" => *wanted == json!(kinds),
        "image_mime" => told.parts().iter().any(
            |part| matches!(part, Part::Image(artifact) if *wanted == artifact.mime_type || *wanted == json!([artifact.mime_type])),
        ),
        "no_image_blocks" => !kinds.contains(&"image"),
        "no_base64_in_text" => {
            let blocks = list(result, "content").iter();
            let mut data = blocks.filter_map(|block| block.get("data").and_then(Value::as_str));
            data.all(|data| !told.text().contains(data))
        }
        "artifacts" => *wanted == told.artifacts().len(),
        "artifact_ext" => {
            let extension = |id: &str| id.rsplit_once('.').map(|(_, rest)| format!(".{rest}"));
            let found: Vec<_> = told.artifacts().iter().map(|kept| extension(&kept.id)).collect();
            *wanted == json!(found)
        }
        // A conversion has no way to fetch anything.
        "fetched" => *wanted == 0,
        _ => false,
    }
}

fn bugs_artifacts(row: &Row) -> Outcome {
    match row.op.as_deref() {
        Some("spill") => spill(row),
        Some("spill_all_limits") => {
            let limits = list(&row.input, "limits").iter().filter_map(Value::as_u64);
            let limits = limits.map(|limit| usize::try_from(limit).unwrap_or_default());
            let told: Vec<String> = limits.map(|limit| spilled(row, limit).1).collect();
            verdict(told.len() == list(&row.input, "limits").len(), || {
                "a limit was passed over".to_owned()
            })
        }
        Some("save") => save(row),
        Some("save_modes") => save_modes(row),
        Some("mime_ext") => {
            let extension =
                results::binary_extension(text(&row.input, "mime"), ExtensionTable::Full);
            Outcome::Value(json!({"ext": extension.trim_start_matches('.')}))
        }
        Some("save_base64") => {
            let mut place = place(false, Naming::Distinct);
            let block = json!({"type": "audio", "mimeType": text(&row.input, "mime"), "data": text(&row.input, "data")});
            let told = results::convert(
                &json!({"content": [block]}),
                &Context::new("s", "t"),
                &Options::default(),
                &mut place.keeper,
            );
            let path = told.artifacts().first().and_then(|kept| kept.path.clone());
            let bytes = path
                .and_then(|path| fs::read(path).ok())
                .unwrap_or_default();
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            Outcome::Value(json!({"file_hex": hex}))
        }
        _ => Outcome::Unwired,
    }
}

/// The file that was kept, and what the model reads.
fn spilled(row: &Row, limit: usize) -> (PathBuf, String, Vec<u8>) {
    let mut place = place(false, Naming::Distinct);
    let options = Options::default()
        .with_max_inline(limit, limit)
        .with_preview(limit, limit);
    let result = json!({"content": [{"type": "text", "text": text(&row.input, "text")}]});
    let told = results::convert(
        &result,
        &Context::new("s", "t"),
        &options,
        &mut place.keeper,
    );
    let path = told.artifacts().first().and_then(|kept| kept.path.clone());
    let path = path.unwrap_or_default();
    let bytes = fs::read(&path).unwrap_or_default();
    (path, told.text().to_owned(), bytes)
}

fn spill(row: &Row) -> Outcome {
    let limit = row
        .input
        .get("limit_bytes")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    let limit = usize::try_from(limit).unwrap_or_default();
    let (path, said, bytes) = spilled(row, limit);
    let (note, preview) = said.split_once("Preview:\n").unwrap_or((said.as_str(), ""));
    let shown = preview.lines().filter(|line| !line.starts_with("[... "));
    let shown: usize = shown.map(str::len).sum();
    let size = bytes.len().to_string();
    let right = bytes == text(&row.input, "text").as_bytes()
        && shown <= limit
        && note.contains(&path.display().to_string())
        && note.contains(&size);
    verdict(right, || format!("answered {said:?}"))
}

fn save(row: &Row) -> Outcome {
    let name = text(&row.input, "name");
    for naming in [Naming::Distinct, Naming::Reference] {
        let place = place(false, naming);
        let artifact = NewArtifact::new(name, name, name).with_extension(name);
        let kept = place.keeper.0.begin(&artifact).and_then(|mut writer| {
            writer.write_all(b"x").expect("room for a byte");
            writer.finish()
        });
        let path = kept.ok().and_then(|kept| kept.path).unwrap_or_default();
        let inside = path.strip_prefix(place.session.tool_results_path());
        let plain = inside.is_ok_and(|path| {
            let mut parts = path.components();
            path.components().count() == 4
                && parts.all(|part| matches!(part, std::path::Component::Normal(_)))
        });
        if !plain || !path.is_file() {
            return verdict(false, || format!("kept as {}", path.display()));
        }
    }
    Outcome::Verdict(Ok(()))
}

#[cfg(unix)]
fn save_modes(row: &Row) -> Outcome {
    let mask = u32::from_str_radix(text(&row.input, "umask"), 8).unwrap_or_default();
    let before = rustix::process::umask(rustix::fs::Mode::from_raw_mode(mask));
    let place = place(false, Naming::Distinct);
    let artifact = NewArtifact::new("s", "t", "text");
    let kept = place.keeper.0.begin(&artifact).and_then(|mut writer| {
        writer.write_all(b"x").expect("room for a byte");
        writer.finish()
    });
    rustix::process::umask(before);
    let path = kept.ok().and_then(|kept| kept.path).unwrap_or_default();
    let config = place.folder.path().join("config");
    let folders = path
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.starts_with(&config));
    let modes: Vec<String> = folders
        .map(|folder| format!("{:04o}", mode(folder)))
        .collect();
    let wanted = row
        .expected
        .as_ref()
        .map(|expected| text(expected, "dir_mode").to_owned());
    let odd = modes.iter().find(|mode| Some(*mode) != wanted.as_ref());
    let folder = odd.or(modes.first()).cloned().unwrap_or_default();
    Outcome::Value(json!({"dir_mode": folder, "file_mode": format!("{:04o}", mode(&path))}))
}

#[cfg(not(unix))]
fn save_modes(_row: &Row) -> Outcome {
    Outcome::Unwired
}

/// The images of a result as addresses that hold their bytes.
fn images(told: &Converted, place: &Place) -> Vec<String> {
    let address = |part: &Part| match part {
        Part::Image(kept) => {
            let read = place.keeper.0.read(&kept.id, ReadRange::All).ok()?;
            let data = base64_simd::STANDARD.encode_to_string(&read.bytes);
            Some(format!("data:{};base64,{data}", kept.mime_type))
        }
        _ => None,
    };
    told.parts().iter().filter_map(address).collect()
}

fn compact_result(row: &Row) -> Outcome {
    let mut place = place(false, Naming::Distinct);
    let result = row.input.get("result").unwrap_or(&Value::Null);
    let told = results::convert(
        result,
        &Context::new("s", "t"),
        &Options::compact(),
        &mut place.keeper,
    );
    Outcome::Value(
        json!({"is_error": told.is_error(), "text": told.text(), "images": images(&told, &place)}),
    )
}

fn compact_resource(row: &Row) -> Outcome {
    let Some(reply) = row.input.get("reply") else {
        return Outcome::Unwired;
    };
    let mut place = place(false, Naming::Distinct);
    let told = results::convert_resource_contents(
        reply,
        &Context::new("s", "read_resource"),
        &Options::compact(),
        &mut place.keeper,
    );
    Outcome::Value(json!({"text": told.text(), "images": images(&told, &place)}))
}
