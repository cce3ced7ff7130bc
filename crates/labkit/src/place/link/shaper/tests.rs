//! The shaper on virtual time: no clock, no real packets.

use proptest::prelude::*;

use super::*;

const MS: Nanos = 1_000_000;

fn shaper(spec: &str) -> Shaper<usize> {
    Shaper::new(spec.parse().unwrap(), 0)
}

/// Lets packets arrive, each given as its time and octets and identified by its number, and returns the departures
/// with their times, and the fates. Departures are fetched at their time, as by a relay that is never late.
fn run(shaper: &mut Shaper<usize>, arrivals: &[(Nanos, u64)]) -> (Vec<(Nanos, usize)>, Vec<Fate>) {
    let (mut departures, mut fates) = (Vec::new(), Vec::new());
    for (number, &(at, octets)) in arrivals.iter().enumerate() {
        departures.extend(until(shaper, at));
        fates.push(shaper.arrive(at, octets, number));
    }
    departures.extend(until(shaper, Nanos::MAX));
    (departures, fates)
}

fn until(shaper: &mut Shaper<usize>, end: Nanos) -> Vec<(Nanos, usize)> {
    let mut departures = Vec::new();
    while let Some(due) = shaper.next_departure().filter(|due| *due <= end) {
        assert!(due == 0 || shaper.depart(due - 1).is_none());
        let departure = shaper.depart(due).unwrap();
        assert_eq!(departure.due, due);
        departures.push((due, departure.packet));
    }
    departures
}

fn burst(count: usize, octets: u64) -> Vec<(Nanos, u64)> {
    vec![(5, octets); count]
}

fn order(departures: &[(Nanos, usize)]) -> Vec<usize> {
    departures.iter().map(|(_, number)| *number).collect()
}

#[test]
fn an_unlimited_link_of_no_delay_lets_all_through_at_once() {
    let (departures, _) = run(&mut shaper("unlimited"), &[(1, 40), (1, 1500), (9, 40)]);
    assert_eq!(departures, [(1, 0), (1, 1), (9, 2)]);
}

#[test]
fn a_packet_takes_its_time_in_the_transmitter_and_on_the_wire() {
    // 800 bits at 64 kbit/s take 12.5 ms, and half of 200 ms is added.
    let (departures, _) = run(&mut shaper("64k,200ms"), &[(0, 100), (0, 100), (500 * MS, 100)]);
    assert_eq!(departures, [(112_500_000, 0), (125 * MS, 1), (612_500_000, 2)]);
}

#[test]
fn rounding_does_not_add_up() {
    // 320 bits at 3 Gbit/s take 106 2/3 ns.
    let (departures, _) = run(&mut shaper("3G,0,queue=3001"), &burst(3001, 40));
    assert_eq!(departures[3000].0, 5 + 3001 * 320 / 3);
    assert_eq!(departures[2].0, 5 + 320);
}

#[test]
fn the_queue_is_bounded_in_packets_or_in_octets() {
    let fates = run(&mut shaper("64k,0,queue=2"), &burst(4, 100)).1;
    assert_eq!(fates, [Fate::Passes, Fate::Passes, Fate::Overflows, Fate::Overflows]);
    // At 12.5 ms the first one is sent, and there is room for one more.
    let arrivals = [(0, 100), (0, 100), (12_499_999, 100), (12_500_000, 100), (12_500_000, 100)];
    let (departures, fates) = run(&mut shaper("64k,0,queue=2"), &arrivals);
    assert_eq!(order(&departures), [0, 1, 3]);
    assert_eq!(fates[4], Fate::Overflows);
    let fates = run(&mut shaper("64k,0,queue=250B"), &[(0, 100), (0, 100), (0, 51), (0, 50), (0, 1)]).1;
    assert_eq!(fates, [Fate::Passes, Fate::Passes, Fate::Overflows, Fate::Passes, Fate::Overflows]);
    // Without transmission time there is no queue.
    let fates = run(&mut shaper("unlimited,100ms,queue=1"), &burst(50, 100)).1;
    assert!(fates.iter().all(|fate| *fate == Fate::Passes));
}

