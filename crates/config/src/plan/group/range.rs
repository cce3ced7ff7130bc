//! Ranges in names and addresses: `edge{1-250}`.

use std::ops::RangeInclusive;

/// A text with at most one range in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ranged<'t> {
    /// Just a text.
    One(&'t str),
    /// What is before and after the numbers.
    Many(&'t str, RangeInclusive<u32>, &'t str),
}

impl<'t> Ranged<'t> {
    /// `None`: braces that are not a range.
    pub fn parse(text: &'t str) -> Option<Self> {
        let Some((before, rest)) = text.split_once('{') else {
            return (!text.contains('}')).then_some(Ranged::One(text));
        };
        let (range, after) = rest.split_once('}')?;
        let (first, last) = range.split_once('-')?;
        let number = |digits: &str| {
            digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse::<u32>().ok()).flatten()
        };
        let range = number(first)?..=number(last)?;
        let is_one = !before.contains('}') && !after.contains(['{', '}']) && !range.is_empty();
        is_one.then_some(Ranged::Many(before, range, after))
    }

    /// How many texts it stands for; `None`: it has no range.
    pub fn count(&self) -> Option<usize> {
        match self {
            Ranged::One(_) => None,
            Ranged::Many(_, range, _) => Some((range.end() - range.start()) as usize + 1),
        }
    }

    /// The one at a position.
    pub fn text(&self, at: usize) -> String {
        match self {
            Ranged::One(text) => (*text).to_owned(),
            Ranged::Many(before, range, after) => {
                format!("{before}{}{after}", u64::from(*range.start()) + at as u64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_stand_for_texts() {
        let range = Ranged::parse("udp://192.0.2.{7-9}:1161").unwrap();
        assert_eq!(range.count(), Some(3));
        assert_eq!(range.text(2), "udp://192.0.2.9:1161");
        assert_eq!(Ranged::parse("a"), Some(Ranged::One("a")));
        for wrong in ["{", "a{1}", "a{2-1}", "a{1-x}", "{1-2}{1-2}", "a}", "{+1-2}", "{-2}", "}{1-2}"] {
            assert_eq!(Ranged::parse(wrong), None, "{wrong}");
        }
    }
}
