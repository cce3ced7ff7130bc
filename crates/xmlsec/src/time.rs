//! Moments as the form has them: UTC, RFC 3339.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use thiserror::Error;

/// Not a moment: `2026-11-28T07:50:00.123Z` is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a time in UTC, as in 2026-11-28T07:50:00.123Z")]
pub struct NotATime;

/// A moment from 1970 to the end of 9999, in milliseconds. Nothing here reads a clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The last moment of the year 9999.
    pub const LAST: Self = Self(253_402_300_799_999);

    /// So many milliseconds after the beginning of 1970; [`Self::LAST`] at most.
    pub fn from_milliseconds(milliseconds: u64) -> Self {
        Self(milliseconds.min(Self::LAST.0))
    }

    /// Milliseconds since the beginning of 1970.
    pub fn milliseconds(self) -> u64 {
        self.0
    }

    /// The later moment; [`Self::LAST`] at most.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        let more = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self::from_milliseconds(self.0.saturating_add(more))
    }

    /// How far apart the two are, whichever is the later.
    pub fn apart(self, other: Self) -> Duration {
        Duration::from_millis(self.0.abs_diff(other.0))
    }

    /// `2026-11-28T07:50:00.123Z`.
    pub(crate) fn spelling(self) -> [u8; LENGTH] {
        let (days, within) = (self.0 / DAY, self.0 % DAY);
        let (year, month, day) = date(days);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let mut put = |at: usize, digits: usize, mut number: u64| {
            for place in (at..at + digits).rev() {
                text[place] = b'0' + (number % 10) as u8;
                number /= 10;
            }
        };
        put(0, 4, year);
        put(5, 2, month);
        put(8, 2, day);
        put(11, 2, within / 3_600_000);
        put(14, 2, within / 60_000 % 60);
        put(17, 2, within / 1000 % 60);
        put(20, 3, within % 1000);
        text
    }

    /// Reads exactly the spelling that is written.
    pub(crate) fn from_spelling(text: &[u8]) -> Option<Self> {
        let text: &[u8; LENGTH] = text.try_into().ok()?;
        (text[19] == b'.').then(|| std::str::from_utf8(text).ok()?.parse().ok()).flatten()
    }
}

impl From<SystemTime> for Time {
    fn from(time: SystemTime) -> Self {
        Self(0).after(time.duration_since(UNIX_EPOCH).unwrap_or_default())
    }
}

impl FromStr for Time {
    type Err = NotATime;

    /// RFC 3339 in UTC, with at most nine digits after the second, of which three count.
    fn from_str(text: &str) -> Result<Self, NotATime> {
        let octets = text.as_bytes();
        let shape = octets.len() >= 20
            && [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')]
                .iter()
                .all(|(at, octet)| octets[*at] == *octet)
            && octets.last() == Some(&b'Z');
        if !shape {
            return Err(NotATime);
        }
        let two = |at: usize, digits: usize| digits_of(&octets[at..at + digits]);
        let (year, month, day) = (two(0, 4)?, two(5, 2)?, two(8, 2)?);
        let (hour, minute, second) = (two(11, 2)?, two(14, 2)?, two(17, 2)?);
        let milliseconds = match &octets[19..octets.len() - 1] {
            [] => 0,
            [b'.', fraction @ ..] if (1..=9).contains(&fraction.len()) => {
                digits_of(fraction)?;
                let mut three = [b'0'; 3];
                let kept = fraction.len().min(3);
                three[..kept].copy_from_slice(&fraction[..kept]);
                digits_of(&three)?
            }
            _ => return Err(NotATime),
        };
        let valid = year >= 1970 && hour < 24 && minute < 60 && second < 60;
        let days = days_of(year, month, day).filter(|_| valid).ok_or(NotATime)?;
        Ok(Self(days * DAY + hour * 3_600_000 + minute * 60_000 + second * 1000 + milliseconds))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(std::str::from_utf8(&self.spelling()).unwrap_or_default())
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

fn digits_of(octets: &[u8]) -> Result<u64, NotATime> {
    octets.iter().try_fold(0, |number, octet| match octet {
        b'0'..=b'9' => Ok(number * 10 + u64::from(octet - b'0')),
        _ => Err(NotATime),
    })
}

/// The date of a day after the beginning of 1970, in the Gregorian calendar. Years begin in March here, so that the day of a leap
/// year is their last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + TO_1970;
    let (era, of_era) = (days / ERA, days % ERA);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let next = u64::from(month >= 10);
    (era * 400 + year + next, if next == 1 { month - 9 } else { month + 3 }, day)
}

/// The inverse of [`date`].
fn days_of(year: u64, month: u64, day: u64) -> Option<u64> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = match month {
        2 => 28 + u64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_era = year % 400;
    let days = year / 400 * ERA + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 + day - 1;
    days.checked_sub(TO_1970)
}

/// Octets of a moment.
const LENGTH: usize = 24;

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// Days of 400 years.
const ERA: u64 = 146_097;

/// Days from the first of March of the year 0 to 1970.
const TO_1970: u64 = 719_468;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{NotATime, Time};

    #[test]
    fn known_moments() {
        let table = [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_852_200_123, "2026-11-28T07:50:00.123Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (Time::LAST.milliseconds(), "9999-12-31T23:59:59.999Z"),
        ];
        for (milliseconds, text) in table {
            assert_eq!(Time::from_milliseconds(milliseconds).to_string(), text);
            assert_eq!(text.parse(), Ok(Time::from_milliseconds(milliseconds)));
        }
        for (text, same) in [
            ("2026-11-28T07:50:00Z", "2026-11-28T07:50:00.000Z"),
            ("2026-11-28T07:50:00.1Z", "2026-11-28T07:50:00.100Z"),
            ("2026-11-28T07:50:00.123999999Z", "2026-11-28T07:50:00.123Z"),
        ] {
            assert_eq!(text.parse::<Time>().unwrap().to_string(), same);
            assert_eq!(Time::from_spelling(text.as_bytes()), None);
        }
        for bad in [
            "",
            "2026-11-28",
            "2026-11-28T07:50:00.123",
            "2026-11-28T07:50:00.Z",
            "2026-11-28T07:50:00.1234567890Z",
            "2026-11-28T07:50:00.123+00:00",
            "2026-11-28t07:50:00.123Z",
            "2026-02-29T07:50:00.123Z",
            "2100-02-29T00:00:00.000Z",
            "2026-13-01T07:50:00.123Z",
            "2026-00-01T07:50:00.123Z",
            "2026-11-28T24:00:00.000Z",
            "2026-11-28T07:60:00.123Z",
            "2026-11-28T07:50:60.123Z",
            "1969-12-31T23:59:59.999Z",
            " 2026-11-28T07:50:00.123Z",
        ] {
            assert_eq!(bad.parse::<Time>(), Err(NotATime), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn reads_what_it_writes(milliseconds in 0..=Time::LAST.milliseconds()) {
            let time = Time::from_milliseconds(milliseconds);
            prop_assert_eq!(Time::from_spelling(&time.spelling()), Some(time));
        }
    }
}
