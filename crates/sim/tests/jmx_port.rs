//! Agents with JMX on loopback: the client's end of our own protocol room reads them, Java's client does, and faults are as they
//! are set.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_jmx::jrmp::{Client, Endpoint, ObjId, Stub};
use trunkline_jmx::model::{Array, MarshalledObject, ObjectName, Operand, Query, Relation, Value};
use trunkline_jmx::remote::{Credentials, Reply, Request};
use trunkline_jmx::stream::Limits;
use trunkline_sim::configuration::Plan;
use trunkline_sim::fleet::Port;
use trunkline_sim::serve::{Running, ServeOptions};
use trunkline_sim::{Count, PortOptions};
use trunkline_testkit::jvm;

fn start(prefix: &str, agents: u32, more: &str) -> Running {
    let text = format!(
        "[[group]]\nname = \"g\"\nprefix = \"{prefix}\"\nagents = {agents}\njmx = {agents}\ninterfaces = [2, 6]\n{more}"
    );
    let plan = Plan::parse(&text, Path::new("fleet.toml")).unwrap();
    let ports = PortOptions { jmx: 0, ..plan.serve.ports };
    Running::start(Arc::new(plan.fleet), &ServeOptions { port: 0, ports, ..plan.serve }).unwrap()
}

fn addresses(running: &Running) -> Vec<IpAddr> {
    running.fleet().agents().map(|(address, _)| address).collect()
}

/// One connection.
struct Session {
    stream: TcpStream,
    client: Client,
    out: Vec<u8>,
}

impl Session {
    fn open(running: &Running, address: IpAddr) -> Self {
        let stream = TcpStream::connect((address, running.port_of(Port::Jmx).unwrap())).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut out = Vec::new();
        let local = Endpoint { host: "127.0.0.1".to_owned(), port: 0 };
        let client = Client::new(Limits::REPLIES, &local, &mut out);
        Session { stream, client, out }
    }

    fn call(&mut self, object: ObjId, request: &Request) -> io::Result<Reply> {
        request.encode(&mut self.client, object, &mut self.out);
        self.stream.write_all(&self.out)?;
        self.out.clear();
        let mut octets = [0; 8192];
        loop {
            if let Some(returned) = self.client.poll().unwrap() {
                return Ok(Reply::decode(request.method(), &returned, Limits::REPLIES).unwrap());
            }
            match self.stream.read(&mut octets)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => self.client.push(&octets[..read]),
            }
        }
    }

    fn stub(&mut self, object: ObjId, request: &Request) -> io::Result<Stub> {
        match self.call(object, request)? {
            Reply::Stub(stub) => Ok(stub),
            other => panic!("{other:?}"),
        }
    }

    /// The object of a connection.
    fn connect(&mut self, address: IpAddr) -> io::Result<ObjId> {
        let server = self.stub(ObjId::REGISTRY, &Request::Lookup("jmxrmi".to_owned()))?;
        // The host is the address that was asked.
        let port = self.stream.peer_addr().unwrap().port();
        assert_eq!(server.reference.endpoint, Endpoint { host: address.to_string(), port: port.into() });
        let connection = self.stub(server.reference.object, &Request::NewClient(Credentials(None)))?;
        assert_eq!(connection.reference.endpoint, server.reference.endpoint);
        Ok(connection.reference.object)
    }
}

fn name() -> ObjectName {
    "sim:type=Agent".parse().unwrap()
}

fn attribute(attribute: &str) -> Request {
    Request::GetAttribute { name: name(), attribute: attribute.to_owned() }
}

/// Connects and reads FreeMemory.
fn free_memory(running: &Running, address: IpAddr) -> io::Result<Reply> {
    let mut session = Session::open(running, address);
    let connection = session.connect(address)?;
    session.call(connection, &attribute("FreeMemory"))
}

#[test]
fn each_agent_has_its_own_values_behind_the_same_port() {
    let running = start("127.111.0.0/16", 300, "");
    let mut sessions: Vec<(Session, ObjId)> = addresses(&running)
        .into_iter()
        .map(|address| {
            let mut session = Session::open(&running, address);
            let connection = session.connect(address).unwrap();
            (session, connection)
        })
        .collect();
    for (at, (session, connection)) in sessions.iter_mut().enumerate() {
        let mut get = |name: &str| match session.call(*connection, &attribute(name)).unwrap() {
            Reply::Value(value) => value,
            other => panic!("{other:?}"),
        };
        assert_eq!(get("Name"), Value::String(format!("sim-{at}")));
        let (Value::Long(free), Value::Long(total)) = (get("FreeMemory"), get("TotalMemory")) else {
            panic!()
        };
        assert!(
            (1 << 28..=1 << 36).contains(&total) && (total / 20..total * 4 / 5).contains(&free),
            "{free} {total}"
        );
        let (Value::Long(interfaces), Value::Array(Array::Longs(octets))) =
            (get("Interfaces"), get("InOctets"))
        else {
            panic!()
        };
        assert_eq!(octets.len() as i64, interfaces);
    }
    let counts = running.counts();
    assert_eq!((counts.get(Count::JmxConnections), counts.get(Count::JmxCalls)), (300, 300 * 7));
    assert_eq!((counts.get(Count::Malformed), counts.get(Count::Requests)), (0, 0));
}

