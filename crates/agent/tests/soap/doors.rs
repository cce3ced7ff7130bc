//! Equal values by SNMP and by SOAP.

use std::collections::BTreeMap;

use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Version as SnmpVersion};
use trunkline_soap::answer::{AnswerError, Row};
use trunkline_soap::catalog::{Catalog, Record, TableVerb};
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_soap::fault::FaultKind;
use trunkline_soap::operation::{Operation, RowRange};
use trunkline_transport::http::coding::Coding;

use super::ask::Asker;
use super::support::{Agent, bulk, message};

/// Both doors, and data that stays as it is.
pub const CONFIG: &str = r#"
[snmp]
listen = ["udp://127.0.0.1:0"]
[[snmp.community]]
name = "public"
access = "read"
[[snmp.community]]
name = "private"
access = "write"
[[snmp.community]]
name = "little"
access = "read"
view = ["1.3.6.1.2.1.1", "1.3.6.1.2.1.2.2.1.2"]
[http]
listen = ["http://127.0.0.1:0"]
[freshness]
default = "1h"
"#;

type Values = BTreeMap<Oid, Value>;

/// Everything below a name, by GetBulk.
fn walk(agent: &Agent, root: &[u32]) -> Values {
    let mut found = Values::new();
    let mut at = Oid::new(root).unwrap();
    loop {
        let request = message(SnmpVersion::V2c, "public", bulk(0, 20, &[&at.to_string()]));
        let answer = agent.ask(&request);
        assert_eq!(answer.pdu.error_status, 0);
        for binding in answer.pdu.bindings {
            let Bound::Value(value) = binding.value else { return found };
            if !binding.name.starts_with(root) {
                return found;
            }
            at = binding.name.clone();
            found.insert(binding.name, value);
        }
    }
}

/// The rows of an answer, by name; index objects are not columns of the record.
fn by_name(rows: &[Row], record: &Record, column: impl Fn(usize) -> Vec<u32>) -> Values {
    let mut found = Values::new();
    for row in rows {
        for (at, cell) in row.cells.iter().enumerate().filter_map(|(at, cell)| Some((at, cell.as_ref()?))) {
            assert!(at < record.fields.len());
            found.insert(Oid::new(&column(at)).unwrap().child(&row.index), cell.clone());
        }
    }
    found
}

/// Values that change meanwhile may have grown from the first reading to the last.
fn assert_same(what: &str, before: &Values, between: &Values, after: &Values) {
    for (name, value) in between {
        let (Some(first), Some(last)) = (before.get(name), after.get(name)) else {
            panic!("{what}: {name} is not in both answers");
        };
        let grows = |value: &Value| match value {
            Value::Counter32(number) | Value::TimeTicks(number) | Value::Unsigned32(number) => {
                Some(u64::from(*number))
            }
            Value::Counter64(number) => Some(*number),
            Value::Integer(number) => u64::try_from(*number).ok(),
            _ => None,
        };
        match (grows(first), grows(value), grows(last)) {
            (Some(first), Some(value), Some(last)) => {
                assert!(first <= value && value <= last, "{what}: {name}: {first} {value} {last}");
            }
            _ => assert!(value == first || value == last, "{what}: {name}: {value:?} {first:?} {last:?}"),
        }
    }
    assert!(before.keys().all(|name| between.contains_key(name)), "{what}: by SOAP there is more");
}

fn is_not_there(error: &AnswerError) -> bool {
    let AnswerError::Fault(fault) = error else { return false };
    matches!(fault.kind, FaultKind::NoSuchObject | FaultKind::UnknownOperation)
}

#[test]
fn every_table_is_the_same_through_both_doors_in_every_encoding() {
    let agent = Agent::start(CONFIG);
    let mut asker = Asker::new(agent.address("http"), Vec::new());
    let catalog = Catalog::complete();
    let (mut served, mut filled) = (0, 0);
    for (at, table) in catalog.tables().iter().enumerate() {
        let name = table.table.name;
        let record = &table.record;
        let column = |field: usize| table.column_oid(record.fields[field].id);
        let whole = |asker: &mut Asker, encoding| {
            let version = if encoding == Encoding::Lean { Version::V1_2 } else { Version::V1_1 };
            let operation = asker.table(at, TableVerb::Whole, None, RowRange::All);
            asker.rows(version, encoding, operation, record)
        };
        let first = match whole(&mut asker, Encoding::Typed) {
            Ok(rows) => rows,
            Err(error) if is_not_there(&error) => {
                assert_eq!(walk(&agent, table.table.oid), Values::new(), "{name}");
                continue;
            }
            Err(error) => panic!("{name}: {error}"),
        };
        served += 1;
        let is_field = |name: &Oid| {
            name.get(table.table.oid.len() + 1)
                .is_some_and(|id| record.fields.iter().any(|field| field.id == *id))
        };
        let mut walked = walk(&agent, table.table.oid);
        walked.retain(|name, _| is_field(name));
        for encoding in Encoding::ALL {
            let again = whole(&mut asker, encoding).unwrap_or_else(|error| panic!("{name}: {error}"));
            let before = by_name(&first, record, column);
            assert_same(name, &before, &walked, &by_name(&again, record, column));
        }
        if let [row, rest @ ..] = &first[..] {
            filled += 1;
            granularities(&mut asker, at, record, row, rest.first());
        }
    }
    assert!(served > 30 && filled > 8, "{served} tables are served, {filled} have rows");
}

