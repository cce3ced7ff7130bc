//! Prints how accurate the link laboratory is on this machine: `cargo run -p trunkline-lab --example link`.
//!
//! Rates and round trips are measured with plain sockets at both ends, as the test `link` does. "Added" is the
//! median above that of the same link at zero delay, measured at the same pace. "Late" is the relay's own figure.
//! CPU is the relay's share of one processor.

#![allow(clippy::print_stdout, reason = "it prints a table")]

#[path = "../tests/link/measure.rs"]
mod measure;

use std::error::Error;
use std::time::{Duration, Instant};

use measure::Pair;
use trunkline_lab::place::link::{Lateness, Link, LinkOptions, LinkSpec, acquire_rights};

fn main() -> Result<(), Box<dyn Error>> {
    acquire_rights()?;
    println!("Rate: packets of 1500 octets (64k: 100), from the first arrival to the last");
    println!("{:<34} {:>14} {:>9} {:>24} {:>6}", "link", "bit/s", "error", "late 50 % / 99 % / most", "CPU");
    for two_threads in [false, true] {
        let link = Link::open_with(LinkOptions { two_threads, ..LinkOptions::new(LinkSpec::default()) })?;
        for (rate, bits, packets, octets) in [
            ("64k", 64e3, 400, 100),
            ("1M", 1e6, 300, 1500),
            ("10M", 10e6, 2000, 1500),
            ("100M", 100e6, 20_000, 1500),
        ] {
            show_rate(&link, two_threads, &format!("{rate},0,queue=20000"), bits, packets, octets)?;
        }
    }
    println!();
    println!("Round trips of packets of 100 octets, microseconds");
    println!(
        "{:<34} {:>9} {:>9} {:>9} {:>7} {:>24} {:>6}",
        "link", "median", "99 %", "added", "error", "late 50 % / 99 % / most", "CPU"
    );
    for (two_threads, awake) in [(false, true), (true, true), (false, false)] {
        let options = LinkOptions { two_threads, awake, ..LinkOptions::new(LinkSpec::default()) };
        let link = Link::open_with(options)?;
        for (text, count) in [
            ("unlimited,0", 2000),
            ("unlimited,1ms", 1000),
            ("unlimited,20ms", 200),
            ("unlimited,200ms", 20),
            ("10M,1ms", 1000),
        ] {
            show_round_trips(&link, &name(two_threads, awake), text.parse()?, count)?;
        }
    }
    Ok(())
}

fn name(two_threads: bool, awake: bool) -> String {
    let threads = if two_threads { "2 threads" } else { "1 thread" };
    format!("{threads}{}", if awake { "" } else { ", asleep" })
}

fn show_rate(
    link: &Link,
    two_threads: bool,
    text: &str,
    bits: f64,
    packets: u32,
    octets: usize,
) -> Result<(), Box<dyn Error>> {
    link.set(text.parse()?);
    link.reset_lateness();
    let (pair, share) = (Pair::open(link)?, Share::start(link)?);
    let rate = pair.rate(packets, octets)?;
    println!(
        "{:<34} {rate:>14.0} {:>8.4}% {:>24} {:>5.1}%",
        format!("{} ({})", text.replace(",0,queue=20000", ""), name(two_threads, true)),
        (rate / bits - 1.0) * 100.0,
        late(link.lateness()),
        share.percent(link)?,
    );
    Ok(())
}

fn show_round_trips(link: &Link, name: &str, spec: LinkSpec, count: u32) -> Result<(), Box<dyn Error>> {
    let pair = Pair::open(link)?;
    link.set(spec.without_delay());
    let without = pair.round_trips(count, 100, spec.round_trip())?;
    link.set(spec);
    link.reset_lateness();
    let share = Share::start(link)?;
    let with = pair.round_trips(count, 100, Duration::ZERO)?;
    let percent = share.percent(link)?;
    let added = with.median() - without.median();
    let asked = spec.round_trip().as_secs_f64();
    let error = if asked > 0.0 { format!("{:.2}%", (added / asked - 1.0) * 100.0) } else { String::new() };
    println!(
        "{:<34} {:>9.1} {:>9.1} {:>9.1} {error:>7} {:>24} {percent:>5.1}%",
        format!("{},{} ({name})", spec.rate, text_of(spec.round_trip())),
        with.median() * 1e6,
        with.p99() * 1e6,
        added * 1e6,
        late(link.lateness()),
    );
    Ok(())
}

fn text_of(time: Duration) -> String {
    format!("{time:?}")
}

fn late(lateness: Lateness) -> String {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    format!("{:.1} / {:.1} / {:.1} us", micros(lateness.median), micros(lateness.p99), micros(lateness.max))
}

/// The relay's share of a processor.
struct Share {
    cpu: Duration,
    since: Instant,
}

impl Share {
    fn start(link: &Link) -> std::io::Result<Share> {
        Ok(Share { cpu: link.cpu()?, since: Instant::now() })
    }

    fn percent(&self, link: &Link) -> std::io::Result<f64> {
        let used = link.cpu()? - self.cpu;
        Ok(used.as_secs_f64() / self.since.elapsed().as_secs_f64() * 100.0)
    }
}
