//! What is measured for section 6: groups of the deliverable's ten sizes, one agent, serial rounds, and groups that grow until the
//! manager has no time left.

use std::num::NonZeroU32;
use std::time::Duration;

use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::duration::Left;
use trunkline_labkit::error::Error;
use trunkline_labkit::stage::Stand;

use super::line::{EACH_MS, LINES, Line, MOST_SESSIONS, OF_ONE};
use super::manager::{Manager, TIMEOUT, Wanted};
use super::search::{Rung, Search, Varied};
use super::{notify, paper};
use crate::emanics2006::{Options, condition, missing};

/// A step of a chapter: a line, and what its groups are asked.
struct Step {
    line: Line,
    groups: Vec<Wanted>,
}

/// A line, and the way to its limit.
#[derive(Clone)]
struct Climb {
    line: Line,
    search: Search,
    /// What a group of one request in a period is asked.
    base: Wanted,
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
    let wanted = Wanted {
        agents: 1,
        period: paces.period / OFTEN,
        rounds: paces.rounds * OFTEN,
        warm_up: OFTEN / 2,
        bound: None,
        again: false,
    };
    condition(
        chapter,
        format!(
            "one agent is asked {OFTEN} times in {}, where the deliverable asks once a second: only a request that is due during a pause of a few milliseconds sees it. {} rounds; --repeat sets more. \
             JVMs are asked until they have collected garbage at least twice",
            words(paces.period),
            wanted.rounds
        ),
    )?;
    condition(
        chapter,
        format!(
            "two JVMs collect garbage each {} s, when RMI's distributed collector requests it, with 64 MB of small objects in memory: one pauses meanwhile (UseSerialGC), the other collects concurrently (UseZGC). In the \
             deliverable it was each minute, with a JVM of 2004 whose collector paused it",
            EACH_MS / 1000
        ),
    )?;
    let twice = Duration::from_millis((2 * EACH_MS + EACH_MS / 4).into());
    let enough =
        u32::try_from(twice.as_nanos().div_ceil(wanted.period.as_nanos().max(1))).unwrap_or(u32::MAX);
    let of = |line: Line| match line {
        Line::Jvm(_) => Step { line, groups: vec![Wanted { rounds: wanted.rounds.max(enough), ..wanted }] },
        line => Step { line, groups: vec![wanted] },
    };
    perform(chapter, &OF_ONE.map(of))
}

/// Group delays of serial rounds, and of rounds with a bound; those of parallel ones are of the groups above.
pub(in super::super) fn bounded(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let paces = Paces::of(chapter);
    let rounds = paces.rounds.min(FEW_ROUNDS);
    let bounds = &BOUNDS[..if chapter.choice.common.quick { 1 } else { BOUNDS.len() }];
    let of = |line: Line| {
        let agents = paces.few.iter().rev().find(|it| **it <= line.most_agents());
        let bounded =
            |agents: u32, most| Wanted { bound: NonZeroU32::new(most), rounds, ..paces.wanted(agents) };
        let groups = agents.map(|&agents| bounds.iter().map(|most| bounded(agents, *most)).collect());
        Step { line, groups: groups.unwrap_or_default() }
    };
    perform(chapter, &LINES.map(of))
}

/// Sizes and rates until the manager has no time left.
pub(in super::super) fn saturation(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let paces = Paces::of(chapter);
    let quick = chapter.choice.common.quick;
    let largest = chapter.options.groups.iter().copied().max();
    let base = Wanted { rounds: paces.rounds.min(FEW_ROUNDS), warm_up: 1, ..paces.wanted(0) };
    let of = |line: Line| {
        let search = match (largest, line.is_fleet()) {
            // Nothing is asked that is larger than what was requested.
            (Some(largest), _) => Search::new(Varied::Times(largest.min(line.most_agents())), &TIMES, 0, 2),
            (None, true) if quick => Search::new(Varied::Agents, &FLEETS, 2, 3),
            (None, true) => Search::new(Varied::Agents, &FLEETS, 1, 6),
            (None, false) if quick => Search::new(Varied::Times(SESSIONS), &TIMES, 1, 2),
            (None, false) => Search::new(Varied::Times(SESSIONS), &TIMES, 1, 4),
        };
        // Discoveries are as many requests again: one round for them, and one for what they delay.
        let warm_up = if line.is_fleet() && line.has_engines() { 2 } else { 1 };
        Climb { line, search, base: Wanted { warm_up, ..base } }
    };
    for text in [
        "the simulated fleet and our agent run on the other processors of the same machine. If they use these fully, the limit is theirs and not the manager's; \
         the fleet caches 8,192 engines of SNMPv3 for each thread, and creates all others anew for each request"
            .to_owned(),
        format!(
            "over UDP the group grows; over sessions {SESSIONS} agents are asked more often, since each needs a session. The rate rises until answers are late, and then the search continues between the last two rates. A rate at which at most one \
             answer in a hundred was late is tried once more, and fails if it fails twice; {} for each rate. An answer is late if it comes after the next request to the same agent is due: sessions, whose agents are asked more often, have a stricter limit",
            words(base.period * base.rounds)
        ),
    ] {
        condition(chapter, text)?;
    }
    climb(chapter, LINES.map(of).into())
}

