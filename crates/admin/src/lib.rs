//! The agent's own MIB modules: objects about the agent itself.

mod agentx;
mod authentication_traps;
mod counter;
mod engine;
mod hidden;
mod identity;
pub mod journal;
mod kept;
mod modules_served;
mod named_files;
mod notification_log;
mod published;
pub mod rows;
mod session_counters;
mod snmpv2_mib;
mod spin_lock;
mod sshtm;
mod state_file;
pub mod state_folder;
pub mod target_rows;
mod targets;
#[cfg(test)]
mod testing;
mod tlstm;
mod tsm;
mod usm;
mod vacm;
mod watch;

pub use agentx::{
    AGENTX, AGENTX_SERVED, AgentxConnection, AgentxGroup, AgentxRegistration, AgentxSession, AgentxState,
    AgentxView,
};
pub use authentication_traps::AuthenticationTraps;
pub use engine::{EngineGroup, SNMP_ENGINE};
pub use hidden::{AUTHORITY, EXPIRES, LIFETIME, Now, UNTIL};
pub use identity::{Identity, Start};
pub use journal::{Flush, Journal};
pub use kept::{Kept, KeptState};
pub use modules_served::{MOST_ROWS as MOST_MODULES_SERVED, ModulesServed, ServedModule};
pub use named_files::{NamedFileError, NamedFiles};
pub use notification_log::{LoggedNotification, NOTIFICATION_LOG, NotificationLog, NotificationLogGroup};
pub use session_counters::{SessionCounters, SshSessionCounters, TlsSessionCounters};
pub use snmpv2_mib::{GROUPS, SnmpGroup, SystemGroup, SystemOptions};
pub use sshtm::{SNMP_SSHTM, SshtmGroup};
pub use state_file::{ENGINE, Readers, StateError, StateError as KeptError, StateFile};
pub use state_folder::{StateFolder, orphaned_files};
pub use target_rows::{
    Community, Destination, Endpoint, MessageModel, Notify, NotifyType, Tag, TagError, TargetAddress,
    TargetParams, TargetTables,
};
pub use targets::{SNMP_TARGETS, TargetGroup, target_principal};
pub use tlstm::{SNMP_TLSTM, TlstmGroup, server_certificate_unknown, server_invalid_certificate};
pub use tsm::{SNMP_TSM, TsmGroup};
pub use usm::{USM_KEYS, USM_USERS, UsmGroup, refuse_orphaned_users};
pub use vacm::{VACM, VacmGroup};
