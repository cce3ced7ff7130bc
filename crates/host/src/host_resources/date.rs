//! DateAndTime (RFC 2579): local time with its offset from UTC, 11 octets.

use std::time::SystemTime;

use chrono::{DateTime, Datelike, FixedOffset, Local, Timelike};

/// A moment in the machine's time zone (`TZ`, else /etc/localtime).
pub fn date_and_time(at: SystemTime) -> [u8; 11] {
    octets(DateTime::<Local>::from(at).fixed_offset())
}

/// A moment in the machine's time zone as ctime(3) writes it, without the end of the line.
pub(crate) fn c_time(at: SystemTime) -> String {
    DateTime::<Local>::from(at).format("%a %b %e %H:%M:%S %Y").to_string()
}

/// ```text
/// 0 year (2)   2 month   3 day   4 hour   5 minutes   6 seconds   7 deci-seconds
/// 8 '+' or '-'   9 hours from UTC   10 minutes from UTC
/// ```
fn octets(at: DateTime<FixedOffset>) -> [u8; 11] {
    let year = u16::try_from(at.year()).unwrap_or(0).to_be_bytes();
    let second = at.second().min(59) as u8;
    let deci_second = (at.nanosecond() / 100_000_000).min(9) as u8;
    let east = at.offset().local_minus_utc();
    let minutes = east.unsigned_abs() / 60;
    [
        year[0],
        year[1],
        at.month() as u8,
        at.day() as u8,
        at.hour() as u8,
        at.minute() as u8,
        second,
        deci_second,
        if east < 0 { b'-' } else { b'+' },
        (minutes / 60) as u8,
        (minutes % 60) as u8,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offset_is_signed_and_in_hours_and_minutes() {
        let check = |text: &str, expected: [u8; 11]| {
            assert_eq!(octets(DateTime::parse_from_rfc3339(text).unwrap()), expected, "{text}");
        };
        check("1992-05-26T13:30:15.04-04:00", [0x07, 0xc8, 5, 26, 13, 30, 15, 0, b'-', 4, 0]);
        check("2026-11-21T23:59:59.950+05:45", [0x07, 0xea, 11, 21, 23, 59, 59, 9, b'+', 5, 45]);
        check("2016-12-31T23:59:60Z", [0x07, 0xe0, 12, 31, 23, 59, 59, 9, b'+', 0, 0]);
    }

    #[test]
    fn a_moment_is_what_date_prints() {
        let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_782_000_000);
        let mut date = std::process::Command::new("date");
        let printed = date.args(["-d", "@1782000000", "+%Y %-m %-d %-H %-M %-S %z"]).output().unwrap();
        let [high, low, rest @ ..] = date_and_time(at);
        let sign = char::from(rest[6]);
        let [month, day, hour, minute, second, _, _, east_hours, east_minutes] = rest;
        let year = u16::from_be_bytes([high, low]);
        let ours =
            format!("{year} {month} {day} {hour} {minute} {second} {sign}{east_hours:02}{east_minutes:02}\n");
        assert_eq!(ours, String::from_utf8(printed.stdout).unwrap());
    }
}
