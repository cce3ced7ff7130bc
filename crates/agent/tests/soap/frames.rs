//! Many requests on one connection: HTTP/1.1's, one after the other in one segment, and HTTP/2's, all at once.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::ask::envelope;
use super::doors::CONFIG;
use super::support::{Agent, connect};

/// A request, and what its answer must be.
struct Asked {
    body: String,
    status: u16,
    says: &'static str,
}

fn asked(body: &str, status: u16, says: &'static str) -> Asked {
    Asked { body: envelope(body), status, says }
}

/// The first takes longest, and one in the middle is refused.
fn all() -> Vec<Asked> {
    let get = |name: &str| {
        format!("<Get xmlns='urn:trunkline:soap'><community>public</community><name>{name}</name></Get>")
    };
    vec![
        asked(
            "<GetHrSWRunTable xmlns='urn:trunkline:mib:HOST-RESOURCES-MIB'><community>public</community>\
             </GetHrSWRunTable>",
            200,
            "<hrSWRunEntry>",
        ),
        asked(&get("sysServices.0"), 200, "<integer>76</integer>"),
        asked(&get("ifMtu.99999"), 500, "<kind>noSuchInstance</kind>"),
        asked(
            "<GetIfTable xmlns='urn:trunkline:lean'><community>public</community></GetIfTable>",
            200,
            "<h>ifIndex ifDescr",
        ),
        asked(&get("ifDescr.1"), 200, "<text>lo</text>"),
    ]
}

#[test]
fn requests_in_one_segment_are_answered_in_their_order() {
    let agent = Agent::start(CONFIG);
    let asked = all();
    let mut octets = String::new();
    for (at, Asked { body, .. }) in asked.iter().enumerate() {
        let close = if at + 1 == asked.len() { "connection: close\r\n" } else { "" };
        octets += &format!(
            "POST /soap HTTP/1.1\r\nhost: localhost\r\n{close}content-type: text/xml\r\nsoapaction: \"\"\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
    }
    for chunk in [octets.len(), 700] {
        let mut stream = connect(agent.address("http"));
        stream.set_nodelay(true).unwrap();
        octets.as_bytes().chunks(chunk).for_each(|part| stream.write_all(part).unwrap());
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
        let mut rest = String::from_utf8(rest).unwrap();
        for Asked { status, says, .. } in &asked {
            let (head, body) = rest.split_once("\r\n\r\n").expect("one more answer");
            assert_eq!(head[9..12].parse(), Ok(*status), "{head}");
            let length =
                head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
            let (body, behind) = body.split_at(length.parse().unwrap());
            assert!(body.contains(says), "{says} is not in {body}");
            rest = behind.to_owned();
        }
        assert_eq!(rest, "", "behind the last answer there is nothing");
    }
    let counted = agent.counted("http");
    assert_eq!((counted["accepted"], counted["requests"]), (2, 2 * asked.len() as u64), "{counted:?}");
}

#[test]
fn streams_of_http_2_are_answered_each_for_itself() {
    let agent = Agent::start(CONFIG);
    let asked = all();
    let mut wire = Frames::open(&agent);
    let streams: Vec<u32> = (0..asked.len() as u32).map(|at| 2 * at + 1).collect();
    // All heads come before any body, and the bodies from the last to the first, in two pieces each.
    for (stream, asked) in streams.iter().zip(&asked) {
        wire.send(HEADERS, END_HEADERS, *stream, &head(asked.body.len()));
    }
    for half in [0, 1] {
        for (stream, asked) in streams.iter().zip(&asked).rev() {
            let (first, second) = asked.body.as_bytes().split_at(asked.body.len() / 2);
            let (part, flags) = if half == 0 { (first, 0) } else { (second, END_STREAM) };
            wire.send(DATA, flags, *stream, part);
        }
    }
    let mut answers = vec![(0, Vec::new()); asked.len()];
    let mut open = asked.len();
    while open > 0 {
        let (kind, flags, stream, payload) = wire.receive();
        let Some(at) = streams.iter().position(|known| *known == stream) else { continue };
        match kind {
            HEADERS => answers[at].0 = status(&payload),
            DATA => {
                answers[at].1.extend_from_slice(&payload);
                wire.give_room(stream, payload.len());
            }
            other => panic!("a frame of type {other} on stream {stream}"),
        }
        open -= usize::from(flags & END_STREAM != 0);
    }
    for (asked, (status, body)) in asked.iter().zip(&answers) {
        let body = String::from_utf8_lossy(body);
        assert_eq!(*status, asked.status, "{body}");
        assert!(body.contains(asked.says), "{} is not in {body}", asked.says);
    }
    let counted = agent.counted("http");
    assert_eq!((counted["accepted"], counted["http2"]), (1, 1), "{counted:?}");
}

/// HTTP/2 as RFC 9113 has it, frame by frame.
struct Frames(TcpStream);

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const WINDOW_UPDATE: u8 = 8;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

impl Frames {
    fn open(agent: &Agent) -> Frames {
        let mut frames = Frames(connect(agent.address("http")));
        frames.0.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
        frames.send(SETTINGS, 0, 0, &[]);
        frames
    }

    fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let mut frame = vec![length[1], length[2], length[3], kind, flags];
        frame.extend_from_slice(&stream.to_be_bytes());
        frame.extend_from_slice(payload);
        self.0.write_all(&frame).unwrap();
    }

    fn receive(&mut self) -> (u8, u8, u32, Vec<u8>) {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).unwrap();
        let [a, b, c, kind, flags, d, e, f, g] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        self.0.read_exact(&mut payload).unwrap();
        (kind, flags, u32::from_be_bytes([d, e, f, g]), payload)
    }

    fn give_room(&mut self, stream: u32, octets: usize) {
        if octets > 0 {
            let octets = u32::try_from(octets).unwrap().to_be_bytes();
            self.send(WINDOW_UPDATE, 0, 0, &octets);
            self.send(WINDOW_UPDATE, 0, stream, &octets);
        }
    }
}

/// A request's fields by RFC 7541: what the static table has by its number, the rest in letters.
fn head(length: usize) -> Vec<u8> {
    // :method POST, :scheme http
    let mut block = vec![0x83, 0x86];
    let mut field = |name: &[u8], value: &str| {
        block.extend_from_slice(name);
        block.push(u8::try_from(value.len()).unwrap());
        block.extend_from_slice(value.as_bytes());
    };
    // :path, :authority, content-type and content-length by their numbers.
    field(&[0x04], "/soap");
    field(&[0x01], "localhost");
    field(&[0x0f, 0x10], "text/xml");
    field(&[0x0f, 0x0d], &length.to_string());
    field(b"\x00\x0asoapaction", "\"\"");
    block
}

/// The status, which the agent says first: by its number in the static table.
fn status(block: &[u8]) -> u16 {
    match block[0] {
        0x88 => 200,
        0x8c => 400,
        0x8e => 500,
        other => panic!("a head that begins with {other:#x}"),
    }
}
