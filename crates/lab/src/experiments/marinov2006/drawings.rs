//! The drawings of marinov2006.

use crate::kit::estimate::Estimate;
use crate::kit::picked::Picked;
use crate::kit::protocol::{Protocol, Security, SnmpVersion};
use crate::kit::report::figure::{
    Axis, Entry as Legend, Figure, Line, Mark, Panel, Point, Scale, Stroke, Style,
};
use crate::kit::transport::Transport;
use crate::kit::trial::{OpenSessionsRecord, Trials};

use super::sheets::label;
use super::{PAPERS, everything};

/// Resident memory by open sessions.
pub fn drawing_6(trials: &Trials) -> Option<(Figure, String)> {
    let id = "marinov2006/figure-6";
    let mut protocols: Vec<Protocol> = trials.memory(id).map(|it| it.protocol).collect();
    protocols.dedup();
    let (mut lines, mut legend) = (Vec::new(), Vec::new());
    for protocol in protocols {
        let style = Style { stroke: Stroke::Solid, ..style(0, protocol) };
        let of_this = trials.memory(id).filter(|it| it.protocol == protocol);
        let point = |it: &OpenSessionsRecord| Point {
            x: f64::from(it.sessions),
            y: it.resident as f64 / 1024.0,
            interval: None,
        };
        lines.push(Line { style, points: of_this.map(point).collect() });
        legend.push(Legend::Line(style, protocol.to_string()));
    }
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Linear };
    let title = "Resident memory of the agent by open sessions";
    let any = !lines.is_empty();
    let figure = Figure {
        title: title.into(),
        x: axis("sessions that are open and not used"),
        y: axis("KB"),
        panels: vec![Panel { lines, ..Panel::default() }],
        legend,
    };
    any.then(|| (figure, format!("{title}, an agent for each protocol.")))
}

/// Lines by the number of interactions: a panel per kind of session.
pub fn by_size<const N: usize>(
    trials: &Trials,
    id: &str,
    panels: [(impl Into<String>, String); N],
    (unit, figure): (&str, fn(&Picked<'_>) -> Option<Estimate>),
    title: &str,
) -> Option<(Figure, String)> {
    let sizes = trials.sizes(id);
    let mut legend = Vec::new();
    let panels = panels.map(|(name, what)| {
        let mut lines = Vec::new();
        for (at, protocol) in everything().enumerate() {
            let point = |&size: &u32| Some(point(size, &figure(&trials.pick(id, &what, protocol, size))?));
            let points: Vec<Point> = sizes.iter().filter_map(point).collect();
            if points.is_empty() {
                continue;
            }
            let style = style(at, protocol);
            let entry = (style, label(protocol));
            if !legend.contains(&entry) {
                legend.push(entry);
            }
            lines.push(Line { style, points });
        }
        Panel { title: name.into(), bands: vec![], lines }
    });
    let mut panels: Vec<Panel> = panels.into();
    panels.retain(|panel| !panel.lines.is_empty());
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let any = !panels.is_empty();
    let legend = legend.into_iter().map(|(style, name)| Legend::Line(style, name)).collect();
    let figure = Figure { title: title.into(), x: axis("interactions"), y: axis(unit), panels, legend };
    any.then(|| (figure, format!("{title}. Both axes are logarithmic.")))
}

/// The paper's five solid, ours dashed; a colour per transport and security.
pub fn style(at: usize, protocol: Protocol) -> Style {
    let usm = matches!(protocol.security, Security::Usm(..));
    let colour = match (protocol.transport, usm) {
        (Transport::Udp, false) => "#57606a",
        (Transport::Tcp, false) => "#9a6700",
        (Transport::Udp, true) => "#1260a8",
        (Transport::Tcp, true) => "#6d4aa8",
        (Transport::Ssh, _) => "#b3261e",
        (Transport::Http | Transport::Https, _) => "#bf3989",
        (Transport::Tls, _) => "#1a7f37",
        (Transport::Dtls, _) => "#0b7b83",
    };
    let is_papers = at < PAPERS.len();
    let v3 = protocol.version == SnmpVersion::V3 && protocol.is_in_session();
    Style {
        colour,
        stroke: if is_papers { Stroke::Solid } else { Stroke::Dashed },
        mark: if v3 { Mark::Ring } else { Mark::Disc },
    }
}

/// A point with the whisker of its interval.
pub fn point(size: u32, estimate: &Estimate) -> Point {
    let interval = estimate.interval().map(|it| (it.low, it.high));
    Point { x: f64::from(size), y: estimate.value(), interval }
}
