//! Certificates and names of the configuration and of managers, through the tree.

use std::sync::Mutex;

use trunkline_snmp::Counters;
use trunkline_snmp::engine::transport::{HashAlgorithm, SecurityName};
use trunkline_snmp::usm::EngineId;
use trunkline_testkit::battery;
use trunkline_tree::SetStatus::{InconsistentValue, NoCreation, NotWritable, WrongLength, WrongValue};

use super::*;
use crate::testing::{Bench, Refused, int, text};

const ACTIVE: i32 = 1;
const NOT_IN_SERVICE: i32 = 2;
const CREATE_AND_GO: i32 = 4;
const CREATE_AND_WAIT: i32 = 5;
const DESTROY: i32 = 6;

const STATUS: &str = "snmpTlstmCertToTSNRowStatus";

struct Place {
    directory: tempfile::TempDir,
    counters: Arc<SessionCounters>,
    tlstm: Arc<TlstmGroup>,
    bench: Bench,
}

fn place() -> Place {
    of(tempfile::tempdir().unwrap())
}

/// With one row of the configuration.
fn of(directory: tempfile::TempDir) -> Place {
    let engine_id = EngineId::generate(8072, *b"twelveoctets");
    let targets = TargetGroup::open(directory.path(), engine_id, Arc::new(Counters::default()), 7).unwrap();
    let counters = Arc::new(SessionCounters::default());
    let tlstm = TlstmGroup::open(directory.path(), &targets, counters.clone(), Instant::now()).unwrap();
    tlstm.configure(&[configured()]);
    let tlstm = Arc::new(tlstm);
    Place { directory, counters, bench: Bench::new(tlstm.clone()), tlstm }
}

fn fingerprint(certificate: &str) -> Fingerprint {
    Fingerprint::of(HashAlgorithm::Sha256, certificate.as_bytes())
}

fn configured() -> CertificateRow {
    CertificateRow { id: 20, fingerprint: fingerprint("ca"), map: CertificateMap::CommonName }
}

fn specified(id: u32, certificate: &str, name: &str) -> CertificateRow {
    let map = CertificateMap::Specified(SecurityName::new(name.as_bytes()).unwrap());
    CertificateRow { id, fingerprint: fingerprint(certificate), map }
}

fn octets(certificate: &str) -> Value {
    Value::OctetString(fingerprint(certificate).to_octets())
}

fn map_type(number: u32) -> Value {
    Value::ObjectIdentifier(Oid::EMPTY.child(&[1, 3, 6, 1, 2, 1, 198, 1, 1, number]))
}

fn create(bench: &Bench, id: u32, certificate: &str, name: &str) -> Result<(), Refused> {
    bench.set(&[
        (STATUS, &[id], int(CREATE_AND_GO)),
        (FINGERPRINT, &[id], octets(certificate)),
        (DATA, &[id], text(name)),
    ])
}

#[test]
fn it_passes_the_battery() {
    battery::check(place().tlstm);
}

#[test]
fn the_configuration_is_rows_that_managers_cannot_write() {
    let Place { tlstm, bench, .. } = place();
    assert_eq!(*tlstm.names(), [configured()]);
    assert_eq!(bench.get(FINGERPRINT, &[20]), Some(octets("ca")));
    assert_eq!(bench.get(MAP_TYPE, &[20]), Some(map_type(6)));
    assert_eq!(bench.get(DATA, &[20]), Some(text("")));
    assert_eq!(bench.get("snmpTlstmCertToTSNStorageType", &[20]), Some(int(5)));
    for (column, value) in [(STATUS, int(DESTROY)), (STATUS, int(NOT_IN_SERVICE)), (DATA, text("joe"))] {
        assert_eq!(bench.set(&[(column, &[20], value)]), Err((NotWritable, 0)), "{column}");
    }
    tlstm.configure(&[specified(3, "joe", "joe")]);
    assert_eq!(*tlstm.names(), [specified(3, "joe", "joe")]);
    assert_eq!(bench.get(DATA, &[3]), Some(text("joe")));
    assert_eq!(bench.get(DATA, &[20]), None);
}

