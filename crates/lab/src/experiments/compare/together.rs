//! The computed part against a measured one: 20 agents on one link, polled by one manager at once. Octets, the share
//! of the link and the time of the round must be what the plan computes from one agent, within the error that its
//! note states.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use trunkline_client::{Session, SessionOptions};
use trunkline_testkit::leave_out;

use trunkline_labkit::conversation::{Notes, Observed, Peer, Script};
use trunkline_labkit::fetch::Fetch;
use trunkline_labkit::packing::Packing;
use trunkline_labkit::place::link::{Link, LinkSpec};
use trunkline_labkit::protocol::{Level, Protocol, Suite};
use trunkline_labkit::sample::trial;
use trunkline_labkit::schedule::{Job, ManagerEnd, session, settled};
use trunkline_labkit::stage::{Role, Secrets, Stage, StageOptions, Stand};
use trunkline_labkit::subject::{Equipment, Equipped};
use trunkline_labkit::transport::Transport;
use trunkline_labkit::trial::{Entry, Trials};

use super::MEASURED;
use super::answer::{OCTETS_WITHIN, TIME_WITHIN};
use super::fleet::Fleet;
use super::measure::{COLD, KEPT};
use super::plan::{Change, Figures, figures};
use super::way::ways;

const AGENTS: usize = 20;
const FETCH: Fetch = Fetch::First(66);
const EVERY: f64 = 10.0;
const SETTINGS: [&str; 3] = ["64k,200ms", "1M,50ms", "10M,4ms"];

#[test]
fn twenty_agents_on_one_link_take_what_was_computed_from_one() {
    let us = std::env::current_exe().unwrap();
    let program = us.parent().and_then(|it| it.parent()).map(|it| it.join("trunklined"));
    let Some(program) = program.filter(|it| it.is_file()) else {
        return leave_out("trunklined is not built");
    };
    let mut doubts = Vec::new();
    let stage = Stage::make(&options(&program), &mut doubts).unwrap();
    let Some(link) = stage.link() else { return leave_out(&doubts[0]) };
    let agents: Vec<Equipped> = (0..AGENTS).map(|_| another(&program, &stage, link)).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for protocol in
        [Protocol::v2c(Transport::Udp), Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Modern)]
    {
        let fleet = Together::open(&stage, &agents, &runtime, protocol);
        for setting in SETTINGS {
            let spec: LinkSpec = setting.parse().unwrap();
            let what = format!("{protocol} over {setting}");
            let mut seen = Vec::new();
            let agrees = |_| {
                let computed = computed(&stage, &runtime, protocol, spec);
                let (agrees, found) = fleet.agrees(&computed, link, &runtime, spec, &what);
                seen.push(found);
                agrees
            };
            assert!((0..ATTEMPTS).any(agrees), "{what}: {seen:?}");
        }
    }
}

fn options(program: &std::path::Path) -> StageOptions {
    StageOptions {
        trunklined: Some(program.to_owned()),
        trunklined_lab: None,
        rows: FETCH.rows(),
        sessions: 64,
        seed: 1,
        roles: vec![Role::Shipped],
        capture: None,
        apart: true,
        more: vec![],
        schemas: vec![],
        brief: vec![],
        users: vec![],
    }
}

fn another(program: &std::path::Path, stage: &Stage, link: &Link) -> Equipped {
    let anywhere = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    let equipment = Equipment {
        program: Some(PathBuf::from(program)),
        ..Equipment::new(stage.keyring(), anywhere, &[Transport::Udp])
    };
    link.agent().start(move || equipment.start()).unwrap().unwrap()
}

/// What the plan computes for as many agents, from one.
fn computed(stage: &Stage, runtime: &Runtime, protocol: Protocol, spec: LinkSpec) -> Figures {
    let session = |what: &str, rounds| {
        let script = Script::Fetch { fetch: FETCH, rounds };
        let job =
            Job { each: true, apart: rounds > 1, ..Job::new(MEASURED, what, protocol, script).over(spec) };
        let taken = session(stage, runtime, &job, 1, 1, None);
        Entry::Session(taken.unwrap_or_else(|failure| panic!("{protocol}: {}", failure.words())))
    };
    let entries = vec![session(COLD, 1), session(KEPT, 4)];
    let (ways, _) = ways(&Trials { trial: trial("compare"), entries });
    let fleet = Fleet {
        link: spec.to_string(),
        rate: match spec.rate {
            trunkline_labkit::place::link::Rate::Bits(rate) => Some(rate.get() as f64),
            trunkline_labkit::place::link::Rate::Unlimited => None,
        },
        round_trip: spec.round_trip().as_secs_f64(),
        loss: 0.0,
        every: EVERY,
        timeout: 60.0,
        ..super::fleet::tests::fleet(Level::NoAuthNoPriv, AGENTS as u32)
    };
    figures(ways.iter().find(|way| way.kept).unwrap(), &fleet, Change::None)
}

