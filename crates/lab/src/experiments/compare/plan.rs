//! What a way allows the whole fleet, now and under other conditions: arithmetic on the measured octets, packets,
//! round trips and times of one device.

use trunkline_labkit::estimate::Estimate;

use super::fleet::Fleet;
use super::way::Way;

/// Conditions other than those that were measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    None,
    TwiceDelay,
    TwiceLoss,
    TwiceObjects,
    HalfSpeed,
    TwiceSpeed,
}

impl Change {
    pub const ALL: [Change; 5] =
        [Change::TwiceDelay, Change::TwiceLoss, Change::TwiceObjects, Change::HalfSpeed, Change::TwiceSpeed];

    pub const fn name(self) -> &'static str {
        match self {
            Change::None => "as asked",
            Change::TwiceDelay => "twice the delay",
            Change::TwiceLoss => "twice the loss",
            Change::TwiceObjects => "twice the objects",
            Change::HalfSpeed => "half the speed",
            Change::TwiceSpeed => "twice the speed",
        }
    }

    /// Whether it changes anything on this link.
    pub fn applies_to(self, fleet: &Fleet) -> bool {
        match self {
            Change::None | Change::TwiceObjects => true,
            Change::TwiceDelay => fleet.round_trip > 0.0,
            Change::TwiceLoss => fleet.loss > 0.0,
            Change::HalfSpeed | Change::TwiceSpeed => fleet.rate.is_some(),
        }
    }
}

/// What one round with one device takes: octets, seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Round {
    pub octets: [f64; 2],
    pub time: f64,
}

/// The measured figures of a way that the arithmetic starts from.
#[derive(Debug, Clone, Copy)]
struct Inputs {
    all: Round,
    /// Of the sessions that lost no packet.
    clean: Round,
    manager: Option<f64>,
}

/// What a way allows the fleet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    /// One round with one device.
    pub round: Round,
    /// The share of one link for all that a round every [`Fleet::every`] uses in its busier direction; `None` if
    /// the link has no rate.
    pub used: Option<f64>,
    /// The share of a processor of the manager.
    pub manager: Option<f64>,
    /// The shortest interval between rounds, seconds.
    pub interval: f64,
    /// Whether it is a processor of the manager that limits the interval, not the link.
    pub is_limited_by_manager: bool,
    /// Whether an answer comes before the manager gives up.
    pub is_answered: bool,
    /// How many devices fit into [`Fleet::every`]; infinite if nothing limits them.
    pub devices: f64,
    /// How many devices must be asked at the same time.
    pub at_once: f64,
    /// How long a round of all takes if all are asked at once, seconds.
    pub all: f64,
    /// How many may be asked at once before answers queue for so long that requests are sent again; `None` if
    /// requests are not, or the link has no rate.
    pub most_at_once: Option<f64>,
}

impl Figures {
    /// Whether the fleet can be polled so.
    pub fn fits(&self, fleet: &Fleet) -> bool {
        self.is_answered && self.interval <= fleet.every
    }
}

/// What a way allows under these conditions.
pub(super) fn figures(way: &Way, fleet: &Fleet, change: Change) -> Figures {
    of_inputs(&Inputs::of(way, &values(way)), way, fleet, change)
}

/// A figure of a way under these conditions, with its interval.
pub(super) fn estimate(
    way: &Way,
    fleet: &Fleet,
    change: Change,
    figure: impl Fn(&Figures) -> f64,
) -> Estimate {
    let parts = parts(way);
    Estimate::combine(&parts, |values| figure(&of_inputs(&Inputs::of(way, values), way, fleet, change)))
}

/// The ratio of a figure of one way to that of another, with its interval.
pub(super) fn ratio(
    [one, other]: [&Way; 2],
    fleet: &Fleet,
    change: Change,
    figure: impl Fn(&Figures) -> f64,
) -> Estimate {
    let first = parts(one).len();
    let both: Vec<&Estimate> = parts(one).into_iter().chain(parts(other)).collect();
    Estimate::combine(&both, |values| {
        let of = |way: &Way, values: &[f64]| figure(&of_inputs(&Inputs::of(way, values), way, fleet, change));
        of(one, &values[..first]) / of(other, &values[first..])
    })
}

/// What a round with losses takes on average, seconds: what it takes without, and the manager's timer for each
/// attempt that loses a packet. `None` if the manager's timer is not what repeats it.
pub(super) fn expected_with_loss(way: &Way, fleet: &Fleet) -> Option<Estimate> {
    if !way.has_own_timer() || fleet.loss <= 0.0 || !way.kept {
        return None;
    }
    let fails = |packets: f64| 1.0 - (1.0 - fleet.loss).powf(packets / way.requests.max(1.0));
    let waits = |packets: f64| -> f64 {
        let each: f64 = (1..=fleet.retries).map(|attempt| fails(packets).powi(attempt as i32)).sum();
        each * fleet.timeout * way.requests
    };
    // Packets of sessions with losses are more than an attempt has.
    let parts = [&way.clean.time_ms, &way.packets];
    Some(Estimate::combine(&parts, |values| values[0] / 1e3 + waits(values[1])))
}

