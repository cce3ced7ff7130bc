//! What `trunkline netstat` prints: sockets, routes, interfaces and statistics, as records and as text.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::draw::Drawing;
use crate::figures::inet::{Family, passes};
use crate::figures::interfaces::{Address, Count, Interface, Interfaces};
use crate::figures::protocols::Statistics;
use crate::figures::routes::Route;
use crate::figures::sockets::{Endpoint, Socket};
use crate::figures::storage::short;
use crate::rate::bit_words;

/// A socket as data; `docs/json.md` describes the fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SocketRecord {
    protocol: &'static str,
    family: Option<&'static str>,
    local_address: Option<String>,
    local_port: u32,
    remote_address: Option<String>,
    remote_port: Option<u32>,
    state: Option<&'static str>,
    process: Option<u64>,
}

impl SocketRecord {
    /// The fields in order.
    pub const HEADER: [&'static str; 8] = [
        "protocol",
        "family",
        "local_address",
        "local_port",
        "remote_address",
        "remote_port",
        "state",
        "process",
    ];

    /// The record of a socket.
    pub fn new(socket: &Socket) -> Self {
        let remote = socket.remote.filter(|remote| !remote.is_any());
        let host = |end: &Endpoint| end.host.map(|host| host.to_string());
        let state = socket.state_name();
        SocketRecord {
            protocol: socket.protocol.name(),
            family: socket.family().map(Family::name),
            local_address: host(&socket.local),
            local_port: socket.local.port,
            remote_address: remote.as_ref().and_then(host),
            remote_port: remote.map(|remote| remote.port),
            state: (!state.is_empty()).then_some(state),
            process: socket.process,
        }
    }
}

/// Sockets as a table. Where the width is too small for both ends side by side, the other end is below.
pub fn sockets(sockets: &[Socket], width: Option<usize>) -> String {
    let other = |socket: &Socket| socket.remote.filter(|remote| !remote.is_any()).as_ref().map(end);
    let front = |socket: &Socket| {
        let process = socket.process.map_or_else(|| "-".to_owned(), |id| id.to_string());
        vec![socket.protocol.name().to_owned(), filled(socket.state_name()), process, end(&socket.local)]
    };
    let row = |socket: &Socket| {
        let mut cells = front(socket);
        cells.push(other(socket).unwrap_or_else(|| "-".to_owned()));
        cells
    };
    let header = ["protocol", "state", "process", "local address", "remote address"];
    let whole = drawing(&header, sockets.iter().map(row).collect(), 0, &[2]);
    if width.is_none_or(|width| whole.fits(width)) {
        return whole.draw(width);
    }
    let below = |remote: String| vec![String::new(), String::new(), String::new(), format!("- {remote}")];
    let rows = |socket: &Socket| std::iter::once(front(socket)).chain(other(socket).map(below));
    let header = ["protocol", "state", "process", "local - remote address"];
    drawing(&header, sockets.iter().flat_map(rows).collect(), 0, &[2]).draw(None)
}

/// `192.0.2.1:80`, `[::1]:80`, `*:80`.
fn end(end: &Endpoint) -> String {
    let port = end.port;
    match end.host {
        None => format!("*:{port}"),
        Some(host) if host.address.is_ipv6() => format!("[{host}]:{port}"),
        Some(host) => format!("{host}:{port}"),
    }
}

fn filled(text: &str) -> String {
    if text.is_empty() { "-".to_owned() } else { text.to_owned() }
}

/// A route as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RouteRecord {
    destination: String,
    family: &'static str,
    gateway: Option<String>,
    interface: Option<String>,
    #[serde(rename = "type")]
    kind: &'static str,
    protocol: &'static str,
    metric: Option<u64>,
    policy: Option<String>,
}