/// What a client asks beside values.
#[test]
fn an_agent_is_one_mbean_that_nobody_changes() {
    let running = start("127.112.0.0/24", 1, "");
    let address = addresses(&running)[0];
    let mut session = Session::open(&running, address);
    let connection = session.connect(address).unwrap();
    let mut call = |request: &Request| session.call(connection, request).unwrap();
    let query = |value: i64| {
        let query = Query::Relation(
            Relation::Greater,
            Operand::Attribute("TotalMemory".to_owned()),
            Operand::Whole(value),
        );
        Some(MarshalledObject::new(&Value::Query(Box::new(query))))
    };
    let names = |pattern: &str, query| Request::QueryNames { name: Some(pattern.parse().unwrap()), query };
    assert_eq!(call(&Request::QueryNames { name: None, query: None }), Reply::Names(vec![name()]));
    assert_eq!(call(&names("*:type=Agent,*", query(1))), Reply::Names(vec![name()]));
    assert_eq!(call(&names(":*", query(i64::MAX))), Reply::Names(vec![]));
    assert_eq!(call(&names("java.lang:*", None)), Reply::Names(vec![]));
    assert_eq!(call(&Request::GetMBeanCount), Reply::Value(Value::Integer(1)));
    assert_eq!(call(&Request::IsRegistered(name())), Reply::Boolean(true));
    let Reply::Info(info) = call(&Request::GetMBeanInfo(name())) else { panic!() };
    assert_eq!(info.attributes.len(), 11);
    assert!(info.attributes.iter().all(|it| it.readable && !it.writable));
    let attributes = vec!["Uptime".to_owned(), "Nothing".to_owned()];
    let Reply::Value(Value::Attributes(found)) = call(&Request::GetAttributes { name: name(), attributes })
    else {
        panic!()
    };
    assert_eq!(found.len(), 1);
    let mut refused = |request: &Request, expected: &str| {
        let Reply::Exception(exception) = call(request) else { panic!("{request:?}") };
        assert!(exception.to_string().contains(expected), "{exception}");
    };
    refused(&attribute("Nothing"), "AttributeNotFoundException");
    refused(&Request::GetMBeanInfo("sim:type=Other".parse().unwrap()), "InstanceNotFoundException");
    refused(&Request::SetAttribute { name: name(), attribute: None }, "AttributeNotFoundException");
    let invoke =
        Request::Invoke { name: name(), operation: "gc".to_owned(), parameters: None, signature: None };
    refused(&invoke, "ReflectionException");
    refused(&Request::UnregisterMBean(name()), "SecurityException");
    let fetch = Request::FetchNotifications { sequence: 0, most: 1, timeout: 10 };
    assert!(matches!(call(&fetch), Reply::Notifications(result) if result.notifications.is_empty()));
    assert_eq!(call(&Request::Close), Reply::Void);
    let lookup = Request::Lookup("other".to_owned());
    let Reply::Exception(exception) = session.call(ObjId::REGISTRY, &lookup).unwrap() else { panic!() };
    assert!(exception.to_string().contains("NotBoundException"), "{exception}");
    let Reply::Exception(exception) = session.call(ObjId::REGISTRY, &Request::GetMBeanCount).unwrap() else {
        panic!()
    };
    assert!(exception.to_string().contains("no such object"), "{exception}");
}

