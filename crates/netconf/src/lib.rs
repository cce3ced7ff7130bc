//! NETCONF (RFC 6241) without I/O, for both ends: octets in, octets out.
//!
//! From outside in: [`framing`] cuts a stream into messages (RFC 6242), which [`compression`] may have made shorter, [`hello`] opens a session, [`document`] holds one message as
//! elements, [`rpc`] reads a request and begins its reply, [`operation`], [`nmda`] and [`push`] read what is asked, [`schema`] checks a message against the schema of the protocol, [`error`] is an `rpc-error` in both
//! directions, [`reply`] reads an answer, [`subtree`] is what a filter selects, [`data`] writes the nodes that were found,
//! [`request`] writes what a client asks, [`needs`] says what a server must announce for it, [`objects`] is how it requests objects of MIB modules and reads them, [`path`] how people
//! write what they want, by the names of [`modules`], [`leaves`] and [`json`] how they read what there is,
//! and [`over_http`] how the same is requested by RESTCONF. What an operation does stands elsewhere.

pub mod assign;
pub mod compression;
pub mod data;
pub mod document;
pub mod error;
pub mod framing;
pub mod hello;
pub mod json;
pub mod leaves;
pub mod modules;
pub mod needs;
pub mod nmda;
pub mod objects;
pub mod operation;
pub mod over_http;
pub mod path;
pub mod push;
pub mod reply;
pub mod request;
pub mod rpc;
pub mod schema;
pub mod subtree;

/// The namespace of NETCONF's messages and operations (RFC 6241 section 3.1).
pub const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
/// The namespace of `create-subscription` and of `notification` (RFC 5277 section 4).
pub const NOTIFICATION: &str = "urn:ietf:params:xml:ns:netconf:notification:1.0";
/// The namespace of `get-schema` and the state of sessions (RFC 6022 section 5).
pub const MONITORING: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";
/// The namespace of `with-defaults` (RFC 6243 section 5).
pub const WITH_DEFAULTS: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults";
/// The namespace of `partial-lock` (RFC 5717 section 4).
pub const PARTIAL_LOCK: &str = "urn:ietf:params:xml:ns:netconf:partial-lock:1.0";
/// The namespace of `get-data` and `edit-data` (RFC 8526 section 4).
pub const NMDA: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-nmda";
/// The namespace of YANG's own elements in errors, and of `insert` and `key` in edits (RFC 7950 section 15).
pub const YANG: &str = "urn:ietf:params:xml:ns:yang:1";
/// The namespace of subscriptions (RFC 8639 section 4).
pub const SUBSCRIBED: &str = "urn:ietf:params:xml:ns:yang:ietf-subscribed-notifications";
/// The namespace of subscriptions to datastores (RFC 8641 section 5).
pub const PUSH: &str = "urn:ietf:params:xml:ns:yang:ietf-yang-push";
/// The namespace of `list-pagination` in requests (draft-ietf-netconf-list-pagination-nc-11).
pub const PAGINATION: &str = "urn:ietf:params:xml:ns:yang:ietf-list-pagination-nc";
/// The namespace of the attribute `role` of `rpc`: the role that a request is on behalf of.
pub const RBAC: &str = "urn:trunkline:params:xml:ns:rbac:1.0";
/// The capability of messages that protect themselves, with the nonce of the session as parameter (docs/wire/protected.md).
pub const PROTECTION: &str = "urn:trunkline:params:netconf:capability:xml-security:1.0";
/// The capability of a server that accepts protected messages without a session of their own, with its name as parameter.
pub const STORED_MESSAGES: &str = "urn:trunkline:params:netconf:capability:stored-messages:1.0";
/// The capability of requests on behalf of a role: the server knows [`RBAC`].
pub const ROLES: &str = "urn:trunkline:params:netconf:capability:roles:1.0";
/// The same of RESTCONF: the server knows the header `Trunkline-Role`.
pub const RESTCONF_ROLES: &str = "urn:trunkline:params:restconf:capability:roles:1.0";
/// The namespaces in which there are operations, parameters or messages.
pub const NAMESPACES: [&str; 9] =
    [BASE, NOTIFICATION, MONITORING, WITH_DEFAULTS, PARTIAL_LOCK, NMDA, SUBSCRIBED, PUSH, PAGINATION];
