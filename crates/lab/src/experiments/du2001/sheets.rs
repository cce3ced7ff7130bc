//! From the samples of du2001 to its tables beside the paper's: a pure function.

use crate::experiments::du2001::paper;
use crate::kit::doubt::Doubt;
use crate::kit::findings::{Findings, Sheet};
use crate::kit::picked::{Picked, open_ms, total_ms};
use crate::kit::protocol::{Level, Protocol, Suite};
use crate::kit::report::figure::{Axis, Figure, Line, Panel, Point, Scale};
use crate::kit::report::palette;
use crate::kit::statistics::fit;
use crate::kit::transport::Transport;
use crate::kit::trial::{SessionRecord, Trials};

use super::{GET, HASHED, TLS_B, TLS_D, TLS_V3_B, TLS_V3_D, UDP, WALK};

/// All requested tables.
pub fn findings(trials: &Trials) -> Findings {
    let mut findings = Findings::default();
    let all: [(&str, Make); 6] = [
        ("du2001/table-1", |it| vec![table_1(it)]),
        ("du2001/table-2", |it| vec![table_2(it), model(it)]),
        ("du2001/table-3", |it| vec![table_3(it)]),
        ("du2001/table-4", |it| vec![table_4(it)]),
        ("du2001/table-5", |it| vec![table_5(it)]),
        ("du2001/table-6", |it| vec![table_6(it)]),
    ];
    for (id, sheets) in all {
        if trials.trial.tables.iter().any(|asked| asked == id) {
            findings.sheets.extend(sheets(trials));
            findings.doubt_all(doubts(id, trials));
        }
    }
    findings.doubt_all(trials.doubts());
    findings
}

/// Makes a table and its annexes.
type Make = fn(&Trials) -> Vec<Sheet>;

/// The time of a phase, nanoseconds.
type Phase = fn(&SessionRecord) -> u64;

/// Table 1. Rows without a current cipher suite are left empty; the row below shows the nearest one.
fn table_1(trials: &Trials) -> Sheet {
    let id = "du2001/table-1";
    let columns = paper::TABLE_1_COLUMNS.map(|column| format!("{column} (ms)"));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet =
        Sheet::new(id, "session times for short and long sessions, by what TLS protects", &columns);
    sheet.note = "a: no MAC, no encryption. b: MAC. c: encryption without MAC. d: MAC and encryption. All four after the full \
                  authenticated handshake. No cipher suite of today is a or c, and none compresses (CRIME, 2012): their \
                  columns are open, and the row `nearest` has b's suite (NULL-SHA) in a's place and d's (AES-GCM) in c's. \
                  Means, as in the paper; medians below."
        .into();
    let messages = f64::from(paper::WALK_MESSAGES);
    for (row, what, divisor) in [(0, GET, 1.0), (1, WALK, 1.0), (2, WALK, messages)] {
        let paper = paper::TABLE_1[row].figures.map(Some);
        let label = paper::TABLE_1[row].label;
        let (b, d) = (trials.pick(id, what, TLS_B, None), trials.pick(id, what, TLS_D, None));
        let samples = b.count().min(d.count());
        let line = |b: Option<f64>, d: Option<f64>| {
            let (b, d) = (b.map(|it| it / divisor), d.map(|it| it / divisor));
            [None, b, None, None, None, d, minus(d, b), None]
        };
        let (mean_b, mean_d) = (b.mean(total_ms), d.mean(total_ms));
        sheet.row(label, &paper, &line(mean_b, mean_d), samples);
        let nearest = [mean_b, None, None, mean_d].map(|it| it.map(|it| it / divisor));
        sheet.row(format!("{label}, nearest to a and c"), &[], &nearest, samples);
        sheet.row(format!("{label}, median"), &[], &line(b.median(total_ms), d.median(total_ms)), samples);
    }
    sheet
}

