//! Which distribution the delays have.

use trunkline_distributions::core_and_tail::CoreAndTail;
use trunkline_distributions::goodness::{Goodness, probabilities};
use trunkline_distributions::{Continuous, Distribution, Family, FitError, Sample};
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::report::text::three_digits;

use super::label;
use crate::group::{Group, NAME};

/// The families beside each other.
pub(super) fn families(groups: &[Group], seed: u64) -> Sheet {
    let heads = ["AIC", "AICc", "K-S", "p (K-S)", "A-D", "p (A-D)", "1 - F(D)"];
    let mut sheet = Sheet::new(
        &format!("{NAME}/distributions"),
        "families of distributions for single delays (ms)",
        &heads,
    );
    let drawn = drawn(groups);
    sheet.note = format!(
        "Maximum likelihood; requests without an answer are right-censored. AIC: less is better, a difference below 2 is none; AICc is it for small samples. K-S: the greatest distance \
         between both distribution functions; A-D weighs their tails. p: the probability of as large a value if the family were right, by {drawn} drawn samples that are fitted \
         again; neither p nor A-D exists with censored delays, nor A-D of Pareto. 1 - F(D): what the fit says is later than D."
    );
    for group in groups {
        let Ok(sample) = group.delays() else { continue };
        for family in Family::ALL {
            let row = row(family, &sample, group.gathering.tolerable(), drawn, seed);
            let (what, ours) = match row {
                Ok((fitted, ours)) => (described(&fitted), ours),
                Err(error) => (format!("{family}: {error}"), [None; 7]),
            };
            sheet.row(label(groups, group, &what), &[], &ours, sample.len());
        }
    }
    sheet
}

type Figures = [Option<f64>; 7];

fn row(
    family: Family,
    sample: &Sample,
    tolerable: f64,
    drawn: usize,
    seed: u64,
) -> Result<(Distribution, Figures), FitError> {
    let fitted = family.fit(sample)?;
    let goodness = Goodness::of(&fitted, sample);
    let chance = probabilities(family, sample, drawn, seed)?;
    let ours = [
        Some(goodness.aic),
        goodness.aicc,
        Some(goodness.ks),
        chance.map(|it| it.ks),
        goodness.ad,
        chance.and_then(|it| it.ad),
        Some(fitted.beyond(tolerable)),
    ];
    Ok((fitted, ours))
}

/// `Weibull, scale 3.46, shape 0.624`.
pub(super) fn described(fitted: &Distribution) -> String {
    let parameters = fitted.parameters();
    let parameters: Vec<String> =
        parameters.iter().map(|(name, value)| format!("{name} {}", three_digits(*value))).collect();
    format!("{}, {}", fitted.family(), parameters.join(", "))
}

/// The family with the least criterion.
pub(super) fn best(sample: &Sample) -> Option<(Distribution, f64)> {
    let fits = Family::ALL.iter().filter_map(|family| family.fit(sample).ok());
    let with = fits.map(|fitted| (fitted, Goodness::of(&fitted, sample).aic));
    with.filter(|(_, aic)| aic.is_finite()).min_by(|one, other| one.1.total_cmp(&other.1))
}

/// A sentence for each group.
pub(super) fn answer(groups: &[Group]) -> Vec<String> {
    let of = |group: &Group| {
        let sample = group.delays().ok()?;
        let (fitted, aic) = best(&sample)?;
        let weibull = Family::Weibull.fit(&sample).ok()?;
        let behind = Goodness::of(&weibull, &sample).aic - aic;
        let weibull = match behind {
            behind if behind <= 0.0 => String::new(),
            behind => format!("; a Weibull distribution is behind by {} of AIC", three_digits(behind)),
        };
        Some(format!("{}: of six families, the most likely is {}{weibull}.", group.name, described(&fitted)))
    };
    groups.iter().filter_map(of).collect()
}

/// The lower 95 % and the upper 5 %.
pub(super) fn core_and_tail(groups: &[Group]) -> Option<Sheet> {
    let heads = [
        "threshold (ms)",
        "core: mean",
        "core: sd",
        "core: K-S",
        "tail: scale",
        "tail: shape",
        "tail: K-S",
        "excess: scale",
        "excess: shape",
        "excess: K-S",
    ];
    let mut sheet =
        Sheet::new(&format!("{NAME}/core-and-tail"), "a normal core and a Weibull tail (ms)", &heads);
    sheet.note = "The core: mean and standard deviation (divisor n) of all delays up to the 95 % quantile of the answered ones, as if there were no others. The tail: the most likely Weibull distribution \
                  of the delays above it, as they are, with those that were not answered; the excess: the same of what they exceed it by. D7.1 (figures 6.3, 6.4) does not say which of both it means."
        .into();
    for group in groups {
        let Ok(sample) = group.delays() else { continue };
        let Ok(it) = CoreAndTail::fit(&sample, 0.95) else { continue };
        let (excess, excess_ks) = it.excess;
        let ours = [
            it.threshold,
            it.core.mean,
            it.core.sd,
            it.core_ks,
            it.tail.scale,
            it.tail.shape,
            it.tail_ks,
            excess.scale,
            excess.shape,
            excess_ks,
        ];
        sheet.row(group.name.clone(), &[], &ours.map(Some), sample.len());
    }
    (!sheet.rows.is_empty()).then_some(sheet)
}

/// Samples that are drawn for each probability: fewer for many large groups.
fn drawn(groups: &[Group]) -> usize {
    if groups.len() > 3 { 199 } else { 499 }
}
