//! Two network namespaces with a link between them: `near`, 192.0.2.1, where the test and the masters are, and `far`,
//! 192.0.2.2, where the neighbor is.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use trunkline_testkit::namespace::ip;

use crate::daemon::{Daemon, wait_until};

pub struct World {
    pub folder: tempfile::TempDir,
    far: Daemon,
}

impl World {
    /// In a test's own namespaces ([`trunkline_testkit::namespace::isolated_with_users`]).
    pub fn make() -> World {
        let folder = tempfile::tempdir().unwrap();
        let mut holder = Command::new("unshare");
        holder.args(["--net", "tail", "-f", "/dev/null"]);
        let far = Daemon::start(holder, &folder.path().join("far.log"));
        let namespace = |pid: &str| fs::read_link(format!("/proc/{pid}/ns/net")).unwrap();
        wait_until("a namespace", || namespace(&far.pid().to_string()) != namespace("self"));
        ip("link add near type veth peer name far");
        ip(&format!("link set far netns {}", far.pid()));
        ip("address add 192.0.2.1/24 dev near");
        ip("link set near up");
        let world = World { folder, far };
        for line in ["link set lo up", "address add 192.0.2.2/24 dev far", "link set far up"] {
            let mut command = world.beyond("ip");
            let status = command.args(line.split_whitespace()).status().unwrap();
            assert!(status.success(), "ip {line}");
        }
        world
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command on the other side.
    pub fn beyond(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["-t", &self.far.pid().to_string(), "-n"]).arg(program);
        command
    }

    /// The socket of the master.
    pub fn socket(&self) -> PathBuf {
        self.path("agentx")
    }

    /// A folder of configuration files for Net-SNMP's library with one for the subagent of this name: it connects to the
    /// master's socket, and again each second if it has lost it.
    pub fn net_snmp_configuration(&self, name: &str) -> PathBuf {
        let folder = self.path("net-snmp");
        fs::create_dir_all(&folder).unwrap();
        let text = format!("agentXSocket unix:{}\nagentXPingInterval 1\n", self.socket().display());
        fs::write(folder.join(format!("{name}.conf")), text).unwrap();
        folder
    }
}

/// A file of the machine with other contents, for this test alone.
pub fn replace(file: &str, with: &Path) {
    let mounted = Command::new("mount").arg("--bind").arg(with).arg(file).status().unwrap();
    assert!(mounted.success(), "{file}");
}
