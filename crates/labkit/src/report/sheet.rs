//! Tables that set a paper's figures beside ours: converts a [`Sheet`] to a [`Table`].

use crate::estimate::half_width;
use crate::findings::{Sheet, SheetRow};
use crate::statistics::Interval;

use super::table::{Cell, Head, Row, Table, Whose};
use super::text::three_digits;

/// The table of a sheet. Paper, ours and ratio are side by side if that leaves few columns; otherwise in separate
/// rows.
pub fn table(sheet: &Sheet) -> Table {
    let mut table = if is_few(sheet) { beside(sheet) } else { below(sheet) };
    match samples(sheet)[..] {
        [] => {}
        [one] if sheet.rows.iter().any(|row| row.has_more) => {
            table.common.push(format!("samples: {one} or more"));
        }
        [one] => table.common.push(format!("samples: {one}")),
        _ if sheet.rows.iter().any(|row| row.has_more) => {
            table.heads.push(Head::single("samples, at least"));
        }
        _ => table.heads.push(Head::single("samples")),
    }
    if with_medians(sheet).iter().any(|(_, median)| median.is_some()) {
        table.common.push("in brackets: the median".into());
    }
    table
}

/// The name of a sheet in front of its title: `Table 2`, `Figure 3`. The paper's if it has a number there; if no sheet
/// has one, its place in the report.
pub(super) fn number(sheets: &[Sheet], at: usize) -> Option<String> {
    let papers = |sheet: &Sheet| {
        let name = sheet.id.rsplit('/').next().unwrap_or_default();
        let (kind, number) = name.split_once('-')?;
        number.parse::<u32>().ok()?;
        ["table", "figure", "section"].contains(&kind).then(|| format!("{} {number}", capital(kind)))
    };
    match papers(sheets.get(at)?) {
        None if sheets.iter().all(|sheet| papers(sheet).is_none()) => Some(format!("Table {}", at + 1)),
        found => found,
    }
}

