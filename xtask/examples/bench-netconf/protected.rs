//! What protection costs: `get-config` with encryption, signature, role and compression over plain TCP, compared with the same without any of
//! it. The client has sealed its requests before the clock runs, and counts replies, so that the figure is the agent's.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant, SystemTime};

use serde_json::json;
use trunkline_client::netconf::protocol::compression::{Algorithm, inflate};
use trunkline_client::netconf::security::{
    Found, KeyName, Keys, Limits, Nonce, Protection, Replay, RoleKeys, SealKeys, Time, UserKeys, open, seal,
};

use crate::report::{Bar, Report, median, ratio};
use crate::servers::{Server, USER};
use crate::small::timed;
use crate::{Failure, Measured, Options};

const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
const SECURITY: &str = "urn:trunkline:params:netconf:capability:xml-security:1.0";
const COMPRESSION: &str = "urn:trunkline:params:netconf:capability:compression:1.0?algorithms=zstd";
const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";
const NACM: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-acm";

/// Requests of a round.
const REQUESTS: usize = 5000;
/// Of these so many are under way.
const WINDOW: usize = 8;
/// Users in the larger configuration.
const USERS: usize = 100;

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    let agent = Server::ours(options, "")?;
    let mut ours = agent.over_ssh(USER)?;
    let users: String = (0..USERS).map(|at| format!("<user-name>user-{at:03}</user-name>")).collect();
    ours.ask(&format!(
        "<edit-config><target><running/></target><config>\
         <keys xmlns=\"urn:trunkline:yang:keys\"><role><name>all</name><epoch><number>1</number>\
         <authentication-key>{key}</authentication-key><encryption-key>{key}</encryption-key></epoch></role></keys>\
         <nacm xmlns=\"{NACM}\"><groups><group><name>all</name>{users}</group></groups></nacm>\
         <system xmlns=\"{SYSTEM}\"><contact>ops</contact></system></config></edit-config>",
        key = ["07"; 16].join(":")
    ))?;
    let filtered = |filter: String| {
        format!("<get-config><source><running/></source><filter>{filter}</filter></get-config>")
    };
    let small = filtered(format!("<system xmlns=\"{SYSTEM}\"><contact/></system>"));
    let large = filtered(format!("<nacm xmlns=\"{NACM}\"><groups/></nacm>"));
    for (what, request, expected) in
        [("a leaf", &small, "<contact>ops</contact>"), ("100 users", &large, "user-099")]
    {
        let (mut plain, mut sealed) = (Peer::plain(&agent)?, Peer::protected(&agent)?);
        let octets = [plain.ask(request, expected)?, sealed.ask(request, expected)?];
        let name = format!("get-config of {what} with all protection, times plain");
        let mut rates = [vec![], vec![]];
        let mut cpu = [vec![], vec![]];
        for round in 1..=options.rounds {
            let first = round as usize % 2;
            for which in [first, 1 - first] {
                let peer = if which == 0 { &mut sealed } else { &mut plain };
                let requests = peer.prepared(request, REQUESTS)?;
                let (seconds, ns) = timed(&agent, || peer.load(&requests))?;
                rates[which].push(REQUESTS as f64 / seconds);
                cpu[which].push(ns / 1000.0 / REQUESTS as f64);
            }
            report.progress(&name, round, options.rounds);
        }
        report.add(&name, Bar::AtLeast(0.5), &ratio(&rates[0], &rates[1]));
        if what == "a leaf" {
            report.count(format!("{name}: its rate"), "/s", Bar::AtLeast(5000.0), median(&rates[0]));
        }
        report.note(format!(
            "{name}: {:.0} a second at {:.1} us of the agent's CPU and {} octets compared with {:.0} at {:.1} us and {}",
            median(&rates[0]),
            median(&cpu[0]),
            octets[1],
            median(&rates[1]),
            median(&cpu[1]),
            octets[0]
        ));
        report.keep(&name, json!({ "rates": rates, "cpu_us": cpu }));
    }
    Ok(())
}

/// A client over plain TCP, with chunked framing.
struct Peer {
    stream: TcpStream,
    protection: Option<Box<Protecting>>,
    input: Vec<u8>,
}

struct Protecting {
    replay: Replay,
    name: KeyName,
    keys: UserKeys,
}

impl Keys for Protecting {
    fn find(&self, _: &KeyName, _: &Protection) -> Option<Found> {
        Some(Found::Shared(self.keys.clone()))
    }
}

impl Protecting {
    fn seal(&mut self, content: &[u8]) -> Result<Vec<u8>, Failure> {
        let header = self.replay.next(None, Time::from(SystemTime::now()));
        let entropy = u128::from(header.number).to_be_bytes();
        let keys = SealKeys::shared(&self.name, &self.keys);
        let mut message = Vec::new();
        seal(&header, content, &keys, Protection::default(), &entropy, &mut message)?;
        Ok(message)
    }
}

impl Peer {
    fn plain(agent: &Server) -> Result<Peer, Failure> {
        Ok(Peer::hello(agent, "")?.0)
    }

