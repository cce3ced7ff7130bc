//! `--explain`: what became of each line of the old files. The converted text is the record of it: each of its entries
//! names its lines in a comment, and `trace` reads them back. `mask` hides secrets, `show` prints.

mod mask;
mod show;
mod trace;

use std::collections::{BTreeMap, BTreeSet};

use crate::collected::Collected;
use crate::source::{Directive, Included};
use crate::{Note, Origin};

pub use show::{json, text};

/// A line of the old files.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its position.
    pub origin: Origin,
    /// The directive.
    pub directive: String,
    /// What follows it, with `***` in place of secrets.
    pub arguments: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The lines of the new configuration that it is in, each block with its section in front; secrets are `***`.
    pub became: Vec<Vec<String>>,
    /// Why it has no effect or is not supported, and what to know or to do.
    pub words: Vec<String>,
}

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It is in the new configuration.
    CarriedOver,
    /// A part of it is in the new configuration, or it means something else there.
    InPart,
    /// It has no effect here, and needs none.
    NoEffect,
    /// It is lost.
    NotSupported,
}

impl Outcome {
    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::CarriedOver => "carried-over",
            Outcome::InPart => "in-part",
            Outcome::NoEffect => "no-effect",
            Outcome::NotSupported => "not-supported",
        }
    }
}

/// Explains every line, in the order of the files.
pub(crate) fn explain(
    directives: &[Directive],
    included: &[Included],
    collected: &Collected<'_>,
    toml: &str,
) -> Vec<Line> {
    let files: BTreeSet<&str> = directives.iter().map(|directive| directive.origin.file.as_ref()).collect();
    let traced = trace::trace(toml, &files);
    let notes = Notes::new(collected);
    let mut lines: Vec<Line> = Vec::new();
    for directive in directives.iter().filter(|directive| directive.origin.line > 0) {
        lines.push(line(directive, &traced, &notes, collected));
    }
    for Included { origin, name, arguments, what } in included {
        let at =
            lines.iter().position(|line| line.origin.file == origin.file && line.origin.line > origin.line);
        let at =
            at.or_else(|| lines.iter().rposition(|line| line.origin.file == origin.file).map(|at| at + 1));
        let lost = notes.lost.get(origin).cloned().unwrap_or_default();
        let outcome = if lost.is_empty() { Outcome::CarriedOver } else { Outcome::NotSupported };
        let words = if lost.is_empty() { vec![what.clone()] } else { lost };
        let line = Line {
            origin: origin.clone(),
            directive: name.clone(),
            arguments: arguments.clone(),
            outcome,
            became: Vec::new(),
            words,
        };
        lines.insert(at.unwrap_or(lines.len()), line);
    }
    lines
}

/// What was said about each line.
struct Notes {
    lost: BTreeMap<Origin, Vec<String>>,
    unneeded: BTreeMap<Origin, Vec<String>>,
    remarks: BTreeMap<Origin, Vec<String>>,
}

impl Notes {
    fn new(collected: &Collected<'_>) -> Self {
        let by_line = |notes: &mut dyn Iterator<Item = &Note>| {
            let mut map: BTreeMap<Origin, Vec<String>> = BTreeMap::new();
            for note in notes {
                map.entry(note.origin.clone()).or_default().push(note.why.clone());
            }
            map
        };
        Notes {
            lost: by_line(&mut collected.notes.iter()),
            unneeded: by_line(&mut collected.unneeded.iter().chain(&collected.kept)),
            remarks: by_line(&mut collected.remarks.iter()),
        }
    }
}

fn line(directive: &Directive, traced: &trace::Traced, notes: &Notes, collected: &Collected<'_>) -> Line {
    let origin = &directive.origin;
    let of = |map: &BTreeMap<Origin, Vec<String>>| map.get(origin).cloned().unwrap_or_default();
    let (lost, unneeded, remarks) = (of(&notes.lost), of(&notes.unneeded), of(&notes.remarks));
    let mut became = traced.of(origin);
    for (part, whole) in &collected.parts {
        if part == origin {
            let more = traced.of(whole).into_iter().filter(|block| !became.contains(block));
            became.extend(more.collect::<Vec<_>>());
        }
    }
    let outcome = match (became.is_empty(), lost.is_empty()) {
        (true, true) => Outcome::NoEffect,
        (true, false) => Outcome::NotSupported,
        (false, true) => Outcome::CarriedOver,
        (false, false) => Outcome::InPart,
    };
    let mut words = [lost, unneeded, remarks].concat();
    if outcome == Outcome::NoEffect && words.is_empty() {
        words.push(UNUSED.into());
    }
    let (name, arguments) = mask::shown(directive);
    Line { origin: origin.clone(), directive: name, arguments, outcome, became, words }
}

/// A group without access, a filter without a target: nothing refers to such a line.
pub const UNUSED: &str = "no other line uses it";
