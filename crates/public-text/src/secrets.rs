use crate::cleaner::Cleaner;
use crate::names::is_secret_name;
use crate::paths::{path_at, path_len};
use crate::tokens::token_in;
use crate::{PATH, REDACTED};

/// Masks what `cleaner` asks for: the masked text, unless nothing had to be hidden.
///
/// One walk from left to right, run of name characters by run; each place is read once, or a bounded number of times.
pub(crate) fn mask(text: &str, cleaner: &Cleaner) -> Option<String> {
    let mut scanner = Scanner {
        text,
        cleaner,
        out: String::new(),
        copied: 0,
        in_url: false,
    };
    let mut position = 0;
    while let Some(first) = scanner.rest(position).chars().next() {
        position = if is_name_char(first) {
            scanner.run(position)
        } else {
            scanner.mark(position, first)
        };
    }
    scanner.finish()
}

/// Whether a header of this name is hidden with its whole line.
pub(crate) fn header_name(name: &str) -> bool {
    [
        "authorization",
        "cookie",
        "proxy-authorization",
        "set-cookie",
    ]
    .iter()
    .any(|known| name.eq_ignore_ascii_case(known))
}

fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.')
}

struct Scanner<'a> {
    text: &'a str,
    cleaner: &'a Cleaner,
    out: String,
    /// Up to where `text` has found its way into `out`, in bytes.
    copied: usize,
    /// Whether the position is inside an address: what looks like a path there is none of this machine.
    in_url: bool,
}

