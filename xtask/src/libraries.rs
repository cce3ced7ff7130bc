//! A step of `cargo xtask ci`: the crates that others may depend on, as those see them.
//!
//! Within the workspace every feature is on, since the programs switch them on; here each is built alone, and none
//! (docs/decisions/0045).

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command::{self, locked};
use crate::outcome::Outcome;
use crate::workspace::{Package, Workspace};

/// The features of `trunkline-client`, each with the heavy crates that it adds, and the empty one for none.
const FEATURES: [(&str, &[&str]); 6] = [
    ("", &[]),
    ("tls", &["rustls", "tokio-rustls", "aws-lc"]),
    ("dtls", &["rustls", "tokio-rustls", "aws-lc", "openssl"]),
    ("ssh", &["russh", "aws-lc", "argon2"]),
    ("netconf", &["rustls", "tokio-rustls", "russh", "aws-lc", "argon2", "quick-xml"]),
    ("http", &["rustls", "tokio-rustls", "aws-lc", "hyper", "quick-xml", "argon2"]),
];

/// Crates that a program must not compile for SNMP over UDP and TCP, by the beginnings of their names.
const HEAVY: [&str; 9] =
    ["openssl", "aws-lc", "ring", "rustls", "tokio-rustls", "russh", "hyper", "quick-xml", "argon2"];

/// Builds and tests the libraries as others will use them.
pub fn check(workspace: &Workspace) -> Outcome {
    dependencies(workspace)?;
    for (features, _) in FEATURES {
        println!("-- trunkline-client with {}", if features.is_empty() { "no feature" } else { features });
        let mut clippy = command::cargo(workspace);
        clippy.args(["clippy", "-p", "trunkline-client", "--no-default-features", "--features", features]);
        command::run(clippy.args(locked()).args(["--", "-D", "warnings"]))?;
    }
    let mut test = command::cargo(workspace);
    test.args(["test", "-p", "trunkline-client", "--no-default-features"]);
    command::run(test.args(locked()))?;
    let published = workspace.published()?;
    manifests(&published)?;
    package(workspace, &published)?;
    semver(workspace, &published)
}

/// Everything that is published says what a registry shows of it.
fn manifests(published: &[Package]) -> Outcome {
    let silent = published.iter().filter(|package| !package.unsaid.is_empty());
    let words: Vec<String> = silent
        .map(|package| format!("{} does not say {}", package.name, package.unsaid.join(", ")))
        .collect();
    if words.is_empty() { Ok(()) } else { Err(words.join("; ").into()) }
}

/// Packs each as for the registry, and checks each with its default features from what was packed, as a program that depends on it
/// finds it.
fn package(workspace: &Workspace, published: &[Package]) -> Outcome {
    println!("-- packages of {}", names(published).collect::<Vec<_>>().join(" "));
    let mut cargo = command::cargo(workspace);
    // Publishing asks whether everything is committed; this checks the tree as it is.
    cargo.args(["package", "--no-verify", "--allow-dirty"]).args(selected(published)).args(locked());
    // It says of each test that it is not in the package; of interest when it fails.
    command::output(cargo.env("CARGO_TARGET_DIR", workspace.path("target")))?;
    let folder = workspace.path("target/packed");
    unpack(workspace, published, &folder)?;
    for name in names(published) {
        let mut cargo = command::cargo(workspace);
        cargo.current_dir(&folder).args(["check", "--quiet", "--offline", "-p", name]);
        // It shares what it is built from with the other steps.
        command::run(cargo.env("CARGO_TARGET_DIR", workspace.path("target")))?;
    }
    Ok(())
}

