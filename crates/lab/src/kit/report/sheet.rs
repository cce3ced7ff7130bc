//! Tables that set a paper's figures beside ours: converts a [`Sheet`] to a [`Table`], and prints it on the
//! terminal.

use crate::kit::doubt::Doubt;
use crate::kit::estimate::half_width;
use crate::kit::findings::{Findings, Sheet, SheetRow, Shown};
use crate::kit::statistics::Interval;

use super::claims;
use super::grid::{Grid, GridLine, wrap};
use super::table::{Row, RowKind, Table, three_digits};

/// The table of a sheet. With few columns, paper, ours and ratio are side by side; otherwise in separate rows.
pub fn table(sheet: &Sheet) -> Table {
    if sheet.columns.len() <= BESIDE { beside(sheet) } else { below(sheet) }
}

/// The terminal output of an experiment.
pub fn terminal(findings: &Findings, width: u16) -> String {
    let columns = usize::from(width);
    let mut text = claims::terminal(findings.then_and_now.as_ref(), columns);
    for line in wrap(&findings.answer.join(" "), columns) {
        text += &(line + "\n");
    }
    if !findings.answer.is_empty() {
        text.push('\n');
    }
    for sheet in findings.sheets.iter().filter(|sheet| sheet.shown == Shown::Everywhere) {
        for line in wrap(&format!("{}: {}", sheet.id, sheet.title), columns) {
            text += &(line + "\n");
        }
        text += &grid(sheet).to_text(columns);
        for line in wrap(&sheet.note, columns) {
            text += &(line + "\n");
        }
        text.push('\n');
    }
    if !findings.doubts.is_empty() {
        text += "To know before reading\n";
    }
    for (doubt, more) in folded(&findings.doubts) {
        let more = if more > 0 { format!(" ({more} more of this kind)") } else { String::new() };
        text += &wrapped(&format!("{doubt}{more}"), columns);
    }
    text
}

/// Doubts, with those of one kind and subject folded into the first: the JSON form has all of them.
pub fn folded(doubts: &[Doubt]) -> Vec<(&Doubt, usize)> {
    let mut all: Vec<(&Doubt, usize)> = Vec::new();
    for doubt in doubts {
        match all.iter_mut().find(|(first, _)| first.is_like(doubt)) {
            Some((_, more)) => *more += 1,
            None => all.push((doubt, 0)),
        }
    }
    all
}

/// The table for the terminal.
fn grid(sheet: &Sheet) -> Grid {
    if sheet.columns.len() <= BESIDE {
        let Table { heads, rows, .. } = beside(sheet);
        let line = |row: Row| {
            let mut cells = row.cells.into_iter();
            GridLine { label: cells.next().unwrap_or_default(), is_below: false, cells: cells.collect() }
        };
        return Grid {
            heads: heads.into_iter().skip(1).collect(),
            lines: rows.into_iter().map(line).collect(),
        };
    }
    let mut lines: Vec<GridLine> = Vec::new();
    let mut above = String::new();
    let below = |label: &str, cells: Vec<String>| GridLine { label: label.into(), is_below: true, cells };
    for row in &sheet.rows {
        let all = |figures: &[Option<f64>]| figures.iter().map(|&it| figure(it)).collect::<Vec<String>>();
        let with_paper = row.paper.iter().any(Option::is_some);
        let ours: Vec<String> = (0..row.ours.len()).map(|at| measured(row, at)).collect();
        if is_papers_alone(row) {
            lines.push(GridLine { label: row.label.clone(), is_below: false, cells: papers(row) });
            continue;
        }
        if !above.is_empty() && row.label.replace(MEDIAN, "") == above {
            lines.push(below("median", ours));
            continue;
        }
        if !with_paper && row.ratio.iter().all(Option::is_none) {
            lines.push(GridLine { label: row.label.clone(), is_below: false, cells: ours });
        } else {
            lines.push(GridLine { label: row.label.clone(), is_below: false, cells: vec![] });
            lines.push(below("paper", all(&row.paper)));
            lines.push(below("ours", ours));
            if row.ratio.iter().any(Option::is_some) {
                lines.push(below("ratio", row.ratio.iter().map(|&it| ratio(it)).collect()));
            }
        }
        if with_paper {
            above.clone_from(&row.label);
        }
    }
    Grid { heads: sheet.columns.clone(), lines }
}

