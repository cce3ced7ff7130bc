//! Values that several sections share: numbers, times, object identifiers, commands, names.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_smi::Oid;

use crate::{Place, WrongConfig};

/// The longest time that can be configured: a year.
pub(super) const LONGEST_TIME: Duration = Duration::from_secs(8760 * 3600);

pub(super) type Checked<T> = Result<T, WrongConfig>;

/// All values of a list, or all errors in it.
pub(super) fn all<T>(list: impl IntoIterator<Item = Checked<T>>) -> Checked<Vec<T>> {
    let (mut good, mut wrong) = (Vec::new(), Vec::new());
    for checked in list {
        match checked {
            Ok(value) => good.push(value),
            Err(mistake) => wrong.push(mistake),
        }
    }
    WrongConfig::join(wrong).map_or(Ok(good), Err)
}

/// The mistakes of sections that do not depend on each other.
#[derive(Default)]
pub(super) struct Mistakes(Vec<WrongConfig>);

impl Mistakes {
    /// Stores the value, or records its error; returns whether it was valid.
    pub fn set<T>(&mut self, field: &mut T, checked: Checked<T>) -> bool {
        match checked {
            Ok(value) => *field = value,
            Err(mistake) => {
                self.0.push(mistake);
                return false;
            }
        }
        true
    }

    /// Records an error, if there is one.
    pub fn keep(&mut self, checked: Checked<()>) {
        self.set(&mut (), checked);
    }

    /// The whole, or all its errors.
    pub fn finish<T>(self, whole: T) -> Checked<T> {
        WrongConfig::join(self.0).map_or(Ok(whole), Err)
    }
}

/// A whole number within limits.
pub(super) fn number(value: &Spanned<i64>, min: i64, max: i64, place: Place<'_>) -> Checked<usize> {
    let found = *value.get_ref();
    if (min..=max).contains(&found) {
        return Ok(found as usize);
    }
    let span: Range<usize> = value.span();
    Err(place.wrong(span, format!("{found} is out of range, expected {min} to {max}")))
}

/// A number and a unit: ms, s, m or h; a year at most, so that it can be added to any moment.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let unit = match unit.trim() {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    let time = Duration::from_millis(number.parse::<u64>().ok()?.checked_mul(unit)?);
    (time <= LONGEST_TIME).then_some(time)
}

/// A time longer than zero, or `default` if none is given.
pub(super) fn time(value: Option<Spanned<String>>, default: Duration, place: Place<'_>) -> Checked<Duration> {
    let Some(value) = value else { return Ok(default) };
    duration(value.get_ref()).filter(|time| !time.is_zero()).ok_or_else(|| {
        let message = format!(
            "{:?} is not a time; expected a value such as \"30s\", from 1ms to 8760h",
            value.get_ref()
        );
        place.wrong(value.span(), message)
    })
}

/// A time that may be zero, at most `most`, or `default` if none is given.
pub(super) fn time_or_none(
    value: Option<Spanned<String>>,
    default: Duration,
    most: Duration,
    place: Place<'_>,
) -> Checked<Duration> {
    let Some(value) = value else { return Ok(default) };
    duration(value.get_ref()).filter(|time| *time <= most).ok_or_else(|| {
        let (found, most) = (value.get_ref(), most.as_secs());
        place.wrong(value.span(), format!("{found:?} is not a time such as \"1s\", from 0s to {most}s"))
    })
}

/// The beginning of object identifiers: 0, 1 or 2, and below 0 and 1 at most 39 (X.660).
///
/// # Errors
/// What is wrong; the caller adds the position.
pub fn check_beginning(oid: &[u32]) -> Result<(), String> {
    match *oid {
        [first, ..] if first > 2 => Err(format!(
            "no object identifier begins with {first}, expected 0, 1 or 2; MIB objects begin with 1.3.6.1"
        )),
        [first, second, ..] if first < 2 && second > 39 => {
            Err(format!("no object identifier begins with {first}.{second}, expected at most {first}.39"))
        }
        _ => Ok(()),
    }
}

/// An object identifier with at least one sub-identifier; a leading dot is allowed.
pub(super) fn oid(value: &Spanned<String>, place: Place<'_>) -> Checked<Oid> {
    let text = value.get_ref();
    let parsed: Oid = text.parse().map_err(|error| {
        place.wrong(value.span(), format!("{text:?} is not an object identifier: {error}"))
    })?;
    if parsed.is_empty() {
        return Err(place.wrong(value.span(), "expected an object identifier such as \"1.3.6.1.4.1\"".into()));
    }
    check_beginning(&parsed).map_err(|message| place.wrong(value.span(), message))?;
    Ok(parsed)
}

