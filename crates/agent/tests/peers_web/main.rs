//! Web services and others: zeep, node's soap and a client made with gSOAP call every operation of our WSDL, clients made
//! with Apache CXF some of each; our own
//! session by SOAP reads every table; xmllint checks every answer against our schemas. What they find is what SNMP says.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod calls;
mod cxf;
mod gsoap;
mod ours;
mod schemas;
mod scripts;
#[path = "../support/mod.rs"]
mod support;
mod web;
#[path = "../peers_secure/world.rs"]
#[allow(dead_code, reason = "the tests of secure sessions need more of it")]
mod world;
