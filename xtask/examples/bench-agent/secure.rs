//! SNMPv3 at authPriv (SHA-256, AES-128): our agent compared with itself at v2c and with `snmpd`.
//!
//! The messages are made before the load begins, some thousands with a msgID each, so that the load generator does no
//! cryptography; an agent that answers one answers it again within the window of time (RFC 3414 section 2.2.3), and does
//! the whole work for it. Of the answers every one is read as far as it can be without keys, and some are
//! verified and decrypted.

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::json;
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::role::manager::{Answer, Asker, Manager, Need};
use trunkline_snmp::usm::{AuthProtocol, Credentials, PrivProtocol};
use trunkline_snmp::wire::{MsgData, Pdu, V3MessageRef};
use trunkline_transport::load::{UdpLoad, Until};

use crate::exchange::{self, Exchange, IF_IN_OCTETS, IF_INDEX, IF_TABLE};
use crate::report::{Bar, Report, ratio, with_interval};
use crate::subject::{SNMPD_SETTINGS, Subject};
use crate::turns::{Rounds, Turn, beside_other, in_turns};
use crate::{Case, Options};

/// The user of both agents.
pub const USER: &str = "bench";
/// Its password.
pub const PASSWORD: &str = "maplesyrup";

/// Messages that are made for one load.
const MESSAGES: usize = 8192;

/// Every msgID and request-id takes four octets.
const ID_BASE: i32 = 0x4000_0000;

/// How many answers there are for one that is verified and decrypted.
const CHECKED: u32 = 64;

/// A load and its bars.
struct Load {
    case: Case,
    name: &'static str,
    window: u32,
    pdu: Pdu,
    /// Least share of our own rate at v2c.
    of_v2c: Option<f64>,
    /// Least multiple of snmpd's rate at authPriv.
    times_snmpd: f64,
}

/// Runs the wanted cases.
pub fn measure(options: &Options, report: &mut Report) -> io::Result<()> {
    let ours = Subject::ours(options)?;
    let snmpd = Subject::snmpd(options)?;
    let other = Subject::other(options)?;
    report.note(match &snmpd {
        Some(_) => SNMPD_SETTINGS,
        None => "snmpd is not installed: ratios to it are left out (`apt-get install snmpd`)",
    });
    // The last interface has seen no traffic, so that its counter keeps its size.
    let names = exchange::walk(ours.address(), &IF_INDEX, 100)?;
    let last = names.last().and_then(|name| name.last().copied()).unwrap_or(1);
    for load in loads(last)?.iter().filter(|load| options.only.contains(&load.case)) {
        under_load(options, load, &ours, [snmpd.as_ref(), other.as_ref()], report)?;
    }
    Ok(())
}

fn loads(interface: u32) -> io::Result<[Load; 2]> {
    let object = [&IF_IN_OCTETS[..], &[interface]].concat();
    Ok([
        Load {
            case: Case::V3Get,
            name: "authPriv Get of 1 object, 32 outstanding",
            window: 32,
            pdu: exchange::get_pdu(&object)?,
            of_v2c: Some(0.60),
            times_snmpd: 4.0,
        },
        Load {
            case: Case::V3Bulk,
            name: "authPriv GetBulk of 66 objects, 8 outstanding",
            window: 8,
            pdu: exchange::bulk(&IF_TABLE, 66)?,
            of_v2c: None,
            times_snmpd: 25.0,
        },
    ])
}

fn under_load(
    options: &Options,
    load: &Load,
    ours: &Subject,
    others: [Option<&Subject>; 2],
    report: &mut Report,
) -> io::Result<()> {
    let plain = Exchange::probe(ours.address(), load.pdu.clone())?;
    let begin = |subject: &Subject| Conversation::begin(subject.address(), load.pdu.clone());
    let mut secure = begin(ours)?;
    let mut conversations = [None, None];
    for (conversation, other) in conversations.iter_mut().zip(others) {
        *conversation = other.map(|other| Ok::<_, io::Error>((other, begin(other)?))).transpose()?;
    }

    let rounds = in_turns(load.name, options, report, |who, seconds| match who {
        0 => secure.load(ours, load.window, seconds),
        1 => Turn::of(ours, || plain.load_agent(ours.address(), load.window, seconds)),
        _ => match &mut conversations[who - 2] {
            Some((other, conversation)) => conversation.load(other, load.window, seconds),
            None => Ok(None),
        },
    })?;
    tell(load, &rounds, &secure, report);
    let [ours, v2c, snmpd, other] = rounds.map(|rounds| rounds.to_json());
    report.keep(
        load.name,
        json!({ "trunklined": ours, "trunklined at v2c": v2c, "snmpd": snmpd, "against": other }),
    );
    Ok(())
}

