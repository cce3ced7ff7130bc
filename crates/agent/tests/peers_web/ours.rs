//! Our own session by SOAP: every table in every encoding and version, compressed and not, over HTTP and HTTPS.

use std::sync::Arc;
use trunkline_smi::SetStatus;

use trunkline_client::soap::{Encoding, FaultKind, SoapOptions, SoapSession, SoapVersion};
use trunkline_client::tls::{TlsClient, TlsClientConfig, Trust};
use trunkline_client::{Defaults, Error, HttpLogin, Secure, SoapTarget, Table, WalkOptions};
use trunkline_smi::schema::Table as Schema;
use trunkline_smi::{Oid, Value, ValueKind};
use trunkline_snmp::wire::{Bound, Exception, VarBind};

use super::support::PATIENCE;
use super::web::{USER, Way, Web, columns};

async fn open(web: &Web, way: Way, community: &str, options: SoapOptions) -> SoapSession {
    let options = options.with_timeout(PATIENCE);
    let target = match way {
        Way::Http => {
            let url = format!("soap+http://{community}@{}", web.agent.address("http"));
            SoapTarget::parse(&url, &Defaults::default()).unwrap()
        }
        Way::Https => {
            let login = HttpLogin::basic(USER[0], USER[1]).unwrap();
            let defaults = Defaults::default().with_login(Some(login));
            let url = format!("soap+https://localhost:{}", web.agent.address("https").port());
            let trust = Trust::builder().authorities_file(&web.authority()).unwrap().build();
            let client = TlsClient::new(&TlsClientConfig::new(None, Arc::new(trust))).unwrap();
            let secure = Secure::new().with_tls(Arc::new(client), None);
            SoapTarget::parse(&url, &defaults).unwrap().with_secure(Arc::new(secure))
        }
    };
    SoapSession::open(&target, options).await.unwrap()
}

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

const SYS_DESCR: &str = "1.3.6.1.2.1.1.1.0";
const SYS_NAME: &str = "1.3.6.1.2.1.1.5.0";
const IF_DESCR: &str = "1.3.6.1.2.1.2.2.1.2";

#[test]
fn every_table_agrees_with_snmp() {
    let web = Web::start();
    let variants = [
        (Way::Http, SoapVersion::V1_1, Encoding::Typed, true),
        (Way::Http, SoapVersion::V1_2, Encoding::Lean, false),
        (Way::Http, SoapVersion::V1_1, Encoding::AsInPaper, false),
        (Way::Https, SoapVersion::V1_2, Encoding::Typed, false),
        (Way::Https, SoapVersion::V1_1, Encoding::Lean, true),
    ];
    web.runtime.block_on(async {
        for (way, version, encoding, compression) in variants {
            let options = SoapOptions::default()
                .with_version(version)
                .with_encoding(encoding)
                .with_compression(compression);
            let session = open(&web, way, "private", options).await;
            for served in web.catalog.tables() {
                let Some(known) = web.tables.get(served.table.name) else { continue };
                let columns = columns(served);
                let found = session.table(served.table, &columns).await;
                let found =
                    found.unwrap_or_else(|error| panic!("{} {encoding:?}: {error}", served.table.name));
                same(served.table, known, &found, encoding);
            }
        }
    });
}

/// Constant values are equal, others of the same kind; rows and cells are the same.
fn same(schema: &Schema, known: &Table, found: &Table, encoding: Encoding) {
    let place = format!("{} {encoding:?}", schema.name);
    let rows = |table: &Table| table.rows.keys().cloned().collect::<Vec<_>>();
    assert_eq!(rows(known), rows(found), "{place}");
    for (index, cells) in &known.rows {
        for (at, cell) in cells.iter().enumerate() {
            let (expected, found) = (cell.as_ref(), found.cell(index, at));
            let moves = |bound: &Bound| {
                matches!(bound, Bound::Value(value) if !matches!(
                    value.kind(),
                    ValueKind::Integer | ValueKind::OctetString | ValueKind::ObjectIdentifier | ValueKind::IpAddress
                ))
            };
            let same = match (expected, found) {
                (Some(expected), Some(found)) if moves(expected) => moves(found),
                (expected, found) => expected == found,
            };
            assert!(same, "{place} {index:?} column {at}: {found:?}, SNMP says {expected:?}");
        }
    }
}

