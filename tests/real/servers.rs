use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_bridge_connections::{Connection, ListKind, Options, ToolCall};
use mcp_bridge_server_config::ServerConfig;
use serde_json::{Map, Value, json};

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

async fn open(server: &str, config: &ServerConfig) -> Connection {
    let opened = Connection::open(server, config, &Options::default(), Arc::new(())).await;
    opened.unwrap_or_else(|error| panic!("{error}"))
}

fn arguments(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

/// Calls a tool: the text of its blocks, and whether it failed.
async fn call(connection: &Connection, tool: &str, given: Value) -> (String, bool) {
    let result = connection
        .call_tool(ToolCall::new(tool, arguments(given)))
        .await;
    let result = result.unwrap_or_else(|error| panic!("{tool}: {error}"));
    let blocks = result["content"].as_array().unwrap();
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect();
    (texts.join("\n"), result["isError"] == true)
}

/// How many tools, prompts, resources and templates there are; a list that the server refuses counts as empty.
async fn counts(connection: &Connection) -> [usize; 4] {
    let mut counts = [0; 4];
    let kinds = [
        ListKind::Tools,
        ListKind::Prompts,
        ListKind::Resources,
        ListKind::ResourceTemplates,
    ];
    for (count, kind) in counts.iter_mut().zip(kinds) {
        *count = connection
            .list(kind)
            .await
            .map_or(0, |listing| listing.items.len());
    }
    println!(
        "{}: {counts:?} tools, prompts, resources, templates",
        connection.server_id()
    );
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
    for (server, config, want) in servers {
        let connection = open(server, &config.env("MCP_BRIDGE_TEST_MARK", &mark)).await;
        assert_eq!(counts(&connection).await, want, "{server}");
        for (_, tool, given, part, failed) in calls.iter().filter(|call| call.0 == server) {
            let (text, is_error) = call(&connection, tool, given.clone()).await;
            assert!(
                text.to_lowercase().contains(&part.to_lowercase()),
                "{server} {tool}: {text:.500}"
            );
            assert_eq!(is_error, *failed, "{server} {tool}: {text:.500}");
        }
        match server {
            "terraform-registry" => {
                let prompt = "generate-resource-skeleton";
                let given = arguments(json!({"resourceType": "aws_instance"}));
                let result = connection.get_prompt(prompt, given).await.unwrap();
                assert!(
                    result["messages"].to_string().contains("aws_instance"),
                    "{result}"
                );
            }
            "primeng" => {
                let result = connection
                    .read_resource("primeui://primeng/index.json")
                    .await
                    .unwrap();
                assert!(!result["contents"][0]["text"].as_str().unwrap().is_empty());
            }
            _ => {}
        }
        assert!(alive(&mark) > 0, "{server} carries no mark");
        connection.shutdown().await;
        assert_eq!(alive(&mark), 0, "{server} left processes");
    }
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
    let connection = open(
        "everything",
        &ServerConfig::http(format!("http://127.0.0.1:{port}/mcp")),
    )
    .await;
    assert_eq!(counts(&connection).await, [13, 4, 7, 2]);
    let reports: Arc<Mutex<Vec<f64>>> = Arc::default();
    let seen = Arc::clone(&reports);
    let sink = Arc::new(move |report: mcp_bridge_connections::Progress| {
        seen.lock().unwrap().push(report.progress)
    });
    let given = arguments(json!({"duration": 1, "steps": 4}));
    let long = ToolCall::new("trigger-long-running-operation", given).with_progress(sink);
    let result = connection.call_tool(long).await.unwrap();
    assert!(
        result["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("completed"),
        "{result}"
    );
    assert_eq!(*reports.lock().unwrap(), [1.0, 2.0, 3.0, 4.0]);
    connection.shutdown().await;
    server.kill().unwrap();
    server.wait().unwrap();
}
