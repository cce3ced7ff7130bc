//! The types of leaves that can be configured: which texts are values, and how each is written (RFC 7950 section 9).

use std::net::{Ipv4Addr, Ipv6Addr};

use trunkline_smi::module::ALL;

pub use self::forms::{of_binary, of_hex, to_binary, to_hex};

mod forms;

/// A type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// `string`, of at most so many octets.
    Text(usize),
    /// An unsigned number between these.
    Number(u64, u64),
    /// `int32`.
    Integer32,
    /// `boolean`.
    Boolean,
    /// `inet:domain-name`.
    DomainName,
    /// `inet:ipv4-address-no-zone`, of those that an interface can have.
    Ipv4,
    /// `inet:ipv6-address-no-zone`, of those that an interface can have.
    Ipv6,
    /// `inet:ip-address-no-zone`, of those that an interface can have.
    Ip,
    /// `inet:ip-prefix`.
    IpPrefix,
    /// A name: letters, digits, `.`, `_` and `-`, at most so many.
    Word(usize),
    /// `inet:ipv4-prefix`.
    Ipv4Prefix,
    /// `inet:ipv6-prefix`.
    Ipv6Prefix,
    /// `enumeration`.
    Enumeration(&'static [&'static str]),
    /// One of these identities of the leaf's own module, which has this namespace.
    Identity(&'static str, &'static [&'static str]),
    /// An identity derived from `iana-if-type`'s.
    InterfaceType,
    /// One of these identities of another module, with the prefix that is written and its namespace.
    IdentityOf((&'static str, &'static str), &'static [&'static str]),
    /// `empty`.
    Empty,
    /// `string`, of so many octets.
    Sized(usize, usize),
    /// `snmp:tag-value`.
    Tag,
    /// `yang:hex-string`, of so many octets.
    Hex(usize, usize),
    /// `binary`, of at most so many octets.
    Binary(usize),
    /// `inet:ip-address`.
    IpAddress,
    /// `inet:host`.
    Host,
    /// An unsigned number between these, or one of these names, which are those of numbers.
    NumberOr(u64, u64, &'static [(&'static str, u32)]),
    /// `snmp:wildcard-object-identifier`, in numbers.
    WildcardOid,
    /// `yang:date-and-time` in UTC, of the years 1970 to 9999.
    Time,
}

/// `yang:hex-string`.
pub const HEX: ValueType = ValueType::Hex(1, 64);

/// The prefix with which a value of type `identityref` is kept and written, and its namespace.
pub const IF_TYPE: (&str, &str) = ("ianaift", "urn:ietf:params:xml:ns:yang:iana-if-type");

