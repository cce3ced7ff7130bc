//! Section VI, table II: the delay of one interaction, from the first octet sent to the last received, without
//! connection set-up.

use fastrand::Rng;
use trunkline_client::SessionOptions;
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;

use trunkline_labkit::conversation::{Peer, nanos};
use trunkline_labkit::duration::Left;
use trunkline_labkit::error::Error;
use trunkline_labkit::reading::Quantity;

use super::common::{Asked, Turn};
use super::fetch::{Pipe, Service};
use super::{DELAY, DELAY_OBJECTS, Lab};

/// Measures every agent this often. Compared agents take turns, ten requests each, in an order that is drawn anew each
/// time: other load of the machine, and the scheduler's choice of processors, affects all alike.
pub(super) fn measure(lab: &mut Lab<'_>) -> Result<(), Error> {
    let rounds = lab.choice.rounds(ROUNDS, QUICK_ROUNDS);
    let mut turns: Vec<Turn> = lab.agents.here().iter().flat_map(bulks).collect();
    // The servers run until this ends.
    let _servers = super::services::delays(lab, &mut turns)?;
    let mut random = Rng::with_seed(lab.ledger.seed);
    let left = Left::of(rounds.div_ceil(BLOCK).into());
    for block in 0..rounds.div_ceil(BLOCK) {
        left.announce(lab.ledger, block.into());
        let before = block * BLOCK;
        random.shuffle(&mut turns);
        for turn in turns.iter_mut().filter(|turn| !turn.is_over) {
            if lab.ledger.is_interrupted() {
                return Ok(());
            }
            match lab.runtime.block_on(turn.ask(BLOCK.min(rounds - before))) {
                Ok((first, delays)) => {
                    let (series, objects, first) = (&turn.series, turn.objects, first as f64);
                    lab.note(DELAY, series, objects, Quantity::FirstDelayNs, block + 1, first)?;
                    for (repetition, delay) in (before + 1..).zip(delays) {
                        lab.note(DELAY, series, objects, Quantity::DelayNs, repetition, delay as f64)?;
                    }
                }
                Err(reason) => {
                    turn.is_over = true;
                    lab.missing(DELAY, &turn.series, format!("{} objects: {reason}", turn.objects))?;
                }
            }
        }
    }
    Ok(())
}

fn bulks(agent: &super::agents::Agent<'_>) -> impl Iterator<Item = Turn> {
    let turn = |objects| Turn {
        series: agent.name.to_owned(),
        objects,
        asked: Asked::Bulk(agent.peer.clone()),
        is_over: false,
    };
    DELAY_OBJECTS.map(turn).into_iter()
}

impl Turn {
    /// The delay of a session's first request, and this many after it, in nanoseconds.
    async fn ask(&self, times: u32) -> Result<(u64, Vec<u64>), String> {
        let mut delays = match &self.asked {
            Asked::Bulk(peer) => bulk(peer, self.objects, times).await?,
            Asked::Post { service, body, zlib } => post(service, body, *zlib, times).await?,
        };
        let first = delays.remove(0);
        Ok((first, delays))
    }
}

async fn bulk(peer: &Peer, objects: u32, times: u32) -> Result<Vec<u64>, String> {
    let options = SessionOptions::default().with_retries(0);
    let session = peer.open(options).await.map_err(|error| error.to_string())?;
    let name = [Oid::EMPTY.child(IF_TABLE.oid)];
    let mut delays = Vec::new();
    for _ in 0..=times {
        let answer = session.bulk(0, objects, &name).await.map_err(|error| error.to_string())?;
        if answer.bindings.len() != objects as usize {
            return Err(format!("{} objects came", answer.bindings.len()));
        }
        delays.push(nanos(answer.cost.delay));
    }
    Ok(delays)
}

/// Over a kept connection.
async fn post(service: &Service, body: &[u8], zlib: bool, times: u32) -> Result<Vec<u64>, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut pipe = Pipe::open(service).await.map_err(failed)?;
    let mut delays = Vec::new();
    for _ in 0..=times {
        let answer = pipe.post(body, zlib).await.map_err(failed)?;
        if answer.status != 200 {
            return Err(super::services::fault(&answer));
        }
        delays.push(answer.delay);
    }
    Ok(delays)
}

/// The minimum of every ten is taken, as in the paper.
const BLOCK: u32 = 10;
const ROUNDS: u32 = 100;
const QUICK_ROUNDS: u32 = 60;
