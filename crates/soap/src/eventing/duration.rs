//! xs:duration, as far as it is a number of seconds: months and years are none.

use std::time::Duration;

/// Reads `P1DT2H3M4.5S`; parts of a second are rounded up. `None`: it is none, or longer than a century.
pub fn read_duration(text: &str) -> Option<Duration> {
    let (date, time) = match text.trim().strip_prefix('P')?.split_once('T') {
        Some((_, "")) => return None,
        Some((date, time)) => (date, time),
        None => (text.trim().strip_prefix('P')?, ""),
    };
    if date.is_empty() && time.is_empty() {
        return None;
    }
    let days = if date.is_empty() { 0 } else { number(date.strip_suffix('D')?)? };
    let (mut rest, mut seconds) = (time, days * 86_400);
    for (letter, unit) in [('H', 3600), ('M', 60)] {
        if let Some((count, behind)) = rest.split_once(letter) {
            seconds += number(count)? * unit;
            rest = behind;
        }
    }
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

fn number(digits: &str) -> Option<u64> {
    let is_number = (1..=10).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

const CENTURY: u64 = 100 * 366 * 86_400;
