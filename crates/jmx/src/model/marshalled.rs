//! `java.rmi.MarshalledObject`: a value in a stream of its own, which is read only where it is wanted.

use super::{Decoder, Encoder, Value};
use crate::error::Error;
use crate::stream::{Annotations, Input, Item, Limits, Reader, Writer};

/// A value in a stream of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarshalledObject {
    /// The stream; none for null.
    pub object: Option<Vec<u8>>,
    /// The codebases of its classes, which are never used.
    pub location: Option<Vec<u8>>,
    /// A hash of the stream.
    pub hash: i32,
}

impl MarshalledObject {
    /// From a value.
    pub fn new(value: &Value) -> Self {
        if *value == Value::Null {
            return MarshalledObject { object: None, location: None, hash: 13 };
        }
        let mut stream = Vec::new();
        let mut writer = Writer::new(&mut stream, Annotations::None);
        Encoder::new(&mut writer).value(value);
        writer.finish();
        let hash = stream.iter().fold(0_i32, |hash, octet| {
            hash.wrapping_mul(31).wrapping_add(i32::from(i8::from_be_bytes([*octet])))
        });
        MarshalledObject { object: Some(stream), location: None, hash }
    }

    /// The value.
    ///
    /// # Errors
    /// If the stream is not that of one value of the classes that are listed.
    pub fn value(&self, limits: Limits) -> Result<Value, Error> {
        let Some(stream) = &self.object else { return Ok(Value::Null) };
        let mut input = Input::new(stream);
        let mut reader = Reader::new(limits);
        let value = match reader.next(&mut input)?.ok_or(Error::Cut)? {
            Item::Value(value) => value,
            Item::Octets(_) | Item::Aborted(_) => return Err(Error::kind("a value", "octets")),
        };
        if !input.rest().is_empty() {
            return Err(Error::Trailing { octets: input.rest().len() });
        }
        Decoder::new(reader.graph(), limits).value(value)
    }
}
