//! Progress of a call: one event, four surfaces.

use mcp_bridge_public_text as public_text;
use serde_json::{Map, Number, Value, json};

/// The longest message and title that is shown, in characters.
const MAX_TEXT_CHARS: usize = 4_000;

/// One report of progress from a running tool call.
///
/// Names and the message are as the server wrote them; every renderer below cleans them (terminal controls out,
/// secrets masked, at most 4,000 characters each), so none of its results can move a cursor.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ProgressEvent {
    /// The host's key for the server.
    pub server_id: String,
    /// The tool's name as the server wrote it.
    pub tool: String,
    /// The name the model called; may be empty.
    pub public_name: String,
    /// The model API's id of the tool call, where the caller gave one.
    pub tool_use_id: Option<String>,
    /// How much is done, in the server's own unit.
    pub progress: Option<f64>,
    /// How much there is in all, in the same unit.
    pub total: Option<f64>,
    /// What the server says of it.
    pub message: Option<String>,
}

impl ProgressEvent {
    /// An event of `tool` on `server_id`, with no numbers yet.
    pub fn new(server_id: impl Into<String>, tool: impl Into<String>) -> Self {
        Self {
            server_id: server_id.into(),
            tool: tool.into(),
            ..Self::default()
        }
    }

    /// Sets how much is done and how much there is.
    #[must_use]
    pub fn with_progress(mut self, progress: Option<f64>, total: Option<f64>) -> Self {
        self.progress = progress;
        self.total = total;
        self
    }

    /// Sets the [`message`](Self::message).
    #[must_use]
    pub fn with_message(mut self, message: Option<String>) -> Self {
        self.message = message;
        self
    }

    /// Sets the [`public_name`](Self::public_name).
    #[must_use]
    pub fn with_public_name(mut self, name: impl Into<String>) -> Self {
        self.public_name = name.into();
        self
    }

    /// Sets the [`tool_use_id`](Self::tool_use_id).
    #[must_use]
    pub fn with_tool_use_id(mut self, id: Option<String>) -> Self {
        self.tool_use_id = id;
        self
    }

    /// The name the model called, or one joined from server and tool where the event has none.
    pub fn public_name(&self) -> String {
        if self.public_name.is_empty() {
            clean(&format!("mcp__{}__{}", self.server_id, self.tool))
        } else {
            clean(&self.public_name)
        }
    }

    /// `MCP <server>:<tool>`.
    pub fn title(&self) -> String {
        clean(&format!("MCP {}:{}", self.server_id, self.tool))
    }

    /// Title, numbers and message: `MCP s:t: 1/5: halfway`. May have several lines.
    pub fn text(&self) -> String {
        let mut text = self.title();
        match (self.progress, self.total) {
            (Some(done), Some(total)) => {
                text.push_str(&format!(": {}/{}", short(done), short(total)));
            }
            (Some(done), None) => text.push_str(&format!(": {}", short(done))),
            (None, _) => {}
        }
        if let Some(message) = self.shown_message() {
            text.push_str(": ");
            text.push_str(&message);
        }
        text
    }

    /// The share that is done, 0 to 1, where both numbers say so.
    pub fn fraction(&self) -> Option<f64> {
        let (done, total) = (self.progress?, self.total?);
        (total > 0.0 && done.is_finite() && total.is_finite())
            .then(|| (done / total).clamp(0.0, 1.0))
    }

    /// One line for a person at a terminal: the share in percent, then the message.
    pub fn interactive(&self) -> String {
        let title = self.title();
        let percent = self
            .fraction()
            .map(|share| format!("{:.0}% ", (share * 100.0).floor()))
            .unwrap_or_default();
        let message = self.shown_message().unwrap_or_default();
        let line = format!("{title} {percent}{message}");
        public_text::one_line(line.trim_end()).into_owned()
    }

    /// One line for a log: [`text`](Self::text) with its line breaks folded.
    pub fn headless(&self) -> String {
        public_text::one_line(&self.text()).into_owned()
    }

    /// A `session/update` body of the [Agent Client Protocol](https://agentclientprotocol.com/protocol/tool-calls):
    /// `{"sessionUpdate": "tool_call_update", "toolCallId": …, "status": "in_progress", "content": […]}`.
    ///
    /// `tool_call_id` is the id under which the host announced the call; the event's own is used where it has one.
    pub fn acp(&self, tool_call_id: &str) -> Value {
        let id = self.tool_use_id.as_deref().unwrap_or(tool_call_id);
        json!({
            "sessionUpdate": "tool_call_update",
            "toolCallId": id,
            "status": "in_progress",
            "title": self.title(),
            "content": [{"type": "content", "content": {"type": "text", "text": self.text()}}],
        })
    }

