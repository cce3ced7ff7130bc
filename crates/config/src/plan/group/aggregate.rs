//! What is computed of the values of a group: `[[group.aggregate]]`.

use std::collections::BTreeSet;

use serde_spanned::Spanned;
use trunkline_smi::module::ALL;
use trunkline_smi::schema::{Column, Table};
use trunkline_smi::{Oid, ValueKind};

use super::{Named, add_column, named, raw};
use crate::Place;
use crate::plan::security::word;
use crate::plan::value::{self, Checked};

/// What is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregatePlan {
    /// Its name: 1 to 32 octets.
    pub name: String,
    /// A scalar's instance, or a column.
    pub object: Oid,
    /// How.
    pub function: FunctionPlan,
    /// Of what.
    pub over: OverPlan,
    /// Whether of how much the values grow in a second.
    pub rate: bool,
    /// The units, for people.
    pub units: String,
    /// Only of these rows.
    pub filter: Option<FilterPlan>,
}

/// A function of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FunctionPlan {
    /// Their sum.
    Sum,
    /// Their mean.
    Mean,
    /// The least.
    Minimum,
    /// The greatest.
    Maximum,
    /// How many there are.
    Count,
    /// The one that this part of them, from 0 to 1, does not exceed.
    Quantile(f64),
}

/// What is put into a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverPlan {
    /// The value of each instance.
    Instances,
    /// Of each member the sum of its values.
    Members,
}

/// Only rows in which an object has this value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterPlan {
    /// A column of the same table.
    pub object: Oid,
    /// The value.
    pub equals: FilterEquals,
}

/// A value that is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterEquals {
    /// Of a number.
    Number(i64),
    /// Of octets.
    Text(String),
}

const FUNCTIONS: &[(&str, FunctionPlan)] = &[
    ("sum", FunctionPlan::Sum),
    ("mean", FunctionPlan::Mean),
    ("min", FunctionPlan::Minimum),
    ("max", FunctionPlan::Maximum),
    ("count", FunctionPlan::Count),
    ("quantile", FunctionPlan::Quantile(0.5)),
];

const OVER: &[(&str, OverPlan)] = &[("instances", OverPlan::Instances), ("members", OverPlan::Members)];

/// Aggregates; what they need is read too.
pub(super) fn check(
    list: Vec<raw::Aggregate>,
    objects: &mut Vec<Oid>,
    tables: &mut Vec<Vec<Oid>>,
    place: Place<'_>,
) -> Checked<Vec<AggregatePlan>> {
    let mut seen = BTreeSet::new();
    value::all(list.into_iter().map(|raw| check_one(raw, &mut seen, objects, tables, place)))
}

fn check_one(
    raw: raw::Aggregate,
    seen: &mut BTreeSet<String>,
    objects: &mut Vec<Oid>,
    tables: &mut Vec<Vec<Oid>>,
    place: Place<'_>,
) -> Checked<AggregatePlan> {
    let name = value::name(&raw.name, 32, seen, place)?;
    let function = check_function(&raw, place)?;
    let over = raw.over.map(|over| word("over", OVER, &over, place)).transpose()?;
    let (object, is_column) = match named(&raw.object, place)? {
        Named::Instance(oid) => {
            if !objects.contains(&oid) {
                objects.push(oid.clone());
            }
            (oid, false)
        }
        Named::Column(column) => {
            add_column(tables, column.clone());
            (column, true)
        }
        Named::Table(_) => {
            return Err(place.wrong(raw.object.span(), "expected a scalar or a column, found a table".into()));
        }
    };
    let filter = raw.filter.map(|filter| {
        let column = match named(&filter.object, place)? {
            Named::Column(column) if is_column && have_rows_in_common(&column, &object) => column,
            _ => {
                let message =
                    "expected a column of the same table as the object, or of one with the same index".into();
                return Err(place.wrong(filter.object.span(), message));
            }
        };
        let equals = check_equals(filter.equals, &column, place)?;
        add_column(tables, column.clone());
        Ok(FilterPlan { object: column, equals })
    });
    let units = raw.units.map(|units| value::length(&units, 64, place)).transpose()?;
    Ok(AggregatePlan {
        name,
        object,
        function,
        over: over.unwrap_or(OverPlan::Instances),
        rate: raw.rate,
        units: units.unwrap_or_default(),
        filter: filter.transpose()?,
    })
}

