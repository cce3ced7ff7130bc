//! From the samples of du2001 to its tables beside the paper's: a pure function.

use crate::experiments::du2001::paper;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::estimate::{Estimate, line};
use trunkline_labkit::findings::{Findings, Sheet};
use trunkline_labkit::picked::{Middle, minus, open_ms, over, set_up_ms, total_ms};
use trunkline_labkit::protocol::{Level, Protocol, Suite};
use trunkline_labkit::report::figure::{Axis, Figure, Line, Panel, Point, Scale};
use trunkline_labkit::report::palette;
use trunkline_labkit::statistics::{Fit, fit};
use trunkline_labkit::transport::Transport;
use trunkline_labkit::trial::{SessionRecord, Trials};

use super::{
    GET, HEAVY_TRAFFIC, LIGHT_TRAFFIC, TLS_B, TLS_D, TLS_V3_B, TLS_V3_D, TODAY, TODAY_V3, UDP, WALK, hashed,
};

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

/// A table of milliseconds: twenty years of hardware stand between the paper's and ours, so there are no ratios.
fn of_times(id: &str, title: &str, columns: &[&str]) -> Sheet {
    Sheet::new(id, title, columns).without_ratios()
}

/// The whole session, milliseconds.
pub fn whole(session: &SessionRecord) -> Option<f64> {
    Some(total_ms(session))
}

/// Table 1. Columns without a current cipher suite are left empty; a row below shows the nearest one.
fn table_1(trials: &Trials) -> Sheet {
    let id = "du2001/table-1";
    let columns = paper::TABLE_1_COLUMNS.map(|column| format!("{column} (ms)"));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet = of_times(id, "session times for short and long sessions, by what TLS protects", &columns);
    sheet.note = "a: no MAC, no encryption. b: MAC. c: encryption without MAC. d: MAC and encryption; the paper's c and d compress too. \
                  All four after the full authenticated handshake. No cipher suite of today is a or c, and none compresses (CRIME, \
                  2012): their columns are open, and the row `nearest` has b's suite in a's place and d's in c's. b (NULL-SHA) and d \
                  (AES-GCM) are both TLS 1.2 with full handshakes of one program, trunklined-lab: d - b is what AES-GCM \
                  costs instead of HMAC-SHA-1 alone, handshake included; the last row is TLS 1.3, as the agent ships. Means, as in the paper, and medians."
        .into();
    let messages = f64::from(paper::WALK_MESSAGES);
    for (row, what, divisor) in [(0, GET, 1.0), (1, WALK, 1.0), (2, WALK, messages)] {
        let paper::Table1Row { label, figures } = paper::TABLE_1[row];
        let of = |middle: Middle, protocol| {
            middle.of(&trials.pick(id, what, protocol, None), |it| Some(total_ms(it) / divisor))
        };
        for middle in Middle::BOTH {
            let (b, d) = (of(middle, TLS_B), of(middle, TLS_D));
            let privacy = minus(d.as_ref(), b.as_ref());
            let ours = [None, b, None, None, None, d, privacy, None];
            let name = format!("{label}{}", middle.suffix());
            sheet.estimates(name, middle.beside(&figures.map(Some)), &ours);
        }
        let nearest = [of(Middle::Mean, TLS_B), None, None, of(Middle::Mean, TLS_D)];
        sheet.estimates(format!("{label}, nearest to a and c"), &[], &nearest);
        let today = [None, None, None, None, None, of(Middle::Mean, TODAY)];
        sheet.estimates(format!("{label}, TLS 1.3 as shipped"), &[], &today);
    }
    sheet
}

