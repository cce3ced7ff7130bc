//! The drawings of marinov2006.

use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::picked::{Picked, over};
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::report::figure::{Axis, Figure, Line, Panel, Point, Scale};
use trunkline_labkit::report::palette;
use trunkline_labkit::report::sheet::capital;
use trunkline_labkit::trial::{OpenSessionsRecord, Trials};

use super::sheets::label;
use super::{OURS, PAPERS};

/// Resident memory by open sessions.
pub fn memory(trials: &Trials) -> Option<(Figure, String)> {
    let id = "marinov2006/figure-6";
    let mut protocols: Vec<Protocol> = trials.memory(id).map(|it| it.protocol).collect();
    protocols.dedup();
    let mut lines = Vec::new();
    for protocol in protocols {
        let of_this = trials.memory(id).filter(|it| it.protocol == protocol);
        let point = |it: &OpenSessionsRecord| Point::at(f64::from(it.sessions), it.resident as f64 / 1024.0);
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
    any.then(|| {
        let caption = format!("An agent for each protocol. {}", capital(&figure.extremes()));
        (figure, caption)
    })
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
        let lines = shown.iter().map(line).filter(|line| !line.points.is_empty()).collect();
        Panel { title: title.clone(), bands: vec![], lines }
    };
    let panels: Vec<Panel> = what.panels.iter().map(panel).filter(|it| !it.lines.is_empty()).collect();
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let any = !panels.is_empty();
    let figure = Figure { title: what.title.into(), x: axis("interactions"), y: axis(what.unit), panels };
    let caption = format!("{} Whiskers are intervals of 95 %.", capital(&figure.extremes()));
    any.then_some((figure, caption))
}
