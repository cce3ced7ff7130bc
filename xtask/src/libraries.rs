//! A step of `cargo xtask ci`: the crates that others may depend on, as those see them.
//!
//! Within the workspace every feature is on, since the programs switch them on; here each is built alone, and none
//! (docs/decisions/0045).

use crate::command::{self, locked};
use crate::outcome::Outcome;
use crate::workspace::Workspace;

/// The features of `trunkline-client`, each with the heavy crates that it adds, and the empty one for none.
const FEATURES: [(&str, &[&str]); 5] = [
    ("", &[]),
    ("tls", &["rustls", "tokio-rustls", "aws-lc"]),
    ("dtls", &["rustls", "tokio-rustls", "aws-lc", "openssl"]),
    ("ssh", &["russh", "aws-lc", "argon2"]),
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
    Ok(command::run(test.args(locked()))?)
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
    fn a_get_over_udp_compiles_nothing_heavy_and_each_feature_adds_its_own() {
        dependencies(&Workspace::find().unwrap()).unwrap();
    }
}
