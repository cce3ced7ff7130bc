//! Specifications as text.

use proptest::prelude::*;

use super::*;

fn read(text: &str) -> LinkSpec {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn bits(bits: u64) -> Rate {
    Rate::Bits(NonZeroU64::new(bits).unwrap())
}

fn billionths(billionths: u32) -> Share {
    Share::from_billionths(billionths).unwrap()
}

fn check_error(text: &str, expected: &str) {
    let error = text.parse::<LinkSpec>().unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_short_form_is_rate_round_trip_and_loss() {
    let spec = read("64k,200ms,0.5%");
    assert_eq!((spec.rate, spec.loss), (bits(64_000), billionths(5_000_000)));
    assert_eq!((spec.delay, spec.round_trip()), (Duration::from_millis(100), Duration::from_millis(200)));
    assert_eq!(spec, read("rate=64k,rtt=200ms,loss=0.5%"));
    assert_eq!(spec, read(" loss=0.5% , rate=64k,rtt=200ms"));
    assert_eq!(read("64k"), LinkSpec { rate: bits(64_000), ..LinkSpec::default() });
    assert_eq!(
        read("10M,1ms"),
        LinkSpec { delay: Duration::from_micros(500), rate: bits(10_000_000), ..LinkSpec::default() }
    );
}

#[test]
fn every_part_has_a_name() {
    let spec = read("rate=1.5M,rtt=40ms,loss=1%,jitter=5ms,reorder=0.25%,queue=64kB,seed=7");
    let expected = LinkSpec {
        rate: bits(1_500_000),
        delay: Duration::from_millis(20),
        jitter: Duration::from_millis(5),
        loss: billionths(10_000_000),
        reorder: billionths(2_500_000),
        queue: Queue::Octets(64_000),
        seed: 7,
    };
    assert_eq!(spec, expected);
    assert_eq!(read("unlimited,0,0"), LinkSpec::default());
    assert_eq!(read("unlimited,20ms,queue=7,jitter=1us").queue, Queue::Packets(7));
    assert_eq!(read("1k,0.3us").delay, Duration::from_nanos(150));
}

#[test]
fn an_error_names_the_part() {
    let share = "expected a share from 0% to 100% with at most 7 decimals such as 0.5%, found";
    let time = "expected a time of at most 100 s with a unit (us, ms, s) such as 200ms, found";
    let rate = "rate: expected bits per second from 1k to 100G such as 64k or 10M, or `unlimited`, found";
    check_error("64q,200ms", &format!("{rate} `64q`"));
    check_error("", &format!("{rate} ``"));
    check_error("999", &format!("{rate} `999`"));
    check_error("rate=101G", &format!("{rate} `101G`"));
    check_error("64k,200", &format!("rtt: {time} `200`"));
    check_error("64k,101s", &format!("rtt: {time} `101s`"));
    check_error("64k,1.ms", &format!("rtt: {time} `1.ms`"));
    check_error("64k,1ms,0.5", &format!("loss: {share} `0.5`"));
    check_error("loss=100.1%", &format!("loss: {share} `100.1%`"));
    check_error("loss=0.00000001%", &format!("loss: {share} `0.00000001%`"));
    check_error("reorder=-1%", &format!("reorder: {share} `-1%`"));
    check_error(
        "queue=0",
        "queue: expected packets (at least 1) such as 100, or octets such as 1500B or 64kB, found `0`",
    );
    check_error("seed=x", "seed: expected a number from 0 to 18446744073709551615, found `x`");
    check_error(
        "speed=1",
        "there is no part `speed`; the parts are rate, rtt, loss, jitter, reorder, queue and seed",
    );
    check_error("64k,rate=65k", "rate is given twice, the second time as `65k`");
    let nameless = "has no name and stands where none is known: only the first three parts, which are the rate, the round-trip time and the loss, need none";
    check_error("rtt=1ms,64k", &format!("`64k` {nameless}"));
    check_error("64k,1ms,0,5ms", &format!("`5ms` {nameless}"));
    check_error(
        "64k,10ms,jitter=6ms",
        "jitter: expected at most half of the round-trip time (5ms), found `6ms`",
    );
}

#[test]
fn defaults_are_not_shown() {
    assert_eq!(read("rate=64k,rtt=0.2s,loss=0.50%").to_string(), "64k,200ms,0.5%");
    assert_eq!(LinkSpec::default().to_string(), "unlimited,0ms,0%");
    let all = "1.5M,40ms,1%,jitter=5ms,reorder=0.25%,queue=64kB,seed=7";
    assert_eq!(read(all).to_string(), all);
}

prop_compose! {
    fn specs()(
        rate in prop_oneof![Just(None), (1000..=100_000_000_000u64).prop_map(Some)],
        delay in 0..=50 * SECOND,
        jitter in 0.0..=1.0f64,
        loss in 0..=Share::WHOLE,
        reorder in 0..=Share::WHOLE,
        queue in prop_oneof![(1..=u32::MAX).prop_map(Queue::Packets), (1..=u64::MAX / 1000).prop_map(Queue::Octets)],
        seed: u64,
    ) -> LinkSpec {
        LinkSpec {
            rate: rate.map_or(Rate::Unlimited, bits),
            delay: Duration::from_nanos(delay),
            jitter: Duration::from_nanos(delay).mul_f64(jitter),
            loss: billionths(loss),
            reorder: billionths(reorder),
            queue,
            seed,
        }
    }
}

proptest! {
    #[test]
    fn written_values_are_parsed_back(spec in specs()) {
        prop_assert_eq!(spec.to_string().parse::<LinkSpec>(), Ok(spec));
    }

    #[test]
    fn no_text_panics(text in "[0-9a-z=,.%kM ]{0,40}") {
        let _ = text.parse::<LinkSpec>();
    }
}
