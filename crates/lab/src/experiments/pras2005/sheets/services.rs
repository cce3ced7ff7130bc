//! Figures 11 and 12 at application level, the text's figures about messages, and the granularity of section
//! III.A.

use crate::experiments::pras2005::paper::told;
use crate::experiments::pras2005::services::{COMPRESSIONS, Form, Grain, of_snmp, of_web};
use crate::kit::block::Operation;
use crate::kit::findings::Sheet;
use crate::kit::reading::Quantity;
use crate::kit::report::figure::Scale;
use crate::kit::trial::Trials;

use super::super::{OBJECTS, SERVICES};
use super::lines::{self, Series, drawing};
use super::placed;

/// Figure 11: web services and SNMP, without compression.
pub(super) fn figure_11(trials: &Trials) -> Sheet {
    let objects = objects(trials);
    let mut sheet = Sheet::by_objects(
        "pras2005/figure-11",
        "octets of request and response at application level",
        &objects,
    );
    sheet.note = "SNMP: the first instances of ifTable. Web services: as many rows as make up n objects (1: one ifIndex), of the same \
                  interfaces; the messages without HTTP's heads. as-in-paper: figures 8 to 10 of the paper; typed: \
                  document/literal; lean: rows by position. The curves of the paper have no numbers; what its text tells \
                  stands below."
        .into();
    let mut drawn = Vec::new();
    for operation in [Operation::Get, Operation::GetBulk] {
        let series = of_snmp(operation, "");
        let ours = row(trials, &series, &objects);
        drawn.push(Series::of(series.clone(), &objects, &ours));
        sheet.row(series, &[], &ours, 1);
    }
    for form in Form::ALL {
        let series = of_web(form, false);
        let ours = row(trials, &series, &objects);
        drawn.push(Series::of(series.clone(), &objects, &ours).dashed());
        sheet.row(series, &[], &ours, 1);
    }
    let last = objects.len().saturating_sub(1);
    for form in Form::ALL {
        for (operation, paper) in [(Operation::Get, told::OVER_GET), (Operation::GetBulk, told::OVER_BULK)] {
            let ratios = over(
                &row(trials, &of_web(form, false), &objects),
                &row(trials, &of_snmp(operation, ""), &objects),
            );
            let mut papers = vec![None; objects.len()];
            if let Some(place) = papers.get_mut(last) {
                *place = Some(paper);
            }
            sheet.row(format!("WS {form} / SNMP {operation}"), &papers, &ratios, 1);
        }
    }
    sheet.drawings.extend(drawing(
        "Octets of one interaction, at application level",
        lines::OBJECTS,
        ("octets", Scale::Log),
        drawn,
    ));
    sheet
}

/// The figures of section IV.F about messages.
pub(super) fn told(trials: &Trials) -> Sheet {
    let columns = ["as-in-paper (octets)", "typed (octets)", "lean (octets)"];
    let mut sheet =
        Sheet::new("pras2005/messages", "parts of a web service's messages (section IV.F)", &columns);
    sheet.note = "The request asks for the whole table, as in figure 8. Responses of 1, 2 and 4 rows of the paper's 18 columns by least squares: \
                  what is there without rows, and what each row adds. The paper tells of its own encoding only."
        .into();
    let forms = [Form::AS_IN_PAPER, Form::TYPED, Form::LEAN];
    let request = forms
        .map(|form| trials.read(SERVICES, &of_web(form, false), 0, Quantity::WholeRequestOctets).median());
    let fitted = forms.map(|form| {
        let series = of_web(form, false);
        let points: Vec<(f64, f64)> = trials
            .places(SERVICES, Quantity::EntryOctets)
            .into_iter()
            .filter_map(|rows| {
                let octets = trials.read(SERVICES, &series, rows, Quantity::EntryOctets).median()?;
                Some((f64::from(rows), octets))
            })
            .collect();
        crate::kit::statistics::fit(&points)
    });
    sheet.row("request", &[Some(told::REQUEST)], &request, 1);
    sheet.row("response without rows", &[Some(told::GENERIC)], &fitted.map(|it| Some(it?.intercept)), 1);
    sheet.row("one ifEntry", &[Some(told::ENTRY)], &fitted.map(|it| Some(it?.slope)), 1);
    sheet
}

