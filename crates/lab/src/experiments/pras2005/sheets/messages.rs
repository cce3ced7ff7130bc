//! Figures 6 and 7: the formulas (1) to (14) as known answers, and as bounds of the measured values.

use crate::experiments::pras2005::paper::{
    BULK_CONSTANT_AS_PRINTED, IF_TABLE_OID_LENGTH, Operation as Kind, figure6, if_table_bulk, if_table_get,
};
use trunkline_labkit::block::Operation;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::exact;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::report::figure::{Axis, Band, Figure, Line, Panel, Point, Scale, Stroke};
use trunkline_labkit::report::palette;
use trunkline_labkit::trial::Trials;

use super::super::{MESSAGES, OBJECTS};

/// Figure 6: the results of the formulas, beside the same messages encoded without their simplifications.
pub(super) fn figure_6(trials: &Trials) -> Sheet {
    let measured = trials.places(MESSAGES, Quantity::RequestOctets);
    let objects = if measured.is_empty() { OBJECTS.to_vec() } else { measured };
    let title = "octets of both messages by the formulas (13) and (14), compared with BER without their simplifications";
    let mut sheet = Sheet::by_objects("pras2005/figure-6", title, &objects);
    sheet.note = "Paper: the formulas, for values of 1 and of 6 octets. Ours: the same messages as BER writes them, lengths of more \
                  than 127 octets with the octets they need, a request identifier of one octet; computed, not measured. Erratum: \
                  (12) prints 54, where its parts add up to 59 and (14) has 70 = 59 + 11."
        .into();
    for kind in [Kind::Get, Kind::Bulk] {
        let name = if kind == Kind::Get { "Get, (13)" } else { "GetBulk, (14)" };
        for value in [1, 6] {
            let formula = |&n: &u32| {
                let n = u64::from(n);
                Some(if kind == Kind::Get { if_table_get(n, value) } else { if_table_bulk(n, value) } as f64)
            };
            let paper: Vec<Option<f64>> = objects.iter().map(formula).collect();
            let ours: Vec<Option<f64>> =
                objects.iter().map(|&n| Some(whole(kind, n, value) as f64)).collect();
            let octets = if value == 1 { "1 octet" } else { "6 octets" };
            sheet.row(format!("{name}, values of {octets}"), &paper, &ours, 1);
        }
    }
    let as_printed = |&n: &u32| {
        let n = u64::from(n);
        Some((BULK_CONSTANT_AS_PRINTED + 5 * n + n + (n + 1) * IF_TABLE_OID_LENGTH) as f64)
    };
    let printed: Vec<Option<f64>> = objects.iter().map(as_printed).collect();
    let ours: Vec<Option<f64>> = objects.iter().map(|&n| Some(whole(Kind::Bulk, n, 1) as f64)).collect();
    sheet.row("GetBulk, (12) as printed, values of 1 octet", &printed, &ours, 1);
    sheet
}

/// A request and its response for `n` objects with values of this many octets, exactly.
fn whole(kind: Kind, n: u32, value: u64) -> u64 {
    const NAME: [u32; 11] = [1, 3, 6, 1, 2, 1, 2, 2, 1, 10, 1];
    let message = |count: u32, value: u64| {
        let bindings = (0..count).map(|_| (&NAME[..], value));
        exact::message(6, [1, 1, 0, 0], bindings)
    };
    let asked = if kind == Kind::Get { n } else { 1 };
    message(asked, 0) + message(n, value)
}

/// Figure 7: the measured values beside the formula with the mean size of the values received.
pub(super) fn figure_7(trials: &Trials) -> Sheet {
    let objects = trials.places(MESSAGES, Quantity::RequestOctets);
    let title =
        "octets of both messages as measured, compared with the formulas with the measured sizes of values";
    let mut sheet = Sheet::by_objects("pras2005/figure-7", title, &objects);
    sheet.note = "Paper: formula (13) for Get and GetNext, (14) for GetBulk, with the mean size of the values that came. Ours: one \
                  interaction over UDP, the first instances of ifTable. The areas of the drawing are figure 6's: values of 1 to 6 octets."
        .into();
    for series in trials.series(MESSAGES, Quantity::RequestOctets) {
        let paper: Vec<Option<f64>> = objects.iter().map(|&n| by_formula(trials, &series, n)).collect();
        let ours: Vec<Option<f64>> = objects.iter().map(|&n| octets(trials, &series, n)).collect();
        sheet.row(&series, &paper, &ours, 1);
    }
    sheet.drawings.extend(drawing(trials));
    sheet
}

