//! SOAP and WSDL without I/O: envelope, operations, encodings, expressions.

pub mod expression;
