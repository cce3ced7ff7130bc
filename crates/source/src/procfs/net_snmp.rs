//! /proc/net/snmp: the counters of RFC 1213's groups, two lines for each group, names above values.

use super::{lines, signed, words};

/// The counters of one group, such as `Tcp`, in the kernel's order.
#[derive(Debug, Clone, Copy)]
pub struct Section<'a> {
    names: &'a [u8],
    values: &'a [u8],
}

impl<'a> Section<'a> {
    /// The section that this prefix begins, `Tcp` for the lines `Tcp: ...`.
    pub fn find(text: &'a [u8], prefix: &str) -> Option<Self> {
        let mut bodies = lines(text).filter_map(|line| {
            let rest = line.strip_prefix(prefix.as_bytes())?;
            rest.strip_prefix(b":")
        });
        Some(Section { names: bodies.next()?, values: bodies.next()? })
    }

    /// Each counter with its name. A value may be negative: MaxConn is -1.
    pub fn counters(self) -> impl Iterator<Item = (&'a [u8], i64)> {
        words(self.names).zip(words(self.values)).filter_map(|(name, value)| {
            // 64-bit counters above 2^63 keep their bits.
            let value = signed(value).or_else(|| super::number(value).map(|number| number as i64))?;
            Some((name, value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &[u8] = b"Udp: In Out\nUdp: 1 2\nUdpLite: In Out\nUdpLite: 3 4\nTcp: MaxConn Big\nTcp: -1 18446744073709551615\n";

    #[test]
    fn a_section_is_found_by_its_whole_prefix() {
        let all = |prefix| {
            let section = Section::find(TEXT, prefix).unwrap();
            section.counters().map(|(name, value)| (name.to_vec(), value)).collect::<Vec<_>>()
        };
        assert_eq!(all("UdpLite"), [(b"In".to_vec(), 3), (b"Out".to_vec(), 4)]);
        assert_eq!(all("Udp"), [(b"In".to_vec(), 1), (b"Out".to_vec(), 2)]);
        assert_eq!(all("Tcp"), [(b"MaxConn".to_vec(), -1), (b"Big".to_vec(), -1)]);
        assert!(Section::find(TEXT, "Ip").is_none());
    }

    proptest! {
        #[test]
        fn truncated_and_mutated_texts_never_panic(cut in 0..TEXT.len(), at in 0..TEXT.len(), octet: u8) {
            let mut text = TEXT[..cut].to_vec();
            if let Some(place) = text.get_mut(at) {
                *place = octet;
            }
            if let Some(section) = Section::find(&text, "Tcp") {
                prop_assert!(section.counters().count() <= 2);
            }
        }
    }
}
