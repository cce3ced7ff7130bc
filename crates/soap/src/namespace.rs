//! The namespaces of envelopes, operations and types.

/// SOAP 1.1's envelope.
pub const SOAP_1_1: &str = "http://schemas.xmlsoap.org/soap/envelope/";
/// SOAP 1.1's encoding rules, used by the `as-in-paper` encoding.
pub const SOAP_1_1_ENCODING: &str = "http://schemas.xmlsoap.org/soap/encoding/";
/// SOAP 1.2's envelope.
pub const SOAP_1_2: &str = "http://www.w3.org/2003/05/soap-envelope";
/// The actor of SOAP 1.1 for the next receiver.
pub const ACTOR_NEXT: &str = "http://schemas.xmlsoap.org/soap/actor/next";
/// The role of SOAP 1.2 for the next receiver.
pub const ROLE_NEXT: &str = "http://www.w3.org/2003/05/soap-envelope/role/next";
/// The role of SOAP 1.2 for the last receiver.
pub const ROLE_ULTIMATE: &str = "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver";
/// XML Schema.
pub const XSD: &str = "http://www.w3.org/2001/XMLSchema";
/// Attributes of instances of XML Schema.
pub const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
/// WSDL 1.1.
pub const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
/// WSDL 1.1's binding to SOAP 1.1.
pub const WSDL_SOAP: &str = "http://schemas.xmlsoap.org/wsdl/soap/";
/// WSDL 1.1's binding to SOAP 1.2.
pub const WSDL_SOAP_1_2: &str = "http://schemas.xmlsoap.org/wsdl/soap12/";

/// Operations on any object (`Get`, `GetNext`, `Set`), and the detail of faults.
pub const GENERIC: &str = "urn:trunkline:soap";
/// Before a module's name: the operations and types of that module.
pub const MODULE_PREFIX: &str = "urn:trunkline:mib:";
/// All operations in the `lean` encoding.
pub const LEAN: &str = "urn:trunkline:lean";
/// All operations in the `as-in-paper` encoding (Pras 2005, figures 8 to 10).
pub const PAPER: &str = "urn:UTMON";

/// The namespace of a module's operations and types: `urn:trunkline:mib:IF-MIB`.
pub fn of_module(name: &str) -> String {
    format!("{MODULE_PREFIX}{name}")
}
