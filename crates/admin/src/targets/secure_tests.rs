//! Targets over TLS, DTLS and SSH, and the identities that their sessions require, through the tree.

use trunkline_config::TlsServer;
use trunkline_snmp::engine::transport::HashAlgorithm;
use trunkline_transport::Transport;
use trunkline_tree::policy::{SecurityLevel, SecurityModel};
use trunkline_tree::{SetStatus, SetStatus::*};

use super::tests::{implied, of};
use super::*;
use crate::target_rows::Endpoint;
use crate::testing::{Bench, Refused, int, text};

const SSH: &[u32] = &[1, 3, 6, 1, 6, 1, 7];
const TLS: &[u32] = &[1, 3, 6, 1, 6, 1, 8];
const DTLS: &[u32] = &[1, 3, 6, 1, 6, 1, 9];

const CREATE_AND_GO: i32 = 4;
const DESTROY: i32 = 6;

fn fingerprint(certificate: &str) -> Fingerprint {
    Fingerprint::of(HashAlgorithm::Sha256, certificate.as_bytes())
}

fn octets(certificate: &str) -> Value {
    Value::OctetString(fingerprint(certificate).to_octets())
}

/// A target as a manager creates it, with the Transport Security Model; it selects nobody yet.
fn create_target(bench: &Bench, domain: &[u32], address: &str) -> Result<(), Refused> {
    let (addr, params) = (implied("a"), implied("p"));
    bench.set(&[
        ("snmpTargetParamsRowStatus", &params, int(CREATE_AND_GO)),
        ("snmpTargetParamsMPModel", &params, int(3)),
        ("snmpTargetParamsSecurityModel", &params, int(4)),
        ("snmpTargetParamsSecurityName", &params, text("joe")),
        ("snmpTargetParamsSecurityLevel", &params, int(3)),
        ("snmpTargetAddrRowStatus", &addr, int(CREATE_AND_GO)),
        ("snmpTargetAddrTDomain", &addr, Value::ObjectIdentifier(trunkline_smi::Oid::EMPTY.child(domain))),
        ("snmpTargetAddrTAddress", &addr, text(address)),
        ("snmpTargetAddrTagList", &addr, text("group")),
        ("snmpTargetAddrParams", &addr, text("p")),
        ("snmpNotifyRowStatus", &implied("n"), int(CREATE_AND_GO)),
        ("snmpNotifyTag", &implied("n"), text("group")),
    ])
}

fn destroy_target(bench: &Bench) {
    for (column, row) in
        [("snmpTargetParamsRowStatus", "p"), ("snmpTargetAddrRowStatus", "a"), ("snmpNotifyRowStatus", "n")]
    {
        assert_eq!(bench.set(&[(column, &implied(row), int(DESTROY))]), Ok(()));
    }
}

#[test]
fn addresses_of_each_transport_are_read() {
    let place = of(tempfile::tempdir().unwrap(), "");
    let host = |name: &str, port| Endpoint::Host { name: name.into(), port };
    let socket = |text: &str| Endpoint::Socket(text.parse().unwrap());
    for (domain, address, transport, endpoint, user) in [
        (TLS, "192.0.2.1:10162", Transport::Tls, socket("192.0.2.1:10162"), None),
        (TLS, "[2001:db8::1]:10162", Transport::Tls, socket("[2001:db8::1]:10162"), None),
        (DTLS, "nms.example.net:10162", Transport::Dtls, host("nms.example.net", 10162), None),
        (DTLS, "[fe80::1%eth0]:1", Transport::Dtls, host("fe80::1%eth0", 1), None),
        (SSH, "nms:65535", Transport::Ssh, host("nms", 65535), None),
        (SSH, "joe@[::1]:5162", Transport::Ssh, socket("[::1]:5162"), Some("joe")),
        (SSH, "joe@example.net@nms:5162", Transport::Ssh, host("nms", 5162), Some("joe@example.net")),
    ] {
        assert_eq!(create_target(&place.bench, domain, address), Ok(()), "{address}");
        let tables = place.targets.tables();
        let [to] = tables.destinations().collect::<Vec<_>>()[..] else { panic!("one: {address}") };
        assert_eq!((to.address.transport, &to.address.endpoint), (transport, &endpoint), "{address}");
        assert_eq!(to.address.ssh_user.as_deref(), user, "{address}");
        assert_eq!((&to.address.tls_server, &to.params.client_certificate), (&None, &None));
        let params = (to.params.security_model, to.params.level);
        assert_eq!(params, (SecurityModel::TSM, SecurityLevel::AuthPriv));
        destroy_target(&place.bench);
    }
}

