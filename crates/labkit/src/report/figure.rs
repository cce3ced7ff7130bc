//! Figures as SVG, drawn here: axes, bands, lines with whiskers, a legend. No scripts, fonts or external files, so
//! that the page can be kept, mailed and printed.

mod axis;
mod canvas;
mod dots;
mod labels;
mod legend;
pub mod parts;
mod plot;

use std::collections::HashSet;

use super::palette::Colour;
use super::text::three_digits;
use axis::number;

use parts::Form;
pub use parts::{Axis, Band, Figure, Label, Line, Mark, Panel, Point, Scale, Stroke, Style};

impl Figure {
    /// The figure in HTML, in a form for wide and one for narrow screens.
    pub fn to_html(&self) -> String {
        let figure = self.in_small_multiples();
        let draw = if dots::suits(&figure) { dots::draw } else { plot::draw };
        let [wide, narrow] = [WIDE, NARROW].map(|form| draw(&figure, form));
        format!("<div class=\"wide\">{wide}</div><div class=\"narrow\">{narrow}</div>")
    }

    /// What there is to see: the lowest and the highest of the series at the right end, panel by panel.
    pub fn extremes(&self) -> String {
        let sentences = self.panels.iter().filter_map(|panel| panel.extremes(&self.x.title));
        sentences.collect::<Vec<_>>().join(" ")
    }

    /// The same with at most [`MOST_SERIES`] series a panel: those of one colour stay together.
    fn in_small_multiples(&self) -> Figure {
        Figure { panels: self.panels.iter().flat_map(Panel::split).collect(), ..self.clone() }
    }
}

impl Panel {
    fn extremes(&self, x_title: &str) -> Option<String> {
        let ours = || self.lines.iter().filter(|line| line.style.colour != Colour::Paper);
        let end = ours().flat_map(|line| &line.points).map(|point| point.x).max_by(f64::total_cmp)?;
        let at_end = |line| Line::value_at(line, end).map(|y| (line.name.as_str(), y));
        let mut places: Vec<(&str, f64)> = ours().filter_map(at_end).collect();
        places.sort_by(|one, other| one.1.total_cmp(&other.1));
        let [(lowest, least), .., (highest, most)] = places[..] else { return None };
        if most <= least * 1.01 {
            return None;
        }
        let of = if self.title.is_empty() { String::new() } else { format!(" ({})", self.title) };
        let [end, least, most] = [number(end), three_digits(least), three_digits(most)];
        Some(format!("At {end} {x_title}{of}, {lowest} is lowest ({least}) and {highest} highest ({most})."))
    }

    fn split(&self) -> Vec<Panel> {
        if names(&self.lines) <= MOST_SERIES {
            return vec![self.clone()];
        }
        // What is printed is beside every part.
        let (papers, ours): (Vec<Line>, Vec<Line>) =
            self.lines.iter().cloned().partition(|line| line.style.colour == Colour::Paper);
        let most = MOST_SERIES.saturating_sub(names(&papers)).max(1);
        // Parts of about the same size.
        let most = names(&ours).div_ceil(names(&ours).div_ceil(most).max(1)).max(1);
        let mut colours: Vec<Colour> = ours.iter().map(|line| line.style.colour).collect();
        let mut seen = Vec::new();
        colours.retain(|colour| {
            !seen.contains(colour) && {
                seen.push(*colour);
                true
            }
        });
        let mut parts: Vec<Vec<Line>> = vec![vec![]];
        for colour in colours {
            let of_colour = ours.iter().filter(|line| line.style.colour == colour);
            let of_colour: Vec<Line> = of_colour.cloned().collect();
            for some in of_colour.chunks(most) {
                match parts.last_mut() {
                    Some(part) if names(part) + names(some) <= most => part.extend_from_slice(some),
                    _ => parts.push(some.to_vec()),
                }
            }
        }
        let of = parts.len();
        let titled = |(at, lines): (usize, Vec<Line>)| {
            let part = transports(&lines)
                .or_else(|| in_common(&lines))
                .unwrap_or_else(|| format!("part {} of {of}", at + 1));
            let title = if self.title.is_empty() { part } else { format!("{}: {part}", self.title) };
            Panel { title, lines: [papers.clone(), lines].concat(), ..self.clone() }
        };
        parts.into_iter().enumerate().map(titled).collect()
    }
}

/// `UDP, TCP`: what the colours of lines stand for, if all of them are transports.
fn transports(lines: &[Line]) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for line in lines {
        let transport = match line.style.colour {
            Colour::Over(transport) => transport,
            Colour::Paper => continue,
            Colour::Other(_) => return None,
        };
        if !names.contains(&transport.to_string()) {
            names.push(transport.to_string());
        }
    }
    Some(names.join(", "))
}

/// The words that the names of all lines begin with; `None` if there are none.
fn in_common(lines: &[Line]) -> Option<String> {
    let ours = lines.iter().filter(|line| line.style.colour != Colour::Paper && !line.name.is_empty());
    let mut words: Option<Vec<&str>> = None;
    for line in ours {
        let own = line.name.split(' ').map(|word| word.trim_end_matches(','));
        words = Some(match words {
            None => own.collect(),
            Some(words) => {
                words.into_iter().zip(own).take_while(|(one, other)| one == other).map(|it| it.0).collect()
            }
        });
    }
    words.filter(|words| !words.is_empty()).map(|words| words.join(" "))
}

/// How many series these lines are. A paper's loose points are not counted.
fn names(lines: &[Line]) -> usize {
    let named = lines.iter().filter(|line| !line.name.is_empty() && !legend::is_papers_points(line));
    named.map(|line| line.name.as_str()).collect::<HashSet<_>>().len()
}