/// Separate columns for paper, ours and ratio.
fn beside(sheet: &Sheet) -> Table {
    let with_paper: Vec<bool> = (0..sheet.columns.len()).map(|at| has_paper(sheet, at)).collect();
    let mut heads = vec![String::new()];
    for (column, with_paper) in sheet.columns.iter().zip(&with_paper) {
        if *with_paper {
            heads.extend([format!("{column}, paper"), "ours".into(), "ratio".into()]);
        } else {
            heads.push(column.clone());
        }
    }
    heads.push("samples".into());
    let cells = |row: &SheetRow| {
        let mut cells = vec![row.label.clone()];
        for (at, with_paper) in with_paper.iter().enumerate() {
            if *with_paper {
                cells.push(figure(row.paper[at]));
            }
            cells.push(measured(row, at));
            if *with_paper {
                cells.push(ratio(row.ratio[at]));
            }
        }
        cells.push(row.samples.to_string());
        cells
    };
    let rows = sheet.rows.iter().map(|row| Row { kind: RowKind::Measured, cells: cells(row) });
    Table { rows: rows.collect(), ..empty(sheet, heads, 1) }
}

/// Separate rows for paper, ours and ratio.
fn below(sheet: &Sheet) -> Table {
    let heads = ["", "of"].map(String::from).into_iter().chain(sheet.columns.iter().cloned()).collect();
    let mut rows = Vec::new();
    for row in &sheet.rows {
        let line = |kind, label: &str, of: &str, cells: Vec<String>| Row {
            kind,
            cells: [label.to_owned(), of.to_owned()].into_iter().chain(cells).collect(),
        };
        let all = |figures: &[Option<f64>]| figures.iter().map(|&it| figure(it)).collect();
        let with_paper = row.paper.iter().any(Option::is_some);
        if is_papers_alone(row) {
            rows.push(line(RowKind::Paper, &row.label, "paper", papers(row)));
            continue;
        }
        if with_paper {
            rows.push(line(RowKind::Paper, &row.label, "paper", all(&row.paper)));
        }
        let label = if with_paper { "" } else { &row.label };
        let ours = (0..row.ours.len()).map(|at| measured(row, at)).collect();
        rows.push(line(RowKind::Measured, label, "ours", ours));
        if row.ratio.iter().any(Option::is_some) {
            let ratios = row.ratio.iter().map(|&it| ratio(it)).collect();
            rows.push(line(RowKind::Ratio, "", "ratio", ratios));
        }
    }
    Table { rows, ..empty(sheet, heads, 2) }
}

fn empty(sheet: &Sheet, heads: Vec<String>, names: usize) -> Table {
    let title = format!("{}: {}", sheet.id, sheet.title);
    Table { title, note: sheet.note.clone(), heads, names, rows: vec![] }
}

/// Whether a row is one of many of the paper's: a separate line, with the ratio of ours in brackets if there is
/// one.
fn is_papers_alone(row: &SheetRow) -> bool {
    row.label.starts_with(PAPERS)
}

fn papers(row: &SheetRow) -> Vec<String> {
    let cell = |(paper, by): (&Option<f64>, &Option<f64>)| match by {
        Some(_) => format!("{} ({})", figure(*paper), ratio(*by)),
        None => figure(*paper),
    };
    row.paper.iter().zip(&row.ratio).map(cell).collect()
}

/// A list item in lines of at most this width, if words allow.
fn wrapped(item: &str, width: usize) -> String {
    let mut text = String::from("-");
    let mut used = 1;
    for word in item.split_whitespace() {
        let long = word.chars().count();
        if used + 1 + long > width {
            text.push_str("\n ");
            used = 1;
        }
        text.push(' ');
        text.push_str(word);
        used += 1 + long;
    }
    text.push('\n');
    text
}

fn has_paper(sheet: &Sheet, column: usize) -> bool {
    sheet.rows.iter().any(|row| row.paper[column].is_some())
}

fn figure(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(whole) if whole.fract() == 0.0 => format!("{whole:.0}"),
        Some(value) => three_digits(value),
    }
}

/// A figure of ours, with half its interval in per cent of it.
fn measured(row: &SheetRow, at: usize) -> String {
    let share = |[low, high]: [f64; 2]| Some(half_width(Interval { low, high }, row.ours[at]?) * 100.0);
    match row.interval[at].and_then(share) {
        Some(percent) if percent >= 0.5 && percent.is_finite() => {
            format!("{} \u{b1}{percent:.0}%", figure(row.ours[at]))
        }
        Some(percent) if percent > 0.0 && percent.is_finite() => {
            format!("{} \u{b1}<1%", figure(row.ours[at]))
        }
        _ => figure(row.ours[at]),
    }
}

