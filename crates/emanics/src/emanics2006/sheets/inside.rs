//! What the clocks inside the agent say.

use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::picked::over;
use trunkline_labkit::reading::{Quantity, Readings};
use trunkline_labkit::report::figure::{Axis, Figure, Line, Panel, Point, Scale, Stroke, Style};
use trunkline_labkit::report::palette;
use trunkline_labkit::trial::Trials;

use super::{FIGURE_3_2, FIGURE_3_3, MS, SCHEMA, TABLE_3_3, US, sum};
use crate::emanics2006::inside::{
    CASES, CHECKS, COMPILED, DEFAULT, ENCRYPTED_COMPRESSED, PHASES, SUBTREE, XPATH, at_depth, phase_of,
};
use crate::emanics2006::requests::{of_figure_3_2, pairs};
use crate::emanics2006::{DEPTHS, paper};

/// A phase of a case at a place.
fn phase(trials: &Trials, table: &str, case: &str, phase: &str, at: u32) -> Readings {
    trials.read(table, &phase_of(case, phase), at, Quantity::PhaseNs)
}

/// Some phases together, and all of them.
fn phases(trials: &Trials, table: &str, case: &str, some: &[&str], at: u32) -> Readings {
    let series: Vec<String> = some.iter().map(|phase| phase_of(case, phase)).collect();
    sum(trials, table, &series, at, Quantity::PhaseNs)
}

/// The mean of some phases as a share of all, per cent.
fn share(trials: &Trials, table: &str, case: &str, some: &[&str], at: u32) -> Option<Estimate> {
    let part = phases(trials, table, case, some, at).mean_estimate();
    let all = phases(trials, table, case, &PHASES, at).mean_estimate();
    over(part.as_ref(), all.as_ref()).map(|it| it.map(|share| share * 100.0))
}

/// The cases that were measured, in the deliverable's order from the one without anything on.
fn cases(trials: &Trials) -> Vec<String> {
    let series = trials.series(FIGURE_3_2, Quantity::PhaseNs);
    let was_measured =
        |case: &&str| series.iter().any(|it| it.split_once(": ").is_some_and(|(of, _)| of == *case));
    CASES.iter().rev().map(|(case, _)| *case).filter(was_measured).map(str::to_owned).collect()
}

/// Phases that take a share of one of the requests that can be seen.
fn used(trials: &Trials, table: &str, case: &str, places: &[u32]) -> Vec<&'static str> {
    let takes_time = |name: &&&str| {
        let shares = places.iter().filter_map(|&at| share(trials, table, case, &[**name], at));
        shares.map(|it| it.value()).any(|share| share >= LEAST_SHARE)
    };
    PHASES.iter().filter(takes_time).copied().collect()
}

/// Per cent: marks of phases that did not happen take less.
const LEAST_SHARE: f64 = 0.3;

/// Figure 3.2: each phase of each request, microseconds.
pub(super) fn figure_3_2(trials: &Trials) -> Sheet {
    let requests = of_figure_3_2();
    let places: Vec<u32> = (1..=requests.len() as u32).collect();
    let columns: Vec<String> = places.iter().map(|at| format!("request {at}")).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet =
        Sheet::new(FIGURE_3_2, "processing time inside the agent, by phases (µs)", &columns).without_ratios();
    let list = requests.iter().zip(1..).map(|(request, at)| format!("{at} {}", request.name));
    sheet.note = format!(
        "Each repetition is the mean of ten requests in a kept session over TCP. The requests: {}. `access` is the whole of access control in a request, as rights are compiled when the policy changes; `filter` reads a filter \
         and evaluates an expression, `retrieve` finds the data, and makes it into what the filter looks at. The deliverable's figure is a drawing: its \
         text has 11 ms in the mean. Data that was read from the machine serves for ten seconds.",
        list.collect::<Vec<_>>().join(", ")
    );
    let mut lines = Vec::new();
    for (at, case) in cases(trials).into_iter().enumerate() {
        let used = used(trials, FIGURE_3_2, &case, &places);
        let row = |of: &dyn Fn(u32) -> Readings| -> Vec<Option<Estimate>> {
            places.iter().map(|&at| of(at).mean_estimate().map(|it| it.map(|ns| ns / US))).collect()
        };
        for name in used {
            sheet.estimates(
                format!("{case}: {name}"),
                &[],
                &row(&|at| phase(trials, FIGURE_3_2, &case, name, at)),
            );
        }
        let all = row(&|at| phases(trials, FIGURE_3_2, &case, &PHASES, at));
        let points = places.iter().zip(&all).filter_map(|(&x, y)| Some(Point::of(f64::from(x), y.as_ref()?)));
        sheet.estimates(format!("{case}: all"), &[], &all);
        // The requests are unrelated: nothing lies between them.
        let style = Style { stroke: Stroke::None, ..palette::series(at) };
        lines.push(Line::new(case.clone(), style, points));
        let median: Vec<Option<Estimate>> = places
            .iter()
            .map(|&at| {
                phases(trials, FIGURE_3_2, &case, &PHASES, at)
                    .median_estimate()
                    .map(|it| it.map(|ns| ns / US))
            })
            .collect();
        sheet.estimates(format!("{case}: all, median"), &[], &median);
    }
    if lines.iter().any(|line| !line.points.is_empty()) {
        let axis = |title: &str, scale| Axis { title: title.into(), scale };
        let figure = Figure {
            title: "All phases of seven requests".into(),
            x: axis("request", Scale::Linear),
            y: axis("µs", Scale::Log),
            panels: vec![Panel { lines, ..Panel::default() }],
        };
        let caption = "All phases together, request by request, in the four cases; bars are intervals at 95 %. The phases are in the table; the deliverable's figure has columns of them.";
        sheet.drawings.push((figure, caption.into()));
    }
    sheet
}

