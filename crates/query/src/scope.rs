//! What the names of a question mean: the columns of a table with its index, or the scalars of a group.

use trunkline_smi::schema::{IndexPart, Scalar, Syntax, Table};

use crate::{Mistake, QueryError};

/// Where an operand's value is found in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The cell of the column of this last sub-identifier; of scalars the position in the list.
    Column(u32),
    /// This part of the row's index, counted from 0; also where the index object is not an accessible column.
    Index(usize),
}

/// A name that can be requested.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The descriptor.
    pub name: &'static str,
    /// Where its value is.
    pub operand: Operand,
    /// What it may be.
    pub syntax: Syntax,
}

/// The names of one table, or of one list of scalars.
#[derive(Clone, Debug)]
pub struct Scope {
    name: &'static str,
    parts: &'static [IndexPart],
    fields: Vec<Field>,
    hidden: Vec<&'static str>,
}

impl Scope {
    /// The columns of a table and the parts of its index. A column that is part of the index is taken from there,
    /// accessible or not: whoever sees a row sees its index.
    pub fn table(table: &Table) -> Self {
        let mut fields: Vec<Field> = Vec::with_capacity(table.index.len() + table.columns.len());
        for (position, part) in table.index.iter().enumerate() {
            fields.push(Field { name: part.name, operand: Operand::Index(position), syntax: part.syntax });
        }
        let mut hidden = Vec::new();
        for column in table.columns {
            let operand = Operand::Column(column.id);
            if fields.iter().any(|field| field.name == column.name) {
                continue;
            }
            match column.access.is_readable() {
                true => fields.push(Field { name: column.name, operand, syntax: column.syntax }),
                false => hidden.push(column.name),
            }
        }
        Scope { name: table.name, parts: table.index, fields, hidden }
    }

    /// Scalars as one row: the operand of each is its position in the list.
    pub fn scalars(name: &'static str, scalars: &[&Scalar]) -> Self {
        let mut scope = Scope { name, parts: &[], fields: Vec::new(), hidden: Vec::new() };
        for (position, scalar) in scalars.iter().enumerate() {
            let operand = Operand::Column(position as u32);
            match scalar.access.is_readable() {
                true => scope.fields.push(Field { name: scalar.name, operand, syntax: scalar.syntax }),
                false => scope.hidden.push(scalar.name),
            }
        }
        scope
    }

    /// The same with one more name, for data that is not in the table's rows: the evaluator supplies the cells of
    /// its operand. A name that already exists keeps its meaning.
    #[must_use]
    pub fn with(mut self, field: Field) -> Self {
        self.fields.push(field);
        self
    }

    /// The table's name, for errors.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The parts of the index, as the table has them.
    pub fn index(&self) -> &'static [IndexPart] {
        self.parts
    }

    /// Everything that can be requested, the index first.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The field of a name; `at` is for the error.
    pub fn field(&self, name: &str, at: usize) -> Result<&Field, QueryError> {
        if let Some(field) = self.fields.iter().find(|field| field.name == name) {
            return Ok(field);
        }
        let mistake = match self.hidden.iter().find(|hidden| **hidden == name) {
            Some(name) => Mistake::NotReadable { name },
            None => Mistake::UnknownColumn {
                scope: self.name.to_owned(),
                name: cut(name),
                nearest: nearest(name, self.fields.iter().map(|field| field.name)),
            },
        };
        Err(QueryError { at, mistake })
    }
}

/// At most three names that are like this one, the nearest first.
pub(crate) fn nearest(name: &str, known: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let name: Vec<char> = name.chars().take(LONGEST_NAME).map(|c| c.to_ascii_lowercase()).collect();
    let limit = name.len() / 3 + 1;
    let mut found: Vec<(usize, &str)> = known
        .map(|known| (distance(&name, known), known))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().take(3).map(|(_, known)| known).collect()
}

/// How much of a wrong name is looked at, and repeated in an error.
const LONGEST_NAME: usize = 64;

pub(crate) fn cut(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}

/// How many characters have to be put in, taken out or changed (Levenshtein), upper and lower case being one.
fn distance(name: &[char], known: &str) -> usize {
    let mut row: Vec<usize> = (0..=name.len()).collect();
    for (line, found) in known.chars().map(|c| c.to_ascii_lowercase()).enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (at, wanted) in name.iter().enumerate() {
            let changed = diagonal + usize::from(*wanted != found);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[name.len()]
}