/// Table 2: one column per measured size.
fn table_2(trials: &Trials) -> Sheet {
    let id = "du2001/table-2";
    let sizes = sizes(trials);
    let columns: Vec<String> = sizes.iter().map(|size| format!("{size} messages")).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet = Sheet::new(id, "times in short sessions and long sessions", &columns);
    sheet.note = "Secure TLS: AES-GCM. TLS: integrity alone (NULL-SHA), where the paper had no protection of messages. The \
                  set-up is up to where both have proved who they are. A session's mean for a message is the whole session \
                  divided by its messages, set-up and close included."
        .into();
    let paper::Table2 { secure, tls, udp, secure_to_udp, tls_to_udp } = paper::TABLE_2;
    let of_paper =
        |row: &[f64; 8]| -> Vec<Option<f64>> { sizes.iter().map(|&size| at_size(row, size)).collect() };
    let samples = |protocol| {
        let counts = sizes.iter().map(|&size| trials.pick(id, GET, protocol, size).count());
        counts.min().unwrap_or(0)
    };
    let ours = |protocol, figure: &dyn Fn(Picked<'_>, u32) -> Option<f64>| -> Vec<Option<f64>> {
        sizes.iter().map(|&size| figure(trials.pick(id, GET, protocol, size), size)).collect()
    };
    let whole = |picked: Picked<'_>, _| picked.mean(total_ms);
    let set_up = |picked: Picked<'_>, _| picked.mean(open_ms);
    let each = |picked: Picked<'_>, size| picked.mean(total_ms).map(|it| it / f64::from(size));
    let median = |picked: Picked<'_>, _| picked.median(total_ms);
    for (name, protocol, rows) in [("Secure TLS", TLS_D, secure), ("TLS", TLS_B, tls)] {
        let count = samples(protocol);
        sheet.row(format!("{name} session time (ms)"), &of_paper(&rows[0]), &ours(protocol, &whole), count);
        sheet.row(format!("{name} session time, median (ms)"), &[], &ours(protocol, &median), count);
        sheet.row(format!("{name} setup time (ms)"), &of_paper(&rows[1]), &ours(protocol, &set_up), count);
        sheet.row(
            format!("{name} mean time per message (ms)"),
            &of_paper(&rows[2]),
            &ours(protocol, &each),
            count,
        );
    }
    let count = samples(UDP);
    sheet.row("UDP session time (ms)", &of_paper(&udp[0]), &ours(UDP, &whole), count);
    sheet.row("UDP session time, median (ms)", &[], &ours(UDP, &median), count);
    sheet.row("UDP mean time per message (ms)", &of_paper(&udp[1]), &ours(UDP, &each), count);
    for (name, protocol, row) in [("Secure TLS", TLS_D, secure_to_udp), ("TLS", TLS_B, tls_to_udp)] {
        let ratios: Vec<Option<f64>> =
            ours(protocol, &whole).into_iter().zip(ours(UDP, &whole)).map(|(a, b)| over(a, b)).collect();
        let label = format!("Ratio: {name} time to UDP time");
        sheet.row(label, &of_paper(&row), &ratios, samples(protocol).min(count));
    }
    sheet.drawings.extend(drawing_2(trials, &sizes));
    sheet
}

/// The measured sizes of table 2's sessions, or the paper's.
fn sizes(trials: &Trials) -> Vec<u32> {
    let sizes = trials.sizes("du2001/table-2");
    if sizes.is_empty() { paper::TABLE_2_MESSAGES.to_vec() } else { sizes }
}

fn at_size(row: &[f64; 8], size: u32) -> Option<f64> {
    let at = paper::TABLE_2_MESSAGES.iter().position(|&known| known == size)?;
    row.get(at).copied()
}

