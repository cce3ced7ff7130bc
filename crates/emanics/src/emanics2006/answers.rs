//! What the manager sees: requests per second, response times of whole requests, a series of them.

use std::time::{Duration, Instant};

use fastrand::Rng;
use trunkline_client::netconf::NetconfSession;

use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::duration::Left;
use trunkline_labkit::error::Error;
use trunkline_labkit::keyring::USER;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::stage::{Role, Stand};

use super::prepare::{Way, ask, open};
use super::requests::{Content, Request, of_table_3_2, small};
use super::{Options, REALISTIC, SAMPLE, condition, missing, paper};

/// Section 3.2: how many requests a second, one after another.
pub(super) fn rates(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let each = if chapter.choice.common.quick { QUICK_LOOP } else { LOOP };
    let rounds = chapter.choice.rounds(LOOPS, QUICK_LOOPS);
    let sessions = sessions(chapter, Stand::Beside)?;
    let left = Left::of(u64::from(rounds) + 1);
    let mut random = Rng::with_seed(chapter.ledger.seed);
    for round in 0..=rounds {
        left.announce(chapter.ledger, round.into());
        let mut order: Vec<&(Way, NetconfSession)> = sessions.iter().collect();
        random.shuffle(&mut order);
        for (way, session) in order {
            if chapter.ledger.is_interrupted() {
                return Ok(());
            }
            let lasting = if round == 0 { each / 10 } else { each };
            match chapter.runtime.block_on(closed_loop(session, &small(), lasting)) {
                Ok(rate) => {
                    let table = chapter.table.clone();
                    chapter.ledger.reading(&table, &way.name(), 0, Quantity::Rate, round, rate)?;
                }
                Err(reason) => return missing(chapter, &way.name(), reason),
            }
        }
    }
    close(chapter, sessions);
    Ok(())
}

async fn closed_loop(session: &NetconfSession, request: &Request, lasting: Duration) -> Result<f64, String> {
    let (begun, mut count) = (Instant::now(), 0_u32);
    while begun.elapsed() < lasting {
        ask(session, request).await?;
        count += 1;
    }
    Ok(f64::from(count) / begun.elapsed().as_secs_f64())
}

/// Section 3.5: from the first request of a series to its last answer.
pub(super) fn series(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let quick = chapter.choice.common.quick;
    let (length, rounds) =
        (if quick { QUICK_SERIES } else { SERIES }, chapter.choice.rounds(SERIES_ROUNDS, QUICK_LOOPS));
    condition(
        chapter,
        format!("a series has {length} requests; how many the deliverable's had is not said"),
    )?;
    let sessions = sessions(chapter, Stand::Beside)?;
    let left = Left::of(u64::from(rounds) + 1);
    let mut random = Rng::with_seed(chapter.ledger.seed);
    for round in 0..=rounds {
        left.announce(chapter.ledger, round.into());
        let mut order: Vec<&(Way, NetconfSession)> = sessions.iter().collect();
        random.shuffle(&mut order);
        for (way, session) in order {
            if chapter.ledger.is_interrupted() {
                return Ok(());
            }
            match chapter.runtime.block_on(one_series(session, length)) {
                Ok(ns) => {
                    let table = chapter.table.clone();
                    chapter.ledger.reading(&table, &way.name(), length, Quantity::SeriesNs, round, ns)?;
                }
                Err(reason) => return missing(chapter, &way.name(), reason),
            }
        }
    }
    close(chapter, sessions);
    Ok(())
}

async fn one_series(session: &NetconfSession, length: u32) -> Result<f64, String> {
    let (request, begun) = (small(), Instant::now());
    for _ in 0..length {
        ask(session, &request).await?;
    }
    Ok(begun.elapsed().as_nanos() as f64)
}

