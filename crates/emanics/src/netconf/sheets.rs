//! From the samples of the experiment `netconf` to its tables: a pure function.

use trunkline_labkit::claims::{Claim, Relation, ThenAndNow, sentence};
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::{Findings, Sheet};
use trunkline_labkit::picked::{Middle, over, total_ms};
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::reading::{Quantity, Readings};
use trunkline_labkit::report::figure::{Axis, Figure, Line, Panel, Point, Scale};
use trunkline_labkit::report::palette;
use trunkline_labkit::transport::Transport;
use trunkline_labkit::trial::{SessionRecord, Trials};

use super::octets::{How, series};
use super::phases::WAYS;
use super::{COUNTED, TIME, protocols};
use crate::marinov2006::paper;
use crate::marinov2006::sheets::open_memory;

const OCTETS: &str = "netconf/figure-11";
const PACKED: &str = "netconf/figure-12";
const CODING: &str = "netconf/figure-13";
const RETRIEVAL: &str = "netconf/figure-14";
const TABLE_2: &str = "netconf/table-2";
const FIGURE_3: &str = "netconf/figure-3";
const FIGURE_6: &str = "netconf/figure-6";

/// Makes a table or a figure.
type MakeSheet = fn(&Trials) -> Sheet;

/// All requested tables and figures.
pub(super) fn findings(trials: &Trials) -> Findings {
    let mut findings = Findings::default();
    let all: [(&str, MakeSheet); 7] = [
        (OCTETS, figure_11),
        (PACKED, figure_12),
        (CODING, figure_13),
        (RETRIEVAL, figure_14),
        (TABLE_2, table_2),
        (FIGURE_3, figure_3),
        (FIGURE_6, figure_6),
    ];
    for (id, sheet) in all {
        if trials.trial.tables.iter().any(|asked| asked == id) {
            findings.sheets.push(sheet(trials));
        }
    }
    findings.then_and_now = Some(then_and_now(trials));
    findings.doubt_all(trials.doubts());
    findings
}

/// Request and answer together.
fn octets(trials: &Trials, series: &str, at: u32) -> Option<f64> {
    let of = |quantity| trials.read(OCTETS, series, at, quantity).mean();
    Some(of(Quantity::RequestOctets)? + of(Quantity::ResponseOctets)?)
}

fn by_octets(trials: &Trials, id: &str, title: &str, is_compressed: bool) -> Sheet {
    let objects = trials.places(OCTETS, Quantity::RequestOctets);
    let mut sheet = Sheet::by_objects(id, title, &objects).without_ratios();
    let mut lines = Vec::new();
    for (at, how) in How::ALL.into_iter().enumerate() {
        let name = series(how, is_compressed);
        let ours: Vec<Option<f64>> = objects.iter().map(|&at| octets(trials, &name, at)).collect();
        let points = objects.iter().zip(&ours).filter_map(|(&x, y)| Some(Point::at(f64::from(x), (*y)?)));
        lines.push(Line::new(name.clone(), palette::series(at), points));
        sheet.row(name, &[], &ours, 1);
    }
    sheet.drawings.extend(drawing("Octets of request and answer.", "octets", lines));
    sheet
}

fn drawing(caption: &str, unit: &str, lines: Vec<Line>) -> Option<(Figure, String)> {
    lines.iter().any(|line| !line.points.is_empty()).then(|| {
        let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
        let figure = Figure {
            title: caption.into(),
            x: axis("objects"),
            y: axis(unit),
            panels: vec![Panel { lines, ..Panel::default() }],
        };
        let caption = format!("{caption} {}", figure.extremes());
        (figure, caption.trim_end().to_owned())
    })
}

fn figure_11(trials: &Trials) -> Sheet {
    let mut sheet =
        by_octets(trials, OCTETS, "octets of request and answer, by objects (Pras, figure 11)", false);
    sheet.note = "At application level, for whole rows of 22 columns of ifTable. SNMP: one message each, SNMPv2c. SOAP: lists of values in HTTP, whose heads \
                  are in it; Pras counts without them. NETCONF: a get with an XPath filter that counts rows, with the framing of base 1.1. The paper's \
                  own series, and web services in its encoding, are in `pras2005`."
        .into();
    sheet
}

fn figure_12(trials: &Trials) -> Sheet {
    let mut sheet =
        by_octets(trials, PACKED, "octets of request and answer, compressed (Pras, figure 12)", true);
    sheet.note = "The same with what each protocol has: SNMP's zlib for the whole PDU, gzip over HTTP, a stream of zlib for a message of NETCONF; messages \
                  of less than 1000 octets go uncompressed over NETCONF and HTTP."
        .into();
    sheet
}

