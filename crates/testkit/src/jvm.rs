//! The JDKs of this machine, and JVMs with an agent of JMX that a test starts (`peers/jmx`).

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::leave_out;

/// The homes of the JDKs, each once; if there is none, the test is left out.
pub fn homes() -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = std::fs::read_dir("/usr/lib/jvm")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.path().canonicalize().ok())
        .filter(|home| home.join("bin/javac").exists())
        .collect();
    homes.sort();
    homes.dedup();
    if homes.is_empty() {
        leave_out("no JDK below /usr/lib/jvm (Debian: openjdk-17-jdk-headless)");
    }
    homes
}

fn source(program: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/jmx").join(program)
}

/// What a program of `peers/jmx` prints.
pub fn run(home: &Path, program: &str, options: &[&str], arguments: &[&str]) -> String {
    let output = Command::new(home.join("bin/java"))
        .args(options)
        .arg(source(program))
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Makes a key with a certificate for this machine, in `store.p12` with the password `secret1`; returns the certificate in PEM.
pub fn keystore(home: &Path, folder: &Path) -> PathBuf {
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (store, certificate) = (at("store.p12"), at("jvm.pem"));
    let common = ["-alias", "a", "-storetype", "PKCS12", "-storepass", "secret1", "-keystore", &store];
    let names = ["-keyalg", "EC", "-dname", "CN=jvm", "-ext", "SAN=dns:localhost,ip:127.0.0.1"];
    let generated = [&["-genkeypair"], &names[..]].concat();
    for rest in [&generated[..], &["-exportcert", "-rfc", "-file", &certificate]] {
        let output = Command::new(home.join("bin/keytool")).args(rest).args(common).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    certificate.into()
}

/// Options for an agent with TLS, whose registry has it too if `registry`, and with the users of the files `users` and `access`.
pub fn protected(folder: &Path, registry: bool) -> Vec<String> {
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    vec![
        "-Dcom.sun.management.jmxremote.host=127.0.0.1".to_owned(),
        "-Djava.rmi.server.hostname=127.0.0.1".to_owned(),
        "-Dcom.sun.management.jmxremote.ssl=true".to_owned(),
        format!("-Dcom.sun.management.jmxremote.registry.ssl={registry}"),
        format!("-Dcom.sun.management.jmxremote.password.file={}", at("users")),
        format!("-Dcom.sun.management.jmxremote.access.file={}", at("access")),
        format!("-Djavax.net.ssl.keyStore={}", at("store.p12")),
        "-Djavax.net.ssl.keyStorePassword=secret1".to_owned(),
    ]
}

/// A JVM whose agent listens.
pub struct Jvm {
    /// The port of its registry.
    pub port: u16,
    child: Child,
}

/// Options for an agent without protection, all of it on the registry's port.
pub const OPEN: &[&str] = &[
    "-Dcom.sun.management.jmxremote.host=127.0.0.1",
    "-Djava.rmi.server.hostname=127.0.0.1",
    "-Dcom.sun.management.jmxremote.authenticate=false",
    "-Dcom.sun.management.jmxremote.ssl=false",
    "-Dcom.sun.management.jmxremote.rmi.port={port}",
];

impl Jvm {
    /// Starts a JVM with its agent on a port that was free. Somebody else may have taken that meanwhile: then another. `{port}` in
    /// an option becomes the port; `arguments` are the program and its arguments, by default the server of `peers/jmx`.
    pub fn start(home: &Path, options: &[&str], arguments: &[String]) -> Jvm {
        let server = [source("Server.java").to_string_lossy().into_owned()];
        let arguments = if arguments.is_empty() { &server[..] } else { arguments };
        for _ in 0..5 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut child = Command::new(home.join("bin/java"))
                .arg(format!("-Dcom.sun.management.jmxremote.port={port}"))
                .args(options.iter().map(|option| option.replace("{port}", &port.to_string())))
                .args(arguments)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            let jvm = Jvm { port, child };
            if line.trim() == "ready" {
                return jvm;
            }
        }
        panic!("no JVM with an agent starts");
    }

    /// The same without protection.
    pub fn open(home: &Path) -> Jvm {
        Jvm::start(home, OPEN, &[])
    }
}

impl Drop for Jvm {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
