//! Figures as SVG, drawn here: axes, bands, lines with whiskers, a legend. No scripts, fonts or external files, so
//! that the page can be kept, mailed and printed.

use std::fmt::Write;

use super::palette::Colour;
use super::table::without_zeros;

/// Panels side by side with one vertical axis.
#[derive(Debug, Clone)]
pub struct Figure {
    /// A description for readers who cannot see it.
    pub title: String,
    /// The horizontal axis of every panel.
    pub x: Axis,
    /// The vertical axis of every panel.
    pub y: Axis,
    /// From left to right. The legend is made of the names of their lines and bands.
    pub panels: Vec<Panel>,
}

/// An axis.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Quantity and unit.
    pub title: String,
    /// The scale.
    pub scale: Scale,
}

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Linear, from 0.
    Linear,
    /// Logarithmic; values must be above 0.
    Log,
}

/// One plot.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    /// Its heading.
    pub title: String,
    /// Areas, drawn first.
    pub bands: Vec<Band>,
    /// Lines and points.
    pub lines: Vec<Line>,
}

/// An area between two curves.
#[derive(Debug, Clone)]
pub struct Band {
    /// What it shows.
    pub name: String,
    /// Its colour.
    pub colour: Colour,
    /// x, lower, upper.
    pub points: Vec<(f64, f64, f64)>,
}

/// Points, joined or not.
#[derive(Debug, Clone)]
pub struct Line {
    /// What it shows; lines of one name are one series.
    pub name: String,
    /// Its style.
    pub style: Style,
    /// Its points.
    pub points: Vec<Point>,
}

/// The style of a line and its marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Style {
    /// The colour of stroke and marks.
    pub colour: Colour,
    /// The stroke between its points.
    pub stroke: Stroke,
    /// The mark at each point.
    pub mark: Mark,
}

/// The stroke between points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stroke {
    /// A solid line.
    Solid,
    /// A dashed line.
    Dashed,
    /// A dotted line.
    Dotted,
    /// Dashes and dots.
    DashDot,
    /// No line.
    None,
}

impl Stroke {
    /// The attribute of its dashes.
    fn dashes(self) -> &'static str {
        match self {
            Stroke::Solid | Stroke::None => "",
            Stroke::Dashed => r#" stroke-dasharray="7 4""#,
            Stroke::Dotted => r#" stroke-dasharray="2 3""#,
            Stroke::DashDot => r#" stroke-dasharray="8 3 2 3""#,
        }
    }
}

/// The mark at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// A filled circle.
    Disc,
    /// An empty circle.
    Ring,
    /// An upright cross.
    Cross,
    /// A filled square.
    Square,
    /// An empty square.
    HollowSquare,
    /// A filled triangle.
    Triangle,
    /// An empty triangle.
    HollowTriangle,
    /// A filled diamond.
    Diamond,
}

/// A point, with its interval if it has one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Horizontal.
    pub x: f64,
    /// Vertical.
    pub y: f64,
    /// The ends of a whisker.
    pub interval: Option<(f64, f64)>,
}

/// A line of the legend.
#[derive(Debug, Clone, PartialEq)]
enum Entry {
    /// A line or its marks.
    Line(Style, String),
    /// An area.
    Band(Colour, String),
}

impl Point {
    /// A point without an interval.
    pub const fn at(x: f64, y: f64) -> Point {
        Point { x, y, interval: None }
    }
}

impl Line {
    /// A line through points.
    pub fn new(name: impl Into<String>, style: Style, points: impl IntoIterator<Item = Point>) -> Line {
        Line { name: name.into(), style, points: points.into_iter().collect() }
    }
}