/// A text that begins with a capital letter, unless its first word is a name like `ifTable`.
pub fn capital(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_name = first.chars().any(|letter| letter.is_uppercase() || letter.is_numeric());
    let mut letters = text.chars();
    match letters.next() {
        Some(letter) if !is_name => letter.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

/// Whether a column has the same figure in every row; it becomes a sentence above the table.
pub(super) fn is_common(sheet: &Sheet, at: usize) -> bool {
    let Some(first) = sheet.rows.first().filter(|_| sheet.rows.len() >= LEAST_ROWS) else { return false };
    let same = |row: &SheetRow| {
        row.ours[at].is_some()
            && row.ours[at] == first.ours[at]
            && row.paper[at].is_none()
            && row.interval[at].is_none()
    };
    sheet.rows.iter().all(same)
}

/// What all rows have in common: `packets: 2`.
pub(super) fn common(sheet: &Sheet) -> Vec<String> {
    let all = (0..sheet.columns.len()).filter(|&at| is_common(sheet, at));
    all.map(|at| format!("{}: {}", head(&sheet.columns[at]), of_ours(sheet, &sheet.rows[0], at).text))
        .collect()
}

/// The columns that are shown: those that have a figure, and not the same in every row.
pub(super) fn shown(sheet: &Sheet) -> Vec<usize> {
    let is_empty = |at: usize| sheet.rows.iter().all(|row| row.ours[at].is_none() && row.paper[at].is_none());
    let any = (0..sheet.columns.len()).any(|at| !is_empty(at));
    (0..sheet.columns.len()).filter(|&at| !(is_common(sheet, at) || any && is_empty(at))).collect()
}

/// The rows, each with that of its medians if the next one has them.
fn with_medians(sheet: &Sheet) -> Vec<(&SheetRow, Option<&SheetRow>)> {
    let mut all: Vec<(&SheetRow, Option<&SheetRow>)> = Vec::new();
    for row in &sheet.rows {
        match all.last_mut() {
            Some((above, median)) if median.is_none() && is_median_of(&row.label, &above.label) => {
                *median = Some(row);
            }
            _ => all.push((row, None)),
        }
    }
    all
}

/// A figure of ours with its median in brackets, if there is one.
fn of_ours_with(sheet: &Sheet, row: &SheetRow, median: Option<&SheetRow>, at: usize) -> Cell {
    let cell = of_ours(sheet, row, at);
    let Some(median) = median.map(|row| of_ours(sheet, row, at)).filter(|it| it.text != "-") else {
        return cell;
    };
    let exact = match (cell.exact.as_str(), median.exact.as_str()) {
        (mean, "") => mean.to_owned(),
        (mean, median) => format!("{mean}; median {median}"),
    };
    Cell { also: format!("({})", median.text), exact, ..cell }
}

/// The different numbers of samples of the rows.
fn samples(sheet: &Sheet) -> Vec<usize> {
    let mut counts: Vec<usize> = sheet.rows.iter().map(|row| row.samples).filter(|it| *it > 0).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// A last column with the samples of each row, unless all have the same.
fn with_samples(sheet: &Sheet, cells: &mut Vec<Cell>, of_row: Option<usize>) {
    if samples(sheet).len() > 1 {
        cells.push(Cell::name(of_row.map_or(String::new(), |count| count.to_string())));
    }
}

/// Separate columns for paper, ours and ratio.
fn beside(sheet: &Sheet) -> Table {
    let mut heads = vec![Head::default()];
    for at in shown(sheet) {
        let part = |text: &str| Head { group: head(&sheet.columns[at]), text: text.into() };
        match has_paper(sheet, at) {
            false => heads.push(Head::single(head(&sheet.columns[at]))),
            true if has_ratio(sheet, at) => heads.extend(["paper", "ours", "ours / paper"].map(part)),
            true => heads.extend(["paper", "ours"].map(part)),
        }
    }
    let rows = with_medians(sheet).into_iter().map(|(row, median)| {
        let mut cells = vec![Cell::name(&row.label)];
        for at in shown(sheet) {
            let with_paper = has_paper(sheet, at);
            if with_paper {
                cells.push(of_paper(row.paper[at]));
            }
            cells.push(if is_papers_alone(row) {
                Cell::default()
            } else {
                of_ours_with(sheet, row, median, at)
            });
            if with_paper && has_ratio(sheet, at) {
                cells.push(of_ratio(row.ratio[at]));
            }
        }
        with_samples(sheet, &mut cells, Some(row.samples).filter(|_| !is_papers_alone(row)));
        Row { cells }
    });
    Table { rows: rows.collect(), ..empty(sheet, heads, 1) }
}

/// Separate rows for paper, ours and ratio; where all rows are ours, no column says so.
fn below(sheet: &Sheet) -> Table {
    let names = if has_any_paper(sheet) { 2 } else { 1 };
    let heads = vec![Head::default(); names].into_iter();
    let columns = shown(sheet).into_iter().map(|at| Head::single(head(&sheet.columns[at])));
    let rows = with_medians(sheet).into_iter().flat_map(|(row, median)| rows_of(sheet, row, names, median));
    let rows = rows.collect();
    Table { rows, ..empty(sheet, heads.chain(columns).collect(), names) }
}

/// The rows of one of the sheet's: the paper's, and ours with the ratio behind each figure.
fn rows_of(sheet: &Sheet, row: &SheetRow, names: usize, median: Option<&SheetRow>) -> Vec<Row> {
    let line = |label: &str, of: &str, samples: Option<usize>, cell: &dyn Fn(usize) -> Cell| {
        let names = [label, of].into_iter().take(names).map(Cell::name);
        let mut cells: Vec<Cell> = names.chain(shown(sheet).into_iter().map(cell)).collect();
        with_samples(sheet, &mut cells, samples);
        Row { cells }
    };
    if is_papers_alone(row) {
        let cell =
            |at: usize| Cell { text: paper_with_ratio(row, at), whose: Whose::Paper, ..Cell::default() };
        return vec![line(&row.label, "", None, &cell)];
    }
    let with_paper = row.paper.iter().any(Option::is_some);
    let label = if with_paper { "" } else { &row.label };
    let mut rows = Vec::new();
    if with_paper {
        rows.push(line(&row.label, "paper", None, &|at| of_paper(row.paper[at])));
    }
    let ours = |at: usize| {
        let cell = of_ours_with(sheet, row, median, at);
        let also = [cell.also.clone(), ratio(row.ratio[at])];
        let also = also.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ");
        Cell { also, ..cell }
    };
    rows.push(line(label, "ours", Some(row.samples), &ours));
    rows
}

fn empty(sheet: &Sheet, heads: Vec<Head>, names: usize) -> Table {
    let title = format!("{}: {}", sheet.id, sheet.title);
    Table { title, note: sheet.note.clone(), common: common(sheet), heads, names, rows: vec![] }
}

/// Whether a row has the medians of the row above, which has the means.
pub(super) fn is_median_of(label: &str, above: &str) -> bool {
    label.contains(MEDIAN) && label.replacen(MEDIAN, "", 1) == above
}

/// Whether a row is one of many of the paper's: a separate line, with the ratio of ours in brackets if there is
/// one.
pub(super) fn is_papers_alone(row: &SheetRow) -> bool {
    row.label.starts_with(PAPERS)
}

/// A figure of the paper, with the ratio in brackets.
pub(super) fn paper_with_ratio(row: &SheetRow, at: usize) -> String {
    match row.ratio[at] {
        Some(by) => format!("{} ({})", figure(row.paper[at]), ratio(Some(by))),
        None => figure(row.paper[at]),
    }
}

/// Whether paper, ours and ratio of all columns have room beside each other.
pub(super) fn is_few(sheet: &Sheet) -> bool {
    let width = |at: usize| 1 + usize::from(has_paper(sheet, at)) + usize::from(has_ratio(sheet, at));
    let is_beside_ours = |row: &SheetRow| !is_papers_alone(row) && row.paper.iter().any(Option::is_some);
    sheet.rows.iter().any(is_beside_ours) && shown(sheet).into_iter().map(width).sum::<usize>() <= MOST_BESIDE
}

fn has_any_paper(sheet: &Sheet) -> bool {
    (0..sheet.columns.len()).any(|at| has_paper(sheet, at))
}

pub(super) fn has_paper(sheet: &Sheet, column: usize) -> bool {
    sheet.rows.iter().any(|row| row.paper[column].is_some())
}

pub(super) fn has_ratio(sheet: &Sheet, column: usize) -> bool {
    sheet.rows.iter().any(|row| row.ratio[column].is_some())
}

fn of_paper(value: Option<f64>) -> Cell {
    Cell {
        text: value.map_or(String::new(), |value| figure(Some(value))),
        whose: Whose::Paper,
        ..Cell::default()
    }
}

fn of_ratio(value: Option<f64>) -> Cell {
    Cell { text: ratio(value), whose: Whose::Ratio, ..Cell::default() }
}

/// The head of a column: `fits` for `fits (1: yes)`, whose figures are words.
pub(super) fn head(column: &str) -> String {
    column.strip_suffix(YES).unwrap_or(column).to_owned()
}

/// A figure of ours, or the word that it stands for.
pub(super) fn of_ours(sheet: &Sheet, row: &SheetRow, at: usize) -> Cell {
    match row.ours[at] {
        Some(answer) if sheet.columns[at].ends_with(YES) => {
            Cell::name(if answer == 0.0 { "no" } else { "yes" })
        }
        _ => measured(row, at),
    }
}

/// A figure of ours, with half its interval in per cent of it.
fn measured(row: &SheetRow, at: usize) -> Cell {
    let mut cell = Cell { text: figure(row.ours[at]), noisy: row.noisy[at], ..Cell::default() };
    let (Some(value), Some([low, high])) = (row.ours[at], row.interval[at]) else { return cell };
    let percent = half_width(Interval { low, high }, value) * 100.0;
    cell.exact = format!("{value} (95 %: {low} to {high})");
    if low < 0.0 && high > 0.0 {
        // A difference that may as well be one to the other side.
        return Cell { text: "unresolved".into(), ..cell };
    }
    cell.beside = match percent {
        percent if percent >= 0.5 && percent.is_finite() => format!("\u{b1}{percent:.0}%"),
        percent if percent > 0.0 && percent.is_finite() => "\u{b1}<1%".into(),
        _ => String::new(),
    };
    cell
}

pub(super) fn figure(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(whole) if whole.fract() == 0.0 => format!("{whole:.0}"),
        Some(value) => three_digits(value),
    }
}

/// The ratio of ours to the paper's, `0.0012x`.
pub(super) fn ratio(value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(value) if value.abs() >= 9.95 => format!("{value:.0}x"),
        Some(value) if value.abs() >= 0.0995 => format!("{value:.2}x"),
        Some(value) => format!("{value:.4}x"),
    }
}

/// Most columns of figures beside each other, so that paper, ours and ratio share a row.
const MOST_BESIDE: usize = 12;
/// In fewer rows, a column is clearer than a sentence.
const LEAST_ROWS: usize = 3;
/// The end of the name of a column whose figures are 1 for yes and 0 for no.
const YES: &str = " (1: yes)";
/// The prefix of a label of the paper's rows.
const PAPERS: &str = "paper: ";
/// What distinguishes a row of medians from the row of means.
const MEDIAN: &str = ", median";

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::estimate::Estimate;
    use crate::findings::Findings;

    /// A table with few columns, and one with many.
    pub(in super::super) fn findings() -> Findings {
        let mut few = Sheet::new("p/figure-1", "two columns", &["TLS (ms)", "memory (KB)"]);
        few.row("message 1", &[Some(43.8)], &[Some(0.4), Some(12.0)], 10);
        few.row("message 1, median", &[], &[Some(0.5)], 10);
        let mut many =
            Sheet::new("p/table-1", "many columns", &["a (ms)", "b (ms)", "b - a (ms)", "packets"]);
        many.note =
            "What a reader must know of this table to read it, which may well take more than a line or two."
                .repeat(2);
        let two = Some(2.0);
        many.row("Snmpget", &[Some(774.0), None, Some(31.0)], &[None, Some(0.25), Some(310.0), two], 10);
        many.row("Snmpget, median", &[], &[None, Some(0.25), None, two], 10);
        let mut findings = Findings { sheets: vec![few, many.clone()], ..Findings::default() };
        let estimate = |samples: [f64; 6]| Estimate::mean(&samples);
        let (near, equal) = (estimate([1.0, 1.1, 0.9, 1.0, 1.1, 0.9]), estimate([7.0; 6]));
        let open = estimate([-1.0, 1.1, -0.9, 1.0, -1.1, 0.9]);
        many.estimates("estimates", &[], &[near, equal, open]);
        many.row("paper: SNMP-1", &[Some(4.0), Some(8.0)], &[Some(2.0)], 10);
        findings.sheets.push(many);
        findings
    }

    fn texts(row: &Row) -> Vec<String> {
        row.cells.iter().map(Cell::in_words).collect()
    }

    #[test]
    fn few_columns_stand_beside_each_other() {
        let few = table(&findings().sheets[0]);
        let heads: Vec<String> = few.heads.iter().map(Head::in_words).collect();
        assert_eq!(heads, ["", "TLS (ms), paper", "TLS (ms), ours", "TLS (ms), ours / paper", "memory (KB)"]);
        assert_eq!(few.common, ["samples: 10", "in brackets: the median"]);
        assert_eq!(few.rows.len(), 1);
        assert_eq!(texts(&few.rows[0]), ["message 1", "43.8", "0.400 (0.500)", "0.0091x", "12"]);
    }

    #[test]
    fn without_ratios_no_column_is_left_for_them() {
        let mut sheet = Sheet::new("p/t", "times", &["a (ms)"]).without_ratios();
        sheet.row("get", &[Some(7.0)], &[Some(1.0)], 3);
        assert_eq!(texts(&table(&sheet).rows[0]), ["get", "7", "1"]);
    }

    #[test]
    fn a_column_that_says_the_same_everywhere_becomes_a_sentence() {
        let mut sheet = findings().sheets[1].clone();
        assert!(!is_common(&sheet, 3), "two rows are few");
        sheet.row("Snmpwalk", &[], &[None, None, None, Some(2.0)], 10);
        let table = table(&sheet);
        assert_eq!(table.common, ["packets: 2", "samples: 10", "in brackets: the median"]);
        assert!(table.heads.iter().all(|head| head.text != "packets"));
    }

    #[test]
    fn many_columns_stand_below_each_other() {
        let many = below(&findings().sheets[2]);
        assert_eq!(texts(&many.rows[0])[..5], ["Snmpget", "paper", "774", "", "31"]);
        assert_eq!(texts(&many.rows[1])[..5], ["", "ours", "-", "0.250 (0.250)", "310 10x"]);
        assert_eq!(texts(&many.rows[2])[..4], ["estimates", "ours", "1 \u{b1}8%", "7"]);
        assert_eq!(many.rows[2].cells[4].in_words(), "unresolved");
        assert!(findings().with_noise().doubts.is_empty(), "what is unresolved is not called noisy");
        assert!(many.rows[2].cells[2].exact.contains("95 %: 0.91"), "{:?}", many.rows[2].cells[2]);
        assert_eq!(texts(&many.rows[3])[..4], ["paper: SNMP-1", "", "4 (0.50x)", "8"]);
        // And the samples, whose head `table` adds.
        assert!(many.rows.iter().all(|row| row.cells.len() == many.heads.len() + 1));
    }

    #[test]
    fn a_table_of_ours_alone_does_not_say_so_in_each_row() {
        let mut sheet = Sheet::new("p/x", "ours", &["a", "b"]);
        sheet.row("one", &[], &[Some(1.0), Some(2.0)], 3);
        sheet.row("two", &[], &[Some(1.0), Some(3.0)], 4);
        let table = table(&sheet);
        assert_eq!(
            (table.names, texts(&table.rows[1])),
            (1, ["two", "1", "3", "4"].map(String::from).into())
        );
    }

    #[test]
    fn answers_are_words_and_columns_without_figures_are_left_out() {
        let mut sheet = Sheet::new("p/plan", "plan", &["fits (1: yes)", "empty", "devices"]);
        for (label, fits, devices) in [("one", 1.0, 5.0), ("two", 0.0, 6.0)] {
            sheet.row(label, &[], &[Some(fits), None, Some(devices)], 1);
        }
        let table = table(&sheet);
        assert_eq!(table.heads.iter().map(Head::in_words).collect::<Vec<_>>(), ["", "fits", "devices"]);
        assert_eq!(texts(&table.rows[0]), ["one", "yes", "5"]);
        assert_eq!(texts(&table.rows[1]), ["two", "no", "6"]);
    }

    #[test]
    fn sheets_have_the_papers_numbers_or_their_own() {
        let sheet = |id: &str| Sheet::new(id, "t", &[]);
        let of_paper = [sheet("p/table-2"), sheet("p/break-even"), sheet("p/figure-11")];
        let numbers = |sheets: &[Sheet]| (0..sheets.len()).map(|at| number(sheets, at)).collect::<Vec<_>>();
        assert_eq!(numbers(&of_paper), [Some("Table 2".into()), None, Some("Figure 11".into())]);
        assert_eq!(numbers(&of_paper[1..2]), [Some("Table 1".into())]);
        assert_eq!(
            ["one get", "ifTable, whole", "CPU time"].map(capital),
            ["One get", "ifTable, whole", "CPU time"]
        );
    }
}
