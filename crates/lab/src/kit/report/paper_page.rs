//! The page of an experiment after a paper: its tables with the paper's figures beside ours, its figures drawn. One HTML file
//! with everything in it, no script, nothing from elsewhere.

use std::fmt::Write;

use crate::kit::findings::{Findings, Sheet};
use crate::kit::trial::Trials;

use super::figure::escape;
use super::html::STYLE;
use super::sheet;
use super::words::machine_line;

/// What a page is of.
#[derive(Debug, Clone, Copy)]
pub struct Heading {
    /// The page's title.
    pub title: &'static str,
    /// After whom, or what question it answers.
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
         <title>Trunkline lab: {title}</title><style>{STYLE}</style></head><body><main>\n\
         <header><p class=\"over\">Trunkline lab</p><h1>{title}</h1><p>{after}</p>\
         <p class=\"meta\">{}<br>{}</p></header>\n",
        escape(&trial.started),
        escape(&machine_line(&trial.machine)),
        title = escape(heading.title),
        after = escape(heading.after),
    );
    doubts(&mut html, findings);
    for sheet in &findings.sheets {
        section(&mut html, sheet);
    }
    how(&mut html, trials);
    html.push_str("</main></body></html>\n");
    html
}

fn doubts(html: &mut String, findings: &Findings) {
    if findings.doubts.is_empty() {
        html.push_str("<section class=\"good\"><p>No warnings.</p></section>\n");
        return;
    }
    html.push_str("<section class=\"doubts\"><h2>To know before reading</h2><ul>");
    for (doubt, more) in sheet::folded(&findings.doubts) {
        let _ = write!(html, "<li>{}", escape(&doubt.to_string()));
        if more > 0 {
            let _ = write!(html, " <em>({more} more of this kind in report.json)</em>");
        }
        html.push_str("</li>");
    }
    html.push_str("</ul></section>\n");
}

fn section(html: &mut String, sheet: &Sheet) {
    let _ = writeln!(html, "<section><h2>{}: {}</h2>", escape(&sheet.id), escape(&sheet.title));
    for (figure, caption) in &sheet.drawings {
        let _ = writeln!(
            html,
            "<figure>{}<figcaption>{}</figcaption></figure>",
            figure.to_svg(),
            escape(caption)
        );
    }
    if !sheet.note.is_empty() {
        let _ = write!(html, "<p class=\"note\">{}</p>", escape(&sheet.note));
    }
    html.push_str(&sheet::table(sheet).to_html());
    html.push_str("</section>\n");
}

fn how(html: &mut String, trials: &Trials) {
    let trial = &trials.trial;
    let _ = write!(
        html,
        "<section><h2>How it was measured</h2><p>Repeat it with <code>{}</code></p><dl>",
        escape(&trial.command)
    );
    let mut rows = vec![
        ("Agent", trial.agent.clone()),
        ("Place", trial.place.clone()),
        ("Seed", trial.seed.to_string()),
        ("Program", format!("trunkline lab {}", trial.lab_version)),
        ("Raw samples", format!("{} (JSON lines, a record for each session)", crate::kit::trial::FILE_NAME)),
        ("Other forms", "report.json, report.md".to_owned()),
    ];
    if let Some(seconds) = trials.seconds() {
        rows.push(("Took", format!("{seconds:.0} s")));
    }
    for (name, text) in rows {
        let _ = write!(html, "<dt>{name}</dt><dd>{}</dd>", escape(&text));
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
    html.push_str(
        "<p class=\"note\">Sessions are timed at the manager with a monotonic clock, from before opening to after closing. \
         Ratios are ours divided by the paper's. Warm-ups are stored as repetition 0 and not used.</p></section>\n",
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::doubt::Doubt;
    use crate::kit::trial::tests::trial;

    #[test]
    fn the_page_is_whole_and_needs_nothing_from_elsewhere() {
        let mut sheet = Sheet::new("p/table-1", "<Times>", &["a (ms)"]);
        sheet.row("get & walk", &[Some(7.0)], &[Some(1.0)], 3);
        let doubts = vec![Doubt::NoLink { reason: "a < b".into() }];
        let findings = Findings { sheets: vec![sheet], doubts };
        let trials = Trials { trial: trial("du2001"), entries: vec![] };
        let page = page(Heading { title: "A title", after: "Somebody" }, &findings, &trials);
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
        for foreign in ["src=", "href=", "url(", "@import", "<script", "<Times>", "a < b"] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        for opened in ["section", "table", "ul", "dl", "h2"] {
            let (open, close) =
                (page.matches(&format!("<{opened}")).count(), page.matches(&format!("</{opened}>")).count());
            assert_eq!(open, close, "{opened}");
        }
    }
}
