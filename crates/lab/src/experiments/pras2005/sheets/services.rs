//! Figures 11 and 12 at application level, the text's figures about messages, and the granularity of section
//! III.A.

use crate::experiments::pras2005::paper::told;
use crate::experiments::pras2005::services::{
    COMPRESSIONS, Form, GSOAP, GSOAP_ZLIB, Grain, VALUES_OF_SNMP, VALUES_OF_WEB, of_snmp, of_web,
};
use trunkline_labkit::block::Operation;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::report::figure::Scale;
use trunkline_labkit::trial::Trials;

use super::super::{OBJECTS, SERVICES};
use super::lines::{self, Series, drawing};
use super::{many, placed};

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
                  document/literal; lean: rows by position. A request asks for the next n rows (GetNextIfEntries), where the paper's \
                  figure 8 asks for the whole table. `values` are the octets that the values themselves take in BER: what SNMP brings \
                  are columns, what web services bring are rows, so they differ: by how much depends on which \
                  columns the first ones are. The curves of the paper have no numbers; its \
                  factors of 2 and 4 are those of its own encoding and of many objects."
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
    gsoaps(&mut sheet, trials, GSOAP, &objects);
    for values in [VALUES_OF_SNMP, VALUES_OF_WEB] {
        let of = |&count: &u32| trials.read(SERVICES, values, count, Quantity::ValueOctets).median();
        sheet.row(values, &[], &objects.iter().map(of).collect::<Vec<_>>(), 1);
    }
    for form in Form::ALL {
        for (operation, paper) in [(Operation::Get, told::OVER_GET), (Operation::GetBulk, told::OVER_BULK)] {
            let ratios = over(
                &row(trials, &of_web(form, false), &objects),
                &row(trials, &of_snmp(operation, ""), &objects),
            );
            let mut papers = vec![None; objects.len()];
            if let Some(place) = many(&objects) {
                papers[place] = Some(paper);
            }
            let papers = of_papers_encoding(form, papers);
            sheet.row(format!("WS {form} / SNMP {operation}"), &papers, &ratios, 1);
        }
    }
    sheet.drawings.extend(drawing(
        "Octets of one interaction, at application level.",
        lines::OBJECTS,
        ("octets", Scale::Log),
        drawn,
    ));
    sheet
}

