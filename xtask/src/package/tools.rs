//! The programs that packages are made with.

use std::path::PathBuf;
use std::process::Command;

use crate::command;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

/// A tool from crates.io at one version, built into `target/tools` the first time.
pub fn cargo_tool(
    workspace: &Workspace,
    name: &str,
    version: &str,
) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let root = workspace.path("target/tools").join(format!("{name}-{version}"));
    let program = root.join("bin").join(name);
    if !program.is_file() {
        eprintln!("package: building {name} {version}");
        let mut cargo = command::cargo(workspace);
        cargo.args(["install", "--quiet", "--locked", "--root"]).arg(&root).arg(format!("{name}@{version}"));
        // A directory for all of them would be built anew whenever cargo's own settings differ.
        command::run(cargo.env("CARGO_TARGET_DIR", workspace.path("target/tools/build")))?;
    }
    Ok(program)
}

/// Whether static programs can be built: Rust's library for musl, and a C compiler for it.
pub fn musl(target: &str) -> Outcome {
    if command::which("musl-gcc").is_none() {
        return Err("musl-gcc is not installed (Debian: apt-get install musl-tools)".into());
    }
    let output =
        command::output(Command::new("rustc").args(["--print", "target-libdir", "--target", target]))?;
    let folder = PathBuf::from(String::from_utf8_lossy(&output).trim().to_owned());
    if folder.is_dir() {
        return Ok(());
    }
    Err(format!("Rust's library for {target} is not installed (rustup target add {target})").into())
}
