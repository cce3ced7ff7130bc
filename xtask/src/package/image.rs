//! The image for containers: the static programs and little else, in OCI's layout.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::command;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

use super::{MUSL, epoch, strip, tar};

/// Who the agent is in a container; the numbers are those of Debian's nobody and nogroup.
const PASSWD: &str =
    "root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n";
const GROUP: &str = "root:x:0:\nnogroup:x:65534:\n";

/// What the agent does in a container that gets no other configuration: answers `public` read-only on the container's own
/// addresses.
const CONFIGURATION: &str = "[agent]\nstate = \"/var/lib/trunkline\"\n\n[snmp]\nlisten = [\"udp://0.0.0.0:161\", \"tcp://0.0.0.0:161\"]\n\n\
     [[snmp.community]]\nname = \"public\"\naccess = \"read\"\n";

/// Makes `trunkline-VERSION-x86_64.oci.tar`.
pub fn make(workspace: &Workspace, version: &str) -> Result<PathBuf, Box<dyn std::error::Error>> {
    if command::which("umoci").is_none() {
        return Err("umoci is not installed (Debian: apt-get install umoci)".into());
    }
    let package = workspace.path("target/package");
    let root = package.join("image-root");
    let layout = package.join("trunkline.oci");
    for folder in [&root, &layout] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
    }
    for folder in ["usr/sbin", "usr/bin", "etc/trunkline", "var/lib/trunkline", "run/trunkline", "tmp"] {
        fs::create_dir_all(root.join(folder))?;
    }
    for (program, folder) in [("trunklined", "usr/sbin"), ("trunkline", "usr/bin")] {
        let built = workspace.path("target").join(MUSL).join("release").join(program);
        strip(&built, &root.join(folder).join(program))?;
    }
    fs::write(root.join("etc/passwd"), PASSWD)?;
    fs::write(root.join("etc/group"), GROUP)?;
    fs::write(root.join("etc/trunkline/trunklined.toml"), CONFIGURATION)?;
    let image = format!("{}:{version}", layout.display());
    let umoci = |arguments: &[&str]| -> Outcome {
        let mut umoci = Command::new("umoci");
        umoci.args(arguments).env("SOURCE_DATE_EPOCH", epoch(workspace)?);
        Ok(command::run(&mut umoci)?)
    };
    umoci(&["init", "--layout", &layout.display().to_string()])?;
    umoci(&["new", "--image", &image])?;
    for entry in ["usr", "etc", "var", "run", "tmp"] {
        let from = root.join(entry).display().to_string();
        umoci(&["insert", "--image", &image, &from, &format!("/{entry}")])?;
    }
    let mut config = vec!["config", "--image", image.as_str(), "--config.entrypoint", "/usr/sbin/trunklined"];
    for argument in ["--config", "/etc/trunkline/trunklined.toml"] {
        config.extend(["--config.cmd", argument]);
    }
    for port in ["161/udp", "161/tcp"] {
        config.extend(["--config.exposedports", port]);
    }
    config.extend(["--config.volume", "/var/lib/trunkline", "--os", "linux", "--architecture", "amd64"]);
    umoci(&config)?;
    let path = package.join(format!("trunkline-{version}-x86_64.oci.tar"));
    tar(workspace, &layout, ".", &path)?;
    Ok(path)
}
