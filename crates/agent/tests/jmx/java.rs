//! The JDKs of this machine, and a client of theirs that does what it is sent.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

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
        trunkline_testkit::leave_out("no JDK below /usr/lib/jvm (Debian: openjdk-17-jdk-headless)");
    }
    homes
}

/// A client.
pub struct Reader {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// What became of its login.
    pub login: String,
}

/// How a client logs in.
#[derive(Clone, Copy, Default)]
pub struct Login<'a> {
    /// With which options of the JVM, where there is TLS.
    pub tls: Option<&'a [String]>,
    pub password: Option<[&'a str; 2]>,
}

impl Reader {
    /// Logs in.
    pub fn start(home: &Path, agent: SocketAddr, login: Login<'_>) -> Reader {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/jmx/Reader.java");
        let mut child = Command::new(home.join("bin/java"))
            .args(login.tls.unwrap_or_default())
            .arg(program)
            .arg(agent.port().to_string())
            .arg(if login.tls.is_some() { "tls" } else { "plain" })
            .args(login.password.iter().flatten())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut reader = Reader { child, input, output, login: String::new() };
        reader.login = reader.line();
        reader
    }

    /// Does something, and returns what that says.
    pub fn ask(&mut self, words: &str) -> String {
        writeln!(self.input.as_mut().unwrap(), "{words}").unwrap();
        self.line()
    }

    /// The same, which is as expected.
    pub fn check(&mut self, cases: &[(&str, &str)]) {
        for (words, expected) in cases {
            assert_eq!(self.ask(words), *expected, "{words}");
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
