//! The groups over sockets, /proc and /sys: a recorded machine with known answers, this
//! machine as every provider sees it, and this machine as Net-SNMP's agent sees it.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

mod battery;
mod bridge;
mod entity;
mod flat;
mod programs;
mod recorded;
mod snmpd;
mod tcp_estats;
