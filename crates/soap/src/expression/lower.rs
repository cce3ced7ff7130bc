//! The filter and the rows in brackets, for each table as one predicate of `query`.
//!
//! A name in a filter is a column of the table itself, of a table that describes its rows, a scalar, or nothing
//! for this table; then the cell is absent and comparisons with it are false. A table without any column in the
//! filter is left out.

use trunkline_query::services::{Graph, Name};
use trunkline_query::{Comparison, Condition, Field, Literal, Mistake, Operand, Predicate, Scope};
use trunkline_smi::ValueKind;
use trunkline_smi::schema::{Column, IndexEncoding, Scalar, Syntax, Table};

use super::compile::{Question, WantedTable, not_held, unknown};
use super::error::{ExpressionError, Kind, Problem};
use super::join::{Way, way};
use super::objects::{Object, object};
use super::plan::{FOREIGN, Foreign, Gate, JoinOf, Lookup, Part, Plan, RowsPart, Source, View};
use super::{Filter, Rows, Term, Value};

/// Columns with the tables that they are of.
pub(super) type Columns = Vec<(&'static Table, &'static Column)>;

/// Adds what is wanted of tables to the plan, with the filter.
pub(super) fn filtered(
    question: &Question,
    graph: &Graph,
    plan: &mut Plan,
    tables: Vec<WantedTable>,
) -> Result<(), ExpressionError> {
    let named = question.filter.as_ref().map(|filter| Named::of(filter, question)).transpose()?;
    if let (Some(filter), Some(named)) = (&question.filter, &named) {
        if let (View::Single, Some((name, ..))) = (question.view, named.columns.first()) {
            let (what, sees) = ("part of a table", "single-instance data");
            let problem = Problem::NotInView { name: name.text.clone(), what, sees };
            return Err(question.texts.error(Kind::Filter, name.at, problem));
        }
        if named.columns.is_empty() {
            plan.gate = Some(gate(question, filter, named, plan)?);
        }
    }
    let filter = question.filter.as_ref().filter(|_| plan.gate.is_none());
    let held: Vec<&'static Table> = tables.iter().map(|wanted| wanted.part.table).collect();
    for mut wanted in tables {
        if let (Some(_), Some(named)) = (filter, &named) {
            let concerns = |(_, table, column): &(Name, &'static Table, &'static Column)| {
                is_own(wanted.part.table, table, column) || way(wanted.part.table, table).is_some()
            };
            if !named.columns.iter().any(concerns) {
                plan.left_out.push((wanted.part.service, wanted.part.table));
                continue;
            }
            if question.data.is_none() {
                // Without a data selection, columns of other tables that the filter uses are shown too.
                let told = named.columns.iter().map(|(_, table, column)| (*table, *column));
                wanted
                    .foreign
                    .extend(told.filter(|(table, _)| !held.iter().any(|held| std::ptr::eq(*held, *table))));
            }
        }
        let part = Lowering { question, plan }.part(wanted, filter)?;
        plan.parts.push(Part::Rows(Box::new(part)));
    }
    let is_met = plan.gate.is_some() || plan.rows().next().is_some();
    match named.and_then(|named| named.columns.into_iter().next()) {
        Some((name, ..)) if !is_met => {
            let problem = not_held(&name, graph, &plan.selected);
            Err(question.texts.error(Kind::Filter, name.at, problem))
        }
        _ => Ok(()),
    }
}

/// The objects that a filter compares.
#[derive(Default)]
struct Named {
    columns: Vec<(Name, &'static Table, &'static Column)>,
    scalars: Vec<&'static Scalar>,
}

impl Named {
    fn of(filter: &Filter, question: &Question) -> Result<Self, ExpressionError> {
        let mut named = Named::default();
        named.collect(filter, question)?;
        Ok(named)
    }

    fn collect(&mut self, filter: &Filter, question: &Question) -> Result<(), ExpressionError> {
        let term = match filter {
            Filter::And(list) | Filter::Or(list) => {
                return list.iter().try_for_each(|inner| self.collect(inner, question));
            }
            Filter::Not(inner) => return self.collect(inner, question),
            Filter::Compare(term) => term,
        };
        let name = &term.object;
        let wrong = |problem| Err(question.texts.error(Kind::Filter, name.at, problem));
        match object(&name.text) {
            None => wrong(unknown(name)),
            Some(Object::Table(table)) => {
                let column = table.columns.first().map_or("", |column| column.name);
                let example = format!("{column} = 1");
                wrong(Problem::NoColumn { name: name.text.clone(), example })
            }
            Some(Object::Scalar(_)) if term.rows.is_some() => {
                wrong(Problem::NoRows { name: name.text.clone() })
            }
            Some(Object::Scalar(scalar)) => {
                if !self.scalars.iter().any(|known| known.oid == scalar.oid) {
                    self.scalars.push(scalar);
                }
                Ok(())
            }
            Some(Object::Column(table, column)) => {
                let is_part = table.index.iter().any(|part| part.name == column.name);
                if !column.access.is_readable() && !is_part {
                    return wrong(Problem::Mistake(Mistake::NotReadable { name: column.name }));
                }
                self.columns.push((name.clone(), table, column));
                Ok(())
            }
        }
    }
}

