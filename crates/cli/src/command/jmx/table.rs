//! `table`: a table of MBeans, a row for each and a column for each attribute; or of one attribute that is a table itself.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use futures_util::TryStreamExt;
use serde::Serialize;
use trunkline_jmxclient::jmx::model::{CompositeData, Descriptor, ObjectName, Value};
use trunkline_jmxclient::json::json;
use trunkline_jmxclient::leaves::{elements, has_parts, text_of};
use trunkline_show::draw::Drawing;
use trunkline_smi::visible;

use super::{Found, Mbeans, Named, read};
use crate::arguments::TableArgs;
use crate::command::table::width;
use crate::error::Error;
use crate::print::{Form, Printer};

/// Runs the command.
pub async fn run<W: Write>(
    arguments: &TableArgs,
    words: &[String],
    mbeans: &Mbeans,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let words = mbeans.words(words);
    if words.is_empty() {
        let expected = "no table is given: name MBeans, as in 'java.lang:type=MemoryPool,*', or an attribute with tabular data";
        return Err(Error::Usage(expected.to_owned()));
    }
    let mut tables: Vec<Rows> = Vec::new();
    for word in words {
        let rows = rows(word, &arguments.columns, mbeans).await?;
        match tables.last_mut() {
            // Several attributes of the same MBeans are columns of one table.
            Some(last) if last.joins(&rows) => last.join(rows),
            _ => tables.push(rows),
        }
    }
    if tables.len() > 1 && printer.form() == Form::Csv {
        return Err(Error::Usage("CSV output holds one table: request only one".to_owned()));
    }
    for (position, mut rows) in tables.into_iter().enumerate() {
        rows.keep(&arguments.columns)?;
        if rows.rows.len() > arguments.max_rows {
            let (found, most) = (rows.rows.len(), arguments.max_rows);
            return Err(Error::Runtime(format!("{} has {found} rows, --max-rows is {most}", rows.name)));
        }
        if rows.rows.is_empty() {
            printer.count_missing();
            mbeans.note(&format!("{} has no rows", rows.name));
        }
        print(&rows, position, width(arguments.width), printer)?;
    }
    Ok(())
}

/// Writes a table.
pub fn print<W: Write>(
    rows: &Rows,
    position: usize,
    width: Option<usize>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    match printer.form() {
        Form::Text => {
            let gap = if position > 0 { "\n" } else { "" };
            printer.block(&format!("{gap}{}", rows.drawing().draw(width)))?;
        }
        Form::Csv => {
            let drawing = rows.drawing();
            drawing.rows.iter().try_for_each(|row| printer.row(&drawing.header, row))?;
        }
        Form::Json | Form::JsonLines => printer.object(&rows.document())?,
    }
    Ok(())
}

/// Rows, each with its key and what it has.
pub struct Rows {
    name: String,
    keys: Vec<String>,
    columns: Vec<String>,
    rows: Vec<Row>,
    /// The names of the numbers of columns that are enumerations.
    enumerations: BTreeMap<String, BTreeMap<i32, String>>,
}

struct Row {
    /// The MBean, if each row is one.
    mbean: Option<String>,
    key: Vec<String>,
    cells: BTreeMap<String, Value>,
}

/// A table in JSON; `docs/json.md` describes the fields.
#[derive(Serialize)]
struct Document<'d> {
    name: &'d str,
    rows: Vec<JsonRow<'d>>,
}

#[derive(Serialize)]
struct JsonRow<'d> {
    #[serde(skip_serializing_if = "Option::is_none")]
    mbean: Option<&'d str>,
    index: serde_json::Map<String, serde_json::Value>,
    columns: serde_json::Map<String, serde_json::Value>,
}

async fn rows(word: &str, columns: &[String], mbeans: &Mbeans) -> Result<Rows, Error> {
    let Named { names, selector } = mbeans.named(word).await?;
    let selector = selector.as_ref();
    // Of many MBeans nothing is read that is not shown: others of their attributes may be large, or slow.
    let few = if selector.is_none() && names.len() > 1 { only(columns, &names, mbeans).await? } else { None };
    let found: Vec<Vec<Found>> = match few {
        Some(few) => few,
        None => read::each(&names, selector, mbeans).try_collect().await?,
    };
    read::note_failures(found.iter().flatten().filter(|found| found.attribute.is_empty()), mbeans);
    if let ([of_one], Some(_)) = (&found[..], selector)
        && let [Found { value, .. }] = &of_one[..]
    {
        match value {
            Ok(value) => {
                if let Some(rows) = of_value(word, value) {
                    return Ok(rows);
                }
            }
            Err(gap) => {
                return Err(Error::Runtime(visible(&format!("{word}: {}", gap.words())).into_owned()));
            }
        }
    }
    if let [of_one] = &found[..]
        && let Some(rows) = of_columns(word, of_one)
    {
        return Ok(rows);
    }
    let mut rows = Rows::of_mbeans(word, &names, found);
    // Attributes that are named one by one are read without their descriptors; MBeans of one pattern have the same.
    if let (Some(first), Some(_)) = (names.first(), selector.filter(|selector| !selector.is_pattern())) {
        for (attribute, descriptor) in read::descriptors(first, mbeans).await? {
            rows.describe(&attribute, &descriptor);
        }
    }
    Ok(rows)
}

