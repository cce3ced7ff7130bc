//! Then and now, in every form of the report: what a paper asked and found, what holds today, and its claims one by
//! one with their verdicts.

use std::fmt::Write;

use crate::claims::{Claim, Now, Relation, ThenAndNow, Verdict};
use crate::doubt::Doubt;
use crate::findings::Findings;
use crate::statistics::Interval;

use super::grid::wrap;
use super::table::{Cell, Head, Row, Table};
use super::text::escape;
use super::text::three_digits;

/// The section of the page; nothing if the experiment repeats no paper.
pub fn html(findings: &Findings) -> String {
    let Some(both) = &findings.then_and_now else { return String::new() };
    let mut html = String::from("<section class=\"then\"><dl class=\"story\">");
    for (name, text) in story(both, findings) {
        let _ = write!(html, "<dt>{name}</dt><dd>{}</dd>", super::text::marked(&text));
    }
    html.push_str("</dl>");
    tiles(&mut html, both);
    if let Some((figure, caption)) = &both.drawing {
        let (figure, caption) = (figure.to_html(), escape(caption));
        let _ = write!(html, "<figure>{figure}<figcaption>{caption}</figcaption></figure>");
    }
    let id = escape(&both.id);
    let _ = write!(
        html,
        "<h2 id=\"{id}\">{} <small>{id}</small></h2><div class=\"scroll\"><table class=\"claims\"><thead><tr>",
        if both.is_ours { "Our statements one by one" } else { "Claim by claim" }
    );
    for (at, head) in HEADS.iter().enumerate() {
        let _ = write!(html, "<th{}>{head}</th>", class(at));
    }
    html.push_str("</tr></thead><tbody>\n");
    for (claim, now, verdict) in both.judged() {
        let _ = write!(html, "<tr class=\"{}\">", verdict.words().replace(' ', "-"));
        for (at, cell) in cells(claim, now, verdict).iter().enumerate() {
            let _ = write!(html, "<td{} data-head=\"{}\">{}</td>", class(at), HEADS[at], escape(cell));
        }
        html.push_str("</tr>\n");
    }
    for claim in both.not_measured() {
        html.push_str("<tr class=\"not-measured\">");
        for (at, cell) in cells_of_unmeasured(claim).iter().enumerate() {
            let _ = write!(html, "<td{} data-head=\"{}\">{}</td>", class(at), HEADS[at], escape(cell));
        }
        html.push_str("</tr>\n");
    }
    let _ = writeln!(html, "</tbody></table></div><p class=\"note\">{}</p></section>", note(both));
    html
}

/// How many claims have each verdict.
fn tiles(html: &mut String, both: &ThenAndNow) {
    let all: Vec<Verdict> = both.judged().map(|(_, _, verdict)| verdict).collect();
    html.push_str("<div class=\"tiles verdicts\">");
    for verdict in Verdict::ALL {
        let count = all.iter().filter(|it| **it == verdict).count();
        if count > 0 {
            let (class, words, of) = (verdict.words().replace(' ', "-"), verdict.words(), all.len());
            let _ = write!(
                html,
                "<div class=\"{class}\"><span>{words}</span><b>{count}</b><small>of {of} claims</small></div>"
            );
        }
    }
    html.push_str("</div>");
}

/// The style of the section.
pub const STYLE: &str = "\
.story{font-size:17px}.story dt{font-weight:600}.story dd:nth-of-type(3){font-weight:600}\
.claims td.name:first-child{min-width:30ch}.claims th.verdict{text-align:left}.verdicts{margin-bottom:22px;grid-template-columns:repeat(auto-fit,minmax(130px,1fr))}\
.verdicts div{border-left:4px solid var(--axis);padding:6px 12px}.verdicts .holds,.verdicts .direction-holds{border-left-color:var(--good)}.verdicts .reversed{border-left-color:var(--warn)}\
@media screen and (max-width:600px){.verdicts{grid-template-columns:1fr 1fr}}\
@media screen and (max-width:900px){.claims,.claims tbody,.claims tr,.claims td{display:block}\
.claims thead{display:none}.claims tr{border:1px solid var(--edge);border-radius:8px;margin:0 0 10px;padding:8px 12px}\
.claims tr>td,.claims tr>td.name:first-child{border:0;padding:1px 0;text-align:left;max-width:none;white-space:normal}\
.claims td.name:first-child{font-size:15px;margin-bottom:4px}.claims td:empty{display:none}\
.claims tr>td:not(.name){display:inline-block;margin-right:14px}.claims tr>td:not(.name):empty{display:none}\
.claims td+td::before{content:attr(data-head) \":\";color:var(--quiet);font-weight:400;display:inline-block;margin-right:5px}}\
.claims td.verdict{font-weight:600;text-align:left}\
tr.reversed td.verdict{text-decoration:underline}tr.not-resolved td,tr.not-measured td{opacity:.75}";

