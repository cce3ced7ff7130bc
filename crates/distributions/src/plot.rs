//! The Weibull probability plot: ln x against ln(-ln(1 - p)), where the points of a Weibull sample lie along a line whose slope is
//! the shape and which crosses 0 at the logarithm of the scale.

use crate::sample::Sample;
use crate::weibull::Weibull;

/// The points `(x, p)` of a plot, p = (i - 0.5) / n for the i-th of n in ascending order. What was not answered is in n, and lies
/// to the right of everything.
pub fn points(sample: &Sample) -> impl Iterator<Item = (f64, f64)> + '_ {
    let all = sample.len() as f64;
    sample.observed().iter().enumerate().map(move |(index, &x)| (x, (index as f64 + 0.5) / all))
}

/// Where a point lies on the paper of the plot: `(ln x, ln(-ln(1 - p)))`. For x above 0 and p between 0 and 1.
pub fn on_paper(x: f64, p: f64) -> (f64, f64) {
    (x.ln(), (-(-p).ln_1p()).ln())
}

/// The height of a distribution's line over ln x.
pub fn line(fitted: &Weibull, ln_x: f64) -> f64 {
    fitted.shape * (ln_x - fitted.scale.ln())
}

/// The points, at most so many: evenly spread over the paper's height, the ends always among them.
pub fn thinned(sample: &Sample, most: usize) -> Vec<(f64, f64)> {
    let all: Vec<(f64, f64)> =
        points(sample).filter(|&(x, _)| x > 0.0).map(|(x, p)| on_paper(x, p)).collect();
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return all };
    if all.len() <= most.max(2) {
        return all;
    }
    let step = (last.1 - first.1) / (most.max(2) - 1) as f64;
    let mut next = first.1;
    let mut chosen: Vec<(f64, f64)> = Vec::new();
    for &point in &all {
        if point.1 >= next {
            chosen.push(point);
            next = point.1 + step * 0.999;
        }
    }
    if chosen.last() != Some(last) {
        chosen.push(*last);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Continuous;
    use crate::summary::fit;

    #[test]
    fn quantiles_of_a_weibull_distribution_lie_on_its_line() {
        let truth = Weibull { scale: 5.02, shape: 5.52 };
        let sample: Vec<f64> = (0..50).map(|at| truth.quantile((f64::from(at) + 0.5) / 50.0)).collect();
        let sample = Sample::complete(sample).unwrap();
        for (x, p) in points(&sample) {
            let (ln_x, height) = on_paper(x, p);
            assert!((line(&truth, ln_x) - height).abs() < 1e-9);
        }
        let drawn: Vec<(f64, f64)> = points(&sample).map(|(x, p)| on_paper(x, p)).collect();
        let line = fit(&drawn).unwrap();
        assert!(
            (line.slope - 5.52).abs() < 1e-9 && (-line.intercept / line.slope - 5.02_f64.ln()).abs() < 1e-9
        );
    }

    /// Checklist J.1: by the plot's line, figure 6.7 would have other parameters, so the paper did not use it.
    #[test]
    fn a_line_through_the_agents_of_pras_is_not_what_the_paper_prints() {
        let column = crate::weibull::tests::PRAS[0].to_vec();
        let drawn: Vec<(f64, f64)> =
            points(&Sample::complete(column).unwrap()).map(|(x, p)| on_paper(x, p)).collect();
        assert!((fit(&drawn).unwrap().slope - 0.62).abs() > 0.1);
    }

    #[test]
    fn many_points_become_few_with_both_ends() {
        let sample = Sample::complete((1..=100_000).map(f64::from).collect()).unwrap();
        let few = thinned(&sample, 100);
        assert!((50..=102).contains(&few.len()), "{}", few.len());
        assert_eq!(few[0].0, 0.0);
        assert_eq!(few[few.len() - 1].0, 100_000.0_f64.ln());
        assert_eq!(thinned(&Sample::complete(vec![0.0, 2.0]).unwrap(), 9).len(), 1);
    }
}
