//! `cargo xtask package`: what a machine installs, below `target/package`.
//!
//! Packages for Debian and for RPM systems are made by cargo-deb and cargo-generate-rpm from what the manifests of the
//! three programs list, an archive of static programs by cargo for musl, an image for containers from these by umoci
//! (which needs no daemon), and a bill of materials by cargo-cyclonedx; SHA256SUMS covers all of them. Times in the
//! packages are that of the commit.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

mod image;
pub mod installed;
mod tools;

/// The options of `package`.
#[derive(clap::Args)]
pub struct Options {
    /// What to make; several may be given.
    #[arg(value_enum, value_name = "KIND", default_values_t = [Kind::Deb, Kind::Rpm, Kind::Static, Kind::Image, Kind::Sbom])]
    kinds: Vec<Kind>,
}

/// One kind of package.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Packages for Debian and its kin: trunklined, trunkline, trunkline-lab.
    Deb,
    /// The same for Fedora, RHEL, SUSE and their kin. They need the glibc and OpenSSL of the machine that built them, or newer.
    Rpm,
    /// An archive of trunklined and trunkline linked statically with musl, which run on any Linux.
    Static,
    /// An OCI image with the static programs, as a directory in an archive for skopeo, podman or docker.
    Image,
    /// The bill of materials of each program, in CycloneDX's JSON.
    Sbom,
}

/// A program, and the folder of its crate.
struct Program {
    name: &'static str,
    folder: &'static str,
}

const PROGRAMS: [Program; 3] = [
    Program { name: "trunklined", folder: "crates/agent" },
    Program { name: "trunkline", folder: "crates/cli" },
    Program { name: "trunkline-lab", folder: "crates/lab" },
];

/// The target of static programs.
const MUSL: &str = "x86_64-unknown-linux-musl";

/// Makes what the options name and prints a table of it.
pub fn run(workspace: &Workspace, options: &Options) -> Outcome {
    let wanted = |kind| options.kinds.contains(&kind);
    let folder = workspace.path("target/package");
    fs::create_dir_all(&folder)?;
    let mut made = Vec::new();
    if wanted(Kind::Deb) || wanted(Kind::Rpm) {
        build(workspace, "release", None)?;
        manuals(workspace, &workspace.path("target/release"))?;
    }
    if wanted(Kind::Deb) {
        for program in &PROGRAMS {
            made.push(deb(workspace, program, "release", None)?);
        }
    }
    if wanted(Kind::Rpm) {
        for program in &PROGRAMS {
            made.push(rpm(workspace, program)?);
        }
    }
    if wanted(Kind::Static) || wanted(Kind::Image) {
        build(workspace, "release", Some(MUSL))?;
        manuals(workspace, &workspace.path("target").join(MUSL).join("release"))?;
    }
    if wanted(Kind::Static) {
        made.push(archive(workspace)?);
    }
    if wanted(Kind::Image) {
        made.push(image::make(workspace, &version(workspace)?)?);
    }
    if wanted(Kind::Sbom) {
        made.extend(bills(workspace)?);
    }
    sums(&folder, &made)?;
    for path in &made {
        println!("{:>12}  {}", fs::metadata(path)?.len(), path.display());
    }
    Ok(())
}

/// The seconds since 1970 of the commit, for packages that are the same when they are made again.
fn epoch(workspace: &Workspace) -> io::Result<String> {
    let mut git = Command::new("git");
    let output = command::output(git.current_dir(workspace.root()).args(["log", "-1", "--format=%ct"]))?;
    Ok(String::from_utf8_lossy(&output).trim().to_owned())
}

/// The version of all programs.
fn version(workspace: &Workspace) -> Result<String, Box<dyn std::error::Error>> {
    let packages = workspace.packages()?;
    let agent = packages.iter().find(|package| package.name == "trunklined");
    Ok(agent.ok_or("the workspace has no package trunklined")?.version.clone())
}

fn build(workspace: &Workspace, profile: &str, target: Option<&str>) -> Outcome {
    let mut cargo = command::cargo(workspace);
    cargo.args(["build", "--profile", profile, "--bins", "-p", "trunklined", "-p", "trunkline"]);
    match target {
        // OpenSSL comes from source: Debian has it for its own C library only.
        Some(target) => {
            tools::musl(target)?;
            cargo.args(["--target", target, "--features", "trunklined/vendored-openssl"]);
            cargo.env("CC_x86_64_unknown_linux_musl", "musl-gcc");
        }
        None => {
            cargo.args(["-p", "trunkline-lab"]);
        }
    }
    Ok(command::run(cargo.args(command::locked()))?)
}

/// Has each program in `programs` write its manual and completions below `target/package/share/PROGRAM`.
fn manuals(workspace: &Workspace, programs: &Path) -> Outcome {
    for program in &PROGRAMS {
        let path = programs.join(program.name);
        if path.is_file() {
            let share = workspace.path("target/package/share").join(program.name);
            if share.exists() {
                fs::remove_dir_all(&share)?;
            }
            command::run(Command::new(path).arg("manual").arg(share).stdout(std::process::Stdio::null()))?;
        }
    }
    Ok(())
}

fn cargo_deb(workspace: &Workspace) -> Result<PathBuf, Box<dyn std::error::Error>> {
    tools::cargo_tool(workspace, "cargo-deb", "3.8.0")
}

