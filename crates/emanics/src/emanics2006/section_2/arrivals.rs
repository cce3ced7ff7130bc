//! What arrives at the NOC, and what follows from it: how old values are there, and when it knew that a statistic crossed its limit.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::schedule::Asked;

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Arrival {
    pub asked: Asked,
    /// The round of its request, from 0.
    pub round: u32,
    /// When it was requested.
    pub sent: Instant,
    /// When it was there.
    pub at: Instant,
    /// Statistics in the order of their numbers, or aggregates.
    pub values: Vec<u64>,
    /// How old the values were at whom was asked.
    pub age: Duration,
    /// How often the request was sent.
    pub attempts: u32,
}

/// A notification.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Heard {
    pub at: Instant,
    /// mteHotTrigger.
    pub trigger: Vec<u8>,
}

/// The mean age of the values that the NOC has from one of these rounds until the next answer to the same request replaces them.
pub(super) fn mean_age(arrivals: &[Arrival], round: u32) -> Option<Duration> {
    let next = |of: &Arrival| arrivals.iter().find(|it| it.asked == of.asked && it.round == round + 1);
    let (mut sum, mut weight) = (0.0, 0.0);
    for arrival in arrivals.iter().filter(|it| it.round == round) {
        let Some(next) = next(arrival) else { continue };
        let at_first = arrival.at.duration_since(arrival.sent) + arrival.age;
        let lasted = next.at.saturating_duration_since(arrival.at);
        let share = lasted.as_secs_f64() * arrival.values.len() as f64;
        sum += share * (at_first + lasted / 2).as_secs_f64();
        weight += share;
    }
    (weight > 0.0).then(|| Duration::from_secs_f64(sum / weight))
}

/// How long after the crossing the NOC saw by polling, device by device, that a statistic had grown by at least the limit since it was
/// polled before.
pub(super) fn seen(
    arrivals: &[Arrival],
    number: u32,
    limit: u64,
    crossing: Instant,
) -> BTreeMap<u32, Duration> {
    let mut of: BTreeMap<u32, Vec<(Instant, u64)>> = BTreeMap::new();
    for arrival in arrivals {
        let (device, place) = match arrival.asked {
            Asked::Statistic { device, number: found } if found == number => (device, 0),
            Asked::Table { device } => (device, number as usize),
            _ => continue,
        };
        if let Some(&value) = arrival.values.get(place) {
            of.entry(device).or_default().push((arrival.at, value));
        }
    }
    let first = |(device, mut values): (u32, Vec<(Instant, u64)>)| {
        values.sort_unstable();
        let pairs = values.iter().zip(values.iter().skip(1));
        let crossed = |(before, after): &(&(Instant, u64), &(Instant, u64))| {
            after.0 >= crossing && after.1.saturating_sub(before.1) >= limit
        };
        pairs.into_iter().find(crossed).map(|(_, after)| (device, after.0.duration_since(crossing)))
    };
    of.into_iter().filter_map(first).collect()
}

/// How long after the crossing the first notification of each trigger was there, by `whose` devices it is.
pub(super) fn told(
    heard: &[Heard],
    crossing: Instant,
    until: Instant,
    whose: impl Fn(&[u8]) -> Vec<u32>,
) -> BTreeMap<u32, Duration> {
    let mut known = BTreeMap::new();
    for it in heard.iter().filter(|it| it.at >= crossing && it.at < until) {
        for device in whose(&it.trigger) {
            known.entry(device).or_insert(it.at.duration_since(crossing));
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    fn arrival(asked: Asked, round: u32, sent: Instant, values: &[u64]) -> Arrival {
        let (at, values) = (sent + S / 10, values.to_vec());
        Arrival { asked, round, sent, at, values, age: Duration::ZERO, attempts: 1 }
    }

    #[test]
    fn an_age_grows_until_the_next_answer() {
        let (zero, asked) = (Instant::now(), Asked::Table { device: 0 });
        let arrivals: Vec<Arrival> =
            (0..3).map(|round| arrival(asked, round, zero + S * 4 * round, &[0])).collect();
        // From 0.1 s, at the first arrival, to 4.1 s.
        assert_eq!(mean_age(&arrivals, 0), Some(S * 21 / 10));
        assert_eq!(mean_age(&arrivals, 2), None, "nothing replaced it");
        let mut aged = arrivals;
        aged.iter_mut().for_each(|it| it.age = S);
        assert_eq!(mean_age(&aged, 1), Some(S * 31 / 10));
    }

    #[test]
    fn a_crossing_is_seen_at_the_first_poll_that_shows_it() {
        let zero = Instant::now();
        let get = |device, round, value| {
            let asked = Asked::Statistic { device, number: 3 };
            arrival(asked, round, zero + S * 4 * round + S * device, &[value])
        };
        let table = |round, value| {
            arrival(Asked::Table { device: 2 }, round, zero + S * 4 * round, &[9, 9, 9, value])
        };
        let mut arrivals = vec![get(0, 0, 5), get(0, 1, 205), get(1, 0, 5), get(1, 1, 6), get(1, 2, 206)];
        arrivals.extend([table(0, 7), table(1, 107), table(2, 107)]);
        arrivals.push(arrival(Asked::Statistic { device: 0, number: 2 }, 1, zero + S, &[10_000]));
        let seen = seen(&arrivals, 3, 100, zero + S * 2);
        let after = |tenths: u32| S * tenths / 10;
        assert_eq!(seen, BTreeMap::from([(0, after(21)), (1, after(71)), (2, after(21))]));
    }

    #[test]
    fn the_first_notification_counts_and_an_earlier_one_does_not() {
        let zero = Instant::now();
        let heard = |at: u32, name: &str| Heard { at: zero + S * at, trigger: name.into() };
        let all = [heard(0, "a"), heard(3, "a"), heard(4, "a"), heard(5, "b"), heard(9, "c")];
        let whose = |name: &[u8]| if name == b"b" { vec![1, 2] } else { vec![0] };
        let known = told(&all, zero + S, zero + S * 8, whose);
        assert_eq!(known, BTreeMap::from([(0, S * 2), (1, S * 4), (2, S * 4)]));
    }
}
