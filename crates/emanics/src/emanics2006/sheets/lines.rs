//! Line drawings with two logarithmic axes.

use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::report::figure::{Axis, Figure, Line, Panel, Point, Scale};
use trunkline_labkit::report::palette;
use trunkline_labkit::report::sheet::capital;

/// A line: its name, its points.
pub(super) struct Series {
    name: String,
    points: Vec<Point>,
}

impl Series {
    /// A line through what was measured, with intervals.
    pub(super) fn estimated(name: impl Into<String>, places: &[u32], row: &[Option<Estimate>]) -> Series {
        let point =
            |(&at, figure): (&u32, &Option<Estimate>)| Some(Point::of(f64::from(at), figure.as_ref()?));
        Series { name: name.into(), points: places.iter().zip(row).filter_map(point).collect() }
    }
}

/// One panel with all lines that have points; `None` if there are none.
pub(super) fn drawing(caption: &str, x: &str, y: &str, series: Vec<Series>) -> Option<(Figure, String)> {
    // A logarithm needs more than zero, at the lower end of a whisker too.
    let positive = |point: &Point| point.interval.map_or(point.y, |(low, _)| low) > 0.0;
    let lines = series.into_iter().enumerate().map(|(at, series)| {
        Line::new(series.name, palette::series(at), series.points.into_iter().filter(positive))
    });
    let lines: Vec<Line> = lines.filter(|line| !line.points.is_empty()).collect();
    if lines.is_empty() {
        return None;
    }
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let figure = Figure {
        title: caption.into(),
        x: axis(x),
        y: axis(y),
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    let caption = format!("{caption} {}", capital(&figure.extremes())).trim_end().to_owned();
    Some((figure, caption))
}
