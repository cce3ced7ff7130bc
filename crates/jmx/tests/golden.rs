//! Streams of JDK 17 and 25, recorded by `peers/jmx/Record.java`: each is read as the expected value, and what Java and this
//! room write in the same way is written again to the same octets.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

use crate::common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{graph, read, write};
use trunkline_jmx::Error;
use trunkline_jmx::jrmp::{Endpoint, ObjId, Reference, Stub, StubKind};
use trunkline_jmx::model::*;
use trunkline_jmx::stream::classes::{self, exceptions, java};
use trunkline_jmx::stream::{Annotations, Class, Input, Limits, Reader, Writer};

const VERSIONS: [&str; 2] = ["17", "25"];

fn folder(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(version)
}

fn golden(version: &str, name: &str) -> Vec<u8> {
    std::fs::read(folder(version).join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Whether the same octets are written again.
#[derive(PartialEq)]
enum Written {
    Same,
    /// Another class, another capacity, or strings that Java has as one object.
    Otherwise,
}
use Written::{Otherwise, Same};

fn check(cases: Vec<(&str, Value, Written)>) {
    for version in VERSIONS {
        for (name, expected, written) in &cases {
            let octets = golden(version, name);
            let found = read(&octets).unwrap_or_else(|error| panic!("{version} {name}: {error}"));
            assert_eq!(&found, expected, "{version} {name}");
            let again = write(&found);
            assert_eq!(*written == Same, again == octets, "{version} {name}\n{again:02x?}\n{octets:02x?}");
            assert_eq!(&read(&again).unwrap(), expected, "{version} {name}, written and read");
        }
    }
}

fn strings(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|text| Value::from(*text)).collect()
}

fn row() -> ObjectName {
    "toy:type=Row,index=1".parse().unwrap()
}

#[test]
fn values() {
    let boxes = vec![
        Value::Boolean(true),
        Value::Byte(-1),
        Value::Character(u16::from(b'x')),
        Value::Short(2),
        Value::Integer(3),
        Value::Long(4),
        Value::Float(1.5),
        Value::Double(2.5),
        Value::Null,
    ];
    let longs = vec![Value::Long(1), Value::Null];
    check(vec![
        ("null", Value::Null, Same),
        ("text", "a text".into(), Same),
        ("text-modified", "\0\u{e9}\u{20ac}\u{1f600}".into(), Same),
        ("boxes", Value::Array(Array::objects(boxes)), Same),
        ("booleans", Value::Array(Array::Booleans(vec![true, false])), Same),
        ("bytes", Value::Array(Array::Bytes(vec![1, 255])), Same),
        ("chars", Value::Array(Array::Characters(vec![97, 98])), Same),
        ("shorts", Value::Array(Array::Shorts(vec![1, -2])), Same),
        ("ints", Value::Array(Array::Integers(vec![1, -2])), Same),
        ("longs", Value::Array(Array::Longs(vec![1, -2, i64::MAX])), Same),
        ("floats", Value::Array(Array::Floats(vec![1.5])), Same),
        ("doubles", Value::Array(Array::Doubles(vec![-2.5])), Same),
        ("columns", Value::Array(Array::LongColumns(vec![vec![1, 2], vec![3, 4]])), Same),
        ("texts", Value::Array(Array::Strings(vec!["a".to_owned(), "b".to_owned()])), Same),
        ("boxed-longs", Value::Array(Array::Objects { class: &java::LONG_ARRAY, items: longs }), Same),
        ("big-integer", Value::BigInteger(BigInteger::from(-(1_i128 << 64))), Same),
        (
            "big-decimal",
            Value::BigDecimal(BigDecimal { unscaled: BigInteger::from(1234_u64), scale: 2 }),
            Same,
        ),
        ("date", Value::Date(1000), Same),
        ("marshalled", Value::Marshalled(MarshalledObject::new(&Value::Long(7))), Same),
        ("marshalled-null", Value::Marshalled(MarshalledObject::new(&Value::Null)), Same),
    ]);
}

#[test]
fn collections() {
    let list = || Value::List(strings(&["a", "b"]));
    let one = || Value::Map(vec![("a".into(), Value::Integer(1))]);
    let two = |a: i32, b: i32| {
        let entry = |number: i32| (Value::from(if number == 1 { "a" } else { "b" }), Value::Integer(number));
        Value::Map(vec![entry(a), entry(b)])
    };
    check(vec![
        ("array-list", list(), Same),
        ("linked-list", list(), Otherwise),
        ("vector", list(), Otherwise),
        ("as-list", list(), Otherwise),
        ("list-of", list(), Otherwise),
        ("singleton-list", Value::List(strings(&["a"])), Otherwise),
        ("empty-list", Value::List(Vec::new()), Otherwise),
        ("unmodifiable-list", list(), Otherwise),
        ("hash-set", Value::Set(strings(&["a"])), Same),
        ("linked-hash-set", Value::Set(strings(&["a", "b"])), Otherwise),
        ("tree-set", Value::Set(strings(&["a", "b"])), Otherwise),
        ("set-of", Value::Set(strings(&["a"])), Otherwise),
        ("unmodifiable-set", Value::Set(strings(&["a"])), Otherwise),
        ("hash-map", one(), Otherwise),
        ("hashtable", one(), Otherwise),
        ("tree-map", two(1, 2), Otherwise),
        ("linked-hash-map", two(2, 1), Same),
        ("map-of", one(), Otherwise),
        ("singleton-map", one(), Otherwise),
    ]);
}

#[test]
fn names_and_attributes() {
    let value = Attribute { name: "Value".to_owned(), value: Value::Long(7) };
    let name = Attribute { name: "Name".to_owned(), value: "x".into() };
    check(vec![
        ("name", Value::Name(row()), Same),
        ("pattern", Value::Name("to*:type=Row,*".parse().unwrap()), Same),
        ("attribute", Value::Attribute(Box::new(value.clone())), Same),
        ("attributes", Value::Attributes(vec![value, name]), Same),
        (
            "instance",
            Value::Instance(ObjectInstance { name: row(), class: Some("toy.Row".to_owned()) }),
            Same,
        ),
    ]);
}

fn item_type() -> CompositeType {
    let item = |name: &str, description: &str, simple| Item {
        name: name.to_owned(),
        description: description.to_owned(),
        open_type: OpenType::Simple(simple),
    };
    CompositeType {
        name: "toy.Item".to_owned(),
        description: "an item".to_owned(),
        items: vec![item("name", "which", SimpleType::String), item("octets", "how many", SimpleType::Long)],
    }
}

#[test]
fn open_data() {
    let data = |name: &str, octets| CompositeData {
        composite_type: Arc::new(item_type()),
        values: vec![name.into(), Value::Long(octets)],
    };
    let table = Arc::new(TabularType {
        name: "toy.Items".to_owned(),
        description: "items".to_owned(),
        row: Arc::new(item_type()),
        index: vec!["name".to_owned()],
    });
    let rows = vec![data("a", 8), data("b", 9)];
    let array = ArrayType::of(2, OpenType::Simple(SimpleType::String));
    let primitives = ArrayType::of_primitives(1, SimpleType::Long);
    check(vec![
        ("simple-type", Value::OpenType(OpenType::Simple(SimpleType::ObjectName)), Same),
        ("array-type", Value::OpenType(OpenType::Array(Arc::new(array))), Same),
        ("primitive-array-type", Value::OpenType(OpenType::Array(Arc::new(primitives))), Same),
        ("composite-type", Value::OpenType(OpenType::Composite(Arc::new(item_type()))), Same),
        ("composite", Value::Composite(Box::new(data("a", 7))), Otherwise),
        ("tabular-type", Value::OpenType(OpenType::Tabular(table.clone())), Otherwise),
        ("tabular", Value::Tabular(Box::new(TabularData { tabular_type: table, rows })), Otherwise),
    ]);
}

#[test]
fn descriptions() {
    let parameter =
        |open| ParameterInfo { feature: Feature::new("a", "a number"), class: Some("long".to_owned()), open };
    let types = vec!["toy.fired".to_owned()];
    let notification =
        NotificationInfo { feature: Feature::new("javax.management.Notification", "it has fired"), types };
    let mut attribute = AttributeInfo {
        feature: Feature::new("Value", "a value"),
        class: Some("long".to_owned()),
        readable: true,
        writable: true,
        ..AttributeInfo::default()
    };
    attribute.feature.descriptor = vec![("units".to_owned(), "octets".into())];
    let info = Info {
        class: Some("toy.Row".to_owned()),
        description: Some("a row".to_owned()),
        attributes: vec![attribute],
        operations: vec![OperationInfo {
            feature: Feature::new("add", "adds"),
            parameters: vec![parameter(None)],
            class: Some("long".to_owned()),
            impact: Impact::Info,
            open: None,
        }],
        constructors: vec![ConstructorInfo {
            feature: Feature::new("toy.Row", "makes one"),
            parameters: vec![parameter(None)],
            open: false,
        }],
        notifications: vec![notification],
        descriptor: vec![("immutableInfo".to_owned(), "true".into())],
        open: false,
    };
    let fields = vec![("name".to_owned(), "a".into()), ("descriptorType".to_owned(), "attribute".into())];
    check(vec![
        ("info", Value::Info(Box::new(info)), Otherwise),
        ("descriptor-support", Value::Descriptor(fields), Otherwise),
    ]);
}

/// Of models, as Spring registers them, the descriptors are fields of their own.
#[test]
fn descriptions_of_models() {
    for version in VERSIONS {
        let Value::Info(info) = read(&golden(version, "model-info")).unwrap() else {
            panic!("no description")
        };
        assert_eq!((info.class.as_deref(), info.description.as_deref()), (Some("toy.Row"), Some("a row")));
        let attribute = &info.attributes[0];
        assert_eq!(attribute.feature.name.as_deref(), Some("Value"));
        assert_eq!((attribute.class.as_deref(), attribute.readable), (Some("long"), true));
        let field = |descriptor: &Descriptor, name: &str| {
            descriptor
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.clone())
        };
        assert_eq!(field(&attribute.feature.descriptor, "metricType"), Some("COUNTER".into()));
        let operation = &info.operations[0];
        assert_eq!((operation.impact, operation.parameters.len()), (Impact::Info, 1));
        assert_eq!(field(&operation.feature.descriptor, "descriptorType"), Some("operation".into()));
        assert_eq!(info.constructors[0].parameters[0].class.as_deref(), Some("long"));
        assert_eq!(info.notifications[0].types, ["toy.fired"]);
        assert_eq!(field(&info.descriptor, "descriptorType"), Some("mbean".into()));
    }
}

