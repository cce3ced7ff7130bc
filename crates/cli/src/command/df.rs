//! `trunkline df`: the storage of a machine.

use std::io::Write;

use serde::Serialize;
use trunkline_smi::visible;

use crate::arguments::DfArgs;
use crate::connect::Connection;
use crate::error::Error;
use crate::print::{Form, Printer};
use trunkline_show::figures::storage::{Area, Kind, host_resources, short, ucd, with_reserves};

/// The columns of CSV, and the fields of JSON; `docs/json.md` describes them.
const HEADER: [&str; 6] = ["name", "kind", "size", "used", "available", "percent"];

#[derive(Serialize)]
struct Record<'a> {
    name: &'a str,
    kind: &'static str,
    size: u64,
    used: u64,
    available: u64,
    percent: u64,
}

/// Runs the command.
pub async fn run<W: Write>(
    arguments: &DfArgs,
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let areas = areas(arguments, connection).await;
    connection.show_octets(printer)?;
    let areas = areas?;
    if areas.is_empty() {
        printer.count_missing();
        connection.note("the agent lists no disks, or none that you may read; --all lists memory too");
    } else if printer.form() == Form::Text {
        printer.block(&drawn(&areas, arguments))?;
    }
    for area in &areas {
        let Area { name, size, used, .. } = area;
        let (kind, available, percent) = (area.kind.name(), area.available(), area.percent());
        match printer.form() {
            Form::Text => {}
            Form::Csv => {
                let numbers = [*size, *used, available, percent].map(|number| number.to_string());
                let cells: Vec<String> = [name.clone(), kind.to_owned()].into_iter().chain(numbers).collect();
                printer.row(&HEADER, &cells)?;
            }
            Form::Json | Form::JsonLines => {
                printer.object(&Record { name, kind, size: *size, used: *used, available, percent })?;
            }
        }
    }
    printer.finish()?;
    match printer.missing() {
        count if count > 0 && arguments.missing_is_error => Err(Error::Missing { count }),
        _ => Ok(()),
    }
}

async fn areas(arguments: &DfArgs, connection: &Connection<'_>) -> Result<Vec<Area>, Error> {
    let failed = |fault| connection.failed(&fault);
    let agent = &*connection.agent;
    let mut areas = Vec::new();
    if !arguments.ucd {
        areas = host_resources(agent).await.map_err(failed)?;
    }
    // What df(1) calls available is in dskTable alone: where there is a reserve, it is less than what is not in use.
    if areas.is_empty() || areas.iter().any(|area| area.kind == Kind::Disk) {
        let disks = ucd(agent).await.map_err(failed)?;
        areas = if areas.is_empty() { disks } else { with_reserves(areas, &disks) };
    }
    areas.retain(|area| arguments.all || (area.kind == Kind::Disk && area.size > 0));
    Ok(areas)
}

/// The names come last, where their length moves nothing.
fn drawn(areas: &[Area], arguments: &DfArgs) -> String {
    let size = |octets: u64| if arguments.bytes { octets.to_string() } else { short(octets) };
    let row = |area: &Area| {
        let [size, used, available] = [area.size, area.used, area.available()].map(size);
        [size, used, available, format!("{} %", area.percent())]
    };
    let header = ["size", "used", "available", "in use"].map(str::to_owned);
    let rows: Vec<[String; 4]> = std::iter::once(header).chain(areas.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3].map(width);
    let named = |area: &Area| (area.kind.name(), visible(&area.name).into_owned());
    let names = std::iter::once(("kind", "name".to_owned())).chain(areas.iter().map(named));
    let line = |(row, (kind, name)): (&[String; 4], (&str, String))| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}  "));
        let kind = if arguments.all { format!("{kind:<6}  ") } else { String::new() };
        format!("{}{kind}{name}\n", cells.collect::<String>())
    };
    rows.iter().zip(names).map(line).collect()
}
