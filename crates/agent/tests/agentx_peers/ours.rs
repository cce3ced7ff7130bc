//! `trunklined` as a subagent: of Debian's snmpd, and of another `trunklined`.

use trunkline_smi::Value;
use trunkline_testkit::has;
use trunkline_testkit::namespace::isolated_with_users;

use crate::daemon::wait_until;
use crate::master::{Kind, Master, walk};
use crate::support::{Agent, oid};
use crate::world::World;

/// ENTITY-MIB, which snmpd lacks; ifXTable and ipForwarding, which it has too.
const ENTITIES: &str = "1.3.6.1.2.1.47";
const IF_X: &str = "1.3.6.1.2.1.31.1.1";
const FORWARDING: &str = "1.3.6.1.2.1.4.1";

fn subagent(world: &World) -> Agent {
    let rights = format!("[\"{IF_X}\", \"{ENTITIES}\", \"{FORWARDING}\"]");
    let config = format!(
        "[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n[[snmp.community]]\nname = \"public\"\naccess = \"read\"\n\
         [[snmp.user]]\nname = \"writer\"\nrole = \"links\"\nauth = \"SHA-256\"\nauth-password = \"maplesyrup\"\n\
         priv = \"AES-128\"\npriv-password = \"maplesyrup\"\n\
         [[role]]\nname = \"links\"\nread = {rights}\nwrite = {rights}\n\
         [subagent]\nmaster = \"unix:{}\"\nregister = {rights}\nuser = \"writer\"\n",
        world.socket().display()
    );
    let mut agent = Agent::spawn(tempfile::tempdir().unwrap(), &config, &[]);
    agent.wait_for_listeners(1);
    agent
}

fn alias() -> String {
    std::fs::read_to_string("/sys/class/net/near/ifalias").unwrap()
}

fn check(kind: Kind, world: &World) {
    let master = Master::start(kind, &world.socket(), world.folder.path());
    let own = subagent(world);
    wait_until("our registrations", || {
        master.walk(ENTITIES).is_ok_and(|found| !found.is_empty())
            && master.walk(IF_X).is_ok_and(|found| found.len() >= 19)
    });
    for module in [ENTITIES, IF_X, FORWARDING] {
        let (through, direct) = (master.walk(module).unwrap(), walk(own.udp(), module).unwrap());
        assert!(through.keys().eq(direct.keys()), "{kind:?} {module}: {through:?}");
        if module != IF_X {
            assert_eq!(through, direct, "{kind:?}");
        }
        eprintln!("{kind:?}: {} instances of {module} from trunklined as a subagent", through.len());
    }
    // A walk of everything passes through it and goes on.
    let all = master.walk("1.3.6.1").unwrap();
    assert!(all.keys().any(|name| name.starts_with(&oid(ENTITIES))));
    assert!(
        all.keys().any(|name| name.starts_with(&oid("1.3.6.1.6.3"))),
        "{kind:?}: {} instances",
        all.len()
    );

    let index = std::fs::read_to_string("/sys/class/net/near/ifindex").unwrap();
    let name = format!("{IF_X}.1.18.{}", index.trim());
    let text = |text: &str| Value::OctetString(text.as_bytes().into());
    assert_eq!(master.set_values(&[(&name, text("uplink"))]), (0, 0), "{kind:?}");
    assert_eq!(alias(), "uplink\n", "{kind:?}");
    assert_eq!(master.get(&name).value(), Some(&text("uplink")));
    // Its own test says no, and nothing is set.
    let wrong = [(name.as_str(), text("other")), (FORWARDING, Value::Integer(1))];
    assert_ne!(master.set_values(&wrong).0, 0, "{kind:?}");
    assert_eq!(alias(), "uplink\n", "{kind:?}");
}

#[test]
fn another_master_has_objects_of_ours() {
    if !has("snmpd", "snmpd") {
        return;
    }
    isolated_with_users("ours::another_master_has_objects_of_ours", || {
        let world = World::make();
        for kind in [Kind::Ours, Kind::NetSnmp] {
            check(kind, &world);
        }
    });
}

#[test]
fn a_session_is_made_again() {
    isolated_with_users("ours::a_session_is_made_again", || {
        let world = World::make();
        // There is not even a socket at first.
        let own = subagent(&world);
        own.wait_for("not a subagent of this master at present");
        for _ in 0..2 {
            let master = Master::start(Kind::Ours, &world.socket(), world.folder.path());
            wait_until("our registrations", || master.walk(ENTITIES).is_ok_and(|found| !found.is_empty()));
        }
    });
}
