//! Doubts in a report: counted by kind, and those of one kind folded into the first.

use crate::doubt::Doubt;
use crate::findings::{Findings, Sheet};

/// Doubts, with those of one kind and subject folded into the first: the JSON form has all of them.
pub(super) fn folded<'a>(doubts: impl IntoIterator<Item = &'a Doubt>) -> Vec<(&'a Doubt, usize)> {
    let mut all: Vec<(&Doubt, usize)> = Vec::new();
    for doubt in doubts {
        match all.iter_mut().find(|(first, _)| first.is_like(doubt)) {
            Some((_, more)) => *more += 1,
            None => all.push((doubt, 0)),
        }
    }
    all
}

/// The doubts about a sheet.
pub(super) fn of_sheet<'a>(findings: &'a Findings, sheet: &Sheet) -> Vec<&'a Doubt> {
    findings.doubts.iter().filter(|doubt| doubt.table() == Some(&sheet.id)).collect()
}

/// The doubts about the run, or about what has no sheet.
pub(super) fn of_run(findings: &Findings) -> Vec<&Doubt> {
    let has_sheet = |doubt: &Doubt| doubt.table().is_some_and(|table| findings.sheet(table).is_some());
    findings.doubts.iter().filter(|doubt| !has_sheet(doubt)).collect()
}

/// `3 noisy figures, 2 shortened measurements`: how many of each kind, in order of appearance.
pub(super) fn counted<'a>(doubts: impl IntoIterator<Item = &'a Doubt>) -> String {
    let mut kinds: Vec<([&str; 2], usize)> = Vec::new();
    for doubt in doubts {
        let kind = kind(doubt);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((kind, 1)),
        }
    }
    let words = |([one, many], count): &([&str; 2], usize)| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    kinds.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// What was to be measured and was not, of each kind and subject the first.
pub(super) fn left_out<'a>(doubts: impl IntoIterator<Item = &'a Doubt>) -> Vec<&'a Doubt> {
    let is_left_out = |doubt: &Doubt| kind(doubt) == LEFT_OUT;
    folded(doubts).into_iter().map(|(doubt, _)| doubt).filter(|doubt| is_left_out(doubt)).collect()
}

/// The text of a doubt beside its table, which its text names.
pub(super) fn beside_its_table(doubt: &Doubt) -> String {
    let text = doubt.to_string();
    let named = doubt.table().map_or(String::new(), |table| format!("{table}: "));
    text.strip_prefix(&named).unwrap_or(&text).to_owned()
}

/// A kind in words, one and several of it.
fn kind(doubt: &Doubt) -> [&'static str; 2] {
    match doubt {
        Doubt::Noisy { .. } => ["noisy figure", "noisy figures"],
        Doubt::Shortened { .. } => ["shortened measurement", "shortened measurements"],
        Doubt::HardlyLost { .. } => ["row with too few losses", "rows with too few losses"],
        Doubt::SentAgain { .. } | Doubt::Resent { .. } => {
            ["row with repeated requests", "rows with repeated requests"]
        }
        Doubt::OtherAlgorithms { .. } => {
            ["protocol with other algorithms", "protocols with other algorithms"]
        }
        Doubt::NoSuchMode { .. } => ["mode that no longer exists", "modes that no longer exist"],
        Doubt::NoBreakEven { .. } => ["pair without break-even", "pairs without break-even"],
        Doubt::ProtocolLeftOut { .. } | Doubt::LeftOut { .. } | Doubt::AgentLeftOut { .. } => LEFT_OUT,
        Doubt::OutsideBounds { .. } | Doubt::NotAsExact { .. } => {
            ["figure outside the paper's bounds", "figures outside the paper's bounds"]
        }
        Doubt::BusyMachine { .. } | Doubt::BusyMeanwhile { .. } => {
            ["warning about other load", "warnings about other load"]
        }
        Doubt::DebugBuild { .. } => ["unoptimised build", "unoptimised builds"],
        _ => ["condition", "conditions"],
    }
}

const LEFT_OUT: [&str; 2] = ["part left out", "parts left out"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted() {
        let shortened = || Doubt::Shortened { table: "t".into(), how: "less".into() };
        let cut_off = Doubt::CutOff { experiment: "x".into() };
        let doubts = [shortened(), cut_off, shortened()];
        assert_eq!(counted(&doubts), "2 shortened measurements, 1 condition");
        assert_eq!(beside_its_table(&doubts[0]), "less");
    }

    #[test]
    fn doubts_of_one_kind_and_subject_are_folded() {
        use crate::protocol::Protocol;
        use crate::transport::Transport;
        let left_out = |transport, reason: &str| Doubt::ProtocolLeftOut {
            table: "t".into(),
            protocol: Protocol::v1(transport),
            reason: reason.into(),
        };
        let doubts = [
            left_out(Transport::Udp, "a"),
            left_out(Transport::Tcp, "a"),
            left_out(Transport::Udp, "b"),
            Doubt::CutOff { experiment: "x".into() },
        ];
        let folded = folded(&doubts);
        assert_eq!(folded.iter().map(|(_, more)| *more).collect::<Vec<_>>(), [1, 0, 0]);
        assert_eq!(super::left_out(&doubts), [&doubts[0], &doubts[1]]);
    }
}
