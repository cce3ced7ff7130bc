//! Members over JMX: agents that have the objects as MBeans, with passwords and certificates, and JVMs that do not have them.

use std::net::SocketAddr;
use std::sync::Arc;

use trunkline_client::{Session, WalkOptions};
use trunkline_jmxclient::{JmxLogin, JmxOptions, JmxTarget, ObjectSession};
use trunkline_pki::{AuthorityOptions, Directory, KeyKind, LeafOptions, Name, Role, Storing};
use trunkline_smi::module::trunkline_mib::groups as mib;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, PduKind, VarBind, Version};
use trunkline_testkit::jvm::{Jvm, homes};
use trunkline_transport::ssh::PasswordHash;

use super::{PUBLIC, SYS_NAME, cell, group, integer, of, state, text, until};
use crate::support::{Agent, BOTH, PATIENCE, bulk, message, set};

const PASSWORD: &str = "login = \"ann\"\npassword = \"maple syrup\"";

/// An agent whose only listener of TCP is that of JMX, where ann logs in with her password.
fn java(name: &str, listen: &str, more: &str) -> Agent {
    let hash = PasswordHash::make(&"maple syrup".into()).unwrap().to_phc();
    Agent::start(&format!(
        "[system]\nname = \"{name}\"\n[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n\
         [[snmp.community]]\nname = \"public\"\naccess = \"read\"\n[[snmp.community]]\nname = \"private\"\naccess = \"write\"\n\
         [jmx]\nlisten = [\"{listen}\"]\n[[role]]\nname = \"all\"\nread = [\"1.3.6.1\"]\n\
         [[snmp.principal]]\nname = \"ann\"\nrole = \"all\"\npassword-hash = {hash:?}\n{more}"
    ))
}

fn reason(group: &str, member: &str) -> String {
    cell(mib::GROUP_MEMBER_TABLE.oid, 9, &[group, member], &[])
}

