//! Requests whose answers are long, many at a time, of peers that read none of it: what is being written counts too.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::streams::connect_from;
use crate::support::talk::Talk;
use crate::support::{Agent, BOTH, PATIENCE};

/// Beside an idle agent: `waiting-output`, and what the growth of buffers may take for a moment.
const MORE: u64 = 96 << 20;

/// Every instance again and again: tens of megabytes of XML, if it is all written.
fn envelope() -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
         <GetNext xmlns='urn:trunkline:soap'><community>public</community>{}<count>40000</count></GetNext>\
         </e:Body></e:Envelope>",
        "<name>1.3</name>".repeat(25)
    )
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = &u32::try_from(payload.len()).unwrap().to_be_bytes()[1..];
    [length, &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A field without compression (RFC 7541 section 6.2.2).
fn field(name: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    [vec![0], text(name), text(value)].concat()
}

/// One connection of HTTP/2 with this many streams, each with that request.
fn streams(agent: &Agent, many: u32) -> TcpStream {
    let head = [
        vec![0x83, 0x86],
        field(":path", "/soap"),
        field(":authority", "127.0.0.1"),
        field("content-type", "text/xml"),
        field("soapaction", "\"\""),
    ]
    .concat();
    let mut all = [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &frame(4, 0, 0, &[])].concat();
    for stream in (0..many).map(|number| 2 * number + 1) {
        all.extend(frame(1, 4, stream, &head));
        all.extend(frame(0, 1, stream, envelope().as_bytes()));
    }
    let mut connection = TcpStream::connect(agent.address("http")).unwrap();
    connection.set_read_timeout(Some(PATIENCE)).unwrap();
    connection.write_all(&all).unwrap();
    connection
}

/// Reads until as many answers have begun, or the agent has closed the connection; how many have. The windows stay as
/// they are, so that little more than their heads comes.
fn heads(mut connection: &TcpStream, many: usize) -> usize {
    let (mut begun, mut head) = (0, [0; 9]);
    while begun < many && connection.read_exact(&mut head).is_ok() {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        if connection.read_exact(&mut vec![0; length]).is_err() {
            break;
        }
        begun += usize::from(head[3] == 1);
    }
    begun
}

fn with_http() -> Agent {
    Agent::start(&format!("{BOTH}[http]\nlisten = [\"http://127.0.0.1:0\"]\n"))
}

fn within(agent: &Agent, idle: u64) {
    Talk::to(agent).check(&[("2c public get sysServices.0", "noError 0 sysServices.0=i:76")]);
    let most = agent.most_resident();
    assert!(most < idle + MORE, "{} MB, idle {}", most >> 20, idle >> 20);
}

#[test]
fn answers_being_written_on_one_connection_are_bounded() {
    let agent = with_http();
    let idle = agent.resident();
    let connection = streams(&agent, 100);
    let begun = heads(&connection, 100);
    assert!(begun > 0, "some are answered, if only that there is no room");
    within(&agent, idle);
    assert!(agent.counted("http")["crowded_out"] > 0);
}

#[test]
fn answers_being_written_on_many_connections_are_bounded() {
    let agent = with_http();
    let idle = agent.resident();
    let body = envelope();
    let request = format!(
        "POST /soap HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nSOAPAction: \"\"\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let connections: Vec<TcpStream> = (0..64)
        .map(|number| {
            let mut stream = connect_from(agent.address("http"), 2 + number);
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    for mut connection in connections {
        // An answer begins, or the connection has given way.
        let _ = connection.read(&mut [0; 16]);
    }
    within(&agent, idle);
}
