//! Agents that are already running, over the real network: rounds in a session that is kept. Octets are counted by
//! this machine: over TCP and what it carries by the kernel, over UDP from each message with its headers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tokio::runtime::Runtime;
use trunkline_client::{Observer, SessionOptions};

use trunkline_labkit::conversation::{Notes, Observed, PAUSE, nanos, thread_cpu};
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::fetch::Fetch;
use trunkline_labkit::if_table::Link;
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::meter::ip::{IpCount, IpVersion, datagram};
use trunkline_labkit::packing::Packing;
use trunkline_labkit::place::link::{LinkCounts, Traffic};
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::subject::Remote;
use trunkline_labkit::transport::Transport;
use trunkline_labkit::trial::{Case, Entry, SessionRecord};

use super::MEASURED;

/// What precedes the name of an agent in the samples.
pub(super) const SUBJECT: &str = "kept, subject ";

/// An agent and what is spoken with it.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    remote: Remote,
    protocol: Protocol,
    packing: Packing,
}

impl Subject {
    /// Its name in the samples: the agent's, and what it was asked to compress with.
    fn what(&self) -> String {
        format!("{SUBJECT}{}{}", self.remote, self.packing)
    }
}

/// The agent and the compression of a name in the samples.
pub(super) fn named(what: &str) -> Option<(String, Packing)> {
    let name = what.strip_prefix(SUBJECT)?;
    let gzip = Packing::Gzip.to_string();
    Some(match name.strip_suffix(&gzip) {
        Some(name) => (name.to_owned(), Packing::Gzip),
        None => (name.to_owned(), Packing::None),
    })
}

/// The agents that can be measured.
///
/// # Errors
/// One of them cannot, with the reason.
pub(super) fn subjects(remotes: Vec<Remote>, uncompressed: bool) -> Result<Vec<Subject>, Error> {
    let each = remotes.into_iter().map(|remote| subject(remote, uncompressed));
    Ok(each.collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().collect())
}

/// One agent, over HTTP without compression and with it. That of SNMP is Trunkline's own, which others do not answer.
fn subject(remote: Remote, uncompressed: bool) -> Result<Vec<Subject>, Error> {
    let refused = |why: &str| Error::Remote { option: "subject", reason: format!("{remote}: {why}") };
    if remote.transport == Transport::Dtls {
        return Err(refused("DTLS records cannot be counted; use TLS"));
    }
    let known = Protocol::all().into_iter().find(|it| it.to_string() == remote.way);
    let protocol =
        known.ok_or_else(|| refused(&format!("{} is not among the ways that are compared", remote.way)))?;
    let has_gzip = remote.transport.is_http() && !uncompressed;
    let packings = [Some(Packing::None), has_gzip.then_some(Packing::Gzip)].into_iter().flatten();
    Ok(packings
        .map(|packing| {
            let mut remote = remote.clone();
            remote.peer = remote.peer.with_http_compression(packing == Packing::Gzip);
            Subject { remote, protocol, packing }
        })
        .collect())
}

/// Measures rounds with each agent in turn.
pub(super) fn measure(
    subjects: &[Subject],
    (fetch, options): (&Fetch, SessionOptions),
    rounds: u32,
    runtime: &Runtime,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    ledger.doubt(Doubt::Condition { table: MEASURED.into(), text: CONDITION.into() })?;
    for subject in subjects {
        ledger.progress.set_message(subject.remote.to_string());
        let Subject { remote, protocol, .. } = subject;
        let records = runtime.block_on(session(subject, fetch, options, rounds, ledger));
        match records {
            Ok(records) => {
                ledger.note_algorithms(*protocol)?;
                records.into_iter().try_for_each(|record| ledger.write(&Entry::Session(record)))?;
            }
            Err(reason) => {
                let what = remote.to_string();
                let reason = format!("{reason}{}", remote.advice());
                ledger.doubt(Doubt::LeftOut { table: MEASURED.into(), what, reason })?;
            }
        }
    }
    ledger.writer.flush()
}

