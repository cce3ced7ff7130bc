//! What is measured for section 6: groups of the deliverable's ten sizes, one agent, serial rounds, and groups that grow until the
//! manager has no time left.

use std::num::NonZeroU32;
use std::time::Duration;

use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::duration::Left;
use trunkline_labkit::error::Error;
use trunkline_labkit::stage::Stand;

use super::line::{EACH_MS, LINES, Line, OF_ONE};
use super::manager::{Manager, TIMEOUT, Wanted};
use super::{notify, paper};
use crate::emanics2006::{Options, condition, missing};

/// A step of a chapter: a line, and what its groups are asked.
struct Step {
    line: Line,
    groups: Vec<Wanted>,
    /// Whether the steps end where most answers are late.
    until_late: bool,
}

/// Groups of the deliverable's sizes, each agent once in each period: tables 6.1 and 6.2, figures 6.2 to 6.6.
pub(in super::super) fn groups(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let paces = Paces::of(chapter);
    say_conditions(chapter, &paces)?;
    let of = |line: Line| {
        let sizes = if line.is_fleet() { paces.sizes.clone() } else { paces.few.clone() };
        paces.step(line, &sizes)
    };
    perform(chapter, &LINES.map(of))
}

/// Figure 6.1: one agent.
pub(in super::super) fn one_agent(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let paces = Paces::of(chapter);
    let often = 10;
    condition(
        chapter,
        format!(
            "one agent is asked {often} times in {}, where the deliverable asks once a second: as many samples in a tenth of the time. \
             {} rounds; --repeat makes it longer",
            words(paces.period),
            paces.rounds * often
        ),
    )?;
    condition(
        chapter,
        format!(
            "two JVMs collect garbage each {} s, when RMI's distributed collector wants it, among 64 MB of small objects: one stops for it (UseSerialGC), the other does it beside the program (UseZGC). In the \
             deliverable it was each minute, by a JVM of 2004 whose collector stopped it",
            EACH_MS / 1000
        ),
    )?;
    let wanted = Wanted {
        agents: 1,
        period: paces.period / often,
        rounds: paces.rounds * often,
        warm_up: often,
        bound: None,
    };
    perform(chapter, &OF_ONE.map(|line| Step { line, groups: vec![wanted], until_late: false }))
}

/// Group delays of serial rounds, and of rounds with a bound; those of parallel ones are of the groups above.
pub(in super::super) fn bounded(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let paces = Paces::of(chapter);
    let (most, quick) = (paces.few.last(), chapter.choice.common.quick);
    let least = paces.few.first().filter(|it| !quick && Some(*it) != most);
    let rounds = paces.rounds.min(FEW_ROUNDS);
    let mut groups = Vec::new();
    for &agents in least.into_iter().chain(most) {
        let bounded = |most| Wanted { bound: NonZeroU32::new(most), rounds, ..paces.wanted(agents) };
        groups.extend(BOUNDS.map(bounded));
    }
    let of = |line| Step { line, groups: groups.clone(), until_late: false };
    perform(chapter, &LINES.map(of))
}

/// Sizes and rates until the manager has no time left.
pub(in super::super) fn saturation(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let paces = Paces::of(chapter);
    let (given, quick) = (!chapter.options.groups.is_empty(), chapter.choice.common.quick);
    let seconds = paces.rounds.min(FEW_ROUNDS);
    let of = |line: Line| {
        let groups: Vec<(u32, u32)> = match (given, line.is_fleet()) {
            (true, is_fleet) => (if is_fleet { &paces.sizes } else { &paces.few })
                .iter()
                .flat_map(|&agents| [(agents, 1), (agents, 10)])
                .collect(),
            (false, true) if quick => QUICK_FLEETS.to_vec(),
            (false, true) => FLEETS.to_vec(),
            (false, false) if quick => QUICK_RATES.to_vec(),
            (false, false) => RATES.to_vec(),
        };
        let wanted = |(agents, rate)| Wanted {
            period: paces.period / rate,
            rounds: seconds * rate,
            warm_up: rate,
            ..paces.wanted(agents)
        };
        Step { line, groups: groups.into_iter().map(wanted).collect(), until_late: true }
    };
    condition(
        chapter,
        "the simulated fleet and our agent run on the other processors of the same machine. Where they use one wholly, the limit is theirs and not the manager's; \
         the fleet keeps 8,192 engines of SNMPv3 for each thread, and makes others again for each request",
    )?;
    perform(chapter, &LINES.map(of))
}

/// Notifications one way, in groups of the same sizes.
pub(in super::super) fn notifications(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let paces = Paces::of(chapter);
    condition(
        chapter,
        "senders and receiver are threads of this process, with one monotonic clock; a notification arrives when the receiver has decoded it",
    )?;
    chapter.stage.stand(Stand::Beside)?;
    for &agents in &paces.few {
        if chapter.ledger.is_interrupted() {
            return Ok(());
        }
        notify::receive(chapter, &paces.wanted(agents))?;
        chapter.ledger.progress.inc(1);
    }
    Ok(())
}

