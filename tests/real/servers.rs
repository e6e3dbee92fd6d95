use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use mcp_bridge::permissions::{Mode, Rules};
use mcp_bridge::{
    Bridge, CommandOutcome, Counts, Event, Host, Outcome, ServerConfig, ServerState, SessionDir,
};
use serde_json::{Value, json};

/// The folder that `.ci/install-real-servers` filled; relative to the workspace.
fn installed() -> Option<PathBuf> {
    let Some(folder) =
        std::env::var_os("MCP_BRIDGE_REAL_SERVERS").filter(|folder| !folder.is_empty())
    else {
        println!("not run: MCP_BRIDGE_REAL_SERVERS names no folder with servers");
        return None;
    };
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = workspace.join(folder);
    let folder = folder
        .canonicalize()
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    assert!(
        folder.join("installed").is_file(),
        "{} is not complete",
        folder.display()
    );
    Some(folder)
}

fn node(set: &Path, package: &str) -> ServerConfig {
    let script = set.join("node_modules").join(package).join("dist/index.js");
    assert!(script.is_file(), "{}", script.display());
    ServerConfig::stdio("node").arg(script.to_string_lossy())
}

/// Files and a repository for the servers to look at.
fn prepare(work: &Path) {
    std::fs::write(work.join("a.txt"), "hello\nwörld\n").unwrap();
    let long: String = (0..12_000)
        .map(|number| format!("line {number:06} of a long file\n"))
        .collect();
    std::fs::write(work.join("big.txt"), long).unwrap();
    let git = |arguments: &[&str]| {
        let status = Command::new("git")
            .args(["-c", "user.email=a@example.com", "-c", "user.name=A"])
            .args(arguments)
            .current_dir(work)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "git {arguments:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "a.txt"]);
    git(&["commit", "-q", "-m", "first: add a.txt"]);
}

/// The processes whose environment holds `mark`: what is left of the servers that were started with it.
fn alive(mark: &str) -> usize {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return 0;
    };
    processes
        .filter_map(|process| std::fs::read(process.ok()?.path().join("environ")).ok())
        .filter(|environ| {
            environ
                .windows(mark.len())
                .any(|window| window == mark.as_bytes())
        })
        .count()
}

/// Remembers the progress that calls report.
#[derive(Clone, Default)]
struct Watcher(Arc<Mutex<Vec<f64>>>);

#[async_trait]
impl Host for Watcher {
    fn event(&self, event: &Event) {
        if let Event::Progress(progress) = event {
            let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            seen.extend(progress.progress);
        }
    }
}

