//! From the samples of marinov2006 to its tables and figures beside the paper's: a pure function.

use std::collections::BTreeSet;

use crate::marinov2006::paper;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::{Findings, Sheet};
use trunkline_labkit::open_sessions;
use trunkline_labkit::picked::{Middle, hardly_lost, minus, over, total_ms};
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::report::text::three_digits;
use trunkline_labkit::trial::{Case, OpenSessionsRecord, SessionRecord, Trials};

use super::drawings::{self, BySize};
use super::{COUNTED, FAST, PAPERS, SLOW, crossing, everything, with_loss};

/// All requested tables and figures.
pub fn findings(trials: &Trials) -> Findings {
    let mut findings = Findings::default();
    let all: [(&str, Make); 7] = [
        ("marinov2006/table-2", |it, to| to.sheets.push(table_2(it))),
        ("marinov2006/section-4", |it, to| to.sheets.push(section_4(it))),
        ("marinov2006/figure-3", figure_3),
        ("marinov2006/figure-4", |it, to| to.sheets.push(figure_4(it))),
        ("marinov2006/table-3", |it, to| to.sheets.push(table_3(it))),
        ("marinov2006/figure-5", figure_5),
        ("marinov2006/figure-6", |it, to| to.sheets.push(figure_6(it))),
    ];
    for (id, make) in all {
        if trials.trial.tables.iter().any(|asked| asked == id) {
            make(trials, &mut findings);
            findings.doubt_all(doubts(id, trials));
        }
    }
    findings.doubt_all(trials.doubts());
    findings
}

/// Makes a table or figure and its annexes.
type Make = fn(&Trials, &mut Findings);

/// The paper's name of a protocol if it is one of its five; ours otherwise.
pub fn label(protocol: Protocol) -> String {
    match PAPERS.iter().position(|it| *it == protocol) {
        Some(at) => paper::TABLE_2[at].protocol.into(),
        None => protocol.to_string(),
    }
}

/// The name of sessions with loss in their samples.
pub fn loss(percent: f64, ours: bool) -> String {
    let again = if ours { ", sent again as ours" } else { "" };
    format!("loss {percent} %{again}")
}

/// Table 2.
fn table_2(trials: &Trials) -> Sheet {
    let id = "marinov2006/table-2";
    let columns = ["Time, fast agent (ms)", "Time, slow agent (ms)", "Data (octets)", "Packets"];
    let mut sheet = Sheet::new(id, "one get of sysDescr.0, session included", &columns);
    let ssh = |what| trials.pick(id, what, PAPERS[4], None).median_estimate(whole);
    let slowed = over(ssh(SLOW).as_ref(), ssh(FAST).as_ref())
        .map_or_else(String::new, |times| format!(" (by median {} times)", three_digits(times.value())));
    let [.., of_ssh] = paper::TABLE_2;
    sheet.note = format!(
        "Means and medians; the paper does not say which figure of its hundred it prints. Data are Ethernet frames without \
         check sequence on the emulated link. USM of the paper's rows is MD5 and AES-128, as there. The slow agent has the share of a \
         processor that the paper's row for SSH gives, {} times less. A quota is not a slow processor: what fits into it runs at full \
         speed, so that our SSH is slowed less{slowed}, and UDP hardly; the paper's UDP was even quicker on the slow machine. The \
         paper's machines (table 1): {}.",
        three_digits(of_ssh.slow_ms / of_ssh.fast_ms),
        machines()
    );
    for (at, protocol) in everything().enumerate() {
        let printed = paper::TABLE_2
            .get(at)
            .map(|row| [row.fast_ms, row.slow_ms, f64::from(row.octets), f64::from(row.packets)].map(Some));
        let [fast, slow, counted] = [FAST, SLOW, COUNTED].map(|what| trials.pick(id, what, protocol, None));
        for middle in Middle::BOTH {
            let times = [&fast, &slow].map(|picked| middle.of(picked, whole));
            let [on_fast, on_slow] = times;
            let ours = [on_fast, on_slow, middle.of(&counted, octets), middle.of(&counted, packets)];
            let label = format!("{}{}", label(protocol), middle.suffix());
            sheet.estimates(label, middle.beside(&printed.unwrap_or_default()), &ours);
        }
    }
    without_ratios_of_times(sheet)
}

