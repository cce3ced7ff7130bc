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
use trunkline_snmp::wire::{Bound, Message, Pdu, PduKind, VarBind, Version};

use super::{Agent, PATIENCE, oid};

/// A socket that asks one agent.
pub struct Talk {
    pub socket: UdpSocket,
}

/// What the agent has counted, by the name of the object without `snmp`.
pub type Counts = BTreeMap<&'static str, i64>;

impl Talk {
    /// Asks `agent` over UDP. All groups that [`Talk::silence`] needs are loaded before it returns.
    pub fn to(agent: &Agent) -> Talk {
        let socket = UdpSocket::bind(("127.0.0.1", 0)).expect("a socket");
        socket.connect(agent.udp()).expect("connect");
        socket.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        let talk = Talk { socket };
        talk.counts();
        talk.ask(PROBE_NOW);
        talk
    }

    /// Each answer is as expected; `cases` are request and answer.
    pub fn check(&self, cases: &[(&str, &str)]) {
        for (request, expected) in cases {
            let found = show(&self.ask(request));
            assert!(matches(expected, &found), "{request}\n expected {expected}\n    found {found}");
        }
    }

    /// Each message is dropped, and nothing else is counted than snmpInPkts and what is expected, by name;
    /// `cases` are a name, the octets and the counters.
    pub fn check_silence(&self, cases: &[(&str, Vec<u8>, &str)]) {
        for (name, octets, expected) in cases {
            let grown = self.grown_by(|| self.silence(name, octets));
            assert_eq!(grown, counts_of(&format!("InPkts {expected}")), "{name}");
        }
    }

    /// One request and its answer, whose request-id is the same.
    pub fn ask(&self, request: &str) -> Message {
        self.exchange(&parse(request))
    }

    /// The same for a message. Its request-id stands out.
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
        let mut buffer = vec![0; 65_535];
        let length = self.socket.recv(&mut buffer).expect("the agent answers");
        Message::decode(&buffer[..length]).expect("a message")
    }

    /// Nothing comes back for these octets. A socket's requests are answered in the order in which they came
    /// as long as none waits for a load, and what goes to the runtime keeps its order too: what is asked
    /// behind the octets on both ways is answered, they are not.
    pub fn silence(&self, name: &str, octets: &[u8]) {
        let probes = [PROBE_NOW, PROBE_LATER].map(parse);
        self.socket.send(octets).expect("send");
        for probe in &probes {
            self.socket.send(&probe.encode()).expect("send");
        }
        for probe in &probes {
            let answer = self.receive();
            assert_eq!(answer.pdu.request_id, probe.pdu.request_id, "{name} is answered: {}", show(&answer));
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

    /// What has been counted while `work` was done, less what looking and the probes of
    /// [`Talk::silence`] add themselves; counters that stand still are left out.
    pub fn grown_by(&self, work: impl FnOnce()) -> Counts {
        let start = self.counts();
        let nothing = difference(&start, &self.counts());
        let probed = difference(&self.counts(), &{
            PROBES.map(|probe| self.ask(probe));
            self.counts()
        });
        let before = self.counts();
        work();
        let mut grown = difference(&before, &self.counts());
        let probes = i64::from(grown.get("InSetRequests").is_some() && grown.get("InBadCommunityUses").is_some());
        for (name, count) in if probes == 1 { &probed } else { &nothing } {
            *grown.entry(name).or_default() -= count;
        }
        grown.retain(|_, count| *count != 0);
        grown
    }
}
