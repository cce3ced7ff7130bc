//! The layout of `snmpnetstat`, which is that of BSD's netstat: columns that scripts know.

use std::collections::BTreeMap;
use std::net::IpAddr;

use crate::figures::inet::Family;
use crate::figures::interfaces::{Address, Interface, Traffic};
use crate::figures::protocols::Statistics;
use crate::figures::routes::{Kind, Route};
use crate::figures::sockets::{Endpoint, Protocol, Socket};
use crate::netstat::interface_name;

/// Names of hosts and services in place of numbers.
#[derive(Clone, Debug, Default)]
pub struct Known {
    hosts: BTreeMap<IpAddr, String>,
    services: BTreeMap<(u32, String), String>,
}

impl Known {
    /// From the texts of `hosts` and `services` (hosts(5), services(5)); the first name of each counts.
    pub fn new(hosts: &str, services: &str) -> Self {
        let mut known = Known::default();
        let words = |line: &str| {
            let line = line.split('#').next().unwrap_or_default();
            line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        for line in hosts.lines().map(words) {
            if let [address, name, ..] = &line[..]
                && let Ok(address) = address.parse()
            {
                known.hosts.entry(address).or_insert_with(|| name.clone());
            }
        }
        for line in services.lines().map(words) {
            if let [name, port, ..] = &line[..]
                && let Some((port, protocol)) = port.split_once('/')
                && let Ok(port) = port.parse()
            {
                known.services.entry((port, protocol.to_owned())).or_insert_with(|| name.clone());
            }
        }
        known
    }

    fn end(&self, end: &Endpoint, protocol: Protocol) -> String {
        let host = match end.host {
            Some(host) if !host.address.is_unspecified() => {
                self.hosts.get(&host.address).cloned().unwrap_or_else(|| host.to_string())
            }
            _ => "*".to_owned(),
        };
        let service = self.services.get(&(end.port, protocol.name().to_owned())).cloned();
        let port = if end.port == 0 { "*".to_owned() } else { end.port.to_string() };
        format!("{host}.{}", service.unwrap_or(port))
    }
}

/// Sockets as they are listed.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'l> {
    /// Names in place of numbers; none: numbers.
    pub known: &'l Known,
    /// Whether sockets that wait are listed too.
    pub with_listeners: bool,
    /// Whether they are from the old tables, which have fewer columns.
    pub are_old: bool,
}

impl Listing<'_> {
    /// The sockets of TCP, with their headings.
    pub fn tcp(&self, sockets: &[Socket]) -> String {
        if self.are_old {
            return self.old_tcp(sockets);
        }
        let mut out = format!(
            "Active Internet (tcp) Connections\n{:<5} {:<27} {:<27} {:>11} {:>5}\n",
            "Proto", "Local Address", "Remote Address", "State", "PID"
        );
        for socket in sockets.iter().filter(|socket| !socket.is_listener()) {
            let (local, remote) = self.ends(socket);
            let (name, process) = (family_name(socket), process(socket));
            out += &format!("{name:<5} {local:<27} {remote:<27} {:>11} {process:>5}\n", state(socket));
        }
        if self.with_listeners {
            out += "Listening Internet (tcp) Connections\n";
            out += &format!("{:<5} {:<27} {:>5}\n", "Proto", "Local Address", "PID");
            for socket in sockets.iter().filter(|socket| socket.is_listener()) {
                let (name, process) = (family_name(socket), process(socket));
                out += &format!("{name:<5} {:<27} {process:>5}\n", self.ends(socket).0);
            }
        }
        out
    }

    fn old_tcp(&self, sockets: &[Socket]) -> String {
        let servers = if self.with_listeners { " (including servers)" } else { "" };
        let mut out = format!(
            "Active Internet (tcp) Connections{servers}\n{:<5} {:<27} {:<27} (state)\n",
            "Proto", "Local Address", "Remote Address"
        );
        for socket in sockets.iter().filter(|socket| self.with_listeners || !socket.is_listener()) {
            let (local, remote) = self.ends(socket);
            out += &format!("{:<5} {local:<27} {remote:<27} {}\n", "tcp", state(socket));
        }
        out
    }

    /// The sockets of UDP, with their headings.
    pub fn udp(&self, sockets: &[Socket]) -> String {
        let title = "Active Internet (udp) Connections\n";
        let more = if self.are_old { "" } else { " Remote Address                PID" };
        let mut out = format!("{title}{:<5} {:<27}{more}\n", "Proto", "Local Address");
        for socket in sockets {
            let (local, remote) = self.ends(socket);
            out += &match self.are_old {
                true => format!("{:<5} {local:<27}\n", "udp"),
                false => {
                    format!("{:<5} {local:<27} {remote:<27} {:>5}\n", family_name(socket), process(socket))
                }
            };
        }
        out
    }

    fn ends(&self, socket: &Socket) -> (String, String) {
        let remote = socket.remote.unwrap_or(Endpoint { host: None, port: 0 });
        (self.known.end(&socket.local, socket.protocol), self.known.end(&remote, socket.protocol))
    }
}