impl<'a> Scanner<'a> {
    fn rest(&self, position: usize) -> &'a str {
        self.text.get(position..).unwrap_or_default()
    }

    fn replace(&mut self, start: usize, end: usize, with: &str) -> usize {
        self.out
            .push_str(self.text.get(self.copied..start).unwrap_or_default());
        self.out.push_str(with);
        self.copied = end;
        end
    }

    fn finish(mut self) -> Option<String> {
        if self.copied == 0 {
            return None;
        }
        let rest = self.rest(self.copied);
        self.out.push_str(rest);
        Some(self.out)
    }

    fn mark(&mut self, position: usize, first: char) -> usize {
        if first.is_whitespace() || matches!(first, '"' | '\'' | '`' | '<' | '>' | ')') {
            self.in_url = false;
        }
        let path = (self.cleaner.paths && !self.in_url)
            .then(|| path_at(self.rest(position)))
            .flatten();
        match path {
            Some(len) => self.replace(position, position + len, PATH),
            None => position + first.len_utf8(),
        }
    }

    fn run(&mut self, position: usize) -> usize {
        let rest = self.rest(position);
        let (run, after) = rest.split_at(
            rest.bytes()
                .take_while(|byte| is_name_char(char::from(*byte)))
                .count(),
        );
        let end = position + run.len();
        if self.cleaner.secrets {
            let hidden = self
                .token(position, run)
                .or_else(|| self.private_key(position, run, after));
            if let Some(end) = hidden {
                return end;
            }
        }
        if let Some(authority) = after.strip_prefix("://") {
            return self.url(position, run, authority);
        }
        if self.cleaner.paths && !self.in_url && is_letter(run) && after.starts_with([':']) {
            let is_drive = after
                .get(1..)
                .is_some_and(|path| path.starts_with(['\\', '/']));
            if is_drive {
                return self.replace(position, position + path_len(rest), PATH);
            }
        }
        if !self.cleaner.secrets {
            return end;
        }
        self.header(position, run, after)
            .or_else(|| self.credential(end, run, after))
            .or_else(|| self.assigned(end, run, after))
            .unwrap_or(end)
    }

    fn token(&mut self, position: usize, run: &str) -> Option<usize> {
        let (offset, len) = token_in(run)?;
        Some(self.replace(position + offset, position + offset + len, REDACTED))
    }

    fn private_key(&mut self, position: usize, run: &str, after: &str) -> Option<usize> {
        const BEGIN: &str = "-----BEGIN";
        const END: &str = "-----END";
        if !run.ends_with(BEGIN) {
            return None;
        }
        let (label, body) = after
            .split_once("-----")
            .filter(|(label, _)| label.len() <= 64)?;
        if !label.ends_with("PRIVATE KEY") {
            return None;
        }
        let start = position + run.len() - BEGIN.len();
        let end = body.find(END).map_or(self.text.len(), |at| {
            let tail = body.get(at + END.len()..).unwrap_or_default();
            let close = tail.find('\n').unwrap_or(tail.len());
            let close = tail
                .get(..close)
                .and_then(|line| line.find("-----"))
                .map_or(close, |dashes| dashes + 5);
            self.text.len() - tail.len() + close
        });
        Some(self.replace(start, end, REDACTED))
    }

    fn url(&mut self, position: usize, run: &str, authority: &str) -> usize {
        let scheme_start = position + run.len() - scheme_len(run);
        let after_mark = position + run.len() + "://".len();
        let authority_len = authority.find(ends_authority).unwrap_or(authority.len());
        let is_path = self.cleaner.paths && !self.in_url && (is_letter(run) || authority_len == 0);
        let is_file = self.cleaner.paths && scheme_len(run) >= 4 && ends_with_file(run);
        if is_path || is_file {
            let start = if is_file {
                position + run.len() - 4
            } else {
                scheme_start
            };
            let path = self.rest(start);
            return self.replace(start, start + path_len(path), PATH);
        }
        self.in_url = true;
        let authority = authority.get(..authority_len).unwrap_or_default();
        let Some((user, host)) = authority
            .rsplit_once('@')
            .filter(|(user, _)| self.cleaner.secrets && *user != REDACTED)
        else {
            return after_mark + authority_len;
        };
        let scheme = self
            .text
            .get(scheme_start..position + run.len())
            .unwrap_or_default()
            .to_ascii_lowercase();
        let masked = format!("{scheme}://{REDACTED}@{}", host.to_ascii_lowercase());
        debug_assert!(!user.contains('/'));
        self.replace(scheme_start, after_mark + authority_len, &masked)
    }

    fn header(&mut self, position: usize, run: &str, after: &str) -> Option<usize> {
        if self.in_url || !header_name(run) {
            return None;
        }
        let value = after.trim_start_matches([' ', '\t']).strip_prefix(':')?;
        let line = value
            .find('\n')
            .map_or(value, |end| value.get(..end).unwrap_or_default());
        if line.trim().is_empty() {
            return None;
        }
        let end = self.text.len() - value.len() + line.len();
        Some(self.replace(position, end, REDACTED))
    }

    /// `Bearer …` and `Basic …` outside a header, if what follows looks like a credential and not like a word.
    fn credential(&mut self, end: usize, run: &str, after: &str) -> Option<usize> {
        if !["basic", "bearer"]
            .iter()
            .any(|known| run.eq_ignore_ascii_case(known))
        {
            return None;
        }
        let value = after.trim_start_matches(' ');
        let len = value
            .bytes()
            .take_while(|byte| {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-')
            })
            .count();
        let start = end + after.len() - value.len();
        let is_credential =
            start > end && len >= 16 && value.bytes().take(len).any(|byte| byte.is_ascii_digit());
        is_credential.then(|| self.replace(start, start + len, REDACTED))
    }

    /// `name=value`, `name: value` and `"name": "value"`, for a name that tells of a secret.
    fn assigned(&mut self, end: usize, run: &str, after: &str) -> Option<usize> {
        let is_parameter = self.in_url && is_url_parameter(run);
        if !is_parameter && !is_secret_name(run) {
            return None;
        }
        let unquoted = after
            .trim_start_matches('\\')
            .trim_start_matches(['"', '\'']);
        // One quote and its escapes: a longer run of them is something else.
        let unquoted = if after.len() - unquoted.len() > 4 {
            after
        } else {
            unquoted
        };
        let sign = unquoted.trim_start_matches([' ', '\t']);
        let value = sign
            .strip_prefix("=>")
            .or_else(|| sign.strip_prefix("=="))
            .or_else(|| sign.strip_prefix('='))
            .or_else(|| {
                sign.strip_prefix(':')
                    .filter(|value| !value.starts_with(':'))
            })?;
        let value = value.trim_start_matches([' ', '\t']);
        let start = end + after.len() - value.len();
        if value.starts_with(REDACTED) {
            return Some(start + REDACTED.len());
        }
        let len = value_len(value, self.in_url);
        (len > 0).then(|| self.replace(start, start + len, REDACTED))
    }
}

