/// Folders below which paths tell of a person or of this machine.
const ROOTS: &[&str] = &[
    "home",
    "Users",
    "root",
    "tmp",
    "private",
    "var",
    "workspace",
    "workspaces",
    "Volumes",
    "mnt",
    "media",
];

/// Variables that stand for such a folder.
const VARIABLES: &[&str] = &[
    "$HOME",
    "${HOME}",
    "%USERPROFILE%",
    "%APPDATA%",
    "%LOCALAPPDATA%",
];

/// The length of the path that begins `text`, if one does; drive letters and `file:` addresses are the caller's.
pub(crate) fn path_at(text: &str) -> Option<usize> {
    let below = |root: &str| {
        text.get(1..)
            .and_then(|rest| rest.strip_prefix(root))
            .is_some_and(|rest| rest.starts_with('/'))
    };
    let starts = match text.as_bytes().first()? {
        b'/' => ROOTS.iter().any(|root| below(root)),
        b'\\' => text
            .strip_prefix("\\\\")
            .is_some_and(|share| share.starts_with(|char: char| char.is_alphanumeric())),
        b'$' | b'%' => VARIABLES.iter().any(|name| {
            text.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(['/', '\\']))
        }),
        _ => false,
    };
    starts.then(|| path_len(text))
}

/// How far a path goes that begins `text`.
///
/// Folders have spaces in their names, so it goes on over words, up to a quote, a closing bracket that it did not open,
/// a comma or the like, a colon before a space, the end of the line, or the next path or address.
pub(crate) fn path_len(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut chars = text.char_indices().peekable();
    while let Some((index, char)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let ends = match char {
            '"' | '\'' | '`' | '\n' | '\t' | '<' | '>' | '|' | ',' | ';' | '}' => true,
            ':' => next.is_none_or(char::is_whitespace),
            '(' => {
                depth += 1;
                false
            }
            ')' => {
                let is_foreign = depth == 0;
                depth = depth.saturating_sub(1);
                is_foreign
            }
            ' ' => !continues(text.get(index + 1..).unwrap_or_default()),
            _ => false,
        };
        if ends {
            return index;
        }
    }
    text.len()
}

/// Whether the word that begins `text` can belong to the path before it.
fn continues(text: &str) -> bool {
    // Enough of the word to know a drive letter or a scheme; bounded, so that the walk stays linear.
    let head: Vec<char> = text
        .chars()
        .take(16)
        .take_while(|char| !char.is_whitespace())
        .collect();
    match head.as_slice() {
        []
        | [
            '/' | '\\' | '$' | '~' | '%' | '"' | '\'' | '`' | '<' | '[',
            ..,
        ] => false,
        [letter, ':', '/' | '\\', ..] if letter.is_ascii_alphabetic() => false,
        head => !head.windows(3).any(|window| window == [':', '/', '/']),
    }
}
