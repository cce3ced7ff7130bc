//! The forms of values that ietf-snmp has (RFC 7407): octets in hexadecimal, addresses with zones, object identifiers with wildcards.

use std::net::{IpAddr, Ipv6Addr};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use chrono::Datelike as _;

/// `aa:bb:cc`, of so many octets.
pub(super) fn hex(text: &str, least: usize, most: usize) -> Result<String, String> {
    let octets: Option<Vec<u8>> = text
        .split(':')
        .map(|it| (it.len() == 2 && it.is_ascii()).then(|| u8::from_str_radix(it, 16).ok()).flatten())
        .collect();
    match octets {
        Some(octets) if (least..=most).contains(&octets.len()) && !text.contains('+') => Ok(to_hex(&octets)),
        _ => Err(format!("must be {least} to {most} octets in hexadecimal, such as 80:00:02:b8:04")),
    }
}

/// Octets in hexadecimal, as values of type `yang:hex-string` are written.
#[must_use]
pub fn to_hex(octets: &[u8]) -> String {
    let octets: Vec<String> = octets.iter().map(|it| format!("{it:02x}")).collect();
    octets.join(":")
}

/// The octets of a value of type `yang:hex-string`.
#[must_use]
pub fn of_hex(text: &str) -> Option<Vec<u8>> {
    text.split(':').map(|it| u8::from_str_radix(it, 16).ok()).collect()
}

/// A value of type `binary`.
#[must_use]
pub fn to_binary(octets: &[u8]) -> String {
    BASE64.encode(octets)
}

/// The octets of a value of type `binary`; white space in it means nothing.
#[must_use]
pub fn of_binary(text: &str) -> Option<Vec<u8>> {
    let text: String = text.chars().filter(|it| !it.is_ascii_whitespace()).collect();
    BASE64.decode(text).ok()
}

pub(super) fn binary(text: &str, most: usize) -> Result<String, String> {
    match of_binary(text) {
        Some(octets) if (1..=most).contains(&octets.len()) => Ok(to_binary(&octets)),
        _ => Err(format!("must be 1 to {most} octets in base64")),
    }
}

/// `inet:ip-address`: with the number of its zone, if it is link-local.
pub(super) fn ip_address(text: &str) -> Result<String, String> {
    let wrong = || "must be an address such as 192.0.2.1, 2001:db8::1 or fe80::1%2".to_owned();
    match text.split_once('%') {
        None => text.parse::<IpAddr>().map(|it| it.to_string()).map_err(|_| wrong()),
        Some((address, zone)) => {
            let address: Ipv6Addr = address.parse().map_err(|_| wrong())?;
            let is_number = zone.bytes().all(|it| it.is_ascii_digit());
            let zone: u32 = zone.parse().ok().filter(|zone| is_number && *zone != 0).ok_or_else(wrong)?;
            Ok(format!("{address}%{zone}"))
        }
    }
}

/// `snmp:wildcard-object-identifier` in numbers.
pub(super) fn wildcard_oid(text: &str) -> Result<String, String> {
    let is_part = |it: &str| it == "*" || it.parse::<u32>().is_ok_and(|number| number.to_string() == it);
    let count = text.split('.').count();
    match text.split('.').all(is_part) && !text.starts_with('*') && count <= MOST_PARTS {
        true => Ok(text.to_owned()),
        false => Err("must be an object identifier in numbers, where * stands for any number, such as 1.3.6.1.2.1.2.2.1.*.1".into()),
    }
}

/// Parts of an object identifier of SMIv2.
const MOST_PARTS: usize = 128;

/// `snmp:tag-value`: a tag has no delimiters (RFC 3413).
pub(super) fn tag(text: &str) -> Result<String, String> {
    match text.len() <= 255 && !text.contains(|it: char| it.is_control() || it == ' ') {
        true => Ok(text.to_owned()),
        false => Err("must be a tag of at most 255 octets, without spaces, tabs and line breaks".into()),
    }
}

/// `yang:date-and-time` in UTC, with milliseconds.
pub(super) fn time(text: &str) -> Result<String, String> {
    let wrong = || "must be a time in UTC, such as 2026-11-28T07:50:00Z".to_owned();
    let time = chrono::DateTime::parse_from_rfc3339(text).map_err(|_| wrong())?.to_utc();
    match text.ends_with('Z') && (1970..10_000).contains(&time.year()) {
        true => Ok(time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)),
        false => Err(wrong()),
    }
}
