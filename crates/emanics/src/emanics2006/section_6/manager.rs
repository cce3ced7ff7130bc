//! The manager of section 6: it asks a group on schedule, whatever is outstanding, in one of several protocols.
//!
//! ```text
//! SNMP over UDP:  poll::Shard, one socket      ->  the simulated fleet in threads of this process, an address for each agent
//! in sessions:    poll::Sessions, one for each ->  one process of our agent, which stands for all agents; over JMX one for 64; or MBean servers in one JVM
//! until the limit: search, which rate is next
//! ```

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_client::{Error as ClientError, Oid, SessionOptions};
use trunkline_delays::{Header, Metric, MetricType, Scheduling};
use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::conversation::{monotonic, nanos, process_cpu, thread_cpu};
use trunkline_labkit::error::Error;
use trunkline_labkit::group::GroupRecord;
use trunkline_labkit::keyring::{PASSWORD, usm_user};
use trunkline_labkit::meter::cpu::CpuMeter;
use trunkline_labkit::protocol::{Protocol, Suite};
use trunkline_labkit::schedule::ManagerEnd;
use trunkline_labkit::stage::{Role, Secrets, Stand};
use trunkline_labkit::subject::{COMMUNITY, Equipped, JavaAgents, JavaOptions, StartError};
use trunkline_labkit::trial::Entry;
use trunkline_poll::{
    Asking, Parallel, Phase, PollError, Protocol as Speaks, RoundsOptions, Said, Schedule, Session, Sessions,
    SessionsOptions, Shard, ShardOptions, SnmpRead, UserRead,
};
use trunkline_sim::configuration::Plan;
use trunkline_sim::serve::{Running, ServeOptions};
use trunkline_snmp::usm::{AuthProtocol, Credentials, PrivProtocol};
use trunkline_snmp::wire::{Pdu, PduKind, Version};

use super::jmx::{Attribute, JmxSession};
use super::line::{Collector, Line};
use super::measured::is_without_error;
use super::raw::{self, Raw};
use crate::emanics2006::{Options, missing};

/// What a group is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// How many agents.
    pub agents: u32,
    /// From one round to the next.
    pub period: Duration,
    /// Rounds that count.
    pub rounds: u32,
    /// Rounds before them.
    pub warm_up: u32,
    /// How many requests may be outstanding; `None`: all that are due.
    pub bound: Option<NonZeroU32>,
    /// Whether it was asked before, and something was late.
    pub again: bool,
}

/// A manager with its agents, for groups of any size up to what it was opened for.
pub(super) struct Manager {
    line: Line,
    agents: Agents,
    /// The agents' process, if it is a JVM.
    java: Option<JavaAgents>,
    /// The agents' processes, if they are ours over JMX.
    ours: Vec<Equipped>,
}

/// What became of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Became {
    /// Whether nothing was late.
    pub is_good: bool,
    /// The share of answers that were late.
    pub late: f64,
}

enum Agents {
    Fleet(Box<Running>),
    Sessions(Vec<Talk>),
}

/// A session of any protocol.
#[derive(Clone)]
enum Talk {
    Client(Asked),
    Jmx(JmxSession),
}

/// A session of the client, and what it asks for.
#[derive(Clone)]
struct Asked {
    session: Arc<dyn trunkline_client::Session>,
    names: Arc<[Oid]>,
}

