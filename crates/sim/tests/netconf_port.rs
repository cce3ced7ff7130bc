//! Agents with NETCONF on loopback: our client reads them, and faults are as they are set.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::future::Future;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_client::netconf::{NetconfOptions, NetconfSession};
use trunkline_client::{Defaults, Error, NetconfTarget, Session};
use trunkline_sim::configuration::Plan;
use trunkline_sim::fleet::Port;
use trunkline_sim::serve::{Running, ServeOptions};
use trunkline_sim::{Count, PortOptions};
use trunkline_smi::{Bound, Oid, Value};

const SYS_NAME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 5, 0];

fn start(prefix: &str, agents: u32, more: &str) -> Running {
    let text = format!(
        "[[group]]\nname = \"g\"\nprefix = \"{prefix}\"\nagents = {agents}\nnetconf = {agents}\ninterfaces = [2, 6]\n{more}"
    );
    let plan = Plan::parse(&text, Path::new("fleet.toml")).unwrap();
    let ports = PortOptions { netconf: 0, ..plan.serve.ports };
    Running::start(Arc::new(plan.fleet), &ServeOptions { port: 0, ports, ..plan.serve }).unwrap()
}

fn addresses(running: &Running) -> Vec<IpAddr> {
    running.fleet().agents().map(|(address, _)| address).collect()
}

fn run<T>(what: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(what)
}

async fn open(running: &Running, address: IpAddr) -> Result<NetconfSession, Error> {
    let to = SocketAddr::new(address, running.port_of(Port::Netconf).unwrap());
    let target = NetconfTarget::parse(&format!("netconf+tcp://{to}"), &Defaults::default()).unwrap();
    NetconfSession::open(&target, NetconfOptions::default()).await
}

#[test]
fn a_client_reads_each_agent_in_a_session_of_its_own() {
    let running = start("127.121.0.0/16", 100, "");
    run(async {
        let mut sessions = Vec::new();
        for address in addresses(&running) {
            sessions.push(open(&running, address).await.unwrap());
        }
        for (at, session) in sessions.iter().enumerate() {
            let read = session.get(&[Oid::from(SYS_NAME)]).await.unwrap();
            assert_eq!(read.bindings[0].value, Bound::Value(Value::text(format!("sim-{at}"))));
        }
        for session in sessions {
            session.close().await;
        }
    });
    let counts = running.counts();
    assert_eq!((counts.get(Count::NetconfSessions), counts.get(Count::NetconfRequests)), (100, 200));
    assert_eq!(counts.get(Count::Malformed), 0);
}

#[test]
fn filters_select_and_what_agents_do_not_have_is_an_error() {
    let running = start("127.122.0.0/24", 1, "");
    run(async {
        let session = open(&running, addresses(&running)[0]).await.unwrap();
        let read = async |operation: &str| {
            let read = session.rpc_octets(operation.as_bytes()).await;
            read.map(|(octets, _cost)| String::from_utf8(octets).unwrap())
        };
        let row = "<get><filter><IF-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:IF-MIB\"><ifTable><ifEntry>\
                   <ifIndex>2</ifIndex><ifHCInOctets/></ifEntry></ifTable></IF-MIB></filter></get>";
        let row = read(row).await.unwrap();
        assert!(row.contains("<ifIndex>2</ifIndex>") && row.contains("<ifHCInOctets>"), "{row}");
        assert_eq!(row.matches("<ifEntry>").count(), 1, "{row}");
        let all = read("<get/>").await.unwrap();
        assert!(all.contains("</hrStorageTable>") && all.contains("</sysName>"), "{all}");
        let none = read("<get-config><source><running/></source></get-config>").await.unwrap();
        assert!(!none.contains("</sysName>") && none.contains("data"), "{none}");
        for operation in [
            "<lock><target><running/></target></lock>",
            "<get-config><source><candidate/></source></get-config>",
            "<get><filter type=\"xpath\" select=\"/a\"/></get>",
        ] {
            let refused = read(operation).await.unwrap();
            let error = "<error-tag>operation-not-supported</error-tag>";
            assert!(refused.contains(error) && refused.contains("simulated agents do not have"), "{refused}");
        }
        session.close().await;
    });
}

#[test]
fn faults_are_what_they_are_called() {
    let name = async |running: &Running| -> Result<Value, Error> {
        let session = open(running, addresses(running)[0]).await?;
        match session.get(&[Oid::from(SYS_NAME)]).await?.bindings.swap_remove(0).value {
            Bound::Value(value) => Ok(value),
            other => panic!("{other:?}"),
        }
    };
    run(async {
        let slow = start("127.123.0.0/24", 1, "faults.slow = \"100%:50ms\"");
        let begin = Instant::now();
        assert_eq!(name(&slow).await.unwrap(), Value::text("sim-0"));
        assert!(begin.elapsed() >= Duration::from_millis(50));
        let wrong = start("127.123.1.0/24", 1, "faults.wrong = \"100%:type\"");
        assert_eq!(name(&wrong).await.unwrap(), Value::text("not of this type"));
        for fault in ["wrong = \"100%:truncated\"", "wrong = \"100%:request-id\"", "lossy = \"100%:100%\""] {
            let running = start("127.123.2.0/24", 1, &format!("faults.{fault}"));
            let found = name(&running).await;
            assert!(found.is_err(), "{fault}: {found:?}");
        }
    });
    let silent = start("127.123.3.0/24", 1, "faults.silent = \"100%\"");
    let to = SocketAddr::new(addresses(&silent)[0], silent.port_of(Port::Netconf).unwrap());
    let mut stream = TcpStream::connect(to).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(stream.read(&mut [0; 10]).is_err());
}

/// While it waits, nothing of its answer is there yet, which a session that reads nothing would keep.
#[test]
fn a_slow_agent_answers_as_it_is_when_it_answers() {
    let running = start("127.125.0.0/24", 1, "faults.slow = \"100%:1s\"");
    let begin = running.fleet().agents().next().unwrap().1.life(None, Duration::ZERO).uptime;
    run(async {
        let session = open(&running, addresses(&running)[0]).await.unwrap();
        let up_time = Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]);
        let read = session.get(&[up_time]).await.unwrap().bindings.swap_remove(0).value;
        let Bound::Value(Value::TimeTicks(ticks)) = read else { panic!("{read:?}") };
        let uptime = Duration::from_millis(u64::from(ticks) * 10 + 10);
        assert!(uptime >= begin + Duration::from_secs(1), "{uptime:?}, {begin:?} at the start");
    });
}

#[test]
fn octets_that_are_no_message_end_the_session() {
    let running = start("127.124.0.0/24", 1, "");
    let to = SocketAddr::new(addresses(&running)[0], running.port_of(Port::Netconf).unwrap());
    let hello = "<hello xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><capabilities><capability>\
                 urn:ietf:params:netconf:base:1.1</capability></capabilities></hello>]]>]]>";
    for octets in ["<hello/>]]>]]>", "GET / HTTP/1.1\r\n\r\n]]>]]>", &format!("{hello}\n#x")] {
        let mut stream = TcpStream::connect(to).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(octets.as_bytes()).unwrap();
        // What has not been read may reset the connection.
        let _ = stream.read_to_end(&mut Vec::new());
    }
    assert_eq!(running.counts().get(Count::Malformed), 3);
}
