//! What a subagent does wrong costs its own subtree, for as long as it does it: walks go on, its neighbors and the agent
//! answer meanwhile, and the log names it.

use std::sync::mpsc;
use std::thread;

use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Exception};

use crate::daemon::wait_until;
use crate::master::{Kind, Master, walk};
use crate::same::Instances;
use crate::subagent::{COLUMNS, Subagent, is_built};
use crate::support::oid;

const BEFORE: &str = "1.3.6.1.4.1.8072.9999.9999.6";
const BAD: &str = "1.3.6.1.4.1.8072.9999.9999.7";
const BEHIND: &str = "1.3.6.1.4.1.8072.9999.9999.8";
const ROWS: usize = 40;

/// Each is one command for the subagent. The last ones end its session, and it connects again.
const FAULTS: &[&str] = &[
    "slow 30000",
    "silent",
    "backwards",
    "before",
    "behind",
    "few",
    "many",
    "index",
    "unknown",
    "stranger",
    "cut",
    "garbage",
    "version",
];

/// A master with the subagent that misbehaves between two that do not.
struct Scene {
    master: Master,
    before: Subagent,
    bad: Subagent,
    behind: Subagent,
    folder: tempfile::TempDir,
}

impl Scene {
    fn make() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("agentx");
        let master = Master::start(Kind::Ours, &socket, folder.path());
        let [before, bad, behind] = [("before", BEFORE), ("misbehaving", BAD), ("behind", BEHIND)]
            .map(|(name, root)| Subagent::start(&socket, name, root, ROWS));
        let scene = Scene { master, before, bad, behind, folder };
        scene.wait_until_whole();
        scene
    }

    /// Both neighbors are whole, and nothing but the bad one's own may be missing in a walk of everything.
    fn check_the_rest(&self, fault: &str) -> Instances {
        let all = self.master.walk("1").unwrap_or_else(|error| panic!("{fault}: {error}"));
        for root in [BEFORE, BEHIND] {
            assert_eq!(below(&all, root), ROWS * COLUMNS, "{fault}: {root}");
        }
        assert_eq!(below(&all, "1.3.6.1.7"), 0, "{fault}");
        assert!(below(&all, "1.3.6.1.6.3.10") > 0, "{fault}: what comes behind it");
        let Some(Value::OctetString(description)) = all.get(&oid("1.3.6.1.2.1.1.1.0")) else {
            panic!("{fault}: sysDescr");
        };
        assert!(description.starts_with(b"Linux"), "{fault}");
        all
    }

    /// All three serve all rows.
    fn wait_until_whole(&self) {
        wait_until("all three", || {
            [BEFORE, BAD, BEHIND]
                .iter()
                .all(|root| self.master.walk(root).is_ok_and(|found| found.len() == ROWS * COLUMNS))
        });
    }
}

fn below(all: &Instances, root: &str) -> usize {
    let root = oid(root);
    all.range(root.clone()..).take_while(|(name, _): &(&Oid, _)| name.starts_with(&root)).count()
}

#[test]
fn whatever_a_subagent_does_wrong_costs_its_own_subtree() {
    if !is_built() {
        return;
    }
    let mut scene = Scene::make();
    for fault in FAULTS {
        scene.bad.tell(&format!("fault {fault}"));
        let all = scene.check_the_rest(fault);
        assert!(below(&all, BAD) < ROWS * COLUMNS, "{fault} is not a fault");
        let line = scene.master.ours().wait_for("misbehaving");
        eprintln!("{fault}: {} of {} instances; {line}", below(&all, BAD), ROWS * COLUMNS);
        if !fault.starts_with("slow") {
            scene.bad.tell("fault none");
        } else {
            // It sleeps in its handler and takes no commands.
            scene.bad.kill();
            let socket = scene.folder.path().join("agentx");
            scene.bad = Subagent::start(&socket, "misbehaving", BAD, ROWS);
        }
        scene.wait_until_whole();
    }
    // What is wrong and costs nothing: the second answer is to no request.
    scene.bad.tell("fault twice");
    let all = scene.check_the_rest("twice");
    assert_eq!(below(&all, BAD), ROWS * COLUMNS);
}

