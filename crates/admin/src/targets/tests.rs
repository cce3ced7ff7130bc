//! Targets and communities of the configuration and of managers, through the tree.

use std::path::Path as FilePath;

use trunkline_testkit::battery;
use trunkline_tree::policy::{Origin, SecurityModel};
use trunkline_tree::{SetStatus, View};

use super::*;
use crate::target_rows::{Endpoint, NotifyType};
use crate::testing::{Bench, int, text};

const CREATE_AND_GO: i32 = 4;
const DESTROY: i32 = 6;

const CONFIGURED: &str = r#"
[[snmp.community]]
name = "hidden1"
access = "read"
[[snmp.user]]
name = "ann"
auth = "SHA-256"
password = "maplesyrup"
[[snmp.target]]
name = "nms"
address = "udp://192.0.2.1:1162"
version = "v2c"
community = "hidden2"
kind = "inform"
timeout = "2s"
retries = 5
context = "lab"
filter = ["1.3.6.1.6.3.1.1.5", "-1.3.6.1.6.3.1.1.5.3"]
[[snmp.target]]
name = "known"
address = "udp://nms.example.net"
community = "hidden1"
[[snmp.target]]
name = "secure"
address = "tcp://[2001:db8::1]:162"
user = "ann"
level = "authNoPriv"
"#;

pub(super) struct Place {
    pub directory: tempfile::TempDir,
    pub targets: Arc<TargetGroup>,
    pub bench: Bench,
}

fn engine_id() -> EngineId {
    EngineId::generate(8072, *b"twelveoctets")
}

fn place() -> Place {
    of(tempfile::tempdir().unwrap(), CONFIGURED)
}

pub(super) fn of(directory: tempfile::TempDir, configuration: &str) -> Place {
    let counters = Arc::new(Counters::default());
    let targets = Arc::new(TargetGroup::open(directory.path(), engine_id(), counters, 7).unwrap());
    targets.configure(&trunkline_config::parse(FilePath::new("t.toml"), configuration).unwrap());
    Place { directory, bench: Bench::new(targets.clone()), targets }
}

/// The index of a table whose only part is IMPLIED.
pub(super) fn implied(name: &str) -> Vec<u32> {
    name.bytes().map(u32::from).collect()
}

#[test]
fn it_passes_the_battery() {
    battery::check(place().targets);
}

#[test]
fn the_configuration_is_rows_and_destinations() {
    let Place { targets, bench, .. } = place();
    let tables = targets.tables();
    let found: Vec<_> = tables.destinations().map(|to| (to.name.to_string(), to.kind)).collect();
    let expected = [("nms", NotifyType::Inform), ("known", NotifyType::Trap), ("secure", NotifyType::Trap)];
    assert_eq!(found, expected.map(|(name, kind)| (name.to_string(), kind)));
    let [nms, known, secure] = tables.destinations().collect::<Vec<_>>()[..] else { panic!("three") };
    assert_eq!(nms.address.endpoint, Endpoint::Socket("192.0.2.1:1162".parse().unwrap()));
    assert_eq!((nms.address.timeout.as_secs(), nms.address.retries), (2, 5));
    assert_eq!((nms.address.context.octets(), nms.address.origin), (&b"lab"[..], Origin::Config));
    let filter = nms.filter.unwrap();
    assert!(filter.contains(&[1, 3, 6, 1, 6, 3, 1, 1, 5, 1]));
    assert!(!filter.contains(&[1, 3, 6, 1, 6, 3, 1, 1, 5, 3]));
    assert_eq!(nms.params.security_name.octets(), b"target-nms");
    let community = |to: &crate::Destination<'_>| {
        let context = to.address.context.octets();
        let row = tables.community_for(to.params.security_name.octets(), engine_id().as_bytes(), context);
        row.map(|row| row.name.clone())
    };
    assert_eq!(community(&nms), Some(b"hidden2".to_vec()));
    assert_eq!(known.address.endpoint, Endpoint::Host { name: "nms.example.net".into(), port: 162 });
    assert_eq!(known.params.security_name.octets(), b"community1");
    assert_eq!(community(&known), Some(b"hidden1".to_vec()));
    assert_eq!(known.filter, None::<&View>);
    assert_eq!(secure.params.security_model, SecurityModel::USM);
    assert_eq!(secure.params.security_name.octets(), b"ann");

    assert_eq!(bench.get("snmpTargetAddrTimeout", &implied("nms")), Some(int(200)));
    assert_eq!(bench.get("snmpTargetAddrMMS", &implied("nms")), Some(int(0)));
    assert_eq!(bench.get("snmpCommunitySecurityName", &implied("community1")), Some(text("community1")));
    let refused = bench.set(&[("snmpTargetAddrRetryCount", &implied("nms"), int(1))]);
    assert_eq!(refused, Err((SetStatus::NotWritable, 0)));
}