/// Table 1 in a sentence.
fn machines() -> String {
    let one = |it: &paper::Machine| {
        let paper::Machine { name, processors, memory, ethernet, kernel } = it;
        format!("{name}, {processors}, {memory} MB, {ethernet} Mbit/s, Linux {kernel}")
    };
    paper::TABLE_1.iter().map(one).collect::<Vec<String>>().join("; ")
}

/// Without ratios in the columns of milliseconds, which are twenty years apart.
fn without_ratios_of_times(mut sheet: Sheet) -> Sheet {
    for row in &mut sheet.rows {
        for (column, ratio) in sheet.columns.iter().zip(&mut row.ratio) {
            *ratio = ratio.filter(|_| !column.ends_with("(ms)"));
        }
    }
    sheet
}

/// The whole session, milliseconds.
pub fn whole(session: &SessionRecord) -> Option<f64> {
    Some(total_ms(session))
}

/// Packets at the manager's end.
pub fn packets(session: &SessionRecord) -> Option<f64> {
    Some(session.link?.at_manager().packets as f64)
}

/// Octets of Ethernet frames at the manager's end.
pub fn octets(session: &SessionRecord) -> Option<f64> {
    Some(session.link?.at_manager().ethernet_octets() as f64)
}

/// Section 4: one get and a walk, by the settings of the manager's end.
fn section_4(trials: &Trials) -> Sheet {
    let id = "marinov2006/section-4";
    let columns = ["one get (ms)", "packets of a get", "walk (ms)", "packets of a walk"];
    let mut sheet =
        Sheet::new(id, "Nagle's algorithm and window updates at the manager's end of SSH", &columns);
    let ssh = PAPERS[4];
    let sizes = trials.sizes(id);
    let (get, walk) = (sizes.first().copied(), sizes.last().copied());
    sheet.note = format!(
        "The walk has {} GetNext. With window updates each time a packet follows each answer. The paper: about {:.0} ms with Nagle's \
         algorithm at both ends (here the agent always has it off), {} ms without in the programs, {} ms without from the connection \
         on; it had window updates for each message at first, without figures.",
        walk.unwrap_or(0),
        paper::NAGLE_MS[0],
        paper::NAGLE_MS[1],
        paper::NAGLE_MS[2]
    );
    for (what, printed) in [
        ("as shipped", Some(paper::NAGLE_MS[2])),
        ("Nagle on", None),
        ("window updates each time", None),
        ("both", None),
    ] {
        let counted = format!("{what}, {COUNTED}");
        let of = |what: &str, size: Option<u32>| size.map(|size| trials.pick(id, what, ssh, size));
        let time = |size| of(what, size).and_then(|it| it.mean_estimate(whole));
        // Counted once.
        let packets =
            |size| of(&counted, size)?.median_estimate(packets).map(|it| Estimate::exact(it.value()));
        sheet.estimates(what, &[printed], &[time(get), packets(get), time(walk), packets(walk)]);
    }
    without_ratios_of_times(sheet)
}

/// Figure 3, and the break-even points.
fn figure_3(trials: &Trials, findings: &mut Findings) {
    let id = "marinov2006/figure-3";
    let mut sheet =
        by_interactions(trials, id, "ms", "latency of GetNext walks of ifTable without packet loss");
    sheet.note = "Means and medians. The paper has a drawing without numbers; it says that SSH breaks even with USM after \
                  about 500 interactions on both machines. It walked tables of different length; here walks of different length \
                  end inside one table."
        .into();
    for what in [FAST, SLOW] {
        for protocol in everything() {
            rows_by_size(&mut sheet, trials, what, protocol, &format!(", {what} agent"), whole);
        }
    }
    let panels = [("fast agent", FAST), ("slow agent", SLOW)];
    let drawing = BySize {
        id,
        panels: panels.map(|(title, what)| (title.into(), what.into())).into(),
        figure: |picked| picked.mean_estimate(whole),
        is_relative: true,
        papers_get: |what, row| Some(if what == FAST { row.fast_ms } else { row.slow_ms }),
        unit: "time / time of SNMPv2c/UDP",
        title: "Session times of walks by their length, as multiples of SNMPv2c's over UDP",
    };
    sheet.drawings.extend(drawings::by_size(trials, &drawing));
    findings.sheets.push(sheet);
    crossing::break_even(trials, findings);
}

