//! The Java Object Serialization Stream Protocol, both ways: a [`Reader`] that continues where its octets ended and knows
//! a fixed list of classes, the [`Graph`] that it makes, and a [`Writer`] straight into a buffer.
//!
//! Nothing here runs code that a stream chooses: a class is a name, a number and a list of fields.

mod class;
pub mod classes;
mod graph;
mod reader;
mod text;
mod writer;

pub use class::{Class, Field};
pub use graph::{Extra, Graph, Id, Node, Object, Part, Slot};
pub use reader::{Input, Item, Limits, Reader};
pub use writer::{Annotations, Writer};

pub(crate) use text::{decode_text, encode_text, encoded_length};

/// The grammar's terminals (Java Object Serialization Specification, section 6.4.2).
pub(crate) mod token {
    pub const NULL: u8 = 0x70;
    pub const REFERENCE: u8 = 0x71;
    pub const CLASS_DESC: u8 = 0x72;
    pub const OBJECT: u8 = 0x73;
    pub const STRING: u8 = 0x74;
    pub const ARRAY: u8 = 0x75;
    pub const CLASS: u8 = 0x76;
    pub const BLOCK_DATA: u8 = 0x77;
    pub const END_BLOCK_DATA: u8 = 0x78;
    pub const RESET: u8 = 0x79;
    pub const BLOCK_DATA_LONG: u8 = 0x7a;
    pub const EXCEPTION: u8 = 0x7b;
    pub const LONG_STRING: u8 = 0x7c;
    pub const PROXY_CLASS_DESC: u8 = 0x7d;
    pub const ENUM: u8 = 0x7e;
}

/// STREAM_MAGIC and STREAM_VERSION.
pub(crate) const HEADER: [u8; 4] = [0xac, 0xed, 0x00, 0x05];
/// The number of the first handle.
pub(crate) const FIRST_HANDLE: u32 = 0x7e_0000;
