//! `cargo xtask setup`: what tests and laboratory need from Debian, and with `--peers` what tests need from Maven, PyPI
//! and npm.
//!
//! If everything is installed it looks at a few files and is done. It installs what is missing if it may;
//! otherwise it reports that in one line and succeeds: whoever needs a missing program reports what it skips.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

mod peers;

/// The options of `setup`.
#[derive(Default, clap::Args)]
pub struct Options {
    /// Only report what is missing.
    #[arg(long)]
    dry_run: bool,
    /// Also build the foreign peers of the tests (SNMP4J, Apache CXF, pysnmp, zeep, node's soap, gSOAP) into target/peers.
    #[arg(long)]
    peers: bool,
}

impl Options {
    /// All that the tests need.
    pub fn for_tests() -> Self {
        Options { peers: true, ..Options::default() }
    }
}

/// A program or a file, the package that brings it, and what goes without it.
struct Need {
    /// Of a program its name, of a file its full path.
    program: &'static str,
    package: &'static str,
    left_out: &'static str,
}

const NEEDS: &[Need] = &[
    Need {
        program: "/usr/include/openssl/ssl.h",
        package: "libssl-dev",
        left_out: "the whole build, which needs DTLS",
    },
    Need { program: "pkg-config", package: "pkg-config", left_out: "the build, which asks it for OpenSSL" },
    Need { program: "snmpget", package: "snmp", left_out: "checks against Net-SNMP's tools" },
    Need { program: "snmpd", package: "snmpd", left_out: "the comparison with Net-SNMP's agent" },
    Need { program: "snmptrapd", package: "snmptrapd", left_out: "notifications to Net-SNMP's receiver" },
    Need { program: "openssl", package: "openssl", left_out: "TLS and DTLS against OpenSSL's programs" },
    Need { program: "ssh", package: "openssh-client", left_out: "SSH against OpenSSH's client" },
    Need { program: "sshd", package: "openssh-server", left_out: "SSH against OpenSSH's server" },
    Need { program: "tcpdump", package: "tcpdump", left_out: "byte counts checked by a capture" },
    Need { program: "ip", package: "iproute2", left_out: "extra interfaces in a private namespace" },
    Need { program: "unshare", package: "util-linux", left_out: "private namespaces" },
    Need { program: "c++", package: "g++", left_out: "fuzzing" },
    Need { program: "xmllint", package: "libxml2-utils", left_out: "answers checked against our schemas" },
    Need { program: "xmlsec1", package: "xmlsec1", left_out: "protected messages against xmlsec1" },
    Need { program: "yanglint", package: "libyang-tools", left_out: "YANG modules checked by libyang" },
    Need { program: "netconfd", package: "netconfd", left_out: "NETCONF with yuma123's server" },
    Need { program: "/usr/lib/frr/bgpd", package: "frr", left_out: "BGP with FRR" },
    // The modules are in a folder named after the architecture; Debian's list of the package is not.
    Need {
        program: "/var/lib/dpkg/info/frr-snmp.list",
        package: "frr-snmp",
        left_out: "FRR as a subagent of AgentX",
    },
    Need { program: "lldpd", package: "lldpd", left_out: "lldpd as a subagent of AgentX" },
    Need { program: "keepalived", package: "keepalived", left_out: "keepalived as a subagent of AgentX" },
    Need {
        program: "net-snmp-config",
        package: "libsnmp-dev",
        left_out: "a subagent of Net-SNMP's library, which misbehaves",
    },
    Need {
        program: "prometheus-snmp-exporter",
        package: "prometheus-snmp-exporter",
        left_out: "scrapes by Prometheus' exporter",
    },
    Need {
        program: "/usr/lib/nagios/plugins/check_snmp",
        package: "monitoring-plugins-standard",
        left_out: "check_snmp of the Monitoring Plugins",
    },
    Need {
        program: "/usr/lib/nagios/plugins/check_snmp_load.pl",
        package: "nagios-snmp-plugins",
        left_out: "the plugins in Perl that Icinga and Nagios run",
    },
    // What Net::SNMP of these plugins loads for SNMPv3.
    Need {
        program: "/usr/share/perl5/Digest/HMAC_SHA1.pm",
        package: "libdigest-hmac-perl",
        left_out: "these plugins over SNMPv3",
    },
    // These two are in a folder named after the architecture; what Debian keeps of each package is not.
    Need {
        program: "/usr/share/doc/libcrypt-des-perl/copyright",
        package: "libcrypt-des-perl",
        left_out: "these plugins over SNMPv3",
    },
    Need {
        program: "/usr/share/doc/libcrypt-rijndael-perl/copyright",
        package: "libcrypt-rijndael-perl",
        left_out: "these plugins over SNMPv3",
    },
    Need { program: "chromium", package: "chromium", left_out: "the page for browsers in Chromium" },
    Need {
        program: "chromedriver",
        package: "chromium-driver",
        left_out: "the page for browsers in Chromium, which this drives",
    },
    Need { program: "firefox-esr", package: "firefox-esr", left_out: "the page for browsers in Firefox" },
    Need { program: "yangcli", package: "yangcli", left_out: "NETCONF with yuma123's client" },
    Need { program: "soapcpp2", package: "gsoap", left_out: "gSOAP's clients and its server" },
    Need {
        program: "/usr/include/stdsoap2.h",
        package: "libgsoap-dev",
        left_out: "compiling what gSOAP made",
    },
    Need { program: "mmdebstrap", package: "mmdebstrap", left_out: "installing the package for Debian" },
    Need {
        program: "systemd-nspawn",
        package: "systemd-container",
        left_out: "the installed agent under a systemd",
    },
    Need { program: "valgrind", package: "valgrind", left_out: "instruction counts" },
];