const WIDE: Form = Form { width: 900.0, size: 14.0, height: 290.0, most_columns: 3 };
const NARROW: Form = Form { width: 400.0, size: 13.5, height: 230.0, most_columns: 1 };
/// The most series that a panel has.
const MOST_SERIES: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::palette;

    #[test]
    fn a_part_is_named_by_what_its_lines_have_in_common() {
        let line = |name: &str| Line::new(name, palette::series(0), [Point::at(1.0, 1.0)]);
        let of = |names: [&str; 2]| in_common(&names.map(line));
        assert_eq!(of(["SNMP GetBulk, OPC", "SNMP GetBulk, zlib"]).as_deref(), Some("SNMP GetBulk"));
        assert_eq!(of(["SNMP GetBulk", "WS lean"]), None);
    }

    fn figure(scale: Scale, values: &[(f64, f64)], series: usize, panels: usize) -> Figure {
        let axis = |title: &str| Axis { title: title.into(), scale };
        let line = |at: usize| {
            let points =
                values.iter().map(|&(x, y)| Point { x, y: y * (at + 1) as f64, interval: Some((y, y)) });
            Line::new(format!("v3/USM authPriv MD5+AES/UDP {at}"), palette::series(at), points)
        };
        let lines: Vec<Line> = (0..series).map(line).collect();
        let panel =
            |at: usize| Panel { title: format!("panel {at}"), lines: lines.clone(), ..Panel::default() };
        Figure {
            title: "a < b".into(),
            x: axis("a long title of the horizontal axis, which says what varies and how"),
            y: axis("the time of one interaction with everything that belongs to it (ms)"),
            panels: (0..panels).map(panel).collect(),
        }
    }

    fn all() -> Vec<Figure> {
        let mut all = Vec::new();
        for values in [
            &[][..],
            &[(5.0, 5.0)],
            &[(0.0, 0.0)],
            &[(1.0, 3.0), (22.0, 40.0), (270.0, 200_000.0)],
            &[(1.0, 3.0), (2.0, 4e7), (1e6, 900.0)],
        ] {
            for scale in [Scale::Linear, Scale::Log] {
                for (series, panels) in [(0, 1), (1, 1), (2, 3), (6, 4), (13, 2)] {
                    all.push(figure(scale, values, series, panels));
                }
            }
        }
        all
    }

    #[test]
    fn every_figure_is_drawn_and_no_text_leaves_it() {
        for figure in all() {
            let html = figure.to_html();
            assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
            assert!(html.contains("aria-label=\"a &lt; b\""));
            for svg in html.split("<svg ").skip(1) {
                texts_are_inside(svg);
            }
        }
    }

    #[test]
    fn a_panel_has_at_most_six_series() {
        for figure in all() {
            let drawn = figure.in_small_multiples();
            assert!(drawn.panels.iter().all(|panel| names(&panel.lines) <= MOST_SERIES));
            let count = |figure: &Figure| -> usize { figure.panels.iter().map(|it| it.lines.len()).sum() };
            assert_eq!(count(&drawn), count(&figure));
        }
        let mut figure = figure(Scale::Log, &[(1.0, 3.0), (22.0, 40.0)], 13, 1);
        figure.panels[0].lines.push(Line::new("paper", palette::PAPER, [Point::at(1.0, 2.0)]));
        let drawn = figure.in_small_multiples();
        assert_eq!(drawn.panels.len(), 3);
        let with_paper = |panel: &Panel| names(&panel.lines) <= MOST_SERIES && panel.lines[0].name == "paper";
        assert!(drawn.panels.iter().all(with_paper));
    }

    #[test]
    fn extremes_are_the_ends_of_the_lines() {
        let mut figure = figure(Scale::Log, &[(1.0, 3.0), (1056.0, 40.0)], 3, 1);
        figure.x.title = "interactions".into();
        figure.panels[0].lines.push(Line::new("paper", palette::PAPER, [Point::at(1056.0, 2.0)]));
        let name = "v3/USM authPriv MD5+AES/UDP";
        assert_eq!(
            figure.extremes(),
            format!("At 1,056 interactions (panel 0), {name} 0 is lowest (40.0) and {name} 2 highest (120).")
        );
    }

    #[test]
    fn one_place_of_several_series_becomes_rows() {
        let html = figure(Scale::Log, &[(5.0, 5.0)], 3, 1).to_html();
        assert!(html.contains("which says what varies and how: 5") || html.contains("how: 5"), "{html}");
        assert!(!dots::suits(&figure(Scale::Log, &[(5.0, 5.0), (6.0, 5.0)], 3, 1)));
    }

    /// Every text of a picture lies within its width, by the estimate of its width, and within its height.
    fn texts_are_inside(svg: &str) {
        let attribute = |from: &str, name: &str| -> String {
            let (_, rest) =
                from.split_once(&format!(" {name}=\"")).unwrap_or_else(|| panic!("{name}: {from}"));
            rest.split('"').next().unwrap().to_owned()
        };
        let number = |from: &str, name: &str| attribute(from, name).parse::<f64>().unwrap();
        let view = attribute(&format!(" {svg}"), "viewBox");
        let view: Vec<f64> = view.split(' ').map(|it| it.parse().unwrap()).collect();
        for text in svg.split("<text").skip(1) {
            let content = text.split_once('>').unwrap().1.split('<').next().unwrap();
            let width = canvas::text_width(content, number(svg, "font-size"));
            let x = number(text, "x");
            let left = match attribute(text, "text-anchor").as_str() {
                "start" => x,
                "middle" => x - width / 2.0,
                _ => x - width,
            };
            assert!(left >= 0.0 && left + width <= view[2], "{content}: {left} + {width} of {view:?}");
            assert!((0.0..=view[3]).contains(&number(text, "y")), "{content}: {view:?}");
        }
    }
}
