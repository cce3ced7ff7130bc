//! From the expressions of a request to a [`Plan`], by the services and the schema.

use std::collections::BTreeMap;

use trunkline_query::services::{Graph, Holding, Name, PathSelection, Selected, ServiceId};
use trunkline_smi::schema::{Column, Scalar, Table};

use super::error::{ExpressionError, Kind, Problem};
use super::lower::{self, Columns};
use super::objects::{Object, nearest, object};
use super::plan::{Part, Plan, RowsPart, View};
use super::{DataSelection, Filter, Rows, parse_data, parse_filter, parse_path};

/// The expressions of a request, read.
#[derive(Clone, Debug)]
pub struct Question {
    /// What the operation sees.
    pub view: View,
    /// Which services.
    pub path: PathSelection,
    /// Which of their data; `None`: all.
    pub data: Option<DataSelection>,
    /// Which rows; `None`: all.
    pub filter: Option<Filter>,
    /// The values of words in the filter, as `thres_value` in expression (21).
    pub values: BTreeMap<String, i128>,
    pub(super) texts: Texts,
}

/// The expressions as they were written, to point into.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    path: String,
    data: String,
    filter: String,
}

impl Texts {
    pub fn error(&self, kind: Kind, at: usize, problem: Problem) -> ExpressionError {
        let text = match kind {
            Kind::Path => &self.path,
            Kind::Data => &self.data,
            Kind::Filter => &self.filter,
        };
        ExpressionError::new(kind, text, at, problem)
    }
}

impl Question {
    /// Parses the expressions. A missing or empty one selects everything.
    pub fn parse(
        view: View,
        path: &str,
        data: Option<&str>,
        filter: Option<&str>,
        values: BTreeMap<String, i128>,
    ) -> Result<Self, ExpressionError> {
        let given = |text: Option<&str>| text.filter(|text| !text.trim().is_empty()).map(str::to_owned);
        let (data, filter) = (given(data), given(filter));
        Ok(Question {
            view,
            path: parse_path(path)?,
            data: data.as_deref().map(parse_data).transpose()?,
            filter: filter.as_deref().map(parse_filter).transpose()?,
            values,
            texts: Texts {
                path: path.to_owned(),
                data: data.unwrap_or_default(),
                filter: filter.unwrap_or_default(),
            },
        })
    }

    /// The whole of a service, without expressions.
    pub fn whole(view: View, service: &str) -> Self {
        Question {
            view,
            path: PathSelection::whole(service),
            data: None,
            filter: None,
            values: BTreeMap::new(),
            texts: Texts { path: service.to_owned(), ..Texts::default() },
        }
    }

    /// Compiles it; `within`, if there is one, is the only service of which data is retrieved, and those below it.
    pub fn compile(&self, graph: &Graph, within: Option<ServiceId>) -> Result<Plan, ExpressionError> {
        let mut selected = graph.select(&self.path).map_err(|fault| {
            let at = fault.name().at;
            self.texts.error(Kind::Path, at, Problem::Unselectable(fault))
        })?;
        if let Some(within) = within {
            let below = PathSelection::whole(&graph.service(within).tag);
            let inside = graph.select(&below).map(|found| found.searched).unwrap_or_default();
            selected.services.retain(|service| inside.contains(service));
        }
        let mut plan = Plan {
            gate: None,
            parts: Vec::new(),
            lookups: Vec::new(),
            compared: Vec::new(),
            left_out: Vec::new(),
            selected,
        };
        let wanted = match &self.data {
            None => Wanted::everything(graph, &plan.selected, self.view),
            Some(data) => Compiler { question: self, graph, selected: &plan.selected }.wanted(data)?,
        };
        plan.parts = wanted.scalars;
        lower::filtered(self, graph, &mut plan, wanted.tables)?;
        Ok(plan)
    }
}

/// What is wanted, before the filter.
#[derive(Default)]
struct Wanted {
    scalars: Vec<Part>,
    tables: Vec<WantedTable>,
}

