//! What the paper claims, and what this run finds.

use crate::experiments::ma2005::FRONT;
use crate::experiments::ma2005::browser::Way;
use crate::experiments::ma2005::jitter::VARIANTS;
use crate::experiments::ma2005::paper::{self, Domain, Spread};
use crate::experiments::ma2005::size::{AGENT, ALL, CRATES};
use trunkline_labkit::claims::Verdict::{Holds, Reversed, Stronger, Weaker};
use trunkline_labkit::claims::{Claim, Now, Relation, ThenAndNow};
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::report::figure::{Axis, Figure, Line, Panel, Point, Scale, Style};
use trunkline_labkit::report::palette;
use trunkline_labkit::report::text::three_digits;
use trunkline_labkit::statistics::quantile;
use trunkline_labkit::trial::{SessionRecord, Trials};

use super::super::{DOMAINS, SIZE};
use super::riddle::{KEYED, of_variant};
use super::{executed, latency_ms, picked};

/// The paper's page.
pub(super) fn then_and_now(trials: &Trials) -> ThenAndNow {
    let mut claims = of_packets(trials);
    claims.extend(of_latency(trials));
    claims.extend(of_variation(trials));
    claims.extend(of_instructions(trials));
    claims.extend(of_browsers(trials));
    claims.push(of_size(trials));
    ThenAndNow {
        is_ours: false,
        id: "ma2005/claims".into(),
        asked: "What does it cost to carry an SNMP get inside SOAP over HTTP or HTTPS: packets, octets, latency, instructions?".into(),
        found: "HTTP costs what was expected, and always the same. HTTPS takes 59 times as long as HTTP and varies unpredictably, which \
                the authors could not explain."
            .into(),
        today: today(trials),
        basis: "Packets, octets, latency and instructions are means, as the paper's; latency is that of packets on the link, of browsers too.".into(),
        claims,
        drawing: drawing(trials),
    }
}

/// What this run finds, as far as it measured it.
fn today(trials: &Trials) -> String {
    let mut said = Vec::new();
    if let (Some(http), Some(https)) = (over(trials, HTTP, UDP, latency), over(trials, HTTPS, HTTP, latency))
    {
        said.push(format!(
            "A get over HTTP takes {} times as long as over UDP, and over HTTPS {} times as long as over HTTP.",
            three_digits(http.value()),
            three_digits(https.value())
        ));
    }
    let share = |figures: &[f64]| Some(three_digits(middle_half(figures)?.value()));
    if let Some(plain) = share(&latencies(trials, HTTPS)) {
        let mut sentence =
            format!("Over HTTPS the middle half of the latencies differs by {plain} % of the median");
        if let Some(keyed) = share(&of_variant(trials, VARIANTS[KEYED].name)) {
            sentence += &format!("; with an RSA key generated in each session, by {keyed} %");
        }
        said.push(sentence + ".");
    }
    if said.is_empty() {
        "This run measured none of what the claims are about.".into()
    } else {
        said.join(" ")
    }
}

/// Table 1, packets and octets.
fn of_packets(trials: &Trials) -> Vec<Claim> {
    let mut claims = Vec::new();
    for at in [TCP, HTTP, HTTPS] {
        let text = format!("a get over {} takes more packets than over UDP", name(at));
        claims.push(beside_udp(trials, text, at, |it| it.packets, packets));
    }
    for at in [TCP, HTTP, HTTPS] {
        let text = format!("a get over {} takes more octets than over UDP", name(at));
        claims.push(beside_udp(trials, text, at, |it| it.octets, octets));
    }
    claims
}

/// Table 1, latency, relative to one another: the machines are twenty years apart.
fn of_latency(trials: &Trials) -> Vec<Claim> {
    let mut claims = Vec::new();
    for at in [TCP, HTTP, HTTPS] {
        let text = format!("a get over {} takes longer than over UDP", name(at));
        claims.push(beside_udp(trials, text, at, |it| it.latency, latency));
    }
    let then = paper::DOMAINS[HTTPS].latency.avg / paper::DOMAINS[HTTP].latency.avg;
    let why = "a handshake over an elliptic curve takes a millisecond";
    let claim =
        Claim::new("a get over HTTPS takes longer than over HTTP", "x", Relation::Above(1.0)).then(then);
    claims.push(claim.because(Weaker, why).found(over(trials, HTTPS, HTTP, latency).as_ref()));
    claims
}