/// The paper's formula with the mean size of the values that came.
fn by_formula(trials: &Trials, series: &str, objects: u32) -> Option<f64> {
    let values = trials.read(MESSAGES, series, objects, Quantity::ValueOctets).median()?;
    let constant = match kind_of(series) {
        Kind::Get => if_table_get(u64::from(objects), 0),
        Kind::Bulk => if_table_bulk(u64::from(objects), 0),
    };
    Some(constant as f64 + values)
}

fn octets(trials: &Trials, series: &str, objects: u32) -> Option<f64> {
    let of = |quantity| trials.read(MESSAGES, series, objects, quantity).median();
    Some(of(Quantity::RequestOctets)? + of(Quantity::ResponseOctets)?)
}

fn kind_of(series: &str) -> Kind {
    if series.ends_with(&Operation::GetBulk.to_string()) { Kind::Bulk } else { Kind::Get }
}

/// Values outside the bounds, which the paper found too.
pub(super) fn outside(trials: &Trials) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    for series in trials.series(MESSAGES, Quantity::RequestOctets) {
        let kind = kind_of(&series);
        let lies_outside = |&n: &u32| {
            let octets = octets(trials, &series, n)? as u64;
            let bounds = figure6(kind, u64::from(n));
            let longest = trials.read(MESSAGES, &series, n, Quantity::LongestValue).median()?;
            (!bounds.contains(&octets)).then_some((n, octets, bounds, longest))
        };
        let found: Vec<_> =
            trials.places(MESSAGES, Quantity::RequestOctets).iter().filter_map(lies_outside).collect();
        if let Some((n, octets, bounds, longest)) = found.first() {
            let text = format!(
                "{series} takes {octets} octets for {n} objects, outside figure 6's {} to {}, and so do {} other numbers of objects; its \
                 longest value has {longest} octets (values of more than 6 octets do this above, all zeros below, as the paper says)",
                bounds.start(),
                bounds.end(),
                found.len() - 1
            );
            doubts.push(Doubt::Condition { table: MESSAGES.into(), text });
        }
    }
    doubts
}

/// Both areas, and the points of every agent.
fn drawing(trials: &Trials) -> Option<(Figure, String)> {
    let objects = trials.places(MESSAGES, Quantity::RequestOctets);
    let mut panels = Vec::new();
    for operation in [Operation::Get, Operation::GetNext, Operation::GetBulk] {
        let kind = if operation == Operation::GetBulk { Kind::Bulk } else { Kind::Get };
        let area = objects.iter().map(|&n| {
            let bounds = figure6(kind, u64::from(n));
            (f64::from(n), *bounds.start() as f64, *bounds.end() as f64)
        });
        let name_of_area = "the paper's bounds (figure 6)".into();
        let bands = vec![Band { name: name_of_area, colour: palette::PAPER.colour, points: area.collect() }];
        let mut lines = Vec::new();
        for series in trials.series(MESSAGES, Quantity::RequestOctets) {
            let Some((agent, _)) = series.rsplit_once(", ").filter(|(_, of)| *of == operation.to_string())
            else {
                continue;
            };
            let points = |octets: &dyn Fn(u32) -> Option<f64>| -> Vec<Point> {
                objects.iter().filter_map(|&n| Some(Point::at(f64::from(n), octets(n)?))).collect()
            };
            if agent == super::super::OURS {
                let formula = points(&|n| by_formula(trials, &series, n));
                lines.push(Line::new("the paper's formula", palette::PAPER.with(Stroke::Dashed), formula));
            }
            let style = palette::agent(usize::from(agent != super::super::OURS)).points();
            lines.push(Line::new(agent, style, points(&|n| octets(trials, &series, n))));
        }
        panels.push(Panel { title: operation.to_string(), bands, lines, ..Panel::default() });
    }
    let title = "Octets of one interaction, at application level";
    let any = panels.iter().any(|panel| !panel.lines.is_empty());
    let figure = Figure {
        title: title.into(),
        x: Axis { title: "objects".into(), scale: Scale::Log },
        y: Axis { title: "octets".into(), scale: Scale::Log },
        panels,
    };
    let caption = "Points inside the grey area are within the paper's bounds for values of 1 to 6 octets. Dashed: its formula for the sizes \
                   of the values that ours sent.";
    any.then(|| (figure, caption.into()))
}