/// A session in each way with the agent that has a realistic configuration.
fn sessions(chapter: &mut Chapter<'_, Options>, stand: Stand) -> Result<Vec<(Way, NetconfSession)>, Error> {
    chapter.stage.stand(stand)?;
    let mut sessions = Vec::new();
    for way in Way::ALL {
        match chapter.runtime.block_on(open(chapter.stage, REALISTIC, way, stand, USER)) {
            Ok(session) => sessions.push((way, session)),
            Err(reason) => missing(chapter, &way.name(), reason)?,
        }
    }
    Ok(sessions)
}

fn close(chapter: &Chapter<'_, Options>, sessions: Vec<(Way, NetconfSession)>) {
    for (_, session) in sessions {
        chapter.runtime.block_on(session.close());
    }
}

/// Table 3.2: whole requests, from another machine: over the link between two namespaces.
pub(super) fn response_times(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let rounds = chapter.choice.rounds(paper::TABLE_REPETITIONS, QUICK_ANSWERS);
    if rounds < paper::TABLE_REPETITIONS {
        chapter.shortened(format!(
            "{rounds} requests of each kind; the deliverable has {}",
            paper::TABLE_REPETITIONS
        ))?;
    }
    condition(
        chapter,
        "the document from /netconf on is a view here, so that get reads it and get-config does not; of BGP the same configuration is read by \
         get-config, too",
    )?;
    let has_link = chapter.stage.stand(Stand::Link)?;
    let place = match has_link {
        true => {
            "the manager and the agent are in two namespaces of one machine, joined by an emulated link without delay"
        }
        false => {
            "the manager and the agent are on one machine, over its loopback, as there is no emulated link"
        }
    };
    condition(chapter, format!("{place}, where the deliverable had two machines at a hub"))?;
    let stand = if has_link { Stand::Link } else { Stand::Beside };
    let opened = [REALISTIC, SAMPLE]
        .map(|role: Role| chapter.runtime.block_on(open(chapter.stage, role, Way::SSH, stand, USER)));
    let [realistic, sample] = opened;
    let (realistic, sample) = match (realistic, sample) {
        (Ok(realistic), Ok(sample)) => (realistic, sample),
        (Err(reason), _) | (_, Err(reason)) => {
            chapter.stage.stand(Stand::Beside)?;
            return missing(chapter, "NETCONF over SSH", reason);
        }
    };
    let of = |content| if content == Content::Realistic { &realistic } else { &sample };
    let mut requests: Vec<(Request, Content)> = of_table_3_2();
    let mut random = Rng::with_seed(chapter.ledger.seed);
    let left = Left::of(u64::from(rounds) + 1);
    let table = chapter.table.clone();
    'rounds: for round in 0..=rounds {
        left.announce(chapter.ledger, round.into());
        random.shuffle(&mut requests);
        for (request, content) in &requests {
            if chapter.ledger.is_interrupted() {
                break 'rounds;
            }
            let answered = match chapter.runtime.block_on(ask(of(*content), request)) {
                Ok(answered) => answered,
                Err(reason) => {
                    missing(chapter, &request.name, reason)?;
                    break 'rounds;
                }
            };
            let name = &request.name;
            chapter.ledger.reading(&table, name, 0, Quantity::DelayNs, round, answered.delay_ns)?;
            if round == 1 {
                chapter.ledger.reading(
                    &table,
                    name,
                    0,
                    Quantity::RequestOctets,
                    round,
                    answered.request as f64,
                )?;
                chapter.ledger.reading(
                    &table,
                    name,
                    0,
                    Quantity::ResponseOctets,
                    round,
                    answered.response as f64,
                )?;
            }
        }
    }
    for session in [realistic, sample] {
        chapter.runtime.block_on(session.close());
    }
    chapter.stage.stand(Stand::Beside).map(drop)
}

const LOOP: Duration = Duration::from_secs(3);
const QUICK_LOOP: Duration = Duration::from_millis(500);
const LOOPS: u32 = 10;
const QUICK_LOOPS: u32 = 6;
const QUICK_ANSWERS: u32 = 20;
const SERIES: u32 = 1000;
const QUICK_SERIES: u32 = 100;
const SERIES_ROUNDS: u32 = 10;
