//! Naming tools: a whole table, and one look-up.

use std::collections::HashMap;

use divan::{Bencher, black_box};
use mcp_bridge_tool_names::{NameProfile, NameTable};

const SIZES: [usize; 3] = [100, 10_000, 100_000];

/// `count` pairs over servers of 200 tools each, about three in a hundred of which clash.
fn pairs(count: usize) -> Vec<(String, String)> {
    (0..count)
        .map(|n| {
            let server = format!("server-{}", n / 200);
            let tool = match n % 66 {
                0 => format!("read file {}", n / 66),
                1 => format!("read.file.{}", n / 66),
                _ => format!("do_something_{n}"),
            };
            (server, tool)
        })
        .collect()
}

fn main() {
    divan::main();
}

#[divan::bench(args = SIZES)]
fn floor_copy_and_insert(bencher: Bencher<'_, '_>, count: usize) {
    let names: Vec<String> = table(count).iter().map(|e| e.name().to_string()).collect();
    bencher.bench(|| {
        let map: HashMap<String, usize> = black_box(&names)
            .iter()
            .enumerate()
            .map(|(index, name)| (name.clone(), index))
            .collect();
        map
    });
}

#[divan::bench(args = SIZES)]
fn build(bencher: Bencher<'_, '_>, count: usize) {
    let pairs = pairs(count);
    bencher.bench(|| of(black_box(&pairs)));
}

#[divan::bench(args = SIZES)]
fn floor_hash_map_lookup(bencher: Bencher<'_, '_>, count: usize) {
    let names: HashMap<String, usize> = table(count)
        .iter()
        .enumerate()
        .map(|(index, entry)| (entry.name().to_string(), index))
        .collect();
    let wanted = format!(
        "mcp__server_0__do_something_{}",
        count / 2 - count / 2 % 66 + 5
    );
    bencher.bench(|| names.get(black_box(&wanted)));
}

#[divan::bench(args = SIZES)]
fn lookup(bencher: Bencher<'_, '_>, count: usize) {
    let table = table(count);
    let wanted = format!(
        "mcp__server_0__do_something_{}",
        count / 2 - count / 2 % 66 + 5
    );
    bencher.bench(|| table.get(black_box(&wanted)).is_some());
}

fn table(count: usize) -> NameTable {
    of(&pairs(count))
}

fn of(pairs: &[(String, String)]) -> NameTable {
    NameTable::build(
        &NameProfile::default(),
        pairs.iter().map(|(server, tool)| (&**server, &**tool)),
    )
}
