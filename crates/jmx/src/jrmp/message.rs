//! What calls and returns have in common: a stream of which it is known what follows, octets of blocks or objects.

use super::ids::ObjId;
use crate::error::Error;
use crate::stream::{Graph, Id, Input, Item, Limits, Reader};

/// The kind of a parameter or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No result.
    Void,
    /// `boolean`
    Boolean,
    /// `int`
    Int,
    /// `long`
    Long,
    /// An object, or null.
    Object,
}

/// An argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// No result.
    Void,
    /// `boolean`
    Boolean(bool),
    /// `int`
    Int(i32),
    /// `long`
    Long(i64),
    /// An object of the stream, or null.
    Object(Option<Id>),
}

/// What a method takes and returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its parameters.
    pub parameters: Vec<Kind>,
    /// Its result.
    pub result: Kind,
    /// Whether its arguments are not read, so that the connection is over after it.
    pub unread: bool,
}

impl Signature {
    /// From a descriptor of Java: `(Ljava/lang/String;J)Z`.
    pub fn of(descriptor: &str) -> Self {
        let (parameters, result) = descriptor.split_once(')').unwrap_or((descriptor, "V"));
        let mut kinds = Vec::new();
        let mut codes = parameters.bytes().skip(1);
        while let Some(code) = codes.next() {
            let mut element = code;
            while element == b'[' {
                element = codes.next().unwrap_or(0);
            }
            if element == b'L' {
                codes.by_ref().find(|code| *code == b';');
            }
            kinds.push(kind(code));
        }
        Signature { parameters: kinds, result: result.bytes().next().map_or(Kind::Void, kind), unread: false }
    }
}

fn kind(code: u8) -> Kind {
    match code {
        b'V' => Kind::Void,
        b'Z' => Kind::Boolean,
        b'I' => Kind::Int,
        b'J' => Kind::Long,
        _ => Kind::Object,
    }
}

/// What a call begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The object that is called.
    pub object: ObjId,
    /// The number of the operation; -1 since JDK 1.2 but for the registry and leases.
    pub operation: i32,
    /// The hash of the method, or of the interface if there is a number.
    pub hash: i64,
}

impl Header {
    const LENGTH: usize = ObjId::LENGTH + 12;

    pub(super) fn to_octets(self) -> [u8; Self::LENGTH] {
        let mut octets = [0; Self::LENGTH];
        octets[..ObjId::LENGTH].copy_from_slice(&self.object.to_octets());
        octets[ObjId::LENGTH..ObjId::LENGTH + 4].copy_from_slice(&self.operation.to_be_bytes());
        octets[ObjId::LENGTH + 4..].copy_from_slice(&self.hash.to_be_bytes());
        octets
    }

    pub(super) fn read(message: &mut Message, input: &mut Input<'_>) -> Result<Option<Self>, Error> {
        let Some(octets) = message.octets::<{ Header::LENGTH }>(input)? else { return Ok(None) };
        let (object, rest) = octets.split_first_chunk().ok_or(Error::Cut)?;
        let (operation, rest) = rest.split_first_chunk().ok_or(Error::Cut)?;
        let hash = rest.first_chunk().ok_or(Error::Cut)?;
        Ok(Some(Header {
            object: ObjId::from_octets(*object),
            operation: i32::from_be_bytes(*operation),
            hash: i64::from_be_bytes(*hash),
        }))
    }
}

/// A stream of which octets and objects are requested one by one.
#[derive(Debug)]
pub(super) struct Message {
    reader: Reader,
    /// Octets of blocks that nobody has taken.
    octets: Vec<u8>,
}

impl Message {
    pub fn new(limits: Limits) -> Self {
        Message { reader: Reader::new(limits), octets: Vec::new() }
    }

    pub fn set_limits(&mut self, limits: Limits) {
        self.reader.set_limits(limits);
    }

    pub fn into_graph(self) -> Graph {
        self.reader.into_graph()
    }

    /// Octets of blocks; none if more must arrive.
    pub fn octets<const N: usize>(&mut self, input: &mut Input<'_>) -> Result<Option<[u8; N]>, Error> {
        while self.octets.len() < N {
            match self.reader.next(input)? {
                Some(Item::Octets(octets)) if self.octets.is_empty() => self.octets = octets,
                Some(Item::Octets(octets)) => self.octets.extend(octets),
                Some(Item::Value(_)) => return Err(Error::kind("octets", "an object")),
                Some(Item::Aborted(id)) => return Err(self.aborted(id)),
                None => return Ok(None),
            }
        }
        let taken = self.octets.first_chunk().copied();
        self.octets.drain(..N);
        Ok(taken)
    }

