//! TCP-ESTATS-MIB: each connection's counters, from one look at all of them.
//!
//! tcpEStatsConnectIndex is a number given when a connection is first seen, kept as long as the kernel has the socket
//! (by its cookie) and not given again before 2^32 others were. What is counted in octets where the kernel counts in
//! segments (windows) is segments times the current MSS.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use trunkline_smi::module::tcp_estats_mib as mib;
use trunkline_tree::{Group, Loaded, Provider, RowBuilder, Snapshot, SnapshotBuilder, SourceError};

use crate::socket_address::InetAddress;
use crate::tcp_connections;
use trunkline_source::SourceRoot;
use trunkline_source::tcp_info::{Connection, Connections, TcpInfo};

static GROUP: Group = Group {
    name: "tcp-estats",
    scalars: &[],
    tables: &[
        &mib::TCP_ESTATS_CONNECT_ID_TABLE,
        &mib::TCP_ESTATS_PERF_TABLE,
        &mib::TCP_ESTATS_PATH_TABLE,
        &mib::TCP_ESTATS_STACK_TABLE,
        &mib::TCP_ESTATS_APP_TABLE,
    ],
};

/// Serves the group `tcp-estats`.
#[derive(Debug)]
pub(crate) struct TcpEstats {
    root: SourceRoot,
    connections: Connections,
    indexes: Mutex<Indexes>,
}

impl TcpEstats {
    pub(crate) fn new(root: SourceRoot) -> Self {
        TcpEstats { root, connections: Connections::default(), indexes: Mutex::default() }
    }
}

impl Provider for TcpEstats {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        // A recording has no kernel to ask.
        let connections = if self.root.is_recording() { Vec::new() } else { self.connections.list()? };
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        indexes.begin();
        let (mut snapshot, mut id) = (Snapshot::builder(&GROUP), Vec::with_capacity(48));
        for connection in &connections {
            let Some(index) = indexes.of(connection.cookie) else { continue };
            put_id(&mut snapshot, &mut id, connection, index);
            put_perf(snapshot.table(&mib::TCP_ESTATS_PERF_TABLE).row(&[index]), &connection.info);
            put_path(snapshot.table(&mib::TCP_ESTATS_PATH_TABLE).row(&[index]), &connection.info);
            put_stack(snapshot.table(&mib::TCP_ESTATS_STACK_TABLE).row(&[index]), connection);
            put_app(snapshot.table(&mib::TCP_ESTATS_APP_TABLE).row(&[index]), connection);
        }
        indexes.end();
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

/// The index of each connection, by its cookie.
#[derive(Debug, Default)]
struct Indexes {
    last: u32,
    /// Whether every index has been given once.
    has_wrapped: bool,
    /// Index, and in which look it was seen last.
    known: HashMap<u64, (u32, u64)>,
    look: u64,
}

impl Indexes {
    fn begin(&mut self) {
        self.look += 1;
    }

    /// A connection's index. `None` if this dump already had it: a dump may list a socket that moves twice.
    fn of(&mut self, cookie: u64) -> Option<u32> {
        if let Some((index, look)) = self.known.get_mut(&cookie) {
            let is_new = std::mem::replace(look, self.look) != self.look;
            return is_new.then_some(*index);
        }
        self.advance();
        // After 2^32 connections: those that live as long keep theirs.
        while self.has_wrapped && self.known.values().any(|(index, _)| *index == self.last) {
            self.advance();
        }
        self.known.insert(cookie, (self.last, self.look));
        Some(self.last)
    }

    fn advance(&mut self) {
        self.has_wrapped |= self.last == u32::MAX;
        self.last = self.last.wrapping_add(1).max(1);
    }