impl Figure {
    /// Names and styles, each once.
    fn legend(&self) -> Vec<Entry> {
        let bands = self.panels.iter().flat_map(|panel| &panel.bands);
        let bands = bands.map(|it| Entry::Band(it.colour, it.name.clone()));
        let lines = self.panels.iter().flat_map(|panel| &panel.lines);
        let lines = lines.map(|it| Entry::Line(it.style, it.name.clone()));
        let mut all: Vec<Entry> = Vec::new();
        for entry in bands.chain(lines).filter(|entry| !entry.text().is_empty()) {
            if !all.contains(&entry) {
                all.push(entry);
            }
        }
        all
    }

    /// The figure as an `svg` element.
    pub fn to_svg(&self) -> String {
        let mut svg = String::new();
        let layout = Layout::of(self);
        let (width, height) = (WIDTH, layout.bottom + BELOW);
        let _ = write!(
            svg,
            r#"<svg viewBox="0 0 {width} {height}" role="img" aria-label="{}" xmlns="http://www.w3.org/2000/svg">"#,
            escape(&self.title)
        );
        draw_legend(&mut svg, &self.legend());
        let middle = (layout.top + layout.bottom) / 2.0;
        let _ = write!(
            svg,
            r#"<text class="axis" text-anchor="middle" transform="translate(16 {middle}) rotate(-90)">{}</text>"#,
            escape(&self.y.title)
        );
        for (index, panel) in self.panels.iter().enumerate() {
            layout.plot(index).draw(&mut svg, panel, &self.x.title, index == 0);
        }
        svg.push_str("</svg>");
        svg
    }
}

/// The positions of the panels and the ranges of their axes.
struct Layout {
    top: f64,
    bottom: f64,
    panel_width: f64,
    x: Span,
    y: Span,
}

impl Layout {
    fn of(figure: &Figure) -> Layout {
        let lines = || figure.panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points);
        let bands = || figure.panels.iter().flat_map(|panel| &panel.bands).flat_map(|band| &band.points);
        let xs = lines().map(|point| point.x).chain(bands().map(|point| point.0));
        let in_lines = lines().flat_map(|point| {
            let (low, high) = point.interval.unwrap_or((point.y, point.y));
            [point.y, low, high]
        });
        let ys = in_lines.chain(bands().flat_map(|point| [point.1, point.2]));
        let titled = figure.panels.iter().any(|panel| !panel.title.is_empty());
        let top = 14.0 + legend_rows(&figure.legend()) as f64 * LEGEND_ROW + if titled { 30.0 } else { 8.0 };
        let count = figure.panels.len().max(1) as f64;
        Layout {
            top,
            bottom: top + PLOT_HEIGHT,
            panel_width: (WIDTH - LEFT - RIGHT - GAP * (count - 1.0)) / count,
            x: Span::of(figure.x.scale, xs),
            y: Span::of(figure.y.scale, ys),
        }
    }

    fn plot(&self, index: usize) -> Plot<'_> {
        let left = LEFT + index as f64 * (self.panel_width + GAP);
        Plot { layout: self, left, right: left + self.panel_width }
    }
}

/// The range of an axis, a little wider than its values.
struct Span {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Span {
    fn of(scale: Scale, values: impl Iterator<Item = f64>) -> Span {
        let usable = values.filter(|value| value.is_finite() && (scale == Scale::Linear || *value > 0.0));
        let (low, high) = usable
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        match scale {
            _ if low > high => Span { scale, low: if scale == Scale::Log { 1.0 } else { 0.0 }, high: 10.0 },
            Scale::Linear => Span { scale, low: 0.0, high: if high > 0.0 { high * 1.06 } else { 1.0 } },
            Scale::Log => {
                let margin = (high / low).powf(0.04).max(1.15);
                Span { scale, low: low / margin, high: high * margin }
            }
        }
    }