/// Some phases of a way together.
fn phases(trials: &Trials, how: How, some: &[&str], at: u32) -> Readings {
    let all: Vec<Readings> = some
        .iter()
        .map(|phase| trials.read(CODING, &format!("{}: {phase}", how.name()), at, Quantity::PhaseNs))
        .collect();
    let count = all.iter().map(Readings::count).min().unwrap_or(0);
    Readings((0..count).map(|place| all.iter().map(|it| it.0[place]).sum()).collect())
}

fn by_phases(trials: &Trials, id: &str, title: &str, some: &[&str]) -> Sheet {
    let objects = trials.places(CODING, Quantity::PhaseNs);
    let mut sheet = Sheet::by_objects(id, title, &objects).without_ratios();
    let mut lines = Vec::new();
    // In the colours of figure 11.
    for (at, how) in How::ALL.into_iter().enumerate().filter(|(_, how)| WAYS.contains(how)) {
        let of = |at: &u32| phases(trials, how, some, *at).mean_estimate().map(|it| it.map(|ns| ns / 1e3));
        let ours: Vec<Option<Estimate>> = objects.iter().map(of).collect();
        let points =
            objects.iter().zip(&ours).filter_map(|(&x, y)| Some(Point::of(f64::from(x), y.as_ref()?)));
        lines.push(Line::new(how.name(), palette::series(at), points));
        sheet.estimates(how.name(), &[], &ours);
    }
    let caption = format!(
        "{} inside the agent; bars are intervals at 95 %.",
        if id == CODING { "Coding" } else { "Retrieval" }
    );
    sheet.drawings.extend(drawing(&caption, "µs", lines));
    sheet
}

const CODED: [&str; 2] = ["decode", "encode"];
const RETRIEVED: [&str; 2] = ["filter", "retrieve"];

fn figure_13(trials: &Trials) -> Sheet {
    let mut sheet =
        by_phases(trials, CODING, "coding inside the agent, by objects (µs; Pras, figure 13)", &CODED);
    sheet.note = "What the clocks of trunklined-lab have for reading the request and writing the answer, the mean of ten requests in a kept session without \
                  protection. HTTP's own work is not in it."
        .into();
    sheet
}

fn figure_14(trials: &Trials) -> Sheet {
    let mut sheet = by_phases(
        trials,
        RETRIEVAL,
        "retrieval inside the agent, by objects (µs; Pras, figure 14)",
        &RETRIEVED,
    );
    sheet.note = "What the same clocks have for finding the data: for NETCONF with the evaluation of its expression over all rows of the table. Data that \
                  was read from the machine serves for ten seconds; what reading it again costs is in `pras2005`."
        .into();
    sheet
}

fn whole(session: &SessionRecord) -> Option<f64> {
    Some(total_ms(session))
}

fn table_2(trials: &Trials) -> Sheet {
    let columns = ["time (ms)", "data (octets)", "packets"];
    let mut sheet =
        Sheet::new(TABLE_2, "one get of sysDescr.0, session included (Marinov, table 2)", &columns);
    sheet.note = "Means and medians of whole sessions, over the agent's loopback; octets of Ethernet frames and packets on the emulated link. The paper's \
                  agent is its fast one. Sessions of NETCONF begin with an exchange of hellos: the agent's has the names of all its modules."
        .into();
    for (at, protocol) in protocols().enumerate() {
        let printed = paper::TABLE_2.get(at);
        let printed =
            printed.map(|row| [row.fast_ms, f64::from(row.octets), f64::from(row.packets)].map(Some));
        let [timed, counted] = [TIME, COUNTED].map(|what| trials.pick(TABLE_2, what, protocol, None));
        for middle in Middle::BOTH {
            let octets = |it: &SessionRecord| Some(it.link?.at_manager().ethernet_octets() as f64);
            let packets = |it: &SessionRecord| Some(it.link?.at_manager().packets as f64);
            let ours = [middle.of(&timed, whole), middle.of(&counted, octets), middle.of(&counted, packets)];
            let label = format!("{protocol}{}", middle.suffix());
            sheet.estimates(label, middle.beside(&printed.unwrap_or_default()), &ours);
        }
    }
    for row in &mut sheet.rows {
        row.ratio[0] = None;
    }
    sheet
}

