//! Figures 4 and 5: distributions of name lengths and value sizes, as shares of everything an agent has.

use crate::experiments::pras2005::paper::told;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::report::figure::Scale;
use trunkline_labkit::trial::Trials;

use super::super::WALKED;
use super::lines::{Series, drawing};

/// Figure 4.
pub(super) fn figure_4(trials: &Trials) -> Sheet {
    let agents = trials.series(WALKED, Quantity::NamesOfLength);
    let mut sheet = shares(
        trials,
        "pras2005/figure-4",
        "lengths of object identifiers, shares of all instances (%)",
        Quantity::NamesOfLength,
        |length| format!("{length} sub-identifiers"),
    );
    sheet.note = "A walk over all that each agent has. The paper's curves have no numbers; formulas (13) and (14) take 11, the length \
                  in ifTable."
        .into();
    let mean: Vec<Option<f64>> =
        agents.iter().map(|agent| mean(trials, agent, Quantity::NamesOfLength)).collect();
    sheet.row("mean length (sub-identifiers)", &[], &mean, samples(trials, &agents, Quantity::NamesOfLength));
    sheet
}

/// Figure 5.
pub(super) fn figure_5(trials: &Trials) -> Sheet {
    let quantity = Quantity::ValuesOfSize;
    let agents = trials.series(WALKED, quantity);
    let mut sheet = shares(
        trials,
        "pras2005/figure-5",
        "sizes of values, shares of all instances (%)",
        quantity,
        |size| if size == 1 { "1 octet".into() } else { format!("{size} octets") },
    );
    sheet.note = "Octets of the value alone, without tag and length (S in the formulas). The paper: more than 90 % took 1 to 6 octets."
        .into();
    let few: Vec<Option<f64>> = agents.iter().map(|agent| of_1_to_6(trials, agent)).collect();
    let paper = vec![Some(told::VALUES_OF_1_TO_6); agents.len()];
    sheet.row("1 to 6 octets", &paper, &few, samples(trials, &agents, quantity));
    let mean: Vec<Option<f64>> = agents.iter().map(|agent| mean(trials, agent, quantity)).collect();
    sheet.row("mean size (octets)", &[], &mean, samples(trials, &agents, quantity));
    sheet
}

/// The share of an agent's values that take 1 to 6 octets, per cent.
pub(super) fn of_1_to_6(trials: &Trials, agent: &str) -> Option<f64> {
    share(trials, agent, Quantity::ValuesOfSize, |size| (1..=6).contains(&size))
}

/// A row for each length or size with a share of at least one in two hundred, and one for all others.
fn shares(trials: &Trials, id: &str, title: &str, quantity: Quantity, name: impl Fn(u32) -> String) -> Sheet {
    let agents = trials.series(WALKED, quantity);
    let columns: Vec<&str> = agents.iter().map(String::as_str).collect();
    let mut sheet = Sheet::new(id, title, &columns);
    let samples = samples(trials, &agents, quantity);
    let row = |of: &dyn Fn(u32) -> bool| -> Vec<Option<f64>> {
        agents.iter().map(|agent| share(trials, agent, quantity, of)).collect()
    };
    let common: Vec<u32> = trials
        .places(WALKED, quantity)
        .into_iter()
        .filter(|&at| row(&|it| it == at).into_iter().flatten().any(|share| share >= LEAST_SHARE))
        .collect();
    for &at in &common {
        sheet.row(name(at), &[], &row(&|it| it == at), samples);
    }
    sheet.row("all others", &[], &row(&|it| !common.contains(&it)), samples);
    let (unit, scale, papers) = match quantity {
        Quantity::NamesOfLength => ("sub-identifiers", Scale::Linear, None),
        _ => ("octets", Scale::Log, Some(Series::told("1 to 6 octets", [(6, told::VALUES_OF_1_TO_6)]))),
    };
    let lines = agents.iter().map(|agent| {
        let places = trials.places(WALKED, quantity);
        let below: Vec<Option<f64>> =
            places.iter().map(|&at| share(trials, agent, quantity, |it| it <= at)).collect();
        Series::of(agent.clone(), &places, &below)
    });
    let lines = lines.chain(papers).collect();
    let caption = format!("Instances with at most so many {unit}, in per cent of all.");
    let shares = ("share of all instances (%)", Scale::Linear);
    sheet.drawings.extend(drawing(&caption, (unit, scale), shares, lines));
    sheet
}

fn share(trials: &Trials, agent: &str, quantity: Quantity, of: impl Fn(u32) -> bool) -> Option<f64> {
    let of_agent = || trials.readings(WALKED).filter(|it| it.series == agent && it.quantity == quantity);
    let all: f64 = of_agent().map(|it| it.figure).sum();
    let some: f64 = of_agent().filter(|it| of(it.at)).map(|it| it.figure).sum();
    // The sum of no terms is -0.
    (all > 0.0).then(|| (some / all * 100.0).abs())
}

fn mean(trials: &Trials, agent: &str, quantity: Quantity) -> Option<f64> {
    let of_agent = || trials.readings(WALKED).filter(|it| it.series == agent && it.quantity == quantity);
    let all: f64 = of_agent().map(|it| it.figure).sum();
    let sum: f64 = of_agent().map(|it| it.figure * f64::from(it.at)).sum();
    (all > 0.0).then(|| sum / all)
}

/// The number of instances of the agent with the fewest.
fn samples(trials: &Trials, agents: &[String], quantity: Quantity) -> usize {
    let of = |agent: &String| -> f64 {
        let readings = trials.readings(WALKED).filter(|it| it.series == *agent && it.quantity == quantity);
        readings.map(|it| it.figure).sum()
    };
    agents.iter().map(|agent| of(agent) as usize).min().unwrap_or(0)
}

/// Per cent.
const LEAST_SHARE: f64 = 0.5;
