//! The same objects from Net-SNMP's agent on the same machine, compared instance by instance.
//!
//! Ours is read before and after snmpd's walk. Constant values must be equal, a counter must lie between our two
//! readings, and values that vary must at least be of the same type. Where we follow the RFC or the kernel rather
//! than snmpd, [`rule`] says so.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;
use trunkline_host::{HostOptions, providers};
use trunkline_smi::{Oid, Value};
use trunkline_testkit::has;

use crate::flat::{Instances, instances, load};

/// snmpd on a separate port, ended when dropped.
pub(crate) struct Snmpd {
    child: Child,
    address: String,
    folder: TempDir,
}

impl Snmpd {
    /// `None` where Net-SNMP is not installed: the test is left out.
    fn start() -> Option<Self> {
        Snmpd::start_with("includeAllDisks 10%\n")
    }

    /// With these directives.
    pub(crate) fn start_with(directives: &str) -> Option<Self> {
        if !has("snmpd", "snmpd") || !has("snmpbulkwalk", "snmp") {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{port}");
        let configuration = folder.path().join("snmpd.conf");
        std::fs::write(&configuration, format!("rwcommunity public 127.0.0.1\n{directives}")).unwrap();
        let mut child = Command::new("snmpd")
            .args(["-f", "-C", "-Lo", "-I", "-smux", "-c"])
            .arg(&configuration)
            .arg(format!("--persistentDir={}", folder.path().display()))
            .arg(format!("udp:{address}"))
            .env("MIBS", "")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let log = BufReader::new(child.stdout.take().unwrap());
        let ready = log.lines().map_while(Result::ok).any(|line| line.contains("NET-SNMP version"));
        assert!(ready, "snmpd did not start");
        Some(Snmpd { child, address, folder })
    }

    /// What it says below a name.
    pub(crate) fn walk(&self, below: &str) -> Instances {
        let output = Command::new("snmpbulkwalk")
            .args(["-v2c", "-cpublic", "-Cr50", "-t5", "-r2", "-One", "-Oxt", &self.address, below])
            .env("MIBS", "")
            .env("SNMP_PERSISTENT_DIR", self.folder.path())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        // Long octet strings continue on further lines.
        let joined = text.lines().fold(String::new(), |mut all, line| {
            all.push_str(if line.starts_with(".1.") { "\n" } else { " " });
            all.push_str(line);
            all
        });
        joined.lines().filter_map(parse).collect()
    }
}

impl Drop for Snmpd {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// `.1.3.6.1.2.1.6.4.0 = INTEGER: -1`
fn parse(line: &str) -> Option<(Oid, Value)> {
    let (name, value) = line.split_once(" = ")?;
    let name = name.parse().unwrap();
    if value.trim() == "\"\"" {
        return Some((name, Value::OctetString(Vec::new())));
    }
    let (kind, text) = value.split_once(':')?;
    let text = text.trim();
    let hex = || text.split_whitespace().map(|octet| u8::from_str_radix(octet, 16).unwrap()).collect();
    let value = match kind {
        "INTEGER" => Value::Integer(text.parse().unwrap()),
        "Counter32" => Value::Counter32(text.parse().unwrap()),
        "Gauge32" => Value::Unsigned32(text.parse().unwrap()),
        "Timeticks" => Value::TimeTicks(text.parse().unwrap()),
        "Counter64" => Value::Counter64(text.parse().unwrap()),
        "IpAddress" => Value::IpAddress(text.parse::<std::net::Ipv4Addr>().unwrap().octets()),
        "OID" => Value::ObjectIdentifier(text.parse().unwrap()),
        "Hex-STRING" => Value::OctetString(hex()),
        "Opaque" => Value::Opaque(Vec::new()),
        // No such object: the walk has ended.
        _ => return None,
    };
    Some((name, value))
}

/// How exactly an instance must agree.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    /// Equal.
    Equal,
    /// A counter: not below our first reading, not above our second.
    Between,
    /// It moves while others write to the disk: within a tenth, and one.
    Near,
    /// A date of the same second; snmpd leaves out the tenths.
    SameSecond,
    /// Only the type.
    Type,
    /// Not to be compared: why.
    Differs(#[allow(dead_code, reason = "for the reader")] &'static str),
}

/// The rules that are not [`Rule::Equal`], by column or scalar.
const RULES: &[(&str, Rule)] = &[
    ("1.3.6.1.2.1.6.9", Rule::Type),
    ("1.3.6.1.2.1.6", Rule::Between),
    ("1.3.6.1.2.1.7", Rule::Type), // snmpd counts IPv4 only
    ("1.3.6.1.2.1.10.7.2.1.7", Rule::Differs("snmpd counts dropped packets as deferred")),
    ("1.3.6.1.2.1.10.7.2.1.13", Rule::Differs("snmpd counts misaligned frames as too long")),
    ("1.3.6.1.2.1.25.1.1", Rule::Between),
    ("1.3.6.1.2.1.25.1.2", Rule::Type),
    ("1.3.6.1.2.1.25.1.6", Rule::Type),
    ("1.3.6.1.2.1.25.2.3.1.2", Rule::Differs("snmpd calls a tmpfs and a CD fixed disks")),
    ("1.3.6.1.2.1.25.2.3.1.5.7", Rule::Type),
    ("1.3.6.1.2.1.25.2.3.1.5.8", Rule::Type),
    ("1.3.6.1.2.1.25.2.3.1.5.11", Rule::Type),
    ("1.3.6.1.2.1.25.2.3.1.6", Rule::Near), // of file systems
    ("1.3.6.1.2.1.25.2.3.1.6.1", Rule::Type),
    ("1.3.6.1.2.1.25.2.3.1.6.3", Rule::Type),
    ("1.3.6.1.2.1.25.2.3.1.6.6", Rule::Type),
    ("1.3.6.1.2.1.25.2.3.1.6.7", Rule::Type),
    ("1.3.6.1.2.1.25.2.3.1.6.8", Rule::Type),
    ("1.3.6.1.2.1.25.2.3.1.6.10", Rule::Type),
    ("1.3.6.1.2.1.25.2.3.1.6.11", Rule::Type),
    ("1.3.6.1.2.1.25.3.2.1.6", Rule::Between),
    ("1.3.6.1.2.1.25.3.3.1.2", Rule::Type),
    ("1.3.6.1.2.1.25.6.3.1.5", Rule::SameSecond),
    ("1.3.6.1.4.1.2021.4.4", Rule::Type),
    ("1.3.6.1.4.1.2021.4.6", Rule::Type),
    ("1.3.6.1.4.1.2021.4.11", Rule::Type),
    ("1.3.6.1.4.1.2021.4.13", Rule::Type),
    ("1.3.6.1.4.1.2021.4.14", Rule::Type),
    ("1.3.6.1.4.1.2021.4.15", Rule::Type),
    ("1.3.6.1.4.1.2021.4.19", Rule::Type),
    ("1.3.6.1.4.1.2021.4.21", Rule::Type),
    ("1.3.6.1.4.1.2021.4.22", Rule::Type),
    ("1.3.6.1.4.1.2021.4.24", Rule::Type),
    ("1.3.6.1.4.1.2021.4.25", Rule::Type),
    ("1.3.6.1.4.1.2021.4.26", Rule::Type),
    ("1.3.6.1.4.1.2021.4.27", Rule::Type),
    ("1.3.6.1.4.1.2021.9.1.7", Rule::Near),
    ("1.3.6.1.4.1.2021.9.1.8", Rule::Near),
    ("1.3.6.1.4.1.2021.9.1.9", Rule::Near),
    ("1.3.6.1.4.1.2021.9.1.10", Rule::Near),
    ("1.3.6.1.4.1.2021.9.1.13", Rule::Near),
    ("1.3.6.1.4.1.2021.9.1.15", Rule::Near),
    ("1.3.6.1.4.1.2021.9.1.100", Rule::Differs("snmpd raises it for read-only file systems too")),
    ("1.3.6.1.4.1.2021.9.1.101", Rule::Differs("snmpd raises it for read-only file systems too")),
    ("1.3.6.1.4.1.2021.10.1.3", Rule::Type),
    ("1.3.6.1.4.1.2021.10.1.5", Rule::Type),
    ("1.3.6.1.4.1.2021.10.1.6", Rule::Type),
    ("1.3.6.1.4.1.2021.10.1.101", Rule::Type),
    ("1.3.6.1.4.1.2021.13.15", Rule::Near), // snmpd keeps what it has read for a while
    ("1.3.6.1.4.1.2021.13.15.1.1.1", Rule::Equal),
    ("1.3.6.1.4.1.2021.13.15.1.1.2", Rule::Equal),
    // Octets in 32 bits may wrap between two readings.
    ("1.3.6.1.4.1.2021.13.15.1.1.3", Rule::Type),
    ("1.3.6.1.4.1.2021.13.15.1.1.4", Rule::Type),
    ("1.3.6.1.4.1.2021.13.15.1.1.9", Rule::Type), // snmpd reads them every 5 s
    ("1.3.6.1.4.1.2021.13.15.1.1.10", Rule::Type),
    ("1.3.6.1.4.1.2021.13.15.1.1.11", Rule::Type),
    ("1.3.6.1.4.1.2021.11.1", Rule::Equal),
    ("1.3.6.1.4.1.2021.11.2", Rule::Equal),
    ("1.3.6.1.4.1.2021.11.67", Rule::Equal),
    // Only 5 s after its start has snmpd read them.
    ("1.3.6.1.4.1.2021.11", Rule::Type),
];

/// The rule of the longest name that an instance is below of.
fn rule(rules: &BTreeMap<Oid, Rule>, name: &[u32]) -> Rule {
    let lengths = (1..=name.len()).rev();
    lengths.filter_map(|length| rules.get(&name[..length])).next().copied().unwrap_or(Rule::Equal)
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Integer(number) => u64::try_from(*number).ok(),
        Value::Counter32(number) | Value::Unsigned32(number) | Value::TimeTicks(number) => {
            Some((*number).into())
        }
        Value::Counter64(number) => Some(*number),
        _ => None,
    }
}

/// A DateAndTime without its deci-seconds.
fn seconds(date: &Value) -> Vec<u8> {
    let Value::OctetString(octets) = date else { panic!("{date:?} is not a date") };
    octets.iter().enumerate().filter(|(at, _)| *at != 7).map(|(_, octet)| *octet).collect()
}

fn ours(groups: &[&str]) -> Instances {
    let all = providers(&HostOptions::host(Instant::now()));
    let chosen = all.iter().filter(|provider| groups.contains(&provider.group().name));
    chosen.flat_map(|provider| instances(provider.group(), &load(&**provider))).collect()
}

#[test]
fn stable_values_agree_with_snmpd() {
    let Some(snmpd) = Snmpd::start() else { return };
    let groups = [
        "tcp",
        "udp",
        "hr-system",
        "hr-storage",
        "hr-processors",
        "hr-devices",
        "hr-software-installed",
        "ucd-memory",
        "ucd-load",
        "ucd-system-stats",
        "ucd-disk",
        "ucd-disk-io",
        "lm-sensors",
        "ethernet",
    ];
    let before = ours(&groups);
    let theirs: Instances =
        ["1.3.6.1.2.1.6", "1.3.6.1.2.1.7", "1.3.6.1.2.1.10.7", "1.3.6.1.2.1.25", "1.3.6.1.4.1.2021"]
            .iter()
            .flat_map(|below| snmpd.walk(below))
            .collect();
    let after = ours(&groups);
    let rules: BTreeMap<Oid, Rule> =
        RULES.iter().map(|(name, rule)| (name.parse().unwrap(), *rule)).collect();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (name, value) in &theirs {
        let (Some(first), Some(second)) = (before.get(name), after.get(name)) else { continue };
        compared += 1;
        let agrees = match rule(&rules, name) {
            _ if first.kind() != value.kind() => false,
            Rule::Equal => value == first || value == second,
            Rule::Between => number(first) <= number(value) && number(value) <= number(second),
            Rule::Near => {
                let (ours, theirs) = (number(first).unwrap(), number(value).unwrap());
                ours.abs_diff(theirs) <= ours / 10 + 1
            }
            Rule::SameSecond => seconds(value) == seconds(first),
            Rule::Type | Rule::Differs(_) => true,
        };
        if !agrees {
            wrong.push(format!("{name}: snmpd {value:?}, ours {first:?} and then {second:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
    let missing: Vec<String> = theirs
        .iter()
        .filter(|(name, _)| is_served(name) && !before.contains_key(*name) && !after.contains_key(*name))
        .map(|(name, value)| format!("{name} = {value:?}"))
        .collect();
    assert!(missing.is_empty(), "snmpd has, and we have not:\n{}", missing.join("\n"));
    assert!(compared > 200, "only {compared} instances were compared");
}

/// Whether an instance of snmpd's belongs to what we serve, and does not come and go.
fn is_served(name: &[u32]) -> bool {
    const LEFT_OUT: &[&[u32]] = &[
        &[1, 3, 6, 1, 2, 1, 6, 13], // sockets have a test of their own
        &[1, 3, 6, 1, 2, 1, 6, 19],
        &[1, 3, 6, 1, 2, 1, 6, 20],
        &[1, 3, 6, 1, 2, 1, 7, 5],
        &[1, 3, 6, 1, 2, 1, 7, 7],
        &[1, 3, 6, 1, 2, 1, 25, 4], // processes too
        &[1, 3, 6, 1, 2, 1, 25, 5],
        &[1, 3, 6, 1, 4, 1, 2021, 2], // not part of what is served
        &[1, 3, 6, 1, 4, 1, 2021, 8],
        &[1, 3, 6, 1, 4, 1, 2021, 13, 14],
        &[1, 3, 6, 1, 4, 1, 2021, 16], // these have tests of their own
        &[1, 3, 6, 1, 4, 1, 2021, 100],
        &[1, 3, 6, 1, 4, 1, 2021, 101],
    ];
    // "Guessing that there's a floating point co-processor"
    let guess = name.starts_with(&[1, 3, 6, 1, 2, 1, 25, 3, 2]) && name.ends_with(&[786_432]);
    !guess && !LEFT_OUT.iter().any(|left_out| name.starts_with(left_out))
}

#[test]
fn sockets_of_this_process_agree_with_snmpd() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = u32::from(listener.local_addr().unwrap().port());
    let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (far, _) = listener.accept().unwrap();
    let remote = u32::from(near.local_addr().unwrap().port());
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let udp_port = u32::from(udp.local_addr().unwrap().port());
    let Some(snmpd) = Snmpd::start() else { return };
    let ours = ours(&["tcp-connections", "udp-endpoints"]);
    let tcp = snmpd.walk("1.3.6.1.2.1.6");
    let udp_rows = snmpd.walk("1.3.6.1.2.1.7");
    let mut checked = 0;
    let mut check = |theirs: &Instances, name: &[u32]| {
        let (ours, theirs) = (ours.get(name), theirs.get(name));
        assert!(ours.is_some() && ours == theirs, "{name:?}: ours {ours:?}, snmpd {theirs:?}");
        checked += 1;
    };
    let local = [127, 0, 0, 1, port];
    for column in 1..=5 {
        check(&tcp, &[&[1, 3, 6, 1, 2, 1, 6, 13, 1, column][..], &local, &[0, 0, 0, 0, 0]].concat());
        check(&tcp, &[&[1, 3, 6, 1, 2, 1, 6, 13, 1, column][..], &local, &[127, 0, 0, 1, remote]].concat());
    }
    let connection = [&[1, 4][..], &local, &[1, 4, 127, 0, 0, 1, remote]].concat();
    check(&tcp, &[&[1, 3, 6, 1, 2, 1, 6, 19, 1, 7][..], &connection].concat());
    // The owner is only ours to say: a child that another test has forked at this moment holds our sockets
    // too until it becomes another program, and snmpd may name that one.
    let own = Some(Value::Unsigned32(std::process::id()));
    let owners = [
        [&[1, 3, 6, 1, 2, 1, 6, 19, 1, 8][..], &connection].concat(),
        [&[1, 3, 6, 1, 2, 1, 6, 20, 1, 4, 1, 4][..], &local].concat(),
    ];
    for name in owners {
        assert!(tcp.contains_key(name.as_slice()), "{name:?} is not snmpd's");
        assert_eq!(ours.get(name.as_slice()), own.as_ref(), "{name:?}");
    }
    for column in 1..=2 {
        check(&udp_rows, &[1, 3, 6, 1, 2, 1, 7, 5, 1, column, 127, 0, 0, 1, udp_port]);
    }
    assert_eq!(checked, 13);
    // snmpd has 0.0.0.0 for everybody, RFC 4113 the empty address of type unknown(0).
    let endpoint = [1, 3, 6, 1, 2, 1, 7, 7, 1, 8, 1, 4, 127, 0, 0, 1, udp_port, 0, 0, 0];
    let process = ours.iter().find(|(name, _)| name.starts_with(&endpoint)).map(|(_, process)| process);
    assert_eq!(process, Some(&Value::Unsigned32(std::process::id())));
    drop((near, far));
}

#[test]
fn a_waiting_process_agrees_with_snmpd() {
    let mut waiting = Command::new("cat")
        .args(["-", "with  two blanks"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // It has written a line, so it runs and waits for the next.
    waiting.stdin.as_mut().unwrap().write_all(b"ready\n").unwrap();
    let mut line = String::new();
    BufReader::new(waiting.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    let pid = waiting.id();
    if let Some(snmpd) = Snmpd::start() {
        let ours = ours(&["hr-software-running"]);
        let theirs: Instances =
            [snmpd.walk("1.3.6.1.2.1.25.4"), snmpd.walk("1.3.6.1.2.1.25.5")].into_iter().flatten().collect();
        let names = (1..=7).map(|column| vec![1, 3, 6, 1, 2, 1, 25, 4, 2, 1, column, pid]);
        let costs = (1..=2).map(|column| vec![1, 3, 6, 1, 2, 1, 25, 5, 1, 1, column, pid]);
        for name in names.chain(costs) {
            assert!(ours.contains_key(&name[..]), "{name:?}");
            assert_eq!(ours.get(&name[..]), theirs.get(&name[..]), "{name:?}");
        }
        // Threads of the kernel, where they are seen.
        let thread =
            |all: &Instances, column| all.get(&[1, 3, 6, 1, 2, 1, 25, 4, 2, 1, column, 2][..]).cloned();
        for column in [1, 2, 3, 4, 5, 6] {
            assert_eq!(thread(&ours, column), thread(&theirs, column));
        }
    }
    drop(waiting.stdin.take());
    waiting.wait().unwrap();
}

/// Each route of snmpd's inetCidrRouteTable and ipCidrRouteTable is one of ours, with the same interface and type. The policy, and the next
/// hop of routes without one, have other forms there.
#[test]
fn routes_agree_with_snmpd() {
    let Some(snmpd) = Snmpd::start() else { return };
    let ours = ours(&["ip-routes", "ip-routes-legacy"]);
    let theirs = snmpd.walk("1.3.6.1.2.1.4.24");
    let column = |instances: &Instances, id: u32| -> BTreeMap<Vec<u32>, Value> {
        let start = [1, 3, 6, 1, 2, 1, 4, 24, 7, 1, id];
        let rows = instances.iter().filter(|(name, _)| name.starts_with(&start));
        rows.map(|(name, value)| (name[start.len()..].to_vec(), value.clone())).collect()
    };
    // What we have as link-local of an interface, without its interface.
    let destination = |index: &[u32]| -> Vec<u32> {
        let octets = &index[2..2 + index[1] as usize];
        let (kind, kept) = if index[0] == 4 { (2, &octets[..16]) } else { (index[0], octets) };
        [&[kind], kept, &[index[2 + octets.len()]]].concat()
    };
    let mut missing = Vec::new();
    for (index, interface) in column(&theirs, 7) {
        let kind = &column(&theirs, 8)[&index];
        let is_same = |(found, ours_of): (&Vec<u32>, &Value)| {
            destination(found) == destination(&index)
                && *ours_of == interface
                && column(&ours, 8)[found] == *kind
        };
        // ::/0 is a reject route with an index of 0 in namespaces without a router.
        if !column(&ours, 7).iter().any(is_same) && interface != Value::Integer(0) {
            missing.push((index, interface, kind.clone()));
        }
    }
    assert!(missing.is_empty(), "snmpd has, and we have not: {missing:?}");
    // snmpd calls every route's protocol local.
    let old = |(name, _): &(&Oid, &Value)| {
        name.starts_with(&[1, 3, 6, 1, 2, 1, 4, 24, 4])
            && !name.starts_with(&[1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 7])
    };
    // Nor does it know routes that refuse or drop: it calls them local (3), and they are reject (2).
    let kind = [1, 3, 6, 1, 2, 1, 4, 24, 4, 1, 6];
    for (name, value) in theirs.iter().filter(old) {
        if name.starts_with(&kind) && ours.get(name) == Some(&Value::Integer(2)) {
            assert_eq!(*value, Value::Integer(3), "{name}");
            continue;
        }
        assert_eq!(ours.get(name), Some(value), "{name}");
    }
}
