//! Notifications one way: traps from when each was due to when the receiver has read it. Senders and receiver are on one host,
//! whose monotonic clock times both ends.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use trunkline_client::{
    Admission, EngineId, ListenOptions, ListenUrl, Listener, Notification, Oid, Value, VarBind, Version,
};
use trunkline_delays::{Header, Metric, MetricType};
use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::conversation::{nanos, process_cpu};
use trunkline_labkit::error::Error;
use trunkline_labkit::group::GroupRecord;
use trunkline_labkit::subject::{COMMUNITY, StartError};
use trunkline_labkit::trial::Entry;
use trunkline_poll::{Outcome, Sample, Sink};
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_snmp::usm::{EngineBoots, EngineClock};
use trunkline_snmp::wire::{Message, Pdu, PduKind};

use super::manager::{FREE_MEMORY, TIMEOUT, Wanted};
use super::raw::{self, Raw};
use crate::emanics2006::{Options, missing};

/// When each notification was due and sent, in the order of their numbers.
type Sent = Vec<[Duration; 2]>;
/// The numbers of those that have arrived, and when.
type Arrived = Arc<Mutex<Vec<(u32, Instant)>>>;

/// Has a group send its notifications, and records their delays.
pub(super) fn receive(chapter: &mut Chapter<'_, Options>, wanted: &Wanted) -> Result<(), Error> {
    let name = format!("notification-v2c-udp-{}-{}ms.delays", wanted.agents, wanted.period.as_millis());
    let path = chapter.ledger.writer.delays()?.join(&name);
    let mut group = GroupRecord {
        table: chapter.table.clone(),
        series: SERIES.into(),
        agents: wanted.agents,
        period_ns: nanos(wanted.period),
        file: format!("{}/{name}", trunkline_labkit::store::DELAYS),
        ..GroupRecord::default()
    };
    let mut work = || {
        let mut raw = Raw::create(&path, &header(wanted)?, wanted.warm_up)?;
        run(chapter, wanted, &mut group)?.iter().for_each(|sample| raw.take(sample));
        raw.finish()?;
        raw::digest(&path, &mut group)
    };
    match work() {
        Ok(()) => chapter.ledger.write(&Entry::Group(Box::new(group))),
        Err(reason) => missing(chapter, &format!("notifications of {} agents", wanted.agents), reason),
    }
}

/// A sample for each notification.
fn run(
    chapter: &Chapter<'_, Options>,
    wanted: &Wanted,
    group: &mut GroupRecord,
) -> Result<Vec<Sample>, String> {
    let arrived: Arrived = Arc::default();
    let listener = chapter.runtime.block_on(async { listen(Arc::clone(&arrived)) })?;
    let port = listener.places().next().map_or(0, |place| place.port);
    let (agents, period, rounds) = (wanted.agents, wanted.period, wanted.rounds + wanted.warm_up);
    let (cpu, begun) = (process_cpu(), Instant::now());
    let start = move || {
        let failed = |source| StartError::Start { program: "the senders of notifications".into(), source };
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        let to = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let send = move || send(&socket, to, [agents, rounds], period, begun);
        std::thread::Builder::new().name("notifiers".into()).spawn(send).map_err(failed)
    };
    let sending: JoinHandle<Sent> = chapter.stage.start_beside(start).map_err(|error| error.to_string())?;
    let sent = sending.join().map_err(|_| "the senders ended".to_owned())?;
    let last = Instant::now();
    let is_complete = || arrived.lock().unwrap_or_else(PoisonError::into_inner).len() >= sent.len();
    while !is_complete() && last.elapsed() < TIMEOUT && !chapter.ledger.is_interrupted() {
        std::thread::sleep(Duration::from_millis(1));
    }
    group.elapsed_ns = nanos(begun.elapsed());
    // Senders and receiver are threads of one process.
    group.manager_cpu_ns = process_cpu() - cpu;
    drop(listener);
    let mut at: Vec<Option<Duration>> = vec![None; sent.len()];
    for (number, moment) in arrived.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        if let Some(place) = at.get_mut(*number as usize) {
            place.get_or_insert(moment.saturating_duration_since(begun));
        }
    }
    let sample = |(number, ([due, sent], at)): (usize, (&[Duration; 2], Option<Duration>))| Sample {
        agent: number as u32 % agents,
        round: u64::from(number as u32 / agents),
        due: *due,
        sent: *sent,
        outcome: at.map_or(Outcome::Lost, Outcome::Answered),
    };
    Ok(sent.iter().zip(at).enumerate().map(sample).collect())
}

