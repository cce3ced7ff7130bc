//! Who may use an operation, what of requests was denied, and `/nacm` (RFC 8341): the room `nacm` for this door.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use trunkline_datastore::{Step, path};
use trunkline_nacm::{Counts, Right, brief, right_of};
use trunkline_netconf::error::RpcError;
use trunkline_smi::module::snmp_view_based_acm_mib as vacm;
use trunkline_smi::visible;
use trunkline_tree::policy::{Denied, Principal, ViewType};
use trunkline_tree::{Access, Coverage};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::selection::Wanted;

use super::Netconf;
use super::made::Made;
use super::permission::{access, denied, may_write_all, sees_names};
use trunkline_core::{Caller, DataQuery, NotAdmitted};

/// What was denied since the agent started (RFC 8341 section 3.5), in sessions and over HTTP.
#[derive(Default)]
pub(super) struct Denials {
    operations: AtomicU32,
    data_writes: AtomicU32,
    notifications: AtomicU32,
}

impl Denials {
    /// An operation was denied.
    pub fn operation(&self) {
        self.operations.fetch_add(1, Relaxed);
    }

    /// A notification was not sent to a subscriber.
    pub fn notification(&self) {
        self.notifications.fetch_add(1, Relaxed);
    }

    fn counts(&self) -> Counts {
        let of = |count: &AtomicU32| count.load(Relaxed);
        Counts {
            operations: of(&self.operations),
            data_writes: of(&self.data_writes),
            notifications: of(&self.notifications),
        }
    }
}

/// A change that its sender may not make.
pub(super) struct DeniedChange {
    /// What the sender is answered.
    pub error: RpcError,
    /// Where it is.
    pub place: Vec<Step>,
}

/// Refuses an operation before its parameters are looked at (RFC 8341 section 3.4.4).
///
/// # Errors
/// `access-denied`
pub(super) fn may_use(door: &Netconf, principal: Principal<'_>, operation: &str) -> Result<(), RpcError> {
    has_role(door, principal)?;
    let may = match right_of(operation) {
        Right::Nothing => true,
        Right::Read => access(door, principal, ViewType::Read).is_some(),
        Right::Write => {
            access(door, principal, ViewType::Write).is_some_and(|it| it.may_write_anything())
                || door.administration(principal).is_some()
        }
        Right::Everything => access(door, principal, ViewType::Write)
            .is_some_and(|it| it.may_write_anything() && may_write_all(&door.models().forest, &it)),
    };
    if may {
        return Ok(());
    }
    door.denials.operation();
    let name = String::from_utf8_lossy(principal.name);
    tracing::debug!(%name, operation, "an operation is denied");
    Err(denied("there is no right to use this operation"))
}

/// Refuses a request on behalf of a role that its sender has not.
///
/// # Errors
/// `access-denied`
pub(super) fn has_role(door: &Netconf, principal: Principal<'_>) -> Result<(), RpcError> {
    let Some(acting) = principal.acting else { return Ok(()) };
    let caller = Caller::of_default_context(principal);
    match door.core.settings().admit(&caller, ViewType::Read) {
        Err(NotAdmitted::Denied(Denied::NoSuchRole)) => {}
        _ => return Ok(()),
    }
    door.denials.operation();
    let role = String::from_utf8_lossy(acting.role);
    tracing::debug!(name = %String::from_utf8_lossy(principal.name), %role, "a request on behalf of a role is denied");
    Err(denied(&format!("the role {:?} is none of yours", visible(&role))))
}

/// The access of somebody who may read something, in whatever protocol.
pub(super) fn reader(door: &Netconf, principal: Principal<'_>) -> Option<Arc<Access>> {
    access(door, principal, ViewType::Read).or_else(|| {
        door.denials.operation();
        None
    })
}

/// Counts a change that is denied, and tells the log which row decided.
pub(super) fn note_denied(door: &Netconf, principal: Principal<'_>, change: DeniedChange) -> RpcError {
    door.denials.data_writes.fetch_add(1, Relaxed);
    if tracing::enabled!(tracing::Level::DEBUG) {
        let forest = &door.models().forest;
        let settings = door.core.settings();
        let node = change.place.last().map(|step| step.node);
        let object = node.and_then(|node| first_object(forest, node)).unwrap_or_default();
        let why = brief(&settings.guard().policy().explain(&principal, b"", ViewType::Write, object));
        let name = String::from_utf8_lossy(principal.name);
        let path = path(forest, &change.place).text;
        tracing::debug!(%name, %path, why, "a change is denied");
    }
    change.error
}

/// The object of a leaf, or of the first leaf in a node.
fn first_object(forest: &Forest, node: NodeId) -> Option<&'static [u32]> {
    match forest[node].place.setting() {
        Some(setting) => Some(setting.object),
        None => forest[node].children.iter().find_map(|child| first_object(forest, *child)),
    }
}

/// `/nacm`, as far as somebody may see it: who is in which group for those who may read vacmSecurityToGroupTable, the rest for those who may
/// read all of VACM's tables.
pub(super) fn make(
    door: &Netconf,
    query: &DataQuery<'_>,
    root: NodeId,
    wanted: &Wanted,
    made: &mut Made<'_>,
) {
    let forest = &door.models().forest;
    let settings = door.core.settings();
    let sees = (sees_names(query.access), sees_policy(query.access));
    let wants_rules = wanted.reaches(forest, root, &["rule-list"]);
    let (policy, counts) = (settings.guard().policy(), door.denials.counts());
    trunkline_nacm::make(forest, policy, &door.rules, counts, sees, wants_rules, made);
}

/// The same policy as the roles, permissions and users of `/netconf/security/rbac`, for those who may see `/nacm`.
pub(super) fn make_roles(
    door: &Netconf,
    query: &DataQuery<'_>,
    root: NodeId,
    wanted: &Wanted,
    made: &mut Made<'_>,
) {
    let forest = &door.models().forest;
    let reaches = |names: &[&str]| wanted.reaches(forest, root, names);
    if !reaches(&["security", "rbac"]) {
        return;
    }
    let settings = door.core.settings();
    let sees = (sees_names(query.access), sees_policy(query.access));
    let wants_permissions = reaches(&["security", "rbac", "permissions"])
        || reaches(&["security", "rbac", "permission-assignements"]);
    let policy = settings.guard().policy();
    trunkline_nacm::make_roles(forest, policy, &door.rules, sees, wants_permissions, made);
}

fn sees_policy(access: &Access) -> bool {
    let tables = [vacm::VACM_ACCESS_TABLE.oid, vacm::VACM_VIEW_TREE_FAMILY_TABLE.oid];
    sees_names(access) && tables.iter().all(|oid| access.may_read_below(oid) == Coverage::All)
}
