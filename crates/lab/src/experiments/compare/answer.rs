//! What to use, in sentences.

use std::cmp::Ordering;

use trunkline_labkit::estimate::{Estimate, LEAST_REPETITIONS};
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::protocol::Level;
use trunkline_labkit::report::text::{three_digits, without_zeros};
use trunkline_labkit::transport::Transport;

use super::advice;
use super::fleet::Fleet;
use super::plan::{Change, Figures, estimate, expected_with_loss, figures, ratio};
use super::way::Way;

/// What every way allows, and the order in which they are shown.
#[derive(Debug)]
pub(super) struct Plans<'a> {
    pub ways: &'a [Way],
    pub fleet: &'a Fleet,
    pub figures: Vec<Figures>,
    /// Those that are secure enough first, then by what they need of the link, then by time.
    pub order: Vec<usize>,
    /// Whether no other way is better in octets, time or CPU time without being worse in another.
    pub on_front: Vec<bool>,
}

impl<'a> Plans<'a> {
    pub fn of(ways: &'a [Way], fleet: &'a Fleet) -> Plans<'a> {
        let figures: Vec<Figures> = ways.iter().map(|way| figures(way, fleet, Change::None)).collect();
        let order = order(ways, &figures, fleet);
        let on_front = ways.iter().map(|way| is_on_front(way, ways, fleet.security)).collect();
        Plans { ways, fleet, figures, order, on_front }
    }

    /// The ways that protect messages well enough, the best first.
    fn secure(&self) -> impl Iterator<Item = usize> {
        self.at_least(self.fleet.security)
    }

    /// The ways that protect messages with at least this level, the best first.
    pub fn at_least(&self, level: Level) -> impl Iterator<Item = usize> {
        self.order.iter().copied().filter(move |at| self.ways[*at].protocol.level() >= level)
    }

    /// The recommended way: the best that fits; if none fits, the best.
    pub fn chosen(&self) -> Option<usize> {
        let fits = |at: &usize| self.figures[*at].fits(self.fleet);
        self.secure().find(fits).or_else(|| self.secure().next())
    }

    /// The way without security of messages that is like this one otherwise: the same version, kept or cold, and
    /// compressed in the same way, over what carries this one's session.
    fn open_counterpart(&self, way: &Way) -> Option<&'a Way> {
        let is_like = |other: &&Way| {
            other.protocol.level() == Level::NoAuthNoPriv
                && (other.protocol.version, other.protocol.transport)
                    == (way.protocol.version, below(way.protocol.transport))
                && other.is_of_kind(way.kept)
                && (other.packing, &other.subject) == (way.packing, &way.subject)
        };
        if way.protocol.level() == Level::NoAuthNoPriv {
            return None;
        }
        self.ways.iter().find(is_like)
    }

    /// How much more octets security takes in the busier direction, in per cent.
    pub fn security_percent(&self, way: &Way) -> Option<Estimate> {
        let open = self.open_counterpart(way)?;
        Some((&(&way.busier() / &open.busier()) - 1.0).map(|more| more * 100.0))
    }

    /// The conditions that can be computed.
    pub fn changes(&self) -> impl Iterator<Item = Change> {
        let has_twice = self.ways.iter().all(|way| way.twice.is_some());
        let known = move |it: &Change| *it != Change::TwiceObjects || has_twice;
        Change::ALL.into_iter().filter(|it| it.applies_to(self.fleet)).filter(known)
    }

    /// The best way under other conditions, and what it allows.
    pub fn best_with(&self, change: Change) -> Option<(usize, Figures)> {
        let with = |at: usize| (at, figures(&self.ways[at], self.fleet, change));
        let key = |figures: &Figures| (figures.interval, figures.round.time);
        let sooner = |one: &(usize, Figures), other: &(usize, Figures)| {
            let (one, other) = (key(&one.1), key(&other.1));
            one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
        };
        self.secure().map(with).min_by(sooner)
    }
}

/// What carries the sessions of a transport.
const fn below(transport: Transport) -> Transport {
    match transport {
        Transport::Tls | Transport::Ssh => Transport::Tcp,
        Transport::Dtls => Transport::Udp,
        Transport::Https => Transport::Http,
        plain => plain,
    }
}

