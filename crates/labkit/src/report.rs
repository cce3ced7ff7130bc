//! The report of a run: one self-contained page, Markdown, JSON, CSV, and the terminal output. All forms are
//! generated from the same [`Findings`].

mod claims;
mod doubts;
pub mod figure;
mod grid;
pub mod overview;
mod page;
pub mod palette;
pub mod sheet;
pub mod table;
pub mod terminal;
pub mod text;

use std::fmt::Write;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::findings::Findings;
use crate::trial::Trials;

pub use crate::store::PAGE;
pub use page::Heading;

/// Writes `index.html`, `report.json`, `report.md` and `tables.csv` into a directory, which must exist; returns
/// the page's path.
///
/// # Errors
/// One of them cannot be written.
pub fn write(
    heading: Heading,
    findings: &Findings,
    trials: &Trials,
    directory: &Path,
) -> Result<PathBuf, Error> {
    let put = |name: &str, content: &[u8]| {
        let path = directory.join(name);
        put_whole(&path, content).map_err(|source| Error::Write { path: path.clone(), source })?;
        Ok(path)
    };
    put("report.json", findings.json().as_bytes())?;
    put("report.md", markdown(heading, findings, trials).as_bytes())?;
    put("tables.csv", &csv(findings))?;
    put(PAGE, page::page(heading, findings, trials).as_bytes())
}