#[test]
fn open_descriptions() {
    for version in VERSIONS {
        let Ok(Value::Info(info)) = read(&golden(version, "open-info")) else { panic!("no description") };
        assert!(info.open && info.constructors[0].open);
        let attribute = &info.attributes[0];
        assert_eq!(attribute.open.as_ref().unwrap().open_type, OpenType::Simple(SimpleType::Long));
        let operation = &info.operations[0];
        assert_eq!(
            (operation.impact, &operation.open),
            (Impact::Action, &Some(OpenType::Simple(SimpleType::Long)))
        );
        let limits = operation.parameters[0].open.as_ref().unwrap();
        assert_eq!(
            (&limits.default, &limits.min, &limits.max, &limits.legal),
            (&Value::Long(1), &Value::Long(0), &Value::Long(9), &Value::Null)
        );
        let value = Value::Info(info);
        assert_eq!(read(&write(&value)).unwrap(), value);
    }
}

#[test]
fn queries() {
    let attribute = |name: &str| Operand::Attribute(name.to_owned());
    let number = |number| Operand::Whole(number);
    let value = || attribute("Value");
    let relation = Query::Relation;
    let relations = Query::And(
        Box::new(Query::Or(
            Box::new(relation(Relation::Greater, value(), number(1))),
            Box::new(relation(Relation::LessOrEqual, value(), Operand::Fraction(2.5))),
        )),
        Box::new(Query::Not(Box::new(relation(
            Relation::Equal,
            Operand::Qualified { class: "toy.Row".to_owned(), attribute: "Name".to_owned() },
            Operand::String("x".to_owned()),
        )))),
    );
    let plus = Operand::Operation(Arithmetic::Plus, Box::new(value()), Box::new(Operand::Whole(1)));
    let list = vec![Operand::String("a".to_owned()), Operand::Boolean(true)];
    let query = |query| Value::Query(Box::new(query));
    check(vec![
        ("query-relations", query(relations), Otherwise),
        ("query-between", query(Query::Between(plus, number(2), number(3))), Same),
        ("query-in", query(Query::In(Operand::Class, list)), Same),
        ("query-match", query(Query::Match(attribute("Name"), r"*a\**".to_owned().into())), Same),
        ("query-instance-of", query(Query::InstanceOf("toy.Row".to_owned())), Same),
    ]);
}