/// The section in Markdown.
pub fn markdown(findings: &Findings) -> String {
    let Some(both) = &findings.then_and_now else { return String::new() };
    let mut text = String::from("\n## Then and now\n\n");
    for (name, sentence) in story(both, findings) {
        let _ = writeln!(text, "- **{name}**: {sentence}");
    }
    let line = |(claim, now, verdict)| Row { cells: cells(claim, now, verdict).map(Cell::name).into() };
    let left = |claim| Row { cells: cells_of_unmeasured(claim).map(Cell::name).into() };
    let table = Table {
        title: title(both),
        note: note(both),
        common: vec![],
        heads: HEADS.map(Head::single).into(),
        names: 1,
        rows: both.judged().map(line).chain(both.not_measured().map(left)).collect(),
    };
    text + "\n" + &table.to_markdown()
}

/// The lines on a terminal of this many columns.
pub fn terminal(findings: &Findings, width: usize) -> String {
    let Some(both) = &findings.then_and_now else { return String::new() };
    let mut text = String::new();
    for (name, sentence) in story(both, findings) {
        hanging(&mut text, &format!("{name}:"), &sentence, width);
    }
    text += &format!("\n{}\n", title(both));
    for (claim, now, verdict) in both.judged() {
        hanging(&mut text, verdict.words(), &claim.label(), width);
        hanging(&mut text, "", &in_words(claim, now), width);
    }
    for claim in both.not_measured() {
        hanging(&mut text, NOT_MEASURED, &claim.label(), width);
        hanging(&mut text, "", &without_figure(claim), width);
    }
    for line in wrap(&note(both), width) {
        text += &(line + "\n");
    }
    text + "\n"
}

/// A line per claim of `tables.csv`: table, row, column, paper, ours, low, high, ratio, samples.
pub fn records(both: &ThenAndNow) -> impl Iterator<Item = [String; 9]> {
    let finite = |figure: f64| if figure.is_finite() { figure.to_string() } else { String::new() };
    both.judged().map(move |(claim, now, verdict)| {
        let column = format!("{}: {}", claim.unit, verdict.words());
        let then = claim.then.map_or_else(String::new, finite);
        let [low, high] = now.interval.map_or([f64::NAN; 2], |it| [it.low, it.high]).map(finite);
        let (value, samples) = (finite(now.value), now.samples.to_string());
        [both.id.clone(), claim.text.clone(), column, then, value, low, high, String::new(), samples]
    })
}

/// What they asked and found, what is found today, and why times of this run are not to be trusted, if they are not.
fn story(both: &ThenAndNow, findings: &Findings) -> Vec<(&'static str, String)> {
    let [asked, found, today] = match both.is_ours {
        false => ["They asked", "They found", "Today"],
        true => ["Asked", "Expected", "Found"],
    };
    let mut story =
        vec![(asked, both.asked.clone()), (found, both.found.clone()), (today, both.today.clone())];
    story.extend(unfit(findings).map(|reason| ("But", reason)));
    story
}

