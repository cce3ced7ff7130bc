//! Figures 13 and 14: CPU time for coding, compression, and retrieval.

use crate::experiments::pras2005::codecs::{BER, BER_GET};
use crate::experiments::pras2005::coding::{INSIDE, under};
use crate::experiments::pras2005::common::XML;
use crate::experiments::pras2005::paper::told::{self, Told};
use crate::experiments::pras2005::services::Form;
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::report::figure::Scale;
use trunkline_labkit::subject::Freshness;
use trunkline_labkit::trial::Trials;

use super::super::{CODING, OBJECTS, RETRIEVAL};
use super::lines::{self, Series, drawing};
use super::placed;
use super::services::of_papers_encoding;

/// A figure for each number of objects.
pub(super) type Row = Vec<Option<Estimate>>;

/// Figure 13: decoding a request, encoding its answer, and compressing that.
pub(super) fn figure_13(trials: &Trials) -> Sheet {
    let objects = objects(trials, CODING, Quantity::CodingNs);
    let mut sheet =
        Sheet::by_objects("pras2005/figure-13", "CPU time for coding and compression (ms)", &objects)
            .without_ratios();
    sheet.note = "Decoding a request and encoding its answer, of values that are there already: CPU time of this process, blocks of many, \
                  all codecs in turn, the median. `in the agent`: the clocks of trunklined-lab inside a request over UDP, GetBulk. XML: as \
                  many rows. `level 1`: what compressing adds if it is done as our agent does it by default, rows of all columns \
                  while they are written, others by zlib. `level 6`: the finished message by zlib at its own default, as gSOAP \
                  does; the paper names no level. SNMP's zlib is always at level 6. gSOAP's server has no clocks inside, so it has no row: the \
                  CPU time of its whole requests is in figure 14. The paper's figures (Pentium, 800 MHz) stand beside \
                  what it measured, in the column nearest to its number of objects."
        .into();
    let of = |series: &str, quantity| row(trials, CODING, series, &objects, quantity);
    let ber = of(BER, Quantity::CodingNs);
    let inside = of(INSIDE, Quantity::CodingNs);
    let mut drawn = vec![Series::estimated(BER, &objects, &ber)];
    sheet.estimates(BER, &placed(&told::BER_CODING, &objects), &ber);
    sheet.estimates(BER_GET, &[], &of(BER_GET, Quantity::CodingNs));
    sheet.estimates(INSIDE, &[], &inside);
    sheet.estimates(format!("{BER}, zlib"), &[], &of(BER, Quantity::CompressionNs));
    for form in Form::ALL {
        let series = format!("{XML} {form}");
        let coding = coding(trials, form, &objects);
        let paper = of_papers_encoding(form, placed(&told::XML_CODING, &objects));
        sheet.estimates(&series, &paper, &coding);
        let [first, sixth] = packing(trials, form, &objects);
        sheet.estimates(format!("{series}, zlib level 1"), &[], &first);
        sheet.estimates(format!("{series}, zlib level 6"), &[], &sixth);
        drawn.push(Series::estimated(series.clone(), &objects, &coding));
        if form == Form::AS_IN_PAPER {
            drawn.push(Series::estimated(format!("{series}, zlib level 6"), &objects, &sixth).dashed());
        }
    }
    drawn.extend([of_paper("BER", &told::BER_CODING), of_paper("XML", &told::XML_CODING)]);
    let caption = "CPU time for coding and, of the paper's encoding, for compression. Bars and areas are intervals at 95 %; grey: what the \
                   paper tells, of a processor of 800 MHz.";
    sheet.drawings.extend(drawing(caption, lines::OBJECTS, ("CPU time (ms)", Scale::Log), drawn));
    sheet
}

/// The paper's figures in a drawing.
fn of_paper(what: &str, list: &[Told]) -> Series {
    Series::told(what, list.iter().map(|told| (told.objects, told.figure)))
}

/// How much longer XML takes than BER, and compression than coding.
pub(super) fn factors(trials: &Trials) -> Sheet {
    let objects = objects(trials, CODING, Quantity::CodingNs);
    let mut sheet = Sheet::by_objects(
        "pras2005/coding-factors",
        "coding in XML by coding in BER, and compression by coding (figure 13)",
        &objects,
    );
    sheet.note = "Quotients of the rows of figure 13. The paper says of compression that it takes 3 to 5 times as long as coding, without \
                  saying of how many objects or at which level: it has no place in a column."
        .into();
    let papers = placed(&told::XML_CODING, &objects).into_iter().zip(placed(&told::BER_CODING, &objects));
    let papers: Vec<Option<f64>> = papers.map(|(xml, ber)| Some(xml? / ber?)).collect();
    for form in Form::ALL {
        let label = format!("{XML} {form} / {BER}");
        sheet.estimates(
            label,
            &of_papers_encoding(form, papers.clone()),
            &xml_over_ber(trials, form, &objects),
        );
    }
    for form in Form::ALL {
        let coding = coding(trials, form, &objects);
        for (level, packing) in [1, 6].into_iter().zip(packing(trials, form, &objects)) {
            sheet.estimates(
                format!("{XML} {form}, zlib level {level} / coding"),
                &[],
                &over(&packing, &coding),
            );
        }
    }
    sheet
}

