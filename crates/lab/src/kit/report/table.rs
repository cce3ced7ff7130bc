//! A table of the report as HTML and as Markdown; `grid` has the form for a terminal.

use std::fmt::Write;

use super::figure::escape;

/// A table of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// What it shows, with the unit.
    pub title: String,
    /// What a reader needs to know; may be empty.
    pub note: String,
    /// The heads of the columns.
    pub heads: Vec<String>,
    /// How many columns from the left are names; the others are figures and right-aligned.
    pub names: usize,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Whose figures these are.
    pub kind: RowKind,
    /// Its cells, as many as there are heads.
    pub cells: Vec<String>,
}

/// Whose figures a row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// Measured by this run.
    Measured,
    /// Computed from measured rows: a ratio.
    Ratio,
    /// Printed in the paper, or computed by its formulas.
    Paper,
}

impl Table {
    /// As an HTML `table`.
    pub fn to_html(&self) -> String {
        let mut html = String::from("<div class=\"scroll\"><table><thead><tr>");
        for (index, head) in self.heads.iter().enumerate() {
            let _ = write!(html, "<th{}>{}</th>", self.class(index), escape(head));
        }
        html.push_str("</tr></thead><tbody>\n");
        for row in &self.rows {
            let kind = match row.kind {
                RowKind::Measured => "",
                RowKind::Ratio => " class=\"ratio\"",
                RowKind::Paper => " class=\"paper\"",
            };
            let _ = write!(html, "<tr{kind}>");
            for (index, cell) in row.cells.iter().enumerate() {
                let _ = write!(html, "<td{}>{}</td>", self.class(index), escape(cell));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody></table></div>");
        html
    }

    fn class(&self, column: usize) -> &'static str {
        if column < self.names { " class=\"name\"" } else { "" }
    }

    /// As a Markdown table, with its title as a heading.
    pub fn to_markdown(&self) -> String {
        let line = |cells: &[String]| {
            let escaped: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", escaped.join(" | "))
        };
        let mut text = format!("### {}\n\n", self.title);
        if !self.note.is_empty() {
            let _ = write!(text, "{}\n\n", self.note);
        }
        text += &line(&self.heads);
        let rule = |index| if index < self.names { "---" } else { "---:" }.to_owned();
        text += &line(&(0..self.heads.len()).map(rule).collect::<Vec<_>>());
        self.rows.iter().for_each(|row| text += &line(&row.cells));
        text.push('\n');
        text
    }
}

/// A number with three significant digits, as far as decimals go.
pub fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 => 2,
        size if size >= 0.09995 => 3,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

/// A decimal fraction without zeros at its end: `0.5`, `20`.
pub fn without_zeros(fraction: &str) -> &str {
    fraction.trim_end_matches('0').trim_end_matches('.')
}

/// A ratio: `5.1x`, `0.42x`, `130x`.
pub fn ratio(value: f64) -> String {
    let decimals = match value {
        size if size >= 9.95 => 0,
        size if size >= 0.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}x")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            title: "Delay (us)".into(),
            note: "Note.".into(),
            heads: ["Agent", "1", "22"].map(String::from).into(),
            names: 1,
            rows: vec![
                Row { kind: RowKind::Measured, cells: ["a|<b>", "1.5", "20"].map(String::from).into() },
                Row { kind: RowKind::Paper, cells: ["SNMP-1", "400", ""].map(String::from).into() },
            ],
        }
    }

    #[test]
    fn forms() {
        let html = table().to_html();
        assert!(html.contains("<td class=\"name\">a|&lt;b&gt;</td><td>1.5</td>"), "{html}");
        assert!(html.contains("<tr class=\"paper\">"));
        let markdown = table().to_markdown();
        assert!(markdown.contains("| --- | ---: | ---: |\n| a\\|<b> | 1.5 | 20 |\n"), "{markdown}");
    }

    #[test]
    fn numbers() {
        let texts = [0.0123, 0.4, 1.0, 9.999, 12.34, 99.96, 123.4, 12345.0].map(three_digits);
        assert_eq!(texts, ["0.0123", "0.400", "1.00", "10.0", "12.3", "100", "123", "12345"]);
        assert_eq!([0.424, 1.0, 5.14, 9.96, 130.2].map(ratio), ["0.42x", "1.0x", "5.1x", "10x", "130x"]);
    }
}
