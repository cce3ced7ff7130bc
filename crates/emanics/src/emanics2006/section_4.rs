//! Section 4 of the deliverable, which is the text of Marinov and Schönwälder (2006): measured and analysed as there, and shown under the
//! deliverable's numbers. Table 4.1 and figures 4.1 and 4.2 are the machines and drawings.

use tokio::runtime::Runtime;

use trunkline_labkit::error::Error;
use trunkline_labkit::findings::Sheet;
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

/// What of the choice is of section 4, by the paper's numbers; `None`: nothing.
fn of(choice: &Choice) -> Option<Choice> {
    let tables = SAME.iter().filter(|(ours, _)| choice.has(ours));
    let tables: Vec<String> = tables.map(|(_, papers)| format!("marinov2006/{papers}")).collect();
    (!tables.is_empty()).then(|| Choice { tables, common: choice.common.clone() })
}

/// What the requested tables need, with what the others do.
pub(super) fn stage(choice: &Choice, usual: StageOptions) -> StageOptions {
    let Some(choice) = of(choice) else { return usual };
    let (rows, mut roles) = (usual.rows, usual.roles.clone());
    roles.push(Role::Shipped);
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
    match of(choice) {
        Some(choice) => marinov2006::Options::usual().measure_on(&choice, stage, runtime, ledger),
        None => Ok(()),
    }
}

/// The requested tables, under the deliverable's numbers.
pub(super) fn sheets(trials: &Trials) -> Vec<Sheet> {
    let is_asked = |ours: &str| trials.trial.tables.contains(&format!("emanics2006/{ours}"));
    let asked: Vec<(&str, &str)> = SAME.into_iter().filter(|(ours, _)| is_asked(ours)).collect();
    if asked.is_empty() {
        return vec![];
    }
    let tables = asked.iter().map(|(_, papers)| format!("marinov2006/{papers}")).collect();
    let papers = Trials { trial: Trial { tables, ..trials.trial.clone() }, entries: trials.entries.clone() };
    let found = (marinov2006::EXPERIMENT.findings)(&papers).sheets;
    let renamed = asked.into_iter().filter_map(|(ours, papers)| {
        let sheet = found.iter().find(|sheet| sheet.id == format!("marinov2006/{papers}"))?;
        let note =
            format!("D7.1 {} is {papers} of Marinov and Schönwälder. {}", ours.replace('-', " "), sheet.note);
        Some(Sheet { id: format!("emanics2006/{ours}"), note, ..sheet.clone() })
    });
    renamed.collect()
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
