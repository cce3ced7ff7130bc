//! The figures of an analysis.

use trunkline_distributions::{Continuous, Edf, Sample, Weibull, plot};
use trunkline_labkit::report::figure::{Axis, Figure, Line, Panel, Point, Scale, Stroke};
use trunkline_labkit::report::palette;

/// The empirical distribution functions and what they leave, both logarithmic as in D7.1's figure 6.3.
pub(crate) fn edf(samples: &[(&str, Edf)], tolerable: f64) -> Vec<(Figure, String)> {
    let panel = |title: &str, share: &dyn Fn(f64) -> f64| {
        let line = |(at, (name, edf)): (usize, &(&str, Edf))| {
            let steps: Vec<(f64, f64)> = edf.steps().filter(|(x, _)| *x > 0.0).collect();
            // The last step of 1 - F is 0, which has no logarithm.
            let points =
                thinned(&steps).into_iter().map(|(x, y)| Point::at(x, share(y))).filter(|it| it.y > 0.0);
            Line::new(*name, without_marks(at), points.collect::<Vec<_>>())
        };
        let lines = samples.iter().enumerate().map(line).collect();
        Panel { title: title.into(), lines, ..Panel::default() }
    };
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let figure = Figure {
        title: "empirical distribution functions of the delays".into(),
        x: axis("delay (ms)"),
        y: axis("share of requests"),
        panels: vec![
            panel("F: at most so late", &|share| share),
            panel("1 - F: later", &|share| 1.0 - share),
        ],
    };
    let caption = format!(
        "The share of all requests whose answer came within a delay, and of those whose did not; both axes are logarithmic. What was not answered is later than everything. The tolerable delay \
         is {tolerable} ms."
    );
    vec![(figure, caption)]
}

/// Weibull plots with the lines of the fits.
pub(crate) fn weibull_plots(fitted: &[(String, Sample, Weibull)]) -> Option<(Figure, String)> {
    let panel = |(name, sample, weibull): &(String, Sample, Weibull)| {
        let points = plot::thinned(sample, MOST_POINTS).into_iter().map(|(x, y)| Point::at(x.exp(), y.exp()));
        let ends: Vec<f64> = sample.observed().iter().copied().filter(|x| *x > 0.0).collect();
        let ends = [ends.first(), ends.last()].into_iter().flatten().copied();
        let line = ends.map(|x| Point::at(x, -weibull.ln_beyond(x)));
        let lines = vec![
            Line::new("delays", palette::series(0).points(), points),
            Line::new("Weibull, maximum likelihood", palette::series(1).with(Stroke::Solid), line),
        ];
        Panel { title: name.clone(), lines, ..Panel::default() }
    };
    let axis = |title: &str| Axis { title: title.into(), scale: Scale::Log };
    let figure = Figure {
        title: "Weibull plots of the delays".into(),
        x: axis("delay (ms)"),
        y: axis("-ln(1 - p)"),
        panels: fitted.iter().take(MOST_PANELS).map(panel).collect(),
    };
    let caption = "Delays of a Weibull distribution lie along the line, whose slope is the shape; p of the i-th of n is (i - 0.5) / n.";
    (!fitted.is_empty()).then(|| (figure, caption.into()))
}

/// A line without marks: a curve of many steps.
fn without_marks(at: usize) -> trunkline_labkit::report::figure::Style {
    palette::series(at)
}

/// Few of many steps: evenly by the logarithm of what is left, so that the tail keeps its form.
fn thinned(steps: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if steps.len() <= MOST_POINTS {
        return steps.to_vec();
    }
    let place = |&(x, share): &(f64, f64)| (x.ln(), -(1.0 - share).max(1e-12).ln());
    let (first, last) = (place(&steps[0]), place(&steps[steps.len() - 1]));
    let apart =
        ((last.0 - first.0) / MOST_POINTS as f64 * 2.0, (last.1 - first.1) / MOST_POINTS as f64 * 2.0);
    let mut chosen = vec![steps[0]];
    let mut before = first;
    for step in &steps[1..] {
        let at = place(step);
        if at.0 - before.0 >= apart.0 || at.1 - before.1 >= apart.1 {
            chosen.push(*step);
            before = at;
        }
    }
    chosen.extend(steps.last().filter(|last| chosen.last() != Some(last)));
    chosen
}

/// Points of a curve.
const MOST_POINTS: usize = 150;
/// Panels of Weibull plots.
const MOST_PANELS: usize = 12;
