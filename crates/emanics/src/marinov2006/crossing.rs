//! Where a session becomes cheaper than USM: the crossing of lines through walks of different length, in time and in
//! octets, with its interval.

use std::cmp::Ordering;

use crate::marinov2006::paper;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::estimate::{Estimate, Line, line};
use trunkline_labkit::findings::{Findings, Sheet};
use trunkline_labkit::picked::minus;
use trunkline_labkit::protocol::{Protocol, Security};
use trunkline_labkit::trial::Trials;

use super::sheets::{label, octets, whole};
use super::{COUNTED, FAST, PAPERS, SLOW, everything};

/// Where one line falls below another.
#[derive(Debug, Clone, PartialEq)]
pub enum Crossing {
    /// After so many interactions; 0 if it begins below.
    After(Estimate),
    /// Nowhere: each interaction costs more.
    Never,
    /// The samples do not say whether an interaction costs more or less.
    Open,
}

impl Crossing {
    /// Where `ours` falls below `theirs`.
    pub fn of(ours: &Line, theirs: &Line) -> Crossing {
        let (set_up, saved) = (&ours.intercept - &theirs.intercept, &theirs.slope - &ours.slope);
        let at = |values: &[f64]| match values[1] {
            saved if saved > 0.0 => (values[0] / saved).max(0.0),
            _ => f64::INFINITY,
        };
        match saved.against(0.0) {
            Some(Ordering::Greater) => Crossing::After(Estimate::combine(&[&set_up, &saved], at)),
            Some(Ordering::Less) => Crossing::Never,
            _ => Crossing::Open,
        }
    }

    fn estimate(self) -> Option<Estimate> {
        match self {
            Crossing::After(interactions) => Some(interactions),
            Crossing::Never | Crossing::Open => None,
        }
    }
}

/// The line through the median times of figure 3's walks, by their length.
pub fn times_line(trials: &Trials, what: &str, protocol: Protocol) -> Option<Line> {
    let id = "marinov2006/figure-3";
    let at = |size| trials.pick(id, what, protocol, size).median_estimate(whole);
    line(&points(trials.sizes(id), at))
}

/// The line through the mean octets of figure 5's walks, by their length.
pub fn octets_line(trials: &Trials, protocol: Protocol) -> Option<Line> {
    let id = "marinov2006/figure-5";
    let at = |size| trials.pick(id, COUNTED, protocol, size).mean_estimate(octets);
    line(&points(trials.sizes(id), at))
}

fn points(sizes: Vec<u32>, at: impl Fn(u32) -> Option<Estimate>) -> Vec<(f64, Estimate)> {
    sizes.into_iter().filter_map(|size| Some((f64::from(size), at(size)?))).collect()
}

/// The sessions with the users that they are compared with. The paper's pair of algorithms stands beside the paper's
/// protocol only.
fn pairs() -> Vec<(Protocol, Protocol)> {
    let is_user = |it: &Protocol| matches!(it.security, Security::Usm(..));
    let sessions = everything().filter(Protocol::is_in_session);
    let beside = |session: Protocol| {
        let users = everything().filter(is_user);
        users.filter(move |it| PAPERS.contains(&session) || !PAPERS.contains(it)).map(move |it| (session, it))
    };
    sessions.flat_map(beside).collect()
}

/// Figure 3's annex: after how many interactions a session is faster than USM.
pub fn break_even(trials: &Trials, findings: &mut Findings) {
    let id = "marinov2006/break-even";
    let columns = ["fast agent (interactions)", "slow agent (interactions)"];
    let mut sheet = Sheet::new(id, "after how many interactions a session is faster", &columns);
    sheet.note = format!(
        "Where the lines through the median times of figure 3's walks (least squares over the length) cross. Open where \
         they do not, and where the interval of the time of an interaction includes both more and less.{}",
        beyond(trials, "marinov2006/figure-3")
    );
    let (mut never, mut open) = (Vec::new(), Vec::new());
    let is_there = |it: Protocol| [FAST, SLOW].iter().any(|what| times_line(trials, what, it).is_some());
    for (protocol, against) in pairs() {
        // A run for one pair has no others.
        if !is_there(protocol) || !is_there(against) {
            continue;
        }
        let found = [FAST, SLOW].map(|what| {
            let ours = times_line(trials, what, protocol)?;
            let theirs = times_line(trials, what, against)?;
            let crossing = Crossing::of(&ours, &theirs);
            match crossing {
                Crossing::After(_) => {}
                Crossing::Never => never.push((protocol, against, reason(what, &ours, &theirs))),
                Crossing::Open => open.push(name(what, protocol, against)),
            }
            crossing.estimate()
        });
        let is_papers = PAPERS.contains(&protocol) && PAPERS.contains(&against);
        let printed = if is_papers { [Some(paper::BREAK_EVEN); 2] } else { [None; 2] };
        sheet.estimates(format!("{} compared with {}", label(protocol), label(against)), &printed, &found);
    }
    findings.sheets.push(sheet);
    findings.doubt_all(never.into_iter().map(|(protocol, against, reason)| Doubt::NoBreakEven {
        table: id.into(),
        protocol,
        against,
        reason,
    }));
    findings.doubt_all(not_resolved(id, &open));
}

