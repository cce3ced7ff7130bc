//! An agent with three MBeans, on one port: what the room does not do is here, sockets and threads.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use trunkline_jmx::jrmp::{Endpoint, Event, Lease, ObjId, Reference, Server, Stub, StubKind, Uid};
use trunkline_jmx::model::{
    Array, Attribute, AttributeInfo, BigInteger, CompositeData, CompositeType, Detail, Exception, Feature,
    Filter, Impact, Info, Item, Mbean, Notification, NotificationInfo, NotificationResult, ObjectInstance,
    ObjectName, OpenType, OperationInfo, ParameterInfo, Query, SimpleType, TabularData, TabularType,
    TargetedNotification, Value, Work,
};
use trunkline_jmx::remote::{Credentials, Method, Reply, Request};
use trunkline_jmx::stream::Limits;
use trunkline_jmx::stream::classes::exceptions;

pub const EXPECTED: &[&str] = &[
    "registry [jmxrmi]",
    "not bound other",
    "fixed java.rmi.AccessException: Cannot modify this registry",
    "id rmi://127.0.0.1 reader 1",
    "domain toy [toy]",
    "count 3",
    "names [toy:type=Row,index=1, toy:type=Row,index=2, toy:type=Row,index=3]",
    "selected [toy:type=Row,index=2, toy:type=Row,index=3]",
    "instance toy.Row[toy:type=Row,index=1]",
    "registered true false",
    "instance of true toy.Row[toy:type=Row,index=1]",
    "value 10 row1",
    "table [[1, 2, 3], [4, 5, 6]]",
    "composite 7 a toy.Item",
    "tabular 2 9",
    "other 18446744073709551615 [a, 1] 1000",
    "attribute Value = 10",
    "attribute Name = row1",
    "info toy.Row a row {immutableInfo=true}",
    "has Value long truetrue",
    "has Name java.lang.String truefalse",
    "does add 2 long",
    "set [Value = 18]",
    "sum 7",
    "expected no attribute Nothing",
    "expected no:a=b",
    "refused java.lang.IllegalArgumentException",
    "received toy.fired toy:type=Row,index=1 it has fired 1 7",
    "removed",
    "closed",
];

struct Agent {
    port: u16,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    values: [i64; 3],
    filters: Vec<Option<Filter>>,
    fired: Vec<Notification>,
    closed: bool,
}

/// Serves until the test's process ends, and returns the port.
pub fn serve() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let state = Mutex::new(State { values: [10, 20, 30], ..State::default() });
    let agent = Arc::new(Agent { port, state, changed: Condvar::new() });
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let agent = agent.clone();
            std::thread::spawn(move || agent.connection(stream.unwrap()));
        }
    });
    port
}

impl Agent {
    fn connection(&self, mut stream: TcpStream) {
        stream.set_nodelay(true).unwrap();
        let client = Endpoint { host: "127.0.0.1".to_owned(), port: 0 };
        let mut server = Server::new(Limits::default(), Method::signature_of, client);
        let mut octets = [0; 65_536];
        while let Ok(read @ 1..) = stream.read(&mut octets) {
            server.push(&octets[..read]);
            let mut out = Vec::new();
            loop {
                match server.poll(&mut out) {
                    Ok(Some(Event::Call(call))) => {
                        let reply = match Request::decode(&call, Limits::default()) {
                            Ok(request) => self.answer(request),
                            Err(error) => Reply::refusal(&error),
                        };
                        reply.encode(Uid::default(), &mut out);
                    }
                    Ok(Some(Event::Refused { error, .. })) => {
                        Reply::refusal(&error).encode(Uid::default(), &mut out)
                    }
                    Ok(None) => break,
                    Err(error) => panic!("{error}"),
                }
            }
            stream.write_all(&out).unwrap();
            if server.is_over() {
                return;
            }
        }
    }

