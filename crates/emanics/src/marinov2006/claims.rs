//! What Marinov and Schönwälder claimed, and what this run finds. Claims compare medians, which one stalled session
//! does not move, but under loss means: there the rare session is the point.

use crate::marinov2006::paper;
use trunkline_labkit::claims::{Claim, Now, Relation, ThenAndNow, Verdict, sentence};
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::Findings;
use trunkline_labkit::picked::over;
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::report::figure::{Axis, Figure, Line, Mark, Panel, Point, Scale, Stroke, Style};
use trunkline_labkit::report::palette;
use trunkline_labkit::statistics::Interval;
use trunkline_labkit::transport::Transport;
use trunkline_labkit::trial::{SessionRecord, Trials};

use super::crossing::{Crossing, octets_line, times_line};
use super::sheets::{self, label, loss, memory_of_session, octets, overhead_of, packets, whole};
use super::{COUNTED, FAST, OURS, PAPERS, SLOW};

const UDP: Protocol = PAPERS[0];
const TCP: Protocol = PAPERS[1];
const USERS: Protocol = PAPERS[2];
const SSH: Protocol = PAPERS[4];

/// All requested tables and figures, and the paper's claims.
pub fn findings(trials: &Trials) -> Findings {
    let mut findings = sheets::findings(trials);
    headings(trials, &mut findings);
    Findings { then_and_now: Some(then_and_now(trials)), ..findings }
}

fn then_and_now(trials: &Trials) -> ThenAndNow {
    let mut claims = one_get(trials);
    claims.extend(break_even(trials));
    claims.extend(bandwidth(trials));
    claims.extend(under_loss(trials));
    claims.push(memory(trials));
    ThenAndNow {
        is_ours: false,
        id: "marinov2006/claims".into(),
        asked: "What does SNMP in a session over SSH cost compared with SNMPv3's own security (USM): time, octets, memory, also \
                when packets are lost?"
            .into(),
        found: "A single get is expensive: it takes 8 times as long as with USM. After about 500 interactions a session over SSH is \
                faster than USM, and its packets are smaller. Under loss, everything over TCP is clearly faster than over UDP."
            .into(),
        today: today(trials),
        basis: "Times of this run are medians, under loss means; the paper does not say what it prints.".into(),
        claims,
        drawing: drawing(trials),
    }
}

/// Section 5.2: one get, session included.
fn one_get(trials: &Trials) -> Vec<Claim> {
    let [udp, tcp, users, _, ssh] = paper::TABLE_2;
    let beside_users = |text: &str, then: f64, now: Option<Estimate>| {
        Claim::new(text, "x", Relation::Above(1.0)).then(then).found(now.as_ref())
    };
    vec![
        beside_users(
            "one get takes longer over SSH than with USM",
            ssh.fast_ms / users.fast_ms,
            ratio_of_gets(trials, FAST, whole, SSH, USERS),
        ),
        beside_users(
            "one get takes more octets over SSH than with USM",
            f64::from(ssh.octets) / f64::from(users.octets),
            ratio_of_gets(trials, COUNTED, octets, SSH, USERS),
        )
        .because(Verdict::Stronger, "keys, names and lists of algorithms are longer than then"),
        beside_users(
            "one get takes more packets over SSH than with USM",
            f64::from(ssh.packets) / f64::from(users.packets),
            ratio_of_gets(trials, COUNTED, packets, SSH, USERS),
        ),
        beside_users(
            "one get takes more packets over TCP than over UDP",
            f64::from(tcp.packets) / f64::from(udp.packets),
            ratio_of_gets(trials, COUNTED, packets, TCP, UDP),
        ),
    ]
}

/// A figure of a get as a multiple of another protocol's.
fn ratio_of_gets(
    trials: &Trials,
    what: &str,
    figure: fn(&SessionRecord) -> Option<f64>,
    one: Protocol,
    other: Protocol,
) -> Option<Estimate> {
    let median = |protocol| trials.pick("marinov2006/table-2", what, protocol, None).median_estimate(figure);
    over(median(one).as_ref(), median(other).as_ref())
}