/// Table 2: one column per measured size.
fn table_2(trials: &Trials) -> Sheet {
    let id = "du2001/table-2";
    let sizes = sizes(trials);
    let columns: Vec<String> = sizes.iter().map(|size| format!("{size} messages")).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet = of_times(id, "times in short sessions and long sessions", &columns);
    sheet.note = "Secure TLS: AES-GCM with TLS 1.2. TLS: integrity alone (NULL-SHA) with TLS 1.2, where the paper had no \
                  protection of messages. Both are served by trunklined-lab; TLS 1.3 and UDP by the agent as it ships. The \
                  set-up of every row ends at the same point: it is the time up to the first answer, without what a later \
                  message takes. The handshake is what the client sees of it: with TLS 1.2 it ends when the server has \
                  accepted the client, with TLS 1.3 a client goes on before it knows that. A session's mean for a message is \
                  the whole session divided by its messages, set-up and close included."
        .into();
    let paper::Table2 { secure, tls, udp, secure_to_udp, tls_to_udp } = paper::TABLE_2;
    let of_paper = |row: Option<&[f64; 8]>| -> Vec<Option<f64>> {
        sizes.iter().map(|&size| at_size(row?, size)).collect()
    };
    let ours =
        |protocol, middle: Middle, figure: fn(&SessionRecord) -> Option<f64>| -> Vec<Option<Estimate>> {
            sizes.iter().map(|&size| middle.of(&trials.pick(id, GET, protocol, size), figure)).collect()
        };
    let each = |it: &SessionRecord| Some(total_ms(it) / f64::from(it.case.messages.max(1)));
    let of_tls =
        [("Secure TLS", TLS_D, Some(&secure)), ("Secure TLS 1.3", TODAY, None), ("TLS", TLS_B, Some(&tls))];
    for (name, protocol, rows) in of_tls {
        let paper = |at: usize| of_paper(rows.map(|rows| &rows[at]));
        for middle in Middle::BOTH {
            let label = format!("{name} session time{} (ms)", middle.suffix());
            sheet.estimates(label, middle.beside(&paper(0)), &ours(protocol, middle, whole));
        }
        let mean = |figure| ours(protocol, Middle::Mean, figure);
        sheet.estimates(format!("{name} setup time (ms)"), &paper(1), &mean(set_up_ms));
        sheet.estimates(
            format!("{name} handshake, as the client sees it (ms)"),
            &[],
            &mean(|it| Some(open_ms(it))),
        );
        sheet.estimates(format!("{name} mean time per message (ms)"), &paper(2), &mean(each));
    }
    for middle in Middle::BOTH {
        let label = format!("UDP session time{} (ms)", middle.suffix());
        sheet.estimates(label, middle.beside(&of_paper(Some(&udp[0]))), &ours(UDP, middle, whole));
    }
    sheet.estimates(
        "UDP mean time per message (ms)",
        &of_paper(Some(&udp[1])),
        &ours(UDP, Middle::Mean, each),
    );
    let to_udp = [
        ("Secure TLS", TLS_D, secure_to_udp),
        ("Secure TLS 1.3", TODAY, secure_to_udp),
        ("TLS", TLS_B, tls_to_udp),
    ];
    for (name, protocol, row) in to_udp {
        let ratios: Vec<Option<Estimate>> =
            sizes.iter().map(|&size| to_udp_at(trials, protocol, size, Middle::Mean)).collect();
        sheet.estimates(format!("Ratio: {name} time to UDP time"), &of_paper(Some(&row)), &ratios);
    }
    sheet.drawings.extend(drawing_2(trials, &sizes));
    sheet
}

/// How many times as long as over UDP a session of table 2 takes.
pub fn to_udp_at(trials: &Trials, protocol: Protocol, size: u32, middle: Middle) -> Option<Estimate> {
    let of = |protocol| middle.of(&trials.pick("du2001/table-2", GET, protocol, size), whole);
    over(of(protocol).as_ref(), of(UDP).as_ref())
}

/// The measured sizes of table 2's sessions, or the paper's.
pub fn sizes(trials: &Trials) -> Vec<u32> {
    let sizes = trials.sizes("du2001/table-2");
    if sizes.is_empty() { paper::TABLE_2_MESSAGES.to_vec() } else { sizes }
}

fn at_size(row: &[f64; 8], size: u32) -> Option<f64> {
    let at = paper::TABLE_2_MESSAGES.iter().position(|&known| known == size)?;
    row.get(at).copied()
}

