//! Streams of Java's object serialization: the same in pieces as whole; a value that is read is written, and reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_jmx::Error;
use trunkline_jmx::model::{Decoder, Encoder, MarshalledObject, ObjectName, Value};
use trunkline_jmx::stream::{Annotations, Graph, Id, Input, Item, Limits, Reader, Writer};

fuzz_target!(|octets: &[u8]| {
    // Most inputs do not begin as streams.
    let octets =
        &[&[0xac, 0xed, 0, 5], octets.strip_prefix(&[0xac, 0xed, 0, 5]).unwrap_or(octets)].concat()[..];
    let limits = Limits { octets: 1 << 16, values: 10_000, ..Limits::default() };
    let whole = read(octets, limits, octets.len());
    for piece in [1, 7] {
        let pieces = read(octets, limits, piece);
        assert_eq!(format!("{:?}", pieces.0), format!("{:?}", whole.0));
        assert_eq!(format!("{:?}", pieces.1), format!("{:?}", whole.1));
    }
    for item in whole.0 {
        let Ok(Item::Value(id) | Item::Aborted(id)) = item else { continue };
        match Decoder::new(&whole.1, limits).value(id) {
            Ok(value) => check(&value),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});

fn read(octets: &[u8], limits: Limits, piece: usize) -> (Vec<Result<Item, Error>>, Graph) {
    let mut reader = Reader::new(limits);
    let mut items = Vec::new();
    let mut buffer = Vec::new();
    'pieces: for piece in octets.chunks(piece.max(1)) {
        buffer.extend_from_slice(piece);
        let mut input = Input::new(&buffer);
        loop {
            match reader.next(&mut input) {
                Ok(Some(item)) => items.push(Ok(item)),
                Ok(None) => break,
                Err(error) => {
                    items.push(Err(error));
                    break 'pieces;
                }
            }
        }
        let read = input.position();
        buffer.drain(..read);
    }
    (items, reader.into_graph())
}

fn check(value: &Value) {
    if let Value::Marshalled(inner) = value {
        let _ = inner.value(Limits::default());
    }
    if let Value::Name(name) = value {
        assert_eq!(name.canonical().parse::<ObjectName>().as_ref(), Ok(name));
        assert_ne!(name.matches(name), name.is_pattern());
    }
    let written = write(value);
    let limits = Limits { depth: 1000, ..Limits::REPLIES };
    let mut reader = Reader::new(limits);
    let mut input = Input::new(&written);
    let Ok(Some(Item::Value(id))) = reader.next(&mut input) else { panic!("what is written is not read") };
    assert!(input.rest().is_empty());
    let graph = reader.into_graph();
    let again = decode(&graph, id, limits);
    // Not the values, for NaN is not equal to itself.
    assert_eq!(write(&again), written);
    assert_eq!(MarshalledObject::new(&again), MarshalledObject::new(value));
}

fn decode(graph: &Graph, id: Option<Id>, limits: Limits) -> Value {
    Decoder::new(graph, limits).value(id).unwrap_or_else(|error| panic!("{error}"))
}

fn write(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, Annotations::Codebase);
    Encoder::new(&mut writer).value(value);
    writer.finish();
    out
}
