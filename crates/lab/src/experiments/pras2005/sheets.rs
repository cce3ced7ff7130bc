//! From the samples of pras2005 to its tables and figures beside the paper's: a pure function.

mod claims;
mod coding;
mod delay;
mod distributions;
mod header;
mod lines;
mod memory;
mod messages;
mod services;
mod traffic;

use trunkline_labkit::findings::{Findings, Sheet};
use trunkline_labkit::trial::Trials;

/// All requested tables and figures.
pub fn findings(trials: &Trials) -> Findings {
    let mut findings = Findings::default();
    let all: [(&str, Make); 10] = [
        ("pras2005/figure-4", |it| vec![distributions::figure_4(it)]),
        ("pras2005/figure-5", |it| vec![distributions::figure_5(it)]),
        ("pras2005/figure-6", |it| vec![messages::figure_6(it)]),
        ("pras2005/figure-7", |it| vec![messages::figure_7(it), header::snmpv3(it)]),
        ("pras2005/figure-11", |it| {
            vec![services::figure_11(it), services::told(it), services::granularity(it)]
        }),
        ("pras2005/figure-12", |it| {
            vec![services::figure_12(it), traffic::at_ip(it), traffic::crossings(it)]
        }),
        ("pras2005/figure-13", |it| vec![coding::figure_13(it), coding::factors(it)]),
        ("pras2005/figure-14", |it| vec![coding::figure_14(it)]),
        ("pras2005/table-1", |it| vec![memory::table_1(it)]),
        ("pras2005/table-2", |it| vec![delay::table_2(it), delay::first(it)]),
    ];
    for (id, sheets) in all {
        if trials.trial.tables.iter().any(|asked| asked == id) {
            findings.sheets.extend(sheets(trials));
            if id == "pras2005/figure-7" {
                findings.doubt_all(messages::outside(trials));
            }
        }
    }
    findings.then_and_now = Some(claims::then_and_now(trials));
    findings.doubt_all(trials.doubts());
    findings
}

/// Makes a table and its annexes.
type Make = fn(&Trials) -> Vec<Sheet>;

/// The column nearest to one of the paper's numbers of objects, if it is within an eighth of it.
fn nearest(objects: &[u32], papers: u32) -> Option<usize> {
    let distance = |count: u32| count.abs_diff(papers);
    let (at, &count) = objects.iter().enumerate().min_by_key(|&(_, &count)| distance(count))?;
    (distance(count) * 8 <= papers).then_some(at)
}

/// The last column, if it is what the paper calls many objects.
fn many(objects: &[u32]) -> Option<usize> {
    objects.last().filter(|&&count| count >= MANY_OBJECTS).map(|_| objects.len() - 1)
}

/// The figures in the paper's text, each in the nearest column.
fn placed(list: &[crate::experiments::pras2005::paper::told::Told], objects: &[u32]) -> Vec<Option<f64>> {
    let mut row = vec![None; objects.len()];
    for told in list {
        if let Some(at) = nearest(objects, told.objects) {
            row[at] = Some(told.figure);
        }
    }
    row
}

/// "A large number of objects": the paper's curves go on to more than 250.
const MANY_OBJECTS: u32 = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_figures_stand_only_near_to_its_numbers_of_objects() {
        let objects = crate::experiments::pras2005::OBJECTS;
        let places =
            [1, 5, 50, 54, 70, 180, 216, 250, 270].map(|papers| Some(objects[nearest(&objects, papers)?]));
        let expected = [1, 0, 44, 0, 66, 176, 220, 242, 264].map(|at| Some(at).filter(|at| *at > 0));
        assert_eq!(places, expected);
        assert_eq!((many(&objects), many(&[1, 22])), (Some(objects.len() - 1), None));
    }
}
