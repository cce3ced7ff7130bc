//! Sections IV.C and IV.D, figures 6 and 7: the octets of Get, GetNext and GetBulk for a number of objects of
//! ifTable, starting with its first, as the paper fetched them.

use trunkline_client::Answer;
use trunkline_smi::Oid;

use trunkline_labkit::block::Operation;
use trunkline_labkit::error::Error;
use trunkline_labkit::if_table::Link;
use trunkline_labkit::reading::Quantity;

use super::agents::Agent;
use super::{Lab, MESSAGES};

/// Measures every agent with three operations.
pub(super) fn measure(lab: &mut Lab<'_>) -> Result<(), Error> {
    if !lab.choice.has("figure-7") {
        return Ok(());
    }
    let objects = lab.objects();
    for agent in lab.agents.here() {
        let found = lab.runtime.block_on(ask(&agent, &objects));
        let (found, failures) = match found {
            Ok(found) => found,
            Err(reason) => {
                lab.missing(MESSAGES, agent.name, format!("{reason}{}", agent.advice))?;
                continue;
            }
        };
        for (series, at, quantity, figure) in found {
            lab.note(MESSAGES, &series, at, quantity, 1, figure)?;
        }
        for (what, reason) in failures {
            lab.missing(MESSAGES, &what, reason)?;
        }
    }
    if lab.agents.is_elsewhere() { Ok(()) } else { super::header::measure(lab) }
}

/// A series, the number of objects, the quantity, and its value.
type Found = (String, u32, Quantity, f64);

/// The series of an operation of an agent.
pub(super) fn series(agent: &str, operation: Operation) -> String {
    format!("{agent}, {operation}")
}

async fn ask(agent: &Agent<'_>, objects: &[u32]) -> Result<(Vec<Found>, Vec<(String, String)>), String> {
    let link = Link::open(agent.peer).await.map_err(|error| error.to_string())?;
    let walked = link.walk().await.map_err(|error| error.to_string())?;
    let instances: Vec<Oid> = walked.into_iter().map(|(name, _)| name).collect();
    let seen = link.watch();
    let (mut found, mut failures) = (Vec::new(), Vec::new());
    for operation in Operation::ALL {
        if operation == Operation::GetBulk && !link.has_bulk {
            continue;
        }
        let name = series(agent.name, operation);
        for &count in objects {
            let Some(wanted) = instances.get(..count as usize) else {
                failures
                    .push((name.clone(), format!("{count} objects, of {} in its ifTable", instances.len())));
                break;
            };
            let octets = match link.ask(operation, wanted).await {
                Ok(answer) if answer.bindings.len() == wanted.len() => link.octets(&answer, &seen),
                other => {
                    let brought = |answer: Answer| format!("{} objects came", answer.bindings.len());
                    let reason = other.map_or_else(|error| error.to_string(), brought);
                    failures.push((name.clone(), format!("{count} objects: {reason}")));
                    break;
                }
            };
            let of = |quantity, figure: u64| (name.clone(), count, quantity, figure as f64);
            found.push(of(Quantity::RequestOctets, octets.sent));
            found.push(of(Quantity::ResponseOctets, octets.received));
            found.push(of(Quantity::ValueOctets, octets.value_octets));
            found.push(of(Quantity::LongestValue, octets.longest_value));
        }
    }
    Ok((found, failures))
}
