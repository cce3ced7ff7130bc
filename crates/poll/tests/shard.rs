//! A shard over loopback: every agent is asked in every round, and silence costs no more memory than there are places.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use trunkline_poll::{
    Ended, Outcome, Parallel, Phase, PollError, RoundsOptions, Sample, Schedule, Shard, ShardOptions,
    SnmpRead,
};
use trunkline_smi::Oid;
use trunkline_snmp::wire::{MessageRef, Version};
use trunkline_transport::udp::{Datagram, ReplySlot, UdpBatch, UdpOptions};

/// Returns the request as its own answer, unless the last octet of the address is `silent`.
fn answer(datagram: Datagram<'_>, reply: &mut ReplySlot, silent: u8) {
    let Some(std::net::IpAddr::V4(asked)) = datagram.local.address else { return };
    if asked.octets()[3] == silent {
        return;
    }
    let request = MessageRef::decode(datagram.bytes).unwrap();
    let buffer = reply.buffer();
    let mut writer = trunkline_snmp::wire::ResponseWriter::new(buffer, 1472, request.reply());
    for binding in request.pdu.bindings() {
        let name = binding.unwrap().name.to_buf();
        assert!(writer.value_at(&name, trunkline_smi::ValueRef::TimeTicks(7)));
    }
    let range = writer.finish().unwrap();
    reply.send(range);
}

fn run(agents: u8, silent: u8, options: ShardOptions, phase: Phase) -> Ended<SnmpRead, Vec<Sample>> {
    let mut server = UdpBatch::bind("0.0.0.0:0".parse().unwrap(), &UdpOptions::default()).unwrap();
    let (port, stop) = (server.local_addr().port(), server.stopper());
    let serving = thread::spawn(move || {
        server.run(&mut |datagram: Datagram<'_>, reply: &mut ReplySlot| answer(datagram, reply, silent))
    });
    let peers = (0..agents).map(|last| SocketAddr::from(([127, 111, 0, last], port))).collect();
    let schedule = Schedule::new(u32::from(agents), Duration::from_millis(50), phase, Some(4)).unwrap();
    let names = [Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0])];
    let protocol = SnmpRead::get(Version::V2c, b"public", &names);
    let mut samples: Vec<Sample> = Vec::new();
    let sink = |sample: &Sample| samples.push(*sample);
    let shard = Shard::open(schedule, peers, options, protocol, sink).unwrap();
    let Ended { counts, refused, dropped, protocol, .. } =
        shard.run(Instant::now(), &AtomicBool::new(false)).unwrap();
    stop.stop();
    serving.join().unwrap().unwrap();
    Ended { counts, refused, dropped, sink: samples, protocol }
}

fn options(parallel: Parallel, kernel_stamps: bool) -> ShardOptions {
    let rounds = RoundsOptions { parallel, deadline: Duration::from_secs(2), places: None };
    ShardOptions { rounds, gather: Duration::from_micros(100), kernel_stamps }
}

#[test]
fn every_agent_is_asked_in_every_round() {
    for (phase, parallel, stamps) in [
        (Phase::EVEN, Parallel::Unbounded, false),
        (Phase::EVEN, Parallel::Unbounded, true),
        (Phase::Together, Parallel::SERIAL, false),
        (Phase::Drawn(3), Parallel::Bounded(7.try_into().unwrap()), false),
    ] {
        let ended = run(100, 200, options(parallel, stamps), phase);
        assert_eq!(
            (ended.counts.sent, ended.counts.answered, ended.sink.len()),
            (400, 400, 400),
            "{phase:?}"
        );
        assert_eq!((ended.refused, ended.dropped), (0, Some(0)));
        let mut seen: Vec<(u64, u32)> =
            ended.sink.iter().map(|sample| (sample.round, sample.agent)).collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq((0..4).flat_map(|round| (0..100).map(move |agent| (round, agent)))));
        for sample in &ended.sink {
            assert!(matches!(sample.outcome, Outcome::Answered(_)));
            assert!(sample.due <= sample.sent && sample.from_due() >= sample.from_sending());
        }
    }
}

#[test]
fn silence_is_lost_and_delays_nobody() {
    let ended = run(20, 13, options(Parallel::Unbounded, false), Phase::EVEN);
    assert_eq!((ended.counts.answered, ended.counts.lost), (76, 4));
    let lost: Vec<u32> =
        ended.sink.iter().filter(|it| it.outcome == Outcome::Lost).map(|it| it.agent).collect();
    assert_eq!(lost, [13; 4]);
    // Nobody answers: as many are outstanding as there are places, and the others are counted.
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let peers = vec![socket.local_addr().unwrap(); 500];
    let schedule = Schedule::new(500, Duration::from_millis(10), Phase::EVEN, Some(10)).unwrap();
    let mut settings = options(Parallel::Unbounded, false);
    settings.rounds.places = Some(100);
    settings.rounds.deadline = Duration::from_millis(30);
    let protocol = SnmpRead::get(Version::V1, b"public", &[Oid::from([1, 3])]);
    let shard = Shard::open(schedule, peers, settings, protocol, |_: &Sample| ()).unwrap();
    let counts = shard.run(Instant::now(), &AtomicBool::new(false)).unwrap().counts;
    assert_eq!(counts.lost + counts.unsent, 5000);
    assert_eq!((counts.lost, counts.answered), (counts.sent, 0));
    assert!(counts.unsent > 0 && counts.sent >= 100);
}

#[test]
fn a_stop_ends_it_and_families_are_not_mixed() {
    let peers = vec!["127.0.0.1:9".parse().unwrap(), "[::1]:9".parse().unwrap()];
    let open = |peers: Vec<SocketAddr>| {
        let schedule = Schedule::new(peers.len() as u32, Duration::from_secs(3600), Phase::EVEN, None)?;
        let protocol = SnmpRead::get(Version::V2c, b"public", &[]);
        Shard::open(schedule, peers, options(Parallel::SERIAL, false), protocol, |_: &Sample| ())
    };
    assert!(matches!(open(peers.clone()), Err(PollError::Families)));
    assert!(matches!(open(Vec::new()), Err(PollError::NoAgents)));
    let ended = open(peers[..1].to_vec()).unwrap().run(Instant::now(), &AtomicBool::new(true)).unwrap();
    assert_eq!(ended.counts.sent, 0);
}
