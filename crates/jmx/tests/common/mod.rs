//! What the tests of this room share: streams of one value.

#![allow(dead_code, reason = "each test file uses what it needs")]

use trunkline_jmx::Error;
use trunkline_jmx::model::{Decoder, Encoder, Value};
use trunkline_jmx::stream::{Annotations, Graph, Id, Input, Item, Limits, Reader, Writer};

/// The graph of a stream with one value, and that value.
pub fn graph(octets: &[u8], limits: Limits) -> Result<(Graph, Option<Id>), Error> {
    let mut input = Input::new(octets);
    let mut reader = Reader::new(limits);
    match reader.next(&mut input)?.ok_or(Error::Cut)? {
        Item::Value(id) if input.rest().is_empty() => Ok((reader.into_graph(), id)),
        _ => Err(Error::Trailing { octets: input.rest().len() }),
    }
}

/// The value of a stream.
pub fn read(octets: &[u8]) -> Result<Value, Error> {
    read_within(octets, Limits::default())
}

/// The same with other limits.
pub fn read_within(octets: &[u8], limits: Limits) -> Result<Value, Error> {
    let (graph, id) = graph(octets, limits)?;
    Decoder::new(&graph, limits).value(id)
}

/// A stream of a value.
pub fn write(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, Annotations::Codebase);
    Encoder::new(&mut writer).value(value);
    writer.finish();
    out
}
