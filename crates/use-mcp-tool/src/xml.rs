//! Calls as XML tags in a model's text, whole or as it streams in.

use serde_json::{Map, Value};

use crate::call::{Call, CallKind, Door, Note};
use crate::error::{CallError, CallErrorKind};
use crate::json::{arguments_of, missing};

/// The longest text, in bytes.
const MAX_TEXT: usize = 1 << 20;
/// The longest parameter, in bytes.
const MAX_PARAMETER: usize = 512 << 10;
/// Inside these a model thinks; what looks like a call there is none.
const THINKING: [&str; 2] = ["think", "thinking"];

/// A part of a model's text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Segment {
    /// Text around calls, trimmed; never empty.
    Text(String),
    /// A call.
    Call(Call),
    /// Something that was meant as a call and cannot be made.
    Error(CallError),
}

/// Reads a whole text.
///
/// ```
/// use mcp_bridge_use_mcp_tool::{Segment, parse_xml};
///
/// let text = "Let me look.\n<use_mcp_tool><server_name>git</server_name><tool_name>log</tool_name>\
///     <arguments>{\"n\": 3}</arguments></use_mcp_tool>";
/// let segments = parse_xml(text);
/// assert_eq!(segments[0], Segment::Text("Let me look.".to_owned()));
/// assert!(matches!(&segments[1], Segment::Call(call) if call.kind.server() == "git"));
/// ```
pub fn parse_xml(text: &str) -> Vec<Segment> {
    let mut parser = XmlParser::default();
    let mut segments = parser.push(text.as_bytes());
    segments.extend(parser.finish());
    segments
}