/// Shares of the processing time, beside those of the deliverable's text.
pub(super) fn shares(trials: &Trials) -> Sheet {
    let requests = of_figure_3_2();
    let places: Vec<u32> = (1..=requests.len() as u32).collect();
    let mut columns: Vec<String> = vec!["mean of all".into()];
    columns.extend(places.iter().map(|at| format!("request {at}")));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet =
        Sheet::new("emanics2006/shares", "shares of the processing time (%, figure 3.2)", &columns)
            .without_ratios();
    sheet.note = "Shares of the mean of all phases. Encryption is with the signature, and decryption with its verification. Answers of less than 1000 octets go uncompressed. The deliverable's text has 6 % for access control (RBAC), 9.5 % for encryption, 3.6 % for decryption, and \
                  about 20 % for all protection. Erratum: it says that filtering with XPath takes less than 1 ms, where 8 of 12 values of its table 3.3 \
                  take longer."
        .into();
    for case in cases(trials) {
        let kinds: [(&str, &[&str], Option<f64>); 9] = [
            ("access control", &["access"], Some(paper::RBAC_SHARE)),
            ("encryption", &["encrypt", "sign"], Some(paper::ENCRYPTION_SHARE)),
            ("encryption, without the signature", &["encrypt"], None),
            ("signature", &["sign"], None),
            ("decryption", &["decrypt", "verify"], Some(paper::DECRYPTION_SHARE)),
            ("decryption, without verification", &["decrypt"], None),
            ("verification", &["verify"], None),
            ("compression", &["deflate", "inflate"], None),
            (
                "all protection",
                &["access", "encrypt", "sign", "decrypt", "verify", "deflate", "inflate"],
                (case == ENCRYPTED_COMPRESSED).then_some(paper::PROTECTION_SHARE),
            ),
        ];
        for (what, some, papers) in kinds {
            let takes_time = some.iter().any(|name| used(trials, FIGURE_3_2, &case, &places).contains(name));
            // Without protection there is access control alone.
            let is_all = what == "all protection" && case == DEFAULT;
            if !takes_time || is_all {
                continue;
            }
            let each = places.iter().map(|&at| share(trials, FIGURE_3_2, &case, some, at));
            let ours: Vec<Option<Estimate>> =
                std::iter::once(share_of_all(trials, &case, some, &places)).chain(each).collect();
            sheet.estimates(format!("{case}: {what}"), &[papers], &ours);
        }
    }
    sheet
}

/// Whether the answer to a request is long enough to be compressed.
pub(super) fn is_compressed(trials: &Trials, case: &str, at: u32) -> bool {
    share(trials, FIGURE_3_2, case, &["deflate"], at).is_some_and(|it| it.value() >= LEAST_SHARE)
}

/// The share of some phases in the mean of all requests.
pub(super) fn share_of_all(trials: &Trials, case: &str, some: &[&str], places: &[u32]) -> Option<Estimate> {
    let of_all = |some: &[&str]| -> Option<Estimate> {
        let means: Vec<Estimate> = places
            .iter()
            .filter_map(|&at| phases(trials, FIGURE_3_2, case, some, at).mean_estimate())
            .collect();
        let means: Vec<&Estimate> = means.iter().collect();
        (!means.is_empty()).then(|| Estimate::combine(&means, |values| values.iter().sum()))
    };
    over(of_all(some).as_ref(), of_all(&PHASES).as_ref()).map(|it| it.map(|share| share * 100.0))
}