fn family_name(socket: &Socket) -> String {
    let family = match socket.family() {
        Some(Family::V4) => "4",
        Some(Family::V6) => "6",
        None => "46",
    };
    format!("{}{family}", socket.protocol.name())
}

fn state(socket: &Socket) -> String {
    match (socket.state_name(), socket.state) {
        ("", state) => state.unwrap_or(0).to_string(),
        (name, _) => name.to_ascii_uppercase(),
    }
}

fn process(socket: &Socket) -> u64 {
    socket.process.unwrap_or(0)
}

/// Which columns the list of interfaces has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Octets beside packets (`-Cb`).
    pub octets: bool,
    /// Octets instead of packets (`-Co`).
    pub only_octets: bool,
    /// Packets that were dropped (`-Cd`).
    pub drops: bool,
}

/// The interfaces; `one`: only that one.
pub fn interfaces(
    all: &[Interface],
    addresses: &BTreeMap<u64, Vec<Address>>,
    columns: Columns,
    one: Option<&str>,
) -> String {
    let longest = all.iter().map(|interface| interface.name.chars().count() + 1).max().unwrap_or(0).max(4);
    let mut header: Vec<&str> = vec!["Network", "Address"];
    header.extend(match columns {
        Columns { only_octets: true, .. } => &["Ibytes", "Obytes"][..],
        Columns { octets: true, .. } => &["Ipkts", "Ierrs", "Ibytes", "Opkts", "Oerrs", "Obytes", "Queue"],
        _ => &["Ipkts", "Ierrs", "Opkts", "Oerrs", "Queue"],
    });
    if columns.drops {
        header.push("Drop");
    }
    let chosen: Vec<&Interface> =
        all.iter().filter(|known| one.is_none_or(|one| known.name == one)).collect();
    let rows: Vec<Vec<String>> = chosen.iter().map(|known| row(known, addresses, columns)).collect();
    let width = |at: usize| rows.iter().map(|row| row[at].len()).max().unwrap_or(0).max(header[at].len());
    let line = |name: &str, mtu: &str, cells: &[String]| {
        let mut out = format!("{:<longest$} {mtu:>5}", trunkline_smi::visible(name));
        for (at, cell) in cells.iter().enumerate() {
            let width = width(at);
            out += &if at < 2 { format!(" {cell:<width$}") } else { format!(" {cell:>width$}") };
        }
        out + "\n"
    };
    let mut out = line("Name", "Mtu", &header.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    for (interface, cells) in chosen.iter().zip(&rows) {
        let mtu = interface.mtu.map_or_else(String::new, |mtu| mtu.to_string());
        out += &line(&interface.name, &mtu, cells);
    }
    out
}

fn row(interface: &Interface, addresses: &BTreeMap<u64, Vec<Address>>, columns: Columns) -> Vec<String> {
    let of = addresses.get(&u64::from(interface.index)).map_or(&[][..], Vec::as_slice);
    let first = of.iter().find(|address| address.inet.address.is_ipv4());
    let mut cells = vec![
        first.and_then(Address::network).unwrap_or_default(),
        first.map_or_else(String::new, |address| address.inet.to_string()),
    ];
    let Interface { received, sent, queue, .. } = interface;
    let numbers = match columns {
        Columns { only_octets: true, .. } => vec![received.octets.total, sent.octets.total],
        Columns { octets: true, .. } => {
            let part =
                |traffic: &Traffic| [traffic.packets.total, traffic.errors.total, traffic.octets.total];
            [&part(received)[..], &part(sent), &[*queue]].concat()
        }
        _ => {
            let part = |traffic: &Traffic| [traffic.packets.total, traffic.errors.total];
            [&part(received)[..], &part(sent), &[*queue]].concat()
        }
    };
    cells.extend(numbers.iter().map(u64::to_string));
    if columns.drops {
        cells.push(sent.discards.total.to_string());
    }
    cells
}

/// The headings of the lines of [`interval`]; `name`: the interface.
pub fn interval_header(name: Option<&str>, drops: bool) -> String {
    let name = trunkline_smi::visible(name.unwrap_or("(Total)")).into_owned();
    let more = if drops { " drops" } else { "" };
    format!(
        "{:>17}{name:>15}{:>17}\n{:>10} {:>5} {:>10} {:>10} {:>5} {:>10} {:>5}{more}\n",
        "input", "output", "packets", "errs", "bytes", "packets", "errs", "bytes", "colls"
    )
}

/// What was carried between two looks. What begins anew counts as nothing; collisions have no object.
pub fn interval(before: &[Interface], now: &[Interface], drops: bool) -> String {
    let mut sums = [0u64; 7];
    for interface in now {
        let Some(earlier) = before.iter().find(|known| known.index == interface.index) else { continue };
        let counts = |interface: &Interface| {
            let Interface { received, sent, .. } = interface;
            [
                received.packets,
                received.errors,
                received.octets,
                sent.packets,
                sent.errors,
                sent.octets,
                sent.discards,
            ]
        };
        for ((sum, now), before) in sums.iter_mut().zip(counts(interface)).zip(counts(earlier)) {
            *sum = sum.saturating_add(now.since(before).unwrap_or(0));
        }
    }
    let [packets, errors, octets, sent, failed, went, dropped] = sums;
    let more = if drops { format!(" {dropped:>5}") } else { String::new() };
    format!("{packets:>10} {errors:>5} {octets:>10} {sent:>10} {failed:>5} {went:>10} {:>5}{more}\n", 0)
}

/// The routes of a family below their headings; `wide` has room for whole addresses of IPv6.
pub fn routes(all: &[&Route], names: &BTreeMap<u64, String>, family: Family, wide: bool) -> String {
    let (one, other) = if wide && family == Family::V6 { (34, 39) } else { (26, 26) };
    let title = if family == Family::V4 { "IPv4" } else { "IPv6" };
    let mut out = format!(
        "{title} Routing tables (inetCidrRouteTable)\n{:<one$} {:<other$} {:<7} Interface\n",
        "Destination", "Gateway", "Flags"
    );
    for route in all {
        let destination = match route.prefix {
            _ if route.is_default() => "default".to_owned(),
            Some(prefix) if !route.is_to_host() => format!("{}/{prefix}", route.destination),
            _ => route.destination.to_string(),
        };
        let gateway = route.next_hop.map_or_else(|| family.any().to_string(), |hop| hop.to_string());
        out += &format!(
            "{destination:<one$} {gateway:<other$} {:<7} {}\n",
            flags(route),
            interface(route, names)
        );
    }
    out
}

/// The routes of an old table below their headings.
pub fn old_routes(all: &[&Route], names: &BTreeMap<u64, String>, table: &str) -> String {
    let mut out = format!(
        "Routing tables ({table})\n{:<26} {:<18} {:<7} Interface\n",
        "Destination", "Gateway", "Flags"
    );
    for route in all {
        let network = Address { inet: route.destination, prefix: route.prefix }.network();
        let destination = match network {
            _ if route.is_default() => "default".to_owned(),
            Some(network) if !route.is_to_host() => network,
            _ => route.destination.to_string(),
        };
        let gateway = route.next_hop.map_or_else(|| "*".to_owned(), |hop| hop.to_string());
        out += &format!("{destination:<26} {gateway:<18} {:<7} {}\n", flags(route), interface(route, names));
    }
    out
}

fn interface(route: &Route, names: &BTreeMap<u64, String>) -> String {
    if route.interface == 0 {
        return String::new();
    }
    trunkline_smi::visible(&interface_name(names, route.interface)).into_owned()
}

/// `U`: usable, `G`: by a router, `H`: to one address, `R` and `B`: packets are refused or dropped.
fn flags(route: &Route) -> String {
    let mut flags = "<U".to_owned();
    if route.kind == Kind::Remote {
        flags.push('G');
    }
    if route.is_to_host() {
        flags.push('H');
    }
    match route.kind {
        Kind::Reject => flags.push('R'),
        Kind::Blackhole => flags.push('B'),
        _ => {}
    }
    flags + ">"
}

/// Statistics below the name of each protocol; `skips_zero` (`-Css`) leaves out what has not happened.
pub fn statistics(all: &[Statistics], skips_zero: bool) -> String {
    let mut out = String::new();
    for statistics in all {
        out += &format!("{}:\n", statistics.protocol);
        for counter in statistics.counters.iter().filter(|counter| !skips_zero || counter.value != 0) {
            out += &format!("{:>14} {}\n", counter.value, counter.words);
        }
        let happened =
            statistics.messages.iter().map(|messages| (messages.received.1, messages.sent.1, messages));
        let happened: Vec<_> = happened.filter(|(one, other, _)| !skips_zero || one + other != 0).collect();
        if !happened.is_empty() {
            out += &format!(
                "     {} messages by type:\n{:>15} {:>10}\n",
                statistics.protocol, "input", "output"
            );
        }
        for (received, sent, messages) in happened {
            out += &format!("{received:>15} {sent:>10} {}\n", messages.words);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::inet::Inet;

    #[test]
    fn hosts_and_services_have_the_first_name_of_their_files() {
        let known = Known::new(
            "127.0.0.1\tlocalhost me # here\n::1 localhost\nnonsense\n127.0.0.1 other\n",
            "# none\nsnmp 161/udp\nhttp 80/tcp www\nbad x/tcp\n",
        );
        let end =
            |address: [u8; 4], port| Endpoint { host: Some(Inet { address: address.into(), zone: 0 }), port };
        assert_eq!(known.end(&end([127, 0, 0, 1], 161), Protocol::Udp), "localhost.snmp");
        assert_eq!(known.end(&end([127, 0, 0, 1], 161), Protocol::Tcp), "localhost.161");
        assert_eq!(known.end(&end([0; 4], 80), Protocol::Tcp), "*.http");
        assert_eq!(known.end(&Endpoint { host: None, port: 0 }, Protocol::Tcp), "*.*");
        assert_eq!(Known::default().end(&end([10, 0, 0, 1], 80), Protocol::Tcp), "10.0.0.1.80");
    }
}
