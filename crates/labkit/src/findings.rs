//! The findings of an experiment, as tables that set the paper's figures beside ours: the machine-readable form
//! that `trunkline lab du2001 --json` prints, and the source of all other forms. `docs/json.md` describes it.
//!
//! ```json
//! {"tables": [{"id": "du2001/table-1", "columns": ["a (ms)", "b (ms)"],
//!              "rows": [{"label": "Snmpget", "paper": [774.0, 805.0], "ours": [null, 1.2], "ratio": [null, 0.0015],
//!                        "interval": [null, [1.1, 1.3]], "noisy": [false, false], "samples": 10}]}],
//!  "warnings": [{"kind": "shortened", "table": "...", "how": "...", "text": "..."}]}
//! ```

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::claims::ThenAndNow;
use crate::doubt::Doubt;
use crate::estimate::{Estimate, half_width};
use crate::report::figure::Figure;
use crate::statistics::Interval;

/// All findings of an experiment.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// One per requested table or figure of the paper, in the paper's order.
    pub sheets: Vec<Sheet>,
    /// The answer to the experiment's question, if it has one: a sentence or two each.
    pub answer: Vec<String>,
    /// What the paper that is repeated asked and found, and what became of its claims.
    pub then_and_now: Option<ThenAndNow>,
    /// What to know before reading.
    pub doubts: Vec<Doubt>,
    /// Figures that summarize the run, at the head of the page.
    pub headlines: Vec<Headline>,
}

/// A figure that summarizes a run: the first subject's, and the others' beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// What is compared.
    pub title: String,
    /// The first subject's figure with its unit.
    pub value: String,
    /// The other subjects' figures with their ratios.
    pub beside: Vec<String>,
}

/// Where a table is shown; every table is in the JSON form, the Markdown and `tables.csv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    /// On the terminal and on the page.
    #[default]
    Everywhere,
    /// Only on the page.
    OnPage,
    /// On the page, folded up.
    Folded,
}

/// A table or figure, the paper's figures beside ours.
#[derive(Debug, Clone, Serialize)]
pub struct Sheet {
    /// `du2001/table-2`.
    pub id: String,
    /// What it shows.
    #[serde(skip)]
    pub title: String,
    /// What it found, in one sentence; may be empty. The page shows it as the heading.
    #[serde(skip)]
    pub finding: String,
    /// How it was measured and how to read it; may be empty.
    #[serde(skip)]
    pub note: String,
    /// The columns' names, with the unit in parentheses unless the rows' units differ.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<SheetRow>,
    /// The drawings of a figure, with their captions.
    #[serde(skip)]
    pub drawings: Vec<(Figure, String)>,
    /// Where it is shown.
    #[serde(skip)]
    pub shown: Shown,
    /// Whether a ratio of ours to the paper's means something: for octets, packets, factors and crossings, not for
    /// the milliseconds of machines that are twenty years apart.
    #[serde(skip)]
    pub with_ratios: bool,
}

/// A row: lists with a place for each column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SheetRow {
    /// What was measured.
    pub label: String,
    /// The paper's figures; `None` if it has none.
    pub paper: Vec<Option<f64>>,
    /// The figures of this run, in the same unit; `None` if there are none.
    pub ours: Vec<Option<f64>>,
    /// Ours divided by the paper's, if both exist.
    pub ratio: Vec<Option<f64>>,
    /// The interval of each of our figures at a confidence of 95 %, low and high; `None` for what was computed or
    /// counted once, and for fewer than six repetitions.
    pub interval: Vec<Option<[f64; 2]>>,
    /// Whether the interval of a figure is wide.
    pub noisy: Vec<bool>,
    /// How many sessions (or readings) each of our figures is based on, the minimum of the row.
    pub samples: usize,
    /// Whether some of them are based on more.
    #[serde(skip)]
    pub has_more: bool,
}