    /// Forgets those that are gone.
    fn end(&mut self) {
        let look = self.look;
        self.known.retain(|_, (_, seen)| *seen == look);
    }
}

fn put_id(snapshot: &mut SnapshotBuilder, id: &mut Vec<u32>, connection: &Connection, index: u32) {
    let socket = &connection.socket;
    id.clear();
    InetAddress::local(socket).push(id);
    id.push(socket.local_port.into());
    InetAddress::remote(socket).push(id);
    id.push(socket.remote_port.into());
    snapshot.table(&mib::TCP_ESTATS_CONNECT_ID_TABLE).row(id).unsigned32(1, index);
}

fn put_perf(mut row: RowBuilder<'_>, info: &TcpInfo) {
    let mss = info.snd_mss.map_or(0, u64::from);
    let octets = |segments: Option<u32>| segments.map(|segments| u64::from(segments) * mss);
    let counters = [
        (1, info.segs_out.map(u64::from)),
        (2, info.data_segs_out.map(u64::from)),
        (3, info.bytes_sent),
        (5, info.total_retrans.map(u64::from)),
        (6, info.bytes_retrans),
        (7, info.segs_in.map(u64::from)),
        (8, info.data_segs_in.map(u64::from)),
        (9, info.bytes_received),
        (34, info.rwnd_limited.map(thousands)),
        (35, limited_by_network(info).map(thousands)),
        (36, info.sndbuf_limited.map(thousands)),
    ];
    for (id, value) in counters {
        if let Some(value) = value {
            row.counter32(id, value);
        }
    }
    let gauges = [
        (14, info.snd_mss.map(u64::from)),
        (15, octets(in_flight(info))),
        (17, info.rtt.map(|time| thousands(time.into()))),
        (18, info.rto.map(|time| thousands(time.into()))),
        (20, octets(info.snd_cwnd)),
        (21, octets(info.snd_ssthresh)),
        (26, info.snd_wnd.map(u64::from)),
    ];
    put_gauges(&mut row, gauges);
    for (id, value) in [(4, info.bytes_sent), (10, info.bytes_received)] {
        if let Some(value) = value {
            row.counter64(id, value);
        }
    }
}

fn put_gauges(row: &mut RowBuilder<'_>, gauges: impl IntoIterator<Item = (u32, Option<u64>)>) {
    for (id, value) in gauges {
        if let Some(value) = value {
            row.gauge32(id, value);
        }
    }
}

/// Segments that are on their way, as the sender believes.
fn in_flight(info: &TcpInfo) -> Option<u32> {
    let gone = info.sacked?.saturating_add(info.lost?);
    Some(info.unacked?.saturating_sub(gone).saturating_add(info.retrans?))
}

/// How long the sender had data to send that neither its own buffer nor the peer's window held back.
fn limited_by_network(info: &TcpInfo) -> Option<u64> {
    Some(info.busy_time?.saturating_sub(info.rwnd_limited?).saturating_sub(info.sndbuf_limited?))
}

fn put_path(mut row: RowBuilder<'_>, info: &TcpInfo) {
    // The kernel's value for a time that it has not measured.
    let min_rtt = info.min_rtt.filter(|time| *time != u32::MAX);
    let gauges = [
        (1, info.reordering.map(u64::from)),
        (12, info.rttvar.map(|time| thousands(time.into()))),
        (14, min_rtt.map(|time| thousands(time.into()))),
    ];
    put_gauges(&mut row, gauges);
}

fn put_stack(mut row: RowBuilder<'_>, connection: &Connection) {
    let info = &connection.info;
    if let Some(mss) = info.advmss {
        row.unsigned32(2, mss);
    }
    let (received, sent) = info.scales().map_or((-1, -1), |(peer, ours)| (i32::from(peer), i32::from(ours)));
    row.integer(4, sent.min(14)).integer(5, received.min(14));
    // Nothing reports which end declined it.
    for (id, option) in [(6, 1), (7, 8), (8, 2), (9, 2)] {
        if info.has_option(option) {
            row.integer(id, ENABLED);
        }
    }
    if let Some(state) = tcp_connections::state(connection.socket.state) {
        row.integer(10, state);
    }
    if let Some(state) = info.ca_state {
        row.integer(16, recovery(state));
    }
    if let Some(count) = info.backoff {
        row.gauge32(29, count.into());
    }
}

/// The kernel's state of congestion avoidance to that of the MIB.
fn recovery(ca_state: u8) -> i32 {
    match ca_state {
        1 => 2,     // disorder
        3 | 4 => 3, // recovery, loss
        _ => 1,
    }
}

fn put_app(mut row: RowBuilder<'_>, connection: &Connection) {
    let info = &connection.info;
    for (id, value) in [(4, info.bytes_acked), (7, info.bytes_received)] {
        let Some(value) = value else { continue };
        row.counter32(id, value).counter64(id + 1, value);
    }
    if let Some(octets) = info.notsent_bytes {
        row.gauge32(11, octets.into());
    }
    row.gauge32(13, connection.unread.into());
}

/// Microseconds to milliseconds.
const fn thousands(time: u64) -> u64 {
    time / 1000
}

const ENABLED: i32 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_stays_as_long_as_its_connection() {
        let mut indexes = Indexes::default();
        let mut look = |cookies: &[u64]| {
            indexes.begin();
            let found: Vec<Option<u32>> = cookies.iter().map(|cookie| indexes.of(*cookie)).collect();
            indexes.end();
            found
        };
        assert_eq!(look(&[70, 80]), [Some(1), Some(2)]);
        assert_eq!(look(&[90, 80, 90]), [Some(3), Some(2), None]);
        assert_eq!(look(&[70, 90]), [Some(4), Some(3)], "70 is another connection now");
        assert_eq!(look(&[]), []);
        assert_eq!(indexes.known.len(), 0);
        indexes.last = u32::MAX - 1;
        indexes.known.insert(5, (1, 0));
        indexes.begin();
        assert_eq!(indexes.of(1), Some(u32::MAX));
        assert_eq!(indexes.of(2), Some(2), "no index is 0, and 1 is taken");
    }
}
