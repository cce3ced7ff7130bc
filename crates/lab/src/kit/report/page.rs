//! The page of an experiment: its tables with the paper's figures beside ours, and its drawings. One
//! self-contained HTML file without scripts.

use std::fmt::Write;

use crate::kit::findings::{Findings, Sheet, Shown};
use crate::kit::trial::Trials;

use super::figure::escape;
use super::{claims, sheet};

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
         <title>Trunkline lab: {title}</title><style>{STYLE}{claims}</style></head><body><main>\n\
         <header><p class=\"over\">Trunkline lab</p><h1>{title}</h1><p>{after}</p>\
         <p class=\"meta\">{}<br>{}</p></header>\n",
        escape(&trial.started),
        escape(&trial.machine.line()),
        title = escape(heading.title),
        after = escape(heading.after),
        claims = claims::STYLE,
    );
    html += &claims::html(findings.then_and_now.as_ref());
    answer(&mut html, findings);
    headlines(&mut html, findings);
    doubts(&mut html, findings);
    for sheet in &findings.sheets {
        section(&mut html, sheet);
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
        let _ = write!(html, "<li>{}</li>", escape(sentence));
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
    let table = sheet::table(sheet).to_html();
    let _ = match sheet.shown {
        Shown::Folded => {
            write!(html, "<details><summary>{} rows</summary>{table}</details>", sheet.rows.len())
        }
        Shown::Everywhere | Shown::OnPage => write!(html, "{table}"),
    };
    html.push_str("</section>\n");
}

fn how(html: &mut String, trials: &Trials) {
    let trial = &trials.trial;
    let _ = write!(
        html,
        "<section><h2>How it was measured</h2><p>Repeat it with <code>{}</code></p><dl>",
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
    rows.extend([
        ("Place", trial.place.clone()),
        ("Seed", trial.seed.to_string()),
        ("Program", format!("trunkline lab {}", trial.lab_version)),
        ("Raw samples", format!("{} (JSON lines)", crate::kit::trial::FILE_NAME)),
        ("Other forms", "report.json, report.md, tables.csv".to_owned()),
    ]);
    if let Some(load) = trials.load() {
        rows.push(("Meanwhile", load.line()));
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
    html.push_str(
        "<p class=\"note\">Times are taken at the manager with a monotonic clock: a session from before opening to after closing, a \
         request from handing it to the socket to having the whole response. Ratios are ours divided by the paper's. Warm-ups are \
         stored as repetition or round 0 and not used.</p></section>\n",
    );
}

const STYLE: &str = "\
:root{color-scheme:light}\
body{margin:0;background:#fff;color:#1b1f24;font:16px/1.5 system-ui,-apple-system,'Segoe UI','Liberation Sans',Arial,sans-serif}\
main{max-width:1040px;margin:0 auto;padding:32px 20px 64px}\
h1{font-size:30px;line-height:1.2;margin:4px 0 12px}h2{font-size:21px;line-height:1.3;margin:0 0 12px;border-bottom:1px solid #d0d7de;padding-bottom:6px}h3{font-size:16px;margin:22px 0 4px}\
.over{margin:0;color:#1260a8;font-weight:600}.meta,.note,figcaption{color:#57606a;font-size:14px}\
.note{margin:0 0 12px;max-width:88ch}figcaption{max-width:88ch}\
section{margin:48px 0 0}figure{margin:0 0 18px}.doubts h2{border:0;padding:0;margin:0 0 6px;font-size:17px}svg{display:block;width:100%;height:auto}\
svg text{font:13px system-ui,-apple-system,'Segoe UI','Liberation Sans',Arial,sans-serif;fill:#3a424b}\
svg .panel{font-weight:600;font-size:14px;fill:#1b1f24}svg .axis{fill:#57606a}\
svg .grid{stroke:#e7eaee;fill:none}svg .frame{stroke:#8c959f;fill:none}\
.answer{border-left:4px solid #1a7f37;padding:4px 16px}.answer li:first-child{font-size:1.15em;font-weight:600}\
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(220px,1fr));gap:12px;margin:24px 0 0}\
.tiles div{border:1px solid #d0d7de;border-radius:8px;padding:12px 14px;display:flex;flex-direction:column}\
.tiles span{color:#57606a;font-size:14px}.tiles b{font-size:26px;line-height:1.3}.tiles small{font-size:14px}\
.doubts{background:#fff8e6;border:1px solid #e3c770;border-radius:8px;padding:14px 18px}.doubts ul{margin:0;padding-left:20px}\
.doubts li{margin:3px 0;font-size:15px;overflow-wrap:anywhere}\
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}\
th,td{padding:4px 12px;text-align:right;white-space:nowrap;border-bottom:1px solid #e7eaee}\
th{border-bottom:2px solid #8c959f;font-weight:600}.name{text-align:left}\
tr.paper td{color:#57606a;background:#f6f8fa}tr.ratio td{color:#57606a;font-style:italic}\
summary{font-size:16px;font-weight:600;cursor:pointer;margin-bottom:8px}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px;font-size:15px}dt{color:#57606a}dd{margin:0;overflow-wrap:anywhere}\
code{background:#f2f4f7;padding:2px 6px;border-radius:4px;font-size:14px}\
@media print{section{break-inside:avoid}}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::doubt::Doubt;
    use crate::kit::findings::Headline;
    use crate::kit::trial::tests::trial;

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
        for foreign in ["src=", "href=", "url(", "@import", "<script", "<Times>", "a < b", "snmpd & 9"] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        for opened in ["section", "table", "ul", "dl", "h2", "div", "details"] {
            let (open, close) =
                (page.matches(&format!("<{opened}")).count(), page.matches(&format!("</{opened}>")).count());
            assert_eq!(open, close, "{opened}");
        }
    }
}