impl Sheet {
    /// A table without rows yet.
    pub fn new(id: &str, title: &str, columns: &[&str]) -> Sheet {
        Sheet {
            id: id.into(),
            title: title.into(),
            finding: String::new(),
            note: String::new(),
            columns: columns.iter().map(|&column| column.into()).collect(),
            rows: vec![],
            drawings: vec![],
            shown: Shown::Everywhere,
            with_ratios: true,
        }
    }

    /// A table with a column per number of objects.
    pub fn by_objects(id: &str, title: &str, objects: &[u32]) -> Sheet {
        let column = |&count: &u32| match count {
            1 => "1 object".to_owned(),
            _ => format!("{count} objects"),
        };
        Sheet { columns: objects.iter().map(column).collect(), ..Sheet::new(id, title, &[]) }
    }

    /// The same table without ratios of ours to the paper's.
    #[must_use]
    pub fn without_ratios(self) -> Sheet {
        Sheet { with_ratios: false, ..self }
    }

    /// Adds a row of measured figures, with their intervals. Missing values at the end of a list are `None`.
    pub fn estimates(&mut self, label: impl Into<String>, paper: &[Option<f64>], ours: &[Option<Estimate>]) {
        let repetitions = ours.iter().flatten().filter_map(Estimate::repetitions).min();
        let values: Vec<Option<f64>> = ours.iter().map(|it| it.as_ref().map(Estimate::value)).collect();
        self.row(label, paper, &values, repetitions.unwrap_or(0));
        let Some(row) = self.rows.last_mut() else { return };
        row.has_more = ours.iter().flatten().filter_map(Estimate::repetitions).max() > repetitions;
        for (at, estimate) in ours.iter().enumerate().take(row.ours.len()) {
            let Some(estimate) = estimate.as_ref().filter(|_| row.ours[at].is_some()) else { continue };
            row.interval[at] = estimate.interval().map(|Interval { low, high }| [low, high]);
            row.noisy[at] = estimate.is_noisy();
        }
    }

    /// Adds a row of figures without intervals: constants, what was counted once or computed. Missing values at the
    /// end of a list are `None`.
    pub fn row(
        &mut self,
        label: impl Into<String>,
        paper: &[Option<f64>],
        ours: &[Option<f64>],
        samples: usize,
    ) {
        let list = |figures: &[Option<f64>]| -> Vec<Option<f64>> {
            let filled = figures.iter().copied().chain(std::iter::repeat(None));
            filled.take(self.columns.len()).map(|figure| figure.filter(|it| it.is_finite())).collect()
        };
        let (paper, ours) = (list(paper), list(ours));
        let ratio = paper.iter().zip(&ours).map(|(paper, ours)| match (paper, ours) {
            (Some(paper), Some(ours)) if self.with_ratios && *paper != 0.0 => Some(ours / paper),
            _ => None,
        });
        let ratio = ratio.collect();
        let (interval, noisy) = (vec![None; ours.len()], vec![false; ours.len()]);
        self.rows.push(SheetRow {
            label: label.into(),
            paper,
            ours,
            ratio,
            interval,
            noisy,
            samples,
            has_more: false,
        });
    }

    /// The doubts about its noisy figures.
    fn noise(&self) -> impl Iterator<Item = Doubt> {
        self.rows.iter().flat_map(|row| {
            let noisy = (0..self.columns.len()).filter(|&at| row.noisy[at]);
            noisy.filter_map(|at| {
                // A difference whose sign is open is shown as unresolved.
                let interval = row.interval[at].filter(|[low, high]| *low >= 0.0 || *high <= 0.0);
                let ([low, high], value) = (interval?, row.ours[at]?);
                let share = half_width(Interval { low, high }, value);
                let what = format!("{}, {}", row.label, self.columns[at]);
                Some(Doubt::Noisy {
                    table: self.id.clone(),
                    what,
                    share: if share.is_finite() { share } else { 1.0 },
                })
            })
        })
    }

    /// The row with this label.
    pub fn find(&self, label: &str) -> Option<&SheetRow> {
        self.rows.iter().find(|row| row.label == label)
    }
}

