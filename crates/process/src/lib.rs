//! The agent as a process: its user and capabilities, the memory that it gives back, and its descriptors.

pub mod descriptors;
pub mod memory;
pub mod privilege;