/// Section 5.3: of the fast agent and of the slow one.
pub(crate) fn break_even(trials: &Trials) -> Vec<Claim> {
    let of = |what: &str| {
        let lines = times_line(trials, what, SSH).zip(times_line(trials, what, USERS));
        let samples = trials.pick(
            "marinov2006/figure-3",
            what,
            SSH,
            trials.sizes("marinov2006/figure-3").last().copied(),
        );
        let now = lines.map(|(ours, theirs)| crossing(&Crossing::of(&ours, &theirs), samples.count()));
        let longest = trials.sizes("marinov2006/figure-3").last().map_or(f64::INFINITY, |it| f64::from(*it));
        let beyond = now.filter(|it| it.value.is_finite() && it.value > longest);
        let claim = Claim::new(
            format!("a walk over SSH is quicker than with USM after a number of interactions ({what} agent)"),
            "interactions",
            Relation::Crosses,
        )
        .then(paper::BREAK_EVEN)
        .now(now)
        .because(
            Verdict::Reversed,
            "each interaction takes longer over SSH: MD5 and AES-128 of USM are cheap now",
        )
        .because(Verdict::Stronger, "the set-up is cheap compared with what an interaction saves")
        .because(Verdict::NotResolved, "the samples do not say which interaction costs more");
        let why = format!("extrapolated: the longest walk has {longest:.0} interactions");
        [Verdict::Holds, Verdict::DirectionHolds, Verdict::Weaker]
            .into_iter()
            .filter(|_| beyond.is_some())
            .fold(claim, |claim, verdict| claim.because(verdict, why.clone()))
    };
    vec![of(FAST), of(SLOW)]
}

/// A crossing as a claim has it.
fn crossing(found: &Crossing, samples: usize) -> Now {
    let never = f64::INFINITY;
    match found {
        Crossing::After(interactions) => Now::from(interactions),
        Crossing::Never => {
            Now { value: never, interval: Some(Interval { low: never, high: never }), samples }
        }
        Crossing::Open => Now { value: never, interval: None, samples },
    }
}

/// Section 5.5.
fn bandwidth(trials: &Trials) -> Vec<Claim> {
    let fewer = |protocol: Protocol| {
        let samples = trials.pick(
            "marinov2006/figure-5",
            COUNTED,
            protocol,
            trials.sizes("marinov2006/figure-5").last().copied(),
        );
        let now = octets_crossing(trials, protocol).map(|it| crossing(&it, samples.count()));
        let text = format!(
            "a walk takes fewer octets over {} than with USM after a number of interactions",
            label(protocol)
        );
        Claim::new(text, "interactions", Relation::Crosses).now(now)
    };
    let more = |text: &str, at: usize, protocol| {
        Claim::new(text, "octets", Relation::Above(0.0))
            .then(paper::OVERHEAD_PER_PACKET[at])
            .found(overhead_of(trials, protocol).as_ref())
    };
    vec![
        fewer(SSH),
        fewer(OURS[2]),
        more("USM adds octets to a packet of SNMPv2c over UDP", 0, USERS),
        more("SSH adds octets to a packet of SNMPv2c over TCP", 1, SSH),
    ]
}

/// Section 5.4.
fn under_loss(trials: &Trials) -> Vec<Claim> {
    let id = "marinov2006/figure-4";
    let longest = trials.sizes(id).last().copied();
    let [.., most] = paper::LOSS_PERCENT;
    let slower = |how: &str, ours: bool| {
        let mean =
            |protocol, ours| trials.pick(id, &loss(most, ours), protocol, longest).mean_estimate(whole);
        let ratio = over(mean(UDP, ours).as_ref(), mean(TCP, false).as_ref());
        let text = format!("a walk takes longer over UDP than over TCP with {most} % of loss, {how}");
        Claim::new(text, "x", Relation::Above(1.0)).found(ratio.as_ref())
    };
    vec![slower("sent again after 1 s", false), slower("sent again after 50 ms", true)]
}

/// Section 5.6.
fn memory(trials: &Trials) -> Claim {
    Claim::new("virtual memory of the agent for an open session over SSH", "KB", Relation::Above(0.0))
        .then(paper::MEMORY_PER_SESSION_KB)
        .found(memory_of_session(trials, sheets::FIGURE_6, SSH, |it| it.virtual_size).as_ref())
        .because(Verdict::Stronger, "the agent keeps buffers and keys of each session ready")
}

