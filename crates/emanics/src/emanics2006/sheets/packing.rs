//! Compression and encryption (section 3.3).

use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::findings::Sheet;
use trunkline_labkit::picked::over;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::report::figure::{Figure, Panel};
use trunkline_labkit::trial::Trials;

use super::lines::{Series, drawing};
use super::{PACKING, US};
use crate::emanics2006::packing::{BY_ANOTHER, Cipher, LEVELS, Work};

fn sizes(trials: &Trials) -> Vec<u32> {
    trials.places(PACKING, Quantity::WorkNs)
}

/// What is done with documents, as far as it was measured.
fn done(trials: &Trials) -> impl Iterator<Item = Work> {
    let series = trials.series(PACKING, Quantity::WorkNs);
    Work::all().into_iter().filter(move |work| series.contains(&work.name()))
}

/// Of samples in which AES alone is another implementation than in messages.
pub(super) fn doubts(trials: &Trials) -> Option<Doubt> {
    let series = trials.series(PACKING, Quantity::WorkNs);
    let is_by_another = BY_ANOTHER.iter().any(|name| series.iter().any(|it| it == name));
    is_by_another.then(|| Doubt::LeftOut {
        table: PACKING.into(),
        what: format!("{} alone, and after zlib", BY_ANOTHER.join(" and ")),
        reason: "in these samples they are by RustCrypto, and messages by AWS-LC, which takes less time for a whole message; a run of \
                 today has both by AWS-LC"
            .into(),
    })
}

fn by_size(id: &str, title: &str, sizes: &[u32]) -> Sheet {
    let columns: Vec<String> = sizes.iter().map(|&size| kilobytes(size)).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    Sheet::new(id, title, &columns).without_ratios()
}

/// `0.5 KB`.
fn kilobytes(size: u32) -> String {
    format!("{} KB", f64::from(size) / 1024.0)
}

fn times_of(trials: &Trials, work: Work, sizes: &[u32]) -> Vec<Option<Estimate>> {
    let name = work.name();
    sizes.iter().map(|&size| trials.read(PACKING, &name, size, Quantity::WorkNs).mean_estimate()).collect()
}

/// How long each takes.
pub(super) fn times(trials: &Trials) -> Sheet {
    let sizes = sizes(trials);
    let mut sheet =
        by_size(PACKING, "compression, encryption, and both, by the size of the document (µs)", &sizes);
    sheet.note = "Processor time in this process, the kinds in turn. CipherValue: what stands in that element of XML-Encryption, vector, cipher and \
                  base64, by the AES of the messages, AWS-LC's; so is 3DES, by RustCrypto, in software; messages are encrypted and signed, as the agent sends them. The deliverable has no figures here: it says that from a size on it is faster to compress and then encrypt than to only encrypt. The agent compresses by zlib at level 1."
        .into();
    for work in done(trials) {
        let ours: Vec<Option<Estimate>> =
            times_of(trials, work, &sizes).into_iter().map(|it| it.map(|it| it.map(|ns| ns / US))).collect();
        sheet.estimates(work.name(), &[], &ours);
    }
    sheet.drawings.extend(drawn(trials, &sizes));
    sheet
}

/// A panel for each level of compression.
fn drawn(trials: &Trials, sizes: &[u32]) -> Option<(Figure, String)> {
    let caption = "The time to compress and then encrypt, as a multiple of encrypting alone: below 1 the deliverable's claim holds.";
    let of = |level: u32| {
        let ratio = |cipher: Cipher| {
            Series::estimated(cipher.name(), sizes, &ratios_of(trials, level, cipher, sizes))
        };
        drawing("", "octets of the document", "times encryption alone", Cipher::ALL.map(ratio).into())
    };
    let mut figures = LEVELS.into_iter().filter_map(|level| Some((level, of(level)?.0)));
    let (level, mut figure) = figures.next()?;
    for panel in &mut figure.panels {
        panel.title = format!("zlib {level}");
    }
    for (level, more) in figures {
        let titled = |panel| Panel { title: format!("zlib {level}"), ..panel };
        figure.panels.extend(more.panels.into_iter().map(titled));
    }
    figure.title = caption.into();
    Some((figure, caption.into()))
}

/// Both, as a multiple of encryption alone.
pub(super) fn ratios_of(trials: &Trials, level: u32, cipher: Cipher, sizes: &[u32]) -> Vec<Option<Estimate>> {
    let both = times_of(trials, Work::Both(level, cipher), sizes);
    let alone = times_of(trials, Work::Encrypt(cipher), sizes);
    both.iter().zip(&alone).map(|(both, alone)| over(both.as_ref(), alone.as_ref())).collect()
}

