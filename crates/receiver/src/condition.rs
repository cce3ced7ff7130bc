//! Which notifications a rule is for.

use std::net::IpAddr;

use regex::Regex;
use trunkline_client::{Bound, Received, Value, VarBind, Version};
use trunkline_smi::Oid;
use trunkline_snmp::SecurityLevel;

use crate::form::Forms;

/// All parts must hold; an empty part holds always.
#[derive(Clone, Debug, Default)]
pub struct Condition {
    /// Notifications, or subtrees of them.
    pub notifications: Vec<Oid>,
    /// If true, a notification must be one of them, and not below one.
    pub exactly: bool,
    /// Where the message comes from.
    pub sources: Vec<Network>,
    /// Communities of SNMPv1 and SNMPv2c.
    pub communities: Vec<Vec<u8>>,
    /// Users of SNMPv3, or principals of TLS, DTLS and SSH.
    pub users: Vec<Vec<u8>>,
    /// The minimum security level.
    pub level: Option<SecurityLevel>,
    /// Versions of SNMP.
    pub versions: Vec<Version>,
    /// What the objects must have.
    pub predicates: Vec<Predicate>,
}

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

/// What an object of the notification must have.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// The object, or an instance of it.
    pub object: Oid,
    /// The test. It holds if one instance passes it.
    pub test: Test,
}

/// A test of a value.
#[derive(Clone, Debug)]
pub enum Test {
    /// The object is in the notification, or is not.
    Present(bool),
    /// The value's text: an enumeration's name, a number, or text.
    Equals(String),
    /// The value's text does not equal this one.
    Differs(String),
    /// The value's text has a part that this expression matches.
    Matches(Regex),
    /// A number greater than this one.
    Above(f64),
    /// A number less than this one.
    Below(f64),
}

impl Condition {
    /// Whether the rule is for this notification.
    pub fn holds(&self, received: &Received, forms: &dyn Forms) -> bool {
        let peer = received.peer.ip();
        self.is_named(&received.notification.trap_oid)
            && (self.sources.is_empty() || self.sources.iter().any(|network| network.contains(peer)))
            && self.is_from_sender(received)
            && self.level.is_none_or(|least| received.level >= least)
            && (self.versions.is_empty() || self.versions.contains(&received.version))
            && self.predicates.iter().all(|predicate| predicate.holds(received, forms))
    }

    fn is_named(&self, oid: &Oid) -> bool {
        let is_one = |wanted: &Oid| if self.exactly { oid == wanted } else { oid.starts_with(wanted) };
        self.notifications.is_empty() || self.notifications.iter().any(is_one)
    }

    /// A community or a user of the lists, if there are any.
    fn is_from_sender(&self, received: &Received) -> bool {
        if self.communities.is_empty() && self.users.is_empty() {
            return true;
        }
        let is_in = |list: &[Vec<u8>], name: &Option<Vec<u8>>| {
            name.as_ref().is_some_and(|name| list.iter().any(|listed| listed == name))
        };
        is_in(&self.communities, &received.community) || is_in(&self.users, &received.user)
    }
}

impl Predicate {
    fn holds(&self, received: &Received, forms: &dyn Forms) -> bool {
        let mut found = received.notification.bindings.iter().filter(|b| b.name.starts_with(&self.object));
        match &self.test {
            Test::Present(wanted) => found.next().is_some() == *wanted,
            Test::Equals(text) => found.any(|binding| has_text(binding, text, forms)),
            Test::Differs(text) => found.any(|binding| !has_text(binding, text, forms)),
            Test::Matches(expression) => {
                let mut left = MOST_MATCHED;
                found.any(|binding| {
                    let value = forms.value(binding);
                    let looked_at = beginning(&value, left);
                    left -= looked_at.len();
                    expression.is_match(looked_at)
                })
            }
            Test::Above(limit) => found.any(|binding| number(binding).is_some_and(|found| found > *limit)),
            Test::Below(limit) => found.any(|binding| number(binding).is_some_and(|found| found < *limit)),
        }
    }
}

/// Octets of the values of a notification that one `matches` looks at: an expression may take a microsecond for each ten, and senders
/// choose how long values are.
const MOST_MATCHED: usize = 4096;

/// At most so many octets of a text, in whole characters.
fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    &text[..end]
}

/// By the text that is printed; an enumeration also by its number.
fn has_text(binding: &VarBind, text: &str, forms: &dyn Forms) -> bool {
    let by_number = match &binding.value {
        Bound::Value(Value::Integer(number)) => number.to_string() == text,
        Bound::Value(Value::ObjectIdentifier(oid)) => forms.oid(text).is_ok_and(|wanted| wanted == *oid),
        _ => false,
    };
    by_number || forms.value(binding) == text
}

fn number(binding: &VarBind) -> Option<f64> {
    let Bound::Value(value) = &binding.value else { return None };
    match value {
        Value::Integer(number) => Some(f64::from(*number)),
        Value::Counter32(number) | Value::Unsigned32(number) | Value::TimeTicks(number) => {
            Some(f64::from(*number))
        }
        // Limits beyond 2^53 are compared approximately.
        Value::Counter64(number) => Some(*number as f64),
        _ => None,
    }
}

impl Network {
    /// An address, or a network such as `192.0.2.0/24`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(a, p)| (a, Some(p)));
        let address: IpAddr = address.parse().map_err(|_| {
            format!("{text:?} is not an address; expected an address or a network such as 192.0.2.0/24")
        })?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => most,
            Some(digits) => digits
                .parse::<u8>()
                .ok()
                .filter(|prefix| *prefix <= most)
                .ok_or_else(|| format!("the prefix length in {text:?} is not in 0 to {most}"))?,
        };
        Ok(Network { address, prefix })
    }

    /// Whether an address is in the range; an IPv4 address mapped into IPv6 counts as IPv4.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let bits = |address: IpAddr| match address.to_canonical() {
            IpAddr::V4(v4) => (u128::from(u32::from(v4)) << 96, 4),
            IpAddr::V6(v6) => (u128::from(v6), 6),
        };
        let ((own, own_family), (other, other_family)) = (bits(self.address), bits(address));
        let shift = 128 - u32::from(self.prefix);
        own_family == other_family && (own ^ other).checked_shr(shift).unwrap_or(0) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_look_at_the_beginning_of_values() {
        for (text, most, expected) in
            [("abc", 0, ""), ("abc", 2, "ab"), ("abc", 3, "abc"), ("abc", 9, "abc"), ("a\u{e9}", 2, "a")]
        {
            assert_eq!(beginning(text, most), expected);
        }
    }

    #[test]
    fn networks_contain_their_addresses() {
        for (network, address, is_in) in [
            ("192.0.2.0/24", "192.0.2.77", true),
            ("192.0.2.0/24", "::ffff:192.0.2.77", true),
            ("192.0.2.0/24", "192.0.3.1", false),
            ("0.0.0.0/0", "203.0.113.1", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("192.0.2.1", "192.0.2.2", false),
            ("2001:db8::/32", "2001:db8:7::1", true),
            ("::/0", "2001:db8::1", true),
        ] {
            let found = Network::parse(network).unwrap().contains(address.parse().unwrap());
            assert_eq!(found, is_in, "{network} {address}");
        }
        for wrong in ["", "router", "192.0.2.0/33", "192.0.2.0/x", "::/129"] {
            assert!(Network::parse(wrong).is_err(), "{wrong}");
        }
    }
}
