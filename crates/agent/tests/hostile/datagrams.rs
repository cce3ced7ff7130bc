//! Hostile datagrams. Whatever they are, each is answered or dropped for a counted reason.

use std::net::UdpSocket;
use std::time::Instant;

use trunkline_snmp::wire::{MessageRef, PduKind, Version};

use crate::support::raw::{Parts, element, name};
use crate::support::talk::{Counts, Talk, counts_of, parse};
use crate::support::{Agent, PATIENCE, socket_to, steady};

/// An agent, an honest manager, and somebody else.
struct Scene {
    agent: Agent,
    honest: Talk,
    hostile: UdpSocket,
}

impl Scene {
    fn new() -> Scene {
        let agent = Agent::start(&steady(""));
        let honest = Talk::to(&agent);
        honest.ask("2c public get ifNumber.0 hrSystemUptime.0 ipForwarding.0");
        let hostile = socket_to(agent.udp());
        hostile.set_nonblocking(true).unwrap();
        Scene { agent, honest, hostile }
    }

    /// Sends all of it in portions that the sockets' buffers hold; after each, an honest question is answered.
    fn send<'o>(&mut self, datagrams: impl IntoIterator<Item = &'o Vec<u8>>) -> i64 {
        let (mut sent, mut octets) = (0, 0);
        for datagram in datagrams {
            self.hostile.send(datagram).unwrap();
            sent += 1;
            octets += datagram.len();
            if sent % 32 == 0 || octets > 100_000 {
                octets = 0;
                self.honest();
            }
        }
        self.honest();
        sent
    }

    fn honest(&mut self) {
        self.honest.check(&[("2c public get sysServices.0", "noError 0 sysServices.0=i:76")]);
        while self.hostile.recv(&mut [0; 65_535]).is_ok() {}
    }

    /// Sends all of it, and waits until each datagram is accounted for: answered, or dropped and counted.
    fn account(&mut self, datagrams: &[Vec<u8>]) -> Counts {
        let crowded_before = self.agent.counted("udp")["crowded_out"];
        let before = self.honest.counts();
        let sent = self.send(datagrams);
        let unseen = datagrams.iter().filter(|datagram| is_inform_or_report(datagram)).count() as i64;
        let begin = Instant::now();
        loop {
            // Sets are answered when they are done.
            let after = self.honest.counts();
            let grown: Counts = after.iter().map(|(name, count)| (*name, count - before[name])).collect();
            let dropped =
                ["InASNParseErrs", "InBadVersions", "InBadCommunityNames", "InTraps", "InGetResponses"];
            let dropped: i64 = dropped.iter().map(|name| grown[name]).sum::<i64>() + grown["SilentDrops"];
            assert!(grown["InPkts"] >= sent, "{grown:?}");
            let crowded_out = self.agent.counted("udp")["crowded_out"] - crowded_before;
            let accounted = dropped + unseen + crowded_out as i64 + grown["OutPkts"];
            if accounted == grown["InPkts"] {
                return grown;
            }
            assert!(
                accounted < grown["InPkts"] && begin.elapsed() < PATIENCE,
                "{unseen} unseen of {grown:?}"
            );
            self.honest();
        }
    }
}

/// Their drop is counted by an object that the agent does not serve (snmpUnknownPDUHandlers).
fn is_inform_or_report(datagram: &[u8]) -> bool {
    MessageRef::decode(datagram).is_ok_and(|message| {
        let is_known = [&b"public"[..], b"private"].contains(&message.community);
        is_known
            && message.version == Version::V2c
            && matches!(message.pdu.kind, PduKind::Inform | PduKind::Report)
    })
}

/// Requests that are all understood.
fn good() -> Vec<Vec<u8>> {
    let requests = [
        "2c public get sysUpTime.0 ifDescr.1",
        "1 public next ifInOctets.1 2.4294967295",
        "2c public bulk 1 3 sysUpTime ifHCInOctets",
        "2c private set sysContact.0=s:somebody sysName.0=s:x",
        "1 private set snmpEnableAuthenTraps.0=i:2",
        "2c public set sysContact.0=o:1.3.6 sysDescr.0=C:18446744073709551615 sysName.0=a:127.0.0.1",
    ];
    requests.iter().map(|request| parse(request).encode()).collect()
}