#[test]
fn a_recorded_agent_has_what_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let recording =
        "1.3.6.1.2.1.1.5.0|4|core\n1.3.6.1.2.1.31.1.1.1.6.1|70|7\n1.3.6.1.2.1.31.1.1.1.6.9|70|8\n";
    std::fs::write(folder.path().join("a.snmprec"), recording).unwrap();
    let text = "[[group]]\nname = \"g\"\nprefix = \"127.113.0.0/24\"\nrecording = \"a.snmprec\"\njmx = 1\n";
    let plan = Plan::parse(text, &folder.path().join("fleet.toml")).unwrap();
    let ports = PortOptions { jmx: 0, ..plan.serve.ports };
    let running =
        Running::start(Arc::new(plan.fleet), &ServeOptions { port: 0, ports, ..plan.serve }).unwrap();
    let first = addresses(&running)[0];
    let mut session = Session::open(&running, first);
    let connection = session.connect(first).unwrap();
    let octets = session.call(connection, &attribute("InOctets")).unwrap();
    assert_eq!(octets, Reply::Value(Value::Array(Array::Longs(vec![7, 8]))));
    assert!(matches!(session.call(connection, &attribute("FreeMemory")).unwrap(), Reply::Exception(_)));
    let Reply::Info(info) = session.call(connection, &Request::GetMBeanInfo(name())).unwrap() else {
        panic!()
    };
    assert_eq!(info.attributes.len(), 2);
    // The others of the group have no such port.
    let second = addresses(&running)[1];
    assert!(Session::open(&running, second).connect(second).is_err());
    assert_eq!(running.counts().get(Count::UnknownAddress), 1);
}

#[test]
fn faults_are_what_they_are_called() {
    let running = start("127.114.0.0/24", 1, "faults.silent = \"100%\"");
    let address = addresses(&running)[0];
    let mut session = Session::open(&running, address);
    session.stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let error = session.connect(address).unwrap_err();
    assert!(matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut), "{error}");
    assert_eq!(running.counts().get(Count::Silent), 1);

    let running = start("127.114.1.0/24", 1, "faults.slow = \"100%:50ms\"");
    let begin = Instant::now();
    assert!(matches!(free_memory(&running, addresses(&running)[0]).unwrap(), Reply::Value(Value::Long(_))));
    // Three calls.
    assert!(begin.elapsed() >= Duration::from_millis(150));
    assert_eq!(running.counts().get(Count::Slow), 3);

    let running = start("127.114.2.0/24", 1, "faults.wrong = \"100%:type\"");
    let found = free_memory(&running, addresses(&running)[0]).unwrap();
    assert!(matches!(found, Reply::Value(Value::String(_))), "{found:?}");

    for fault in ["wrong = \"100%:truncated\"", "lossy = \"100%:100%\"", "rebooting = \"100%:1h:3599s\""] {
        let running = start("127.114.3.0/24", 1, &format!("faults.{fault}"));
        let address = addresses(&running)[0];
        let agent = running.fleet().at(address).unwrap();
        if fault.starts_with("rebooting") && !agent.life(agent.fault(), Duration::from_secs(1)).is_down {
            continue;
        }
        let error = free_memory(&running, address).unwrap_err();
        let ends = [io::ErrorKind::UnexpectedEof, io::ErrorKind::ConnectionReset, io::ErrorKind::BrokenPipe];
        assert!(ends.contains(&error.kind()), "{fault}: {error}");
    }
}

/// Whatever it is, it is counted, and the others go on.
#[test]
fn octets_that_are_no_call_end_the_connection() {
    let running = start("127.115.0.0/24", 1, "");
    let address = addresses(&running)[0];
    let port = running.port_of(Port::Jmx).unwrap();
    for octets in
        [&b"GET / HTTP/1.1\r\n\r\n"[..], b"JRMI\x00\x02\x4c", b"JRMI\x00\x02K\x00\x01a\x00\x00\x00\x00\x99"]
    {
        let mut stream = TcpStream::connect((address, port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(octets).unwrap();
        let mut rest = Vec::new();
        // What has not been read may reset the connection.
        let _ = stream.read_to_end(&mut rest);
    }
    assert_eq!(running.counts().get(Count::Malformed), 3);
    assert!(free_memory(&running, address).is_ok());
}

#[test]
fn java_reads_twenty_agents() {
    for home in jvm::homes() {
        let running = start("127.116.0.0/24", 20, "");
        let port = running.port_of(Port::Jmx).unwrap();
        let targets: Vec<String> =
            addresses(&running).iter().map(|address| format!("{address}:{port}")).collect();
        let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
        let output = jvm::run(&home, "Fleet.java", &[], &targets);
        let lines: Vec<&str> = output.lines().collect();
        assert_eq!((lines.len(), lines[20]), (21, "closed"), "{output}");
        for (at, line) in lines[..20].iter().enumerate() {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(words[..2], ["sim:type=Agent", &format!("sim-{at}")], "{line}");
            let number = |at: usize| words[at].parse::<i64>().unwrap();
            assert!(number(3) < number(2) && (2..=6).contains(&number(4)), "{line}");
            // Each of eleven attributes has the type of its description, and an unknown one is an exception.
            assert_eq!(number(5), 111, "{line}");
        }
        assert_eq!(running.counts().get(Count::Malformed), 0);
    }
}
