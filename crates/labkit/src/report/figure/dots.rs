//! A row for each series and a mark on it: the form of a figure whose series have one place on the horizontal axis.

use super::axis::{Span, number};
use super::canvas::{Anchor, Canvas, text_width, wrap};
use super::legend;
use super::parts::{Figure, Form, Line, Panel, Stroke};

/// Whether it is the clearer form: several series, each with its only point at the same place.
pub(super) fn suits(figure: &Figure) -> bool {
    let lines = || figure.panels.iter().flat_map(|panel| &panel.lines);
    let mut places = lines().flat_map(|line| &line.points).map(|point| point.x);
    let Some(first) = places.next() else { return false };
    let is_flat = figure.panels.iter().all(|panel| panel.bands.is_empty());
    let several = figure.panels.iter().any(|panel| panel.lines.len() > 1);
    is_flat && several && places.all(|x| x == first) && lines().all(|line| line.points.len() <= 1)
}

/// The figure as an `svg` element of a form.
pub(super) fn draw(figure: &Figure, form: Form) -> String {
    let names = legend::entries(figure.panels.iter());
    let widest = names.iter().map(|it| text_width(&it.name, form.size)).fold(0.0, f64::max);
    // Where names leave too little room, each is above its row.
    let is_beside = widest < form.width * 0.4;
    let left = if is_beside { widest + 14.0 } else { 8.0 };
    let row = if is_beside { 24.0 } else { 38.0 };
    let columns = form.columns(figure.panels.len());
    let width = (form.width - left - 16.0 - GAP * (columns as f64 - 1.0)) / columns as f64;
    let span = span(figure);
    let titles = figure.panels.iter().map(|panel| wrap(&panel.title, width, form.size * 1.1));
    let titles: Vec<Vec<String>> = titles.collect();
    let above = titles.iter().map(Vec::len).max().unwrap_or(0) as f64 * form.line() + 8.0;
    let height = row * names.len() as f64;
    let mut canvas = Canvas::new(form.width, form.size);
    let mut bottom = 0.0;
    for (index, panel) in figure.panels.iter().enumerate() {
        let top = (index / columns) as f64 * (above + height + 30.0) + above;
        let from = left + (index % columns) as f64 * (width + GAP);
        bottom = top + height;
        canvas.begin_panel();
        for (at, line) in titles[index].iter().enumerate() {
            let y = top - above + form.line() * (at as f64 + 0.9);
            canvas.text("panel", Anchor::Start, (from, y), line);
        }
        let plot = Plot { span: &span, from, width, top, bottom };
        plot.draw_grid(&mut canvas);
        for (at, entry) in names.iter().enumerate() {
            let middle = top + row * (at as f64 + if is_beside { 0.5 } else { 0.7 });
            let text = 0.35 * form.size;
            if !is_beside {
                canvas.text("", Anchor::Start, (from + 4.0, middle - 11.0), &entry.name);
            } else if index % columns == 0 {
                canvas.text("", Anchor::End, (left - 10.0, middle + text), &entry.name);
            }
            panel.lines.iter().filter(|line| line.name == entry.name).for_each(|line| {
                plot.draw_line(&mut canvas, line, middle);
            });
        }
        canvas.end();
    }
    let mut y = bottom + 22.0;
    for line in wrap(&title(figure, &span), form.width - left, form.size) {
        y += form.line();
        canvas.text("axis", Anchor::Middle, ((left + form.width) / 2.0, y), &line);
    }
    canvas.finish(y + 8.0, &figure.title)
}

/// The title of the values' axis, with the place that all points share.
fn title(figure: &Figure, span: &Span) -> String {
    let shared =
        figure.panels.iter().flat_map(|panel: &Panel| &panel.lines).flat_map(|line| &line.points).next();
    let at = shared.map_or(String::new(), |point| format!("; {}: {}", figure.x.title, number(point.x)));
    let scale = if span.is_log() { " (logarithmic)" } else { "" };
    format!("{}{scale}{at}", figure.y.title)
}

fn span(figure: &Figure) -> Span {
    let points = figure.panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points);
    let values = points.flat_map(|point| {
        let (low, high) = point.interval.unwrap_or((point.y, point.y));
        [point.y, low, high]
    });
    Span::vertical(&figure.y, &values.collect::<Vec<_>>())
}

/// The position of one panel.
struct Plot<'a> {
    span: &'a Span,
    from: f64,
    width: f64,
    top: f64,
    bottom: f64,
}

impl Plot<'_> {
    fn x(&self, value: f64) -> f64 {
        self.from + self.span.place(value) * self.width
    }

    fn draw_grid(&self, canvas: &mut Canvas) {
        let (top, bottom) = (self.top, self.bottom);
        let mut free_from = f64::NEG_INFINITY;
        for tick in &self.span.ticks {
            let x = self.x(*tick);
            canvas.path("grid", &format!("M{x:.1} {top:.1}V{bottom:.1}"));
            let half = text_width(&number(*tick), canvas.size()) / 2.0;
            if x - half >= free_from {
                canvas.text("", Anchor::Middle, (x, bottom + 1.3 * canvas.size()), &number(*tick));
                free_from = x + half + 6.0;
            }
        }
        canvas.path("frame", &format!("M{:.1} {bottom:.1}h{:.1}", self.from, self.width));
    }

    fn draw_line(&self, canvas: &mut Canvas, line: &Line, middle: f64) {
        canvas.begin(line.style.colour, &line.name);
        for point in &line.points {
            let x = self.x(point.y);
            if !x.is_finite() {
                continue;
            }
            if let Some((low, high)) = point.interval {
                let ends =
                    [low, high].map(|end| self.x(end)).map(|x| if x.is_finite() { x } else { self.from });
                canvas.stroke(1.4, Stroke::Solid, &format!("M{:.1} {middle:.1}H{:.1}", ends[0], ends[1]));
            }
            canvas.mark(line.style.mark, x, middle);
        }
        canvas.end();
    }
}

/// Between two panels.
const GAP: f64 = 30.0;