    fn stub(&self, kind: StubKind, number: i64) -> Reply {
        let endpoint = Endpoint { host: "127.0.0.1".to_owned(), port: self.port.into() };
        let object = ObjId { number, space: Uid { unique: 1, time: 2, count: 3 } };
        Reply::Stub(Stub { kind, reference: Reference { endpoint, tls: false, object, acknowledged: false } })
    }

    /// The registry and leases.
    fn answer(&self, request: Request) -> Reply {
        match request {
            Request::List => Reply::Value(Value::Array(Array::Strings(vec!["jmxrmi".to_owned()]))),
            Request::Lookup(name) if name == "jmxrmi" => self.stub(StubKind::Server, 100),
            Request::Lookup(name) => Reply::not_bound(&name),
            Request::ChangeRegistry => Reply::registry_is_fixed(),
            Request::NewClient(Credentials(Some(texts))) if texts == ["reader", "secret"] => {
                self.stub(StubKind::Connection, 101)
            }
            Request::Dirty { lease, .. } => Reply::Lease(Lease { duration: 600_000, client: lease.client }),
            Request::Clean { .. } => Reply::Void,
            other => self.read(other),
        }
    }

    fn read(&self, request: Request) -> Reply {
        match request {
            Request::GetConnectionId => Reply::Value("rmi://127.0.0.1 reader 1".into()),
            Request::Close => {
                self.state.lock().unwrap().closed = true;
                self.changed.notify_all();
                Reply::Void
            }
            Request::GetDefaultDomain => Reply::Value("toy".into()),
            Request::GetDomains => Reply::Value(Value::Array(Array::Strings(vec!["toy".to_owned()]))),
            Request::GetMBeanCount => Reply::Value(Value::Integer(3)),
            Request::QueryNames { name, query } => Reply::Names(self.select(name, query)),
            Request::QueryMBeans { name, query } => {
                Reply::Instances(self.select(name, query).into_iter().map(instance).collect())
            }
            Request::IsRegistered(name) => Reply::Boolean(index(&name).is_some()),
            Request::IsInstanceOf { class, .. } => Reply::Boolean(class == "toy.Row"),
            Request::GetObjectInstance(name) => Reply::Value(Value::Instance(instance(name))),
            Request::GetMBeanInfo(_) => Reply::Info(Box::new(info())),
            Request::GetAttribute { name, attribute } => match index(&name) {
                None => Reply::Exception(Exception::new(
                    &exceptions::INSTANCE_NOT_FOUND_EXCEPTION,
                    name.to_string(),
                )),
                Some(index) => match self.value(index, &attribute) {
                    Some(value) => Reply::Value(value),
                    None => Reply::Exception(Exception::new(
                        &exceptions::ATTRIBUTE_NOT_FOUND_EXCEPTION,
                        format!("no attribute {attribute}"),
                    )),
                },
            },
            Request::GetAttributes { name, attributes } => {
                let index = index(&name).unwrap();
                let read = |name: String| self.value(index, &name).map(|value| Attribute { name, value });
                Reply::Value(Value::Attributes(attributes.into_iter().filter_map(read).collect()))
            }
            other => self.change(other),
        }
    }

