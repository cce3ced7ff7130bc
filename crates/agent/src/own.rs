//! The agent's own MIB modules: what the agent says of itself.

mod kept;
mod snmpv2_mib;
pub mod target_rows;

pub use kept::{Kept, KeptError, KeptState};
pub use snmpv2_mib::{GROUPS, SnmpGroup, SystemGroup, SystemOptions};
