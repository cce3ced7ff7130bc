//! Five routers, six networks and the hosts, each a network namespace; the networks are bridges in a seventh place.

use std::process::Command;

use trunkline_testkit::namespace::{ip, ip_json};

/// R1, as the CMS sees it.
pub const R1: &str = "10.71.1.1";
/// The HTTP server in N2.
pub const WEB: &str = "10.71.2.80";
/// The FTP server in N3.
pub const FILES: &str = "10.71.3.22";
/// Somebody else's host in N6.
pub const OTHER: &str = "10.71.6.6";
/// The CMS in N1.
pub const CMS: &str = "10.71.1.99";

/// The network, until the test's own namespace ends.
pub struct Network;

impl Network {
    /// Makes all of it.
    pub fn build() -> Network {
        // Names of namespaces that nobody else sees, and that are gone with the test's own.
        let private = "mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns";
        assert!(Command::new("sh").args(["-c", private]).status().unwrap().success());
        ip("netns add lans");
        for lan in 1..=6 {
            ip(&format!("-n lans link add n{lan} type bridge"));
            ip(&format!("-n lans link set n{lan} up"));
        }
        for (router, interfaces) in [
            ("r1", [(1, 1), (2, 1)]),
            ("r2", [(2, 2), (6, 1)]),
            ("r3", [(2, 3), (3, 1)]),
            ("r4", [(1, 4), (4, 1)]),
            ("r5", [(1, 5), (5, 1)]),
        ] {
            host(router);
            run(router, "sysctl -q -w net.ipv4.ip_forward=1");
            for (lan, last) in interfaces {
                join(router, lan, last);
            }
        }
        for (name, lan, last) in
            [("web", 2, 80), ("files", 3, 22), ("user", 4, 4), ("readers", 5, 5), ("other", 6, 6)]
        {
            host(name);
            join(name, lan, last);
        }
        routes();
        // This namespace is the CMS.
        ip("link add n1 type veth peer name cms netns lans");
        ip("-n lans link set cms master n1 up");
        ip(&format!("address add {CMS}/24 dev n1"));
        ip("link set n1 up");
        ip(&format!("route add 10.71.0.0/16 via {R1}"));

        run("r1", "tc qdisc add dev n1 root tbf rate 40mbit burst 64kb latency 60ms");
        // Nothing is dropped before it has left the server: TCP would try the same segment again and again, and count it.
        run("web", "tc qdisc add dev n2 root tbf rate 8mbit burst 32kb limit 16mb");
        Network
    }

    /// ifIndex of an interface.
    pub fn index_of(&self, host: &str, interface: &str) -> u64 {
        let links = ip_json(&format!("-n {host} link show {interface}"));
        links[0]["ifindex"].as_u64().unwrap()
    }
}

fn host(name: &str) {
    ip(&format!("netns add {name}"));
    ip(&format!("-n {name} link set lo up"));
}

/// An interface, named as the network that it is in.
fn join(name: &str, lan: u32, last: u32) {
    ip(&format!("-n {name} link add n{lan} type veth peer name {name}-{lan} netns lans"));
    ip(&format!("-n lans link set {name}-{lan} master n{lan} up"));
    ip(&format!("-n {name} address add 10.71.{lan}.{last}/24 dev n{lan}"));
    ip(&format!("-n {name} link set n{lan} up"));
}

fn routes() {
    for (name, to, via) in [
        ("r1", "10.71.6.0/24", "10.71.2.2"),
        ("r1", "10.71.3.0/24", "10.71.2.3"),
        ("r1", "10.71.4.0/24", "10.71.1.4"),
        ("r1", "10.71.5.0/24", "10.71.1.5"),
        ("r2", "default", "10.71.2.1"),
        ("r3", "default", "10.71.2.1"),
        ("r4", "default", "10.71.1.1"),
        ("r5", "default", "10.71.1.1"),
        ("web", "default", "10.71.2.1"),
        ("files", "default", "10.71.3.1"),
        ("user", "default", "10.71.4.1"),
        ("readers", "default", "10.71.5.1"),
        ("other", "default", "10.71.6.1"),
    ] {
        ip(&format!("-n {name} route add {to} via {via}"));
    }
}

/// A program in a namespace, which must succeed.
fn run(name: &str, command: &str) {
    ip(&format!("netns exec {name} {command}"));
}