impl Manager {
    /// Starts the fleet, or opens a session for each agent.
    pub(super) fn open(chapter: &Chapter<'_, Options>, line: Line, agents: u32) -> Result<Self, String> {
        let mut ours = Vec::new();
        let (agents, java) = match line {
            Line::Ours(_) if line.is_fleet() => (Agents::Fleet(Box::new(fleet(chapter, agents)?)), None),
            Line::Ours(protocol) => (Agents::Sessions(sessions(chapter, protocol, agents)?), None),
            Line::Jvm(collector) => {
                let java = jvm(chapter, collector, agents)?;
                let open = jmx_sessions(chapter, &java.ports, Attribute::OF_JVM)?;
                (Agents::Sessions(open), Some(java))
            }
            Line::Jmx => {
                let mut ports = Vec::new();
                while ports.len() < agents as usize && !chapter.ledger.is_interrupted() {
                    let agent = chapter.stage.fresh(Role::Jmx).map_err(|error| error.to_string())?;
                    let port = agent.jmx.ok_or("an agent does not listen for JMX")?;
                    ports.extend([port; IN_ONE]);
                    ours.push(agent);
                }
                ports.truncate(agents as usize);
                (Agents::Sessions(jmx_sessions(chapter, &ports, Attribute::OURS)?), None)
            }
        };
        Ok(Manager { line, agents, java, ours })
    }

    /// Asks a group, stores all delays, and records what tables need of them. `None`: there are none.
    pub(super) fn ask(
        &self,
        chapter: &mut Chapter<'_, Options>,
        wanted: &Wanted,
    ) -> Result<Option<Became>, Error> {
        let series = self.line.to_string();
        let name = file_name(&chapter.table, &series, wanted);
        let path = chapter.ledger.writer.delays()?.join(&name);
        let mut group = GroupRecord {
            table: chapter.table.clone(),
            series: series.clone(),
            agents: wanted.agents,
            period_ns: nanos(wanted.period),
            bound: wanted.bound.map(NonZeroU32::get),
            again: wanted.again,
            agents_processors: Some(chapter.stage.processors_of_agents()),
            file: format!("{}/{name}", trunkline_labkit::store::DELAYS),
            ..GroupRecord::default()
        };
        let asked = self.run(chapter, wanted, &path, &mut group);
        if chapter.ledger.is_interrupted() {
            return Ok(None);
        }
        match asked.and_then(|()| raw::digest(&path, &mut group)) {
            Ok(()) => {
                let late = group.share_late(0).unwrap_or(1.0);
                let became = Became { is_good: is_without_error(&group), late };
                chapter.ledger.write(&Entry::Group(Box::new(group)))?;
                Ok(Some(became))
            }
            Err(reason) => {
                missing(chapter, &format!("{series}, {} agents", wanted.agents), reason)?;
                Ok(None)
            }
        }
    }

    fn run(
        &self,
        chapter: &Chapter<'_, Options>,
        wanted: &Wanted,
        path: &Path,
        group: &mut GroupRecord,
    ) -> Result<(), String> {
        let raw = Raw::create(path, &header(self.line, wanted)?, wanted.warm_up)?;
        let phase = if wanted.bound.is_some() { Phase::Together } else { Phase::EVEN };
        let rounds = u64::from(wanted.rounds + wanted.warm_up);
        let schedule =
            Schedule::new(wanted.agents, wanted.period, phase, Some(rounds)).map_err(|it| it.to_string())?;
        let options = RoundsOptions {
            parallel: wanted.bound.map_or(Parallel::Unbounded, Parallel::Bounded),
            deadline: TIMEOUT,
            places: None,
        };
        match &self.agents {
            Agents::Fleet(running) => {
                let peers = running.fleet().agents().take(wanted.agents as usize);
                let peers = peers.map(|(address, _)| SocketAddr::new(address, running.port())).collect();
                let shard = Datagrams { schedule, peers, options, raw };
                match self.line.has_engines() {
                    true => shard.ask(chapter, user(wanted.agents)?, group),
                    false => {
                        let names = [Oid::from(FREE_MEMORY)];
                        shard.ask(chapter, SnmpRead::get(Version::V2c, COMMUNITY.as_bytes(), &names), group)
                    }
                }
            }
            Agents::Sessions(open) => {
                let open = open.iter().take(wanted.agents as usize).cloned().collect();
                let options = SessionsOptions { rounds: options, under_way: self.line.under_way() };
                let meters: Option<Vec<CpuMeter>> = match self.line {
                    Line::Ours(protocol) => chapter.stage.cpu(protocol.role()).map(|it| vec![it]),
                    Line::Jmx => self.ours.iter().map(|agent| CpuMeter::new(agent.pid()).ok()).collect(),
                    Line::Jvm(_) => self.java.iter().map(|java| CpuMeter::new(java.pid()).ok()).collect(),
                };
                let read = || -> Option<u64> {
                    meters.as_ref()?.iter().map(|meter| meter.read().ok()).sum::<Option<u64>>()
                };
                let sessions = Sessions::new(schedule, open, options, raw).map_err(|it| it.to_string())?;
                let (agents, manager, clock, begun) = (read(), process_cpu(), monotonic(), Instant::now());
                let stop = &*chapter.ledger.interrupted;
                let ended = chapter.runtime.block_on(sessions.run(begun, stop));
                group.elapsed_ns = nanos(begun.elapsed());
                group.manager_cpu_ns = process_cpu() - manager;
                group.agents_cpu_ns = read().zip(agents).map(|(after, before)| after - before);
                group.collections = self.java.as_ref().and_then(|java| collections(java, clock));
                let ended = ended.map_err(|it| it.to_string())?;
                group.ended.lost_sessions = ended.lost_sessions;
                ended.sink.finish()
            }
        }
    }