    fn change(&self, request: Request) -> Reply {
        match request {
            Request::SetAttribute { name, attribute } => match attribute.unwrap().value(Limits::default()) {
                Ok(Value::Attribute(attribute)) => {
                    self.set(&name, &attribute);
                    Reply::Void
                }
                Ok(_) => panic!("another value than an attribute"),
                Err(error) => Reply::Exception(Exception::new(
                    &exceptions::ILLEGAL_ARGUMENT_EXCEPTION,
                    error.to_string(),
                )),
            },
            Request::SetAttributes { name, attributes } => match attributes.unwrap().value(Limits::default())
            {
                Ok(Value::Attributes(attributes)) => {
                    attributes.iter().for_each(|attribute| self.set(&name, attribute));
                    Reply::Value(Value::Attributes(attributes))
                }
                other => panic!("{other:?}"),
            },
            Request::Invoke { name, operation, parameters, .. } => {
                let parameters = parameters.unwrap().value(Limits::default()).unwrap();
                match (operation.as_str(), parameters) {
                    ("add", Value::Array(Array::Objects { items, .. })) => match items[..] {
                        [Value::Long(a), Value::Long(b)] => Reply::Value(Value::Long(a + b)),
                        _ => panic!("{items:?}"),
                    },
                    ("fire", _) => {
                        let mut state = self.state.lock().unwrap();
                        state.fired.push(fired(name));
                        self.changed.notify_all();
                        Reply::Value(Value::Null)
                    }
                    other => panic!("{other:?}"),
                }
            }
            Request::AddNotificationListeners { filters, .. } => {
                let mut state = self.state.lock().unwrap();
                let read = |filter: Option<trunkline_jmx::model::MarshalledObject>| match filter
                    .unwrap()
                    .value(Limits::default())
                    .unwrap()
                {
                    Value::Filter(filter) => Some(filter),
                    Value::Null => None,
                    other => panic!("{other:?}"),
                };
                let first = state.filters.len() as i32;
                let count = filters.len() as i32;
                state.filters.extend(filters.into_iter().map(read));
                Reply::Listeners((first..first + count).collect())
            }
            Request::RemoveNotificationListeners { .. } => Reply::Void,
            Request::FetchNotifications { sequence, timeout, .. } => self.fetch(sequence, timeout),
            other => panic!("{other:?}"),
        }
    }

    fn set(&self, name: &ObjectName, attribute: &Attribute) {
        if let (Some(index), Value::Long(value)) = (index(name), &attribute.value) {
            self.state.lock().unwrap().values[index] = *value;
        }
    }

    /// Waits for a notification, or for the end of the connection.
    fn fetch(&self, sequence: i64, timeout: i64) -> Reply {
        let mut state = self.state.lock().unwrap();
        let next = state.fired.len() as i64;
        if sequence < 0 {
            return Reply::Notifications(NotificationResult { earliest: 0, next, notifications: Vec::new() });
        }
        let limit = Duration::from_millis(timeout as u64);
        state = self
            .changed
            .wait_timeout_while(state, limit, |state| state.fired.len() as i64 <= sequence && !state.closed)
            .unwrap()
            .0;
        let mut notifications = Vec::new();
        for notification in &state.fired[sequence as usize..] {
            for (listener, filter) in state.filters.iter().enumerate() {
                if filter.as_ref().is_none_or(|filter| filter.accepts(notification)) {
                    let notification = notification.clone();
                    notifications.push(TargetedNotification { listener: listener as i32, notification });
                }
            }
        }
        Reply::Notifications(NotificationResult {
            earliest: 0,
            next: state.fired.len() as i64,
            notifications,
        })
    }

    fn select(
        &self,
        pattern: Option<ObjectName>,
        query: Option<trunkline_jmx::model::MarshalledObject>,
    ) -> Vec<ObjectName> {
        let query = query.and_then(|query| match query.value(Limits::default()).unwrap() {
            Value::Null => None,
            Value::Query(query) => Some(*query),
            Value::Name(name) => Some(Query::Name(name)),
            other => panic!("{other:?}"),
        });
        let names =
            (0..3).map(|index| format!("toy:type=Row,index={}", index + 1).parse::<ObjectName>().unwrap());
        names
            .enumerate()
            .filter(|(_, name)| {
                pattern.as_ref().is_none_or(|pattern| pattern == name || pattern.matches(name))
            })
            .filter(|(index, name)| {
                let row = Row { agent: self, index: *index, name };
                query.as_ref().is_none_or(|query| query.selects(&row, &mut Work::of(1 << 20)))
            })
            .map(|(_, name)| name)
            .collect()
    }