/// What node selection is, in phases: to find the data and choose from it.
pub(super) const SELECTION: [&str; 2] = ["filter", "retrieve"];

/// Table 3.3: selection by subtree filters and by XPath.
pub(super) fn table_3_3(trials: &Trials) -> Sheet {
    let columns = [
        "subtree (µs)",
        "XPath (µs)",
        "subtree request (octets)",
        "XPath request (octets)",
        "subtree answer (octets)",
        "XPath answer (octets)",
    ];
    let mut sheet =
        Sheet::new(TABLE_3_3, "node selection by subtree filters and by XPath (table 3.3)", &columns)
            .without_ratios();
    sheet.note = "Twelve pairs of requests, in the order of the deliverable's columns, though theirs asked for other things. Selection is \
                  what the agent's clocks have for reading the filter, finding the data and choosing from it (`filter` and `retrieve`). Each repetition is \
                  the mean of ten requests. A star: a subtree filter cannot say it, and the manager has to choose from a longer answer, for which it takes time that is not in the figure; such a pair is in no mean and in no claim. \
                  The mean of the deliverable is that of its twelve pairs. Errata: the text \
                  has \"8 get-config requests\", the table 12; \"each request is sent 10 times\", and \"made 1000 times\"."
        .into();
    let anywhere: Vec<String> = (1..)
        .zip(pairs())
        .filter(|(_, pair)| pair.is_same && pair.xpath.operation.contains("//"))
        .map(|(at, _): (u32, _)| at.to_string())
        .collect();
    sheet.note += &format!(
        " The mean is of times, so that a long one counts for more. Expressions with `//`, which look at every node, are those of pairs {}.",
        anywhere.join(", ")
    );
    sheet.note += " The requests:";
    for (pair, at) in pairs().iter().zip(1..) {
        let texts = [&pair.subtree, &pair.xpath].map(|it| it.operation.as_str());
        sheet.note += &format!(" ({at}) `{}` or `{}`", texts[0], texts[1]);
        let papers = [Some(paper::SUBTREE_US[at as usize - 1]), Some(paper::XPATH_US[at as usize - 1])];
        let selection = |way| {
            phases(trials, TABLE_3_3, way, &SELECTION, at).mean_estimate().map(|it| it.map(|ns| ns / US))
        };
        let octets = |way, quantity| trials.read(TABLE_3_3, way, at, quantity).mean().map(Estimate::exact);
        let ours = [
            selection(SUBTREE),
            selection(XPATH),
            octets(SUBTREE, Quantity::RequestOctets),
            octets(XPATH, Quantity::RequestOctets),
            octets(SUBTREE, Quantity::ResponseOctets),
            octets(XPATH, Quantity::ResponseOctets),
        ];
        let star = if pair.is_same { "" } else { " *" };
        sheet.estimates(format!("{at} {}{star}", pair.what), &papers, &ours);
    }
    let papers = [Some(paper::mean(&paper::SUBTREE_US)), Some(paper::mean(&paper::XPATH_US))];
    sheet.estimates(
        "mean of those without a star",
        &papers,
        &[mean_selection(trials, SUBTREE), mean_selection(trials, XPATH)],
    );
    sheet
}

/// The numbers of the pairs that select the same data.
pub(super) fn alike() -> impl Iterator<Item = u32> {
    pairs().into_iter().zip(1..).filter(|(pair, _)| pair.is_same).map(|(_, at)| at)
}

/// The mean over the pairs that are alike, microseconds.
pub(super) fn mean_selection(trials: &Trials, way: &str) -> Option<Estimate> {
    mean_of(alike().map(|at| phases(trials, TABLE_3_3, way, &SELECTION, at).mean_estimate()))
        .map(|it| it.map(|ns| ns / US))
}

/// The mean of figures that are all there.
fn mean_of(figures: impl Iterator<Item = Option<Estimate>>) -> Option<Estimate> {
    let figures: Vec<Estimate> = figures.collect::<Option<_>>()?;
    let figures: Vec<&Estimate> = figures.iter().collect();
    let count = figures.len() as f64;
    Some(Estimate::combine(&figures, |values| values.iter().sum::<f64>() / count))
}

