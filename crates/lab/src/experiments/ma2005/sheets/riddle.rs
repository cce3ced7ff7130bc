//! The riddle: which part of a transaction over HTTPS makes its latency vary.

use crate::experiments::ma2005::jitter::VARIANTS;
use crate::experiments::ma2005::paper::DOMAINS;
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::picked::total_ms;
use trunkline_labkit::reading::Readings;
use trunkline_labkit::report::figure::{Axis, Figure, Line, Panel, Point, Scale};
use trunkline_labkit::report::palette;
use trunkline_labkit::statistics::mean_and_sd;
use trunkline_labkit::trial::Trials;

use super::super::JITTER;
use super::claims::middle_half;

/// Each variant's spread, and how much of a full handshake's variance it removes.
pub(super) fn jitter(trials: &Trials) -> Sheet {
    let columns = [
        "min (ms)",
        "median (ms)",
        "mean (ms)",
        "max (ms)",
        "standard deviation (ms)",
        "max / min",
        "middle half / median (%)",
        "without, of a full handshake's variance (%)",
        "without, of a made key's variance (%)",
    ];
    let title = "why latency over HTTPS varies: the same transaction in variants";
    let mut sheet = Sheet::new("ma2005/jitter", title, &columns).without_ratios();
    let of = |name: &str| of_variant(trials, name);
    let (full, keyed) = (variance(&of(VARIANTS[FULL].name)), variance(&of(VARIANTS[KEYED].name)));
    let [.., of_https] = DOMAINS;
    let mut drawn = Vec::new();
    for (at, variant) in VARIANTS.into_iter().enumerate() {
        let figures = of(variant.name);
        let readings = Readings(figures.clone());
        let gone = |from: &Option<Estimate>| {
            let gone = Estimate::combine(&[&variance(&figures)?, from.as_ref()?], |it| {
                (1.0 - it[0] / it[1]) * 100.0
            });
            // What varies more lacks nothing.
            Some(gone).filter(|it| it.value() >= 0.0)
        };
        let (least, greatest) = (readings.least(), readings.greatest());
        let ratio = greatest.zip(least).map(|(max, min)| Estimate::exact(max / min));
        let ours = [
            least.map(Estimate::exact),
            readings.median_estimate(),
            readings.mean_estimate(),
            greatest.map(Estimate::exact),
            variance(&figures).map(|it| it.map(f64::sqrt)),
            ratio,
            middle_half(&figures),
            gone(&full),
            gone(&keyed),
        ];
        let printed = of_https.latency;
        let paper = [
            Some(printed.min),
            None,
            Some(printed.avg),
            Some(printed.max),
            None,
            Some(printed.max / printed.min),
        ];
        let paper = if at == KEYED { &paper[..] } else { &[] };
        sheet.estimates(variant.name, paper, &ours);
        drawn.push((variant.name, figures));
    }
    let least = of_https.instructions.min;
    let most = of_https.instructions.max;
    sheet.note = format!(
        "Whole transactions over the agent's loopback; of sessions that are kept each exchange. The paper's clue is its table 2: over UDP, TCP and \
         HTTP the client's instructions agree to five digits, over HTTPS they are {least:.0} to {most:.0} millions. Neither network nor \
         scheduler makes a program execute more, a search of random length does. The row that makes an RSA key in each session does \
         that on purpose: the manager makes one of 2048 bits before each of its sessions, and the time counts; the paper's figures stand \
         beside it. It is our explanation, not theirs: their program is \
         lost. `without`: how much of the variance of a full handshake (the first row), and of the row that makes a key, a row is without."
    );
    sheet.drawings.extend(drawing(drawn));
    sheet
}

/// The transactions of a variant, milliseconds.
pub(super) fn of_variant(trials: &Trials, name: &str) -> Vec<f64> {
    trials.sessions(JITTER).filter(|it| it.case.what == name && it.repetition > 0).map(total_ms).collect()
}

fn variance(figures: &[f64]) -> Option<Estimate> {
    Estimate::of(figures, |all| mean_and_sd(all).map(|(_, sd)| sd * sd)).filter(|_| figures.len() > 1)
}

/// All variants, each sorted.
fn drawing(series: Vec<(&str, Vec<f64>)>) -> Option<(Figure, String)> {
    let mut lines = Vec::new();
    for (series_at, (name, mut figures)) in series.into_iter().enumerate() {
        if figures.is_empty() {
            continue;
        }
        figures.sort_by(f64::total_cmp);
        let share = 100.0 / figures.len() as f64;
        let points = (1u32..).zip(figures).map(|(at, latency)| Point::at(latency, f64::from(at) * share));
        lines.push(Line::new(name, palette::series(series_at), points));
    }
    let any = !lines.is_empty();
    let title = "Transactions that took at most so long";
    let figure = Figure {
        title: title.into(),
        x: Axis { title: "ms".into(), scale: Scale::Log },
        y: Axis { title: "%".into(), scale: Scale::Linear },
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    let caption = "A steep line does not vary: all its transactions take about as long. A flat one varies.";
    any.then(|| (figure, caption.into()))
}

/// The variant with a full handshake.
const FULL: usize = 0;
/// The variant that generates a key.
pub(super) const KEYED: usize = 2;
