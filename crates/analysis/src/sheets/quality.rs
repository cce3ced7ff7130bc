//! The monitoring error in its readings, and what fits say of it.

use trunkline_distributions::goodness::kolmogorov_smirnov;
use trunkline_distributions::growth::{Foretold, Growth, held_out, mean_error};
use trunkline_distributions::interval;
use trunkline_distributions::quality::{Share, of_independent_rounds};
use trunkline_distributions::{Continuous, Interval, Sample, SampleError, Weibull};
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::report::text::three_digits;

use super::label;
use crate::drawings;
use crate::group::{Asked, Group, NAME};

/// A reading of the monitoring error.
struct Reading {
    name: String,
    late: Option<Share>,
    delays: Result<Sample, SampleError>,
}

fn readings(group: &Group) -> Vec<Reading> {
    let all = &group.gathering;
    let reading = |name: &str, late, delays| Reading { name: name.into(), late, delays };
    let mut readings = vec![
        reading("answers", all.error_of_answers(), group.delays()),
        reading("agents, by their means", all.error_of_agents(), all.means()),
    ];
    match group.asked() {
        Asked::AtOnce => {
            let sent = group.from_sent();
            readings.extend([
                reading(PARALLEL, all.error_of_parallel_rounds(), all.group_delays(false)),
                reading("serial rounds", sent.error_of_serial_rounds(), sent.group_delays(true)),
            ]);
        }
        // What each of them waited for the others is in its delay from when the round was due: the longest is the whole round.
        Asked::Bounded(name) => {
            let due = group.from_due();
            readings.push(reading(&name, due.error_of_parallel_rounds(), due.group_delays(false)));
        }
    }
    readings
}

/// The error, the held-out rounds, and larger groups.
pub(super) fn sheets(groups: &[Group], seed: u64) -> Vec<Sheet> {
    let mut sheets = vec![quality(groups, seed)];
    sheets.extend([halves(groups), larger_groups(groups)].into_iter().flatten());
    sheets
}

fn quality(groups: &[Group], seed: u64) -> Sheet {
    let heads =
        ["late", "of", "1 - q", "1 - q by the fit", "1 - q if independent", "scale (ms)", "shape", "K-S"];
    let mut sheet =
        Sheet::new(&format!("{NAME}/quality"), "monitoring error, the share that is later than D", &heads);
    let mut tolerable: Vec<String> =
        groups.iter().map(|group| format!("{} ms", three_digits(group.gathering.tolerable()))).collect();
    tolerable.dedup();
    sheet.note = format!(
        "D is {}. A request without an answer is late; in its agent's mean it counts with the time it waited, and at least D; an agent that never answered is late. Agents by their means are D7.1's table 6.2. A parallel round takes as long as its \
         longest delay; one after the other, its requests would take the sum of all, from the sending. A round that was asked one after the other, or a few at a time, takes until its last answer. The fit is the most likely Weibull \
         distribution of the same delays (means, maxima, sums); intervals are of independent ones, and too narrow for those of one run, which are not. Independent: 1 - (1 - p)^m for the p of single answers.",
        tolerable.join(", ")
    );
    let mut fitted: Vec<(String, Sample, Weibull)> = Vec::new();
    for group in groups {
        let late = group.gathering.error_of_answers().map(Share::value);
        for reading in readings(group) {
            let Some(share) = reading.late else { continue };
            let fit = reading.delays.ok().and_then(|sample| {
                let (weibull, intervals) = interval::of(&sample, seed).ok()?;
                Some((sample, weibull, intervals))
            });
            let of_fit = |figure: fn(&Weibull) -> f64| fit.as_ref().map(|(_, weibull, _)| figure(weibull));
            let independent = (reading.name == PARALLEL)
                .then(|| late.map(|late| of_independent_rounds(late, group.gathering.group())));
            let ours = [
                Some(share.some as f64),
                Some(share.of as f64),
                Some(share.value()),
                fit.as_ref().map(|(_, weibull, _)| weibull.beyond(group.gathering.tolerable())),
                independent.flatten(),
                of_fit(|it| it.scale),
                of_fit(|it| it.shape),
                fit.as_ref().map(|(sample, weibull, _)| kolmogorov_smirnov(weibull, sample)),
            ];
            let name = label(groups, group, &reading.name);
            sheet.row(name.clone(), &[], &ours, share.of as usize);
            if let (Some(row), Some((sample, weibull, its))) = (sheet.rows.last_mut(), fit) {
                for (at, Interval { low, high }) in [(5, its.scale), (6, its.shape)] {
                    row.interval[at] = Some([low, high]);
                }
                fitted.push((name, sample, weibull));
            }
        }
    }
    sheet.drawings.extend(drawings::weibull_plots(&fitted));
    sheet
}