/// Writes a file whole or not at all: what was there before stays until all of it is on the disk. A symbolic link is
/// replaced, not followed.
///
/// # Errors
/// The system's error.
pub(crate) fn put_whole(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut options = tempfile::Builder::new();
    // As for a file made in the usual way: the user's mask decides.
    let mut file =
        options.prefix(".report-").permissions(Permissions::from_mode(0o666)).tempfile_in(directory)?;
    std::io::Write::write_all(&mut file, content)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Text in Markdown: on one line, and nothing in it is HTML or ends a cell of a table.
fn plain(text: &str) -> String {
    let text = trunkline_smi::visible(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('|', "\\|")
}

/// Text as code in Markdown.
fn code(text: &str) -> String {
    format!("`{}`", trunkline_smi::visible(text).replace('`', "'"))
}

/// The tables in Markdown, for an issue, a wiki or a pull request.
fn markdown(heading: Heading, findings: &Findings, trials: &Trials) -> String {
    let trial = &trials.trial;
    let mut text = format!("# {}\n\n", heading.title);
    let _ = write!(
        text,
        "- Run: {}\n- Machine: {}\n- Place: {}\n- Repeat it with {}\n",
        plain(&trial.started),
        plain(&trial.machine.line()),
        plain(&trial.place),
        code(&trial.command)
    );
    if let Some(load) = trials.load() {
        let _ = writeln!(text, "- Other load: {}", load.line());
    }
    for subject in trials.subjects() {
        let _ = writeln!(text, "- {}: {}", plain(&subject.subject), plain(&subject.description));
    }
    for headline in &findings.headlines {
        let line = format!("- **{}**: {} ({})", headline.title, headline.value, headline.beside.join("; "));
        let _ = writeln!(text, "{}", plain(line.trim_end_matches(" ()")));
    }
    text += &claims::markdown(findings);
    if !findings.answer.is_empty() {
        text.push_str("\n## Answer\n\n");
        findings.answer.iter().for_each(|sentence| text += &format!("- {}\n", plain(sentence)));
    }
    text.push_str("\n## Caveats\n\n");
    for (doubt, more) in doubts::folded(&findings.doubts) {
        let more = if more > 0 { format!(" ({more} more of this kind)") } else { String::new() };
        let _ = writeln!(text, "- {}{more}", plain(&doubt.to_string()));
    }
    if findings.doubts.is_empty() {
        text.push_str("No warnings.\n");
    }
    text.push_str("\n## Tables\n\n");
    findings.sheets.iter().for_each(|sheet| text += &sheet::table(sheet).to_markdown());
    text
}

/// A line per figure.
fn csv(findings: &Findings) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let text = |figure: Option<f64>| figure.map_or(String::new(), |figure| figure.to_string());
    // Writing to memory does not fail, and all records have the same length.
    let _ =
        writer.write_record(["table", "row", "column", "paper", "ours", "low", "high", "ratio", "samples"]);
    for record in findings.then_and_now.iter().flat_map(claims::records) {
        let _ = writer.write_record(record);
    }
    for sheet in &findings.sheets {
        for row in &sheet.rows {
            for (at, column) in sheet.columns.iter().enumerate() {
                let [low, high] = row.interval[at].map_or([None; 2], |it| it.map(Some));
                let figures = [row.paper[at], row.ours[at], low, high, row.ratio[at]].map(text);
                let names = [&sheet.id, &row.label, column];
                let _ =
                    writer.write_record(names.into_iter().chain(&figures).chain([&row.samples.to_string()]));
            }
        }
    }
    writer.into_inner().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Sheet;
    use crate::sample::trial;
    use std::fs;

    #[test]
    fn a_file_is_written_whole_and_not_through_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let (path, other) = (directory.path().join("report.md"), directory.path().join("other"));
        fs::write(&other, "mine").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        put_whole(&path, b"report").unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
        assert_eq!(fs::read_to_string(&path).unwrap(), "report");
        assert!(!fs::symlink_metadata(&path).unwrap().is_symlink());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
        fs::create_dir(directory.path().join("busy")).unwrap();
        assert!(put_whole(&directory.path().join("busy"), b"x").is_err());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
    }

    #[test]
    fn text_of_samples_never_becomes_markup() {
        let mut trial = trial("p");
        trial.command = "x `<b>`\u{1b}[2J".into();
        trial.place = "here\n# <script>|&\u{9b}".into();
        let trials = Trials { trial, entries: vec![] };
        let text = markdown(Heading { title: "A title", after: "x" }, &Findings::default(), &trials);
        assert!(!text.contains(['\u{1b}', '\u{9b}']) && !text.contains("<script>"), "{text}");
        assert!(text.contains("- Place: here\\n# &lt;script>\\|&amp;"), "{text}");
        assert!(text.contains("with `x '<b>'\\x1B[2J`"), "{text}");
    }

    #[test]
    fn all_files_are_written_and_read_back() {
        let directory = tempfile::tempdir().unwrap();
        let mut sheet = Sheet::new("p/table-1", "Times", &["a (ms)", "b (ms)"]);
        sheet.row("get, \"first\"", &[Some(4.0)], &[Some(1.0), Some(0.5)], 3);
        let findings = Findings { sheets: vec![sheet], ..Findings::default() };
        let trials = Trials { trial: trial("p"), entries: vec![] };
        let heading = Heading { title: "A title", after: "Somebody" };
        let page = write(heading, &findings, &trials, directory.path()).unwrap();
        assert!(page.ends_with(PAGE) && page.is_file());
        let json = fs::read_to_string(directory.path().join("report.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["tables"][0]["rows"][0]["ratio"][0], 0.25);
        let mut reader = csv::Reader::from_path(directory.path().join("tables.csv")).unwrap();
        let lines: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
        assert_eq!(lines.len(), 2);
        assert_eq!(
            lines[0].iter().collect::<Vec<_>>(),
            ["p/table-1", "get, \"first\"", "a (ms)", "4", "1", "", "", "0.25", "3"]
        );
        let markdown = fs::read_to_string(directory.path().join("report.md")).unwrap();
        assert!(
            markdown.contains("### p/table-1: Times") && markdown.contains("`trunkline lab p`"),
            "{markdown}"
        );
        let nowhere = write(heading, &findings, &trials, &directory.path().join("nowhere"));
        assert!(matches!(nowhere, Err(Error::Write { .. })));
    }
}