impl RouteRecord {
    /// The fields in order.
    pub const HEADER: [&'static str; 8] =
        ["destination", "family", "gateway", "interface", "type", "protocol", "metric", "policy"];

    /// The record of a route; `names` are those of interfaces.
    pub fn new(route: &Route, names: &BTreeMap<u64, String>) -> Self {
        RouteRecord {
            destination: match route.prefix {
                Some(prefix) => format!("{}/{prefix}", route.destination),
                None => route.destination.to_string(),
            },
            family: route.family().name(),
            gateway: route.next_hop.map(|hop| hop.to_string()),
            interface: (route.interface != 0).then(|| interface_name(names, route.interface)),
            kind: route.kind.name(),
            protocol: route.protocol,
            metric: route.metric,
            policy: (!route.policy.is_empty()).then(|| route.policy.to_string()),
        }
    }
}

/// The name of an interface, or its number.
pub fn interface_name(names: &BTreeMap<u64, String>, index: u64) -> String {
    names.get(&index).cloned().unwrap_or_else(|| index.to_string())
}

/// Routes as a table.
pub fn routes(records: &[RouteRecord], width: Option<usize>) -> String {
    let row = |route: &RouteRecord| {
        let text = |text: &Option<String>| filled(text.as_deref().unwrap_or_default());
        vec![
            route.destination.clone(),
            text(&route.gateway),
            text(&route.interface),
            route.metric.map_or_else(|| "-".to_owned(), |metric| metric.to_string()),
            route.kind.to_owned(),
            filled(route.protocol),
        ]
    };
    let header = ["destination", "gateway", "interface", "metric", "type", "protocol"];
    drawing(&header, records.iter().map(row).collect(), 1, &[3]).draw(width)
}

/// An interface as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InterfaceRecord {
    index: u32,
    name: String,
    admin_status: Option<&'static str>,
    oper_status: &'static str,
    mtu: Option<u64>,
    addresses: Vec<String>,
    octets_in: u64,
    packets_in: u64,
    errors_in: u64,
    discards_in: u64,
    octets_out: u64,
    packets_out: u64,
    errors_out: u64,
    discards_out: u64,
    queue: u64,
}

impl InterfaceRecord {
    /// The fields in order.
    pub const HEADER: [&'static str; 15] = [
        "index",
        "name",
        "admin_status",
        "oper_status",
        "mtu",
        "addresses",
        "octets_in",
        "packets_in",
        "errors_in",
        "discards_in",
        "octets_out",
        "packets_out",
        "errors_out",
        "discards_out",
        "queue",
    ];

    /// The record of an interface with those of its addresses that are of a family.
    pub fn new(interface: &Interface, addresses: &[Address], family: Option<Family>) -> Self {
        let wanted = interface.wanted();
        let Interface { received, sent, .. } = interface;
        let passing =
            addresses.iter().filter(|address| passes(family, Some(Family::of(&address.inet.address))));
        let words = |address: &Address| match address.prefix {
            Some(prefix) => format!("{}/{prefix}", address.inet),
            None => address.inet.to_string(),
        };
        InterfaceRecord {
            index: interface.index,
            name: interface.name.clone(),
            admin_status: (!wanted.is_empty()).then_some(wanted),
            oper_status: interface.state(),
            mtu: interface.mtu,
            addresses: passing.map(words).collect(),
            octets_in: received.octets.total,
            packets_in: received.packets.total,
            errors_in: received.errors.total,
            discards_in: received.discards.total,
            octets_out: sent.octets.total,
            packets_out: sent.packets.total,
            errors_out: sent.errors.total,
            discards_out: sent.discards.total,
            queue: interface.queue,
        }
    }
}

