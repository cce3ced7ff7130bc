//! The client's end over a socket, and what it reads of a JVM.

use std::io::{Read, Write};
use std::net::TcpStream;

use trunkline_jmx::jrmp::{Client, Endpoint, ObjId, Outcome, StubKind};
use trunkline_jmx::model::{
    Array, Attribute, Filter, MarshalledObject, ObjectName, Operand, Query, Relation, Value,
};
use trunkline_jmx::remote::{Credentials, Reply, Request};
use trunkline_jmx::stream::Limits;
use trunkline_jmx::stream::classes::exceptions;

struct Session {
    stream: TcpStream,
    client: Client,
    out: Vec<u8>,
}

impl Session {
    fn open(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut out = Vec::new();
        let local = Endpoint { host: "127.0.0.1".to_owned(), port: 0 };
        let client = Client::new(Limits::REPLIES, &local, &mut out);
        Session { stream, client, out }
    }

    fn call(&mut self, object: ObjId, request: &Request) -> Reply {
        request.encode(&mut self.client, object, &mut self.out);
        self.stream.write_all(&self.out).unwrap();
        self.out.clear();
        let mut octets = [0; 65_536];
        loop {
            if let Some(returned) = self.client.poll().unwrap_or_else(|error| panic!("{request:?}: {error}"))
            {
                assert_ne!(returned.outcome, Outcome::PingAck);
                let reply = Reply::decode(request.method(), &returned, Limits::REPLIES)
                    .unwrap_or_else(|error| panic!("{request:?}: {error}"));
                if let Reply::Stub(stub) = &reply
                    && stub.reference.acknowledged
                {
                    self.client.acknowledge(&mut self.out, returned.number);
                }
                return reply;
            }
            let read = self.stream.read(&mut octets).unwrap();
            assert_ne!(read, 0, "the server has closed the connection");
            self.client.push(&octets[..read]);
        }
    }
}

/// A session, and the object of a connection.
fn connect(port: u16) -> (Session, ObjId) {
    let mut session = Session::open(port);
    assert_eq!(
        session.call(ObjId::REGISTRY, &Request::List),
        Reply::Value(Value::Array(Array::Strings(vec!["jmxrmi".to_owned()])))
    );
    let reply = session.call(ObjId::REGISTRY, &Request::Lookup("jmxrmi".to_owned()));
    let Reply::Stub(server) = reply else { panic!("{reply:?}") };
    assert_eq!((server.kind, server.reference.endpoint.port), (StubKind::Server, i32::from(port)));
    let reply = session.call(server.reference.object, &Request::NewClient(Credentials(None)));
    let Reply::Stub(connection) = reply else { panic!("{reply:?}") };
    assert_eq!(connection.kind, StubKind::Connection);
    (session, connection.reference.object)
}

fn row() -> ObjectName {
    "toy:type=Row,index=1".parse().unwrap()
}

