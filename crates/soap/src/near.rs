//! Names near to a mistyped one, for faults.

/// At most three of `known` that differ from `given` by case or by up to two letters, nearest first.
pub(crate) fn near<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    if given.len() > LONGEST {
        return Vec::new();
    }
    let wanted = given.to_ascii_lowercase();
    let allowed = if wanted.len() > 16 { 3 } else { 2 };
    let mut found: Vec<(usize, &str)> = known
        .filter(|name| name.len().abs_diff(wanted.len()) <= allowed)
        .map(|name| (distance(&wanted, &name.to_ascii_lowercase()), name))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

/// No name of ours is longer, and what is compared must not cost much.
const LONGEST: usize = 128;

/// How many letters must be put in, left out or changed.
fn distance(a: &str, b: &str) -> usize {
    let b = b.as_bytes();
    let mut before: Vec<usize> = (0..=b.len()).collect();
    for (row, from) in a.bytes().enumerate() {
        let mut now = vec![row + 1];
        for (at, to) in b.iter().enumerate() {
            let changed = before[at] + usize::from(from != *to);
            now.push(changed.min(before[at + 1] + 1).min(now[at] + 1));
        }
        before = now;
    }
    before[b.len()]
}