#[test]
fn rows_of_managers_take_effect_at_once_and_survive_a_restart() {
    let Place { directory, tlstm, bench, .. } = place();
    let told = Arc::new(Mutex::new(Vec::new()));
    let hears = told.clone();
    tlstm.on_change(move |names| hears.lock().unwrap().push(names.to_vec()));
    assert_eq!(create(&bench, 30, "ann", "ann"), Ok(()));
    assert_eq!(create(&bench, 7, "joe", "joe"), Ok(()));
    let all = [specified(7, "joe", "joe"), configured(), specified(30, "ann", "ann")];
    assert_eq!(*tlstm.names(), all, "in the order of their numbers");
    assert_eq!(told.lock().unwrap().last().map(Vec::as_slice), Some(&all[..]));
    assert_eq!(bench.get(MAP_TYPE, &[7]), Some(map_type(1)), "snmpTlstmCertSpecified is the default");
    assert_eq!(bench.get("snmpTlstmCertToTSNStorageType", &[7]), Some(int(3)));
    assert_eq!(bench.set(&[("snmpTlstmCertToTSNStorageType", &[30], int(2))]), Ok(()), "volatile");

    let path = directory.path().join("tlstm.toml");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let after = of(directory);
    assert_eq!(*after.tlstm.names(), all[..2]);
    assert_eq!(after.bench.set(&[(STATUS, &[7], int(DESTROY))]), Ok(()));
    assert_eq!(*of(after.directory).tlstm.names(), [configured()]);
}

#[test]
fn creation_step_by_step() {
    let Place { tlstm, bench, .. } = place();
    let set = |column, value| bench.set(&[(column, &[1][..], value)]);
    assert_eq!(set(DATA, text("joe")), Err((trunkline_tree::SetStatus::InconsistentName, 0)));
    assert_eq!(set(STATUS, int(CREATE_AND_WAIT)), Ok(()));
    assert_eq!(bench.get(STATUS, &[1]), Some(int(3)), "notReady without a fingerprint");
    assert_eq!(bench.get(FINGERPRINT, &[1]), None);
    assert_eq!(set(STATUS, int(ACTIVE)), Err((InconsistentValue, 0)));
    assert_eq!(set(FINGERPRINT, octets("joe")), Ok(()));
    assert_eq!(bench.get(STATUS, &[1]), Some(int(NOT_IN_SERVICE)));
    assert_eq!(
        set(STATUS, int(ACTIVE)),
        Err((InconsistentValue, 0)),
        "snmpTlstmCertSpecified without a name"
    );
    assert_eq!(set(DATA, text(&"x".repeat(33))), Ok(()));
    assert_eq!(set(STATUS, int(ACTIVE)), Err((InconsistentValue, 0)), "longer than any security name");
    assert_eq!(set(DATA, text("joe")), Ok(()));
    assert_eq!(*tlstm.names(), [configured()], "not active yet");
    assert_eq!(set(STATUS, int(ACTIVE)), Ok(()));
    assert_eq!(*tlstm.names(), [specified(1, "joe", "joe"), configured()]);
    for (column, value) in [(FINGERPRINT, octets("ann")), (MAP_TYPE, map_type(5)), (DATA, text("ann"))] {
        assert_eq!(set(column, value), Err((InconsistentValue, 0)), "{column} of an active row");
    }
    let change = [(STATUS, &[1][..], int(NOT_IN_SERVICE)), (MAP_TYPE, &[1], map_type(5))];
    assert_eq!(bench.set(&change), Ok(()));
    assert_eq!(*tlstm.names(), [configured()]);
    assert_eq!(set(STATUS, int(ACTIVE)), Ok(()));
    assert_eq!(tlstm.names()[0].map, CertificateMap::SanAny, "which takes no notice of the data");
}