/// Figures 3 and 4: how far apart the quartiles of the latencies are, relative to their median, over HTTPS as a multiple of
/// what it is over HTTP. What takes longer is spread wider in milliseconds even if nothing in it is random, so that widths alone
/// would say nothing. The paper prints minimum, mean and maximum, which depend on how many transactions there were, and on single ones.
fn of_variation(trials: &Trials) -> Vec<Claim> {
    let against = |figures: &[f64], http: &[f64]| Some(&middle_half(figures)? / &middle_half(http)?);
    let claim =
        |text: &str, now: Option<Estimate>| Claim::new(text, "x", Relation::Above(1.0)).found(now.as_ref());
    let plain = against(&latencies(trials, HTTPS), &latencies(trials, HTTP));
    let keyed =
        against(&of_variant(trials, VARIANTS[KEYED].name), &of_variant(trials, VARIANTS[HTTP_EACH].name));
    vec![
        claim("latency varies more over HTTPS than over HTTP (middle half by the median)", plain)
            .because(Reversed, "no RSA key is made in a session"),
        claim("the same with an RSA key made in each session (`jitter`, over the loopback)", keyed)
            .because(Holds, "the search for primes takes a random time: this may explain the paper's riddle"),
    ]
}

/// Table 2.
fn of_instructions(trials: &Trials) -> Vec<Claim> {
    let of = |at: usize| Estimate::mean(&executed(trials, name(at)));
    let mut claims = Vec::new();
    for at in [HTTP, HTTPS] {
        let then = paper::DOMAINS[at].instructions.avg / paper::DOMAINS[UDP].instructions.avg;
        let now = of(at).zip(of(UDP)).map(|(it, udp)| &it / &udp);
        let text = format!("a client over {} executes more than over UDP", name(at));
        let claim = Claim::new(text, "x", Relation::Above(1.0)).then(then);
        claims.push(
            claim
                .because(Stronger, "our start is short, so that what differs weighs more")
                .found(now.as_ref()),
        );
    }
    claims
}

/// Table 3, means relative to one another; latency is that of packets on both sides, in the paper and here.
fn of_browsers(trials: &Trials) -> Vec<Claim> {
    let of = |way: Way, quantity| trials.read(FRONT, &way.series(false), 1, quantity).mean_estimate();
    let ms = |way: Way| Estimate::mean(&trials.read(FRONT, &way.series(false), 1, Quantity::WireNs).in_ms());
    let above = |text: &str, then: f64, now: Option<Estimate>| {
        Claim::new(text, "x", Relation::Above(1.0)).then(then).found(now.as_ref())
    };
    let ratio = |one: Option<Estimate>, other: Option<Estimate>| Some(&one? / &other?);
    let (initial, soap) = (Way::Initial, Way::Soap);
    let http = Estimate::mean(&latencies(trials, HTTP));
    let then = paper::PRELOADED.latency.avg / paper::DOMAINS[HTTP].latency.avg;
    let small = "a page of a few files, and no servlet between it and the agent";
    vec![
        above("a get by SOAP takes longer in a browser than in the HTTP domain", then, ratio(ms(soap), http))
            .because(Weaker, "the connection is kept, and nothing stands between the page and the agent")
            .because(Reversed, "the page keeps its connection; a command opens one each time"),
        above(
            "an initial load takes longer than a get in a page that is there",
            paper::INITIAL.latency.avg / paper::PRELOADED.latency.avg,
            ratio(ms(initial), ms(soap)),
        )
        .because(Stronger, "a get is quick: it is what is left once the page is there"),
        above(
            "an initial load transfers more octets than a get in a page that is there",
            paper::INITIAL.octets.avg / paper::PRELOADED.octets.avg,
            ratio(of(initial, Quantity::IpOctets), of(soap, Quantity::IpOctets)),
        )
        .because(Stronger, small),
    ]
}

/// Section 4.1, the last paragraph.
fn of_size(trials: &Trials) -> Claim {
    let of = |series: &str| trials.read(SIZE, series, AGENT, Quantity::FileOctets).median();
    let added: Option<f64> = CRATES.iter().map(|(name, _)| of(name)).sum();
    let growth = of(ALL).zip(added).map(|(all, added)| Now::at_least(added / (all - added) * 100.0, 1));
    let text = "HTTP and SOAP make the program larger";
    let claim = Claim::new(text, "%", Relation::Above(0.0)).then(paper::growth_percent()).now(growth);
    claim.direction_only(
        "not like with like in size: then the library of a manager, now the whole agent, at least",
    )
}

/// A claim about the mean of a figure of a domain by that over UDP.
fn beside_udp(
    trials: &Trials,
    text: String,
    at: usize,
    then: fn(&Domain) -> Spread,
    now: fn(&SessionRecord) -> Option<f64>,
) -> Claim {
    let [it, udp] = [at, UDP].map(|at| then(&paper::DOMAINS[at]).avg);
    let found = over(trials, at, UDP, now);
    Claim::new(text, "x", Relation::Above(1.0)).then(it / udp).found(found.as_ref())
}