/// A table with a column for each length of a walk.
fn by_interactions(trials: &Trials, id: &str, unit: &str, title: &str) -> Sheet {
    let columns = trials.sizes(id).into_iter().map(|size| format!("{size} interactions ({unit})"));
    Sheet { columns: columns.collect(), ..Sheet::new(id, title, &[]) }
}

/// The mean and the median of a figure, by the length of a walk.
fn rows_by_size(
    sheet: &mut Sheet,
    trials: &Trials,
    what: &str,
    protocol: Protocol,
    adds: &str,
    figure: fn(&SessionRecord) -> Option<f64>,
) {
    let id = sheet.id.clone();
    for middle in Middle::BOTH {
        let sizes = trials.sizes(&id).into_iter();
        let ours: Vec<Option<Estimate>> =
            sizes.map(|size| middle.of(&trials.pick(&id, what, protocol, size), figure)).collect();
        sheet.estimates(format!("{}{adds}{}", label(protocol), middle.suffix()), &[], &ours);
    }
}

/// Figure 4.
fn figure_4(trials: &Trials) -> Sheet {
    let id = "marinov2006/figure-4";
    let mut sheet =
        by_interactions(trials, id, "ms", "latency of GetNext walks under packet loss, slow agent");
    sheet.note = "On the emulated link, without delay. Over UDP and DTLS requests are sent again as Net-SNMP does (after 1 s, five \
                  times) and, where the row says so, as ours (after 50 ms, then twice as long each time). The paper has a \
                  drawing without numbers, of 0.1 and 0.5 % alone; it says that everything over TCP was clearly faster. Means, \
                  and medians: a lost packet is rare and expensive, so they differ."
        .into();
    for percent in paper::LOSS_PERCENT {
        for ours in [false, true] {
            let what = loss(percent, ours);
            for protocol in with_loss().into_iter().filter(|it| !ours || it.transport.has_datagrams()) {
                rows_by_size(&mut sheet, trials, &what, protocol, &format!(", {what}"), whole);
            }
        }
    }
    let panels = paper::LOSS_PERCENT.map(|percent| (format!("loss {percent} %"), loss(percent, false)));
    let drawing = BySize {
        id,
        panels: panels.into(),
        figure: |picked| picked.mean_estimate(whole),
        is_relative: false,
        papers_get: |_, _| None,
        unit: "ms for a walk",
        title: "Session times of walks under loss, sent again as Net-SNMP does",
    };
    sheet.drawings.extend(drawings::by_size(trials, &drawing));
    sheet
}

/// Table 3: the 20 octets that contain most packets.
fn table_3(trials: &Trials) -> Sheet {
    let id = "marinov2006/table-3";
    let columns = ["range from (octets)", "to (octets)", "Packets in it", "Total packets"];
    let messages = trials.sizes(id).last().copied().unwrap_or(0);
    let title = format!("packet sizes of a walk of {messages} interactions");
    let mut sheet = Sheet::new(id, &title, &columns);
    sheet.note = "Ethernet frames without check sequence at the manager's end. The range is the paper's where it holds as many \
                  packets as any other of 20 octets, within a hundredth; otherwise the one, beginning at a multiple of ten, that \
                  most packets are in."
        .into();
    for (at, protocol) in everything().enumerate() {
        let printed = paper::TABLE_3
            .get(at)
            .map(|row| [row.range.0, row.range.1, row.packets, row.total].map(|it| Some(f64::from(it))));
        let picked = trials.pick(id, COUNTED, protocol, None);
        let figures = picked.iter().next().map(|session| {
            let range = dominating(&session.frames, paper::TABLE_3.get(at).map(|row| row.range.0));
            let total = session.link.map(|link| link.at_manager().packets as f64);
            let (from, packets) = range.unzip();
            [from.map(f64::from), from.map(|it| f64::from(it + RANGE)), packets.map(f64::from), total]
        });
        sheet.row(
            label(protocol),
            &printed.unwrap_or_default(),
            &figures.unwrap_or_default(),
            picked.count(),
        );
    }
    sheet
}

