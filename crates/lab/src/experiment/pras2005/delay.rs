//! Section VI, table II: the delay of one interaction, from the first octet sent to the last received, without setting up a
//! connection.

use trunkline_client::{Session, SessionOptions};
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;

use crate::conversation::nanos;
use crate::error::Error;
use crate::reading::Quantity;

use super::agents::Agent;
use super::{DELAY, DELAY_OBJECTS, Lab};

/// Asks every agent so often.
pub(super) fn measure(lab: &mut Lab<'_>) -> Result<(), Error> {
    let rounds = lab.choice.rounds(ROUNDS, QUICK_ROUNDS);
    for agent in lab.agents.here() {
        for objects in DELAY_OBJECTS {
            match lab.runtime.block_on(bulk(&agent, objects, rounds)) {
                Ok(delays) => {
                    for (repetition, delay) in (1..).zip(delays) {
                        lab.note(DELAY, agent.name, objects, Quantity::DelayNs, repetition, delay)?;
                    }
                }
                Err(reason) => lab.missing(DELAY, agent.name, format!("{objects} objects: {reason}"))?,
            }
        }
    }
    super::services::delays(lab, rounds)
}

/// GetBulk of the first so many objects of ifTable, nanoseconds each; the first is not counted.
async fn bulk(agent: &Agent<'_>, objects: u32, rounds: u32) -> Result<Vec<f64>, String> {
    let options = SessionOptions { retries: 0, ..SessionOptions::default() };
    let session = Session::open(agent.target, options).await.map_err(|error| error.to_string())?;
    let name = [Oid::EMPTY.child(IF_TABLE.oid)];
    let mut delays = Vec::new();
    for round in 0..=rounds {
        let answer = session.bulk(0, objects, &name).await.map_err(|error| error.to_string())?;
        if answer.bindings.len() != objects as usize {
            return Err(format!("{} objects came", answer.bindings.len()));
        }
        if round > 0 {
            delays.push(nanos(answer.delay) as f64);
        }
    }
    Ok(delays)
}

const ROUNDS: u32 = 100;
const QUICK_ROUNDS: u32 = 20;