/// What TLS costs in units of a message over UDP, as in formula (1), in which SNMP's own set-up cancels: its set-up as
/// so many messages, and how much longer a message takes, in per cent. A message is what a session of the most messages
/// takes longer than one of the fewest, by the messages between them.
pub fn in_messages(trials: &Trials, protocol: Protocol) -> [Option<Estimate>; 2] {
    let sizes = sizes(trials);
    let Some((&fewest, &most)) = sizes.first().zip(sizes.last()).filter(|(fewest, most)| fewest < most)
    else {
        return [None, None];
    };
    let pick = |protocol, size| trials.pick("du2001/table-2", GET, protocol, size);
    let message = |protocol| {
        let [short, long] = [fewest, most].map(|size| pick(protocol, size).median_estimate(whole));
        minus(long.as_ref(), short.as_ref()).map(|it| &it / f64::from(most - fewest))
    };
    let (tls, udp) = (message(protocol), message(UDP));
    let set_up = pick(protocol, fewest).median_estimate(set_up_ms);
    [
        over(set_up.as_ref(), udp.as_ref()),
        over(tls.as_ref(), udp.as_ref()).map(|it| it.map(|ratio| (ratio - 1.0) * 100.0)),
    ]
}

/// The same of the paper's sessions over secure TLS.
pub fn papers_in_messages() -> [f64; 2] {
    let [fewest, .., most] = paper::TABLE_2_MESSAGES.map(f64::from);
    let message = |[short, .., long]: [f64; 8]| (long - short) / (most - fewest);
    let [whole, [set_up, ..], _] = paper::TABLE_2.secure;
    let udp = message(paper::TABLE_2.udp[0]);
    [set_up / udp, (message(whole) / udp - 1.0) * 100.0]
}

/// The paper's formula (1), fitted by least squares to the paper's figures and to ours.
fn model(trials: &Trials) -> Sheet {
    let columns = ["S (ms)", "P1 - P2 (ms)", "R\u{b2}"];
    let title = "the model (1): a session of M messages over TLS takes S + M (P1 - P2) longer than over UDP";
    let mut sheet = of_times("du2001/model", title, &columns);
    sheet.note = format!(
        "S is handshake and close, P1 - P2 what a message takes longer, M the messages of a session: least squares over what the sessions \
         of table 2 take longer than those over UDP, by M, of the paper's figures as of ours. The text says that S is about {:.0} ms. \
         Long sessions decide the slope, and S is what is left.",
        paper::MODEL_SETUP_MS
    );
    let sizes = sizes(trials);
    let paper::Table2 { secure, tls, udp, .. } = paper::TABLE_2;
    for (label, protocol, row) in
        [("Secure TLS", TLS_D, Some(secure)), ("Secure TLS 1.3", TODAY, None), ("TLS", TLS_B, Some(tls))]
    {
        let printed = row.and_then(|row| {
            let longer = row[0].iter().zip(udp[0]).zip(paper::TABLE_2_MESSAGES);
            fit(&longer.map(|((tls, udp), m)| (f64::from(m), tls - udp)).collect::<Vec<_>>())
        });
        let printed =
            printed.map(|Fit { intercept, slope, r_squared }| [intercept, slope, r_squared].map(Some));
        let points = sizes.iter().filter_map(|&size| {
            let mean = |protocol| trials.pick("du2001/table-2", GET, protocol, size).mean_estimate(whole);
            let longer = minus(mean(protocol).as_ref(), mean(UDP).as_ref())?;
            Some((f64::from(size), longer))
        });
        let points: Vec<(f64, Estimate)> = points.collect();
        let measured = line(&points).map(|it| [it.intercept, it.slope, it.r_squared].map(Some));
        sheet.estimates(label, &printed.unwrap_or_default(), &measured.unwrap_or_default());
    }
    sheet
}

/// Table 3.
fn table_3(trials: &Trials) -> Sheet {
    let id = "du2001/table-3";
    let columns = ["TLS/TCP (ms)", "TLS Setup (ms)", "UDP (ms)"];
    let mut sheet = of_times(id, "light traffic and heavy traffic", &columns);
    sheet.note = "A new session for each message, after silence of its protocol. In heavy traffic each protocol is on its own, as in \
                  the paper. In light traffic the sessions of the two alternate, half the silence apart (150 s of 5 minutes): each \
                  has an agent of its own, which is silent for all of it; the manager and the machine are for half. TLS is \
                  integrity alone (NULL-SHA); its set-up is the handshake of TLS 1.2, which ends when the server has accepted \
                  the client."
        .into();
    for (row, what) in paper::TABLE_3.iter().zip([LIGHT_TRAFFIC, HEAVY_TRAFFIC]) {
        let (tls, udp) = (trials.pick(id, what, TLS_B, None), trials.pick(id, what, UDP, None));
        for middle in Middle::BOTH {
            let ours =
                [middle.of(&tls, whole), middle.of(&tls, |it| Some(open_ms(it))), middle.of(&udp, whole)];
            let label = format!("{}{}", row.label, middle.suffix());
            sheet.estimates(label, middle.beside(&row.figures.map(Some)), &ours);
        }
    }
    sheet
}