/// A range's start, and the packets in it: the paper's range if it holds as many as any, within a hundredth; otherwise
/// the first that holds most.
fn dominating(frames: &[(u32, u32)], printed: Option<u32>) -> Option<(u32, u32)> {
    let most = frames.iter().map(|(size, _)| *size).max()?;
    let inside = |from: u32| {
        let sizes = frames.iter().filter(|(size, _)| (from..=from + RANGE).contains(size));
        (from, sizes.map(|(_, packets)| packets).sum::<u32>())
    };
    let best = (0..=most)
        .step_by(STEP)
        .map(inside)
        .reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    let as_many = |it: &(u32, u32)| it.1 + best.1 / 100 >= best.1;
    printed.map(inside).filter(as_many).or(Some(best))
}

/// Figure 5: octets by interactions; what security adds to a packet, and where octets break even.
fn figure_5(trials: &Trials, findings: &mut Findings) {
    let id = "marinov2006/figure-5";
    let mut sheet = by_interactions(trials, id, "octets", "octets exchanged by the length of a walk");
    sheet.note = "Ethernet frames without check sequence at the manager's end. Means and medians. The paper has a drawing \
                  without numbers."
        .into();
    for protocol in everything() {
        rows_by_size(&mut sheet, trials, COUNTED, protocol, "", octets);
    }
    let drawing = BySize {
        id,
        panels: vec![(String::new(), COUNTED.into())],
        figure: |picked| picked.mean_estimate(octets),
        is_relative: true,
        papers_get: |_, row| Some(f64::from(row.octets)),
        unit: "octets / octets of SNMPv2c/UDP",
        title: "Octets of walks by their length, as multiples of SNMPv2c's over UDP",
    };
    sheet.drawings.extend(drawings::by_size(trials, &drawing));
    findings.sheets.push(sheet);
    findings.sheets.push(overhead(trials));
    crossing::break_even_in_octets(trials, findings);
}

/// Section 5.5: what security adds to a packet.
fn overhead(trials: &Trials) -> Sheet {
    let columns = ["octets of an interaction", "without security", "octets more in a packet"];
    let mut sheet = Sheet::new("marinov2006/overhead", "what security adds to a packet of a walk", &columns);
    sheet.note = "From the slopes of lines through figure 5's octets (least squares over the length); an interaction has two \
                  packets, and the set-up is not part of it. Beside it SNMPv2c without security over UDP for datagrams and over \
                  TCP for streams, as in the paper."
        .into();
    for protocol in everything().skip(2) {
        let [_, _, users, users_tcp, ssh] = PAPERS;
        let printed = match protocol {
            _ if protocol == users || protocol == users_tcp => Some(paper::OVERHEAD_PER_PACKET[0]),
            _ if protocol == ssh => Some(paper::OVERHEAD_PER_PACKET[1]),
            _ => None,
        };
        let of = |protocol| crossing::octets_line(trials, protocol).map(|line| line.slope);
        let ours = [of(protocol), of(plain(protocol)), overhead_of(trials, protocol)];
        sheet.estimates(label(protocol), &[None, None, printed], &ours);
    }
    sheet
}

/// SNMPv2c without security over the like transport.
fn plain(protocol: Protocol) -> Protocol {
    if protocol.transport.has_datagrams() { PAPERS[0] } else { PAPERS[1] }
}

/// What a protocol adds to a packet, octets.
pub fn overhead_of(trials: &Trials, protocol: Protocol) -> Option<Estimate> {
    let of = |protocol| crossing::octets_line(trials, protocol).map(|line| line.slope);
    minus(of(protocol).as_ref(), of(plain(protocol)).as_ref()).map(|it| &it / 2.0)
}