/// The mean of a figure of one domain by that of another.
fn over(
    trials: &Trials,
    upper: usize,
    lower: usize,
    figure: fn(&SessionRecord) -> Option<f64>,
) -> Option<Estimate> {
    let of = |at: usize| picked(trials, DOMAINS[at]).mean_estimate(figure);
    Some(&of(upper)? / &of(lower)?)
}

/// The distance between the quartiles by the median, in per cent: 0 if all are the same.
pub(super) fn middle_half(figures: &[f64]) -> Option<Estimate> {
    Estimate::of(figures, |all| quartiles(all).map(|[low, median, high]| (high - low) / median * 100.0))
}

/// The first quartile, the median and the third quartile.
fn quartiles(figures: &[f64]) -> Option<[f64; 3]> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some([quantile(&sorted, 0.25)?, quantile(&sorted, 0.5)?, quantile(&sorted, 0.75)?])
}

fn latencies(trials: &Trials, at: usize) -> Vec<f64> {
    picked(trials, DOMAINS[at]).iter().map(latency_ms).collect()
}

fn packets(session: &SessionRecord) -> Option<f64> {
    Some(session.link?.at_manager().packets as f64)
}

fn octets(session: &SessionRecord) -> Option<f64> {
    Some(session.link?.at_manager().ip_octets as f64)
}

fn latency(session: &SessionRecord) -> Option<f64> {
    Some(latency_ms(session))
}

fn name(at: usize) -> &'static str {
    paper::DOMAINS[at].name
}

/// Latencies sorted, each as a multiple of the least, and the paper's least, mean and greatest as a bar.
fn drawing(trials: &Trials) -> Option<(Figure, String)> {
    let made = (
        "HTTPS, an RSA key made in each session",
        of_variant(trials, VARIANTS[KEYED].name),
        palette::series(0),
    );
    let ours = [HTTP, HTTPS].map(|at| (name(at), latencies(trials, at), palette::protocol(DOMAINS[at])));
    let drawn = ours.into_iter().chain([made]).filter(|(_, figures, _)| figures.len() > 1);
    let mut lines: Vec<Line> = drawn
        .map(|(label, figures, style): (&str, _, Style)| Line::new(label, style, sorted(figures)))
        .collect();
    let any = !lines.is_empty();
    for (at, x) in [(HTTP, 46.0), (HTTPS, 54.0)] {
        let Spread { min, max, avg } = paper::DOMAINS[at].latency;
        let style = palette::paper_of(palette::protocol(DOMAINS[at])).points();
        let bar = Point { interval: Some((1.0, max / min)), ..Point::at(x, avg / min) };
        lines.push(Line::new(format!("the paper's {}: minimum, mean, maximum", name(at)), style, [bar]));
    }
    let figure = Figure {
        title: "Latency of a get by the minimum of its kind".into(),
        x: Axis { title: "transactions, sorted (%)".into(), scale: Scale::Linear },
        y: Axis { title: "latency / minimum".into(), scale: Scale::Log },
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    let caption = "Each transaction as a multiple of the quickest of its kind, sorted: a flat line does not vary. Grey: the paper's \
                   minimum, mean and maximum, whose place on the horizontal axis means nothing.";
    any.then(|| (figure, caption.into()))
}

fn sorted(mut figures: Vec<f64>) -> Vec<Point> {
    figures.sort_by(f64::total_cmp);
    let (least, share) = (figures[0], 100.0 / figures.len() as f64);
    let point = |(at, latency): (u32, f64)| Point::at(f64::from(at) * share, latency / least);
    (1u32..).zip(figures).map(point).collect()
}

/// The domains, in the paper's order.
const UDP: usize = 0;
const TCP: usize = 1;
const HTTP: usize = 2;
const HTTPS: usize = 3;
/// The variant that opens a connection over HTTP for each transaction.
const HTTP_EACH: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variation_is_the_middle_half_by_the_median() {
        let flat = middle_half(&[2.0; 8]).unwrap();
        assert_eq!((flat.value(), flat.against(0.0)), (0.0, Some(std::cmp::Ordering::Equal)));
        assert_eq!(middle_half(&[1.0, 3.0, 4.0, 5.0, 99.0]).unwrap().value(), 50.0);
        assert_eq!(VARIANTS[HTTP_EACH].name, "HTTP, a connection each");
        assert!(VARIANTS[KEYED].name.contains("RSA key made"));
    }

    #[test]
    fn the_sorted_line_begins_at_one() {
        let points = sorted(vec![4.0, 2.0]);
        assert_eq!((points[0].x, points[0].y, points[1].x, points[1].y), (50.0, 1.0, 100.0, 2.0));
    }
}
