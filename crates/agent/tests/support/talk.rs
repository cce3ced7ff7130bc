//! Requests and answers in one line of text, and what the agent has counted between two moments.
//!
//! ```text
//! 2c public bulk 0 2 ifIndex            noError 0 ifIndex.1=i:1 ifIndex.2=i:2
//! 1 private set sysContact.0=i:5        badValue 1 sysContact.0=i:5
//! ```
//! Values: `null`, an exception's name, or `KIND:VALUE` with `i` INTEGER, `s` OCTET STRING, `o` OBJECT IDENTIFIER,
//! `a` IpAddress, `c` Counter32, `u` Gauge32, `t` TimeTicks, `C` Counter64. In an expectation a word that ends
//! with `*` stands for all that begin so, and a last word `...` for all that follows.

use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use trunkline_smi::{Oid, Value, module};
use trunkline_snmp::wire::{Bound, Exception, Message, Pdu, PduKind, VarBind, Version};

use super::{Agent, message, oid, receive, socket_to};

/// A socket that asks one agent.
pub struct Talk {
    pub socket: UdpSocket,
    /// What [`Talk::counts`] itself counts.
    looking: Counts,
    /// What the probes of [`Talk::silence`] count.
    probing: Counts,
}

/// What the agent has counted, by the name of the object without `snmp`.
pub type Counts = BTreeMap<&'static str, i64>;

impl Talk {
    /// Asks `agent` over UDP. All groups that [`Talk::silence`] needs are loaded before it returns.
    pub fn to(agent: &Agent) -> Talk {
        let socket = socket_to(agent.udp());
        let mut talk = Talk { socket, looking: Counts::new(), probing: Counts::new() };
        talk.counts();
        talk.probe();
        talk.looking = talk.grown_by(|| ());
        talk.probing = talk.grown_by(|| talk.probe());
        talk
    }

    /// Each answer is as expected; `cases` are request and answer.
    pub fn check(&self, cases: &[(&str, &str)]) {
        for (request, expected) in cases {
            let found = show(&self.ask(request));
            assert!(matches(expected, &found), "{request}\n expected {expected}\n    found {found}");
        }
    }

    /// Each message is dropped, and nothing is counted except snmpInPkts and the expected counters, by name;
    /// `cases` are a name, the octets and the counters.
    pub fn check_silence(&self, cases: &[(&str, Vec<u8>, &str)]) {
        for (name, octets, expected) in cases {
            let grown = less(self.grown_by(|| self.silence(name, octets)), &self.probing);
            assert_eq!(grown, counts_of(&format!("InPkts {expected}")), "{name}");
        }
    }

    /// One request and its answer, whose request-id is the same.
    pub fn ask(&self, request: &str) -> Message {
        self.exchange(&parse(request))
    }

    /// The same for a message. Its request-id is distinctive.
    pub fn exchange(&self, request: &Message) -> Message {
        self.socket.send(&request.encode()).expect("send");
        let answer = self.receive();
        assert_eq!(answer.pdu.request_id, request.pdu.request_id, "{}", show(request));
        assert_eq!((answer.version, &answer.community), (request.version, &request.community));
        assert_eq!(answer.pdu.kind, PduKind::Response);
        answer
    }

    /// The next message that arrives.
    pub fn receive(&self) -> Message {
        receive(&self.socket).expect("a message")
    }

    /// These octets get no answer. A socket's requests are answered in the order of arrival as long as none waits
    /// for a load, and those handed to the runtime keep their order too: requests after the octets on both paths
    /// are answered, the octets are not.
    pub fn silence(&self, name: &str, octets: &[u8]) {
        let probes = PROBES.map(parse);
        self.socket.send(octets).expect("send");
        for probe in &probes {
            self.socket.send(&probe.encode()).expect("send");
        }
        // The runtime's answer may overtake those of the batch.
        let mut awaited: Vec<i32> = probes.iter().map(|probe| probe.pdu.request_id).collect();
        while !awaited.is_empty() {
            let answer = self.receive();
            let probe = awaited.iter().position(|id| *id == answer.pdu.request_id);
            awaited.remove(probe.unwrap_or_else(|| panic!("{name} is answered: {}", show(&answer))));
        }
    }

