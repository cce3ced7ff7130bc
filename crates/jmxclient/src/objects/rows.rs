//! Rows of tables, a page at a time. An agent counts rows, and we name them: where the last row of a page is, is remembered, and the next
//! page begins with that row, so that it is seen whether rows have come or gone before it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, MutexGuard, PoisonError};

use trunkline_beans::{Attribute, Bean, ROWS, RowsCall, TableBean, cells_of};
use trunkline_client::snmp::wire::Bound;
use trunkline_client::{Error, Gathered, Table, TableLimit};
use trunkline_jmx::model::{Array, ObjectName, Value as Java};
use trunkline_smi::schema::Table as Schema;
use trunkline_smi::{Oid, Value};

use super::{ObjectSession, order, refused};
use crate::error::Error as JmxError;

/// What is known of the agent's tables.
#[derive(Default)]
pub(super) struct Learned {
    /// The attributes of each, of which an agent may have fewer than the schema.
    attributes: BTreeMap<&'static str, Arc<Vec<String>>>,
    /// Tables, rows of them, and how many rows came before these. The oldest first.
    places: VecDeque<(&'static str, Oid, usize)>,
}

/// Rows behind an index.
pub(super) struct Page {
    pub rows: Vec<Row>,
    /// Whether the table has no more.
    pub is_last: bool,
}

pub(super) struct Row {
    pub index: Oid,
    /// In the order of what was wanted.
    pub cells: Vec<Option<Value>>,
}

impl ObjectSession {
    /// So many rows behind an index at most, from the first one on if that is empty; with these attributes.
    pub(super) async fn page(
        &self,
        bean: &'static TableBean,
        wanted: &[&'static Attribute],
        after: &[u32],
        count: usize,
    ) -> Result<Page, Error> {
        let (Some(name), Some(known)) = (Bean::Table(bean).name(), self.known(bean).await?) else {
            return Ok(Page { rows: Vec::new(), is_last: true });
        };
        let from = if after.is_empty() { Some(0) } else { self.learned().place(bean.table.name, after) };
        if let Some(from) = from {
            // The row that is known comes along.
            let asked = count.saturating_add(usize::from(!after.is_empty()));
            let places = from..from.saturating_add(asked);
            let (found, rows) = self.rows(&name, bean, (wanted, &known), places).await?;
            let is_last = found < asked;
            // Rows before it have gone, or have come: then it lies elsewhere.
            let is_before = from > 0 && rows.first().is_none_or(|(_, row)| *row.index > *after);
            let is_after = !is_last && rows.last().is_none_or(|(_, row)| *row.index <= *after);
            if !is_before && (!is_after || after.is_empty()) {
                return Ok(self.behind(bean, rows, after, count, is_last));
            }
        }
        let (_, rows) = self.rows(&name, bean, (wanted, &known), 0..usize::MAX).await?;
        Ok(self.behind(bean, rows, after, count, true))
    }

    /// What of the rows is behind the index.
    fn behind(
        &self,
        bean: &TableBean,
        mut rows: Vec<(usize, Row)>,
        after: &[u32],
        count: usize,
        is_last: bool,
    ) -> Page {
        rows.retain(|(_, row)| after.is_empty() || *row.index > *after);
        // Where nothing has an index of the table there is nothing to go on from.
        let is_last = (is_last || rows.is_empty()) && rows.len() <= count;
        rows.truncate(count);
        if let Some((place, row)) = rows.last() {
            self.learned().places.push_back((bean.table.name, row.index.clone(), *place));
        }
        Page { rows: rows.into_iter().map(|(_, row)| row).collect(), is_last }
    }

    /// The attributes that the agent has of a table; `None`: it does not have the table.
    async fn known(&self, bean: &TableBean) -> Result<Option<Arc<Vec<String>>>, Error> {
        if !self.inner.is_agent {
            return Ok(None);
        }
        let learned = self.learned().attributes.get(bean.table.name).cloned();
        if learned.is_some() {
            return Ok(learned);
        }
        let Some(name) = Bean::Table(bean).name() else { return Ok(None) };
        let info = match self.inner.jmx.info(&name).await {
            Ok(info) => info,
            Err(error) if error.is_no_mbean() => return Ok(None),
            Err(error) => return Err(refused(error)),
        };
        let names = info.attributes.into_iter().filter_map(|attribute| attribute.feature.name).collect();
        let names: Arc<Vec<String>> = Arc::new(names);
        self.learned().attributes.insert(bean.table.name, names.clone());
        Ok(Some(names))
    }

    /// How many rows there are from one place to another, and those that have an index of the table, each with its place.
    async fn rows(
        &self,
        name: &ObjectName,
        bean: &'static TableBean,
        (wanted, known): (&[&'static Attribute], &[String]),
        places: std::ops::Range<usize>,
    ) -> Result<(usize, Vec<(usize, Row)>), Error> {
        let is_known = |attribute: &&&'static Attribute| known.iter().any(|known| known == attribute.name);
        let keys = bean.attributes.get(..bean.table.index.len()).unwrap_or_default();
        let mut columns: Vec<&'static Attribute> = keys.iter().collect();
        columns.extend(wanted.iter().filter(is_known));
        let mut names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        names.sort_unstable();
        names.dedup();
        let number = |number: usize| Java::Integer(i32::try_from(number).unwrap_or(i32::MAX));
        let parameters = vec![
            number(places.start),
            number(places.end - places.start),
            Java::Array(Array::Strings(names.iter().map(|name| (*name).to_owned()).collect())),
            Java::Null,
        ];
        let found = match self.inner.jmx.inquire(name, ROWS, parameters, &RowsCall::SIGNATURE).await {
            Ok(found) => found,
            Err(error) => {
                // It may have other attributes now, or none.
                self.learned().attributes.remove(bean.table.name);
                return if error.is_no_mbean() { Ok((0, Vec::new())) } else { Err(refused(error)) };
            }
        };
        let unfit = || Error::OtherProtocol(Arc::new(JmxError::Unexpected { method: ROWS }));
        let Java::Array(Array::Objects { items, .. }) = found else { return Err(unfit()) };
        if items.len() != names.len() {
            return Err(unfit());
        }
        let mut arrays: BTreeMap<&str, Vec<Option<Value>>> = BTreeMap::new();
        for (name, item) in names.into_iter().zip(items) {
            let column = columns.iter().find(|column| column.name == name).ok_or_else(unfit)?;
            arrays.insert(name, cells_of(item, &column.syntax).ok_or_else(unfit)?);
        }
        let count = arrays.values().next().map_or(0, Vec::len);
        if arrays.values().any(|cells| cells.len() != count) {
            return Err(unfit());
        }
        let cell = |column: &Attribute, row: usize| arrays.get(column.name)?.get(row)?.clone();
        let row = |at: usize| {
            let parts: Vec<Value> = keys.iter().map(|key| cell(key, at)).collect::<Option<_>>()?;
            let index = bean.index_with(parts.into_iter())?;
            let cells = wanted.iter().map(|column| cell(column, at)).collect();
            Some((places.start.saturating_add(at), Row { index, cells }))
        };
        Ok((count, (0..count).filter_map(row).collect()))
    }

    /// All rows of these columns.
    pub(super) async fn whole_table(
        &self,
        schema: &'static Schema,
        columns: &[u32],
        limit: TableLimit,
    ) -> Result<Table, Error> {
        let entry = Oid::EMPTY.child(schema.oid).child(&[1]);
        let mut table = Table {
            columns: columns.iter().map(|column| entry.child(&[*column])).collect(),
            rows: BTreeMap::new(),
        };
        let Some(bean) = order::table(schema) else { return Ok(table) };
        if !self.inner.is_agent
            && let Some(name) = Bean::Table(bean).name()
        {
            // It has no such table, which is known; whether it still answers is not.
            return match self.inner.jmx.info(&name).await {
                Err(error) if !error.is_no_mbean() => Err(refused(error)),
                _ => Ok(table),
            };
        }
        let places: Vec<Option<&'static Attribute>> =
            columns.iter().map(|column| order::attribute(bean, *column)).collect();
        let wanted: Vec<&'static Attribute> = places.iter().copied().flatten().collect();
        let mut gathered = Gathered::within(limit).of_columns(columns.len());
        let mut after = Vec::new();
        loop {
            let Page { rows, is_last } = self.page(bean, &wanted, &after, ROWS_AT_ONCE).await?;
            if let Some(last) = rows.last() {
                after = last.index.to_vec();
            }
            for Row { index, cells } in rows {
                let mut cells = cells.into_iter();
                let of_place =
                    |place: &Option<_>| place.and_then(|_| cells.next().flatten()).map(Bound::Value);
                let row: Vec<Option<Bound>> = places.iter().map(of_place).collect();
                let count = table.rows.len() + 1;
                row.iter().flatten().try_for_each(|value| gathered.add(count, &index, value))?;
                table.rows.insert(index.to_vec(), row);
            }
            if is_last {
                return Ok(table);
            }
        }
    }

    fn learned(&self) -> MutexGuard<'_, Learned> {
        let mut learned = self.inner.learned.lock().unwrap_or_else(PoisonError::into_inner);
        while learned.places.len() > MOST_PLACES {
            learned.places.pop_front();
        }
        learned
    }
}

impl Learned {
    /// How many rows came before a row, when it was seen last.
    fn place(&self, table: &str, index: &[u32]) -> Option<usize> {
        let mut latest = self.places.iter().rev();
        let found = latest.find(|(of, row, _)| *of == table && **row == *index);
        found.map(|(.., place)| *place)
    }
}

/// Rows of a page of a whole table.
const ROWS_AT_ONCE: usize = 4_000;

/// Places of rows that are remembered: those of all walks that are under way.
const MOST_PLACES: usize = 64;