impl ValueType {
    /// The value as it is kept and written, of a text that a client sent. `resolve` gives the namespace of a prefix.
    ///
    /// # Errors
    /// What the value must be.
    pub fn canonical<'r>(
        self,
        text: &str,
        resolve: impl Fn(&str) -> Option<&'r str>,
    ) -> Result<String, String> {
        let trimmed = text.trim_matches([' ', '\t', '\n', '\r']);
        match self {
            ValueType::Text(most) if text.len() > most => {
                Err(format!("must have at most {most} octets, not {}", text.len()))
            }
            ValueType::Text(_) if text.contains(|it: char| it.is_control() && !"\t\n\r".contains(it)) => {
                Err("must be without control characters".into())
            }
            ValueType::Text(_) => Ok(text.to_owned()),
            ValueType::Number(least, most) => match decimal(trimmed) {
                Some(number) if (least..=most).contains(&number) => Ok(number.to_string()),
                _ => Err(format!("must be a number from {least} to {most}")),
            },
            ValueType::Boolean if matches!(trimmed, "true" | "false") => Ok(trimmed.to_owned()),
            ValueType::Boolean => Err("must be true or false".into()),
            ValueType::DomainName if is_domain_name(trimmed) => Ok(trimmed.to_owned()),
            ValueType::DomainName => {
                Err("must be a name such as host.example.net: labels of letters, digits, - and _".into())
            }
            ValueType::Ipv4 => match trimmed.parse::<Ipv4Addr>() {
                Ok(it) if it.is_unspecified() || it.is_multicast() || it.is_broadcast() => {
                    Err("must be the address of a host".into())
                }
                Ok(address) => Ok(address.to_string()),
                Err(_) => Err("must be an IPv4 address such as 192.0.2.1".into()),
            },
            ValueType::Ipv6 => match trimmed.parse::<Ipv6Addr>() {
                Ok(it) if it.is_unspecified() || it.is_multicast() => {
                    Err("must be the address of a host".into())
                }
                Ok(address) => Ok(address.to_string()),
                Err(_) => Err("must be an IPv6 address such as 2001:db8::1".into()),
            },
            ValueType::Ip | ValueType::IpPrefix => self.of_either_version(trimmed),
            ValueType::Word(most) if is_word(text, most) => Ok(text.to_owned()),
            ValueType::Word(most) => {
                Err(format!("must be a name of at most {most} letters, digits, dots, _ and -"))
            }
            ValueType::Ipv4Prefix => prefix::<Ipv4Addr, 32>(trimmed)
                .map(|(address, length)| {
                    let kept = u32::MAX.checked_shl(32 - length).unwrap_or(0);
                    format!("{}/{length}", Ipv4Addr::from_bits(address.to_bits() & kept))
                })
                .ok_or_else(|| "must be a prefix of IPv4 such as 198.51.100.0/24".into()),
            ValueType::Ipv6Prefix => prefix::<Ipv6Addr, 128>(trimmed)
                .map(|(address, length)| {
                    let kept = u128::MAX.checked_shl(128 - length).unwrap_or(0);
                    format!("{}/{length}", Ipv6Addr::from_bits(address.to_bits() & kept))
                })
                .ok_or_else(|| "must be a prefix of IPv6 such as 2001:db8::/32".into()),
            ValueType::Enumeration(names) => one_of(trimmed, names),
            ValueType::Identity(namespace, names) => {
                let (prefix, name) = trimmed.split_once(':').unwrap_or(("", trimmed));
                match resolve(prefix) == Some(namespace) {
                    true => one_of(name, names),
                    false => Err(format!(
                        "must be an identity of {namespace}: in XML with a prefix of that namespace, in JSON with the name of the module"
                    )),
                }
            }
            ValueType::InterfaceType => {
                let (prefix, name) = trimmed.split_once(':').unwrap_or(("", trimmed));
                if resolve(prefix) == Some(IF_TYPE.1) && interface_types().any(|(_, known)| known == name) {
                    return Ok(format!("{}:{name}", IF_TYPE.0));
                }
                Err(format!(
                    "must be an identity of {}, such as {}:ethernetCsmacd: in XML with a prefix of that namespace, in JSON with the name of the module",
                    IF_TYPE.1, IF_TYPE.0
                ))
            }
            _ => self.canonical_of_snmp(text, resolve),
        }
    }

    /// The same of the types that ietf-snmp has.
    fn canonical_of_snmp<'r>(
        self,
        text: &str,
        resolve: impl Fn(&str) -> Option<&'r str>,
    ) -> Result<String, String> {
        let trimmed = text.trim_matches([' ', '\t', '\n', '\r']);
        match self {
            ValueType::IdentityOf((own, namespace), names) => {
                let (prefix, name) = trimmed.split_once(':').unwrap_or(("", trimmed));
                match resolve(prefix) == Some(namespace) {
                    true => one_of(name, names).map(|name| format!("{own}:{name}")),
                    false => {
                        Err(format!("must be an identity of {namespace}, with a prefix of that namespace"))
                    }
                }
            }
            ValueType::Empty if trimmed.is_empty() => Ok(String::new()),
            ValueType::Empty => Err("must be empty".into()),
            ValueType::Sized(least, most) if !(least..=most).contains(&text.len()) => {
                Err(format!("must be {least} to {most} octets long, not {}", text.len()))
            }
            ValueType::Sized(..) if text.contains(|it: char| it.is_control() && !"\t\n\r".contains(it)) => {
                Err("must be without control characters".into())
            }
            ValueType::Sized(..) => Ok(text.to_owned()),
            ValueType::Tag => forms::tag(text),
            ValueType::Hex(least, most) => forms::hex(trimmed, least, most),
            ValueType::Binary(most) => forms::binary(text, most),
            ValueType::IpAddress => forms::ip_address(trimmed),
            ValueType::Host => match forms::ip_address(trimmed) {
                Ok(address) => Ok(address),
                Err(_) if is_domain_name(trimmed) => Ok(trimmed.to_owned()),
                Err(_) => Err("must be an address or the name of a host".into()),
            },
            ValueType::NumberOr(least, most, names) => {
                let number = decimal(trimmed).filter(|it| (least..=most).contains(it));
                let is_it = |(name, of): &&(&str, u32)| *name == trimmed || number == Some(u64::from(*of));
                match (names.iter().find(is_it), number) {
                    (Some((name, _)), _) => Ok((*name).to_owned()),
                    (None, Some(number)) => Ok(number.to_string()),
                    (None, None) => {
                        let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
                        Err(format!("must be {}, or a number from {least} to {most}", names.join(", ")))
                    }
                }
            }
            ValueType::Integer32 => integer32(trimmed),
            ValueType::WildcardOid => forms::wildcard_oid(trimmed),
            ValueType::Time => forms::time(trimmed),
            // The others have been dealt with.
            _ => Err("cannot be set".into()),
        }
    }

    /// An address or a prefix of IPv4 or IPv6.
    fn of_either_version(self, text: &str) -> Result<String, String> {
        let is_prefix = self == ValueType::IpPrefix;
        let (of, expected) = match (is_prefix, text.contains(':')) {
            (false, true) => return ValueType::Ipv6.canonical(text, |_| None),
            (true, true) => return ValueType::Ipv6Prefix.canonical(text, |_| None),
            (false, false) => {
                (ValueType::Ipv4, "must be the address of a host, such as 192.0.2.1 or 2001:db8::1")
            }
            (true, false) => {
                (ValueType::Ipv4Prefix, "must be a prefix such as 198.51.100.0/24 or 2001:db8::/32")
            }
        };
        of.canonical(text, |_| None).map_err(|_| expected.to_owned())
    }

    /// The declaration that a value needs where it is written: a prefix and its namespace.
    pub const fn declares(self) -> Option<(&'static str, &'static str)> {
        match self {
            ValueType::InterfaceType => Some(IF_TYPE),
            ValueType::IdentityOf(identity, _) => Some(identity),
            _ => None,
        }
    }
}

