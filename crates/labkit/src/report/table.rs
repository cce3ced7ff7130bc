//! A table of the report as HTML and as Markdown; `grid` has the form for a terminal.

use std::fmt::Write;

use super::text::escape;

/// A table of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// What it shows, with the unit.
    pub title: String,
    /// What a reader needs to know; may be empty.
    pub note: String,
    /// What every row has in common, instead of columns: `samples: 10`.
    pub common: Vec<String>,
    /// The heads of the columns.
    pub heads: Vec<Head>,
    /// How many columns from the left are names; the others are figures and right-aligned.
    pub names: usize,
    /// The rows.
    pub rows: Vec<Row>,
}

/// The head of a column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// What it shares with its neighbours: `TLS (ms)` over `paper`, `ours`, `ratio`. May be empty.
    pub group: String,
    /// Its own.
    pub text: String,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its cells, as many as there are heads.
    pub cells: Vec<Cell>,
}

/// A cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    /// The figure, or a name.
    pub text: String,
    /// How far to trust it: `\u{b1}4%`; may be empty.
    pub beside: String,
    /// What else is known of it, smaller: the median in brackets, the ratio to the paper's; may be empty.
    pub also: String,
    /// Its exact value and interval; may be empty.
    pub exact: String,
    /// Whether its interval is wide.
    pub noisy: bool,
    /// Whose figure it is.
    pub whose: Whose,
}

/// Whose figure a cell shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Whose {
    /// Measured by this run.
    #[default]
    Ours,
    /// Computed from measured figures: a ratio.
    Ratio,
    /// Printed in the paper, or computed by its formulas.
    Paper,
}

impl Cell {
    /// A name.
    pub fn name(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }

