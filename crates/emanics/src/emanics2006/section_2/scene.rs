//! The scene of section 2: the place with its agents, the NOC, and what ways need beside them: managers, or monitors at the agents.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use trunkline_client::Session;
use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::conversation::thread_cpu;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::meter::cpu::LastingMeter;
use trunkline_labkit::place::link::{Link, LinkCounts};
use trunkline_labkit::subject::{COMMUNITY, Equipped};
use trunkline_labkit::transport::Transport;

use super::super::Options;
use super::arrivals::{Arrival, Heard};
use super::noc::{Ears, Noc, session};
use super::place::{Duties, Place, WRITERS, meters};
use super::rows;
use super::schedule::Way;
use super::settings::Settings;

/// Everything that is there while it is measured.
pub(super) struct Scene {
    pub settings: Settings,
    pub noc: Noc,
    ears: Ears,
    /// The sessions by which monitors are delegated.
    writers: Vec<Arc<dyn Session>>,
    /// Meters of the agents.
    agents: RefCell<Vec<LastingMeter>>,
    place: Place,
}

/// The managers of the networks, which end with this value, and the NOC's sessions with them.
#[derive(Default)]
pub(super) struct Managers {
    programs: Vec<Equipped>,
    pub sessions: Vec<Arc<dyn Session>>,
}

/// The counts at the end of a round and at the beginning of the next; what it takes to read them is in neither.
#[derive(Debug, Clone, Copy)]
pub(super) struct Boundary {
    pub noc_before: u64,
    pub noc_after: u64,
    pub counts: LinkCounts,
    pub agents: u64,
    pub managers: u64,
}

/// What a way's rounds brought.
pub(super) struct Rounds {
    /// When the first one began.
    pub begun: Instant,
    pub boundaries: Vec<Boundary>,
    pub arrivals: Vec<Arrival>,
    pub heard: Vec<Heard>,
    /// When the crossings were.
    pub crossings: Vec<Instant>,
    /// When nothing more was waited for.
    pub ended: Instant,
    pub failed: u32,
}

