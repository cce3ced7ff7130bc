//! What is measured for section 2: the four ways in turn, in a newly drawn order in each run, and between them a time in which the NOC asks
//! nothing.
//!
//! ```text
//! a way in a run:   |quiet|quiet|.x...|...x.|..|      rounds of a period; x: a crossing, a surge of traffic at a moment that is drawn for it alone
//!                   then some rounds without waiting: all networks, and each alone
//! ```

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fastrand::Rng;
use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::conversation::nanos;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::duration::Left;
use trunkline_labkit::error::Error;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::stage::Stand;

use super::super::{Options, missing};
use super::arrivals::{Arrival, mean_age, seen, told};
use super::scene::{CROSSINGS, LIMIT, Managers, Rounds, Scene};
use super::schedule::Way;
use super::settings::Settings;

/// What is measured in a run: a way, or that nobody asks (`None`).
type Kind = Option<Way>;

/// Measures all ways.
pub(in super::super) fn measure(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let settings = Settings::of(chapter.options, chapter.choice);
    settings.say(chapter)?;
    let mut doubts = Vec::new();
    let scene = Scene::make(chapter, settings, &mut doubts);
    for doubt in doubts {
        chapter.ledger.doubt(doubt)?;
    }
    let measured = match scene {
        Ok(scene) => runs(chapter, &scene),
        Err(reason) => missing(chapter, "the population", reason),
    };
    // The scene is gone: its agents first, then its link.
    chapter.stage.stand(Stand::Beside)?;
    measured
}

fn runs(chapter: &mut Chapter<'_, Options>, scene: &Scene) -> Result<(), Error> {
    let mut random = Rng::with_seed(chapter.ledger.seed);
    let mut kinds: Vec<Kind> = std::iter::once(None).chain(Way::ALL.map(Some)).collect();
    let runs = scene.settings.runs;
    let (left, all) = (Left::of(u64::from(runs) * kinds.len() as u64), kinds.len() as u64);
    let mut left_out: Vec<Kind> = Vec::new();
    for run in 0..runs {
        random.shuffle(&mut kinds);
        for (at, kind) in kinds.clone().into_iter().enumerate() {
            if chapter.ledger.is_interrupted() {
                return Ok(());
            }
            left.announce(chapter.ledger, u64::from(run) * all + at as u64);
            chapter.ledger.progress.inc(1);
            if left_out.contains(&kind) {
                continue;
            }
            let measured = match kind {
                None => idle(chapter, scene, run)?,
                Some(way) => one(chapter, scene, way, run, &mut random)?,
            };
            if let Err(reason) = measured {
                left_out.push(kind);
                missing(chapter, kind.map_or(IDLE, Way::name), reason)?;
            }
        }
    }
    Ok(())
}

/// The agents' processor time while nobody asks.
fn idle(chapter: &mut Chapter<'_, Options>, scene: &Scene, run: u32) -> Result<Result<(), String>, Error> {
    let Settings { period, quiet, .. } = scene.settings;
    for round in 0..quiet {
        let (before, begun) = (scene.cpu_of_agents(), Instant::now());
        std::thread::sleep(period);
        let (used, lasted) = (scene.cpu_of_agents() - before, begun.elapsed());
        let share = used as f64 * period.as_secs_f64() / lasted.as_secs_f64();
        read(chapter, IDLE, 0, Quantity::AgentCpuNs, run * quiet + round + 1, share)?;
    }
    Ok(Ok(()))
}

