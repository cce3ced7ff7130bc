//! The report of a run: one self-contained page, Markdown, JSON, CSV, and what the terminal shows. All forms come from
//! one [`Analysis`] and one composition of tables ([`content`]) and figures ([`drawings`]).

pub mod content;
pub mod drawings;
pub mod figure;
mod grid;
mod html;
mod markdown;
mod paper_page;
pub mod sheet;
pub mod table;
pub mod words;

use std::fs;
use std::path::{Path, PathBuf};

use crate::analysis::{Analysis, CellResult};
use crate::kit::error::Error;
use crate::kit::findings::Findings;
use crate::kit::trial::Trials;

pub use paper_page::Heading;

/// The page's file name in the report's directory.
pub const PAGE: &str = "index.html";

/// Writes `index.html`, `report.md`, `report.json` and `tables.csv` into a directory, which must exist; gives the
/// page's path.
pub fn write(analysis: &Analysis, directory: &Path) -> Result<PathBuf, Error> {
    let put = |name: &str, content: &[u8]| {
        let path = directory.join(name);
        fs::write(&path, content).map_err(|source| Error::Write { path: path.clone(), source })?;
        Ok(path)
    };
    put("report.md", markdown::text(analysis).as_bytes())?;
    put("report.json", json(analysis).as_bytes())?;
    put("tables.csv", &csv(analysis))?;
    put(PAGE, html::page(analysis).as_bytes())
}

/// Writes `index.html`, `report.json` and `report.md` of an experiment whose unit is a session; gives the page's path.
pub fn write_findings(
    heading: Heading,
    findings: &Findings,
    trials: &Trials,
    directory: &Path,
) -> Result<PathBuf, Error> {
    let put = |name: &str, content: &str| {
        let path = directory.join(name);
        fs::write(&path, content).map_err(|source| Error::Write { path: path.clone(), source })?;
        Ok(path)
    };
    put("report.json", &findings.json())?;
    let tables = findings.sheets.iter().map(|sheet| sheet::table(sheet).to_markdown());
    let doubts = findings.doubts.iter().map(|doubt| format!("- {doubt}\n"));
    let head = format!("# {}\n\n", heading.title);
    let parts = std::iter::once(head).chain(doubts).chain(std::iter::once("\n".to_owned())).chain(tables);
    put("report.md", &parts.collect::<String>())?;
    put(PAGE, &paper_page::page(heading, findings, trials))
}

/// The analysis as JSON, indented.
pub fn json(analysis: &Analysis) -> String {
    // Every part is a plain struct with text keys and finite numbers, which JSON can always hold.
    serde_json::to_string_pretty(analysis).unwrap_or_default() + "\n"
}

/// What the terminal shows at the end.
pub fn terminal(analysis: &Analysis, width: u16) -> String {
    let mut text = String::new();
    for table in content::short_tables(analysis) {
        text += &table.to_terminal(width);
        text.push('\n');
    }
    let groups = words::grouped_warnings(&analysis.warnings);
    if !groups.is_empty() {
        text += "To know before reading\n";
    }
    for group in groups {
        let more =
            if group.more > 0 { format!(" ({} more of this kind)", group.more) } else { String::new() };
        text += &wrapped(&format!("{}{more}", group.first), usize::from(width));
    }
    text
}

/// A list item in lines of at most this width, where words allow.
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

/// One line for each cell: times in nanoseconds, octets as they are.
fn csv(analysis: &Analysis) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let heads = [
        "subject",
        "operation",
        "transport",
        "objects",
        "requests",
        "delay_min_ns",
        "delay_q1_ns",
        "delay_median_ns",
        "delay_median_low_ns",
        "delay_median_high_ns",
        "delay_q3_ns",
        "delay_p99_ns",
        "delay_max_ns",
        "delay_mean_ns",
        "delay_sd_ns",
        "delay_least_of_10_ns",
        "cpu_median_ns",
        "sent_octets",
        "received_octets",
        "ip_packets",
        "ip_octets",
    ];
    // Writing to memory does not fail, and all records are of one length.
    let _ = writer.write_record(heads);
    for result in &analysis.cells {
        let _ = writer.write_record(csv_line(result));
    }
    writer.into_inner().unwrap_or_default()
}

fn csv_line(result: &CellResult) -> Vec<String> {
    let (cell, delay) = (&result.cell, &result.delay_ns);
    let whole = |value: f64| format!("{value:.0}");
    let optional = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.2}"));
    let mut line = vec![
        cell.subject.clone(),
        cell.operation.to_string(),
        cell.transport.to_string(),
        cell.objects.to_string(),
        delay.count.to_string(),
    ];
    let interval = delay.median_interval;
    let times = [
        delay.min,
        delay.q1,
        delay.median,
        interval.low,
        interval.high,
        delay.q3,
        delay.p99,
        delay.max,
        delay.mean,
        delay.sd,
        result.least_of_ten_ns,
    ];
    line.extend(times.map(whole));
    line.push(result.cpu_ns.map_or(String::new(), |cpu| whole(cpu.median)));
    line.extend([whole(result.sent), whole(result.received)]);
    line.extend([optional(result.ip_packets), optional(result.ip_octets)]);
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::known_run;

    #[test]
    fn all_files_are_written_and_read_back() {
        let directory = tempfile::tempdir().unwrap();
        let analysis = Analysis::of(&known_run()).unwrap();
        let page = write(&analysis, directory.path()).unwrap();
        assert!(page.ends_with(PAGE) && page.is_file());
        let json = fs::read_to_string(directory.path().join("report.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["cells"].as_array().unwrap().len(), 48);
        assert_eq!(json["cells"][0]["delay_ns"]["count"], 30);
        let mut reader = csv::Reader::from_path(directory.path().join("tables.csv")).unwrap();
        let lines: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
        assert_eq!(lines.len(), 48);
        assert_eq!(&lines[0][0], "trunklined");
        assert!(directory.path().join("report.md").is_file());
        let nowhere = write(&analysis, &directory.path().join("nowhere"));
        assert!(matches!(nowhere, Err(Error::Write { .. })));
    }

    #[test]
    fn the_terminal_fits_its_width() {
        let analysis = Analysis::of(&known_run()).unwrap();
        for width in [80, 120] {
            let text = terminal(&analysis, width);
            for line in text.lines() {
                assert!(line.chars().count() <= usize::from(width), "{width}: {line}");
            }
            assert!(text.contains("To know before reading") && text.contains("GetBulk UDP"));
        }
    }
}