fn tell(load: &Load, [ours, v2c, snmpd, other]: &[Rounds; 4], secure: &Conversation, report: &mut Report) {
    if let Some(bar) = load.of_v2c {
        let name = format!("{}: share of our own v2c", load.name);
        report.add(name, Bar::AtLeast(bar), &ratio(&ours.rates, &v2c.rates));
    }
    if !snmpd.rates.is_empty() {
        let name = format!("{}: times snmpd", load.name);
        report.add(name, Bar::AtLeast(load.times_snmpd), &ratio(&ours.rates, &snmpd.rates));
    }
    beside_other(load.name, ours, other, report);
    report.note(format!(
        "{}: {} for trunklined, {} for trunklined at v2c ({} of it), {} for snmpd; {} octets asked, {} answered",
        load.name,
        ours.per_second(),
        v2c.per_second(),
        with_interval(&ratio(&ours.rates, &v2c.rates)),
        snmpd.per_second(),
        secure.request_len,
        secure.reply_len
    ));
}

/// One user's conversation with one agent.
struct Conversation {
    agent: SocketAddr,
    manager: Manager,
    pdu: Pdu,
    request_len: usize,
    reply_len: usize,
}

impl Conversation {
    /// Finds the engine and its time, and asks once.
    fn begin(agent: SocketAddr, pdu: Pdu) -> io::Result<Self> {
        let asker = Asker {
            user_name: USER.into(),
            level: SecurityLevel::AuthPriv,
            context_name: Vec::new(),
            context_engine_id: None,
            security_engine_id: None,
            engine_moment: None,
        };
        let manager = Manager::new(asker, 65_507, 1, Instant::now());
        let mut this = Conversation { agent, manager, pdu, request_len: 0, reply_len: 0 };
        let discovery = this.manager.encode_discovery(ID_BASE, ID_BASE).map_err(io::Error::other)?;
        let (answer, mut plain) = (exchange::round_trip(agent, &discovery)?, Vec::new());
        let received = this.manager.receive(&answer, &mut plain, Instant::now()).map_err(io::Error::other)?;
        let engine = received.engine;
        this.manager.learn(engine, Instant::now());
        let Need::User(engine_id) = this.manager.need() else {
            return Err(io::Error::other(format!("{agent} does not tell its engine ID")));
        };
        let secret = PASSWORD.as_bytes();
        let (auth, privacy) = ((AuthProtocol::Sha256, secret), (PrivProtocol::Aes128, secret));
        let user = Credentials::from_passwords(USER.as_bytes(), Some(auth), Some(privacy))
            .and_then(|credentials| credentials.localize(&engine_id))
            .map_err(io::Error::other)?;
        this.manager.set_user(user);
        this.ask()?;
        Ok(this)
    }

    /// One exchange, after which the clock is known; the first may be answered with a Report of the time.
    fn ask(&mut self) -> io::Result<()> {
        for attempt in 0..2 {
            let message = self.message(attempt)?;
            let answer = exchange::round_trip(self.agent, &message)?;
            if self.check(&answer) {
                (self.request_len, self.reply_len) = (message.len(), answer.len());
                return Ok(());
            }
        }
        Err(io::Error::other(format!("{} does not answer {USER} at authPriv", self.agent)))
    }

    fn message(&self, number: i32) -> io::Result<Vec<u8>> {
        let id = ID_BASE | number;
        let pdu = Pdu { request_id: id, ..self.pdu.clone() };
        self.manager.encode(&pdu, id, Instant::now()).map_err(io::Error::other)
    }

    /// Whether this is a good answer, all of it.
    fn check(&mut self, octets: &[u8]) -> bool {
        let mut plain = Vec::new();
        let received = self.manager.receive(octets, &mut plain, Instant::now());
        matches!(received.map(|received| received.what), Ok(Answer::Response(pdu)) if pdu.error_status == 0)
    }

    /// A load on the subject that this conversation is with; the messages are made before its processor time counts.
    fn load(&mut self, subject: &Subject, window: u32, seconds: f64) -> io::Result<Option<Turn>> {
        self.ask()?;
        let messages: Vec<Vec<u8>> =
            (0..MESSAGES as i32).map(|number| self.message(number)).collect::<io::Result<_>>()?;
        let numbers = vec![Cell::new(0); MESSAGES];
        let until = Until::Elapsed(Duration::from_secs_f64(seconds));
        let load = UdpLoad { target: self.agent, window, until, timeout: Duration::from_secs(1) };
        let mut seen = 0u32;
        let request = |number: u32, buffer: &mut Vec<u8>| {
            let place = number as usize % MESSAGES;
            numbers[place].set(number);
            buffer.extend_from_slice(&messages[place]);
        };
        let answered = |octets: &[u8]| {
            seen = seen.wrapping_add(1);
            if seen.is_multiple_of(CHECKED) && !self.check(octets) {
                return None;
            }
            let message = V3MessageRef::decode(octets).ok()?;
            // A Report would not be encrypted.
            let MsgData::Encrypted(_) = message.data else { return None };
            numbers.get((message.message_id & !ID_BASE) as usize).map(Cell::get)
        };
        Turn::of(subject, || load.run(request, answered).map_err(io::Error::other))
    }
}
