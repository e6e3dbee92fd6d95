//! Runs the data files of this folder, one line a case, through the public API of the crates.
//!
//! `cargo test --workspace --test vectors -- --nocapture [AREA]` prints one line for each area (whose name contains
//! AREA), then what failed. With `MCP_BRIDGE_VECTORS` naming another folder it runs that one, without the list of
//! exceptions, and tells what fails without failing itself.

#![expect(
    clippy::print_stdout,
    reason = "this binary is its own test harness, and prints its table"
)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "tests, though without the harness by which clippy knows them: a panic fails its row only"
)]

mod areas;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[allow(
    unused_imports,
    reason = "what adapters may use; which of it they need changes with them"
)]
pub(crate) use mcp_bridge_tests::vectors::{
    Adapter, Outcome, Row, check, equal, matches_pattern, produced_text,
};
use mcp_bridge_tests::vectors::{Exceptions, Report, load, run};

/// Every area that the data of this folder has: a misspelt one is an error, not a silent hole.
const AREAS: &[&str] = &[
    "bugs/artifacts",
    "bugs/config",
    "bugs/content",
    "bugs/elicitation",
    "bugs/instructions",
    "bugs/lifecycle",
    "bugs/naming",
    "bugs/oauth",
    "bugs/pagination",
    "bugs/permissions",
    "bugs/progress",
    "bugs/prompts",
    "bugs/refresh",
    "bugs/roots",
    "bugs/schema",
    "bugs/skills",
    "child_env",
    "collisions",
    "config_merge",
    "config_secrets",
    "config_server",
    "config_signature_pairs",
    "content",
    "elicitation",
    "env_expand",
    "errors",
    "headers_merge",
    "helper_argv",
    "instructions",
    "mime_ext",
    "names",
    "oauth",
    "path_segment",
    "permissions",
    "progress",
    "progress_callback",
    "project_dir",
    "prompt_args",
    "prompt_render",
    "prompt_required",
    "redaction",
    "redaction_data",
    "resource_lines",
    "session_layout",
    "skills",
    "slash_lookup",
    "state_keys",
    "status_args",
    "status_values",
    "use-mcp-tool/always-allow",
    "use-mcp-tool/concurrency",
    "use-mcp-tool/config",
    "use-mcp-tool/json-invocation",
    "use-mcp-tool/mistakes",
    "use-mcp-tool/native-name",
    "use-mcp-tool/resolve",
    "use-mcp-tool/resource",
    "use-mcp-tool/result",
    "use-mcp-tool/timeout",
    "use-mcp-tool/watch-reload",
    "use-mcp-tool/xml-invocation",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        println!("0 tests, 0 benchmarks");
        return ExitCode::SUCCESS;
    }
    let filter = arguments
        .iter()
        .find(|argument| !argument.starts_with('-'))
        .map_or("", String::as_str);
    let other = std::env::var_os("MCP_BRIDGE_VECTORS").filter(|folder| !folder.is_empty());
    let other = other.map(PathBuf::from);
    match execute(filter, other.as_deref()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            println!(
                "error: {problem}\n\ntest result: FAILED. 0 passed; 1 failed; the run did not complete"
            );
            // The thread of a row that never ends would keep the process.
            std::process::exit(1)
        }
    }
}

fn execute(filter: &str, other: Option<&Path>) -> Result<bool, String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let folder = other.unwrap_or(&own);
    let mut data = load(folder)?;
    let adapters = adapters()?;
    let mut exceptions = Exceptions::default();
    if other.is_none() {
        let path = own.join("exceptions.toml");
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        exceptions = Exceptions::read(&text)?;
        let present: BTreeSet<&str> = data.rows.iter().map(|row| row.area.as_str()).collect();
        let known: BTreeSet<&str> = AREAS.iter().copied().collect();
        data.problems.extend(
            present
                .difference(&known)
                .map(|area| format!("unknown area `{area}`")),
        );
        data.problems.extend(
            known
                .difference(&present)
                .map(|area| format!("area `{area}` has no rows")),
        );
    }
    data.rows.retain(|row| row.area.contains(filter));
    std::panic::set_hook(Box::new(|_| {})); // a panic is told as the failure of its row
    let mut report = run(&data.rows, &adapters, &exceptions)?;
    if !filter.is_empty() {
        report
            .stale
            .retain(|stale| !stale.ends_with("is not in the data"));
    }
    print(&report, &data.problems, other.is_some());
    let broken =
        !report.failures.is_empty() || !report.stale.is_empty() || !data.problems.is_empty();
    Ok(other.is_some() || !broken)
}

fn adapters() -> Result<HashMap<&'static str, Adapter>, String> {
    let mut adapters = HashMap::new();
    for (area, adapter) in areas::all() {
        if !AREAS.contains(&area) {
            return Err(format!("an adapter for the unknown area `{area}`"));
        }
        if adapters.insert(area, adapter).is_some() {
            return Err(format!("two adapters for the area `{area}`"));
        }
    }
    Ok(adapters)
}

fn print(report: &Report, problems: &[String], lenient: bool) {
    for (area, count) in &report.areas {
        println!(
            "area={area} passed={} failed={} excepted={} unwired={}",
            count.passed, count.failed, count.excepted, count.unwired
        );
    }
    for failure in &report.failures {
        println!("FAILED {failure}");
    }
    for problem in problems {
        println!("DATA {problem}");
    }
    for stale in &report.stale {
        println!("STALE exception: {stale}");
    }
    let unwired = report.areas.iter().filter(|(_, count)| count.unwired > 0);
    let unwired: Vec<String> = unwired
        .map(|(area, count)| format!("{area} ({})", count.unwired))
        .collect();
    if !unwired.is_empty() {
        println!("not wired yet: {}", unwired.join(", "));
    }
    let total = report.total();
    let failed = total.failed + report.stale.len() + problems.len();
    let word = match failed {
        0 => "ok",
        _ if lenient => "told only",
        _ => "FAILED",
    };
    println!(
        "\ntest result: {word}. {} passed; {failed} failed; {} excepted; {} unwired",
        total.passed, total.excepted, total.unwired
    );
}
