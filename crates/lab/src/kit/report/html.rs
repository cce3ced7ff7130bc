//! The page: one HTML file with everything in it, no script, nothing from elsewhere.

use std::fmt::Write;

use crate::analysis::Analysis;
use crate::samples::PlaceRecord;

use super::content::{headlines, tables};
use super::drawings::{Drawing, drawings};
use super::figure::escape;
use super::table::{Table, Topic};
use super::words::{described_place, grouped_warnings, machine_line};

/// The whole page.
pub fn page(analysis: &Analysis) -> String {
    let mut html = String::with_capacity(1 << 17);
    let _ = write!(
        html,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Trunkline lab: how SNMP fetches ifTable</title><style>{STYLE}</style></head><body><main>\n"
    );
    head(&mut html, analysis);
    warnings(&mut html, analysis);
    let (tables, drawings) = (tables(analysis), drawings(analysis));
    for topic in Topic::ALL {
        section(&mut html, topic, &drawings, &tables);
    }
    how(&mut html, analysis);
    html.push_str("</main></body></html>\n");
    html
}

fn head(html: &mut String, analysis: &Analysis) {
    let names: Vec<&str> = analysis.subjects.iter().map(|subject| subject.subject.as_str()).collect();
    let _ = write!(
        html,
        "<header><p class=\"over\">Trunkline lab</p><h1>How SNMP fetches ifTable: {}</h1>\
         <p>After Pras, Drevers, van de Meent, Quartel, <i>Comparing the Performance of SNMP and Web Services-Based \
         Management</i> (2005): Get, GetNext and GetBulk over UDP and TCP, {} objects.</p>\
         <p class=\"meta\">{}<br>{}</p></header>\n<div class=\"tiles\">",
        escape(&names.join(" beside ")),
        escape(&listed(&analysis.run.objects)),
        escape(&analysis.run.started),
        escape(&machine_line(&analysis.run.machine)),
    );
    for headline in headlines(analysis) {
        let _ =
            write!(html, "<div><span>{}</span><b>{}</b>", escape(&headline.title), escape(&headline.value));
        for beside in &headline.beside {
            let _ = write!(html, "<small>{}</small>", escape(beside));
        }
        html.push_str("</div>");
    }
    html.push_str("</div>\n");
}

fn warnings(html: &mut String, analysis: &Analysis) {
    let groups = grouped_warnings(&analysis.warnings);
    if groups.is_empty() {
        html.push_str("<section class=\"good\"><p>No warnings.</p></section>\n");
        return;
    }
    html.push_str("<section class=\"doubts\"><h2>To know before reading</h2><ul>");
    for group in groups {
        let _ = write!(html, "<li>{}", escape(&group.first));
        if group.more > 0 {
            let _ = write!(html, " <em>({} more of this kind in report.json)</em>", group.more);
        }
        html.push_str("</li>");
    }
    html.push_str("</ul></section>\n");
}

/// The figures and tables of a topic; nothing when there are none. The long table of all cells is folded.
fn section(html: &mut String, topic: Topic, drawings: &[Drawing], tables: &[Table]) {
    let drawings: Vec<_> = drawings.iter().filter(|drawing| drawing.topic == topic).collect();
    let tables: Vec<_> = tables.iter().filter(|table| table.topic == topic).collect();
    if drawings.is_empty() && tables.is_empty() {
        return;
    }
    let _ = writeln!(html, "<section><h2>{}</h2>", escape(topic.heading()));
    for drawing in drawings {
        let (svg, caption) = (drawing.figure.to_svg(), escape(&drawing.caption));
        let _ = writeln!(html, "<figure>{svg}<figcaption>{caption}</figcaption></figure>");
    }
    for table in tables {
        let (title, note) = (escape(&table.title), escape(&table.note));
        let body = table.to_html();
        let _ = match topic {
            Topic::Details | Topic::Paper => writeln!(
                html,
                "<details{}><summary>{title}</summary><p class=\"note\">{note}</p>{body}</details>",
                if topic == Topic::Paper { " open" } else { "" }
            ),
            _ => writeln!(html, "<h3>{title}</h3><p class=\"note\">{note}</p>{body}"),
        };
    }
    html.push_str("</section>\n");
}

