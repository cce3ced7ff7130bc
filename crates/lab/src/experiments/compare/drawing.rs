//! Each way by octets and time: cold and kept beside each other, and where the link is full.

use std::collections::BTreeSet;

use trunkline_labkit::packing::Packing;
use trunkline_labkit::protocol::SnmpVersion;
use trunkline_labkit::report::figure::{Axis, Figure, Label, Line, Mark, Panel, Point, Scale, Stroke, Style};
use trunkline_labkit::report::palette::{self, Colour};

use super::answer::Plans;
use super::way::Way;

/// A plot of each way by octets and time. The recommended way and those on the front have the colour of their transport,
/// and their names beside them where there is room; all others are grey.
pub(super) fn drawing(plans: &Plans<'_>) -> Option<(Figure, String)> {
    if plans.ways.is_empty() {
        return None;
    }
    let full = full(plans);
    let panel = |(kept, title): (bool, &str)| {
        let mut lines = lines(plans, kept);
        let mut labels = labels(plans, kept);
        if let Some(octets) = full {
            let (low, high) = times(plans);
            lines.push(Line::new("", FULL, [low, high].map(|y| Point::at(octets, y))));
            let (text, colour) = ("the link is full".into(), Colour::Paper);
            labels.push(Label { x: octets, y: high, text, colour, is_written: true });
        }
        Panel { title: title.into(), lines, labels, ..Panel::default() }
    };
    let panels =
        [(false, "cold: a new session for each round"), (true, "kept: a session kept open between rounds")]
            .map(panel);
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let figure = Figure {
        title: "Time and octets of a round, for every way".into(),
        x: axis("octets of a round, in the busier direction"),
        y: axis("time of a round (ms)"),
        panels: panels.into(),
    };
    let mut caption = "Each mark is a way to poll: to the left fewer octets, below less time. In colour: the recommended \
                       way and the Pareto front (no other option is clearly better). Filled marks send plain messages, hollow ones \
                       compressed; diamonds are SOAP's own operations. Bars are 95 % intervals; point at a mark to see its name."
        .to_owned();
    if full.is_some() {
        caption += " To the right of the dashed line the devices fill the link.";
    }
    Some((figure, caption))
}

/// The marks of one panel: in the colour of their transport if they have their names beside them, otherwise grey.
fn lines(plans: &Plans<'_>, kept: bool) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let named = (0..plans.ways.len()).filter(|at| is_named(plans, *at));
    let transports: BTreeSet<_> = named.map(|at| plans.ways[at].protocol.transport).collect();
    for (at, way) in plans.ways.iter().enumerate().filter(|(_, way)| way.is_of_kind(kept)) {
        let colour = colour(plans, at);
        let style = Style { colour, stroke: Stroke::None, mark: mark(way) };
        let name = match colour {
            Colour::Paper => "all others".to_owned(),
            // More would be too many for a legend; the written names say it, too.
            _ if transports.len() > MOST_TRANSPORTS => String::new(),
            _ => way.protocol.transport.to_string(),
        };
        let point = Point::of(way.busier().value(), &way.cost.time_ms);
        match lines.iter_mut().find(|line| line.style == style) {
            Some(line) => line.points.push(point),
            None => lines.push(Line::new(name, style, [point])),
        }
    }
    // What is named is drawn above the others.
    lines.sort_by_key(|line| line.style.colour != Colour::Paper);
    lines
}

/// The names of one panel. Written are the first few that matter: the recommended way, and of the front the ways that
/// need the least of the link.
fn labels(plans: &Plans<'_>, kept: bool) -> Vec<Label> {
    let chosen = plans.chosen();
    let mut all: Vec<usize> =
        plans.order.iter().copied().filter(|at| plans.ways[*at].is_of_kind(kept)).collect();
    all.sort_by_key(|at| (chosen != Some(*at), !is_named(plans, *at)));
    let label = |(place, at): (usize, usize)| {
        let way = &plans.ways[at];
        let (is_written, colour) = (place < WRITTEN && is_named(plans, at), colour(plans, at));
        let recommended = if chosen == Some(at) { "recommended: " } else { "" };
        let text = format!("{recommended}{}", way.without_kind());
        Label { x: way.busier().value(), y: way.cost.time_ms.value(), text, colour, is_written }
    };
    all.into_iter().enumerate().map(label).collect()
}

fn colour(plans: &Plans<'_>, at: usize) -> Colour {
    if is_named(plans, at) { palette::over(plans.ways[at].protocol.transport) } else { Colour::Paper }
}