    /// Metadata for an A2A task status: `status`, `toolUseId`, `publicName`, `originalServerName`,
    /// `originalToolName`, and `progress`, `total`, `message` where the event has them.
    pub fn a2a(&self) -> Value {
        let mut map = Map::new();
        map.insert("status".into(), "progress".into());
        map.insert(
            "toolUseId".into(),
            self.tool_use_id.clone().unwrap_or_default().into(),
        );
        map.insert("publicName".into(), self.public_name().into());
        map.insert("originalServerName".into(), clean(&self.server_id).into());
        map.insert("originalToolName".into(), clean(&self.tool).into());
        for (key, number) in [("progress", self.progress), ("total", self.total)] {
            if let Some(number) = number.and_then(exact) {
                map.insert(key.into(), number);
            }
        }
        if let Some(message) = self.shown_message() {
            map.insert("message".into(), message.into());
        }
        Value::Object(map)
    }

    fn shown_message(&self) -> Option<String> {
        self.message
            .as_deref()
            .map(clean)
            .filter(|message| !message.is_empty())
    }
}

fn clean(text: &str) -> String {
    public_text::cut(&public_text::public(text), MAX_TEXT_CHARS).to_owned()
}

/// A whole number without a decimal point, anything else as it is; not finite is nothing.
fn exact(number: f64) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53: beyond it a float no longer holds every integer
    if number.fract() == 0.0
        && number.abs() < EXACT
        && !(number == 0.0 && number.is_sign_negative())
    {
        format!("{number:.0}").parse::<i64>().ok().map(Value::from)
    } else {
        Number::from_f64(number).map(Value::Number)
    }
}

/// Six significant digits, as C's `%g` prints a number.
fn short(number: f64) -> String {
    const DIGITS: i32 = 6;
    if !number.is_finite() {
        return number.to_string();
    }
    if number == 0.0 {
        return if number.is_sign_negative() { "-0" } else { "0" }.into();
    }
    let scientific = format!("{:.*e}", 5, number);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..DIGITS).contains(&exponent) {
        let decimals = usize::try_from(DIGITS - 1 - exponent).unwrap_or(0);
        without_trailing_zeros(&format!("{number:.decimals$}")).into()
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!(
            "{}e{sign}{:02}",
            without_trailing_zeros(mantissa),
            exponent.abs()
        )
    }
}

fn without_trailing_zeros(digits: &str) -> &str {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_six_digits() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (100.0, "100"),
            (123_456.7, "123457"),
            (999_999.5, "1e+06"),
            (0.123_456_789, "0.123457"),
            (1e16, "1e+16"),
            (0.000_01, "1e-05"),
            (2.5, "2.5"),
            (-1.0, "-1"),
        ];
        for (given, want) in cases {
            assert_eq!(short(given), want, "given {given}");
        }
    }

    #[test]
    fn every_surface_shows_the_same_event_without_controls() {
        let event = ProgressEvent::new("build\u{1b}[2J", "run")
            .with_progress(Some(1.0), Some(4.0))
            .with_message(Some("step\u{7} one\nof four".into()));
        assert_eq!(event.text(), "MCP build:run: 1/4: step one\nof four");
        assert_eq!(event.headless(), "MCP build:run: 1/4: step one of four");
        assert_eq!(event.interactive(), "MCP build:run 25% step one of four");
        assert_eq!(
            event.acp("call-7"),
            json!({
                "sessionUpdate": "tool_call_update", "toolCallId": "call-7", "status": "in_progress",
                "title": "MCP build:run",
                "content": [{"type": "content", "content":
                    {"type": "text", "text": "MCP build:run: 1/4: step one\nof four"}}],
            })
        );
        assert_eq!(
            event.a2a(),
            json!({
                "status": "progress", "toolUseId": "", "publicName": "mcp__build__run",
                "originalServerName": "build", "originalToolName": "run",
                "progress": 1, "total": 4, "message": "step one\nof four",
            })
        );
    }

    #[test]
    fn a_share_is_known_only_where_both_numbers_make_sense() {
        let of = |progress, total| {
            ProgressEvent::new("s", "t")
                .with_progress(progress, total)
                .fraction()
        };
        assert_eq!(of(Some(1.0), Some(2.0)), Some(0.5));
        assert_eq!(of(Some(9.0), Some(2.0)), Some(1.0));
        assert_eq!(of(Some(1.0), Some(0.0)), None);
        assert_eq!(of(Some(1.0), Some(-3.0)), None);
        assert_eq!(of(Some(f64::NAN), Some(1.0)), None);
        assert_eq!(of(None, Some(1.0)), None);
    }
}
