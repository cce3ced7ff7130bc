//! `pass_persist`: one that is well, one that dies, hangs, floods, and talks nonsense, all in one program.

use std::path::PathBuf;

use crate::regions::proxy::Snmpd;
use crate::regions::{Bound, Exception, Value, ask, executable, set, shown, texts, walk};
use crate::support::{Agent, BOTH, PATIENCE, get, wait_for_end};

/// Instances 1 to 5 of `1.3.6.1.4.1.9999.2`; each start is recorded. Its other behaviour, by name: 66 dies, as
/// from 1000 on, 77 hangs, 88 floods, 99 prints nonsense.
const PROGRAM: &str = r#"
import os, sys, time
root = ".1.3.6.1.4.1.9999.2"
folder = os.path.dirname(os.path.abspath(__file__))
with open(folder + "/starts", "a") as starts:
    starts.write("%d\n" % os.getpid())
values = {1: ("string", "one"), 2: ("integer", "2"), 3: ("gauge", "3"), 4: ("string", ""), 5: ("objectid", ".1.3")}
def line():
    text = sys.stdin.readline()
    if text.strip() == "":
        with open(folder + "/farewell", "w") as farewell:
            farewell.write("bye\n")
        sys.exit(0)
    return text.strip()
def say(*words):
    for word in words:
        print(word)
    sys.stdout.flush()
def index(name):
    rest = name[len(root) + 1:]
    return int(rest) if rest else 0
while True:
    word = line()
    if word == "PING":
        say("PONG")
        continue
    name = line()
    n = index(name)
    if n == 66 or n >= 1000: sys.exit(3)
    if n == 77: time.sleep(1000)
    while n == 88: print("y" * 1000)
    if n == 99: say("what?", "more", "and more", "and more")
    elif word == "set":
        kind, value = line().split(" ", 1)
        if n == 2: say("not-writable")
        elif n not in values: say("no-creation")
        else:
            values[n] = (kind, value.strip('"'))
            say("DONE")
    else:
        if word == "getnext":
            n = min([k for k in values if k > n], default=None)
        say(*((root + ".%d" % n,) + values[n] if n in values else ("NONE",)))
"#;

pub const ROOT: &str = "1.3.6.1.4.1.9999.2";

/// An agent with this program.
pub struct Talk {
    pub agent: Agent,
    folder: tempfile::TempDir,
}

impl Talk {
    pub fn start(timeout: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let command = Talk::command(&folder);
        let config = format!(
            "{BOTH}[[pass]]\noid = \"{ROOT}\"\ncommand = [\"{}\"]\npersistent = true\ntimeout = \"{timeout}\"\n",
            command.display()
        );
        Talk { agent: crate::regions::start(&config), folder }
    }

    fn command(folder: &tempfile::TempDir) -> PathBuf {
        let text = format!("#!{}\n{PROGRAM}", python().display());
        executable(folder.path(), "persist.py", &text)
    }

    /// The programs that were started so far.
    pub fn starts(&self) -> Vec<u32> {
        let text = std::fs::read_to_string(self.folder.path().join("starts")).unwrap_or_default();
        text.lines().map(|line| line.parse().unwrap()).collect()
    }

    pub fn get(&self, n: u32) -> Bound {
        self.agent.get(&format!("{ROOT}.{n}"))
    }

    /// error-status and error-index of a get.
    pub fn failure(&self, n: u32) -> (i32, i32) {
        let answer = ask(&self.agent, get(&["1.3.6.1.2.1.1.3.0", &format!("{ROOT}.{n}")]));
        (answer.error_status, answer.error_index)
    }
}

fn python() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let found = std::env::split_paths(&path).map(|folder| folder.join("python3")).find(|path| path.exists());
    found.expect("python3 is installed")
}