#[test]
fn a_subagent_that_dies_or_is_killed_takes_its_subtree_with_it() {
    if !is_built() {
        return;
    }
    let mut scene = Scene::make();
    scene.bad.tell("fault die");
    let all = scene.check_the_rest("die");
    assert_eq!(below(&all, BAD), 0);
    scene.master.ours().wait_for("misbehaving");
    scene.before.kill();
    wait_until("the end of the session", || scene.master.walk(BEFORE).is_ok_and(|found| found.is_empty()));
    assert_eq!(scene.master.get(&scene.before.instance(1, 1)), Bound::Exception(Exception::NoSuchObject));
    let socket = scene.folder.path().join("agentx");
    scene.before = Subagent::start(&socket, "before", BEFORE, ROWS);
    scene.bad = Subagent::start(&socket, "misbehaving", BAD, ROWS);
    scene.wait_until_whole();
}

/// While a subagent lets one request wait, others are answered.
#[test]
fn a_slow_subagent_delays_no_other_request() {
    if !is_built() {
        return;
    }
    let mut scene = Scene::make();
    scene.bad.tell("fault silent");
    let address = scene.master.address();
    let (send, ended) = mpsc::channel();
    let walking = thread::spawn(move || {
        let found = walk(address, BAD);
        send.send(()).unwrap();
        found
    });
    let mut answered = 0;
    wait_until("the request that waits", || {
        for (agent, row) in [(&scene.before, 1), (&scene.behind, ROWS)] {
            let value = scene.master.get(&agent.instance(1, row));
            assert_eq!(value, Bound::Value(Value::Integer(i32::try_from(row).unwrap())));
            answered += 1;
        }
        ended.try_recv().is_ok()
    });
    walking.join().unwrap().unwrap();
    assert!(answered > 10, "only {answered} answers in the meantime");
}

#[test]
fn registrations_and_sessions_are_bounded_and_conflicts_refused() {
    if !is_built() {
        return;
    }
    let mut scene = Scene::make();
    // RFC 2741 section 7.1.4.1: duplicateRegistration (263) for the same subtree at the same priority.
    let twice = scene.behind.tell(&format!("register {BAD}"));
    assert_eq!(twice, "refused");
    // At a better priority it takes the subtree over, and there it has no instances: names behind it remain its own.
    assert_eq!(scene.behind.tell(&format!("register {BAD} 100")), "granted");
    assert!(scene.master.walk(BAD).unwrap().is_empty());
    scene.check_the_rest("register");
    scene.behind.kill();
    wait_until("the subtree to fall back", || {
        scene.master.walk(BAD).is_ok_and(|found| found.len() == ROWS * COLUMNS)
    });
    let socket = scene.folder.path().join("agentx");
    scene.behind = Subagent::start(&socket, "behind", BEHIND, ROWS);
    scene.wait_until_whole();

    let granted: usize = scene.bad.tell("sessions 5000").parse().unwrap();
    assert!(granted < 5000, "no bound on sessions");
    let all = scene.check_the_rest("sessions");
    assert_eq!(below(&all, BAD), ROWS * COLUMNS);
    scene.bad.tell("connections 800");
    let all = scene.check_the_rest("connections");
    assert_eq!(below(&all, BAD), ROWS * COLUMNS);
}

/// A Set over three subagents is done in all of them or in none.
#[test]
fn a_set_across_subagents_is_done_wholly_or_not_at_all() {
    if !is_built() {
        return;
    }
    let scene = Scene::make();
    let names = |row| [&scene.before, &scene.bad, &scene.behind].map(|agent| agent.instance(4, row));
    let values = |row: usize| names(row).map(|name| scene.master.get(&name));
    let [one, two, three] = names(5);
    assert_eq!(scene.master.set(&[(one.clone(), 11), (two.clone(), 12), (three.clone(), 13)]), (0, 0));
    let eleven_to_thirteen = [11, 12, 13].map(|value| Bound::Value(Value::Integer(value)));
    assert_eq!(values(5), eleven_to_thirteen);
    // The last one refuses: wrongValue (10) at the third variable.
    assert_eq!(scene.master.set(&[(one.clone(), 21), (two.clone(), 22), (three, -1)]), (10, 3));
    assert_eq!(values(5), eleven_to_thirteen);
    // The second one is not writable (17), and nothing has happened to the first one.
    assert_eq!(scene.master.set(&[(one, 31), (scene.bad.instance(1, 5), 3)]), (17, 2));
    assert_eq!(values(5), eleven_to_thirteen);
}