    /// Ends the sessions in order.
    pub(super) fn close(self, chapter: &Chapter<'_, Options>) {
        if let Agents::Sessions(open) = self.agents {
            chapter.runtime.block_on(async {
                for talk in open {
                    match talk {
                        Talk::Client(asked) => asked.session.close().await,
                        Talk::Jmx(session) => session.close().await,
                    }
                }
            });
        }
    }
}

/// A run over one socket.
struct Datagrams {
    schedule: Schedule,
    peers: Vec<SocketAddr>,
    options: RoundsOptions,
    raw: Raw,
}

impl Datagrams {
    fn ask<P: Speaks>(
        self,
        chapter: &Chapter<'_, Options>,
        protocol: P,
        group: &mut GroupRecord,
    ) -> Result<(), String> {
        let words = |error: PollError| error.to_string();
        // Of so many that the manager is busy all the time, those that are due within a moment go out together.
        let is_many = self.peers.len() as u128 * 1_000_000 > self.schedule.period().as_micros() * MANY;
        let gather = if is_many { GATHER } else { Duration::ZERO };
        let options = ShardOptions { rounds: self.options, gather, kernel_stamps: is_many };
        let shard = Shard::open(self.schedule, self.peers, options, protocol, self.raw).map_err(words)?;
        let (all, own, begun) = (process_cpu(), thread_cpu(), Instant::now());
        let ended = shard.run(begun, &chapter.ledger.interrupted).map_err(words)?;
        group.elapsed_ns = nanos(begun.elapsed());
        group.manager_cpu_ns = thread_cpu() - own;
        group.agents_cpu_ns = Some((process_cpu() - all).saturating_sub(group.manager_cpu_ns));
        ended.sink.finish()
    }
}

impl Session for Talk {
    fn ask(&self) -> Asking {
        let Asked { session, names } = match self {
            Talk::Client(asked) => asked.clone(),
            Talk::Jmx(session) => return session.ask(),
        };
        Box::pin(async move {
            match session.get(&names).await {
                Ok(_) => Said::Good,
                Err(
                    ClientError::ConnectionLost { .. }
                    | ClientError::SessionClosed
                    | ClientError::Transport(_),
                ) => Said::Broken,
                Err(_) => Said::Failed(1),
            }
        })
    }
}

