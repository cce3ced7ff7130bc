//! A private network namespace for a test: the test runs again as a child process inside it.

use std::process::Command;

use serde_json::Value as Json;

use crate::leave_out;

/// Runs `body` in a new namespace with its own /sys. `test` is the test's full name. If no namespace can be
/// created (not root, and not allowed for users) the test is left out.
pub fn isolated(test: &str, body: fn()) {
    isolated_by(test, &["--net", "--mount", "--map-root-user"], body);
}

/// The same with the machine's users, for daemons that change to theirs, and with processes of its own: none of
/// them outlives the test. Only root can do this.
pub fn isolated_with_users(test: &str, body: fn()) {
    let kinds = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
    isolated_by(test, &kinds, body);
}

fn isolated_by(test: &str, kinds: &[&str], body: fn()) {
    const INSIDE: &str = "TRUNKLINE_TEST_NAMESPACE";
    if std::env::var_os(INSIDE).is_some() {
        return body();
    }
    let unshare = || {
        let mut command = Command::new("unshare");
        command.args(kinds);
        command
    };
    if !unshare().arg("true").status().is_ok_and(|status| status.success()) {
        return leave_out("no network namespace can be made here");
    }
    let program = std::env::current_exe().expect("the test's own program");
    let status = unshare()
        .args(["sh", "-c", "mount -t sysfs sysfs /sys 2>/dev/null; ip link set lo up && exec \"$0\" \"$@\""])
        .arg(program)
        .args(["--exact", test, "--nocapture"])
        .env(INSIDE, "1")
        .status()
        .expect("run the test inside");
    assert!(status.success(), "{test} failed in its namespace");
}

/// `ip ARGS`, which must succeed.
pub fn ip(arguments: &str) {
    let status = Command::new("ip").args(arguments.split_whitespace()).status().expect("run ip");
    assert!(status.success(), "ip {arguments}");
}

/// What `ip -j -d ARGS` prints, without empty objects.
pub fn ip_json(arguments: &str) -> Vec<Json> {
    let output =
        Command::new("ip").args(["-j", "-d"]).args(arguments.split_whitespace()).output().expect("run ip");
    assert!(output.status.success(), "ip -j {arguments}");
    let parsed: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let objects = parsed.as_array().expect("an array").iter();
    objects.filter(|item| item.as_object().is_some_and(|object| !object.is_empty())).cloned().collect()
}