/// Whether a column is in the table's rows, or in their indexes.
fn is_own(table: &'static Table, of: &'static Table, column: &Column) -> bool {
    std::ptr::eq(table, of) || table.index.iter().any(|part| part.name == column.name)
}

fn gate(
    question: &Question,
    filter: &Filter,
    named: &Named,
    plan: &mut Plan,
) -> Result<Gate, ExpressionError> {
    plan.compared = named.scalars.clone();
    let scope = Scope::scalars("the filter", &named.scalars);
    let condition = condition(question, filter, &mut |term| Ok(term.object_name()))?;
    let predicate = compiled(question, &condition, &scope)?;
    Ok(Gate { scalars: named.scalars.clone(), predicate })
}

fn compiled(question: &Question, condition: &Condition, scope: &Scope) -> Result<Predicate, ExpressionError> {
    Predicate::compile(condition, scope)
        .map_err(|error| question.texts.error(Kind::Filter, error.at, Problem::Mistake(error.mistake)))
}

/// The name of a comparison in the scope: the term, and the condition of its rows if there is one.
type Resolve<'r> = dyn FnMut(&Term) -> Result<(String, Option<Condition>, Syntax), ExpressionError> + 'r;

impl Term {
    fn object_name(&self) -> (String, Option<Condition>, Syntax) {
        match object(&self.object.text) {
            Some(Object::Scalar(scalar)) => (scalar.name.to_owned(), None, scalar.syntax),
            Some(Object::Column(_, column)) => (column.name.to_owned(), None, column.syntax),
            _ => (self.object.text.clone(), None, Syntax::OCTET_STRING),
        }
    }
}

/// The filter as a `query` condition.
fn condition(
    question: &Question,
    filter: &Filter,
    resolve: &mut Resolve<'_>,
) -> Result<Condition, ExpressionError> {
    let mut list = |list: &[Filter]| {
        list.iter().map(|inner| condition(question, inner, resolve)).collect::<Result<_, _>>()
    };
    Ok(match filter {
        Filter::And(all) => Condition::And(list(all)?),
        Filter::Or(some) => Condition::Or(list(some)?),
        Filter::Not(inner) => Condition::Not(Box::new(condition(question, inner, resolve)?)),
        Filter::Compare(term) => {
            let (column, rows, syntax) = resolve(term)?;
            let compare = Condition::Compare {
                at: term.value_at.0,
                literal: literal(question, term, &column, &syntax)?,
                column,
                comparison: term.comparison,
            };
            match rows {
                Some(rows) => Condition::And(vec![compare, rows]),
                None => compare,
            }
        }
    })
}

fn literal(
    question: &Question,
    term: &Term,
    column: &str,
    syntax: &Syntax,
) -> Result<Literal, ExpressionError> {
    Ok(match &term.value {
        Value::Integer(number) => Literal::Integer(*number),
        Value::Text(text) => Literal::Text(text.clone()),
        Value::Dotted(text) => Literal::Bare(text.clone()),
        Value::Word(word) => match question.values.get(word) {
            Some(number) => Literal::Integer(*number),
            None if is_number(syntax) && syntax.names.is_empty() => {
                let problem = Problem::Unbound { word: word.clone(), column: column.to_owned() };
                return Err(question.texts.error(Kind::Filter, term.value_at.0, problem));
            }
            None => Literal::Bare(word.clone()),
        },
    })
}

fn is_number(syntax: &Syntax) -> bool {
    use ValueKind::{Counter32, Counter64, Integer, TimeTicks, Unsigned32};
    matches!(syntax.kind, Integer | Counter32 | Counter64 | Unsigned32 | TimeTicks)
}

/// Makes one part of a plan.
struct Lowering<'l> {
    question: &'l Question,
    plan: &'l mut Plan,
}