/// The simulated fleet, on the agents' processors and in their namespace.
fn fleet(chapter: &Chapter<'_, Options>, agents: u32) -> Result<Running, String> {
    let text = format!(
        "[[group]]\nname = \"section 6\"\nprefix = \"{}/10\"\nagents = {agents}\ncommunities = [\"{COMMUNITY}\"]\n\
         [[group.user]]\nname = \"{}\"\nauth = \"SHA-256\"\nauth-password = \"{PASSWORD}\"\npriv = \"AES\"\npriv-password = \"{PASSWORD}\"\n",
        Ipv4Addr::new(127, 64, 0, 0),
        usm_user(Suite::Modern),
    );
    let plan = Plan::parse(&text, Path::new("section 6")).map_err(|error| error.to_string())?;
    let mut serve = ServeOptions { port: 0, ..plan.serve };
    serve.responder.entropy = fastrand::u64(..);
    let start = move || {
        let failed = |error: trunkline_sim::SimError| StartError::Start {
            program: "the simulated fleet".into(),
            source: std::io::Error::other(error),
        };
        Running::start(Arc::new(plan.fleet), &serve).map_err(failed)
    };
    chapter.stage.start_beside(start).map_err(|error| error.to_string())
}

/// A session with our agent for each agent of the group.
fn sessions(chapter: &Chapter<'_, Options>, protocol: Protocol, agents: u32) -> Result<Vec<Talk>, String> {
    let manager = ManagerEnd::default();
    let peer = chapter.stage.peer(protocol, protocol.role(), Stand::Beside, Secrets::Ready, manager)?;
    // Longer than the manager waits, so that a late answer is known.
    let options = SessionOptions::default()
        .with_timeout(2 * TIMEOUT)
        .with_retries(0)
        .with_window(Line::Ours(protocol).under_way().get() as usize);
    let names: Arc<[Oid]> = vec![Oid::from(FREE_MEMORY)].into();
    let mut open: Vec<Talk> = Vec::new();
    while open.len() < agents as usize && !chapter.ledger.is_interrupted() {
        let at = open.len() + 1;
        let opened = chapter.runtime.block_on(async {
            let session = peer.open(options).await?;
            // What an agent says of itself once belongs to no round.
            session.get(&names).await.map(|_| session)
        });
        let session = opened.map_err(|error| format!("session {at} of {agents}: {error}"))?;
        open.push(Talk::Client(Asked { session, names: Arc::clone(&names) }));
    }
    Ok(open)
}

/// MBean servers in a JVM, on the agents' processors and in their namespace.
fn jvm(chapter: &Chapter<'_, Options>, collector: Collector, agents: u32) -> Result<JavaAgents, String> {
    let (options, ballast) = collector.options();
    let options = JavaOptions { options, agents, ballast };
    chapter.stage.start_beside(move || JavaAgents::start(&options)).map_err(|error| error.to_string())
}

/// A session with the agent at each port.
fn jmx_sessions(
    chapter: &Chapter<'_, Options>,
    ports: &[u16],
    wanted: Attribute,
) -> Result<Vec<Talk>, String> {
    let mut open = Vec::new();
    for &port in ports.iter().take_while(|_| !chapter.ledger.is_interrupted()) {
        let opened = chapter.runtime.block_on(JmxSession::open(port, wanted, 2 * TIMEOUT));
        let at = open.len() + 1;
        open.push(Talk::Jmx(opened.map_err(|error| format!("session {at} of {}: {error}", ports.len()))?));
    }
    Ok(open)
}

/// The garbage collections of a JVM since this moment of the system's clock.
fn collections(java: &JavaAgents, since: u64) -> Option<Vec<[u64; 3]>> {
    let since_then = java.collections()?.into_iter().filter(|it| it.to >= since);
    Some(since_then.map(|it| [it.from.saturating_sub(since), it.to - since, it.stopped]).collect())
}

/// The fleet's user.
fn user(agents: u32) -> Result<UserRead, String> {
    let password = PASSWORD.as_bytes();
    let (auth, privacy) = ((AuthProtocol::Sha256, password), (PrivProtocol::Aes128, password));
    let made = Credentials::from_passwords(usm_user(Suite::Modern).as_bytes(), Some(auth), Some(privacy));
    let credentials = made.map_err(|error| error.to_string())?;
    let pdu = Pdu::read(PduKind::Get, 0, &[Oid::from(FREE_MEMORY)]);
    UserRead::new(credentials, pdu, agents, fastrand::u64(..), Instant::now()).map_err(|it| it.to_string())
}