/// Coding in an encoding by coding in BER.
pub(super) fn xml_over_ber(trials: &Trials, form: Form, objects: &[u32]) -> Row {
    over(&coding(trials, form, objects), &row(trials, CODING, BER, objects, Quantity::CodingNs))
}

/// Coding in an encoding, milliseconds.
pub(super) fn coding(trials: &Trials, form: Form, objects: &[u32]) -> Row {
    row(trials, CODING, &format!("{XML} {form}"), objects, Quantity::CodingNs)
}

/// What compression adds to it, milliseconds: at level 1 as the agent does it, and at level 6.
pub(super) fn packing(trials: &Trials, form: Form, objects: &[u32]) -> [Row; 2] {
    let series = format!("{XML} {form}");
    let both = row(trials, CODING, &series, objects, Quantity::PackedCodingNs);
    let first = minus(&both, &coding(trials, form, objects));
    [first, row(trials, CODING, &series, objects, Quantity::CompressionNs)]
}

/// Figure 14: retrieval beside coding.
pub(super) fn figure_14(trials: &Trials) -> Sheet {
    let objects = objects(trials, RETRIEVAL, Quantity::RetrievalNs);
    let mut sheet = Sheet::by_objects(
        "pras2005/figure-14",
        "CPU time for retrieving the data, compared with coding (ms)",
        &objects,
    )
    .without_ratios();
    sheet.note = "Under three policies: the kernel is read again for each object (as Net-SNMP 5.0 did), for each request (as the paper's web \
                  services did), or what was read is used for ten seconds (max-age). Retrieval: what the clocks of trunklined-lab have \
                  for finding values, and the CPU time of its process beyond that under max-age, where nothing is read; where it is \
                  small the difference may come out negative. `whole request`: the CPU time of an agent's process for a GetBulk, \
                  or over a kept connection for a web service's request in the paper's encoding, receiving and sending included; \
                  Net-SNMP's agent and gSOAP's server (made-up rows of 18 columns, where whole rows come within an eighth of the \
                  number of objects) have no clocks inside. As it ships, ours keeps what it has read for a \
                  second, and Net-SNMP's keeps its ifTable for some seconds. The paper tells 1.2 to 2.0 ms of one object (1.6 stands \
                  here); its 6 ms of 5 objects and 65 ms of 54 have no column near to them unless --objects has 5 and 54."
        .into();
    let mut drawn = Vec::new();
    for freshness in Freshness::ALL {
        let ours = retrieval(trials, freshness, &objects);
        drawn.push(Series::estimated(format!("retrieval, {freshness}"), &objects, &ours));
        let paper =
            if freshness == Freshness::PerObject { placed(&told::RETRIEVAL, &objects) } else { vec![] };
        sheet.estimates(format!("retrieval, {freshness}"), &paper, &ours);
    }
    for freshness in Freshness::ALL {
        let ours = row(trials, RETRIEVAL, &under(freshness), &objects, Quantity::DelayNs);
        sheet.estimates(format!("delay, {freshness}"), &[], &ours);
    }
    for series in trials.series(RETRIEVAL, Quantity::CpuNs) {
        let ours = row(trials, RETRIEVAL, &series, &objects, Quantity::CpuNs);
        sheet.estimates(format!("{series}: whole request"), &[], &ours);
    }
    let ber = row(trials, CODING, BER, &objects, Quantity::CodingNs);
    drawn.push(Series::estimated("BER coding", &objects, &ber).dashed());
    sheet.estimates("BER coding", &placed(&told::BER_CODING, &objects), &ber);
    let per_request = retrieval(trials, Freshness::PerRequest, &objects);
    for form in Form::ALL {
        let coding = coding(trials, form, &objects);
        let paper = of_papers_encoding(form, placed(&told::XML_CODING, &objects));
        sheet.estimates(format!("XML {form} coding"), &paper, &coding);
        if form == Form::AS_IN_PAPER {
            drawn.push(Series::estimated(format!("XML {form} coding"), &objects, &coding).dashed());
        }
        sheet.note += &longer_from(form, &objects, &coding, &per_request);
    }
    sheet.note += &format!(
        " In the paper, coding in XML takes longer than retrieval from {:.0} objects on.",
        told::CODING_OVER_RETRIEVAL
    );
    drawn.extend([
        of_paper("retrieval", &told::RETRIEVAL),
        of_paper("BER", &told::BER_CODING),
        of_paper("XML", &told::XML_CODING),
    ]);
    let caption = "CPU time for retrieving the data under three policies, and for coding them (dashed). Bars and areas are intervals at 95 %; \
                   grey: what the paper tells, of a processor of 800 MHz.";
    sheet.drawings.extend(drawing(caption, lines::OBJECTS, ("CPU time (ms)", Scale::Log), drawn));
    sheet
}