    fn value(&self, index: usize, attribute: &str) -> Option<Value> {
        let row = |name: &str, octets| CompositeData {
            composite_type: Arc::new(item_type()),
            values: vec![name.into(), Value::Long(octets)],
        };
        Some(match attribute {
            "Value" => Value::Long(self.state.lock().unwrap().values[index]),
            "Name" => Value::String(format!("row{}", index + 1)),
            "Table" => Value::Array(Array::LongColumns(vec![vec![1, 2, 3], vec![4, 5, 6]])),
            "Composite" => Value::Composite(Box::new(row("a", 7))),
            "Tabular" => Value::Tabular(Box::new(TabularData {
                tabular_type: Arc::new(TabularType {
                    name: "toy.Items".to_owned(),
                    description: "items".to_owned(),
                    row: Arc::new(item_type()),
                    index: vec!["name".to_owned()],
                }),
                rows: vec![row("a", 8), row("b", 9)],
            })),
            "Big" => Value::BigInteger(BigInteger::from(u64::MAX)),
            "List" => Value::List(vec!["a".into(), Value::Integer(1)]),
            "Date" => Value::Date(1000),
            _ => return None,
        })
    }
}

struct Row<'a> {
    agent: &'a Agent,
    index: usize,
    name: &'a ObjectName,
}

impl Mbean for Row<'_> {
    fn name(&self) -> &ObjectName {
        self.name
    }

    fn class_name(&self) -> &str {
        "toy.Row"
    }

    fn is_instance_of(&self, class: &str) -> bool {
        class == "toy.Row"
    }

    fn attribute(&self, name: &str) -> Option<Value> {
        self.agent.value(self.index, name)
    }
}

fn index(name: &ObjectName) -> Option<usize> {
    let index: usize = name.property("index")?.parse().ok()?;
    (name.domain() == "toy" && (1..=3).contains(&index)).then(|| index - 1)
}

fn instance(name: ObjectName) -> ObjectInstance {
    ObjectInstance { name, class: Some("toy.Row".to_owned()) }
}

fn fired(name: ObjectName) -> Notification {
    Notification {
        kind: "toy.fired".to_owned(),
        source: Value::Name(name),
        sequence: 1,
        time: 1000,
        message: Some("it has fired".to_owned()),
        user_data: Value::Long(7),
        detail: Detail::None,
    }
}

fn item_type() -> CompositeType {
    let item = |name: &str, simple| Item {
        name: name.to_owned(),
        description: name.to_owned(),
        open_type: OpenType::Simple(simple),
    };
    CompositeType {
        name: "toy.Item".to_owned(),
        description: "an item".to_owned(),
        items: vec![item("name", SimpleType::String), item("octets", SimpleType::Long)],
    }
}

fn info() -> Info {
    let attribute = |name: &str, class: &str, writable| AttributeInfo {
        feature: Feature::new(name, "an attribute"),
        class: Some(class.to_owned()),
        readable: true,
        writable,
        ..AttributeInfo::default()
    };
    let parameter = |name: &str| ParameterInfo {
        feature: Feature::new(name, "a number"),
        class: Some("long".to_owned()),
        open: None,
    };
    Info {
        class: Some("toy.Row".to_owned()),
        description: Some("a row".to_owned()),
        attributes: vec![attribute("Value", "long", true), attribute("Name", "java.lang.String", false)],
        operations: vec![OperationInfo {
            feature: Feature::new("add", "adds"),
            parameters: vec![parameter("a"), parameter("b")],
            class: Some("long".to_owned()),
            impact: Impact::Info,
            open: None,
        }],
        notifications: vec![NotificationInfo {
            feature: Feature::new("javax.management.Notification", "it has fired"),
            types: vec!["toy.fired".to_owned()],
        }],
        descriptor: vec![("immutableInfo".to_owned(), "true".into())],
        ..Info::default()
    }
}