/// Open sessions with all agents.
struct Together<'a> {
    agents: &'a [Equipped],
    sessions: Vec<Arc<dyn Session>>,
}

impl Together<'_> {
    fn open<'a>(
        stage: &Stage,
        agents: &'a [Equipped],
        runtime: &Runtime,
        protocol: Protocol,
    ) -> Together<'a> {
        stage.link().unwrap().set(LinkSpec::default());
        assert!(stage.stand(Stand::Link).unwrap());
        let manager = ManagerEnd { packing: Packing::None, ..ManagerEnd::default() };
        let patient = SessionOptions::default().with_timeout(Duration::from_secs(60));
        let peer = stage.peer(protocol, Role::Shipped, Stand::Link, Secrets::Ready, manager).unwrap();
        let Peer::Snmp(target) = peer else { panic!("{protocol} is SNMP") };
        let open = |agent: &Equipped| {
            let mut target = target.clone();
            target.port = agent.port(Transport::Udp).unwrap();
            runtime.block_on(Peer::Snmp(target).open(patient)).unwrap()
        };
        let fleet = Together { agents, sessions: agents.iter().map(open).collect() };
        // The engine IDs and clocks of SNMPv3.
        fleet.round(runtime);
        fleet
    }

    /// Asks all agents at once, and waits for the last answer.
    fn round(&self, runtime: &Runtime) -> Duration {
        runtime.block_on(async {
            let begun = Instant::now();
            let mut asked = JoinSet::new();
            for session in self.sessions.iter().cloned() {
                asked.spawn(async move {
                    let mut observed = Observed::default();
                    FETCH.once(&*session, &mut Notes::of(&mut observed)).await.map(|()| observed.objects)
                });
            }
            while let Some(answer) = asked.join_next().await {
                assert_eq!(answer.unwrap().unwrap(), FETCH.objects());
            }
            begun.elapsed()
        })
    }

    /// Whether a round takes as long as was computed, with the times. Its octets must always be those that were computed.
    fn agrees(
        &self,
        computed: &Figures,
        link: &Link,
        runtime: &Runtime,
        spec: LinkSpec,
        what: &str,
    ) -> (bool, Found) {
        link.set(spec);
        let (counts, machine) = (link.counts(), self.machine());
        let took = self.round(runtime).as_secs_f64();
        // What a busy machine, or an agent built without optimisation, adds is known to the kernel.
        let machine = (self.machine() - machine).as_secs_f64();
        let after = settled(link, spec.round_trip()) - counts;
        let octets = [after.to_agent, after.to_manager].map(|it| it.sent.ip_octets as f64);
        let one = computed.round.octets;
        near(octets[0] + octets[1], AGENTS as f64 * (one[0] + one[1]), OCTETS_WITHIN, what);
        let share = octets[0].max(octets[1]) * 8.0 / EVERY / rate(spec);
        near(share, computed.used.unwrap(), OCTETS_WITHIN, what);
        let [least, most] = [1.0 - TIME_WITHIN, 1.0 + TIME_WITHIN].map(|factor| computed.all * factor);
        (took >= least && took <= most + machine, Found { computed: computed.all, took, machine })
    }

    /// The time that this thread and the agents have run or waited for a processor.
    fn machine(&self) -> Duration {
        let agents = self.agents.iter().map(|agent| format!("/proc/{}/task", agent.pid()));
        let tasks = agents.flat_map(|path| std::fs::read_dir(path).unwrap());
        let tasks = tasks.map(|task| task.unwrap().path().join("schedstat"));
        let all = tasks.chain([PathBuf::from("/proc/thread-self/schedstat")]);
        let text = all.map(|path| std::fs::read_to_string(path).unwrap_or_default());
        let nanos =
            text.map(|it| -> u64 { it.split(' ').take(2).filter_map(|it| it.parse::<u64>().ok()).sum() });
        Duration::from_nanos(nanos.sum())
    }
}

fn rate(spec: LinkSpec) -> f64 {
    match spec.rate {
        trunkline_labkit::place::link::Rate::Bits(rate) => rate.get() as f64,
        trunkline_labkit::place::link::Rate::Unlimited => f64::INFINITY,
    }
}

fn near(found: f64, computed: f64, within: f64, what: &str) {
    assert!((found / computed - 1.0).abs() <= within, "{what}: {found} where {computed} was computed");
}

/// Seconds.
#[derive(Debug)]
#[allow(dead_code, reason = "for a failure")]
struct Found {
    computed: f64,
    took: f64,
    /// Of `took`: what the processors added.
    machine: f64,
}

/// A relay that comes late on a busy machine is not seen by the kernel's counts, nor is what a busy machine adds to the sessions
/// from which is computed.
const ATTEMPTS: u32 = 4;
