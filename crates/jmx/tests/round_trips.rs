//! What is written is read as the same: values, names, requests through both ends of a connection, in pieces of any size.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

use crate::common;

use std::sync::Arc;

use common::{read_within, write};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use trunkline_jmx::jrmp::{
    Client, Endpoint, Event, Lease, ObjId, Reference, Server, Stub, StubKind, Uid, Vmid,
};
use trunkline_jmx::model::*;
use trunkline_jmx::remote::{Creation, Credentials, Method, Reply, Request};
use trunkline_jmx::stream::Limits;
use trunkline_jmx::stream::classes::{ALL, exceptions, java};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-z ]{0,8}", 1 => any::<String>(), 1 => Just("x".repeat(70_000)), 1 => Just("\0\u{1f600}".to_owned())]
}

fn word() -> impl Strategy<Value = String> {
    "[a-zA-Z][a-zA-Z0-9.]{0,8}"
}

fn name() -> impl Strategy<Value = ObjectName> {
    let property = |(key, value): (String, String)| (key, quote(&value));
    let properties = proptest::collection::btree_map(word(), any::<String>(), 1..4);
    (word(), properties).prop_map(move |(domain, properties)| {
        let properties: Vec<(String, String)> = properties.into_iter().map(property).collect();
        let texts = properties.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        ObjectName::new(&domain, texts).unwrap()
    })
}

/// NaN is not equal to itself, so there is none.
fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Boolean),
        any::<i8>().prop_map(Value::Byte),
        any::<u16>().prop_map(Value::Character),
        any::<i16>().prop_map(Value::Short),
        any::<i32>().prop_map(Value::Integer),
        any::<i64>().prop_map(Value::Long),
        proptest::num::f32::NORMAL.prop_map(Value::Float),
        proptest::num::f64::NORMAL.prop_map(Value::Double),
        text().prop_map(Value::String),
        any::<i128>().prop_map(|number| Value::BigInteger(BigInteger::from(number))),
        (any::<i128>(), any::<i32>()).prop_map(|(number, scale)| Value::BigDecimal(BigDecimal {
            unscaled: BigInteger::from(number),
            scale
        })),
        any::<i64>().prop_map(Value::Date),
        array().prop_map(Value::Array),
        name().prop_map(Value::Name),
        (name(), option::of(word()))
            .prop_map(|(name, class)| Value::Instance(ObjectInstance { name, class })),
        vec(word(), 0..20).prop_map(|types| Value::Filter(Filter::Types(types))),
        vec(word(), 0..3).prop_map(|names| Value::Filter(Filter::Attributes(names))),
        query().prop_map(|query| Value::Query(Box::new(query))),
        exception().prop_map(|exception| Value::Exception(Box::new(exception))),
        rows(),
    ]
}

fn array() -> impl Strategy<Value = Array> {
    prop_oneof![
        vec(any::<bool>(), 0..5).prop_map(Array::Booleans),
        vec(any::<u8>(), 0..5).prop_map(Array::Bytes),
        vec(any::<u16>(), 0..5).prop_map(Array::Characters),
        vec(any::<i16>(), 0..5).prop_map(Array::Shorts),
        vec(any::<i32>(), 0..5).prop_map(Array::Integers),
        vec(any::<i64>(), 0..500).prop_map(Array::Longs),
        vec(proptest::num::f32::NORMAL, 0..5).prop_map(Array::Floats),
        vec(proptest::num::f64::NORMAL, 0..5).prop_map(Array::Doubles),
        vec(text(), 0..5).prop_map(Array::Strings),
        vec(vec(any::<i64>(), 0..5), 0..5).prop_map(Array::LongColumns),
    ]
}

fn exception() -> impl Strategy<Value = Exception> {
    let classes: Vec<_> = ALL.iter().copied().filter(|class| class.extends(&exceptions::THROWABLE)).collect();
    (proptest::sample::select(classes), option::of(text()))
        .prop_map(|(class, message)| Exception { class, message, cause: None })
        .prop_recursive(3, 4, 1, |inner| {
            // These have no field for an exception and no cause either, or one that must be given to them.
            (inner, option::of(text())).prop_map(|(cause, message)| Exception {
                class: &exceptions::REMOTE_EXCEPTION,
                message,
                cause: Some(Box::new(cause)),
            })
        })
}

