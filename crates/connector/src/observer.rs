//! Attributes that are configured, over whatever protocol: who listens to their MBeans is notified of the old and the new value.

use std::collections::HashSet;
use std::sync::Weak;
use std::time::SystemTime;

use trunkline_beans::Catalog;
use trunkline_core::{ObjectChange, Observer, Touched, configured};
use trunkline_jmx::model::ObjectName;
use trunkline_smi::Oid;

use crate::door::Connector;

/// The door as the observer of changes. Weak: the core is the door's.
pub(crate) struct Listeners(pub Weak<Connector>);

impl Observer for Listeners {
    fn wanted(&self, touched: Touched<'_>) -> Vec<Oid> {
        let Some(door) = self.0.upgrade() else { return Vec::new() };
        let listened = door.connections.listened();
        if listened.is_empty() {
            return Vec::new();
        }
        let catalog = door.catalog(&door.core.settings());
        let mut wanted = instances(&catalog, touched, &listened);
        if wanted.len() > MOST_OBSERVED {
            if let Some(left_out) = door.too_much.admit() {
                tracing::warn!(
                    attributes = wanted.len(),
                    most = MOST_OBSERVED,
                    left_out,
                    "JMX clients listen to too many MBeans: changes of some attributes are not reported"
                );
            }
            wanted.truncate(MOST_OBSERVED);
        }
        wanted
    }

    fn changed(&self, changes: Vec<ObjectChange>) {
        let Some(door) = self.0.upgrade() else { return };
        let catalog = door.catalog(&door.core.settings());
        for change in changes {
            door.log.add_change(&catalog, &change, SystemTime::now());
        }
    }
}

/// What may change of the MBeans that somebody listens to.
fn instances(catalog: &Catalog, touched: Touched<'_>, listened: &HashSet<ObjectName>) -> Vec<Oid> {
    let changeable = |name: &ObjectName| catalog.resolve(name).map(|bean| bean.changeable());
    match touched {
        Touched::Objects(bindings) => {
            let places = bindings.iter().filter_map(|it| catalog.place_of(&it.name));
            let touched: HashSet<ObjectName> =
                places.map(|(name, _)| name).filter(|name| listened.contains(name)).collect();
            touched.iter().filter_map(changeable).flatten().collect()
        }
        Touched::Configuration => {
            // What can only be set is not read: whoever sets it at the same time reports it.
            let is_configured = |name: &Oid| configured().iter().any(|object| name.starts_with(object));
            listened.iter().filter_map(changeable).flatten().filter(is_configured).collect()
        }
    }
}

/// Attributes that are compared at one change.
const MOST_OBSERVED: usize = 10_000;

#[cfg(test)]
mod tests {
    use trunkline_smi::Value;
    use trunkline_tree::SetBinding;

    use super::*;

    fn wanted(touched: Touched<'_>, listened: &[&str]) -> Vec<String> {
        let listened = listened.iter().map(|name| name.parse().unwrap()).collect();
        let found = instances(&Catalog::new(|_| true), touched, &listened);
        let mut found: Vec<String> = found.iter().map(ToString::to_string).collect();
        found.sort();
        found
    }

    #[test]
    fn a_set_touches_the_rows_of_its_objects() {
        let set = |name: &str| SetBinding { name: name.parse().unwrap(), value: Some(Value::Integer(1)) };
        let both = ["trunkline:type=ifXEntry,ifIndex=2", "trunkline:type=system"];
        let of_row = ["1.3.6.1.2.1.31.1.1.1.14.2", "1.3.6.1.2.1.31.1.1.1.16.2", "1.3.6.1.2.1.31.1.1.1.18.2"];
        let alias = [set("1.3.6.1.2.1.31.1.1.1.18.2"), set("1.3.6.1.2.1.31.1.1.1.14.2")];
        let found = wanted(Touched::Objects(&alias), &both);
        assert!(found.iter().all(|it| it.starts_with("1.3.6.1.2.1.31.1.1.1.") && it.ends_with(".2")));
        for instance in of_row {
            assert_eq!(found.iter().filter(|it| *it == instance).count(), 1, "{instance}: {found:?}");
        }
        let others = [set("1.3.6.1.2.1.31.1.1.1.18.3"), set("1.3.6.1.2.1.2.2.1.7.2"), set("1.3")];
        assert!(wanted(Touched::Objects(&others), &both).is_empty());
    }

    #[test]
    fn a_configuration_touches_what_netconf_configures() {
        let names = ["trunkline:type=ifEntry,ifIndex=2", "trunkline:type=ifXEntry,ifIndex=2"];
        let found = wanted(Touched::Configuration, &names);
        // ifName, ifAlias, ifType, ifMtu, ifAdminStatus
        let expected = ["31.1.1.1.1.2", "31.1.1.1.18.2", "2.2.1.3.2", "2.2.1.4.2", "2.2.1.7.2"];
        let mut expected = expected.map(|it| format!("1.3.6.1.2.1.{it}")).to_vec();
        expected.sort();
        assert_eq!(found, expected);
        for other in ["trunkline:type=ifTable", "trunkline:type=notifications", "a:b=c"] {
            assert!(wanted(Touched::Configuration, &[other]).is_empty(), "{other}");
        }
    }
}