/// Table 4: what precedes the session, its phases, and what follows it.
fn table_4(trials: &Trials) -> Sheet {
    let id = "du2001/table-4";
    let columns =
        ["TLS/TCP Setup (ms)", "SNMP Setup (ms)", "SNMP Walk (ms)", "TLS Close (ms)", "SNMP Close (ms)"];
    let mut sheet = of_times(id, "time of different session phase", &columns);
    sheet.note = "By clocks in the manager, where the paper timed packets on a third machine. TLS is AES-GCM with TLS 1.2, and in \
                  rows of its own TLS 1.3 as shipped, whose set-up ends before the client knows that it is accepted. SNMP \
                  set-up is what our manager does before it opens a session: the target, with its certificates and keys. Over \
                  UDP the socket belongs to it."
        .into();
    let of_tls: [Option<Phase>; 5] = [
        Some(|it| it.open_ns),
        Some(|it| it.prepare_ns),
        Some(|it| it.exchange_ns),
        Some(|it| it.close_ns),
        Some(|it| it.release_ns),
    ];
    let of_udp: [Option<Phase>; 5] = [
        None,
        Some(|it| it.prepare_ns + it.open_ns),
        Some(|it| it.exchange_ns),
        None,
        Some(|it| it.close_ns + it.release_ns),
    ];
    for (label, protocol, phases, printed) in [
        ("TLS/TCP", TLS_D, of_tls, &paper::TABLE_4_TLS[..]),
        ("TLS 1.3/TCP", TODAY, of_tls, &[]),
        ("UDP", UDP, of_udp, &paper::TABLE_4_UDP),
    ] {
        let picked = trials.pick(id, WALK, protocol, None);
        for middle in Middle::BOTH {
            let ours = phases.map(|phase| {
                let phase = phase?;
                middle.of(&picked, |it| Some(phase(it) as f64 / 1e6))
            });
            sheet.estimates(format!("{label}{}", middle.suffix()), middle.beside(printed), &ours);
        }
    }
    sheet
}

/// Table 5: a row for each message of the walk.
fn table_5(trials: &Trials) -> Sheet {
    let mut sheet = of_times("du2001/table-5", "time of each message of a walk", &["TLS (ms)", "UDP (ms)"]);
    sheet.note = "Means of table 4's walks, by clocks in the manager. TLS is AES-GCM with TLS 1.2.".into();
    for message in 0..paper::WALK_MESSAGES as usize {
        let printed = [paper::TABLE_5_TLS[message], paper::TABLE_5_UDP[message]].map(Some);
        let ours = [TLS_D, UDP].map(|protocol| message_ms(trials, protocol, message));
        sheet.estimates(format!("message {}", message + 1), &printed, &ours);
    }
    sheet
}

/// The mean time of a message of table 4's walk, counted from 0.
fn message_ms(trials: &Trials, protocol: Protocol, message: usize) -> Option<Estimate> {
    let picked = trials.pick("du2001/table-4", WALK, protocol, None);
    picked.mean_estimate(|it| Some(*it.each_ns.get(message)? as f64 / 1e6))
}

/// Table 6: (a) and (b) in one.
fn table_6(trials: &Trials) -> Sheet {
    let mut sheet = of_times(
        "du2001/table-6",
        "SNMPv3 and SNMPv1 over TLS compared with SNMPv3 with USM, get (a) and walk (b)",
        &paper::TABLE_6_COLUMNS,
    );
    sheet.note = "a: noAuthNoPriv, b: authNoPriv or TLS with integrity alone, d: authPriv or TLS with AES-GCM, both with TLS 1.2. \
                  Beside the paper's rows of USM: MD5 and DES, the password hashed in each session, as a command does that \
                  starts each time; their ratios have the sessions of such a command over TLS below, which reads its certificates and \
                  keys. In a manager that keeps running the keys are made before; these rows have them with MD5 \
                  and DES and with SHA-256 and AES-128."
        .into();
    for (what, rows) in [(GET, &paper::TABLE_6_GET), (WALK, &paper::TABLE_6_WALK)] {
        half_of_table_6(trials, what, rows, &mut sheet);
    }
    sheet
}

