//! The one XML reader, with limits, and the one writer, straight into a buffer.
//!
//! [`Reader`] pulls events from octets that strangers sent: XML 1.0 with namespaces, in UTF-8. It supports no
//! document type, so there are no entities except the five, and no entity bombs; everything else is limited by
//! [`Limits`]. Errors are an [`XmlError`] with line and column. [`Writer`] appends to a `Vec<u8>` and keeps
//! nothing else.
//!
//! ```
//! use trunkline_xml::{Limits, Reader, Writer, XmlError};
//!
//! fn shoes(octets: &[u8]) -> Result<Vec<(String, u8)>, XmlError> {
//!     let mut reader = Reader::new(octets, Limits::MESSAGE);
//!     let mut shoes = Vec::new();
//!     reader.expect("urn:shop", "shoes")?;
//!     while let Some(name) = reader.child()? {
//!         match name.of("urn:shop") {
//!             Some("shoe") => {
//!                 let colour = reader.attribute("", "colour").unwrap_or_default().into_owned();
//!                 let size = reader.leaf()?;
//!                 let size = size.trim().parse().map_err(|_| reader.invalid("a shoe's size", &size))?;
//!                 shoes.push((colour, size));
//!             }
//!             _ => return Err(reader.unexpected("shoe")),
//!         }
//!     }
//!     reader.finish()?;
//!     Ok(shoes)
//! }
//!
//! let mut buffer = Vec::new();
//! let mut writer = Writer::new(&mut buffer);
//! writer.start("s:shoes").attribute("xmlns:s", "urn:shop");
//! writer.start("s:shoe").attribute("colour", "black & white").text("43").end("s:shoe");
//! writer.end("s:shoes");
//! assert_eq!(shoes(&buffer)?, [("black & white".to_owned(), 43)]);
//! let error = shoes(b"<shoes xmlns='urn:shop'>\n  <hat/>\n</shoes>").unwrap_err();
//! assert_eq!(error.to_string(), "line 2, column 3: expected shoe, found hat");
//! # Ok::<(), XmlError>(())
//! ```

mod character;
mod error;
mod limits;
mod name;
mod reader;
mod writer;

pub use character::{NotText, as_text, is_text};
pub use error::{LimitKind, Position, XmlError, XmlErrorKind};
pub use limits::Limits;
pub use name::{Name, is_ncname};
pub use reader::{Attribute, Event, Reader};
pub use writer::Writer;

/// The namespace of `xsi:nil` and `xsi:type`.
pub const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The namespace of the types of XML Schema.
pub const XSD: &str = "http://www.w3.org/2001/XMLSchema";
