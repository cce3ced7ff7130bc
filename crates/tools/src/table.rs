//! `snmptable`: a table fetched and drawn, as Net-SNMP draws it.

mod draw;

use std::collections::HashMap;
use std::io::Write;

use trunkline_client::{Error as ClientError, Gathered, Response, TableLimit};
use trunkline_mib::{Names, ObjectKind, Style};
use trunkline_smi::Oid;
use trunkline_smi::schema::MaxAccess;
use trunkline_snmp::wire::{Bound, ErrorStatus, VarBind, Version};

use super::ended::Ended;
use super::names::Dictionary;
use super::session::{self, Agent, refusal};
use super::settings::Settings;
use trunkline_show::print::Printer;

/// Runs the tool.
pub async fn run(
    settings: &Settings,
    dictionary: &Dictionary,
    printer: &mut Printer<'_, impl Write>,
) -> Result<(), Ended> {
    let (host, words) = session::operands(settings)?;
    let [word] = words else { return Err(Ended::usage("Must have exactly one table name")) };
    let oid = dictionary.object(word)?;
    // Where Net-SNMP has no names it has no tables either: ours are better than none.
    let names =
        [&dictionary.names, dictionary.widest()].into_iter().find(|names| !columns(names, &oid).is_empty());
    let names = names.ok_or_else(|| Ended::failed(format!("Was that a table? {}", printer.name(&oid))))?;
    let mut table = Table::new(names, settings.style, oid);
    let mut status = 0;
    if !settings.choices.table.heading_only {
        let agent = Agent::open(settings, host).await?;
        status = fetch(&mut table, settings, &agent, printer).await?;
    }
    printer.text(&table.draw(&settings.choices.table))?;
    printer.finish()?;
    if status == 0 { Ok(()) } else { Err(Ended::silent(status)) }
}

/// The columns of a table that can be read: number and name.
fn columns(names: &Names, table: &Oid) -> Vec<(u32, &'static str)> {
    let description = names.describe(table);
    let is_table = description.named == table.len()
        && description.object.is_some_and(|object| object.kind == ObjectKind::Table);
    let schema = description.object.and_then(|object| object.table).filter(|_| is_table);
    let columns = schema.map_or(&[][..], |schema| schema.columns);
    let readable = columns.iter().filter(|column| column.access != MaxAccess::NotAccessible);
    readable.map(|column| (column.id, column.name)).collect()
}

/// A table while it is fetched.
struct Table<'n> {
    names: &'n Names,
    style: Style,
    name: String,
    /// What all columns begin with.
    entry: Oid,
    columns: Vec<(u32, &'static str)>,
    rows: Vec<Row>,
    /// The position of a row among the rows.
    places: HashMap<Vec<u32>, usize>,
    gathered: Gathered,
}

/// A row: the index as it is shown, and a cell for each column that was answered.
struct Row {
    index: String,
    cells: Vec<Option<String>>,
}