/// Waits until a member has this state for a reason with these words.
fn until_reason(agent: &Agent, member: &str, state_then: i32, words: &str) {
    let began = std::time::Instant::now();
    loop {
        let (state, reason) = (agent.get(&state("edge", member)), agent.get(&reason("edge", member)));
        if let (Bound::Value(Value::Integer(state)), Bound::Value(Value::OctetString(octets))) =
            (&state, &reason)
            && *state == state_then
            && String::from_utf8_lossy(octets).contains(words)
        {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{member}: {state:?} {reason:?}, not {words}");
        std::thread::yield_now();
    }
}

#[test]
fn members_over_jmx_have_tables_aggregates_and_contexts_as_others_have() {
    let one = java("one", "tcp://127.0.0.1:0", "");
    let address = one.tcp();
    let members = [
        of("java", &format!("jmx://{address}"), PASSWORD),
        of("udp", &format!("udp://{}", one.udp()), PUBLIC),
        of("wrong", &format!("jmx://{address}"), "login = \"ann\"\npassword = \"honey dew\""),
        of("nobody", &format!("jmx://{address}"), ""),
    ];
    let there = "[[role]]\nname = \"there\"\n[[role.access]]\ncontext = \"edge/*\"\nread = [\"1.3.6.1.2.1\"]\n\
         [[snmp.community]]\nname = \"there\"\nrole = \"there\"\ncontext = \"edge/java\"\n";
    let read = group("edge", &members.concat()).replace("objects =", "tables = [\"ifTable\"]\nobjects =");
    let rows = "[[group.aggregate]]\nname = \"rows\"\nobject = \"ifIndex\"\nfunction = \"count\"\n";
    let manager = Agent::start(&format!("{BOTH}{there}{read}{rows}"));
    until(&manager, &state("edge", "java"), &integer(2));
    until(&manager, &state("edge", "udp"), &integer(2));
    let value = |member: &str, object: &[u32], column: u32| {
        manager.get(&cell(mib::GROUP_VALUE_TABLE.oid, column, &["edge", member], object))
    };
    assert_eq!(value("java", &SYS_NAME, 7), text("one"));
    // Text, a number, octets, and a name of an object: each with its type.
    for (column, kind) in [(2, 7), (3, 6), (5, 4), (6, 7), (22, 9)] {
        let object = [1, 3, 6, 1, 2, 1, 2, 2, 1, column, 1];
        assert_eq!(value("java", &object, kind), value("udp", &object, kind), "ifEntry {column}");
    }
    let Bound::Value(Value::Integer(interfaces)) = one.get(super::IF_NUMBER) else { panic!() };
    let twice = Bound::Value(Value::Counter64(2 * u64::try_from(interfaces).unwrap()));
    until(&manager, &super::aggregate(4, "edge", "interfaces"), &twice);
    until(&manager, &super::aggregate(4, "edge", "rows"), &twice);
    assert_eq!(manager.get_as("there", "1.3.6.1.2.1.2.2.1.2.1"), text("lo"));
    until_reason(&manager, "wrong", 4, "the server refuses the user or the password");
    until_reason(&manager, "nobody", 4, "a session without a user");
    // It ends, and comes again.
    drop(one);
    until(&manager, &state("edge", "java"), &integer(4));
    let _again = java("again", &format!("tcp://{address}"), "");
    until(&manager, &state("edge", "java"), &integer(2));
    until(&manager, &cell(mib::GROUP_VALUE_TABLE.oid, 7, &["edge", "java"], &SYS_NAME), &text("again"));
}

#[test]
fn members_over_tls_know_the_manager_by_its_certificate_or_its_password() {
    let folder = tempfile::tempdir().unwrap();
    let pki = Directory::at(folder.path().join("pki"));
    let name = |text: &str| Name::new(text).unwrap();
    let options = AuthorityOptions::named(name("Test CA"));
    pki.init(&AuthorityOptions { key: KeyKind::EcdsaP256, ..options }, false).unwrap();
    let storing = Storing { force: true, default: true, self_signed: false };
    pki.issue(Role::Agent, &name("localhost"), &LeafOptions::default(), storing).unwrap();
    let directory = format!("[snmp.tls]\ndirectory = {:?}\n", pki.path().display().to_string());
    let principal = "[[snmp.principal]]\nname = \"localhost\"\nrole = \"all\"\n";
    let one = java("one", "tls://127.0.0.1:0", &format!("{principal}{directory}"));
    let port = one.address("tls").port();
    let at = |host: &str| format!("jmx+tls://{host}:{port}");
    let members = [
        of("certificate", &at("localhost"), ""),
        of("password", &at("localhost"), PASSWORD),
        of("number", &at("127.0.0.1"), &format!("{PASSWORD}\nserver-name = \"localhost\"")),
        of("stranger", &at("localhost"), &format!("{PASSWORD}\nserver-name = \"other\"")),
        of("plain", &format!("jmx://localhost:{port}"), PASSWORD),
    ];
    let manager = Agent::start(&format!("{BOTH}{directory}{}", group("edge", &members.concat())));
    for member in ["certificate", "password", "number"] {
        until(&manager, &state("edge", member), &integer(2));
        let value = cell(mib::GROUP_VALUE_TABLE.oid, 7, &["edge", member], &SYS_NAME);
        until(&manager, &value, &text("one"));
    }
    until_reason(&manager, "stranger", 4, "certificate");
    until_reason(&manager, "plain", 4, "requires TLS");
}

#[test]
fn a_jvm_without_the_objects_is_reachable_and_says_what_it_lacks() {
    for home in homes() {
        let jvm = Jvm::open(&home);
        let members = of("jvm", &format!("jmx://127.0.0.1:{}", jvm.port), "");
        let read = group("edge", &members).replace("objects =", "tables = [\"ifTable\"]\nobjects =");
        let manager = Agent::start(&format!("{BOTH}{read}"));
        until_reason(&manager, "jvm", 3, "none of the objects");
        assert!(matches!(manager.get(&super::aggregate(4, "edge", "interfaces")), Bound::Exception(_)));
        let reachable = cell(mib::GROUP_TABLE.oid, 5, &["edge"], &[]);
        until(&manager, &reachable, &Bound::Value(Value::Unsigned32(1)));
        drop(jvm);
        until(&manager, &state("edge", "jvm"), &integer(4));
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// JVM-MANAGEMENT-MIB: jvmMgtMIBObjects.
const JVM: &str = "1.3.6.1.4.1.42.2.145.3.163.1.1";

#[test]
fn a_jvm_has_memory_threads_and_pools_under_the_names_of_its_mib() {
    for home in homes() {
        let jvm = Jvm::open(&home);
        let members = of("jvm", &format!("jmx://127.0.0.1:{}", jvm.port), "");
        let read = format!(
            "[[group]]\nname = \"edge\"\ninterval = \"1s\"\nmax-age = \"20s\"\n\
             objects = [\"{JVM}.2.11.0\", \"{JVM}.4.5.0\"]\ntables = [\"{JVM}.2.110.1.2\", \"{JVM}.2.110.1.11\"]\n{members}\
             [[group.aggregate]]\nname = \"threads\"\nobject = \"{JVM}.3.1.0\"\nfunction = \"max\"\n\
             [[group.aggregate]]\nname = \"metaspace\"\nobject = \"{JVM}.2.110.1.11\"\nfunction = \"sum\"\n\
             where = {{ object = \"{JVM}.2.110.1.2\", equals = \"Metaspace\" }}\n"
        );
        let manager = Agent::start(&format!("{BOTH}{read}"));
        until(&manager, &state("edge", "jvm"), &integer(2));
        let value = |object: &str, column: u32| {
            let object: Oid = format!("{JVM}.{object}").parse().unwrap();
            manager.get(&cell(mib::GROUP_VALUE_TABLE.oid, column, &["edge", "jvm"], &object))
        };
        assert_eq!(value("4.5.0", 7), text("Java Virtual Machine Specification"));
        assert!(
            matches!(value("2.11.0", 10), Bound::Value(Value::Counter64(1_000_000..))),
            "{:?}",
            value("2.11.0", 10)
        );
        let number = |name: &str| match manager.get(&super::aggregate(4, "edge", name)) {
            Bound::Value(Value::Counter64(number)) => number,
            other => panic!("{name}: {other:?}"),
        };
        assert!(number("threads") > 3 && number("metaspace") > 100_000);
        let pools = manager.ask(&message(
            Version::V2c,
            "public",
            bulk(
                0,
                1,
                &[&{
                    let object: Oid = format!("{JVM}.2.110.1.2").parse().unwrap();
                    cell(mib::GROUP_VALUE_TABLE.oid, 7, &["edge", "jvm"], &object)
                }],
            ),
        ));
        assert!(matches!(&pools.pdu.bindings[0].value, Bound::Value(Value::OctetString(_))), "{pools:?}");
    }
}

async fn session(at: SocketAddr) -> ObjectSession {
    let login = JmxLogin { user: "ann".to_owned(), password: "maple syrup".to_owned().into() };
    let target = JmxTarget::parse(&format!("jmx://{at}")).unwrap().with_login(Some(login));
    ObjectSession::open(&target, JmxOptions::default()).await.unwrap()
}

/// All instances over SNMP.
fn walked(agent: &Agent) -> Vec<VarBind> {
    let mut all: Vec<VarBind> = Vec::new();
    loop {
        let last = all.last().map_or("1.3".to_owned(), |binding| binding.name.to_string());
        let answer = agent.ask(&message(Version::V2c, "public", bulk(0, 50, &[&last]))).pdu.bindings;
        let count = answer.len();
        all.extend(answer.into_iter().filter(|binding| matches!(binding.value, Bound::Value(_))));
        if count == 0 || all.last().is_none_or(|binding| binding.name.to_string() == last) {
            return all;
        }
    }
}

/// Every object with each way to read it. What is loaded is kept, so that both see the same.
#[test]
fn objects_over_jmx_are_those_over_snmp() {
    let one = java("one", "tcp://127.0.0.1:0", "[freshness]\ndefault = \"1h\"\n");
    let over_snmp = walked(&one);
    runtime().block_on(async {
        let session = session(one.tcp()).await;
        let walk = Session::walk(&session, Oid::from([1, 3]), WalkOptions::default());
        let over_jmx = walk.collect().await.unwrap();
        let names = |all: &[VarBind]| all.iter().map(|it| it.name.to_string()).collect::<Vec<_>>();
        assert_eq!(names(&over_jmx), names(&over_snmp));
        let kinds =
            |all: &[VarBind]| all.iter().map(|it| it.value.value().map(Value::kind)).collect::<Vec<_>>();
        assert_eq!(kinds(&over_jmx), kinds(&over_snmp));
        let interfaces = |all: &[VarBind]| -> Vec<VarBind> {
            all.iter().filter(|it| it.name.starts_with(&[1, 3, 6, 1, 2, 1, 2])).cloned().collect()
        };
        assert_eq!(interfaces(&over_jmx), interfaces(&over_snmp));
        // Single ones, and those behind any name.
        for (at, binding) in over_snmp.iter().enumerate().step_by(97) {
            let answer = session.get(std::slice::from_ref(&binding.name)).await.unwrap();
            assert_eq!(names(&answer.bindings), [binding.name.to_string()]);
            assert!(matches!(answer.bindings[0].value, Bound::Value(_)), "{:?}", answer.bindings);
            let expected: Vec<VarBind> = over_snmp.iter().skip(at + 1).take(2).cloned().collect();
            let answer = session.bulk(0, 2, std::slice::from_ref(&binding.name)).await.unwrap();
            let found = names(&answer.bindings);
            assert!(
                !found.is_empty() && names(&expected).starts_with(&found[..found.len().min(expected.len())])
            );
        }
        let end = over_snmp.last().unwrap().name.clone();
        let answer = session.next(std::slice::from_ref(&end)).await.unwrap();
        assert!(matches!(answer.bindings[0].value, Bound::Exception(_)), "{:?}", answer.bindings);
        let refused = session.set(&[VarBind::new(end.clone(), Value::Integer(1))]).await.unwrap_err();
        assert!(refused.to_string().contains("only read over JMX"), "{refused}");
        session.close().await;
        assert!(session.get(&[end]).await.is_err());
    });
}

/// A walk goes on behind a row that has gone, with no row twice and none left out.
#[test]
fn rows_that_come_and_go_disturb_no_walk() {
    let one = java("one", "tcp://127.0.0.1:0", "");
    let column = Oid::from([1, 3, 6, 1, 6, 3, 13, 1, 1, 1, 5]);
    let change = |row: &str, status: i32| {
        let index: Vec<u32> = row.bytes().map(u32::from).collect();
        let wanted = set(vec![VarBind::new(column.child(&index), Value::Integer(status))]);
        let answer = one.ask(&message(Version::V2c, "private", wanted));
        assert_eq!((answer.pdu.kind, answer.pdu.error_status), (PduKind::Response, 0), "{row} {status}");
    };
    ["b", "d", "f", "h"].iter().for_each(|row| change(row, 4));
    let runtime = runtime();
    let session: Arc<dyn Session> = Arc::new(runtime.block_on(session(one.tcp())));
    let mut at = column.clone();
    let mut next = |count: u32| {
        let answer = runtime.block_on(session.bulk(0, count, std::slice::from_ref(&at))).unwrap();
        let rows = answer.bindings.iter().filter_map(|it| it.name.strip_prefix(&*column));
        let rows: String = rows.filter_map(|row| char::from_u32(*row.first()?)).collect();
        at = answer.bindings.last().unwrap().name.clone();
        rows
    };
    assert_eq!(next(2), "bd");
    change("d", 6);
    assert_eq!(next(1), "f");
    change("a", 4);
    change("g", 4);
    assert_eq!(next(1), "g");
    change("b", 6);
    change("a", 6);
    change("g", 6);
    assert_eq!(next(5), "h");
}
