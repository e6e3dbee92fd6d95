//! MIME types: which extension a file gets, and whether the bytes agree.

/// Which extensions are known.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum ExtensionTable {
    /// Every common type.
    #[default]
    Full,
    /// The thirteen types of the IaC Code host; anything else is `.bin`.
    Reference,
}

const REFERENCE: [(&str, &str); 13] = [
    ("image/png", ".png"),
    ("image/jpeg", ".jpg"),
    ("image/webp", ".webp"),
    ("image/gif", ".gif"),
    ("audio/mpeg", ".mp3"),
    ("audio/wav", ".wav"),
    ("audio/ogg", ".ogg"),
    ("application/json", ".json"),
    ("application/pdf", ".pdf"),
    ("text/plain", ".txt"),
    ("text/markdown", ".md"),
    ("text/yaml", ".yml"),
    ("video/mp4", ".mp4"),
];

const FULL: [(&str, &str); 52] = [
    ("image/jpg", ".jpg"),
    ("image/svg+xml", ".svg"),
    ("image/bmp", ".bmp"),
    ("image/tiff", ".tiff"),
    ("image/avif", ".avif"),
    ("image/heic", ".heic"),
    ("image/heif", ".heic"),
    ("image/x-icon", ".ico"),
    ("image/vnd.microsoft.icon", ".ico"),
    ("audio/mp3", ".mp3"),
    ("audio/x-wav", ".wav"),
    ("audio/wave", ".wav"),
    ("audio/vnd.wave", ".wav"),
    ("audio/aac", ".aac"),
    ("audio/flac", ".flac"),
    ("audio/x-flac", ".flac"),
    ("audio/mp4", ".m4a"),
    ("audio/m4a", ".m4a"),
    ("audio/x-m4a", ".m4a"),
    ("audio/webm", ".webm"),
    ("audio/opus", ".opus"),
    ("audio/midi", ".mid"),
    ("video/webm", ".webm"),
    ("video/ogg", ".ogv"),
    ("video/quicktime", ".mov"),
    ("video/mpeg", ".mpg"),
    ("text/html", ".html"),
    ("text/css", ".css"),
    ("text/csv", ".csv"),
    ("text/xml", ".xml"),
    ("text/x-markdown", ".md"),
    ("text/javascript", ".js"),
    ("text/x-diff", ".diff"),
    ("text/json", ".json"),
    ("application/xml", ".xml"),
    ("application/yaml", ".yml"),
    ("application/x-yaml", ".yml"),
    ("application/toml", ".toml"),
    ("application/javascript", ".js"),
    ("application/zip", ".zip"),
    ("application/gzip", ".gz"),
    ("application/x-gzip", ".gz"),
    ("application/x-tar", ".tar"),
    ("application/x-7z-compressed", ".7z"),
    ("application/wasm", ".wasm"),
    ("application/msword", ".doc"),
    ("application/vnd.ms-excel", ".xls"),
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ".docx",
    ),
    (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ".xlsx",
    ),
    (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ".pptx",
    ),
    ("application/epub+zip", ".epub"),
    ("application/x-ndjson", ".ndjson"),
];

/// The type and subtype alone: no parameters, trimmed, in lower case.
pub(crate) fn essence(mime_type: &str) -> String {
    let head = mime_type.split(';').next().unwrap_or_default();
    head.trim().to_ascii_lowercase()
}

/// The extension, with its dot, of a file that holds bytes of `mime_type`. It never contains text from
/// `mime_type`, so a type such as `text/../x` is `.bin` too.
#[must_use]
pub fn binary_extension(mime_type: &str, table: ExtensionTable) -> &'static str {
    let wanted = essence(mime_type);
    let find = |list: &[(&str, &'static str)]| {
        list.iter()
            .find_map(|(name, extension)| (*name == wanted).then_some(*extension))
    };
    let known = match table {
        ExtensionTable::Reference => find(&REFERENCE),
        ExtensionTable::Full => find(&REFERENCE)
            .or_else(|| find(&FULL))
            .or_else(|| wanted.ends_with("+json").then_some(".json"))
            .or_else(|| wanted.ends_with("+xml").then_some(".xml")),
    };
    known.unwrap_or(".bin")
}

/// The extension, with its dot, of a file that holds text of `mime_type`.
#[must_use]
pub fn text_extension(mime_type: &str, table: ExtensionTable) -> &'static str {
    let wanted = essence(mime_type);
    match wanted.as_str() {
        "application/json" | "text/json" => ".json",
        "text/markdown" | "text/x-markdown" => ".md",
        other if other.ends_with("+json") => ".json",
        _ if table == ExtensionTable::Full => match binary_extension(&wanted, table) {
            extension @ (".html" | ".css" | ".csv" | ".xml" | ".js" | ".diff" | ".yml"
            | ".toml" | ".svg" | ".ndjson") => extension,
            _ => ".txt",
        },
        _ => ".txt",
    }
}

/// Whether bytes of this type are text to show, when they are UTF-8.
pub(crate) fn is_textual(mime_type: &str) -> bool {
    let name = essence(mime_type);
    name.starts_with("text/")
        || name.ends_with("+json")
        || name.ends_with("+xml")
        || matches!(
            name.as_str(),
            "application/json"
                | "application/xml"
                | "application/yaml"
                | "application/x-yaml"
                | "application/toml"
                | "application/javascript"
                | "application/x-ndjson"
        )
}

/// The type that `head`, the first bytes, speaks for, where it differs from `declared`.
pub(crate) fn corrected(declared: &str, head: &[u8]) -> Option<&'static str> {
    let found = match infer::get(head)?.mime_type() {
        "audio/x-wav" => "audio/wav",
        "audio/x-flac" => "audio/flac",
        other => other,
    };
    let declared = essence(declared);
    let family = binary_extension(found, ExtensionTable::Full);
    let same = declared == found
        || (family != ".bin" && binary_extension(&declared, ExtensionTable::Full) == family)
        // A container's own type says less than what is declared to be inside it.
        || (matches!(found, "application/zip" | "application/gzip" | "audio/ogg" | "video/mp4" | "video/webm" | "text/xml" | "text/html")
            && !declared.is_empty()
            && declared != "application/octet-stream"
            && !matchable(&declared));
    (!same).then_some(found)
}

/// Whether every file of this type begins with bytes that tell it apart.
pub(crate) fn matchable(mime_type: &str) -> bool {
    matches!(
        essence(mime_type).as_str(),
        "image/png"
            | "image/jpeg"
            | "image/jpg"
            | "image/gif"
            | "image/webp"
            | "application/pdf"
            | "audio/wav"
    )
}