/// USM at its three levels. Without security the algorithms make no difference, and are not measured twice.
fn usm(transport: Transport, suite: Suite) -> [Option<Protocol>; 3] {
    Level::ALL.map(|level| {
        let suite = if level == Level::NoAuthNoPriv { Suite::Modern } else { suite };
        Some(Protocol::usm(transport, level, suite))
    })
}

/// How USM's keys come about, and by which algorithms: what the row's label adds, the algorithms, and whether the
/// password is hashed in each session. The first is the paper's way.
const KEYS: [(&str, Suite, bool); 3] = [
    ("", Suite::Md5Des, true),
    (", keys made before", Suite::Md5Des, false),
    (", SHA-256 and AES-128, keys made before", Suite::Modern, false),
];

fn half_of_table_6(trials: &Trials, what: &str, rows: &[paper::Table6Row; 10], sheet: &mut Sheet) {
    let tls = [None, Some(TLS_B), Some(TLS_D)];
    let tls_v3 = [None, Some(TLS_V3_B), Some(TLS_V3_D)];
    let alone = |protocol| [Some(protocol), None, None];
    let shipped = |protocol| [None, None, Some(protocol)];
    let mut all = vec![
        (rows[0].label.to_owned(), rows[0].figures, alone(UDP), false),
        (rows[1].label.to_owned(), rows[1].figures, alone(Protocol::v1(Transport::Tcp)), false),
        (rows[2].label.to_owned(), rows[2].figures, tls, false),
        (format!("{}, TLS 1.3 as shipped", rows[2].label), [None; 6], shipped(TODAY), false),
        (rows[3].label.to_owned(), rows[3].figures, tls_v3, false),
        (format!("{}, TLS 1.3 as shipped", rows[3].label), [None; 6], shipped(TODAY_V3), false),
    ];
    for (row, transport) in [(4, Transport::Udp), (5, Transport::Tcp)] {
        for (adds, suite, is_hashed) in KEYS {
            let printed = if is_hashed { rows[row].figures } else { [None; 6] };
            all.push((format!("{}{adds}", rows[row].label), printed, usm(transport, suite), is_hashed));
        }
    }
    for (label, printed, protocols, is_hashed) in all {
        for middle in Middle::BOTH {
            let how = if is_hashed { How::Command { hashes: true } } else { How::Manager };
            let ours = times(trials, what, protocols, how, middle);
            let label = format!("{label}{} (ms)", middle.suffix());
            sheet.estimates(label, middle.beside(&printed), &ours);
        }
    }
    let mean = |protocols, how| times(trials, what, protocols, how, Middle::Mean);
    for (row, transport, below) in [
        (6, Transport::Udp, tls),
        (7, Transport::Udp, tls_v3),
        (8, Transport::Tcp, tls),
        (9, Transport::Tcp, tls_v3),
    ] {
        for (adds, suite, is_hashed) in KEYS {
            let (above, beside) = match is_hashed {
                true => (How::Command { hashes: true }, How::Command { hashes: false }),
                false => (How::Manager, How::Manager),
            };
            let (upper, lower) = (mean(usm(transport, suite), above), mean(below, beside));
            let percent = |at: usize| over(upper[at].as_ref(), lower[at].as_ref()).map(|it| &it * 100.0);
            let printed = if is_hashed { rows[row].figures } else { [None; 6] };
            let ours = [percent(0), percent(1), None, percent(3)];
            sheet.estimates(format!("{}{adds}, snmp{what} (%)", rows[row].label), &printed, &ours);
        }
    }
}

/// a, b, b - a, d, d - b, d - a.
fn times(
    trials: &Trials,
    what: &str,
    protocols: [Option<Protocol>; 3],
    how: How,
    middle: Middle,
) -> [Option<Estimate>; 6] {
    let [a, b, d] = protocols.map(|protocol| one_of_table_6(trials, what, protocol?, how, middle));
    let [more, most] = [(&b, &a), (&d, &a)].map(|(one, other)| minus(one.as_ref(), other.as_ref()));
    let privacy = minus(d.as_ref(), b.as_ref());
    [a, b, more, d, privacy, most]
}

