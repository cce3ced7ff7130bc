//! Data of the modules that the agent makes itself, for one session.

use trunkline_tree::Access;
use trunkline_yang::forest::NodeId;
use trunkline_yang::instances::Instances;

use super::made::Made;
use super::monitoring::Monitoring;
use super::{Netconf, library};
use crate::core::OwnData;

/// What a session sees of it.
pub(super) struct Own<'o> {
    pub door: &'o Netconf,
    /// The session that asks.
    pub session_id: u32,
}

impl OwnData for Own<'_> {
    fn instances(&self, root: NodeId, access: &Access) -> Instances {
        let models = self.door.models();
        let mut made = Made::begin(&models.forest, root);
        match models.forest[root].name.as_str() {
            "netconf-state" => {
                Monitoring { door: self.door, session_id: self.session_id }.make(&mut made, access);
            }
            "yang-library" => library::make(models, &mut made),
            _ => library::make_state(models, &mut made),
        }
        made.end()
    }
}
