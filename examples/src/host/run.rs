//! From the command line to a bridge, and the one thing it does.

use std::path::PathBuf;
use std::sync::Arc;

use mcp_bridge::permissions::{List, Mode, Rules, Source, split_rules};
use mcp_bridge::server_config::{self, Origin, ServerConfig};
use mcp_bridge::{
    Bridge, BridgeBuilder, CommandOutcome, Error, ErrorKind, Outcome, OutcomeKind, ServerState,
    SessionDir,
};
use serde_json::{Map, Value, json};

use crate::host::args::{Action, Args};
use crate::host::exit::{Exit, Failure};
use crate::host::listing;
use crate::host::screen::Screen;
use crate::host::terminal::{Answers, Terminal};
use crate::host::tour::Tour;

/// The key of the built-in server.
const DEMO: &str = "demo";

pub(crate) async fn run(args: &Args, screen: &Arc<Screen>) -> Result<Exit, Failure> {
    let action = args.action()?;
    let is_tour = action == Action::Tour && !args.names_servers();
    let session = Session::open(args)?;
    let host = Terminal {
        screen: Arc::clone(screen),
        answers: if is_tour {
            Answers::Tour
        } else {
            Answers::Person
        },
    };
    let builder = Bridge::builder().host(host).session(session.dir.clone());
    let builder = permissions(builder, args)?;
    let builder = servers(builder, args)?;
    if is_tour {
        screen.line("A tour of mcp-bridge: the demo server is started as a child process.");
    }
    let interrupted = || Failure::new(Exit::Interrupted, "interrupted");
    let bridge = tokio::select! {
        bridge = builder.start() => bridge,
        _ = tokio::signal::ctrl_c() => return Err(interrupted()),
    };
    let done = tokio::select! {
        done = act(&bridge, screen, args, action, is_tour) => done,
        _ = tokio::signal::ctrl_c() => Err(interrupted()),
    };
    screen.end_progress();
    bridge.shutdown().await;
    session.close(&bridge, screen);
    done
}

async fn act(
    bridge: &Bridge,
    screen: &Screen,
    args: &Args,
    action: Action,
    is_tour: bool,
) -> Result<Exit, Failure> {
    let catalog = bridge.catalog();
    let connected = |state: &ServerState| *state == ServerState::Connected;
    if !catalog
        .servers()
        .iter()
        .any(|server| connected(&server.state))
    {
        return Err(Failure::new(Exit::NoServer, "no server could be connected"));
    }
    match action {
        Action::Tour if is_tour => Tour { bridge, screen }.demo().await,
        Action::Tour => Tour { bridge, screen }.look_around().await,
        Action::List if args.json => screen.json(&listing::to_json(bridge)),
        Action::List => listing::print(bridge, screen),
        Action::Call(tool, arguments) => {
            let outcome = bridge.call(&tool, Value::Object(arguments)).await;
            screen.end_progress();
            return Ok(told(bridge, screen, args.json, &outcome.map_err(failed)?));
        }
        Action::Read(server_id, uri) => {
            let outcome = bridge
                .read_resource(&server_id, &uri)
                .await
                .map_err(failed)?;
            return Ok(told(bridge, screen, args.json, &outcome));
        }
        Action::Prompt(line) => {
            let outcome = bridge.run_command(&line).await.map_err(failed)?;
            if let CommandOutcome::Prompt(prompt) = &outcome {
                for warning in prompt.warnings() {
                    screen.note(&format!("warning: {warning}"));
                }
            }
            match args.json {
                true => screen.json(&command_json(bridge, &outcome)),
                false => screen.text(&outcome.text()),
            }
        }
    }
    Ok(Exit::Done)
}

fn permissions(builder: BridgeBuilder, args: &Args) -> Result<BridgeBuilder, Failure> {
    let mode = match &args.permission_mode {
        Some(word) => word
            .parse::<Mode>()
            .map_err(|error| Failure::new(Exit::Usage, format!("--permission-mode: {error}")))?,
        None => Mode::Default,
    };
    let mut rules = Rules::new();
    for (list, given) in [
        (List::Allow, &args.allowed_tools),
        (List::Deny, &args.disallowed_tools),
    ] {
        for rule in given.iter().flat_map(|text| split_rules(text)) {
            rules = rules.with(list, Source::CliArg, rule);
        }
    }
    Ok(builder.permissions(rules, mode))
}

fn servers(mut builder: BridgeBuilder, args: &Args) -> Result<BridgeBuilder, Failure> {
    let timed = |mut config: ServerConfig| {
        if let Some(timeout) = args.timeout() {
            config = config.with_timeout(timeout).with_startup_timeout(timeout);
        }
        config
    };
    if let Some(path) = &args.config {
        let mut loaded = server_config::load_file(path, Origin::Project)
            .map_err(|error| Failure::new(Exit::Usage, format!("--config: {error}")))?;
        for entry in &mut loaded.servers {
            entry.config = timed(entry.config.clone());
        }
        builder = builder.configured_servers(loaded);
    }
    if let (Some(name), Some((command, rest))) = (&args.server, args.command.split_first()) {
        builder = builder.server(name, timed(ServerConfig::stdio(command).args(rest)));
    }
    if let Some(url) = &args.url {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let text = format!("--url: {url:?} does not start with http:// or https://");
            return Err(Failure::new(Exit::Usage, text));
        }
        builder = builder.server(&args.name, timed(ServerConfig::http(url)));
    }
    if !args.names_servers() {
        let this_program = std::env::current_exe().map_err(|error| {
            Failure::new(
                Exit::NoServer,
                format!("the demo server cannot be started: {error}"),
            )
        })?;
        let demo = ServerConfig::stdio(this_program.to_string_lossy()).args(["demo-server"]);
        builder = builder.server(DEMO, timed(demo));
    }
    Ok(builder)
}

