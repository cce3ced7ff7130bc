//! One script for two servers: the requests in `data/netconf_script` are sent to our agent and to Debian's netconfd (yuma123), and the
//! answers are compared.
//!
//! A folder is a script, for servers that were just started. Its files are sent in the order of their names, `NUMBER[-SESSION].KIND`:
//! `xml` is an operation, `rpc` a message, `hello` the first message of a session, `raw` octets with their framing. Sessions are of a
//! user who may do everything, except `bob`. `{session}` is the session's number. `differences.json` lists where the answers
//! differ, with who is right: one that is not listed fails the test, and so does one that is listed and not there. The examples of the RFCs
//! (`data/rfc_examples`) are such scripts too.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use tempfile::TempDir;
use trunkline_netconf::BASE;
use trunkline_netconf::document::{Document, Element, limits};
use trunkline_netconf::framing::{Deframer, Framing};
use trunkline_netconf::hello::{BASE_1_0, BASE_1_1, Hello};
use trunkline_testkit::has;

use crate::client::{Client, agent};
use crate::support::{Agent, PATIENCE};

/// A server that does not answer within this time is silent.
const SILENCE: Duration = Duration::from_secs(3);

/// The tags that are not a server's own (RFC 7950 section 15).
const OF_YANG: [&str; 7] = [
    "data-not-unique",
    "too-many-elements",
    "too-few-elements",
    "must-violation",
    "instance-required",
    "missing-choice",
    "missing-instance",
];

/// The number of requests that only see whether somebody is there.
const PROBE: &str = "is-there";

/// netconfd, reached by its subsystem's program on pipes.
struct Netconfd {
    folder: TempDir,
    child: Child,
    /// What it says.
    log: Receiver<String>,
}

impl Netconfd {
    fn start() -> Netconfd {
        let folder = TempDir::new().unwrap();
        // It makes this folder, whatever HOME says, and does not start if another one makes it at that moment.
        let _ = std::fs::create_dir_all("/root/.yuma");
        let mut child = Command::new("/usr/sbin/netconfd")
            .args(["--superuser=root", "--no-startup", "--target=candidate", "--module=ietf-interfaces"])
            .args(["--module=iana-if-type", "--module=ietf-system", "--port=1830"])
            .arg(format!("--ncxserver-sockname={}", folder.path().join("sock").display()))
            .env("HOME", folder.path())
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let (told, log) = channel();
        std::thread::spawn(move || lines.for_each(|line| drop(told.send(line))));
        let netconfd = Netconfd { folder, child, log };
        netconfd.wait_for("Running netconfd server");
        netconfd
    }

    fn wait_for(&self, words: &str) {
        while !self.log.recv_timeout(PATIENCE).expect("netconfd goes on").contains(words) {}
    }

    /// A session; one that has ended if netconfd has ended itself.
    fn connect(&self, user: &str) -> Pipe {
        let mut pipe = self.pipe(user);
        for _ in 0..10 {
            if let Ok(Some(hello)) = pipe.read() {
                pipe.id = Hello::read(&hello).unwrap().session_id.unwrap();
                break;
            }
            pipe = self.pipe(user);
        }
        pipe
    }

    fn pipe(&self, user: &str) -> Pipe {
        let socket = self.folder.path().join("sock");
        let mut child = Command::new("/usr/sbin/netconf-subsystem")
            .arg(format!("--ncxserver-sockname=1830@{}", socket.display()))
            .env("SSH_CONNECTION", "127.0.0.1 1111 127.0.0.1 1830")
            .env("USER", user)
            .env("HOME", self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = child.stdout.take().unwrap();
        let (told, pieces) = channel();
        std::thread::spawn(move || {
            let mut piece = [0; 8192];
            while let Ok(length @ 1..) = output.read(&mut piece) {
                let _ = told.send(piece[..length].to_vec());
            }
        });
        let deframer = Deframer::new(64 << 20);
        Pipe { child, pieces, deframer, input: VecDeque::new(), id: 0 }
    }
}

impl Drop for Netconfd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A session on pipes.
struct Pipe {
    child: Child,
    pieces: Receiver<Vec<u8>>,
    deframer: Deframer,
    input: VecDeque<Vec<u8>>,
    id: u32,
}

impl Pipe {
    fn write(&mut self, octets: &[u8]) {
        let input = self.child.stdin.as_mut().unwrap();
        let _ = input.write_all(octets).and_then(|()| input.flush());
    }

    /// netconfd never answers a request that it reads together with a hello: asks until it answers.
    fn probe(&mut self) {
        for _ in 0..100 {
            let rpc = format!("<rpc xmlns=\"{BASE}\" message-id=\"{PROBE}\"><get><filter/></get></rpc>");
            let mut framed = Vec::new();
            Framing::Chunked.frame(rpc.as_bytes(), &mut framed);
            self.write(&framed);
            if self.next(SILENCE / 10).is_ok() {
                return;
            }
        }
        panic!("netconfd answers nothing");
    }

