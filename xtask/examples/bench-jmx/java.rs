//! The JDK: its programs, a server and a client that measures.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A JDK, and what it has compiled.
pub struct Jdk {
    home: PathBuf,
    classes: tempfile::TempDir,
    /// Its version, as in its release file.
    pub version: String,
}

impl Jdk {
    /// Looks for one, and compiles the programs with it.
    pub fn find(home: Option<&Path>, programs: &Path) -> Result<Self, Box<dyn Error>> {
        let home = home.map_or_else(usual, |home| Some(home.to_owned()));
        let home = home.ok_or("no JDK below /usr/lib/jvm (Debian: openjdk-17-jdk-headless)")?;
        let version = release(&home).unwrap_or_else(|| home.display().to_string());
        let jdk = Self { home, classes: tempfile::tempdir()?, version };
        let sources = ["BenchServer.java", "BenchClient.java"].map(|name| programs.join(name));
        let mut compile = Command::new(jdk.program("javac"));
        succeed(compile.arg("-d").arg(jdk.classes.path()).args(sources))?;
        Ok(jdk)
    }

    /// Runs keytool, with the password of all our stores.
    pub fn keytool(&self, arguments: &[&str]) -> Result<(), Box<dyn Error>> {
        let mut keytool = Command::new(self.program("keytool"));
        Ok(succeed(keytool.args(arguments).args(["-storetype", "PKCS12", "-storepass", STORE_PASSWORD]))?)
    }

    /// Starts a server with as many rows.
    pub fn server(&self, options: &[String], rows: u32, tls: bool) -> Result<Server, Box<dyn Error>> {
        let way = if tls { "tls" } else { "plain" };
        let mut program = self.run(options, &["BenchServer".to_owned(), rows.to_string(), way.to_owned()])?;
        let line = program.line()?;
        let port = line.strip_prefix("port ").and_then(|port| port.parse().ok());
        let port = port.ok_or_else(|| format!("the JVM's server does not listen, but says {line:?}"))?;
        Ok(Server { program, port })
    }

    /// Starts the client.
    pub fn client(&self, options: &[String]) -> Result<Client, Box<dyn Error>> {
        let best = ["-XX:+UseSerialGC".to_owned(), "-Xms256m".to_owned(), "-Xmx256m".to_owned()];
        Ok(Client(self.run(&[&best[..], options].concat(), &["BenchClient".to_owned()])?))
    }

    fn program(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(name)
    }

    fn run(&self, options: &[String], words: &[String]) -> io::Result<Program> {
        let mut java = Command::new(self.program("java"));
        java.arg("-Djava.rmi.server.hostname=127.0.0.1").args(options);
        java.arg("-cp").arg(self.classes.path()).args(words);
        let mut child = java.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().map(BufReader::new);
        let output = output.ok_or_else(|| io::Error::other("a JVM without an output"))?;
        Ok(Program { input: child.stdin.take(), child, output })
    }
}

/// The newest of version 17, which is what the bars are about, or else any.
fn usual() -> Option<PathBuf> {
    let homes = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let homes = homes.map(|entry| entry.path()).filter(|home| home.join("bin/javac").exists());
    let is_usual = |home: &PathBuf| release(home).is_some_and(|version| version.starts_with("JDK 17."));
    homes.max_by_key(|home| (is_usual(home), home.clone()))
}

fn release(home: &Path) -> Option<String> {
    let text = std::fs::read_to_string(home.join("release")).ok()?;
    let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    Some(format!("JDK {}", version.trim_matches('"')))
}

fn succeed(command: &mut Command) -> io::Result<()> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let [out, err] = [&output.stdout, &output.stderr].map(|octets| String::from_utf8_lossy(octets));
    Err(io::Error::other(format!("{command:?} ended with {}: {out}{err}", output.status)))
}

/// The JDK's server; it ends with this value.
pub struct Server {
    program: Program,
    pub port: u16,
}

impl Server {
    pub fn pid(&self) -> u32 {
        self.program.child.id()
    }
}

/// A JVM; it ends with its input.
struct Program {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Program {
    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.output.read_line(&mut line)? {
            0 => Err(io::Error::other("the JVM has ended")),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// The JDK's client.
pub struct Client(Program);

/// What a number of calls took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Took {
    /// Microseconds of the median call.
    pub median: f64,
    /// Of the 99th percentile.
    pub p99: f64,
    /// Rows of each value.
    pub rows: u32,
}

impl Client {
    /// Connects to a server, which has this name from now on.
    pub fn connect(&mut self, name: &str, tls: bool, port: u16) -> Result<(), Box<dyn Error>> {
        let way = if tls { "tls" } else { "plain" };
        self.ask(&format!("connect {name} {way} {port}")).map(drop)
    }

    /// The same over TCP, to a server at another address.
    pub fn connect_at(&mut self, name: &str, host: &str, port: u16) -> Result<(), Box<dyn Error>> {
        self.ask(&format!("connect {name} plain {port} {host}")).map(drop)
    }

    /// Measures calls: the words of `BenchClient` from the name of the server on.
    pub fn measure(
        &mut self,
        kind: &str,
        name: &str,
        calls: u32,
        what: &str,
    ) -> Result<Took, Box<dyn Error>> {
        let answer = self.ask(&format!("{kind} {name} {calls} {what}"))?;
        let numbers: Vec<f64> = answer.split(' ').filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [median, p99, rows] => Ok(Took { median: median / 1e3, p99: p99 / 1e3, rows: rows as u32 }),
            _ => Err(format!("not a measurement: {answer}").into()),
        }
    }

    fn ask(&mut self, words: &str) -> Result<String, Box<dyn Error>> {
        let input = self.0.input.as_mut().ok_or("the client has ended")?;
        writeln!(input, "{words}")?;
        let answer = self.0.line()?;
        match answer.strip_prefix('!') {
            Some(why) => Err(format!("{words}: {why}").into()),
            None => Ok(answer),
        }
    }
}

/// Of stores of keys that live as long as a run.
pub const STORE_PASSWORD: &str = "changeit";
