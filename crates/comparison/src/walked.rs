//! All instances of an agent.

use std::collections::BTreeMap;
use std::time::Duration;

use trunkline_client::{SessionOptions, SnmpSession, Target, WalkOptions, walk as walk_subtree};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::Bound;

use super::error::CompareError;

/// Instances and their values.
pub type Instances = BTreeMap<Oid, Value>;

/// A session with an agent. It serves all walks, so that its socket is the same in all of them.
pub(super) async fn open(agent: &'static str, target: &Target) -> Result<SnmpSession, CompareError> {
    let options = SessionOptions::default().with_timeout(Duration::from_secs(3)).with_retries(3);
    SnmpSession::open(target, options).await.map_err(|source| CompareError::Walk { agent, source })
}

/// Asks for everything below `root`.
pub(super) async fn walk(
    agent: &'static str,
    session: &SnmpSession,
    root: Oid,
) -> Result<Instances, CompareError> {
    let mut walk = walk_subtree(session, root, WalkOptions::default());
    let mut instances = Instances::new();
    while let Some(binding) = walk.next().await {
        let binding = binding.map_err(|source| CompareError::Walk { agent, source })?;
        if let Bound::Value(value) = binding.value {
            instances.insert(binding.name, value);
        }
    }
    Ok(instances)
}
