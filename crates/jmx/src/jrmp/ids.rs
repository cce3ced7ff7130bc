//! Identifiers: of objects, of virtual machines, of returns; and leases.

use std::fmt;

use crate::error::Error;
use crate::model::{Decoder, Encoder};
use crate::stream::classes::java;
use crate::stream::{Id, Slot};

/// `java.rmi.server.UID`: unique on its host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Uid {
    /// Of the process.
    pub unique: i32,
    /// When the process began with this series, in milliseconds since 1970.
    pub time: i64,
    /// Within the series.
    pub count: i16,
}

/// `java.rmi.server.ObjID`: an object of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjId {
    /// Its number.
    pub number: i64,
    /// The process in which the number was given.
    pub space: Uid,
}

/// `java.rmi.dgc.VMID`: a client, for leases.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Vmid {
    /// A hash of its host's address.
    pub address: Option<Vec<u8>>,
    /// Its process.
    pub uid: Uid,
}

/// `java.rmi.dgc.Lease`: for how long a client uses objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Milliseconds.
    pub duration: i64,
    /// The client; none if it has not said.
    pub client: Option<Vmid>,
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// A name or an address.
    pub host: String,
    /// A TCP port; 0 if it does not matter.
    pub port: i32,
}

impl Uid {
    pub(super) const LENGTH: usize = 14;

    pub(super) fn to_octets(self) -> [u8; Self::LENGTH] {
        let mut octets = [0; Self::LENGTH];
        octets[..4].copy_from_slice(&self.unique.to_be_bytes());
        octets[4..12].copy_from_slice(&self.time.to_be_bytes());
        octets[12..].copy_from_slice(&self.count.to_be_bytes());
        octets
    }

    pub(super) fn from_octets(octets: [u8; Self::LENGTH]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = octets;
        Uid {
            unique: i32::from_be_bytes([a, b, c, d]),
            time: i64::from_be_bytes([e, f, g, h, i, j, k, l]),
            count: i16::from_be_bytes([m, n]),
        }
    }
}

impl ObjId {
    /// The registry of a port.
    pub const REGISTRY: ObjId = ObjId { number: 0, space: Uid { unique: 0, time: 0, count: 0 } };
    /// The distributed garbage collector of a port.
    pub const DGC: ObjId = ObjId { number: 2, space: Uid { unique: 0, time: 0, count: 0 } };

    pub(super) const LENGTH: usize = 8 + Uid::LENGTH;

    pub(super) fn to_octets(self) -> [u8; Self::LENGTH] {
        let mut octets = [0; Self::LENGTH];
        octets[..8].copy_from_slice(&self.number.to_be_bytes());
        octets[8..].copy_from_slice(&self.space.to_octets());
        octets
    }

    pub(super) fn from_octets(octets: [u8; Self::LENGTH]) -> Self {
        let [a, b, c, d, e, f, g, h, space @ ..] = octets;
        ObjId { number: i64::from_be_bytes([a, b, c, d, e, f, g, h]), space: Uid::from_octets(space) }
    }

    /// From an object of a stream.
    pub(crate) fn read(decoder: &mut Decoder<'_>, id: Option<Id>) -> Result<Self, Error> {
        let fields = decoder.fields_of(id, &java::OBJ_ID)?.ok_or(NULL)?;
        match fields[..] {
            [Slot::Long(number), Slot::Reference(space)] => {
                Ok(ObjId { number, space: Uid::read(decoder, space)? })
            }
            _ => Err(NULL),
        }
    }

    /// As an object of a stream.
    pub(crate) fn write(self, encoder: &mut Encoder<'_, '_>) {
        encoder.writer.object(&java::OBJ_ID);
        encoder.writer.long(self.number);
        self.space.write(encoder);
    }
}

impl Uid {
    fn read(decoder: &mut Decoder<'_>, id: Option<Id>) -> Result<Self, Error> {
        let fields = decoder.fields_of(id, &java::UID)?.ok_or(NULL)?;
        match fields[..] {
            [Slot::Short(count), Slot::Long(time), Slot::Int(unique)] => Ok(Uid { unique, time, count }),
            // Its fields are in this order, for primitives are ordered by name.
            _ => Err(NULL),
        }
    }

    fn write(self, encoder: &mut Encoder<'_, '_>) {
        encoder.writer.object(&java::UID);
        encoder.writer.octets(&self.count.to_be_bytes());
        encoder.writer.long(self.time);
        encoder.writer.int(self.unique);
    }
}

impl Vmid {
    pub(crate) fn read(decoder: &mut Decoder<'_>, id: Option<Id>) -> Result<Option<Self>, Error> {
        let Some(fields) = decoder.fields_of(id, &java::VMID)? else { return Ok(None) };
        match fields[..] {
            [Slot::Reference(address), Slot::Reference(uid)] => {
                Ok(Some(Vmid { address: decoder.bytes(address)?, uid: Uid::read(decoder, uid)? }))
            }
            _ => Err(NULL),
        }
    }

    pub(crate) fn write(vmid: Option<&Self>, encoder: &mut Encoder<'_, '_>) {
        let Some(vmid) = vmid else { return encoder.writer.null() };
        encoder.writer.object(&java::VMID);
        encoder.bytes(vmid.address.as_deref());
        vmid.uid.write(encoder);
    }
}

impl Lease {
    pub(crate) fn read(decoder: &mut Decoder<'_>, id: Option<Id>) -> Result<Self, Error> {
        let fields = decoder.fields_of(id, &java::LEASE)?.ok_or(NULL)?;
        match fields[..] {
            [Slot::Long(duration), Slot::Reference(client)] => {
                Ok(Lease { duration, client: Vmid::read(decoder, client)? })
            }
            _ => Err(NULL),
        }
    }

    pub(crate) fn write(&self, encoder: &mut Encoder<'_, '_>) {
        encoder.writer.object(&java::LEASE);
        encoder.writer.long(self.duration);
        Vmid::write(self.client.as_ref(), encoder);
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

const NULL: Error = Error::Value { what: "null in an identifier" };
