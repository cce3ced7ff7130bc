//! Which notifications a target wants: a profile of snmpNotifyFilterTable (RFC 3413 section 6).

use trunkline_tree::View;

use trunkline_tree::Event;

/// Whether a filter passes a notification: its name must be included, and none of its objects excluded. An object
/// that no family of the filter matches does not matter.
pub fn passes(filter: &View, event: &Event) -> bool {
    let excluded = |name: &[u32]| filter.deciding(name).is_some_and(|family| !family.included);
    filter.contains(&event.oid) && !event.objects.iter().any(|(name, _)| excluded(name))
}

#[cfg(test)]
mod tests {
    use trunkline_smi::{Oid, Value};

    use super::*;

    const LINK_DOWN: [u32; 10] = [1, 3, 6, 1, 6, 3, 1, 1, 5, 3];

    fn check(rules: &[&str]) -> bool {
        let view = View::of(rules.iter().map(|rule| rule.parse().unwrap())).unwrap();
        let object = Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 1, 7]);
        let event = Event::new(Oid::from(LINK_DOWN), vec![(object, Value::Integer(7))]);
        passes(&view, &event)
    }

    #[test]
    fn the_name_is_included_and_no_object_excluded() {
        assert!(!check(&[]));
        assert!(check(&["1.3.6.1.6.3.1.1.5"]));
        assert!(!check(&["1.3.6.1.6.3.1.1.5", "-1.3.6.1.6.3.1.1.5.3"]));
        assert!(!check(&["1.3.6.1.6.3.1.1.5", "-1.3.6.1.2.1.2.2.1.*.7"]));
        assert!(check(&["1.3.6.1.6.3.1.1.5", "-1.3.6.1.2.1.2.2.1.*.8"]));
        assert!(check(&["1.3.6.1.6.3.1.1.5", "-1.3.6.1.2.1.2", "1.3.6.1.2.1.2.2.1.1"]));
    }
}