impl Need {
    fn is_there(&self) -> bool {
        match self.program.strip_prefix('/') {
            Some(_) => Path::new(self.program).exists(),
            None => command::which(self.program).is_some(),
        }
    }
}

/// Installs what is missing, or reports what to install.
pub fn run(workspace: &Workspace, options: &Options) -> Outcome {
    debian(options);
    if options.peers && !options.dry_run {
        peers(workspace);
    }
    Ok(())
}

/// Builds the foreign peers of the tests, as far as they are missing.
pub fn peers(workspace: &Workspace) {
    peers::install(workspace);
}

fn debian(options: &Options) {
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !need.is_there()).collect();
    if missing.is_empty() {
        return;
    }
    let packages: Vec<&str> = missing.iter().map(|need| need.package).collect();
    let installed = if options.dry_run {
        Err("asked not to install".to_owned())
    } else if command::which("apt-get").is_none() {
        Err("this is not a Debian system".to_owned())
    } else if !command::is_root() {
        Err("not root".to_owned())
    } else {
        eprintln!("setup: installing {}", packages.join(" "));
        install(&packages).map_err(|error| error.to_string())
    };
    if let Err(reason) = installed {
        eprintln!("{}", advice(&reason, &missing));
    }
}

/// The one line with what to install and what is skipped without it.
fn advice(reason: &str, missing: &[&Need]) -> String {
    let packages: Vec<&str> = missing.iter().map(|need| need.package).collect();
    let left_out: Vec<&str> = missing.iter().map(|need| need.left_out).collect();
    format!(
        "setup: {reason}: `apt-get install {}` as root; left out until then: {}",
        packages.join(" "),
        left_out.join(", ")
    )
}

fn install(packages: &[&str]) -> io::Result<()> {
    let services = Services::hold_back()?;
    // Package lists may be missing or old; fetching them takes longer than most installs, so only then.
    let installed = apt(&["install"], packages).or_else(|_| {
        apt(&["update"], &[])?;
        apt(&["install"], packages)
    });
    drop(services);
    installed?;
    // Some packages enable their services for the next boot; the tests start these programs themselves.
    for service in ["snmpd", "lldpd", "keepalived", "prometheus-snmp-exporter"] {
        if packages.contains(&service) && Path::new("/run/systemd/system").is_dir() {
            command::output(Command::new("systemctl").args(["disable", "--quiet", service]))?;
        }
    }
    Ok(())
}

fn apt(action: &[&str], packages: &[&str]) -> io::Result<()> {
    let mut apt = Command::new("apt-get");
    apt.args(["-qq", "-y", "-o", "Dpkg::Use-Pty=0", "-o", "DPkg::Lock::Timeout=60"]).args(action);
    if !packages.is_empty() {
        apt.arg("--no-install-recommends").args(packages);
    }
    apt.env("DEBIAN_FRONTEND", "noninteractive").stderr(Stdio::piped());
    command::output(&mut apt).map(drop)
}

/// While it lives, packages do not start their services when installed.
struct Services {
    ours: Option<PathBuf>,
}

/// Debian calls this program, if it exists, before a package starts its service.
const POLICY: &str = "/usr/sbin/policy-rc.d";

/// 101: not allowed. The text also identifies a file of ours that an interrupted run left.
const POLICY_TEXT: &str =
    "#!/bin/sh\n# From trunkline's `cargo xtask setup`, for the time of one installation.\nexit 101\n";

impl Services {
    fn hold_back() -> io::Result<Self> {
        let path = PathBuf::from(POLICY);
        if fs::read_to_string(&path).is_ok_and(|text| text != POLICY_TEXT) {
            // Somebody else decides here, and this is not the place to overrule them.
            return Ok(Self { ours: None });
        }
        fs::write(&path, POLICY_TEXT)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(Self { ours: Some(path) })
    }
}

impl Drop for Services {
    fn drop(&mut self) {
        if let Some(path) = &self.ours
            && let Err(error) = fs::remove_file(path)
        {
            eprintln!("setup: {}: {error}", path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_is_one_line_with_packages_and_losses() {
        let need = |package: &str| NEEDS.iter().find(|need| need.package == package).unwrap();
        let line = advice("not root", &[need("snmp"), need("tcpdump")]);
        assert_eq!(
            line,
            "setup: not root: `apt-get install snmp tcpdump` as root; left out until then: checks against Net-SNMP's \
             tools, byte counts checked by a capture"
        );
    }
}