/// Rounds in one session, after a first that is not recorded: engine IDs, clocks, full caches.
async fn session(
    subject: &Subject,
    fetch: &Fetch,
    options: SessionOptions,
    rounds: u32,
    ledger: &Ledger,
) -> Result<Vec<SessionRecord>, String> {
    let failed = |error: trunkline_client::Error| error.to_string();
    let link = Link::open_with(&subject.remote.peer, options).await.map_err(failed)?;
    let meter = Meter::of(&link)?;
    let fetch = &has(&link, fetch).await?;
    let mut records = Vec::new();
    for round in 0..=rounds {
        if ledger.is_interrupted() {
            break;
        }
        let (before, cpu, begun) = (meter.read()?, thread_cpu(), Instant::now());
        let mut observed = Observed::default();
        fetch.once(&*link.session, &mut Notes::of(&mut observed)).await.map_err(failed)?;
        let (took, cpu) = (begun.elapsed(), thread_cpu().saturating_sub(cpu));
        if !matches!(meter, Meter::Udp(_)) {
            // The acknowledgement of the answer would travel with the next request, which is far off where rounds are seconds apart.
            tokio::time::sleep(PAUSE).await;
        }
        let after = meter.read()?;
        if observed.objects < fetch.objects() && link.session.as_soap().is_none() {
            return Err(format!("its ifTable shrank to {} of {} objects", observed.objects, fetch.objects()));
        }
        ledger.progress.inc(1);
        if round > 0 {
            records.push(record(subject, round, observed, nanos(took), cpu, after.since(&before)));
        }
    }
    Ok(records)
}

/// What the agent has of what is requested.
async fn has(link: &Link, fetch: &Fetch) -> Result<Fetch, String> {
    let mut observed = Observed::default();
    let asked = fetch.once(&*link.session, &mut Notes::of(&mut observed)).await;
    asked.map_err(|error| error.to_string())?;
    if observed.objects == 0 {
        return Err("it answers with nothing of its ifTable in the order of GetNext; may whoever asks read 1.3.6.1.2.1.2.2?".into());
    }
    Ok(fetch.cut_to(observed.objects))
}

fn record(
    subject: &Subject,
    round: u32,
    observed: Observed,
    exchange_ns: u64,
    cpu: u64,
    [out, back]: [IpCount; 2],
) -> SessionRecord {
    let traffic = |it: IpCount| Traffic { packets: it.packets, ip_octets: it.octets, ..Traffic::default() };
    let mut link = LinkCounts::default();
    (link.to_agent.sent, link.to_manager.sent) = (traffic(out), traffic(back));
    let what = subject.what();
    SessionRecord {
        case: Case { table: MEASURED.into(), what, protocol: subject.protocol, messages: 1 },
        repetition: round,
        prepare_ns: 0,
        open_ns: 0,
        exchange_ns,
        first_ns: None,
        each_ns: observed.each_ns,
        close_ns: 0,
        release_ns: 0,
        resent: observed.resent,
        instances: None,
        objects: Some(observed.objects),
        message_octets: observed.messages,
        rounds: vec![],
        link: Some(link),
        frames: vec![],
        wire_ns: None,
        manager_cpu_ns: Some(cpu),
        agent_cpu_ns: None,
    }
}

/// Counts what a session sends and receives at IP level.
enum Meter<'a> {
    /// By the kernel.
    Tcp(&'a trunkline_labkit::meter::tcp::TcpMeter),
    /// From the messages.
    Udp(Arc<Datagrams>),
}

/// What has passed so far.
enum Reading {
    Tcp(trunkline_labkit::meter::tcp::TcpCount),
    Udp([IpCount; 2]),
}

impl Meter<'_> {
    fn of(link: &Link) -> Result<Meter<'_>, String> {
        match &link.tcp {
            Some(Ok(meter)) => Ok(Meter::Tcp(meter)),
            Some(Err(error)) => Err(format!("its octets cannot be counted: {error}")),
            None => {
                let datagrams = Arc::new(Datagrams::new(link));
                link.observe(datagrams.clone());
                Ok(Meter::Udp(datagrams))
            }
        }
    }

    fn read(&self) -> Result<Reading, String> {
        match self {
            Meter::Tcp(meter) => meter
                .read()
                .map(Reading::Tcp)
                .map_err(|error| format!("its octets cannot be counted: {error}")),
            Meter::Udp(datagrams) => Ok(Reading::Udp(datagrams.read())),
        }
    }
}

