//! What an experiment prints on a terminal: its findings; with `--tables` every table.

use std::path::Path;

use crate::findings::{Findings, Sheet, SheetRow, Shown};

use super::claims;
use super::doubts::{counted, folded, left_out};
use super::grid::{Grid, GridLine, wrap};
use super::sheet::{
    capital, common, figure, has_paper, has_ratio, head, is_median_of, is_papers_alone, number, of_ours,
    paper_with_ratio, ratio, shown,
};
use super::table::Cell;

/// The findings for a terminal of this width: the answer, the headlines, a line for each table, the doubts counted,
/// and where everything else is.
pub fn findings(findings: &Findings, width: u16, page: &Path) -> String {
    let mut text = claims::terminal(findings, usize::from(width));
    let mut put = |line: &str, indent: usize| text += &paragraph(line, indent, usize::from(width));
    for sentence in &findings.answer {
        put(sentence, 0);
    }
    for headline in &findings.headlines {
        let beside = match headline.beside.join("; ") {
            beside if beside.is_empty() => beside,
            beside => format!(" ({beside})"),
        };
        put(&format!("{}: {}{beside}", headline.title, headline.value), 2);
    }
    for (at, sheet) in findings.sheets.iter().enumerate().filter(|(_, it)| it.shown == Shown::Everywhere) {
        put(&format!("{}: {}", sheet.id, heading(&findings.sheets, at)), 2);
    }
    if !findings.doubts.is_empty() {
        put(&format!("Caveats: {}.", counted(&findings.doubts)), 2);
        let missing = left_out(&findings.doubts);
        missing.iter().take(NAMED).for_each(|doubt| put(&format!("- {doubt}"), 2));
        if let Some(more) = missing.len().checked_sub(NAMED).filter(|more| *more > 0) {
            put(&format!("- {more} more left out"), 2);
        }
    }
    put(
        &format!(
            "The tables and every warning: --tables prints them, and {} has them with figures.",
            page.display()
        ),
        2,
    );
    text
}

/// All tables for a terminal of this width, and all doubts.
pub fn tables(findings: &Findings, width: u16) -> String {
    let columns = usize::from(width);
    let mut text = claims::terminal(findings, columns);
    findings.answer.iter().for_each(|sentence| text += &paragraph(sentence, 0, columns));
    if !findings.answer.is_empty() {
        text.push('\n');
    }
    for sheet in findings.sheets.iter().filter(|sheet| sheet.shown == Shown::Everywhere) {
        text += &paragraph(&format!("{}: {}", sheet.id, sheet.title), 0, columns);
        if !sheet.finding.is_empty() {
            text += &paragraph(&sheet.finding, 0, columns);
        }
        let common = common(sheet);
        if !common.is_empty() {
            text += &paragraph(&format!("In every row: {}.", common.join("; ")), 0, columns);
        }
        text += &grid(sheet).to_text(columns);
        text += &paragraph(&sheet.note, 0, columns);
        text.push('\n');
    }
    if !findings.doubts.is_empty() {
        text += "Caveats\n";
    }
    for (doubt, more) in folded(&findings.doubts) {
        let more = if more > 0 { format!(" ({more} more of this kind)") } else { String::new() };
        text += &paragraph(&format!("- {doubt}{more}"), 2, columns);
    }
    text
}

/// What a sheet found, or what it shows.
pub(super) fn heading(sheets: &[Sheet], at: usize) -> String {
    let Some(sheet) = sheets.get(at) else { return String::new() };
    match (sheet.finding.as_str(), number(sheets, at)) {
        ("", Some(number)) => format!("{number}. {}", capital(&sheet.title)),
        ("", None) => capital(&sheet.title),
        (finding, _) => finding.to_owned(),
    }
}

/// A paragraph whose lines after the first are indented; a word that is wider than the terminal is broken.
fn paragraph(text: &str, indent: usize, width: usize) -> String {
    let room = width.saturating_sub(indent).max(1);
    let mut lines = Vec::new();
    for line in wrap(text, room) {
        let letters: Vec<char> = line.chars().collect();
        lines.extend(letters.chunks(room).map(|some| some.iter().collect::<String>()));
    }
    let indented = lines.iter().enumerate().map(|(at, line)| match at {
        0 => format!("{line}\n"),
        _ => format!("{:indent$}{line}\n", ""),
    });
    indented.collect()
}

/// The table for the terminal.
fn grid(sheet: &Sheet) -> Grid {
    if !has_few_columns(sheet) {
        let heads = shown(sheet).into_iter().map(|at| head(&sheet.columns[at])).collect();
        return Grid { heads, lines: below(sheet) };
    }
    let heads = shown(sheet).into_iter().flat_map(|at| {
        let column = head(&sheet.columns[at]);
        let all = [
            (has_paper(sheet, at), format!("{column}, paper")),
            (true, if has_paper(sheet, at) { "ours".into() } else { column }),
            (has_ratio(sheet, at), "ratio".into()),
        ];
        all.into_iter().filter(|(is_shown, _)| *is_shown).map(|(_, head)| head)
    });
    Grid { heads: heads.collect(), lines: beside(sheet) }
}

