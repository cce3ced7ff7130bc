//! From the samples of ma2005 to its tables and figures beside the paper's: a pure function.

mod claims;
mod front;
mod riddle;

use crate::experiments::ma2005::paper::{self as paper, Spread};
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::{Findings, Sheet};
use trunkline_labkit::picked::{Picked, over, total_ms};
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::reading::{Quantity, Readings};
use trunkline_labkit::report::figure::{Axis, Figure, Label, Line, Panel, Point, Scale, Style};
use trunkline_labkit::report::palette;
use trunkline_labkit::report::text::three_digits;
use trunkline_labkit::statistics::quantile;
use trunkline_labkit::trial::{SessionRecord, Trials};

use super::client::{CLOCK, start_of};
use super::size::{AGENT, ALL, CRATES, FILE, MANAGER, NAMED};
use super::{COMMANDS, DOMAINS, GET, SIZE, SYS_CONTACT_OCTETS, TRANSACTIONS};

/// All requested tables and figures.
pub fn findings(trials: &Trials) -> Findings {
    let mut findings = Findings::default();
    let all: [(&str, Make); 10] = [
        ("ma2005/table-1", table_1),
        ("ma2005/table-2", table_2),
        ("ma2005/table-3", front::table_3),
        ("ma2005/figure-3", figure_3),
        ("ma2005/figure-4", figure_4),
        ("ma2005/figure-5", figure_5),
        ("ma2005/figure-6", front::figure_6),
        ("ma2005/figure-7", front::figure_7),
        ("ma2005/jitter", riddle::jitter),
        ("ma2005/size", size),
    ];
    for (id, make) in all {
        if trials.trial.tables.iter().any(|asked| asked == id) {
            findings.sheets.push(make(trials));
        }
    }
    findings.then_and_now = Some(claims::then_and_now(trials));
    findings.doubt_all(trials.doubts());
    findings
}

type Make = fn(&Trials) -> Sheet;

/// Minimum, maximum and mean as the paper prints them, and the median.
const SPREAD: [&str; 4] = ["min", "max", "avg", "median"];

fn of_paper(spread: Spread) -> [Option<f64>; 4] {
    [Some(spread.min), Some(spread.max), Some(spread.avg), None]
}

/// The extremes have no interval: more transactions move them apart.
fn of_ours(figures: &[f64]) -> [Option<Estimate>; 4] {
    let readings = Readings(figures.to_vec());
    let [least, greatest] = [readings.least(), readings.greatest()].map(|it| it.map(Estimate::exact));
    [least, greatest, readings.mean_estimate(), readings.median_estimate()]
}

/// From the first packet to the last if the link was captured, else the whole session.
pub(super) fn latency_ms(session: &SessionRecord) -> f64 {
    session.wire_ns.map_or_else(|| total_ms(session), |ns| ns as f64 / 1e6)
}

fn picked(trials: &Trials, protocol: Protocol) -> Picked<'_> {
    trials.pick(TRANSACTIONS, GET, protocol, None)
}

/// Table 1.
fn table_1(trials: &Trials) -> Sheet {
    let mut sheet =
        Sheet::new("ma2005/table-1", "packets, octets and latency of one get of sysContact", &SPREAD);
    sheet.note = "Setting up and tearing down included. Octets of IP packets, which is what fits the paper's figures over UDP. Latency from the \
                  first packet on the link to the last, as tcpdump at the client saw it, which includes the client's own time between \
                  packets; `session` is the same from before opening to after closing by our clock. The paper's handshake of \
                  HTTPS is SSL's of 2003. The client of these sessions asks for no compressed answers: `trunkline get` does, in 32 octets \
                  more over HTTP."
        .into();
    sheet.note += &match trials.trial.setting[SYS_CONTACT_OCTETS].as_u64() {
        Some(octets) => {
            format!(" sysContact has {octets} octets; the paper's had some 15, by its octets over UDP.")
        }
        None => " sysContact was empty; the paper's had some 15 octets, by those over UDP, which ours lack."
            .to_owned(),
    };
    for (domain, protocol) in paper::DOMAINS.iter().zip(DOMAINS) {
        let picked = picked(trials, protocol);
        let of = |figure: &dyn Fn(&SessionRecord) -> Option<f64>| {
            of_ours(&picked.iter().filter_map(figure).collect::<Vec<f64>>())
        };
        let rows = [
            ("packets", domain.packets, of(&|it| Some(it.link?.at_manager().packets as f64))),
            ("octets", domain.octets, of(&|it| Some(it.link?.at_manager().ip_octets as f64))),
            ("latency (ms)", domain.latency, of(&|it| Some(latency_ms(it)))),
        ];
        for (what, printed, ours) in rows {
            sheet.with_ratios = !what.ends_with("(ms)");
            sheet.estimates(format!("{} {what}", domain.name), &of_paper(printed), &ours);
        }
        sheet.estimates(format!("{} session (ms)", domain.name), &[], &of(&|it| Some(total_ms(it))));
    }
    sheet.drawings.extend(beside_udp(trials));
    sheet
}

