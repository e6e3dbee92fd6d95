/// A form of token that is known by its beginning.
struct Kind {
    prefix: &'static str,
    /// The fewest characters after the prefix.
    min_chars: usize,
    /// What may follow beside letters and digits.
    marks: &'static [u8],
    /// Whether one of the first characters has to be a digit, where the prefix alone is too much like a word.
    needs_digit: bool,
}

const fn kind(prefix: &'static str, min_chars: usize, marks: &'static [u8]) -> Kind {
    Kind {
        prefix,
        min_chars,
        marks,
        needs_digit: false,
    }
}

const fn digits(prefix: &'static str, min_chars: usize, marks: &'static [u8]) -> Kind {
    Kind {
        prefix,
        min_chars,
        marks,
        needs_digit: true,
    }
}

const KINDS: &[Kind] = &[
    digits("sk-", 8, b"_-"),
    kind("sk_live_", 8, b""),
    kind("sk_test_", 8, b""),
    kind("rk_live_", 8, b""),
    kind("ghp_", 20, b""),
    kind("gho_", 20, b""),
    kind("ghu_", 20, b""),
    kind("ghs_", 20, b""),
    kind("ghr_", 20, b""),
    kind("github_pat_", 20, b"_"),
    kind("glpat-", 16, b"_-"),
    digits("xoxa-", 8, b"-"),
    digits("xoxb-", 8, b"-"),
    digits("xoxe-", 8, b"-"),
    digits("xoxo-", 8, b"-"),
    digits("xoxp-", 8, b"-"),
    digits("xoxr-", 8, b"-"),
    digits("xoxs-", 8, b"-"),
    digits("xapp-", 8, b"-"),
    kind("AKIA", 16, b""),
    kind("ASIA", 16, b""),
    kind("LTAI", 12, b""),
    kind("AIza", 30, b"_-"),
    kind("ya29.", 20, b"_-."),
    kind("SG.", 30, b"_-."),
    kind("npm_", 30, b""),
    kind("pypi-", 30, b"_-"),
    kind("hf_", 20, b""),
    kind("whsec_", 20, b""),
];

/// The first token in a run of letters, digits, `_`, `-` and `.`: where it starts, and its length.
pub(crate) fn token_in(run: &str) -> Option<(usize, usize)> {
    if run.len() < 11 {
        return None;
    }
    let mut before = b'.';
    // A segment between dots is looked at once for the start of a web token, so that the walk stays linear.
    let mut segment_tried = false;
    for (index, byte) in run.bytes().enumerate() {
        let starts = !before.is_ascii_alphanumeric() && byte.is_ascii_alphabetic();
        before = byte;
        if byte == b'.' {
            segment_tried = false;
        }
        if !starts {
            continue;
        }
        let rest = run.get(index..).unwrap_or_default();
        if let Some(len) = KINDS.iter().find_map(|kind| token_len(kind, rest)) {
            return Some((index, len));
        }
        if !segment_tried && rest.starts_with("eyJ") {
            segment_tried = true;
            if let Some(len) = web_token_len(rest) {
                return Some((index, len));
            }
        }
    }
    None
}

fn token_len(kind: &Kind, rest: &str) -> Option<usize> {
    let body = rest.strip_prefix(kind.prefix)?;
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || kind.marks.contains(byte);
    if body.bytes().take(kind.min_chars).filter(belongs).count() < kind.min_chars {
        return None;
    }
    // Bounded, so that a run of failed beginnings is not read again and again.
    let has_digit = || {
        body.bytes()
            .take(64)
            .take_while(belongs)
            .any(|byte| byte.is_ascii_digit())
    };
    if kind.needs_digit && !has_digit() {
        return None;
    }
    Some(kind.prefix.len() + body.bytes().take_while(belongs).count())
}

/// A JSON Web Token, [RFC 7519](https://www.rfc-editor.org/rfc/rfc7519): a header of base64url, then two parts or more.
fn web_token_len(rest: &str) -> Option<usize> {
    let mut parts = rest.splitn(3, '.');
    let (header, payload) = (parts.next()?, parts.next()?);
    (header.len() >= 10 && payload.len() >= 6).then(|| rest.trim_end_matches('.').len())
}