#[test]
fn invalid_values_are_refused() {
    let Place { bench, tlstm, .. } = place();
    let with = |column, value: Value| {
        let rest = if column == FINGERPRINT { (DATA, text("joe")) } else { (FINGERPRINT, octets("joe")) };
        bench.set(&[(STATUS, &[1], int(CREATE_AND_GO)), (column, &[1], value), (rest.0, &[1], rest.1)])
    };
    let octets = |octets: &[u8]| Value::OctetString(octets.to_vec());
    assert_eq!(with(FINGERPRINT, octets(&[])), Err((WrongLength, 1)));
    assert_eq!(with(FINGERPRINT, octets(&[4; 32])), Err((WrongValue, 1)), "one octet too few");
    assert_eq!(with(FINGERPRINT, octets(&[1; 17])), Err((WrongValue, 1)), "MD5");
    assert_eq!(with(FINGERPRINT, octets(&[9; 33])), Err((WrongValue, 1)), "an unknown hash");
    assert_eq!(with(DATA, text(&"x".repeat(1025))), Err((WrongLength, 1)));
    assert_eq!(with(MAP_TYPE, map_type(1)), Err((InconsistentValue, 0)), "a name is wanted");
    assert_eq!(with(MAP_TYPE, map_type(7)), Err((InconsistentValue, 0)));
    let elsewhere = Value::ObjectIdentifier(Oid::from([1, 3, 6, 1]));
    assert_eq!(with(MAP_TYPE, elsewhere), Err((InconsistentValue, 0)));
    assert_eq!(create(&bench, 0, "joe", "joe"), Err((NoCreation, 0)), "numbers begin at 1");
    assert_eq!(*tlstm.names(), [configured()]);
    for number in 2..=6 {
        assert_eq!(with(MAP_TYPE, map_type(number)), Ok(()), "{number}");
        assert_eq!(bench.set(&[(STATUS, &[1], int(DESTROY))]), Ok(()));
    }
    assert_eq!(create(&bench, u32::MAX, "joe", "joe"), Ok(()));
}

#[test]
fn each_object_shows_its_own_counter() {
    let Place { counters, bench, .. } = place();
    let tls = &counters.tls;
    let all = [
        &tls.opens,
        &tls.client_closes,
        &tls.open_errors,
        &tls.accepts,
        &tls.server_closes,
        &tls.no_sessions,
        &tls.invalid_client_certificates,
        &tls.unknown_server_certificates,
        &tls.invalid_server_certificates,
        &tls.invalid_caches,
    ];
    (1..).zip(all).for_each(|(count, counter)| counter.add(count));
    for (count, scalar) in (1..=10).zip(SNMP_TLSTM.scalars) {
        assert_eq!(bench.get(scalar.name, &[0]), Some(Value::Counter32(count)), "{}", scalar.name);
    }
}

#[test]
fn counts_and_times_of_change_go_with_the_rows() {
    let Place { bench, tlstm, .. } = place();
    let count = || bench.get("snmpTlstmCertToTSNCount", &[0]);
    let changed = || match bench.get("snmpTlstmCertToTSNTableLastChanged", &[0]) {
        Some(Value::TimeTicks(ticks)) => ticks,
        other => panic!("no ticks: {other:?}"),
    };
    assert_eq!((count(), changed()), (Some(Value::Unsigned32(1)), 0), "the start is not a change");
    tlstm.configure(&[configured()]);
    assert_eq!(changed(), 0, "the same again");
    assert_eq!(bench.set(&[(STATUS, &[1], int(CREATE_AND_WAIT))]), Ok(()));
    assert_eq!(count(), Some(Value::Unsigned32(2)), "rows that are not ready count");
    assert!(changed() > 0);
    for name in ["snmpTlstmParamsCount", "snmpTlstmAddrCount"] {
        assert_eq!(bench.get(name, &[0]), Some(Value::Unsigned32(0)), "{name}");
    }
}

#[test]
fn notifications_have_the_objects_that_the_module_says() {
    let counters = SessionCounters::default();
    counters.tls.unknown_server_certificates.add(2);
    counters.tls.invalid_server_certificates.add(3);
    let names = |event: &Event| event.objects.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>();
    let unknown = server_certificate_unknown(&counters);
    assert_eq!(unknown.oid.to_string(), "1.3.6.1.2.1.198.0.1");
    assert_eq!(names(&unknown), ["1.3.6.1.2.1.198.2.1.8.0"]);
    assert_eq!(unknown.objects[0].1, Value::Counter32(2));
    let target = AdminString::try_from("ab").unwrap();
    let invalid = server_invalid_certificate(&counters, &target, Some(&fingerprint("nms")));
    assert_eq!(invalid.oid.to_string(), "1.3.6.1.2.1.198.0.2");
    assert_eq!(names(&invalid), ["1.3.6.1.2.1.198.2.2.1.9.1.1.97.98", "1.3.6.1.2.1.198.2.1.9.0"]);
    assert_eq!(invalid.objects[0].1, octets("nms"));
    assert_eq!(invalid.objects[1].1, Value::Counter32(3));
    assert_eq!(server_invalid_certificate(&counters, &target, None).objects[0].1, text(""));
}
