//! What DISMAN-EXPRESSION-MIB computes from the start: `[[expression]]` and `[expressions]`.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_expression::{Expression, ValueType};

use super::trigger::{self, ObjectPlan};
use super::value::{self, Checked};
use crate::{Place, raw};

/// The limits of DISMAN-EXPRESSION-MIB as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionsPlan {
    /// How many values there are at most, and how many instances of objects are held for differences.
    pub max_instances: usize,
    /// How many expressions one owner may have.
    pub max_per_owner: usize,
}

impl Default for ExpressionsPlan {
    fn default() -> Self {
        ExpressionsPlan { max_instances: 20_000, max_per_owner: 200 }
    }
}

/// A row of expExpressionTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputedPlan {
    /// expExpressionName: 1 to 32 octets.
    pub name: String,
    /// expExpressionComment.
    pub comment: String,
    /// expExpression.
    pub expression: String,
    /// expExpressionValueType.
    pub value_type: ValueType,
    /// expExpressionDeltaInterval, in seconds.
    pub every: u32,
    /// The user of SNMPv3 by whose rights the objects are read; `None`: everything is read.
    pub user: Option<String>,
    /// `$1`, `$2` and so on.
    pub objects: Vec<ComputedObjectPlan>,
}

/// A row of expObjectTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputedObjectPlan {
    /// What is read.
    pub object: ObjectPlan,
    /// What of it.
    pub sample: SampleType,
    /// What tells that a difference means nothing; `None`: sysUpTime.
    pub discontinuity: Option<ObjectPlan>,
    /// What tells whether the value counts.
    pub conditional: Option<ObjectPlan>,
}

/// expObjectSampleType.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleType {
    /// The value.
    Absolute = 1,
    /// The difference from the one before.
    Delta = 2,
    /// Whether it differs from the one before.
    Changed = 3,
}

pub(super) fn check_limits(raw: raw::Expressions, place: Place<'_>) -> Checked<ExpressionsPlan> {
    let default = ExpressionsPlan::default();
    let number = |number: Option<Spanned<i64>>, default, most| {
        number.map_or(Ok(default), |number| value::number(&number, 1, most, place))
    };
    Ok(ExpressionsPlan {
        max_instances: number(raw.max_instances, default.max_instances, 1_000_000)?,
        max_per_owner: number(raw.max_per_owner, default.max_per_owner, 2000)?,
    })
}

pub(super) fn check(list: Vec<raw::Computed>, place: Place<'_>) -> Checked<Vec<ComputedPlan>> {
    let mut seen = BTreeSet::new();
    value::all(list.into_iter().map(|raw| check_one(raw, &mut seen, place)))
}

fn check_one(raw: raw::Computed, seen: &mut BTreeSet<String>, place: Place<'_>) -> Checked<ComputedPlan> {
    let name = value::name(&raw.name, 32, seen, place)?;
    let parsed = Expression::parse(raw.expression.get_ref());
    let parsed = parsed.map_err(|fault| place.wrong(raw.expression.span(), fault.to_string()))?;
    let used = parsed.objects().into_iter().chain(parsed.aggregated());
    if let Some(unknown) = used.max().filter(|used| *used as usize > raw.objects.len()) {
        let message = format!("${unknown} is not one of the {} objects", raw.objects.len());
        return Err(place.wrong(raw.expression.span(), message));
    }
    let every_span = raw.every.as_ref().map_or(0..0, Spanned::span);
    let every = value::time_or_none(raw.every, Duration::ZERO, Duration::from_secs(86_400), place)?;
    if every.subsec_nanos() != 0 {
        return Err(place.wrong(every_span, "expected whole seconds".into()));
    }
    let value_type = match &raw.r#type {
        None => ValueType::Counter32,
        Some(text) => {
            let known = ValueType::ALL.into_iter().find(|known| known.name() == text.get_ref());
            let names = || ValueType::ALL.map(ValueType::name).join(", ");
            let unknown = || format!("{:?} is not a type, expected one of {}", text.get_ref(), names());
            known.ok_or_else(|| place.wrong(text.span(), unknown()))?
        }
    };
    Ok(ComputedPlan {
        name,
        comment: trigger::comment(raw.comment, place)?,
        expression: raw.expression.into_inner(),
        value_type,
        every: u32::try_from(every.as_secs()).unwrap_or(u32::MAX),
        user: raw.user.map(|user| value::length(&user, 32, place)).transpose()?,
        objects: value::all(raw.objects.into_iter().map(|object| check_object(object, place)))?,
    })
}

fn check_object(raw: raw::ComputedObject, place: Place<'_>) -> Checked<ComputedObjectPlan> {
    let sample = match raw.sample.as_ref().map(|sample| sample.get_ref().as_str()) {
        None | Some("absolute") => SampleType::Absolute,
        Some("delta") => SampleType::Delta,
        Some("changed") => SampleType::Changed,
        Some(other) => {
            let message =
                format!("{other:?} is not a sample, expected \"absolute\", \"delta\" or \"changed\"");
            return Err(place.wrong(raw.sample.as_ref().map_or(0..0, Spanned::span), message));
        }
    };
    let discontinuity = raw.discontinuity.map(|text| {
        if sample == SampleType::Absolute {
            let message = "discontinuity is of differences: add sample = \"delta\" or \"changed\"".into();
            return Err(place.wrong(text.span(), message));
        }
        trigger::object(&text, place)
    });
    Ok(ComputedObjectPlan {
        object: trigger::object(&raw.object, place)?,
        sample,
        discontinuity: discontinuity.transpose()?,
        conditional: raw.conditional.map(|text| trigger::object(&text, place)).transpose()?,
    })
}
