//! The types of texts and attributes: those of XML Schema that the messages have.

use trunkline_xml::is_ncname;

use crate::document::Element;

/// A type of texts.
#[derive(Clone, Copy, Debug)]
pub enum Simple {
    /// Any text.
    Text,
    /// One of these words, without white space around it.
    Words(&'static [&'static str]),
    /// A number of 32 bits, at least this one.
    Number(u32),
    /// `anyURI`: a reference of RFC 3986 or RFC 3987.
    Uri,
    /// `dateTime`.
    DateTime,
    /// `QName`: the name of an element or an attribute, with a prefix that is declared.
    Name,
    /// At most 4095 characters.
    MessageId,
    /// A language tag, or nothing.
    Language,
}

/// The words of a list with their meanings.
pub const fn words<T: Copy, const N: usize>(meanings: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut at = 0;
    while at < N {
        words[at] = meanings[at].0;
        at += 1;
    }
    words
}

impl Simple {
    /// Whether it has this text; the element knows the prefixes.
    pub fn has(self, text: &str, element: Element<'_>) -> bool {
        let value = text.trim_matches([' ', '\t', '\n', '\r']);
        match self {
            Simple::Text => true,
            Simple::Words(words) => words.contains(&text),
            Simple::Number(least) => {
                value.bytes().all(|it| it.is_ascii_digit())
                    && value.parse().is_ok_and(|number: u32| number >= least)
            }
            Simple::Uri => is_uri(value),
            Simple::DateTime => is_date_time(value).is_some(),
            Simple::Name => match value.split_once(':') {
                Some((prefix, name)) => {
                    is_ncname(prefix) && is_ncname(name) && element.resolve(prefix).is_some()
                }
                None => is_ncname(value),
            },
            Simple::MessageId => text.len() <= 4095 || text.chars().count() <= 4095,
            Simple::Language => {
                let mut parts = value.split('-');
                let is_part =
                    |it: &str| (1..=8).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_alphanumeric());
                let is_first = |it: &str| is_part(it) && it.bytes().all(|it| it.is_ascii_alphabetic());
                value.is_empty() || parts.next().is_some_and(is_first) && parts.all(is_part)
            }
        }
    }

    /// What it must be, for a person.
    pub const fn expected(self) -> &'static str {
        match self {
            Simple::Text => "a text",
            Simple::Words(_) => "one of its words, without white space around it",
            Simple::Number(0) => "a number from 0 to 4294967295",
            Simple::Number(_) => "a number from 1 to 4294967295",
            Simple::Uri => "a URI",
            Simple::DateTime => "a date and time such as 2026-11-28T09:30:00Z",
            Simple::Name => "a name with a prefix that is declared, or without one",
            Simple::MessageId => "a text of at most 4095 characters",
            Simple::Language => "a language tag",
        }
    }
}

/// RFC 3986 section 4.1, with characters beyond ASCII as in RFC 3987, and those that XML Schema escapes.
fn is_uri(text: &str) -> bool {
    let (text, fragment) = text.split_once('#').map_or((text, ""), |(text, fragment)| (text, fragment));
    let (text, query) = text.split_once('?').map_or((text, ""), |(text, query)| (text, query));
    let rest = match text.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => rest,
        // The first segment of a relative path has no colon.
        Some((segment, _)) if !segment.contains('/') => return false,
        _ => text,
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    [authority, path, query, fragment].into_iter().all(are_octets_of_uri) && is_authority(authority)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphabetic())
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'-' | b'.'))
}

/// `user@host:port`, whose host may be an address in brackets.
fn is_authority(text: &str) -> bool {
    let (user, host) = text.rsplit_once('@').unwrap_or(("", text));
    let port = match host.strip_prefix('[').and_then(|it| it.split_once(']')) {
        Some((_, "")) => None,
        Some((_, behind)) => behind.strip_prefix(':').or(Some("?")),
        None => host.split_once(':').map(|(_, port)| port),
    };
    !user.contains('@') && port.is_none_or(|it| it.bytes().all(|it| it.is_ascii_digit()))
}

fn are_octets_of_uri(text: &str) -> bool {
    let octets = text.as_bytes();
    octets.iter().enumerate().all(|(at, octet)| match octet {
        b'%' => octets.get(at + 1..at + 3).is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit)),
        b' ' | b'#' => false,
        _ => true,
    })
}

/// `YYYY-MM-DDThh:mm:ss`, with a fraction and a zone or without.
fn is_date_time(text: &str) -> Option<()> {
    let (date, time) = text.split_once('T')?;
    let (is_negative, date) = date.strip_prefix('-').map_or((false, date), |date| (true, date));
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let is_year = year.len() == 4 || year.len() > 4 && !year.starts_with('0');
    if parts.next().is_some() || !is_year || year.len() > 9 || is_negative && year.is_empty() {
        return None;
    }
    let year = digits(year, year.len(), 1..=999_999_999)?;
    let month = digits(month, 2, 1..=12)?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    digits(day, 2, 1..=days)?;
    let (time, zone) = match time.find(['Z', '+', '-']) {
        Some(at) => (&time[..at], &time[at..]),
        None => (time, "Z"),
    };
    let (whole, fraction) = time.split_once('.').map_or((time, "0"), |(whole, fraction)| (whole, fraction));
    if fraction.is_empty() || !fraction.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let mut parts = whole.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let hour = digits(hour, 2, 0..=24)?;
    let (minute, second) = (digits(minute, 2, 0..=59)?, digits(second, 2, 0..=59)?);
    let is_end_of_day = minute == 0 && second == 0 && fraction.bytes().all(|it| it == b'0');
    if parts.next().is_some() || hour == 24 && !is_end_of_day {
        return None;
    }
    if zone == "Z" {
        return Some(());
    }
    let (hours, minutes) = zone.strip_prefix(['+', '-'])?.split_once(':')?;
    let (hours, minutes) = (digits(hours, 2, 0..=14)?, digits(minutes, 2, 0..=59)?);
    (hours < 14 || minutes == 0).then_some(())
}

fn digits(text: &str, length: usize, range: std::ops::RangeInclusive<u32>) -> Option<u32> {
    let is_number = text.len() == length && text.bytes().all(|it| it.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && range.contains(number))
}