/// Whether a value is `${NAME}` and nothing more.
fn is_placeholder(value: &str) -> bool {
    let inner = value
        .strip_prefix("${")
        .and_then(|rest| rest.split_once('}'));
    inner.is_some_and(|(name, rest)| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !rest.starts_with(|c: char| c.is_alphanumeric())
    })
}

fn value_len(value: &str, in_url: bool) -> usize {
    let escapes = value.bytes().take_while(|byte| *byte == b'\\').count();
    let quoted = value.get(escapes..).unwrap_or_default();
    match quoted.chars().next() {
        Some(quote @ ('"' | '\'')) => quoted_len(value, escapes, quote),
        // An object's own names are read one by one.
        Some('{') => 0,
        // The name of a variable is no secret.
        Some('$') if is_placeholder(quoted) => 0,
        Some('[') => match value.find(['\n', ']']) {
            Some(end) if value.get(end..).is_some_and(|end| end.starts_with(']')) => end + 1,
            Some(end) => end,
            None => value.len(),
        },
        _ => {
            let len = plain_len(value, in_url);
            let word = value.get(..len).unwrap_or_default();
            let is_scheme = ["basic", "bearer", "digest", "token"]
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known));
            let next = value
                .get(len..)
                .and_then(|next| next.strip_prefix(' '))
                .filter(|_| is_scheme);
            len + next.map_or(0, |next| match plain_len(next, in_url) {
                0 => 0,
                more => more + 1,
            })
        }
    }
}

fn plain_len(value: &str, in_url: bool) -> usize {
    let ends = |char: char| {
        char.is_whitespace()
            || matches!(
                char,
                ',' | ';' | '&' | '"' | '\'' | '`' | ')' | '}' | ']' | '<' | '>'
            )
            || (in_url && char == '#')
    };
    value.find(ends).unwrap_or(value.len())
}

/// The length of a quoted value with its quotes, each preceded by `escapes` backslashes: the rest of the line if it does
/// not end there, zero if it is empty.
fn quoted_len(value: &str, escapes: usize, quote: char) -> usize {
    let open = escapes + quote.len_utf8();
    let mut backslashes = 0;
    for (index, char) in value.get(open..).unwrap_or_default().char_indices() {
        if char == '\n' {
            return open + index;
        }
        if char == quote && backslashes <= escapes {
            let is_empty = index == escapes;
            return if is_empty {
                0
            } else {
                open + index + quote.len_utf8()
            };
        }
        backslashes = if char == '\\' { backslashes + 1 } else { 0 };
    }
    value.len()
}

fn is_letter(run: &str) -> bool {
    run.len() == 1 && run.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn ends_with_file(run: &str) -> bool {
    run.len()
        .checked_sub(4)
        .and_then(|at| run.get(at..))
        .is_some_and(|end| end.eq_ignore_ascii_case("file"))
}

/// The part of a run, without the `+` before it, that can be a scheme: from its first letter.
fn scheme_len(run: &str) -> usize {
    run.find(|char: char| char.is_ascii_alphabetic())
        .map_or(0, |start| run.len() - start)
}

fn ends_authority(char: char) -> bool {
    char.is_whitespace()
        || matches!(
            char,
            '/' | '?' | '#' | '\\' | '"' | '\'' | '`' | '<' | '>' | '(' | ')' | '{' | '}'
        )
}

/// Parameters that carry a secret in an address, beside those whose name tells so anywhere.
fn is_url_parameter(name: &str) -> bool {
    [
        "code",
        "key",
        "policy",
        "sas",
        "sig",
        "x-amz-credential",
        "x-goog-credential",
        "ossaccesskeyid",
    ]
    .iter()
    .any(|known| name.eq_ignore_ascii_case(known))
}