/// Interfaces as a table; where the width is too small for one, what they are apart from what they carried.
pub fn interfaces(records: &[InterfaceRecord], width: Option<usize>) -> String {
    let addresses: Vec<String> = records.iter().map(|record| filled(&record.addresses.join(" "))).collect();
    let what: Vec<[String; 2]> = records.iter().map(InterfaceRecord::what).collect();
    let mut whole = Columns::default();
    whole.columns.push(("state", what.iter().map(|[state, _]| state.clone()).collect(), false));
    whole.columns.push(("mtu", what.iter().map(|[_, mtu]| mtu.clone()).collect(), true));
    let mut what = whole.clone();
    let count =
        |of: fn(&InterfaceRecord) -> u64| records.iter().map(|record| of(record).to_string()).collect();
    let [received, sent] = [
        [
            ("in", records.iter().map(|record| short(record.octets_in)).collect(), true),
            ("packets", count(|record| record.packets_in), true),
            ("errors", count(|record| record.errors_in), true),
            ("drops", count(|record| record.discards_in), true),
        ],
        [
            ("out", records.iter().map(|record| short(record.octets_out)).collect(), true),
            ("packets", count(|record| record.packets_out), true),
            ("errors", count(|record| record.errors_out), true),
            ("drops", count(|record| record.discards_out), true),
        ],
    ];
    whole.columns.extend(received.iter().chain(&sent).cloned());
    let addresses = ("addresses", addresses, false);
    whole.columns.push(addresses.clone());
    what.columns.push(addresses);
    let names: Vec<&str> = records.iter().map(|record| record.name.as_str()).collect();
    whole.draw(&names, width).unwrap_or_else(|| {
        let one = what.whole(&names).draw(width);
        format!("{one}\n{}", directions(&names, received, sent, width))
    })
}

impl InterfaceRecord {
    /// The state and the MTU. A state that is not the wanted one is worth a look: `off` is wanted.
    fn what(&self) -> [String; 2] {
        let state = match self.admin_status {
            Some("down") if self.oper_status == "down" => "off",
            _ => self.oper_status,
        };
        [state.to_owned(), self.mtu.map_or_else(|| "-".to_owned(), |mtu| mtu.to_string())]
    }
}

/// A column: its name, its cells, and whether they are numbers.
type Cells = (&'static str, Vec<String>, bool);

/// What is known of interfaces, column by column.
#[derive(Clone, Default)]
struct Columns {
    columns: Vec<Cells>,
}

impl Columns {
    fn whole(&self, names: &[&str]) -> Drawing {
        let header = self.columns.iter().map(|(name, ..)| (*name).to_owned());
        let row = |(at, name): (usize, &&str)| {
            let cells = self.columns.iter().map(|(_, cells, _)| cells[at].clone());
            std::iter::once((*name).to_owned()).chain(cells).collect()
        };
        Drawing {
            header: std::iter::once("name".to_owned()).chain(header).collect(),
            keys: 1,
            rows: names.iter().enumerate().map(row).collect(),
            numeric: std::iter::once(false).chain(self.columns.iter().map(|(.., is)| *is)).collect(),
        }
    }

    /// The table, if it fits.
    fn draw(&self, names: &[&str], width: Option<usize>) -> Option<String> {
        let drawing = self.whole(names);
        width.is_none_or(|width| drawing.fits(width)).then(|| drawing.draw(width))
    }
}

/// Both directions in one table, or where the width is too small in two.
fn directions(names: &[&str], received: [Cells; 4], sent: [Cells; 4], width: Option<usize>) -> String {
    let both = Columns { columns: received.iter().chain(&sent).cloned().collect() };
    both.draw(names, width).unwrap_or_else(|| {
        let of = |columns: [Cells; 4]| Columns { columns: columns.to_vec() }.whole(names).draw(width);
        format!("{}\n{}", of(received), of(sent))
    })
}

fn drawing(header: &[&str], rows: Vec<Vec<String>>, keys: usize, numbers: &[usize]) -> Drawing {
    let numeric = (0..header.len()).map(|column| numbers.contains(&column)).collect();
    Drawing { header: header.iter().map(|name| (*name).to_owned()).collect(), keys, rows, numeric }
}

/// What an interface carried in a second, as data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateRecord {
    time: f64,
    seconds: f64,
    name: String,
    octets_in: Option<f64>,
    packets_in: Option<f64>,
    errors_in: Option<f64>,
    discards_in: Option<f64>,
    octets_out: Option<f64>,
    packets_out: Option<f64>,
    errors_out: Option<f64>,
    discards_out: Option<f64>,
}

impl RateRecord {
    /// The fields in order.
    pub const HEADER: [&'static str; 11] = [
        "time",
        "seconds",
        "name",
        "octets_in",
        "packets_in",
        "errors_in",
        "discards_in",
        "octets_out",
        "packets_out",
        "errors_out",
        "discards_out",
    ];
}