/// The ratio at the largest document.
pub(super) fn ratio_at_most(trials: &Trials, level: u32, cipher: Cipher) -> Option<Estimate> {
    let sizes = sizes(trials);
    ratios_of(trials, level, cipher, sizes.last().map(std::slice::from_ref).unwrap_or_default())
        .into_iter()
        .next()
        .flatten()
}

/// From which size on both take less time than encryption alone.
pub(super) fn thresholds(trials: &Trials) -> Sheet {
    let sizes = sizes(trials);
    let at = |size: Option<&u32>| size.map_or_else(String::new, |size| format!("x at {}", kilobytes(*size)));
    let (least, most) = (at(sizes.first()), at(sizes.last()));
    let columns = ["threshold (octets)", least.as_str(), most.as_str()];
    let mut sheet = Sheet::new(
        "emanics2006/thresholds",
        "from which size on compressing first is faster (section 3.3)",
        &columns,
    );
    sheet.note = format!(
        "The least document from which on both take less time than encryption alone, where straight lines through the times of both cross between two sizes, without an interval; a dash: none within \
         what was measured, {} to {}. x: how many times as long both take at either end.",
        sizes.first().map_or_else(String::new, |it| kilobytes(*it)),
        sizes.last().map_or_else(String::new, |it| kilobytes(*it))
    );
    let done: Vec<Work> = done(trials).collect();
    for level in LEVELS {
        for cipher in Cipher::ALL {
            if !done.contains(&Work::Both(level, cipher)) {
                continue;
            }
            let ratios = ratios_of(trials, level, cipher, &sizes);
            let values = |work| -> Vec<Option<f64>> {
                times_of(trials, work, &sizes).iter().map(|it| it.as_ref().map(Estimate::value)).collect()
            };
            let both = values(Work::Both(level, cipher));
            let threshold = threshold(&sizes, &both, &values(Work::Encrypt(cipher))).map(Estimate::exact);
            let ours = [threshold, ratios.first().cloned().flatten(), ratios.last().cloned().flatten()];
            sheet.estimates(Work::Both(level, cipher).name(), &[], &ours);
        }
    }
    sheet
}

/// From where on the first times are below the second ones for good.
pub(super) fn threshold(sizes: &[u32], these: &[Option<f64>], those: &[Option<f64>]) -> Option<f64> {
    let more = sizes.iter().zip(these.iter().zip(those));
    let points: Vec<(f64, f64)> =
        more.filter_map(|(&size, (this, that))| Some((f64::from(size), (*this)? - (*that)?))).collect();
    let from = points.iter().rposition(|(_, more)| *more >= 0.0).map_or(0, |last| last + 1);
    let &(size, below) = points.get(from)?;
    match from.checked_sub(1).and_then(|before| points.get(before)) {
        Some(&(before, above)) => Some(before + (size - before) * above / (above - below)),
        None => Some(size),
    }
}

/// The octets of each result.
pub(super) fn octets(trials: &Trials) -> Sheet {
    let sizes = sizes(trials);
    let mut sheet = by_size("emanics2006/packed-octets", "octets of the result (section 3.3)", &sizes);
    sheet.note = "What encryption alone adds is base64, a third, and of a message its XML; compression takes more away than that, but of the least messages: where the result is longer than the document, what XML Security adds to a message is more than compression saves.".into();
    for work in done(trials) {
        let name = work.name();
        let ours: Vec<Option<f64>> = sizes
            .iter()
            .map(|&size| trials.read(PACKING, &name, size, Quantity::WorkOctets).mean())
            .collect();
        sheet.row(name, &[], &ours, 1);
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_lies_between_two_sizes_or_there_is_none() {
        let of = |ratios: [f64; 3]| threshold(&[100, 200, 400], &ratios.map(Some), &[Some(1.0); 3]);
        assert_eq!(of([2.0, 1.5, 0.5]), Some(300.0));
        assert_eq!(of([0.9, 0.8, 0.5]), Some(100.0), "at every size");
        assert_eq!(of([0.9, 1.2, 0.8]), Some(300.0), "it must stay below");
        assert_eq!(of([0.9, 1.2, 1.1]), None);
        assert_eq!(threshold(&[], &[], &[]), None);
        // Times that are lines cross where the lines do; their ratio is not a line.
        let (both, alone) = ([160.0, 170.0, 190.0], [100.0, 200.0, 400.0]);
        let crossing = threshold(&[100, 200, 400], &both.map(Some), &alone.map(Some)).unwrap();
        assert!((crossing - (100.0 + 100.0 * 60.0 / 90.0)).abs() < 1e-9, "{crossing}");
    }
}
