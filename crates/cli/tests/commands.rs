//! What the commands beyond get and walk do: against an agent of the test, and against `trunklined`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panic and say why")]

#[path = "commands/machine.rs"]
mod machine;
#[path = "commands/netstat.rs"]
mod netstat;
#[path = "commands/recording.rs"]
mod recording;
#[path = "commands/words.rs"]
mod words;