/// From how many objects on coding takes longer than retrieval, in a sentence.
fn longer_from(form: Form, objects: &[u32], coding: &Row, retrieval: &Row) -> String {
    use std::cmp::Ordering::{Greater, Less};
    let sides = coding
        .iter()
        .zip(retrieval)
        .map(|(coding, retrieval)| Some((coding.as_ref()? - retrieval.as_ref()?).against(0.0)));
    let sides: Vec<_> = objects.iter().zip(sides).filter_map(|(at, side)| Some((at, side?))).collect();
    let what = format!(" Coding in XML {form} takes");
    if sides.is_empty() {
        return String::new();
    }
    if sides.iter().all(|(_, side)| *side == Some(Less)) {
        return format!("{what} less than retrieval per request throughout.");
    }
    // From here on it is longer.
    let after = sides.iter().rposition(|(_, side)| *side != Some(Greater)).map_or(0, |at| at + 1);
    match sides.get(after) {
        Some((at, _)) if after == 0 => {
            format!("{what} longer than retrieval per request throughout (from {at}).")
        }
        Some((at, _)) => {
            format!("{what} longer than retrieval per request from {at} objects on, as far as resolved.")
        }
        None => format!("{what} longer than retrieval per request nowhere that the samples resolve."),
    }
}

/// Finding the values, plus the process's excess over the case where nothing is reloaded, milliseconds.
pub(super) fn retrieval(trials: &Trials, freshness: Freshness, objects: &[u32]) -> Row {
    let of = |freshness, quantity| row(trials, RETRIEVAL, &under(freshness), objects, quantity);
    let finding = of(Freshness::MaxAge, Quantity::RetrievalNs);
    if freshness == Freshness::MaxAge {
        return finding;
    }
    let excess = minus(&of(freshness, Quantity::CpuNs), &of(Freshness::MaxAge, Quantity::CpuNs));
    pairs(&finding, &excess, |finding, excess| finding + excess)
}

/// Medians in milliseconds.
pub(super) fn row(trials: &Trials, table: &str, series: &str, objects: &[u32], quantity: Quantity) -> Row {
    let of = |&count: &u32| trials.read(table, series, count, quantity).median_estimate();
    objects.iter().map(|count| Some(&of(count)? / 1e6)).collect()
}

/// The quotients of two rows.
pub(super) fn over(upper: &Row, lower: &Row) -> Row {
    pairs(upper, lower, |upper, lower| upper / lower)
}

fn minus(one: &Row, other: &Row) -> Row {
    pairs(one, other, |one, other| one - other)
}

fn pairs(one: &Row, other: &Row, figure: impl Fn(&Estimate, &Estimate) -> Estimate) -> Row {
    one.iter().zip(other).map(|(one, other)| Some(figure(one.as_ref()?, other.as_ref()?))).collect()
}

pub(super) fn objects(trials: &Trials, table: &str, quantity: Quantity) -> Vec<u32> {
    let found = trials.places(table, quantity);
    if found.is_empty() { OBJECTS.to_vec() } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(figures: [f64; 3]) -> Row {
        figures.map(|it| Estimate::mean(&[it - 0.1, it + 0.1, it, it, it - 0.1, it + 0.1])).into()
    }

    #[test]
    fn sentences_about_coding_and_retrieval_are_resolved() {
        let said = |coding: [f64; 3], retrieval: [f64; 3]| {
            longer_from(Form::TYPED, &[1, 22, 264], &around(coding), &around(retrieval))
        };
        assert!(said([1.0, 2.0, 3.0], [5.0; 3]).contains("less than retrieval per request throughout"));
        assert!(said([1.0, 5.0, 9.0], [5.0; 3]).contains("from 264 objects on"));
        assert!(said([6.0, 7.0, 9.0], [5.0; 3]).contains("throughout (from 1)"));
        assert!(said([1.0, 5.0, 5.0], [5.0; 3]).contains("nowhere that the samples resolve"));
    }

    #[test]
    fn differences_may_be_negative() {
        let difference = minus(&around([1.0; 3]), &around([2.0; 3]));
        assert!(difference[0].as_ref().is_some_and(|it| it.value() < -0.9));
    }
}
