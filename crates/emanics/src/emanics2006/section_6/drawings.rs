//! The drawings of section 6.

use trunkline_distributions::growth::Growth;
use trunkline_distributions::{Continuous, Weibull, plot};
use trunkline_labkit::report::figure::{Axis, Figure, Line, Panel, Point, Scale, Stroke, Style};
use trunkline_labkit::report::palette;

use super::paper;
use super::sheets::Column;

/// A Weibull plot of each column: -ln(1 - p) over the delay, both by their logarithms.
pub(super) fn weibull_plot(columns: &[Column]) -> Option<(Figure, String)> {
    let panel = |column: &Column| {
        let points = plot::points(&column.sample).map(|(x, p)| Point::at(x, -(-p).ln_1p()));
        let mut lines = vec![
            Line::new("agents", palette::series(0).points(), points),
            straight("maximum likelihood", palette::series(1), &column.fitted, column),
        ];
        if column.objects == 1 {
            lines.push(straight("D7.1", palette::PAPER, &paper::SNMP_AGENTS, column));
        }
        let title =
            if column.objects == 1 { "1 object".into() } else { format!("{} objects", column.objects) };
        Panel { title, lines, ..Panel::default() }
    };
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let figure = Figure {
        title: "Weibull plots of the delays of SNMP agents".into(),
        x: axis("delay (ms)"),
        y: axis("-ln(1 - p)"),
        panels: columns.iter().map(panel).collect(),
    };
    let caption = "Figure 6.7 for one object, and the same for more: delays of a Weibull distribution would lie along the line, whose slope is the shape. p of the \
                   i-th of n agents is (i - 0.5) / n.";
    (!columns.is_empty()).then(|| (figure, caption.into()))
}

/// The line of a distribution over the agents' delays.
fn straight(name: &str, style: Style, fitted: &Weibull, column: &Column) -> Line {
    let observed = column.sample.observed();
    let ends = [observed[0], observed[observed.len() - 1]];
    let points = ends.map(|x| Point::at(x, -fitted.ln_beyond(x)));
    Line::new(name, style.with(if name == "D7.1" { Stroke::Dashed } else { Stroke::Solid }), points)
}

/// 1 - q by the size of the group: measured and predicted by D7.1, and foretold.
pub(super) fn error_by_size(growth: Option<&Growth>) -> (Figure, String) {
    let line = |name: &str, style: Style, of: &dyn Fn(usize) -> f64| {
        let points = (0..paper::GROUPS.len()).map(|at| Point::at(f64::from(paper::GROUPS[at]), of(at)));
        Line::new(name, style, points)
    };
    let mut lines = vec![
        line("D7.1: measured", palette::PAPER, &|at| paper::ERROR_MEASURED[at]),
        line("exp(-(D/a)^b)", palette::series(0), &|at| paper::FITTED[at].beyond(paper::TOLERABLE_MS)),
    ];
    let mut caption = "Share of agents whose mean delay is above 1 s.".to_owned();
    if let Some(growth) = growth {
        let foretold = |at: usize| growth.error(paper::GROUPS[at], paper::TOLERABLE_MS);
        lines.push(line("foretold from 70 to 350", palette::series(1), &foretold));
        caption += " The last line continues the parameters of the five smallest groups.";
    }
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Linear };
    let figure = Figure {
        title: "monitoring error by the size of the group".into(),
        x: axis("agents"),
        y: axis("1 - q"),
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    (figure, caption)
}