/// Whether two columns are of one table, or of tables with the same index.
fn have_rows_in_common(one: &Oid, other: &Oid) -> bool {
    let table = |column: &Oid| Oid::EMPTY.child(&column[..column.len().saturating_sub(1)]);
    let index = |column: &Oid| -> Option<Vec<&str>> {
        let (table, _) = schema_of(column)?;
        Some(table.index.iter().map(|part| part.name).collect())
    };
    table(one) == table(other) || index(one).is_some_and(|found| Some(found) == index(other))
}

/// A value that the column may have: a name of an enumeration is its number.
fn check_equals(equals: Spanned<raw::FilterValue>, column: &Oid, place: Place<'_>) -> Checked<FilterEquals> {
    let span = equals.span();
    let Some((_, known)) = schema_of(column) else {
        return Ok(match equals.into_inner() {
            raw::FilterValue::Number(number) => FilterEquals::Number(number),
            raw::FilterValue::Text(text) => FilterEquals::Text(text),
        });
    };
    let is_number = |kind: ValueKind| {
        use ValueKind::{Counter32, Counter64, Integer, TimeTicks, Unsigned32};
        matches!(kind, Integer | Unsigned32 | Counter32 | Counter64 | TimeTicks)
    };
    let Column { name, syntax, .. } = known;
    match equals.into_inner() {
        raw::FilterValue::Number(number) if is_number(syntax.kind) => Ok(FilterEquals::Number(number)),
        raw::FilterValue::Text(text) if syntax.kind == ValueKind::OctetString => Ok(FilterEquals::Text(text)),
        raw::FilterValue::Text(text) if !syntax.names.is_empty() => {
            let found = syntax.names.iter().find(|(_, known)| *known == text);
            found.map(|(number, _)| FilterEquals::Number((*number).into())).ok_or_else(|| {
                let names: Vec<&str> = syntax.names.iter().map(|(_, name)| *name).take(12).collect();
                place.wrong(
                    span,
                    format!("{text:?} is not a value of {name}, expected a number or {}", names.join(", ")),
                )
            })
        }
        raw::FilterValue::Number(_) => {
            Err(place.wrong(span, format!("{name} has no numbers, expected a text")))
        }
        raw::FilterValue::Text(_) => Err(place.wrong(span, format!("{name} has numbers, expected one"))),
    }
}

/// What is built in of a column.
fn schema_of(column: &Oid) -> Option<(&'static Table, &'static Column)> {
    let (id, entry) = column.split_last()?;
    let table = entry.strip_suffix(&[1])?;
    let table = ALL.iter().flat_map(|module| module.tables).find(|known| known.oid == table)?;
    Some((table, table.columns.iter().find(|known| known.id == *id)?))
}

fn check_function(raw: &raw::Aggregate, place: Place<'_>) -> Checked<FunctionPlan> {
    let function = word("function", FUNCTIONS, &raw.function, place)?;
    let Some(quantile) = &raw.quantile else { return Ok(function) };
    let part = *quantile.get_ref();
    if !matches!(function, FunctionPlan::Quantile(_)) {
        return Err(place.wrong(quantile.span(), "only the function \"quantile\" has it".into()));
    }
    if !(0.0..=1.0).contains(&part) {
        return Err(place.wrong(quantile.span(), format!("{part} is out of range, expected 0 to 1")));
    }
    Ok(FunctionPlan::Quantile(part))
}