/// A way in a run. The inner error is why it cannot be measured.
fn one(
    chapter: &mut Chapter<'_, Options>,
    scene: &Scene,
    way: Way,
    run: u32,
    random: &mut Rng,
) -> Result<Result<(), String>, Error> {
    let managers = match way {
        Way::Managers => scene.employ(chapter),
        _ => Ok(Managers::default()),
    };
    let managers = match managers {
        Ok(managers) => managers,
        Err(reason) => return Ok(Err(reason)),
    };
    if way == Way::Delegated {
        let before = scene.counts();
        let begun = Instant::now();
        if let Err(reason) = chapter.runtime.block_on(scene.delegate()) {
            return Ok(Err(reason));
        }
        let (lasted, traffic) = (begun.elapsed(), (scene.counts() - before).at_manager());
        let name = setting_up(way);
        read(chapter, &name, 0, Quantity::IpOctets, run + 1, traffic.ip_octets as f64)?;
        read(chapter, &name, 0, Quantity::Packets, run + 1, traffic.packets as f64)?;
        read(chapter, &name, 0, Quantity::ElapsedNs, run + 1, nanos(lasted) as f64)?;
    }
    let measured = match scene.rounds(chapter, way, &managers, &scene.settings.moments(random)) {
        // An interrupted run has no figures.
        Ok(rounds) if rounds.boundaries.len() <= scene.settings.rounds() as usize => Ok(Ok(())),
        Ok(rounds) => write(chapter, scene, way, run, &rounds).map(Ok),
        Err(reason) => Ok(Err(reason)),
    }?;
    let measured = match measured {
        Ok(()) => unpaced(chapter, scene, way, run, &managers)?,
        Err(reason) => Err(reason),
    };
    if way == Way::Delegated
        && let Err(reason) = chapter.runtime.block_on(scene.take_back())
    {
        return Ok(Err(reason));
    }
    Ok(measured)
}

/// Writes what a way's rounds brought.
fn write(
    chapter: &mut Chapter<'_, Options>,
    scene: &Scene,
    way: Way,
    run: u32,
    rounds: &Rounds,
) -> Result<(), Error> {
    let (name, quiet) = (way.name(), scene.settings.quiet);
    let traffic = |from: u32, to: u32| {
        let at = |round: u32| rounds.boundaries[round as usize].counts;
        (at(to) - at(from)).at_manager()
    };
    for round in 0..quiet {
        let [from, to] = [round, round + 1].map(|at| rounds.boundaries[at as usize]);
        let repetition = run * quiet + round + 1;
        let sent = traffic(round, round + 1);
        read(chapter, name, 0, Quantity::IpOctets, repetition, sent.ip_octets as f64)?;
        read(chapter, name, 0, Quantity::Packets, repetition, sent.packets as f64)?;
        read(chapter, name, 0, Quantity::ElapsedNs, repetition, nanos(scene.settings.period) as f64)?;
        read(
            chapter,
            name,
            0,
            Quantity::WorkNs,
            repetition,
            to.noc_before.saturating_sub(from.noc_after) as f64,
        )?;
        read(chapter, name, 0, Quantity::AgentCpuNs, repetition, (to.agents - from.agents) as f64)?;
        if way == Way::Managers {
            let used = (to.managers - from.managers) as f64;
            read(chapter, &managers_of(way), 0, Quantity::AgentCpuNs, repetition, used)?;
        }
        if let Some(age) = mean_age(&rounds.arrivals, round) {
            read(chapter, name, 0, Quantity::AgeNs, repetition, nanos(age) as f64)?;
        }
    }
    // All rounds with crossings, and those in which their answers are awaited.
    let lasted = nanos(scene.settings.period * (scene.settings.rounds() - quiet)) as f64;
    let (with, of_crossings) = (traffic(quiet, scene.settings.rounds()), crossing(way));
    read(chapter, &of_crossings, 0, Quantity::IpOctets, run + 1, with.ip_octets as f64)?;
    read(chapter, &of_crossings, 0, Quantity::Packets, run + 1, with.packets as f64)?;
    read(chapter, &of_crossings, 0, Quantity::ElapsedNs, run + 1, lasted)?;
    reactions(chapter, scene, way, run, rounds)?;
    let again: u32 = rounds.arrivals.iter().map(|it| it.attempts.saturating_sub(1)).sum();
    if again + rounds.failed > 0 {
        let (table, what) = (chapter.table.clone(), name.to_owned());
        chapter.ledger.doubt(Doubt::SentAgain { table, what, requests: again + rounds.failed })?;
    }
    Ok(())
}

