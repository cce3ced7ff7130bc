//! Times of the codec: `cargo bench -p trunkline-snmp --bench codec`.
#![allow(missing_docs)]

mod cases;

use criterion::{Criterion, criterion_group, criterion_main};

fn codec(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("codec");
    for (name, mut case) in cases::all() {
        group.bench_function(name, |bencher| bencher.iter(&mut case));
    }
    group.finish();
}

criterion_group!(benches, codec);
criterion_main!(benches);
