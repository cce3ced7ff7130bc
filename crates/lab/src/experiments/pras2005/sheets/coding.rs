//! Figures 13 and 14: CPU time for coding, compression, and retrieval.

use crate::experiments::pras2005::coding::{BER, BER_GET, INSIDE, under};
use crate::experiments::pras2005::common::XML;
use crate::experiments::pras2005::paper::told;
use crate::experiments::pras2005::services::Form;
use crate::kit::findings::Sheet;
use crate::kit::reading::Quantity;
use crate::kit::report::figure::Scale;
use crate::kit::subject::Freshness;
use crate::kit::trial::Trials;

use super::super::{CODING, OBJECTS, RETRIEVAL};
use super::lines::{self, Series, drawing};
use super::placed;
use super::services::over;

/// Figure 13: decoding a request, encoding its answer, and compressing that.
pub(super) fn figure_13(trials: &Trials) -> Sheet {
    let objects = objects(trials, CODING, Quantity::CodingNs);
    let mut sheet =
        Sheet::by_objects("pras2005/figure-13", "CPU time for coding and compression (ms)", &objects);
    sheet.note = "Decoding a request and encoding its answer, of values that are there already: in this process, blocks of many, the \
                  median. `in the agent` are the clocks of trunklined-lab inside a request over UDP. BER: GetBulk, and Get with a name for \
                  each object. XML: as many rows; zlib at level 6 over the finished message, where the agent itself uses level 1 while it writes; the paper \
                  names no level. The paper's numbers of objects stand in the nearest column. The paper: Pentium, 800 MHz."
        .into();
    let (ber, samples) = row(trials, CODING, BER, &objects, Quantity::CodingNs);
    let mut drawn = vec![Series::of(BER, &objects, &ber)];
    sheet.row(BER, &placed(&told::BER_CODING, &objects), &ber, samples);
    let (by_get, samples) = row(trials, CODING, BER_GET, &objects, Quantity::CodingNs);
    sheet.row(BER_GET, &placed(&told::BER_CODING, &objects), &by_get, samples);
    let (inside, samples) = row(trials, CODING, INSIDE, &objects, Quantity::CodingNs);
    drawn.push(Series::of(INSIDE, &objects, &inside));
    sheet.row(INSIDE, &[], &inside, samples);
    let (packed, samples) = row(trials, CODING, BER, &objects, Quantity::CompressionNs);
    sheet.row(format!("{BER}, zlib of the response"), &[], &packed, samples);
    let mut ratios = Vec::new();
    for form in Form::ALL {
        let series = format!("{XML} {form}");
        let (coding, samples) = row(trials, CODING, &series, &objects, Quantity::CodingNs);
        sheet.row(&series, &placed(&told::XML_CODING, &objects), &coding, samples);
        let (packing, samples) = row(trials, CODING, &series, &objects, Quantity::CompressionNs);
        sheet.row(format!("{series}, zlib of the response"), &[], &packing, samples);
        drawn.push(Series::of(series.clone(), &objects, &coding));
        drawn.push(Series::of(format!("{series}, zlib"), &objects, &packing).dashed());
        ratios.push((format!("{series} / {BER}"), over(&coding, &ber), true));
        ratios.push((format!("{series}, zlib / coding"), over(&packing, &coding), false));
    }
    let of_paper = over(&placed(&told::XML_CODING, &objects), &placed(&told::BER_CODING, &objects));
    let range = told::COMPRESSION_OVER_CODING;
    let of_zlib = vec![Some((range.start() + range.end()) / 2.0); objects.len()];
    for (label, ours, is_coding) in ratios {
        sheet.row(label, if is_coding { &of_paper } else { &of_zlib }, &ours, samples);
    }
    sheet.drawings.extend(drawing(
        "CPU time for coding and compression",
        lines::OBJECTS,
        ("ms", Scale::Log),
        drawn,
    ));
    sheet
}