/// An address, and the length of its prefix.
fn prefix<A: std::str::FromStr, const BITS: u32>(text: &str) -> Option<(A, u32)> {
    let (address, length) = text.split_once('/')?;
    let is_number = length.len() <= 3 && length.bytes().all(|it| it.is_ascii_digit());
    let length = length.parse().ok().filter(|length| is_number && *length <= BITS)?;
    Some((address.parse().ok()?, length))
}

fn one_of(text: &str, names: &[&str]) -> Result<String, String> {
    match names.contains(&text) {
        true => Ok(text.to_owned()),
        false => Err(format!("must be {}", names.join(" or "))),
    }
}

fn is_word(text: &str, most: usize) -> bool {
    let is_part = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'_' | b'-');
    (1..=most).contains(&text.len()) && text.bytes().all(is_part)
}

/// The pattern of RFC 6991 section 4.
fn is_domain_name(text: &str) -> bool {
    let is_label = |label: &str| {
        let inner = label.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_'));
        let ends = label.bytes().next().is_some_and(|it| it != b'-')
            && label.bytes().last().is_some_and(|it| it.is_ascii_alphanumeric());
        inner && ends && label.len() <= 63
    };
    let labels = text.strip_suffix('.').unwrap_or(text);
    text == "." || text.len() <= 253 && labels.split('.').all(is_label)
}

/// A number of type `uint64` and the like (RFC 7950 section 9.2.1): a sign, and zeros in front, may be there.
fn decimal(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// The same with a sign (RFC 7950 section 9.2.1).
fn integer32(text: &str) -> Result<String, String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let number =
        decimal(digits).filter(|_| !text.starts_with("-+")).and_then(|size| i64::try_from(size).ok());
    let signed = number.map(|size| if text.starts_with('-') { -size } else { size });
    match signed.and_then(|number| i32::try_from(number).ok()) {
        Some(number) => Ok(number.to_string()),
        None => Err(format!("must be a number from {} to {}", i32::MIN, i32::MAX)),
    }
}

