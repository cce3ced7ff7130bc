//! What the User-based Security Model costs: `cargo bench -p trunkline-snmp --bench usm`.
//! Names say how many octets a message or a scoped PDU has.
#![allow(missing_docs, clippy::expect_used)]

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use trunkline_snmp::usm::{
    AuthKey, AuthProtocol, EngineId, EngineMoment, MasterKey, PrivKey, PrivProtocol, User, UserTable,
};

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
    }
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

criterion_group!(benches, usm);
criterion_main!(benches);
