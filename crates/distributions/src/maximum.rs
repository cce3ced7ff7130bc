//! The maximum of a function of two parameters, by the simplex of Nelder and Mead (1965): for likelihoods with censored values,
//! which have no closed form.

/// Where `function` is greatest near `start`; `None` if it does not settle. `step` is how far the first simplex reaches.
pub(crate) fn maximum(start: [f64; 2], step: f64, function: impl Fn([f64; 2]) -> f64) -> Option<[f64; 2]> {
    let value = |at: [f64; 2]| {
        let found = function(at);
        (if found.is_nan() { f64::NEG_INFINITY } else { found }, at)
    };
    let mut simplex = [start, [start[0] + step, start[1]], [start[0], start[1] + step]].map(value);
    for _ in 0..MOST_STEPS {
        simplex.sort_by(|one, other| other.0.total_cmp(&one.0));
        let [best, middle, worst] = simplex;
        let near = |axis: usize| {
            let apart = (best.1[axis] - worst.1[axis]).abs().max((best.1[axis] - middle.1[axis]).abs());
            apart <= CLOSE * best.1[axis].abs().max(1.0)
        };
        if near(0) && near(1) {
            return best.0.is_finite().then_some(best.1);
        }
        let centre = [0, 1].map(|axis| (best.1[axis] + middle.1[axis]) / 2.0);
        let towards = |by: f64| value([0, 1].map(|axis| centre[axis] + by * (centre[axis] - worst.1[axis])));
        let reflected = towards(1.0);
        simplex[2] = if reflected.0 > best.0 {
            let expanded = towards(2.0);
            if expanded.0 > reflected.0 { expanded } else { reflected }
        } else if reflected.0 > middle.0 {
            reflected
        } else {
            let contracted = if reflected.0 > worst.0 { towards(0.5) } else { towards(-0.5) };
            if contracted.0 > worst.0.max(reflected.0) {
                contracted
            } else {
                let half = |it: (f64, [f64; 2])| value([0, 1].map(|at| (best.1[at] + it.1[at]) / 2.0));
                simplex[1] = half(middle);
                half(worst)
            }
        };
    }
    None
}

const MOST_STEPS: usize = 2000;
/// The relative size of the simplex at the end. A likelihood is flat at its maximum: beyond this its digits decide nothing.
const CLOSE: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_found() {
        let found =
            maximum([0.0, 0.0], 1.0, |[x, y]| -(x - 3.0).powi(2) - 10.0 * (y - x * x).powi(2)).unwrap();
        assert!((found[0] - 3.0).abs() < 1e-6 && (found[1] - 9.0).abs() < 1e-5, "{found:?}");
        assert_eq!(maximum([0.0, 0.0], 1.0, |_| f64::NAN), None);
    }
}