fn figure_3(trials: &Trials) -> Sheet {
    let sizes = trials.sizes(FIGURE_3);
    let columns: Vec<String> =
        sizes.iter().map(|size| if *size == 1 { "1 get".into() } else { format!("{size} gets") }).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet =
        Sheet::new(FIGURE_3, "sessions by their length (ms; Marinov, figure 3)", &columns).without_ratios();
    sheet.note = "Whole sessions of so many gets of sysDescr.0, one after another, over the agent's loopback; the paper's walked tables.".into();
    let mut lines = Vec::new();
    for protocol in protocols() {
        let ours: Vec<Option<Estimate>> = sizes
            .iter()
            .map(|&size| trials.pick(FIGURE_3, TIME, protocol, size).mean_estimate(whole))
            .collect();
        let points = sizes.iter().zip(&ours).filter_map(|(&x, y)| Some(Point::of(f64::from(x), y.as_ref()?)));
        lines.push(Line::new(protocol.to_string(), palette::protocol(protocol), points));
        sheet.estimates(protocol.to_string(), &[], &ours);
    }
    if let Some((mut figure, caption)) = drawing("Whole sessions.", "ms", lines) {
        figure.x.title = "gets".into();
        sheet.drawings.push((figure, caption.replace(" objects", " gets")));
    }
    sheet
}

/// Memory of sessions that are open and not used.
fn figure_6(trials: &Trials) -> Sheet {
    let mut sheet = open_memory(trials, FIGURE_6, &|_, _| None);
    sheet.note = "KB are 1024 octets. The last column is the slope of a line through the readings with open sessions: what the first one brings for \
                  all is not of each. Each transport has an agent of its own. The paper's agent took about 7 KB of virtual memory for a session of SNMP \
                  over SSH; sessions of SNMP are in `marinov2006`."
        .into();
    sheet
}

/// What the papers' advice says of NETCONF, which neither had.
fn then_and_now(trials: &Trials) -> ThenAndNow {
    let most = trials.places(OCTETS, Quantity::RequestOctets).last().copied().unwrap_or(0);
    let ratio = |upper: &str, lower: &str| {
        let exact = |name: &str| octets(trials, name, most).map(Estimate::exact);
        over(exact(upper).as_ref(), exact(lower).as_ref())
    };
    let median = |protocol: Protocol| trials.pick(TABLE_2, TIME, protocol, None).median_estimate(whole);
    let [udp, tcp, _, _, ssh] = crate::marinov2006::PAPERS;
    let beside = |one: Protocol, other: Protocol| over(median(one).as_ref(), median(other).as_ref());
    let plain = ratio("NETCONF", "SNMP GetBulk");
    let packed = ratio("NETCONF, zlib", "SNMP GetBulk, zlib");
    let parts = [
        plain.as_ref().map(|it| {
            format!("for {most} objects NETCONF takes {:.1} times the octets of GetBulk", it.value())
        }),
        packed.as_ref().map(|it| format!("{:.1} times if both are compressed", it.value())),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let more =
        |text: &str, found: Option<&Estimate>| Claim::new(text, "x", Relation::Above(1.0)).found(found);
    let netconf = Protocol::netconf;
    ThenAndNow {
        is_ours: true,
        id: "netconf/claims".into(),
        asked: "What do the figures of two papers on SNMP, web services and SSH look like with NETCONF, which neither had?".into(),
        found: "XML takes more octets than SNMP until it is compressed, coding costs less than retrieval, and a session over SSH is expensive for one get.".into(),
        today: if parts.is_empty() { "This run measured none of the tables that answer it (figure-11).".into() } else { sentence(&parts.join(", ")) },
        basis: "The statements are ours: no paper makes them. Times of this run are medians.".into(),
        claims: vec![
            more("NETCONF takes more octets than GetBulk for many objects", plain.as_ref()),
            more("so it does if both are compressed", packed.as_ref()),
            more("one get takes longer over NETCONF than over SNMP, both over TCP", beside(netconf(Transport::Tcp), tcp).as_ref()),
            more("one get takes longer over NETCONF than over SNMP, both over SSH", beside(netconf(Transport::Ssh), ssh).as_ref()),
            more("one get over NETCONF takes longer over SSH than over TLS", beside(netconf(Transport::Ssh), netconf(Transport::Tls)).as_ref()),
            more("one get takes longer over NETCONF and SSH than over SNMP and UDP", beside(netconf(Transport::Ssh), udp).as_ref()),
        ],
        drawing: None,
    }
}
