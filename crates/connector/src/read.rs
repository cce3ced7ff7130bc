//! Values: of scalars, of a row, and of the columns of a table.

use trunkline_beans::{
    Attribute, Bean, ColumnArray, Group, JavaType, ROW_COUNT, RowsCall, Seen, Source, TableBean, WrongCall,
    attributes_of, to_java,
};
use trunkline_jmx::model::{self, Array, Exception, MarshalledObject, ObjectName, Query, Value, Work};
use trunkline_smi::index_refs;
use trunkline_tree::{LeafId, Page, Room, Row, RowQuery, RowRange, RowSink, RowWalker, ServedTable};

use crate::ask::Ask;
use crate::refusal;

/// What is read of each row, for some attributes.
pub(crate) struct Columns<'b> {
    table: &'b TableBean,
    leaves: Vec<LeafId>,
    /// By attribute that is wanted.
    wanted: Vec<(&'b Attribute, Place)>,
}

/// Where a row has the value of an attribute.
#[derive(Clone, Copy)]
enum Place {
    /// This part of its index.
    Key(usize),
    /// This cell.
    Cell(usize),
    /// Nowhere.
    Nowhere,
}

impl<'b> Columns<'b> {
    fn new(table: &'b TableBean, served: &ServedTable, wanted: impl Iterator<Item = &'b Attribute>) -> Self {
        let mut leaves = Vec::new();
        let mut place = |attribute: &'b Attribute| match attribute.source {
            Source::Key(part) => (attribute, Place::Key(part)),
            Source::Column(id) => match served.leaf(id) {
                Some(leaf) => {
                    leaves.push(leaf);
                    (attribute, Place::Cell(leaves.len() - 1))
                }
                None => (attribute, Place::Nowhere),
            },
            Source::Scalar(_) => (attribute, Place::Nowhere),
        };
        let wanted: Vec<_> = wanted.map(&mut place).collect();
        if leaves.is_empty() {
            // A row is there if anything of it may be read.
            leaves = served.columns().map(|(_, leaf)| leaf).collect();
        }
        Columns { table, leaves, wanted }
    }

    /// With all other columns too: then the rows are the same whatever is wanted of them, since a row is there if anything of it
    /// may be read.
    fn of_each_row(mut self, served: &ServedTable) -> Self {
        let others: Vec<LeafId> =
            served.columns().map(|(_, leaf)| leaf).filter(|leaf| !self.leaves.contains(leaf)).collect();
        self.leaves.extend(others);
        self
    }

    /// Calls `then` with each attribute and its value in a row.
    fn each(
        &self,
        row: Row<'_>,
        mut then: impl FnMut(usize, &'b Attribute, Option<trunkline_smi::ValueRef<'_>>),
    ) {
        let mut octets = Vec::new();
        for (position, (attribute, place)) in self.wanted.iter().enumerate() {
            match *place {
                Place::Key(part) => {
                    let key = index_refs(self.table.table.index, row.index()).nth(part);
                    let key = key.and_then(Result::ok);
                    let of = &self.table.table.index[part];
                    then(position, attribute, key.and_then(|key| key.value(of, &mut octets)));
                }
                Place::Cell(at) => then(position, attribute, row.cell(at)),
                Place::Nowhere => then(position, attribute, None),
            }
        }
    }

    /// The values of a row, those that it has.
    pub fn values(&self, row: Row<'_>) -> Vec<(&'b str, Value)> {
        let mut values = Vec::with_capacity(self.wanted.len());
        self.each(row, |_, attribute, value| {
            values.extend(value.map(|value| (attribute.name, to_java(value, &attribute.syntax))));
        });
        values
    }
}

/// Gives rows to a closure.
struct Rows<F>(F);

impl<F: FnMut(Row<'_>) -> Room> RowSink for Rows<F> {
    fn row(&mut self, row: Row<'_>) -> Room {
        (self.0)(row)
    }
}

