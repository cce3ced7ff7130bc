//! `snmpdf`: the storage of a machine, as `df` lists it.

use std::io::Write;

use super::choices::Units;
use super::ended::Ended;
use super::session::{self, Agent};
use super::settings::Settings;
use trunkline_show::figures::storage::{Area, host_resources, ucd};
use trunkline_show::print::Printer;

/// Runs the tool.
pub async fn run(settings: &Settings, printer: &mut Printer<'_, impl Write>) -> Result<(), Ended> {
    let (host, more) = session::operands(settings)?;
    if let Some(word) = more.first() {
        return Err(Ended::failed(format!("snmpdf: extra argument: {word}")));
    }
    let choices = &settings.choices;
    let agent = Agent::open(settings, host).await?;
    printer.text(&header(choices.units))?;
    printer.flush()?;
    let failed = |fault| match trunkline_client::Error::is_silence(&fault) {
        true => Ended::failed("snmpdf: Timeout"),
        false => agent.failed(&fault),
    };
    let mut areas = Vec::new();
    if !choices.ucd {
        areas = host_resources(&agent.session).await.map_err(failed)?;
    }
    if areas.is_empty() {
        areas = ucd(&agent.session).await.map_err(failed)?;
    }
    areas.iter().try_for_each(|area| printer.text(&line(area, choices.units)))?;
    printer.finish()?;
    if areas.is_empty() { Err(Ended::failed("Failed to locate any partitions.")) } else { Ok(()) }
}

fn header(units: Units) -> String {
    let (width, size) = if units == Units::Plain { (15, "Size (kB)") } else { (10, "Size") };
    format!(
        "{:<18} {size:>width$} {:>width$} {:>width$} {:>5}\n",
        "Description", "Used", "Available", "Used%"
    )
}

/// Net-SNMP's tool takes what is not in use for available, also where the agent says how much users can have.
fn line(area: &Area, units: Units) -> String {
    let area = Area { free: None, ..area.clone() };
    let width = if units == Units::Plain { 15 } else { 10 };
    let [size, used, available] =
        [area.size, area.used, area.available()].map(|octets| quantity(octets / 1024, units));
    let name = trunkline_smi::visible(&area.name);
    format!("{name:<18} {size:>width$} {used:>width$} {available:>width$} {:>4}%\n", area.percent())
}

/// kB in the largest unit of which there is one.
#[allow(clippy::cast_precision_loss, reason = "two digits behind the point are printed")]
fn quantity(kb: u64, units: Units) -> String {
    let (step, names) = match units {
        Units::Plain => return kb.to_string(),
        Units::Binary => (1024.0, ["kB", "MiB", "GiB", "TiB", "PiB"]),
        Units::Decimal => (1000.0, ["kB", "MB", "GB", "TB", "PB"]),
    };
    let (mut size, mut name) = (kb as f64, names[0]);
    for larger in &names[1..] {
        if size < step {
            break;
        }
        (size, name) = (size / step, larger);
    }
    format!("{size:.2}{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_the_largest_unit_that_fits() {
        assert_eq!(quantity(1023, Units::Binary), "1023.00kB");
        assert_eq!(quantity(1024, Units::Binary), "1.00MiB");
        assert_eq!(quantity(1000, Units::Decimal), "1.00MB");
        assert_eq!(quantity(5 << 50, Units::Binary), "5120.00PiB");
        assert_eq!(quantity(0, Units::Plain), "0");
    }
}
