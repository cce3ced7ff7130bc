//! The SVG under a figure: paths, marks and text, whose width is estimated so that nothing leaves the picture.

use std::fmt::Write;

use super::parts::{Mark, Stroke, Style};
use crate::report::palette::Colour;
use crate::report::text::escape;

/// A picture of a given width.
pub(super) struct Canvas {
    svg: String,
    width: f64,
    size: f64,
}

/// Which end of a text its place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Canvas {
    /// An empty picture with text of this size.
    pub(super) fn new(width: f64, size: f64) -> Canvas {
        Canvas { svg: String::new(), width, size }
    }

    /// The size of its text.
    pub(super) const fn size(&self) -> f64 {
        self.size
    }

    /// Text on one line. If it would leave the picture, it moves.
    pub(super) fn text(&mut self, class: &str, anchor: Anchor, (x, y): (f64, f64), text: &str) {
        if text.is_empty() {
            return;
        }
        let width = text_width(text, self.size);
        let (before, name) = match anchor {
            Anchor::Start => (0.0, "start"),
            Anchor::Middle => (width / 2.0, "middle"),
            Anchor::End => (width, "end"),
        };
        let x = (x - before).min(self.width - width - 1.0).max(1.0) + before;
        let text = escape(text);
        let _ = write!(
            self.svg,
            r#"<text class="{class}" text-anchor="{name}" x="{x:.1}" y="{y:.1}">{text}</text>"#
        );
    }

    /// A line of the given class.
    pub(super) fn path(&mut self, class: &str, path: &str) {
        let _ = write!(self.svg, r#"<path class="{class}" d="{path}"/>"#);
    }

    /// A line in the current colour.
    pub(super) fn stroke(&mut self, width: f64, stroke: Stroke, path: &str) {
        let dashes = match stroke {
            Stroke::Solid | Stroke::None => "",
            Stroke::Dashed => r#" stroke-dasharray="7 4""#,
            Stroke::Dotted => r#" stroke-dasharray="2 3""#,
            Stroke::DashDot => r#" stroke-dasharray="8 3 2 3""#,
        };
        let _ = write!(
            self.svg,
            r#"<path d="{path}" fill="none" stroke="currentColor" stroke-width="{width}"{dashes}/>"#
        );
    }

    /// An area in the current colour.
    pub(super) fn area(&mut self, opacity: f64, path: &str) {
        let _ = write!(self.svg, r#"<path d="{path}" fill="currentColor" opacity="{opacity}"/>"#);
    }

    /// What follows has this colour and name, until [`Canvas::end`].
    pub(super) fn begin(&mut self, colour: Colour, name: &str) {
        let _ = write!(self.svg, r#"<g class="{}"><title>{}</title>"#, colour.class(), escape(name));
    }

    /// What follows belongs to one panel, until [`Canvas::end`].
    pub(super) fn begin_panel(&mut self) {
        self.svg.push_str(r#"<g class="plot">"#);
    }

    /// Ends what was begun last.
    pub(super) fn end(&mut self) {
        self.svg.push_str("</g>");
    }

    /// A mark in the current colour.
    pub(super) fn mark(&mut self, mark: Mark, x: f64, y: f64) {
        const FULL: &str = r#"fill="currentColor""#;
        const EMPTY: &str = r#"fill="none" stroke="currentColor" stroke-width="1.8""#;
        let how = match mark {
            Mark::Disc | Mark::Square | Mark::Triangle | Mark::Diamond => FULL,
            Mark::Ring | Mark::Cross | Mark::HollowSquare | Mark::HollowTriangle | Mark::HollowDiamond => {
                EMPTY
            }
        };
        let path = match mark {
            Mark::Disc | Mark::Ring => {
                let radius = if mark == Mark::Disc { 3.5 } else { 4.0 };
                let _ = write!(self.svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" {how}/>"#);
                return;
            }
            Mark::Cross => format!("M{:.1} {y:.1}h8m-4 -4v8", x - 4.0),
            Mark::Square | Mark::HollowSquare => format!("M{:.1} {:.1}h7v7h-7z", x - 3.5, y - 3.5),
            Mark::Triangle | Mark::HollowTriangle => format!("M{x:.1} {:.1}l4.6 8h-9.2z", y - 5.0),
            Mark::Diamond | Mark::HollowDiamond => format!("M{x:.1} {:.1}l4.6 5l-4.6 5l-4.6 -5z", y - 5.0),
        };
        let _ = write!(self.svg, r#"<path d="{path}" {how}/>"#);
    }

    /// A place that shows the current name to a pointer.
    pub(super) fn spot(&mut self, x: f64, y: f64) {
        let _ = write!(self.svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="8" fill="transparent"/>"#);
    }

    /// A piece of a line with its mark, for a legend; `None` is an area.
    pub(super) fn sample(&mut self, style: Option<Style>, x: f64, middle: f64) {
        let end = x + SAMPLE;
        match style {
            None => self.area(0.3, &format!("M{x:.1} {:.1}h{SAMPLE}v12h-{SAMPLE}z", middle - 6.0)),
            Some(style) => {
                if style.stroke != Stroke::None {
                    self.stroke(2.0, style.stroke, &format!("M{x:.1} {middle:.1}H{end:.1}"));
                }
                self.mark(style.mark, x + SAMPLE / 2.0, middle);
            }
        }
    }

    /// The whole picture.
    pub(super) fn finish(self, height: f64, label: &str) -> String {
        let Canvas { svg, width, size } = self;
        format!(
            r#"<svg viewBox="0 0 {width:.0} {height:.0}" font-size="{size}" role="img" aria-label="{}" xmlns="http://www.w3.org/2000/svg">{svg}</svg>"#,
            escape(label)
        )
    }
}

/// The width of a text, rather too large: no fonts are read.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let of = |letter: char| match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' => 0.32,
        'f' | 't' | 'r' | '(' | ')' | '/' | '-' | 'I' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' => 0.92,
        letter if letter.is_uppercase() => 0.72,
        _ => 0.6,
    };
    text.chars().map(of).sum::<f64>() * size
}

/// Lines that are at most this wide, broken between words; a longer word has its own line.
pub(super) fn wrap(text: &str, width: f64, size: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// The width of a piece of a line in a legend.
pub(super) const SAMPLE: f64 = 26.0;
