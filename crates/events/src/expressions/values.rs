//! The provider of expValueTable. Its values are computed when they are read, within the age that `[freshness]` admits.

use std::collections::BTreeMap;
use std::sync::Arc;

use trunkline_smi::MAX_SUB_IDS;
use trunkline_smi::module::disman_expression_mib as mib;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use super::groups::EXPRESSION_VALUES;
use super::links;
use super::pass::Pass;
use super::shared::Shared;

/// The provider of the group `expression-values`.
pub struct ExpressionValues(pub(super) Arc<Shared>);

impl Provider for ExpressionValues {
    fn group(&self) -> &'static Group {
        &EXPRESSION_VALUES
    }

    /// Called on a thread that may block: the objects come from the tree, whose groups other threads load.
    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&EXPRESSION_VALUES);
        let at_work = self.0.at_work.get().and_then(|(handle, core)| Some((handle, core.upgrade()?)));
        let all = match at_work {
            Some((handle, core)) if !self.0.definitions.load().all.is_empty() => {
                handle.block_on(Pass::new(&self.0, &core).all())
            }
            _ => Vec::new(),
        };
        let mut rows = BTreeMap::new();
        for (definition, values) in &all {
            for (instance, value) in values.iter() {
                let index = links::value_index(definition, instance);
                // A name that is longer cannot be sent.
                if mib::EXP_VALUE_TABLE.oid.len() + 2 + index.len() <= MAX_SUB_IDS {
                    rows.insert(index, (links::column(definition.value_type), value));
                }
            }
        }
        let builder = snapshot.table(&mib::EXP_VALUE_TABLE);
        for (index, (column, value)) in &rows {
            builder.row(index).value(*column, value.as_value_ref());
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}