/// What the interfaces carried in a second between two looks, `seconds` apart; `time` is that of the second one. There is no rate for
/// an interface that is new, or whose counters began anew.
pub fn rates(before: &Interfaces, now: &Interfaces, seconds: f64, time: f64) -> Vec<RateRecord> {
    let restarted = before.uptime.zip(now.uptime).is_some_and(|(before, now)| now < before);
    let rate = |interface: &Interface| {
        let earlier = before.all.iter().find(|known| known.index == interface.index);
        let earlier = earlier.filter(|known| !restarted && known.discontinuity == interface.discontinuity);
        let of = |count: fn(&Interface) -> Count| {
            let counted = count(interface).since(count(earlier?))?;
            Some(counted as f64 / seconds)
        };
        RateRecord {
            time,
            seconds,
            name: interface.name.clone(),
            octets_in: of(|interface| interface.received.octets),
            packets_in: of(|interface| interface.received.packets),
            errors_in: of(|interface| interface.received.errors),
            discards_in: of(|interface| interface.received.discards),
            octets_out: of(|interface| interface.sent.octets),
            packets_out: of(|interface| interface.sent.packets),
            errors_out: of(|interface| interface.sent.errors),
            discards_out: of(|interface| interface.sent.discards),
        }
    };
    now.all.iter().map(rate).collect()
}

/// Rates as a table, or as one for each direction.
pub fn rate_table(records: &[RateRecord], width: Option<usize>) -> String {
    let bits = |octets: &dyn Fn(&RateRecord) -> Option<f64>| {
        let words =
            |octets: Option<f64>| octets.map_or_else(|| "reset".to_owned(), |octets| bit_words(octets * 8.0));
        records.iter().map(|record| words(octets(record))).collect()
    };
    let plain = |rate: &dyn Fn(&RateRecord) -> Option<f64>| {
        let words = |rate: Option<f64>| rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}"));
        records.iter().map(|record| words(rate(record))).collect()
    };
    let received = [
        ("in", bits(&|record| record.octets_in), true),
        ("packets/s", plain(&|record| record.packets_in), true),
        ("errors/s", plain(&|record| record.errors_in), true),
        ("drops/s", plain(&|record| record.discards_in), true),
    ];
    let sent = [
        ("out", bits(&|record| record.octets_out), true),
        ("packets/s", plain(&|record| record.packets_out), true),
        ("errors/s", plain(&|record| record.errors_out), true),
        ("drops/s", plain(&|record| record.discards_out), true),
    ];
    let names: Vec<&str> = records.iter().map(|record| record.name.as_str()).collect();
    directions(&names, received, sent, width)
}

/// A counter of a protocol as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatisticRecord {
    protocol: &'static str,
    object: String,
    description: String,
    value: u64,
}