fn parts(way: &Way) -> Vec<&Estimate> {
    let [a, b] = &way.cost.octets;
    let [clean_a, clean_b] = &way.clean.octets;
    let mut parts = vec![a, b, &way.cost.time_ms, clean_a, clean_b, &way.clean.time_ms];
    parts.extend(&way.manager_cpu_ms);
    parts
}

fn values(way: &Way) -> Vec<f64> {
    parts(way).into_iter().map(Estimate::value).collect()
}

impl Inputs {
    /// From the values of [`parts`].
    fn of(way: &Way, values: &[f64]) -> Inputs {
        let round = |at: usize| Round { octets: [values[at], values[at + 1]], time: values[at + 2] / 1e3 };
        let manager = way.manager_cpu_ms.as_ref().and(values.get(6)).map(|ms| ms / 1e3);
        Inputs { all: round(0), clean: round(3), manager }
    }
}

impl Round {
    /// Octets of the direction with more of them.
    fn busier(&self) -> f64 {
        self.octets[0].max(self.octets[1])
    }

    /// Seconds to send both directions, one after the other.
    fn sending(&self, rate: Option<f64>) -> f64 {
        rate.map_or(0.0, |rate| (self.octets[0] + self.octets[1]) * 8.0 / rate)
    }
}

fn of_inputs(inputs: &Inputs, way: &Way, fleet: &Fleet, change: Change) -> Figures {
    let rate = fleet.rate.map(|rate| match change {
        Change::HalfSpeed => rate / 2.0,
        Change::TwiceSpeed => rate * 2.0,
        _ => rate,
    });
    let round = round(inputs, way, fleet, change);
    let devices = f64::from(fleet.devices);
    // Seconds of the link, and of the manager's processor, for a device.
    let link = rate.map(|rate| round.busier() * 8.0 / rate);
    let per_device = [link.map(|seconds| seconds / fleet.max_share), inputs.manager].into_iter().flatten();
    let needed = per_device.fold(0.0, f64::max);
    Figures {
        round,
        used: link.map(|seconds| seconds * devices / fleet.every),
        manager: inputs.manager.map(|seconds| seconds * devices / fleet.every),
        interval: (needed * devices).max(round.time),
        is_limited_by_manager: inputs.manager.is_some_and(|it| it >= needed && it * devices > round.time),
        is_answered: !way.has_own_timer() || round.time / way.requests.max(1.0) <= fleet.patience(),
        devices: if round.time > fleet.every { 0.0 } else { (fleet.every / needed).floor() },
        at_once: (devices * round.time / fleet.every).ceil().min(devices),
        all: round.time + (devices - 1.0) * link.unwrap_or(0.0),
        most_at_once: link.filter(|_| way.has_own_timer()).map(|seconds| {
            // The timer runs for each request. A lost one waits for the timer, and for nothing in the queue.
            let requests = way.requests.max(1.0);
            let left = fleet.timeout - without_losses(inputs, round, change) / requests;
            if left < 0.0 { 0.0 } else { (left * requests / seconds).floor() + 1.0 }
        }),
    }
}

/// The seconds of a round under these conditions, without what losses add.
fn without_losses(inputs: &Inputs, round: Round, change: Change) -> f64 {
    match change {
        Change::TwiceLoss => inputs.clean.time,
        _ => round.time - inputs.all.time + inputs.clean.time,
    }
}

/// One round under these conditions.
fn round(inputs: &Inputs, way: &Way, fleet: &Fleet, change: Change) -> Round {
    let Inputs { all, clean, .. } = *inputs;
    let mut round = all;
    match change {
        Change::None => {}
        Change::TwiceDelay => {
            // As many round trips as the time without losses and without sending has.
            let trips = ((clean.time - clean.sending(fleet.rate)) / fleet.round_trip).max(0.0);
            round.time += trips * fleet.round_trip;
        }
        Change::TwiceLoss => {
            // What losses add, once more.
            round.time += all.time - clean.time;
            (0..2).for_each(|at| round.octets[at] += all.octets[at] - clean.octets[at]);
        }
        Change::TwiceObjects => {
            let Some(twice) = way.twice else { return round };
            let more = [0, 1].map(|at| twice.octets[at] - clean.octets[at]);
            (0..2).for_each(|at| round.octets[at] += more[at]);
            let requests = (twice.requests - way.requests).max(0.0);
            round.time += Round { octets: more, time: 0.0 }.sending(fleet.rate) + requests * fleet.round_trip;
        }
        Change::HalfSpeed => round.time += all.sending(fleet.rate),
        Change::TwiceSpeed => round.time -= all.sending(fleet.rate) / 2.0,
    }
    // What takes longer than the timer is sent again, and answered again.
    let repeats = sends(round.time, way.requests, fleet) / sends(all.time, way.requests, fleet);
    if way.has_own_timer() && change != Change::None && repeats > 1.0 {
        round.octets = round.octets.map(|octets| octets * repeats);
    }
    round
}