/// The sentence about this run.
fn today(trials: &Trials) -> String {
    let parts = [get_today(trials), times_today(trials), octets_today(trials, SSH)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts[..] {
        [] => "This run measured none of the tables that answer it (table-2, figure-3, figure-5).".into(),
        _ => sentence(&parts.join("; ")),
    }
}

/// What each table found, for its heading.
fn headings(trials: &Trials, findings: &mut Findings) {
    for sheet in &mut findings.sheets {
        let found = match sheet.id.as_str() {
            "marinov2006/table-2" => get_today(trials),
            "marinov2006/break-even" => times_today(trials),
            "marinov2006/break-even-octets" => {
                let each: Vec<String> = sessions().filter_map(|it| octets_today(trials, it)).collect();
                (!each.is_empty()).then(|| each.join("; "))
            }
            "marinov2006/overhead" => {
                overhead_of(trials, USERS).zip(overhead_of(trials, SSH)).map(|(users, ssh)| {
                    format!("USM adds {} octets to a packet, SSH {}", Now::from(&users), Now::from(&ssh))
                })
            }
            _ => None,
        };
        sheet.finding = found.map(|text| sentence(&text)).unwrap_or_default();
    }
}

fn get_today(trials: &Trials) -> Option<String> {
    let times = Now::from(&ratio_of_gets(trials, FAST, whole, SSH, USERS)?);
    let more = ratio_of_gets(trials, COUNTED, octets, SSH, USERS);
    let more = more.map_or_else(String::new, |more| format!(" and {} times the octets", Now::from(&more)));
    Some(format!("one get over SSH takes {times} times as long as with USM{more}"))
}

fn times_today(trials: &Trials) -> Option<String> {
    let found = Crossing::of(&times_line(trials, FAST, SSH)?, &times_line(trials, FAST, USERS)?);
    let longest = trials.sizes("marinov2006/figure-3").last().copied();
    Some(crossed("a walk is faster over SSH", &found, longest))
}

fn octets_today(trials: &Trials, protocol: Protocol) -> Option<String> {
    let what = format!("a walk takes fewer octets over {}", protocol.transport);
    let longest = trials.sizes("marinov2006/figure-5").last().copied();
    Some(crossed(&what, &octets_crossing(trials, protocol)?, longest))
}

fn crossed(what: &str, crossing: &Crossing, longest: Option<u32>) -> String {
    match (crossing, longest) {
        (Crossing::After(after), Some(longest)) if after.value() > f64::from(longest) => {
            format!("{what} after {} interactions (extrapolated beyond walks of {longest})", Now::from(after))
        }
        (Crossing::After(after), _) => format!("{what} after {} interactions", Now::from(after)),
        (Crossing::Never, _) => format!("{what} at no length"),
        (Crossing::Open, _) => format!("whether {what} at some length is not resolved"),
    }
}

/// SNMPv2c over SSH, TLS and DTLS.
fn sessions() -> impl Iterator<Item = Protocol> {
    let of = |transport| Protocol { transport, ..SSH };
    [Transport::Ssh, Transport::Tls, Transport::Dtls].into_iter().map(of)
}

/// Octets as a multiple of USM's, by interactions: both years, with the crossings.
fn drawing(trials: &Trials) -> Option<(Figure, String)> {
    let line =
        |protocol| Line::new(label(protocol), palette::protocol(protocol), relative_octets(trials, protocol));
    let mut lines: Vec<Line> = sessions().map(line).filter(|line| !line.points.is_empty()).collect();
    if lines.is_empty() {
        return None;
    }
    lines.push(Line::new("SNMPv2c/SSH in 2006", palette::paper_of(palette::protocol(SSH)), papers_octets()));
    let crossed = sessions().filter_map(|protocol| match octets_crossing(trials, protocol)? {
        Crossing::After(after) if after.value() >= 1.0 => Some(Point::at(after.value(), 1.0)),
        _ => None,
    });
    let crossings = Line::new("as many octets as USM", CROSSED, crossed);
    lines.extend((!crossings.points.is_empty()).then_some(crossings));
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let figure = Figure {
        title: "Octets of a session as a multiple of USM's, by its interactions".into(),
        x: axis("interactions"),
        y: axis("octets / octets of SNMPv3/USM/UDP"),
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    let caption = "Above 1 a session takes more octets than USM with MD5 and AES-128, below 1 fewer. The paper's two points are one get \
                   (table 2) and the walk of 2355 interactions (table 3: packets times the middle of the range that most are in). ";
    Some((figure, caption.into()))
}

/// Where octets of a session fall below USM's.
fn octets_crossing(trials: &Trials, protocol: Protocol) -> Option<Crossing> {
    Some(Crossing::of(&octets_line(trials, protocol)?, &octets_line(trials, USERS)?))
}

/// A protocol's octets as a multiple of USM's: of one get, and of walks by their length.
fn relative_octets(trials: &Trials, protocol: Protocol) -> Vec<Point> {
    let id = "marinov2006/figure-5";
    let get = ratio_of_gets(trials, COUNTED, octets, protocol, USERS).map(|it| (1, it));
    let walks = trials.sizes(id).into_iter().filter_map(|size| {
        let mean = |protocol| trials.pick(id, COUNTED, protocol, size).mean_estimate(octets);
        Some((size, over(mean(protocol).as_ref(), mean(USERS).as_ref())?))
    });
    get.into_iter().chain(walks).map(|(size, ratio)| Point::of(f64::from(size), &ratio)).collect()
}

/// SSH's octets as a multiple of USM's over UDP, of the paper's get and of its walk.
fn papers_octets() -> Vec<Point> {
    let [.., users, _, ssh] = paper::TABLE_2;
    let octets = |at: usize| {
        let paper::Table3Row { range, total, .. } = paper::TABLE_3[at];
        f64::from(range.0 + range.1) / 2.0 * f64::from(total)
    };
    let interactions = f64::from(paper::TABLE_3_OPERATIONS + 1);
    let points =
        [(1.0, f64::from(ssh.octets) / f64::from(users.octets)), (interactions, octets(4) / octets(2))];
    points.map(|(x, y)| Point::at(x, y)).into()
}

/// The mark of a crossing.
const CROSSED: Style = Style { stroke: Stroke::None, mark: Mark::Cross, ..palette::PAPER };

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_labkit::sample::{session, trial};
    use trunkline_labkit::trial::Entry;

    /// Six walks of each length: a set-up, and so much for each interaction, in milliseconds.
    fn walks(protocol: Protocol, set_up: f64, each: f64) -> Vec<Entry> {
        let mut entries = Vec::new();
        for size in [100, 1000] {
            for round in 1..=6 {
                let ms = set_up + each * f64::from(size) + f64::from(round) * 1e-3;
                let one = session("marinov2006/figure-3", FAST, protocol, size, round, [0.0, ms, 0.0]);
                entries.push(Entry::Session(one));
            }
        }
        entries
    }

    fn verdict(ssh: f64, users: f64) -> (Verdict, String) {
        let entries = [walks(SSH, 16.0, ssh), walks(USERS, 1.0, users)].concat();
        let both = then_and_now(&Trials { trial: trial("marinov2006"), entries });
        let found = both.judged().map(|(.., verdict)| verdict).next();
        (found.unwrap(), both.today)
    }

    #[test]
    fn the_break_even_of_times_has_a_verdict() {
        assert_eq!(verdict(0.30, 0.33).0, Verdict::Holds);
        assert_eq!(verdict(0.30, 0.90).0, Verdict::Stronger);
        let (verdict, today) = verdict(0.34, 0.33);
        assert_eq!(verdict, Verdict::Reversed);
        assert_eq!(today, "A walk is faster over SSH at no length.");
    }

    #[test]
    fn the_papers_octets_are_those_of_its_tables() {
        let points = papers_octets();
        assert!((points[0].y - 6.57).abs() < 0.01 && (points[1].y - 0.894).abs() < 0.001, "{points:?}");
        assert_eq!(points[1].x, 2355.0);
    }
}