    fn protected(agent: &Server) -> Result<Peer, Failure> {
        // It need not be new here: nobody else is on this machine's loopback.
        let ours = Nonce([7; 16]);
        let security = format!("{SECURITY}?nonce={}", ours.to_hex());
        let more = [&*security, COMPRESSION].map(|it| format!("<capability>{it}</capability>")).concat();
        let (mut peer, theirs) = Peer::hello(agent, &more)?;
        let nonce =
            theirs.split_once("?nonce=").and_then(|(_, rest)| rest.get(..32)).and_then(Nonce::from_hex);
        let nonce = nonce.ok_or("no nonce")?;
        let name: KeyName = "all/1/bench".parse()?;
        let keys = RoleKeys::new(&[7; 16], &[7; 16])?.of_user(name.user());
        let replay = Replay::of_client(ours, nonce);
        let mut protecting = Box::new(Protecting { replay, name, keys });
        let hello = protecting.seal(hello(&more).as_bytes())?;
        peer.protection = Some(protecting);
        peer.stream.write_all(&chunk(&hello))?;
        peer.opened()?;
        Ok(peer)
    }

    fn hello(agent: &Server, more: &str) -> Result<(Peer, String), Failure> {
        let mut stream = TcpStream::connect(agent.tcp()?)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        stream.write_all(format!("{}]]>]]>", hello(more)).as_bytes())?;
        let mut theirs = Vec::new();
        let mut piece = [0; 4096];
        while !theirs.ends_with(b"]]>]]>") {
            let read = stream.read(&mut piece)?;
            if read == 0 {
                return Err("the agent has no hello".into());
            }
            theirs.extend_from_slice(&piece[..read]);
        }
        Ok((Peer { stream, protection: None, input: Vec::new() }, String::from_utf8(theirs)?))
    }

    /// So many requests, framed, and sealed if messages are protected.
    fn prepared(&mut self, operation: &str, count: usize) -> Result<Vec<Vec<u8>>, Failure> {
        let rpc = format!("<rpc xmlns=\"{BASE}\" message-id=\"1\">{operation}</rpc>");
        let one = |_| match &mut self.protection {
            Some(protection) => protection.seal(rpc.as_bytes()).map(|it| chunk(&it)),
            None => Ok(chunk(rpc.as_bytes())),
        };
        (0..count).map(one).collect()
    }

    /// One request whose reply must have something; the octets of both.
    fn ask(&mut self, operation: &str, expected: &str) -> Result<usize, Failure> {
        let request = self.prepared(operation, 1)?.concat();
        self.stream.write_all(&request)?;
        let (message, octets) = self.opened()?;
        let text = String::from_utf8(message)?;
        if !text.contains(expected) {
            return Err(format!("expected {expected}, found {text}").into());
        }
        Ok(request.len() + octets)
    }

    /// Seconds for all of them.
    fn load(&mut self, requests: &[Vec<u8>]) -> Result<f64, Failure> {
        let (mut sent, mut answered, mut state) = (0, 0, 0);
        let mut piece = vec![0; 1 << 17];
        let begin = Instant::now();
        while answered < requests.len() {
            let until = (answered + WINDOW).min(requests.len());
            if sent < until {
                self.stream.write_all(&requests[sent..until].concat())?;
                sent = until;
            }
            let read = self.stream.read(&mut piece)?;
            if read == 0 {
                return Err("the agent has closed the session".into());
            }
            answered += ends(&piece[..read], &mut state);
        }
        Ok(begin.elapsed().as_secs_f64())
    }

    /// The content of the next message, and its octets as it is framed. After [`load`](Self::load) numbers would be missing.
    fn opened(&mut self) -> Result<(Vec<u8>, usize), Failure> {
        let (message, octets) = self.message()?;
        let Some(protection) = &mut self.protection else { return Ok((message, octets)) };
        let opened = open(&message, &Limits::MESSAGE, &**protection)?;
        protection.replay.accept(&opened.header, Time::from(SystemTime::now()))?;
        let content = match opened.header.compression {
            Some(_) => inflate(Algorithm::Zstd, &opened.content, 1 << 20)?,
            None => opened.content,
        };
        Ok((content, octets))
    }

    /// The next message, without its framing: a few chunks.
    fn message(&mut self) -> Result<(Vec<u8>, usize), Failure> {
        let mut piece = [0; 4096];
        while !self.input.ends_with(b"\n##\n") {
            let read = self.stream.read(&mut piece)?;
            if read == 0 {
                return Err("the agent has closed the session".into());
            }
            self.input.extend_from_slice(&piece[..read]);
        }
        let all = std::mem::take(&mut self.input);
        let (octets, mut rest, mut message) = (all.len(), &all[..], Vec::new());
        while let Some(header) = rest.strip_prefix(b"\n#").filter(|it| !it.starts_with(b"#")) {
            let end = header.iter().position(|it| *it == b'\n').ok_or("no chunk")?;
            let length: usize = std::str::from_utf8(&header[..end])?.parse()?;
            message.extend_from_slice(header.get(end + 1..end + 1 + length).ok_or("a short chunk")?);
            rest = &header[end + 1 + length..];
        }
        Ok((message, octets))
    }
}

fn hello(more: &str) -> String {
    format!(
        "<hello xmlns=\"{BASE}\"><capabilities><capability>urn:ietf:params:netconf:base:1.1</capability>{more}\
         </capabilities></hello>"
    )
}

fn chunk(message: &[u8]) -> Vec<u8> {
    [format!("\n#{}\n", message.len()).as_bytes(), message, b"\n##\n"].concat()
}

/// How many messages end in a piece; XML and base64 have no `\n##\n`.
fn ends(piece: &[u8], state: &mut usize) -> usize {
    const END: &[u8; 4] = b"\n##\n";
    let mut found = 0;
    for octet in piece {
        *state = match *octet == END[*state] {
            true => *state + 1,
            false => usize::from(*octet == b'\n'),
        };
        if *state == END.len() {
            // The line feed may begin the next one.
            (found, *state) = (found + 1, 0);
        }
    }
    found
}
