//! What to use, in sentences, and what each way allows on the link: arithmetic on what one device takes.

use crate::kit::findings::Sheet;
use crate::kit::protocol::Level;
use crate::kit::report::table::{three_digits, without_zeros};

use super::Fleet;
use super::sheets::Way;

/// What a way allows the whole fleet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plan {
    /// The share of one link for all that a round every [`Fleet::every`] uses in its busier direction; `None` if
    /// the link has no rate.
    pub used: Option<f64>,
    /// The share of a processor of the manager.
    pub manager: Option<f64>,
    /// The shortest interval between rounds, seconds.
    pub interval: f64,
    /// How many devices fit into [`Fleet::every`]; `None` if nothing limits them.
    pub devices: Option<f64>,
    /// How many devices must be asked at the same time.
    pub at_once: f64,
    /// Whether the fleet can be polled so.
    pub fits: bool,
    /// Whether no other way is better in octets, time or CPU time without being worse in another, by 5 %.
    pub on_front: bool,
}

/// The plans of all ways.
pub(super) fn plans(ways: &[Way], fleet: &Fleet) -> Vec<Plan> {
    ways.iter().map(|way| Plan { on_front: is_on_front(way, ways), ..plan(way, fleet) }).collect()
}

fn plan(way: &Way, fleet: &Fleet) -> Plan {
    let devices = f64::from(fleet.devices);
    let round = way.time_ms / 1e3;
    // Seconds of the link, and of the manager's processor, for a device.
    let link = fleet.rate.map(|rate| way.busier() * 8.0 / rate);
    let processor = way.manager_cpu_ms.map(|ms| ms / 1e3);
    let per_device = [link.map(|seconds| seconds / fleet.max_share), processor].into_iter().flatten();
    let needed = per_device.fold(0.0, f64::max);
    let interval = (needed * devices).max(round);
    let limit = if round > fleet.every { 0.0 } else { (fleet.every / needed).floor() };
    Plan {
        used: link.map(|seconds| seconds * devices / fleet.every),
        manager: processor.map(|seconds| seconds * devices / fleet.every),
        interval,
        devices: limit.is_finite().then_some(limit),
        at_once: (devices * round / fleet.every).ceil(),
        fits: interval <= fleet.every,
        on_front: false,
    }
}

/// See [`Plan::on_front`].
fn is_on_front(way: &Way, ways: &[Way]) -> bool {
    let figures = |way: &Way| [Some(way.busier()), Some(way.time_ms), way.cpu_ms()];
    let own = figures(way);
    !ways.iter().any(|other| {
        let pairs = || own.into_iter().zip(figures(other)).filter_map(|(own, other)| Some((own?, other?)));
        pairs().all(|(own, other)| other <= own * (1.0 + MARGIN))
            && pairs().any(|(own, other)| other < own * (1.0 - MARGIN))
    })
}

/// The order in which ways are shown: those that are secure enough first, then by what they need of the link, then by
/// time.
pub(super) fn order(ways: &[Way], plans: &[Plan], fleet: &Fleet) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ways.len()).collect();
    let key = |at: usize| (ways[at].protocol.level() < fleet.security, plans[at].interval, ways[at].time_ms);
    order.sort_by(|&one, &other| {
        let (one, other) = (key(one), key(other));
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.total_cmp(&other.2))
    });
    order
}

