//! The drawing of a fetched table: widths, parts, separators.

use std::fmt::Write as _;

use super::{Row, Table};
use crate::choices::TableChoices;

/// How wide the column of the index is at least.
const INDEX_WIDTH: usize = 6;

impl Table<'_> {
    /// The whole table as text.
    pub(super) fn draw(&self, choices: &TableChoices) -> String {
        let drawing = Drawing::new(self, choices);
        let mut out = String::new();
        if !choices.heading_only && !choices.no_heading && !self.rows.is_empty() {
            let _ = writeln!(out, "SNMP table: {}\n", self.name); // writing to a String cannot fail
        }
        if choices.heading_only || !self.rows.is_empty() {
            match choices.column_width {
                0 => drawing.parts(&mut out),
                _ => drawing.records(&mut out),
            }
        }
        if self.rows.is_empty() {
            let _ = writeln!(out, "{}: No entries", self.name);
        }
        out
    }
}

struct Drawing<'d> {
    table: &'d Table<'d>,
    choices: &'d TableChoices,
    labels: Vec<&'static str>,
    widths: Vec<usize>,
    index_width: usize,
}

impl<'d> Drawing<'d> {
    fn new(table: &'d Table<'d>, choices: &'d TableChoices) -> Self {
        let labels: Vec<&'static str> = table.columns.iter().map(|(_, name)| *name).collect();
        let labels = if choices.brief { brief(&labels) } else { labels };
        let length = |cell: &Option<String>| cell.as_ref().map_or(0, String::len);
        let widths = labels.iter().enumerate().map(|(column, label)| {
            table.rows.iter().map(|row| length(&row.cells[column])).fold(label.len(), usize::max)
        });
        let index_width = table.rows.iter().map(|row| row.index.len()).fold(INDEX_WIDTH, usize::max);
        Drawing { table, choices, widths: widths.collect(), labels, index_width }
    }

    /// Columns as wide as their cells, in parts of the requested width.
    fn parts(&self, out: &mut String) {
        let (mut first, mut part) = (0, 1);
        while first < self.labels.len() {
            let end = self.end_of_part(first);
            if part > 1 && !self.choices.no_heading {
                let _ = writeln!(out, "\nSNMP table {}, part {part}\n", self.table.name); // cannot fail
            }
            if !self.choices.no_heading {
                self.line(out, "index", first..end, |column| self.labels[column]);
            }
            for row in &self.table.rows {
                self.line(out, &row.index, first..end, |column| cell(row, column));
            }
            (first, part) = (end, part + 1);
        }
    }

    /// The column after the last one that still fits; one column always does.
    fn end_of_part(&self, first: usize) -> usize {
        let mut width = if self.choices.index { self.index_width } else { 0 };
        for column in first..self.labels.len() {
            width += self.widths[column] + 1;
            if column > first && self.choices.width != 0 && width > self.choices.width {
                return column;
            }
        }
        self.labels.len()
    }

    fn line<'t>(
        &self,
        out: &mut String,
        index: &str,
        columns: std::ops::Range<usize>,
        text: impl Fn(usize) -> &'t str,
    ) {
        let (first, left) = (columns.start, self.choices.left);
        // Writing to a String cannot fail.
        if self.choices.index {
            let width = self.index_width;
            let _ = match &self.choices.separator {
                Some(_) => write!(out, "{index}"),
                None if left => write!(out, "{index:<width$}"),
                None => write!(out, "{index:>width$}"),
            };
        }
        for column in columns {
            let (text, width) = (text(column), self.widths[column] + 1);
            let _ = match &self.choices.separator {
                Some(mark) if column > first || self.choices.index => write!(out, "{mark}{text}"),
                Some(_) => write!(out, "{text}"),
                None if left => write!(out, "{text:<width$}"),
                None => write!(out, "{text:>width$}"),
            };
        }
        out.push('\n');
    }

    /// Columns of one width, cut off where cells are wider; a row takes as many lines as it needs.
    fn records(&self, out: &mut String) {
        if !self.choices.no_heading {
            self.record(out, |column| self.labels[column]);
        }
        for row in &self.table.rows {
            if self.choices.index {
                let _ = writeln!(out, "\nindex: {}", row.index); // writing to a String cannot fail
            }
            self.record(out, |column| cell(row, column));
        }
    }

    fn record<'t>(&self, out: &mut String, text: impl Fn(usize) -> &'t str) {
        let width = self.choices.column_width;
        let mut used = 0;
        for column in 0..self.labels.len() {
            used += width;
            if column > 0 && self.choices.width != 0 && used > self.choices.width {
                out.push('\n');
                used = width;
            }
            let cut: String = text(column).chars().take(width - 1).collect();
            // Writing to a String cannot fail.
            let _ =
                if self.choices.left { write!(out, "{cut:<width$}") } else { write!(out, "{cut:>width$}") };
        }
        out.push('\n');
    }
}

fn cell(row: &Row, column: usize) -> &str {
    row.cells[column].as_deref().unwrap_or("?")
}

/// The labels without what all of them begin with.
fn brief(labels: &[&'static str]) -> Vec<&'static str> {
    let alike =
        |(one, other): (&str, &str)| one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let common = labels.iter().zip(labels.iter().skip(1)).map(|(one, other)| alike((one, other))).min();
    labels.iter().map(|label| label.get(common.unwrap_or(0)..).unwrap_or(label)).collect()
}
