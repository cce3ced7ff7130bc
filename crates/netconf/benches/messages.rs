//! What becomes of a message besides reading and writing it, alone: how long its compression takes and what is left of it.
//!
//! ```text
//! cargo bench -p trunkline-netconf --bench messages
//! ```
#![allow(missing_docs, clippy::print_stdout, clippy::expect_used)]

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use trunkline_netconf::BASE;
use trunkline_netconf::compression::{Algorithm, Deflater, inflate};

/// Repetitions that are timed together.
const SLICE: u32 = 10;

fn main() {
    println!(
        "reply: octets; by each algorithm and level: octets, µs with a stream of its own, µs with one that is used again, µs to inflate"
    );
    for octets in [300, 10_000, 1_000_000] {
        let reply = reply(octets);
        println!("{}", reply.len());
        for (algorithm, level) in
            [(Algorithm::Zlib, 1), (Algorithm::Zlib, 6), (Algorithm::Zstd, 1), (Algorithm::Zstd, 3)]
        {
            let times = (20_000_000 / octets).clamp(30, 10_000) as u32;
            let mut stream = Vec::new();
            let mut once = |deflater: &mut Deflater| {
                stream.clear();
                // Parts as the agent sends them.
                let parts = reply.chunks(32 << 10);
                let last = parts.len() - 1;
                for (at, part) in parts.enumerate() {
                    deflater.part(part, at == last, &mut stream).expect("memory");
                }
                black_box(stream.len())
            };
            let new = || Deflater::with_level(algorithm, level).expect("memory");
            let own = best(times, || once(&mut new()));
            let mut deflater = new();
            let again = best(times, || once(&mut deflater));
            let length = stream.len();
            let back = best(times, || inflate(algorithm, &stream, reply.len()).expect("a stream").len());
            println!("  {} {level}: {length} octets, {own:.1}, {again:.1}, {back:.1}", algorithm.name());
        }
    }
}

/// The least time of a repetition, in microseconds.
fn best(times: u32, mut once: impl FnMut() -> usize) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..times.div_ceil(SLICE) {
        let begin = Instant::now();
        for _ in 0..SLICE {
            black_box(once());
        }
        best = best.min(begin.elapsed().as_secs_f64() * 1e6 / f64::from(SLICE));
    }
    best
}

/// A reply with interfaces and their counters.
fn reply(octets: usize) -> Vec<u8> {
    let mut text = format!(
        "<rpc-reply xmlns=\"{BASE}\" message-id=\"101\"><data><interfaces xmlns=\"urn:ietf:params:xml:ns:yang:ietf-interfaces\">"
    );
    let end = "</interfaces></data></rpc-reply>";
    // The same on each run, and unlike counters of a machine only in what they mean.
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    for at in 0.. {
        if text.len() + end.len() + 100 > octets {
            break;
        }
        let (status, counter) =
            (if next() % 7 == 0 { "down" } else { "up" }, |value: u64| value % 1_000_000_000);
        write!(text, "<interface><name>eth{at}</name>").expect("memory");
        if octets > 1_000 {
            write!(
                text,
                "<type xmlns:ianaift=\"urn:ietf:params:xml:ns:yang:iana-if-type\">ianaift:ethernetCsmacd</type>\
                 <oper-status>{status}</oper-status><if-index>{at}</if-index>\
                 <phys-address>52:54:00:{:02x}:{:02x}:{:02x}</phys-address><statistics>\
                 <in-octets>{}</in-octets><in-unicast-pkts>{}</in-unicast-pkts><out-octets>{}</out-octets>\
                 <out-unicast-pkts>{}</out-unicast-pkts></statistics>",
                next() % 256,
                next() % 256,
                next() % 256,
                counter(next()),
                counter(next()),
                counter(next()),
                counter(next()),
            )
            .expect("memory");
        }
        text.push_str("</interface>");
    }
    text.push_str(end);
    text.into_bytes()
}
