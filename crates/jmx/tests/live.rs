//! Against Java: a client of the JDK reads a toy agent made with this room, and the client's end reads a JVM. With every JDK
//! that is installed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

mod live {
    pub mod client;
    pub mod toy;
}

use live::{client, toy};
use trunkline_testkit::jvm::{Jvm, homes, run};

#[test]
fn java_clients_read_an_agent() {
    for home in homes() {
        let port = toy::serve();
        let output = run(&home, "Client.java", &[], &[&port.to_string()]);
        let lines: Vec<&str> = output.lines().collect();
        assert_eq!(lines, toy::EXPECTED, "{}", home.display());
    }
}

#[test]
fn the_clients_end_reads_jvms() {
    for home in homes() {
        let jvm = Jvm::open(&home);
        client::read_everything(jvm.port);
        client::listen(jvm.port);
    }
}
