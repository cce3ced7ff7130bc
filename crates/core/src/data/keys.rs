//! Entries whose keys cannot be written: keys are unique, and have the characters of strings (RFC 7950 sections 7.8.2 and 14). Such an entry
//! would look like another one, and its path would lead there, so that it is left out.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use trunkline_smi::schema::{IndexPart, Syntax};
use trunkline_smi::{IndexRef, ValueKind, ValueRef};
use trunkline_yang::forest::Forest;
use trunkline_yang::instances::{InstanceId, Instances};
use trunkline_yang::lexical;

/// The parts of an index that can have what no string has.
pub(super) fn texts(parts: &[IndexPart]) -> Vec<usize> {
    let is_text = |at: &usize| parts.get(*at).is_some_and(|part| is_plain_text(&part.syntax));
    (0..parts.len()).filter(is_text).collect()
}

/// Whether a part of an index can be written.
pub(super) fn is_written(found: IndexRef<'_>, part: &IndexPart, octets: &mut Vec<u8>) -> bool {
    match found.value(part, octets) {
        Some(ValueRef::OctetString(octets)) => is_of_text(octets),
        _ => true,
    }
}

/// Whether all keys of an entry that the agent has made can be written.
pub(super) fn are_written(forest: &Forest, instances: &Instances, entry: InstanceId) -> bool {
    let is_key = |id: &InstanceId| instances.node(*id).is_some_and(|node| forest[node].place.is_key());
    let mut keys = instances.children(entry).take_while(is_key);
    keys.all(|key| is_of_text(instances.value(key).as_bytes()))
}

/// Whether values of an object are texts as they are: octets may be there that no string has.
fn is_plain_text(syntax: &Syntax) -> bool {
    syntax.kind == ValueKind::OctetString && matches!(syntax.hint, "255a" | "255t")
}

/// Whether a text stands for these octets alone: no character of it is written as another one.
fn is_of_text(octets: &[u8]) -> bool {
    std::str::from_utf8(octets).is_ok_and(|text| text.chars().all(lexical::is_of_strings))
}

/// Says once of a list how many of its entries are left out.
pub(super) fn tell(list: &str, left_out: usize) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if left_out == 0 {
        return;
    }
    if TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(list.to_owned()) {
        tracing::warn!(
            list,
            entries = left_out,
            "entries are left out of documents: their keys have characters that no string of YANG has"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_characters_of_strings() {
        for (octets, expected) in [
            (&b"plain \t\r\n"[..], true),
            ("\u{e9}\u{fffd}".as_bytes(), true),
            (b"", true),
            (b"a\0", false),
            (b"a\x01", false),
            ("\u{ffff}".as_bytes(), false),
            (b"a\xff", false),
        ] {
            assert_eq!(is_of_text(octets), expected, "{octets:?}");
        }
        assert!(is_plain_text(&Syntax::DISPLAY_STRING) && is_plain_text(&Syntax::SNMP_ADMIN_STRING));
        assert!(!is_plain_text(&Syntax::PHYS_ADDRESS) && !is_plain_text(&Syntax::OCTET_STRING));
    }
}