/// How many times each of the requests of a round that takes this long is sent.
pub(super) fn sends(time: f64, requests: f64, fleet: &Fleet) -> f64 {
    1.0 + (time / requests.max(1.0) / fleet.timeout).floor().min(f64::from(fleet.retries))
}

#[cfg(test)]
mod tests {
    use super::super::fleet::tests::fleet;
    use super::super::way::tests::way;
    use super::*;
    use trunkline_labkit::protocol::{Level, Mode, Protocol, SnmpVersion};
    use trunkline_labkit::transport::Transport;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} is not {expected}");
    }

    fn udp() -> Way {
        way(Protocol::v2c(Transport::Udp), true, 1240.0, 770.0)
    }

    #[test]
    fn the_fleet_is_arithmetic_on_one_device() {
        let found = figures(&udp(), &fleet(Level::NoAuthNoPriv, 500), Change::None);
        // 1240 octets at 64 kbit/s take 155 ms.
        near(found.used.unwrap(), 0.155 * 500.0 / 60.0);
        near(found.interval, 155.0);
        assert_eq!((found.devices, found.at_once), (193.0, 7.0));
        near(found.all, 0.77 + 499.0 * 0.155);
        // 230 ms are left of the timer's second: one more answer fits into them.
        assert_eq!(found.most_at_once, Some(2.0));
        let tcp = way(Protocol::v2c(Transport::Tcp), true, 1240.0, 770.0);
        assert_eq!(figures(&tcp, &fleet(Level::NoAuthNoPriv, 500), Change::None).most_at_once, None);
    }

    #[test]
    fn conditions_change_what_depends_on_them() {
        let fleet = fleet(Level::NoAuthNoPriv, 500);
        let tls = way(Protocol::session(SnmpVersion::V3, Transport::Tls, Mode::Secure), true, 1240.0, 770.0);
        let of = |change| figures(&tls, &fleet, change);
        // 1310 octets take 163.75 ms to send; the rest is 606.25 ms, 1.0104 round trips.
        near(of(Change::TwiceDelay).round.time, 0.77 + 0.60625);
        near(of(Change::HalfSpeed).round.time, 0.77 + 0.16375);
        near(of(Change::TwiceSpeed).round.time, 0.77 - 0.16375 / 2.0);
        near(of(Change::TwiceSpeed).used.unwrap(), of(Change::None).used.unwrap() / 2.0);
        near(of(Change::TwiceObjects).round.octets[1], 1240.0 * 1.9);
        near(of(Change::TwiceObjects).round.time, 0.77 + (0.9 * 1240.0 + 10.0) * 8.0 / 64_000.0);
        // Nothing was lost: twice of that is nothing.
        assert_eq!(of(Change::TwiceLoss), of(Change::None));
    }

    #[test]
    fn a_timer_shorter_than_the_answer_takes_sends_it_again() {
        let fleet = fleet(Level::NoAuthNoPriv, 500);
        let (now, twice) =
            (figures(&udp(), &fleet, Change::None), figures(&udp(), &fleet, Change::TwiceDelay));
        // 1.376 s are more than the timer's second, but less than two.
        near(twice.round.octets[1], 2.0 * now.round.octets[1]);
        assert_eq!(twice.most_at_once, Some(0.0));
    }

    #[test]
    fn a_lost_request_waits_for_the_timer_and_not_in_the_queue() {
        let mut lossy = udp();
        lossy.cost.time_ms = Estimate::mean(&[860.0; 6]).unwrap();
        let fleet = fleet(Level::NoAuthNoPriv, 500);
        for change in [Change::None, Change::TwiceLoss] {
            // 230 ms are left of the timer's second, and not 140.
            assert_eq!(figures(&lossy, &fleet, change).most_at_once, Some(2.0), "{change:?}");
        }
    }

    #[test]
    fn losses_cost_what_they_cost_once_more() {
        let mut lossy = udp();
        lossy.cost.time_ms = Estimate::mean(&[790.0; 6]).unwrap();
        let fleet = Fleet { timeout: 5.0, ..fleet(Level::NoAuthNoPriv, 500) };
        near(figures(&lossy, &fleet, Change::TwiceLoss).round.time, 0.81);
        // Two packets of 1 %: 1.99 % of the attempts wait for 5 s.
        let fails: f64 = 1.0 - 0.99 * 0.99;
        let expected = 0.77 + 5.0 * (1..=5).map(|it| fails.powi(it)).sum::<f64>();
        near(expected_with_loss(&lossy, &fleet).unwrap().value(), expected);
        let tcp = way(Protocol::v2c(Transport::Tcp), true, 1240.0, 770.0);
        assert_eq!(expected_with_loss(&tcp, &fleet), None);
    }
}
