//! Panels with two axes: where everything is, and the drawing of areas, lines, whiskers and names.

use super::axis::{Span, number};
use super::canvas::{Anchor, Canvas, text_width, wrap};
use super::labels::{self, Asked, Room};
use super::legend::{self, Entry};
use super::parts::{Figure, Form, Label, Line, Panel, Stroke, Style};
use crate::report::palette::Colour;

/// The figure as an `svg` element of a form.
pub(super) fn draw(figure: &Figure, form: Form) -> String {
    let layout = Layout::of(figure, form);
    let mut canvas = Canvas::new(form.width, form.size);
    let legend_width = form.width - layout.left;
    legend::draw(&mut canvas, &layout.legend, (layout.left, 0.0), legend_width);
    for (row, line) in layout.y_title.iter().enumerate() {
        let y = layout.y_title_top + form.line() * (row as f64 + 0.8);
        canvas.text("axis", Anchor::Start, (2.0, y), line);
    }
    for (index, panel) in figure.panels.iter().enumerate() {
        canvas.begin_panel();
        layout.plot(index).draw(&mut canvas, panel);
        canvas.end();
    }
    let middle = (layout.left + form.width - layout.right) / 2.0;
    let below = layout.plot(figure.panels.len().saturating_sub(1)).bottom + NUMBERS;
    for (row, line) in layout.x_title.iter().enumerate() {
        canvas.text("axis", Anchor::Middle, (middle, below + form.line() * (row as f64 + 0.9)), line);
    }
    let height = below + form.line() * layout.x_title.len() as f64 + 8.0;
    canvas.finish(height, &figure.title)
}

/// The positions of the panels and the ranges of their axes.
struct Layout {
    form: Form,
    /// Above all panels, unless every panel has its own.
    legend: Vec<Entry>,
    own: Vec<Vec<Entry>>,
    at_ends: bool,
    titles: Vec<Vec<String>>,
    y_title: Vec<String>,
    y_title_top: f64,
    x_title: Vec<String>,
    left: f64,
    right: f64,
    top: f64,
    /// Above each plot, for its heading and legend.
    above: f64,
    columns: usize,
    panel_width: f64,
    x: Span,
    y: Span,
}

impl Layout {
    fn of(figure: &Figure, form: Form) -> Layout {
        let (x, y) = spans(figure);
        let columns = form.columns(figure.panels.len());
        let widest = y.ticks.iter().map(|tick| text_width(&number(*tick), form.size)).fold(0.0, f64::max);
        let left = widest + 12.0;
        let ends = legend::room_at_ends(&figure.panels, form.width, form.size).filter(|_| columns == 1);
        let right = ends.unwrap_or(8.0);
        let gaps = GAP * (columns as f64 - 1.0);
        let panel_width = (form.width - left - right - gaps) / columns as f64;
        let of_panel = |panel: &Panel| legend::entries(std::iter::once(panel));
        let is_alike = |all: &[Entry]| figure.panels.iter().all(|panel| of_panel(panel).len() == all.len());
        let (legend, own) = match legend::entries(figure.panels.iter()) {
            all if ends.is_some() => {
                let points = |style: Style| style.colour == Colour::Paper && style.stroke == Stroke::None;
                (all.into_iter().filter(|it| it.style.is_none_or(points)).collect(), vec![])
            }
            all if all.len() > super::MOST_SERIES && !is_alike(&all) => {
                (vec![], figure.panels.iter().map(of_panel).collect())
            }
            all => (all, vec![]),
        };
        let tallest = own.iter().map(|own| legend::height(own, panel_width, form.size)).fold(0.0, f64::max);
        let titles = figure.panels.iter().map(|panel| wrap(&panel.title, panel_width, form.size * BOLD));
        let titles: Vec<Vec<String>> = titles.collect();
        let title_rows = titles.iter().map(Vec::len).max().unwrap_or(0) as f64;
        let y_title_top = legend::height(&legend, form.width - left, form.size) + 2.0;
        let y_title = wrap(&with_scale(&figure.y.title, &y), form.width, form.size);
        let top = y_title_top + form.line() * y_title.len() as f64;
        Layout {
            above: tallest + title_rows * form.line() + 9.0,
            at_ends: ends.is_some(),
            x_title: wrap(&with_scale(&figure.x.title, &x), form.width - left, form.size),
            ..Layout {
                form,
                legend,
                own,
                titles,
                y_title,
                y_title_top,
                left,
                right,
                top,
                columns,
                panel_width,
                x,
                y,
                at_ends: false,
                above: 0.0,
                x_title: vec![],
            }
        }
    }

