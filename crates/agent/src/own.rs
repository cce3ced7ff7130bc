//! The agent's own MIB modules: what the agent says of itself.

mod authentication_traps;
mod counter;
mod engine;
mod kept;
mod notification_log;
pub mod rows;
mod snmpv2_mib;
mod spin_lock;
mod state_file;
pub mod target_rows;
mod targets;
#[cfg(test)]
mod testing;
mod usm;
mod vacm;

pub use authentication_traps::AuthenticationTraps;
pub use engine::{EngineGroup, SNMP_ENGINE};
pub use kept::{Kept, KeptState};
pub use notification_log::{LoggedNotification, NOTIFICATION_LOG, NotificationLog, NotificationLogGroup};
pub use snmpv2_mib::{GROUPS, SnmpGroup, SystemGroup, SystemOptions};
pub use state_file::{StateError, StateError as KeptError, StateFile};
pub use target_rows::{
    Community, Destination, Endpoint, MessageModel, Notify, NotifyType, Tag, TagError, TargetAddress,
    TargetParams, TargetTables,
};
pub use targets::{SNMP_TARGETS, TargetGroup, target_principal};
pub use usm::{USM_USERS, UsmGroup};
pub use vacm::{VACM, VacmGroup};
