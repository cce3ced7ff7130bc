//! The program `trunkline`.
fn main() {}
