//! What the manager's commands print: instances as records, tables, octets with what they mean, rates of counters, figures
//! of a machine, and definitions of MIB modules.

pub mod definitions;
pub mod delta;
pub mod draw;
pub mod figures;
pub mod netstat;
pub mod octets;
pub mod print;
pub mod rate;
pub mod record;
pub mod snmpnetstat;
