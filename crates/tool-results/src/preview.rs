//! The head and the tail of a text that is too long to be said.

use unicode_segmentation::UnicodeSegmentation;

use crate::options::Options;

/// The start and end of `text` within the limits of `options`, with a line between them that counts what is
/// left out. Cuts fall between graphemes, and at a line break where one is near. The line is not counted.
pub(crate) fn preview(text: &str, options: &Options) -> String {
    let percent = usize::from(options.preview_head_percent.min(100));
    let share = |whole: usize| whole / 100 * percent + whole % 100 * percent / 100;
    let (head_chars, head_bytes) = (share(options.preview_chars), share(options.preview_bytes));
    let head = head(text, head_chars, head_bytes);
    let rest = text.strip_prefix(head).unwrap_or_default();
    let tail = tail(
        rest,
        options.preview_chars - head_chars,
        options.preview_bytes - head_bytes,
    );
    let left_out = rest.strip_suffix(tail).unwrap_or_default().chars().count();
    if left_out == 0 {
        return text.to_owned();
    }
    let mark = format!("[... {left_out} characters left out ...]");
    let pieces = [
        head.trim_end_matches('\n'),
        &mark,
        tail.trim_start_matches('\n'),
    ];
    let pieces: Vec<&str> = pieces
        .into_iter()
        .filter(|piece| !piece.is_empty())
        .collect();
    pieces.join("\n")
}

fn head(text: &str, max_chars: usize, max_bytes: usize) -> &str {
    let (mut end, mut chars) = (0, 0);
    for grapheme in text.graphemes(true) {
        chars += grapheme.chars().count();
        if chars > max_chars || end + grapheme.len() > max_bytes {
            break;
        }
        end += grapheme.len();
    }
    let cut = text.get(..end).unwrap_or_default();
    match cut.rfind('\n') {
        Some(line) if end < text.len() && line >= end / 4 * 3 => cut.get(..=line).unwrap_or(cut),
        _ => cut,
    }
}

fn tail(text: &str, max_chars: usize, max_bytes: usize) -> &str {
    let (mut length, mut chars) = (0, 0);
    for grapheme in text.graphemes(true).rev() {
        chars += grapheme.chars().count();
        if chars > max_chars || length + grapheme.len() > max_bytes {
            break;
        }
        length += grapheme.len();
    }
    let cut = text.get(text.len() - length..).unwrap_or_default();
    match cut.find('\n') {
        Some(line) if length < text.len() && line <= length / 4 => cut.get(line..).unwrap_or(cut),
        _ => cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fall_between_graphemes_and_near_line_breaks() {
        let cases = [
            ("abcdef", 4, 100, "abc\n[... 2 characters left out ...]\nf"),
            ("ab", 4, 100, "ab"),
            (
                "e\u{301}e\u{301}e\u{301}",
                4,
                100,
                "e\u{301}\n[... 4 characters left out ...]",
            ),
            (
                "\u{1F680}\u{1F680}",
                4,
                3,
                "[... 2 characters left out ...]",
            ),
            ("abc", 0, 0, "[... 3 characters left out ...]"),
        ];
        for (text, chars, bytes, want) in cases {
            let options = Options {
                preview_head_percent: 75,
                ..Options::default()
            };
            assert_eq!(
                preview(text, &options.with_preview(chars, bytes)),
                want,
                "given {text:?}"
            );
        }
    }
}
