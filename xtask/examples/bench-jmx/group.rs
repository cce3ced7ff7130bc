//! A group of agents that are each asked for an attribute once a second, whatever is outstanding: simulated agents with a session
//! each, and as many sessions with one agent.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use trunkline_jmxclient::jmx::model::ObjectName;
use trunkline_jmxclient::{JmxLogin, JmxOptions, JmxSession, JmxTarget};
use trunkline_lab::meter::cpu::CpuMeter;
use trunkline_poll::{
    Asking, Parallel, Phase, RoundsOptions, Said, Sample, Schedule, Session, Sessions, SessionsOptions,
};
use trunkline_sim::PortOptions;
use trunkline_sim::configuration::Plan;
use trunkline_sim::fleet::Port;
use trunkline_sim::serve::{Running, ServeOptions};

use crate::measured::Measured as Group;
use crate::place::{self, Place, Where};
use crate::report::{Bar, Report, median};
use crate::{Measured, Options, PERIOD, SETTLE};

/// A session with an agent, and what it is asked.
#[derive(Clone)]
struct Asked {
    session: Arc<JmxSession>,
    name: Arc<ObjectName>,
    attribute: &'static str,
}

impl Session for Asked {
    fn ask(&self) -> Asking {
        let Self { session, name, attribute } = self.clone();
        Box::pin(async move {
            match session.get_attribute(&name, attribute).await {
                Ok(_) => Said::Good,
                Err(_) => Said::Failed(1),
            }
        })
    }
}

/// What reads the processor time of the end that answers.
type Answering<'a> = &'a dyn Fn() -> Duration;

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    let place = Place::make(options, options.agents + 100, Where::Anywhere, report)?;
    provide_descriptors();
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let agents = options.agents;

    let running = fleet(agents)?;
    let port = running.port_of(Port::Jmx).ok_or("the fleet has no port of JMX")?;
    let addresses = running.fleet().agents().map(|(address, _)| SocketAddr::new(address, port));
    let addresses: Vec<SocketAddr> = addresses.collect();
    let sessions = open(&runtime, &addresses, None, "sim:type=Agent", "FreeMemory")?;
    let answering = || cpu(ClockId::ProcessCPUTime).saturating_sub(cpu(ClockId::ThreadCPUTime));
    one(&runtime, &sessions, options, &answering, "simulated agents", report)?;
    drop((sessions, running));

    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, place.plain));
    let addresses = vec![address; agents as usize];
    let sessions =
        open(&runtime, &addresses, Some(place::login), "trunkline:type=ifEntry,ifIndex=1", "ifInOctets")?;
    let meter = CpuMeter::new(place.pid()?)?;
    let answering = || Duration::from_nanos(meter.read().unwrap_or(0));
    one(&runtime, &sessions, options, &answering, "sessions with trunklined", report)
}

/// Asks all of them for some rounds, and reports the error.
fn one(
    runtime: &Runtime,
    sessions: &[Asked],
    options: &Options,
    answering: Answering<'_>,
    what: &str,
    report: &mut Report,
) -> Measured {
    let mut groups = Vec::new();
    let rounds = options.rounds.min(ROUNDS);
    for round in 1..=rounds {
        groups.push(ask(runtime, sessions, answering)?);
        report.progress(what, round, rounds);
    }
    let agents = sessions.len();
    for (at, reading) in ["agents, by their means", "answers", "rounds"].into_iter().enumerate() {
        // The worst of all.
        let error = groups.iter().map(|it| it.errors()[at]).fold(0.0, f64::max);
        report.count(format!("{agents} {what}, monitoring error of {reading}"), "", Bar::AtMost(0.0), error);
    }
    let of = |part: &dyn Fn(&Group) -> f64| median(&groups.iter().map(part).collect::<Vec<f64>>());
    report.note(format!(
        "{agents} {what}: median delay {:.0} us, 99th percentile {:.0} us, longest {:.0} us; {:.1} us of processor time to ask, \
         {:.1} us to answer",
        of(&|it| f64::from(it.quantile(0.5))),
        of(&|it| f64::from(it.quantile(0.99))),
        of(&|it| f64::from(it.longest())),
        of(&Group::request),
        of(&Group::answer)
    ));
    report.keep(what, json!(groups.iter().map(Group::to_json).collect::<Vec<_>>()));
    Ok(())
}

fn ask(runtime: &Runtime, sessions: &[Asked], answering: Answering<'_>) -> Result<Group, Box<dyn Error>> {
    let agents = sessions.len() as u32;
    let schedule = Schedule::new(agents, PERIOD, Phase::EVEN, Some(PERIODS))?;
    let rounds = RoundsOptions { parallel: Parallel::Unbounded, deadline: SETTLE, places: None };
    let mut delays = Vec::with_capacity(sessions.len() * PERIODS as usize);
    let sink = |sample: &Sample| {
        if let Some(delay) = sample.from_due() {
            delays.push((sample.agent, sample.round as u32, delay.as_micros() as u32));
        }
    };
    let options = SessionsOptions { rounds, under_way: NonZeroU32::MIN };
    let asking = Sessions::new(schedule, sessions.to_vec(), options, sink)?;
    let (mine, theirs, start) = (cpu(ClockId::ThreadCPUTime), answering(), Instant::now());
    let failed = runtime.block_on(asking.run(start, &AtomicBool::new(false)))?.counts.failed;
    let took = start.elapsed();
    let (asking_cpu, answering_cpu) = (cpu(ClockId::ThreadCPUTime) - mine, answering() - theirs);
    if failed > 0 {
        return Err(format!("{failed} requests were answered with an error").into());
    }
    Ok(Group { agents, periods: PERIODS, delays, asking_cpu, answering_cpu, took, dropped: None })
}

fn fleet(agents: u32) -> Result<Running, Box<dyn Error>> {
    let text = format!(
        "[[group]]\nname = \"bench\"\nprefix = \"127.64.0.0/16\"\nagents = {agents}\njmx = {agents}\n"
    );
    let plan = Plan::parse(&text, Path::new("bench"))?;
    let ports = PortOptions { jmx: 0, ..plan.serve.ports };
    Ok(Running::start(Arc::new(plan.fleet), &ServeOptions { port: 0, ports, ..plan.serve })?)
}

fn open(
    runtime: &Runtime,
    addresses: &[SocketAddr],
    login: Option<fn(u32) -> JmxLogin>,
    name: &str,
    attribute: &'static str,
) -> Result<Vec<Asked>, Box<dyn Error>> {
    let name: Arc<ObjectName> = Arc::new(name.parse()?);
    runtime.block_on(async {
        let mut open = Vec::new();
        for (address, session) in addresses.iter().zip(0..) {
            let target = JmxTarget::parse(&format!("jmx://{address}"))?;
            let target = target.with_login(login.map(|login| login(session)));
            let session = Arc::new(JmxSession::open(&target, JmxOptions::default()).await?);
            open.push(Asked { session, name: Arc::clone(&name), attribute });
        }
        Ok(open)
    })
}

/// As many as may be.
fn provide_descriptors() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // With fewer, opening the sessions says so.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

fn cpu(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Measurements at most, of so many periods each.
const ROUNDS: u32 = 3;
const PERIODS: u64 = 10;
