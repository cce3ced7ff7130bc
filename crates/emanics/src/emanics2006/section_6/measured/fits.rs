//! Distributions of what was measured.

use trunkline_distributions::core_and_tail::CoreAndTail;
use trunkline_distributions::goodness::{Goodness, kolmogorov_smirnov, probabilities};
use trunkline_distributions::interval::{self, Intervals};
use trunkline_distributions::{Continuous, Distribution, Edf, Family, Interval, Sample, Weibull};
use trunkline_labkit::estimate::{NOISY, half_width};
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::group::GroupRecord;
use trunkline_labkit::trial::Trials;

use super::super::{SEED, paper};
use super::{GROUPS, agents, delays, drawings, of, sample, series, sizes};

/// A Weibull distribution of the means of a group's agents.
pub(in super::super) struct Fitted {
    pub(in super::super) sample: Sample,
    pub(in super::super) weibull: Weibull,
    pub(in super::super) intervals: Intervals,
}

/// Fits one; `None` with fewer than three agents.
pub(in super::super) fn fitted(group: &GroupRecord) -> Option<Fitted> {
    let sample = sample(&group.means).filter(|it| it.len() >= LEAST)?;
    let (weibull, intervals) = interval::of(&sample, SEED).ok()?;
    Some(Fitted { sample, weibull, intervals })
}

/// The single delays of a group: of one agent if there are enough, else of all.
fn single(group: &GroupRecord) -> Option<Sample> {
    let one = delays(&group.one);
    if one.len() >= ENOUGH { Sample::complete(one).ok() } else { sample(&group.some) }
}

/// A normal core and a Weibull tail of the single delays of the largest group.
pub(in super::super) fn core_and_tail(trials: &Trials, name: &str) -> Option<(u32, Sample, CoreAndTail)> {
    let largest = *of(trials, GROUPS, name).last()?;
    let sample = single(largest)?;
    let parts = CoreAndTail::fit(&sample, SHARE).ok()?;
    Some((largest.agents, sample, parts))
}

/// The probability of as large a distance, if the family were right.
fn chance(family: Family, sample: &Sample) -> Option<f64> {
    probabilities(family, sample, DRAWN, SEED).ok().flatten().map(|it| it.ks)
}

/// That the core of delays is normal.
fn chance_of_core(sample: &Sample, parts: &CoreAndTail) -> Option<f64> {
    let core = sample.observed().iter().copied().filter(|&it| it <= parts.threshold).collect();
    chance(Family::Normal, &Sample::complete(core).ok()?)
}

/// That their tail is Weibull.
fn chance_of_tail(parts: &CoreAndTail) -> Option<f64> {
    chance(Family::Weibull, &parts.above)
}

/// That the means of agents are.
fn chance_of_means(fitted: &Fitted) -> Option<f64> {
    chance(Family::Weibull, &fitted.sample)
}

/// Figure 6.3: the lower 95 % of single delays in the largest group.
pub(in super::super::super) fn figure_6_3(trials: &Trials) -> Sheet {
    let heads = ["core: mean (ms)", "core: std (ms)", "K-S", "p (K-S)", "threshold (ms)"];
    let title = "single delays in the largest group, and the normal distribution of the lower 95 %";
    let mut sheet = Sheet::new("emanics2006/figure-6.3", title, &heads).without_ratios();
    sheet.note = format!(
        "Delays of one agent where there are {ENOUGH} or more, else of all agents of the group. The core has mean and standard deviation of the delays up to their 95 % quantile. p: the probability of a distance as \
         large if they were normal, by {DRAWN} drawn samples of independent delays; below 0.05 the fit is not close. Those of a run are not independent, and of many any p is small: claims are judged by K-S. The deliverable does not say whether its 0.44 is a deviation or a variance."
    );
    sheet.row("paper: JMX, 700 agents", &[Some(CORE.0), Some(CORE.1)], &[], 0);
    let mut edfs = Vec::new();
    for name in series(trials, GROUPS) {
        let Some((size, sample, parts)) = core_and_tail(trials, name) else { continue };
        let ours = [
            Some(parts.core.mean),
            Some(parts.core.sd),
            Some(parts.core_ks),
            chance_of_core(&sample, &parts),
            Some(parts.threshold),
        ];
        sheet.row(format!("{}: {name}", agents(size)), &[], &ours, sample.len());
        edfs.push((name, Edf::of(&sample)));
    }
    sheet.drawings.extend(drawings::distributions(&edfs));
    sheet
}

/// Figure 6.4: the upper 5 % of the same.
pub(in super::super::super) fn figure_6_4(trials: &Trials) -> Sheet {
    let heads =
        ["scale (ms)", "shape", "K-S", "p (K-S)", "excess: scale (ms)", "excess: shape", "excess: K-S"];
    let title = "the upper 5 % of single delays as a Weibull distribution";
    let mut sheet = Sheet::new("emanics2006/figure-6.4", title, &heads);
    sheet.note = "Of the delays of figure 6.3 above their 95 % quantile, as they are; and of what they exceed it by. The deliverable does not say which of both it means, and prints no parameters.".into();
    let mut tails = Vec::new();
    for name in series(trials, GROUPS) {
        let Some((size, _, parts)) = core_and_tail(trials, name) else { continue };
        let (excess, excess_ks) = parts.excess;
        let ours = [
            Some(parts.tail.scale),
            Some(parts.tail.shape),
            Some(parts.tail_ks),
            chance_of_tail(&parts),
            Some(excess.scale),
            Some(excess.shape),
            Some(excess_ks),
        ];
        sheet.row(format!("{}: {name}", agents(size)), &[], &ours, parts.above.len());
        tails.push((name.to_owned(), parts.above, parts.tail));
    }
    sheet.drawings.extend(drawings::weibull("Weibull plots of the upper 5 % of single delays", &tails));
    sheet
}

