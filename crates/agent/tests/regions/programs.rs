//! Programs whose output is served, over the wire and over a change of the configuration.

use std::time::{Duration, Instant};

use crate::support::BOTH;
use crate::{Bound, Value, set, texts, walk};

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
    let agent = crate::start(&config);
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
    let agent = crate::start(&config);
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
