//! The overview of several experiments in one directory, `overview.md`: where each page is, on which machine and with which
//! command it was made, and what it found.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::findings::Findings;
use crate::trial::Trials;

use super::page::Heading;
use super::terminal::heading;
use super::{PAGE, claims};

/// The file's name.
pub const OVERVIEW: &str = "overview.md";

/// What the overview says of one experiment.
pub fn section(title: Heading, findings: &Findings, trials: &Trials) -> String {
    let trial = &trials.trial;
    let name = &trial.experiment;
    let mut text = format!("\n## {name}: {}\n\n{}\n\n", title.title, title.after);
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "[Page with figures]({name}/{PAGE}) · [tables]({name}/report.md) · [JSON]({name}/report.json) · [CSV]({name}/tables.csv)\n"
    );
    let _ = writeln!(text, "- `{}`, {}\n- {}", trial.command, trial.started, trial.machine.line());
    if let Some(load) = trials.load() {
        let _ = writeln!(text, "- Other load: {}", load.line());
    }
    if !findings.answer.is_empty() {
        text.push_str("\nThe answer:\n\n");
        findings.answer.iter().for_each(|sentence| text += &format!("- {sentence}\n"));
    }
    if !findings.headlines.is_empty() {
        text.push('\n');
    }
    for headline in &findings.headlines {
        let _ =
            writeln!(text, "- **{}**: {} ({})", headline.title, headline.value, headline.beside.join("; "));
    }
    if findings.then_and_now.is_some() {
        text += &claims::markdown(findings).replacen("\n## ", "\n### ", 1);
    } else {
        text.push_str("\nTable by table:\n\n");
        for (at, sheet) in findings.sheets.iter().enumerate() {
            let _ = writeln!(text, "- `{}`: {}", sheet.id, heading(&findings.sheets, at));
        }
    }
    text
}

/// Writes the overview into the directory of the experiments' directories; returns its path.
///
/// # Errors
/// It cannot be written.
pub fn write(sections: &[String], directory: &Path) -> Result<PathBuf, Error> {
    let path = directory.join(OVERVIEW);
    let text = format!("# Results of the laboratory\n{}", sections.concat());
    super::put_whole(&path, text.as_bytes()).map_err(|source| Error::Write { path: path.clone(), source })?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Sheet;
    use crate::sample::trial;
    use std::fs;

    #[test]
    fn an_overview_says_where_how_and_what() {
        let directory = tempfile::tempdir().unwrap();
        let mut sheet = Sheet::new("p/table-1", "Times", &["a (ms)"]);
        sheet.finding = "Half of the time is spent waiting".into();
        let findings =
            Findings { sheets: vec![sheet], answer: vec!["Use the second.".into()], ..Findings::default() };
        let trials = Trials { trial: trial("p"), entries: vec![] };
        let part = section(Heading { title: "A title", after: "Somebody" }, &findings, &trials);
        let path = write(&[part.clone(), part], directory.path()).unwrap();
        let text = fs::read_to_string(path).unwrap();
        for expected in [
            "## p: A title",
            "(p/index.html)",
            "`trunkline lab p`",
            "- Use the second.",
            "- `p/table-1`: Half of the time is spent waiting",
        ] {
            assert_eq!(text.matches(expected).count(), 2, "{expected}: {text}");
        }
        let nowhere = write(&[], &directory.path().join("nowhere"));
        assert!(matches!(nowhere, Err(Error::Write { .. })));
    }
}
