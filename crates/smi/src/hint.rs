//! DISPLAY-HINT (RFC 2579 section 3.1): how integers and octets are written for people,
//! and, for `set`, how what people write becomes octets again.
//!
//! Two choices follow Net-SNMP, whose output users compare with: hexadecimal numbers have no leading zeros
//! (`0:1b:2c`), and octets that a hint does not cover are printed as far as they go.

use std::fmt::Write;

use crate::escaped;

/// A parsed DISPLAY-HINT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DisplayHint {
    /// For integers.
    Integer(IntegerHint),
    /// For octets: specifications in order, the last one repeats.
    Octets(Vec<OctetSpec>),
}

/// `d`, `d-2`, `x`, `o` or `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerHint {
    /// Decimal with this many digits after the point.
    Decimal(u8),
    /// Hexadecimal.
    Hexadecimal,
    /// Octal.
    Octal,
    /// Binary.
    Binary,
}

/// One octet-format specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OctetSpec {
    /// `*`: the first octet is the number of repetitions.
    pub repeats: bool,
    /// How many octets one application consumes.
    pub length: usize,
    /// How they are shown.
    pub form: OctetForm,
    /// Appended after each application, except after the last octet.
    pub separator: Option<char>,
    /// Appended after a repeated group instead of the separator.
    pub terminator: Option<char>,
}

/// How the octets of a specification are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OctetForm {
    /// `d`: one decimal number, most significant octet first.
    Decimal,
    /// `x`: one hexadecimal number.
    Hexadecimal,
    /// `o`: one octal number.
    Octal,
    /// `a`: ASCII characters.
    Ascii,
    /// `t`: UTF-8 characters (RFC 2579).
    Utf8,
}

impl DisplayHint {
    /// Parses a hint; `None` for a text that is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let first = text.chars().next()?;
        if first.is_ascii_digit() || first == '*' {
            parse_octet_specs(text).map(DisplayHint::Octets)
        } else {
            parse_integer_hint(text).map(DisplayHint::Integer)
        }
    }

    /// An integer in this form; nothing if the hint is one for octets.
    pub fn format_integer(&self, number: i64) -> Option<String> {
        let DisplayHint::Integer(hint) = self else { return None };
        let sign = if number < 0 { "-" } else { "" };
        let magnitude = number.unsigned_abs();
        Some(match hint {
            IntegerHint::Decimal(0) => number.to_string(),
            IntegerHint::Decimal(places) => {
                let places = usize::from(*places);
                let digits = format!("{magnitude:0>width$}", width = places + 1);
                let (whole, fraction) = digits.split_at(digits.len() - places);
                format!("{sign}{whole}.{fraction}")
            }
            IntegerHint::Hexadecimal => format!("{sign}{magnitude:x}"),
            IntegerHint::Octal => format!("{sign}{magnitude:o}"),
            IntegerHint::Binary => format!("{sign}{magnitude:b}"),
        })
    }

    /// Octets in this form; nothing if the hint is one for integers.
    pub fn format_octets(&self, octets: &[u8]) -> Option<String> {
        self.format_octets_padded(octets, false)
    }

    /// As [`DisplayHint::format_octets`]; with `zeros` numbers in hexadecimal have two digits at least.
    pub fn format_octets_padded(&self, octets: &[u8], zeros: bool) -> Option<String> {
        let DisplayHint::Octets(specs) = self else { return None };
        let last = specs.last()?;
        let mut out = String::new();
        let mut rest = octets;
        let mut upcoming = specs.iter();
        while !rest.is_empty() {
            let spec = upcoming.next();
            let after = spec.unwrap_or(last).format(rest, zeros, &mut out);
            if spec.is_none() && after.len() == rest.len() {
                break; // a last specification that consumes nothing would be applied for ever
            }
            rest = after;
        }
        Some(out)
    }

    /// The integer that a text in this form stands for.
    pub fn parse_integer(&self, text: &str) -> Option<i64> {
        let DisplayHint::Integer(hint) = self else { return None };
        match hint {
            IntegerHint::Decimal(places) => parse_fixed_point(text, *places),
            IntegerHint::Hexadecimal => parse_radix(text, 16),
            IntegerHint::Octal => parse_radix(text, 8),
            IntegerHint::Binary => parse_radix(text, 2),
        }
    }

    /// The octets that a text in this form stands for.
    pub fn parse_octets(&self, text: &str) -> Option<Vec<u8>> {
        let DisplayHint::Octets(specs) = self else { return None };
        let last = specs.last()?;
        let mut octets = Vec::new();
        let mut rest = text;
        let mut upcoming = specs.iter();
        while !rest.is_empty() {
            let after = upcoming.next().unwrap_or(last).parse_text(rest, &mut octets)?;
            if after.len() == rest.len() {
                return None; // nothing of the text fits the hint
            }
            rest = after;
        }
        Some(octets)
    }
}