/// The octets of all alike XPath requests as a share of those of the subtree requests.
pub(super) fn request_octets(trials: &Trials) -> Option<f64> {
    let sum = |way| {
        let each = alike().map(|at| trials.read(TABLE_3_3, way, at, Quantity::RequestOctets).mean());
        each.collect::<Option<Vec<f64>>>().map(|all| all.iter().sum::<f64>())
    };
    Some(sum(XPATH)? / sum(SUBTREE)?)
}

/// Selection as a share of what the agent does in a request.
pub(super) fn selection_share(trials: &Trials) -> Sheet {
    let columns = ["subtree (%)", "XPath (%)", "subtree, filter alone (%)", "XPath, filter alone (%)"];
    let mut sheet = Sheet::new(
        "emanics2006/selection-share",
        "selection as a share of the processing time (section 3.4)",
        &columns,
    );
    sheet.note = "Selection is `filter` and `retrieve`; `filter` alone reads the filter and evaluates it, `retrieve` finds the data and makes it into what the filter looks at. \
                  The deliverable says that the total processing time of a request is much higher than that of the filter, without a figure.".into();
    for (pair, at) in pairs().iter().zip(1..) {
        let parts: [&[&str]; 2] = [&SELECTION, &["filter"]];
        let ours = parts
            .map(|some| [SUBTREE, XPATH].map(|way| share(trials, TABLE_3_3, way, some, at)))
            .into_iter()
            .flatten()
            .collect::<Vec<_>>();
        sheet.estimates(format!("{at} {}", pair.what), &[], &ours);
    }
    sheet
}

/// The mean share of some phases over the pairs that are alike, per cent.
pub(super) fn mean_share(trials: &Trials, some: &[&str]) -> Option<Estimate> {
    mean_of(alike().flat_map(|at| [SUBTREE, XPATH].map(|way| share(trials, TABLE_3_3, way, some, at))))
}

/// Figure 3.3: access control by permissions and depth.
pub(super) fn figure_3_3(trials: &Trials) -> Sheet {
    let first = phase_of(&at_depth(DEPTHS[0]), "access");
    let mut counts: Vec<u32> =
        trials.readings(FIGURE_3_3).filter(|it| it.series == first).map(|it| it.at).collect();
    counts.sort_unstable();
    counts.dedup();
    let columns: Vec<String> = counts.iter().map(|count| count.to_string()).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut sheet = Sheet::new(
        FIGURE_3_3,
        "access control by the number of permissions and the depth of the hierarchy (µs)",
        &columns,
    )
    .without_ratios();
    sheet.note = "Columns: permissions that a role has in all, with those it inherits; depth: roles that inherit from one another, each with its share of them. \
                  What the request reads, the system group, is a permission of the most junior role. `access` is all that a request does for access control. Rights are compiled once, when the policy changes: what that takes is in \
                  `emanics2006/compiled`. Erratum: the deliverable's sentence about what its figure varies is cut off (\"the effect of \
                  access control mechanism and the number.\"); its figure is a drawing, and its text has 6 % of the processing time."
        .into();
    let mut lines = Vec::new();
    for (at, depth) in DEPTHS.into_iter().enumerate() {
        let case = at_depth(depth);
        let access: Vec<Option<Estimate>> = counts
            .iter()
            .map(|&count| {
                phase(trials, FIGURE_3_3, &case, "access", count)
                    .mean_estimate()
                    .map(|it| it.map(|ns| ns / US))
            })
            .collect();
        let all: Vec<Option<Estimate>> = counts
            .iter()
            .map(|&count| {
                phases(trials, FIGURE_3_3, &case, &PHASES, count)
                    .mean_estimate()
                    .map(|it| it.map(|ns| ns / US))
            })
            .collect();
        let shares: Vec<Option<Estimate>> =
            counts.iter().map(|&count| share(trials, FIGURE_3_3, &case, &["access"], count)).collect();
        let points =
            counts.iter().zip(&access).filter_map(|(&x, y)| Some(Point::of(f64::from(x), y.as_ref()?)));
        lines.push(Line::new(case.clone(), palette::series(at), points));
        sheet.estimates(format!("{case}: access"), &[], &access);
        sheet.estimates(format!("{case}: all phases"), &[], &all);
        sheet.estimates(format!("{case}: access, % of all"), &[], &shares);
    }
    if lines.iter().any(|line| !line.points.is_empty()) {
        let figure = Figure {
            title: "Access control in a request".into(),
            x: Axis { title: "permissions".into(), scale: Scale::Log },
            y: Axis { title: "µs".into(), scale: Scale::Linear },
            panels: vec![Panel { lines, ..Panel::default() }],
        };
        let caption =
            "Access control of one request, by the permissions of its role; bars are intervals at 95 %.";
        sheet.drawings.push((figure, caption.into()));
    }
    sheet
}

