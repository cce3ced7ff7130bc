//! Which lines of the new configuration come from which lines of the old one, from its own comments.

use std::collections::{BTreeMap, BTreeSet};

use super::mask;
use crate::Origin;

/// The blocks of each line: a section, and keys below it.
pub(super) struct Traced {
    blocks: BTreeMap<(String, usize), Vec<Vec<String>>>,
}

impl Traced {
    /// The blocks that come from a line.
    pub fn of(&self, origin: &Origin) -> Vec<Vec<String>> {
        self.blocks.get(&(origin.file.to_string(), origin.line)).cloned().unwrap_or_default()
    }
}

type Place = (String, usize);

/// Where the reader of the text is.
#[derive(Default)]
struct Reader {
    header: String,
    /// Lines that the whole section comes from.
    of_section: BTreeSet<Place>,
    /// Lines that the comments before the next thing name.
    pending: BTreeSet<Place>,
    /// The key of a list that is open.
    list: Option<String>,
    blocks: Vec<(Place, String, Vec<String>)>,
}

/// Reads the text.
pub(super) fn trace(toml: &str, files: &BTreeSet<&str>) -> Traced {
    let mut reader = Reader::default();
    for line in toml.lines() {
        reader.take(line, files);
    }
    let mut blocks: BTreeMap<Place, Vec<Vec<String>>> = BTreeMap::new();
    for (place, header, lines) in reader.blocks {
        let block = [vec![header], lines].concat();
        blocks.entry(place).or_default().push(block);
    }
    Traced { blocks }
}

impl Reader {
    fn take(&mut self, line: &str, files: &BTreeSet<&str>) {
        if line.is_empty() {
            self.pending.clear();
        } else if let Some(comment) = line.strip_prefix("# ") {
            self.pending.extend(places(comment, files));
        } else if line.starts_with('[') {
            self.header = line.to_string();
            self.of_section = std::mem::take(&mut self.pending);
            for place in self.of_section.clone() {
                self.add(place, Vec::new());
            }
        } else if line == "]" {
            self.list = None;
        } else if let Some(key) = line.strip_suffix(" = [") {
            self.list = Some(key.to_string());
        } else if !line.starts_with('#') {
            self.key(line, files);
        }
    }

    fn key(&mut self, line: &str, files: &BTreeSet<&str>) {
        let (setting, comment) = line.rsplit_once("  # ").unwrap_or((line, ""));
        let mut own: BTreeSet<Place> = places(comment, files).into_iter().collect();
        let setting = if own.is_empty() { line } else { setting };
        own.append(&mut self.pending);
        let setting = match &self.list {
            Some(key) => format!("{key} = [{}]", setting.trim().trim_end_matches(',')),
            None => setting.to_string(),
        };
        let setting = mask::setting(&self.header, &setting);
        let places: Vec<Place> = own.union(&self.of_section).cloned().collect();
        for place in places {
            if self.list.is_none() || !self.extend(&place, &setting) {
                self.add(place, vec![setting.clone()]);
            }
        }
    }

    /// Adds an item to the list with which the block of this section ends, if it is the same list.
    fn extend(&mut self, place: &Place, setting: &str) -> bool {
        let same =
            |(known, header, _): &&mut (Place, String, Vec<String>)| known == place && *header == self.header;
        let last = self.blocks.iter_mut().rev().find(same).and_then(|(_, _, block)| block.last_mut());
        let key = setting.split_once('[').map_or(setting, |(key, _)| key);
        let Some(list) = last.filter(|last| last.starts_with(key)) else { return false };
        list.truncate(list.len() - 1);
        list.push_str(&format!(", {}", &setting[key.len() + 1..]));
        true
    }

    /// Adds lines to the block of this section, or begins it.
    fn add(&mut self, place: Place, lines: Vec<String>) {
        let begins = lines.is_empty();
        let same = |(known, header, _): &&mut (Place, String, Vec<String>)| {
            *known == place && *header == self.header
        };
        match self.blocks.iter_mut().rev().find(same).filter(|_| !begins) {
            Some((_, _, block)) => block.extend(lines),
            None => self.blocks.push((place, self.header.clone(), lines)),
        }
    }
}

/// The positions that a comment names, as `FILE:LINE`.
fn places(comment: &str, files: &BTreeSet<&str>) -> Vec<Place> {
    let mut found = Vec::new();
    for file in files {
        for (at, _) in comment.match_indices(file) {
            let begins = at == 0 || comment[..at].ends_with(' ');
            let rest = comment[at + file.len()..].strip_prefix(':').unwrap_or("");
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if let (true, Ok(line)) = (begins, rest[..digits].parse()) {
                found.push((file.to_string(), line));
            }
        }
    }
    found
}