#[test]
fn objects_rows_columns_groups_and_walks() {
    let web = Web::start();
    web.runtime.block_on(async {
        let session = open(&web, Way::Http, "public", SoapOptions::default()).await;
        let asked = [oid(SYS_DESCR), oid(IF_DESCR).child(&[999_999]), oid("1.3.9.9")];
        let answer = session.get(&asked).await.unwrap();
        assert_eq!(answer.bindings[0].value, web.agent.get(SYS_DESCR));
        assert_eq!(answer.bindings[1].value, Bound::Exception(Exception::NoSuchInstance));
        assert_eq!(answer.bindings[2].value, Bound::Exception(Exception::NoSuchObject));
        assert!(
            answer.cost.request_octets > 100
                && answer.cost.response_octets > 100
                && answer.cost.attempts == 1
        );
        let next = session.next(&[oid(IF_DESCR), oid("2.9")]).await.unwrap();
        assert_eq!(next.bindings[0].name, oid(IF_DESCR).child(&[1]));
        assert_eq!(next.bindings[1].value, Bound::Exception(Exception::EndOfMibView));
        let bulk = session.bulk(1, 2, &[oid("1.3.6.1.2.1.1.5"), oid("1.3.6.1.2.1.1")]).await.unwrap();
        let names: Vec<String> = bulk.bindings.iter().map(|binding| binding.name.to_string()).collect();
        assert_eq!(names, [SYS_NAME, SYS_DESCR, "1.3.6.1.2.1.1.2.0"]);
        let walked = session.walk(oid("1.3.6.1.2.1.2"), WalkOptions::default()).collect().await.unwrap();
        let known: usize = web.tables["ifTable"].rows.values().map(|row| row.iter().flatten().count()).sum();
        assert_eq!(walked.len(), 1 + known + web.tables["ifTable"].rows.len());
        let system = session.group("system").await.unwrap();
        assert!(system.bindings.contains(&VarBind { name: oid(SYS_DESCR), value: web.agent.get(SYS_DESCR) }));
        let schema = web.catalog.table("ifTable").unwrap().table;
        let row = session.row(schema, &[2, 1], &[1]).await.unwrap();
        assert_eq!(row.cell(&[1], 1), Some(&Bound::Value(Value::Integer(1))));
        assert_eq!(session.column(schema, 2).await.unwrap().rows.len(), web.tables["ifTable"].rows.len());
        assert_eq!(session.next_rows(schema, &[2], &[], 1).await.unwrap().rows.len(), 1);
        let missing = session.row(schema, &[2], &[999_999]).await.unwrap_err();
        let Error::Fault { fault } = &missing else { panic!("{missing}") };
        assert_eq!((&fault.kind, fault.subject.row.as_deref()), (&FaultKind::NoSuchRow, Some("999999")));
    });
}

#[test]
fn sets_take_effect_and_forbidden_ones_are_refused() {
    let web = Web::start();
    web.runtime.block_on(async {
        let named = |name: &str| [VarBind::new(oid(SYS_NAME), Value::text(name))];
        for (way, name) in [(Way::Http, "by community"), (Way::Https, "by password")] {
            let session = open(&web, way, "private", SoapOptions::default()).await;
            assert_eq!(session.set(&named(name)).await.unwrap().bindings, named(name));
            assert_eq!(web.agent.get(SYS_NAME), Bound::Value(Value::text(name)));
        }
        let reader = open(&web, Way::Http, "public", SoapOptions::default()).await;
        let refused = reader.set(&named("nobody")).await.unwrap_err();
        assert!(matches!(&refused, Error::Fault { fault } if fault.kind == FaultKind::NotSet(SetStatus::NoAccess)), "{refused}");
        let stranger = open(&web, Way::Http, "stranger", SoapOptions::default()).await;
        let refused = stranger.get(&[oid(SYS_NAME)]).await.unwrap_err();
        assert!(
            matches!(&refused, Error::Fault { fault } if fault.kind == FaultKind::Unauthorized),
            "{refused}"
        );
        assert_eq!(web.agent.get(SYS_NAME), Bound::Value(Value::text("by password")));
    });
}
