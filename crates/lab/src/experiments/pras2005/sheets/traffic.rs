//! Section IV.H: the same octets at IP level, and from how many objects on which one is better.

use crate::experiments::pras2005::paper::{IP_LEVEL_EXTRA, TCP_SETUP_OCTETS, told};
use crate::experiments::pras2005::services::{Form, IDLE, of_snmp, of_web};
use trunkline_labkit::block::Operation;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::trial::Trials;

use super::super::SERVICES;
use super::placed;
use super::services::{by_library, objects, of_papers_encoding, row};

/// What IP, UDP, TCP and HTTP add.
pub(super) fn at_ip(trials: &Trials) -> Sheet {
    let objects = objects(trials);
    let mut sheet = Sheet::by_objects(
        "pras2005/ip-level",
        "octets at IP level above those of the messages (section IV.H)",
        &objects,
    );
    sheet.note = "Every packet is counted on the emulated link, whose MTU is Ethernet's: fragments of UDP too. Web services: one connection \
                  for one interaction. `to set up and release` is a connection in which nothing was asked; `the exchange` is the rest: \
                  HTTP's heads, and headers and acknowledgements of TCP. The paper's 56 octets are two IP and two UDP headers, without \
                  fragments. For web services with compression it tells 613 to 715 octets: they stand at 1 and at 250 objects, as those \
                  without do."
        .into();
    let extra_snmp = |series: &str| -> Vec<Option<f64>> {
        let at_ip = |&count: &u32| trials.read(SERVICES, series, count, Quantity::IpOctets).median();
        let with: Vec<Option<f64>> = objects.iter().map(at_ip).collect();
        minus(&with, &row(trials, series, &objects))
    };
    for operation in [Operation::Get, Operation::GetBulk] {
        let series = of_snmp(operation, "");
        let paper = vec![Some(IP_LEVEL_EXTRA as f64); objects.len()];
        sheet.row(&series, &paper, &extra_snmp(&series), 1);
    }
    let idle = trials.read(SERVICES, IDLE, 0, Quantity::IdleIpOctets).median();
    let all = |figure: Option<f64>| vec![figure; objects.len()];
    sheet.row("TCP, to set up and release", &all(Some(TCP_SETUP_OCTETS as f64)), &all(idle), 1);
    for form in Form::ALL {
        for is_compressed in [false, true] {
            let series = of_web(form, is_compressed);
            let ours = minus(&extra_snmp(&series), &all(idle));
            let told = if is_compressed { &told::WS_EXTRA_COMPRESSED } else { &told::WS_EXTRA };
            let paper = of_papers_encoding(form, placed(told, &objects));
            sheet.row(format!("{series}, the exchange"), &paper, &ours, 1);
        }
    }
    for form in Form::ALL {
        let series = of_web(form, false);
        let heads = |&count: &u32| trials.read(SERVICES, &series, count, Quantity::HeaderOctets).median();
        let ours: Vec<Option<f64>> = objects.iter().map(heads).collect();
        sheet.row(format!("{series}, of these HTTP's heads"), &[], &ours, 1);
    }
    sheet
}

/// From how many objects on compressed web services take fewer octets than SNMP.
pub(super) fn crossings(trials: &Trials) -> Sheet {
    let columns = ["application level (objects)", "IP level (objects)"];
    let mut sheet = Sheet::new(
        "pras2005/crossings",
        "from how many objects on web services take fewer octets than SNMP (sections IV.G, IV.H)",
        &columns,
    );
    sheet.note = "Interpolated: between two measured numbers of objects the lines are straight. Open: not within what was measured. `zlib` is that of our \
                  agent, level 1; `zlib level 6` the library's default, whose IP level was not measured. At IP level one \
                  connection for each interaction. The paper does not say which SNMP operation and tells 125 to 150 for IP level; the \
                  middle stands here."
        .into();
    for form in Form::ALL {
        for is_compressed in [true, false] {
            for operation in [Operation::Get, Operation::GetBulk] {
                let paper =
                    if is_compressed { [Some(told::CROSSING), Some(crossing_at_ip())] } else { [None, None] };
                let paper = of_papers_encoding(form, paper.into());
                let found = crossing_of(trials, form, is_compressed, operation);
                let finite = found.map(|it| it.map(|it| it.at).filter(|at| at.is_finite()));
                let (web, snmp) = (of_web(form, is_compressed), of_snmp(operation, ""));
                sheet.row(format!("{web}, compared with {snmp}"), &paper, &finite, 1);
                if is_compressed {
                    let found = crossing_of_library(trials, form, operation);
                    let finite = found.map(|it| it.at).filter(|at| at.is_finite());
                    let paper = paper.first().copied().into_iter().collect::<Vec<_>>();
                    sheet.row(format!("{web} level 6, compared with {snmp}"), &paper, &[finite, None], 1);
                }
            }
        }
    }
    sheet
}

