//! A server's octets to the client's end of a connection, as the return of a method: the same in pieces as whole; a reply is
//! written as a return that reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_jmx::jrmp::{Client, Endpoint, Header, Uid};
use trunkline_jmx::remote::{Method, Reply};
use trunkline_jmx::stream::Limits;

const ACKNOWLEDGEMENT: &[u8] = b"\x4e\0\0\0\0\0\0";

fuzz_target!(|octets: &[u8]| {
    let Some((first, octets)) = octets.split_first() else { return };
    let Some(method) = Method::all().nth(usize::from(*first)) else { return };
    let octets = [ACKNOWLEDGEMENT, octets].concat();
    let limits = Limits { octets: 1 << 16, values: 10_000, ..Limits::default() };
    let whole = read(method, &octets, octets.len(), limits);
    assert_eq!(format!("{:?}", read(method, &octets, 1, limits)), format!("{whole:?}"));
    if let Ok(Some(reply)) = whole {
        let mut written = ACKNOWLEDGEMENT.to_vec();
        reply.encode(Uid::default(), &mut written);
        let limits = Limits { depth: 1000, ..Limits::REPLIES };
        let again = read(method, &written, written.len(), limits);
        assert_eq!(format!("{again:?}"), format!("{:?}", Ok::<_, trunkline_jmx::Error>(Some(reply))));
    }
});

fn read(
    method: Method,
    octets: &[u8],
    piece: usize,
    limits: Limits,
) -> Result<Option<Reply>, trunkline_jmx::Error> {
    let local = Endpoint { host: String::new(), port: 0 };
    let mut client = Client::new(limits, &local, &mut Vec::new());
    let (operation, hash) = method.number();
    let header = Header { object: Default::default(), operation, hash };
    client.call(&mut Vec::new(), header, method.signature().result, |_| {});
    for octets in octets.chunks(piece.max(1)) {
        client.push(octets);
        if let Some(returned) = client.poll()? {
            return match returned.outcome {
                trunkline_jmx::jrmp::Outcome::PingAck => Ok(None),
                _ => Reply::decode(method, &returned, limits).map(Some),
            };
        }
    }
    Ok(None)
}