    /// The position of a value: 0 at the low end, 1 at the high end.
    fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// The positions of numbered ticks: four to nine of them.
    fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Linear => {
                let step = step_for(self.high / 5.0);
                (0..).map(|count| f64::from(count) * step).take_while(|value| *value <= self.high).collect()
            }
            Scale::Log => {
                let decades = (self.high / self.low).log10();
                let steps: &[f64] = if decades > 3.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
                let first = self.low.log10().floor() as i32;
                let last = self.high.log10().ceil() as i32;
                let all = (first..=last).flat_map(|power| steps.iter().map(move |s| s * 10f64.powi(power)));
                all.filter(|value| (self.low..=self.high).contains(value)).collect()
            }
        }
    }
}

/// The next of 1, 2, 5, 10, ... above.
fn step_for(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= least).unwrap_or(10.0 * power)
}

/// The position of one panel.
struct Plot<'a> {
    layout: &'a Layout,
    left: f64,
    right: f64,
}

impl Plot<'_> {
    fn x(&self, value: f64) -> f64 {
        self.left + self.layout.x.place(value) * (self.right - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        self.layout.bottom - self.layout.y.place(value) * (self.layout.bottom - self.layout.top)
    }

    fn draw(&self, svg: &mut String, panel: &Panel, x_title: &str, with_numbers: bool) {
        self.draw_grid(svg, with_numbers);
        for band in &panel.bands {
            let upper = band.points.iter().map(|point| (point.0, point.2));
            let lower = band.points.iter().rev().map(|point| (point.0, point.1));
            let corners = self.path(upper.chain(lower));
            let _ = write!(
                svg,
                r#"<polygon points="{corners}" class="{}" fill="currentColor" opacity=".35"/>"#,
                band.colour.class()
            );
        }
        panel.lines.iter().for_each(|line| self.draw_line(svg, line));
        let (middle, bottom, top) = ((self.left + self.right) / 2.0, self.layout.bottom, self.layout.top);
        let _ = write!(
            svg,
            r#"<text class="panel" text-anchor="middle" x="{middle:.1}" y="{:.1}">{}</text><text class="axis" text-anchor="middle" x="{middle:.1}" y="{:.1}">{}</text>"#,
            top - 9.0,
            escape(&panel.title),
            bottom + 40.0,
            escape(x_title)
        );
    }

    fn draw_grid(&self, svg: &mut String, with_numbers: bool) {
        let (left, right, top, bottom) = (self.left, self.right, self.layout.top, self.layout.bottom);
        for tick in self.layout.y.ticks() {
            let y = self.y(tick);
            let _ = write!(svg, r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/>"#);
            if with_numbers {
                let (x, y) = (left - 7.0, y + 4.0);
                let _ =
                    write!(svg, r#"<text text-anchor="end" x="{x:.1}" y="{y:.1}">{}</text>"#, number(tick));
            }
        }
        let mut free_from = f64::NEG_INFINITY;
        for tick in self.layout.x.ticks() {
            let (x, y) = (self.x(tick), bottom + 18.0);
            let _ = write!(svg, r#"<path class="grid" d="M{x:.1} {top:.1}V{bottom:.1}"/>"#);
            // Numbers that would overlap are omitted; the grid line stays.
            if x >= free_from {
                let _ = write!(
                    svg,
                    r#"<text text-anchor="middle" x="{x:.1}" y="{y:.1}">{}</text>"#,
                    number(tick)
                );
                free_from = x + 8.0 * number(tick).len() as f64 + 6.0;
            }
        }
        let _ = write!(svg, r#"<path class="frame" d="M{left:.1} {top:.1}V{bottom:.1}H{right:.1}"/>"#);
    }

    fn draw_line(&self, svg: &mut String, line: &Line) {
        let Style { colour, stroke, mark } = line.style;
        let _ = write!(svg, r#"<g class="{}">"#, colour.class());
        // A logarithmic axis has no position for zero.
        let has_place = |point: &&Point| self.x(point.x).is_finite() && self.y(point.y).is_finite();
        let points: Vec<&Point> = line.points.iter().filter(has_place).collect();
        if stroke != Stroke::None {
            let points = self.path(points.iter().map(|point| (point.x, point.y)));
            let dashes = stroke.dashes();
            let _ = write!(
                svg,
                r#"<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="2"{dashes}/>"#
            );
        }
        for point in points {
            let (x, y) = (self.x(point.x), self.y(point.y));
            if let Some((low, high)) = point.interval.filter(|(low, _)| self.y(*low).is_finite()) {
                let (from, to) = (self.y(low), self.y(high));
                let _ = write!(
                    svg,
                    r#"<path d="M{x:.1} {from:.1}V{to:.1}" stroke="currentColor" stroke-width="1.5"/>"#
                );
            }
            draw_mark(svg, mark, x, y);
        }
        svg.push_str("</g>");
    }

    fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let places: Vec<String> = points.map(|(x, y)| format!("{:.1},{:.1}", self.x(x), self.y(y))).collect();
        places.join(" ")
    }
}

fn draw_mark(svg: &mut String, mark: Mark, x: f64, y: f64) {
    const FULL: &str = r#"fill="currentColor""#;
    const EMPTY: &str = r#"fill="none" stroke="currentColor" stroke-width="1.8""#;
    let how = match mark {
        Mark::Disc | Mark::Square | Mark::Triangle | Mark::Diamond => FULL,
        Mark::Ring | Mark::Cross | Mark::HollowSquare | Mark::HollowTriangle => EMPTY,
    };
    let _ = match mark {
        Mark::Disc => write!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.4" {how}/>"#),
        Mark::Ring => write!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4.2" {how}/>"#),
        Mark::Cross => write!(svg, r#"<path d="M{:.1} {y:.1}h8m-4 -4v8" {how}/>"#, x - 4.0),
        Mark::Square | Mark::HollowSquare => {
            write!(svg, r#"<path d="M{:.1} {:.1}h6.8v6.8h-6.8z" {how}/>"#, x - 3.4, y - 3.4)
        }
        Mark::Triangle | Mark::HollowTriangle => {
            write!(svg, r#"<path d="M{x:.1} {:.1}l4.4 7.6h-8.8z" {how}/>"#, y - 4.8)
        }
        Mark::Diamond => {
            write!(svg, r#"<path d="M{x:.1} {:.1}l4.4 4.8l-4.4 4.8l-4.4 -4.8z" {how}/>"#, y - 4.8)
        }
    };
}

fn draw_legend(svg: &mut String, legend: &[Entry]) {
    let mut place = LegendPlace::default();
    for entry in legend {
        let (x, y) = place.next(entry.text());
        let _ = match entry {
            Entry::Band(colour, _) => {
                let top = y - 11.0;
                write!(
                    svg,
                    r#"<rect x="{x:.1}" y="{top:.1}" width="26" height="13" class="{}" fill="currentColor" opacity=".35"/>"#,
                    colour.class()
                )
            }
            Entry::Line(style, _) => {
                let (right, middle) = (x + 26.0, y - 4.5);
                let (class, dashes) = (style.colour.class(), style.stroke.dashes());
                let _ = write!(svg, r#"<g class="{class}">"#);
                if style.stroke != Stroke::None {
                    let _ = write!(
                        svg,
                        r#"<path d="M{x:.1} {middle:.1}H{right:.1}" stroke="currentColor" stroke-width="2"{dashes}/>"#
                    );
                }
                draw_mark(svg, style.mark, x + 13.0, middle);
                svg.push_str("</g>");
                Ok(())
            }
        };
        let _ = write!(svg, r#"<text x="{:.1}" y="{y:.1}">{}</text>"#, x + 33.0, escape(entry.text()));
    }
}

fn legend_rows(legend: &[Entry]) -> usize {
    let mut place = LegendPlace::default();
    legend.iter().for_each(|entry| {
        place.next(entry.text());
    });
    if legend.is_empty() { 0 } else { place.row + 1 }
}

/// Lays the legend's entries out in rows.
#[derive(Default)]
struct LegendPlace {
    row: usize,
    used: f64,
}

impl LegendPlace {
    fn next(&mut self, text: &str) -> (f64, f64) {
        let width = 33.0 + 7.2 * text.chars().count() as f64 + 22.0;
        if self.used > 0.0 && LEFT + self.used + width > WIDTH {
            *self = LegendPlace { row: self.row + 1, used: 0.0 };
        }
        let place = (LEFT + self.used, 18.0 + self.row as f64 * LEGEND_ROW);
        self.used += width;
        place
    }
}

impl Entry {
    fn text(&self) -> &str {
        let (Entry::Line(_, text) | Entry::Band(_, text)) = self;
        text
    }
}

/// A number on an axis: `0.5`, `20`, `1,000`.
fn number(value: f64) -> String {
    if value >= 1000.0 {
        let whole = format!("{value:.0}");
        let (head, tail) = whole.split_at(whole.len() - 3);
        return if head.len() > 3 { format!("{}M", value / 1e6) } else { format!("{head},{tail}") };
    }
    without_zeros(&format!("{value:.6}")).to_owned()
}

/// Escapes text for SVG and HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The width of every figure in its own units.
const WIDTH: f64 = 1000.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 12.0;
const GAP: f64 = 22.0;
const PLOT_HEIGHT: f64 = 300.0;
const BELOW: f64 = 48.0;
const LEGEND_ROW: f64 = 22.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(scale: Scale, values: &[(f64, f64)]) -> Figure {
        let axis = |title: &str| Axis { title: title.into(), scale };
        let style = super::super::palette::series(0);
        let points = values.iter().map(|&(x, y)| Point { x, y, interval: Some((y, y)) });
        Figure {
            title: "a < b".into(),
            x: axis("x"),
            y: axis("y"),
            panels: vec![Panel {
                title: "p".into(),
                bands: vec![],
                lines: vec![Line::new("line", style, points)],
            }],
        }
    }

    #[test]
    fn points_lie_inside_the_frame_and_in_order() {
        for scale in [Scale::Linear, Scale::Log] {
            let drawn = figure(scale, &[(1.0, 3.0), (22.0, 40.0), (270.0, 900.0)]);
            let layout = Layout::of(&drawn);
            let plot = layout.plot(0);
            let places = [(1.0, 3.0), (22.0, 40.0), (270.0, 900.0)].map(|(x, y)| (plot.x(x), plot.y(y)));
            assert!(
                places.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1),
                "{places:?}"
            );
            for (x, y) in places {
                assert!((plot.left..=plot.right).contains(&x) && (layout.top..=layout.bottom).contains(&y));
            }
            assert!(drawn.to_svg().contains("aria-label=\"a &lt; b\""));
        }
    }

    #[test]
    fn an_empty_or_single_valued_figure_is_drawn() {
        for values in [&[][..], &[(5.0, 5.0)], &[(0.0, 0.0)]] {
            for scale in [Scale::Linear, Scale::Log] {
                let svg = figure(scale, values).to_svg();
                assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{scale:?} {values:?} {svg}");
            }
        }
    }

    #[test]
    fn ticks_are_round_and_few() {
        let span = Span::of(Scale::Log, [1.0, 270.0].into_iter());
        assert_eq!(span.ticks(), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0]);
        let span = Span::of(Scale::Linear, [0.0, 93.0].into_iter());
        assert_eq!(span.ticks(), [0.0, 20.0, 40.0, 60.0, 80.0]);
        for high in [0.003, 1.0, 7.7, 1e3, 3e5] {
            let count = Span::of(Scale::Linear, [high].into_iter()).ticks().len();
            assert!((3..=7).contains(&count), "{high}: {count}");
        }
    }

    #[test]
    fn numbers_read_well() {
        let texts = [0.0, 0.5, 0.01, 20.0, 1000.0, 200_000.0, 5e6].map(number);
        assert_eq!(texts, ["0", "0.5", "0.01", "20", "1,000", "200,000", "5M"]);
    }
}
