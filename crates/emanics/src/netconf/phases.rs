//! Coding and retrieval, by the clocks inside the agent.

use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;
use trunkline_client::Session;

use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::duration::Left;
use trunkline_labkit::error::Error;
use trunkline_labkit::packing::Packing;
use trunkline_labkit::place::IF_TABLE_COLUMNS;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::stage::Stand;
use trunkline_labkit::subject::Equipped;

use super::octets::How;
use super::{Options, TIMED};

/// The phases that all of them have.
pub(super) const PHASES: [&str; 5] = ["decode", "access", "filter", "retrieve", "encode"];
/// Those of which SNMP's clock over UDP knows nothing do not exist there.
pub(super) const WAYS: [How; 3] = [How::Bulk, How::Soap, How::Netconf];

/// Pras, figures 13 and 14.
pub(super) fn measure(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    chapter.stage.stand(Stand::Beside)?;
    let (table, stage) = (chapter.table.clone(), chapter.stage);
    let Some(agent) = stage.agent(TIMED) else {
        let switch = "clocks inside the agent (trunklined-lab)".into();
        return chapter.ledger.doubt(Doubt::NoSwitch { table, switch });
    };
    let rounds = chapter.choice.rounds(ROUNDS, QUICK_ROUNDS);
    let mut turns: Vec<(How, Arc<dyn Session>, u32)> = Vec::new();
    for how in WAYS {
        match chapter.runtime.block_on(how.open(stage, TIMED, Packing::None, None)) {
            Ok(session) => {
                turns.extend(chapter.options.rows.iter().map(|&rows| (how, session.clone(), rows)))
            }
            Err(reason) => {
                let (table, what) = (table.clone(), how.name().into());
                chapter.ledger.doubt(Doubt::LeftOut { table, what, reason })?;
            }
        }
    }
    let mut random = Rng::with_seed(chapter.ledger.seed);
    let left = Left::of(u64::from(rounds) + 1);
    for round in 0..=rounds {
        left.announce(chapter.ledger, round.into());
        random.shuffle(&mut turns);
        for (how, session, rows) in &turns {
            if chapter.ledger.is_interrupted() {
                return Ok(());
            }
            chapter.ledger.progress.inc(1);
            match phases(chapter, agent, *how, &**session, *rows) {
                Ok(found) => {
                    for phase in PHASES {
                        let (series, objects) = (format!("{}: {phase}", how.name()), rows * IF_TABLE_COLUMNS);
                        let ns = found.get(phase).copied().unwrap_or(0.0);
                        chapter.ledger.reading(&table, &series, objects, Quantity::PhaseNs, round, ns)?;
                    }
                }
                Err(reason) => {
                    let what = format!("{}, {rows} rows", how.name());
                    return chapter.ledger.doubt(Doubt::LeftOut { table, what, reason });
                }
            }
        }
    }
    Ok(())
}

/// Nanoseconds of a request in each phase, the mean of a block.
fn phases(
    chapter: &Chapter<'_, Options>,
    agent: &Equipped,
    how: How,
    session: &dyn Session,
    rows: u32,
) -> Result<BTreeMap<String, f64>, String> {
    let read = || -> Result<(u64, BTreeMap<String, u64>), String> {
        let counted = agent.counted().map_err(|error| error.to_string())?;
        if how != How::Bulk {
            return Ok((counted.in_sessions.requests, counted.in_sessions.phases));
        }
        let phases = counted.phases;
        let of = [
            ("decode", phases.decode),
            ("access", phases.access),
            ("retrieve", phases.retrieve),
            ("encode", phases.encode),
        ];
        Ok((counted.requests, of.into_iter().map(|(name, ns)| (name.to_owned(), ns)).collect()))
    };
    let (before, earlier) = read()?;
    for _ in 0..BLOCK {
        chapter.runtime.block_on(how.fetch(session, rows))?;
    }
    let (after, later) = read()?;
    let requests = after.saturating_sub(before);
    if requests != BLOCK {
        return Err(format!("the agent's clocks counted {requests} requests instead of {BLOCK}"));
    }
    let each = |(phase, ns): (String, u64)| {
        let before = earlier.get(&phase).copied().unwrap_or(0);
        (phase, ns.saturating_sub(before) as f64 / BLOCK as f64)
    };
    Ok(later.into_iter().map(each).collect())
}

const BLOCK: u64 = 10;
const ROUNDS: u32 = 64;
const QUICK_ROUNDS: u32 = 6;
