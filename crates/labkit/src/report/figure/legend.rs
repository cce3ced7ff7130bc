//! The names of a figure's series: in rows above the plots, or at the ends of the lines.

use super::canvas::{Anchor, Canvas, SAMPLE, text_width};
use super::parts::{Line, Panel, Stroke, Style};
use crate::report::palette::Colour;

/// A name in a legend; without a style, it is an area's.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) colour: Colour,
    pub(super) style: Option<Style>,
}

/// The areas and series of panels, each once.
pub(super) fn entries<'a>(panels: impl Iterator<Item = &'a Panel> + Clone) -> Vec<Entry> {
    let bands = panels.clone().flat_map(|panel| &panel.bands);
    let bands = bands.map(|it| Entry { name: it.name.clone(), colour: it.colour, style: None });
    let lines = panels.flat_map(|panel| &panel.lines);
    let lines =
        lines.map(|it| Entry { name: it.name.clone(), colour: it.style.colour, style: Some(it.style) });
    let mut all: Vec<Entry> = Vec::new();
    for entry in bands.chain(lines).filter(|entry| !entry.name.is_empty()) {
        if !all.iter().any(|known| known.name == entry.name && known.style.is_some() == entry.style.is_some())
        {
            all.push(entry);
        }
    }
    all
}

/// Draws the entries in rows from a place on; returns the height that they take.
pub(super) fn draw(canvas: &mut Canvas, entries: &[Entry], (left, top): (f64, f64), width: f64) -> f64 {
    let places = places(entries, width, canvas.size());
    for (entry, (x, row)) in entries.iter().zip(&places) {
        let (x, middle) = (left + x, top + ROW * (*row as f64 + 0.5));
        canvas.begin(entry.colour, &entry.name);
        canvas.sample(entry.style, x, middle);
        canvas.end();
        canvas.text("", Anchor::Start, (x + SAMPLE + 6.0, middle + 0.35 * canvas.size()), &entry.name);
    }
    height(entries, width, canvas.size())
}

/// The height of the rows of a legend of this width.
pub(super) fn height(entries: &[Entry], width: f64, size: f64) -> f64 {
    places(entries, width, size).last().map_or(0.0, |(_, row)| ROW * (*row as f64 + 1.0))
}

fn places(entries: &[Entry], width: f64, size: f64) -> Vec<(f64, usize)> {
    let (mut used, mut row) = (0.0, 0);
    let mut place = |entry: &Entry| {
        let needed = SAMPLE + 6.0 + text_width(&entry.name, size);
        if used > 0.0 && used + needed > width {
            (used, row) = (0.0, row + 1);
        }
        let place = (used, row);
        used += needed + 20.0;
        place
    };
    entries.iter().map(&mut place).collect()
}

/// Whether all series of the panels can be named at the ends of their lines, which leaves them this much of the width.
pub(super) fn room_at_ends(panels: &[Panel], width: f64, size: f64) -> Option<f64> {
    // A paper's loose points are named in the legend.
    let lines = || panels.iter().flat_map(|panel| &panel.lines).filter(|line| !is_papers_points(line));
    let are_curves = lines().all(|line| line.style.stroke != Stroke::None && line.points.len() > 1);
    let mut names: Vec<&str> = lines().map(|line| line.name.as_str()).collect();
    let strokes = names.len();
    names.sort_unstable();
    names.dedup();
    let each_once = panels.len() > 1 || names.len() == strokes;
    let longest = names.iter().map(|name| text_width(name, size)).fold(0.0, f64::max);
    (are_curves && each_once && longest <= width * 0.3).then_some(longest + END)
}

/// Whether these are points of a paper without a line through them.
pub(super) fn is_papers_points(line: &Line) -> bool {
    line.style.colour == Colour::Paper && line.style.stroke == Stroke::None
}

/// The heights of labels beside these ends: as near as possible, but apart.
pub(super) fn apart(ends: &[f64], least: f64, (top, bottom): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by(|one, other| ends[*one].total_cmp(&ends[*other]));
    let mut places = ends.to_vec();
    let mut free = top;
    for &at in &order {
        places[at] = places[at].max(free);
        free = places[at] + least;
    }
    let mut free = bottom;
    for &at in order.iter().rev() {
        places[at] = places[at].min(free);
        free = places[at] - least;
    }
    places
}

/// The height of a row.
const ROW: f64 = 21.0;
/// From a line's end to its name.
pub(super) const END: f64 = 14.0;

#[cfg(test)]
mod tests {
    use super::apart;

    #[test]
    fn labels_stay_apart_and_in_order() {
        assert_eq!(apart(&[50.0, 52.0, 10.0], 15.0, (0.0, 100.0)), [50.0, 65.0, 10.0]);
        assert_eq!(apart(&[99.0, 98.0], 15.0, (0.0, 100.0)), [100.0, 85.0]);
    }
}