impl Scene {
    /// Starts everything; the calling thread is then at the NOC's end.
    pub(super) fn make(
        chapter: &Chapter<'_, Options>,
        settings: Settings,
        doubts: &mut Vec<Doubt>,
    ) -> Result<Scene, String> {
        let mut place = Place::open(chapter, doubts)?;
        let noc = place.noc()?;
        let ears = chapter.runtime.block_on(async { Ears::open(noc) })?;
        let devices = settings.population.devices();
        doubts.extend(place.populate(&devices, ears.port)?);
        let far = place.far()?;
        let sessions = |community: &'static str| {
            let ports: Option<Vec<u16>> = devices.iter().map(|it| place.port(it.number)).collect();
            chapter.runtime.block_on(async {
                let mut all = Vec::new();
                for port in ports.ok_or("an agent does not listen")? {
                    all.push(session(far, port, community).await?);
                }
                Ok::<_, String>(all)
            })
        };
        let (readers, writers) = (sessions(COMMUNITY)?, sessions(WRITERS)?);
        let surging = place.link()?.surging();
        let noc = chapter.runtime.block_on(Noc::new(settings.population.clone(), readers, &surging))?;
        let agents = RefCell::new(place.meters());
        Ok(Scene { settings, noc, ears, writers, agents, place })
    }

    /// Processor time of all agents so far, nanoseconds.
    pub(super) fn cpu_of_agents(&self) -> u64 {
        sum(&mut self.agents.borrow_mut())
    }

    /// The link's counts.
    pub(super) fn counts(&self) -> LinkCounts {
        self.place.link().map(Link::counts).unwrap_or_default()
    }

    /// Starts the managers, and waits until each has computed its aggregates.
    pub(super) fn employ(&self, chapter: &Chapter<'_, Options>) -> Result<Managers, String> {
        let every = self.settings.sampling;
        let limit = u64::from(LIMIT) / every.as_secs().max(1);
        let population = &self.settings.population;
        let duties = Duties { every, looks: self.settings.looks(), limit };
        let programs = self.place.managers(population, duties, self.ears.port)?;
        let far = self.place.far()?;
        let mut managers = Managers { programs, sessions: vec![] };
        for program in &managers.programs {
            let port = program.port(Transport::Udp).ok_or("a manager does not listen")?;
            managers.sessions.push(chapter.runtime.block_on(session(far, port, COMMUNITY))?);
        }
        let ready = self.noc.ready(&Way::Managers.round(population, &[0, 1, 2]), &managers.sessions)?;
        let begun = Instant::now();
        // The first rates need two cycles.
        while let Err(reason) = chapter.runtime.block_on(self.noc.once(&ready)) {
            if begun.elapsed() > PATIENCE + every * 4 {
                return Err(format!("its managers have no aggregates: {reason}"));
            }
            std::thread::sleep(NOW_AND_THEN);
        }
        Ok(managers)
    }

    /// Makes the monitors of all devices, one Set after another.
    pub(super) async fn delegate(&self) -> Result<(), String> {
        let every = self.settings.sampling.as_secs() as u32;
        for (session, (device, _)) in self.writers.iter().zip(self.noc.devices()) {
            for column in 0..rows::COLUMNS.len() {
                let name = rows::trigger(device.number, column);
                for bindings in rows::delegation(&name, column, every, LIMIT as i32) {
                    session.set(&bindings).await.map_err(|error| format!("{name}: {error}"))?;
                }
            }
        }
        Ok(())
    }

    /// Destroys them.
    pub(super) async fn take_back(&self) -> Result<(), String> {
        for (session, (device, _)) in self.writers.iter().zip(self.noc.devices()) {
            for column in 0..rows::COLUMNS.len() {
                let name = rows::trigger(device.number, column);
                session.set(&rows::end(&name)).await.map_err(|error| format!("{name}: {error}"))?;
            }
        }
        Ok(())
    }

    /// All rounds of a way, with crossings at these moments from the beginning of the first one.
    pub(super) fn rounds(
        &self,
        chapter: &Chapter<'_, Options>,
        way: Way,
        managers: &Managers,
        moments: &[Duration],
    ) -> Result<Rounds, String> {
        let Settings { population, period, .. } = &self.settings;
        let ready = self.noc.ready(&way.round(population, &[0, 1, 2]), &managers.sessions)?;
        let (link, mut meters) = (self.place.link()?, meters(&managers.programs));
        self.ears.take();
        let begun = Instant::now() + LEAD;
        let interrupted: &AtomicBool = &chapter.ledger.interrupted;
        let mut boundaries = Vec::new();
        let boundary = || {
            let (noc_before, counts) = (thread_cpu(), link.counts());
            let (agents, managers) = (self.cpu_of_agents(), sum(&mut meters));
            let noc_after = thread_cpu();
            boundaries.push(Boundary { noc_before, noc_after, counts, agents, managers });
            !interrupted.load(Ordering::Relaxed)
        };
        let ((arrivals, failed), crossings) = std::thread::scope(|scope| {
            let surges = scope.spawn(|| {
                let surge = |at: &Duration| wait_for(begun + *at, interrupted).then(|| link.surge(SURGE));
                moments.iter().filter_map(surge).collect::<Result<Vec<Instant>, _>>()
            });
            let polling = self.noc.poll(&ready, self.settings.rounds(), (begun, *period), boundary);
            let polled = chapter.runtime.block_on(polling);
            (polled, surges.join())
        });
        let crossings = crossings.map_err(|_| "the traffic ended".to_owned())?;
        let crossings = crossings.map_err(|error| format!("no traffic can be sent: {error}"))?;
        let (heard, ended) = (self.ears.take(), Instant::now());
        Ok(Rounds { begun, boundaries, arrivals, heard, crossings, ended, failed })
    }
}

/// Waits until then; false if the user interrupts.
fn wait_for(moment: Instant, interrupted: &AtomicBool) -> bool {
    loop {
        let left = moment.saturating_duration_since(Instant::now());
        if interrupted.load(Ordering::Relaxed) {
            return false;
        }
        if left.is_zero() {
            return true;
        }
        std::thread::sleep(left.min(NOW_AND_THEN));
    }
}

/// Processor time of all of these so far, nanoseconds.
fn sum(meters: &mut [LastingMeter]) -> u64 {
    meters.iter_mut().map(LastingMeter::read).sum()
}

/// Crossings in a run of a way.
pub(super) const CROSSINGS: u32 = 2;
/// Octets that an interface sends at a crossing, and the limit of what it may send between two samples: beyond all that polling sends.
const SURGE: u32 = 2 * LIMIT;
pub(super) const LIMIT: u32 = 2_000_000;
/// Before the first round.
const LEAD: Duration = Duration::from_millis(20);
const NOW_AND_THEN: Duration = Duration::from_millis(100);
/// How long managers may take to have aggregates, beyond their cycles.
const PATIENCE: Duration = Duration::from_secs(15);