/// When the NOC knew of each crossing, device by device.
fn reactions(
    chapter: &mut Chapter<'_, Options>,
    scene: &Scene,
    way: Way,
    run: u32,
    rounds: &Rounds,
) -> Result<(), Error> {
    let devices = scene.settings.population.nodes();
    let ends = rounds.crossings.iter().skip(1).copied();
    for ((&moment, until), at) in rounds.crossings.iter().zip(ends.chain([rounds.ended])).zip(0..) {
        let arrivals: Vec<Arrival> = rounds.arrivals.iter().filter(|it| it.at < until).cloned().collect();
        let mut known: BTreeMap<u32, Duration> = seen(&arrivals, scene.noc.watched, LIMIT.into(), moment);
        let whose = |trigger: &[u8]| scene.settings.devices_of(trigger);
        for (device, after) in told(&rounds.heard, moment, until, whose) {
            let first = known.entry(device).or_insert(after);
            *first = (*first).min(after);
        }
        let repetition = run * CROSSINGS + at + 1;
        let begun = nanos(moment.duration_since(rounds.begun)) as f64;
        read(chapter, way.name(), 0, Quantity::MomentNs, repetition, begun)?;
        for (device, after) in &known {
            read(chapter, way.name(), device + 1, Quantity::ReactionNs, repetition, nanos(*after) as f64)?;
        }
        let unknown = devices.saturating_sub(known.len() as u32);
        if unknown > 0 {
            let what = format!("{}: crossings at {unknown} of {devices} devices", way.name());
            missing(
                chapter,
                &what,
                format!("the NOC did not know of them in time (run {}); the mean is of the others", run + 1),
            )?;
        }
    }
    Ok(())
}

/// Rounds in which requests are sent one after another: of all networks, and of each alone.
fn unpaced(
    chapter: &mut Chapter<'_, Options>,
    scene: &Scene,
    way: Way,
    run: u32,
    managers: &Managers,
) -> Result<Result<(), String>, Error> {
    for repeat in 0..UNPACED {
        for (nodes, groups) in scene.settings.population.parts() {
            let (before, begun) = (scene.counts(), Instant::now());
            let tasks = way.round(&scene.settings.population, &groups);
            let ready = scene.noc.ready(&tasks, &managers.sessions);
            let asked = ready.and_then(|ready| chapter.runtime.block_on(scene.noc.once(&ready)));
            if let Err(reason) = asked {
                return Ok(Err(reason));
            }
            let (lasted, traffic) = (begun.elapsed(), (scene.counts() - before).at_manager());
            let (name, repetition) = (way.name(), run * UNPACED + repeat + 1);
            read(chapter, name, nodes, Quantity::IpOctets, repetition, traffic.ip_octets as f64)?;
            read(chapter, name, nodes, Quantity::Packets, repetition, traffic.packets as f64)?;
            read(chapter, name, nodes, Quantity::DelayNs, repetition, nanos(lasted) as f64)?;
        }
    }
    Ok(Ok(()))
}

/// Writes a reading of the chapter's table.
fn read(
    chapter: &mut Chapter<'_, Options>,
    series: &str,
    at: u32,
    quantity: Quantity,
    repetition: u32,
    figure: f64,
) -> Result<(), Error> {
    let table = chapter.table.clone();
    chapter.ledger.reading(&table, series, at, quantity, repetition, figure)
}

/// The series of readings while nobody asks.
pub(super) const IDLE: &str = "nobody asks";

/// The series of a way's managers.
pub(super) fn managers_of(way: Way) -> String {
    format!("{}: the managers", way.name())
}

/// The series of what is sent in the rounds with crossings.
pub(super) fn crossing(way: Way) -> String {
    format!("{}: rounds with crossings", way.name())
}

/// The series of what it takes to set a way up.
pub(super) fn setting_up(way: Way) -> String {
    format!("{}: setting up", way.name())
}

/// Rounds without waiting, in each run.
const UNPACED: u32 = 2;