/// The first half of the rounds foretells the second.
fn halves(groups: &[Group]) -> Option<Sheet> {
    let heads = ["1 - q foretold", "1 - q found", "distance"];
    let mut sheet = Sheet::new(
        &format!("{NAME}/held-out"),
        "the second half of the rounds, foretold from the first",
        &heads,
    );
    sheet.note = "A Weibull distribution of the single delays of the first half of the rounds, beside the second half, which it has not seen. Distance: the greatest between both distribution functions."
        .into();
    for group in groups {
        let Some([seen, unseen]) = group.halves() else { continue };
        let Ok(it) = held_out(&seen, &unseen, group.gathering.tolerable()) else { continue };
        let ours = [it.predicted, it.found, it.distance].map(Some);
        sheet.row(label(groups, group, "answers"), &[], &ours, unseen.len());
    }
    (!sheet.rows.is_empty()).then_some(sheet)
}

/// The smaller groups foretell the larger ones, by the means of their agents.
fn larger_groups(groups: &[Group]) -> Option<Sheet> {
    let mut known: Vec<(u32, Weibull, f64, f64)> = groups
        .iter()
        .filter_map(|group| {
            let fitted = Weibull::fit(&group.gathering.means().ok()?).ok()?;
            let found = group.gathering.error_of_agents()?.value();
            Some((group.size(), fitted, found, group.gathering.tolerable()))
        })
        .collect();
    known.sort_by_key(|(size, ..)| *size);
    known.dedup_by_key(|(size, ..)| *size);
    if known.len() < 3 {
        return None;
    }
    let small = known.len().div_ceil(2).max(2);
    let growth = Growth::fit(&known[..small].iter().map(|it| (it.0, it.1)).collect::<Vec<_>>()).ok()?;
    let heads = ["1 - q found", "1 - q foretold", "scale (ms)", "scale foretold", "shape", "shape foretold"];
    let mut sheet =
        Sheet::new(&format!("{NAME}/larger-groups"), "larger groups, foretold from smaller ones", &heads);
    let mut foretold = Vec::new();
    for (size, fitted, found, tolerable) in &known[small..] {
        let it = growth.at(*size);
        let predicted = it.beyond(*tolerable);
        foretold.push(Foretold { predicted, found: *found, distance: 0.0 });
        let ours = [*found, predicted, fitted.scale, it.scale, fitted.shape, it.shape].map(Some);
        sheet.row(format!("{size} agents"), &[], &ours, *size as usize);
    }
    let (scale, shape) = growth.powers();
    let error = mean_error(&foretold).unwrap_or_default();
    sheet.note = format!(
        "By the means of agents. Lines through the logarithms of scale and shape of the {small} smallest groups: the scale grows by the power {scale:.2} of the size, the shape by {shape:.2}. 1 - q \
         was foretold with a mean error of {error:.3}."
    );
    Some(sheet)
}

/// A sentence for each group.
pub(super) fn answer(groups: &[Group]) -> Vec<String> {
    let percent = |share: f64| if share > 0.0 { three_digits(share * 100.0) } else { "0".to_owned() };
    let of = |group: &Group| {
        let shares: Vec<String> = readings(group)
            .iter()
            .filter_map(|reading| {
                let share = percent(reading.late?.value());
                Some(match &*reading.name {
                    "answers" => {
                        let lost = group.unanswered() as f64 / group.counts.requests.max(1) as f64;
                        format!("{share} % of requests ({} % have no answer)", percent(lost))
                    }
                    // Of some agents it is not known.
                    "agents, by their means" if group.gathering.undecided_agents() > 0 => {
                        format!("at least {share} % of agents, by their means")
                    }
                    name => format!("{share} % of {name}"),
                })
            })
            .collect();
        let tolerable = three_digits(group.gathering.tolerable());
        format!("{}: later than {tolerable} ms, or without an answer, are {}.", group.name, shares.join("; "))
    };
    groups.iter().map(of).collect()
}

const PARALLEL: &str = "parallel rounds";
