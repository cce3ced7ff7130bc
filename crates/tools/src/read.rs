//! `snmpget`, `snmpgetnext` and `snmpbulkget`: one question, its answer.

use std::io::Write;

use trunkline_client::Response;
use trunkline_smi::Oid;

use super::ended::Ended;
use super::names::Dictionary;
use super::session::{self, Agent, refusal};
use super::settings::Settings;
use super::tool::Tool;
use trunkline_show::print::Printer;

/// Runs `snmpget` or `snmpgetnext`.
pub async fn run(
    settings: &Settings,
    dictionary: &Dictionary,
    printer: &mut Printer<'_, impl Write>,
) -> Result<(), Ended> {
    let (host, objects) = session::operands(settings)?;
    if objects.is_empty() {
        return Err(Ended::usage("Missing object name"));
    }
    let mut asked = dictionary.objects(objects)?;
    session::expressible(settings.tool, &asked)?;
    let agent = Agent::open(settings, host).await?;
    let mut was_refused = false;
    // If one object is refused, so is the whole request: the others are requested again without it.
    loop {
        let answer = match settings.tool {
            Tool::GetNext => agent.session.next(&asked).await,
            _ => agent.session.get(&asked).await,
        };
        let answer = answer.map_err(|fault| agent.failed(&fault))?;
        if answer.error_status == 0 {
            answer.bindings.iter().try_for_each(|binding| printer.binding(binding))?;
            break;
        }
        printer.flush()?;
        super::messages::tell(&refusal(settings.tool, &answer, &asked, printer));
        was_refused = true;
        match position(&answer, &asked).filter(|_| !settings.choices.no_fix && asked.len() > 1) {
            Some(position) => drop(asked.remove(position)),
            None => break,
        }
    }
    printer.finish()?;
    if was_refused { Err(Ended::silent(2)) } else { Ok(()) }
}

fn position(answer: &Response, asked: &[Oid]) -> Option<usize> {
    let position = usize::try_from(answer.error_index).ok()?.checked_sub(1)?;
    (position < asked.len()).then_some(position)
}

/// Runs `snmpbulkget`.
pub async fn bulk(
    settings: &Settings,
    dictionary: &Dictionary,
    printer: &mut Printer<'_, impl Write>,
) -> Result<(), Ended> {
    let (host, objects) = session::operands(settings)?;
    let choices = &settings.choices;
    if (objects.len() as u64) < u64::from(choices.non_repeaters) {
        return Err(Ended::failed(format!("{}: need more objects than <nonrep>", settings.tool.name())));
    }
    let asked = dictionary.objects(objects)?;
    session::expressible(settings.tool, &asked)?;
    let agent = Agent::open(settings, host).await?;
    let answer = agent.session.bulk(choices.non_repeaters, choices.repetitions, &asked).await;
    let answer = answer.map_err(|fault| agent.failed(&fault))?;
    if answer.error_status != 0 {
        super::messages::tell(&refusal(settings.tool, &answer, &asked, printer));
        return Err(Ended::silent(2));
    }
    answer.bindings.iter().try_for_each(|binding| printer.binding(binding))?;
    Ok(printer.finish()?)
}