fn is_named(plans: &Plans<'_>, at: usize) -> bool {
    plans.on_front[at] || plans.chosen() == Some(at)
}

/// Filled without compression; a diamond for SOAP's own operations.
fn mark(way: &Way) -> Mark {
    match (way.protocol.version == SnmpVersion::Soap, way.packing == Packing::None) {
        (false, true) => Mark::Disc,
        (false, false) => Mark::Ring,
        (true, true) => Mark::Diamond,
        (true, false) => Mark::HollowDiamond,
    }
}

/// Octets of a round with which all devices fill the link.
fn full(plans: &Plans<'_>) -> Option<f64> {
    let octets = plans.fleet.rate? * plans.fleet.every / 8.0 / f64::from(plans.fleet.devices);
    let all = || plans.ways.iter().map(|way| way.busier().value());
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    // Far outside, it would press the marks together.
    (low / 4.0..=high * 4.0).contains(&octets).then_some(octets)
}

/// The least and the greatest time.
fn times(plans: &Plans<'_>) -> (f64, f64) {
    let all = || plans.ways.iter().map(|way| way.cost.time_ms.value());
    (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max))
}

/// So many transports are in the legend.
const MOST_TRANSPORTS: usize = 5;
/// So many names of a panel are written.
const WRITTEN: usize = 6;
/// Where the devices fill the link.
const FULL: Style = Style { colour: Colour::Paper, stroke: Stroke::Dashed, mark: Mark::Cross };

#[cfg(test)]
mod tests {
    use super::super::fleet::tests::fleet;
    use super::super::measure::kinds;
    use super::super::way::tests::way;
    use super::*;
    use trunkline_labkit::protocol::{Level, Protocol, Suite};
    use trunkline_labkit::transport::Transport;

    #[test]
    fn every_way_is_drawn() {
        let unlimited =
            crate::experiments::compare::fleet::Fleet { rate: None, ..fleet(Level::NoAuthNoPriv, 1) };
        for (protocol, packing) in kinds() {
            for kept in [false, true] {
                let ways = [Way { packing, ..way(protocol, kept, 100.0, 1.0) }];
                let name = ways[0].to_string();
                let drawn = drawing(&Plans::of(&ways, &unlimited));
                let (figure, _) = drawn.unwrap_or_else(|| panic!("{name} is not drawn"));
                let panel = &figure.panels[usize::from(kept)];
                assert_eq!((panel.lines.len(), panel.labels.len()), (1, 1), "{name}");
                let label = &panel.labels[0];
                assert!(
                    label.is_written && name.starts_with(label.text.trim_start_matches("recommended: ")),
                    "{label:?}"
                );
            }
        }
    }

    #[test]
    fn ways_behind_the_front_are_grey_and_their_names_not_written() {
        let secure = Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Modern);
        let ways = [
            way(Protocol::v2c(Transport::Udp), true, 100.0, 1.0),
            way(Protocol::v2c(Transport::Tcp), true, 900.0, 9.0),
            way(secure, true, 500.0, 5.0),
        ];
        let fleet = fleet(Level::AuthPriv, 1);
        let (figure, _) = drawing(&Plans::of(&ways, &fleet)).unwrap();
        let panel = &figure.panels[1];
        let written: Vec<&str> =
            panel.labels.iter().filter(|it| it.is_written).map(|it| it.text.as_str()).collect();
        assert_eq!(written, [format!("recommended: {secure}")]);
        let grey: Vec<&Line> = panel.lines.iter().filter(|it| it.style.colour == Colour::Paper).collect();
        assert_eq!((grey.len(), grey[0].points.len(), grey[0].name.as_str()), (1, 2, "all others"));
    }

    #[test]
    fn a_line_is_where_the_link_is_full() {
        let ways = [way(Protocol::v2c(Transport::Udp), true, 1240.0, 770.0)];
        let fleet = fleet(Level::NoAuthNoPriv, 500);
        let (figure, _) = drawing(&Plans::of(&ways, &fleet)).unwrap();
        let line = figure.panels[0].lines.last().unwrap();
        // 64 kbit/s carry 480,000 octets in a minute: 960 for each of 500 devices.
        assert!(line.points.iter().all(|point| point.x == 960.0), "{line:?}");
        let many = crate::experiments::compare::fleet::Fleet { devices: 5, ..fleet };
        let (figure, _) = drawing(&Plans::of(&ways, &many)).unwrap();
        assert_eq!(figure.panels[1].lines.len(), 1, "far from every mark it is not drawn");
    }
}