/// One row, one column, and the rows after the first.
fn granularities(asker: &mut Asker, at: usize, record: &Record, first: &Row, second: Option<&Row>) {
    let name = record.element;
    for encoding in Encoding::ALL {
        let one = asker.table(at, TableVerb::Row, None, RowRange::One(first.index.clone()));
        let rows = asker
            .rows(Version::V1_2, encoding, one, record)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(rows.len(), 1, "{name}");
        assert_eq!(rows[0].index, first.index, "{name}");
        let after = RowRange::After { index: first.index.clone(), count: 1 };
        let next = asker.table(at, TableVerb::NextRows, None, after);
        let rows = asker
            .rows(Version::V1_1, encoding, next, record)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(rows.first().map(|row| &row.index), second.map(|row| &row.index), "{name}");
        if record.fields.is_empty() {
            continue;
        }
        let column = asker.table(at, TableVerb::Column, Some(vec![0]), RowRange::All);
        let only = record.only(&[0]);
        let rows = asker
            .rows(Version::V1_1, encoding, column, &only)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(rows.iter().all(|row| row.cells.len() == 1), "{name}");
    }
}

#[test]
fn every_scalar_is_the_same_through_both_doors() {
    let agent = Agent::start(CONFIG);
    let mut asker = Asker::new(agent.address("http"), Vec::new());
    let catalog = Catalog::complete();
    let mut served = 0;
    for (at, group) in catalog.groups().iter().enumerate() {
        let record = &group.record;
        let whole = |field: usize| group.scalars[field].oid.to_vec();
        let values = |rows: Vec<Row>| -> Values {
            let found = by_name(&rows, record, whole);
            found.into_iter().map(|(name, value)| (name.child(&[0]), value)).collect()
        };
        let first = match asker.rows(Version::V1_2, Encoding::Typed, Operation::Group(at), record) {
            Ok(rows) => values(rows),
            Err(error) if is_not_there(&error) => continue,
            Err(error) => panic!("{}: {error}", group.name),
        };
        served += 1;
        let mut walked = Values::new();
        for scalar in &group.scalars {
            walked.append(&mut walk(&agent, scalar.oid));
        }
        for encoding in Encoding::ALL {
            let rows = asker.rows(Version::V1_1, encoding, Operation::Group(at), record);
            let again = values(rows.unwrap_or_else(|error| panic!("{}: {error}", group.name)));
            assert_same(group.name, &first, &walked, &again);
            let names = walked.keys().map(|oid| catalog.object_name(&oid.to_string()).unwrap()).collect();
            let get = Operation::Get { names, mark_missing: false };
            let objects = asker.objects(Version::V1_2, encoding, get).unwrap();
            assert_eq!(objects.len(), walked.len());
            assert!(objects.iter().all(|object| object.value.is_ok()));
        }
    }
    assert!(served > 15, "{served} groups are served");
}

#[test]
fn compressed_and_uncompressed_answers_are_equal() {
    let agent = Agent::start(CONFIG);
    let mut plain = Asker::new(agent.address("http"), Vec::new());
    let at = plain.catalog.tables().iter().position(|table| table.table.name == "ifTable").unwrap();
    for encoding in Encoding::ALL {
        let operation = plain.table(at, TableVerb::Whole, None, RowRange::All);
        let expected = plain.ask(Version::V1_1, encoding, operation.clone());
        for coding in [Coding::Gzip, Coding::Deflate] {
            let mut asker = Asker::new(agent.address("http"), vec![coding]);
            let answer = asker.ask(Version::V1_1, encoding, operation.clone());
            assert_eq!(answer.body, expected.body);
            assert!(answer.body_octets < expected.body_octets, "{} octets", answer.body_octets);
        }
    }
}
