//! What the protocols of a machine have counted: TCP-MIB, UDP-MIB, and IP-MIB's tables by version of IP (RFC 4293), or where there
//! are none the scalars, which know only IPv4.

use trunkline_client::{Error as ClientError, Session, Table, TableLimit};
use trunkline_smi::module::ip_mib::{
    ICMP_IN_ADDR_MASK_REPS, ICMP_IN_ADDR_MASKS, ICMP_IN_DEST_UNREACHS, ICMP_IN_ECHO_REPS, ICMP_IN_ECHOS,
    ICMP_IN_ERRORS, ICMP_IN_MSGS, ICMP_IN_PARM_PROBS, ICMP_IN_REDIRECTS, ICMP_IN_SRC_QUENCHS,
    ICMP_IN_TIME_EXCDS, ICMP_IN_TIMESTAMP_REPS, ICMP_IN_TIMESTAMPS, ICMP_MSG_STATS_TABLE,
    ICMP_OUT_ADDR_MASK_REPS, ICMP_OUT_ADDR_MASKS, ICMP_OUT_DEST_UNREACHS, ICMP_OUT_ECHO_REPS, ICMP_OUT_ECHOS,
    ICMP_OUT_ERRORS, ICMP_OUT_MSGS, ICMP_OUT_PARM_PROBS, ICMP_OUT_REDIRECTS, ICMP_OUT_SRC_QUENCHS,
    ICMP_OUT_TIME_EXCDS, ICMP_OUT_TIMESTAMP_REPS, ICMP_OUT_TIMESTAMPS, ICMP_STATS_TABLE, IP_FORW_DATAGRAMS,
    IP_FRAG_CREATES, IP_FRAG_FAILS, IP_FRAG_OKS, IP_IN_ADDR_ERRORS, IP_IN_DELIVERS, IP_IN_DISCARDS,
    IP_IN_HDR_ERRORS, IP_IN_RECEIVES, IP_IN_UNKNOWN_PROTOS, IP_OUT_DISCARDS, IP_OUT_NO_ROUTES,
    IP_OUT_REQUESTS, IP_REASM_FAILS, IP_REASM_OKS, IP_REASM_REQDS, IP_ROUTING_DISCARDS,
    IP_SYSTEM_STATS_TABLE,
};
use trunkline_smi::module::tcp_mib::{
    TCP_ACTIVE_OPENS, TCP_ATTEMPT_FAILS, TCP_CURR_ESTAB, TCP_ESTAB_RESETS, TCP_IN_ERRS, TCP_IN_SEGS,
    TCP_OUT_RSTS, TCP_OUT_SEGS, TCP_PASSIVE_OPENS, TCP_RETRANS_SEGS,
};
use trunkline_smi::module::udp_mib::{UDP_IN_DATAGRAMS, UDP_IN_ERRORS, UDP_NO_PORTS, UDP_OUT_DATAGRAMS};
use trunkline_smi::schema::{Scalar, Table as Schema};

use super::sockets::Tables;
use super::{cell, number, scalars};

/// The protocols, in the order of output.
pub const PROTOCOLS: [&str; 6] = ["tcp", "udp", "ip", "ip6", "icmp", "icmp6"];

/// What one protocol has counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// One of [`PROTOCOLS`].
    pub protocol: &'static str,
    /// The counters that the agent has.
    pub counters: Vec<Counter>,
    /// Messages by type, of ICMP.
    pub messages: Vec<Messages>,
}

/// One counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The object, by its descriptor.
    pub object: &'static str,
    /// What it counts.
    pub words: &'static str,
    /// How much.
    pub value: u64,
}

/// ICMP's messages of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Messages {
    /// What they are.
    pub words: String,
    /// How many came, and the object that counts them.
    pub received: (String, u64),
    /// How many were sent.
    pub sent: (String, u64),
}