    fn plot(&self, index: usize) -> Plot<'_> {
        let (row, column) = (index / self.columns, index % self.columns);
        let left = self.left + column as f64 * (self.panel_width + GAP);
        let top = self.top + row as f64 * (self.above + self.form.height + NUMBERS + 6.0) + self.above;
        let (right, bottom) = (left + self.panel_width, top + self.form.height);
        Plot { layout: self, index, has_numbers: column == 0, left, right, top, bottom }
    }
}

/// The ranges of all panels' values.
fn spans(figure: &Figure) -> (Span, Span) {
    let lines = || figure.panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points);
    let bands = || figure.panels.iter().flat_map(|panel| &panel.bands).flat_map(|band| &band.points);
    let xs: Vec<f64> = lines().map(|point| point.x).chain(bands().map(|point| point.0)).collect();
    let in_lines = lines().flat_map(|point| {
        let (low, high) = point.interval.unwrap_or((point.y, point.y));
        [point.y, low, high]
    });
    let ys: Vec<f64> = in_lines.chain(bands().flat_map(|point| [point.1, point.2])).collect();
    (Span::horizontal(&figure.x, &xs), Span::vertical(&figure.y, &ys))
}

/// An axis' title, which says when it is logarithmic.
fn with_scale(title: &str, span: &Span) -> String {
    if span.is_log() { format!("{title} (logarithmic)") } else { title.to_owned() }
}

