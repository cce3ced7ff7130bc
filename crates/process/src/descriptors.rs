//! Descriptors for as many connections as the configuration allows, and a reserve that no connection gets, for
//! reading /proc, asking the kernel and writing to disk, whoever connects.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use trunkline_transport::{Resources, Transport};

use trunkline_config::Plan;

/// Raises the soft limit of descriptors to what the configuration may need, as far as the hard limit allows, and keeps
/// some from connections. What does not fit is logged.
pub fn provide(plan: &Plan, resources: &Resources) {
    let needed = needed(plan);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let (soft, hard) = (current.unwrap_or(u64::MAX), maximum.unwrap_or(u64::MAX));
    let mut limit = soft.max(needed.min(hard));
    if limit > soft
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(limit), maximum })
    {
        tracing::warn!(%error, soft, wanted = limit, "cannot raise the soft limit of descriptors");
        limit = soft;
    }
    resources.keep_descriptors(limit, RESERVE);
    if limit < needed {
        tracing::warn!(
            needed,
            limit,
            "there are fewer descriptors than connections may need: raise the hard limit (LimitNOFILE, ulimit -Hn) or \
             lower max-connections in [snmp.tcp] and [http]; connections are refused while {RESERVE} or fewer are free"
        );
    }
}

/// One for each connection, and twice the reserve: for what is always open, and for what is opened temporarily.
fn needed(plan: &Plan) -> u64 {
    let of_snmp =
        plan.snmp.listen.iter().filter(|url| !matches!(url.transport, Transport::Udp | Transport::Dtls));
    let of_netconf = plan.netconf.iter().flat_map(|netconf| &netconf.listen);
    let of_jmx = plan.jmx.iter().flat_map(|jmx| &jmx.listen);
    let sessions = of_snmp.chain(of_netconf).chain(of_jmx).map(|url| url.socket_addrs().len()).sum::<usize>()
        + usize::from(plan.snmp.ssh.subsystem_socket.is_some());
    let of_http = plan.http.listen.iter().map(|url| url.socket_addrs().len()).sum::<usize>();
    let connections = sessions * plan.snmp.tcp.max_connections + of_http * plan.http.limits.max_connections;
    connections as u64 + 2 * RESERVE
}

/// Descriptors that no connection gets.
const RESERVE: u64 = 64;