fn operand() -> impl Strategy<Value = Operand> {
    let leaf = prop_oneof![
        word().prop_map(Operand::Attribute),
        (word(), word()).prop_map(|(class, attribute)| Operand::Qualified { class, attribute }),
        Just(Operand::Class),
        text().prop_map(Operand::String),
        any::<bool>().prop_map(Operand::Boolean),
        any::<i64>().prop_map(Operand::Whole),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let operations = [Arithmetic::Plus, Arithmetic::Minus, Arithmetic::Times, Arithmetic::Divide];
        (proptest::sample::select(operations.to_vec()), inner.clone(), inner).prop_map(
            |(operation, left, right)| Operand::Operation(operation, Box::new(left), Box::new(right)),
        )
    })
}

fn query() -> impl Strategy<Value = Query> {
    let relations = vec![
        Relation::Greater,
        Relation::Less,
        Relation::GreaterOrEqual,
        Relation::LessOrEqual,
        Relation::Equal,
    ];
    let leaf = prop_oneof![
        (proptest::sample::select(relations), operand(), operand())
            .prop_map(|(relation, left, right)| Query::Relation(relation, left, right)),
        (operand(), operand(), operand()).prop_map(|(value, low, high)| Query::Between(value, low, high)),
        (operand(), vec(operand(), 0..3)).prop_map(|(value, list)| Query::In(value, list)),
        (word(), text()).prop_map(|(name, pattern)| Query::Match(Operand::Attribute(name), pattern.into())),
        word().prop_map(Query::InstanceOf),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone())
                .prop_map(|(left, right)| Query::And(Box::new(left), Box::new(right))),
            (inner.clone(), inner.clone())
                .prop_map(|(left, right)| Query::Or(Box::new(left), Box::new(right))),
            inner.prop_map(|inner| Query::Not(Box::new(inner))),
        ]
    })
}

fn rows() -> impl Strategy<Value = Value> {
    let names = proptest::collection::btree_set(word(), 1..4);
    (names, vec(any::<i64>(), 0..4), text(), word()).prop_map(|(names, keys, description, name)| {
        let element = OpenType::Array(Arc::new(ArrayType::of_primitives(1, SimpleType::Long)));
        let items: Vec<Item> = names
            .iter()
            .enumerate()
            .map(|(index, name)| Item {
                name: name.clone(),
                description: description.clone(),
                open_type: if index == 0 { OpenType::Simple(SimpleType::Long) } else { element.clone() },
            })
            .collect();
        let index = vec![items[0].name.clone()];
        let row = Arc::new(CompositeType { name: name.clone(), description: description.clone(), items });
        let data = |key: i64| {
            let mut values = vec![Value::Array(Array::Longs(vec![key])); row.items.len()];
            values[0] = Value::Long(key);
            CompositeData { composite_type: row.clone(), values }
        };
        let rows = keys.into_iter().map(data).collect();
        let tabular_type = Arc::new(TabularType { name, description, row: row.clone(), index });
        Value::Tabular(Box::new(TabularData { tabular_type, rows }))
    })
}

fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::List),
            vec(inner.clone(), 0..4).prop_map(Value::Set),
            vec((inner.clone(), inner.clone()), 0..4).prop_map(Value::Map),
            vec(inner.clone(), 0..4).prop_map(|items| Value::Array(Array::objects(items))),
            (text(), inner.clone())
                .prop_map(|(name, value)| Value::Attribute(Box::new(Attribute { name, value }))),
            vec((text(), inner.clone()), 0..4).prop_map(|list| {
                Value::Attributes(list.into_iter().map(|(name, value)| Attribute { name, value }).collect())
            }),
            inner.clone().prop_map(|value| Value::Marshalled(MarshalledObject::new(&value))),
            vec((word(), inner.clone()), 0..3).prop_map(Value::Descriptor),
            (inner, text(), any::<i64>()).prop_map(|(user_data, message, sequence)| {
                let detail = Detail::Monitor(Box::new(Monitored {
                    object: None,
                    attribute: Some(message.clone()),
                    gauge: user_data.clone(),
                    trigger: Value::Double(0.5),
                }));
                let source = Value::from("here");
                let message = Some(message);
                let kind = "a.b".to_owned();
                Value::Notification(Box::new(Notification {
                    kind,
                    source,
                    sequence,
                    time: 1,
                    message,
                    user_data,
                    detail,
                }))
            }),
        ]
    })
}

fn marshalled() -> impl Strategy<Value = Option<MarshalledObject>> {
    option::of(leaf().prop_map(|value| MarshalledObject::new(&value)))
}

fn identifiers() -> impl Strategy<Value = (Uid, ObjId)> {
    (any::<i32>(), any::<i64>(), any::<i16>(), any::<i64>()).prop_map(|(unique, time, count, number)| {
        let space = Uid { unique, time, count };
        (space, ObjId { number, space })
    })
}

