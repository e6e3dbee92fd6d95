//! A well-behaved scripted server as a program, for the tests that need a real child process: `scripted-server`.

use std::process::ExitCode;

use mcp_bridge_tests::script::good;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let stream = tokio::io::join(tokio::io::stdin(), tokio::io::stdout());
    good("good").serve(stream).await;
    ExitCode::SUCCESS
}