/// What the agent does when its policy changes.
pub(super) fn compiled(trials: &Trials) -> Sheet {
    let columns = ["mean (ms)", "median (ms)"];
    let mut sheet =
        Sheet::new("emanics2006/compiled", "the access policy compiled anew (figure 3.3)", &columns)
            .without_ratios();
    sheet.note = "When the agent reads its configuration again, it compiles the rights of all roles, for all requests that follow: once for each part of \
                  its settings that changes, and all of that is here. An agent without such a memory would do a part of it in each request."
        .into();
    for roles in trials.places(FIGURE_3_3, Quantity::PhaseNs) {
        let compiled = trials.read(FIGURE_3_3, COMPILED, roles, Quantity::PhaseNs);
        if compiled.count() > 0 {
            let in_ms = |figure: Option<Estimate>| figure.map(|it| it.map(|ns| ns / MS));
            let ours = [in_ms(compiled.mean_estimate()), in_ms(compiled.median_estimate())];
            sheet.estimates(format!("{roles} users with the roles of figure 3.3"), &[], &ours);
        }
    }
    sheet
}

/// Section 3.2: what validation of each request costs.
pub(super) fn schema(trials: &Trials) -> Sheet {
    let columns = ["all (ms)", "median (ms)", "validation (µs)", "filter (µs)", "x"];
    let mut sheet =
        Sheet::new(SCHEMA, "validation of each request by a schema (section 3.2)", &columns).without_ratios();
    sheet.note = "Means over the seven requests of figure 3.2, over TCP, each repetition of ten of them; the median is the mean of the seven requests' own medians; x: times the processing time without. The deliverable has \
                  11 ms without and 650 ms with validation (\"a factor 60\", which is 59.1), and more than 600 ms for one validation. The agent's own check is of \
                  the typed request; libxml2 parses the message once more and checks it by an XML Schema of the base protocol."
        .into();
    let [without, with] = paper::SCHEMA_MS;
    let papers = [Some(without), None, Some(with)];
    for ((check, _), papers) in CHECKS.into_iter().zip(papers) {
        let all = mean_of_requests(trials, check, &PHASES);
        let median = median_of_requests(trials, check);
        let in_us = |some: &[&str]| mean_of_requests(trials, check, some).map(|it| it.map(|ns| ns / US));
        let times = schema_times(trials, check);
        let ours = [
            all.map(|it| it.map(|ns| ns / MS)),
            median.map(|it| it.map(|ns| ns / MS)),
            in_us(&["validate"]),
            in_us(&["filter"]),
            times,
        ];
        let factor = papers.filter(|ms| *ms > without).map(|_| paper::SCHEMA_FACTOR);
        sheet.estimates(check, &[papers, None, None, None, factor], &ours);
    }
    sheet
}

/// The mean over all requests, nanoseconds.
fn mean_of_requests(trials: &Trials, check: &str, some: &[&str]) -> Option<Estimate> {
    let means: Vec<Estimate> = (1..=paper::FIGURE_3_2_REQUESTS)
        .filter_map(|at| phases(trials, SCHEMA, check, some, at).mean_estimate())
        .collect();
    let parts: Vec<&Estimate> = means.iter().collect();
    (!parts.is_empty())
        .then(|| Estimate::combine(&parts, |values| values.iter().sum::<f64>() / values.len() as f64))
}

fn median_of_requests(trials: &Trials, check: &str) -> Option<Estimate> {
    let medians: Vec<Estimate> = (1..=paper::FIGURE_3_2_REQUESTS)
        .filter_map(|at| phases(trials, SCHEMA, check, &PHASES, at).median_estimate())
        .collect();
    let parts: Vec<&Estimate> = medians.iter().collect();
    (!parts.is_empty())
        .then(|| Estimate::combine(&parts, |values| values.iter().sum::<f64>() / values.len() as f64))
}

/// A check's processing time as a multiple of that without.
pub(super) fn schema_times(trials: &Trials, check: &str) -> Option<Estimate> {
    let [(without, _), ..] = CHECKS;
    let all = |check| mean_of_requests(trials, check, &PHASES);
    over(all(check).as_ref(), all(without).as_ref())
}
