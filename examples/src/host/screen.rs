//! What reaches the terminal.
//!
//! Everything printed passes through here and is cleaned first, so that no server can move the cursor, set a title or
//! hide text. Results go to stdout, everything else to stderr.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use mcp_bridge::public_text::{self, Cleaner};
use serde_json::Value;

/// Plain progress lines come no faster than this.
const PLAIN_PROGRESS_PAUSE: Duration = Duration::from_millis(400);
const BAR_STEPS: u64 = 100;

#[derive(Debug)]
pub(crate) struct Screen {
    interactive: bool,
    styled: bool,
    progress: Mutex<Progress>,
}

#[derive(Debug, Default)]
struct Progress {
    bar: Option<ProgressBar>,
    last_line: Option<Instant>,
}

impl Screen {
    pub(crate) fn new() -> Self {
        let styled = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Self {
            interactive: io::stdin().is_terminal() && io::stderr().is_terminal(),
            styled,
            progress: Mutex::default(),
        }
    }

    /// Whether there is somebody to ask.
    pub(crate) fn is_interactive(&self) -> bool {
        self.interactive
    }

    /// A heading, with an empty line above it.
    pub(crate) fn title(&self, text: &str) {
        let text = clean_line(text);
        if self.styled {
            self.out(&format!("\n\u{1b}[1m{text}\u{1b}[0m"));
        } else {
            self.out(&format!("\n{text}"));
        }
    }

    /// One line.
    pub(crate) fn line(&self, text: &str) {
        self.out(&clean_line(text));
    }

    /// Text of many lines, as it is.
    pub(crate) fn text(&self, text: &str) {
        self.out(clean(text).trim_end_matches('\n'));
    }

    /// Text of many lines, indented, at most `max_lines` of them.
    pub(crate) fn quote(&self, text: &str, max_lines: usize) {
        let text = clean(text);
        let mut lines = text.lines();
        for line in lines.by_ref().take(max_lines) {
            self.out(&format!("    {}", public_text::truncate(line, 160)));
        }
        let rest = lines.count();
        if rest > 0 {
            self.out(&format!("    [{rest} more lines]"));
        }
    }

    /// One JSON value.
    pub(crate) fn json(&self, value: &Value) {
        self.out(&visible_json(value));
    }

    /// Text of many lines on stderr.
    pub(crate) fn notes(&self, text: &str) {
        self.err(clean(text).trim_end_matches('\n'));
    }

    /// A line on stderr.
    pub(crate) fn note(&self, text: &str) {
        self.err(&clean_line(text));
    }

    /// A line on stderr that has to be seen exactly as it is, such as an address.
    pub(crate) fn note_verbatim(&self, text: &str) {
        self.err(&Cleaner::for_display().clean(text).replace('\n', " "));
    }

    /// A question on stderr, and the line that a person types; `None` when the input has ended.
    pub(crate) fn ask(&self, question: &str) -> Option<String> {
        self.end_progress(); // a bar would draw over what is typed
        let mut stderr = io::stderr().lock();
        write!(stderr, "{} ", clean_line(question)).ok()?;
        stderr.flush().ok()?;
        drop(stderr);
        let mut answer = String::new();
        let read_bytes = io::stdin().read_line(&mut answer).ok()?;
        (read_bytes > 0).then(|| answer.trim_end_matches(['\r', '\n']).to_owned())
    }

    /// Shows progress: a bar on a terminal, a line now and then elsewhere.
    pub(crate) fn progress(&self, bar_text: &str, line: &str, fraction: Option<f64>) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if io::stderr().is_terminal() {
            let bar = progress.bar.get_or_insert_with(new_bar);
            bar.set_message(clean_line(bar_text));
            match fraction {
                Some(fraction) => bar.set_position(percent(fraction)),
                None => bar.tick(),
            }
        } else if progress
            .last_line
            .is_none_or(|last| last.elapsed() >= PLAIN_PROGRESS_PAUSE)
            || fraction == Some(1.0)
        {
            progress.last_line = Some(Instant::now());
            drop(progress);
            self.note(line);
        }
    }

    /// Takes the progress bar away.
    pub(crate) fn end_progress(&self) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.last_line = None;
        if let Some(bar) = progress.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn out(&self, text: &str) {
        self.suspended(|| {
            // A closed pipe, as under `| head`, is no reason to fail.
            let _ = writeln!(io::stdout().lock(), "{text}");
        });
    }

    fn err(&self, text: &str) {
        self.suspended(|| {
            // Nobody is left to tell when stderr is closed.
            let _ = writeln!(io::stderr().lock(), "{text}");
        });
    }

    fn suspended<T>(&self, print: impl FnOnce() -> T) -> T {
        let bar = {
            let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
            progress.bar.clone()
        };
        match bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::new(BAR_STEPS);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the fraction is clamped to 0..=1 first"
)]
fn percent(fraction: f64) -> u64 {
    (fraction.clamp(0.0, 1.0) * BAR_STEPS as f64) as u64
}

/// Text fit for this person's own terminal: secrets masked, paths readable.
fn clean(text: &str) -> String {
    Cleaner::for_model().clean(text).into_owned()
}

/// One such line; spaces at its beginning stay.
pub(crate) fn clean_line(text: &str) -> String {
    let indent = text.len() - text.trim_start_matches(' ').len();
    format!("{:indent$}{}", "", public_text::one_line(&clean(text)))
}

/// JSON in which what a terminal would not show is written as an escape; its value is the same.
fn visible_json(value: &Value) -> String {
    let json = format!("{value:#}");
    let mut visible = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hidden(c) && c != '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                visible.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            visible.push(c);
        }
    }
    visible
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_hides_nothing_and_keeps_its_value() {
        let value = json!({"a": "x\u{202e}y\u{9b}z\u{e0041}\u{1b}é"});
        let shown = visible_json(&value);
        assert_eq!(
            shown,
            "{\n  \"a\": \"x\\u202ey\\u009bz\\udb40\\udc41\\u001bé\"\n}"
        );
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
    }

    #[test]
    fn a_fraction_becomes_percent() {
        let cases = [
            (0.0, 0),
            (0.256, 25),
            (1.0, 100),
            (7.0, 100),
            (-1.0, 0),
            (f64::NAN, 0),
        ];
        for (given, want) in cases {
            assert_eq!(percent(given), want, "given {given}");
        }
    }
}