/// One .deb of programs that are built. `version` is another than the workspace's, for the test of an upgrade.
fn deb(
    workspace: &Workspace,
    program: &Program,
    profile: &str,
    version: Option<&str>,
) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let mut deb = Command::new(cargo_deb(workspace)?);
    deb.current_dir(workspace.root()).env("SOURCE_DATE_EPOCH", epoch(workspace)?);
    deb.args([
        "-p",
        program.name,
        "--no-build",
        "--profile",
        profile,
        "--output",
        "target/package/",
        "--quiet",
    ]);
    if let Some(version) = version {
        deb.args(["--deb-version", version]);
    }
    // Programs with assertions are for a test: seconds count there, and size does not. Others lose the debug information, which
    // cargo-deb would keep as the profile has it.
    deb.arg(if profile == "dev" { "--fast" } else { "--strip" });
    let output = command::output(&mut deb)?;
    let path = String::from_utf8_lossy(&output).lines().last().unwrap_or_default().trim().to_owned();
    if path.is_empty() { Err("cargo-deb names no package".into()) } else { Ok(workspace.path(&path)) }
}

/// One .rpm of programs that are built, without their debug information.
fn rpm(workspace: &Workspace, program: &Program) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let stripped = workspace.path("target/package/stripped");
    strip(&workspace.path("target/release").join(program.name), &stripped.join(program.name))?;
    let path = workspace.path("target/package").join(format!(
        "{}-{}-1.x86_64.rpm",
        program.name,
        version(workspace)?
    ));
    let tool = tools::cargo_tool(workspace, "cargo-generate-rpm", "0.21.1")?;
    let mut rpm = Command::new(tool);
    rpm.current_dir(workspace.root()).env("SOURCE_DATE_EPOCH", epoch(workspace)?);
    rpm.args(["generate-rpm", "-p", program.folder, "--auto-req", "auto", "-o"]).arg(&path);
    command::run(&mut rpm)?;
    Ok(path)
}

fn strip(from: &Path, to: &Path) -> Outcome {
    fs::create_dir_all(to.parent().unwrap_or(to))?;
    Ok(command::run(Command::new("strip").arg("-o").arg(to).arg(from))?)
}

/// The archive of static programs: programs, manuals, unit, configuration and documentation in one directory.
fn archive(workspace: &Workspace) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let name = format!("trunkline-{}-x86_64-linux-static", version(workspace)?);
    let package = workspace.path("target/package");
    let folder = package.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("share"))?;
    for program in ["trunklined", "trunkline"] {
        strip(&workspace.path("target").join(MUSL).join("release").join(program), &folder.join(program))?;
        let share = format!("target/package/share/{program}/.");
        command::run(Command::new("cp").arg("-r").arg(workspace.path(&share)).arg(folder.join("share")))?;
    }
    let files = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
    let configured = ["trunklined.service", "trunklined.toml", "trunkline-listen.service", "listen.toml"];
    let configured = configured.map(|name| format!("packaging/{name}"));
    for file in files.into_iter().chain(configured.iter().map(String::as_str)) {
        fs::copy(workspace.path(file), folder.join(Path::new(file).file_name().unwrap_or_default()))?;
    }
    let path = package.join(format!("{name}.tar.gz"));
    tar(workspace, &package, &name, &path)?;
    Ok(path)
}

/// Packs `folder/name` so that the same content gives the same archive.
fn tar(workspace: &Workspace, folder: &Path, name: &str, path: &Path) -> Outcome {
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg(format!("--mtime=@{}", epoch(workspace)?));
    if path.extension().is_some_and(|extension| extension == "gz") {
        tar.arg("--use-compress-program=gzip -n");
    }
    Ok(command::run(tar.arg("-C").arg(folder).arg("-cf").arg(path).arg(name))?)
}

/// The bills of materials. cargo-cyclonedx writes one beside each manifest of the workspace; those of the
/// programs are moved and the others removed.
fn bills(workspace: &Workspace) -> Result<Vec<PathBuf>, Box<dyn std::error::Error>> {
    let tool = tools::cargo_tool(workspace, "cargo-cyclonedx", "0.5.9")?;
    let mut cyclonedx = Command::new(tool);
    cyclonedx.current_dir(workspace.root()).env("SOURCE_DATE_EPOCH", epoch(workspace)?);
    cyclonedx.args([
        "cyclonedx",
        "--format",
        "json",
        "--no-build-deps",
        "--override-filename",
        "trunkline-sbom",
    ]);
    command::run(cyclonedx.args(["--target", "x86_64-unknown-linux-gnu", "--quiet"]))?;
    let mut made = Vec::new();
    for package in workspace.packages()? {
        let Some(folder) = &package.folder else { continue };
        let written = workspace.path(folder).join("trunkline-sbom.json");
        if !written.is_file() {
            continue;
        }
        if PROGRAMS.iter().any(|program| program.name == package.name) {
            let path = workspace
                .path("target/package")
                .join(format!("{}-{}.cdx.json", package.name, package.version));
            // `target` may be on another file system.
            fs::copy(&written, &path)?;
            fs::remove_file(&written)?;
            made.push(path);
        } else {
            fs::remove_file(&written)?;
        }
    }
    if made.len() == PROGRAMS.len() {
        Ok(made)
    } else {
        Err("cargo-cyclonedx wrote no bill for a program".into())
    }
}

/// Writes `SHA256SUMS` for what was made now, as `sha256sum --check` reads it.
fn sums(folder: &Path, made: &[PathBuf]) -> Outcome {
    let mut sha256sum = Command::new("sha256sum");
    sha256sum.current_dir(folder).args(made.iter().filter_map(|path| path.file_name()));
    Ok(fs::write(folder.join("SHA256SUMS"), command::output(&mut sha256sum)?)?)
}
