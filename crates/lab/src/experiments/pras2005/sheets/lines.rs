//! Line drawings by the number of objects.

use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::report::figure::{Axis, Figure, Label, Line, Panel, Point, Scale, Stroke, Style};
use trunkline_labkit::report::palette::{self, Colour};
use trunkline_labkit::report::sheet::capital;
use trunkline_labkit::transport::Transport;

/// A line: its name, its points.
pub(super) struct Series {
    pub name: String,
    pub points: Vec<Point>,
    pub stroke: Stroke,
    /// What the paper's figures are of; its lines have one name in the legend.
    papers: Option<String>,
}

impl Series {
    /// A line through the existing points.
    pub(super) fn of(name: impl Into<String>, objects: &[u32], row: &[Option<f64>]) -> Series {
        let point = |(&at, figure): (&u32, &Option<f64>)| Some(Point::at(f64::from(at), (*figure)?));
        let points = objects.iter().zip(row).filter_map(point).collect();
        Series { name: name.into(), points, stroke: Stroke::Solid, papers: None }
    }

    /// What the paper's text or tables tell of something.
    pub(super) fn told(what: impl Into<String>, points: impl IntoIterator<Item = (u32, f64)>) -> Series {
        let points: Vec<Point> =
            points.into_iter().map(|(at, figure)| Point::at(f64::from(at), figure)).collect();
        let stroke = if points.len() > 1 { Stroke::Dashed } else { Stroke::None };
        Series { name: PAPER.into(), points, stroke, papers: Some(what.into()) }
    }

    /// The same with intervals.
    pub(super) fn estimated(name: impl Into<String>, objects: &[u32], row: &[Option<Estimate>]) -> Series {
        let point =
            |(&at, figure): (&u32, &Option<Estimate>)| Some(Point::of(f64::from(at), figure.as_ref()?));
        let points = objects.iter().zip(row).filter_map(point).collect();
        Series { name: name.into(), points, stroke: Stroke::Solid, papers: None }
    }

    /// The same, dashed.
    pub(super) fn dashed(self) -> Series {
        Series { stroke: Stroke::Dashed, ..self }
    }
}

/// One panel with all lines that have points; `None` if there are none.
pub(super) fn drawing(
    caption: &str,
    (x, x_scale): (&str, Scale),
    (y, y_scale): (&str, Scale),
    series: Vec<Series>,
) -> Option<(Figure, String)> {
    let (mut lines, mut labels) = (Vec::new(), Vec::new());
    for (at, series) in series.into_iter().filter(|it| !it.points.is_empty()).enumerate() {
        let style = match &series.papers {
            Some(what) => {
                labels.extend(series.points.last().map(|last| Label {
                    x: last.x,
                    y: last.y,
                    text: format!("{what}, paper"),
                    colour: Colour::Paper,
                    is_written: true,
                }));
                palette::PAPER.with(series.stroke)
            }
            None => Style { stroke: series.stroke, ..style(&series.name, at) },
        };
        // A logarithm needs more than zero, at the lower end of a whisker too.
        let positive = |point: &Point| {
            let low = point.interval.map_or(point.y, |(low, _)| low);
            (x_scale == Scale::Linear || point.x > 0.0) && (y_scale == Scale::Linear || low > 0.0)
        };
        lines.push(Line::new(series.name, style, series.points.into_iter().filter(positive)));
    }
    let any = lines.iter().any(|line| !line.points.is_empty());
    let figure = Figure {
        title: caption.into(),
        x: Axis { title: x.into(), scale: x_scale },
        y: Axis { title: y.into(), scale: y_scale },
        panels: vec![Panel { lines, labels, ..Panel::default() }],
    };
    any.then(|| {
        let caption = format!("{caption} {}", capital(&figure.extremes())).trim_end().to_owned();
        (figure, caption)
    })
}

/// The style of the nth series: what it fetches with has the same colour in all figures.
pub(super) fn style(name: &str, at: usize) -> Style {
    let style = palette::series(at);
    let place = ENCODINGS.iter().position(|encoding| name.contains(encoding));
    match place {
        Some(place) => Style { colour: palette::other(2 + place), ..palette::series(place) },
        None if name.starts_with("SNMP") || name.starts_with("BER") => {
            Style { colour: palette::over(Transport::Udp), ..style }
        }
        None => style,
    }
}

/// Web services' encodings, whose colours follow those of two agents.
const ENCODINGS: [&str; 3] = ["as-in-paper", "typed", "lean"];

/// The name of all lines of the paper's figures.
const PAPER: &str = "the paper";

/// The axis of objects.
pub(super) const OBJECTS: (&str, Scale) = ("objects", Scale::Log);