    /// The next message that does not answer a probe; `Err`: nothing comes.
    fn read(&mut self) -> Result<Option<Vec<u8>>, ()> {
        loop {
            let message = self.next(SILENCE)?;
            let is_of_probe = |it: &Vec<u8>| it.windows(PROBE.len()).any(|part| part == PROBE.as_bytes());
            if !message.as_ref().is_some_and(is_of_probe) {
                return Ok(message);
            }
        }
    }

    fn next(&mut self, time: Duration) -> Result<Option<Vec<u8>>, ()> {
        loop {
            if let Some(message) = self.input.pop_front() {
                return Ok(Some(message));
            }
            let piece = match self.pieces.recv_timeout(time) {
                Ok(piece) => piece,
                Err(RecvTimeoutError::Timeout) => return Err(()),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            };
            let mut rest = &piece[..];
            while let Some(message) = self.deframer.receive(&mut rest).unwrap() {
                self.input.push_back(message);
            }
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Either server.
enum Server {
    Ours(Agent),
    Netconfd(Netconfd),
}

/// A session with it.
enum Session {
    Ours(Box<Client>),
    Netconfd(Pipe),
}

impl Server {
    /// A session that has sent its hello, unless that is what the script sends.
    fn open(&self, name: &str, with_hello: bool) -> Session {
        let mut hello = Vec::new();
        // netconfd does not begin a session with a hello that has the newer version alone.
        let capabilities = vec![BASE_1_0.into(), BASE_1_1.into()];
        Hello { capabilities, session_id: None }.write(&mut hello);
        match self {
            Server::Ours(agent) => {
                let user = if name == "bob" { "bob" } else { "max" };
                let open = if with_hello { Client::open } else { Client::connect };
                Session::Ours(Box::new(open(agent, user)))
            }
            Server::Netconfd(netconfd) => {
                let mut pipe = netconfd.connect(if name == "bob" { "bob" } else { "root" });
                if with_hello {
                    let mut framed = Vec::new();
                    Framing::EndOfMessage.frame(&hello, &mut framed);
                    pipe.write(&framed);
                    pipe.deframer.switch(Framing::Chunked);
                    pipe.probe();
                }
                Session::Netconfd(pipe)
            }
        }
    }
}

impl Session {
    fn id(&self) -> u32 {
        match self {
            Session::Ours(client) => client.id(),
            Session::Netconfd(pipe) => pipe.id,
        }
    }

    /// Sends a step; the answer in a form that both servers have in common.
    fn answer(&mut self, kind: &str, content: &[u8]) -> String {
        let text = String::from_utf8_lossy(content);
        let text = text.trim_end().replace("{session}", &self.id().to_string());
        let mut octets = Vec::new();
        match kind {
            "raw" => octets.extend_from_slice(content),
            "hello" => Framing::EndOfMessage.frame(text.as_bytes(), &mut octets),
            "rpc" => Framing::Chunked.frame(text.as_bytes(), &mut octets),
            _ => {
                let rpc = format!("<rpc xmlns=\"{BASE}\" message-id=\"1\">{text}</rpc>");
                Framing::Chunked.frame(rpc.as_bytes(), &mut octets);
            }
        }
        let read = match self {
            Session::Ours(client) => {
                client.write(&octets);
                client.read_within(SILENCE).map_err(drop)
            }
            Session::Netconfd(pipe) => {
                pipe.write(&octets);
                pipe.read()
            }
        };
        match read {
            Ok(Some(message)) => normal(&message),
            Ok(None) => "closed".to_owned(),
            Err(()) => "silent".to_owned(),
        }
    }
}

/// An answer without what may differ: numbers of sessions, prefixes, texts for people, a server's own application tags, the order of
/// siblings, and the attributes that netconfd adds.
fn normal(message: &[u8]) -> String {
    let document = match Document::read(message, limits(64 << 20)) {
        Ok(document) => document,
        Err(error) => return format!("not XML: {error}"),
    };
    let root = document.root();
    let mut parts: Vec<String> = root
        .attributes()
        .iter()
        .filter(|it| !["message-id", "last-modified", "etag"].contains(&&*it.name))
        .map(|it| format!("@{}={}", it.name, it.value))
        .collect();
    let mut content: Vec<String> = root.children().map(part).collect();
    content.sort();
    parts.extend(content);
    if root.name() == "rpc-reply" {
        parts.join("; ")
    } else {
        format!("{}: {}", root.name(), parts.join("; "))
    }
}

fn part(element: Element<'_>) -> String {
    match element.name() {
        "rpc-error" => {
            let value = |name: &str| element.child(BASE, name).map(Element::value).unwrap_or_default();
            let app_tag = Some(value("error-app-tag")).filter(|it| OF_YANG.contains(it)).unwrap_or_default();
            let mut words = vec!["error", value("error-type"), value("error-tag"), app_tag];
            let info = element.child(BASE, "error-info");
            let info: Vec<String> = info
                .into_iter()
                .flat_map(Element::children)
                .filter(|it| it.namespace() == BASE)
                .map(|it| match it.name() {
                    "session-id" => "session-id".to_owned(),
                    name => format!("{name}={}", it.value().rsplit(':').next().unwrap_or_default()),
                })
                .collect();
            words.extend(info.iter().map(String::as_str));
            words.retain(|word| !word.is_empty());
            words.join(" ")
        }
        "data" => {
            let mut leaves = Vec::new();
            leaves_of(element, "", &mut leaves);
            leaves.sort();
            format!("data {}", leaves.join(" "))
        }
        name => name.to_owned(),
    }
}

fn leaves_of(element: Element<'_>, path: &str, leaves: &mut Vec<String>) {
    for child in element.children() {
        let path = format!("{path}/{}", child.name());
        match (child.has_children(), child.value()) {
            (true, _) => leaves_of(child, &path, leaves),
            (false, "") => leaves.push(path),
            (false, value) => leaves.push(format!("{path}={}", value.rsplit(':').next().unwrap_or_default())),
        }
    }
}

/// The answers to a script, by the names of its files.
fn play(server: &Server, steps: &[PathBuf]) -> Vec<(String, String)> {
    let mut sessions: BTreeMap<String, Session> = BTreeMap::new();
    let mut answers = Vec::new();
    for step in steps {
        let name = step.file_stem().unwrap().to_str().unwrap().to_owned();
        let kind = step.extension().unwrap().to_str().unwrap();
        let session = name.split_once('-').map_or("a", |(_, session)| session).to_owned();
        let opened =
            sessions.entry(session.clone()).or_insert_with(|| server.open(&session, kind != "hello"));
        let answer = opened.answer(kind, &fs::read(step).unwrap());
        answers.push((name, answer));
    }
    answers
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn both_servers_answer_alike_but_for_what_is_listed() {
    let is_there = [("netconfd", "netconfd"), ("netconf-subsystem", "netconfd")];
    if !is_there.iter().all(|(program, package)| has(program, package)) {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut scripts = files(&folder.join("netconf_script"));
    assert_eq!(scripts.len(), 15);
    // Those of the examples of the RFCs for which netconfd has the models and the operations.
    let examples = files(&folder.join("rfc_examples"));
    scripts.extend(examples.into_iter().filter(|example| !example.join("ours-alone").exists()));
    let mut wrong = Vec::new();
    for script in scripts {
        let steps: Vec<PathBuf> = files(&script).into_iter().filter(|it| is_step(it)).collect();
        let ours = play(&Server::Ours(agent("")), &steps);
        let listed = fs::read(script.join("differences.json")).unwrap_or_else(|_| b"{}".to_vec());
        let listed: Listed =
            serde_json::from_slice(&listed).unwrap_or_else(|error| panic!("{}: {error}", script.display()));
        let script = script.file_name().unwrap().to_str().unwrap();
        let mut left = TRIES;
        wrong.extend(loop {
            let (theirs, has_crashed) = play_on_netconfd(&steps);
            let found = unexpected(script, &ours, &theirs, listed.clone());
            left -= 1;
            if found.is_empty() || !has_crashed || left == 0 {
                break found;
            }
        });
    }
    assert!(wrong.is_empty(), "answers differ, or no longer differ as listed:\n{}", wrong.join("\n"));
}

fn is_step(file: &Path) -> bool {
    file.extension().is_some_and(|it| ["xml", "rpc", "hello", "raw"].iter().any(|kind| it == *kind))
}

/// Differences by the names of steps: both answers, who is right, and why.
type Listed = BTreeMap<String, BTreeMap<String, String>>;

/// netconfd 2.13 crashes now and then, on a pointer that is NULL: then the script is played again.
const TRIES: usize = 4;

/// Its answers, and whether it has ended on its own.
fn play_on_netconfd(steps: &[PathBuf]) -> (Vec<(String, String)>, bool) {
    let mut server = Server::Netconfd(Netconfd::start());
    let answers = play(&server, steps);
    let has_crashed = match &mut server {
        Server::Netconfd(netconfd) => netconfd.child.try_wait().unwrap().is_some(),
        Server::Ours(_) => false,
    };
    (answers, has_crashed)
}

/// What is not as listed.
fn unexpected(
    script: &str,
    ours: &[(String, String)],
    theirs: &[(String, String)],
    mut listed: Listed,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for ((step, ours), (_, theirs)) in ours.iter().zip(theirs) {
        let known = listed.remove(step);
        let has = |field: &str| known.as_ref().and_then(|it| it.get(field)).cloned().unwrap_or_default();
        let is_explained = ["ours", "netconfd", "both"].contains(&&*has("right"))
            && has("section").starts_with("RFC ")
            && !has("why").is_empty();
        let is_fine = match &known {
            None => ours == theirs,
            Some(_) => is_explained && ours != theirs && *ours == has("ours") && *theirs == has("netconfd"),
        };
        if !is_fine {
            wrong.push(format!("{script} {step}\n  ours:     {ours}\n  netconfd: {theirs}"));
        }
    }
    wrong.extend(listed.keys().map(|step| format!("{script} {step} is listed, but not a step")));
    wrong
}