/// The ratio of ours to the paper's, `0.0012x`.
fn ratio(value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(value) if value.abs() >= 9.95 => format!("{value:.0}x"),
        Some(value) if value.abs() >= 0.0995 => format!("{value:.2}x"),
        Some(value) => format!("{value:.4}x"),
    }
}

/// Maximum number of columns for paper, ours and ratio side by side.
const BESIDE: usize = 2;
/// The prefix of a label of the paper's rows.
const PAPERS: &str = "paper: ";
/// The suffix that distinguishes a row of medians from the row of means.
const MEDIAN: &str = ", median";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::estimate::Estimate;

    fn findings() -> Findings {
        let mut few = Sheet::new("p/figure-1", "Two columns", &["TLS (ms)", "memory (KB)"]);
        few.row("message 1", &[Some(43.8)], &[Some(0.4), Some(12.0)], 10);
        let mut many = Sheet::new("p/table-1", "Many columns", &["a (ms)", "b (ms)", "b - a (ms)"]);
        many.note =
            "What a reader must know of this table to read it, which may well take more than a line or two."
                .repeat(2);
        many.row("Snmpget", &[Some(774.0), None, Some(31.0)], &[None, Some(0.25), Some(310.0)], 10);
        many.row("Snmpget, median", &[], &[None, Some(0.25)], 10);
        let estimate = |samples: [f64; 6]| Estimate::mean(&samples);
        let (near, equal) = (estimate([1.0, 1.1, 0.9, 1.0, 1.1, 0.9]), estimate([7.0; 6]));
        many.estimates("estimates", &[], &[near, equal]);
        many.row("paper: SNMP-1", &[Some(4.0), Some(8.0)], &[Some(2.0)], 10);
        Findings { sheets: vec![few, many], ..Findings::default() }
    }

    #[test]
    fn few_columns_stand_beside_each_other_and_many_below() {
        let findings = findings();
        let few = table(&findings.sheets[0]);
        assert_eq!(few.heads, ["", "TLS (ms), paper", "ours", "ratio", "memory (KB)", "samples"]);
        assert_eq!(few.rows[0].cells, ["message 1", "43.8", "0.400", "0.0091x", "12", "10"]);
        let many = table(&findings.sheets[1]);
        let kinds: Vec<RowKind> = many.rows.iter().map(|row| row.kind).collect();
        use RowKind::{Measured, Paper, Ratio};
        assert_eq!(kinds, [Paper, Measured, Ratio, Measured, Measured, Paper]);
        assert_eq!(many.rows[4].cells, ["estimates", "ours", "1 \u{b1}7%", "7", "-"]);
        assert_eq!(many.rows[5].cells, ["paper: SNMP-1", "paper", "4 (0.50x)", "8", "-"]);
        assert_eq!(many.rows[1].cells, ["", "ours", "-", "0.250", "310"]);
        assert_eq!(many.rows[2].cells, ["", "ratio", "", "", "10x"]);
        assert_eq!(many.rows[3].cells[..2], ["Snmpget, median", "ours"]);
        // every row has a cell for every head
        assert!(many.rows.iter().all(|row| row.cells.len() == many.heads.len()));
    }

    #[test]
    fn doubts_of_one_kind_and_subject_are_folded() {
        use crate::kit::protocol::Protocol;
        use crate::kit::transport::Transport;
        let left_out = |transport, reason: &str| Doubt::ProtocolLeftOut {
            table: "t".into(),
            protocol: Protocol::v1(transport),
            reason: reason.into(),
        };
        let doubts = [
            left_out(Transport::Udp, "a"),
            left_out(Transport::Tcp, "a"),
            left_out(Transport::Udp, "b"),
            Doubt::CutOff { experiment: "x".into() },
        ];
        let folded = folded(&doubts);
        assert_eq!(folded.iter().map(|(_, more)| *more).collect::<Vec<_>>(), [1, 0, 0]);
    }

    #[test]
    fn the_terminal_fits_its_width() {
        for width in [60, 80, 120] {
            let text = terminal(&findings(), width);
            assert!(text.lines().all(|line| line.chars().count() <= usize::from(width)), "{text}");
            assert!(text.contains("\n  median") && text.contains("4 (0.50x)"), "{text}");
        }
    }
}
