//! `cargo xtask bench`: measured claims.
//!
//! A figure here is a ratio within one run, or a count; never a bare time.

mod agent;
mod codec;
mod fleet;
mod jmx;
mod netconf;
mod secure;
mod soap;

use crate::outcome::Outcome;
use crate::setup;
use crate::workspace::Workspace;

/// What can be measured.
#[derive(clap::Subcommand)]
pub enum Bench {
    /// Compare the agent with an echo server and Net-SNMP's agent.
    Agent(agent::Options),
    /// Compare SNMPv3 at authPriv with v2c and with Net-SNMP's agent.
    V3(agent::Options),
    /// Compare a subagent's table through our AgentX master with our own ifTable, and with Net-SNMP's agent as the master.
    Agentx(agent::Options),
    /// Compare a whole walk of a busy server, and its CPU with one poll a minute, with Net-SNMP's agent.
    Walk(agent::Options),
    /// Compare sessions over TLS, DTLS and SSH with plain transports, USM and OpenSSH.
    Secure(secure::Options),
    /// Compare web services with SNMP, and with a server made with gSOAP.
    Soap(soap::Options),
    /// Compare NETCONF with its SSH stack alone, and with netconfd.
    Netconf(netconf::Options),
    /// Compare a fleet that is asked once a second with what plain sockets carry.
    Fleet(fleet::Options),
    /// Compare JMX with the JDK's own server, asked by the JDK's client.
    Jmx(jmx::Options),
    /// Compare the instruction counts of the codec and of the manager's start with those kept in git.
    Codec(codec::Options),
}

/// Runs one benchmark.
pub fn run(workspace: &Workspace, bench: &Bench) -> Outcome {
    match bench {
        Bench::Agent(options) => agent::run(workspace, options, &[]),
        Bench::V3(options) => agent::run(workspace, options, &["--only", "v3-get", "--only", "v3-bulk"]),
        Bench::Agentx(options) => {
            setup::run(workspace, &setup::Options::for_tests())?;
            agent::run(workspace, options, &["--only", "agentx"])
        }
        Bench::Walk(options) => agent::run(workspace, options, &["--only", "server", "--only", "polls"]),
        Bench::Secure(options) => secure::run(workspace, options),
        Bench::Soap(options) => soap::run(workspace, options),
        Bench::Netconf(options) => netconf::run(workspace, options),
        Bench::Fleet(options) => fleet::run(workspace, options),
        Bench::Jmx(options) => jmx::run(workspace, options),
        Bench::Codec(options) => codec::run(workspace, options),
    }
}