/// Measures all steps.
fn perform(chapter: &mut Chapter<'_, Options>, steps: &[Step]) -> Result<(), Error> {
    let of = |steps: &[Step]| -> u64 { steps.iter().map(|step| step.groups.len() as u64).sum() };
    let left = Left::of(of(steps));
    let mut done = 0;
    for (at, step) in steps.iter().enumerate() {
        if step.groups.is_empty() {
            let reason = format!("its agents need a session each, and no size is {MOST_SESSIONS} or less");
            missing(chapter, &step.line.to_string(), reason)?;
            continue;
        }
        chapter.stage.stand(Stand::Beside)?;
        let most = step.groups.iter().map(|it| it.agents).max().unwrap_or(0);
        let mut manager = match Manager::open(chapter, step.line, most) {
            Ok(manager) => manager,
            Err(reason) => {
                missing(chapter, &step.line.to_string(), reason)?;
                continue;
            }
        };
        for wanted in &step.groups {
            if chapter.ledger.is_interrupted() {
                return Ok(());
            }
            left.announce(chapter.ledger, done);
            manager.ask(chapter, wanted)?;
            chapter.ledger.progress.inc(1);
            done += 1;
            if step.until_late && manager.is_late() {
                break;
            }
        }
        done = of(&steps[..=at]);
        manager.close(chapter);
    }
    Ok(())
}

/// How often agents are asked, and how many there are.
struct Paces {
    period: Duration,
    rounds: u32,
    sizes: Vec<u32>,
    /// Sizes of lines whose agents need a session each.
    few: Vec<u32>,
}

impl Paces {
    fn of(chapter: &Chapter<'_, Options>) -> Paces {
        let Options { groups, interval, .. } = chapter.options;
        Paces {
            period: Duration::from_millis(interval.unwrap_or(1000).into()),
            rounds: chapter.choice.rounds(ROUNDS, QUICK_ROUNDS),
            sizes: chapter.choice.sizes(groups, &paper::GROUPS, &QUICK),
            few: chapter
                .choice
                .sizes(groups, &FEW, &QUICK)
                .into_iter()
                .filter(|it| *it <= MOST_SESSIONS)
                .collect(),
        }
    }

    fn wanted(&self, agents: u32) -> Wanted {
        // A minute before twenty, as in the deliverable, and at least a round.
        let warm_up = (self.rounds / 20).max(1);
        Wanted { agents, period: self.period, rounds: self.rounds, warm_up, bound: None }
    }

    fn step(&self, line: Line, sizes: &[u32]) -> Step {
        let groups = sizes.iter().map(|&agents| self.wanted(agents)).collect();
        Step { line, groups, until_late: false }
    }
}

fn say_conditions(chapter: &mut Chapter<'_, Options>, paces: &Paces) -> Result<(), Error> {
    let wanted = paces.wanted(1);
    let seconds = paces.period * wanted.rounds;
    chapter.shortened(format!(
        "{} a group after {} of warm-up, where the deliverable measured 20 minutes after one; --repeat 1200 is as long",
        words(seconds),
        words(paces.period * wanted.warm_up),
    ))?;
    for text in [
        "few processes for many agents: over UDP all agents are threads of this program (trunkline sim), each with an address of its own; in sessions one process of our agent has \
         as many sessions as there are agents. The deliverable had a hundred machines, and its limit was the manager, as here"
            .to_owned(),
        "manager and agents share one machine, and the manager is one thread on one processor".to_owned(),
        format!(
            "requests are sent when they are due, evenly over {}, whatever is outstanding, and are given up after {} s. Delays count from when a request was due. A session of SOAP or NETCONF carries one request at a \
             time: what waits for it is in the delay",
            words(paces.period),
            TIMEOUT.as_secs()
        ),
        "sessions are opened, and their first request is answered, before anything is counted; the engines of SNMPv3 over UDP are discovered in the rounds of the warm-up".to_owned(),
        "the attribute is UCD-SNMP-MIB's memAvailReal, for the deliverable's FreeMemory. Clocks have nanoseconds, where the deliverable's had milliseconds: medians are not equal, and interquartile ranges are not 0"
            .to_owned(),
        "the figures printed are of JMX in the deliverable; jmx/RMI here is one JVM with an MBean server and a port for each agent, asked by a manager without a JVM".to_owned(),
    ] {
        condition(chapter, text)?;
    }
    Ok(())
}

/// `1 s`, `50 ms`.
fn words(duration: Duration) -> String {
    match duration.as_millis() {
        ms if ms.is_multiple_of(1000) => format!("{} s", ms / 1000),
        ms => format!("{ms} ms"),
    }
}

/// The largest group whose agents need a session each: there is a port of the loopback and some memory for each.
pub(in super::super) const MOST_SESSIONS: u32 = 2_000;
/// Rounds of each group, one a second.
const ROUNDS: u32 = 6;
const QUICK_ROUNDS: u32 = 2;
/// Sizes where each agent needs a session.
const FEW: [u32; 3] = [70, 350, 700];
const QUICK: [u32; 2] = [70, 700];
/// Requests that may be outstanding: one is a serial round.
const BOUNDS: [u32; 2] = [1, 10];
/// Agents, and how often each is asked in a period.
const FLEETS: [(u32, u32); 6] = [(700, 1), (7_000, 1), (700, 10), (70_000, 1), (700, 100), (100_000, 1)];
const QUICK_FLEETS: [(u32, u32); 3] = [(700, 1), (7_000, 1), (70_000, 1)];
const RATES: [(u32, u32); 4] = [(700, 1), (700, 10), (700, 30), (700, 100)];
const QUICK_RATES: [(u32, u32); 2] = [(700, 1), (700, 10)];
/// Rounds with a bound, and periods of each point on the way to saturation.
const FEW_ROUNDS: u32 = 3;