impl Reading {
    fn since(&self, earlier: &Reading) -> [IpCount; 2] {
        match (self, earlier) {
            (Reading::Tcp(now), Reading::Tcp(then)) => {
                let delta = now.since(then);
                let count = |packets: u64, payload: u64| IpCount {
                    packets,
                    octets: payload + packets * delta.headers_per_segment,
                };
                [count(delta.segments_out, delta.payload_out), count(delta.segments_in, delta.payload_in)]
            }
            (Reading::Udp(now), Reading::Udp(then)) => [0, 1].map(|at| IpCount {
                packets: now[at].packets - then[at].packets,
                octets: now[at].octets - then[at].octets,
            }),
            _ => [IpCount::default(); 2],
        }
    }
}

/// Counts datagrams, with their headers, as they pass.
struct Datagrams {
    ip: IpVersion,
    mtu: u64,
    counts: [[AtomicU64; 2]; 2],
}

impl Datagrams {
    fn new(link: &Link) -> Datagrams {
        Datagrams { ip: link.ip, mtu: u64::from(link.mtu.0), counts: Default::default() }
    }

    fn add(&self, direction: usize, octets: usize) {
        let IpCount { packets, octets } = datagram(self.ip, octets as u64, self.mtu);
        self.counts[direction][0].fetch_add(packets, Ordering::Relaxed);
        self.counts[direction][1].fetch_add(octets, Ordering::Relaxed);
    }

    fn read(&self) -> [IpCount; 2] {
        let of = |[packets, octets]: &[AtomicU64; 2]| IpCount {
            packets: packets.load(Ordering::Relaxed),
            octets: octets.load(Ordering::Relaxed),
        };
        [of(&self.counts[0]), of(&self.counts[1])]
    }
}

impl Observer for Datagrams {
    fn sent(&self, octets: &[u8], _at: Instant) {
        self.add(0, octets.len());
    }

    fn received(&self, octets: &[u8], _at: Instant) {
        self.add(1, octets.len());
    }
}

const CONDITION: &str = "agents named by --subject are measured over the real network, in sessions that are kept: what opening and \
                         closing takes, losses (those of --link are left out), and their CPU time and memory are not known; a round takes as long as was measured, or as the \
                         rate and delay of --link make it take, whichever is longer";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_http_an_agent_is_asked_without_compression_and_with_it() {
        let of = |url: &str, uncompressed| {
            let found = subject(Remote::of(url.parse().unwrap()), uncompressed).unwrap();
            found.iter().map(Subject::what).collect::<Vec<_>>()
        };
        let plain = "kept, subject snmp+http://router:80";
        assert_eq!(of("snmp+http://router", false), [plain, &format!("{plain} gzip")]);
        assert_eq!(of("snmp+http://router", true), [plain]);
        assert_eq!(of("snmp://router", false), ["kept, subject snmp://router:161"]);
        let name = || "snmp+http://router:80".to_owned();
        assert_eq!(named(plain), Some((name(), Packing::None)));
        assert_eq!(named(&format!("{plain} gzip")), Some((name(), Packing::Gzip)));
        assert_eq!(named("kept"), None);
    }

    #[test]
    fn what_cannot_be_counted_is_refused_with_the_reason() {
        let of = |url: &str| subject(Remote::of(url.parse().unwrap()), false);
        assert_eq!(of("snmp://geheim@router").unwrap()[0].protocol, Protocol::v2c(Transport::Udp));
        for (url, why) in [
            ("snmp+dtls://router", "DTLS records cannot be counted; use TLS"),
            ("snmp+tls://geheim@router?version=1", "v1/TLS is not among the ways"),
        ] {
            let error = of(url).unwrap_err().to_string();
            assert!(
                error.starts_with("--subject: ") && error.contains(why) && !error.contains("geheim"),
                "{error}"
            );
        }
    }
}
