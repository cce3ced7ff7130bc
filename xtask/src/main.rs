//! All automation of the workspace: `cargo xtask COMMAND`.
fn main() {}