fn request() -> impl Strategy<Value = Request> {
    let strings = || vec(text(), 0..3);
    let vmid = |uid| Vmid { address: Some(vec![1, 2]), uid };
    prop_oneof![
        Just(Request::List),
        text().prop_map(Request::Lookup),
        (identifiers(), any::<i64>(), any::<bool>()).prop_map(move |((uid, object), sequence, strong)| {
            Request::Clean { objects: vec![object, object], sequence, client: Some(vmid(uid)), strong }
        }),
        (identifiers(), any::<i64>()).prop_map(move |((uid, object), sequence)| Request::Dirty {
            objects: vec![object],
            sequence,
            lease: Lease { duration: 1, client: Some(vmid(uid)) }
        }),
        Just(Request::GetVersion),
        option::of(strings()).prop_map(|texts| Request::NewClient(Credentials(texts))),
        Just(Request::Close),
        (
            text(),
            option::of(name()),
            option::of(option::of(name())),
            option::of((marshalled(), option::of(strings())))
        )
            .prop_map(|(class, name, loader, parameters)| Request::CreateMBean(Creation {
                class,
                name,
                loader,
                parameters
            })),
        name().prop_map(Request::UnregisterMBean),
        name().prop_map(Request::GetMBeanInfo),
        (option::of(name()), marshalled()).prop_map(|(name, query)| Request::QueryNames { name, query }),
        (option::of(name()), marshalled()).prop_map(|(name, query)| Request::QueryMBeans { name, query }),
        Just(Request::GetMBeanCount),
        (name(), text()).prop_map(|(name, attribute)| Request::GetAttribute { name, attribute }),
        (name(), strings()).prop_map(|(name, attributes)| Request::GetAttributes { name, attributes }),
        (name(), marshalled()).prop_map(|(name, attribute)| Request::SetAttribute { name, attribute }),
        (name(), marshalled()).prop_map(|(name, attributes)| Request::SetAttributes { name, attributes }),
        (name(), text(), marshalled(), option::of(strings())).prop_map(
            |(name, operation, parameters, signature)| {
                Request::Invoke { name, operation, parameters, signature }
            }
        ),
        (name(), text()).prop_map(|(name, class)| Request::IsInstanceOf { name, class }),
        (name(), name(), marshalled(), marshalled()).prop_map(|(name, listener, filter, handback)| {
            Request::AddNotificationListener { name, listener, filter, handback }
        }),
        (name(), name(), option::of((marshalled(), marshalled()))).prop_map(|(name, listener, entry)| {
            Request::RemoveNotificationListener { name, listener, entry }
        }),
        vec((name(), marshalled()), 0..3).prop_map(|pairs| {
            let (names, filters) = pairs.into_iter().unzip();
            Request::AddNotificationListeners { names, filters }
        }),
        (name(), vec(any::<i32>(), 0..3))
            .prop_map(|(name, listeners)| Request::RemoveNotificationListeners { name, listeners }),
        (any::<i64>(), any::<i32>(), any::<i64>())
            .prop_map(|(sequence, most, timeout)| Request::FetchNotifications { sequence, most, timeout }),
    ]
}