/// The group of a series whose size is nearest to that of figure 6.6.
pub(in super::super) fn nearest<'a>(trials: &'a Trials, name: &'a str) -> Option<&'a GroupRecord> {
    of(trials, GROUPS, name).into_iter().min_by_key(|it| it.agents.abs_diff(SIZE))
}

/// Figure 6.6: the means of the agents of a group of 140.
pub(in super::super::super) fn figure_6_6(trials: &Trials) -> Sheet {
    let heads = ["scale (ms)", "shape", "K-S", "p (K-S)", "A-D"];
    let title = "mean delays of the agents of a group as a Weibull distribution";
    let mut sheet = Sheet::new("emanics2006/figure-6.6", title, &heads).without_ratios();
    sheet.note = format!(
        "Of {SIZE} agents, or of the size nearest to it. Maximum likelihood, with intervals for independent means, which those of one run are not: they are too narrow. p as in figure 6.3. Agents with lost answers are censored, and then there is no p."
    );
    let printed = paper::FITTED[1];
    sheet.row(format!("paper: JMX, {SIZE} agents"), &[Some(printed.scale), Some(printed.shape)], &[], 0);
    let mut plots = Vec::new();
    for name in series(trials, GROUPS) {
        let Some(group) = nearest(trials, name) else { continue };
        let Some(it) = fitted(group) else { continue };
        let goodness = Goodness::of(&Distribution::Weibull(it.weibull), &it.sample);
        let ours = [
            Some(it.weibull.scale),
            Some(it.weibull.shape),
            Some(kolmogorov_smirnov(&it.weibull, &it.sample)),
            chance_of_means(&it),
            goodness.ad,
        ];
        sheet.row(format!("{}: {name}", agents(group.agents)), &[], &ours, it.sample.len());
        with_intervals(&mut sheet, 0, &it.intervals);
        plots.push((name.to_owned(), it.sample, it.weibull));
    }
    sheet.drawings.extend(drawings::weibull("Weibull plots of the mean delays of agents", &plots));
    sheet
}

/// Puts the intervals of scale and shape into the last row.
fn with_intervals(sheet: &mut Sheet, from: usize, intervals: &Intervals) {
    let Some(row) = sheet.rows.last_mut() else { return };
    for (at, Interval { low, high }) in [intervals.scale, intervals.shape].into_iter().enumerate() {
        row.interval[from + at] = Some([low, high]);
        let value = row.ours[from + at].unwrap_or(0.0);
        row.noisy[from + at] = half_width(Interval { low, high }, value) > NOISY;
    }
}

/// Table 6.2 as measured; `None` without groups.
pub(in super::super::super) fn monitoring_error(trials: &Trials) -> Option<Sheet> {
    let heads =
        ["1 - q measured", "1 - q predicted", "scale (ms)", "shape", "1 - q by answers", "1 - q by rounds"];
    let title = "monitoring error, measured and predicted by the fitted distribution";
    let mut sheet = Sheet::new("emanics2006/monitoring-error", title, &heads).without_ratios();
    sheet.note = "Table 6.2 for this run: the share of agents whose mean delay is above the period; the same by the Weibull distribution that is fitted to these means; and the share of single answers, and of rounds, that \
                  are later. What is not answered is later in each reading, and so is an agent that never answered; of one with answers and losses the mean is known from below, and the share of agents is then at least this. Intervals are for independent means, and too narrow for those of one run."
        .into();
    for size in sizes(trials) {
        if let Some(at) = paper::GROUPS.iter().position(|&it| it == size) {
            let (measured, predicted) = (paper::ERROR_MEASURED[at], paper::ERROR_PREDICTED[at]);
            let printed = [measured, predicted, paper::FITTED[at].scale, paper::FITTED[at].shape].map(Some);
            sheet.row(format!("paper: JMX, {}", agents(size)), &printed, &[], 0);
        }
        for group in trials.groups(GROUPS).filter(|it| it.agents == size) {
            let fitted = fitted(group);
            let of_fit = |figure: &dyn Fn(&Weibull) -> f64| fitted.as_ref().map(|it| figure(&it.weibull));
            let period = super::ms(group.period_ns);
            let ours = [
                group.share_late(1),
                of_fit(&|it| it.beyond(period)),
                of_fit(&|it| it.scale),
                of_fit(&|it| it.shape),
                group.share_late(0),
                group.share_late(2),
            ];
            let samples = group.means[0].len() + group.means[1].len();
            sheet.row(format!("{}: {}", agents(size), group.series), &[], &ours, samples);
            if let Some(it) = &fitted {
                with_intervals(&mut sheet, 2, &it.intervals);
            }
        }
    }
    (!sheet.rows.is_empty()).then_some(sheet)
}

/// The least number of values that are fitted.
const LEAST: usize = 3;
/// Delays of one agent that suffice for a tail of 5 %.
const ENOUGH: usize = 400;
/// The share of the core.
const SHARE: f64 = 0.95;
/// Samples that are drawn for a probability.
const DRAWN: usize = 199;
/// The size of figure 6.6.
const SIZE: u32 = 140;
/// Figure 6.3: N(1.10, 0.44), ms.
const CORE: (f64, f64) = (1.10, 0.44);
