//! SOAP and WSDL without I/O: envelope, operations, encodings, expressions.

pub mod answer;
pub mod catalog;
pub mod encoding;
pub mod envelope;
pub mod eventing;
pub mod expression;
pub mod fault;
pub mod lexical;
pub mod namespace;
mod near;
pub mod number;
pub mod operation;

pub use trunkline_xml::Limits;
pub mod wsdl;
pub mod xsd;
