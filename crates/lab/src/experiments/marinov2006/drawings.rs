//! The drawings of marinov2006.

use crate::kit::estimate::Estimate;
use crate::kit::picked::Picked;
use crate::kit::protocol::Protocol;
use crate::kit::report::figure::{Axis, Figure, Line, Panel, Point, Scale};
use crate::kit::report::palette;
use crate::kit::trial::{OpenSessionsRecord, Trials};

use super::everything;
use super::sheets::label;

/// Resident memory by open sessions.
pub fn drawing_6(trials: &Trials) -> Option<(Figure, String)> {
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
    let panels = panels.map(|(name, what)| {
        let mut lines = Vec::new();
        for protocol in everything() {
            let point = |&size: &u32| Some(point(size, &figure(&trials.pick(id, &what, protocol, size))?));
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

/// A point with the whisker of its interval.
pub fn point(size: u32, estimate: &Estimate) -> Point {
    let interval = estimate.interval().map(|it| (it.low, it.high));
    Point { x: f64::from(size), y: estimate.value(), interval }
}