#[test]
fn one_program_answers_all_requests_and_is_stopped_at_the_end() {
    let talk = Talk::start("20s");
    assert_eq!(talk.starts(), [0; 0], "it is started when it is needed");
    let all = walk(&talk.agent, ROOT, None);
    let expected = ["1=one", "2=2", "3=3", "4=", "5=1.3"].map(|text| format!("{ROOT}.{text}"));
    assert_eq!(texts(&all), expected);
    assert_eq!(walk(&talk.agent, ROOT, Some(40)), all);
    assert_eq!(talk.get(9), Bound::Exception(Exception::NoSuchInstance));
    assert_eq!(talk.get(3), Bound::Value(Value::Unsigned32(3)));
    let name = |n: u32| format!("{ROOT}.{n}");
    assert_eq!(set(&talk.agent, &[(&name(1), Value::text("two words"))]), (0, 0));
    assert_eq!(talk.get(1), Bound::Value(Value::text("two words")));
    assert_eq!(set(&talk.agent, &[(&name(2), Value::Integer(5))]), (17, 1));
    assert_eq!(set(&talk.agent, &[(&name(9), Value::Integer(5))]), (11, 1));
    // The first item was set when the second was refused: that cannot be undone, and is reported.
    assert_eq!(set(&talk.agent, &[(&name(1), Value::text("x")), (&name(2), Value::Integer(5))]), (15, 0));
    let starts = talk.starts();
    assert_eq!(starts.len(), 1, "one program for all questions");
    drop(talk.agent.terminate());
    // The end of the agent is the end of its input, whoever holds the other end.
    wait_for_end(starts[0] as i32);
}

#[test]
fn a_program_that_a_reload_takes_away_ends() {
    let talk = Talk::start("20s");
    assert_eq!(talk.get(3), Bound::Value(Value::Unsigned32(3)));
    talk.agent.rewrite(BOTH);
    talk.agent.signal("HUP");
    talk.agent.wait_for("configuration reloaded");
    // Nobody asks anything more: it ends nonetheless.
    wait_for_end(talk.starts()[0] as i32);
}

#[test]
fn snmpd_gets_the_same_from_the_same_program() {
    let folder = tempfile::tempdir().unwrap();
    let command = Talk::command(&folder);
    let Some(snmpd) = Snmpd::start(&format!("pass_persist .{ROOT} {}\n", command.display())) else { return };
    let talk = Talk::start("20s");
    let ours: Vec<(String, String)> =
        walk(&talk.agent, ROOT, None).into_iter().map(|(name, value)| (name, shown(&value))).collect();
    let theirs: Vec<(String, String)> = snmpd
        .walk(ROOT)
        .into_iter()
        .map(|(name, text)| (name, text.trim().trim_matches('"').trim_start_matches('.').to_owned()))
        .collect();
    assert_eq!(ours, theirs);
    for (n, text, accepted) in [(1, "two words", true), (2, "x", false), (9, "x", false)] {
        let name = format!("{ROOT}.{n}");
        assert_eq!(snmpd.set(&name, text), accepted);
        assert_eq!(set(&talk.agent, &[(&name, Value::text(text))]).0 == 0, accepted);
    }
}

#[test]
fn a_program_that_dies_is_restarted_for_the_next_request() {
    let talk = Talk::start("20s");
    assert_eq!(talk.get(2), Bound::Value(Value::Integer(2)));
    // It dies of the question, is started once more for it, and dies again.
    assert_eq!(talk.failure(66), (5, 2));
    assert_eq!(talk.starts().len(), 2);
    assert_eq!(talk.get(3), Bound::Value(Value::Unsigned32(3)));
    assert_eq!(talk.starts().len(), 3);
    // The question that it died of is put to it again after a while.
    let deadline = std::time::Instant::now() + PATIENCE;
    while talk.starts().len() == 3 {
        assert_eq!(talk.failure(66), (5, 2));
        assert!(std::time::Instant::now() < deadline, "it was never asked again");
    }
}

#[test]
fn a_program_that_hangs_or_floods_is_killed_and_others_are_served() {
    let talk = Talk::start("700ms");
    for (bad, starts) in [(77, 1), (88, 2)] {
        let before = talk.starts().len();
        assert_eq!(before, starts - 1);
        assert_eq!(talk.failure(bad), (5, 2));
        let killed = *talk.starts().last().unwrap();
        let deadline = std::time::Instant::now() + PATIENCE;
        while std::path::Path::new(&format!("/proc/{killed}/exe")).exists() {
            assert!(std::time::Instant::now() < deadline, "it was not killed");
            std::thread::yield_now();
        }
    }
}

#[test]
fn nonsense_is_an_error_and_the_next_answer_belongs_to_the_next_request() {
    let talk = Talk::start("20s");
    assert_eq!(talk.get(2), Bound::Value(Value::Integer(2)));
    assert_eq!(talk.failure(99), (5, 2));
    talk.agent.wait_for("what?");
    // Its further lines have gone with it.
    assert_eq!(talk.get(3), Bound::Value(Value::Unsigned32(3)));
    assert_eq!(talk.starts().len(), 2);
}