    /// An argument of this kind; none if more must arrive.
    pub fn argument(&mut self, kind: Kind, input: &mut Input<'_>) -> Result<Option<Argument>, Error> {
        Ok(match kind {
            Kind::Void => Some(Argument::Void),
            Kind::Boolean => self.octets::<1>(input)?.map(|octets| Argument::Boolean(octets != [0])),
            Kind::Int => self.octets(input)?.map(|octets| Argument::Int(i32::from_be_bytes(octets))),
            Kind::Long => self.octets(input)?.map(|octets| Argument::Long(i64::from_be_bytes(octets))),
            Kind::Object => {
                self.end()?;
                match self.reader.next(input)? {
                    Some(Item::Value(id)) => Some(Argument::Object(id)),
                    Some(Item::Octets(_)) => return Err(Error::kind("an object", "octets")),
                    Some(Item::Aborted(id)) => return Err(self.aborted(id)),
                    None => None,
                }
            }
        })
    }

    /// No octets may be left.
    pub fn end(&self) -> Result<(), Error> {
        if self.octets.is_empty() { Ok(()) } else { Err(Error::Trailing { octets: self.octets.len() }) }
    }

    fn aborted(&self, id: Option<Id>) -> Error {
        let exception = crate::model::Decoder::new(self.reader.graph(), Limits::default()).exception(id);
        match exception {
            Ok(Some(exception)) => Error::Aborted {
                class: exception.class.name.to_owned(),
                message: exception.message.unwrap_or_default(),
            },
            _ => Error::Aborted { class: String::new(), message: String::new() },
        }
    }
}

/// Octets that have arrived and are not read.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    octets: Vec<u8>,
    read: usize,
}

impl Buffer {
    /// Where more octets are added.
    pub fn space(&mut self) -> &mut Vec<u8> {
        if self.is_empty() {
            // Between messages there may be nothing for long.
            *self = Buffer::default();
        } else if self.read > self.octets.len() / 2 {
            // What is read is dropped when it is more than what is left, so that each octet moves once on average.
            self.octets.drain(..self.read);
            self.read = 0;
        }
        &mut self.octets
    }

    pub fn is_empty(&self) -> bool {
        self.read == self.octets.len()
    }

    pub fn input(&self) -> Input<'_> {
        Input::new(&self.octets[self.read..])
    }

    pub fn advance(&mut self, octets: usize) {
        self.read += octets;
    }
}

/// An endpoint of the handshake, as octets.
pub(super) fn put_endpoint(endpoint: &super::Endpoint, out: &mut Vec<u8>) {
    let length = crate::stream::encoded_length(&endpoint.host);
    let host = if length > usize::from(u16::MAX) { "" } else { &endpoint.host };
    out.extend((crate::stream::encoded_length(host) as u16).to_be_bytes());
    crate::stream::encode_text(host, out);
    out.extend(endpoint.port.to_be_bytes());
}

/// An endpoint of the handshake; none if it has not arrived wholly.
pub(super) fn take_endpoint(input: &mut Input<'_>) -> Result<Option<super::Endpoint>, Error> {
    let Some(length) = input.ahead::<2>() else { return Ok(None) };
    let length = usize::from(u16::from_be_bytes(length));
    let Some(octets) = input.after(2, length + 4) else { return Ok(None) };
    let (host, port) = octets.split_at(length);
    let port = port.try_into().map_err(|_| Error::Cut)?;
    Ok(Some(super::Endpoint { host: crate::stream::decode_text(host)?, port: i32::from_be_bytes(port) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_takes_no_memory() {
        let mut buffer = Buffer::default();
        buffer.space().extend([1; 1000]);
        buffer.advance(600);
        // Most of it is read.
        assert_eq!(buffer.space().len(), 400);
        buffer.advance(100);
        assert_eq!(buffer.space().len(), 400);
        assert_eq!(buffer.input().rest(), [1; 300]);
        buffer.advance(300);
        assert_eq!(buffer.space().capacity(), 0);
        assert!(buffer.is_empty() && buffer.input().rest().is_empty());
    }
}