fn has_few_columns(sheet: &Sheet) -> bool {
    shown(sheet).len() <= BESIDE
}

fn beside(sheet: &Sheet) -> Vec<GridLine> {
    let mut above = String::new();
    let line = |row: &SheetRow| {
        let is_below = is_median_of(&row.label, &above);
        above.clone_from(&row.label);
        let cells = shown(sheet).into_iter().flat_map(|at| {
            let all = [
                (has_paper(sheet, at), figure(row.paper[at])),
                (true, of_ours(sheet, row, at).in_words()),
                (has_ratio(sheet, at), ratio(row.ratio[at])),
            ];
            all.into_iter().filter(|(is_shown, _)| *is_shown).map(|(_, cell)| cell)
        });
        let label = if is_below { "median".into() } else { row.label.clone() };
        GridLine { label, is_below, cells: cells.collect() }
    };
    sheet.rows.iter().map(line).collect()
}

fn below(sheet: &Sheet) -> Vec<GridLine> {
    let mut lines: Vec<GridLine> = Vec::new();
    let mut above = "";
    let columns = shown(sheet);
    let cells = |of: &dyn Fn(usize) -> String| columns.iter().map(|&at| of(at)).collect::<Vec<String>>();
    let under = |label: &str, cells| GridLine { label: label.into(), is_below: true, cells };
    for row in &sheet.rows {
        let with_paper = row.paper.iter().any(Option::is_some);
        let ours = cells(&|at| Cell::in_words(&of_ours(sheet, row, at)));
        let alone = |cells| GridLine { label: row.label.clone(), is_below: false, cells };
        if is_papers_alone(row) {
            lines.push(alone(cells(&|at| paper_with_ratio(row, at))));
        } else if is_median_of(&row.label, above) {
            lines.push(under("median", ours));
        } else if with_paper || row.ratio.iter().any(Option::is_some) {
            lines.extend([
                alone(vec![]),
                under("paper", cells(&|at| figure(row.paper[at]))),
                under("ours", ours),
            ]);
            if row.ratio.iter().any(Option::is_some) {
                lines.push(under("ratio", cells(&|at| ratio(row.ratio[at]))));
            }
        } else {
            lines.push(alone(ours));
        }
        above = &row.label;
    }
    lines
}

/// How many of what was left out are named beside the findings.
const NAMED: usize = 3;
/// Maximum number of columns for paper, ours and ratio side by side.
const BESIDE: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doubt::Doubt;
    use crate::findings::Headline;
    use crate::report::sheet::tests::findings as sample;

    #[test]
    fn the_tables_fit_their_width() {
        for width in [60, 80, 120] {
            let text = tables(&sample(), width);
            assert!(text.lines().all(|line| line.chars().count() <= usize::from(width)), "{text}");
            assert!(text.contains("\n  median") && text.contains("4 (0.50x)"), "{text}");
            assert!(text.contains("1 \u{b1}8%") && text.contains("0.250"), "{text}");
        }
    }

    #[test]
    fn the_findings_come_first_and_say_where_the_tables_are() {
        let mut found = sample();
        found.answer = vec!["Use TLS, because it costs little compared with what it protects.".into()];
        found.sheets[1].finding = "A get takes 2 packets.".into();
        let beside = vec!["snmpd 9 ms".into()];
        found.headlines = vec![Headline { title: "Delay".into(), value: "7 ms".into(), beside }];
        let doubt = Doubt::Shortened { table: "p/table-1".into(), how: "1 s instead of 5 minutes".into() };
        let left_out =
            |what: &str| Doubt::LeftOut { table: "p".into(), what: what.into(), reason: "silence".into() };
        found.doubts = vec![doubt.clone(), doubt];
        found.doubts.extend(["a", "b", "c", "d", "e"].map(left_out));
        for width in [30, 79, 120] {
            let text =
                findings(&found, width, Path::new("lab-report/a-directory-with-a-long-name/index.html"));
            assert!(text.lines().all(|line| line.chars().count() <= usize::from(width)), "{text}");
        }
        let text = findings(&found, 120, Path::new("p/index.html"));
        let places = [
            "Use TLS",
            "Delay: 7 ms (snmpd 9 ms)",
            "Figure 1. Two columns",
            "p/table-1: A get takes 2 packets.",
            "2 shortened measurements",
            "- p: a was left out: silence",
            "- 2 more left out",
            "--tables",
            "p/index.html",
        ]
        .map(|it| text.find(it).unwrap_or_else(|| panic!("{it}: {text}")));
        assert!(places.is_sorted(), "{text}");
        assert!(!text.contains("43.8"), "{text}");
    }
}