#[test]
fn invalid_addresses_are_refused() {
    let place = of(tempfile::tempdir().unwrap(), "");
    for address in [
        "nms",
        "nms:",
        ":10162",
        "nms:0",
        "nms:+1",
        "nms:01",
        "nms:65536",
        "2001:db8::1:10162",
        "[2001:db8::1]",
        "[192.0.2.1]:1",
        "[fe80::1%]:1",
        "two words:1",
        "a..b:1",
        "n\u{e4}me:1",
        "joe@nms:1",
    ] {
        assert_eq!(create_target(&place.bench, TLS, address), Err((InconsistentValue, 5)), "{address}");
    }
    for address in ["@nms:1", "joe@:1", "joe@nms", "joe@"] {
        assert_eq!(create_target(&place.bench, SSH, address), Err((InconsistentValue, 5)), "{address}");
    }
}

#[test]
fn a_manager_sets_both_certificates_and_they_survive_a_restart() {
    let place = of(tempfile::tempdir().unwrap(), "");
    create_target(&place.bench, TLS, "nms.example.net:10162").unwrap();
    let (addr, params) = (implied("a"), implied("p"));
    let both = [
        ("snmpTlstmParamsRowStatus", &params[..], int(CREATE_AND_GO)),
        ("snmpTlstmParamsClientFingerprint", &params, octets("ours")),
        ("snmpTlstmAddrRowStatus", &addr, int(CREATE_AND_GO)),
        ("snmpTlstmAddrServerFingerprint", &addr, octets("theirs")),
        ("snmpTlstmAddrServerIdentity", &addr, text("nms")),
    ];
    assert_eq!(place.bench.set(&both), Ok(()));
    let check = |targets: &TargetGroup| {
        let tables = targets.tables();
        let to = tables.destinations().next().unwrap();
        assert_eq!(to.params.client_certificate, Some(fingerprint("ours")));
        let server = Some(TlsServer::Fingerprint(fingerprint("theirs")));
        assert_eq!(to.address.tls_server, server, "where there is a fingerprint the name does not count");
    };
    check(&place.targets);
    let after = of(place.directory, "");
    check(&after.targets);
    assert_eq!(after.bench.get("snmpTlstmParamsClientFingerprint", &params), Some(octets("ours")));
    assert_eq!(after.bench.get("snmpTlstmAddrServerIdentity", &addr), Some(text("nms")));

    let set = |column, row: &[u32], value| after.bench.set(&[(column, row, value)]);
    let fixed = Err((InconsistentValue, 0));
    assert_eq!(set("snmpTlstmParamsClientFingerprint", &params, octets("other")), fixed, "it is active");
    assert_eq!(set("snmpTlstmAddrServerFingerprint", &addr, octets("other")), fixed, "it is active");
    assert_eq!(set("snmpTlstmParamsRowStatus", &params, int(2)), Ok(()));
    let tables = after.targets.tables();
    assert_eq!(tables.destinations().next().unwrap().params.client_certificate, None);
    for (column, row) in [("snmpTlstmParamsRowStatus", &params), ("snmpTlstmAddrRowStatus", &addr)] {
        assert_eq!(set(column, row, int(DESTROY)), Ok(()));
    }
    assert_eq!(after.targets.tables().destinations().next().unwrap().address.tls_server, None);
}