/// The statistics of all protocols that the agent knows and `wants` chooses.
pub async fn statistics(
    session: &dyn Session,
    tables: Tables,
    wants: impl Fn(&str) -> bool,
) -> Result<Vec<Statistics>, ClientError> {
    let mut all = Vec::new();
    for (protocol, objects) in [("tcp", &TCP[..]), ("udp", &UDP)] {
        if wants(protocol) {
            let counters = of_scalars(session, objects).await?;
            all.push(Statistics { protocol, counters, messages: Vec::new() });
        }
    }
    if wants("ip") || wants("ip6") {
        all.extend(ip(session, tables).await?.into_iter().filter(|found| wants(found.protocol)));
    }
    if wants("icmp") || wants("icmp6") {
        all.extend(icmp(session, tables).await?.into_iter().filter(|found| wants(found.protocol)));
    }
    all.retain(|found| !found.counters.is_empty() || !found.messages.is_empty());
    Ok(all)
}

async fn of_scalars(
    session: &dyn Session,
    objects: &[(Scalar, &'static str)],
) -> Result<Vec<Counter>, ClientError> {
    let oids: Vec<&[u32]> = objects.iter().map(|(scalar, _)| scalar.oid).collect();
    let values = scalars(session, &oids).await?;
    let counter = |((scalar, words), value): (&(Scalar, &'static str), _)| {
        let value: Option<trunkline_smi::Value> = value;
        Some(Counter { object: scalar.name, words, value: number(&value?)? })
    };
    Ok(objects.iter().zip(values).filter_map(counter).collect())
}

async fn ip(session: &dyn Session, tables: Tables) -> Result<Vec<Statistics>, ClientError> {
    let mut all = Vec::new();
    if tables == Tables::Present {
        let mut columns: Vec<u32> = IP.iter().flat_map(|(narrow, wide, _)| [*narrow, *wide]).collect();
        columns.sort_unstable();
        columns.dedup();
        let table = session.table(&IP_SYSTEM_STATS_TABLE, &columns, TableLimit::default()).await?;
        for (version, protocol) in [(1, "ip"), (2, "ip6")] {
            let of = |column: u32| {
                let at = columns.binary_search(&column).ok()?;
                Some((column, cell(&table, &[version], at).and_then(number)?))
            };
            let counters = IP.iter().filter_map(|(narrow, wide, words)| {
                let (column, value) = of(*wide).or_else(|| of(*narrow))?;
                Some(Counter { object: name_of(&IP_SYSTEM_STATS_TABLE, column), words, value })
            });
            all.push(Statistics { protocol, counters: counters.collect(), messages: Vec::new() });
        }
    }
    if all.iter().all(|found| found.counters.is_empty()) {
        let counters = of_scalars(session, &OLD_IP).await?;
        all = vec![Statistics { protocol: "ip", counters, messages: Vec::new() }];
    }
    Ok(all)
}

async fn icmp(session: &dyn Session, tables: Tables) -> Result<Vec<Statistics>, ClientError> {
    let mut all = Vec::new();
    if tables == Tables::Present {
        let table = session.table(&ICMP_STATS_TABLE, &[2, 3, 4, 5], TableLimit::default()).await?;
        let types = session.table(&ICMP_MSG_STATS_TABLE, &[3, 4], TableLimit::default()).await?;
        for (version, protocol) in [(1, "icmp"), (2, "icmp6")] {
            let counters = ICMP.iter().enumerate().filter_map(|(at, (column, words))| {
                let value = cell(&table, &[version], at).and_then(number)?;
                Some(Counter { object: name_of(&ICMP_STATS_TABLE, *column), words, value })
            });
            let messages = types.rows.keys().filter(|index| index.first() == Some(&version));
            let messages = messages.filter_map(|index| messages_of(&types, index)).collect();
            all.push(Statistics { protocol, counters: counters.collect(), messages });
        }
    }
    if all.iter().all(|found| found.counters.is_empty()) {
        let counters = of_scalars(session, &OLD_ICMP).await?;
        let mut messages = Vec::new();
        for (words, received, sent) in &OLD_TYPES {
            let values = scalars(session, &[received.oid, sent.oid]).await?;
            let count = |at: usize| values[at].as_ref().and_then(number);
            if let (Some(came), Some(went)) = (count(0), count(1)) {
                let (received, sent) = ((received.name.to_owned(), came), (sent.name.to_owned(), went));
                messages.push(Messages { words: (*words).to_owned(), received, sent });
            }
        }
        all = vec![Statistics { protocol: "icmp", counters, messages }];
    }
    Ok(all)
}

fn messages_of(table: &Table, index: &[u32]) -> Option<Messages> {
    let [version, kind] = *index else { return None };
    let count = |at: usize| cell(table, index, at).and_then(number).unwrap_or(0);
    let names = if version == 1 { &V4_TYPES[..] } else { &V6_TYPES };
    let name = names.iter().find(|(known, _)| *known == kind);
    let object = |name: &str| format!("{name}.{version}.{kind}");
    Some(Messages {
        words: name.map_or_else(|| format!("type {kind}"), |(_, name)| (*name).to_owned()),
        received: (object("icmpMsgStatsInPkts"), count(0)),
        sent: (object("icmpMsgStatsOutPkts"), count(1)),
    })
}

fn name_of(schema: &Schema, column: u32) -> &'static str {
    schema.columns.iter().find(|known| known.id == column).map_or("", |known| known.name)
}

const TCP: [(Scalar, &str); 10] = [
    (TCP_ACTIVE_OPENS, "connections opened"),
    (TCP_PASSIVE_OPENS, "connections accepted"),
    (TCP_ATTEMPT_FAILS, "attempts that failed"),
    (TCP_ESTAB_RESETS, "established connections reset"),
    (TCP_CURR_ESTAB, "connections established now"),
    (TCP_IN_SEGS, "segments received"),
    (TCP_OUT_SEGS, "segments sent"),
    (TCP_RETRANS_SEGS, "segments sent again"),
    (TCP_IN_ERRS, "segments received with errors"),
    (TCP_OUT_RSTS, "resets sent"),
];

const UDP: [(Scalar, &str); 4] = [
    (UDP_IN_DATAGRAMS, "datagrams received"),
    (UDP_NO_PORTS, "datagrams to ports without a listener"),
    (UDP_IN_ERRORS, "datagrams received with errors"),
    (UDP_OUT_DATAGRAMS, "datagrams sent"),
];

/// Columns of ipSystemStatsTable, with 32 and with 64 bits where there are both.
const IP: [(u32, u32, &str); 23] = [
    (3, 4, "packets received"),
    (5, 6, "octets received"),
    (7, 7, "packets received with errors in the header"),
    (8, 8, "packets received without a route to their destination"),
    (9, 9, "packets received for addresses that are not valid here"),
    (10, 10, "packets received of unknown protocols"),
    (12, 13, "packets received to be forwarded"),
    (11, 11, "packets received truncated"),
    (14, 14, "fragments received"),
    (15, 15, "packets reassembled"),
    (16, 16, "reassemblies that failed"),
    (17, 17, "packets received and dropped"),
    (18, 19, "packets delivered"),
    (20, 21, "packets of this machine to send"),
    (22, 22, "packets to send without a route"),
    (23, 24, "packets forwarded"),
    (25, 25, "packets to send that were dropped"),
    (26, 26, "packets to send that were too large"),
    (27, 27, "packets fragmented"),
    (28, 28, "packets that could not be fragmented"),
    (29, 29, "fragments created"),
    (30, 31, "packets sent"),
    (32, 33, "octets sent"),
];

const OLD_IP: [(Scalar, &str); 17] = [
    (IP_IN_RECEIVES, "packets received"),
    (IP_IN_HDR_ERRORS, "packets received with errors in the header"),
    (IP_IN_ADDR_ERRORS, "packets received for addresses that are not valid here"),
    (IP_FORW_DATAGRAMS, "packets forwarded"),
    (IP_IN_UNKNOWN_PROTOS, "packets received of unknown protocols"),
    (IP_IN_DISCARDS, "packets received and dropped"),
    (IP_IN_DELIVERS, "packets delivered"),
    (IP_OUT_REQUESTS, "packets of this machine to send"),
    (IP_OUT_DISCARDS, "packets to send that were dropped"),
    (IP_OUT_NO_ROUTES, "packets to send without a route"),
    (IP_REASM_REQDS, "fragments received"),
    (IP_REASM_OKS, "packets reassembled"),
    (IP_REASM_FAILS, "reassemblies that failed"),
    (IP_FRAG_OKS, "packets fragmented"),
    (IP_FRAG_FAILS, "packets that could not be fragmented"),
    (IP_FRAG_CREATES, "fragments created"),
    (IP_ROUTING_DISCARDS, "routes dropped for want of room"),
];

/// Columns of icmpStatsTable.
const ICMP: [(u32, &str); 4] = [
    (2, "messages received"),
    (3, "messages received with errors"),
    (4, "messages sent"),
    (5, "messages not sent because of errors"),
];

const OLD_ICMP: [(Scalar, &str); 4] = [
    (ICMP_IN_MSGS, ICMP[0].1),
    (ICMP_IN_ERRORS, ICMP[1].1),
    (ICMP_OUT_MSGS, ICMP[2].1),
    (ICMP_OUT_ERRORS, ICMP[3].1),
];

const OLD_TYPES: [(&str, Scalar, Scalar); 11] = [
    (V4_TYPES[0].1, ICMP_IN_ECHO_REPS, ICMP_OUT_ECHO_REPS),
    (V4_TYPES[1].1, ICMP_IN_DEST_UNREACHS, ICMP_OUT_DEST_UNREACHS),
    (V4_TYPES[2].1, ICMP_IN_SRC_QUENCHS, ICMP_OUT_SRC_QUENCHS),
    (V4_TYPES[3].1, ICMP_IN_REDIRECTS, ICMP_OUT_REDIRECTS),
    (V4_TYPES[4].1, ICMP_IN_ECHOS, ICMP_OUT_ECHOS),
    (V4_TYPES[7].1, ICMP_IN_TIME_EXCDS, ICMP_OUT_TIME_EXCDS),
    (V4_TYPES[8].1, ICMP_IN_PARM_PROBS, ICMP_OUT_PARM_PROBS),
    (V4_TYPES[9].1, ICMP_IN_TIMESTAMPS, ICMP_OUT_TIMESTAMPS),
    (V4_TYPES[10].1, ICMP_IN_TIMESTAMP_REPS, ICMP_OUT_TIMESTAMP_REPS),
    (V4_TYPES[11].1, ICMP_IN_ADDR_MASKS, ICMP_OUT_ADDR_MASKS),
    (V4_TYPES[12].1, ICMP_IN_ADDR_MASK_REPS, ICMP_OUT_ADDR_MASK_REPS),
];

/// Types of ICMP (RFC 792, RFC 950, RFC 1256).
const V4_TYPES: [(u32, &str); 13] = [
    (0, "echo reply"),
    (3, "destination unreachable"),
    (4, "source quench"),
    (5, "redirect"),
    (8, "echo"),
    (9, "router advertisement"),
    (10, "router solicitation"),
    (11, "time exceeded"),
    (12, "parameter problem"),
    (13, "timestamp"),
    (14, "timestamp reply"),
    (17, "address mask request"),
    (18, "address mask reply"),
];

/// Types of ICMPv6 (RFC 4443, RFC 4861, RFC 2710, RFC 3810).
const V6_TYPES: [(u32, &str); 15] = [
    (1, "destination unreachable"),
    (2, "packet too big"),
    (3, "time exceeded"),
    (4, "parameter problem"),
    (128, "echo request"),
    (129, "echo reply"),
    (130, "multicast listener query"),
    (131, "multicast listener report"),
    (132, "multicast listener done"),
    (133, "router solicitation"),
    (134, "router advertisement"),
    (135, "neighbor solicitation"),
    (136, "neighbor advertisement"),
    (137, "redirect"),
    (143, "multicast listener report, version 2"),
];