/// Columns of rows of a table that a service holds.
pub(super) struct WantedTable {
    pub part: RowsPart,
    pub rows: Option<Rows>,
    /// Columns of other tables that describe this table's rows.
    pub foreign: Columns,
}

impl Wanted {
    fn everything(graph: &Graph, selected: &Selected, view: View) -> Self {
        let mut wanted = Wanted::default();
        for &service in &selected.services {
            for holding in &graph.service(service).holds {
                match holding {
                    Holding::Scalars(scalars) if view != View::Tables => {
                        wanted.scalars.push(Part::Scalars { service, scalars: scalars.clone() });
                    }
                    Holding::Scalars(_) => {}
                    _ if view == View::Single => {}
                    Holding::Table(table) => wanted.table(service, table, None, None).all(),
                    Holding::Row { table, index } => wanted.table(service, table, Some(index), None).all(),
                }
            }
        }
        wanted
    }

    fn scalar(&mut self, service: ServiceId, scalar: &'static Scalar) {
        let known = self.scalars.iter_mut().find_map(|part| match part {
            Part::Scalars { service: of, scalars } if *of == service => Some(scalars),
            _ => None,
        });
        match known {
            Some(scalars) if scalars.iter().any(|known| std::ptr::eq(*known, scalar)) => {}
            Some(scalars) => scalars.push(scalar),
            None => self.scalars.push(Part::Scalars { service, scalars: vec![scalar] }),
        }
    }

    /// The part for these rows of a table, a new one if there is none yet.
    fn table(
        &mut self,
        service: ServiceId,
        table: &'static Table,
        only: Option<&[u32]>,
        rows: Option<&Rows>,
    ) -> &mut WantedTable {
        let is_same = |wanted: &WantedTable| {
            let part = &wanted.part;
            part.service == service
                && std::ptr::eq(part.table, table)
                && part.only.as_deref() == only
                && wanted.rows.as_ref() == rows
        };
        let at = self.tables.iter().position(is_same).unwrap_or_else(|| {
            let part = RowsPart {
                service,
                table,
                only: only.map(<[u32]>::to_vec),
                columns: Vec::new(),
                fetched: Vec::new(),
                predicate: None,
                foreign: Vec::new(),
                shown: 0,
                joins: Vec::new(),
            };
            self.tables.push(WantedTable { part, rows: rows.cloned(), foreign: Vec::new() });
            self.tables.len() - 1
        });
        &mut self.tables[at]
    }
}

impl WantedTable {
    /// Every readable column.
    fn all(&mut self) {
        let readable = self.part.table.columns.iter().filter(|column| column.access.is_readable());
        self.part.columns = readable.map(|column| column.id).collect();
    }

    fn column(&mut self, column: &Column) {
        if column.access.is_readable() && !self.part.columns.contains(&column.id) {
            self.part.columns.push(column.id);
        }
    }
}

/// Finds what the names of a data selection mean.
struct Compiler<'q> {
    question: &'q Question,
    graph: &'q Graph,
    selected: &'q Selected,
}