/// Where artifacts go.
struct Session {
    dir: SessionDir,
    /// Without a folder of the user's own: kept only if something is in it.
    temporary: Option<tempfile::TempDir>,
}

impl Session {
    fn open(args: &Args) -> Result<Self, Failure> {
        let wrong = |error: &dyn std::fmt::Display| {
            Failure::new(Exit::Usage, format!("no folder for artifacts: {error}"))
        };
        let temporary = match &args.session_dir {
            Some(_) => None,
            None => {
                let named = tempfile::Builder::new().prefix("mcp-bridge-").tempdir();
                Some(named.map_err(|error| wrong(&error))?)
            }
        };
        let root: PathBuf = match (&args.session_dir, &temporary) {
            (Some(path), _) => std::path::absolute(path).map_err(|error| wrong(&error))?,
            (None, Some(temporary)) => temporary.path().to_owned(),
            (None, None) => std::env::temp_dir(),
        };
        let project = std::env::current_dir().map_err(|error| wrong(&error))?;
        let id = format!("host-{}", std::process::id());
        let dir = SessionDir::open(&root, &project, &id).map_err(|error| wrong(&error))?;
        Ok(Self { dir, temporary })
    }

    fn close(self, bridge: &Bridge, screen: &Screen) {
        let has_some = bridge
            .artifacts()
            .list()
            .is_ok_and(|artifacts| !artifacts.is_empty());
        if let Some(temporary) = self.temporary.filter(|_| has_some) {
            let path = temporary.keep();
            screen.note(&format!("Artifacts were kept in {}", path.display()));
        }
    }
}

/// Prints what the model reads; the kind of outcome is the exit code.
fn told(bridge: &Bridge, screen: &Screen, as_json: bool, outcome: &Outcome) -> Exit {
    if as_json {
        screen.json(&outcome_json(bridge, outcome));
    } else {
        screen.text(outcome.text());
    }
    match outcome.kind() {
        OutcomeKind::Completed => Exit::Done,
        OutcomeKind::Refused => Exit::Refused,
        OutcomeKind::InvalidArguments => Exit::Arguments,
        _ => Exit::ToolError,
    }
}

fn failed(error: Error) -> Failure {
    let exit = match error.kind() {
        ErrorKind::Unknown | ErrorKind::Ambiguous | ErrorKind::InvalidArguments => Exit::Arguments,
        ErrorKind::SwitchedOff => Exit::Refused,
        _ => Exit::Connection,
    };
    Failure::new(exit, error.to_string())
}

fn outcome_json(bridge: &Bridge, outcome: &Outcome) -> Value {
    let kind = match outcome.kind() {
        OutcomeKind::Completed => "completed",
        OutcomeKind::ToolError => "tool_error",
        OutcomeKind::InvalidArguments => "invalid_arguments",
        OutcomeKind::Refused => "refused",
        _ => "other",
    };
    json!({
        "kind": kind,
        "is_error": outcome.is_error(),
        "text": outcome.text(),
        "structured_content": outcome.structured_content(),
        "artifacts": artifacts_json(outcome.artifacts()),
        "notes": notes_json(outcome.notes()),
        "meta": outcome.meta(),
        "warnings": listing::warnings_json(bridge),
    })
}

fn command_json(bridge: &Bridge, outcome: &CommandOutcome) -> Value {
    let mut json = Map::new();
    json.insert("text".into(), outcome.text().into());
    if let CommandOutcome::Prompt(prompt) = outcome {
        let messages = prompt.messages().iter();
        let messages: Vec<_> = messages
            .map(|m| json!({"role": m.role, "text": m.text}))
            .collect();
        json.insert("messages".into(), messages.into());
        json.insert("artifacts".into(), artifacts_json(prompt.artifacts()));
        json.insert("notes".into(), notes_json(prompt.notes()));
    }
    json.insert("warnings".into(), listing::warnings_json(bridge).into());
    Value::Object(json)
}

fn artifacts_json(artifacts: &[mcp_bridge::tool_results::Artifact]) -> Value {
    let shown = artifacts.iter().map(|artifact| {
        json!({
            "id": artifact.id,
            "path": artifact.path,
            "mime_type": artifact.mime_type,
            "size": artifact.size,
            "sha256": artifact.sha256,
        })
    });
    shown.collect()
}

fn notes_json(notes: &[mcp_bridge::tool_results::Note]) -> Value {
    let shown = notes
        .iter()
        .map(|note| json!({"code": note.code, "message": note.message}));
    shown.collect()
}
