//! The overhead of a session over a bare socket: round trips one after another and 32 at a time, against a server
//! that answers at once; and of SNMPv3 over SNMPv2c, against an engine. Run: `cargo run --release -p
//! trunkline-client --example session_cost`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program")]

use std::time::{Duration, Instant};

use trunkline_client::{Credentials, Secret, SessionOptions, SnmpSession, Target, UsmCredentials};
use trunkline_smi::Oid;
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{CommunityEntry, Engine, EngineOptions, Handlers, Incoming};
use trunkline_snmp::usm::{AuthProtocol, EngineBoots, EngineClock, EngineId, PrivProtocol, UserTable};
use trunkline_snmp::wire::{ErrorStatus, Message, MessageRef, Pdu, PduKind, ResponseWriter, Version};
use trunkline_transport::load::{UdpLoad, Until};
use trunkline_transport::udp::{Datagram, ReplySlot, UdpBatch, UdpOptions};

/// Turns a Get of NULLs into a Response of NULLs by changing one octet.
fn answer(datagram: Datagram<'_>, slot: &mut ReplySlot) {
    let buffer = slot.buffer();
    buffer.clear();
    buffer.extend_from_slice(datagram.bytes);
    let pdu = 2 + 3 + 2 + 6;
    buffer[pdu] = PduKind::Response.tag();
    let end = buffer.len();
    slot.send(0..end);
}

fn main() {
    let mut server = UdpBatch::bind("127.0.0.1:0".parse().unwrap(), &UdpOptions::default()).unwrap();
    let (address, stop) = (server.local_addr(), server.stopper());
    let thread = std::thread::spawn(move || server.run(&mut answer));
    let name = Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]);
    for round in 0..3 {
        for window in [1u32, 32] {
            let bare = bare(address, window, &name);
            let session = through_session(address, window, &name, community());
            println!("round {round}, {window:2} at a time: bare {bare:7.0}/s, session {session:7.0}/s");
        }
    }
    stop.stop();
    thread.join().unwrap().unwrap();

    let mut server = UdpBatch::bind("127.0.0.1:0".parse().unwrap(), &UdpOptions::default()).unwrap();
    let (address, stop) = (server.local_addr(), server.stopper());
    let (engine, counters, mut plain) = (engine(), Counters::default(), Vec::new());
    let mut answer = move |datagram: Datagram<'_>, slot: &mut ReplySlot| {
        let who = |_: &[u8]| {
            Some(CommunityEntry { security_name: b"", context_engine_id: None, context_name: b"" })
        };
        let (now, out) = (Instant::now(), slot.buffer());
        let message = match engine.receive(datagram.bytes, &mut plain, out, now, None, who, &counters) {
            Incoming::Request(request) => {
                let writer = ResponseWriter::new(out, request.max_size, request.reply());
                writer.finish_with_raw_bindings(ErrorStatus::NoError, 0, request.pdu.raw_bindings())
            }
            Incoming::Report { reply, .. } => Some(reply),
            Incoming::TrapV1(_) | Incoming::Drop(_) => None,
        };
        if let Some(message) = message {
            slot.send(message);
        }
    };
    let thread = std::thread::spawn(move || server.run(&mut answer));
    for round in 0..3 {
        for window in [1, 32] {
            let v2c = through_session(address, window, &name, community());
            let v3 = through_session(address, window, &name, ann().into());
            println!("round {round}, {window:2} at a time: v2c {v2c:7.0}/s, v3 authPriv {v3:7.0}/s");
        }
    }
    stop.stop();
    thread.join().unwrap().unwrap();
}

fn community() -> Credentials {
    Credentials::community(Version::V2c, b"public")
}

fn ann() -> UsmCredentials {
    let ann = UsmCredentials::new(b"ann").unwrap();
    let ann = ann.with_auth(AuthProtocol::Sha256, Secret::password(b"maplesyrup")).unwrap();
    ann.with_privacy(PrivProtocol::Aes128, Secret::password(b"maplesyrup")).unwrap()
}

fn engine() -> Engine {
    let id = EngineId::generate(8072, *b"twelveoctets");
    let engine = Engine::new(EngineOptions {
        id,
        clock: EngineClock::new(EngineBoots::default().next(), Instant::now()),
        max_size: 65_507,
        handlers: Handlers::RESPONDER,
        remote_engines: 1,
        entropy: 1,
    });
    let mut users = UserTable::new();
    users.insert(ann().user_at(&id).unwrap());
    engine.set_users(users);
    engine
}

fn bare(target: std::net::SocketAddr, window: u32, name: &Oid) -> f64 {
    let until = Until::Elapsed(Duration::from_millis(500));
    let load = UdpLoad { target, window, until, timeout: Duration::from_secs(1) };
    let request = |number: u32, octets: &mut Vec<u8>| {
        let pdu = Pdu::read(PduKind::Get, number as i32, [name]);
        *octets = Message { version: Version::V2c, community: b"public".to_vec(), pdu }.encode();
    };
    let answered =
        |octets: &[u8]| MessageRef::decode(octets).ok().map(|message| message.pdu.request_id as u32);
    load.run(request, answered).unwrap().rate()
}

fn through_session(address: std::net::SocketAddr, window: u32, name: &Oid, credentials: Credentials) -> f64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let target = address.to_string().parse::<Target>().unwrap().with_credentials(credentials);
        let options = SessionOptions::default().with_window(window as usize);
        let session = SnmpSession::open(&target, options).await.unwrap();
        let start = Instant::now();
        let until = start + Duration::from_millis(500);
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..window {
            let (session, names) = (session.clone(), [name.clone()]);
            tasks.spawn(async move {
                let mut done = 0u32;
                while Instant::now() < until {
                    session.get(&names).await.unwrap();
                    done += 1;
                }
                done
            });
        }
        let done: u32 = tasks.join_all().await.iter().sum();
        f64::from(done) / start.elapsed().as_secs_f64()
    })
}