impl<'n> Table<'n> {
    fn new(names: &'n Names, style: Style, oid: Oid) -> Self {
        let columns = columns(names, &oid);
        let name = names.format_oid(&oid, &style);
        let gathered = Gathered::within(TableLimit::default()).of_columns(columns.len());
        Table {
            gathered,
            names,
            style,
            name,
            entry: oid.child(&[1]),
            columns,
            rows: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// The column of an instance, and the index after it.
    fn place<'o>(&self, name: &'o Oid) -> Option<(usize, &'o [u32])> {
        let (id, index) = name.strip_prefix(&*self.entry)?.split_first()?;
        let column = self.columns.iter().position(|(known, _)| known == id)?;
        Some((column, index))
    }

    /// Puts a value in its cell; an agent that never ends is left.
    fn take(&mut self, binding: &VarBind) -> Result<(), ClientError> {
        let (Some((column, index)), Bound::Value(value)) = (self.place(&binding.name), &binding.value) else {
            return Ok(());
        };
        let text = self.names.format_value(&binding.name, value.as_value_ref(), &self.style);
        let row = match self.places.get(index) {
            Some(row) => *row,
            None => {
                self.places.insert(index.to_vec(), self.rows.len());
                let shown = self.index(&binding.name, index.len());
                self.rows.push(Row { index: shown, cells: vec![None; self.columns.len()] });
                self.rows.len() - 1
            }
        };
        self.gathered.add_octets(self.rows.len(), index, text.len())?;
        self.rows[row].cells[column] = Some(text);
        Ok(())
    }

    /// The index as printed after the column's name.
    fn index(&self, name: &Oid, length: usize) -> String {
        let column = self.names.format_oid(&name[..name.len() - length], &self.style);
        let whole = self.names.format_oid(name, &self.style);
        let index = whole.strip_prefix(&column).unwrap_or(&whole);
        index.strip_prefix('.').unwrap_or(index).to_owned()
    }
}

/// Fetches all rows. Returns the exit status.
async fn fetch(
    table: &mut Table<'_>,
    settings: &Settings,
    agent: &Agent,
    printer: &mut Printer<'_, impl Write>,
) -> Result<u8, Ended> {
    let by_bulk = !settings.choices.table.no_bulk && agent.session.version() != Version::V1;
    // The names requested last: for GetBulk one, otherwise one per column.
    let mut asked = match by_bulk {
        true => vec![table.entry.clone()],
        false => table.columns.iter().map(|(id, _)| table.entry.child(&[*id])).collect(),
    };
    loop {
        let answer = match by_bulk {
            true => agent.session.bulk(0, settings.choices.repetitions, &asked).await,
            false => agent.session.next(&asked).await,
        };
        let answer = answer.map_err(|fault| agent.failed(&fault))?;
        if answer.error_status != 0 {
            if answer.error_status == ErrorStatus::NoSuchName.code() {
                printer.text("End of MIB\n")?;
                return Ok(0);
            }
            super::messages::tell(&refusal(settings.tool, &answer, &asked, printer));
            return Ok(2);
        }
        let next = if by_bulk { after_bulk(table, &answer) } else { after_next(table, &answer) };
        let too_long = |fault: ClientError| {
            let more = "`trunkline table` reads more with --max-rows and --max-memory";
            Ended::failed(format!("{}: {fault}; {more}", settings.tool.name()))
        };
        match next.map_err(too_long)? {
            Some(next) if next[0] > asked[0] => asked = next,
            _ => return Ok(0),
        }
    }
}

/// Processes the cells of an answer to GetBulk; returns what to request next.
fn after_bulk(table: &mut Table<'_>, answer: &Response) -> Result<Option<Vec<Oid>>, ClientError> {
    for binding in &answer.bindings {
        if !binding.name.starts_with(&table.entry) || matches!(binding.value, Bound::Exception(_)) {
            return Ok(None);
        }
        table.take(binding)?;
    }
    Ok(answer.bindings.last().map(|last| vec![last.name.clone()]))
}

/// Takes the cells of the next row, which has the lowest index of all columns.
fn after_next(table: &mut Table<'_>, answer: &Response) -> Result<Option<Vec<Oid>>, ClientError> {
    let found = |(column, binding): (usize, &VarBind)| match (table.place(&binding.name), &binding.value) {
        (Some((at, index)), Bound::Value(_)) if at == column => Some(index.to_vec()),
        _ => None,
    };
    let Some(index) = answer.bindings.iter().enumerate().filter_map(found).min() else { return Ok(None) };
    for binding in &answer.bindings {
        if table.place(&binding.name).is_some_and(|(_, own)| own == index) {
            table.take(binding)?;
        }
    }
    Ok(Some(table.columns.iter().map(|(id, _)| table.entry.child(&[*id]).child(&index)).collect()))
}

#[cfg(test)]
mod tests {
    use trunkline_smi::Value;

    use super::*;

    #[test]
    fn a_table_without_an_end_is_left() {
        let names = Names::built_in();
        let mut table = Table::new(&names, Style::default(), Oid::from([1, 3, 6, 1, 2, 1, 2, 2]));
        table.gathered = Gathered::within(TableLimit { rows: 2, ..TableLimit::default() });
        let cell = |row: u32| {
            VarBind::new(Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 2, row]), Value::text(format!("eth{row}")))
        };
        assert!(table.take(&cell(1)).is_ok() && table.take(&cell(2)).is_ok());
        let error = table.take(&cell(3)).unwrap_err();
        assert!(error.to_string().ends_with("went on after 3 rows with 3 values"), "{error}");
    }
}
