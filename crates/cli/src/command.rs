//! The commands, one file each: arguments in, answers to the printer.

pub mod access;
pub mod df;
pub mod jmx;
pub mod listen;
pub mod netconf;
pub mod netstat;
pub mod paths;
pub mod ping;
pub mod pki;
pub mod program;
pub mod rbac;
pub mod read;
pub mod select;
pub mod set;
pub mod status;
pub mod subscribe;
pub mod table;
pub mod targets;
pub mod translate;
pub mod trap;
pub mod user;
pub mod walk;
pub mod watch;