    /// On one line.
    pub fn in_words(&self) -> String {
        let all = [&*self.text, &*self.beside, &*self.also];
        all.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

impl Head {
    /// A head of its own.
    pub fn single(text: impl Into<String>) -> Head {
        Head { group: String::new(), text: text.into() }
    }

    /// On one line.
    pub fn in_words(&self) -> String {
        if self.group.is_empty() { self.text.clone() } else { format!("{}, {}", self.group, self.text) }
    }
}

impl Table {
    /// As an HTML `table` that scrolls where the page is too narrow.
    pub fn to_html(&self) -> String {
        let dense = if self.heads.len() > DENSE { " class=\"dense\"" } else { "" };
        let mut html = String::new();
        if !self.common.is_empty() {
            let _ = write!(html, "<p class=\"of\">In every row: {}.</p>", escape(&self.common.join("; ")));
        }
        let label = escape(&self.title);
        let _ = writeln!(
            html,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table{dense}><thead>{}</thead><tbody>",
            self.head_rows()
        );
        for row in &self.rows {
            html.push_str("<tr>");
            for (at, cell) in row.cells.iter().enumerate() {
                html.push_str(&self.cell(at, cell));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody></table></div>");
        html
    }

    /// One row of heads, or two if columns are grouped.
    fn head_rows(&self) -> String {
        let is_grouped = self.heads.iter().any(|head| !head.group.is_empty());
        let rows = if is_grouped { " rowspan=\"2\"" } else { "" };
        let (mut upper, mut lower) = (String::from("<tr>"), String::from("<tr>"));
        for (at, head) in self.heads.iter().enumerate() {
            let text = escape(&head.text);
            if head.group.is_empty() {
                // A head without text is none for a screen reader.
                let tag = if text.is_empty() { "td" } else { "th" };
                let _ = write!(upper, "<{tag}{}{rows}>{text}</{tag}>", self.class(at, ""));
                continue;
            }
            let _ = write!(lower, "<th{}>{text}</th>", self.class(at, ""));
            if self.begins_group(at) {
                let columns = self.heads[at..].iter().take_while(|it| it.group == head.group).count();
                let group = escape(&head.group);
                let _ = write!(upper, "<th class=\"group\" colspan=\"{columns}\">{group}</th>");
            }
        }
        if is_grouped { format!("{upper}</tr>{lower}</tr>") } else { format!("{upper}</tr>") }
    }

    fn begins_group(&self, at: usize) -> bool {
        let group = &self.heads[at].group;
        !group.is_empty() && (at == 0 || self.heads[at - 1].group != *group)
    }

    fn cell(&self, at: usize, cell: &Cell) -> String {
        let whose = match cell.whose {
            Whose::Ours if cell.noisy => "noisy",
            Whose::Ours => "",
            Whose::Ratio => "ratio",
            Whose::Paper => "paper",
        };
        let title =
            if cell.exact.is_empty() { "".into() } else { format!(" title=\"{}\"", escape(&cell.exact)) };
        let small = |text: &String| match text.as_str() {
            "" => String::new(),
            text => format!(" <small>{}</small>", escape(text)),
        };
        let beside = small(&cell.beside) + &small(&cell.also);
        let mut text = escape(&cell.text);
        if at < self.names {
            // `v3/USM authPriv/UDP` may be broken there on a narrow screen.
            text = text.replace('/', "/<wbr>");
        }
        format!("<td{}{title}>{text}{beside}</td>", self.class(at, whose))
    }

    fn class(&self, at: usize, more: &str) -> String {
        let name = if at < self.names { "name" } else { "" };
        let of = if at > 0 && at < self.names { "of" } else { "" };
        let first = if self.begins_group(at) { "first" } else { "" };
        let all: Vec<&str> = [name, of, first, more].into_iter().filter(|it| !it.is_empty()).collect();
        if all.is_empty() { String::new() } else { format!(" class=\"{}\"", all.join(" ")) }
    }

    /// As a Markdown table, with its title as a heading.
    pub fn to_markdown(&self) -> String {
        let line = |cells: Vec<String>| {
            let escaped: Vec<String> = cells.iter().map(|cell| super::plain(cell)).collect();
            format!("| {} |\n", escaped.join(" | "))
        };
        let mut text = format!("### {}\n\n", super::plain(&self.title));
        if !self.note.is_empty() {
            let _ = write!(text, "{}\n\n", self.note);
        }
        if !self.common.is_empty() {
            let _ = write!(text, "In every row: {}.\n\n", self.common.join("; "));
        }
        text += &line(self.heads.iter().map(Head::in_words).collect());
        let rule = |index| if index < self.names { "---" } else { "---:" }.to_owned();
        text += &line((0..self.heads.len()).map(rule).collect());
        self.rows.iter().for_each(|row| text += &line(row.cells.iter().map(Cell::in_words).collect()));
        text.push('\n');
        text
    }
}

/// Tables with more columns are printed smaller.
const DENSE: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let head = |group: &str, text: &str| Head { group: group.into(), text: text.into() };
        let ours = Cell {
            text: "20".into(),
            beside: "\u{b1}4%".into(),
            also: "(19)".into(),
            exact: "20.1 (19.3 to 20.9)".into(),
            noisy: true,
            whose: Whose::Ours,
        };
        let paper = Cell { text: "400".into(), whose: Whose::Paper, ..Cell::default() };
        let row = |cells| Row { cells };
        Table {
            title: "Delay (us)".into(),
            note: "Note.".into(),
            common: vec!["samples: 10".into()],
            heads: vec![head("", "Agent"), head("1 object", "paper"), head("1 object", "ours")],
            names: 1,
            rows: vec![
                row(vec![Cell::name("v3/UDP|<b>"), Cell::name("1.5"), ours]),
                row(vec![Cell::name("SNMP-1"), paper, Cell::default()]),
            ],
        }
    }

    #[test]
    fn forms() {
        let html = table().to_html();
        assert!(
            html.contains("<td class=\"name\">v3/<wbr>UDP|&lt;b&gt;</td><td class=\"first\">1.5</td>"),
            "{html}"
        );
        assert!(html.contains("<td class=\"first paper\">400</td>"), "{html}");
        assert!(
            html.contains("<td class=\"noisy\" title=\"20.1 (19.3 to 20.9)\">20 <small>\u{b1}4%</small> <small>(19)</small></td>"),
            "{html}"
        );
        assert!(html.contains("<th class=\"group\" colspan=\"2\">1 object</th>"), "{html}");
        assert!(html.contains("In every row: samples: 10."), "{html}");
        let markdown = table().to_markdown();
        assert!(markdown.contains("| Agent | 1 object, paper | 1 object, ours |"), "{markdown}");
        assert!(
            markdown.contains("| --- | ---: | ---: |\n| v3/UDP\\|&lt;b> | 1.5 | 20 \u{b1}4% (19) |\n"),
            "{markdown}"
        );
    }
}