#[test]
fn a_lost_packet_has_taken_its_time() {
    let (departures, fates) = run(&mut shaper("64k,0,50%"), &burst(40, 100));
    assert!(fates.contains(&Fate::Lost));
    for (due, number) in departures {
        assert_eq!((due, fates[number]), (5 + (number as u64 + 1) * 12_500_000, Fate::Passes));
    }
}

#[test]
fn losses_are_of_the_seed_and_the_direction_alone() {
    let lost = |spec: &str, direction: u64, arrivals: &[(Nanos, u64)]| {
        run(&mut Shaper::new(spec.parse().unwrap(), direction), arrivals).1
    };
    let (first, spread) = (burst(3000, 40), (0..3000).map(|n| (n * 777, 40 + n % 9)).collect::<Vec<_>>());
    let reference = lost("unlimited,0,2%", 0, &first);
    assert_eq!(lost("unlimited,80ms,2%,jitter=4ms,queue=9", 0, &spread), reference);
    assert_ne!(lost("unlimited,0,2%", 1, &first), reference);
    assert_ne!(lost("unlimited,0,2%,seed=2", 0, &first), reference);
    // What is lost at one share is lost at every larger one.
    let more = lost("unlimited,0,3%", 0, &first);
    assert!(reference.iter().zip(&more).all(|(less, more)| *less == Fate::Passes || *more == Fate::Lost));
    assert!(lost("unlimited,0,100%", 0, &first).iter().all(|fate| *fate == Fate::Lost));
    assert!(lost("unlimited,0,0%", 0, &first).iter().all(|fate| *fate == Fate::Passes));
}

#[test]
fn setting_begins_the_draws_anew_and_leaves_what_is_under_way() {
    let spec: LinkSpec = "64k,20ms,30%".parse().unwrap();
    let mut shaper = Shaper::new(spec, 1);
    let first: Vec<Fate> = (0..50).map(|number| shaper.arrive(0, 100, number)).collect();
    assert!(shaper.next_departure().is_some());
    shaper.set(spec);
    let mut second = vec![];
    // Long after, so that the queue is empty again.
    for number in 50..100 {
        let now = 10_000 * MS * number as u64;
        let late = until(&mut shaper, now);
        assert!(late.iter().all(|(due, _)| *due < now));
        second.push(shaper.arrive(now, 100, number));
    }
    assert_eq!(first, second);
    // Lifting a limit lets nothing overtake.
    until(&mut shaper, Nanos::MAX);
    let now = 10_000 * MS * 200;
    shaper.set("64k".parse().unwrap());
    shaper.arrive(now, 800, 1);
    shaper.set("unlimited".parse().unwrap());
    shaper.arrive(now, 800, 2);
    assert_eq!(until(&mut shaper, Nanos::MAX), [(now + 100 * MS, 1), (now + 100 * MS, 2)]);
}

#[test]
fn the_next_packet_overtakes_one_that_is_held() {
    let mut shaper = shaper("unlimited,10ms,reorder=50%");
    let arrivals: Vec<_> = (0..1000).map(|number| (number * MS, 40)).collect();
    let (departures, fates) = run(&mut shaper, &arrivals);
    assert_eq!(departures.len(), 1000);
    let share = fates.iter().filter(|fate| **fate == Fate::Held).count();
    assert!((400..600).contains(&share), "{share}");
    let order = order(&departures);
    for (number, fate) in fates.iter().enumerate().take(980) {
        let place = order.iter().position(|it| *it == number).unwrap();
        let later_before = order[..place].iter().any(|it| *it > number);
        // A run of held packets may exceed the wait only with more than ten of them.
        let run = fates[number..].iter().take_while(|fate| **fate == Fate::Held).count();
        assert_eq!(later_before, *fate == Fate::Held && run <= 10, "packet {number}");
    }
}

#[test]
fn a_packet_that_nothing_overtakes_departs_when_its_patience_ends() {
    let (departures, fates) = run(&mut shaper("64k,20ms,reorder=100%"), &[(0, 100), (0, 100)]);
    assert_eq!(fates, [Fate::Held, Fate::Held]);
    let patience = HOLD + 187_500_000;
    assert_eq!(departures, [(22_500_000 + patience, 0), (35 * MS + patience, 1)]);
}