fn order(ways: &[Way], figures: &[Figures], fleet: &Fleet) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ways.len()).collect();
    let key = |at: usize| {
        let is_open = ways[at].protocol.level() < fleet.security;
        (is_open, figures[at].interval, figures[at].round.time)
    };
    order.sort_by(|&one, &other| {
        let (one, other) = (key(one), key(other));
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.total_cmp(&other.2))
    });
    order
}

/// See [`Plans::on_front`]. A way is better only if the samples resolve it, and only if it may be used.
fn is_on_front(way: &Way, ways: &[Way], least: Level) -> bool {
    let is_allowed = |way: &Way| way.protocol.level() >= least;
    // The agent's CPU time is not known of agents that are measured from outside: then the manager's decides.
    let knows_agent = |one: &Way, other: &Way| one.cpu_ms().is_some() && other.cpu_ms().is_some();
    let figures = |way: &Way, with_agent: bool| {
        let cpu = if with_agent { way.cpu_ms() } else { way.manager_cpu_ms.clone() };
        [Some(way.busier()), Some(way.cost.time_ms.clone()), cpu]
    };
    is_allowed(way)
        && !ways.iter().filter(|it| is_allowed(it)).any(|other| {
            let with_agent = knows_agent(way, other);
            let (own, theirs) = (figures(way, with_agent), figures(other, with_agent));
            let pairs =
                || own.iter().zip(&theirs).filter_map(|(own, other)| Some((own.as_ref()?, other.as_ref()?)));
            let is_better = |(own, other): (&Estimate, &Estimate)| {
                other.value() < own.value() * (1.0 - MARGIN)
                    && (other - &(own * (1.0 - MARGIN))).against(0.0) == Some(Ordering::Less)
            };
            pairs().all(|(own, other)| other.value() <= own.value() * (1.0 + MARGIN))
                && pairs().any(is_better)
        })
}

/// The recommendation, a sentence each.
pub(super) fn sentences(plans: &Plans<'_>) -> Vec<String> {
    let Some(chosen) = plans.chosen() else { return advice::nothing(plans) };
    let (way, fleet) = (&plans.ways[chosen], plans.fleet);
    let mut said = Vec::new();
    if way.samples < LEAST_REPETITIONS {
        said.push(format!(
            "Too little was measured to recommend anything: {} of {LEAST_REPETITIONS} rounds of {way}. A whole run, without --quick \
             and --repeat, has them. What follows may change.",
            way.samples
        ));
    }
    said.extend(recommendation(plans, chosen));
    said.extend(rivals(plans, chosen));
    said.extend(without_ours(plans, chosen));
    if way.objects < f64::from(fleet.objects) {
        said.push(format!(
            "The agent has only {} of the {} objects asked for, and what follows is for these: with all of them a round would take more.",
            number(way.objects),
            fleet.objects
        ));
    }
    said.push(rounds(way, &plans.figures[chosen], fleet));
    said.extend(advice::silence(way, fleet));
    said.extend(advice::communities(way));
    said.extend(advice::unproved(way));
    said.extend(advice::unprotected(plans, way));
    said.extend(security(plans, way));
    let is_its_own = |it: &&Way| {
        (it.protocol, it.packing, it.kept, &it.subject) == (way.protocol, way.packing, false, &way.subject)
    };
    let cold = plans.ways.iter().find(is_its_own).filter(|_| way.kept);
    let times = cold.map(|cold| &cold.busier() / &way.busier());
    if let Some(times) = times.filter(|times| times.against(1.0 + MARGIN) == Some(Ordering::Greater)) {
        said.push(format!(
            "Keep its sessions open: a session for each round takes {} times the octets.",
            number(times.value())
        ));
    }
    said.extend(sensitivity(plans, chosen));
    said
}