#[test]
fn communities_are_not_shown() {
    let Place { targets, bench, directory } = place();
    let Ok(Loaded::Snapshot(snapshot)) = targets.load(None) else { panic!("no snapshot") };
    assert!(!format!("{snapshot:?}{:?}", targets.tables()).contains("hidden"));
    let row = implied("c");
    create_community(&bench, &row, "");
    assert_eq!(bench.get("snmpCommunityName", &row), Some(text("")));
    let kept = std::fs::read_to_string(directory.path().join("target.toml")).unwrap();
    assert!(kept.contains("hidden3") && !kept.contains("hidden2"), "{kept}");
}

fn create_community(bench: &Bench, row: &[u32], tag: &str) {
    bench
        .set(&[
            ("snmpCommunityStatus", row, int(CREATE_AND_GO)),
            ("snmpCommunityName", row, text("hidden3")),
            ("snmpCommunitySecurityName", row, text("who")),
            ("snmpCommunityTransportTag", row, text(tag)),
        ])
        .unwrap();
}

#[test]
fn a_managers_community_is_accepted_and_survives_a_restart() {
    let Place { targets, bench, directory } = place();
    let peer = "198.51.100.7:40000".parse().unwrap();
    assert!(targets.tables().community_of(b"hidden3", peer).is_none());
    create_community(&bench, &implied("c"), "");
    let check = |targets: &TargetGroup| {
        let tables = targets.tables();
        let row = tables.community_of(b"hidden3", peer).unwrap();
        assert_eq!(row.security_name.octets(), b"who");
        assert_eq!(row.context_engine_id, engine_id().as_bytes(), "the default is our own");
        assert!(tables.community_of(b"hidden2", peer).is_none(), "where we send to may not ask");
        assert!(tables.community_of(b"hidden1", peer).is_none(), "the configuration's are its own matter");
    };
    check(&targets);
    check(&of(directory, CONFIGURED).targets);
}

/// A target as a manager makes it: RFC 3413 appendix A has the like.
fn create_target(bench: &Bench, domain: &[u32], address: &[u8]) -> Result<(), crate::testing::Refused> {
    let (addr, params) = (implied("a"), implied("p"));
    bench.set(&[
        ("snmpTargetParamsRowStatus", &params, int(CREATE_AND_GO)),
        ("snmpTargetParamsMPModel", &params, int(3)),
        ("snmpTargetParamsSecurityModel", &params, int(3)),
        ("snmpTargetParamsSecurityName", &params, text("joe")),
        ("snmpTargetParamsSecurityLevel", &params, int(3)),
        ("snmpTargetAddrRowStatus", &addr, int(CREATE_AND_GO)),
        ("snmpTargetAddrTDomain", &addr, Value::ObjectIdentifier(trunkline_smi::Oid::EMPTY.child(domain))),
        ("snmpTargetAddrTAddress", &addr, Value::OctetString(address.to_vec())),
        ("snmpTargetAddrTagList", &addr, text("group1 group2")),
        ("snmpTargetAddrParams", &addr, text("p")),
        ("snmpNotifyRowStatus", &implied("n"), int(CREATE_AND_GO)),
        ("snmpNotifyTag", &implied("n"), text("group2")),
        ("snmpNotifyType", &implied("n"), int(2)),
    ])
}

const UDP: &[u32] = &[1, 3, 6, 1, 6, 1, 1];

#[test]
fn a_manager_makes_a_target_in_one_request() {
    let Place { targets, bench, .. } = of(tempfile::tempdir().unwrap(), "");
    create_target(&bench, UDP, &[192, 0, 2, 9, 0, 162]).unwrap();
    let tables = targets.tables();
    let [to] = tables.destinations().collect::<Vec<_>>()[..] else { panic!("one") };
    assert_eq!((to.kind, to.address.retries, to.address.timeout.as_secs()), (NotifyType::Inform, 3, 15));
    assert_eq!(to.address.endpoint, Endpoint::Socket("192.0.2.9:162".parse().unwrap()));
    assert_eq!(bench.get("snmpTargetAddrMMS", &implied("a")), Some(int(484)), "the table that augments");

    let address = Value::OctetString(vec![192, 0, 2, 8, 0, 162]);
    let move_it = [("snmpTargetAddrTAddress", &implied("a")[..], address)];
    assert_eq!(bench.set(&move_it), Err((SetStatus::InconsistentValue, 0)), "not while it is active");
    let stop = ("snmpTargetAddrRowStatus", &implied("a")[..], int(2));
    assert_eq!(bench.set(&[move_it[0].clone(), stop]), Ok(()));
    assert!(targets.tables().destinations().next().is_none());
    assert_eq!(bench.set(&[("snmpTargetAddrRowStatus", &implied("a"), int(1))]), Ok(()));
    assert!(targets.tables().destinations().next().is_some());
    assert_eq!(bench.set(&[("snmpTargetParamsRowStatus", &implied("p"), int(DESTROY))]), Ok(()));
    assert!(targets.tables().destinations().next().is_none());
}