impl Lowering<'_> {
    fn part(&mut self, wanted: WantedTable, filter: Option<&Filter>) -> Result<RowsPart, ExpressionError> {
        let WantedTable { mut part, rows, foreign } = wanted;
        for (table, column) in foreign {
            self.foreign(&mut part, table, column);
        }
        part.shown = part.foreign.len();
        let mut conditions = Vec::new();
        if let Some(filter) = filter {
            let question = self.question;
            let mut resolve = |term: &Term| self.resolve(&mut part, term);
            conditions.push(condition(question, filter, &mut resolve)?);
        }
        conditions.extend(rows.and_then(|rows| self.rows(&mut part, &rows)));
        if !conditions.is_empty() {
            let condition =
                if conditions.len() == 1 { conditions.remove(0) } else { Condition::And(conditions) };
            let fields = part.foreign.iter().enumerate().map(|(at, foreign)| Field {
                name: foreign.name,
                operand: Operand::Column(FOREIGN + at as u32),
                syntax: foreign.syntax,
            });
            let scope = fields.fold(Scope::table(part.table), Scope::with);
            part.predicate = Some(compiled(self.question, &condition, &scope)?);
        }
        let compared = part.predicate.iter().flat_map(|predicate| predicate.columns()).copied();
        part.fetched = part.columns.clone();
        for column in compared.filter(|column| *column < FOREIGN) {
            if !part.fetched.contains(&column) {
                part.fetched.push(column);
            }
        }
        Ok(part)
    }

    fn resolve(
        &mut self,
        part: &mut RowsPart,
        term: &Term,
    ) -> Result<(String, Option<Condition>, Syntax), ExpressionError> {
        let (name, _, syntax) = term.object_name();
        match object(&term.object.text) {
            Some(Object::Scalar(scalar)) => self.scalar(part, scalar),
            Some(Object::Column(table, column)) if !is_own(part.table, table, column) => {
                self.foreign(part, table, column);
            }
            _ => {}
        }
        let rows = term.rows.as_ref().and_then(|rows| self.rows(part, rows));
        Ok((name, rows, syntax))
    }

    /// The rows in brackets: by the index if that is one number, otherwise counted from 1.
    fn rows(&mut self, part: &mut RowsPart, rows: &Rows) -> Option<Condition> {
        if *rows == Rows::All {
            return None;
        }
        let nothing = Condition::Or(Vec::new());
        let Some((low, high)) = rows.ends() else { return Some(nothing) };
        let (column, most) = match part.table.index {
            [only] if only.encoding == IndexEncoding::Integer => (
                only.name,
                if only.syntax.kind == ValueKind::Integer { i32::MAX as u64 } else { u32::MAX.into() },
            ),
            _ => {
                intern(part, "row number", Syntax::COUNTER64, Source::Position);
                ("row number", u64::MAX)
            }
        };
        if low > most {
            return Some(nothing);
        }
        let compare = |comparison, number: u64| {
            Condition::compare(column, comparison, Literal::Integer(i128::from(number)))
        };
        let from = compare(Comparison::GreaterOrEqual, low);
        Some(if high >= most { from } else { from.and(compare(Comparison::LessOrEqual, high)) })
    }

    fn scalar(&mut self, part: &mut RowsPart, scalar: &'static Scalar) {
        let known = self.plan.compared.iter().position(|known| known.oid == scalar.oid);
        let at = known.unwrap_or_else(|| {
            self.plan.compared.push(scalar);
            self.plan.compared.len() - 1
        });
        intern(part, scalar.name, scalar.syntax, Source::Scalar(at));
    }

    /// A column of another table, which may describe this one's rows.
    fn foreign(&mut self, part: &mut RowsPart, table: &'static Table, column: &'static Column) {
        let source = match way(part.table, table) {
            None => Source::Absent,
            Some(way) => {
                let (rows, at) = self.lookup(table, column.id);
                let join = part.joins.iter().position(|join| join.rows == rows).unwrap_or_else(|| {
                    let link = match way {
                        Way::Through { link, column, .. } => Some(self.lookup(link, column)),
                        Way::Same { .. } => None,
                    };
                    part.joins.push(JoinOf { way, rows, link });
                    part.joins.len() - 1
                });
                Source::Column { join, at }
            }
        };
        intern(part, column.name, column.syntax, source);
    }

    /// The lookup of a table, and the position of a column in it.
    fn lookup(&mut self, table: &'static Table, column: u32) -> (usize, usize) {
        let lookups = &mut self.plan.lookups;
        let at = lookups.iter().position(|lookup| std::ptr::eq(lookup.table, table)).unwrap_or_else(|| {
            lookups.push(Lookup { table, columns: Vec::new() });
            lookups.len() - 1
        });
        let columns = &mut lookups[at].columns;
        let position = columns.iter().position(|known| *known == column).unwrap_or_else(|| {
            columns.push(column);
            columns.len() - 1
        });
        (at, position)
    }
}

fn intern(part: &mut RowsPart, name: &'static str, syntax: Syntax, source: Source) {
    if !part.foreign.iter().any(|known| known.name == name) {
        part.foreign.push(Foreign { name, syntax, source });
    }
}
