//! All instances of an agent.

use std::collections::BTreeMap;
use std::time::Duration;

use trunkline_client::{SessionOptions, SnmpSession, Target, WalkOptions, walk as walk_subtree};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::Bound;

use super::error::CompareError;

/// Instances and their values.
pub type Instances = BTreeMap<Oid, Value>;

/// Asks for everything below `root`.
pub(super) async fn walk(agent: &'static str, target: &Target, root: Oid) -> Result<Instances, CompareError> {
    let wrong = |source| CompareError::Walk { agent, source };
    let options = SessionOptions::default().with_timeout(Duration::from_secs(3)).with_retries(3);
    let session = SnmpSession::open(target, options).await.map_err(wrong)?;
    let mut walk = walk_subtree(&session, root, WalkOptions::default());
    let mut instances = Instances::new();
    while let Some(binding) = walk.next().await {
        let binding = binding.map_err(wrong)?;
        if let Bound::Value(value) = binding.value {
            instances.insert(binding.name, value);
        }
    }
    Ok(instances)
}
