//! Section IV.B, figures 4 and 5: a walk over everything that an agent has, for the lengths of names and the sizes of values.

use std::collections::BTreeMap;

use trunkline_client::{Error as ClientError, SessionOptions};
use trunkline_smi::Oid;
use trunkline_snmp::wire::Bound;

use trunkline_labkit::error::Error;
use trunkline_labkit::octets::value_octets;
use trunkline_labkit::reading::Quantity;

use super::agents::Agent;
use super::{Lab, WALKED};

/// Walks every agent.
pub(super) fn measure(lab: &mut Lab<'_>) -> Result<(), Error> {
    for agent in lab.agents.here() {
        let walked = lab.runtime.block_on(walk(&agent));
        let found = match walked {
            Ok(found) => found,
            Err(error) => {
                lab.missing(WALKED, agent.name, format!("{error}{}", agent.advice))?;
                continue;
            }
        };
        for (quantity, counts) in
            [(Quantity::NamesOfLength, &found.lengths), (Quantity::ValuesOfSize, &found.sizes)]
        {
            for (&at, &count) in counts {
                lab.note(WALKED, agent.name, at, quantity, 1, f64::from(count))?;
            }
        }
    }
    Ok(())
}

#[derive(Default)]
struct Walked {
    lengths: BTreeMap<u32, u32>,
    sizes: BTreeMap<u32, u32>,
}

async fn walk(agent: &Agent<'_>) -> Result<Walked, ClientError> {
    let session = agent.peer.open(SessionOptions::default()).await?;
    let has_bulk = agent.peer.has_bulk();
    let (mut from, mut walked) = (Oid::from(INTERNET), Walked::default());
    loop {
        let asked = match has_bulk {
            true => session.bulk(0, STEP, std::slice::from_ref(&from)).await,
            false => session.next(std::slice::from_ref(&from)).await,
        };
        // The end of everything, to SNMPv1.
        let bindings = match asked {
            Err(ClientError::Status { .. }) => return Ok(walked),
            asked => asked?.bindings,
        };
        let before = from.clone();
        for binding in bindings {
            let Bound::Value(_) = binding.value else { return Ok(walked) };
            // An agent that loops.
            if binding.name <= from || !binding.name.starts_with(&INTERNET) {
                return Ok(walked);
            }
            *walked.lengths.entry(binding.name.len() as u32).or_default() += 1;
            *walked.sizes.entry(value_octets(&binding.value) as u32).or_default() += 1;
            from = binding.name;
        }
        if from == before {
            return Ok(walked);
        }
    }
}

/// `internet` (RFC 2578): everything that an agent serves.
const INTERNET: [u32; 4] = [1, 3, 6, 1];
const STEP: u32 = 40;
