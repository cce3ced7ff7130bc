//! `trunkline access`: who is in which group, what groups may do, and of what views consist (RFC 3415 section 4).

use std::io::Write;

use serde::{Serialize, Serializer};
use trunkline_accounts::{AccessWork, Listing, RowChange};
use trunkline_show::draw::Drawing;

use super::table::width;
use super::user::Users;
use crate::arguments::accounts::AccessCommand;
use crate::connect::Connection;
use crate::error::Error;
use crate::print::{Form, Printer};

/// Runs the command.
pub async fn run<W: Write>(
    command: &AccessCommand,
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let agent = Users::of(connection)?;
    let object = |word: &str| connection.objects(&[word.to_owned()]).map(|mut found| found.remove(0));
    match command.work(object)? {
        AccessWork::List(listing) => list(listing, &agent, connection, printer).await?,
        AccessWork::Change(changes) => {
            for change in changes {
                apply(&change, &agent, connection).await?;
            }
        }
    }
    connection.show_octets(printer)?;
    Ok(printer.finish()?)
}

async fn apply(change: &RowChange, agent: &Users<'_, '_>, connection: &Connection<'_>) -> Result<(), Error> {
    let RowChange { what, done, .. } = change;
    match (agent.value(change.probe.clone()).await?, &change.if_absent) {
        (Some(_), _) => agent.set(&change.if_present).await?,
        (None, Some(bindings)) => agent.set(bindings).await?,
        (None, None) => {
            let label = &connection.label;
            let words = format!(
                "{label}: there is no row for {what}, or it may not be read; `trunkline access` lists all"
            );
            return Err(Error::Runtime(words));
        }
    }
    connection.note(&format!("{what} {done}"));
    Ok(())
}

async fn list<W: Write>(
    listing: Listing,
    agent: &Users<'_, '_>,
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let found = agent.rows(&listing.columns()).await?;
    let row = |(index, cells): &(Vec<u32>, Vec<_>)| listing.row(index, cells, |oid| printer.name(oid));
    let rows: Vec<Vec<Option<String>>> = found.iter().filter_map(row).collect();
    if rows.is_empty() {
        let table = listing.table_name();
        connection.note(&format!("the agent shows nothing: {table} is empty, or may not be read"));
    }
    show(listing.header(), &rows, printer)
}

/// Prints rows; what the agent does not show is missing in them.
pub fn show<W: Write>(
    header: &[&str],
    rows: &[Vec<Option<String>>],
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let cells = |row: &[Option<String>], missing: &str| -> Vec<String> {
        row.iter().map(|cell| cell.clone().unwrap_or_else(|| missing.to_owned())).collect()
    };
    match printer.form() {
        Form::Text if rows.is_empty() => {}
        Form::Text => {
            let rows = rows.iter().map(|row| cells(row, "-")).collect();
            let header = header.iter().map(|name| (*name).to_owned()).collect();
            let drawing = Drawing { header, keys: 1, rows, numeric: Vec::new() };
            printer.text(&drawing.draw(width(None)))?;
        }
        Form::Csv => rows.iter().try_for_each(|row| printer.row(header, &cells(row, "")))?,
        Form::Json | Form::JsonLines => {
            rows.iter().try_for_each(|row| printer.object(&Record(header, row)))?;
        }
    }
    Ok(())
}

/// A row; `docs/json.md` describes the members.
struct Record<'r>(&'r [&'r str], &'r [Option<String>]);

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().zip(self.1))
    }
}