/// A program with its arguments; started by its full path, never looked up.
pub(super) fn command(value: Spanned<Vec<Spanned<String>>>, place: Place<'_>) -> Checked<Vec<String>> {
    let example = "expected a program by its full path and its arguments, such as [\"/bin/date\", \"-u\"]";
    match value.get_ref().first() {
        None => return Err(place.wrong(value.span(), example.into())),
        Some(program) if !program.get_ref().starts_with('/') => {
            let message = format!("{:?} is not a full path, {example}", program.get_ref());
            return Err(place.wrong(program.span(), message));
        }
        Some(_) => {}
    }
    words(value, place)
}

/// A line for `/bin/sh -c`, in one or several parts, which are joined with spaces.
pub(super) fn shell_line(value: Spanned<Vec<Spanned<String>>>, place: Place<'_>) -> Checked<Vec<String>> {
    if value.get_ref().iter().all(|word| word.get_ref().trim().is_empty()) {
        return Err(
            place.wrong(value.span(), "expected a line for the shell, such as [\"uptime | wc -l\"]".into())
        );
    }
    words(value, place)
}

fn words(value: Spanned<Vec<Spanned<String>>>, place: Place<'_>) -> Checked<Vec<String>> {
    let word = |word: Spanned<String>| match word.get_ref().contains('\0') {
        true => Err(place.wrong(word.span(), "an argument cannot contain a NUL octet".into())),
        false => Ok(word.into_inner()),
    };
    value.into_inner().into_iter().map(word).collect()
}

/// A name of 1 to `most` octets that is unique in its section.
pub(super) fn name(
    value: &Spanned<String>,
    most: usize,
    seen: &mut BTreeSet<String>,
    place: Place<'_>,
) -> Checked<String> {
    let name = length(value, most, place)?;
    if !seen.insert(name.clone()) {
        return Err(place.wrong(value.span(), format!("{name:?} is used twice")));
    }
    Ok(name)
}

/// The same of what stands in URLs as it is.
pub(super) fn name_in_urls(
    value: &Spanned<String>,
    most: usize,
    seen: &mut BTreeSet<String>,
    place: Place<'_>,
) -> Checked<String> {
    let name = name(value, most, seen, place)?;
    let may_stand = |octet: u8| octet.is_ascii_alphanumeric() || b"-._~".contains(&octet);
    if name.starts_with('.') || !name.bytes().all(may_stand) {
        let message = format!(
            "the name {name:?} stands in URLs: expected letters of ASCII, digits, and - . _ ~, and no . at the beginning"
        );
        return Err(place.wrong(value.span(), message));
    }
    Ok(name)
}

/// A text of 1 to `most` octets.
pub(super) fn length(value: &Spanned<String>, most: usize, place: Place<'_>) -> Checked<String> {
    let length = value.get_ref().len();
    if length == 0 || length > most {
        let found = if length == 0 { "is empty".into() } else { format!("has {length} octets") };
        return Err(place.wrong(value.span(), format!("the name {found}, expected 1 to {most} octets")));
    }
    Ok(value.get_ref().clone())
}

/// Hexadecimal octets with `0x` in front.
pub(super) fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    if !digits.is_ascii() || digits.len() % 2 != 0 {
        return None;
    }
    // A sign, which the number parser would accept, is not a digit.
    let octet = |pair: &str| u8::from_str_radix(pair, 16).ok().filter(|_| !pair.starts_with('+'));
    (0..digits.len() / 2).map(|at| octet(&digits[2 * at..2 * at + 2])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_octets_come_in_pairs() {
        assert_eq!(hexadecimal("0x80001f88"), Some(vec![0x80, 0, 0x1f, 0x88]));
        assert_eq!(hexadecimal("0xABCD"), Some(vec![0xab, 0xcd]));
        for wrong in ["80", "0x8", "0xzz", "0x+1", "0xäa"] {
            assert_eq!(hexadecimal(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_have_a_unit_and_an_end() {
        assert_eq!(duration("1500ms"), Some(Duration::from_millis(1500)));
        assert_eq!(duration("2 m"), Some(Duration::from_secs(120)));
        for wrong in ["", "5", "s", "-1s", "1.5s", "8761h", "99999999999999999999s"] {
            assert_eq!(duration(wrong), None, "{wrong}");
        }
    }
}