/// Figure 6: memory by open sessions, and memory per session.
fn figure_6(trials: &Trials) -> Sheet {
    let papers = |protocol, at: Option<u32>| match at {
        _ if protocol != PAPERS[4] => None,
        None => Some(paper::MEMORY_PER_SESSION_KB),
        Some(count) => (count == 0).then_some(paper::MEMORY_AT_FIRST_KB),
    };
    let mut sheet = open_memory(trials, FIGURE_6, &papers);
    sheet.note = "KB are 1024 octets. The last column is the slope of a line through the readings with open \
                  sessions: what the first one brings for all is not of each. The paper has virtual memory of \
                  its agent: 9312 KB at first and about 7 KB for each session, for SSH. Each protocol has an agent of its own."
        .into();
    sheet
}

/// Virtual and resident memory of the agent by open sessions, beside a paper's virtual memory: of so many sessions, or of each.
pub(crate) fn open_memory(
    trials: &Trials,
    id: &str,
    papers: &dyn Fn(Protocol, Option<u32>) -> Option<f64>,
) -> Sheet {
    let mut counts: Vec<u32> = trials.memory(id).map(|it| it.sessions).collect();
    counts.sort_unstable();
    counts.dedup();
    let mut columns: Vec<String> = counts.iter().map(|count| format!("{count} sessions (KB)")).collect();
    columns.push("for each session (KB)".into());
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet = Sheet::new(id, "memory of the agent by open sessions that are not used", &columns);
    let mut protocols: Vec<Protocol> = trials.memory(id).map(|it| it.protocol).collect();
    protocols.sort_unstable();
    protocols.dedup();
    for protocol in protocols {
        for (name, figure) in [
            ("virtual", (|it| it.virtual_size) as fn(&OpenSessionsRecord) -> u64),
            ("resident", |it| it.resident),
        ] {
            let of = |count: u32| {
                let mut records = trials.memory(id).filter(|it| it.protocol == protocol);
                records.find(|it| it.sessions == count).map(|it| figure(it) as f64 / 1024.0)
            };
            let mut figures: Vec<Option<Estimate>> =
                counts.iter().map(|&count| of(count).map(Estimate::exact)).collect();
            figures.push(memory_of_session(trials, id, protocol, figure));
            let places = counts.iter().copied().map(Some).chain([None]);
            let printed: Vec<Option<f64>> =
                places.map(|at| if name == "virtual" { papers(protocol, at) } else { None }).collect();
            sheet.estimates(format!("{protocol}, {name}"), &printed, &figures);
            if let Some(row) = sheet.rows.last_mut() {
                row.samples = counts.iter().filter(|&&count| of(count).is_some()).count();
            }
        }
    }
    sheet.drawings.extend(drawings::memory(trials, id));
    sheet
}

/// The memory of each session, KB: the slope over the readings with open sessions, and its interval over these.
pub fn memory_of_session(
    trials: &Trials,
    id: &str,
    protocol: Protocol,
    figure: fn(&OpenSessionsRecord) -> u64,
) -> Option<Estimate> {
    let of_this = trials.memory(id).filter(|it| it.protocol == protocol && it.sessions > 0);
    let points: Vec<(f64, f64)> =
        of_this.map(|it| (f64::from(it.sessions), figure(it) as f64 / 1024.0)).collect();
    Estimate::of_repetitions(points.len(), |chosen| {
        let chosen: Vec<(f64, f64)> = chosen.iter().map(|&at| points[at]).collect();
        open_sessions::each(&chosen).map(|line| line.slope)
    })
}

/// The table of open sessions.
pub(crate) const FIGURE_6: &str = "marinov2006/figure-6";

/// What replaces what the paper had.
fn doubts(id: &str, trials: &Trials) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let measured = |protocol| trials.sessions(id).any(|it| it.case.protocol == protocol);
    if measured(PAPERS[4]) {
        let (protocol, ours) = (PAPERS[4], PAPERS[4].algorithms().into());
        let paper = "libssh with HMAC-MD5 and AES-128, PAM passwords or keys".into();
        doubts.push(Doubt::OtherAlgorithms { protocol, paper, ours });
    }
    let walked = trials.sessions(id).filter_map(|it| Some((it.instances?, it.case.messages)));
    if let Some((instances, messages)) =
        walked.filter(|(instances, messages)| messages > &(instances + 1)).max()
    {
        doubts.push(Doubt::WalkBegunAgain { table: id.into(), instances, messages });
    }
    if id == "marinov2006/figure-4" {
        doubts.extend(too_few_losses(id, trials));
    } else {
        let mut again: Vec<(Protocol, u32)> = Vec::new();
        for session in trials.sessions(id).filter(|it| it.resent > 0) {
            match again.iter_mut().find(|(protocol, _)| *protocol == session.case.protocol) {
                Some((_, requests)) => *requests += session.resent,
                None => again.push((session.case.protocol, session.resent)),
            }
        }
        let table = || id.to_owned();
        doubts.extend(again.into_iter().map(|(protocol, requests)| Doubt::Resent {
            table: table(),
            protocol,
            requests,
        }));
    }
    doubts
}