/// Why nothing that this run says about times is to be believed.
fn unfit(findings: &Findings) -> Option<String> {
    let whole = findings.doubts.iter().find_map(|doubt| match doubt {
        Doubt::DebugBuild { .. } => Some(
            "Programs of this run were built without optimisation: its verdicts about times say nothing.",
        ),
        Doubt::BusyMachine { .. } => {
            Some("The machine did other work during this run: its verdicts about times may be wrong.")
        }
        _ => None,
    });
    let busy: Vec<&str> = findings
        .doubts
        .iter()
        .filter(|doubt| matches!(doubt, Doubt::BusyMeanwhile { .. }))
        .filter_map(Doubt::table)
        .collect();
    whole.map(str::to_owned).or_else(|| {
        (!busy.is_empty()).then(|| {
            format!(
                "The machine did other work while {} was measured: its times, and verdicts from them, may be wrong.",
                busy.join(", ")
            )
        })
    })
}

fn title(both: &ThenAndNow) -> String {
    format!("{}: {}", both.id, if both.is_ours { "our statements one by one" } else { "claim by claim" })
}

/// How the verdicts are made, and how many claims are missing.
fn note(both: &ThenAndNow) -> String {
    let mut note = both.basis.clone();
    if !note.is_empty() {
        note.push(' ');
    }
    note.push_str(
        "The program computes the verdicts: an effect holds if all of its interval of 95 % is within a factor of 1.5 of the paper's, is weaker \
         or stronger if all of it is outside, and its direction holds if the interval is partly within; where the paper has no figure, it holds \
         if the direction does. It is reversed if all of the interval is on the other side, and not resolved if the interval includes no \
         effect.",
    );
    if both.claims.iter().any(|claim| matches!(claim.relation, Relation::Alike(_))) {
        note += " That two are alike holds if all of the interval is within the claim's factor, in both directions.";
    }
    match both.unmeasured() {
        0 => {}
        1 => {
            note += " One more claim has no figure in this run: its table was not measured, or not as the paper did."
        }
        more => {
            let _ = write!(
                note,
                " {more} more claims have no figure in this run: their tables were not measured, or not as the paper did."
            );
        }
    }
    note
}

fn cells_of_unmeasured(claim: &Claim) -> [String; 7] {
    let then = claim.then.map_or_else(|| "no figure".into(), |then| figure(then, claim.unit));
    let why = format!("the table that measures it is {}", claim.number.1);
    [claim.label(), then, String::new(), String::new(), String::new(), NOT_MEASURED.into(), why]
}

/// `then 500 interactions; the table that measures it is figure-4.3`
fn without_figure(claim: &Claim) -> String {
    let [_, then, .., why] = cells_of_unmeasured(claim);
    claim.then.map_or_else(|| why.clone(), |_| format!("then {then}; {why}"))
}

fn cells(claim: &Claim, now: Now, verdict: Verdict) -> [String; 7] {
    [
        claim.label(),
        claim.then.map_or_else(|| "no figure".into(), |then| figure(then, claim.unit)),
        ours(claim, now),
        now.interval.map_or_else(|| "none".into(), |it| interval(it, claim.relation)),
        now.samples.to_string(),
        verdict.words().into(),
        claim.why().into(),
    ]
}

/// `then 1.74x, now 6.30x (5.90 to 6.80; 10 samples): why`
fn in_words(claim: &Claim, now: Now) -> String {
    let then = claim.then.map_or_else(String::new, |then| format!("then {}, ", figure(then, claim.unit)));
    let within = match now.interval {
        None => "no interval; ".into(),
        Some(it) if it.low.is_infinite() => String::new(),
        Some(it) => format!("{}; ", interval(it, claim.relation)),
    };
    let why = if claim.why().is_empty() { String::new() } else { format!(": {}", claim.why()) };
    format!("{then}now {} ({within}n = {}){why}", ours(claim, now), now.samples)
}

/// Lines that cross nowhere have no figure; if there is no interval either, that is open.
fn ours(claim: &Claim, now: Now) -> String {
    match now.interval {
        None if now.value.is_infinite() => "open".into(),
        _ => figure(now.value, claim.unit),
    }
}

fn interval(Interval { low, high }: Interval, relation: Relation) -> String {
    match low == high {
        true if low.is_infinite() => return "never".into(),
        true => return "exact".into(),
        false if high.is_infinite() && relation != Relation::Crosses => {
            return format!("{} or more", number(low));
        }
        false => {}
    }
    format!("{} to {}", number(low), number(high))
}