    /// All counters of the snmp group.
    pub fn counts(&self) -> Counts {
        let names: Vec<_> = counters().collect();
        let pdu = Pdu::read(PduKind::Get, fresh_id(), names.iter().map(|(_, name)| name));
        let answer = self.exchange(&message(Version::V2c, "public", pdu));
        let value = |binding: &VarBind| match binding.value {
            Bound::Value(Value::Counter32(count)) => i64::from(count),
            ref other => panic!("{}: {other:?}", binding.name),
        };
        names.iter().zip(&answer.pdu.bindings).map(|((name, _), binding)| (*name, value(binding))).collect()
    }

    /// The counters that changed during `work`.
    pub fn grown_by(&self, work: impl FnOnce()) -> Counts {
        let before = self.counts();
        work();
        less(less(self.counts(), &before), &self.looking)
    }

    fn probe(&self) {
        for probe in PROBES {
            self.ask(probe);
        }
    }
}

/// Answered by the receiving thread, and by the runtime.
const PROBES: [&str; 2] = ["2c public get sysUpTime.0", "2c public set sysDescr.0=null"];

/// `after` less `before`, without what is zero then.
fn less(mut after: Counts, before: &Counts) -> Counts {
    for (name, count) in before {
        *after.entry(name).or_default() -= count;
    }
    after.retain(|_, count| *count != 0);
    after
}

/// `Name` for one, `Name=COUNT` for several.
pub fn counts_of(text: &str) -> Counts {
    let one = |word: &str| {
        let (name, count) = word.split_once('=').map_or((word, 1), |(name, n)| (name, n.parse().expect("n")));
        let known = counters().find(|(known, _)| *known == name);
        (known.unwrap_or_else(|| panic!("there is no counter snmp{name}")).0, count)
    };
    text.split_whitespace().map(one).collect()
}

/// The Counter32 scalars of the snmp group: name without `snmp`, and instance.
fn counters() -> impl Iterator<Item = (&'static str, Oid)> {
    let scalars = module::snmpv2_mib::MODULE.scalars.iter();
    let counters = scalars.filter(|scalar| scalar.syntax.kind == trunkline_smi::ValueKind::Counter32);
    counters.map(|scalar| (scalar.name.trim_start_matches("snmp"), Oid::EMPTY.child(scalar.oid).child(&[0])))
}

/// A request-id that no other request has.
pub fn fresh_id() -> i32 {
    static LAST: AtomicI32 = AtomicI32::new(1000);
    LAST.fetch_add(1, Ordering::Relaxed)
}

/// Reads a request: `VERSION COMMUNITY OPERATION [NON-REPEATERS MAX-REPETITIONS] NAME[=VALUE]...`.
pub fn parse(text: &str) -> Message {
    let mut words = text.split_whitespace();
    let mut word = || words.next().unwrap_or_else(|| panic!("{text:?} ends too early"));
    let version = if word() == "1" { Version::V1 } else { Version::V2c };
    let community = word();
    let kind = match word() {
        "get" => PduKind::Get,
        "next" => PduKind::GetNext,
        "bulk" => PduKind::GetBulk,
        "set" => PduKind::Set,
        "response" => PduKind::Response,
        "inform" => PduKind::Inform,
        "trap" => PduKind::TrapV2,
        "report" => PduKind::Report,
        other => panic!("{other:?} is not an operation"),
    };
    let mut pdu = Pdu::new(kind, fresh_id(), Vec::new());
    if kind == PduKind::GetBulk {
        pdu.error_status = word().parse().expect("non-repeaters");
        pdu.error_index = word().parse().expect("max-repetitions");
    }
    pdu.bindings = words.map(binding).collect();
    message(version, community, pdu)
}

fn binding(text: &str) -> VarBind {
    let (name, value) = text.split_once('=').unwrap_or((text, "null"));
    VarBind { name: name_to_oid(name), value: bound(value) }
}

fn bound(text: &str) -> Bound {
    let Some((kind, value)) = text.split_once(':') else {
        assert_eq!(text, "null");
        return Bound::Unspecified;
    };
    let number = || value.parse::<i128>().expect("a number");
    Bound::Value(match kind {
        "i" => Value::Integer(number() as i32),
        "s" => Value::text(value),
        "o" => Value::ObjectIdentifier(name_to_oid(value)),
        "a" => Value::IpAddress(value.parse::<std::net::Ipv4Addr>().expect("an address").octets()),
        "c" => Value::Counter32(number() as u32),
        "u" => Value::Unsigned32(number() as u32),
        "t" => Value::TimeTicks(number() as u32),
        "C" => Value::Counter64(number() as u64),
        other => panic!("{other:?} is not a kind of value"),
    })
}