/// Section III.A: the whole table in four granularities.
pub(super) fn granularity(trials: &Trials) -> Sheet {
    let columns = [
        "interactions",
        "requests (octets)",
        "responses (octets)",
        "responses with zlib (octets)",
        "octets an object",
    ];
    let mut sheet = Sheet::new(
        "pras2005/granularity",
        "ifTable fetched object by object, row by row, column by column, and whole (section III.A)",
        &columns,
    );
    sheet.note = "The four prototypes of the paper as four ways to ask one service, over one connection that is kept: the 18 columns of \
                  every row. zlib compresses each response alone. The paper gives no figures of them."
        .into();
    let at = trials.places(SERVICES, Quantity::Interactions).last().copied().unwrap_or(0);
    for form in Form::ALL {
        for grain in Grain::ALL {
            let series = format!("WS {form}, {grain}");
            let of = |quantity| trials.read(SERVICES, &series, at, quantity).median();
            let (request, response) = (of(Quantity::GrainRequestOctets), of(Quantity::GrainResponseOctets));
            let objects = f64::from(at) * f64::from(told::ENTRY_OBJECTS);
            let each = request.zip(response).map(|(one, other)| (one + other) / objects);
            let ours = [of(Quantity::Interactions), request, response, of(Quantity::GrainPackedOctets), each];
            sheet.row(series, &[], &ours, 1);
        }
    }
    sheet
}

/// Figure 12: the same with compression.
pub(super) fn figure_12(trials: &Trials) -> Sheet {
    let objects = objects(trials);
    let mut sheet = Sheet::by_objects(
        "pras2005/figure-12",
        "octets of request and response at application level, with compression",
        &objects,
    );
    sheet.note = "zlib compresses a web service's request and response (our agent sends up to 512 octets as they \
                  are); OPC and ODC (of the drafts of 2001) shorten the names of \
                  both messages of SNMP. Factors are octets without compression by those with it, and of SNMP per cent of those \
                  without. The paper tells its factors at 1, 50 and 250 objects, which stand at the nearest column. What SNMP's \
                  messages take compressed is computed from those of an exchange without compression; our agent packs web \
                  services at zlib's level 1."
        .into();
    let mut drawn = Vec::new();
    for operation in [Operation::Get, Operation::GetBulk] {
        for (name, _) in COMPRESSIONS {
            let series = of_snmp(operation, name);
            let ours = row(trials, &series, &objects);
            if operation == Operation::GetBulk {
                drawn.push(Series::of(series.clone(), &objects, &ours));
            }
            sheet.row(series, &[], &ours, 1);
        }
    }
    for form in Form::ALL {
        let series = of_web(form, true);
        let ours = row(trials, &series, &objects);
        drawn.push(Series::of(series.clone(), &objects, &ours).dashed());
        sheet.row(series, &[], &ours, 1);
    }
    for form in Form::ALL {
        let ours =
            over(&row(trials, &of_web(form, false), &objects), &row(trials, &of_web(form, true), &objects));
        sheet.row(format!("WS {form}, factor of zlib"), &placed(&told::COMPRESSION, &objects), &ours, 1);
    }
    for operation in [Operation::Get, Operation::GetBulk] {
        for name in [", OPC", ", ODC", ", zlib"] {
            let (with, without) = (of_snmp(operation, name), of_snmp(operation, ""));
            let ours = over(&row(trials, &with, &objects), &row(trials, &without, &objects));
            let ours: Vec<Option<f64>> = ours.into_iter().map(|it| it.map(|it| it * 100.0)).collect();
            let paper =
                if name == ", OPC" { vec![Some(told::PREFIX_COMPRESSION); objects.len()] } else { vec![] };
            sheet.row(format!("{with}, of SNMP {operation} (%)"), &paper, &ours, 1);
        }
    }
    sheet.drawings.extend(drawing(
        "Octets of one interaction with compression, at application level",
        lines::OBJECTS,
        ("octets", Scale::Log),
        drawn,
    ));
    sheet
}

/// Request and response, for each number of objects.
pub(super) fn row(trials: &Trials, series: &str, objects: &[u32]) -> Vec<Option<f64>> {
    let of = |&count: &u32| {
        let of = |quantity| trials.read(SERVICES, series, count, quantity).median();
        Some(of(Quantity::RequestOctets)? + of(Quantity::ResponseOctets)?)
    };
    objects.iter().map(of).collect()
}

/// The measured numbers of objects, or the default ones.
pub(super) fn objects(trials: &Trials) -> Vec<u32> {
    let found = trials.places(SERVICES, Quantity::RequestOctets);
    if found.is_empty() { OBJECTS.to_vec() } else { found }
}

/// The quotients of two lists.
pub(super) fn over(upper: &[Option<f64>], lower: &[Option<f64>]) -> Vec<Option<f64>> {
    let of = |(upper, lower): (&Option<f64>, &Option<f64>)| match (upper, lower) {
        (Some(upper), Some(lower)) if *lower != 0.0 => Some(upper / lower),
        _ => None,
    };
    upper.iter().zip(lower).map(of).collect()
}