fn how(html: &mut String, analysis: &Analysis) {
    let run = &analysis.run;
    let _ = write!(
        html,
        "<section><h2>How it was measured</h2><p>Repeat it with <code>{}</code></p><dl>",
        escape(&run.command)
    );
    for subject in &analysis.subjects {
        let program = subject.program.as_ref().map_or(String::new(), |path| format!(" ({})", path.display()));
        let description = format!("{}{program}", subject.description);
        let _ = write!(html, "<dt>{}</dt><dd>{}</dd>", escape(&subject.subject), escape(&description));
    }
    let seconds = analysis.seconds.map_or(String::new(), |seconds| format!(", {seconds:.1} s"));
    let rounds = format!(
        "{} rounds; in each, every cell of every agent one block of {} requests, agents in turn and in changing order{seconds}",
        analysis.rounds, run.requests_per_block
    );
    let rows = [
        ("Place", described_place(&run.place)),
        ("Rounds", rounds),
        ("Seed", run.seed.to_string()),
        ("Program", format!("trunkline lab {}", run.lab_version)),
        ("Raw samples", format!("{} (JSON lines)", crate::kit::trial::FILE_NAME)),
        ("Other forms", "report.md, report.json, tables.csv".to_owned()),
    ];
    for (name, text) in rows {
        let _ = write!(html, "<dt>{name}</dt><dd>{}</dd>", escape(&text));
    }
    html.push_str("</dl><p class=\"note\">Delays are taken at the manager with a monotonic clock, from handing the request to the socket to having the whole \
                   response. Warm-up requests are stored as round 0 and not used. Agents answer from what they \
                   keep of the interfaces, as their own defaults have it; refreshing it falls into some of the requests. ");
    if matches!(run.place, PlaceRecord::Namespace { .. }) {
        html.push_str(
            "The interfaces of the namespace carried traffic in amounts drawn from the seed first; those that are no virtual \
             Ethernet pairs (macvlan, VXLAN) are there for the counters that a pair does not move: multicast and errors. ",
        );
    }
    html.push_str("The formulas are those of the paper's section IV; formula (12) is used with 59 where the paper prints 54, which is what its own \
                   parts and formula (14) give.</p></section>\n");
}

fn listed(numbers: &[u32]) -> String {
    let texts: Vec<String> = numbers.iter().map(u32::to_string).collect();
    match texts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

pub(super) const STYLE: &str = "\
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
    use crate::analysis::tests::known_run;

    #[test]
    fn the_page_is_whole_and_needs_nothing_from_elsewhere() {
        let page = page(&Analysis::of(&known_run()).unwrap());
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
        for foreign in ["src=", "href=", "url(", "@import", "<script"] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        assert_eq!(page.matches("<svg").count(), 5);
        assert_eq!(page.matches("<table").count(), 7);
        for opened in ["section", "table", "tr", "figure", "svg", "ul", "dl", "div"] {
            let (open, close) =
                (page.matches(&format!("<{opened}")).count(), page.matches(&format!("</{opened}>")).count());
            let others = if opened == "tr" { page.matches("<track").count() } else { 0 };
            assert_eq!(open - others, close, "{opened}");
        }
        // what comes from the machine is escaped
        assert!(page.contains("Test &amp; &lt;Processor&gt;") && !page.contains("<Processor>"));
    }

    #[test]
    fn lists() {
        assert_eq!(listed(&[1, 22, 66]), "1, 22 and 66");
        assert_eq!(listed(&[7]), "7");
        assert_eq!(listed(&[]), "");
    }
}
