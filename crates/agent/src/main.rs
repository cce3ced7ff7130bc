//! The program `trunklined`.
fn main() {}