impl StatisticRecord {
    /// The fields in order.
    pub const HEADER: [&'static str; 4] = ["protocol", "object", "description", "value"];

    /// The records of a protocol.
    pub fn all(statistics: &Statistics) -> Vec<Self> {
        let protocol = statistics.protocol;
        let counters = statistics.counters.iter().map(|counter| StatisticRecord {
            protocol,
            object: counter.object.to_owned(),
            description: counter.words.to_owned(),
            value: counter.value,
        });
        let messages = statistics.messages.iter().flat_map(|messages| {
            [(&messages.received, "received"), (&messages.sent, "sent")].map(
                |((object, value), direction)| {
                    let description = format!("{}, {direction}", messages.words);
                    StatisticRecord { protocol, object: object.clone(), description, value: *value }
                },
            )
        });
        counters.chain(messages).collect()
    }
}

/// Statistics as text: a line for each counter, below the name of its protocol.
pub fn statistics(all: &[Statistics]) -> String {
    let one = |statistics: &Statistics| {
        let mut lines = format!("{}\n", statistics.protocol);
        for counter in &statistics.counters {
            lines.push_str(&format!("{:>16}  {}\n", counter.value, counter.words));
        }
        if !statistics.messages.is_empty() {
            lines.push_str(&format!("{:>16}  {:>14}  messages\n", "received", "sent"));
        }
        for messages in &statistics.messages {
            let (received, sent) = (messages.received.1, messages.sent.1);
            lines.push_str(&format!("{received:>16}  {sent:>14}  {}\n", messages.words));
        }
        lines
    };
    all.iter().map(one).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::inet::Inet;
    use crate::figures::interfaces::Traffic;
    use crate::figures::sockets::Protocol;

    fn interface(name: &str, octets: u64) -> Interface {
        let count = |total| Count::narrow(total);
        let traffic = |octets| Traffic {
            octets: count(octets),
            packets: count(octets / 100),
            errors: count(0),
            discards: count(1),
        };
        Interface {
            index: 7,
            name: name.to_owned(),
            mtu: Some(1500),
            status: [Some(1), Some(2)],
            received: traffic(octets),
            sent: traffic(octets / 2),
            queue: 0,
            discontinuity: None,
        }
    }

    #[test]
    fn interfaces_that_do_not_fit_are_two_tables_and_no_line_is_wider() {
        let inet = Inet { address: [192, 0, 2, 1].into(), zone: 0 };
        let addresses = [Address { inet, prefix: Some(24) }];
        let record = InterfaceRecord::new(&interface("eth0\n", 100_000), &addresses, None);
        let records = [record];
        assert_eq!(
            interfaces(&records, None),
            "\
name    state   mtu        in  packets  errors  drops       out  packets  errors  drops  addresses
------- ------ ----- --------- -------- ------- ------ --------- -------- ------- ------ -------------
eth0\\n  down   1500  97.7 KiB     1000       0      1  48.8 KiB      500       0      1  192.0.2.1/24
"
        );
        for width in [80, 60, 50] {
            let drawn = interfaces(&records, Some(width));
            assert!(drawn.lines().all(|line| line.chars().count() <= width), "{width}\n{drawn}");
            assert!(drawn.contains("192.0.2.1/24") && drawn.contains("48.8 KiB"), "{drawn}");
        }
        let v6 = InterfaceRecord::new(&interface("eth0", 1), &addresses, Some(Family::V6));
        assert_eq!(v6.addresses, [""; 0]);
    }

    #[test]
    fn rates_are_per_second_and_none_after_a_restart() {
        let at = |octets, uptime| Interfaces { all: vec![interface("eth0", octets)], uptime: Some(uptime) };
        let before = at(4_294_967_000, 100);
        let two = rates(&before, &at(1_000, 300), 2.0, 9.0);
        assert_eq!((two[0].octets_in, two[0].errors_in), (Some(648.0), Some(0.0)));
        assert!(rate_table(&two, None).contains("5.18 kbit/s"), "{}", rate_table(&two, None));
        let restarted = rates(&before, &at(1_000, 50), 2.0, 9.0);
        assert_eq!(restarted[0].octets_in, None);
        assert!(rate_table(&restarted, None).contains("reset"));
        let new = rates(&Interfaces::default(), &at(1, 1), 1.0, 9.0);
        assert_eq!(new[0].packets_out, None);
    }

    #[test]
    fn the_other_end_is_below_where_it_does_not_fit_beside() {
        let end = |text: &str, port| Endpoint {
            host: Some(Inet { address: text.parse().unwrap(), zone: 3 }),
            port,
        };
        let local = end("2001:db8:1111:2222:3333:4444:5555:6666", 65_535);
        let remote = Some(end("2001:db8::1", 443));
        let socket = Socket { protocol: Protocol::Tcp, local, remote, state: Some(5), process: None };
        let waits =
            Socket { local: Endpoint { host: None, port: 22 }, remote: None, state: Some(2), ..socket };
        assert_eq!(
            sockets(&[socket, waits], Some(80)),
            "\
protocol  state        process  local - remote address
--------- ------------ -------- -------------------------------------------------
tcp       established        -  [2001:db8:1111:2222:3333:4444:5555:6666%3]:65535
                                - [2001:db8::1%3]:443
tcp       listen             -  *:22
"
        );
        let record = SocketRecord::new(&waits);
        assert_eq!((record.local_address, record.remote_port, record.state), (None, None, Some("listen")));
    }
}
