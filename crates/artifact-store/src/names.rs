//! Names of strangers as names of folders.

use sha2::{Digest, Sha256};

/// A name as one path segment, as the IaC Code host writes it: runs outside `A-Za-z0-9_.-` become `-`, `.` and `-` go
/// from both ends, and nothing left is `mcp`. Different names may give the same segment; see [`distinct_segment`].
#[must_use]
pub fn path_segment(name: &str) -> String {
    let mut segment = String::with_capacity(name.len().min(256));
    let mut replaced = false;
    for character in name.chars() {
        if character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-') {
            segment.push(character);
            replaced = false;
        } else if !replaced {
            segment.push('-');
            replaced = true;
        }
    }
    let segment = segment.trim_matches(['.', '-']);
    if segment.is_empty() {
        "mcp".to_owned()
    } else {
        segment.to_owned()
    }
}

/// A name as one path segment of at most 64 bytes that no other name has on a file system that tells case apart.
///
/// A name that is fit for a folder on every system stays as it is; any other ends in 8 hex digits of its SHA-256.
#[must_use]
pub fn distinct_segment(name: &str) -> String {
    let segment = path_segment(name);
    if segment == name && segment.len() <= 64 && !is_reserved(&segment) && !ends_in_digest(&segment)
    {
        return segment;
    }
    let short: String = segment.chars().take(55).collect();
    let digest = hex(&Sha256::digest(name.as_bytes()));
    let digest: String = digest.chars().take(8).collect();
    format!("{}-{digest}", short.trim_end_matches(['.', '-']))
}

/// A name that looks as if it were changed gets a digest of its own, or it could be taken for another's.
fn ends_in_digest(segment: &str) -> bool {
    segment.rsplit_once('-').is_some_and(|(_, tail)| {
        tail.len() == 8
            && tail
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Whether Windows takes `segment` for a device, whatever its extension.
pub(crate) fn is_reserved(segment: &str) -> bool {
    let stem = segment
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

/// Whose limits on a path hold.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Platform {
    /// Names up to 200 bytes.
    Unix,
    /// Names up to 64 bytes.
    Windows,
}

impl Platform {
    /// The platform that this was built for.
    #[must_use]
    pub fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else {
            Self::Unix
        }
    }
}

/// The folder of a project, by its path: every character but ASCII letters and digits is `-`, and a long name ends in
/// 12 hex digits of the path's BLAKE2b.
#[must_use]
pub fn project_dir_name(project_dir: &str, platform: Platform) -> String {
    let flat = flat(project_dir);
    let (limit, kept) = match platform {
        Platform::Unix => (200, 187),
        Platform::Windows => (64, 51),
    };
    if flat.len() <= limit {
        return flat;
    }
    let short: String = flat.chars().take(kept).collect();
    format!("{short}-{}", project_digest(project_dir))
}

/// The folders that a project may have, the one to write first; the rest are older spellings.
#[must_use]
pub fn project_dir_candidates(project_dir: &str, platform: Platform) -> Vec<String> {
    let flat = flat(project_dir);
    let mut names = vec![
        project_dir_name(project_dir, platform),
        project_dir_name(project_dir, Platform::Unix),
    ];
    if flat.len() > 200 {
        let short: String = flat.chars().take(200).collect();
        names.push(format!("{short}-{}", project_digest(project_dir)));
    }
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

fn flat(path: &str) -> String {
    path.chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                '-'
            }
        })
        .collect()
}

fn project_digest(path: &str) -> String {
    hex(blake2b_simd::Params::new()
        .hash_length(6)
        .hash(path.as_bytes())
        .as_bytes())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or('0');
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}