/// Every method that reads, and every attribute and description that the JVM has.
pub fn read_everything(port: u16) {
    let (mut session, connection) = connect(port);
    let mut call = |request: Request| session.call(connection, &request);
    let Reply::Value(Value::String(id)) = call(Request::GetConnectionId) else { panic!("no identifier") };
    assert!(id.starts_with("rmi:"), "{id}");
    assert_eq!(call(Request::GetDefaultDomain), Reply::Value("DefaultDomain".into()));
    let Reply::Names(names) = call(Request::QueryNames { name: None, query: None }) else {
        panic!("no names")
    };
    assert!(names.contains(&row()) && names.contains(&"java.lang:type=Runtime".parse().unwrap()));
    assert_eq!(call(Request::GetMBeanCount), Reply::Value(Value::Integer(names.len() as i32)));
    for name in names {
        let Reply::Info(info) = call(Request::GetMBeanInfo(name.clone())) else { panic!("{name}") };
        assert!(!info.attributes.is_empty() || !info.operations.is_empty(), "{name}");
        for attribute in info.attributes {
            let attribute = attribute.feature.name.unwrap();
            // Some are not supported by a JVM: that is an exception, which is read too.
            match call(Request::GetAttribute { name: name.clone(), attribute: attribute.clone() }) {
                Reply::Value(_) | Reply::Exception(_) => {}
                other => panic!("{name} {attribute}: {other:?}"),
            }
        }
    }
    assert_eq!(
        call(Request::GetAttribute { name: row(), attribute: "Table".to_owned() }),
        Reply::Value(Value::Array(Array::LongColumns(vec![vec![1, 2, 3], vec![4, 5, 6]])))
    );
    let big = Query::Relation(Relation::Greater, Operand::Attribute("Value".to_owned()), Operand::Whole(15));
    let query = Some(MarshalledObject::new(&Value::Query(Box::new(big))));
    let Reply::Instances(found) = call(Request::QueryMBeans { name: Some("toy:*".parse().unwrap()), query })
    else {
        panic!("no MBeans")
    };
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].class.as_deref(), Some("Server$Row"));
    let attribute = Attribute { name: "Value".to_owned(), value: Value::Long(5) };
    let attribute = Some(MarshalledObject::new(&Value::Attribute(Box::new(attribute))));
    assert_eq!(call(Request::SetAttribute { name: row(), attribute }), Reply::Void);
    assert_eq!(
        call(Request::GetAttributes { name: row(), attributes: vec!["Value".to_owned(), "No".to_owned()] }),
        Reply::Value(Value::Attributes(vec![Attribute { name: "Value".to_owned(), value: Value::Long(5) }]))
    );
    let parameters = Value::Array(Array::objects(vec![Value::Long(3), Value::Long(4)]));
    let invoke = |operation: &str, parameters: Value, signature: Vec<String>| Request::Invoke {
        name: row(),
        operation: operation.to_owned(),
        parameters: Some(MarshalledObject::new(&parameters)),
        signature: Some(signature),
    };
    assert_eq!(call(invoke("add", parameters, vec!["long".to_owned(); 2])), Reply::Value(Value::Long(7)));
    let reply = call(invoke("fail", Value::Array(Array::objects(Vec::new())), Vec::new()));
    let Reply::Exception(exception) = reply else { panic!("{reply:?}") };
    assert!(exception.class.is(&exceptions::RUNTIME_MBEAN_EXCEPTION));
    assert_eq!(exception.cause.unwrap().message.as_deref(), Some("it has failed"));
    assert_eq!(
        call(Request::IsInstanceOf { name: row(), class: "Server$Row".to_owned() }),
        Reply::Boolean(true)
    );
    let reply = call(Request::GetObjectInstance("no:a=b".parse().unwrap()));
    let Reply::Exception(exception) = reply else { panic!("{reply:?}") };
    assert_eq!(exception.to_string(), "javax.management.InstanceNotFoundException: no:a=b");
    assert_eq!(call(Request::Close), Reply::Void);
}

/// A listener with a filter is sent what happens.
pub fn listen(port: u16) {
    let (mut session, connection) = connect(port);
    let mut call = |request: Request| session.call(connection, &request);
    let filter = MarshalledObject::new(&Value::Filter(Filter::Types(vec!["toy.".to_owned()])));
    let reply = call(Request::AddNotificationListeners { names: vec![row()], filters: vec![Some(filter)] });
    let Reply::Listeners(listeners) = reply else { panic!("{reply:?}") };
    let Reply::Notifications(start) = call(Request::FetchNotifications { sequence: -1, most: 0, timeout: 0 })
    else {
        panic!("no result")
    };
    let invoke = Request::Invoke {
        name: row(),
        operation: "fire".to_owned(),
        parameters: Some(MarshalledObject::new(&Value::Null)),
        signature: None,
    };
    assert_eq!(call(invoke), Reply::Value(Value::Null));
    let fetch = Request::FetchNotifications { sequence: start.next, most: 10, timeout: 60_000 };
    let Reply::Notifications(result) = call(fetch) else { panic!("no result") };
    let [received] = &result.notifications[..] else { panic!("{result:?}") };
    assert_eq!(received.listener, listeners[0]);
    assert_eq!(received.notification.kind, "toy.fired");
    assert_eq!(received.notification.source, Value::Name(row()));
    assert_eq!(received.notification.message.as_deref(), Some("it has fired"));
    assert_eq!(call(Request::RemoveNotificationListeners { name: row(), listeners }), Reply::Void);
}
