//! The two groups of the tree: what is defined, and the values.

use trunkline_smi::module::disman_expression_mib as mib;
use trunkline_tree::Group;

/// The group `expressions`.
pub static EXPRESSIONS: Group = Group {
    name: "expressions",
    scalars: &[
        &mib::EXP_RESOURCE_DELTA_MINIMUM,
        &mib::EXP_RESOURCE_DELTA_WILDCARD_INSTANCE_MAXIMUM,
        &mib::EXP_RESOURCE_DELTA_WILDCARD_INSTANCES,
        &mib::EXP_RESOURCE_DELTA_WILDCARD_INSTANCES_HIGH,
        &mib::EXP_RESOURCE_DELTA_WILDCARD_INSTANCE_RESOURCE_LACKS,
    ],
    tables: &[&mib::EXP_EXPRESSION_TABLE, &mib::EXP_ERROR_TABLE, &mib::EXP_OBJECT_TABLE],
};

/// The group `expression-values`.
pub static EXPRESSION_VALUES: Group =
    Group { name: "expression-values", scalars: &[], tables: &[&mib::EXP_VALUE_TABLE] };
