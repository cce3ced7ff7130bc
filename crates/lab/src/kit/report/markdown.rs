//! The report as Markdown: the same tables, for an issue, a wiki or a pull request.

use std::fmt::Write;

use crate::analysis::Analysis;

use super::content::{headlines, tables};
use super::words::{described_place, grouped_warnings, machine_line};

/// The whole text.
pub fn text(analysis: &Analysis) -> String {
    let run = &analysis.run;
    let mut text = String::from("# Trunkline lab: how SNMP fetches ifTable\n\n");
    let _ = write!(
        text,
        "- Run: {}, {} rounds\n- Machine: {}\n- Place: {}\n- Repeat it with `{}`\n",
        run.started,
        analysis.rounds,
        machine_line(&run.machine),
        described_place(&run.place),
        run.command
    );
    for subject in &analysis.subjects {
        let _ = writeln!(text, "- {}: {}", subject.subject, subject.description);
    }
    for headline in headlines(analysis) {
        let _ =
            writeln!(text, "- **{}**: {} ({})", headline.title, headline.value, headline.beside.join("; "));
    }
    text.push_str("\n## Warnings\n\n");
    for group in grouped_warnings(&analysis.warnings) {
        let more =
            if group.more > 0 { format!(" ({} more of this kind)", group.more) } else { String::new() };
        let _ = writeln!(text, "- {}{more}", group.first);
    }
    if analysis.warnings.is_empty() {
        text.push_str("None.\n");
    }
    text.push_str("\n## Tables\n\n");
    tables(analysis).iter().for_each(|table| text += &table.to_markdown());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::known_run;

    #[test]
    fn all_tables_are_there() {
        let text = text(&Analysis::of(&known_run()).unwrap());
        assert_eq!(text.matches("\n### ").count(), 7);
        assert!(text.contains("`trunkline lab --quick`") && text.contains("| paper: SNMP-23 |"));
    }
}