/// What to use, or what would fit.
fn recommendation(plans: &Plans<'_>, chosen: usize) -> Vec<String> {
    let (way, plan, fleet) = (&plans.ways[chosen], &plans.figures[chosen], plans.fleet);
    let Fleet { link, devices, .. } = fleet;
    let every = time(fleet.every);
    let least = match fleet.security {
        Level::NoAuthNoPriv => String::new(),
        level => format!(" with at least {level}"),
    };
    let share = percent(fleet.max_share);
    if plan.fits(fleet) {
        let why = plan.used.map_or_else(
            || format!("Of all options{least} it takes the least time."),
            |used| {
                format!(
                    "Of all options{least} it needs the least of the link: {} of its busier direction.",
                    percent(used)
                )
            },
        );
        let most = if plan.devices.is_finite() {
            format!(", or {} devices every {every}", plan.devices)
        } else {
            String::new()
        };
        let within = if plan.is_limited_by_manager {
            "With one processor for the manager, which is the limit here,".into()
        } else {
            format!("Using at most {share} of the link,")
        };
        return vec![
            format!(
                "For {} every {every} over {link}, use {way} ({}). {why}",
                of_devices(*devices),
                kind(way)
            ),
            format!("{within} you can poll {} every {}{most}.", of_devices(*devices), time(plan.interval)),
        ];
    }
    let fewer = match plan.devices {
        0.0 => ", and not even one device can be polled as often".to_owned(),
        1.0 => ", or no more than one device".into(),
        most if most.is_finite() => format!(", or no more than {most} devices"),
        _ => String::new(),
    };
    let wider = match (plan.is_limited_by_manager, fleet.rate.zip(plan.used)) {
        (true, _) => {
            let managers = (plan.interval / fleet.every).ceil();
            format!(
                ", or {managers} managers to share the devices: one processor of the manager is the limit, not the link"
            )
        }
        (false, Some((rate, used))) => {
            let managers = plan.manager.map(f64::ceil).filter(|it| *it > 1.0);
            let managers = managers.map_or_else(String::new, |it| {
                format!(" and {it} managers to share the devices, each with one processor")
            });
            format!(", or a link of {}{managers}", bits(rate * used / fleet.max_share))
        }
        (false, None) => String::new(),
    };
    vec![format!(
        "No protocol{least} can poll {} every {every} within {share} of the link {link}. The \
         nearest is {way} ({}): it needs {} between rounds{fewer}{wider}.",
        of_devices(*devices),
        kind(way),
        time(plan.interval)
    )]
}

fn of_devices(devices: u32) -> String {
    if devices == 1 { "one device".into() } else { format!("{devices} devices") }
}

/// What `kept` and `cold` mean.
fn kind(way: &Way) -> &'static str {
    match (way.protocol.has_session(), way.kept) {
        (false, _) => "which has no session to open or to keep",
        (true, true) => "a session kept open between rounds",
        (true, false) => "a new session for each round",
    }
}

/// The ways that the samples do not tell from the chosen one.
fn rivals(plans: &Plans<'_>, chosen: usize) -> Option<String> {
    let way = &plans.ways[chosen];
    let near = |at: &usize| {
        let by = plans.figures[*at].interval / plans.figures[chosen].interval;
        *at != chosen && (1.0 - MARGIN..=1.0 + FAR).contains(&by)
    };
    let is_open = |at: &usize| {
        let by = ratio([&plans.ways[*at], way], plans.fleet, Change::None, |it| it.interval);
        by.against(1.0).is_none() || by.value() < 1.0
    };
    let open: Vec<String> =
        plans.secure().filter(near).filter(is_open).map(|at| plans.ways[at].to_string()).collect();
    let names = match &open[..] {
        [] => return None,
        few @ [_] | few @ [_, _] | few @ [_, _, _] => few.join("; "),
        many => format!("{}; and {} more", many[..2].join("; "), many.len() - 2),
    };
    Some(format!("These may need as little: {names}."))
}

/// The best way that other agents have, if the chosen one is Trunkline's own: a compression, something over HTTP, or a
/// community in a session that proves who the peers are (RFC 6353 and 5592 have SNMPv3 there).
fn without_ours(plans: &Plans<'_>, chosen: usize) -> Option<String> {
    let is_ours = |at: usize| {
        let Way { packing, protocol, .. } = &plans.ways[at];
        packing.of_snmp().is_some()
            || protocol.transport.is_http()
            || advice::is_community_in_session(*protocol)
    };
    if !is_ours(chosen) {
        return None;
    }
    let best = plans.secure().find(|at| !is_ours(*at))?;
    let used =
        plans.figures[best].used.map_or_else(String::new, |used| format!(", {} of the link", percent(used)));
    let fits = if plans.figures[best].fits(plans.fleet) { "" } else { ", which does not fit" };
    Some(format!(
        "Only Trunkline's agent speaks that. Of what other agents speak, the best is {}{used}{fits}.",
        plans.ways[best]
    ))
}