/// The paper's formula (1), fitted by least squares to the paper's figures and to ours.
fn model(trials: &Trials) -> Sheet {
    let id = "du2001/table-2";
    let columns = ["S (ms)", "P1 - P2 (ms)", "R\u{b2}"];
    let mut sheet = Sheet::new(
        "du2001/model",
        "the model (1): a message over TLS takes S/M + (P1 - P2) longer",
        &columns,
    );
    sheet.note = format!(
        "S is handshake and close, P1 - P2 what a message takes longer, M the messages of a session: least squares over the sessions \
         of table 2, of the paper's figures as of ours. The text says that S is about {:.0} ms.",
        paper::MODEL_SETUP_MS
    );
    let of = |times: &dyn Fn(u32) -> Option<f64>, sizes: &[u32]| {
        let points: Vec<(f64, f64)> = sizes
            .iter()
            .filter_map(|&size| Some((1.0 / f64::from(size), times(size)? / f64::from(size))))
            .collect();
        fit(&points)
            .map(|line| [Some(line.slope), Some(line.intercept), Some(line.r_squared)])
            .unwrap_or_default()
    };
    let sizes = sizes(trials);
    for (label, protocol, row) in
        [("Secure TLS", TLS_D, paper::TABLE_2.secure[0]), ("TLS", TLS_B, paper::TABLE_2.tls[0])]
    {
        let printed = |size| Some(at_size(&row, size)? - at_size(&paper::TABLE_2.udp[0], size)?);
        let measured = |size| {
            let mean = |protocol| trials.pick(id, GET, protocol, size).mean(total_ms);
            minus(mean(protocol), mean(UDP))
        };
        let samples =
            sizes.iter().map(|&size| trials.pick(id, GET, protocol, size).count()).min().unwrap_or(0);
        sheet.row(label, &of(&printed, &paper::TABLE_2_MESSAGES), &of(&measured, &sizes), samples);
    }
    sheet
}

/// Table 3.
fn table_3(trials: &Trials) -> Sheet {
    let id = "du2001/table-3";
    let columns = ["TLS/TCP (ms)", "TLS Setup (ms)", "UDP (ms)"];
    let mut sheet = Sheet::new(id, "light traffic and heavy traffic", &columns);
    sheet.note = "A new session for each message, after silence. TLS is integrity alone (NULL-SHA).".into();
    for (row, what) in paper::TABLE_3.iter().zip(["light", "heavy"]) {
        let (tls, udp) = (trials.pick(id, what, TLS_B, None), trials.pick(id, what, UDP, None));
        let samples = tls.count().min(udp.count());
        let means = [tls.mean(total_ms), tls.mean(open_ms), udp.mean(total_ms)];
        sheet.row(row.label, &row.figures.map(Some), &means, samples);
        let medians = [tls.median(total_ms), tls.median(open_ms), udp.median(total_ms)];
        sheet.row(format!("{}, median", row.label), &[], &medians, samples);
    }
    sheet
}

/// Table 4: what precedes the session, its phases, and what follows it.
fn table_4(trials: &Trials) -> Sheet {
    let id = "du2001/table-4";
    let columns =
        ["TLS/TCP Setup (ms)", "SNMP Setup (ms)", "SNMP Walk (ms)", "TLS Close (ms)", "SNMP Close (ms)"];
    let mut sheet = Sheet::new(id, "time of different session phase", &columns);
    sheet.note = "SNMP set-up is what our manager does before it opens a session: the target, with its certificates and keys. Over \
                  UDP the socket belongs to it."
        .into();
    let (tls, udp) = (trials.pick(id, WALK, TLS_D, None), trials.pick(id, WALK, UDP, None));
    let ms = |ns: u64| ns as f64 / 1e6;
    let of_tls: [Phase; 5] =
        [|it| it.open_ns, |it| it.prepare_ns, |it| it.exchange_ns, |it| it.close_ns, |it| it.release_ns];
    let of_udp: [Option<Phase>; 5] = [
        None,
        Some(|it| it.prepare_ns + it.open_ns),
        Some(|it| it.exchange_ns),
        None,
        Some(|it| it.close_ns + it.release_ns),
    ];
    let means = of_tls.map(|phase| tls.mean(|it| ms(phase(it))));
    sheet.row("TLS/TCP", &paper::TABLE_4_TLS, &means, tls.count());
    sheet.row("TLS/TCP, median", &[], &of_tls.map(|phase| tls.median(|it| ms(phase(it)))), tls.count());
    let means = of_udp.map(|phase| phase.and_then(|phase| udp.mean(|it| ms(phase(it)))));
    sheet.row("UDP", &paper::TABLE_4_UDP, &means, udp.count());
    sheet.row(
        "UDP, median",
        &[],
        &of_udp.map(|phase| phase.and_then(|phase| udp.median(|it| ms(phase(it))))),
        udp.count(),
    );
    sheet
}

