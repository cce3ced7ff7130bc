//! The access policy: VACM's four tables (RFC 3415), roles, the guard that is compiled of them, and what it lets
//! through in requests.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

mod bypass;
mod decision;
mod explanation;
mod notification;
mod random;
mod roles;
mod rows;