/// The recommendation, a sentence each; none without a way that is secure enough.
pub(super) fn sentences(ways: &[Way], plans: &[Plan], order: &[usize], fleet: &Fleet) -> Vec<String> {
    let secure = order.iter().copied().filter(|at| ways[*at].protocol.level() >= fleet.security);
    let Some(best) = secure.clone().next() else { return vec![] };
    let chosen = secure.clone().find(|at| plans[*at].fits).unwrap_or(best);
    let (way, plan) = (&ways[chosen], &plans[chosen]);
    let Fleet { link, devices, .. } = fleet;
    let every = time(fleet.every);
    let least = match fleet.security {
        Level::NoAuthNoPriv => String::new(),
        level => format!(" with at least {level}"),
    };
    let percent = |share: f64| format!("{} %", number(share * 100.0));
    let share = percent(fleet.max_share);
    let mut said = Vec::new();
    if plan.fits {
        let why = plan.used.map_or_else(
            || format!("Of all{least} it takes the least time."),
            |used| format!("Of all{least} it needs the least of the link: {} of it.", percent(used)),
        );
        let most = plan.devices.map_or_else(String::new, |most| format!(", or {most} devices every {every}"));
        said.push(format!("For {devices} devices every {every} over {link}, use {way}. {why}"));
        said.push(format!(
            "With {share} of the link it can poll {devices} devices every {}{most}.",
            time(plan.interval)
        ));
    } else {
        let rate = fleet.rate.zip(plan.used).map(|(rate, used)| rate * used / fleet.max_share);
        let wider = rate.map_or_else(String::new, |rate| format!(", or a link of {}", bits(rate)));
        let fewer = plan.devices.map_or_else(String::new, |most| format!(", or no more than {most} devices"));
        said.push(format!(
            "No protocol{least} can poll {devices} devices every {every} within {share} of the link {link}. The \
             nearest is {way}: it needs {} between rounds{fewer}{wider}.",
            time(plan.interval)
        ));
    }
    let at_once = if plan.at_once > 1.0 {
        format!("; {} devices must be asked at once", plan.at_once)
    } else {
        String::new()
    };
    said.push(format!("A round with one device takes {}{at_once}.", time(way.time_ms / 1e3)));
    let open = |it: &&Way| it.protocol.level() < way.protocol.level() && it.kept == way.kept;
    let cheapest = ways.iter().filter(open).min_by(|one, other| one.busier().total_cmp(&other.busier()));
    if let Some(cheapest) = cheapest {
        let more = (way.busier() / cheapest.busier() - 1.0) * 100.0;
        let words = if more < 0.0 { "fewer" } else { "more" };
        said.push(format!(
            "What security costs: {} % {words} octets in the busier direction than {cheapest}, the cheapest with less.",
            number(more.abs())
        ));
    }
    let cold = ways.iter().find(|it| it.protocol == way.protocol && !it.kept);
    if let Some(cold) = cold.filter(|_| way.kept) {
        let times = cold.busier() / way.busier();
        if times > 1.0 + MARGIN {
            said.push(format!(
                "Keep its sessions open: a session for each round takes {} times the octets.",
                number(times)
            ));
        }
    }
    said
}

/// What each way allows.
pub(super) fn sheet(ways: &[Way], plans: &[Plan], order: &[usize], fleet: &Fleet) -> Sheet {
    let columns =
        ["link used (%)", "shortest interval (s)", "most devices", "asked at once", "on the front (1: yes)"];
    let title = "what each way allows, the one that needs the least of the link first";
    let mut sheet = Sheet::new("compare/plan", title, &columns);
    let Fleet { link, devices, objects, every, max_share, security, .. } = fleet;
    sheet.note = format!(
        "{devices} devices, {objects} ifTable objects of each every {every} s, link {link}, messages protected by at least {security}; \
         others come last. By arithmetic from `measured`. Link used: the octets of the busier direction, as if all devices were \
         behind one link. The shortest interval and the most devices use {} % of it (--max-share) and one processor of the \
         manager. Asked at once: how many devices must be asked at the same time. On the front: no other way is better by more \
         than 5 % in octets, time or CPU time and worse in none. Cold: a session is opened for each round and closed behind \
         it. Kept: it stays open.",
        number(max_share * 100.0)
    );
    for &at in order {
        let Plan { used, interval, devices, at_once, on_front, .. } = plans[at];
        let figures = [
            used.map(|used| used * 100.0),
            Some(interval),
            devices,
            Some(at_once),
            Some(f64::from(u8::from(on_front))),
        ];
        sheet.row(ways[at].to_string(), &[], &figures, ways[at].samples);
    }
    sheet
}

/// Three digits without zeros at the end: `60`, `0.77`.
fn number(value: f64) -> String {
    let text = three_digits(value);
    if text.contains('.') { without_zeros(&text).to_owned() } else { text }
}

/// `0.77 s`, `84 s`, `3.4 minutes`.
fn time(seconds: f64) -> String {
    match seconds {
        _ if seconds >= 7200.0 => format!("{} hours", number(seconds / 3600.0)),
        _ if seconds >= 180.0 => format!("{} minutes", number(seconds / 60.0)),
        _ if seconds < 0.1 => format!("{} ms", number(seconds * 1e3)),
        _ => format!("{} s", number(seconds)),
    }
}