/// Table 5: a row for each message of the walk.
fn table_5(trials: &Trials) -> Sheet {
    let measured = "du2001/table-4";
    let mut sheet = Sheet::new("du2001/table-5", "time of each message of a walk", &["TLS (ms)", "UDP (ms)"]);
    let (tls, udp) = (trials.pick(measured, WALK, TLS_D, None), trials.pick(measured, WALK, UDP, None));
    let samples = tls.count().min(udp.count());
    let at = |picked: &Picked<'_>, message: usize| {
        picked.mean_of_some(|it| Some(*it.each_ns.get(message)? as f64 / 1e6))
    };
    for message in 0..paper::WALK_MESSAGES as usize {
        let printed = [paper::TABLE_5_TLS[message], paper::TABLE_5_UDP[message]].map(Some);
        let ours = [at(&tls, message), at(&udp, message)];
        sheet.row(format!("message {}", message + 1), &printed, &ours, samples);
    }
    sheet
}

/// Table 6: (a) and (b) in one.
fn table_6(trials: &Trials) -> Sheet {
    let mut sheet = Sheet::new(
        "du2001/table-6",
        "SNMPv3 and SNMPv1 over TLS beside SNMPv3 with USM, get (a) and walk (b)",
        &paper::TABLE_6_COLUMNS,
    );
    sheet.note = "a: noAuthNoPriv, b: authNoPriv or TLS with integrity alone, d: authPriv or TLS with AES-GCM. USM's keys are \
                  made before the session, but for the rows that say otherwise; SHA-256 and AES-128, and beside it the paper's \
                  MD5 and DES."
        .into();
    for (what, rows) in [(GET, &paper::TABLE_6_GET), (WALK, &paper::TABLE_6_WALK)] {
        half_of_table_6(trials, what, rows, &mut sheet);
    }
    sheet
}

fn half_of_table_6(trials: &Trials, what: &str, rows: &[paper::Table6Row; 10], sheet: &mut Sheet) {
    let id = "du2001/table-6";
    let usm = |transport, suite| Level::ALL.map(|level| Some(Protocol::usm(transport, level, suite)));
    // a is shared by both pairs of algorithms
    let old = |transport| {
        let [a, _, _] = usm(transport, Suite::Modern);
        let [_, b, d] = usm(transport, Suite::Md5Des);
        [a, b, d]
    };
    let tcp = Protocol::v1(Transport::Tcp);
    let of_row: [[Option<Protocol>; 3]; 6] = [
        [Some(UDP), None, None],
        [Some(tcp), None, None],
        [None, Some(TLS_B), Some(TLS_D)],
        [None, Some(TLS_V3_B), Some(TLS_V3_D)],
        usm(Transport::Udp, Suite::Modern),
        usm(Transport::Tcp, Suite::Modern),
    ];
    let figures = |protocols: [Option<Protocol>; 3], what: &str, mean: bool| {
        let picked = protocols.map(|protocol| Some(trials.pick(id, what, protocol?, None)));
        let samples = picked.iter().flatten().map(Picked::count).min().unwrap_or(0);
        let figure = |it: &Option<Picked<'_>>| {
            let picked = it.as_ref()?;
            if mean { picked.mean(total_ms) } else { picked.median(total_ms) }
        };
        let [a, b, d] = [figure(&picked[0]), figure(&picked[1]), figure(&picked[2])];
        ([a, b, minus(b, a), d, minus(d, b), minus(d, a)], samples)
    };
    let mut means = Vec::new();
    for (row, protocols) in rows.iter().zip(of_row) {
        let (ours, samples) = figures(protocols, what, true);
        sheet.row(format!("{} (ms)", row.label), &row.figures, &ours, samples);
        let (medians, samples) = figures(protocols, what, false);
        sheet.row(format!("{}, median (ms)", row.label), &[], &medians, samples);
        means.push((ours, samples));
    }
    for (row, over_at, under_at) in [(6, 4, 2), (7, 4, 3), (8, 5, 2), (9, 5, 3)] {
        let ((upper, one), (lower, other)) = (&means[over_at], &means[under_at]);
        let percent = |at: usize| over(upper[at], lower[at]).map(|it| it * 100.0);
        let ours = [percent(0), percent(1), None, percent(3)];
        let label = format!("{}, snmp{what} (%)", rows[row].label);
        sheet.row(label, &rows[row].figures, &ours, (*one).min(*other));
    }
    for (row, transport) in [(4, Transport::Udp), (5, Transport::Tcp)] {
        let (ours, samples) = figures(old(transport), what, true);
        sheet.row(format!("{} with MD5 and DES (ms)", rows[row].label), &rows[row].figures, &ours, samples);
        if what == GET {
            let [_, b, d] = old(transport);
            let (ours, samples) = figures([None, b, d], HASHED, true);
            let label = format!("{} with MD5 and DES, password hashed (ms)", rows[row].label);
            sheet.row(label, &rows[row].figures, &ours, samples);
        }
    }
}