fn notification(kind: &str, message: Option<&str>, detail: Detail) -> Notification {
    Notification {
        kind: kind.to_owned(),
        source: Value::Name(row()),
        sequence: 1,
        time: 1000,
        message: message.map(str::to_owned),
        user_data: Value::Null,
        detail,
    }
}

#[test]
fn notifications() {
    let fired = Notification {
        user_data: Value::Long(7),
        ..notification("toy.fired", Some("it has fired"), Detail::None)
    };
    let registered = notification("JMX.mbean.registered", Some(""), Detail::Server { name: Some(row()) });
    let changed = Detail::AttributeChange {
        name: Some("Value".to_owned()),
        class: Some("long".to_owned()),
        old: Value::Long(7),
        new: Value::Long(8),
    };
    let changed = notification("jmx.attribute.change", Some("changed"), changed);
    let connected = Detail::Connection { id: Some("id".to_owned()) };
    let connected = notification("jmx.remote.connection.opened", Some("opened"), connected);
    assert!(Filter::Types(vec!["toy.".to_owned()]).accepts(&fired));
    assert!(!Filter::Types(vec!["toy.x".to_owned()]).accepts(&fired));
    assert!(Filter::Attributes(vec!["Value".to_owned()]).accepts(&changed));
    assert!(!Filter::Attributes(vec!["Name".to_owned()]).accepts(&changed));
    for version in VERSIONS {
        let (graph, id) = graph(&golden(version, "result"), Limits::default()).unwrap();
        let notifications = vec![TargetedNotification { listener: 3, notification: fired.clone() }];
        assert_eq!(
            Decoder::new(&graph, Limits::default()).notification_result(id).unwrap(),
            NotificationResult { earliest: 5, next: 6, notifications }
        );
    }
    let value = |notification| Value::Notification(Box::new(notification));
    check(vec![
        ("notification", value(fired), Same),
        ("registered", value(registered), Same),
        ("changed", value(changed), Same),
        ("connected", value(connected), Same),
        ("filter-types", Value::Filter(Filter::Types(vec!["toy.".to_owned()])), Same),
        ("filter-attributes", Value::Filter(Filter::Attributes(vec!["Value".to_owned()])), Same),
    ]);
}