/// Means of table 1 as multiples of those over UDP, ours and the paper's.
fn beside_udp(trials: &Trials) -> Option<(Figure, String)> {
    type Of = (&'static str, fn(&paper::Domain) -> Spread, fn(&SessionRecord) -> Option<f64>);
    let all: [Of; 3] = [
        ("packets", |it| it.packets, |it| Some(it.link?.at_manager().packets as f64)),
        ("octets", |it| it.octets, |it| Some(it.link?.at_manager().ip_octets as f64)),
        ("latency", |it| it.latency, |it| Some(latency_ms(it))),
    ];
    let panel = |(title, of_paper, of_session): Of| {
        let mean = |at: usize| picked(trials, DOMAINS[at]).mean_estimate(of_session);
        let printed = |at: usize| of_paper(&paper::DOMAINS[at]).avg;
        let of_domain = |at: usize| {
            let style = palette::protocol(DOMAINS[at]).points();
            let then = Point::at(1.0, printed(at) / printed(0));
            let now = over(mean(at).as_ref(), mean(0).as_ref()).map(|ratio| Point::of(1.0, &ratio));
            let line = |style, point| Line::new(paper::DOMAINS[at].name, style, [point]);
            [Some(line(palette::paper_of(style).points(), then)), now.map(|now| line(style, now))]
        };
        let lines = (1..DOMAINS.len()).flat_map(of_domain).flatten().collect();
        Panel { title: title.into(), lines, ..Panel::default() }
    };
    let figure = Figure {
        title: "Packets, octets and latency of one get as multiples of those over UDP".into(),
        x: Axis { title: "get of sysContact".into(), scale: Scale::Linear },
        y: Axis { title: "multiple of UDP's".into(), scale: Scale::Log },
        panels: all.map(panel).into(),
    };
    let any =
        figure.panels.iter().flat_map(|it| &it.lines).any(|it| it.style.colour != palette::PAPER.colour);
    any.then(|| {
        (figure, "Means of a get, session included. Grey: the paper's; bars are intervals at 95 %.".into())
    })
}

/// Table 2.
fn table_2(trials: &Trials) -> Sheet {
    let title = "what the client executes for one get, from start to end";
    let mut sheet = Sheet::new("ma2005/table-2", title, &SPREAD).without_ratios();
    sheet.note = "Of the command `trunkline get`, its start included. Instructions counted by callgrind are those of the program without the \
                  kernel; the paper does not say whether its counters had the kernel's (that they agree to five digits suggests not). Where no counter of cycles is there, user and system time by the \
                  processor's clock stand in for them. `start alone` is the same command up to its first message, at a peer that never \
                  answers: it loads the program, reads keys and certificates, makes the cryptographic library ready, and over TCP and HTTP \
                  encodes and sends the request. `without the start` is the difference: the answer and the end, over HTTPS the rest of \
                  the handshake and the request too. Our build seeds the library's random numbers from the kernel; with its own \
                  collection of entropy a start over HTTPS would take some 450 million instructions (decision 0050)."
        .into();
    let clock = trials.read(COMMANDS, CLOCK, 0, Quantity::Cycles).median();
    for domain in paper::DOMAINS {
        let label = |what: &str| format!("{} {what}", domain.name);
        let ours = of_ours(&executed(trials, domain.name));
        sheet.estimates(label("instructions (millions)"), &of_paper(domain.instructions), &ours);
        let start = of_ours(&executed(trials, &start_of(domain.name)));
        if start.iter().any(Option::is_some) {
            let rest = ours.iter().zip(&start).enumerate().map(|(at, (ours, start))| {
                // Extremes of two samples do not belong together.
                Some(ours.as_ref()? - start.as_ref()?).filter(|_| at >= 2)
            });
            let rest: Vec<Option<Estimate>> = rest.collect();
            sheet.estimates(label("start alone, instructions (millions)"), &[], &start);
            sheet.estimates(label("instructions without the start (millions)"), &[], &rest);
        }
        let time = trials.read(COMMANDS, domain.name, 1, Quantity::CpuNs).0;
        let counted: Vec<f64> =
            trials.read(COMMANDS, domain.name, 1, Quantity::Cycles).0.iter().map(|it| it / 1e6).collect();
        let cycles = match clock {
            Some(clock) if counted.is_empty() => time.iter().map(|ns| ns * clock / 1e15).collect(),
            _ => counted,
        };
        sheet.estimates(label("cycles (millions)"), &of_paper(domain.cycles), &of_ours(&cycles));
        let time: Vec<f64> = time.iter().map(|ns| ns / 1e6).collect();
        sheet.estimates(label("user and system time (ms)"), &[], &of_ours(&time));
    }
    sheet
}

/// Instructions of a command's series, millions.
fn executed(trials: &Trials, series: &str) -> Vec<f64> {
    trials.read(COMMANDS, series, 1, Quantity::Executed).0.iter().map(|it| it / 1e6).collect()
}

/// Figure 3: UDP, TCP and HTTP.
fn figure_3(trials: &Trials) -> Sheet {
    let series = DOMAINS.iter().take(3).zip(paper::DOMAINS).map(|(&protocol, domain)| {
        (domain.name, Some(domain.latency), picked(trials, protocol).iter().map(latency_ms).collect())
    });
    let mut sheet = distribution("ma2005/figure-3", "latency over UDP, TCP and HTTP (ms)", series.collect());
    sheet.note = "The transactions of table 1 in their order. The paper's plot has three flat bands with few stray points; of it table \
                  1 prints minimum, maximum and mean."
        .into();
    sheet
}

/// Figure 4: HTTPS, with HTTP for comparison.
fn figure_4(trials: &Trials) -> Sheet {
    let series = [3, 2].map(|at: usize| {
        let domain = paper::DOMAINS[at];
        (domain.name, Some(domain.latency), picked(trials, DOMAINS[at]).iter().map(latency_ms).collect())
    });
    let mut sheet = distribution("ma2005/figure-4", "latency over HTTPS (ms)", series.into());
    sheet.note = "As figure 3; joined points are the same transactions sorted, as in the paper's overlay, which rose evenly over the whole range: \
                  no trend. Why it did so: ma2005/jitter."
        .into();
    sheet
}

/// Figure 5: the client's cycles over HTTPS.
fn figure_5(trials: &Trials) -> Sheet {
    let clock = trials.read(COMMANDS, CLOCK, 0, Quantity::Cycles).median();
    let series = [3, 2].map(|at: usize| {
        let domain = paper::DOMAINS[at];
        let counted = trials.read(COMMANDS, domain.name, 1, Quantity::Cycles).0;
        let time = trials.read(COMMANDS, domain.name, 1, Quantity::CpuNs).0;
        let cycles = match clock {
            Some(clock) if counted.is_empty() => time.iter().map(|ns| ns * clock / 1e15).collect(),
            _ => counted.iter().map(|it| it / 1e6).collect(),
        };
        (domain.name, Some(domain.cycles), cycles)
    });
    let mut sheet =
        distribution("ma2005/figure-5", "the client's clock cycles over HTTPS (millions)", series.into());
    sheet.note = "The commands of table 2, sorted. What stands in for cycles where the processor's counters are out of reach: see there.".into();
    sheet
}

/// A column of quantiles per series, with the paper's spread if it has one; drawn in order of measurement, and sorted.
fn distribution(id: &str, title: &str, series: Vec<(&str, Option<Spread>, Vec<f64>)>) -> Sheet {
    let columns = ["min", "1 %", "25 %", "median", "75 %", "99 %", "max", "mean", "max / min"];
    let mut sheet = Sheet::new(id, title, &columns).without_ratios();
    for (name, printed, figures) in &series {
        let mut sorted = figures.clone();
        sorted.sort_by(f64::total_cmp);
        let extreme = |p: f64| quantile(&sorted, p);
        let ratio = extreme(1.0).zip(extreme(0.0)).map(|(max, min)| Estimate::exact(max / min));
        let ours = [
            extreme(0.0).map(Estimate::exact),
            at(figures, 0.01),
            at(figures, 0.25),
            at(figures, 0.5),
            at(figures, 0.75),
            at(figures, 0.99),
            extreme(1.0).map(Estimate::exact),
            Estimate::mean(figures),
            ratio,
        ];
        let paper = printed.map_or_else(Vec::new, |Spread { min, max, avg }| {
            vec![Some(min), None, None, None, None, None, Some(max), Some(avg), Some(max / min)]
        });
        sheet.estimates(*name, &paper, &ours);
    }
    sheet.drawings.extend(scatter(title, &series));
    sheet
}

/// A quantile.
fn at(figures: &[f64], p: f64) -> Option<Estimate> {
    Estimate::of(figures, |all| {
        let mut sorted = all.to_vec();
        sorted.sort_by(f64::total_cmp);
        quantile(&sorted, p)
    })
}

/// Points in order of measurement, and sorted.
fn scatter(title: &str, series: &[(&str, Option<Spread>, Vec<f64>)]) -> Option<(Figure, String)> {
    let mut panels = [Panel::default(), Panel::default(), Panel::default()];
    let places = series.iter().map(|(_, _, figures)| figures.len()).max().unwrap_or(0);
    for (at, (name, printed, figures)) in series.iter().enumerate() {
        let domain = paper::DOMAINS.iter().zip(DOMAINS).find(|(domain, _)| domain.name == *name);
        let style = domain.map_or(palette::series(at), |(_, protocol)| palette::protocol(protocol)).points();
        let line = |figures: &[f64], style| {
            let points = (1u32..).zip(figures).map(|(at, &y)| Point::at(f64::from(at), y));
            Line::new(*name, style, points)
        };
        let mut sorted = figures.clone();
        sorted.sort_by(f64::total_cmp);
        panels[0].lines.push(line(figures, style));
        panels[1].lines.push(line(&sorted, style));
        let x = places as f64 * (at as f64 + 0.5) / series.len() as f64;
        let Some(printed) = printed else { continue };
        panels[2].lines.push(papers_spread(printed, x, style));
        let (text, colour) = ((*name).to_owned(), palette::PAPER.colour);
        panels[2].labels.push(Label { x, y: printed.avg, text, colour, is_written: true });
    }
    panels[0].title = "in their order".into();
    panels[1].title = "sorted".into();
    panels[2].title = "the paper, 2005: minimum, mean, maximum".into();
    let any = series.iter().any(|(_, _, figures)| !figures.is_empty());
    let figure = Figure {
        title: title.into(),
        x: Axis { title: "transaction".into(), scale: Scale::Linear },
        y: Axis { title: title.into(), scale: Scale::Log },
        panels: panels.into(),
    };
    let medians = series.iter().filter_map(|(name, _, figures)| {
        let mut sorted = figures.clone();
        sorted.sort_by(f64::total_cmp);
        let (median, most) = (quantile(&sorted, 0.5)?, *sorted.last()?);
        let [shown, times] = [median, most / median].map(three_digits);
        Some(format!("{name}: median {shown}, the largest is {times} times that"))
    });
    let caption = medians.collect::<Vec<_>>().join("; ") + ".";
    any.then_some((figure, caption))
}

/// Least, mean and greatest of the paper, at a place that means nothing.
fn papers_spread(printed: &Spread, x: f64, style: Style) -> Line {
    let point = Point { interval: Some((printed.min, printed.max)), ..Point::at(x, printed.avg) };
    Line::new("", palette::paper_of(style).points(), [point])
}

/// The growth of the program.
fn size(trials: &Trials) -> Sheet {
    let columns = ["Net-SNMP's library (octets)", "trunklined (octets)", "trunkline (octets)"];
    let mut sheet =
        Sheet::new("ma2005/size", "what HTTP, XML and SOAP cost in the size of the program", &columns);
    sheet.note = "The paper's column is its own library without and with gSOAP and the two domains; OpenSSL and zlib are not included. Ours are the \
                  instructions whose symbols bear the name of a crate that nothing else needs: what is shared, or inlined \
                  elsewhere, is not among them, so it is a lower bound; and of more than the paper added: HTTP/2, a WSDL of every \
                  table, expressions. `growth` is with by without."
        .into();
    let of = |series: &str, at: u32| trials.read(SIZE, series, at, Quantity::FileOctets).median();
    let both = |series: &str| [None, of(series, AGENT), of(series, MANAGER)];
    for series in [FILE, ALL, NAMED] {
        sheet.row(series, &[], &both(series), 1);
    }
    for (name, _) in CRATES {
        sheet.row(name, &[], &both(name), 1);
    }
    let added = |at: u32| -> Option<f64> {
        of(ALL, at)?;
        Some(CRATES.iter().filter_map(|(name, _)| of(name, at)).sum())
    };
    let (without, with) = paper::LIBRARY_OCTETS;
    let rest = |at: u32| Some(of(ALL, at)? - added(at)?);
    sheet.row("without", &[Some(without as f64)], &[None, rest(AGENT), rest(MANAGER)], 1);
    sheet.row("with", &[Some(with as f64)], &both(ALL), 1);
    let growth = |at: u32| Some(added(at)? / rest(at)? * 100.0);
    let paper = paper::growth_percent();
    sheet.row(
        "growth (%)",
        &[Some(paper), Some(paper), Some(paper)],
        &[None, growth(AGENT), growth(MANAGER)],
        1,
    );
    sheet
}