/// Measures lines up to their limits.
fn climb(chapter: &mut Chapter<'_, Options>, climbs: Vec<Climb>) -> Result<(), Error> {
    let of = |climbs: &[Climb]| -> u64 { climbs.iter().map(|it| u64::from(it.search.most())).sum() };
    let left = Left::of(of(&climbs));
    for at in 0..climbs.len() {
        let Climb { line, mut search, base } = climbs[at].clone();
        let Some(manager) = opened(chapter, line, search.most_agents())? else { continue };
        let mut done = of(&climbs[..at]);
        while let Some(rung) = search.next() {
            if chapter.ledger.is_interrupted() {
                return Ok(());
            }
            left.announce(chapter.ledger, done);
            let Rung { agents, times, again } = rung;
            let wanted = Wanted {
                agents,
                period: base.period / times,
                rounds: base.rounds * times,
                warm_up: base.warm_up * times,
                again,
                ..base
            };
            let Some(became) = manager.ask(chapter, &wanted)? else { break };
            search.tell(rung, became);
            chapter.ledger.progress.inc(1);
            done += 1;
        }
        manager.close(chapter);
    }
    Ok(())
}

/// A manager of this line, in its place. `None`: there is none, which is recorded.
fn opened(chapter: &mut Chapter<'_, Options>, line: Line, agents: u32) -> Result<Option<Manager>, Error> {
    chapter.stage.stand(Stand::Beside)?;
    match Manager::open(chapter, line, agents) {
        Ok(manager) => Ok(Some(manager)),
        Err(reason) => missing(chapter, &line.to_string(), reason).map(|()| None),
    }
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
            let most = step.line.most_agents();
            let reason = format!("its agents need a session each, and no size is {most} or less");
            missing(chapter, &step.line.to_string(), reason)?;
            continue;
        }
        let most = step.groups.iter().map(|it| it.agents).max().unwrap_or(0);
        let Some(manager) = opened(chapter, step.line, most)? else { continue };
        for wanted in &step.groups {
            if chapter.ledger.is_interrupted() {
                return Ok(());
            }
            left.announce(chapter.ledger, done);
            manager.ask(chapter, wanted)?;
            chapter.ledger.progress.inc(1);
            done += 1;
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
        Wanted { agents, period: self.period, rounds: self.rounds, warm_up, bound: None, again: false }
    }

    fn step(&self, line: Line, sizes: &[u32]) -> Step {
        let sizes = sizes.iter().filter(|it| **it <= line.most_agents());
        Step { line, groups: sizes.map(|&agents| self.wanted(agents)).collect() }
    }
}

fn say_conditions(chapter: &mut Chapter<'_, Options>, paces: &Paces) -> Result<(), Error> {
    let wanted = paces.wanted(1);
    let seconds = paces.period * wanted.rounds;
    chapter.shortened(format!(
        "{} a group after {} of warm-up, where the deliverable measured for 20 minutes after one of warm-up; --repeat 1200 takes as long",
        words(seconds),
        words(paces.period * wanted.warm_up),
    ))?;
    for text in [
        "few processes for many agents: over UDP all agents are threads of this program (trunkline sim), each with an address of its own; in sessions one process of our agent has \
         as many sessions as there are agents; over JMX it holds 64 connections of one client, and there is a process for each 64 agents. The deliverable had 70 machines with up to ten agents each, and assumed that the manager is the limit; the table saturation shows what it is here"
            .to_owned(),
        "manager and agents share one machine, and the manager is one thread on one processor".to_owned(),
        format!(
            "requests are sent when they are due, evenly over {}, whatever is outstanding, and are given up after {} s. Delays count from when a request was due. A session of SOAP or NETCONF carries one request at a \
             time: what waits for it is in the delay",
            words(paces.period),
            TIMEOUT.as_secs()
        ),
        "sessions are opened, and their first request is answered, before anything is counted; the engines of SNMPv3 over UDP are discovered in the rounds of the warm-up".to_owned(),
        "the attribute is UCD-SNMP-MIB's memAvailReal, for the deliverable's FreeMemory. Clocks have a resolution of nanoseconds, where the deliverable's had milliseconds: medians are not equal, and interquartile ranges are not 0"
            .to_owned(),
        "the printed figures are those of JMX in the deliverable. Here, jmx/RMI is one JVM with an MBean server and a port for each agent; jmx/RMI, trunklined is our agent, with a port for each process. The same manager, which has no JVM, asks both".to_owned(),
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

/// Rounds of each group, one a second.
const ROUNDS: u32 = 6;
const QUICK_ROUNDS: u32 = 2;
/// Sizes where each agent needs a session.
const FEW: [u32; 3] = [70, 350, 700];
const QUICK: [u32; 2] = [70, 700];
/// Requests that may be outstanding: one is a serial round.
const BOUNDS: [u32; 2] = [1, 10];
/// How often one agent is asked in a period.
const OFTEN: u32 = 20;
/// Sizes of groups over UDP, on the way to saturation.
const FLEETS: [u32; 7] = [700, 7_000, 70_000, 100_000, 200_000, 400_000, 800_000];
/// How often each of the agents with a session is asked in a period.
const TIMES: [u32; 5] = [1, 10, 30, 100, 300];
const SESSIONS: u32 = 700;
/// Rounds with a bound, and periods of each point on the way to saturation.
const FEW_ROUNDS: u32 = 2;
