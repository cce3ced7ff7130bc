//! The rows of the configuration, which managers cannot change.

use trunkline_admin::rows::{Row, Rows};
use trunkline_config::{ComputedPlan, ObjectPlan, Plan};
use trunkline_smi::module::disman_expression_mib as mib;
use trunkline_smi::{Oid, Value};
use trunkline_tree::policy::StorageType;

use super::columns;
use super::definition::index_of;
use crate::authority::{Authority, CELL};
use crate::columns::truth;
use crate::configured::CONFIGURATION;
use crate::definition::Named;

/// The rows of a configuration.
pub(super) fn rows(plan: &Plan) -> Rows {
    let mut rows = Rows::new();
    for computed in &plan.computed {
        add(&mut rows, computed);
    }
    rows
}

fn add(rows: &mut Rows, computed: &ComputedPlan) {
    let id = Named { owner: CONFIGURATION.into(), name: computed.name.clone().into_bytes() };
    let index = index_of(&id);
    let mut row = Row::configured(StorageType::ReadOnly, columns::expression(&[]));
    row.set("expExpression", Value::text(&computed.expression));
    row.set("expExpressionValueType", Value::Integer(computed.value_type as i32));
    row.set("expExpressionComment", Value::text(&computed.comment));
    let every = i32::try_from(computed.every).unwrap_or(i32::MAX);
    row.set("expExpressionDeltaInterval", Value::Integer(every));
    if let Some(user) = &computed.user {
        row.set_secret(CELL, Authority::of_user(user).to_octets());
    }
    rows.insert(&mib::EXP_EXPRESSION_TABLE, index.clone(), row);
    for (number, object) in (1..).zip(&computed.objects) {
        let mut row = Row::configured(StorageType::ReadOnly, columns::object(&[]));
        put(&mut row, ["expObjectID", "expObjectIDWildcard"], &object.object);
        row.set("expObjectSampleType", Value::Integer(object.sample as i32));
        if let Some(marker) = &object.discontinuity {
            put(&mut row, ["expObjectDeltaDiscontinuityID", "expObjectDiscontinuityIDWildcard"], marker);
        }
        if let Some(conditional) = &object.conditional {
            put(&mut row, ["expObjectConditional", "expObjectConditionalWildcard"], conditional);
        }
        rows.insert(&mib::EXP_OBJECT_TABLE, [&index[..], &[number]].concat(), row);
    }
}

fn put(row: &mut Row, [oid, wildcard]: [&'static str; 2], object: &ObjectPlan) {
    row.set(oid, Value::ObjectIdentifier(Oid::EMPTY.child(&object.oid)));
    row.set(wildcard, truth(object.wildcard));
}