/// Makes a workspace of what was packed: the packages depend on each other as in the registry, on others in the versions of the lock
/// file, and have the settings of the root's manifest.
fn unpack(workspace: &Workspace, published: &[Package], folder: &Path) -> Outcome {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let (mut members, mut patches) = (Vec::new(), String::new());
    for Package { name, version, .. } in published {
        let packed = format!("{name}-{version}");
        let archive = workspace.path("target/package").join(format!("{packed}.crate"));
        command::run(Command::new("tar").arg("-C").arg(folder).arg("-xzf").arg(archive))?;
        patches += &format!("{name} = {{ path = \"{packed}\" }}\n");
        members.push(packed);
    }
    let root = workspace.read("Cargo.toml")?;
    let profile = root.find("\n[profile.dev]\n").ok_or("Cargo.toml has no profile `dev`")?;
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n[patch.crates-io]\n{patches}{}",
        &root[profile..]
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(workspace.path("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(())
}

/// Compares what is public with the last release, where there is one and the tool is there.
fn semver(workspace: &Workspace, published: &[Package]) -> Outcome {
    if command::which("cargo-semver-checks").is_none() {
        println!(
            "cargo-semver-checks is not installed: what is public is not compared with the last release"
        );
        return Ok(());
    }
    let mut git = Command::new("git");
    git.current_dir(workspace.root()).args(["tag", "--list", "v[0-9]*", "--sort=-version:refname"]);
    let tags = String::from_utf8_lossy(&command::output(&mut git)?).into_owned();
    let Some(release) = tags.lines().next() else {
        println!("there is no release yet (a tag `v...`): nothing to compare what is public with");
        return Ok(());
    };
    let mut cargo = command::cargo(workspace);
    cargo.args(["semver-checks", "--all-features", "--baseline-rev", release]).args(selected(published));
    Ok(command::run(&mut cargo)?)
}

fn names(packages: &[Package]) -> impl Iterator<Item = &str> {
    packages.iter().map(|package| package.name.as_str())
}

/// `-p NAME` for each.
fn selected(packages: &[Package]) -> impl Iterator<Item = &str> {
    names(packages).flat_map(|name| ["-p", name])
}

/// Each feature adds its crates, and without it they are not compiled.
fn dependencies(workspace: &Workspace) -> Outcome {
    for (features, adds) in FEATURES {
        let tree = tree(workspace, features)?;
        let found = heavy(&tree);
        if let Some(other) = found.iter().find(|name| !adds.iter().any(|added| name.starts_with(added))) {
            return Err(format!("trunkline-client with features `{features}` compiles {other}").into());
        }
        if let Some(missing) = adds.iter().find(|added| !found.iter().any(|name| name.starts_with(*added))) {
            return Err(format!("the feature `{features}` of trunkline-client does not add {missing}").into());
        }
    }
    Ok(())
}

/// What is compiled for a program that depends on the client with these features alone: a package in each line.
fn tree(workspace: &Workspace, features: &str) -> std::io::Result<String> {
    let mut cargo = command::cargo(workspace);
    cargo.args(["tree", "-p", "trunkline-client", "--no-default-features", "--features", features]);
    cargo.args(["--edges", "normal,build", "--prefix", "none", "--format", "{p}"]).args(locked());
    Ok(String::from_utf8_lossy(&command::output(&mut cargo)?).into_owned())
}

/// The heavy crates of a tree.
fn heavy(tree: &str) -> Vec<&str> {
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    let mut found: Vec<&str> =
        names.filter(|name| HEAVY.iter().any(|heavy| name.starts_with(heavy))).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heavy_crates_are_found_by_their_names() {
        let tree = "trunkline-client v0.1.0 (/x)\ntokio v1.0.0\nopenssl-sys v0.9.1\nhyper v1.0.0 (*)\nhyper v1.0.0\n";
        assert_eq!(heavy(tree), ["hyper", "openssl-sys"]);
    }

    #[test]
    fn published_crates_are_listed_and_described() {
        let published = Workspace::find().unwrap().published().unwrap();
        let names: Vec<&str> = names(&published).collect();
        assert_eq!(
            names,
            [
                "binding",
                "client",
                "datagrams",
                "local",
                "mib",
                "netconf",
                "password",
                "query",
                "smi",
                "snmp",
                "soap",
                "transport",
                "xml",
                "xmlsec",
                "yang"
            ]
            .map(|room| format!("trunkline-{room}"))
        );
        manifests(&published).unwrap();
        let silent = Package { unsaid: vec!["keywords"], ..published.into_iter().next().unwrap() };
        assert_eq!(manifests(&[silent]).unwrap_err().to_string(), "trunkline-binding does not say keywords");
    }

    #[test]
    fn a_get_over_udp_compiles_nothing_heavy_and_each_feature_adds_its_own() {
        dependencies(&Workspace::find().unwrap()).unwrap();
    }
}
