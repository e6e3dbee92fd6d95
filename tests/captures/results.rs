use std::io::Write;

use mcp_bridge_tool_results::{
    ArtifactHead, ArtifactWriter, Context, Options, Sink, SinkError, StoredArtifact, convert,
    convert_prompt_messages, convert_resource_contents,
};
use serde_json::Value;

use crate::data::{Exchange, captures};

/// Keeps every artifact in memory.
#[derive(Default)]
struct Memory(Vec<Vec<u8>>);

struct Writer<'a>(&'a mut Memory, Vec<u8>);

impl Sink for Memory {
    fn begin<'s>(
        &'s mut self,
        _: &ArtifactHead<'_>,
    ) -> Result<Box<dyn ArtifactWriter + 's>, SinkError> {
        Ok(Box::new(Writer(self, Vec::new())))
    }
}

impl Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.1.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl ArtifactWriter for Writer<'_> {
    fn finish(self: Box<Self>) -> Result<StoredArtifact, SinkError> {
        let (id, size) = (format!("s/t/{:02}", self.0.0.len()), self.1.len() as u64);
        self.0.0.push(self.1);
        Ok(StoredArtifact::new(id, size, "0".repeat(64)))
    }
}

/// What blocks of a recorded result hold: texts, and base64 payloads.
#[derive(Default)]
struct Held {
    texts: Vec<String>,
    payloads: Vec<String>,
}

impl Held {
    fn add(&mut self, block: &Value) {
        let member = |key: &str| {
            block[key]
                .as_str()
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
        };
        self.texts.extend(member("text"));
        self.payloads.extend(member("data"));
        self.payloads.extend(member("blob"));
        if block["resource"].is_object() {
            self.add(&block["resource"]);
        }
    }

    fn of(blocks: &Value) -> Self {
        let mut held = Self::default();
        blocks
            .as_array()
            .into_iter()
            .flatten()
            .for_each(|block| held.add(block));
        held
    }

    /// Every text is told or kept, every payload is kept and not told.
    fn assert_kept(&self, file: &str, told: &str, structured: Option<&Value>, artifacts: &Memory) {
        let kept: Vec<&[u8]> = artifacts.0.iter().map(Vec::as_slice).collect();
        for text in &self.texts {
            let said_as_json = structured.is_some()
                && serde_json::from_str::<Value>(text).ok().as_ref() == structured;
            let found =
                told.contains(text.trim()) || kept.contains(&text.as_bytes()) || said_as_json;
            assert!(
                found,
                "{file}: lost the text {text:.200?}\ntold {told:.2000}"
            );
        }
        for payload in &self.payloads {
            let shown: String = payload.chars().take(64).collect();
            // A server may repeat the payload inside its structured content, which is told as it is.
            let repeated =
                structured.is_some_and(|structured| structured.to_string().contains(&shown));
            assert!(
                shown.len() < 24 || repeated || !told.contains(&shown),
                "{file}: base64 in the text"
            );
            let bytes = base64_simd::STANDARD.decode_to_vec(payload).unwrap();
            let as_text =
                String::from_utf8(bytes.clone()).is_ok_and(|text| told.contains(text.trim()));
            assert!(
                kept.contains(&bytes.as_slice()) || as_text,
                "{file}: lost {} bytes",
                bytes.len()
            );
        }
    }
}

/// Every answered request of `method`, with its recording's server.
fn answered(method: &str) -> Vec<(String, Exchange, Value)> {
    let mut answered = Vec::new();
    for capture in captures() {
        for exchange in capture.exchanges(method) {
            if let Some(result) = exchange.result.clone() {
                answered.push((capture.server().to_owned(), exchange, result));
            }
        }
    }
    answered
}

#[test]
fn every_recorded_tool_result_is_told_without_loss() {
    let (mut texts, mut payloads, mut artifacts) = (0, 0, 0);
    let answered = answered("tools/call");
    for (server, exchange, result) in &answered {
        let tool = exchange.params["name"].as_str().unwrap();
        let held = Held::of(&result["content"]);
        for options in [Options::default(), Options::reference(), Options::compact()] {
            let mut sink = Memory::default();
            let told = convert(result, &Context::new(server, tool), &options, &mut sink);
            assert!(!told.text().is_empty(), "{}", exchange.file);
            assert_eq!(
                told.is_error(),
                result["isError"] == true,
                "{}",
                exchange.file
            );
            assert_eq!(
                told.structured_content(),
                result.get("structuredContent"),
                "{}",
                exchange.file
            );
            assert_eq!(told.artifacts().len(), sink.0.len(), "{}", exchange.file);
            let all = format!("{}\n{}", told.text(), told.user_text());
            held.assert_kept(&exchange.file, &all, result.get("structuredContent"), &sink);
            artifacts += sink.0.len();
        }
        texts += held.texts.len();
        payloads += held.payloads.len();
    }
    println!(
        "tools/call: {} results, {texts} texts, {payloads} payloads, {artifacts} artifacts",
        answered.len()
    );
    assert_eq!((answered.len(), texts, payloads), (217, 231, 10));
    assert!(artifacts > 20);
}

#[test]
fn every_recorded_resource_is_told_without_loss() {
    let answered = answered("resources/read");
    let mut contents = 0;
    for (server, exchange, result) in &answered {
        let held = Held::of(&result["contents"]);
        let mut sink = Memory::default();
        let context = Context::new(server, "read_resource");
        let told = convert_resource_contents(result, &context, &Options::default(), &mut sink);
        assert!(!told.text().is_empty(), "{}", exchange.file);
        held.assert_kept(&exchange.file, told.text(), None, &sink);
        contents += held.texts.len() + held.payloads.len();
    }
    println!(
        "resources/read: {} results, {contents} contents",
        answered.len()
    );
    assert_eq!((answered.len(), contents), (29, 27));
}

#[test]
fn every_recorded_prompt_is_told_without_loss() {
    let answered = answered("prompts/get");
    let mut messages = 0;
    for (server, exchange, result) in &answered {
        let mut held = Held::default();
        for message in result["messages"].as_array().unwrap() {
            held.add(&message["content"]);
            messages += 1;
        }
        let mut sink = Memory::default();
        let context = Context::new(server, exchange.params["name"].as_str().unwrap());
        let told = convert_prompt_messages(result, &context, &Options::default(), &mut sink);
        held.assert_kept(&exchange.file, &told.text(), None, &sink);
    }
    println!(
        "prompts/get: {} results, {messages} messages",
        answered.len()
    );
    assert_eq!((answered.len(), messages), (20, 17));
}
