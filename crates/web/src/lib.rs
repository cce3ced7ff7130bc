//! The agent's doors over HTTP, and the front that authenticates their requests and picks one of them.
//!
//! ```text
//! transport::http -> http: Front -> soap: operations on the tree
//!                                   select: selections by URL
//!                                   eventing: subscriptions to notifications (WS-Eventing)
//!                                   browser: the page for people, and its sessions
//!                                   other doors of the agent: RESTCONF, SNMP inside SOAP
//! ```

pub mod browser;
pub mod eventing;
pub mod http;
pub mod select;
pub mod soap;