/// How long rounds take, and how many run at a time.
fn rounds(way: &Way, plan: &Figures, fleet: &Fleet) -> String {
    let mut said = format!("A round with one device takes {}", time(plan.round.time));
    // What a lost packet costs is mostly the wait for the timer, of which few sessions met one.
    if let Some(lossy) =
        expected_with_loss(way, fleet).filter(|it| it.value() > plan.round.time * (1.0 + MARGIN))
    {
        said += &format!(" ({} on average with the losses and the manager's timer)", time(lossy.value()));
    }
    if plan.at_once > 1.0 {
        said += &format!("; {} devices must be asked at once", plan.at_once);
    }
    if fleet.rate.is_some() && fleet.devices > 1 {
        said += &format!("; the link carries a round of all in {}", time(plan.all));
    }
    said += ".";
    if !plan.is_answered {
        let each = plan.round.time / way.requests.max(1.0);
        said += &format!(
            " The manager gives up before the answer comes: it takes {}, and the manager waits {} for it, {} times. Give it {} \
             (--timeout).",
            time(each),
            time(fleet.timeout),
            fleet.retries + 1,
            time(rounded_up(each * 1.2))
        );
    } else if let Some(most) = plan.most_at_once.filter(|most| *most < plan.at_once) {
        let all = plan.round.time + (plan.at_once - 1.0).max(0.0) * busier_seconds(way, fleet);
        // The timer runs for each request.
        let needed = all / way.requests.max(1.0);
        let why = match most {
            0.0 => "a single answer takes longer, and every request is sent again".to_owned(),
            _ => format!("with more than {most} at once answers queue until requests are sent again"),
        };
        said += &format!(
            " The manager's timer of {} is too short for that: {why}. Give it {} (--timeout).",
            time(fleet.timeout),
            time(rounded_up(needed * 1.2))
        );
    }
    said
}

fn busier_seconds(way: &Way, fleet: &Fleet) -> f64 {
    fleet.rate.map_or(0.0, |rate| way.busier().value() * 8.0 / rate)
}

/// Two digits, not less.
fn rounded_up(value: f64) -> f64 {
    let step = 10f64.powf(value.log10().floor() - 1.0);
    (value / step).ceil() * step
}

/// What security costs.
fn security(plans: &Plans<'_>, way: &Way) -> Option<String> {
    let (open, costs) = (plans.open_counterpart(way)?, plans.security_percent(way)?);
    let than = format!("octets in the busier direction than {open}, which has none");
    Some(match costs.against(0.0) {
        None if costs.repetitions().is_some_and(|it| it < LEAST_REPETITIONS) => {
            let (what, words) = if costs.value() < 0.0 {
                ("Security costs nothing", "fewer")
            } else {
                ("What security costs", "more")
            };
            let percent = number(costs.value().abs());
            format!("{what}: {percent} % {words} {than} (its interval is not known).")
        }
        None => format!(
            "Security makes no significant difference: {} % {} {than}{}.",
            number(costs.value().abs()),
            if costs.value() < 0.0 { "fewer" } else { "more" },
            span(&costs)
        ),
        Some(Ordering::Less) => {
            format!("Security costs nothing: {} % fewer {than}{}.", number(-costs.value()), span(&costs))
        }
        Some(_) => format!("What security costs: {} % more {than}{}.", number(costs.value()), span(&costs)),
    })
}

/// ` (8.1 to 9.7 %)`; nothing for an interval without a width that shows.
fn span(estimate: &Estimate) -> String {
    let Some(interval) = estimate.interval() else { return String::new() };
    let (low, high) = (number(interval.low), number(interval.high));
    if low == high { String::new() } else { format!(" ({low} to {high} %)") }
}