/// Figure 14: retrieval beside coding.
pub(super) fn figure_14(trials: &Trials) -> Sheet {
    let objects = objects(trials, RETRIEVAL, Quantity::RetrievalNs);
    let mut sheet = Sheet::by_objects(
        "pras2005/figure-14",
        "CPU time for retrieving the data, beside coding (ms)",
        &objects,
    );
    sheet.note = "Under three policies: the kernel is read anew for each object (as Net-SNMP 5.0 did), for each request (as the paper's web \
                  services did), or what was read is used for a while. Retrieval: what the clocks of trunklined-lab have for finding \
                  values, and the CPU time of its process above that under max-age, where nothing is read. `whole request` is the CPU \
                  time of an agent's process for a GetBulk, receiving and sending included; Net-SNMP's agent has no clocks inside. The \
                  paper tells 1.2 to 2.0 ms of one object; 1.6 stands here. Its other numbers of objects stand in the nearest \
                  column, or nowhere."
        .into();
    let mut drawn = Vec::new();
    for freshness in Freshness::ALL {
        let (ours, samples) = retrieval(trials, freshness, &objects);
        drawn.push(Series::of(format!("retrieval, {freshness}"), &objects, &ours));
        let paper =
            if freshness == Freshness::PerObject { placed(&told::RETRIEVAL, &objects) } else { vec![] };
        sheet.row(format!("retrieval, {freshness}"), &paper, &ours, samples);
    }
    for freshness in Freshness::ALL {
        let (ours, samples) = row(trials, RETRIEVAL, &under(freshness), &objects, Quantity::DelayNs);
        sheet.row(format!("delay, {freshness}"), &[], &ours, samples);
    }
    for series in trials.series(RETRIEVAL, Quantity::CpuNs) {
        let (ours, samples) = row(trials, RETRIEVAL, &series, &objects, Quantity::CpuNs);
        sheet.row(format!("{series}: whole request"), &[], &ours, samples);
    }
    let (ber, samples) = row(trials, CODING, BER, &objects, Quantity::CodingNs);
    drawn.push(Series::of("BER coding", &objects, &ber).dashed());
    sheet.row("BER coding", &placed(&told::BER_CODING, &objects), &ber, samples);
    let per_request =
        row(trials, RETRIEVAL, &under(Freshness::PerRequest), &objects, Quantity::RetrievalNs).0;
    for form in Form::ALL {
        let (coding, samples) = row(trials, CODING, &format!("{XML} {form}"), &objects, Quantity::CodingNs);
        sheet.row(format!("XML {form} coding"), &placed(&told::XML_CODING, &objects), &coding, samples);
        drawn.push(Series::of(format!("XML {form} coding"), &objects, &coding).dashed());
        sheet.note += &match super::traffic::crossing(&objects, &per_request, &coding) {
            Some(at) if at <= 1.0 => {
                format!(" Coding in XML {form} takes longer than retrieval per request throughout.")
            }
            Some(at) => format!(
                " Coding in XML {form} takes longer than retrieval per request from {at:.0} objects on."
            ),
            None if coding.iter().all(Option::is_none) => String::new(),
            None => format!(" Coding in XML {form} takes less than retrieval per request throughout."),
        };
    }
    sheet.note += &format!(" In the paper from {:.0} objects on.", told::CODING_OVER_RETRIEVAL);
    sheet.drawings.extend(drawing(
        "CPU time for retrieval and coding",
        lines::OBJECTS,
        ("ms", Scale::Log),
        drawn,
    ));
    sheet
}

/// Finding the values, plus the process's excess over the case where nothing is reloaded, milliseconds.
fn retrieval(trials: &Trials, freshness: Freshness, objects: &[u32]) -> (Vec<Option<f64>>, usize) {
    let of = |freshness, quantity| row(trials, RETRIEVAL, &under(freshness), objects, quantity);
    let (finding, samples) = of(Freshness::MaxAge, Quantity::RetrievalNs);
    if freshness == Freshness::MaxAge {
        return (finding, samples);
    }
    let (least, _) = of(Freshness::MaxAge, Quantity::CpuNs);
    let (whole, samples) = of(freshness, Quantity::CpuNs);
    let all = finding.iter().zip(whole.iter().zip(&least));
    let sum = all.map(|(finding, (whole, least))| Some((*finding)? + ((*whole)? - (*least)?).max(0.0)));
    (sum.collect(), samples)
}

/// Medians in milliseconds, and their number of samples.
fn row(
    trials: &Trials,
    table: &str,
    series: &str,
    objects: &[u32],
    quantity: Quantity,
) -> (Vec<Option<f64>>, usize) {
    let readings: Vec<_> = objects.iter().map(|&count| trials.read(table, series, count, quantity)).collect();
    let samples = readings.iter().map(crate::kit::reading::Readings::count).min().unwrap_or(0);
    (readings.iter().map(|it| it.median().map(|ns| ns / 1e6)).collect(), samples)
}

fn objects(trials: &Trials, table: &str, quantity: Quantity) -> Vec<u32> {
    let found = trials.places(table, quantity);
    if found.is_empty() { OBJECTS.to_vec() } else { found }
}
