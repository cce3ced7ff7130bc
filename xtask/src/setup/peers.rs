//! The foreign peers of the tests: SNMP4J, Apache CXF, Tomcat, jmxterm, Prometheus' jmx_exporter and Jolokia (Maven), pysnmp, zeep, pyang and signxml (PyPI), `soap` (npm) and a
//! server made with Debian's gSOAP, a subagent of AgentX made with Net-SNMP's library, Java's own XML security, each driven by the small program in `peers/`; geckodriver (crates.io); and numpy and scipy (PyPI) for the
//! check of the laboratory's statistics. All are built into `target/peers`.
//!
//! A stamp next to the build holds the texts that it was built from: while these stay the same, nothing is done.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command;
use crate::workspace::Workspace;

/// A peer and how it is built.
struct Peer {
    name: &'static str,
    /// What it is built from, below the root.
    sources: &'static [&'static str],
    /// The program that builds it.
    builder: &'static str,
    build: fn(&Workspace, &Path) -> io::Result<()>,
}

const PEERS: &[Peer] = &[
    Peer {
        name: "snmp4j",
        sources: &[
            "peers/snmp4j/pom.xml",
            "peers/snmp4j/src/main/java/trunkline/Peer.java",
            "peers/snmp4j/src/main/java/trunkline/Sessions.java",
        ],
        builder: "mvn",
        build: build_java,
    },
    Peer {
        name: "cxf",
        sources: &["peers/cxf/pom.xml"],
        builder: "mvn",
        build: |workspace, folder| build_jars(workspace, folder, "peers/cxf/pom.xml"),
    },
    Peer {
        name: "tomcat",
        sources: &["peers/tomcat/pom.xml"],
        builder: "mvn",
        build: |workspace, folder| build_jars(workspace, folder, "peers/tomcat/pom.xml"),
    },
    Peer {
        name: "python",
        sources: &["peers/python/requirements.txt"],
        builder: "python3",
        build: |workspace, folder| build_python(workspace, folder, "peers/python/requirements.txt"),
    },
    Peer {
        name: "statistics",
        sources: &[STATISTICS],
        builder: "python3",
        build: |workspace, folder| build_python(workspace, folder, STATISTICS),
    },
    Peer {
        name: "node",
        sources: &["peers/node/package.json", "peers/node/package-lock.json"],
        builder: "npm",
        build: build_node,
    },
    Peer {
        name: "gsoap",
        sources: &[
            "peers/gsoap/server.h",
            "peers/gsoap/server.c",
            "peers/gsoap/interfaces.h",
            "peers/gsoap/interfaces.c",
        ],
        builder: "soapcpp2",
        build: build_gsoap,
    },
    Peer { name: "geckodriver", sources: &[GECKODRIVER], builder: "cargo", build: build_geckodriver },
    Peer { name: "jmx", sources: &[JMX], builder: "mvn", build: build_jmx },
    Peer { name: "xmlsec", sources: &[XMLSEC], builder: "javac", build: build_xmlsec },
    Peer { name: "agentx", sources: &[SUBAGENT], builder: "net-snmp-config", build: build_agentx },
];

/// A subagent made with Net-SNMP's library.
const SUBAGENT: &str = "peers/agentx/subagent.c";

/// The version of what drives Firefox over WebDriver: Debian has it for Chromium only.
const GECKODRIVER: &str = "peers/browser/geckodriver.version";

/// Clients of JMX.
const JMX: &str = "peers/jmx/clients/pom.xml";

/// Java's own XML security.
const XMLSEC: &str = "peers/xmlsec/Protected.java";

/// numpy and scipy, with which the laboratory's figures are computed again.
const STATISTICS: &str = "crates/lab/tests/recompute/requirements.txt";

/// Builds what is missing or old; reports in one line what cannot be built and what is skipped without it.
pub fn install(workspace: &Workspace) {
    for peer in PEERS {
        if let Err(error) = peer.install(workspace) {
            eprintln!("setup: {}: {error}; left out until then: the tests against it", peer.name);
        }
    }
}

