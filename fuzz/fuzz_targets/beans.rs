//! Names of MBeans and values of attributes: what a name leads to has that name; a pattern leads to no row that it does not stand
//! for; a text that is read as a value is written as a text that stands for the same, alone or as a cell of a column.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_beans::{Catalog, Match, cells_of, from_java, to_java};
use trunkline_jmx::model::{Array, ObjectName, Value};

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog::new(|_| true));

fuzz_target!(|octets: &[u8]| {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    let text =
        text.strip_prefix('.').map_or_else(|| text.to_owned(), |rest| format!("trunkline:type={rest}"));
    if let Ok(name) = text.parse::<ObjectName>() {
        if let Some(bean) = CATALOG.resolve(&name) {
            assert_eq!(bean.name(), Some(name.clone().or_domain(trunkline_beans::DOMAIN)));
        }
        let pattern = name.clone().or_domain(trunkline_beans::DOMAIN);
        for found in CATALOG.matches(Some(&name)) {
            if let Match::Bean(bean) = found {
                let found = bean.name().expect("an MBean that is there has a name");
                assert!(found == pattern || pattern.matches(&found), "{found}");
            }
        }
    }
    for bean in CATALOG.tables() {
        for attribute in &bean.attributes {
            let column = Value::Array(Array::Strings(vec![text.clone()]));
            let cells = cells_of(column, &attribute.syntax).expect("it is an array");
            assert_eq!(cells, [from_java(&Value::String(text.clone()), &attribute.syntax).ok()]);
            if let Ok(value) = from_java(&Value::String(text.clone()), &attribute.syntax) {
                let java = to_java(value.as_value_ref(), &attribute.syntax);
                assert_eq!(from_java(&java, &attribute.syntax), Ok(value), "{}", attribute.name);
            }
        }
    }
});
