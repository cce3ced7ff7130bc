//! The drawings of marinov2006.

use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::picked::{Picked, over};
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::report::figure::{Axis, Figure, Line, Panel, Point, Scale};
use trunkline_labkit::report::palette;
use trunkline_labkit::report::sheet::capital;
use trunkline_labkit::trial::{OpenSessionsRecord, Trials};

use super::paper::{self, Table2Row};
use super::sheets::label;
use super::{OURS, PAPERS};

/// What open sessions add to the agent's memory, and what the paper's did.
pub fn memory(trials: &Trials, id: &str) -> Option<(Figure, String)> {
    let mut protocols: Vec<Protocol> = trials.memory(id).map(|it| it.protocol).collect();
    protocols.sort_unstable();
    protocols.dedup();
    let mut lines = Vec::new();
    let mut most: u32 = 0;
    for protocol in protocols {
        let of_this = || trials.memory(id).filter(|it| it.protocol == protocol);
        let Some(first) = of_this().min_by_key(|it| it.sessions) else { continue };
        most = most.max(of_this().map(|it| it.sessions).max().unwrap_or(0));
        let point = |it: &OpenSessionsRecord| {
            Point::at(f64::from(it.sessions), (it.resident as f64 - first.resident as f64) / 1024.0)
        };
        lines.push(Line::new(protocol.to_string(), palette::protocol(protocol), of_this().map(point)));
    }
    if lines.is_empty() {
        return None;
    }
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Linear };
    let title = "Resident memory that open sessions add to the agent's";
    let mut figure = Figure {
        title: title.into(),
        x: axis("sessions that are open and not used"),
        y: axis("KB more than without sessions"),
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    let extremes = capital(&figure.extremes());
    let papers = [0, most].map(|it| Point::at(f64::from(it), f64::from(it) * paper::MEMORY_PER_SESSION_KB));
    let style = palette::paper_of(palette::protocol(PAPERS[4]));
    figure.panels[0].lines.push(Line::new("SSH in the paper", style, papers));
    let caption = format!(
        "An agent for each protocol. {extremes} Grey: the paper's {} KB for each session, of its agent's virtual memory.",
        paper::MEMORY_PER_SESSION_KB
    );
    Some((figure, caption))
}

/// What a drawing by the length of walks shows.
pub struct BySize<'a> {
    /// The table of the samples.
    pub id: &'a str,
    /// A panel for each kind of session: its title, and the name in the samples.
    pub panels: Vec<(String, String)>,
    /// The figure of a kind of session.
    pub figure: fn(&Picked<'_>) -> Option<Estimate>,
    /// Whether figures are divided by those of SNMPv2c over UDP.
    pub is_relative: bool,
    /// The paper's figure of one get, if it has one there: table 2, for each kind of session.
    pub papers_get: fn(&str, &Table2Row) -> Option<f64>,
    /// The quantity and its unit.
    pub unit: &'a str,
    /// The title.
    pub title: &'a str,
}

/// Lines by the number of interactions: the paper's protocols, and SNMPv2c over TLS and DTLS.
pub fn by_size(trials: &Trials, what: &BySize<'_>) -> Option<(Figure, String)> {
    let sizes = trials.sizes(what.id);
    let shown = PAPERS.into_iter().chain([OURS[3], OURS[5]]).skip(usize::from(what.is_relative));
    let shown: Vec<Protocol> = shown.collect();
    let panel = |(title, kind): &(String, String)| {
        let at = |protocol, size| (what.figure)(&trials.pick(what.id, kind, protocol, size));
        let figure = |protocol, size| match what.is_relative {
            true => over(at(protocol, size).as_ref(), at(PAPERS[0], size).as_ref()),
            false => at(protocol, size),
        };
        let line = |&protocol: &Protocol| {
            let points =
                sizes.iter().filter_map(|&size| Some(Point::of(f64::from(size), &figure(protocol, size)?)));
            Line::new(label(protocol), palette::protocol(protocol), points)
        };
        let mut lines: Vec<Line> = shown.iter().map(line).filter(|line| !line.points.is_empty()).collect();
        if !lines.is_empty() {
            lines.extend(papers_gets(what, kind));
        }
        Panel { title: title.clone(), lines, ..Panel::default() }
    };
    let panels: Vec<Panel> = what.panels.iter().map(panel).filter(|it| !it.lines.is_empty()).collect();
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let any = !panels.is_empty();
    let figure = Figure { title: what.title.into(), x: axis("interactions"), y: axis(what.unit), panels };
    let mut caption = format!("{} Bars are intervals at 95 %.", capital(&figure.extremes()));
    if figure.panels.iter().any(|panel| panel.lines.iter().any(|line| line.name == ONE_GET)) {
        caption += " Grey: one get in the paper (table 2), with the marks of its protocols.";
    }
    any.then_some((figure, caption))
}

/// The paper's figures of one get, relative to SNMPv2c over UDP.
fn papers_gets(what: &BySize<'_>, kind: &str) -> Vec<Line> {
    let of = |at: usize| (what.papers_get)(kind, &paper::TABLE_2[at]);
    let line = |(at, protocol): (usize, &Protocol)| {
        let style = palette::paper_of(palette::protocol(*protocol)).points();
        Some(Line::new(ONE_GET, style, [Point::at(1.0, of(at)? / of(0)?)]))
    };
    PAPERS.iter().enumerate().skip(1).filter_map(line).collect()
}

/// The name of the paper's points.
const ONE_GET: &str = "the paper, one get";
