//! From the samples of marinov2006 to its tables and figures beside the paper's: a pure function.

use std::collections::BTreeSet;

use crate::experiments::marinov2006::paper;
use crate::kit::doubt::Doubt;
use crate::kit::findings::{Findings, Sheet};
use crate::kit::open_sessions;
use crate::kit::picked::{Picked, hardly_lost, total_ms};
use crate::kit::protocol::Protocol;
use crate::kit::report::figure::{Axis, Figure, Line, Panel, Point, Scale};
use crate::kit::report::palette;
use crate::kit::statistics::{Fit, fit};
use crate::kit::trial::{Case, SessionRecord, Trials};

use super::{COUNTED, FAST, PAPERS, SLOW, everything, with_loss};

/// All requested tables and figures.
pub fn findings(trials: &Trials) -> Findings {
    let mut findings = Findings::default();
    let all: [(&str, Make); 7] = [
        ("marinov2006/table-2", |it, to| to.sheets.push(table_2(it))),
        ("marinov2006/section-4", |it, to| to.sheets.push(section_4(it))),
        ("marinov2006/figure-3", figure_3),
        ("marinov2006/figure-4", |it, to| to.sheets.push(figure_4(it))),
        ("marinov2006/table-3", |it, to| to.sheets.push(table_3(it))),
        ("marinov2006/figure-5", |it, to| to.sheets.push(figure_5(it))),
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
fn label(protocol: Protocol) -> String {
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
    sheet.note = "Data are Ethernet frames without check sequence on the emulated link. The paper does not say which figure of its \
                  hundred it prints: means here, medians below. USM of the paper's rows is MD5 and AES-128, as there."
        .into();
    for (at, protocol) in everything().enumerate() {
        let printed = paper::TABLE_2
            .get(at)
            .map(|row| [row.fast_ms, row.slow_ms, f64::from(row.octets), f64::from(row.packets)].map(Some));
        let [fast, slow, counted] = [FAST, SLOW, COUNTED].map(|what| trials.pick(id, what, protocol, None));
        let octets = counted.median_of_some(octets);
        let packets = counted.median_of_some(|it| Some(it.link?.at_manager().packets as f64));
        let figures = [fast.mean(total_ms), slow.mean(total_ms), octets, packets];
        sheet.row(label(protocol), &printed.unwrap_or_default(), &figures, fast.count());
        let medians = [fast.median(total_ms), slow.median(total_ms), None, None];
        sheet.row(format!("{}, median", label(protocol)), &[], &medians, fast.count());
    }
    sheet
}

/// Octets of Ethernet frames at the manager's end.
fn octets(session: &SessionRecord) -> Option<f64> {
    Some(session.link?.at_manager().ethernet_octets() as f64)
}

/// Section 4: one get and a walk, by the settings of the manager's end.
fn section_4(trials: &Trials) -> Sheet {
    let id = "marinov2006/section-4";
    let columns = ["one get (ms)", "its packets", "walk (ms)", "its packets"];
    let mut sheet =
        Sheet::new(id, "Nagle's algorithm and window updates at the manager's end of SSH", &columns);
    let ssh = PAPERS[4];
    let sizes = trials.sizes(id);
    let (get, walk) = (sizes.first().copied(), sizes.last().copied());
    sheet.note = format!(
        "The walk has {} GetNext. With window updates each time a packet follows each answer. The paper: about 800 ms with Nagle's \
         algorithm at both ends, 56.5 ms without in the programs, 16.17 ms without from the connection on; it had window updates \
         for each message at first, without figures.",
        walk.unwrap_or(0)
    );
    for (what, printed) in
        [("as shipped", Some(2)), ("Nagle on", Some(0)), ("window updates each time", None), ("both", None)]
    {
        let counted = format!("{what}, {COUNTED}");
        let of = |what: &str, size: Option<u32>| size.map(|size| trials.pick(id, what, ssh, size));
        let time = |size| of(what, size).and_then(|it| it.mean(total_ms));
        let packets =
            |size| of(&counted, size)?.median_of_some(|it| Some(it.link?.at_manager().packets as f64));
        let figures = [time(get), packets(get), time(walk), packets(walk)];
        let printed = [printed.map(|at: usize| paper::NAGLE_MS[at])];
        sheet.row(what, &printed, &figures, of(what, get).map_or(0, |it| it.count()));
    }
    sheet
}

/// Figure 3, and the break-even points.
fn figure_3(trials: &Trials, findings: &mut Findings) {
    let id = "marinov2006/figure-3";
    let sizes = trials.sizes(id);
    let columns: Vec<String> = sizes.iter().map(|size| format!("{size} interactions (ms)")).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet = Sheet::new(id, "latency of GetNext walks of ifTable without packet loss", &columns);
    sheet.note = "The paper has a drawing without numbers; it says that SSH breaks even with USM after about 500 interactions on \
                  both machines. Means."
        .into();
    for what in [FAST, SLOW] {
        for protocol in everything() {
            let picked: Vec<Picked<'_>> =
                sizes.iter().map(|&size| trials.pick(id, what, protocol, size)).collect();
            let figures: Vec<Option<f64>> = picked.iter().map(|it| it.mean(total_ms)).collect();
            let samples = picked.iter().map(Picked::count).min().unwrap_or(0);
            sheet.row(format!("{}, {what} agent", label(protocol)), &[], &figures, samples);
        }
    }
    sheet.drawings.extend(by_size(
        trials,
        id,
        [("fast agent", FAST.to_owned()), ("slow agent", SLOW.to_owned())],
        ("ms for a walk", |picked| picked.mean(total_ms)),
        "Session times of walks by their length",
    ));
    findings.sheets.push(sheet);
    break_even(trials, findings);
}

/// After how many interactions a session is faster than USM: where the lines through the walks' times cross.
fn break_even(trials: &Trials, findings: &mut Findings) {
    let id = "marinov2006/figure-3";
    let columns = ["fast agent (interactions)", "slow agent (interactions)"];
    let mut sheet =
        Sheet::new("marinov2006/break-even", "after how many interactions a session is faster", &columns);
    sheet.note = "Where the lines through the times of figure 3's walks (least squares over the length) cross; open where they do \
                  not."
        .into();
    let line = |what: &str, protocol| -> Option<(Fit, usize)> {
        let sizes = trials.sizes(id);
        let picked = sizes.iter().map(|&size| (size, trials.pick(id, what, protocol, size)));
        let points: Vec<(f64, f64)> =
            picked.clone().filter_map(|(size, it)| Some((f64::from(size), it.median(total_ms)?))).collect();
        let samples = picked.map(|(_, it)| it.count()).filter(|count| *count > 0).min().unwrap_or(0);
        Some((fit(&points)?, samples))
    };
    let sessions = everything().filter(Protocol::is_in_session);
    let users: Vec<Protocol> =
        everything().filter(|it| matches!(it.security, crate::kit::protocol::Security::Usm(..))).collect();
    for protocol in sessions {
        // The paper's pair of algorithms only for the paper's protocol.
        let papers = PAPERS.contains(&protocol);
        for &against in users.iter().filter(|it| papers || !PAPERS.contains(it)) {
            let mut found = [None, None];
            let mut samples = usize::MAX;
            for (at, what) in [FAST, SLOW].into_iter().enumerate() {
                let (Some((ours, one)), Some((theirs, other))) = (line(what, protocol), line(what, against))
                else {
                    continue;
                };
                samples = samples.min(one).min(other);
                match crossing(ours, theirs) {
                    Ok(interactions) => found[at] = Some(interactions),
                    Err(reason) => {
                        let reason = format!("{what} agent: {reason}");
                        let table = "marinov2006/break-even".into();
                        findings.doubt_all([Doubt::NoBreakEven { table, protocol, against, reason }]);
                    }
                }
            }
            let is_papers = PAPERS.contains(&protocol) && PAPERS.contains(&against);
            let printed = if is_papers { [Some(paper::BREAK_EVEN); 2] } else { [None; 2] };
            let samples = if samples == usize::MAX { 0 } else { samples };
            sheet.row(format!("{} beside {}", label(protocol), label(against)), &printed, &found, samples);
        }
    }
    findings.sheets.push(sheet);
}

/// Where `ours` falls below `theirs`; 0 if it starts below. Otherwise the reason why not.
fn crossing(ours: Fit, theirs: Fit) -> Result<f64, String> {
    let (set_up, saved) = (ours.intercept - theirs.intercept, theirs.slope - ours.slope);
    if saved > 0.0 {
        return Ok((set_up / saved).max(0.0));
    }
    let (amount, more) = (set_up.abs(), if set_up < 0.0 { "less" } else { "more" });
    Err(format!(
        "its set-up takes {amount:.2} ms {more} and each interaction {:.1} µs more ({:.1} instead of {:.1} µs)",
        -saved * 1e3,
        ours.slope * 1e3,
        theirs.slope * 1e3
    ))
}

/// Figure 4.
fn figure_4(trials: &Trials) -> Sheet {
    let id = "marinov2006/figure-4";
    let sizes = trials.sizes(id);
    let columns: Vec<String> = sizes.iter().map(|size| format!("{size} interactions (ms)")).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet = Sheet::new(id, "latency of GetNext walks under packet loss, slow agent", &columns);
    sheet.note = "On the emulated link, without delay. Over UDP and DTLS requests are sent again as Net-SNMP does (after 1 s, five \
                  times) and, where the row says so, as ours (after 50 ms, then twice as long each time). The paper has a \
                  drawing without numbers, of 0.1 and 0.5 % alone; it says that everything over TCP was clearly faster. Means: a \
                  lost packet is rare and dear."
        .into();
    for percent in paper::LOSS_PERCENT {
        for ours in [false, true] {
            let what = loss(percent, ours);
            for protocol in with_loss().into_iter().filter(|it| !ours || it.transport.has_datagrams()) {
                let picked: Vec<Picked<'_>> =
                    sizes.iter().map(|&size| trials.pick(id, &what, protocol, size)).collect();
                let figures: Vec<Option<f64>> = picked.iter().map(|it| it.mean(total_ms)).collect();
                let samples = picked.iter().map(Picked::count).min().unwrap_or(0);
                sheet.row(format!("{}, {what}", label(protocol)), &[], &figures, samples);
            }
        }
    }
    let panels = paper::LOSS_PERCENT.map(|percent| (format!("loss {percent} %"), loss(percent, false)));
    sheet.drawings.extend(by_size(
        trials,
        id,
        panels,
        ("ms for a walk", |picked| picked.mean(total_ms)),
        "Session times of walks under loss, sent again as Net-SNMP does",
    ));
    sheet
}

/// Table 3: the 20 octets that contain most packets.
fn table_3(trials: &Trials) -> Sheet {
    let id = "marinov2006/table-3";
    let columns = ["range from (octets)", "to (octets)", "Packets in it", "Total packets"];
    let messages = trials.sizes(id).last().copied().unwrap_or(0);
    let title = format!("packet sizes of a walk of {messages} interactions");
    let mut sheet = Sheet::new(id, &title, &columns);
    sheet.note = "Ethernet frames without check sequence at the manager's end. The range is the one of 20 octets, beginning at a \
                  multiple of ten, that most packets are in."
        .into();
    for (at, protocol) in everything().enumerate() {
        let printed = paper::TABLE_3
            .get(at)
            .map(|row| [row.range.0, row.range.1, row.packets, row.total].map(|it| Some(f64::from(it))));
        let picked = trials.pick(id, COUNTED, protocol, None);
        let figures = picked.iter().next().map(|session| {
            let range = dominating(&session.frames);
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

/// The start of the range that contains most packets, and their number.
fn dominating(frames: &[(u32, u32)]) -> Option<(u32, u32)> {
    let most = frames.iter().map(|(size, _)| *size).max()?;
    let inside = |from: u32| {
        let sizes = frames.iter().filter(|(size, _)| (from..=from + RANGE).contains(size));
        (from, sizes.map(|(_, packets)| packets).sum::<u32>())
    };
    // The first among equals.
    (0..=most).step_by(STEP).map(inside).reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// Figure 5: octets by interactions.
fn figure_5(trials: &Trials) -> Sheet {
    let id = "marinov2006/figure-5";
    let sizes = trials.sizes(id);
    let columns: Vec<String> = sizes.iter().map(|size| format!("{size} interactions (octets)")).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet = Sheet::new(id, "octets exchanged by the length of a walk", &columns);
    sheet.note = "Ethernet frames without check sequence at the manager's end. The paper has a drawing without numbers.".into();
    for protocol in everything() {
        let picked: Vec<Picked<'_>> =
            sizes.iter().map(|&size| trials.pick(id, COUNTED, protocol, size)).collect();
        let figures: Vec<Option<f64>> = picked.iter().map(|it| it.median_of_some(octets)).collect();
        let samples = picked.iter().map(Picked::count).min().unwrap_or(0);
        sheet.row(label(protocol), &[], &figures, samples);
    }
    sheet.drawings.extend(by_size(
        trials,
        id,
        [(String::new(), COUNTED.to_owned())],
        ("octets of Ethernet frames", |picked| picked.median_of_some(octets)),
        "Octets of walks by their length",
    ));
    sheet
}

/// Figure 6: memory by open sessions, and memory per session.
fn figure_6(trials: &Trials) -> Sheet {
    let id = "marinov2006/figure-6";
    let mut counts: Vec<u32> = trials.memory(id).map(|it| it.sessions).collect();
    counts.sort_unstable();
    counts.dedup();
    let mut columns: Vec<String> = counts.iter().map(|count| format!("{count} sessions (KB)")).collect();
    columns.push("for each session (KB)".into());
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet = Sheet::new(id, "memory of the agent by open sessions that are not used", &columns);
    sheet.note = "KB are 1024 octets. The last column is the slope of a line through the readings with open \
                  sessions: what the first one brings for all is not of each. The paper has virtual memory of \
                  its agent: 9312 KB at first and about 7 KB for each session, for SSH. Each protocol has an agent of its own."
        .into();
    let mut protocols: Vec<Protocol> = trials.memory(id).map(|it| it.protocol).collect();
    protocols.sort_unstable();
    protocols.dedup();
    for protocol in protocols {
        for (name, figure) in [
            ("virtual", (|it| it.virtual_size) as fn(&crate::kit::trial::OpenSessionsRecord) -> u64),
            ("resident", |it| it.resident),
        ] {
            let of = |count: u32| {
                let mut records = trials.memory(id).filter(|it| it.protocol == protocol);
                records.find(|it| it.sessions == count).map(|it| figure(it) as f64 / 1024.0)
            };
            let mut figures: Vec<Option<f64>> = counts.iter().map(|&count| of(count)).collect();
            let points: Vec<(f64, f64)> =
                counts.iter().filter_map(|&count| Some((f64::from(count), of(count)?))).collect();
            figures.push(open_sessions::each(&points).map(|line| line.slope));
            let is_papers = protocol == PAPERS[4] && name == "virtual";
            let printed: Vec<Option<f64>> = counts
                .iter()
                .map(|&count| (is_papers && count == 0).then_some(paper::MEMORY_AT_FIRST_KB))
                .chain([is_papers.then_some(paper::MEMORY_PER_SESSION_KB)])
                .collect();
            sheet.row(format!("{protocol}, {name}"), &printed, &figures, points.len());
        }
    }
    sheet.drawings.extend(drawing_6(trials));
    sheet
}

/// Resident memory by open sessions.
fn drawing_6(trials: &Trials) -> Option<(Figure, String)> {
    let id = "marinov2006/figure-6";
    let mut protocols: Vec<Protocol> = trials.memory(id).map(|it| it.protocol).collect();
    protocols.dedup();
    let mut lines = Vec::new();
    for protocol in protocols {
        let of_this = trials.memory(id).filter(|it| it.protocol == protocol);
        let point = |it: &crate::kit::trial::OpenSessionsRecord| {
            Point::at(f64::from(it.sessions), it.resident as f64 / 1024.0)
        };
        lines.push(Line::new(protocol.to_string(), palette::protocol(protocol), of_this.map(point)));
    }
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Linear };
    let title = "Resident memory of the agent by open sessions";
    let any = !lines.is_empty();
    let figure = Figure {
        title: title.into(),
        x: axis("sessions that are open and not used"),
        y: axis("KB"),
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    any.then(|| (figure, format!("{title}, an agent for each protocol.")))
}

/// Lines by the number of interactions: a panel per kind of session.
fn by_size<const N: usize>(
    trials: &Trials,
    id: &str,
    panels: [(impl Into<String>, String); N],
    (unit, figure): (&str, fn(&Picked<'_>) -> Option<f64>),
    title: &str,
) -> Option<(Figure, String)> {
    let sizes = trials.sizes(id);
    let panels = panels.map(|(name, what)| {
        let mut lines = Vec::new();
        for protocol in everything() {
            let point = |&size: &u32| {
                Some(Point::at(f64::from(size), figure(&trials.pick(id, &what, protocol, size))?))
            };
            let points: Vec<Point> = sizes.iter().filter_map(point).collect();
            if !points.is_empty() {
                lines.push(Line::new(label(protocol), palette::protocol(protocol), points));
            }
        }
        Panel { title: name.into(), bands: vec![], lines }
    });
    let mut panels: Vec<Panel> = panels.into();
    panels.retain(|panel| !panel.lines.is_empty());
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let any = !panels.is_empty();
    let figure = Figure { title: title.into(), x: axis("interactions"), y: axis(unit), panels };
    any.then(|| (figure, format!("{title}. Both axes are logarithmic.")))
}

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
    use crate::kit::trial::Entry;
    use crate::kit::trial::tests::{session, trial};

    #[test]
    fn the_range_that_most_packets_are_in() {
        assert_eq!(dominating(&[(66, 3), (95, 10), (99, 12), (121, 9)]), Some((80, 22)));
        assert_eq!(dominating(&[]), None);
    }

    #[test]
    fn lines_cross_where_savings_outweigh_the_set_up() {
        let line = |intercept, slope| Fit { intercept, slope, r_squared: 1.0 };
        assert_eq!(crossing(line(16.0, 0.3), line(1.0, 0.33)).map(f64::round), Ok(500.0));
        assert_eq!(crossing(line(0.5, 0.3), line(1.0, 0.33)), Ok(0.0));
        let reason = crossing(line(16.0, 0.34), line(1.0, 0.33)).unwrap_err();
        assert!(reason.contains("15.00 ms more") && reason.contains("10.0 µs more"), "{reason}");
    }

    #[test]
    fn every_table_and_figure_is_there_whatever_was_measured() {
        let mut trial = trial("marinov2006");
        let ids = ["table-2", "section-4", "figure-3", "figure-4", "table-3", "figure-5", "figure-6"];
        trial.tables = ids.iter().map(|id| format!("marinov2006/{id}")).collect();
        let mut entries = Vec::new();
        for (size, ssh, usm) in [(100, 46.0, 34.0), (1000, 316.0, 331.0)] {
            for (protocol, ms) in [(PAPERS[4], ssh), (PAPERS[2], usm)] {
                let one = session("marinov2006/figure-3", FAST, protocol, size, 1, [0.0, ms, 0.0]);
                entries.push(Entry::Session(one));
            }
        }
        let findings = findings(&Trials { trial: trial.clone(), entries });
        for id in &trial.tables {
            let sheet = findings.sheet(id).unwrap_or_else(|| panic!("{id}"));
            assert!(id.ends_with("figure-6") || !sheet.rows.is_empty(), "{id}");
        }
        // (46 - 100 b, ...): SSH is 16 + 0.3 n, USM 1 + 0.33 n
        let sheet = findings.sheet("marinov2006/break-even").unwrap();
        let row = sheet.find("SNMPv2c/SSH beside SNMPv3/USM/UDP").unwrap();
        assert!((row.ours[0].unwrap() - 500.0).abs() < 1e-6, "{row:?}");
        assert_eq!((row.paper[0], row.ours[1]), (Some(500.0), None));
        assert!((row.ratio[0].unwrap() - 1.0).abs() < 1e-9);
    }
}
