//! The commands, one file each: arguments in, answers to the printer.

pub mod read;
pub mod set;
pub mod table;
pub mod translate;
pub mod walk;
pub mod watch;
