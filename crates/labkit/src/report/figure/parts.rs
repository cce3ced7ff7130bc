//! What a figure is made of.

use crate::estimate::Estimate;
use crate::report::palette::Colour;

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
    /// Names beside points.
    pub labels: Vec<Label>,
}

/// The name of a point: written beside it where there is room, and shown by a pointer on it.
#[derive(Debug, Clone)]
pub struct Label {
    /// Horizontal.
    pub x: f64,
    /// Vertical.
    pub y: f64,
    /// The name.
    pub text: String,
    /// Its colour.
    pub colour: Colour,
    /// Whether it is written.
    pub is_written: bool,
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
    /// An empty diamond.
    HollowDiamond,
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

impl Point {
    /// A point without an interval.
    pub const fn at(x: f64, y: f64) -> Point {
        Point { x, y, interval: None }
    }

    /// A point with the whisker of its interval.
    pub fn of(x: f64, y: &Estimate) -> Point {
        Point { x, y: y.value(), interval: y.interval().map(|it| (it.low, it.high)) }
    }
}

impl Line {
    /// Its value there, if it has a point there.
    pub fn value_at(&self, x: f64) -> Option<f64> {
        self.points.iter().find(|point| point.x == x).map(|point| point.y)
    }

    /// A line through points.
    pub fn new(name: impl Into<String>, style: Style, points: impl IntoIterator<Item = Point>) -> Line {
        Line { name: name.into(), style, points: points.into_iter().collect() }
    }
}

/// The form of a figure for a width of the page.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// The width of the picture.
    pub width: f64,
    /// The size of its text.
    pub size: f64,
    /// The height of a plot.
    pub height: f64,
    /// Panels beside each other.
    pub most_columns: usize,
}

impl Form {
    /// The distance of two lines of text.
    pub fn line(&self) -> f64 {
        1.3 * self.size
    }

    /// How many of so many panels are beside each other.
    pub fn columns(&self, panels: usize) -> usize {
        let most = if panels == 4 { 2 } else { 3 };
        panels.clamp(1, most.min(self.most_columns))
    }
}
