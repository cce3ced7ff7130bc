//! `snmpset`: writes instances, all or none.

use std::io::Write;

use trunkline_smi::Oid;
use trunkline_snmp::wire::VarBind;

use super::ended::Ended;
use super::names::Dictionary;
use super::session::{self, Agent, refusal};
use super::settings::Settings;
use super::value;
use trunkline_show::print::Printer;

/// Runs the tool.
pub async fn run(
    settings: &Settings,
    dictionary: &Dictionary,
    printer: &mut Printer<'_, impl Write>,
) -> Result<(), Ended> {
    let (host, words) = session::operands(settings)?;
    if words.is_empty() {
        return Err(Ended::usage("Missing object name"));
    }
    let bindings = bindings(words, settings, dictionary)?;
    session::expressible_bindings(settings.tool, &bindings)?;
    let agent = Agent::open(settings, host).await?;
    let answer = agent.session.set(&bindings).await.map_err(|fault| agent.failed(&fault))?;
    if answer.error_status != 0 {
        let asked: Vec<Oid> = bindings.into_iter().map(|binding| binding.name).collect();
        super::messages::tell(&refusal(settings.tool, &answer, &asked, printer));
        return Err(Ended::silent(2));
    }
    if !settings.choices.quiet {
        answer.bindings.iter().try_for_each(|binding| printer.binding(binding))?;
    }
    Ok(printer.finish()?)
}

/// The bindings of `OID TYPE VALUE ...`. Every mistake is reported; one is enough to end.
fn bindings(words: &[String], settings: &Settings, dictionary: &Dictionary) -> Result<Vec<VarBind>, Ended> {
    let mut assignments = Vec::new();
    for assignment in words.chunks(3) {
        let [object, kind, value] = assignment else {
            let missing = if assignment.len() == 1 { "Needs type and value" } else { "Needs value" };
            return Err(Ended::failed(format!("{}: {missing}", assignment[0])));
        };
        if !value::LETTERS.contains(kind.chars().next().unwrap_or(' ')) {
            let kind = kind.chars().next().unwrap_or(' ');
            return Err(Ended::failed(format!("{object}: Bad object type: {kind}")));
        }
        assignments.push((object, kind, value));
    }
    let mut bindings = Vec::new();
    let mut mistakes = false;
    for (object, kind, value) in assignments {
        match value::binding(object, kind, value, settings, dictionary) {
            Ok(binding) => bindings.push(binding),
            Err(words) => {
                super::messages::tell(&words);
                mistakes = true;
            }
        }
    }
    if mistakes { Err(Ended::silent(1)) } else { Ok(bindings) }
}
