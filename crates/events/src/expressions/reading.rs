//! The objects of an expression from the tree, by the rights of the principal that activated it.

use std::sync::Arc;

use trunkline_core::Served;
use trunkline_expression::{ErrorCode, Fault};
use trunkline_tree::Access;

use super::computation::Values;
use super::groups::EXPRESSION_VALUES;
use crate::definition::Object;

/// Reads objects.
pub(super) struct Reader<'r> {
    pub served: &'r Arc<Served>,
    pub access: &'r Access,
    /// The most instances of one object.
    pub most: usize,
}

impl Reader<'_> {
    /// The instances of an object that may be read, by what comes after its identifier.
    pub async fn read(&self, object: &Object) -> Result<Values, Fault> {
        let unanswered = |error: trunkline_core::Unanswered| {
            Fault::whole(ErrorCode::ResourceUnavailable, format!("{} cannot be read: {error}", object.oid))
        };
        if !object.wildcard {
            let value = self.served.value(&object.oid, self.access).await.map_err(unanswered)?;
            return Ok(value.map(|value| (Vec::new(), value)).into_iter().collect());
        }
        // A walk reads one instance more, which may be a value that is computed now.
        let apart = self.served.tree.group(EXPRESSION_VALUES.name);
        let below = self.served.below_apart(&object.oid, self.access, self.most, apart).await;
        let below = below.map_err(unanswered)?;
        if below.is_cut {
            let message = format!("{} has more than {} instances", object.oid, self.most);
            return Err(Fault::whole(ErrorCode::TooManyWildcardValues, message));
        }
        Ok(below.values)
    }
}
