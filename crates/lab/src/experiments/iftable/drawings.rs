//! The paper's figures with this run's: figures 6 and 7, curves of delay and CPU time, and table II as curves.

use crate::experiments::pras2005::paper as pras2005;
use trunkline_labkit::block::Operation;
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::report::figure::{Axis, Band, Figure, Line, Panel, Point, Scale, Stroke, Style};
use trunkline_labkit::report::palette::{self, Colour};
use trunkline_labkit::transport::{self, Transport};

use super::cells::{CellResult, Cells};
use super::sheets::Found;

/// A figure with its caption.
type Drawing = (Figure, String);

/// Figures 6 and 7 in one, per interaction and per object.
pub(super) fn octets(found: &Found<'_>) -> Vec<Drawing> {
    [Measure::Whole, Measure::PerObject].into_iter().filter_map(|measure| bandwidth(found, measure)).collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Measure {
    Whole,
    PerObject,
}

impl Measure {
    fn of(self, octets: u64, objects: u32) -> f64 {
        match self {
            Measure::Whole => octets as f64,
            Measure::PerObject => octets as f64 / f64::from(objects.max(1)),
        }
    }
}

/// The theoretical areas with the measured points.
fn bandwidth(found: &Found<'_>, measure: Measure) -> Option<Drawing> {
    let most = found.interactions.iter().map(|it| it.objects).max()?;
    let areas = [
        (pras2005::Operation::Get, GET_AREA, "Get and GetNext: formula (13)"),
        (pras2005::Operation::Bulk, BULK_AREA, "GetBulk: formula (14)"),
    ];
    let bands = areas.map(|(operation, colour, name)| {
        let counts = (1..=most).filter(|n| *n <= 30 || n % 5 == 0 || *n == most);
        let point = |n: u32| {
            let bounds = pras2005::figure6(operation, u64::from(n));
            (f64::from(n), measure.of(*bounds.start(), n), measure.of(*bounds.end(), n))
        };
        Band { name: name.into(), colour, points: counts.map(point).collect() }
    });
    let mut lines = Vec::new();
    for (index, subject) in found.cells.subjects.iter().enumerate() {
        let of_this = found.interactions.iter().filter(|it| it.subject == *subject);
        let points = of_this.map(|it| {
            let n = it.objects;
            Point::at(f64::from(n), measure.of(it.total(), n))
        });
        // Agents mostly agree to the octet: each has a mark that does not hide the one below.
        lines.push(Line::new(format!("{subject}, measured"), palette::agent(index).points(), points));
    }
    let bounded = || found.interactions.iter().filter(|it| it.is_bounded());
    let inside = bounded().filter(|it| it.is_inside()).count();
    let all = bounded().count();
    let (title, unit, scale, caption) = match measure {
        Measure::Whole => (
            "Figures 6 and 7: octets of one interaction, theory and measurement",
            "octets of both messages",
            Scale::Log,
            format!(
                "Areas: the paper's bounds for ifTable objects whose values take 1 to 6 octets. Points: request and response \
                 of Get, GetNext and GetBulk as measured. {inside} of {all} points lie inside."
            ),
        ),
        Measure::PerObject => (
            "The same for each object",
            "octets for each object",
            Scale::Linear,
            "The same points for each object: a GetBulk approaches 17 to 22 octets for an object, a Get 33 to 38."
                .to_owned(),
        ),
    };
    let figure = Figure {
        title: title.into(),
        x: Axis { title: "ifTable objects".into(), scale: Scale::Log },
        y: Axis { title: unit.into(), scale },
        panels: vec![Panel { bands: bands.into(), lines, ..Panel::default() }],
    };
    Some((figure, caption))
}

/// The curves of delay.
pub(super) fn delay(cells: &Cells) -> Option<Drawing> {
    let title = "Round trip delay as function of the number of objects";
    let caption = "Median of each cell with its 95 % bootstrap interval.";
    by_operation(cells, title, caption, "delay (µs), median", |result| Some(&result.delay_ns))
}

/// The curves of CPU time.
pub(super) fn cpu(cells: &Cells) -> Option<Drawing> {
    let title = "CPU time of the agent for one request";
    let caption = "Median over blocks of requests with its 95 % bootstrap interval.";
    by_operation(cells, title, caption, "CPU time (µs), median", |result| result.cpu_ns.as_ref())
}

/// A panel per operation, a line per subject and transport; converts nanoseconds to microseconds.
fn by_operation(
    cells: &Cells,
    title: &str,
    caption: &str,
    unit: &str,
    figure: fn(&CellResult) -> Option<&Estimate>,
) -> Option<Drawing> {
    let mut panels: Vec<Panel> =
        Operation::ALL.map(|operation| Panel { title: operation.to_string(), ..Panel::default() }).into();
    for (index, subject) in cells.subjects.iter().enumerate() {
        for transport in transport::ALL {
            let stroke = if transport == Transport::Udp { Stroke::Solid } else { Stroke::Dashed };
            let style = palette::agent(index).with(stroke);
            let name = format!("{subject} over {transport}");
            for (panel, operation) in panels.iter_mut().zip(Operation::ALL) {
                let of_this = cells.all.iter().filter(|result| {
                    let cell = &result.cell;
                    (cell.subject == *subject) && cell.operation == operation && cell.transport == transport
                });
                let point = |result: &CellResult| {
                    Some(Point::of(f64::from(result.cell.objects), &(figure(result)? / 1e3)))
                };
                let points: Vec<Point> = of_this.filter_map(point).collect();
                if !points.is_empty() {
                    panel.lines.push(Line::new(&name, style, points));
                }
            }
        }
    }
    panels.retain(|panel| !panel.lines.is_empty());
    let figure = Figure {
        title: title.into(),
        x: Axis { title: "ifTable objects".into(), scale: Scale::Log },
        y: Axis { title: unit.into(), scale: Scale::Log },
        panels,
    };
    (!figure.panels.is_empty()).then(|| (figure, caption.to_owned()))
}

/// Table II as curves: the paper's agents of 2005 in the background, this run's in front.
pub(super) fn table_2(cells: &Cells) -> Option<Drawing> {
    let mut lines: Vec<Line> = Vec::new();
    for paper in pras2005::TABLE_2.iter().rev() {
        let web = Style { colour: palette::over(Transport::Http), ..palette::PAPER };
        let (name, style) = match paper.agent {
            "WS" => ("web services of 2005", web),
            "WS-Comp" => ("the same, compressed", web.with(Stroke::Dotted)),
            _ => ("23 SNMP agents of 2005", palette::PAPER.with(Stroke::Solid)),
        };
        let columns = pras2005::TABLE_2_OBJECTS.iter().zip(paper.milliseconds);
        let points = columns.filter_map(|(&n, delay)| Some(Point::at(n as f64, delay?)));
        lines.push(Line::new(name, style, points));
    }
    let measured = lines.len();
    for (index, subject) in cells.subjects.iter().enumerate() {
        let of_this = cells.all.iter().filter(|result| {
            let cell = &result.cell;
            (cell.subject == *subject)
                && cell.operation == Operation::GetBulk
                && cell.transport == Transport::Udp
        });
        let point = |it: &CellResult| Point::at(f64::from(it.cell.objects), it.least_of_ten_ns.value() / 1e6);
        let points: Vec<Point> = of_this.map(point).collect();
        if !points.is_empty() {
            lines.push(Line::new(subject, palette::agent(index), points));
        }
    }
    let title = "Table II as curves: twenty years";
    let figure = Figure {
        title: title.into(),
        x: Axis { title: "ifTable objects".into(), scale: Scale::Log },
        y: Axis { title: "delay (ms), least of 10".into(), scale: Scale::Log },
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    let any = figure.panels[0].lines.len() > measured;
    let caption = "One GetBulk over UDP; other hardware and another network than this run's, so only the slopes compare: \
                   an agent that fetches each object again climbs with their number.";
    any.then(|| (figure, caption.to_owned()))
}

const GET_AREA: Colour = Colour::Other(4);
const BULK_AREA: Colour = Colour::Over(Transport::Http);