impl OctetSpec {
    /// Applies the specification to the leading octets; returns the rest.
    fn format<'a>(&self, octets: &'a [u8], zeros: bool, out: &mut String) -> &'a [u8] {
        let (times, mut rest) = match (self.repeats, octets) {
            (true, [count, rest @ ..]) => (usize::from(*count), rest),
            _ => (1, octets),
        };
        for turn in 0..times {
            if rest.is_empty() {
                break;
            }
            let (taken, after) = rest.split_at(self.length.min(rest.len()));
            self.format_group(taken, zeros, out);
            rest = after;
            let last_turn = turn + 1 == times;
            let mark = if last_turn && self.terminator.is_some() { None } else { self.separator };
            if let (Some(mark), false) = (mark, rest.is_empty()) {
                out.push(mark);
            }
            if self.length == 0 {
                break; // nothing is consumed: once is enough
            }
        }
        if let (Some(mark), false) = (self.terminator, rest.is_empty()) {
            out.push(mark);
        }
        rest
    }

    fn format_group(&self, octets: &[u8], zeros: bool, out: &mut String) {
        let number = || octets.iter().fold(0u128, |number, octet| (number << 8) | u128::from(*octet));
        // Writing to a String cannot fail.
        let _ = match self.form {
            OctetForm::Ascii | OctetForm::Utf8 => write!(out, "{}", printable(octets)),
            // More than 16 octets fit no number here; pairs of digits say the same.
            _ if octets.len() > 16 => octets.iter().try_for_each(|octet| write!(out, "{octet:02x}")),
            OctetForm::Decimal => write!(out, "{}", number()),
            OctetForm::Hexadecimal if zeros => write!(out, "{:02x}", number()),
            OctetForm::Hexadecimal => write!(out, "{:x}", number()),
            OctetForm::Octal => write!(out, "{:o}", number()),
        };
    }

    /// The reverse of [`OctetSpec::format`] for one application, or a whole repeated group.
    fn parse_text<'a>(&self, text: &'a str, octets: &mut Vec<u8>) -> Option<&'a str> {
        if !self.repeats {
            return self.parse_group(text, octets).map(|rest| skip_mark(rest, self.separator));
        }
        let at = octets.len();
        octets.push(0);
        let mut rest = text;
        let mut count = 0u8;
        while !rest.is_empty() {
            rest = self.parse_group(rest, octets)?;
            count = count.checked_add(1)?;
            if self.terminator.is_some_and(|mark| rest.starts_with(mark)) {
                break;
            }
            rest = skip_mark(rest, self.separator);
        }
        octets[at] = count;
        Some(skip_mark(rest, self.terminator))
    }

    fn parse_group<'a>(&self, text: &'a str, octets: &mut Vec<u8>) -> Option<&'a str> {
        let radix = match self.form {
            OctetForm::Decimal => 10,
            OctetForm::Hexadecimal => 16,
            OctetForm::Octal => 8,
            OctetForm::Ascii | OctetForm::Utf8 => {
                let end =
                    text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|e| *e <= self.length);
                let (taken, rest) = text.split_at(end.last().unwrap_or(0));
                octets.extend_from_slice(taken.as_bytes());
                return (!taken.is_empty()).then_some(rest);
            }
        };
        let digits = text.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
        // Without a separator only the full number of digits shows where the next group starts.
        let digits = if self.separator.is_none() { digits.min(self.most_digits(radix)) } else { digits };
        let (taken, rest) = text.split_at(digits);
        let number = u128::from_str_radix(taken, radix).ok()?;
        let bytes = number.to_be_bytes();
        let length = self.length.min(bytes.len());
        let (spilled, kept) = bytes.split_at(bytes.len() - length);
        octets.extend_from_slice(kept);
        spilled.iter().all(|octet| *octet == 0).then_some(rest)
    }

    /// The number of digits of the greatest number that fits the octets (16 octets if there are more).
    fn most_digits(&self, radix: u32) -> usize {
        let bits = 8 * self.length.min(16) as u32; // at most 128
        let greatest = u128::MAX.checked_shr(128 - bits).unwrap_or(0);
        greatest.checked_ilog(radix.into()).map_or(0, |power| power as usize + 1)
    }
}