impl Compiler<'_> {
    fn wanted(&self, data: &DataSelection) -> Result<Wanted, ExpressionError> {
        let mut wanted = Wanted::default();
        for item in &data.items {
            let (name, rows) = (&item.name, item.rows.as_ref());
            let found = object(&name.text);
            match found.ok_or_else(|| self.error(name, unknown(name)))? {
                Object::Scalar(scalar) => self.scalar(&mut wanted, name, rows, scalar)?,
                Object::Table(table) => {
                    self.sees_tables(name)?;
                    let held = self.holding(table);
                    if held.is_empty() {
                        return Err(self.not_held(name));
                    }
                    held.into_iter()
                        .for_each(|(service, only)| wanted.table(service, table, only, rows).all());
                }
                Object::Column(table, column) => {
                    self.sees_tables(name)?;
                    self.column(&mut wanted, name, rows, (table, column))?;
                }
            }
        }
        Ok(wanted)
    }

    fn scalar(
        &self,
        wanted: &mut Wanted,
        name: &Name,
        rows: Option<&Rows>,
        scalar: &'static Scalar,
    ) -> Result<(), ExpressionError> {
        if rows.is_some() {
            return Err(self.error(name, Problem::NoRows { name: name.text.clone() }));
        }
        if self.question.view == View::Tables {
            let (what, sees) = ("single-instance data", "tables");
            return Err(self.error(name, Problem::NotInView { name: name.text.clone(), what, sees }));
        }
        let holds = |service: &ServiceId| {
            let holds = |holding: &Holding| {
                let Holding::Scalars(scalars) = holding else { return false };
                scalars.iter().any(|held| held.oid == scalar.oid)
            };
            self.graph.service(*service).holds.iter().any(holds)
        };
        // Held by several it is still one.
        let service = self.selected.services.iter().copied().find(holds);
        wanted.scalar(service.ok_or_else(|| self.not_held(name))?, scalar);
        Ok(())
    }

    fn column(
        &self,
        wanted: &mut Wanted,
        name: &Name,
        rows: Option<&Rows>,
        (table, column): (&'static Table, &'static Column),
    ) -> Result<(), ExpressionError> {
        let is_part = table.index.iter().any(|part| part.name == column.name);
        if !column.access.is_readable() && !is_part {
            let mistake = trunkline_query::Mistake::NotReadable { name: column.name };
            return Err(self.error(name, Problem::Mistake(mistake)));
        }
        let held = self.holding(table);
        if !held.is_empty() {
            held.into_iter()
                .for_each(|(service, only)| wanted.table(service, table, only, rows).column(column));
            return Ok(());
        }
        // Said of rows that another table has.
        let mut is_told = false;
        for (service, other, only) in self.tables() {
            if super::join::way(other, table).is_some() {
                wanted.table(service, other, only, rows).foreign.push((table, column));
                is_told = true;
            }
        }
        if is_told { Ok(()) } else { Err(self.not_held(name)) }
    }

    /// The services that hold a table or a row of it.
    fn holding(&self, table: &'static Table) -> Vec<(ServiceId, Option<&[u32]>)> {
        let held = self.tables().filter(|(_, held, _)| std::ptr::eq(*held, table));
        held.map(|(service, _, only)| (service, only)).collect()
    }

    fn tables(&self) -> impl Iterator<Item = (ServiceId, &'static Table, Option<&[u32]>)> {
        self.selected.services.iter().flat_map(|service| {
            self.graph.service(*service).holds.iter().filter_map(|holding| match holding {
                Holding::Scalars(_) => None,
                Holding::Table(table) => Some((*service, *table, None)),
                Holding::Row { table, index } => Some((*service, *table, Some(index.as_slice()))),
            })
        })
    }

    fn sees_tables(&self, name: &Name) -> Result<(), ExpressionError> {
        if self.question.view != View::Single {
            return Ok(());
        }
        let (what, sees) = ("part of a table", "single-instance data");
        Err(self.error(name, Problem::NotInView { name: name.text.clone(), what, sees }))
    }

    fn not_held(&self, name: &Name) -> ExpressionError {
        self.error(name, not_held(name, self.graph, self.selected))
    }

    fn error(&self, name: &Name, problem: Problem) -> ExpressionError {
        self.question.texts.error(Kind::Data, name.at, problem)
    }
}

pub(super) fn unknown(name: &Name) -> Problem {
    Problem::UnknownName { name: name.text.clone(), nearest: nearest(&name.text) }
}

pub(super) fn not_held(name: &Name, graph: &Graph, selected: &Selected) -> Problem {
    const SHOWN: usize = 8;
    let tags = selected.services.iter().map(|service| graph.service(*service).tag.as_str());
    let mut tags: Vec<&str> = tags.take(SHOWN + 1).collect();
    if tags.len() > SHOWN {
        tags[SHOWN] = "...";
    }
    let services = if tags.is_empty() { "none".to_owned() } else { tags.join(", ") };
    Problem::NotHeld { name: name.text.clone(), services }
}