#[test]
fn jitter_spreads_delays_evenly_and_keeps_the_order() {
    let mut shaper = shaper("unlimited,20ms,jitter=5ms");
    let arrivals: Vec<_> = (0..20_000).map(|number| (number * 100 * MS, 40)).collect();
    let (departures, _) = run(&mut shaper, &arrivals);
    let mut delays: Vec<u64> = departures.iter().map(|(due, number)| due - arrivals[*number].0).collect();
    delays.sort_unstable();
    assert!(delays[0] >= 5 * MS && delays[19_999] <= 15 * MS);
    // The quantiles of the uniform distribution from 5 to 15 ms.
    for tenth in 1..10 {
        let expected = 5 * MS + tenth * MS;
        assert!(delays[tenth as usize * 2000].abs_diff(expected) < MS / 5, "{tenth}");
    }
    let (departures, _) = run(&mut self::shaper("unlimited,20ms,jitter=10ms"), &burst(500, 40));
    assert_eq!(order(&departures), (0..500).collect::<Vec<_>>());
}

#[test]
fn the_draws_are_independent_of_each_other() {
    let count = 100_000;
    let hits = |test: &dyn Fn(u64) -> bool| (0..count).filter(|number| test(*number)).count() as f64;
    let low = |stream, number| draw(42, stream, number) < u64::MAX / 4;
    for (what, both) in [
        ("neighbours", hits(&|number| low(0, number) && low(0, number + 1))),
        ("streams", hits(&|number| low(0, number) && low(1, number))),
        ("directions", hits(&|number| low(0, number) && low(3, number))),
    ] {
        // 5.3 standard deviations
        assert!((both - count as f64 / 16.0).abs() < 5.3 * 76.5, "{what}: {both}");
    }
}

prop_compose! {
    fn specs()(
        rate in prop_oneof![Just("unlimited".to_owned()), (1000..1_000_000_000u64).prop_map(|rate| rate.to_string())],
        delay in 0..50_000u64,
        jitter in 0.0..=1.0f64,
        loss in 0..=100u8,
        reorder in 0..=100u8,
        queue in 1..50u8,
        seed: u64,
    ) -> LinkSpec {
        let jitter = (delay as f64 * jitter) as u64;
        let text = format!(
            "{rate},{}us,{loss}%,jitter={jitter}us,reorder={reorder}%,queue={queue},seed={seed}", 2 * delay
        );
        text.parse().unwrap()
    }
}

proptest! {
    #[test]
    fn whatever_the_link_every_packet_has_one_fate_and_no_departure_is_early(
        spec in specs(),
        gaps in prop::collection::vec((0..5 * MS, 20..1500u64), 1..200),
    ) {
        let mut now = 0;
        let arrivals: Vec<_> = gaps.iter().map(|(gap, octets)| { now += gap; (now, *octets) }).collect();
        let (departures, fates) = run(&mut Shaper::new(spec, 0), &arrivals);
        let mut seen = vec![0; arrivals.len()];
        departures.iter().for_each(|(_, number)| seen[*number] += 1);
        for (number, fate) in fates.iter().enumerate() {
            prop_assert_eq!(seen[number], u32::from(matches!(fate, Fate::Passes | Fate::Held)));
        }
        prop_assert!(departures.is_sorted_by_key(|(due, _)| *due));
        // No bit is faster than the rate and the least delay.
        let least = nanos(spec.delay - spec.jitter);
        for (due, number) in &departures {
            let (arrived, octets) = arrivals[*number];
            prop_assert!(*due >= arrived + spec.rate.time(octets).unwrap_or(0) + least);
        }
        // Packets that are not held depart in the order of their arrival.
        let passed: Vec<_> = order(&departures).into_iter().filter(|it| fates[*it] == Fate::Passes).collect();
        prop_assert!(passed.is_sorted());
    }

    #[test]
    fn a_busy_transmitter_has_exactly_its_rate(
        rate in 1000..10_000_000_000u64,
        octets in prop::collection::vec(20..1500u64, 1..100),
    ) {
        let spec: LinkSpec = format!("{rate},0,queue=100").parse().unwrap();
        let arrivals: Vec<_> = octets.iter().map(|octets| (7, *octets)).collect();
        let (departures, _) = run(&mut Shaper::new(spec, 0), &arrivals);
        let bits: u64 = octets.iter().map(|octets| octets * 8).sum();
        prop_assert_eq!(departures.last().unwrap().0, 7 + bits * SECOND / rate);
    }
}
