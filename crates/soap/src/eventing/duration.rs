//! xs:duration as a number of seconds. Months and years have no exact length, but Java writes
//! `P0Y0M0DT0H10M0.000S`.

use std::time::Duration;

/// Parses `P1DT2H3M4.5S`; fractions of a second are rounded up, a month has 31 days and a year 366. `None`:
/// invalid, negative, or longer than a century.
pub fn read_duration(text: &str) -> Option<Duration> {
    let (date, time) = match text.trim().strip_prefix('P')?.split_once('T') {
        Some((_, "")) => return None,
        Some((date, time)) => (date, time),
        None => (text.trim().strip_prefix('P')?, ""),
    };
    if date.is_empty() && time.is_empty() {
        return None;
    }
    let (days, rest) = parts(date, [('Y', 366), ('M', 31), ('D', 1)])?;
    if !rest.is_empty() {
        return None;
    }
    let (seconds, rest) = parts(time, [('H', 3600), ('M', 60)])?;
    let mut seconds = days * DAY + seconds;
    if !rest.is_empty() {
        let count = rest.strip_suffix('S')?;
        let (whole, part) = count.split_once('.').unwrap_or((count, "0"));
        let is_more = number(part.trim_end_matches('0')).unwrap_or(0) > 0;
        if part.is_empty() || !part.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        seconds += number(whole)? + u64::from(is_more);
    }
    (seconds <= CENTURY).then(|| Duration::from_secs(seconds))
}

/// Writes it in whole seconds.
pub fn write_duration(duration: Duration) -> String {
    format!("PT{}S", duration.as_secs())
}

/// The sum of the parts that have these letters, in this order, and the rest of the text.
fn parts<const MOST: usize>(text: &str, letters: [(char, u64); MOST]) -> Option<(u64, &str)> {
    let (mut rest, mut sum) = (text, 0);
    for (letter, unit) in letters {
        if let Some((count, behind)) = rest.split_once(letter) {
            sum += number(count)? * unit;
            rest = behind;
        }
    }
    Some((sum, rest))
}

fn number(digits: &str) -> Option<u64> {
    let is_number = (1..=10).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

const DAY: u64 = 86_400;
const CENTURY: u64 = 100 * 366 * DAY;