#[test]
fn exceptions_with_their_causes() {
    let exception = |class: &'static Class, message: &str| Exception::new(class, message);
    let outer = |class: &'static Class, inner: &'static Class| {
        Value::Exception(Box::new(exception(class, "outer").caused_by(exception(inner, "inner"))))
    };
    let alone = |class: &'static Class, message: &str| Value::Exception(Box::new(exception(class, message)));
    let state = &exceptions::ILLEGAL_STATE_EXCEPTION;
    check(vec![
        ("not-found", alone(&exceptions::INSTANCE_NOT_FOUND_EXCEPTION, "no:a=b"), Same),
        ("mbean-exception", outer(&exceptions::MBEAN_EXCEPTION, state), Otherwise),
        ("runtime-mbean-exception", outer(&exceptions::RUNTIME_MBEAN_EXCEPTION, state), Otherwise),
        ("io-exception", outer(&exceptions::IO_EXCEPTION, &exceptions::SECURITY_EXCEPTION), Otherwise),
        ("class-not-found", alone(&exceptions::CLASS_NOT_FOUND_EXCEPTION, "a.B"), Same),
        (
            "server-exception",
            outer(&exceptions::SERVER_EXCEPTION, &exceptions::UNMARSHAL_EXCEPTION),
            Otherwise,
        ),
        ("with-trace", alone(&exceptions::ATTRIBUTE_NOT_FOUND_EXCEPTION, "Nothing"), Otherwise),
        ("suppressing", alone(&exceptions::ILLEGAL_ARGUMENT_EXCEPTION, "outer"), Otherwise),
    ]);
}

