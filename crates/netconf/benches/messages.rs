//! What becomes of a message besides reading and writing it, alone: how long its compression takes and what is left of it, and how
//! long it takes to check it against the schema of the protocol, by our check and by libxml2.
//!
//! ```text
//! cargo bench -p trunkline-netconf --bench messages
//! ```
#![allow(missing_docs, clippy::print_stdout, clippy::expect_used)]

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use trunkline_libxml::Schema;
use trunkline_netconf::BASE;
use trunkline_netconf::compression::{Algorithm, Deflater, inflate};
use trunkline_netconf::operation::Operation;
use trunkline_netconf::reply::FromServer;
use trunkline_netconf::rpc::Rpc;

/// Repetitions that are timed together.
const SLICE: u32 = 10;

fn main() {
    validation();
    compression();
}

/// Requests and a reply: reading alone, with our check, and what libxml2 takes.
fn validation() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema/netconf.xsd");
    let theirs = Schema::load(&path).map_err(|error| println!("{error}")).ok();
    println!("message: octets; µs to read, µs to read and check, ratio, µs of libxml2");
    for (name, text) in requests() {
        let read = || Rpc::read(&text, 4 << 20).expect("a request");
        let operation = |rpc: &Rpc| usize::from(black_box(Operation::read(rpc.operation())).is_ok());
        let times = (20_000_000 / text.len()).clamp(30, 50_000) as u32;
        let alone = best(times, || operation(&read()));
        let with = best(times, || operation(&read().valid().expect("valid")));
        let theirs = theirs.as_ref().map(|it| best(times, || usize::from(it.check(&text).is_ok())));
        print(name, text.len(), alone, with, theirs);
    }
    let reply = reply(1_000_000);
    let read = || FromServer::read(&reply, 4 << 20).expect("a reply");
    let size = |message: &FromServer| usize::from(matches!(message, FromServer::Reply(_)));
    let alone = best(30, || size(&read()));
    let with = best(30, || size(&read().valid().expect("valid")));
    let theirs = theirs.map(|it| best(30, || usize::from(it.check(&reply).is_ok())));
    print("reply of 1 MB", reply.len(), alone, with, theirs);
}

fn requests() -> Vec<(&'static str, Vec<u8>)> {
    let rpc =
        |operation: &str| format!("<rpc xmlns=\"{BASE}\" message-id=\"101\">{operation}</rpc>").into_bytes();
    let reply = String::from_utf8(reply(1_000_000)).expect("UTF-8");
    let data = reply.split_once("<data>").and_then(|(_, rest)| rest.split_once("</data>"));
    let all = data.map_or("", |(data, _)| data);
    let of_one =
        "<interfaces xmlns=\"urn:ietf:params:xml:ns:yang:ietf-interfaces\"><interface><name>eth0</name>";
    vec![
        ("close-session", rpc("<close-session/>")),
        ("get-config", rpc("<get-config><source><running/></source></get-config>")),
        (
            "get-config with a filter",
            rpc(&format!(
                "<get-config><source><running/></source><filter type=\"subtree\">{of_one}</interface></interfaces></filter>\
                 </get-config>"
            )),
        ),
        (
            "edit-config of an interface",
            rpc(&format!(
                "<edit-config><target><running/></target><default-operation>merge</default-operation><error-option>\
                 rollback-on-error</error-option><config>{of_one}<description>a port</description><enabled>true</enabled>\
                 </interface></interfaces></config></edit-config>"
            )),
        ),
        (
            "edit-config of 1 MB",
            rpc(&format!("<edit-config><target><running/></target><config>{all}</config></edit-config>")),
        ),
    ]
}

fn print(name: &str, octets: usize, alone: f64, with: f64, theirs: Option<f64>) {
    let theirs = theirs.map_or_else(|| "-".to_owned(), |it| format!("{it:.1}"));
    println!("  {name}: {octets}; {alone:.2}, {with:.2}, {:.2}, {theirs}", with / alone);
}

fn compression() {
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