/// Reads a text in pieces, cut anywhere, even inside a character; all segments together are those of [`parse_xml`].
///
/// It holds what it has not given out yet, at most 1 MiB of text in all, and looks at each byte a few times at most.
/// Of a parameter that begins with `{` the end is the end of that JSON object, so tags inside its strings are text. XML
/// entities are not decoded, unless the parameter is JSON only then.
#[derive(Debug, Default)]
pub struct XmlParser {
    /// The bytes of a character that is not whole yet.
    partial: Vec<u8>,
    /// What is not taken apart yet, from `start` on.
    buffer: String,
    start: usize,
    /// How far behind `start` was searched without a find.
    searched: usize,
    /// Text that belongs to the segment that comes next.
    text: String,
    seen: usize,
    state: State,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Text,
    Thinking(&'static str),
    Call(Open),
    Parameter(Open, &'static str, Option<Scan>),
    /// A call was closed before its parameter; the parameter's own tag may still follow.
    Closed(Open),
    Dead,
}

/// A call that is being read.
#[derive(Debug)]
struct Open {
    door: Door,
    parameters: Vec<(&'static str, String)>,
    notes: Vec<Note>,
}

/// Where the scan of a JSON object stands.
#[derive(Clone, Copy, Debug, Default)]
struct Scan {
    at: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    end: Option<Progress>,
}

impl XmlParser {
    /// Takes in a piece, and gives the segments that are complete.
    pub fn push(&mut self, piece: &[u8]) -> Vec<Segment> {
        let mut segments = Vec::new();
        if matches!(self.state, State::Dead) {
            return segments;
        }
        // The first bytes count, however they were cut.
        let room = MAX_TEXT.saturating_sub(self.seen);
        let (piece, over) = piece.split_at(room.min(piece.len()));
        self.seen += piece.len();
        self.decode(piece);
        while self.step(false, &mut segments) {}
        if !over.is_empty() {
            let text = format!("the text is larger than {MAX_TEXT} bytes; the rest is not read");
            self.end(
                CallError::new(CallErrorKind::ParameterTooLarge, text),
                &mut segments,
            );
        }
        segments
    }

    /// Gives up: nothing more is read.
    fn end(&mut self, error: CallError, segments: &mut Vec<Segment>) {
        self.flush_text(segments);
        segments.push(Segment::Error(error));
        *self = Self {
            state: State::Dead,
            ..Self::default()
        };
    }

    /// Ends the text, and gives what is left.
    pub fn finish(mut self) -> Vec<Segment> {
        let mut segments = Vec::new();
        if !self.partial.is_empty() {
            self.buffer.push(char::REPLACEMENT_CHARACTER);
        }
        while self.step(true, &mut segments) {}
        match std::mem::take(&mut self.state) {
            State::Call(open) | State::Parameter(open, ..) => {
                self.flush_text(&mut segments);
                segments.push(Segment::Error(open.incomplete()));
            }
            State::Closed(open) => self.close(open, &mut segments),
            State::Text | State::Thinking(_) => {
                let rest = self.take(self.rest().len());
                self.text.push_str(&rest);
                self.flush_text(&mut segments);
            }
            State::Dead => {}
        }
        segments
    }

    /// Moves whole characters to the buffer.
    fn decode(&mut self, piece: &[u8]) {
        self.partial.extend_from_slice(piece);
        let bytes = std::mem::take(&mut self.partial);
        let mut left = bytes.as_slice();
        loop {
            match std::str::from_utf8(left) {
                Ok(text) => {
                    self.buffer.push_str(text);
                    return;
                }
                Err(error) => {
                    let (good, bad) = left.split_at(error.valid_up_to());
                    self.buffer.push_str(&String::from_utf8_lossy(good));
                    match error.error_len() {
                        Some(len) => {
                            self.buffer.push(char::REPLACEMENT_CHARACTER);
                            left = bad.get(len..).unwrap_or_default();
                        }
                        None => {
                            self.partial = bad.to_vec();
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Takes one thing apart; `false` when more text is needed.
    fn step(&mut self, at_end: bool, segments: &mut Vec<Segment>) -> bool {
        match std::mem::take(&mut self.state) {
            State::Dead => {
                self.state = State::Dead;
                false
            }
            State::Text => self.step_text(),
            State::Thinking(tag) => self.step_thinking(tag),
            State::Call(open) => self.step_call(open, segments),
            State::Parameter(open, name, scan) => self.step_parameter(open, name, scan, segments),
            State::Closed(open) => self.step_closed(open, at_end, segments),
        }
    }

    fn step_text(&mut self) -> bool {
        let found = self.next_tag(|rest| {
            let door = Door::ALL.into_iter().find(|door| opens(rest, door.name()));
            let thinking = THINKING.into_iter().find(|tag| opens(rest, tag));
            door.map(Tag::Door).or(thinking.map(Tag::Thinking))
        });
        let Some((at, tag)) = found else {
            // What may be the beginning of a tag waits.
            self.keep_tail();
            self.state = State::Text;
            return false;
        };
        let before = self.take(at);
        self.text.push_str(&before);
        self.state = match tag {
            Tag::Door(door) => {
                self.take(door.name().len() + "<>".len());
                State::Call(Open {
                    door,
                    parameters: Vec::new(),
                    notes: Vec::new(),
                })
            }
            Tag::Thinking(tag) => State::Thinking(tag),
        };
        true
    }

    fn step_thinking(&mut self, tag: &'static str) -> bool {
        let found = self.next_tag(|rest| closes(rest, tag).then_some(()));
        match found {
            Some((at, ())) => {
                let before = self.take(at);
                self.text.push_str(&before);
                self.state = State::Text;
                // The closing tag itself is text like any other.
                let tag = self.take(1);
                self.text.push_str(&tag);
                true
            }
            None => {
                self.keep_tail();
                self.state = State::Thinking(tag);
                false
            }
        }
    }

    fn step_call(&mut self, mut open: Open, segments: &mut Vec<Segment>) -> bool {
        let Some(at) = self.rest().find('<') else {
            self.take(self.rest().len());
            self.state = State::Call(open);
            return false;
        };
        self.take(at);
        if closes(self.rest(), open.door.name()) {
            self.take(open.door.name().len() + "</>".len());
            self.close(open, segments);
            return true;
        }
        for name in open.door.parameters() {
            if opens(self.rest(), name) {
                self.take(name.len() + "<>".len());
                self.state = State::Parameter(open, name, None);
                return true;
            }
        }
        let head = self.rest().bytes().take(LONGEST_TAG);
        let is_whole = head.len() == LONGEST_TAG || head.clone().any(|byte| byte == b'>');
        if is_whole {
            // Another tag is passed over; what stands in it is read as if it stood in the call.
            let is_tag = self.rest().chars().nth(1).is_some_and(char::is_alphabetic);
            if is_tag && !open.notes.contains(&Note::UnknownParameter) {
                open.notes.push(Note::UnknownParameter);
            }
            self.take(1);
        }
        self.state = State::Call(open);
        is_whole
    }

    fn step_parameter(
        &mut self,
        mut open: Open,
        name: &'static str,
        scan: Option<Scan>,
        segments: &mut Vec<Segment>,
    ) -> bool {
        let mut scan = scan.or_else(|| (name == "arguments").then(Scan::default));
        let mut from = 0;
        if let Some(scan) = &mut scan {
            match scan.run(self.rest()) {
                Progress::Open => {
                    return self.wait_for_parameter(open, name, Some(*scan), segments);
                }
                Progress::NoObject => {}
                Progress::Ends(end) => from = end,
            }
        }
        self.searched = self.searched.max(from);
        let call = open.door.name();
        let found = self.next_tag(|rest| match closes(rest, name) {
            true => Some(name),
            false => closes(rest, call).then_some(call),
        });
        let Some((at, tag)) = found else {
            return self.wait_for_parameter(open, name, scan, segments);
        };
        if at > MAX_PARAMETER {
            self.end(too_large(name), segments);
            return false;
        }
        let value = self.take(at);
        self.take(tag.len() + "</>".len());
        open.parameters.push((name, value));
        self.state = match tag == name {
            true => State::Call(open),
            false => State::Closed(open),
        };
        true
    }

    fn wait_for_parameter(
        &mut self,
        open: Open,
        name: &'static str,
        scan: Option<Scan>,
        segments: &mut Vec<Segment>,
    ) -> bool {
        if self.rest().len() > MAX_PARAMETER + LONGEST_TAG {
            self.end(too_large(name), segments);
        } else {
            self.state = State::Parameter(open, name, scan);
        }
        false
    }

    fn step_closed(&mut self, mut open: Open, at_end: bool, segments: &mut Vec<Segment>) -> bool {
        let Some((name, _)) = open.parameters.last() else {
            self.close(open, segments);
            return true;
        };
        let own = format!("</{name}>");
        let rest = self.rest();
        let trimmed = rest.trim_start();
        let blank = rest.len() - trimmed.len();
        // Only so far is a tag looked for that stands too late.
        let is_near = blank <= LONGEST_TAG;
        if is_near && trimmed.starts_with(&own) {
            self.take(blank + own.len());
            open.notes.push(Note::MisplacedClosingTag);
        } else if is_near && !at_end && own.starts_with(trimmed) {
            self.state = State::Closed(open);
            return false;
        } else {
            open.notes.push(Note::UnclosedParameter);
        }
        self.close(open, segments);
        true
    }

    fn close(&mut self, open: Open, segments: &mut Vec<Segment>) {
        self.flush_text(segments);
        segments.push(match open.build() {
            Ok(call) => Segment::Call(call),
            Err(error) => Segment::Error(error),
        });
        self.state = State::Text;
    }

    fn flush_text(&mut self, segments: &mut Vec<Segment>) {
        let text = std::mem::take(&mut self.text);
        let trimmed = text.trim();
        if !trimmed.is_empty() {
            segments.push(Segment::Text(trimmed.to_owned()));
        }
    }

    fn rest(&self) -> &str {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// The next `<` that starts a tag which is looked for; each place is looked at once.
    fn next_tag<T>(&mut self, is_tag: impl Fn(&str) -> Option<T>) -> Option<(usize, T)> {
        let rest = self.rest();
        let mut at = self.searched;
        while let Some(found) = rest.get(at..).and_then(|rest| rest.find('<')) {
            at += found;
            let here = rest.get(at..).unwrap_or_default();
            if let Some(tag) = is_tag(here) {
                return Some((at, tag));
            }
            if here.len() < LONGEST_TAG {
                // It may be the beginning of one.
                self.searched = at;
                return None;
            }
            at += 1;
        }
        self.searched = rest.len();
        None
    }

    /// Moves what was searched to the text.
    fn keep_tail(&mut self) {
        let before = self.take(self.searched);
        self.text.push_str(&before);
    }

    fn take(&mut self, bytes: usize) -> String {
        let taken = self.rest().get(..bytes).unwrap_or_default().to_owned();
        self.start += taken.len();
        self.searched = 0;
        if self.start >= COMPACT && self.start * 2 >= self.buffer.len() {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        taken
    }
}

/// What starts in a text.
enum Tag {
    Door(Door),
    Thinking(&'static str),
}

/// No tag that is looked for is longer than this, in bytes.
const LONGEST_TAG: usize = 32;
/// What was taken from the buffer is thrown away from here on, in bytes.
const COMPACT: usize = 4 << 10;

fn too_large(name: &str) -> CallError {
    let text = format!("the parameter `{name}` is larger than {MAX_PARAMETER} bytes");
    CallError::new(CallErrorKind::ParameterTooLarge, text).about(name)
}

fn opens(text: &str, tag: &str) -> bool {
    let rest = text
        .strip_prefix('<')
        .and_then(|rest| rest.strip_prefix(tag));
    rest.is_some_and(|rest| rest.starts_with('>'))
}

fn closes(text: &str, tag: &str) -> bool {
    let rest = text
        .strip_prefix("</")
        .and_then(|rest| rest.strip_prefix(tag));
    rest.is_some_and(|rest| rest.starts_with('>'))
}

#[derive(Clone, Copy, Debug)]
enum Progress {
    Open,
    NoObject,
    Ends(usize),
}

impl Scan {
    /// Goes on from where it stopped.
    fn run(&mut self, text: &str) -> Progress {
        if let Some(end) = self.end {
            return end;
        }
        for (offset, byte) in text.bytes().enumerate().skip(self.at) {
            self.at = offset + 1;
            if self.depth == 0 {
                match byte {
                    b'{' => self.depth = 1,
                    byte if byte.is_ascii_whitespace() => {}
                    _ => return self.ends(Progress::NoObject),
                }
                continue;
            }
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return self.ends(Progress::Ends(self.at));
                    }
                }
                _ => {}
            }
        }
        Progress::Open
    }
}

impl Scan {
    fn ends(&mut self, end: Progress) -> Progress {
        self.end = Some(end);
        end
    }
}

impl Open {
    fn incomplete(&self) -> CallError {
        let text = format!(
            "the text ends inside a call of `{}`: write the call again, whole",
            self.door.name()
        );
        let mut error = CallError::new(CallErrorKind::IncompleteCall, text);
        let value = |name: &str| {
            let found = self.parameters.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| crate::error::short(value.trim()))
        };
        error.server = value("server_name");
        error.tool = value("tool_name");
        error
    }

    fn value(&self, name: &str) -> Result<Option<&str>, CallError> {
        let mut values = self.parameters.iter().filter(|(known, _)| *known == name);
        let first = values.next().map(|(_, value)| value.trim());
        if values.any(|(_, value)| Some(value.trim()) != first) {
            let text =
                format!("the parameter `{name}` stands twice, with different values: give it once");
            return Err(CallError::new(CallErrorKind::DuplicateParameter, text).about(name));
        }
        Ok(first)
    }

    fn name(&self, name: &str) -> Result<String, CallError> {
        let value = self.value(name)?.filter(|value| !value.is_empty());
        value.map(str::to_owned).ok_or_else(|| missing(name))
    }

    fn build(mut self) -> Result<Call, CallError> {
        let server = self.name("server_name")?;
        let kind = match self.door {
            Door::ReadResource => CallKind::ReadResource {
                server,
                uri: self.name("uri")?,
            },
            Door::UseTool => {
                let tool = self.name("tool_name")?;
                let text = self.value("arguments")?.unwrap_or_default().to_owned();
                let arguments = self.arguments(&text)?;
                CallKind::UseTool {
                    server,
                    tool,
                    arguments,
                }
            }
        };
        Ok(Call {
            kind,
            notes: self.notes,
        })
    }

    fn arguments(&mut self, text: &str) -> Result<Map<String, Value>, CallError> {
        arguments_of(text).or_else(|error| {
            let decoded = decode_entities(text);
            let arguments = match decoded == text {
                true => return Err(error),
                false => arguments_of(&decoded).map_err(|_| error)?,
            };
            self.notes.push(Note::DecodedEntities);
            Ok(arguments)
        })
    }
}

/// The five entities of XML, once.
fn decode_entities(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        let known = [
            ("lt;", '<'),
            ("gt;", '>'),
            ("quot;", '"'),
            ("apos;", '\''),
            ("amp;", '&'),
        ];
        let found = known
            .iter()
            .find_map(|(name, c)| Some((after.strip_prefix(name)?, *c)));
        let (behind, c) = found.unwrap_or((after, '&'));
        decoded.push(c);
        rest = behind;
    }
    decoded.push_str(rest);
    decoded
}