/// What replaces what the paper had, and conditions on the tables' figures.
fn doubts(id: &str, trials: &Trials) -> Vec<Doubt> {
    let table = || id.to_owned();
    let no_mode = |asked: &str, nearest: &str| Doubt::NoSuchMode {
        table: table(),
        asked: asked.into(),
        nearest: nearest.into(),
        reason: "no cipher suite of TLS 1.2 or 1.3 that is to be had leaves the MAC out".into(),
    };
    let b = "integrity alone, TLS_ECDHE_ECDSA_WITH_NULL_SHA";
    let mut doubts = match id {
        "du2001/table-1" => vec![
            no_mode("(a) TLS without MAC and encryption", b),
            no_mode("(c) TLS with encryption without MAC", "(d), AES-GCM"),
        ],
        "du2001/table-2" | "du2001/table-3" => vec![no_mode("TLS without protection of messages", b)],
        "du2001/table-6" => vec![no_mode("(a) TLS without MAC and encryption, and its ratios", b)],
        _ => vec![],
    };
    let walked = trials.sessions(id).filter_map(|it| Some((it.instances?, it.case.messages)));
    if let Some((instances, messages)) = walked.min() {
        doubts.push(Doubt::WalkBegunAgain { table: table(), instances, messages });
    }
    for protocol in [TLS_B, TLS_D] {
        if trials.sessions(id).any(|it| it.case.protocol == protocol) {
            let paper = match protocol {
                TLS_B => "SSLv3/TLS 1.0, RSA of 512 bits, MD5",
                _ => "SSLv3/TLS 1.0, RSA of 512 bits, MD5, DES, compression",
            };
            let ours = protocol.algorithms().into();
            doubts.push(Doubt::OtherAlgorithms { protocol, paper: paper.into(), ours });
        }
    }
    doubts
}

/// Session times and the cost per message, by number of messages.
fn drawing_2(trials: &Trials, sizes: &[u32]) -> Option<(Figure, String)> {
    let id = "du2001/table-2";
    let mut lines = Vec::new();
    for (protocol, name) in [(TLS_D, "Secure TLS"), (TLS_B, "TLS, integrity alone"), (UDP, "UDP")] {
        let point = |&size: &u32| {
            let mean = trials.pick(id, GET, protocol, size).mean(total_ms)?;
            Some(Point::at(f64::from(size), mean / f64::from(size)))
        };
        let points: Vec<Point> = sizes.iter().filter_map(point).collect();
        if !points.is_empty() {
            lines.push(Line::new(name, palette::protocol(protocol), points));
        }
    }
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let title = "Mean time of a message by the messages of a session";
    let figure = Figure {
        title: title.into(),
        x: axis("messages in one session"),
        y: axis("ms for a message"),
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    let caption = "What a message takes, set-up and close of its session included: the set-up is spread over ever more \
                   messages. Both axes are logarithmic.";
    (!figure.panels[0].lines.is_empty()).then(|| (figure, caption.into()))
}

fn minus(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(one? - other?)
}

fn over(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(one? / other?)
}
