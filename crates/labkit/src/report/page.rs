//! The page of an experiment: its tables with the paper's figures beside ours, and its drawings. One
//! self-contained HTML file without scripts.

mod style;

use std::fmt::Write;

use crate::doubt::Doubt;
use crate::findings::{Findings, Sheet, Shown};
use crate::trial::Trials;

use super::claims;
use super::doubts::{beside_its_table, counted, folded, of_run, of_sheet};
use super::sheet::{self, capital, number};
use super::terminal::heading;
use super::text::{escape, marked};

/// The heading of a page.
#[derive(Debug, Clone, Copy)]
pub struct Heading {
    /// The page's title.
    pub title: &'static str,
    /// The paper, or the question that it answers.
    pub after: &'static str,
}

/// The whole page.
pub fn page(heading: Heading, findings: &Findings, trials: &Trials) -> String {
    let mut html = String::with_capacity(1 << 17);
    let trial = &trials.trial;
    let _ = write!(
        html,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\">\
         <title>Trunkline lab: {title}</title><style>{style}</style></head><body><main>\n\
         <header><p class=\"over\">Trunkline lab</p><h1>{title}</h1><p>{after}</p></header>\n",
        title = escape(heading.title),
        after = escape(heading.after),
        style = style::css(),
    );
    html += &claims::html(findings);
    answer(&mut html, findings);
    headlines(&mut html, findings);
    let _ = write!(
        html,
        "<section><p class=\"meta\">Run: {}<br>Machine: {}</p>",
        escape(&trial.started.replace('T', " ").replace('Z', " UTC")),
        escape(&trial.machine.line())
    );
    doubts_of_run(&mut html, findings);
    html.push_str("</section>\n");
    contents(&mut html, findings);
    for at in 0..findings.sheets.len() {
        section(&mut html, findings, at);
    }
    how(&mut html, trials);
    html.push_str("</main></body></html>\n");
    html
}

fn answer(html: &mut String, findings: &Findings) {
    if findings.answer.is_empty() {
        return;
    }
    html.push_str("<section class=\"answer\"><h2>Answer</h2><ul>");
    for sentence in &findings.answer {
        let _ = write!(html, "<li>{}</li>", marked(sentence));
    }
    html.push_str("</ul></section>\n");
}

fn headlines(html: &mut String, findings: &Findings) {
    if findings.headlines.is_empty() {
        return;
    }
    html.push_str("<div class=\"tiles\">");
    for headline in &findings.headlines {
        let _ =
            write!(html, "<div><span>{}</span><b>{}</b>", escape(&headline.title), escape(&headline.value));
        for beside in &headline.beside {
            let _ = write!(html, "<small>{}</small>", escape(beside));
        }
        html.push_str("</div>");
    }
    html.push_str("</div>\n");
}

/// All doubts counted, and those about the run; the others are beside their tables.
fn doubts_of_run(html: &mut String, findings: &Findings) {
    if findings.doubts.is_empty() {
        html.push_str("<p class=\"meta\">No warnings.</p>");
        return;
    }
    let own = of_run(findings);
    let others =
        if own.len() < findings.doubts.len() { "Warnings about one table are shown with it." } else { "" };
    doubts(html, &counted(&findings.doubts), &own, others);
}

/// Doubts folded under how many there are of each kind.
fn doubts(html: &mut String, counted: &str, all: &[&Doubt], last: &str) {
    let _ =
        write!(html, "<details class=\"doubts\"><summary><b>Caveats:</b> {}</summary><ul>", escape(counted));
    for (doubt, more) in folded(all.iter().copied()) {
        let _ = write!(html, "<li>{}", marked(&capital(&beside_its_table(doubt))));
        if more > 0 {
            let _ = write!(html, " <em>({more} more of this kind in report.json)</em>");
        }
        html.push_str("</li>");
    }
    if !last.is_empty() {
        let _ = write!(html, "<li>{last}</li>");
    }
    html.push_str("</ul></details>\n");
}

/// A line for each sheet: what it found, or what it shows.
fn contents(html: &mut String, findings: &Findings) {
    html.push_str("<nav><section><h2>Contents</h2><ol>");
    for (at, sheet) in findings.sheets.iter().enumerate() {
        let (id, text) = (escape(&sheet.id), marked(&heading(&findings.sheets, at)));
        let _ = write!(html, "<li><a href=\"#{id}\">{text}</a></li>");
    }
    html.push_str("<li><a href=\"#how\">How it was measured</a></li></ol></section></nav>\n");
}

fn section(html: &mut String, findings: &Findings, at: usize) {
    let sheet = &findings.sheets[at];
    let (id, text) = (escape(&sheet.id), marked(&heading(&findings.sheets, at)));
    let _ = writeln!(html, "<section class=\"sheet\" id=\"{id}\"><h2>{text} <small>{id}</small></h2>");
    if !sheet.finding.is_empty() {
        let number = number(&findings.sheets, at).map_or(String::new(), |number| format!("{number}. "));
        let _ = writeln!(html, "<p class=\"of\">{number}{}</p>", marked(&capital(&sheet.title)));
    }
    for (figure, caption) in &sheet.drawings {
        let _ = writeln!(
            html,
            "<figure>{}<figcaption>{}</figcaption></figure>",
            figure.to_html(),
            marked(caption)
        );
    }
    rows(html, sheet);
    if !sheet.note.is_empty() {
        let _ = write!(html, "<p class=\"note\">{}</p>", marked(&sheet.note));
    }
    let beside = of_sheet(findings, sheet);
    if !beside.is_empty() {
        doubts(html, &counted(beside.iter().copied()), &beside, "");
    }
    html.push_str("</section>\n");
}

