//! What a simulator counts. Each thread has counters of its own, so that counting costs no other processor a cache
//! line; they are added up when somebody reads them.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::fleet::Port;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Count {
    /// Requests that arrived for an agent, whatever became of them.
    Requests,
    /// Answers that were made, Reports and late ones included.
    Answers,
    /// Datagrams and connections to addresses that no agent has.
    UnknownAddress,
    /// Messages that cannot be parsed, or that are not requests.
    Malformed,
    /// Communities that the agent does not have.
    UnknownCommunity,
    /// Messages of SNMPv3 that were dropped or answered with a Report.
    RefusedV3,
    /// Requests that silent agents dropped, and connections on which they answer nothing.
    Silent,
    /// Answers that slow agents held back.
    Slow,
    /// Answers of slow agents that were dropped because too many waited.
    SlowDropped,
    /// Requests that lossy agents dropped, or in place of whose answers they ended the connection.
    Lossy,
    /// Requests that were answered wrongly.
    Wrong,
    /// Requests that agents dropped while they restarted, and connections that ended with that.
    Rebooting,
    /// Engines of SNMPv3 that were made; more than agents if not all fit the memory.
    Engines,
    /// TCP connections to agents with JMX.
    JmxConnections,
    /// Calls of JMX, the registry and leases included.
    JmxCalls,
    /// Connections to agents with NETCONF over plain TCP.
    NetconfSessions,
    /// Requests in them.
    NetconfRequests,
    /// Connections to agents with NETCONF over SSH.
    NetconfSshSessions,
    /// Requests in them.
    NetconfSshRequests,
    /// Connections to agents with NETCONF over TLS.
    NetconfTlsSessions,
    /// Requests in them.
    NetconfTlsRequests,
    /// Connections over SSH and TLS whose client did not log in.
    RefusedLogins,
}

impl Count {
    /// All of them.
    pub const ALL: [Count; 22] = [
        Count::Requests,
        Count::Answers,
        Count::UnknownAddress,
        Count::Malformed,
        Count::UnknownCommunity,
        Count::RefusedV3,
        Count::Silent,
        Count::Slow,
        Count::SlowDropped,
        Count::Lossy,
        Count::Wrong,
        Count::Rebooting,
        Count::Engines,
        Count::JmxConnections,
        Count::JmxCalls,
        Count::NetconfSessions,
        Count::NetconfRequests,
        Count::NetconfSshSessions,
        Count::NetconfSshRequests,
        Count::NetconfTlsSessions,
        Count::NetconfTlsRequests,
        Count::RefusedLogins,
    ];

    /// Connections to a port, and requests in them.
    #[must_use]
    pub const fn of_port(port: Port) -> [Count; 2] {
        match port {
            Port::Jmx => [Count::JmxConnections, Count::JmxCalls],
            Port::Netconf => [Count::NetconfSessions, Count::NetconfRequests],
            Port::NetconfSsh => [Count::NetconfSshSessions, Count::NetconfSshRequests],
            Port::NetconfTls => [Count::NetconfTlsSessions, Count::NetconfTlsRequests],
        }
    }
}

/// The counters of one thread, or a sum of several.
#[derive(Debug, Default)]
pub struct Counts([AtomicU64; Count::ALL.len()]);

impl Counts {
    /// Counts one.
    pub fn add(&self, count: Count) {
        self.0[count as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// The number.
    #[must_use]
    pub fn get(&self, count: Count) -> u64 {
        self.0[count as usize].load(Ordering::Relaxed)
    }

    /// The sum of several.
    #[must_use]
    pub fn sum<'c>(all: impl IntoIterator<Item = &'c Self>) -> Self {
        let sum = Self::default();
        for counts in all {
            for count in Count::ALL {
                sum.0[count as usize].fetch_add(counts.get(count), Ordering::Relaxed);
            }
        }
        sum
    }
}
