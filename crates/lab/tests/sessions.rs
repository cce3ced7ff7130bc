//! What the lab counts for each session on the link, against tcpdump's captures at both ends: every transport and
//! security, on a quiet and on a busy machine, with and without losses. tcpdump's packets are given to sessions by
//! their ports, the lab's by when they pass.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

mod experiment;
mod tcpdump;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use indicatif::ProgressBar;
use serde_json::Value;
use tcpdump::Capture;
use tcpdump::conversations::{Conversation, Sum, Way, conversations};
use tokio::runtime::Builder;
use trunkline_lab::conversation::Script;
use trunkline_lab::place::link::{LinkSpec, Share};
use trunkline_lab::protocol::{Level, Mode, Protocol, SnmpVersion, Suite};
use trunkline_lab::schedule::{Job, our_patience, perform};
use trunkline_lab::stage::{Role, Stage, StageOptions};
use trunkline_lab::transport::Transport;
use trunkline_lab::trial::{FILE_NAME, TrialWriter};
use trunkline_labkit::fetch::Fetch;
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::meter::load::LoadMeter;
use trunkline_testkit::leave_out;

/// One at a time: two would share the processors, and one of them makes these busy.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn every_session_is_as_captured() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    check("unlimited", 2);
}

#[test]
fn every_session_is_as_captured_on_a_busy_machine() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let _load = Load::on_every_processor();
    check("10M,1ms", 1);
}

#[test]
fn what_is_lost_and_sent_again_is_as_captured() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let lost = check("unlimited,1ms,4%", 1);
    assert!(lost.is_none_or(|lost| lost > 20), "{lost:?} packets were lost");
}

#[test]
fn manager_and_agents_run_on_processors_of_their_own() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if std::thread::available_parallelism().unwrap().get() < 2 {
        return leave_out("there is only one processor");
    }
    // This thread stays on the manager's processor.
    let thread = std::thread::spawn(|| {
        let directory = tempfile::tempdir().unwrap();
        let stage = stage(directory.path(), true)?;
        let agent = stage.agent(Role::Shipped)?.pid();
        let processors = |whose: &str| {
            let status = std::fs::read_to_string(format!("/proc/{whose}/status")).unwrap();
            let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
            line.trim().to_owned()
        };
        Some([processors("thread-self"), processors(&agent.to_string())])
    });
    let Some([manager, agent]) = thread.join().unwrap() else { return };
    assert!(manager.parse::<u32>().is_ok(), "one processor: {manager}");
    assert!(!agent.split(['-', ',']).any(|it| it == manager), "manager {manager}, agent {agent}");
}

/// Measures sessions of every protocol and compares each with the captures. Returns how many packets were lost;
/// `None` if the test is left out.
fn check(link: &str, rounds: u32) -> Option<u64> {
    let directory = tempfile::tempdir().unwrap();
    let link: LinkSpec = link.parse().unwrap();
    let stage = stage(directory.path(), false)?;
    let wire = stage.link()?;
    let capture_at =
        |end: &trunkline_lab::place::link::End| end.run(|| Capture::start("link0", "ip")).unwrap();
    let (at_manager, at_agent) = (capture_at(wire.manager())?, capture_at(wire.agent())?);
    let sessions = measure(&stage, link, rounds, directory.path());
    let counts = wire.counts();
    let expected = counts.at_manager().packets;
    let at_manager = at_manager.until(|packets| packets.len() as u64 >= expected);
    let expected = counts.to_manager.sent.packets + counts.to_agent.delivered.packets;
    let at_agent = at_agent.until(|packets| packets.len() as u64 >= expected);
    let captured = conversations(&at_manager, &at_agent, wire.manager().address().octets());
    compare(&stage, &sessions, &captured);
    if link.loss == Share::NONE {
        let is_broken = |it: &&Conversation| it.broken_off > 0;
        let broken: Vec<&Conversation> = captured.iter().filter(is_broken).collect();
        assert!(broken.is_empty(), "sessions that end with RST or ICMP: {broken:?}");
    }
    Some(counts.lost())
}

/// Agents behind a link that is captured by the lab too; `None` if there can be no link.
fn stage(directory: &Path, apart: bool) -> Option<Stage> {
    let Some(trunklined) = experiment::agent("trunklined") else {
        leave_out("trunklined is not built");
        return None;
    };
    let trunklined_lab = experiment::agent("trunklined-lab");
    let options = StageOptions {
        trunklined: Some(trunklined),
        roles: [Role::Shipped]
            .into_iter()
            .chain(trunklined_lab.is_some().then_some(Role::IntegrityOnly))
            .collect(),
        trunklined_lab,
        rows: 3,
        sessions: 256,
        seed: 1,
        capture: Some(directory.join(CAPTURE)),
        apart,
        more: vec![],
        schemas: vec![],
        brief: vec![],
        users: vec![],
    };
    let mut doubts = Vec::new();
    let stage = Stage::make(&options, &mut doubts).unwrap();
    if stage.link().is_none() {
        leave_out(format_args!("no link here ({doubts:?})"));
        return None;
    }
    Some(stage)
}