fn figure(value: f64, unit: &str) -> String {
    match unit {
        _ if !value.is_finite() => number(value),
        "x" | "" => format!("{}{unit}", number(value)),
        _ => format!("{} {unit}", number(value)),
    }
}

fn number(value: f64) -> String {
    match value {
        value if !value.is_finite() => "never".into(),
        whole if whole.fract() == 0.0 => format!("{whole:.0}"),
        value => three_digits(value),
    }
}

fn class(column: usize) -> &'static str {
    match column {
        0 | 6 => " class=\"name\"",
        5 => " class=\"verdict\"",
        _ => "",
    }
}

/// A word at the left and text beside it, in lines of at most this width.
fn hanging(text: &mut String, word: &str, beside: &str, width: usize) {
    for (at, line) in wrap(beside, width.saturating_sub(INDENT + 1)).into_iter().enumerate() {
        let word = if at == 0 { word } else { "" };
        let _ = writeln!(text, "{word:INDENT$} {line}");
    }
}

/// What stands where others have a verdict.
const NOT_MEASURED: &str = "not measured";
const HEADS: [&str; 7] = ["Claim", "Then", "Now", "Interval", "n", "Verdict", "Why"];
/// The columns of the longest verdict.
const INDENT: usize = 15;

#[cfg(test)]
mod tests {
    use super::*;

    fn both() -> ThenAndNow {
        let claim = |text: &str, unit| Claim::new(text, unit, Relation::Above(1.0)).then(1.5);
        let interval = Some(Interval { low: 2.0, high: f64::INFINITY });
        let now = Now { value: 2.25, interval, samples: 7 };
        ThenAndNow {
            is_ours: false,
            id: "p/claims".into(),
            asked: "Is <TLS> dear?".into(),
            found: "No.".into(),
            today: "It is | was.".into(),
            basis: "Times are medians.".into(),
            claims: vec![
                claim("TLS takes longer than UDP", "x").now(now).because(Verdict::Stronger, "UDP is quicker"),
                claim("a get takes 32 packets", "packets").now(Now::exact(32.0, 1)),
                claim("nobody measured this", "x"),
                claim("keys take time", "x").numbered("C8", "figure-4.3"),
            ],
            drawing: None,
        }
    }

    #[test]
    fn every_form_has_the_story_the_figures_and_the_verdicts() {
        let findings = findings();
        let (page, marks, words) = (html(&findings), markdown(&findings), terminal(&findings, 80));
        for form in [&page, &marks, &words] {
            for part in
                ["They asked", "It is ", "2.25x", "1.50x", "2 or more", "stronger", "UDP is quicker", "exact"]
            {
                assert!(form.contains(part), "{part}: {form}");
            }
            assert!(form.contains("One more claim has no figure") && !form.contains("nobody"), "{form}");
            for part in ["C8: keys take time", "not measured", "figure-4.3"] {
                assert!(form.contains(part), "{part}: {form}");
            }
        }
        assert!(page.contains("Is &lt;TLS&gt; dear?") && !page.contains("<TLS>"), "{page}");
        let none = Findings::default();
        assert!([html(&none), markdown(&none), terminal(&none, 80)].iter().all(String::is_empty));
    }

    #[test]
    fn a_run_whose_times_are_worth_nothing_says_so_first() {
        let mut findings = findings();
        assert!(!terminal(&findings, 80).contains("But:"));
        findings.doubts.push(Doubt::DebugBuild { program: "trunklined".into() });
        let text = terminal(&findings, 80);
        assert!(text.find("But:").unwrap() < text.find("claim by claim").unwrap(), "{text}");
    }

    fn findings() -> Findings {
        Findings { then_and_now: Some(both()), ..Findings::default() }
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for width in [60, 80, 120] {
            let text = terminal(&findings(), width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        }
    }

    #[test]
    fn claims_are_lines_of_the_csv_file_too() {
        let both = both();
        let all: Vec<[String; 9]> = records(&both).collect();
        assert_eq!(all.len(), 2);
        assert_eq!(
            all[0],
            ["p/claims", "TLS takes longer than UDP", "x: stronger", "1.5", "2.25", "2", "", "", "7"]
        );
    }
}