#[test]
fn a_row_that_accepts_any_server_is_not_active() {
    let place = of(tempfile::tempdir().unwrap(), "");
    create_target(&place.bench, TLS, "nms.example.net:10162").unwrap();
    let row = implied("a");
    let create = |fingerprint: Value, identity: &str| {
        place.bench.set(&[
            ("snmpTlstmAddrRowStatus", &row[..], int(CREATE_AND_GO)),
            ("snmpTlstmAddrServerFingerprint", &row, fingerprint),
            ("snmpTlstmAddrServerIdentity", &row, text(identity)),
        ])
    };
    assert_eq!(create(text(""), "*"), Err((InconsistentValue, 0)));
    assert_eq!(create(text(""), ""), Err((InconsistentValue, 0)));
    assert_eq!(create(text("nonsense"), "nms"), Err((WrongValue, 1)));
    assert_eq!(create(text(""), "two words"), Err((WrongValue, 2)));
    assert_eq!(create(text(""), "b\u{fc}cher.example"), Err((WrongValue, 2)), "not in ASCII");
    assert_eq!(create(text(""), "nms.example.net"), Ok(()));
    let server = || place.targets.tables().destinations().next().unwrap().address.tls_server.clone();
    assert_eq!(server(), Some(TlsServer::Identity("nms.example.net".into())));
    let identity = |name| place.bench.set(&[("snmpTlstmAddrServerIdentity", &row, text(name))]);
    assert_eq!(identity("*"), Err((InconsistentValue, 0)), "nor does it become so");
    assert_eq!(identity("2001:db8::1"), Ok(()));
    assert_eq!(server(), Some(TlsServer::Identity("2001:db8::1".into())));
    assert_eq!(place.bench.set(&[("snmpTlstmAddrRowStatus", &row, int(DESTROY))]), Ok(()));
    assert_eq!(create(octets("theirs"), "*"), Ok(()), "the fingerprint counts");

    let params = implied("p");
    let no_certificate = [
        ("snmpTlstmParamsRowStatus", &params[..], int(CREATE_AND_GO)),
        ("snmpTlstmParamsClientFingerprint", &params, text("")),
    ];
    assert_eq!(place.bench.set(&no_certificate), Err((InconsistentValue, 0)));
    assert_eq!(place.bench.set(&no_certificate[..1]), Err((InconsistentValue, 0)));
}

const CONFIGURED: &str = r#"
[[snmp.target]]
name = "tls"
address = "tls://[2001:db8::1]"
principal = "agent-7"
server-name = "nms.example.net"
[[snmp.target]]
name = "ssh"
address = "ssh://agents@nms.example.net:22"
kind = "inform"
"#;

#[test]
fn the_configuration_is_rows_that_managers_cannot_write() {
    let place = of(tempfile::tempdir().unwrap(), CONFIGURED);
    let tables = place.targets.tables();
    let found: Vec<_> = tables.destinations().collect();
    let [ssh, tls] = found[..] else { panic!("two: {found:?}") };
    assert_eq!((tls.address.transport, ssh.address.transport), (Transport::Tls, Transport::Ssh));
    assert_eq!(tls.address.endpoint, Endpoint::Socket("[2001:db8::1]:10162".parse().unwrap()));
    assert_eq!(tls.address.tls_server, Some(TlsServer::Identity("nms.example.net".into())));
    assert_eq!(tls.params.security_name.octets(), b"agent-7");
    assert_eq!(
        (tls.params.security_model, ssh.params.security_model),
        (SecurityModel::TSM, SecurityModel::TSM)
    );
    assert_eq!(ssh.address.ssh_user.as_deref(), Some("agents"));
    let get = |column, row| place.bench.get(column, &implied(row));
    assert_eq!(get("snmpTargetAddrTAddress", "tls"), Some(text("[2001:db8::1]:10162")));
    assert_eq!(get("snmpTargetAddrTAddress", "ssh"), Some(text("agents@nms.example.net:22")));
    assert_eq!(get("snmpTlstmAddrServerIdentity", "tls"), Some(text("nms.example.net")));
    assert_eq!(get("snmpTlstmAddrStorageType", "tls"), Some(int(5)));
    assert_eq!(get("snmpTlstmAddrServerIdentity", "ssh"), None);
    let set = place.bench.set(&[("snmpTlstmAddrServerIdentity", &implied("tls"), text("other"))]);
    assert_eq!(set, Err((SetStatus::NotWritable, 0)));
}

#[test]
fn tables_are_watched_from_the_first_configuration_on() {
    let place = of(tempfile::tempdir().unwrap(), CONFIGURED);
    let started = Instant::now();
    let watch = place.targets.watch();
    let count = |table| watch.count(table).read(started).to_value();
    let changed = |table| watch.last_changed(table, started).read(started).to_value();
    assert_eq!(count(&tls::SNMP_TLSTM_ADDR_TABLE), Value::Unsigned32(1));
    assert_eq!(changed(&tls::SNMP_TLSTM_ADDR_TABLE), Value::TimeTicks(0));
    let row = implied("x");
    assert_eq!(place.bench.set(&[("snmpTlstmAddrRowStatus", &row, int(5))]), Ok(()), "createAndWait");
    assert_eq!(count(&tls::SNMP_TLSTM_ADDR_TABLE), Value::Unsigned32(2));
    assert_ne!(changed(&tls::SNMP_TLSTM_ADDR_TABLE), Value::TimeTicks(0));
    assert_eq!(changed(&tls::SNMP_TLSTM_PARAMS_TABLE), Value::TimeTicks(0));
}
