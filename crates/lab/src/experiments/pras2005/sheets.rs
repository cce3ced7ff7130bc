//! From the samples of pras2005 to its tables and figures beside the paper's: a pure function.

mod coding;
mod delay;
mod distributions;
mod lines;
mod memory;
mod messages;
mod services;
mod traffic;

use crate::kit::findings::{Findings, Sheet};
use crate::kit::trial::Trials;

/// All requested tables and figures.
pub fn findings(trials: &Trials) -> Findings {
    let mut findings = Findings::default();
    let all: [(&str, Make); 10] = [
        ("pras2005/figure-4", |it| vec![distributions::figure_4(it)]),
        ("pras2005/figure-5", |it| vec![distributions::figure_5(it)]),
        ("pras2005/figure-6", |it| vec![messages::figure_6(it)]),
        ("pras2005/figure-7", |it| vec![messages::figure_7(it)]),
        ("pras2005/figure-11", |it| {
            vec![services::figure_11(it), services::told(it), services::granularity(it)]
        }),
        ("pras2005/figure-12", |it| {
            vec![services::figure_12(it), traffic::at_ip(it), traffic::crossings(it)]
        }),
        ("pras2005/figure-13", |it| vec![coding::figure_13(it)]),
        ("pras2005/figure-14", |it| vec![coding::figure_14(it)]),
        ("pras2005/table-1", |it| vec![memory::table_1(it)]),
        ("pras2005/table-2", |it| vec![delay::table_2(it)]),
    ];
    for (id, sheets) in all {
        if trials.trial.tables.iter().any(|asked| asked == id) {
            findings.sheets.extend(sheets(trials));
            if id == "pras2005/figure-7" {
                findings.doubt_all(messages::outside(trials));
            }
        }
    }
    findings.doubt_all(trials.doubts());
    findings
}

/// Makes a table and its annexes.
type Make = fn(&Trials) -> Vec<Sheet>;

/// The column nearest to one of the paper's numbers of objects, if it is within an eighth of it, or within half a
/// row.
fn nearest(objects: &[u32], papers: u32) -> Option<usize> {
    let distance = |count: u32| count.abs_diff(papers);
    let (at, &count) = objects.iter().enumerate().min_by_key(|&(_, &count)| distance(count))?;
    (distance(count) * 8 <= papers || papers > 5 && distance(count) <= 11).then_some(at)
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
