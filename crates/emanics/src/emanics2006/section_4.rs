//! Section 4 of the deliverable, which is the text of Marinov and Schönwälder (2006): measured and analysed as there, and shown under the
//! deliverable's numbers. Table 4.1 and figures 4.1 and 4.2 are the machines and drawings. Of figure 4.3, as much as its break-even needs is
//! measured in every run.

use tokio::runtime::Runtime;

use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::findings::{Findings, Sheet};
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::options::Choice;
use trunkline_labkit::stage::{Role, Stage, StageOptions};
use trunkline_labkit::trial::{Trial, Trials};

use crate::marinov2006;

/// The deliverable's numbers, and the paper's.
pub(super) const SAME: [(&str, &str); 7] = [
    ("table-4.2", "table-2"),
    ("section-4.2", "section-4"),
    ("figure-4.3", "figure-3"),
    ("figure-4.4", "figure-4"),
    ("table-4.3", "table-3"),
    ("figure-4.5", "figure-5"),
    ("figure-4.6", "figure-6"),
];

/// The deliverable's numbers alone.
pub(super) const TABLES: [&str; 7] =
    ["table-4.2", "section-4.2", "figure-4.3", "figure-4.4", "table-4.3", "figure-4.5", "figure-4.6"];

/// Where a session over SSH becomes quicker than USM, claim C8.
pub(super) const BREAK_EVEN: &str = "break-even";

/// The choice of figure 3 alone, if its break-even is to be measured without the rest of it.
fn break_even(choice: &Choice) -> Option<Choice> {
    let is_alone = choice.has(BREAK_EVEN) && !choice.has("figure-4.3");
    is_alone.then(|| Choice { tables: vec![FIGURE_3.to_owned()], common: choice.common.clone() })
}

const FIGURE_3: &str = "marinov2006/figure-3";

/// What of the choice is of section 4, by the paper's numbers; `None`: nothing.
fn of(choice: &Choice) -> Option<Choice> {
    let tables = SAME.iter().filter(|(ours, _)| choice.has(ours));
    let tables: Vec<String> = tables.map(|(_, papers)| format!("marinov2006/{papers}")).collect();
    (!tables.is_empty()).then(|| Choice { tables, common: choice.common.clone() })
}

/// What the requested tables need, with what the others do.
pub(super) fn stage(choice: &Choice, usual: StageOptions) -> StageOptions {
    let (rows, mut roles) = (usual.rows, usual.roles.clone());
    let named = of(choice);
    if named.is_some() || choice.has(BREAK_EVEN) {
        roles.push(Role::Shipped);
    }
    let Some(choice) = named else { return StageOptions { roles, ..usual } };
    let stage = marinov2006::Options::usual().stage(&choice, StageOptions { roles, ..usual });
    StageOptions { rows: rows.max(stage.rows), ..stage }
}

/// Measures them.
pub(super) fn measure(
    choice: &Choice,
    stage: &Stage,
    runtime: &Runtime,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    let options = marinov2006::Options::usual();
    if let Some(choice) = break_even(choice) {
        options.measure_break_even(&choice, stage, runtime, ledger)?;
    }
    of(choice).map_or(Ok(()), |choice| options.measure_on(&choice, stage, runtime, ledger))
}

/// The requested tables, under the deliverable's numbers, and why lines of them do not cross.
pub(super) fn sheets(trials: &Trials) -> (Vec<Sheet>, Vec<Doubt>) {
    let is_asked = |ours: &str| trials.trial.tables.contains(&format!("emanics2006/{ours}"));
    let asked: Vec<(&str, &str)> = SAME.into_iter().filter(|(ours, _)| is_asked(ours)).collect();
    let mut tables: Vec<String> = asked.iter().map(|(_, papers)| format!("marinov2006/{papers}")).collect();
    if is_asked(BREAK_EVEN) && !tables.iter().any(|it| it == FIGURE_3) {
        tables.push(FIGURE_3.to_owned());
    }
    if tables.is_empty() {
        return (vec![], vec![]);
    }
    let papers = Trials { trial: Trial { tables, ..trials.trial.clone() }, entries: trials.entries.clone() };
    let Findings { sheets: found, doubts, .. } = (marinov2006::EXPERIMENT.findings)(&papers);
    let named = |papers: &str| found.iter().find(|sheet| sheet.id == format!("marinov2006/{papers}"));
    let renamed = asked.into_iter().filter_map(|(ours, papers)| {
        let sheet = named(papers)?;
        let note =
            format!("D7.1 {} is {papers} of Marinov and Schönwälder. {}", ours.replace('-', " "), sheet.note);
        Some(Sheet { id: format!("emanics2006/{ours}"), note, ..sheet.clone() })
    });
    let id = format!("emanics2006/{BREAK_EVEN}");
    let break_even = named(BREAK_EVEN).filter(|_| is_asked(BREAK_EVEN));
    let doubts = doubts.into_iter().filter(|_| break_even.is_some());
    let doubts = doubts.filter_map(|doubt| of_break_even(doubt, &id)).collect();
    let break_even = break_even.map(|sheet| Sheet { id, ..sheet.clone() });
    (renamed.chain(break_even).collect(), doubts)
}

/// A doubt about the paper's break-even, as one about ours.
fn of_break_even(doubt: Doubt, id: &str) -> Option<Doubt> {
    let (is_it, table) = (doubt.table() == Some("marinov2006/break-even"), id.to_owned());
    match doubt {
        Doubt::NoBreakEven { protocol, against, reason, .. } if is_it => {
            Some(Doubt::NoBreakEven { table, protocol, against, reason })
        }
        Doubt::Condition { text, .. } if is_it => Some(Doubt::Condition { table, text }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_of_the_paper_has_a_number_of_the_deliverable() {
        let papers: Vec<&str> = SAME.iter().map(|(_, papers)| *papers).collect();
        assert_eq!(papers, marinov2006::EXPERIMENT.tables);
        assert_eq!(SAME.map(|(ours, _)| ours), TABLES);
    }
}