#[test]
fn every_beginning_of_a_message() {
    let mut scene = Scene::new();
    for message in good() {
        let beginnings: Vec<Vec<u8>> = (0..message.len()).map(|length| message[..length].to_vec()).collect();
        let grown = scene.account(&beginnings);
        assert_eq!(grown["InASNParseErrs"], beginnings.len() as i64, "a part is not a message");
    }
    assert!(scene.agent.is_alive());
}

#[test]
fn every_octet_changed() {
    let mut scene = Scene::new();
    for message in good() {
        let changed = |at: usize| {
            [0x00, 0x01, 0x7f, 0x80, 0x81, 0x84, 0xff].map(|octet| {
                let mut message = message.clone();
                message[at] = octet;
                message
            })
        };
        let all: Vec<Vec<u8>> = (0..message.len()).flat_map(changed).collect();
        let grown = scene.account(&all);
        for reason in ["InASNParseErrs", "InBadVersions", "InBadCommunityNames"] {
            assert!(grown[reason] > 0, "{reason}");
        }
    }
    assert_eq!(scene.agent.counted("udp")["panics"], 0);
}

#[test]
fn nested_and_lying() {
    let mut scene = Scene::new();
    // A tower of elements, each the contents of the one before.
    let tower = |tag: u8, levels: usize| (0..levels).fold(Vec::new(), |inner, _| element(tag, &inner));
    let lengths = [0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x88, 0xfe, 0xff];
    let liar = |tag: u8, form: u8| [&[tag, form][..], &[0xff; 20]].concat();
    let mut datagrams: Vec<Vec<u8>> = Vec::new();
    for tag in [0x30, 0x24, 0xa0, 0xa1, 0xa5, 0xbf] {
        datagrams.extend([1, 2, 3, 10, 1000, 15_000].map(|levels| tower(tag, levels)));
        datagrams.extend(lengths.map(|form| liar(tag, form)));
    }
    // The same false lengths inside a message.
    for tag in [2, 4, 5, 6, 0x30, 0x40, 0x41, 0x43, 0x44, 0x46, 0x80, 0x82, 0x9f] {
        for form in lengths {
            let value = Parts { value: liar(tag, form), ..Parts::default() };
            let name = Parts { name: liar(tag, form), ..Parts::default() };
            let number = Parts { request_id: liar(tag, form), ..Parts::default() };
            let community = Parts { community: liar(tag, form), ..Parts::default() };
            datagrams.extend([value, name, number, community].map(|parts| parts.octets()));
        }
        datagrams.push(Parts { value: tower(tag, 500), ..Parts::default() }.octets());
    }
    let grown = scene.account(&datagrams);
    assert!(grown["InASNParseErrs"] > grown["InPkts"] / 2, "{grown:?}");
    assert_eq!(scene.agent.counted("udp")["panics"], 0);
}

/// 65,507 octets is the longest datagram.
const LONGEST: usize = 65_507;

#[test]
fn the_longest_datagrams() {
    let mut scene = Scene::new();
    let filled = |parts: &dyn Fn(usize) -> Vec<u8>| {
        let overhead = parts(LONGEST - 200).len() - (LONGEST - 200);
        let octets = parts(LONGEST - overhead);
        assert_eq!(octets.len(), LONGEST);
        octets
    };
    let value = |length| Parts { value: element(4, &vec![b'v'; length]), ..Parts::default() }.octets();
    let set = |length| {
        let parts = Parts { pdu: 0xa3, community: element(4, b"private"), ..Parts::default() };
        Parts { value: element(4, &vec![b'v'; length]), ..parts }.octets()
    };
    let community =
        |length| Parts { community: element(4, &vec![b'c'; length]), ..Parts::default() }.octets();
    let long_name = |length| Parts { name: element(6, &vec![1; length]), ..Parts::default() }.octets();
    let grown = scene.account(&[
        vec![0; LONGEST],
        vec![0x30; LONGEST],
        vec![0xff; LONGEST],
        filled(&value),
        filled(&set),
        filled(&community),
        filled(&long_name),
        Vec::new(),
        vec![0x30],
    ]);
    let expected = "InASNParseErrs=6 InBadCommunityNames InSetRequests InGetRequests";
    for (counter, count) in counts_of(expected) {
        assert!(grown[counter] >= count, "{counter}: {grown:?}");
    }
}

