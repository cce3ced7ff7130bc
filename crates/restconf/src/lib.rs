//! RESTCONF (RFC 8040) without I/O: what a request is about ([`target`], [`query`], [`paging`], [`media`]), what it changes ([`edit`] from a
//! [`body`] in JSON or XML, at which place ([`order`]), [`patch`] in several steps), and what the answer says ([`output`], [`refusal`]).

pub mod body;
pub mod edit;
pub mod json;
pub mod media;
pub mod operation;
pub mod order;
pub mod output;
pub mod paging;
pub mod patch;
pub mod query;
pub mod refusal;
pub mod tag;
pub mod target;

/// The namespace of `ietf-restconf`, whose name is also its module's.
pub const RESTCONF: &str = "urn:ietf:params:xml:ns:yang:ietf-restconf";
