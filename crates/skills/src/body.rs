use std::borrow::Cow;

/// Whether `text` has the syntax that some hosts run with a shell: `` !`command` `` or a block that begins ```` ```! ````.
///
/// Nothing here runs it; a person who is asked about a skill will want to know.
#[must_use]
pub fn has_shell_syntax(text: &str) -> bool {
    let inline = text.match_indices("!`").any(|(start, opening)| {
        let command = text.get(start + opening.len()..).unwrap_or_default();
        // A command ends on its line; the bound keeps a text of openings from being read again and again.
        command
            .chars()
            .take(1_000)
            .take_while(|char| *char != '\n')
            .skip_while(|char| *char == '`')
            .any(|char| char == '`')
            && !command.starts_with('`')
    });
    inline || text.contains("```!")
}

/// How many characters of `text` nobody sees: zero-width and bidirectional controls, tags, fillers.
#[must_use]
pub fn hidden_count(text: &str) -> usize {
    text.chars().filter(|char| is_hidden(*char)).count()
}

/// How many HTML comments `text` has, which a rendered page does not show.
#[must_use]
pub fn html_comment_count(text: &str) -> usize {
    text.match_indices("<!--").count()
}

/// `text` as it may enter a conversation: hidden characters, comments and terminal controls removed.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let is_removed =
        |char: char| is_hidden(char) || (char.is_control() && !matches!(char, '\t' | '\n'));
    let text = if text.contains(is_removed) {
        Cow::Owned(text.replace(is_removed, ""))
    } else {
        Cow::Borrowed(text)
    };
    if !text.contains("<!--") {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some((before, comment)) = rest.split_once("<!--") {
        shown.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

// Joiners and variation selectors stay: scripts and emoji need them.
fn is_hidden(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Puts values in the place of `$NAME` and `${NAME}`, in one walk: what is put in is never read again.
pub(crate) fn substitute(body: &str, value: impl Fn(&str) -> Option<String>) -> (String, bool) {
    let mut text = String::with_capacity(body.len());
    let mut is_used = false;
    let mut rest = body;
    while let Some((before, after)) = rest.split_once('$') {
        text.push_str(before);
        let braced = after.strip_prefix('{').and_then(|inner| {
            let len = name_len(inner);
            let (name, close) = inner.split_at_checked(len)?;
            Some((name, close.strip_prefix('}')?))
        });
        let (name, tail) = braced.unwrap_or_else(|| {
            after
                .split_at_checked(name_len(after))
                .unwrap_or(("", after))
        });
        match value(name) {
            Some(value) => {
                text.push_str(&value);
                is_used = true;
                rest = tail;
            }
            None => {
                text.push('$');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    (text, is_used)
}

fn name_len(text: &str) -> usize {
    text.bytes()
        .take(64)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_syntax_is_seen_where_it_is() {
        let cases = [
            ("run !`echo hi` now", true),
            ("```!\nls\n```", true),
            ("wow!`` and !`\n`", false),
            ("plain `code`!", false),
        ];
        for (given, want) in cases {
            assert_eq!(has_shell_syntax(given), want, "given {given:?}");
        }
    }

    #[test]
    fn what_is_put_in_is_not_read_again() {
        let value = |name: &str| (name == "a").then(|| "$a ${a} $b".to_owned());
        assert_eq!(
            substitute("$a,${a}-$b-$$-$", value),
            ("$a ${a} $b,$a ${a} $b-$b-$$-$".to_owned(), true)
        );
    }
}
