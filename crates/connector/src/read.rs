//! Values: of scalars, of a row, and of the columns of a table.

use trunkline_beans::{
    Attribute, Bean, ColumnArray, Group, JavaType, ROW_COUNT, RowsCall, Seen, Source, TableBean, WrongCall,
    attributes_of, to_java,
};
use trunkline_jmx::model::{self, Array, Exception, MarshalledObject, ObjectName, Query, Value, Work};
use trunkline_tree::{Block, Page, Pager, Room, Row, RowQuery, RowRange, RowSink, RowWalker};

use crate::arrays::Arrays;
use crate::ask::Ask;
use crate::columns::Columns;
use crate::refusal;

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
        self.rows_into(columns, range, Page::ALL, &mut Rows(each)).await
    }

    async fn rows_into(
        &self,
        columns: &Columns<'_>,
        range: RowRange<'_>,
        page: Page,
        sink: &mut impl RowSink,
    ) -> Result<(), Exception> {
        let served = self.settings.served();
        let Some(table) = served.tree.table_named(columns.table.table.name) else { return Ok(()) };
        let query = RowQuery {
            table: table.id(),
            columns: &columns.leaves,
            range,
            filter: None,
            page,
            with_empty: false,
            access: &self.access,
            arrived: self.arrived,
        };
        let done = served.retrieve_rows(&mut RowWalker::new(), &query, sink).await;
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
        let mut count = Count(0);
        self.rows_into(&columns, RowRange::All, Page::ALL, &mut count).await?;
        Ok(count.0)
    }

    /// The value of an attribute.
    pub(crate) async fn attribute(&self, name: &ObjectName, attribute: &str) -> Result<Value, Exception> {
        let bean = self.catalog.resolve(name).ok_or_else(|| refusal::no_instance(name))?;
        let value = match &bean {
            Bean::Row(table, index) => {
                let wanted = table.attributes.iter().find(|known| known.name == attribute);
                self.of_row(name, table, index, wanted.as_slice()).await?.pop()
            }
            _ => {
                let found = self.attributes_of(name, &bean, vec![attribute.to_owned()]).await?;
                found.into_iter().next().map(|found| found.value)
            }
        };
        value.ok_or_else(|| refusal::no_attribute(attribute))
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
        self.attributes_of(name, &bean, wanted).await
    }

    async fn attributes_of(
        &self,
        name: &ObjectName,
        bean: &Bean<'_>,
        wanted: Vec<String>,
    ) -> Result<Vec<model::Attribute>, Exception> {
        match bean {
            Bean::Delegate => {
                let value = |name: String| {
                    let value = self.door.delegate.attribute(&name)?;
                    Some(model::Attribute { name, value })
                };
                Ok(wanted.into_iter().filter_map(value).collect())
            }
            Bean::Notifications => Ok(Vec::new()),
            Bean::Group(group) => match self.is_there(bean).await? {
                true => self.of_group(group, &wanted).await,
                false => Err(refusal::no_instance(name)),
            },
            Bean::Table(table) => match self.is_there(bean).await? {
                true => self.of_table(table, &wanted).await,
                false => Err(refusal::no_instance(name)),
            },
            Bean::Row(table, index) => {
                let named = |name: String| table.attributes.iter().find(|attribute| attribute.name == name);
                let known: Vec<&Attribute> = wanted.into_iter().filter_map(named).collect();
                let values = self.of_row(name, table, index, &known).await?;
                let named = |(attribute, value): (&&Attribute, Value)| model::Attribute {
                    name: attribute.name.to_owned(),
                    value,
                };
                Ok(known.iter().zip(values).map(named).collect())
            }
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

    /// The value of each of these attributes.
    async fn of_row(
        &self,
        name: &ObjectName,
        table: &TableBean,
        index: &[u32],
        wanted: &[&Attribute],
    ) -> Result<Vec<Value>, Exception> {
        let columns =
            self.columns(table, wanted.iter().copied()).ok_or_else(|| refusal::no_instance(name))?;
        let mut found = None;
        self.rows(&columns, RowRange::One(index), |row| {
            let mut values = Vec::with_capacity(columns.wanted.len());
            columns.each(row, |_, attribute, value| {
                values.push(value.map_or(Value::Null, |value| to_java(value, &attribute.syntax)));
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
        Ok(vec![Value::Null; wanted.len()])
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
        let selected = || call.columns.iter().filter_map(|position| table.attributes.get(*position));
        let filtered = call.filter.as_ref().map(attributes_of).unwrap_or_default();
        let for_filter = table.attributes.iter().filter(|it| filtered.iter().any(|name| name == it.name));
        let Some(columns) = self.columns_of_each_row(table, selected().chain(for_filter)) else {
            let array = |it: &Attribute| ColumnArray::new(JavaType::of(&it.syntax)).into_java();
            return Ok(selected().map(array).collect());
        };
        let mut arrays = Arrays::new(&columns, selected().count());
        let page = Page { offset: call.from, limit: call.count };
        match &call.filter {
            None => self.rows_into(&columns, RowRange::All, page, &mut arrays).await?,
            Some(filter) => self.filtered(&columns, filter, page, &mut arrays).await?,
        }
        match arrays.are_too_large() {
            true => Err(refusal::failed("the rows are too large for one answer: request fewer")),
            false => Ok(arrays.into_values()),
        }
    }

    /// A page of the rows that a filter selects.
    async fn filtered(
        &self,
        columns: &Columns<'_>,
        filter: &Query,
        page: Page,
        arrays: &mut Arrays<'_, '_>,
    ) -> Result<(), Exception> {
        let mut pager = Pager::default();
        let mut work = Work::of(WORK);
        self.rows(columns, RowRange::All, |row| {
            if pager.is_full(page) || work.is_over() {
                return Room::Full;
            }
            if !selects(filter, columns, row, &mut work) || pager.passes_over(page) {
                return Room::Taken;
            }
            pager.give();
            arrays.row(row)
        })
        .await?;
        refusal::too_much(&work)
    }
}

/// Counts rows.
struct Count(usize);

impl RowSink for Count {
    const TAKES_BLOCKS: bool = true;

    fn row(&mut self, _: Row<'_>) -> Room {
        self.0 += 1;
        Room::Taken
    }

    fn block(&mut self, block: Block<'_>) -> usize {
        self.0 += block.len();
        block.len()
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