/// Octets as text: UTF-8 as it is, other octets replaced, and control characters (except tab and line ends, which
/// belong to the text) as `\x1B`. When printed, those are escaped as well: see [`crate::visible()`].
fn printable(octets: &[u8]) -> String {
    let text = String::from_utf8_lossy(octets);
    escaped(&text, |c| c.is_control() && !matches!(c, '\t' | '\n' | '\r')).into_owned()
}

fn skip_mark(text: &str, mark: Option<char>) -> &str {
    mark.and_then(|mark| text.strip_prefix(mark)).unwrap_or(text)
}

fn parse_integer_hint(text: &str) -> Option<IntegerHint> {
    match text {
        "d" => Some(IntegerHint::Decimal(0)),
        "x" => Some(IntegerHint::Hexadecimal),
        "o" => Some(IntegerHint::Octal),
        "b" => Some(IntegerHint::Binary),
        _ => {
            // More places than an integer has digits (10) would only print zeros; 18 still fit an i64.
            let places: u8 = text.strip_prefix("d-")?.parse().ok()?;
            (places <= 18).then_some(IntegerHint::Decimal(places))
        }
    }
}

fn parse_octet_specs(text: &str) -> Option<Vec<OctetSpec>> {
    let mut chars = text.chars().peekable();
    let mut specs = Vec::new();
    while chars.peek().is_some() {
        let repeats = chars.next_if_eq(&'*').is_some();
        let mut digits = String::new();
        while let Some(digit) = chars.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        let length = digits.parse().ok().filter(|length| *length <= 65535)?;
        let form = match chars.next()? {
            'd' => OctetForm::Decimal,
            'x' => OctetForm::Hexadecimal,
            'o' => OctetForm::Octal,
            'a' => OctetForm::Ascii,
            't' => OctetForm::Utf8,
            _ => return None,
        };
        let separator = chars.next_if(|c| !c.is_ascii_digit() && *c != '*');
        let terminator =
            separator.filter(|_| repeats).and_then(|_| chars.next_if(|c| !c.is_ascii_digit() && *c != '*'));
        specs.push(OctetSpec { repeats, length, form, separator, terminator });
    }
    Some(specs)
}

fn parse_radix(text: &str, radix: u32) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    if digits.starts_with(['+', '-']) {
        return None;
    }
    i64::from_str_radix(digits, radix).ok().map(|number| sign * number)
}