/// Where a web service's octets fall below those of an operation of SNMP, at application and at IP level; infinite if
/// they do not.
pub(super) fn crossing_of(
    trials: &Trials,
    form: Form,
    is_compressed: bool,
    operation: Operation,
) -> [Option<Crossing>; 2] {
    let objects = objects(trials);
    let (web, snmp) = (of_web(form, is_compressed), of_snmp(operation, ""));
    let ip = |series: &str| -> Vec<Option<f64>> {
        let of = |&count: &u32| trials.read(SERVICES, series, count, Quantity::IpOctets).median();
        objects.iter().map(of).collect()
    };
    [
        crossing(&objects, &row(trials, &web, &objects), &row(trials, &snmp, &objects)),
        crossing(&objects, &ip(&web), &ip(&snmp)),
    ]
}

/// The same at application level, if the library compresses at its default level.
pub(super) fn crossing_of_library(trials: &Trials, form: Form, operation: Operation) -> Option<Crossing> {
    let objects = objects(trials);
    crossing(&objects, &by_library(trials, form, &objects), &row(trials, &of_snmp(operation, ""), &objects))
}

/// The middle of the paper's 125 to 150 objects.
pub(super) fn crossing_at_ip() -> f64 {
    (told::CROSSING_AT_IP.start() + told::CROSSING_AT_IP.end()) / 2.0
}

/// Where one line falls below another and stays below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Crossing {
    /// Interpolated linearly; infinite if it is above in the end.
    pub at: f64,
    /// The last measured place where it is above, and the next one.
    pub between: (f64, f64),
}

/// Where one line falls below another and stays below; `None` without points.
fn crossing(objects: &[u32], one: &[Option<f64>], other: &[Option<f64>]) -> Option<Crossing> {
    let points: Vec<(f64, f64)> = objects
        .iter()
        .zip(one.iter().zip(other))
        .filter_map(|(&at, (one, other))| Some((f64::from(at), (*one)? - (*other)?)))
        .collect();
    let alone = |at| Some(Crossing { at, between: (at, at) });
    if points.last()?.1 >= 0.0 {
        return alone(f64::INFINITY);
    }
    let Some(last) = points.iter().rposition(|(_, difference)| *difference >= 0.0) else {
        return alone(points.first()?.0);
    };
    let ((x, above), (next, below)) = (points[last], points[last + 1]);
    Some(Crossing { at: x + (next - x) * above / (above - below), between: (x, next) })
}

fn minus(one: &[Option<f64>], other: &[Option<f64>]) -> Vec<Option<f64>> {
    one.iter().zip(other).map(|(one, other)| Some((*one)? - (*other)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cross_between_two_places() {
        let objects = [1, 10, 20, 30];
        let some = |figures: [f64; 4]| figures.map(Some);
        let at = |one: &[Option<f64>], other: &[Option<f64>]| crossing(&objects, one, other).map(|it| it.at);
        let rising = some([10.0, 100.0, 200.0, 300.0]);
        assert_eq!(at(&some([50.0, 110.0, 190.0, 250.0]), &rising), Some(15.0));
        let found = crossing(&objects, &some([50.0, 110.0, 190.0, 250.0]), &rising).unwrap();
        assert_eq!(found.between, (10.0, 20.0));
        // never below, below from the first on, below for a while only
        assert_eq!(at(&some([50.0, 110.0, 210.0, 310.0]), &rising), Some(f64::INFINITY));
        assert_eq!(at(&some([5.0; 4]), &rising), Some(1.0));
        assert_eq!(at(&some([50.0, 90.0, 190.0, 310.0]), &rising), Some(f64::INFINITY));
        assert_eq!(at(&[None; 4], &rising), None);
    }
}