/// Only the attributes that these columns are or are within; none if a column is of no attribute, or there are no columns.
async fn only(
    columns: &[String],
    names: &[ObjectName],
    mbeans: &Mbeans,
) -> Result<Option<Vec<Vec<Found>>>, Error> {
    if columns.is_empty() {
        return Ok(None);
    }
    let is_of = |column: &String, attribute: &str| {
        column.strip_prefix(attribute).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let is_wanted = |attribute: &str| columns.iter().any(|column| is_of(column, attribute));
    let found: Vec<Vec<Found>> = read::each_some(names, &is_wanted, mbeans).try_collect().await?;
    let is_there = |column: &String| found.iter().flatten().any(|found| is_of(column, &found.attribute));
    Ok(columns.iter().all(is_there).then_some(found))
}

/// The rows of an MBean that is a table by columns: most of its attributes are arrays with a cell for each row.
fn of_columns(name: &str, found: &[Found]) -> Option<Rows> {
    let column = |one: &Found| Some((one.attribute.clone(), elements(one.value.as_ref().ok()?)?));
    let arrays: Vec<(String, Vec<Value>)> = found.iter().filter_map(column).collect();
    let count = arrays.first()?.1.len();
    let are_columns = arrays.iter().all(|(_, cells)| cells.len() == count);
    if arrays.len() < 2 || arrays.len() * 2 <= found.len() || !are_columns {
        return None;
    }
    let columns = arrays.iter().map(|(name, _)| name.clone()).collect();
    let mut rows: Vec<Row> =
        (0..count).map(|at| Row { mbean: None, key: vec![at.to_string()], cells: BTreeMap::new() }).collect();
    for (name, cells) in arrays {
        let described = found.iter().find(|one| one.attribute == name);
        // Arrays of numbers have no null: descriptors say what stands for it.
        let absent = described.and_then(|one| read::field(&one.descriptor, "absent")).map(text_of);
        // false may be one as well.
        let is_there = |cell: &Value| matches!(cell, Value::Boolean(_)) || Some(text_of(cell)) != absent;
        for (row, cell) in rows.iter_mut().zip(cells).filter(|(_, cell)| is_there(cell)) {
            row.cells.insert(name.clone(), cell);
        }
    }
    let mut rows = Rows { columns, rows, ..Rows::new(name, vec!["row".to_owned()]) };
    found.iter().for_each(|one| rows.describe(&one.attribute, &one.descriptor));
    Some(rows)
}

/// The rows of an attribute that is a table.
fn of_value(name: &str, value: &Value) -> Option<Rows> {
    let columns_of = |row: &CompositeData| -> Vec<String> {
        row.composite_type.items.iter().map(|item| item.name.clone()).collect()
    };
    let (keys, columns, rows) = match value {
        Value::Tabular(table) => {
            let keys = table.tabular_type.index.clone();
            let columns: Vec<String> =
                table.tabular_type.row.items.iter().map(|item| item.name.clone()).collect();
            let row = |row: &CompositeData| Row {
                mbean: None,
                key: keys.iter().map(|key| row.get(key).map(text_of).unwrap_or_default()).collect(),
                cells: flat(row),
            };
            let rows: Vec<Row> = table.rows.iter().map(row).collect();
            let columns = columns.into_iter().filter(|column| !keys.contains(column)).collect();
            (keys, columns, rows)
        }
        Value::Map(entries) => {
            let row = |(key, value): &(Value, Value)| Row {
                mbean: None,
                key: vec![text_of(key)],
                cells: BTreeMap::from([("value".to_owned(), value.clone())]),
            };
            (vec!["key".to_owned()], vec!["value".to_owned()], entries.iter().map(row).collect())
        }
        other => {
            let elements = elements(other)?;
            let composite = |value: &Value| match value {
                Value::Composite(row) => Some((**row).clone()),
                _ => None,
            };
            let rows: Vec<CompositeData> = elements.iter().map(composite).collect::<Option<_>>()?;
            let columns = columns_of(rows.first()?);
            let row = |(at, row): (usize, &CompositeData)| Row {
                mbean: None,
                key: vec![at.to_string()],
                cells: flat(row),
            };
            (vec!["index".to_owned()], columns, rows.iter().enumerate().map(row).collect())
        }
    };
    let columns = spread(columns, &rows);
    Some(Rows { columns, rows, ..Rows::new(name, keys) })
}

/// The names of numbers, if a descriptor has them as our agent writes them: `1=up 2=down`.
fn enumeration(descriptor: &Descriptor) -> Option<BTreeMap<i32, String>> {
    let Some(Value::String(values)) = read::field(descriptor, "values") else { return None };
    let one = |word: &str| {
        let (number, name) = word.split_once('=')?;
        Some((number.parse().ok()?, name.to_owned()))
    };
    values.split_whitespace().map(one).collect()
}

/// Columns in their order, each that has parts in place of it with one column for each part.
fn spread(columns: Vec<String>, rows: &[Row]) -> Vec<String> {
    let all: BTreeSet<&String> = rows.iter().flat_map(|row| row.cells.keys()).collect();
    let parts = |column: &String| {
        let prefix = format!("{column}.");
        let of = all.iter().filter(|cell| **cell == column || cell.starts_with(&prefix));
        of.map(|cell| (*cell).clone()).collect::<Vec<String>>()
    };
    columns.iter().flat_map(parts).collect()
}

/// The items of a row; those of rows within it are named `ITEM.PART`.
fn flat(row: &CompositeData) -> BTreeMap<String, Value> {
    let mut cells = BTreeMap::new();
    for (item, value) in row.composite_type.items.iter().zip(&row.values) {
        add(item.name.clone(), value, &mut cells);
    }
    cells
}

fn add(name: String, value: &Value, cells: &mut BTreeMap<String, Value>) {
    match value {
        Value::Composite(row) => {
            for (item, value) in row.composite_type.items.iter().zip(&row.values) {
                add(format!("{name}.{}", item.name), value, cells);
            }
        }
        other => {
            cells.insert(name, other.clone());
        }
    }
}

impl Rows {
    fn new(name: &str, keys: Vec<String>) -> Self {
        let (columns, rows, enumerations) = Default::default();
        Rows { name: name.to_owned(), keys, columns, rows, enumerations }
    }

    /// Takes from the descriptor of an attribute what is shown of it.
    fn describe(&mut self, attribute: &str, descriptor: &Descriptor) {
        if let Some(names) = enumeration(descriptor) {
            self.enumerations.insert(attribute.to_owned(), names);
        }
    }

    /// A row for each MBean. The keys are the properties of the names in which they differ.
    pub fn of_mbeans(name: &str, names: &[ObjectName], found: Vec<Vec<Found>>) -> Self {
        let mut keys: Vec<String> = Vec::new();
        for (key, _) in names.iter().flat_map(|name| name.properties()) {
            if !keys.iter().any(|known| known == key) {
                keys.push(key.to_owned());
            }
        }
        let differs = |key: &String| {
            let of_first = names.first().and_then(|name| name.property(key));
            names.len() == 1 || names.iter().any(|name| name.property(key) != of_first)
        };
        keys.retain(differs);
        let mut columns: Vec<String> = Vec::new();
        let mut table = Rows::new(name, keys);
        for (name, found) in names.iter().zip(found) {
            let mut cells = BTreeMap::new();
            for Found { attribute, value, descriptor, .. } in found {
                // An MBean of which nothing can be read has a row without cells.
                if attribute.is_empty() {
                    continue;
                }
                match value {
                    Ok(value) if !has_parts(&value) || matches!(value, Value::Composite(_)) => {
                        add(attribute.clone(), &value, &mut cells);
                    }
                    // What has rows of its own does not fit a cell.
                    _ => {}
                }
                if !columns.contains(&attribute) {
                    table.describe(&attribute, &descriptor);
                    columns.push(attribute);
                }
            }
            let key = table.keys.iter().map(|key| name.property(key).unwrap_or("-").to_owned()).collect();
            table.rows.push(Row { mbean: Some(name.to_text()), key, cells });
        }
        // The name of an MBean is in all its names already.
        let columns = columns.into_iter().filter(|column| column != "ObjectName").collect();
        table.columns = spread(columns, &table.rows);
        table
    }

    /// Whether both have the same MBeans as rows.
    fn joins(&self, other: &Rows) -> bool {
        let names = |rows: &Rows| rows.rows.iter().map(|row| row.mbean.clone()).collect::<Option<Vec<_>>>();
        names(self).is_some_and(|names_of| names(other) == Some(names_of))
    }

    /// Appends the columns of the other.
    fn join(&mut self, other: Rows) {
        let new = other.columns.into_iter().filter(|column| !self.columns.contains(column));
        self.columns = self.columns.iter().cloned().chain(new).collect();
        self.enumerations.extend(other.enumerations);
        for (row, more) in self.rows.iter_mut().zip(other.rows) {
            row.cells.extend(more.cells);
        }
    }

    /// Only these columns, in this order; all if none are named. `ATTRIBUTE` stands for all its parts.
    pub fn keep(&mut self, wanted: &[String]) -> Result<(), Error> {
        if wanted.is_empty() || self.rows.is_empty() {
            return Ok(());
        }
        let mut kept = Vec::new();
        for one in wanted {
            let prefix = format!("{one}.");
            let of = self.columns.iter().filter(|column| *column == one || column.starts_with(&prefix));
            let of: Vec<String> = of.cloned().collect();
            if of.is_empty() {
                let all = self.columns.join(" ");
                return Err(Error::Usage(format!("{} has no column {one}; it has {all}", self.name)));
            }
            kept.extend(of);
        }
        self.columns = kept;
        Ok(())
    }

    /// A cell as text: an enumeration with its name.
    fn text(&self, column: &str, cell: &Value) -> String {
        let names = self.enumerations.get(column);
        let name = |number: &i32| names.and_then(|names| names.get(number)).cloned();
        match cell {
            Value::Integer(number) => name(number).unwrap_or_else(|| number.to_string()),
            other => text_of(other),
        }
    }

    fn drawing(&self) -> Drawing {
        let numeric = |column: &String| {
            !self.enumerations.contains_key(column)
                && self.rows.iter().filter_map(|row| row.cells.get(column)).all(|value| {
                    let is_whole = matches!(value, Value::Byte(_) | Value::Short(_) | Value::Integer(_));
                    is_whole
                        || matches!(value, Value::Long(_) | Value::Float(_) | Value::Double(_) | Value::Null)
                })
        };
        let cells = |row: &Row| {
            let cell = |column: &String| {
                row.cells.get(column).map_or_else(|| "-".to_owned(), |cell| self.text(column, cell))
            };
            row.key.iter().cloned().chain(self.columns.iter().map(cell)).collect()
        };
        Drawing {
            header: self.keys.iter().chain(&self.columns).cloned().collect(),
            keys: self.keys.len(),
            rows: self.rows.iter().map(cells).collect(),
            numeric: self.keys.iter().map(|_| false).chain(self.columns.iter().map(numeric)).collect(),
        }
    }

    fn document(&self) -> Document<'_> {
        let cell = |row: &Row, column: &String| Some((column.clone(), json(row.cells.get(column)?)));
        let mut rows = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let key = row.key.iter().map(|key| key.clone().into());
            rows.push(JsonRow {
                mbean: row.mbean.as_deref(),
                index: self.keys.iter().cloned().zip(key).collect(),
                columns: self.columns.iter().filter_map(|column| cell(row, column)).collect(),
            });
        }
        Document { name: &self.name, rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_jmxclient::jmx::model::Array;

    fn found(attribute: &str, value: Value) -> Found {
        Found::new("a:type=T".to_owned(), attribute.to_owned(), Ok(value))
    }

    #[test]
    fn arrays_of_one_length_are_columns() {
        let names = Value::Array(Array::Strings(vec!["lo".to_owned(), "eth0".to_owned()]));
        let octets = |octets: &[i64]| Value::Array(Array::Longs(octets.to_vec()));
        let mut all = vec![
            found("RowCount", Value::Integer(2)),
            found("name", names),
            found("octets", octets(&[1, 2])),
        ];
        let rows = of_columns("a:type=T", &all).unwrap();
        let drawing = rows.drawing();
        assert_eq!(drawing.header, ["row", "name", "octets"]);
        assert_eq!(drawing.rows, [["0", "lo", "1"], ["1", "eth0", "2"]]);
        assert_eq!(drawing.numeric, [false, false, true]);
        all.push(found("others", octets(&[1])));
        assert!(of_columns("a:type=T", &all).is_none());
        assert!(of_columns("a:type=T", &all[..2]).is_none() && of_columns("a:type=T", &[]).is_none());
    }

    #[test]
    fn descriptors_say_what_numbers_mean() {
        let column = |name: &str, cells: &[i32], descriptor: &[(&str, &str)]| Found {
            descriptor: descriptor
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).into()))
                .collect(),
            ..found(name, Value::Array(Array::Integers(cells.to_vec())))
        };
        let status = [("absent", "-1"), ("values", "1=up 2=down")];
        let all =
            [column("number", &[1, -1, 3], &[("absent", "-1")]), column("status", &[1, -1, 3], &status)];
        let rows = of_columns("a:type=T", &all).unwrap();
        let drawing = rows.drawing();
        assert_eq!(drawing.rows, [["0", "1", "up"], ["1", "-", "-"], ["2", "3", "3"]]);
        assert_eq!(drawing.numeric, [false, true, false]);
        // What others write there may be anything.
        assert!(enumeration(&vec![("values".to_owned(), "many things".into())]).is_none());
    }
}
