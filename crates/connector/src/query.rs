//! Queries: the names of MBeans of which a pattern and an expression select some.

use trunkline_beans::{Bean, Match, Seen, TableBean, attributes_of};
use trunkline_jmx::model::{Exception, MarshalledObject, ObjectName, Query, Value, Work};
use trunkline_tree::{Room, RowRange};

use crate::ask::Ask;
use crate::read::{WORK, seen};
use crate::refusal;

impl Ask<'_> {
    /// The names of MBeans with their classes.
    pub(crate) async fn query(
        &self,
        pattern: Option<ObjectName>,
        query: Option<MarshalledObject>,
    ) -> Result<Vec<(ObjectName, String)>, Exception> {
        let query = match self.unmarshalled(query)? {
            Value::Null => None,
            Value::Query(query) => Some(*query),
            Value::Name(name) => Some(Query::Name(name)),
            other => return Err(refusal::argument(format!("{} is not a query", other.class_name()))),
        };
        let mut work = Work::of(WORK);
        let mut found = Vec::new();
        for candidate in self.catalog.matches(pattern.as_ref()) {
            match candidate {
                Match::Bean(bean) => {
                    if self.is_there(&bean).await? {
                        found.extend(self.selected(&bean, query.as_ref(), &mut work).await?);
                    }
                }
                Match::Rows(table) => {
                    self.selected_rows(table, pattern.as_ref(), (query.as_ref(), &mut work), &mut found)
                        .await?;
                }
            }
            refusal::too_much(&work)?;
        }
        Ok(found)
    }

    /// How many MBeans there are.
    pub(crate) async fn count(&self) -> Result<i32, Exception> {
        let mut count = 0_usize;
        for candidate in self.catalog.matches(None) {
            count += match candidate {
                Match::Bean(bean) => usize::from(self.is_there(&bean).await?),
                Match::Rows(table) => self.row_count(table).await.unwrap_or(0),
            };
        }
        Ok(i32::try_from(count).unwrap_or(i32::MAX))
    }

    /// An MBean that is there, if the query selects it.
    async fn selected(
        &self,
        bean: &Bean<'_>,
        query: Option<&Query>,
        work: &mut Work,
    ) -> Result<Option<(ObjectName, String)>, Exception> {
        let Some(name) = bean.name() else { return Ok(None) };
        let class = bean.class_name();
        let Some(query) = query else { return Ok(Some((name, class))) };
        let values = match bean {
            // Arrays are not compared.
            Bean::Table(_) | Bean::Notifications => Vec::new(),
            _ => self.attributes(&name, attributes_of(query)).await?,
        };
        let values: Vec<(&str, Value)> =
            values.iter().map(|value| (value.name.as_str(), value.value.clone())).collect();
        let is_selected =
            query.selects(&Seen { bean, name: &name, class: &class, attributes: &values }, work);
        Ok(is_selected.then_some((name, class)))
    }

    /// The rows of a table that are selected. A source that fails is left out.
    async fn selected_rows(
        &self,
        table: &TableBean,
        pattern: Option<&ObjectName>,
        (query, work): (Option<&Query>, &mut Work),
        found: &mut Vec<(ObjectName, String)>,
    ) -> Result<(), Exception> {
        let wanted = query.map(attributes_of).unwrap_or_default();
        let attributes = table.attributes.iter().filter(|it| wanted.iter().any(|name| name == it.name));
        let Some(columns) = self.columns_of_each_row(table, attributes) else { return Ok(()) };
        let pattern = pattern.map(|pattern| pattern.clone().or_domain(trunkline_beans::DOMAIN));
        let matcher = pattern.as_ref().map(ObjectName::matcher);
        let class = Bean::Row(table, trunkline_smi::Oid::EMPTY).class_name();
        let before = found.len();
        let done = self
            .rows(&columns, RowRange::All, |row| {
                if work.is_over() {
                    return Room::Full;
                }
                let Some(name) = table.name_of(row.index()) else { return Room::Taken };
                let is_it = matcher.as_ref().is_none_or(|matcher| matcher.matches(&name))
                    && query.is_none_or(|query| seen(&columns, row, &name, |seen| query.selects(seen, work)));
                if is_it {
                    found.push((name, class.clone()));
                }
                Room::Taken
            })
            .await;
        if done.is_err() {
            found.truncate(before);
        }
        Ok(())
    }
}
