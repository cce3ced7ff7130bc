//! `cargo xtask bench`: measured claims.
//!
//! A figure here is a ratio within one run, or a count; never a bare time.

mod agent;
mod codec;
mod secure;
mod soap;

use crate::outcome::Outcome;
use crate::workspace::Workspace;

/// What can be measured.
#[derive(clap::Subcommand)]
pub enum Bench {
    /// The agent beside an echo server and Net-SNMP's agent.
    Agent(agent::Options),
    /// The agent at SNMPv3's authPriv beside itself at v2c and Net-SNMP's agent.
    V3(agent::Options),
    /// Sessions over TLS, DTLS and SSH beside plain transports, SNMPv3's users and OpenSSH.
    Secure(secure::Options),
    /// Web services beside SNMP, and beside a server made with gSOAP.
    Soap(soap::Options),
    /// The codec's instruction counts beside those kept in git.
    Codec(codec::Options),
}

/// Runs one benchmark.
pub fn run(workspace: &Workspace, bench: &Bench) -> Outcome {
    match bench {
        Bench::Agent(options) => agent::run(workspace, options, &[]),
        Bench::V3(options) => agent::run(workspace, options, &["--only", "v3-get", "--only", "v3-bulk"]),
        Bench::Secure(options) => secure::run(workspace, options),
        Bench::Soap(options) => soap::run(workspace, options),
        Bench::Codec(options) => codec::run(workspace, options),
    }
}
