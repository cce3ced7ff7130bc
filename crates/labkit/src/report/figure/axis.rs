//! Axes: the range of the values, and round numbers on it.

use super::parts::{Axis, Scale};
use crate::report::text::without_zeros;

/// The range of an axis, a little wider than its values.
#[derive(Debug, Clone)]
pub(super) struct Span {
    scale: Scale,
    low: f64,
    high: f64,
    /// Where it has numbers.
    pub(super) ticks: Vec<f64>,
}

impl Span {
    /// The vertical axis: a linear one begins at 0.
    pub(super) fn vertical(axis: &Axis, values: &[f64]) -> Span {
        let Some((scale, low, high)) = range(axis.scale, values) else { return Span::linear(0.0, 10.0) };
        match scale {
            Scale::Linear => Span::linear(low.min(0.0), if high > 0.0 { high * 1.06 } else { 1.0 }),
            Scale::Log => Span::logarithmic(low, high),
        }
    }

    /// The horizontal axis: a few values have a number each.
    pub(super) fn horizontal(axis: &Axis, values: &[f64]) -> Span {
        let Some((scale, low, high)) = range(axis.scale, values) else { return Span::linear(0.0, 10.0) };
        let near = low > high * 0.2 && high > low;
        let mut span = match scale {
            Scale::Linear if near => {
                let margin = (high - low) * 0.05;
                Span::linear(low - margin, high + margin)
            }
            Scale::Linear => Span::linear(low.min(0.0), if high > 0.0 { high * 1.03 } else { 1.0 }),
            Scale::Log => Span::logarithmic(low, high),
        };
        let mut distinct: Vec<f64> = values.iter().copied().filter(|value| span.has(*value)).collect();
        // A crossing between whole numbers is not a place to read from.
        if distinct.iter().any(|value| value.fract() == 0.0) {
            distinct.retain(|value| value.fract() == 0.0);
        }
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        if !distinct.is_empty() && distinct.len() <= FEW {
            span.ticks = distinct;
        }
        span
    }

    /// The position of a value: 0 at the low end, 1 at the high end.
    pub(super) fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// Whether it is logarithmic.
    pub(super) fn is_log(&self) -> bool {
        self.scale == Scale::Log
    }

    fn has(&self, value: f64) -> bool {
        (0.0..=1.0).contains(&self.place(value))
    }

    fn linear(low: f64, high: f64) -> Span {
        let step = step_for((high - low) / 6.0);
        let first = (low / step).ceil() as i64;
        let ticks = (first..).map(|count| count as f64 * step).take_while(|value| *value <= high);
        Span { scale: Scale::Linear, low, high, ticks: ticks.collect() }
    }

    fn logarithmic(low: f64, high: f64) -> Span {
        let margin = (high / low).powf(0.04).max(1.1);
        let (low, high) = (low / margin, high * margin);
        let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let with = |steps: &[f64]| -> Vec<f64> {
            let all = powers.clone().flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
            all.filter(|value| (low..=high).contains(value)).collect()
        };
        let fewest = |ticks: &Vec<f64>| ticks.len() >= 4;
        let all = STEPS.iter().map(|steps| with(steps)).find(fewest).unwrap_or_else(|| with(STEPS[3]));
        let every = all.len().div_ceil(MOST_TICKS);
        Span { scale: Scale::Log, low, high, ticks: all.into_iter().step_by(every).collect() }
    }
}

/// The scale and the ends of the values. Less than a factor of five is clearer on a linear axis.
fn range(scale: Scale, values: &[f64]) -> Option<(Scale, f64, f64)> {
    let usable = values.iter().filter(|value| value.is_finite() && (scale == Scale::Linear || **value > 0.0));
    let (low, high) = usable
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)));
    let scale = if scale == Scale::Log && high < low * LEAST_FACTOR { Scale::Linear } else { scale };
    (low <= high).then_some((scale, low, high))
}

/// The next of 1, 2, 5, 10, ... above.
fn step_for(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= least).unwrap_or(10.0 * power)
}

/// A number on an axis: `0.5`, `20`, `1,000`.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 1e6 => format!("{}M", without_zeros(&format!("{:.2}", value / 1e6))),
        size if size >= 1000.0 => {
            let whole = format!("{value:.0}");
            let (head, tail) = whole.split_at(whole.len() - 3);
            format!("{head},{tail}")
        }
        _ => without_zeros(&format!("{value:.6}")).to_owned(),
    }
}

/// The steps in a decade, the fewest first.
const STEPS: [&[f64]; 4] = [&[1.0], &[1.0, 3.0], &[1.0, 2.0, 5.0], &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]];
/// A logarithmic axis spans at least this factor.
const LEAST_FACTOR: f64 = 5.0;
/// So many different values have a tick each.
const FEW: usize = 8;
const MOST_TICKS: usize = 9;

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(scale: Scale) -> Axis {
        Axis { title: String::new(), scale }
    }

    #[test]
    fn ticks_are_round_and_few() {
        let many: Vec<f64> = (1..=270).map(f64::from).collect();
        assert_eq!(Span::horizontal(&axis(Scale::Log), &many).ticks, [1.0, 3.0, 10.0, 30.0, 100.0, 300.0]);
        assert_eq!(Span::vertical(&axis(Scale::Linear), &[0.0, 93.0]).ticks, [0.0, 20.0, 40.0, 60.0, 80.0]);
        for high in [0.003, 1.0, 7.7, 1e3, 3e5] {
            for (scale, low) in [(Scale::Linear, 0.0), (Scale::Log, high / 6.0), (Scale::Log, high / 1e12)] {
                let count = Span::vertical(&axis(scale), &[low, high]).ticks.len();
                assert!((3..=9).contains(&count), "{scale:?} {low} to {high}: {count}");
            }
        }
    }

    #[test]
    fn a_few_values_have_a_tick_each() {
        for values in [&[5.0][..], &[0.1, 0.5], &[1.0, 22.0, 270.0]] {
            for scale in [Scale::Linear, Scale::Log] {
                assert_eq!(Span::horizontal(&axis(scale), values).ticks, values);
            }
        }
    }

    #[test]
    fn a_small_range_is_linear() {
        assert!(!Span::vertical(&axis(Scale::Log), &[10.0, 30.0]).is_log());
        assert!(Span::vertical(&axis(Scale::Log), &[10.0, 60.0]).is_log());
        let lengths: Vec<f64> = (8..=30).map(f64::from).collect();
        let span = Span::horizontal(&axis(Scale::Log), &lengths);
        assert_eq!(span.ticks, [10.0, 15.0, 20.0, 25.0, 30.0]);
    }

    #[test]
    fn numbers_read_well() {
        let texts = [0.0, 0.5, 0.01, 20.0, 1000.0, 200_000.0, 1.5e6, 5e6].map(number);
        assert_eq!(texts, ["0", "0.5", "0.01", "20", "1,000", "200,000", "1.5M", "5M"]);
    }
}