/// What other conditions change.
fn sensitivity(plans: &Plans<'_>, chosen: usize) -> Vec<String> {
    let (mut stays, mut open, mut loses, mut fits, mut fails) = (vec![], vec![], vec![], vec![], vec![]);
    let has_others = plans.secure().nth(1).is_some();
    for change in plans.changes() {
        let own = figures(&plans.ways[chosen], plans.fleet, change);
        if own.fits(plans.fleet) {
            fits.push(change.name())
        } else {
            fails.push(change.name())
        }
        match plans.best_with(change).map(|(best, _)| best).filter(|best| *best != chosen) {
            Some(best) if is_better_with(plans, [best, chosen], change) => {
                loses.push(format!("{} with {}", plans.ways[best], change.name()));
            }
            Some(_) => open.push(change.name()),
            None => stays.push(change.name()),
        }
    }
    let mut said = Vec::new();
    if !stays.is_empty() && has_others {
        said.push(format!("By arithmetic, no other way needs less with {}.", list(&stays, "or")));
    }
    if !open.is_empty() {
        said.push(format!("Others may need less with {}; the samples do not resolve it.", list(&open, "or")));
    }
    if !loses.is_empty() {
        said.push(format!("Others need less: {}.", loses.join("; ")));
    }
    match plans.figures[chosen].fits(plans.fleet) {
        true if fails.is_empty() && !fits.is_empty() => said.push("It fits in each of these cases.".into()),
        true if !fails.is_empty() => said.push(format!("It does not fit with {}.", list(&fails, "or"))),
        false if !fits.is_empty() => said.push(format!("It fits with {}.", list(&fits, "or"))),
        _ => {}
    }
    said
}

/// Whether the samples resolve that one way needs less than another under these conditions.
pub(super) fn is_better_with(plans: &Plans<'_>, [one, other]: [usize; 2], change: Change) -> bool {
    let by = |figure: fn(&Figures) -> f64| {
        ratio([&plans.ways[one], &plans.ways[other]], plans.fleet, change, figure).against(1.0)
    };
    one != other
        && match by(|it| it.interval) {
            Some(Ordering::Equal) => by(|it| it.round.time) == Some(Ordering::Less),
            resolved => resolved == Some(Ordering::Less),
        }
}

