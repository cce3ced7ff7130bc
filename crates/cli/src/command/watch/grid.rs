//! A round of `watch --table`: the rows of each table drawn with their rates.

use std::collections::BTreeMap;

use trunkline_mib::{Names, ObjectKind};
use trunkline_smi::Oid;

use super::Line;
use crate::command::table::cells_of_key;
use trunkline_show::draw::Drawing;
use trunkline_show::rate::bit_words;

/// The sample of one table, or of several with the same index.
#[derive(Default)]
struct Grid {
    index: Vec<&'static str>,
    /// By the column's object identifier.
    columns: BTreeMap<Oid, &'static str>,
    rows: BTreeMap<Vec<u32>, Row>,
}

#[derive(Default)]
struct Row {
    key: Vec<String>,
    cells: BTreeMap<Oid, String>,
}

/// The instances of tables as drawings; the others stay as they are.
pub fn grids<'l>(lines: &'l [(Oid, Line)], names: &Names) -> (Vec<Drawing>, Vec<&'l Line>) {
    let mut tables: BTreeMap<Vec<&'static str>, Grid> = BTreeMap::new();
    let mut others = Vec::new();
    for (oid, line) in lines {
        let description = names.describe(oid);
        let object = description.object.filter(|object| object.kind == ObjectKind::Column);
        let Some(table) = object.and_then(|object| object.table) else {
            others.push(line);
            continue;
        };
        let index: Vec<&'static str> = table.index.iter().map(|part| part.name).collect();
        if index.contains(&description.name) {
            continue; // the index shows it already
        }
        let (column, instance) = oid.split_at(description.named);
        let column = Oid::EMPTY.child(column);
        let grid = tables.entry(index.clone()).or_default();
        grid.columns.insert(column.clone(), description.name);
        let row = grid.rows.entry(instance.to_vec()).or_default();
        row.key = cells_of_key(names, oid, index.len(), instance);
        row.cells.insert(column, cell(line));
        grid.index = index;
    }
    (tables.into_values().map(Grid::drawing).collect(), others)
}

fn cell(line: &Line) -> String {
    match (line.what, line.rate, line.units.as_deref()) {
        ("rate", Some(rate), Some("octets/s")) => bit_words(rate * 8.0),
        ("rate", ..) => format!("{}/s", line.text),
        ("reset", ..) => "reset".to_owned(),
        _ => line.text.clone(),
    }
}

impl Grid {
    fn drawing(self) -> Drawing {
        let ids: Vec<Oid> = self.columns.keys().cloned().collect();
        let rows: Vec<Vec<String>> = self
            .rows
            .into_values()
            .map(|row| {
                let cell = |id: &Oid| row.cells.get(id).cloned().unwrap_or_else(|| "-".to_owned());
                row.key.iter().cloned().chain(ids.iter().map(cell)).collect()
            })
            .collect();
        let names = self.columns.into_values().map(str::to_owned);
        let header: Vec<String> = self.index.iter().map(|name| (*name).to_owned()).chain(names).collect();
        let starts_with_digit =
            |text: &String| text == "-" || text == "reset" || text.starts_with(|c: char| c.is_ascii_digit());
        let numeric =
            (0..header.len()).map(|column| rows.iter().all(|row| starts_with_digit(&row[column]))).collect();
        Drawing { keys: self.index.len(), header, rows, numeric }
    }
}