/// Writes a response: `STATUS INDEX NAME=VALUE...`.
pub fn show(message: &Message) -> String {
    let status = message.pdu.status().map_or("unknown".into(), |status| status.name().to_string());
    let bindings = message.pdu.bindings.iter().map(show_binding);
    let head = format!("{status} {}", message.pdu.error_index);
    std::iter::once(head).chain(bindings).collect::<Vec<_>>().join(" ")
}

fn show_binding(VarBind { name, value }: &VarBind) -> String {
    let value = match value {
        Bound::Unspecified => "null".into(),
        Bound::Exception(Exception::NoSuchObject) => "noSuchObject".into(),
        Bound::Exception(Exception::NoSuchInstance) => "noSuchInstance".into(),
        Bound::Exception(Exception::EndOfMibView) => "endOfMibView".into(),
        Bound::Value(Value::Integer(v)) => format!("i:{v}"),
        Bound::Value(Value::OctetString(v)) => {
            let text = String::from_utf8_lossy(v);
            format!("s:{}", text.split_whitespace().collect::<Vec<_>>().join("_"))
        }
        Bound::Value(Value::ObjectIdentifier(v)) => format!("o:{v}"),
        Bound::Value(Value::IpAddress(v)) => format!("a:{}", std::net::Ipv4Addr::from(*v)),
        Bound::Value(Value::Counter32(v)) => format!("c:{v}"),
        Bound::Value(Value::Unsigned32(v)) => format!("u:{v}"),
        Bound::Value(Value::TimeTicks(v)) => format!("t:{v}"),
        Bound::Value(Value::Counter64(v)) => format!("C:{v}"),
        Bound::Value(Value::Opaque(v)) => format!("x:{v:02x?}"),
    };
    format!("{}={value}", oid_to_name(name))
}

fn matches(expected: &str, found: &str) -> bool {
    let (expected, all) = match expected.strip_suffix(" ...") {
        Some(beginning) => (beginning, false),
        None => (expected, true),
    };
    let expected: Vec<&str> = expected.split_whitespace().collect();
    let found: Vec<&str> = found.split_whitespace().collect();
    let fits = |(expected, found): (&&str, &&str)| match expected.strip_suffix('*') {
        Some(beginning) => found.starts_with(beginning),
        None => expected == found,
    };
    let enough = if all { found.len() == expected.len() } else { found.len() >= expected.len() };
    enough && expected.iter().zip(&found).all(fits)
}

/// The objects and tables of all modules.
fn objects() -> &'static BTreeMap<&'static str, Oid> {
    static OBJECTS: OnceLock<BTreeMap<&'static str, Oid>> = OnceLock::new();
    OBJECTS.get_or_init(|| {
        let mut objects = BTreeMap::new();
        for module in module::ALL {
            let scalars = module.scalars.iter().map(|scalar| (scalar.name, Oid::EMPTY.child(scalar.oid)));
            objects.extend(scalars);
            for table in module.tables {
                let place = Oid::EMPTY.child(table.oid);
                let column =
                    |column: &trunkline_smi::schema::Column| (column.name, place.child(&[1, column.id]));
                objects.extend(table.columns.iter().map(column));
                objects.insert(table.name, place);
            }
        }
        objects
    })
}

/// `1.3.6` or `ifDescr.1`.
pub fn name_to_oid(text: &str) -> Oid {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return oid(text);
    }
    let (name, rest) = text.split_once('.').unwrap_or((text, ""));
    let object = objects().get(name).unwrap_or_else(|| panic!("there is no object {name:?}"));
    if rest.is_empty() { object.clone() } else { object.child(&oid(rest)) }
}

fn oid_to_name(name: &Oid) -> String {
    let object = objects().iter().filter(|(_, object)| name.starts_with(object)).max_by_key(|(_, o)| o.len());
    let Some((object, prefix)) = object else { return name.to_string() };
    let index = name[prefix.len()..].iter().map(|sub_id| format!(".{sub_id}"));
    std::iter::once(object.to_string()).chain(index).collect()
}
