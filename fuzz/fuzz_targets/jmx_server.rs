//! A client's octets to the server's end of a connection: the same requests in pieces as whole, and a request is written as
//! a call that reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_jmx::jrmp::{Client, Endpoint, Event, Server, Uid};
use trunkline_jmx::remote::{Method, Reply, Request};
use trunkline_jmx::stream::Limits;

fuzz_target!(|octets: &[u8]| {
    // Most inputs have no handshake.
    let handshake = b"JRMI\0\x02K\0\0\0\0\0\0";
    let whole = serve(octets, octets.len());
    assert_eq!(serve(octets, 1), whole);
    let shaken = [&handshake[..], octets].concat();
    let whole = serve(&shaken, shaken.len());
    assert_eq!(serve(&shaken, 3), whole);
});

fn server() -> Server {
    let limits = Limits { octets: 1 << 16, values: 10_000, ..Limits::default() };
    Server::new(limits, Method::signature_of, local())
}

fn local() -> Endpoint {
    Endpoint { host: "host".to_owned(), port: 1 }
}

/// What the octets are, and what is answered.
fn serve(octets: &[u8], piece: usize) -> (Vec<String>, Vec<u8>) {
    let (mut server, mut out, mut events) = (server(), Vec::new(), Vec::new());
    for octets in octets.chunks(piece.max(1)) {
        server.push(octets);
        loop {
            match server.poll(&mut out) {
                Ok(None) => break,
                Ok(Some(Event::Call(call))) => {
                    let request = Request::decode(&call, Limits::default());
                    events.push(format!("{request:?}"));
                    match request {
                        Ok(request) => check(&request),
                        Err(error) => Reply::refusal(&error).encode(Uid::default(), &mut out),
                    }
                }
                Ok(Some(Event::Refused { header, error })) => {
                    assert!(server.is_over());
                    events.push(format!("{header:?} {error}"));
                    Reply::refusal(&error).encode(Uid::default(), &mut out);
                }
                Err(error) => {
                    assert!(server.is_over());
                    events.push(error.to_string());
                    break;
                }
            }
        }
        if server.is_over() {
            break;
        }
    }
    (events, out)
}

fn check(request: &Request) {
    let mut octets = Vec::new();
    let mut client = Client::new(Limits::default(), &local(), &mut octets);
    request.encode(&mut client, Default::default(), &mut octets);
    let mut server =
        Server::new(Limits { octets: 1 << 24, ..Limits::default() }, Method::signature_of, local());
    server.push(&octets);
    let Ok(Some(Event::Call(call))) = server.poll(&mut Vec::new()) else { panic!("{request:?}") };
    assert_eq!(Request::decode(&call, Limits::default()).as_ref(), Ok(request));
}
