//! NETCONF: a stream in pieces is cut as the whole one is, within its limit; a hello or a request is read or refused, what is read
//! can be written and reads the same, and every reply is XML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::framing::{Deframer, Framing, FramingError};
use trunkline_netconf::hello::Hello;
use trunkline_netconf::operation::Operation;
use trunkline_netconf::reply::FromServer;
use trunkline_netconf::rpc::{NotRpc, Rpc, malformed};
use trunkline_netconf::schema;

/// Small enough to be reached.
const MOST: usize = 3000;

fn cut(framing: Framing, stream: &[u8], piece: usize) -> (Vec<Vec<u8>>, Option<FramingError>) {
    let mut deframer = Deframer::new(MOST);
    deframer.switch(framing);
    let mut messages = Vec::new();
    for mut piece in stream.chunks(piece) {
        while !piece.is_empty() {
            match deframer.receive(&mut piece) {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => assert!(piece.is_empty()),
                Err(error) => return (messages, Some(error)),
            }
        }
    }
    (messages, None)
}

fn reply(message: &[u8]) {
    let mut output = Vec::new();
    match Rpc::read(message, MOST) {
        Ok(rpc) => match Operation::read(rpc.operation()) {
            Ok(operation) => {
                assert!(!operation.name().is_empty());
                rpc.ok(&mut output);
            }
            Err(error) => rpc.errors(&[error], &mut output),
        },
        Err(NotRpc::Refused(both)) => both.0.errors(&[both.1], &mut output),
        Err(NotRpc::Malformed(error)) => malformed(&error, &mut output),
        Err(NotRpc::Namespace { reply }) => output = reply,
        Err(NotRpc::Other { .. }) => return,
    }
    // The reply repeats the attributes of the request, with those that declare its prefix.
    let Ok(FromServer::Reply(read)) = FromServer::read(&output, 1 << 20) else {
        panic!("{}", String::from_utf8_lossy(&output));
    };
    let _ = read.errors().map(|error| error.to_string()).collect::<Vec<_>>();
}

fuzz_target!(|input: &[u8]| {
    let Some((first, stream)) = input.split_first() else { return };
    let framing = if first % 2 == 0 { Framing::EndOfMessage } else { Framing::Chunked };
    let (messages, error) = cut(framing, stream, stream.len().max(1));
    let (in_pieces, error_in_pieces) = cut(framing, stream, 1 + usize::from(first / 2 % 16));
    assert_eq!((&messages, error.is_some()), (&in_pieces, error_in_pieces.is_some()));
    for message in messages.iter().map(Vec::as_slice).chain([stream]) {
        if let Ok(hello) = Hello::read(message) {
            let mut written = Vec::new();
            hello.write(&mut written);
            assert_eq!(Hello::read(&written), Ok(hello));
        }
        if let Ok(document) = Document::read(message, limits(MOST)) {
            assert!(!document.root().name().is_empty());
            let _ = schema::check(document.root());
        }
        let _ = FromServer::read(message, MOST);
        reply(message);
    }
});