/// `128 kbit/s`.
fn bits(rate: f64) -> String {
    match rate {
        _ if rate >= 1e9 => format!("{} Gbit/s", number(rate / 1e9)),
        _ if rate >= 1e6 => format!("{} Mbit/s", number(rate / 1e6)),
        _ => format!("{} kbit/s", number(rate / 1e3)),
    }
}

/// What a difference must exceed to count.
const MARGIN: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::super::sheets::tests::way;
    use super::*;
    use crate::kit::protocol::{Mode, Protocol, SnmpVersion, Suite};
    use crate::kit::transport::Transport;

    fn fleet(security: Level, devices: u32) -> Fleet {
        Fleet {
            link: "64k,600ms,1%".into(),
            rate: Some(64_000.0),
            loss: 0.01,
            devices,
            objects: 66,
            every: 60.0,
            security,
            max_share: 0.5,
        }
    }

    fn ways() -> Vec<Way> {
        let tls = Protocol::session(SnmpVersion::V3, Transport::Tls, Mode::Secure);
        vec![
            way(Protocol::v2c(Transport::Udp), true, 1240.0, 770.0),
            way(Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Modern), true, 1351.0, 790.0),
            way(tls, false, 3223.0, 3000.0),
            way(tls, true, 1400.0, 795.0),
        ]
    }

    fn said(fleet: &Fleet) -> Vec<String> {
        let ways = ways();
        let plans = plans(&ways, fleet);
        sentences(&ways, &plans, &order(&ways, &plans, fleet), fleet)
    }

    #[test]
    fn what_does_not_fit_says_what_would() {
        let all = said(&fleet(Level::AuthPriv, 500));
        // 1351 octets of 500 devices at 32 kbit/s take 168.9 s; 177 devices fit into a minute.
        assert_eq!(
            all,
            [
                "No protocol with at least authPriv can poll 500 devices every 60 s within 50 % of the link 64k,600ms,1%. The nearest \
                 is v3/USM authPriv/UDP, kept: it needs 169 s between rounds, or no more than 177 devices, or a link of 180 kbit/s.",
                "A round with one device takes 0.79 s; 7 devices must be asked at once.",
                "What security costs: 8.95 % more octets in the busier direction than v2c/UDP, kept, the cheapest with less.",
            ]
        );
    }

    #[test]
    fn what_fits_is_recommended_with_its_reason() {
        let all = said(&fleet(Level::NoAuthNoPriv, 50));
        assert_eq!(
            all,
            [
                "For 50 devices every 60 s over 64k,600ms,1%, use v2c/UDP, kept. Of all it needs the least \
                 of the link: 12.9 % of it.",
                "With 50 % of the link it can poll 50 devices every 15.5 s, or 193 devices every 60 s.",
                "A round with one device takes 0.77 s.",
            ]
        );
        // Without a rate the time decides, and the manager's processor limits the devices.
        let unlimited = Fleet { rate: None, ..fleet(Level::AuthPriv, 50) };
        assert!(said(&unlimited)[0].contains("use v3/USM authPriv/UDP, kept"), "{:?}", said(&unlimited));
        let plans = plans(&ways(), &unlimited);
        assert!(plans.iter().all(|plan| plan.devices == Some(600_000.0) && plan.used.is_none()));
    }

    #[test]
    fn a_session_that_pays_is_kept() {
        let tls: Vec<Way> =
            ways().into_iter().filter(|way| way.protocol.transport == Transport::Tls).collect();
        let fleet = fleet(Level::AuthPriv, 50);
        let plans = plans(&tls, &fleet);
        let said = sentences(&tls, &plans, &order(&tls, &plans, &fleet), &fleet);
        assert_eq!(
            said.last().unwrap(),
            "Keep its sessions open: a session for each round takes 2.3 times the octets."
        );
        assert_eq!(plans.iter().map(|plan| plan.on_front).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn without_a_way_that_is_secure_enough_there_is_no_answer() {
        let open: Vec<Way> = ways().into_iter().take(1).collect();
        let fleet = fleet(Level::AuthPriv, 50);
        let plans = plans(&open, &fleet);
        assert!(sentences(&open, &plans, &order(&open, &plans, &fleet), &fleet).is_empty());
    }
}
