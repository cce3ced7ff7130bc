//! Each way by octets and time: cold and kept beside each other, and where the link is full.

use trunkline_labkit::packing::Packing;
use trunkline_labkit::protocol::SnmpVersion;
use trunkline_labkit::report::figure::{Axis, Figure, Line, Mark, Panel, Point, Scale, Stroke, Style};
use trunkline_labkit::report::palette::{self, Colour};
use trunkline_labkit::transport::Transport;

use super::answer::Plans;
use super::way::Way;

/// A plot of each way by octets and time.
pub(super) fn drawing(plans: &Plans<'_>) -> Option<(Figure, String)> {
    let mut panels = Vec::new();
    for (kept, title) in [(false, "cold: a session for each round"), (true, "kept: the session stays open")] {
        let mut lines = Vec::new();
        for series in series() {
            let points: Vec<Point> =
                plans.ways.iter().filter(|way| way.kept == kept && series.has(way)).map(point).collect();
            if !points.is_empty() {
                lines.push(Line::new(series.name, series.style, points));
            }
        }
        panels.push(Panel { title: title.into(), lines, ..Panel::default() });
    }
    if panels.iter().all(|panel| panel.lines.is_empty()) {
        return None;
    }
    let full = full(plans);
    if let Some(octets) = full {
        let (low, high) = times(plans);
        let line = Line::new("the link is full", FULL, [low, high].map(|y| Point::at(octets, y)));
        panels.iter_mut().for_each(|panel| panel.lines.push(line.clone()));
    }
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let figure = Figure {
        title: "Time and octets of a round, for every way".into(),
        x: axis("octets in the busier direction"),
        y: axis("ms for a round"),
        panels,
    };
    let mut caption = "Each mark is a protocol, transport, security level and compression: to the left fewer octets, below less \
                       time."
        .to_owned();
    if full.is_some() {
        caption += " To the right of the dashed line the devices fill the link.";
    }
    let front: Vec<String> =
        (0..plans.ways.len()).filter(|at| plans.on_front[*at]).map(|at| plans.ways[at].to_string()).collect();
    if front.len() <= NAMED {
        caption += &format!(" On the front: {}.", front.join("; "));
    }
    Some((figure, caption))
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

fn point(way: &Way) -> Point {
    Point::of(way.busier().value(), &way.cost.time_ms)
}

/// Ways that are drawn alike.
struct Series {
    name: &'static str,
    is_soap: bool,
    is_packed: bool,
    transport: Transport,
    style: Style,
}

impl Series {
    fn has(&self, way: &Way) -> bool {
        (way.protocol.version == SnmpVersion::Soap) == self.is_soap
            && (way.packing != Packing::None) == self.is_packed
            && self.transport == way.protocol.transport
    }
}

/// A colour for each transport; compressed messages as rings.
fn series() -> impl Iterator<Item = Series> {
    let of = |(name, packed, is_soap, transport): Kind| {
        let style = |mark| Style { colour: palette::over(transport), stroke: Stroke::None, mark };
        let plain = if is_soap { Mark::Diamond } else { Mark::Disc };
        let hollow = if is_soap { Mark::Cross } else { Mark::Ring };
        [
            Series { name, is_soap, is_packed: false, transport, style: style(plain) },
            Series { name: packed, is_soap, is_packed: true, transport, style: style(hollow) },
        ]
    };
    KINDS.into_iter().flat_map(of)
}

type Kind = (&'static str, &'static str, bool, Transport);

/// Name, name compressed, SOAP's own operations, transport.
const KINDS: [Kind; 9] = [
    ("UDP", "UDP, compressed", false, Transport::Udp),
    ("TCP", "TCP, compressed", false, Transport::Tcp),
    ("TLS", "TLS, compressed", false, Transport::Tls),
    ("DTLS", "DTLS, compressed", false, Transport::Dtls),
    ("SSH", "SSH, compressed", false, Transport::Ssh),
    ("HTTP", "HTTP, compressed", false, Transport::Http),
    ("HTTPS", "HTTPS, compressed", false, Transport::Https),
    ("SOAP over HTTP", "SOAP over HTTP, compressed", true, Transport::Http),
    ("SOAP over HTTPS", "SOAP over HTTPS, compressed", true, Transport::Https),
];
/// Where the devices fill the link.
const FULL: Style = Style { colour: Colour::Paper, stroke: Stroke::Dashed, mark: Mark::Cross };
/// More are too many for a caption.
const NAMED: usize = 8;

#[cfg(test)]
mod tests {
    use super::super::fleet::tests::fleet;
    use super::super::measure::kinds;
    use super::super::way::tests::way;
    use super::*;
    use trunkline_labkit::protocol::{Level, Protocol};

    #[test]
    fn every_way_is_drawn() {
        let unlimited = crate::experiments::compare::fleet::Fleet { rate: None, ..fleet(Level::AuthPriv, 1) };
        for (protocol, packing) in kinds() {
            for kept in [false, true] {
                let ways = [Way { packing, ..way(protocol, kept, 100.0, 1.0) }];
                let name = ways[0].to_string();
                let drawn = drawing(&Plans::of(&ways, &unlimited));
                let (figure, caption) = drawn.unwrap_or_else(|| panic!("{name} is not drawn"));
                assert_eq!(figure.panels[usize::from(kept)].lines.len(), 1, "{name}");
                assert!(caption.contains(&name), "{caption}");
            }
        }
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
