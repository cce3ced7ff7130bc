//! Names near to a mistyped one, for error messages.

/// At most three of `known` that differ from `given` by case or by up to two letters, nearest first.
pub(crate) fn near<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    let wanted = given.to_ascii_lowercase();
    let allowed = match wanted.len() {
        0..=3 => 1,
        4..=16 => 2,
        _ => 3,
    };
    let mut found: Vec<(usize, &str)> = known
        .filter(|name| !name.is_empty() && name.len().abs_diff(wanted.len()) <= allowed)
        .map(|name| (distance(&wanted, &name.to_ascii_lowercase()), name))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

/// How many letters must be put in, left out or changed (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<u8> = b.bytes().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let change = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_typing_errors_are_near() {
        let known = ["ifDescr", "ifType", "ifIndex", "sysDescr", "ifSpeed"];
        assert_eq!(near("ifdescr", known.into_iter()), ["ifDescr"]);
        assert_eq!(near("ifDecsr", known.into_iter()), ["ifDescr"]);
        assert_eq!(near("ifDescription", known.into_iter()), [""; 0]);
        assert_eq!(near("ifTyp", known.into_iter()), ["ifType"]);
    }

    #[test]
    fn distances() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }
}
