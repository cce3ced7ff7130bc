//! Devices read over real sockets of this machine, and in a session.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking, as tests do")]

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use trunkline_client::{AuthProtocol, Credentials, Secret, SessionOptions, SnmpSession, UsmCredentials};
use trunkline_polling::{
    Collector, Limits, Longest, Missing, Opener, Opening, Report, Setting, Sink, Snapshot, Wanted, Way,
};
use trunkline_smi::{Oid, Value, ValueRef};
use trunkline_snmp::wire::{Message, Pdu, PduKind, VarBind, Version};

mod whole_tables;

fn column(id: u32) -> Oid {
    Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, id])
}

/// An agent with five rows; answers come also from a second socket, with other values, first.
fn agent() -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut buffer = [0; 65_535];
        while let Ok((length, peer)) = socket.recv_from(&mut buffer) {
            let Ok(request) = Message::decode(&buffer[..length]) else { continue };
            let lie = response(&request, 1000);
            stranger.send_to(&lie, peer).unwrap();
            let answer = response(&request, 0);
            socket.send_to(&answer, peer).unwrap();
            socket.send_to(&answer, peer).unwrap();
        }
    });
    address
}

fn response(request: &Message, more: i32) -> Vec<u8> {
    let Pdu { kind, error_status, error_index, bindings, request_id } = &request.pdu;
    let mut found = Vec::new();
    let (first, repetitions) = match kind {
        PduKind::GetBulk => (*error_status as usize, *error_index),
        _ => (bindings.len(), 0),
    };
    let up_time = Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]);
    for _ in &bindings[..first] {
        found.push(VarBind::new(up_time.clone(), Value::TimeTicks(5000)));
    }
    let mut places: Vec<Oid> = bindings[first..].iter().map(|binding| binding.name.clone()).collect();
    for _ in 0..repetitions {
        for place in &mut places {
            let row = place.get(10).copied().unwrap_or(0) + 1;
            let next = if row > 5 { 99 } else { place[9] };
            let row = if row > 5 { 1 } else { row };
            *place = column(next).child(&[row]);
            found.push(VarBind::new(place.clone(), Value::Integer(row as i32 + more)));
        }
    }
    let (version, community) = (request.version, request.community.clone());
    Message { version, community, pdu: Pdu::new(PduKind::Response, *request_id, found) }.encode()
}

fn setting(key: u64, way: Way) -> Setting {
    let wanted = Wanted { scalars: vec![], tables: vec![vec![column(1), column(8)]], ..Wanted::default() };
    Setting {
        account: None,
        key,
        wanted: Arc::new(wanted),
        limits: Limits { cycle: Duration::from_secs(20), ..Limits::default() },
        interval: Duration::from_secs(3600),
        phase: Duration::ZERO,
        way,
    }
}

fn sink() -> (Sink, Receiver<Report>) {
    let (sender, receiver) = channel();
    let sender = std::sync::Mutex::new(sender);
    (Arc::new(move |report| drop(sender.lock().unwrap().send(report))), receiver)
}

