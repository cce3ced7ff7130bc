//! The modules that the agent serves, as constant data: one file per module.
//!
//! Names, numbers and enumerations are those of the RFC (or, for UCD-SNMP-MIB,
//! of Net-SNMP's published module); the words are ours.

use crate::schema::Module;

pub mod if_mib;

/// Every module of this folder.
pub const ALL: &[&Module] = &[&if_mib::MODULE];