#[test]
fn references_and_stubs() {
    let stub = |kind, tls| Stub {
        kind,
        reference: Reference {
            endpoint: Endpoint { host: "host".to_owned(), port: 1099 },
            tls,
            object: ObjId::REGISTRY,
            acknowledged: false,
        },
    };
    for version in VERSIONS {
        for (name, expected) in [
            ("server-stub", stub(StubKind::Server, false)),
            ("connection-stub", stub(StubKind::Connection, false)),
            ("server-stub-tls", stub(StubKind::Server, true)),
            ("server-proxy", stub(StubKind::Server, false)),
        ] {
            let octets = golden(version, name);
            let (graph, id) = graph(&octets, Limits::default()).unwrap();
            assert_eq!(
                Stub::read(&mut Decoder::new(&graph, Limits::default()), id).unwrap(),
                expected,
                "{name}"
            );
            let mut out = Vec::new();
            let mut writer = Writer::new(&mut out, Annotations::Codebase);
            let mut encoder = Encoder::new(&mut writer);
            match name {
                "server-proxy" => expected.write_proxy(&mut encoder),
                _ => expected.write(&mut encoder),
            }
            writer.finish();
            assert_eq!(out, octets, "{name}");
        }
    }
}

#[test]
fn what_is_not_a_value_is_refused() {
    for version in VERSIONS {
        assert_eq!(
            read(&golden(version, "cycle")),
            Err(Error::Cycle { class: "java.util.ArrayList".to_owned() })
        );
        assert_eq!(
            read(&golden(version, "gadget")),
            Err(Error::UnknownClass { name: "java.awt.Point".to_owned() })
        );
        assert!(matches!(read(&golden(version, "lease")), Err(Error::Type { .. })));
    }
}

/// Each recorded stream, octet by octet and cut at each octet: never read otherwise, never an error before its end.
#[test]
fn streams_arrive_in_pieces() {
    for entry in std::fs::read_dir(folder("17")).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("classes") || path.ends_with("gadget") {
            continue;
        }
        let octets = std::fs::read(&path).unwrap();
        let mut reader = Reader::new(Limits::default());
        let mut buffer = Vec::new();
        for (index, octet) in octets.iter().enumerate() {
            buffer.push(*octet);
            let mut input = Input::new(&buffer);
            let item = reader.next(&mut input).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let read = input.position();
            buffer.drain(..read);
            assert_eq!(item.is_some(), index + 1 == octets.len(), "{} at {index}", path.display());
        }
        assert!(buffer.is_empty());
        let (whole, _) = graph(&octets, Limits::default()).unwrap();
        assert_eq!(format!("{whole:?}"), format!("{:?}", reader.graph()), "{}", path.display());
    }
}

/// The allow-list is what the JDKs say of these classes (`peers/jmx/Describe.java`).
#[test]
fn descriptors_are_those_of_the_jdks() {
    for version in VERSIONS {
        let text = String::from_utf8(golden(version, "classes")).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        let mut ours: Vec<String> = classes::ALL.iter().map(|class| line(class)).collect();
        ours.sort_unstable();
        assert_eq!(ours, lines, "JDK {version}");
    }
    assert!(classes::ALL.is_sorted_by(|a, b| a.name < b.name));
}

fn line(class: &Class) -> String {
    let mut line = format!("{} {} {} ", class.name, class.suid, class.flags);
    line.push_str(class.parent.map_or("-", |parent| parent.name));
    for field in class.fields {
        line.extend([" ", field.name, ":", field.signature]);
    }
    line
}
