//! What the User-based Security Model costs: `cargo bench -p trunkline-snmp --bench usm`.
//! Names say how many octets a message or a scoped PDU has.
#![allow(missing_docs, clippy::expect_used)]

use std::hint::black_box;
use std::time::Instant;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use trunkline_smi::{Oid, OidList, ValueRef};
use trunkline_snmp::engine::{CommunityEntry, Engine, EngineOptions, Handlers, Incoming};
use trunkline_snmp::role::manager::{Asker, Manager};
use trunkline_snmp::usm::{
    AuthKey, AuthProtocol, Credentials, EngineBoots, EngineClock, EngineId, EngineMoment, MasterKey, PrivKey,
    PrivProtocol, User, UserTable,
};
use trunkline_snmp::wire::{Message, Pdu, PduKind, ResponseWriter, Version};
use trunkline_snmp::{Counters, SecurityLevel};

/// A Get of one object and its Response; a full datagram.
const SIZES: [usize; 2] = [150, 1200];

fn usm(criterion: &mut Criterion) {
    let engine_id: EngineId = "80001f888056 3c1a9b01d2e3".parse().expect("an engine ID");
    let mut group = criterion.benchmark_group("usm");
    for protocol in AuthProtocol::ALL {
        let master = MasterKey::from_password(protocol, b"maplesyrup").expect("long enough");
        authentication(&mut group, protocol, &master, &engine_id);
        group.bench_function(format!("{protocol} password to key"), |bencher| {
            bencher.iter(|| MasterKey::from_password(protocol, black_box(b"maplesyrup")));
        });
        group.bench_function(format!("{protocol} localize"), |bencher| {
            bencher.iter(|| master.localize(black_box(&engine_id)));
        });
    }
    let master = MasterKey::from_password(AuthProtocol::Sha256, b"maplesyrup").expect("long enough");
    for protocol in [PrivProtocol::Des, PrivProtocol::Aes128, PrivProtocol::Aes256] {
        privacy(&mut group, protocol, &master, &engine_id);
    }
    lookups(&mut group, &engine_id);
    exchanges(&mut group, &engine_id);
    group.finish();
}

fn authentication(
    group: &mut BenchmarkGroup<'_, WallTime>,
    protocol: AuthProtocol,
    master: &MasterKey,
    engine_id: &EngineId,
) {
    let key = AuthKey::new(protocol, master.localize(engine_id)).expect("a key of this protocol");
    for size in SIZES {
        let mut message = vec![0x30; size];
        let field = 60..60 + protocol.mac_length();
        key.sign(&mut message, field.clone()).expect("a field of this protocol");
        group.bench_function(format!("{protocol} verify {size}"), |bencher| {
            bencher.iter(|| key.verify(black_box(&message), field.clone()));
        });
        group.bench_function(format!("{protocol} sign {size}"), |bencher| {
            bencher.iter(|| key.sign(black_box(&mut message), field.clone()));
        });
    }
}

fn privacy(
    group: &mut BenchmarkGroup<'_, WallTime>,
    protocol: PrivProtocol,
    master: &MasterKey,
    engine_id: &EngineId,
) {
    let local = master.localize(engine_id);
    let key = PrivKey::new(protocol, master.protocol(), &local, engine_id).expect("a key of this hash");
    let moment = EngineMoment::new(7, 4711).expect("in range");
    let salt = key.salt(moment.boots, 42);
    for size in SIZES {
        let mut octets = vec![0x30; size + key.padding(size)];
        group.bench_function(format!("{protocol} encrypt {size}"), |bencher| {
            bencher.iter(|| key.encrypt(moment, salt, black_box(&mut octets)));
        });
        group.bench_function(format!("{protocol} decrypt {size}"), |bencher| {
            bencher.iter(|| key.decrypt(moment, &salt, black_box(&mut octets)));
        });
        sealing(group, &key, master, engine_id, size);
    }
}