fn parse_fixed_point(text: &str, places: u8) -> Option<i64> {
    let places = usize::from(places);
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || fraction.len() > places || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let number: i64 = format!("{whole}{fraction:0<places$}").parse().ok()?;
    Some(if negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn octets(hint: &str, octets: &[u8]) -> String {
        DisplayHint::parse(hint).unwrap().format_octets(octets).unwrap()
    }

    fn integer(hint: &str, number: i64) -> String {
        DisplayHint::parse(hint).unwrap().format_integer(number).unwrap()
    }

    const DATE_AND_TIME: &str = "2d-1d-1d,1d:1d:1d.1d,1a1d:1d";

    #[test]
    fn octets_are_formatted_by_the_hint() {
        assert_eq!(octets("255a", b"eth0"), "eth0");
        assert_eq!(octets("255t", "Größe".as_bytes()), "Größe");
        assert_eq!(octets("1x:", &[0, 0x1b, 0x2c, 3, 4, 0xff]), "0:1b:2c:3:4:ff");
        assert_eq!(octets("1d.1d.1d.1d", &[192, 0, 2, 7]), "192.0.2.7");
        // RFC 2579: Tuesday May 26, 1992 at 1:30:15 PM EDT is 1992-5-26,13:30:15.0,-4:0
        let date = [0x07, 0xc8, 5, 26, 13, 30, 15, 0, b'-', 4, 0];
        assert_eq!(octets(DATE_AND_TIME, &date), "1992-5-26,13:30:15.0,-4:0");
        assert_eq!(octets(DATE_AND_TIME, &date[..8]), "1992-5-26,13:30:15.0");
        assert_eq!(octets("2x:2x:2x", &[0x20, 1, 0x0d, 0xb8, 0, 1]), "2001:db8:1");
        assert_eq!(octets("1o", &[8, 64]), "10100");
        assert_eq!(octets("*1x:/1x:", &[2, 0xa, 0xb, 0xc, 0xd]), "a:b/c:d");
        assert_eq!(octets("*1d./255a", b"\x02\x01\x02abc"), "1.2/abc");
        assert_eq!(octets("1x:", &[]), "");
        assert_eq!(octets("0a[2x]1d", &[0x12, 0x34, 5]), "[1234]5");
    }

    #[test]
    fn no_agent_can_send_control_sequences_to_the_terminal() {
        assert_eq!(octets("255a", b"a\x1b[2Jb\r\n"), "a\\x1B[2Jb\r\n");
    }

    #[test]
    fn integers_are_formatted_by_the_hint() {
        assert_eq!(integer("d", -5), "-5");
        assert_eq!(integer("d-2", 1234), "12.34");
        assert_eq!(integer("d-2", 5), "0.05");
        assert_eq!(integer("d-2", -5), "-0.05");
        assert_eq!(integer("x", 255), "ff");
        assert_eq!(integer("o", 8), "10");
        assert_eq!(integer("b", 5), "101");
    }

    #[test]
    fn invalid_hints_are_refused() {
        for text in ["", "q", "d-", "d-x", "d-19", "1q", "a", "255", "*", "1x:1", "99999a"] {
            assert_eq!(DisplayHint::parse(text), None, "{text}");
        }
    }

    #[test]
    fn texts_become_octets_again() {
        let parse = |hint, text| DisplayHint::parse(hint).unwrap().parse_octets(text);
        assert_eq!(parse("1x:", "0:1b:2c"), Some(vec![0, 0x1b, 0x2c]));
        assert_eq!(parse("1x:", "52:54:00:12"), Some(vec![0x52, 0x54, 0, 0x12]));
        assert_eq!(parse("1x:", "100:1"), None);
        assert_eq!(parse("1x:", "zz"), None);
        assert_eq!(
            parse(DATE_AND_TIME, "1992-5-26,13:30:15.0,-4:0"),
            Some(vec![7, 0xc8, 5, 26, 13, 30, 15, 0, b'-', 4, 0])
        );
        assert_eq!(parse("255t", "Größe"), Some("Größe".into()));
        assert_eq!(parse("1d.1d.1d.1d", "192.0.2.255"), Some(vec![192, 0, 2, 255]));
        assert_eq!(
            parse("1d.1d.1d.1d%4d", "192.0.2.255%4294967295"),
            Some([[192, 0, 2, 255], [255; 4]].concat())
        );
        assert_eq!(parse("1d", "256"), None);
        assert_eq!(parse("1o", "377"), Some(vec![255]));
        let integer = |hint, text| DisplayHint::parse(hint).unwrap().parse_integer(text);
        assert_eq!(integer("d-2", "12.3"), Some(1230));
        assert_eq!(integer("d-2", "-0.05"), Some(-5));
        assert_eq!(integer("d-2", "1.234"), None);
        assert_eq!(integer("x", "ff"), Some(255));
    }

    proptest! {
        #[test]
        fn any_text_and_any_octets_are_read_without_panic(hint in "[*0-9daxotb:.,/\\-]{0,12}", data: Vec<u8>, n: i64) {
            if let Some(hint) = DisplayHint::parse(&hint) {
                let _ = hint.format_octets(&data);
                let _ = hint.format_integer(n);
            }
        }

        #[test]
        fn any_typed_text_is_read_without_panic(hint in "[*0-9daxotb:.,/\\-]{0,12}", text in "\\PC{0,30}") {
            if let Some(hint) = DisplayHint::parse(&hint) {
                let _ = hint.parse_octets(&text);
                let _ = hint.parse_integer(&text);
            }
        }

        #[test]
        fn addresses_round_trip(data: Vec<u8>) {
            let hint = DisplayHint::parse("1x:").unwrap();
            prop_assert_eq!(hint.parse_octets(&hint.format_octets(&data).unwrap()), Some(data));
        }

        #[test]
        fn fixed_points_round_trip(n in -1_000_000_000_000i64..1_000_000_000_000) {
            let hint = DisplayHint::parse("d-3").unwrap();
            prop_assert_eq!(hint.parse_integer(&hint.format_integer(n).unwrap()), Some(n));
        }
    }
}