impl Ask<'_> {
    /// What is read of each row for these attributes; `None`: the table is not served any more.
    pub(crate) fn columns<'b>(
        &self,
        table: &'b TableBean,
        wanted: impl Iterator<Item = &'b Attribute>,
    ) -> Option<Columns<'b>> {
        let served = self.settings.served().tree.table_named(table.table.name)?;
        Some(Columns::new(table, served, wanted))
    }

    /// The same, for every row that is there.
    pub(crate) fn columns_of_each_row<'b>(
        &self,
        table: &'b TableBean,
        wanted: impl Iterator<Item = &'b Attribute>,
    ) -> Option<Columns<'b>> {
        let served = self.settings.served().tree.table_named(table.table.name)?;
        Some(Columns::new(table, served, wanted).of_each_row(served))
    }

    /// Reads rows, until the closure has no room.
    pub(crate) async fn rows(
        &self,
        columns: &Columns<'_>,
        range: RowRange<'_>,
        each: impl FnMut(Row<'_>) -> Room + Send,
    ) -> Result<(), Exception> {
        let served = self.settings.served();
        let Some(table) = served.tree.table_named(columns.table.table.name) else { return Ok(()) };
        let query = RowQuery {
            table: table.id(),
            columns: &columns.leaves,
            range,
            filter: None,
            page: Page::ALL,
            access: &self.access,
            arrived: self.arrived,
        };
        let done = served.retrieve_rows(&mut RowWalker::new(), &query, &mut Rows(each)).await;
        done.map(drop).map_err(refusal::unanswered)
    }

    /// Whether a table has a row of which something may be read.
    pub(crate) async fn has_row(&self, table: &TableBean, index: &[u32]) -> Result<bool, Exception> {
        let Some(columns) = self.columns(table, std::iter::empty()) else { return Ok(false) };
        let mut found = false;
        self.rows(&columns, RowRange::One(index), |_| {
            found = true;
            Room::Taken
        })
        .await?;
        Ok(found)
    }

    /// How many rows a table has of which something may be read.
    pub(crate) async fn row_count(&self, table: &TableBean) -> Result<usize, Exception> {
        let Some(columns) = self.columns(table, std::iter::empty()) else { return Ok(0) };
        let mut count = 0;
        self.rows(&columns, RowRange::All, |_| {
            count += 1;
            Room::Taken
        })
        .await?;
        Ok(count)
    }

    /// The value of an attribute.
    pub(crate) async fn attribute(&self, name: &ObjectName, attribute: &str) -> Result<Value, Exception> {
        let found = self.attributes(name, vec![attribute.to_owned()]).await?;
        found.into_iter().next().map(|found| found.value).ok_or_else(|| refusal::no_attribute(attribute))
    }

    /// The values of those attributes that the MBean has; null of those that it has no value of now.
    pub(crate) async fn attributes(
        &self,
        name: &ObjectName,
        wanted: Vec<String>,
    ) -> Result<Vec<model::Attribute>, Exception> {
        let bean = self.catalog.resolve(name).ok_or_else(|| refusal::no_instance(name))?;
        if wanted.len() > MOST_ATTRIBUTES {
            return Err(refusal::argument("too many attributes"));
        }
        match &bean {
            Bean::Delegate => {
                let value = |name: String| {
                    let value = self.door.delegate.attribute(&name)?;
                    Some(model::Attribute { name, value })
                };
                Ok(wanted.into_iter().filter_map(value).collect())
            }
            Bean::Notifications => Ok(Vec::new()),
            Bean::Group(group) => match self.is_there(&bean).await? {
                true => self.of_group(group, &wanted).await,
                false => Err(refusal::no_instance(name)),
            },
            Bean::Table(table) => match self.is_there(&bean).await? {
                true => self.of_table(table, &wanted).await,
                false => Err(refusal::no_instance(name)),
            },
            Bean::Row(table, index) => self.of_row(name, table, index, &wanted).await,
        }
    }

    async fn of_group(&self, group: &Group, wanted: &[String]) -> Result<Vec<model::Attribute>, Exception> {
        let mut found = Vec::with_capacity(wanted.len());
        for name in wanted {
            let attribute = group.attributes.iter().find(|attribute| attribute.name == name);
            let Some(Attribute { syntax, source: Source::Scalar(scalar), .. }) = attribute else { continue };
            let value = self.settings.served().scalar(scalar, &self.access, self.arrived).await;
            let value = value.map_err(refusal::unanswered)?;
            let value = value.map_or(Value::Null, |value| to_java(value.as_value_ref(), syntax));
            found.push(model::Attribute { name: name.clone(), value });
        }
        Ok(found)
    }

    async fn of_row(
        &self,
        name: &ObjectName,
        table: &TableBean,
        index: &[u32],
        wanted: &[String],
    ) -> Result<Vec<model::Attribute>, Exception> {
        let named = |name: &String| table.attributes.iter().find(|attribute| attribute.name == name);
        let known: Vec<&Attribute> = wanted.iter().filter_map(named).collect();
        let columns = self.columns(table, known.into_iter()).ok_or_else(|| refusal::no_instance(name))?;
        let mut found = None;
        self.rows(&columns, RowRange::One(index), |row| {
            let mut values = Vec::with_capacity(columns.wanted.len());
            columns.each(row, |_, attribute, value| {
                let value = value.map_or(Value::Null, |value| to_java(value, &attribute.syntax));
                values.push(model::Attribute { name: attribute.name.to_owned(), value });
            });
            found = Some(values);
            Room::Taken
        })
        .await?;
        if let Some(found) = found {
            return Ok(found);
        }
        // Nothing of these, but perhaps of others.
        if !self.has_row(table, index).await? {
            return Err(refusal::no_instance(name));
        }
        let null = |(attribute, _): &(&Attribute, Place)| model::Attribute {
            name: attribute.name.to_owned(),
            value: Value::Null,
        };
        Ok(columns.wanted.iter().map(null).collect())
    }

    /// One pass over the rows, whatever attributes are wanted.
    async fn of_table(
        &self,
        table: &TableBean,
        wanted: &[String],
    ) -> Result<Vec<model::Attribute>, Exception> {
        let named = |name: &String| table.attributes.iter().position(|attribute| attribute.name == name);
        let mut columns: Vec<usize> = wanted.iter().filter_map(named).collect();
        columns.sort_unstable();
        columns.dedup();
        let call = RowsCall { from: 0, count: usize::MAX, columns, filter: None };
        let mut arrays: Vec<Option<Value>> = match call.columns.is_empty() {
            true => Vec::new(),
            false => self.arrays(table, &call).await?.into_iter().map(Some).collect(),
        };
        let mut found = Vec::with_capacity(wanted.len());
        for name in wanted {
            let value = if name == ROW_COUNT {
                let count = self.row_count(table).await?;
                Some(Value::Integer(i32::try_from(count).unwrap_or(i32::MAX)))
            } else {
                let place = named(name).and_then(|position| call.columns.binary_search(&position).ok());
                // A name that stands twice has its value once.
                place.and_then(|place| arrays.get_mut(place)?.take())
            };
            found.extend(value.map(|value| model::Attribute { name: name.clone(), value }));
        }
        Ok(found)
    }

    /// The value in a stream of its own; none is null.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn unmarshalled(&self, object: Option<MarshalledObject>) -> Result<Value, Exception> {
        let Some(object) = object else { return Ok(Value::Null) };
        object.value(self.door.limits()).map_err(|error| refusal::argument(error.to_string()))
    }

    /// An operation.
    pub(crate) async fn invoke(
        &self,
        name: &ObjectName,
        operation: &str,
        parameters: Option<MarshalledObject>,
        signature: Option<&[String]>,
    ) -> Result<Value, Exception> {
        let Bean::Table(table) = self.bean(name).await? else {
            return Err(refusal::no_operation(&format!("{} has no operations", name.to_text())));
        };
        let parameters = self.unmarshalled(parameters)?;
        let call = RowsCall::read(table, operation, signature, parameters).map_err(|error| match error {
            WrongCall::Operation { .. } => refusal::no_operation(&error.to_string()),
            WrongCall::Parameter { .. } | WrongCall::Column { .. } => refusal::argument(error.to_string()),
        })?;
        Ok(Value::Array(Array::objects(self.arrays(table, &call).await?)))
    }

    /// An array for each column.
    async fn arrays(&self, table: &TableBean, call: &RowsCall) -> Result<Vec<Value>, Exception> {
        let selected: Vec<&Attribute> =
            call.columns.iter().filter_map(|position| table.attributes.get(*position)).collect();
        let mut arrays: Vec<ColumnArray> =
            selected.iter().map(|attribute| ColumnArray::new(JavaType::of(&attribute.syntax))).collect();
        let count = selected.len();
        let filtered = call.filter.as_ref().map(attributes_of).unwrap_or_default();
        let for_filter = table.attributes.iter().filter(|it| filtered.iter().any(|name| name == it.name));
        let Some(columns) = self.columns_of_each_row(table, selected.into_iter().chain(for_filter)) else {
            return Ok(arrays.into_iter().map(ColumnArray::into_java).collect());
        };
        let (mut left_out, mut taken, mut octets) = (0, 0, 0);
        let mut work = Work::of(WORK);
        let most = call.count;
        self.rows(&columns, RowRange::All, |row| {
            if taken >= most || octets > MOST_OCTETS || work.is_over() {
                return Room::Full;
            }
            if call.filter.as_ref().is_some_and(|filter| !selects(filter, &columns, row, &mut work)) {
                return Room::Taken;
            }
            if left_out < call.from {
                left_out += 1;
                return Room::Taken;
            }
            taken += 1;
            columns.each(row, |position, attribute, value| {
                if position < count
                    && let Some(array) = arrays.get_mut(position)
                {
                    octets += array.push(value, &attribute.syntax);
                }
            });
            Room::Taken
        })
        .await?;
        refusal::too_much(&work)?;
        if octets > MOST_OCTETS {
            return Err(refusal::failed("the rows are too large for one answer: request fewer"));
        }
        Ok(arrays.into_iter().map(ColumnArray::into_java).collect())
    }
}

/// Whether a filter selects a row.
fn selects(filter: &Query, columns: &Columns<'_>, row: Row<'_>, work: &mut Work) -> bool {
    let Some(name) = columns.table.name_of(row.index()) else { return false };
    seen(columns, row, &name, |seen| filter.selects(seen, work))
}

/// A row as a query sees it.
pub(crate) fn seen<T>(
    columns: &Columns<'_>,
    row: Row<'_>,
    name: &ObjectName,
    then: impl FnOnce(&Seen<'_>) -> T,
) -> T {
    // The index is not looked at.
    let bean = Bean::Row(columns.table, trunkline_smi::Oid::EMPTY);
    let class = bean.class_name();
    let values = columns.values(row);
    then(&Seen { bean: &bean, name, class: &class, attributes: &values })
}

/// Steps of the queries of one request, some tenth of a second.
pub(crate) const WORK: u64 = 50_000_000;
/// Attributes of one request.
const MOST_ATTRIBUTES: usize = 10_000;
/// Of the arrays of one answer.
const MOST_OCTETS: usize = 24 << 20;