/// The position of one panel.
struct Plot<'a> {
    layout: &'a Layout,
    index: usize,
    has_numbers: bool,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Plot<'_> {
    fn x(&self, value: f64) -> f64 {
        self.left + self.layout.x.place(value) * (self.right - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - self.layout.y.place(value) * (self.bottom - self.top)
    }

    fn draw(&self, canvas: &mut Canvas, panel: &Panel) {
        self.draw_heading(canvas);
        self.draw_grid(canvas);
        for band in &panel.bands {
            let upper = band.points.iter().map(|point| (point.0, point.2));
            let lower = band.points.iter().rev().map(|point| (point.0, point.1));
            canvas.begin(band.colour, &band.name);
            canvas.area(0.3, &(self.path(upper.chain(lower)) + "z"));
            canvas.end();
        }
        panel.lines.iter().for_each(|line| self.draw_line(canvas, line));
        if self.layout.at_ends {
            self.draw_names(canvas, &panel.lines);
        }
        self.draw_labels(canvas, panel);
    }

    /// Names beside points, and for a pointer those of all others.
    fn draw_labels(&self, canvas: &mut Canvas, panel: &Panel) {
        let at = |x: f64, y: f64| (self.x(x), self.inside(y));
        let marks: Vec<(f64, f64)> =
            panel.lines.iter().flat_map(|line| &line.points).map(|point| at(point.x, point.y)).collect();
        let written: Vec<&Label> = panel.labels.iter().filter(|label| label.is_written).collect();
        let asked: Vec<Asked> = written
            .iter()
            .map(|label| Asked { at: at(label.x, label.y), width: text_width(&label.text, canvas.size()) })
            .collect();
        let room = Room { left: self.left + 2.0, right: self.right, top: self.top, bottom: self.bottom };
        let places = labels::places(&asked, &marks, room, canvas.size());
        for (label, place) in written.into_iter().zip(places) {
            let Some(place) = place else { continue };
            canvas.begin(label.colour, &label.text);
            if let Some(path) = &place.leader {
                canvas.stroke(0.8, Stroke::Solid, path);
            }
            canvas.text("label", Anchor::Start, place.at, &label.text);
            canvas.end();
        }
        for label in &panel.labels {
            let (x, y) = at(label.x, label.y);
            canvas.begin(label.colour, &label.text);
            canvas.spot(x, y);
            canvas.end();
        }
    }

    fn draw_heading(&self, canvas: &mut Canvas) {
        let top = self.top - self.layout.above;
        let mut title = 0.0;
        for line in &self.layout.titles[self.index] {
            title += self.layout.form.line();
            canvas.text("panel", Anchor::Start, (self.left, top + title - 0.1 * canvas.size()), line);
        }
        if let Some(own) = self.layout.own.get(self.index) {
            legend::draw(canvas, own, (self.left, top + title), self.right - self.left);
        }
    }

    fn draw_grid(&self, canvas: &mut Canvas) {
        let (left, right, top, bottom) = (self.left, self.right, self.top, self.bottom);
        for tick in &self.layout.y.ticks {
            let y = self.y(*tick);
            canvas.path("grid", &format!("M{left:.1} {y:.1}H{right:.1}"));
            if self.has_numbers {
                canvas.text("", Anchor::End, (left - 7.0, y + 0.35 * canvas.size()), &number(*tick));
            }
        }
        let mut free_to = f64::INFINITY;
        for tick in self.layout.x.ticks.iter().rev() {
            let x = self.x(*tick);
            canvas.path("grid", &format!("M{x:.1} {top:.1}V{bottom:.1}"));
            // Numbers that would overlap are omitted, the last never; the grid line stays.
            let half = text_width(&number(*tick), canvas.size()) / 2.0;
            if x + half <= free_to {
                canvas.text("", Anchor::Middle, (x, bottom + 1.3 * canvas.size()), &number(*tick));
                free_to = x - half - 6.0;
            }
        }
        canvas.path("frame", &format!("M{left:.1} {top:.1}V{bottom:.1}H{right:.1}"));
    }

    fn draw_line(&self, canvas: &mut Canvas, line: &Line) {
        // A logarithmic axis has no position for zero.
        let points: Vec<_> = line
            .points
            .iter()
            .map(|point| (self.x(point.x), self.y(point.y), point.interval))
            .filter(|(x, y, _)| x.is_finite() && y.is_finite())
            .collect();
        canvas.begin(line.style.colour, &line.name);
        let has_intervals = points.len() >= MANY && points.iter().all(|it| it.2.is_some());
        if has_intervals {
            let ends = |high: bool| {
                let end = move |it: &(f64, f64, Option<(f64, f64)>)| {
                    let (low, upper) = it.2.unwrap_or_default();
                    (it.0, self.inside(if high { upper } else { low }))
                };
                points.iter().map(end).collect::<Vec<_>>()
            };
            let around = ends(true).into_iter().chain(ends(false).into_iter().rev());
            canvas.area(0.18, &(joined(around) + "z"));
        }
        if line.style.stroke != Stroke::None && points.len() > 1 {
            canvas.stroke(2.0, line.style.stroke, &joined(points.iter().map(|it| (it.0, it.1))));
        }
        for &(x, y, interval) in &points {
            if let Some((low, high)) = interval.filter(|_| !has_intervals) {
                let (from, to) = (self.inside(low), self.inside(high));
                let left = x - 3.0;
                let path = format!("M{x:.1} {from:.1}V{to:.1}M{left:.1} {from:.1}h6M{left:.1} {to:.1}h6");
                canvas.stroke(1.4, Stroke::Solid, &path);
            }
            if points.len() < MANY || line.style.stroke == Stroke::None {
                canvas.mark(line.style.mark, x, y);
            }
        }
        canvas.end();
    }

    /// The height of a value, or of the nearest that has a place.
    fn inside(&self, value: f64) -> f64 {
        let y = self.y(value);
        if y.is_finite() { y.clamp(self.top, self.bottom) } else { self.bottom }
    }

    /// Names at the ends of the lines.
    fn draw_names(&self, canvas: &mut Canvas, lines: &[Line]) {
        let lines: Vec<&Line> = lines.iter().filter(|line| !legend::is_papers_points(line)).collect();
        let ends: Vec<(f64, f64)> = lines
            .iter()
            .map(|line| {
                line.points.last().map_or((self.right, self.top), |it| (self.x(it.x), self.inside(it.y)))
            })
            .collect();
        let heights: Vec<f64> = ends.iter().map(|end| end.1).collect();
        let places = legend::apart(&heights, 1.2 * canvas.size(), (self.top, self.bottom));
        for (line, ((x, y), place)) in lines.iter().zip(ends.into_iter().zip(places)) {
            canvas.begin(line.style.colour, &line.name);
            let to = self.right + legend::END - 4.0;
            canvas.stroke(0.8, Stroke::Solid, &format!("M{:.1} {y:.1}L{to:.1} {place:.1}", x + 5.0));
            let at = (self.right + legend::END - 1.0, place + 0.35 * canvas.size());
            canvas.text("name", Anchor::Start, at, &line.name);
            canvas.end();
        }
    }

    fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        joined(points.map(|(x, y)| (self.x(x), self.inside(y))))
    }
}

/// A path through places.
fn joined(places: impl Iterator<Item = (f64, f64)>) -> String {
    let places: Vec<String> = places.map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    format!("M{}", places.join("L"))
}

/// How much wider bold text is.
const BOLD: f64 = 1.1;
/// Between two panels.
const GAP: f64 = 24.0;
/// Below a plot, for its numbers.
const NUMBERS: f64 = 22.0;
/// So many points are drawn without marks, and their intervals as an area.
const MANY: usize = 13;