/// The types of interfaces by their numbers: `iana-if-type` has the names of IANAifType-MIB.
pub fn interface_types() -> impl Iterator<Item = (i32, &'static str)> {
    let columns = ALL.iter().flat_map(|module| module.tables).flat_map(|table| table.columns);
    columns.filter(|column| column.name == "ifType").flat_map(|column| column.syntax.names).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(of: ValueType, text: &str) -> Option<String> {
        of.canonical(text, |prefix| (prefix == "t").then_some(IF_TYPE.1)).ok()
    }

    #[test]
    fn values_have_one_form() {
        let cases = [
            (ValueType::Number(1, 128), " +064\n", Some("64")),
            (ValueType::Number(1, 128), "129", None),
            (ValueType::Integer32, " -07\n", Some("-7")),
            (ValueType::Integer32, "+2147483647", Some("2147483647")),
            (ValueType::Integer32, "-2147483648", Some("-2147483648")),
            (ValueType::Integer32, "-0", Some("0")),
            (ValueType::Integer32, "2147483648", None),
            (ValueType::Integer32, "-2147483649", None),
            (ValueType::Integer32, "-+1", None),
            (ValueType::Integer32, "-", None),
            (ValueType::Integer32, "18446744073709551615", None),
            (ValueType::Number(1, 128), "", None),
            (ValueType::Number(0, u64::MAX), "18446744073709551615", Some("18446744073709551615")),
            (ValueType::Number(0, u64::MAX), "18446744073709551616", None),
            (ValueType::Boolean, " true ", Some("true")),
            (ValueType::Boolean, "1", None),
            (ValueType::Ipv4, "192.0.2.1", Some("192.0.2.1")),
            (ValueType::Ipv4, "192.0.2.01", None),
            (ValueType::Ipv4, "0.0.0.0", None),
            (ValueType::Ipv4, "224.0.0.1", None),
            (ValueType::Ipv6, "::", None),
            (ValueType::Ipv6, "ff02::1", None),
            (ValueType::Ip, "192.0.2.1", Some("192.0.2.1")),
            (ValueType::Ip, "2001:DB8::0:1", Some("2001:db8::1")),
            (ValueType::Ip, "fe80::1%eth0", None),
            (ValueType::Ip, "host", None),
            (ValueType::IpPrefix, "192.0.2.1/24", Some("192.0.2.0/24")),
            (ValueType::IpPrefix, "2001:db8::1/32", Some("2001:db8::/32")),
            (ValueType::IpPrefix, "192.0.2.0/33", None),
            (ValueType::Word(3), "a.b", Some("a.b")),
            (ValueType::Word(3), "a b", None),
            (ValueType::Word(3), "abcd", None),
            (ValueType::Word(3), "", None),
            (ValueType::DomainName, " a-b_c.example.net. ", Some("a-b_c.example.net.")),
            (ValueType::DomainName, "9", Some("9")),
            (ValueType::DomainName, ".", Some(".")),
            (ValueType::DomainName, "-a", None),
            (ValueType::DomainName, "a..b", None),
            (ValueType::DomainName, "a\nb", None),
            (ValueType::DomainName, "", None),
            (ValueType::Ipv6, "2001:DB8:0::1", Some("2001:db8::1")),
            (ValueType::Ipv6, "fe80::1%eth0", None),
            (ValueType::Ipv4Prefix, " 198.51.100.7/24 ", Some("198.51.100.0/24")),
            (ValueType::Ipv4Prefix, "0.0.0.0/0", Some("0.0.0.0/0")),
            (ValueType::Ipv4Prefix, "1.2.3.4/0", Some("0.0.0.0/0")),
            (ValueType::Ipv4Prefix, "192.0.2.1/32", Some("192.0.2.1/32")),
            (ValueType::Ipv4Prefix, "192.0.2.1/33", None),
            (ValueType::Ipv4Prefix, "192.0.2.1/+3", None),
            (ValueType::Ipv4Prefix, "192.0.2.1", None),
            (ValueType::Ipv6Prefix, "2001:DB8::1/32", Some("2001:db8::/32")),
            (ValueType::Ipv6Prefix, "::/0", Some("::/0")),
            (ValueType::Ipv6Prefix, "192.0.2.0/24", None),
            (ValueType::Enumeration(&["a", "b"]), " b ", Some("b")),
            (ValueType::Enumeration(&["a", "b"]), "c", None),
            (ValueType::Identity(IF_TYPE.1, &["static"]), "t:static", Some("static")),
            (ValueType::Identity(IF_TYPE.1, &["static"]), "static", None),
            (ValueType::Identity(IF_TYPE.1, &["static"]), "t:other", None),
            (ValueType::Text(4), " a b", Some(" a b")),
            (ValueType::Text(4), "a b c", None),
            (ValueType::Text(4), "a\u{7}", None),
            (ValueType::InterfaceType, "t:ethernetCsmacd", Some("ianaift:ethernetCsmacd")),
            (ValueType::InterfaceType, "t:nothing", None),
            (ValueType::InterfaceType, "ethernetCsmacd", None),
            (ValueType::IdentityOf(("i", IF_TYPE.1), &["static"]), "t:static", Some("i:static")),
            (ValueType::IdentityOf(("i", IF_TYPE.1), &["static"]), "i:static", None),
            (ValueType::Empty, " ", Some("")),
            (ValueType::Empty, "x", None),
            (ValueType::Sized(1, 2), "", None),
            (ValueType::Sized(1, 2), "ab", Some("ab")),
            (ValueType::Sized(1, 2), "abc", None),
            (ValueType::Tag, "", Some("")),
            (ValueType::Tag, "a b", None),
            (ValueType::Hex(1, 3), "0A:fF", Some("0a:ff")),
            (ValueType::Hex(1, 3), "0A:fF:00:00", None),
            (ValueType::Hex(1, 3), "0a:+f", None),
            (ValueType::Hex(1, 3), "0a:", None),
            (ValueType::Hex(1, 3), "", None),
            (ValueType::Binary(3), " YW\nJj ", Some("YWJj")),
            (ValueType::Binary(3), "YWJjZA==", None),
            (ValueType::Binary(3), "YWJ", None),
            (ValueType::IpAddress, "0.0.0.0", Some("0.0.0.0")),
            (ValueType::IpAddress, "FE80::1%02", Some("fe80::1%2")),
            (ValueType::IpAddress, "fe80::1%eth0", None),
            (ValueType::IpAddress, "host", None),
            (ValueType::Host, "host.example.net", Some("host.example.net")),
            (ValueType::Host, "::1", Some("::1")),
            (ValueType::Host, "a b", None),
            (ValueType::NumberOr(1, 9, &[("v1", 1)]), "v1", Some("v1")),
            (ValueType::NumberOr(1, 9, &[("v1", 1)]), "1", Some("v1")),
            (ValueType::NumberOr(1, 9, &[("v1", 1)]), "09", Some("9")),
            (ValueType::NumberOr(4, 9, &[("any", 0)]), "0", None),
            (ValueType::NumberOr(4, 9, &[("any", 0)]), "other", None),
            (ValueType::Time, "2026-11-28T07:50:00.25Z", Some("2026-11-28T07:50:00.250Z")),
            (ValueType::Time, "2024-02-29T23:59:59Z", Some("2024-02-29T23:59:59.000Z")),
            (ValueType::Time, "2026-02-29T00:00:00Z", None),
            (ValueType::Time, "2026-11-28T07:50:00+01:00", None),
            (ValueType::Time, "1969-11-28T07:50:00Z", None),
            (ValueType::Time, "soon", None),
            (ValueType::WildcardOid, "1.3.*.0", Some("1.3.*.0")),
            (ValueType::WildcardOid, "1", Some("1")),
            (ValueType::WildcardOid, "*", None),
            (ValueType::WildcardOid, "1..3", None),
            (ValueType::WildcardOid, "1.03", None),
            (ValueType::WildcardOid, "ifTable", None),
            (ValueType::WildcardOid, "", None),
        ];
        for (of, text, expected) in cases {
            let found = canonical(of, text);
            assert_eq!(found.as_deref(), expected, "{of:?} {text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn the_form_of_a_value_is_a_value(text in "[ +0-9a-f:./t]{0,20}") {
            let all = [
                ValueType::Text(10), ValueType::Number(3, 70_000), ValueType::Integer32, ValueType::Boolean, ValueType::Ipv4, ValueType::Ipv6,
                ValueType::DomainName, ValueType::Ipv4Prefix, ValueType::Ipv6Prefix, ValueType::Hex(1, 9), ValueType::Binary(9),
                ValueType::IpAddress, ValueType::Host, ValueType::Tag, ValueType::WildcardOid, ValueType::Time, ValueType::Sized(0, 9), ValueType::Empty,
            ];
            for of in all {
                if let Some(form) = canonical(of, &text) {
                    proptest::prop_assert_eq!(canonical(of, &form), Some(form));
                }
            }
        }
    }
}
