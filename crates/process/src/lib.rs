//! The agent as a process: its user and capabilities, and the memory that it gives back.

pub mod memory;
pub mod privilege;
