use std::borrow::Cow;

/// Removes what steers a terminal: escape sequences, and every control character but tab and line feed.
///
/// Window titles, hyperlinks and clipboard writes (OSC), colours and cursor moves (CSI), device strings and two-byte
/// escapes go with their parameters, as [ECMA-48](https://ecma-international.org/publications-and-standards/standards/ecma-48/)
/// delimits them, in their seven-bit and eight-bit forms. A string that never ends takes the rest of its line with it.
///
/// ```
/// assert_eq!(mcp_bridge_public_text::without_controls("\u{1b}]0;title\u{7}ok\r\n"), "ok\n");
/// ```
#[must_use]
pub fn without_controls(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_removed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => match chars.peek() {
                Some('[') => {
                    chars.next();
                    skip_csi(&mut chars);
                }
                Some(']' | 'P' | 'X' | '^' | '_') => {
                    chars.next();
                    skip_string(&mut chars);
                }
                Some(' '..='/') => {
                    while chars.next_if(|char| matches!(char, ' '..='/')).is_some() {}
                    chars.next_if(|char| matches!(char, '0'..='~'));
                }
                Some('0'..='~') => {
                    chars.next();
                }
                _ => {}
            },
            '\u{9b}' => skip_csi(&mut chars),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut chars),
            char if is_removed(char) => {}
            char => shown.push(char),
        }
    }
    Cow::Owned(shown)
}

fn is_removed(char: char) -> bool {
    char.is_control() && !matches!(char, '\t' | '\n')
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_csi(chars: &mut Chars<'_>) {
    while chars.next_if(|char| matches!(char, '0'..='?')).is_some() {}
    while chars.next_if(|char| matches!(char, ' '..='/')).is_some() {}
    chars.next_if(|char| matches!(char, '@'..='~'));
}

fn skip_string(chars: &mut Chars<'_>) {
    while let Some(&char) = chars.peek() {
        match char {
            '\n' => return,
            '\u{7}' | '\u{9c}' | '\u{18}' | '\u{1a}' => {
                chars.next();
                return;
            }
            // The escape of the terminator, or of a sequence that cuts the string short: the caller reads it.
            '\u{1b}' => return,
            _ => {
                chars.next();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_go_with_their_parameters() {
        let cases = [
            ("plain \t\n é", "plain \t\n é"),
            ("\u{1b}[1;31;40mx\u{1b}[0m", "x"),
            (
                "\u{1b}]8;;https://e.com\u{1b}\\link\u{1b}]8;;\u{1b}\\",
                "link",
            ),
            ("\u{1b}]0;unterminated", ""),
            ("\u{1b}]0;unterminated\nnext", "\nnext"),
            ("\u{1b}P1$r\u{9c}x\u{1b}(By", "xy"),
            ("\u{9b}31mred\u{9d}0;t\u{7}!", "red!"),
            ("\u{1b}\u{1b}[31mx\u{1b}", "x"),
            ("a\u{0}b\u{7f}c\u{85}d\r\n", "abcd\n"),
        ];
        for (given, want) in cases {
            assert_eq!(without_controls(given), want, "given {given:?}");
        }
    }
}