/// The walks on a lossy link that met too few losses.
fn too_few_losses(id: &str, trials: &Trials) -> Vec<Doubt> {
    let without = [loss(0.0, false), loss(0.0, true)];
    let cases: BTreeSet<&Case> =
        trials.sessions(id).map(|it| &it.case).filter(|case| !without.contains(&case.what)).collect();
    let few = |Case { what, protocol, messages, .. }: &Case| {
        let row = format!("{messages} interactions over {}, {what}", label(*protocol));
        hardly_lost(id, &row, trials.pick(id, what, *protocol, *messages).sent_and_lost())
    };
    cases.into_iter().filter_map(few).collect()
}

/// The width of table 3's ranges and the step between their beginnings, octets.
const RANGE: u32 = 20;
const STEP: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_labkit::sample::{session, trial};
    use trunkline_labkit::trial::Entry;

    #[test]
    fn the_range_that_most_packets_are_in() {
        let frames = [(66, 3), (95, 10), (99, 12), (121, 9)];
        assert_eq!(dominating(&frames, None), Some((80, 22)));
        assert_eq!(dominating(&[], None), None);
        // Nearly all frames have 110 to 119 octets: the paper's 110 to 130 hold them as 100 to 120 do.
        let frames = [(66, 8), (109, 9), (110, 2300), (119, 2401)];
        assert_eq!(dominating(&frames, None), Some((100, 4710)));
        assert_eq!(dominating(&frames, Some(110)), Some((110, 4701)));
        assert_eq!(dominating(&frames, Some(170)), Some((100, 4710)));
    }

    #[test]
    fn every_table_and_figure_is_there_whatever_was_measured() {
        let mut trial = trial("marinov2006");
        let ids = ["table-2", "section-4", "figure-3", "figure-4", "table-3", "figure-5", "figure-6"];
        trial.tables = ids.iter().map(|id| format!("marinov2006/{id}")).collect();
        let mut entries = Vec::new();
        for (size, ssh, usm) in [(100, 46.0, 34.0), (1000, 316.0, 331.0)] {
            for (protocol, ms) in [(PAPERS[4], ssh), (PAPERS[2], usm)] {
                for round in 1..=6 {
                    // Each round takes a little longer than the one before.
                    let ms = ms + f64::from(round - 1) * 1e-3;
                    let one = session("marinov2006/figure-3", FAST, protocol, size, round, [0.0, ms, 0.0]);
                    entries.push(Entry::Session(one));
                }
            }
        }
        let findings = findings(&Trials { trial: trial.clone(), entries });
        for id in &trial.tables {
            let sheet = findings.sheet(id).unwrap_or_else(|| panic!("{id}"));
            assert!(id.ends_with("figure-6") || !sheet.rows.is_empty(), "{id}");
        }
        // (46 - 100 b, ...): SSH is 16 + 0.3 n, USM 1 + 0.33 n
        let sheet = findings.sheet("marinov2006/break-even").unwrap();
        let row = sheet.find("SNMPv2c/SSH compared with SNMPv3/USM/UDP").unwrap();
        assert!((row.ours[0].unwrap() - 500.0).abs() < 1e-6, "{row:?}");
        assert!(
            row.interval[0].is_some_and(|[low, high]| low <= 500.0 + 1e-6 && 500.0 - 1e-6 <= high),
            "{row:?}"
        );
        assert_eq!((row.paper[0], row.ours[1], row.samples), (Some(500.0), None, 6));
        assert!((row.ratio[0].unwrap() - 1.0).abs() < 1e-9);
    }
}