/// The figures of section IV.F about messages.
pub(super) fn told(trials: &Trials) -> Sheet {
    let columns = ["as-in-paper", "typed", "lean"];
    let mut sheet =
        Sheet::new("pras2005/messages", "parts of a web service's messages, octets (section IV.F)", &columns);
    sheet.note = "The request asks for the whole table, as in figure 8. Responses of 1, 2 and 4 rows of the paper's 18 columns by least squares: \
                  what is there without rows, and what each row adds. Names: those of elements in start and end tags. Types: the whole attribute, and of it the type's name \
                  alone (`unsignedInt`), which is what fits the paper's 15 %. The paper tells of its own encoding only."
        .into();
    let forms = [Form::AS_IN_PAPER, Form::TYPED, Form::LEAN];
    let request = forms
        .map(|form| trials.read(SERVICES, &of_web(form, false), 0, Quantity::WholeRequestOctets).median());
    let fitted = |quantity| {
        forms.map(|form| {
            let series = of_web(form, false);
            let point =
                |rows: u32| Some((f64::from(rows), trials.read(SERVICES, &series, rows, quantity).median()?));
            let points: Vec<(f64, f64)> =
                trials.places(SERVICES, quantity).into_iter().filter_map(point).collect();
            trunkline_labkit::statistics::fit(&points)
        })
    };
    let entry = fitted(Quantity::EntryOctets);
    let share = |quantity| {
        let parts = fitted(quantity).into_iter().zip(&entry);
        parts.map(|(part, whole)| Some(part?.slope / whole.as_ref()?.slope * 100.0)).collect::<Vec<_>>()
    };
    sheet.row("request", &[Some(told::REQUEST)], &request, 1);
    sheet.row("response without rows", &[Some(told::GENERIC)], &entry.map(|it| Some(it?.intercept)), 1);
    sheet.row("one ifEntry", &[Some(told::ENTRY)], &entry.map(|it| Some(it?.slope)), 1);
    for (label, paper, quantity) in [
        ("names, of one ifEntry (%)", Some(told::NAMES_SHARE), Quantity::EntryNames),
        ("attributes of type, of one ifEntry (%)", None, Quantity::EntryTypes),
        ("names of types alone, of one ifEntry (%)", Some(told::TYPES_SHARE), Quantity::EntryTypeNames),
    ] {
        sheet.row(label, &[paper], &share(quantity), 1);
    }
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
    sheet.note = "The four prototypes of the paper as ways to ask one service, and many single objects in one message, over one connection that is kept: the 18 columns of \
                  every row. zlib compresses each response alone, computed at the library's level 6. The paper gives no figures of them."
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
    sheet.note = "zlib compresses a web service's request and response (our agent sends up to 512 octets as they are). `zlib`: the answers \
                  of our agent, at level 1 as by default, rows of all columns by an encoder of their own; requests are compressed at level \
                  6. `zlib level 6`: both messages by the library's default, as gSOAP does; computed from those without compression. The \
                  paper names no level. OPC and ODC (of the drafts of 2001) shorten the names in both messages of SNMP, zlib (level 6) \
                  compresses their contents: as the client asks for it and the agent answers. Factors are octets without compression \
                  by those with it, and of SNMP per cent of those without. The paper tells its factors at 1, 50 and 250 objects; those of \
                  50 and 250 stand in the nearest column. Which SNMP operation its 75 % are of it does not say."
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
        sheet.row(&series, &[], &ours, 1);
        sheet.row(format!("{series} level 6"), &[], &by_library(trials, form, &objects), 1);
    }
    if gsoaps(&mut sheet, trials, GSOAP_ZLIB, &objects) {
        let [plain, packed] = [GSOAP, GSOAP_ZLIB].map(|series| row(trials, series, &objects));
        sheet.row("gSOAP, factor of zlib", &[], &over(&plain, &packed), 1);
    }
    for form in Form::ALL {
        let plain = row(trials, &of_web(form, false), &objects);
        let paper = of_papers_encoding(form, placed(&told::COMPRESSION, &objects));
        let [agents, librarys] =
            [row(trials, &of_web(form, true), &objects), by_library(trials, form, &objects)];
        sheet.row(format!("WS {form}, factor of zlib"), &paper, &over(&plain, &agents), 1);
        sheet.row(format!("WS {form}, factor of zlib level 6"), &paper, &over(&plain, &librarys), 1);
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
        "Octets of one interaction with compression, at application level.",
        lines::OBJECTS,
        ("octets", Scale::Log),
        drawn,
    ));
    sheet
}

/// A row of gSOAP's server, if it was measured.
fn gsoaps(sheet: &mut Sheet, trials: &Trials, series: &str, objects: &[u32]) -> bool {
    let ours = row(trials, series, objects);
    let is_there = ours.iter().any(Option::is_some);
    if is_there {
        sheet.note += OF_GSOAP;
        sheet.row(series, &[], &ours, 1);
    }
    is_there
}

/// What gSOAP's row has.
const OF_GSOAP: &str = " gSOAP: the server of peers/gsoap, whose answer to the request for the whole table has made-up rows of the \
                        paper's 18 columns. It stands where whole rows come within an eighth of the number of objects.";

/// Request and response with both compressed at the library's default level.
pub(super) fn by_library(trials: &Trials, form: Form, objects: &[u32]) -> Vec<Option<f64>> {
    let series = of_web(form, true);
    let of = |&count: &u32| trials.read(SERVICES, &series, count, Quantity::LibraryOctets).median();
    objects.iter().map(of).collect()
}

/// The paper's figures, if this is its encoding: of others it says nothing.
pub(super) fn of_papers_encoding(form: Form, paper: Vec<Option<f64>>) -> Vec<Option<f64>> {
    if form == Form::AS_IN_PAPER { paper } else { vec![] }
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