impl Findings {
    /// The machine-readable form, indented.
    pub fn json(&self) -> String {
        // Plain structs with text keys and finite numbers, which JSON can always represent.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The sheet with this id.
    pub fn sheet(&self, id: &str) -> Option<&Sheet> {
        self.sheets.iter().find(|sheet| sheet.id == id)
    }

    /// Adds the doubts about noisy figures.
    #[must_use]
    pub fn with_noise(mut self) -> Findings {
        let noise: Vec<Doubt> = self.sheets.iter().flat_map(Sheet::noise).collect();
        self.doubt_all(noise);
        self
    }

    /// Adds doubts, each once.
    pub fn doubt_all(&mut self, doubts: impl IntoIterator<Item = Doubt>) {
        for doubt in doubts {
            if !self.doubts.contains(&doubt) {
                self.doubts.push(doubt);
            }
        }
    }
}

impl Serialize for Findings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct InWords<'a> {
            #[serde(flatten)]
            doubt: &'a Doubt,
            text: String,
        }
        let warnings: Vec<InWords<'_>> =
            self.doubts.iter().map(|doubt| InWords { doubt, text: doubt.to_string() }).collect();
        let mut map = serializer.serialize_map(None)?;
        if !self.answer.is_empty() {
            map.serialize_entry("answer", &self.answer)?;
        }
        if let Some(both) = &self.then_and_now {
            map.serialize_entry("then_and_now", both)?;
        }
        map.serialize_entry("tables", &self.sheets)?;
        map.serialize_entry("warnings", &warnings)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_the_documented_one() {
        let mut sheet = Sheet::new("du2001/table-1", "Times", &["a (ms)", "b (ms)"]);
        sheet.row("Snmpget", &[Some(774.0), Some(800.0)], &[None, Some(8.0)], 10);
        sheet.row("Snmpget, median", &[], &[Some(f64::NAN), Some(7.0)], 10);
        let noisy = Estimate::mean(&[1.0, 2.0, 9.0, 1.0, 2.0, 9.0]);
        sheet.estimates("Snmpwalk", &[], &[noisy, Some(Estimate::exact(2.0))]);
        let doubt = Doubt::CutOff { experiment: "du2001".into() };
        let mut findings = Findings { sheets: vec![sheet], ..Findings::default() };
        findings.doubt_all([doubt.clone(), doubt]);
        let mut json: serde_json::Value = serde_json::from_str(&findings.json()).unwrap();
        let measured = json["tables"][0]["rows"].as_array_mut().unwrap().pop().unwrap();
        assert_eq!(measured["ours"], serde_json::json!([4.0, 2.0]));
        assert_eq!(measured["noisy"], serde_json::json!([true, false]));
        assert!(measured["interval"][0][0].as_f64().unwrap() < 4.0 && measured["interval"][1].is_null());
        assert_eq!(measured["samples"], 6);
        let noise = findings.clone().with_noise().doubts.pop().unwrap();
        assert!(noise.to_string().contains("Snmpwalk, a (ms): uncertain by"), "{noise}");
        assert_eq!(
            json,
            serde_json::json!({
                "tables": [{"id": "du2001/table-1", "columns": ["a (ms)", "b (ms)"], "rows": [
                    {"label": "Snmpget", "paper": [774.0, 800.0], "ours": [null, 8.0], "ratio": [null, 0.01],
                     "interval": [null, null], "noisy": [false, false], "samples": 10},
                    {"label": "Snmpget, median", "paper": [null, null], "ours": [null, 7.0], "ratio": [null, null],
                     "interval": [null, null], "noisy": [false, false], "samples": 10},
                ]}],
                "warnings": [{"kind": "cut_off", "experiment": "du2001", "text": "the run of du2001 was ended before its end"}],
            })
        );
        assert_eq!(findings.sheet("du2001/table-1").unwrap().find("Snmpget").unwrap().samples, 10);
    }
}