fn rows(html: &mut String, sheet: &Sheet) {
    let table = sheet::table(sheet).to_html();
    let _ = match sheet.shown {
        Shown::Folded => {
            write!(
                html,
                "<details class=\"rows\"><summary>{} rows</summary>{table}</details>",
                sheet.rows.len()
            )
        }
        Shown::Everywhere | Shown::OnPage => write!(html, "{table}"),
    };
}

fn how(html: &mut String, trials: &Trials) {
    let trial = &trials.trial;
    let _ = write!(
        html,
        "<section class=\"how\" id=\"how\"><h2>How it was measured</h2><p>Repeat it with <code>{}</code></p><dl>",
        escape(&trial.command)
    );
    let mut rows: Vec<(&str, String)> = Vec::new();
    if !trial.agent.is_empty() {
        rows.push(("Agent", trial.agent.clone()));
    }
    for subject in trials.subjects() {
        let program = subject.program.as_ref().map_or(String::new(), |path| format!(" ({})", path.display()));
        rows.push((&subject.subject, format!("{}{program}", subject.description)));
    }
    // Where nothing was measured there are no samples.
    let is_measured = !trials.entries.is_empty();
    if is_measured {
        rows.push(("Raw samples", format!("{} (JSON lines)", crate::trial::FILE_NAME)));
    }
    rows.extend([
        ("Place", trial.place.clone()),
        ("Seed", trial.seed.to_string()),
        ("Program", format!("trunkline lab {}", trial.lab_version)),
        ("Other forms", "report.json, report.md, tables.csv".to_owned()),
    ]);
    if let Some(load) = trials.load() {
        rows.push(("Other load", load.line()));
    }
    if let Some(seconds) = trials.seconds() {
        rows.push(("Took", format!("{seconds:.0} s")));
    }
    for (name, text) in rows {
        let _ = write!(html, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(&text));
    }
    html.push_str("</dl>");
    if trials.algorithms().next().is_some() {
        html.push_str("<h3>What protects the messages</h3><dl>");
    }
    for record in trials.algorithms() {
        let (name, text) = (record.protocol.to_string(), &record.algorithms);
        let _ = write!(html, "<dt>{}</dt><dd>{}</dd>", escape(&name), escape(text));
    }
    if trials.algorithms().next().is_some() {
        html.push_str("</dl>");
    }
    if !is_measured {
        html.push_str("</section>\n");
        return;
    }
    html.push_str(
        "<p class=\"note\">Times are taken at the manager with a monotonic clock: a session from before opening to after closing, a \
         request from handing it to the socket to having the whole response. Ratios are ours divided by the paper's. Warm-ups are \
         stored as repetition or round 0 and not used.</p></section>\n",
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doubt::Doubt;
    use crate::findings::Headline;
    use crate::sample::trial;

    #[test]
    fn the_page_is_complete_and_self_contained() {
        let mut sheet = Sheet::new("p/table-1", "<Times>", &["a (ms)"]);
        sheet.row("get & walk", &[Some(7.0)], &[Some(1.0)], 3);
        let doubts = vec![Doubt::NoLink { reason: "a < b".into() }];
        let mut folded = sheet.clone();
        folded.shown = Shown::Folded;
        let headline =
            Headline { title: "Delay".into(), value: "7 ms".into(), beside: vec!["snmpd & 9 ms".into()] };
        let findings = Findings {
            sheets: vec![sheet, folded],
            doubts,
            headlines: vec![headline],
            answer: vec!["Use <a>.".into()],
            then_and_now: None,
        };
        let trials = Trials { trial: trial("du2001"), entries: vec![] };
        let page = page(Heading { title: "A title", after: "Somebody" }, &findings, &trials);
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
        for foreign in ["src=", "href=\"h", "url(", "@import", "<script", "<Times>", "a < b", "snmpd & 9"] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        assert_eq!(page.matches("href=").count(), page.matches("href=\"#").count());
        for opened in ["section", "table", "ul", "ol", "dl", "h2", "div", "details", "svg", "g"] {
            let (open, close) =
                (page.matches(&format!("<{opened}")).count(), page.matches(&format!("</{opened}>")).count());
            assert_eq!(open, close, "{opened}");
        }
    }

    #[test]
    fn every_sheet_has_an_anchor_a_line_in_the_contents_and_its_doubts() {
        let mut findings = crate::report::sheet::tests::findings();
        findings.sheets.pop();
        findings.sheets[1].finding = "A get takes two packets.".into();
        let of_table = Doubt::Shortened { table: "p/table-1".into(), how: "only 1 s".into() };
        let of_other = Doubt::Shortened { table: "p/other".into(), how: "only 2 s".into() };
        findings.doubts = vec![of_table, of_other];
        let trials = Trials { trial: trial("p"), entries: vec![] };
        let page = page(Heading { title: "A title", after: "Somebody" }, &findings, &trials);
        for sheet in &findings.sheets {
            assert_eq!(page.matches(&format!("<a href=\"#{}\">", sheet.id)).count(), 1, "{page}");
            assert_eq!(page.matches(&format!(" id=\"{}\">", sheet.id)).count(), 1, "{page}");
        }
        assert!(page.contains("<h2>Figure 1. Two columns <small>p/figure-1</small></h2>"), "{page}");
        assert!(page.contains("<h2>A get takes two packets. <small>p/table-1</small></h2>"), "{page}");
        assert!(page.contains("<p class=\"of\">Table 1. Many columns</p>"), "{page}");
        let (before, section) = page.split_once("id=\"p/table-1\"").unwrap();
        assert!(
            before.contains("2 shortened measurements") && before.contains("p/other: only 2 s")
                || before.contains("Only 2 s")
        );
        assert!(section.contains("Only 1 s") && !before.contains("nly 1 s"), "{page}");
    }
}