/// A message of 120 octets and a scoped PDU, encrypted and signed: one after the other, and both at a time.
fn sealing(
    group: &mut BenchmarkGroup<'_, WallTime>,
    privacy: &PrivKey,
    master: &MasterKey,
    engine_id: &EngineId,
    size: usize,
) {
    let auth = AuthKey::new(master.protocol(), master.localize(engine_id)).expect("a key of this protocol");
    let (protocol, hash) = (privacy.protocol(), master.protocol());
    let moment = EngineMoment::new(7, 4711).expect("in range");
    let salt = privacy.salt(moment.boots, 42);
    let mut message = vec![0x30; 120 + size + privacy.padding(size)];
    let (field, scoped) = (60..60 + hash.mac_length(), 120..message.len());
    group.bench_function(format!("{protocol} encrypt, {hash} sign {size}"), |bencher| {
        bencher.iter(|| {
            privacy.encrypt(moment, salt, black_box(&mut message[scoped.clone()])).expect("whole blocks");
            auth.sign(&mut message, field.clone())
        });
    });
    group.bench_function(format!("{protocol} and {hash} seal {size}"), |bencher| {
        bencher.iter(|| {
            message[field.clone()].fill(0);
            auth.seal(black_box(&mut message), field.clone(), privacy, moment, salt, scoped.clone())
        });
    });
}

fn lookups(group: &mut BenchmarkGroup<'_, WallTime>, engine_id: &EngineId) {
    for count in [10, 10_000] {
        let name = |number: usize| format!("user{number}").into_bytes();
        let users: UserTable =
            (0..count).map(|number| User::new(*engine_id, &name(number)).expect("a name")).collect();
        let asked = name(count / 2);
        group.bench_function(format!("lookup among {count}"), |bencher| {
            bencher.iter(|| users.get(black_box(engine_id.as_bytes()), black_box(&asked)).is_some());
        });
    }
}

/// A Get of one object through the engine and its Response, as v2c and at each level of v3: the difference is
/// what security costs.
fn exchanges(group: &mut BenchmarkGroup<'_, WallTime>, engine_id: &EngineId) {
    let (start, password) = (Instant::now(), &b"maplesyrup"[..]);
    let engine = Engine::new(EngineOptions {
        id: *engine_id,
        clock: EngineClock::new(EngineBoots::new(1).expect("in range"), start),
        max_size: 1472,
        handlers: Handlers::RESPONDER,
        remote_engines: 1,
        entropy: 7,
    });
    let (auth, privacy) = ((AuthProtocol::Sha256, password), (PrivProtocol::Aes128, password));
    let ann = Credentials::from_passwords(b"ann", Some(auth), Some(privacy)).expect("good passwords");
    let ann = ann.localize(engine_id).expect("a user");
    engine.set_users([ann.clone()].into_iter().collect());
    let pdu = Pdu::read(PduKind::Get, 42, [&Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0])]);
    let community = b"public".to_vec();
    let message = Message { version: Version::V2c, community, pdu: pdu.clone() }.encode();
    exchange(group, "Get and Response v2c", &engine, &message, start);
    for level in [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthNoPriv, SecurityLevel::AuthPriv] {
        let asker = Asker {
            user_name: b"ann".to_vec(),
            level,
            context_name: Vec::new(),
            context_engine_id: None,
            security_engine_id: Some(*engine_id),
            engine_moment: Some(engine.moment(start)),
        };
        let mut manager = Manager::new(asker, 1472, 7, start);
        manager.set_user(ann.clone());
        let message = manager.encode(&pdu, 1, start).expect("all is known");
        exchange(group, &format!("Get and Response {level}"), &engine, &message, start);
    }
}

fn exchange(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    engine: &Engine,
    message: &[u8],
    now: Instant,
) {
    let counters = Counters::default();
    let (mut scratch, mut out, mut answer, mut names) = (vec![], vec![], vec![], OidList::new());
    let public = CommunityEntry { security_name: b"public", context_engine_id: None, context_name: b"" };
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            let octets = black_box(message);
            let incoming =
                engine.receive(octets, &mut scratch, &mut out, now, None, |_| Some(public), &counters);
            let Incoming::Request(request) = incoming else { panic!("{incoming:?}") };
            names.clear();
            request.pdu.names(&mut names).expect("names");
            let mut writer = ResponseWriter::new(&mut answer, request.max_size, request.reply());
            for name in names.iter() {
                assert!(writer.value_at(name, ValueRef::TimeTicks(4711)));
            }
            writer.finish().expect("room for a message")
        });
    });
}

criterion_group!(benches, usm);
criterion_main!(benches);