/// All protocols of the agent, and those of the papers.
fn protocols(stage: &Stage) -> Vec<Protocol> {
    let mut all = Protocol::all();
    all.extend([Suite::Md5Des, Suite::Md5Aes].map(|it| Protocol::usm(Transport::Udp, Level::AuthPriv, it)));
    if stage.agent(Role::IntegrityOnly).is_some() {
        all.push(Protocol::session(SnmpVersion::V3, Transport::Tls, Mode::IntegrityOnly));
    }
    all
}

/// Sessions of one round and of several, of every protocol: the lab's records of them, in order.
fn measure(stage: &Stage, link: LinkSpec, rounds: u32, directory: &Path) -> Vec<Value> {
    let mut jobs = Vec::new();
    for protocol in protocols(stage) {
        for count in [1, 3] {
            // 44 objects: answers of SOAP take several packets, or fragments.
            let script = Script::Fetch { fetch: Fetch::First(44), rounds: count };
            let job = Job::new("sessions", &format!("{count} rounds"), protocol, script).over(link);
            // Where nothing is lost a timer that is short for a busy machine repeats what would be answered.
            let options = if link.loss == Share::NONE { job.options } else { our_patience() };
            jobs.push(Job { options, ..job });
        }
    }
    let mut ledger = Ledger {
        writer: TrialWriter::create(directory).unwrap(),
        progress: ProgressBar::hidden(),
        interrupted: Arc::default(),
        seed: 1,
        capture: Some(directory.join(CAPTURE)),
        load: LoadMeter::start(),
        known: vec![],
    };
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    // The thread moves to the manager's end for good.
    std::thread::scope(|scope| {
        scope.spawn(|| perform(stage, &runtime, &jobs, rounds, None, &mut ledger).unwrap());
    });
    let text = std::fs::read_to_string(directory.join(FILE_NAME)).unwrap();
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (sessions, others): (Vec<Value>, Vec<Value>) =
        records.into_iter().partition(|record| record["record"] == "session");
    let doubts: Vec<&Value> = others.iter().filter(|it| it["record"] == "doubt").collect();
    assert!(doubts.is_empty(), "{doubts:?}");
    sessions
}

/// Each record is the conversation that took place then, to the octet; and nothing else was said.
fn compare(stage: &Stage, sessions: &[Value], captured: &[Conversation]) {
    let mut wrong = Vec::new();
    for (session, conversation) in sessions.iter().zip(captured) {
        let counts = &session["link"];
        let (to_agent, to_manager) = (way(&counts["to_agent"]), way(&counts["to_manager"]));
        let is_equal = (to_agent, to_manager) == (conversation.to_agent, conversation.to_manager)
            && frames(session) == histogram(&conversation.sizes);
        let protocol: Protocol = serde_json::from_value(session["protocol"].clone()).unwrap();
        let port = stage.agent(protocol.role()).unwrap().port(protocol.transport);
        let what = format!("{protocol}, {}", session["what"]);
        if !is_equal || port != Some(conversation.agent_port) {
            wrong.push(format!("{what}: {to_agent:?} {to_manager:?}, captured {conversation:?}"));
        }
    }
    let (count, all) = (captured.len(), sessions.len());
    assert!(wrong.is_empty(), "{} of {all} sessions:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, all, "conversations on the link, sessions of the lab");
}

/// One direction in a record.
fn way(counts: &Value) -> Way {
    let number = |value: &Value| value.as_u64().unwrap();
    let sum = |it: &Value| Sum { packets: number(&it["packets"]), octets: number(&it["ip_octets"]) };
    let way = Way { sent: sum(&counts["sent"]), delivered: sum(&counts["delivered"]) };
    let gone = number(&counts["lost"]) + number(&counts["overflowed"]) + number(&counts["refused"]);
    assert_eq!(way.sent.packets - way.delivered.packets, gone, "{counts}");
    way
}

/// The sizes of a record's Ethernet frames with their numbers.
fn frames(session: &Value) -> Vec<(u64, u64)> {
    serde_json::from_value(session["frames"].clone()).unwrap_or_default()
}

fn histogram(sizes: &[u64]) -> Vec<(u64, u64)> {
    let mut found = std::collections::BTreeMap::new();
    for size in sizes {
        *found.entry(size + ETHERNET_HEADER).or_insert(0) += 1;
    }
    found.into_iter().collect()
}

/// Loops that keep every processor busy until they are dropped.
struct Load {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    fn on_every_processor() -> Load {
        let over = Arc::new(AtomicBool::new(false));
        let count = std::thread::available_parallelism().map_or(2, usize::from);
        let thread = |_| {
            let over = Arc::clone(&over);
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        };
        let threads = (0..count).map(thread).collect();
        Load { over, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// The lab's own capture, from which it counts frames.
const CAPTURE: &str = "sessions.pcapng";
/// Octets of an Ethernet header.
const ETHERNET_HEADER: u64 = 14;