/// Whose session one of table 6 is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// A manager's that keeps running: what it needs is ready.
    Manager,
    /// A command's that starts each time: it reads certificates and keys, or hashes the password, as part of it.
    Command {
        /// Whether it hashes a password.
        hashes: bool,
    },
}

/// A session of table 6. Without security there is no password to hash.
pub fn one_of_table_6(
    trials: &Trials,
    what: &str,
    protocol: Protocol,
    how: How,
    middle: Middle,
) -> Option<Estimate> {
    let is_hashed = how == How::Command { hashes: true } && protocol.level() != Level::NoAuthNoPriv;
    let picked = trials.pick("du2001/table-6", if is_hashed { hashed(what) } else { what }, protocol, None);
    match how {
        How::Manager => middle.of(&picked, whole),
        How::Command { .. } => {
            middle.of(&picked, |it| Some((it.prepare_ns + it.total_ns() + it.release_ns) as f64 / 1e6))
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
        reason: "no TLS library offers a cipher suite without a MAC".into(),
    };
    let b = "integrity alone, TLS_ECDHE_ECDSA_WITH_NULL_SHA";
    let mut doubts = match id {
        "du2001/table-1" => vec![
            no_mode("(a) TLS without MAC and encryption", b),
            no_mode("(c) TLS with encryption without MAC", "(d), AES-GCM"),
        ],
        "du2001/table-2" | "du2001/table-3" => vec![no_mode("TLS without protection of messages", b)],
        "du2001/table-6" => vec![no_mode("(a) TLS without MAC and encryption (and so its ratios)", b)],
        _ => vec![],
    };
    let walked = trials.sessions(id).filter_map(|it| Some((it.instances?, it.case.messages)));
    if let Some((instances, messages)) = walked.min() {
        doubts.push(Doubt::WalkBegunAgain { table: table(), instances, messages });
    }
    for protocol in [TLS_B, TLS_D, TODAY] {
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
    let styles =
        [(TODAY, "Secure TLS 1.3"), (TLS_D, "Secure TLS"), (TLS_B, "TLS, integrity alone"), (UDP, "UDP")];
    let mut lines = Vec::new();
    for (protocol, name) in styles {
        let point = |&size: &u32| {
            let each = |it: &SessionRecord| Some(total_ms(it) / f64::from(size));
            Some(Point::of(f64::from(size), &trials.pick(id, GET, protocol, size).mean_estimate(each)?))
        };
        let points: Vec<Point> = sizes.iter().filter_map(point).collect();
        if !points.is_empty() {
            lines.push(Line::new(name, palette::protocol(protocol), points));
        }
    }
    if lines.is_empty() {
        return None;
    }
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let figure = Figure {
        title: "Mean time of a message by the messages of a session, in the paper and today".into(),
        x: axis("messages in one session"),
        y: axis("time of a message (ms)"),
        panels: vec![
            Panel { title: "the paper, 2001".into(), lines: papers_lines(), ..Panel::default() },
            Panel { title: "this run".into(), lines, ..Panel::default() },
        ],
    };
    let caption = "The time of a message includes its share of the session's set-up and close: the longer the session, the smaller it \
                   is. Grey: the paper's. Bars are intervals at 95 %.";
    Some((figure, caption.into()))
}

/// The paper's means of table 2.
fn papers_lines() -> Vec<Line> {
    let paper::Table2 { secure, tls, udp, .. } = paper::TABLE_2;
    let all = [("Secure TLS", TLS_D, secure[2]), ("TLS", TLS_B, tls[2]), ("UDP", UDP, udp[1])];
    let line = |(name, protocol, figures): (&str, Protocol, [f64; 8])| {
        let points = paper::TABLE_2_MESSAGES.into_iter().zip(figures);
        let style = palette::paper_of(palette::protocol(protocol));
        Line::new(format!("{name}, 2001"), style, points.map(|(size, ms)| Point::at(f64::from(size), ms)))
    };
    all.map(line).into()
}