#[test]
fn filters_of_managers_have_masks() {
    let Place { targets, bench, .. } = of(tempfile::tempdir().unwrap(), "");
    create_target(&bench, UDP, &[192, 0, 2, 9, 0, 162]).unwrap();
    let subtree = [vec![1, u32::from(b'f')], vec![1, 3, 0, 7]].concat();
    bench
        .set(&[
            ("snmpNotifyFilterProfileRowStatus", &implied("p"), int(CREATE_AND_GO)),
            ("snmpNotifyFilterProfileName", &implied("p"), text("f")),
            ("snmpNotifyFilterRowStatus", &subtree, int(CREATE_AND_GO)),
            ("snmpNotifyFilterMask", &subtree, Value::OctetString(vec![0b1101_1111])),
        ])
        .unwrap();
    let tables = targets.tables();
    let filter = tables.destinations().next().unwrap().filter.unwrap();
    assert!(filter.contains(&[1, 3, 99, 7, 1]) && !filter.contains(&[1, 3, 99, 8]));
}

#[test]
fn invalid_values_are_refused() {
    let Place { bench, .. } = of(tempfile::tempdir().unwrap(), "");
    use SetStatus::*;
    for (domain, address) in [
        (UDP, &[192, 0, 2, 9, 0][..]),
        (UDP, &[0; 18]),
        (&[1, 3, 6, 1, 2, 1, 100, 1, 2], &[0; 6]),
        (&[1, 3, 6, 1, 2, 1, 100, 1, 14], b"no-port"),
        (&[1, 3], &[0; 6]),
    ] {
        assert_eq!(create_target(&bench, domain, address), Err((InconsistentValue, 5)), "{domain:?}");
    }
    for (domain, address) in [
        (&[1, 3, 6, 1, 2, 1, 100, 1, 14][..], &b"host:162"[..]),
        (&[1, 3, 6, 1, 2, 1, 100, 1, 4], &[1; 22]),
        (&[1, 3, 6, 1, 2, 1, 100, 1, 6], &[1; 18]),
    ] {
        assert_eq!(create_target(&bench, domain, address), Ok(()));
        for (column, row) in [
            ("snmpTargetParamsRowStatus", "p"),
            ("snmpTargetAddrRowStatus", "a"),
            ("snmpNotifyRowStatus", "n"),
        ] {
            assert_eq!(bench.set(&[(column, &implied(row), int(DESTROY))]), Ok(()));
        }
    }
    create_target(&bench, UDP, &[192, 0, 2, 9, 0, 162]).unwrap();
    let set = |column, row, value| bench.set(&[(column, &implied(row)[..], value)]);
    assert_eq!(set("snmpTargetAddrTagList", "a", text("two  spaces")), Err((WrongValue, 0)));
    assert_eq!(set("snmpNotifyTag", "n", text("a b")), Err((WrongValue, 0)));
    assert_eq!(set("snmpTargetAddrMMS", "a", int(483)), Err((WrongValue, 0)));
    assert_eq!(set("snmpTargetAddrMMS", "a", int(0)), Ok(()));
    assert_eq!(set("snmpTargetAddrTMask", "a", text("abc")), Err((InconsistentValue, 0)));
    assert_eq!(set("snmpTargetAddrTMask", "a", text("abcdef")), Ok(()));
    assert_eq!(set("snmpTargetParamsMPModel", "p", int(1)), Err((InconsistentValue, 0)), "it is active");
    assert_eq!(set("snmpTargetParamsRowStatus", "p", int(2)), Ok(()));
    assert_eq!(set("snmpTargetParamsMPModel", "p", int(2)), Err((InconsistentValue, 0)), "SNMPv2u");
    assert_eq!(set("snmpTargetParamsSecurityModel", "p", int(5)), Err((InconsistentValue, 0)));
    assert_eq!(set("snmpTargetParamsMPModel", "p", int(1)), Ok(()));
    assert_eq!(set("snmpTargetParamsRowStatus", "p", int(1)), Err((InconsistentValue, 0)), "v2c with USM");
}

#[test]
fn counters_and_lock() {
    let Place { bench, .. } = place();
    assert_eq!(bench.get("snmpUnknownContexts", &[0]), Some(Value::Counter32(0)));
    assert_eq!(bench.get("snmpTargetSpinLock", &[0]), Some(int(7)));
    assert_eq!(bench.set(&[("snmpTargetSpinLock", &[0], int(7))]), Ok(()));
    assert_eq!(bench.get("snmpTargetSpinLock", &[0]), Some(int(8)));
}