impl Peer {
    fn install(&self, workspace: &Workspace) -> io::Result<()> {
        let folder = workspace.path("target/peers").join(self.name);
        let stamp = folder.join("built-from");
        let texts: Vec<String> = self
            .sources
            .iter()
            .map(|source| fs::read_to_string(workspace.path(source)))
            .collect::<io::Result<_>>()?;
        let wanted = texts.concat();
        if fs::read_to_string(&stamp).is_ok_and(|built| built == wanted) {
            return Ok(());
        }
        if command::which(self.builder).is_none() {
            return Err(io::Error::other(format!("`{}` is not installed", self.builder)));
        }
        eprintln!("setup: building the peer {}", self.name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        (self.build)(workspace, &folder)?;
        fs::write(stamp, wanted)
    }
}

fn build_java(workspace: &Workspace, folder: &Path) -> io::Result<()> {
    let mut maven = Command::new("mvn");
    maven.args(["-q", "-B", "-f"]).arg(workspace.path("peers/snmp4j/pom.xml"));
    maven.arg(format!("-Dpeer.target={}", folder.display())).arg("process-classes");
    quietly(&mut maven)
}

/// From crates.io, with the versions of its own lock file.
fn build_geckodriver(workspace: &Workspace, folder: &Path) -> io::Result<()> {
    let version = fs::read_to_string(workspace.path(GECKODRIVER))?;
    let mut cargo = Command::new("cargo");
    cargo
        .args(["install", "--quiet", "--locked", "geckodriver", "--version", version.trim(), "--root"])
        .arg(folder);
    quietly(cargo.env("CARGO_TARGET_DIR", folder.join("target")))?;
    // What it was built from is not needed any more.
    fs::remove_dir_all(folder.join("target"))
}

/// Nothing but the JDK.
fn build_xmlsec(workspace: &Workspace, folder: &Path) -> io::Result<()> {
    quietly(Command::new("javac").arg("-d").arg(folder).arg(workspace.path(XMLSEC)))
}

/// The jars alone: what CXF generates depends on the WSDL of the agent that is tested, and Tomcat runs from a source.
fn build_jars(workspace: &Workspace, folder: &Path, project: &str) -> io::Result<()> {
    let mut maven = Command::new("mvn");
    maven.args(["-q", "-B", "-f"]).arg(workspace.path(project));
    maven.arg(format!("-Dpeer.target={}", folder.display())).arg("generate-resources");
    quietly(&mut maven)
}

/// Programs as they are.
fn build_jmx(workspace: &Workspace, folder: &Path) -> io::Result<()> {
    let mut maven = Command::new("mvn");
    maven.args(["-q", "-B", "-f"]).arg(workspace.path(JMX));
    maven.arg(format!("-Dpeer.target={}", folder.display())).arg("generate-resources");
    quietly(&mut maven)
}

fn build_python(workspace: &Workspace, folder: &Path, requirements: &str) -> io::Result<()> {
    quietly(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let mut pip = Command::new(PathBuf::from(folder).join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--requirement"]);
    quietly(pip.arg(workspace.path(requirements)))
}

/// The lock file's packages, next to a copy of it: npm installs in its directory.
fn build_node(workspace: &Workspace, folder: &Path) -> io::Result<()> {
    for file in ["package.json", "package-lock.json"] {
        fs::copy(workspace.path("peers/node").join(file), folder.join(file))?;
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(folder);
    quietly(&mut npm)
}

/// The code that soapcpp2 generates from our header, and our own, into one program.
fn build_gsoap(workspace: &Workspace, folder: &Path) -> io::Result<()> {
    let sources = workspace.path("peers/gsoap");
    let mut generate = Command::new("soapcpp2");
    // C, the server's side alone, no samples, no libraries, types written in the messages.
    generate.args(["-c", "-S", "-x", "-L", "-t", "-w", "-d"]).arg(folder).arg(sources.join("server.h"));
    quietly(&mut generate)?;
    let mut compile = Command::new("cc");
    compile.args(["-O2", "-DWITH_OPENSSL", "-DWITH_GZIP", "-DWITH_IPV6", "-DWITH_DOM", "-I"]).arg(folder);
    compile.args(["server.c", "interfaces.c"].map(|file| sources.join(file)));
    compile.args(["soapC.c", "soapServer.c"].map(|file| folder.join(file)));
    compile.arg("-o").arg(folder.join("server"));
    quietly(compile.args(["-lgsoapssl", "-lssl", "-lcrypto", "-lz", "-lpthread"]))
}

fn build_agentx(workspace: &Workspace, folder: &Path) -> io::Result<()> {
    let mut compile = Command::new("cc");
    compile.args(["-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror"]);
    compile.arg(workspace.path(SUBAGENT)).arg("-o").arg(folder.join("subagent"));
    quietly(compile.args(["-lnetsnmpagent", "-lnetsnmp"]))
}

/// Builders report problems on either stream.
fn quietly(builder: &mut Command) -> io::Result<()> {
    let output = builder.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let words = [output.stdout, output.stderr].concat();
    let words = String::from_utf8_lossy(&words);
    let last: Vec<&str> = words.lines().filter(|line| !line.trim().is_empty()).take(5).collect();
    Err(io::Error::other(format!("{}: {}", command::line(builder), last.join(" / "))))
}
