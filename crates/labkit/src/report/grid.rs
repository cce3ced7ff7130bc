//! Tables on a terminal: a line per row, figures right-aligned, heads wrapped between words; columns beyond the
//! terminal's width continue below. Long labels have a separate line, so that no word is cut.

/// A table of text.
#[derive(Debug, Clone, Default)]
pub(super) struct Grid {
    /// The heads of the figures.
    pub heads: Vec<String>,
    /// The rows.
    pub lines: Vec<GridLine>,
}

/// A row.
#[derive(Debug, Clone)]
pub(super) struct GridLine {
    /// What it is about; for a line that belongs to the one above, what distinguishes it.
    pub label: String,
    /// Whether it belongs to the label above.
    pub is_below: bool,
    /// As many as there are heads; none for a label without figures.
    pub cells: Vec<String>,
}

impl Grid {
    /// The table for a terminal of this many columns.
    pub(super) fn to_text(&self, width: usize) -> String {
        let widths: Vec<usize> = (0..self.heads.len()).map(|at| self.column_width(at)).collect();
        let indented = |line: &GridLine| length(&line.label) + if line.is_below { 2 } else { 0 };
        let with_cells = self.lines.iter().filter(|line| !line.cells.is_empty());
        let longest = with_cells.map(indented).max().unwrap_or(0);
        let mut text = String::new();
        let mut first = 0;
        while first < widths.len() {
            // Labels may be as long as the columns leave room, or have separate lines.
            let all: usize = widths[first..].iter().map(|it| it + 1).sum();
            let label = longest.min(width.saturating_sub(all)).max(longest.min(LEAST_LABEL));
            let mut used = label;
            let mut last = first;
            while last < widths.len() && (last == first || used + 1 + widths[last] <= width) {
                used += 1 + widths[last];
                last += 1;
            }
            self.band(&mut text, first..last, &widths, label);
            first = last;
        }
        text
    }

    fn column_width(&self, at: usize) -> usize {
        let cells = self.lines.iter().filter_map(|line| line.cells.get(at)).map(|cell| length(cell));
        let words = self.heads[at].split_whitespace().map(length);
        cells.chain(words).max().unwrap_or(0)
    }

    /// Some of the columns, with their heads and all labels.
    fn band(&self, text: &mut String, columns: std::ops::Range<usize>, widths: &[usize], label: usize) {
        let wrapped: Vec<Vec<String>> = columns.clone().map(|at| wrap(&self.heads[at], widths[at])).collect();
        let rows = wrapped.iter().map(Vec::len).max().unwrap_or(0);
        for row in 0..rows {
            let mut line = " ".repeat(label);
            for (head, at) in wrapped.iter().zip(columns.clone()) {
                // Heads are aligned at the bottom.
                let part = (row + head.len()).checked_sub(rows).map_or("", |part| head[part].as_str());
                line += &format!(" {part:>0$}", widths[at]);
            }
            push(text, &line);
        }
        let whole = label + columns.clone().map(|at| widths[at] + 1).sum::<usize>();
        push(text, &"\u{2500}".repeat(whole));
        for row in &self.lines {
            let name = if row.is_below { format!("  {}", row.label) } else { row.label.clone() };
            let cells = columns.clone().filter_map(|at| Some((row.cells.get(at)?, widths[at])));
            let figures: String = cells.map(|(cell, width)| format!(" {cell:>width$}")).collect();
            if length(&name) > label && !figures.is_empty() {
                wrap(&name, whole.max(label)).iter().for_each(|part| push(text, part));
                push(text, &format!("{:label$}{figures}", ""));
            } else {
                push(text, &format!("{name:label$}{figures}"));
            }
        }
    }
}

fn push(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

/// Text in lines of at most this width, broken between words; a longer word has its own line.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if length(line) + 1 + length(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Labels have at least this many columns if they need them.
const LEAST_LABEL: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn line(label: &str, is_below: bool, cells: &[&str]) -> GridLine {
        GridLine { label: label.into(), is_below, cells: cells.iter().map(|&cell| cell.into()).collect() }
    }

    #[test]
    fn figures_stand_to_the_right_under_their_heads() {
        let grid = Grid {
            heads: vec!["5 messages".into(), "b".into()],
            lines: vec![
                line("Snmpget", false, &[]),
                line("paper", true, &["774", "8"]),
                line("ours", true, &["1.25", "-"]),
            ],
        };
        assert_eq!(
            grid.to_text(40),
            "               5\n        messages b\n\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\n\
             Snmpget\n  paper      774 8\n  ours      1.25 -\n"
        );
    }

    #[test]
    fn nothing_is_wider_than_the_terminal_and_no_word_is_cut() {
        let heads: Vec<String> = (0..12).map(|at| format!("{at} interactions (ms)")).collect();
        let cells: Vec<&str> = vec!["123.4"; 12];
        let long = "a label that is much longer than what is left for it beside the figures of this table";
        let grid = Grid { heads, lines: vec![line(long, false, &cells), line("short", false, &cells)] };
        for width in [60, 80, 120] {
            let text = grid.to_text(width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            assert!(text.contains("a label that is much longer"), "{text}");
            assert_eq!(text.matches("123.4").count(), 24);
        }
    }
}