fn is_whole(snapshot: &Snapshot) {
    let table = &snapshot.tables[0];
    assert_eq!(table.rows().map(|(index, _)| index[0]).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    for column in &table.columns {
        assert_eq!(column.missing, None);
        for row in 0..5 {
            let value = ValueRef::Integer(row as i32 + 1);
            assert_eq!(column.cells.get(row), Some(value));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn devices_are_read_over_a_shared_socket_and_strangers_answers_are_not_used() {
    let community = Credentials::community(Version::V2c, b"public");
    let devices = (0..20).map(|key| {
        let way = Way::Datagrams { address: agent(), credentials: community.clone() };
        setting(key, way)
    });
    let (sink, reports) = sink();
    let _collector = Collector::start(devices.collect(), 2, Instant::now(), &sink).unwrap();
    tokio::task::spawn_blocking(move || {
        let mut keys: Vec<u64> = Vec::new();
        for _ in 0..20 {
            let report = reports.recv().unwrap();
            is_whole(&report.snapshot.unwrap());
            assert!(report.health.counts.foreign > 0, "{:?}", report.health);
            assert!(report.health.round_trip.is_some());
            keys.push(report.key);
        }
        keys.sort_unstable();
        assert_eq!(keys, (0..20).collect::<Vec<_>>());
    })
    .await
    .unwrap();
}

/// An agent that sends four datagrams before each answer which are none: another request-id, half a message, garbage, octets behind.
fn odd_agent() -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut buffer = [0; 65_535];
        while let Ok((length, peer)) = socket.recv_from(&mut buffer) {
            let Ok(request) = Message::decode(&buffer[..length]) else { continue };
            let answer = response(&request, 0);
            let mut other = request.clone();
            other.pdu.request_id ^= 0x2000_0000;
            let half = answer[..answer.len() / 2].to_vec();
            let behind = [&answer[..], &[0, 0]].concat();
            for datagram in [response(&other, 1000), half, b"garbage".to_vec(), behind, answer] {
                socket.send_to(&datagram, peer).unwrap();
            }
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_do_not_fit_are_counted() {
    let credentials = Credentials::community(Version::V2c, b"public");
    let way = Way::Datagrams { address: odd_agent(), credentials };
    let (sink, reports) = sink();
    let _collector = Collector::start(vec![setting(1, way)], 1, Instant::now(), &sink).unwrap();
    tokio::task::spawn_blocking(move || {
        let report = reports.recv().unwrap();
        is_whole(&report.snapshot.unwrap());
        let counts = report.health.counts;
        // Those before an answer arrive before it.
        assert!(counts.strays >= counts.answers && counts.foreign >= 3 * counts.answers, "{counts:?}");
    })
    .await
    .unwrap();
}

/// An agent whose answers to requests for columns arrive in part; `is_mute`: all answers do.
fn cutting_agent(is_mute: bool) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut buffer = [0; 65_535];
        while let Ok((length, peer)) = socket.recv_from(&mut buffer) {
            let Ok(request) = Message::decode(&buffer[..length]) else { continue };
            let mut answer = response(&request, 0);
            if is_mute || request.pdu.kind != PduKind::Get {
                answer.truncate(answer.len() - 1);
            }
            socket.send_to(&answer, peer).unwrap();
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_reason_names_answers_that_are_cut() {
    let quick = Duration::from_millis(20);
    let limits = Limits { tries: 2, first_timeout: quick, min_timeout: quick, ..Limits::default() };
    for is_mute in [true, false] {
        let credentials = Credentials::community(Version::V2c, b"public");
        let way = Way::Datagrams { address: cutting_agent(is_mute), credentials };
        let mut setting = Setting { limits: limits.clone(), ..setting(1, way) };
        let scalars = vec![Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0])];
        setting.wanted = Arc::new(Wanted { scalars, ..(*setting.wanted).clone() });
        let (sink, reports) = sink();
        let _collector = Collector::start(vec![setting], 1, Instant::now(), &sink).unwrap();
        tokio::task::spawn_blocking(move || {
            let snapshot = reports.recv().unwrap().snapshot.unwrap();
            assert_eq!(snapshot.is_heard, !is_mute);
            assert_eq!(snapshot.tables[0].columns[0].missing, Some(Missing::NoAnswer));
            let reason = snapshot.failure.unwrap();
            let figures: Vec<usize> = reason.split(' ').filter_map(|word| word.parse().ok()).collect();
            assert!(reason.starts_with("its answer was cut: "), "{reason}");
            assert_eq!(figures[0] + 1, figures[1], "{reason}");
        })
        .await
        .unwrap();
    }
}

struct Door(String);

impl Opener for Door {
    fn open(&self, _: Longest) -> Opening<'_> {
        Box::pin(async move {
            let target = self.0.parse().map_err(|error| format!("{error}"))?;
            let session = SnmpSession::open(&target, SessionOptions::default()).await;
            Ok(Arc::new(session.map_err(|error| error.to_string())?) as Arc<dyn trunkline_client::Session>)
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_device_is_read_in_a_session_and_one_that_cannot_be_opened_says_why() {
    let devices = vec![
        setting(1, Way::Session(Arc::new(Door(format!("snmp://public@{}", agent()))))),
        setting(2, Way::Session(Arc::new(Door("snmp://public@[::1".into())))),
    ];
    let (sink, reports) = sink();
    let _collector = Collector::start(devices, 1, Instant::now(), &sink).unwrap();
    tokio::task::spawn_blocking(move || {
        for _ in 0..2 {
            let report = reports.recv().unwrap();
            let snapshot = report.snapshot.unwrap();
            if report.key == 1 {
                is_whole(&snapshot);
            } else {
                assert!(!snapshot.is_heard);
                assert!(snapshot.failure.as_deref().unwrap().contains("::1"), "{:?}", snapshot.failure);
                assert_eq!(snapshot.tables[0].columns[0].missing, Some(Missing::NoAnswer));
            }
        }
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn a_user_without_an_agent_costs_discoveries_and_no_more() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let user = UsmCredentials::new(b"ann").unwrap();
    let user = user.with_auth(AuthProtocol::Sha256, Secret::password(b"maplesyrup")).unwrap();
    let way = Way::Datagrams { address: silent.local_addr().unwrap(), credentials: user.into() };
    let limits = Limits { tries: 2, first_timeout: Duration::from_millis(20), ..Limits::default() };
    let setting =
        Setting { limits: Limits { min_timeout: Duration::from_millis(20), ..limits }, ..setting(1, way) };
    let (sink, reports) = sink();
    let _collector = Collector::start(vec![setting], 1, Instant::now(), &sink).unwrap();
    tokio::task::spawn_blocking(move || {
        let report = reports.recv().unwrap();
        assert!(!report.snapshot.unwrap().is_heard);
        assert_eq!((report.health.counts.requests, report.health.failures), (2, 1));
        let mut buffer = [0; 1000];
        let (length, _) = silent.recv_from(&mut buffer).unwrap();
        let discovery = trunkline_snmp::wire::V3MessageRef::decode(&buffer[..length]).unwrap();
        assert!(discovery.usm().unwrap().engine_id.is_empty());
    })
    .await
    .unwrap();
}