#[test]
fn as_many_bindings_as_a_datagram_holds() {
    let mut scene = Scene::new();
    let binding = element(0x30, &[name(43, &[]), element(5, &[])].concat());
    let list = binding.repeat((LONGEST - 60) / binding.len());
    let as_pdu = |pdu: u8, more: [u8; 4]| {
        let [_, _, repetitions @ ..] = more;
        let parts = Parts { pdu, error_status: element(2, &[more[0]]), ..Parts::default() };
        Parts { error_index: element(2, &[&[0x7f][..], &repetitions, &[0xff]].concat()), ..parts }
            .with_list(&list)
    };
    let kinds = [
        as_pdu(0xa0, [0; 4]),
        as_pdu(0xa1, [0; 4]),
        as_pdu(0xa3, [0; 4]),
        as_pdu(0xa5, [0; 4]),
        as_pdu(0xa5, [127; 4]),
    ];
    let grown = scene.account(&kinds);
    assert_eq!(grown["InASNParseErrs"], 0, "{grown:?}");
    assert_eq!(grown["InSetRequests"], 1);
}

/// A fixed stream of datagrams: noise, and good messages with some octets changed, cut, doubled.
fn random(seed: u64, count: usize) -> Vec<Vec<u8>> {
    let mut random = fastrand::Rng::with_seed(seed);
    let good = good();
    let mut one = || {
        if random.u8(..4) == 0 {
            let length = if random.u8(..50) == 0 { random.usize(..LONGEST) } else { random.usize(..600) };
            return std::iter::repeat_with(|| random.u8(..)).take(length).collect();
        }
        let mut octets = good[random.usize(..good.len())].clone();
        for _ in 0..random.usize(1..3) {
            let at = random.usize(..octets.len());
            match random.u8(..4) {
                0 => octets[at] = random.u8(..),
                1 => octets[at] ^= 1 << random.u8(..8),
                2 => octets.insert(at, random.u8(..)),
                _ => drop(octets.remove(at)),
            }
        }
        octets
    };
    std::iter::repeat_with(&mut one).take(count).collect()
}

#[test]
fn ten_thousand_random_datagrams_and_bounded_memory() {
    let mut scene = Scene::new();
    let first = random(1, 10_000);
    let grown = scene.account(&first);
    assert!(grown["InASNParseErrs"] > 1000 && grown["OutPkts"] > 1000, "{grown:?}");
    let after_once = scene.agent.resident();
    for seed in [2, 3] {
        scene.account(&random(seed, 10_000));
    }
    let after_three = scene.agent.resident();
    assert!(after_three < after_once + (4 << 20), "{after_once} octets, then {after_three}");
    assert_eq!(scene.agent.counted("udp")["panics"], 0);
    assert!(scene.agent.is_alive());
}

/// More simultaneous sets than may wait: the excess is dropped and counted, and memory is bounded.
#[test]
fn a_flood_of_sets() {
    let mut scene = Scene::new();
    let flood: Vec<Vec<u8>> =
        (0..3000).map(|at| parse(&format!("2c private set sysContact.0=s:number_{at}")).encode()).collect();
    let before = (scene.honest.counts(), scene.agent.resident());
    for set in &flood {
        scene.hostile.send(set).unwrap();
    }
    scene.honest(); // while they wait
    let begin = Instant::now();
    let crowded_out = loop {
        assert!(begin.elapsed() < PATIENCE);
        let grown = scene.honest.counts()["InTotalSetVars"] - before.0["InTotalSetVars"];
        let crowded_out = scene.agent.counted("udp")["crowded_out"] as i64;
        if grown + crowded_out == flood.len() as i64 {
            break crowded_out;
        }
        scene.honest();
    };
    assert!(crowded_out > 0, "3000 sets at once are more than may wait");
    assert!(scene.agent.resident() < before.1 + (16 << 20));
    scene.honest.check(&[("2c private set sysContact.0=s:me", "noError 0 sysContact.0=s:me")]);
}
