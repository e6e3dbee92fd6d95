//! Reading prompt arguments, beside one scan and one copy of the same lines.

use divan::{Bencher, black_box, counter::BytesCount};

const KINDS: [&str; 4] = ["key=value", "quoted", "windows path", "json"];

fn lines(kind: &str) -> Vec<String> {
    (0..250)
        .map(|n| match kind {
            "key=value" => format!("region=eu-west-{n} limit={n} format=table verbose=true"),
            "quoted" => format!(r#"title="Q{n} review of 'all'" note='said "no" {n} times'"#),
            "windows path" => format!(r"file=C:\Users\ann\new\table{n}.txt out=D:\tmp\r{n}"),
            _ => format!(r#"{{"region": "eu", "limit": {n}, "deep": {{"a": [1, 2, {n}]}}}}"#),
        })
        .collect()
}

fn main() {
    divan::main();
}

#[divan::bench(args = KINDS)]
fn floor_scan(bencher: Bencher<'_, '_>, kind: &str) {
    let lines = lines(kind);
    bencher.counter(bytes(&lines)).bench(|| {
        black_box(&lines)
            .iter()
            .map(|line| memchr::memchr3_iter(b'"', b'\'', b'=', line.as_bytes()).count())
            .sum::<usize>()
    });
}

#[divan::bench(args = KINDS)]
fn floor_copy(bencher: Bencher<'_, '_>, kind: &str) {
    let lines = lines(kind);
    bencher
        .counter(bytes(&lines))
        .bench(|| black_box(&lines).clone());
}

#[divan::bench(args = KINDS)]
fn parse_borrowed(bencher: Bencher<'_, '_>, kind: &str) {
    let lines = lines(kind);
    bencher.counter(bytes(&lines)).bench(|| {
        black_box(&lines)
            .iter()
            .filter_map(|line| mcp_bridge_prompt_args::parse(line).ok())
            .map(|arguments| arguments.len())
            .sum::<usize>()
    });
}

#[divan::bench(args = KINDS)]
fn parse_to_map(bencher: Bencher<'_, '_>, kind: &str) {
    let lines = lines(kind);
    bencher.counter(bytes(&lines)).bench(|| {
        black_box(&lines)
            .iter()
            .filter_map(|line| mcp_bridge_prompt_args::parse(line).ok())
            .map(|arguments| arguments.to_map().len())
            .sum::<usize>()
    });
}

fn bytes(lines: &[String]) -> BytesCount {
    BytesCount::new(lines.iter().map(String::len).sum::<usize>())
}