/// Figure 5's annex: after how many interactions a session takes fewer octets than USM.
pub fn break_even_in_octets(trials: &Trials, findings: &mut Findings) {
    let id = "marinov2006/break-even-octets";
    let columns =
        ["octets of the set-up more", "octets saved in an interaction", "break-even (interactions)"];
    let mut sheet =
        Sheet::new(id, "after how many interactions a session takes fewer octets than USM", &columns);
    sheet.note = format!(
        "From the lines through figure 5's octets (least squares over the length). A session over SSH, TLS or DTLS costs \
         octets to set up and saves the header of USM in each message. The break-even is open where nothing is saved. \
         The paper says that SSH takes fewer octets than USM, and has a drawing without numbers.{}",
        beyond(trials, "marinov2006/figure-5")
    );
    let mut open = Vec::new();
    let users = [PAPERS[2], super::OURS[0]];
    for protocol in everything().filter(Protocol::is_in_session) {
        for against in users {
            let (ours, theirs) = (octets_line(trials, protocol), octets_line(trials, against));
            let both = ours.as_ref().zip(theirs.as_ref());
            let set_up = both.map(|(ours, theirs)| &ours.intercept - &theirs.intercept);
            let saved = both.and_then(|(ours, theirs)| minus(Some(&theirs.slope), Some(&ours.slope)));
            let crossing = both.map(|(ours, theirs)| Crossing::of(ours, theirs));
            if crossing == Some(Crossing::Open) {
                open.push(name("octets", protocol, against));
            }
            let found = [set_up, saved, crossing.and_then(Crossing::estimate)];
            sheet.estimates(format!("{} compared with {}", label(protocol), label(against)), &[], &found);
        }
    }
    findings.sheets.push(sheet);
    findings.doubt_all(not_resolved(id, &open));
}

/// From where on a break-even is extrapolated.
fn beyond(trials: &Trials, id: &str) -> String {
    let longest = trials.sizes(id).last().copied();
    longest.map_or_else(String::new, |it| {
        format!(" The longest walk has {it} interactions: beyond that, a break-even is extrapolated.")
    })
}

fn name(what: &str, protocol: Protocol, against: Protocol) -> String {
    format!("{} compared with {} ({what})", label(protocol), label(against))
}

/// One doubt for all that the samples leave open.
fn not_resolved(table: &str, open: &[String]) -> Option<Doubt> {
    let text = format!(
        "not resolved by these samples, whether an interaction costs more or less: {}",
        open.join(", ")
    );
    (!open.is_empty()).then(|| Doubt::Condition { table: table.into(), text })
}

/// Why a session never becomes faster.
fn reason(what: &str, ours: &Line, theirs: &Line) -> String {
    let set_up = ours.intercept.value() - theirs.intercept.value();
    let (ours, theirs) = (ours.slope.value() * 1e3, theirs.slope.value() * 1e3);
    format!(
        "{what} agent: its set-up takes {:.2} ms {} and each interaction {:.1} µs more ({ours:.1} instead of {theirs:.1} µs)",
        set_up.abs(),
        if set_up < 0.0 { "less" } else { "more" },
        ours - theirs
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line with so much noise in its slope.
    fn straight(intercept: f64, slope: f64, noise: f64) -> Line {
        let slopes = [-1.0, 1.0, -0.5, 0.5, 0.0, 0.2].map(|share| slope + share * noise);
        let exact = Estimate::exact;
        Line { intercept: exact(intercept), slope: Estimate::mean(&slopes).unwrap(), r_squared: exact(1.0) }
    }

    fn after(ours: &Line, theirs: &Line) -> f64 {
        Crossing::of(ours, theirs).estimate().unwrap().value()
    }

    #[test]
    fn lines_cross_where_savings_outweigh_the_set_up() {
        let theirs = straight(1.0, 0.33, 0.0);
        assert_eq!(after(&straight(16.0, 0.3, 0.0), &theirs).round(), 500.0);
        assert_eq!(after(&straight(0.5, 0.3, 0.0), &theirs), 0.0);
        let dearer = straight(16.0, 0.34, 0.0);
        assert_eq!(Crossing::of(&dearer, &theirs), Crossing::Never);
        let reason = reason(FAST, &dearer, &theirs);
        assert!(reason.contains("15.00 ms more") && reason.contains("10.0 µs more"), "{reason}");
    }

    #[test]
    fn a_crossing_that_noise_hides_is_open() {
        let theirs = straight(1.0, 0.33, 0.0);
        assert_eq!(Crossing::of(&straight(16.0, 0.32, 0.2), &theirs), Crossing::Open);
        let Crossing::After(near) = Crossing::of(&straight(16.0, 0.3, 0.01), &theirs) else {
            panic!("resolved");
        };
        let interval = near.interval().unwrap();
        assert!(interval.low < near.value() && near.value() < interval.high, "{interval:?}");
    }
}