fn header(line: Line, wanted: &Wanted) -> Result<Header, String> {
    let between = ["Manager", "Agent"];
    let metric = Metric::new("FreeMemory", MetricType::AttributeDelay, line.operation(), between, 1);
    let settings = [
        ("warm-up", format!("{} rounds", wanted.warm_up)),
        ("protocol", line.to_string()),
        ("outstanding", wanted.bound.map_or_else(|| "all that are due".into(), |most| most.to_string())),
    ];
    Ok(Header {
        group: wanted.agents,
        period: nanos(wanted.period),
        scheduling: match wanted.bound.map(NonZeroU32::get) {
            Some(1) => Scheduling::Serial,
            _ => Scheduling::Parallel,
        },
        protocol: line.scheme(),
        timeout: nanos(TIMEOUT),
        started: trunkline_labkit::machine::now_utc(),
        settings: settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        ..Header::new(metric.map_err(|error| error.to_string())?)
    })
}

/// `table-6.1-v2c-udp-700-1000ms.delays`.
fn file_name(table: &str, series: &str, wanted: &Wanted) -> String {
    let table = table.rsplit('/').next().unwrap_or(table);
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
    let series: String = series.chars().map(plain).collect();
    let bound = wanted.bound.map_or_else(String::new, |most| format!("-bound{most}"));
    let again = if wanted.again { "-again" } else { "" };
    // Microseconds where milliseconds would need a fraction.
    let period = match wanted.period.as_micros() {
        us if us.is_multiple_of(1000) => format!("{}ms", us / 1000),
        us => format!("{us}us"),
    };
    format!("{table}-{series}-{}-{period}{bound}{again}.delays", wanted.agents)
}

/// memAvailReal.0: the FreeMemory of the deliverable's example.
pub(super) const FREE_MEMORY: [u32; 10] = [1, 3, 6, 1, 4, 1, 2021, 4, 6, 0];
/// Connections of JMX with one process of our agent, which holds 64 of one client.
const IN_ONE: usize = 64;
/// After this time an answer is not waited for.
pub(super) const TIMEOUT: Duration = Duration::from_secs(2);
/// Requests that are due within this time go out together, where there are many.
const GATHER: Duration = Duration::from_micros(200);
/// So many requests a second are many.
const MANY: u128 = 5_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emanics2006::section_6::line::LINES;

    #[test]
    fn files_and_headers_say_what_was_asked() {
        let wanted = Wanted {
            agents: 700,
            period: Duration::from_millis(100),
            rounds: 10,
            warm_up: 1,
            bound: Some(NonZeroU32::MIN),
            again: false,
        };
        let mut names: Vec<String> =
            LINES.iter().map(|line| file_name("emanics2006/table-6.1", &line.to_string(), &wanted)).collect();
        assert_eq!(names[0], "table-6.1-v2c-udp-700-100ms-bound1.delays");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), LINES.len());
        let header = super::header(LINES[0], &wanted).unwrap();
        assert_eq!(header.metric.to_string(), "FreeMemory-AttributeDelay-Get-Manager-Agent-1");
        assert_eq!((header.group, header.scheduling, &*header.protocol), (700, Scheduling::Serial, "snmp"));
        let third = Wanted { period: Duration::from_secs(1) / 30, bound: None, again: true, ..wanted };
        let name = file_name("saturation", "v2c/UDP", &third);
        assert_eq!(name, "saturation-v2c-udp-700-33333us-again.delays");
        let of_jmx = super::header(LINES[7], &wanted).unwrap();
        assert_eq!(of_jmx.metric.to_string(), "FreeMemory-AttributeDelay-GetAttribute-Manager-Agent-1");
    }
}
