//! Line drawings by the number of objects.

use crate::kit::report::figure::{Axis, Figure, Line, Panel, Point, Scale, Stroke, Style};
use crate::kit::report::palette;

/// A line: its name, its points.
pub(super) struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub stroke: Stroke,
}

impl Series {
    /// A line through the existing points.
    pub(super) fn of(name: impl Into<String>, objects: &[u32], row: &[Option<f64>]) -> Series {
        let points = objects.iter().zip(row).filter_map(|(&at, figure)| Some((f64::from(at), (*figure)?)));
        Series { name: name.into(), points: points.collect(), stroke: Stroke::Solid }
    }

    /// The same, dashed.
    pub(super) fn dashed(self) -> Series {
        Series { stroke: Stroke::Dashed, ..self }
    }
}

/// One panel with all lines that have points; `None` if there are none.
pub(super) fn drawing(
    title: &str,
    (x, x_scale): (&str, Scale),
    (y, y_scale): (&str, Scale),
    series: Vec<Series>,
) -> Option<(Figure, String)> {
    let mut lines = Vec::new();
    for (at, series) in series.into_iter().filter(|it| !it.points.is_empty()).enumerate() {
        let style = Style { stroke: series.stroke, ..palette::series(at) };
        let positive = |&&(x, y): &&(f64, f64)| {
            (x_scale == Scale::Linear || x > 0.0) && (y_scale == Scale::Linear || y > 0.0)
        };
        let points = series.points.iter().filter(positive).map(|&(x, y)| Point::at(x, y));
        lines.push(Line::new(series.name, style, points));
    }
    let any = lines.iter().any(|line| !line.points.is_empty());
    let figure = Figure {
        title: title.into(),
        x: Axis { title: x.into(), scale: x_scale },
        y: Axis { title: y.into(), scale: y_scale },
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    any.then(|| (figure, format!("{title}.")))
}

/// The axis of objects.
pub(super) const OBJECTS: (&str, Scale) = ("objects", Scale::Log);
