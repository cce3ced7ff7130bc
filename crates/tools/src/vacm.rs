//! `snmpvacm`: an agent's access rights, created and deleted by rows of VACM's tables.

use std::io::Write;

use trunkline_accounts::{VacmMistake, snmpvacm};

use super::ended::Ended;
use super::names::Dictionary;
use super::session::{self, Agent};
use super::settings::Settings;
use trunkline_show::print::Printer;

/// Runs the tool.
pub async fn run(
    settings: &Settings,
    dictionary: &Dictionary,
    printer: &mut Printer<'_, impl Write>,
) -> Result<(), Ended> {
    let (host, words) = session::operands(settings)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let change = snmpvacm(&words, settings.choices.excluded, |word| dictionary.find(word).ok());
    let change = change.map_err(|mistake| match mistake {
        VacmMistake::Usage(words) => Ended::usage(words),
        VacmMistake::Failed(words) => Ended::failed(words),
    })?;
    let agent = Agent::open(settings, host).await?;
    super::usm::set(settings, &agent, &change.bindings, change.done, printer).await
}
