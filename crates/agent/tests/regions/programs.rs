//! Programs whose output is served, over the wire and over a change of the configuration.

use std::time::{Duration, Instant};

use crate::regions::{Bound, Value, set, texts, walk};
use crate::support::BOTH;

const LINES: &str = "1.3.6.1.4.1.8072.1.3.2.3.1.1";

#[test]
fn the_configuration_sets_what_runs_and_may_change() {
    let config = format!(
        "{BOTH}[[extend]]\nname = \"a\"\ncommand = [\"/bin/echo\", \"one  two\"]\n\
         [[extend]]\nname = \"b\"\nshell = true\ncommand = [\"echo $((1 + 1))\"]\noid = \"1.3.6.1.4.1.9999.7\"\n\
         [[exec]]\nname = \"c\"\ncommand = [\"/bin/echo\", \"three\"]\n\
         [[process]]\nname = \"trunkline-never-runs\"\nfix = [\"/bin/true\"]\n\
         [[disk]]\npath = \"/\"\nminimum = \"100%\"\n\
         [load]\nmax-1 = 0.0\n"
    );
    let agent = crate::regions::start(&config);
    let expected = [format!("{LINES}.1.97=one  two"), format!("{LINES}.1.99=three")];
    assert_eq!(texts(&walk(&agent, LINES, Some(10))), expected);
    assert_eq!(agent.get("1.3.6.1.4.1.9999.7.3.1.1.1.98"), Bound::Value(Value::text("2")));
    assert_eq!(agent.get("1.3.6.1.4.1.2021.8.1.101.1"), Bound::Value(Value::text("three")));
    assert_eq!(agent.get("1.3.6.1.4.1.2021.2.1.100.1"), Bound::Value(Value::Integer(1)));
    assert_eq!(agent.get("1.3.6.1.4.1.2021.9.1.100.1"), Bound::Value(Value::Integer(1)));
    assert_eq!(set(&agent, &[("1.3.6.1.4.1.2021.2.1.102.1", Value::Integer(1))]), (0, 0));
    assert_eq!(set(&agent, &[("1.3.6.1.4.1.8072.1.3.2.2.1.2.1.97", Value::text("/bin/false"))]), (17, 1));

    agent.rewrite(&format!("{BOTH}[[extend]]\nname = \"z\"\ncommand = [\"/bin/echo\", \"last\"]\n"));
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
    assert_eq!(texts(&walk(&agent, LINES, Some(10))), [format!("{LINES}.1.122=last")]);
    assert_eq!(texts(&walk(&agent, "1.3.6.1.4.1.2021.2", None)), [""; 0]);
}

#[test]
fn a_hanging_extend_is_waited_for_once() {
    let config = format!(
        "{BOTH}[[extend]]\nname = \"a\"\ncommand = [\"/bin/echo\", \"well\"]\ncache = \"0s\"\n\
         [[extend]]\nname = \"b\"\ncommand = [\"/bin/sleep\", \"1000\"]\ncache = \"0s\"\ntimeout = \"6s\"\n\
         [freshness]\nns-extend-output = \"per-request\"\n"
    );
    let agent = crate::regions::start(&config);
    let well = Bound::Value(Value::text("well"));
    assert_eq!(agent.get(&format!("{LINES}.1.97")), well);
    let result = "1.3.6.1.4.1.8072.1.3.2.3.1.4.1.98";
    assert_eq!(agent.get(result), Bound::Value(Value::Integer(124)), "killed at its limit");
    let begun = Instant::now();
    for _ in 0..3 {
        assert_eq!(agent.get(&format!("{LINES}.1.97")), well);
    }
    assert!(begun.elapsed() < Duration::from_millis(5900), "{:?}", begun.elapsed());
}

/// Prints the capabilities of a program and whether it may gain privileges.
const RIGHTS: &str =
    "#!/bin/sh\ngrep -E '^(CapEff|CapBnd|NoNewPrivs):' /proc/self/status | tr -s '\\t\\n' '  '\n";

/// An agent whose programs tell their rights: what the first prints, and whom a setuid copy of `id` takes itself for.
fn rights(agent_keys: &str) -> [String; 2] {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let program = crate::regions::executable(folder.path(), "rights.sh", RIGHTS);
    let setuid = folder.path().join("id");
    trunkline_testkit::copy_program(std::path::Path::new("/usr/bin/id"), &setuid);
    std::fs::set_permissions(&setuid, PermissionsExt::from_mode(0o4755)).unwrap();
    let config = format!(
        "[agent]\n{agent_keys}{BOTH}[[extend]]\nname = \"a\"\ncommand = [{program:?}]\n\
         [[extend]]\nname = \"b\"\ncommand = [{setuid:?}, \"-u\"]\n"
    );
    let agent = crate::regions::start(&config);
    ["97", "98"].map(|name| match agent.get(&format!("{LINES}.1.{name}")) {
        Bound::Value(value) => crate::regions::shown(&value),
        other => format!("{other:?}"),
    })
}

#[test]
fn programs_have_the_rights_that_are_configured() {
    if !rustix::process::geteuid().is_root() {
        return trunkline_testkit::leave_out("not root, who alone has rights to give up");
    }
    let all = format!("{:016x}", all_capabilities());
    let [restricted, id] = rights("");
    assert!(restricted.ends_with("NoNewPrivs: 1 ") && !restricted.contains(&all), "{restricted}");
    assert_eq!(id, "0");
    let [as_nobody, id] = rights("user = \"nobody\"\n");
    assert!(as_nobody.starts_with("CapEff: 0000000000000000 "), "{as_nobody}");
    assert_eq!(id, nobody(), "a setuid program gains nothing");

    let unrestricted = "program-privileges = \"unrestricted\"\n";
    let [free, id] = rights(unrestricted);
    assert_eq!(
        (free.as_str(), id.as_str()),
        (format!("CapEff: {all} CapBnd: {all} NoNewPrivs: 0 ").as_str(), "0")
    );
    let [as_nobody, id] = rights(&format!("user = \"nobody\"\n{unrestricted}"));
    assert_eq!(as_nobody, format!("CapEff: 0000000000000000 CapBnd: {all} NoNewPrivs: 0 "));
    assert_eq!(id, "0", "a setuid program is its owner");

    // The same with snmpd, started as root.
    let Some(snmpd) =
        crate::regions::proxy::Snmpd::start("extend a /bin/grep NoNewPrivs /proc/self/status\n")
    else {
        return;
    };
    let theirs: Vec<String> = snmpd.walk(LINES).into_iter().map(|(_, value)| value).collect();
    assert_eq!(theirs, ["\"NoNewPrivs:\t0\""]);
}

/// What this process may have at most.
fn all_capabilities() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("CapBnd:")).unwrap();
    u64::from_str_radix(line.trim(), 16).unwrap()
}

fn nobody() -> String {
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    let line = users.lines().find(|line| line.starts_with("nobody:")).unwrap();
    line.split(':').nth(2).unwrap().to_owned()
}