/// `a, b or c`.
pub(super) fn list(words: &[&str], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

/// What each way allows.
pub(super) fn sheet(plans: &Plans<'_>) -> Sheet {
    let columns = [
        "link used (%)",
        "shortest interval (s)",
        "most devices",
        "asked at once",
        "a round of all (s)",
        "most at once for the timer",
        "security costs (%)",
        "on the Pareto front (1: yes)",
    ];
    let title = "options, shortest interval first";
    let mut sheet = Sheet::new("compare/plan", title, &columns);
    let Fleet { link, devices, what, every, max_share, security, timeout, .. } = plans.fleet;
    sheet.note = format!(
        "{devices} devices, {what} of each every {every} s, link {link}, messages protected by at least {security}; \
         others come last. Ordered by the shortest interval, which the link or a processor of the manager limits. By arithmetic from `measured`. Link used: the octets of the busier direction, as if all devices were \
         behind one link. The shortest interval and the most devices use {} % of it (--max-share) and one processor of the \
         manager. Asked at once: how many devices must be asked at the same time. A round of all: if all are asked at once. Octets are \
         within {} % and this time within {} % of what 20 agents on one link took over UDP (processors' time not counted), over \
         64 kbit/s, 1 Mbit/s and 10 Mbit/s; over TCP the kernel repeats what queues for long. \
         Most at once: beyond that answers queue for longer than the manager's timer of {timeout} s, and requests are sent again; from the time without losses. \
         Security costs: octets of the busier direction, compared with the same version without security over \
         what carries the session, cold or kept and compressed alike. Less than nothing is not a gain by security: over HTTP, SNMP is XML, which USM's encryption makes one shorter \
         ciphertext, and TSM does without USM's parameters. Pareto front: no other option is clearly better, that is, by more than 5 %, with an interval at 95 % beyond that, in octets of the busier direction, \
         mean time or CPU time of manager and agent (the manager's alone where the agent's is not known), and worse by more than 5 % in none; so an option is on it too where the samples leave open whether another is better. Cold: a new session for each round, closed after it. Kept: a session kept open between rounds. \
         SNMPv1 and v2c over UDP have none.",
        number(max_share * 100.0),
        number(OCTETS_WITHIN * 100.0),
        number(TIME_WITHIN * 100.0)
    );
    for &at in &plans.order {
        let (way, plan) = (&plans.ways[at], &plans.figures[at]);
        let of = |figure: fn(&Figures) -> f64| estimate(way, plans.fleet, Change::None, figure);
        let finite = |value: f64| value.is_finite().then_some(value);
        let cells = [
            plan.used.map(|_| of(|it| it.used.unwrap_or(f64::NAN) * 100.0)),
            Some(of(|it| it.interval)),
            finite(plan.devices).map(|_| of(|it| it.devices)),
            Some(of(|it| it.at_once)),
            Some(of(|it| it.all)),
            plan.most_at_once.map(|_| of(|it| it.most_at_once.unwrap_or(f64::NAN))),
            plans.security_percent(way),
            Some(Estimate::exact(f64::from(u8::from(plans.on_front[at])))),
        ];
        sheet.estimates(way.to_string(), &[], &cells);
    }
    sheet
}

/// What other conditions change, for the best way then and for the recommended one.
pub(super) fn sensitivity_sheet(plans: &Plans<'_>, chosen: usize) -> Sheet {
    let columns = [
        "link used (%)",
        "shortest interval (s)",
        "round (s)",
        "within the share (1: yes)",
        "better than the recommended (1: yes)",
    ];
    let title = "the best way, and the recommended one, if the conditions change";
    let mut sheet = Sheet::new("compare/sensitivity", title, &columns);
    sheet.note = "Computed from what was measured, nothing of it measured again: twice the delay adds the round trips of the time \
                  without losses; twice the loss adds what losses added, once more; twice the objects has the octets of such a round \
                  over a link without delay; the speed changes the time to send. Requests that then take longer than the manager's \
                  timer are counted as often as they are sent. Better: the samples resolve that it needs less."
        .into();
    for change in std::iter::once(Change::None).chain(plans.changes()) {
        let best = plans.best_with(change).map_or(chosen, |(best, _)| best);
        let mut row = |at: usize, name: String| {
            let way = &plans.ways[at];
            let of = |figure: fn(&Figures) -> f64| estimate(way, plans.fleet, change, figure);
            let figures = figures(way, plans.fleet, change);
            let yes = |is_so: bool| Some(Estimate::exact(f64::from(u8::from(is_so))));
            let cells = [
                figures.used.map(|_| of(|it| it.used.unwrap_or(f64::NAN) * 100.0)),
                Some(of(|it| it.interval)),
                Some(of(|it| it.round.time)),
                yes(figures.fits(plans.fleet)),
                yes(is_better_with(plans, [at, chosen], change)),
            ];
            sheet.estimates(name, &[], &cells);
        };
        row(best, format!("{}: {}", change.name(), plans.ways[best]));
        if best != chosen {
            row(chosen, format!("{}, recommended: {}", change.name(), plans.ways[chosen]));
        }
    }
    sheet
}

/// `12.9 %`.
fn percent(share: f64) -> String {
    format!("{} %", number(share * 100.0))
}

/// Three digits without zeros at the end: `60`, `0.77`.
fn number(value: f64) -> String {
    let text = three_digits(value);
    if text.contains('.') { without_zeros(&text).to_owned() } else { text }
}

/// `0.77 s`, `84 s`, `3.4 minutes`.
pub(super) fn time(seconds: f64) -> String {
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

/// The error of computed octets and shares of the link, and of the time of a round of all, beside 20 agents on one
/// link (see `together`).
pub(super) const OCTETS_WITHIN: f64 = 0.02;
pub(super) const TIME_WITHIN: f64 = 0.1;
/// What a difference must exceed to count.
const MARGIN: f64 = 0.05;
/// A way that needs so much more does not compete, however few samples there are.
const FAR: f64 = 0.25;

#[cfg(test)]
mod tests {
    use super::super::fleet::tests::fleet;
    use super::super::way::tests::{spread, way};
    use super::*;
    use trunkline_labkit::packing::Packing;
    use trunkline_labkit::protocol::{Mode, Protocol, SnmpVersion, Suite};
    use trunkline_labkit::transport::Transport;

    const TLS: Protocol = Protocol::session(SnmpVersion::V3, Transport::Tls, Mode::Secure);
    const UDP: Protocol = Protocol::v2c(Transport::Udp);
    const USM: Protocol = Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Modern);

    fn ways() -> Vec<Way> {
        vec![
            way(UDP, true, 1240.0, 770.0),
            way(USM, true, 1351.0, 790.0),
            way(TLS, false, 3223.0, 3000.0),
            way(TLS, true, 1400.0, 795.0),
        ]
    }

    fn said(fleet: &Fleet) -> Vec<String> {
        sentences(&Plans::of(&ways(), fleet))
    }

    #[test]
    fn what_does_not_fit_says_what_would() {
        let all = said(&fleet(Level::AuthPriv, 500));
        // 1351 octets of 500 devices at 32 kbit/s take 168.9 s; 177 devices fit into a minute.
        assert_eq!(
            all,
            [
                "No protocol with at least authPriv can poll 500 devices every 60 s within 50 % of the link 64k,600ms,1%. The nearest \
                 is v3/USM authPriv/UDP, kept (a session kept open between rounds): it needs 169 s between rounds, or no more than 177 devices, or a link of 180 kbit/s.",
                "A round with one device takes 0.79 s; 7 devices must be asked at once; the link carries a round of all in 85.1 s. The \
                 manager's timer of 1 s is too short for that: with more than 2 at once answers queue until requests are sent again. \
                 Give it 2.2 s (--timeout).",
                "By arithmetic, no other way needs less with twice the loss, twice the objects, half the speed or twice the speed.",
                "Others need less: v3/TSM/TLS, kept with twice the delay.",
            ]
        );
    }

    #[test]
    fn what_fits_is_recommended_with_its_reason() {
        let few = Fleet { timeout: 5.0, ..fleet(Level::NoAuthNoPriv, 50) };
        assert_eq!(
            said(&few),
            [
                "For 50 devices every 60 s over 64k,600ms,1%, use v2c/UDP (which has no session to open or to keep). \
                 Of all options it needs the least of the link: 12.9 % of its busier direction.",
                "Using at most 50 % of the link, you can poll 50 devices every 15.5 s, or 193 devices every 60 s.",
                "A round with one device takes 0.77 s (0.872 s on average with the losses and the manager's timer); the link carries \
                 a round of all in 8.37 s.",
                "This protects nothing: whoever sees a message can read it, and ask in its name. With --security authPriv the best is \
                 v3/USM authPriv/UDP, kept, which needs 16.9 s between rounds.",
                "By arithmetic, no other way needs less with twice the delay, twice the loss, twice the objects, half the \
                 speed or twice the speed.",
                "It fits in each of these cases.",
            ]
        );
        // Without a rate the time decides, and the manager's processor limits the devices.
        let unlimited = Fleet { rate: None, ..fleet(Level::AuthPriv, 50) };
        assert!(said(&unlimited)[0].contains("use v3/USM authPriv/UDP, kept"), "{:?}", said(&unlimited));
        let ways = ways();
        let plans = Plans::of(&ways, &unlimited);
        assert!(plans.figures.iter().all(|plan| plan.devices == 600_000.0 && plan.used.is_none()));
    }

    #[test]
    fn a_session_that_pays_is_kept() {
        let tls: Vec<Way> =
            ways().into_iter().filter(|way| way.protocol.transport == Transport::Tls).collect();
        let fleet = fleet(Level::AuthPriv, 50);
        let plans = Plans::of(&tls, &fleet);
        let said = sentences(&plans);
        let keep = "Keep its sessions open: a session for each round takes 2.3 times the octets.";
        assert!(said.iter().any(|it| it == keep), "{said:?}");
        assert_eq!(plans.on_front, [false, true]);
    }

    #[test]
    fn without_a_way_that_is_secure_enough_the_answer_says_so() {
        let open: Vec<Way> = ways().into_iter().take(1).collect();
        let said = sentences(&Plans::of(&open, &fleet(Level::AuthPriv, 50)));
        assert!(
            said[0].starts_with("Nothing that was measured protects messages with at least authPriv"),
            "{said:?}"
        );
    }

    #[test]
    fn a_processor_that_is_the_limit_is_named() {
        let fast = Fleet { rate: Some(1e10), timeout: 5.0, ..fleet(Level::NoAuthNoPriv, 2_000_000) };
        let said = said(&fast);
        assert!(
            said[0].contains("or 4 managers to share the devices: one processor of the manager is the limit"),
            "{said:?}"
        );
    }

    #[test]
    fn a_wider_link_needs_the_processors_that_it_feeds() {
        let fleet = Fleet { rate: Some(1e7), timeout: 5.0, ..fleet(Level::NoAuthNoPriv, 700_000) };
        let said = said(&fleet);
        assert!(
            said[0].contains(" Mbit/s and 2 managers to share the devices, each with one processor."),
            "{said:?}"
        );
    }

    #[test]
    fn an_agent_whose_cpu_is_not_known_is_compared_by_the_managers() {
        let subject = |protocol, octets, ms| Way {
            subject: Some("a".into()),
            agent_cpu_ms: None,
            manager_cpu_ms: Some(Estimate::mean(&[ms; 6]).unwrap()),
            ..way(protocol, true, octets, 770.0)
        };
        let fleet = fleet(Level::NoAuthNoPriv, 50);
        // More octets, and less of the manager's processor.
        let ways = [subject(UDP, 1240.0, 0.03), subject(TLS, 1000.0, 0.3)];
        assert_eq!(Plans::of(&ways, &fleet).on_front, [true, true]);
        let ways = [subject(UDP, 1240.0, 0.3), subject(TLS, 1000.0, 0.3)];
        assert_eq!(Plans::of(&ways, &fleet).on_front, [false, true]);
    }

    #[test]
    fn what_protects_nothing_says_so_and_what_would() {
        let all = said(&Fleet { timeout: 5.0, ..fleet(Level::NoAuthNoPriv, 50) });
        let said = all.iter().find(|it| it.starts_with("This protects nothing")).unwrap();
        assert!(
            said.ends_with("the best is v3/USM authPriv/UDP, kept, which needs 16.9 s between rounds."),
            "{said}"
        );
    }

    #[test]
    fn an_answer_that_comes_after_the_manager_gave_up_does_not_fit() {
        let hasty = Fleet { timeout: 0.1, retries: 2, ..fleet(Level::NoAuthNoPriv, 1) };
        let ways = ways();
        let plans = Plans::of(&ways[..1], &hasty);
        let said = sentences(&plans);
        assert!(!plans.figures[0].fits(&hasty), "{said:?}");
        assert!(
            said.iter()
                .any(|it| it.contains("gives up before the answer comes") && it.contains("Give it 0.93 s")),
            "{said:?}"
        );
    }

    #[test]
    fn what_the_samples_leave_open_is_not_ranked() {
        let fleet = fleet(Level::AuthPriv, 50);
        // The intervals of 1351 and 1400 octets overlap if each varies by 20 %.
        let noisy = vec![spread(USM, true, 1351.0, 790.0, 0.2), spread(TLS, true, 1400.0, 795.0, 0.2)];
        let noisy: Vec<Way> = noisy
            .into_iter()
            .enumerate()
            .map(|(at, mut way)| {
                // Not drawn together: other samples.
                let samples: Vec<f64> = (0..7 + at).map(|it| 1100.0 + 90.0 * (it % 6) as f64).collect();
                way.cost.octets[1] = Estimate::mean(&samples).unwrap();
                way
            })
            .collect();
        let plans = Plans::of(&noisy, &fleet);
        let said = sentences(&plans);
        assert!(said.iter().any(|it| it.starts_with("These may need as little")), "{said:?}");
        assert_eq!(plans.on_front, [true, true]);
        let clear = ways();
        assert!(!sentences(&Plans::of(&clear, &fleet)).iter().any(|it| it.contains("not resolved")));
    }

    #[test]
    fn security_is_compared_with_what_is_compressed_alike() {
        let zlib = |protocol, octets| Way { packing: Packing::Zlib, ..way(protocol, true, octets, 700.0) };
        let v2c_tls = Protocol::session(SnmpVersion::V2c, Transport::Tls, Mode::Secure);
        let tcp = Protocol::v2c(Transport::Tcp);
        let open_usm = Protocol::usm(Transport::Udp, Level::NoAuthNoPriv, Suite::Modern);
        let ways = vec![
            way(UDP, true, 1240.0, 770.0),
            zlib(tcp, 500.0),
            zlib(v2c_tls, 600.0),
            zlib(UDP, 400.0),
            way(open_usm, true, 1300.0, 770.0),
            way(USM, true, 1365.0, 790.0),
        ];
        let fleet = fleet(Level::AuthPriv, 50);
        let plans = Plans::of(&ways, &fleet);
        let costs = plans.security_percent(&ways[2]).unwrap();
        assert!((costs.value() - 20.0).abs() < 1e-9, "{costs:?}");
        assert_eq!(plans.security_percent(&ways[0]), None);
        // The same version, not the cheapest of all.
        let said = security(&plans, &ways[5]).unwrap();
        assert!(said.contains(" 5 % more octets") && said.contains(&ways[4].to_string()), "{said}");
        let mut few = zlib(v2c_tls, 450.0);
        few.cost.octets[1] = Estimate::mean(&[450.0; 2]).unwrap();
        let said = security(&plans, &few).unwrap();
        assert!(said.contains(" 10 % fewer octets") && said.contains("not known"), "{said}");
    }
}
