//! The program behind `cargo run --example host`: connects to MCP servers and does what an agent would do with them.

mod args;
mod dialogue;
mod exit;
mod listing;
mod run;
mod screen;
mod terminal;
mod tour;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;

use crate::demo;
use exit::Exit;
use screen::Screen;

/// Reads the command line, and does what it says.
pub async fn main() -> ExitCode {
    let args = args::Args::parse();
    let screen = Arc::new(Screen::new());
    if args.inner.is_some() {
        return match demo::serve_stdio().await {
            Ok(()) => Exit::Done,
            Err(error) => {
                screen.note(&format!("demo server: {error}"));
                Exit::Connection
            }
        }
        .into();
    }
    match run::run(&args, &screen).await {
        Ok(exit) => exit.into(),
        Err(failure) => {
            screen.notes(&format!("error: {}", failure.message));
            failure.exit.into()
        }
    }
}