const LARGE: Limits = Limits::REPLIES;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn values(value in value()) {
        let octets = write(&value);
        let read = read_within(&octets, LARGE).unwrap();
        prop_assert_eq!(&read, &value);
        prop_assert_eq!(write(&read), octets);
        prop_assert_eq!(MarshalledObject::new(&value).value(LARGE).unwrap(), value);
    }

    /// Texts end to end, of which some are the same, are read one by one.
    #[test]
    fn texts(texts in vec(option::of(prop_oneof![3 => "[ab]?", 1 => text()]), 0..9)) {
        let mut packed = Texts::default();
        for text in &texts {
            match text {
                Some(text) => packed.push(|octets| octets.push_str(text)),
                None => packed.push_null(),
            }
        }
        let alone = match texts.iter().cloned().collect::<Option<Vec<String>>>() {
            Some(texts) => Array::Strings(texts),
            None => Array::Objects {
                class: &java::STRING_ARRAY,
                items: texts.iter().map(|text| text.as_deref().map_or(Value::Null, Value::from)).collect(),
            },
        };
        let octets = write(&Value::Array(Array::Texts(packed)));
        prop_assert!(octets.len() <= write(&Value::Array(alone.clone())).len() + 5 * texts.len());
        prop_assert_eq!(read_within(&octets, LARGE).unwrap(), Value::Array(alone));
    }

    #[test]
    fn names(name in name()) {
        prop_assert_eq!(name.to_string().parse::<ObjectName>().unwrap(), name.clone());
        prop_assert_eq!(name.canonical().parse::<ObjectName>().unwrap(), name.clone());
        let open: ObjectName = format!("{name},*").parse().unwrap();
        prop_assert!(open.matches(&name) && !name.is_pattern() && open.is_pattern());
    }

    #[test]
    fn quotations(text in any::<String>()) {
        prop_assert_eq!(unquote(&quote(&text)), Some(text));
    }

    #[test]
    fn requests(request in request(), piece in 1_usize..50, (number, object) in identifiers()) {
        let mut out = Vec::new();
        let local = Endpoint { host: "local".to_owned(), port: 0 };
        let mut client = Client::new(LARGE, &local, &mut out);
        client.ping(&mut out);
        client.acknowledge(&mut out, number);
        request.encode(&mut client, object, &mut out);
        let mut server = Server::new(LARGE, Method::signature_of, local);
        let mut answer = Vec::new();
        let mut found = None;
        for octets in out.chunks(piece) {
            prop_assert!(found.is_none());
            server.push(octets);
            found = server.poll(&mut answer).unwrap();
        }
        let Some(Event::Call(call)) = found else { panic!("{found:?}") };
        prop_assert_eq!(call.header.object, object);
        prop_assert_eq!(Request::decode(&call, LARGE).unwrap(), request);
        prop_assert_eq!(answer.last(), Some(&0x53));
    }

    #[test]
    fn replies(value in value(), name in name(), piece in 1_usize..50, (number, object) in identifiers()) {
        let endpoint = Endpoint { host: "h".to_owned(), port: 1 };
        let reference = Reference { endpoint, tls: true, object, acknowledged: true };
        let notification = Notification {
            kind: "a".to_owned(),
            source: Value::Name(name.clone()),
            sequence: 1,
            time: 2,
            message: None,
            user_data: value.clone(),
            detail: Detail::Timer { id: 3 },
        };
        let notifications = vec![TargetedNotification { listener: 3, notification }];
        let exception = Exception::new(&exceptions::IO_EXCEPTION, "broken");
        for (method, reply) in [
            (Method::Close, Reply::Void),
            (Method::IsRegistered, Reply::Boolean(true)),
            (Method::GetAttribute, Reply::Value(value)),
            (Method::Lookup, Reply::Stub(Stub { kind: StubKind::Server, reference })),
            (Method::Dirty, Reply::Lease(Lease { duration: 5, client: None })),
            (Method::QueryNames, Reply::Names(vec![name.clone()])),
            (Method::QueryMBeans, Reply::Instances(vec![ObjectInstance { name, class: None }])),
            (Method::AddNotificationListeners, Reply::Listeners(vec![1, -2])),
            (
                Method::FetchNotifications,
                Reply::Notifications(NotificationResult { earliest: 1, next: 2, notifications }),
            ),
            (Method::Invoke, Reply::Exception(exception)),
            (Method::Invoke, Reply::no_such_object()),
            (Method::Lookup, Reply::not_bound("other")),
            (Method::Bind, Reply::registry_is_fixed()),
        ] {
            let mut octets = b"\x4e\0\x01h\0\0\0\0".to_vec();
            reply.encode(number, &mut octets);
            let mut client = Client::new(LARGE, &Endpoint { host: String::new(), port: 0 }, &mut Vec::new());
            let header = trunkline_jmx::jrmp::Header { object, operation: -1, hash: 0 };
            client.call(&mut Vec::new(), header, method.signature().result, |_| {});
            let mut found = None;
            for octets in octets.chunks(piece) {
                prop_assert!(found.is_none());
                client.push(octets);
                found = client.poll().unwrap();
            }
            let found = found.unwrap();
            prop_assert_eq!(found.number, number);
            prop_assert_eq!(Reply::decode(method, &found, LARGE).unwrap(), reply);
        }
    }
}

/// A table of 22 columns of 1,000 numbers takes its octets and a few for each column.
#[test]
fn a_table_by_columns_has_no_burden_for_each_number() {
    let columns: Vec<Vec<i64>> = (0..22).map(|column| (0..1000).map(|row| row * column).collect()).collect();
    let value = Value::Array(Array::LongColumns(columns));
    let octets = write(&value);
    assert!(octets.len() < 22 * 1000 * 8 + 22 * 10 + 100, "{}", octets.len());
    assert_eq!(read_within(&octets, Limits::default()).unwrap(), value);
    assert_eq!(value.class_name(), java::PRIMITIVE_LONG_ARRAY2.name);
}

#[test]
fn credentials_are_in_no_text() {
    let request = Request::NewClient(Credentials(Some(vec!["user".to_owned(), "secret".to_owned()])));
    let text = format!("{request:?}");
    assert!(!text.contains("secret") && !text.contains("user"), "{text}");
}
