//! The columns that managers write: default values, and what may change when.

use trunkline_admin::rows::{Row, RowTable};
use trunkline_smi::module::disman_expression_mib as mib;
use trunkline_smi::{Oid, Value};

use crate::columns::{FALSE, SYS_UP_TIME};

/// The tables. Their columns may change at any time (RFC 2982).
pub(super) static TABLES: &[RowTable] = &[
    RowTable {
        tables: &[&mib::EXP_EXPRESSION_TABLE],
        status: "expExpressionEntryStatus",
        storage: "",
        required: &["expExpression"],
        defaults: expression,
        fixed_while_active: &[],
        first: &[],
    },
    RowTable {
        tables: &[&mib::EXP_OBJECT_TABLE],
        status: "expObjectEntryStatus",
        storage: "",
        required: &["expObjectID"],
        defaults: object,
        fixed_while_active: &[],
        first: &["expObjectSampleType"],
    },
];

/// expObjectSampleType: absoluteValue.
pub(super) const ABSOLUTE: i32 = 1;

/// expObjectSampleType: deltaValue.
pub(super) const DELTA: i32 = 2;

type Cells = Vec<(&'static str, Value)>;

/// The default values of RFC 2982.
pub(super) fn expression(_: &[u32]) -> Cells {
    vec![
        ("expExpressionValueType", Value::Integer(1)),
        ("expExpressionComment", Value::OctetString(Vec::new())),
        ("expExpressionDeltaInterval", Value::Integer(0)),
    ]
}

/// The same of expObjectTable.
pub(super) fn object(_: &[u32]) -> Cells {
    vec![
        ("expObjectIDWildcard", Value::Integer(FALSE)),
        ("expObjectSampleType", Value::Integer(ABSOLUTE)),
        ("expObjectDeltaDiscontinuityID", Value::ObjectIdentifier(Oid::from(SYS_UP_TIME))),
        ("expObjectDiscontinuityIDWildcard", Value::Integer(FALSE)),
        ("expObjectDiscontinuityIDType", Value::Integer(1)),
        ("expObjectConditional", Value::ObjectIdentifier(Oid::from([0, 0]))),
        ("expObjectConditionalWildcard", Value::Integer(FALSE)),
    ]
}

/// Whether a column is of differences alone.
pub(super) fn is_of_differences(column: &str) -> bool {
    matches!(
        column,
        "expObjectDeltaDiscontinuityID" | "expObjectDiscontinuityIDWildcard" | "expObjectDiscontinuityIDType"
    )
}

/// Whether the row's object is sampled for differences.
pub(super) fn has_differences(row: &Row) -> bool {
    row.integer("expObjectSampleType") != ABSOLUTE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_default_of_its_syntax_or_is_required() {
        for table in TABLES {
            let defaults = (table.defaults)(&[]);
            for column in table.tables.iter().flat_map(|table| table.columns) {
                let is_written = column.access.is_writable() && column.name != table.status;
                if !is_written || table.required.contains(&column.name) {
                    continue;
                }
                let found: Vec<_> = defaults.iter().filter(|(name, _)| *name == column.name).collect();
                assert_eq!(found.len(), 1, "{}", column.name);
                column.syntax.check(found[0].1.as_value_ref()).unwrap_or_else(|_| panic!("{}", column.name));
            }
        }
    }
}
