//! From the samples of emanics2006 to its tables and figures beside the deliverable's: a pure function.

mod answers;
mod claims;
mod inside;
mod lines;
mod packing;
mod revocation;
mod whole;

use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::{Findings, Sheet};
use trunkline_labkit::reading::{Quantity, Readings};
use trunkline_labkit::trial::Trials;

use super::{section_2, section_6};

/// All requested tables and figures.
pub(super) fn findings(trials: &Trials) -> Findings {
    let mut findings = Findings::default();
    let all: [(&str, Make); 23] = [
        (section_2::TABLE, section_2::sheets),
        (RATES, |it| vec![answers::rates(it)]),
        (FIGURE_3_2, |it| vec![inside::figure_3_2(it), inside::shares(it)]),
        (SCHEMA, |it| vec![inside::schema(it)]),
        (TABLE_3_2, |it| vec![answers::table_3_2(it)]),
        (PACKING, |it| vec![packing::times(it), packing::thresholds(it), packing::octets(it)]),
        (TABLE_3_3, |it| vec![inside::table_3_3(it), inside::selection_share(it)]),
        (SERIES, |it| vec![answers::series(it)]),
        (FIGURE_3_3, |it| vec![inside::figure_3_3(it), inside::compiled(it)]),
        (REVOCATION, revocation::sheets),
        (WHOLE, whole::sheets),
        (FIGURE_6_1, |it| {
            [vec![section_6::figure_6_1(it)], section_6::collections(it).into_iter().collect()].concat()
        }),
        (TABLE_6_1, |it| vec![section_6::table_6_1(it)]),
        (FIGURE_6_2, |it| vec![section_6::figure_6_2(it)]),
        (FIGURE_6_3, |it| vec![section_6::figure_6_3(it)]),
        (FIGURE_6_4, |it| vec![section_6::figure_6_4(it)]),
        (FIGURE_6_5, |it| vec![section_6::figure_6_5(it)]),
        (FIGURE_6_6, |it| vec![section_6::figure_6_6(it)]),
        (FIGURE_6_7, |_| section_6::cross_validation()),
        (TABLE_6_2, section_6::quality),
        (GROUP_DELAY, |it| vec![section_6::group_delay(it)]),
        (NOTIFICATION, |it| vec![section_6::notification(it)]),
        (SATURATION, |it| vec![section_6::saturated(it), section_6::largest(it)]),
    ];
    for (id, sheets) in all {
        if trials.trial.tables.iter().any(|asked| asked == id) {
            findings.sheets.extend(sheets(trials));
        }
    }
    let (sheets, doubts) = super::section_4::sheets(trials);
    findings.sheets.extend(sheets);
    findings.doubt_all(doubts);
    findings.doubt_all(packing::doubts(trials));
    findings.then_and_now = Some(claims::then_and_now(trials));
    findings.doubt_all(trials.doubts());
    findings
}

/// Makes a table and its annexes.
type Make = fn(&Trials) -> Vec<Sheet>;

const RATES: &str = "emanics2006/section-3.2";
const FIGURE_3_2: &str = "emanics2006/figure-3.2";
const SCHEMA: &str = "emanics2006/schema";
const TABLE_3_2: &str = "emanics2006/table-3.2";
const PACKING: &str = "emanics2006/section-3.3";
const TABLE_3_3: &str = "emanics2006/table-3.3";
const SERIES: &str = "emanics2006/section-3.5";
const REVOCATION: &str = "emanics2006/revocation";
const WHOLE: &str = "emanics2006/section-5";
const FIGURE_6_1: &str = "emanics2006/figure-6.1";
const TABLE_6_1: &str = "emanics2006/table-6.1";
const FIGURE_6_2: &str = "emanics2006/figure-6.2";
const FIGURE_6_3: &str = "emanics2006/figure-6.3";
const FIGURE_6_4: &str = "emanics2006/figure-6.4";
const FIGURE_6_5: &str = "emanics2006/figure-6.5";
const FIGURE_6_6: &str = "emanics2006/figure-6.6";
const GROUP_DELAY: &str = "emanics2006/group-delay";
const NOTIFICATION: &str = "emanics2006/notification";
const SATURATION: &str = "emanics2006/saturation";
const FIGURE_6_7: &str = "emanics2006/figure-6.7";
const TABLE_6_2: &str = "emanics2006/table-6.2";
const FIGURE_3_3: &str = "emanics2006/figure-3.3";

/// The mean of a kind of reading, in another unit.
fn mean(
    trials: &Trials,
    table: &str,
    series: &str,
    at: u32,
    quantity: Quantity,
    unit: f64,
) -> Option<Estimate> {
    trials.read(table, series, at, quantity).mean_estimate().map(|it| it.map(|figure| figure / unit))
}

/// The median of it.
fn median(
    trials: &Trials,
    table: &str,
    series: &str,
    at: u32,
    quantity: Quantity,
    unit: f64,
) -> Option<Estimate> {
    trials.read(table, series, at, quantity).median_estimate().map(|it| it.map(|figure| figure / unit))
}

/// The sum of several series, repetition by repetition.
fn sum(trials: &Trials, table: &str, series: &[String], at: u32, quantity: Quantity) -> Readings {
    let all: Vec<Readings> = series.iter().map(|one| trials.read(table, one, at, quantity)).collect();
    let count = all.iter().map(Readings::count).min().unwrap_or(0);
    Readings((0..count).map(|place| all.iter().map(|readings| readings.0[place]).sum()).collect())
}

/// Nanoseconds in a millisecond.
const MS: f64 = 1e6;
/// Nanoseconds in a microsecond.
const US: f64 = 1e3;