/// Sends each notification when it is due, all agents evenly over the period.
fn send(
    socket: &UdpSocket,
    to: SocketAddr,
    [agents, rounds]: [u32; 2],
    period: Duration,
    begun: Instant,
) -> Sent {
    let mut all = Sent::new();
    for number in 0..agents.saturating_mul(rounds) {
        let due = period * (number / agents) + period.mul_f64(f64::from(number % agents) / f64::from(agents));
        let octets = trap(number);
        std::thread::sleep(due.saturating_sub(begun.elapsed()));
        let sent = begun.elapsed();
        // What the kernel refuses is lost.
        let _ = socket.send_to(&octets, to);
        all.push([due, sent]);
    }
    all
}

/// A trap of the attribute. By its sysUpTime it is known again.
fn trap(number: u32) -> Vec<u8> {
    let notification = Notification {
        uptime: number,
        trap_oid: Oid::from(ENTERPRISE_TRAP),
        bindings: vec![VarBind::new(Oid::from(FREE_MEMORY), Value::Integer(1))],
    };
    let pdu = Pdu::new(PduKind::TrapV2, number as i32, notification.to_bindings());
    Message { version: Version::V2c, community: COMMUNITY.as_bytes().to_vec(), pdu }.encode()
}

/// A receiver that notes when it has read a notification.
fn listen(arrived: Arrived) -> Result<Listener, String> {
    let engine = Engine::new(EngineOptions {
        id: EngineId::generate(8072, *b"a laboratory"),
        clock: EngineClock::new(EngineBoots::default().next(), Instant::now()),
        max_size: 65_507,
        handlers: Handlers::RECEIVER,
        remote_engines: 4,
        entropy: fastrand::u64(..),
    });
    let admission = Admission::of(move |received| {
        let known = (received.notification.uptime, Instant::now());
        arrived.lock().unwrap_or_else(PoisonError::into_inner).push(known);
        false
    });
    let options = ListenOptions::default()
        .with_communities(Some(vec![COMMUNITY.as_bytes().to_vec()]))
        .with_admission(admission);
    let place = "udp://127.0.0.1:0".parse::<ListenUrl>().map_err(|error| error.to_string())?;
    Listener::bind(&[place], Arc::new(engine), options).map_err(|error| error.to_string())
}

fn header(wanted: &Wanted) -> Result<Header, String> {
    let between = ["Agent", "Manager"];
    let metric = Metric::new("FreeMemory", MetricType::AttributeDelay, "Trap", between, 1);
    Ok(Header {
        group: wanted.agents,
        period: nanos(wanted.period),
        protocol: "snmp".into(),
        timeout: nanos(TIMEOUT),
        started: trunkline_labkit::machine::now_utc(),
        ..Header::new(metric.map_err(|error| error.to_string())?)
    })
}

/// As tables name it.
const SERIES: &str = "v2c/UDP, traps";
/// A notification of ours for the laboratory, which nobody defines.
const ENTERPRISE_TRAP: [u32; 10] = [1, 3, 6, 1, 4, 1, 8072, 9999, 0, 6];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_is_known_by_its_number() {
        let message = Message::decode(&trap(77)).unwrap();
        let read = Notification::from_bindings(message.pdu.bindings).unwrap();
        assert_eq!((read.uptime, read.bindings.len()), (77, 1));
        let wanted = Wanted {
            agents: 7,
            period: Duration::from_secs(1),
            rounds: 1,
            warm_up: 0,
            bound: None,
            again: false,
        };
        let metric = header(&wanted).unwrap().metric.to_string();
        assert_eq!(metric, "FreeMemory-AttributeDelay-Trap-Agent-Manager-1");
    }
}