/// Calls a tool by the names that its server uses.
async fn call(bridge: &Bridge, server: &str, tool: &str, given: Value) -> Outcome {
    let catalog = bridge.catalog();
    let found = catalog
        .tools()
        .iter()
        .find(|entry| entry.server_id() == Some(server) && entry.remote_name() == tool);
    let name = found
        .unwrap_or_else(|| panic!("{server} has no tool {tool}"))
        .name();
    let outcome = bridge.call(name, given).await;
    outcome.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What a server offers: tools, prompts, resources, templates.
fn counts(bridge: &Bridge, server: &str) -> [usize; 4] {
    let catalog = bridge.catalog();
    let status = catalog
        .server(server)
        .unwrap_or_else(|| panic!("no {server}"));
    assert_eq!(status.state, ServerState::Connected, "{server}");
    let Counts {
        tools,
        prompts,
        resources,
        resource_templates,
        ..
    } = status.counts;
    let counts = [tools, prompts, resources, resource_templates];
    println!("{server}: {counts:?} tools, prompts, resources, templates");
    counts
}

#[tokio::test(flavor = "multi_thread")]
async fn every_server_over_stdio_is_listed_called_and_ended() {
    let Some(set) = installed() else { return };
    let work = tempfile::tempdir().unwrap();
    prepare(work.path());
    let here = work
        .path()
        .canonicalize()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let mark = format!("real-servers-{}", std::process::id());
    let python =
        |program: &str| ServerConfig::stdio(set.join("python/bin").join(program).to_string_lossy());
    let everything = node(&set, "@modelcontextprotocol/server-everything").arg("stdio");
    let servers = [
        ("everything", everything, [13, 4, 7, 2]),
        (
            "filesystem",
            node(&set, "@modelcontextprotocol/server-filesystem").arg(&here),
            [14, 0, 0, 0],
        ),
        (
            "terraform-registry",
            node(&set, "terraform-mcp-server"),
            [10, 5, 0, 0],
        ),
        ("primeng", node(&set, "@primeng/mcp"), [8, 5, 231, 4]),
        (
            "git",
            python("mcp-server-git").args(["--repository", &here]),
            [12, 0, 0, 0],
        ),
        (
            "time",
            python("mcp-server-time").args(["--local-timezone", "UTC"]),
            [2, 0, 0, 0],
        ),
    ];
    let calls = [
        // server, tool, arguments, a part of the text, whether the tool failed
        (
            "everything",
            "echo",
            json!({"message": "hello — 你好"}),
            "Echo: hello — 你好",
            false,
        ),
        (
            "everything",
            "get-sum",
            json!({"a": 1, "b": 2.5}),
            "3.5",
            false,
        ),
        (
            "filesystem",
            "read_text_file",
            json!({"path": format!("{here}/a.txt")}),
            "wörld",
            false,
        ),
        (
            "filesystem",
            "read_text_file",
            json!({"path": format!("{here}/big.txt")}),
            "line 011999",
            false,
        ),
        (
            "filesystem",
            "read_text_file",
            json!({"path": "/etc/hostname"}),
            "outside allowed",
            true,
        ),
        (
            "git",
            "git_log",
            json!({"repo_path": here}),
            "first: add a.txt",
            false,
        ),
        (
            "git",
            "git_status",
            json!({"repo_path": "/tmp"}),
            "outside the allowed repository",
            true,
        ),
        (
            "time",
            "get_current_time",
            json!({"timezone": "Asia/Tokyo"}),
            "Asia/Tokyo",
            false,
        ),
        (
            "primeng",
            "get_component",
            json!({"component": "button"}),
            "button",
            false,
        ),
    ];
    let session = SessionDir::open(work.path(), work.path(), "real").unwrap();
    let mut builder = Bridge::builder()
        .permissions(Rules::new(), Mode::BypassPermissions)
        .session(session);
    for (server, config, _) in &servers {
        builder = builder.server(*server, config.clone().env("MCP_BRIDGE_TEST_MARK", &mark));
    }
    let bridge = builder.start().await;
    for (server, _, want) in &servers {
        assert_eq!(counts(&bridge, server), *want, "{server}");
    }
    for tool in bridge.catalog().tools() {
        let name = tool.name();
        assert!(
            name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'),
            "{name}"
        );
        assert_eq!(tool.input_schema()["type"], "object", "{name}");
    }
    for (server, tool, given, part, failed) in calls {
        let outcome = call(&bridge, server, tool, given).await;
        // A long text is kept whole in its file.
        let kept = outcome
            .artifacts()
            .iter()
            .filter_map(|artifact| artifact.path.as_deref());
        let kept: String = kept
            .map(|path| std::fs::read_to_string(path).unwrap_or_default())
            .collect();
        let text = format!("{}{kept}", outcome.text());
        assert!(
            text.to_lowercase().contains(&part.to_lowercase()),
            "{server} {tool}: {text:.500}"
        );
        assert_eq!(outcome.is_error(), failed, "{server} {tool}: {text:.500}");
    }
    let prompt = bridge.run_command(
        "/mcp__terraform_registry__generate_resource_skeleton resourceType=aws_instance",
    );
    let CommandOutcome::Prompt(prompt) = prompt.await.unwrap() else {
        panic!("no prompt")
    };
    assert!(prompt.messages()[0].text.contains("aws_instance"));
    let resource = json!({"server": "primeng", "uri": "primeui://primeng/index.json"});
    let read = bridge.call("read_mcp_resource", resource).await.unwrap();
    assert!(
        !read.is_error() && read.text().contains("primeng"),
        "{:.300}",
        read.text()
    );

    assert!(alive(&mark) >= servers.len(), "the servers carry no mark");
    bridge.shutdown().await;
    assert_eq!(alive(&mark), 0, "servers left processes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_http_answers_and_reports_progress() {
    let Some(set) = installed() else { return };
    let port = std::net::TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let script = set.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let mut server = Command::new("node")
        .arg(script)
        .arg("streamableHttp")
        .env("PORT", port.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut tries = 0;
    while tokio::net::TcpStream::connect(("127.0.0.1", port))
        .await
        .is_err()
    {
        tries += 1;
        assert!(tries < 300, "the server did not open its port");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let watcher = Watcher::default();
    let url = format!("http://127.0.0.1:{port}/mcp");
    let bridge = Bridge::builder()
        .permissions(Rules::new(), Mode::BypassPermissions)
        .host(watcher.clone())
        .server("everything", ServerConfig::http(url))
        .start()
        .await;
    assert_eq!(counts(&bridge, "everything"), [13, 4, 7, 2]);
    let given = json!({"duration": 1, "steps": 4});
    let long = call(
        &bridge,
        "everything",
        "trigger-long-running-operation",
        given,
    )
    .await;
    assert!(long.text().contains("completed"), "{}", long.text());
    let reports = watcher
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    assert_eq!(reports, [1.0, 2.0, 3.0, 4.0]);
    bridge.shutdown().await;
    server.kill().unwrap();
    server.wait().unwrap();
}
