//! All data in JSON, as libyang reads it by the modules: names, forms of values, arrays.

use serde_json::Value as Json;

use crate::ask::{Client, agent};
use crate::support::yanglint::Yanglint;

/// What RESTCONF has beside the modules of NETCONF's `get`.
const MORE: [&str; 3] = ["ietf-netconf", "ietf-netconf-with-defaults", "ietf-restconf-monitoring"];

#[test]
fn everything_is_valid_by_its_modules() {
    let Some(yanglint) = Yanglint::new() else { return };
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let contact =
        max.send("PUT", "/restconf/data/ietf-system:system/contact", r#"{"ietf-system:contact":"a"}"#);
    assert_eq!(contact.status, 201);
    let all = max.get("/restconf/data").json();
    let all = all["ietf-restconf:data"].as_object().unwrap();
    assert!(all.contains_key("SNMP-VIEW-BASED-ACM-MIB:SNMP-VIEW-BASED-ACM-MIB"));
    assert!(all.contains_key("ietf-restconf-monitoring:restconf-state"));
    yanglint.check("data.json", &Json::Object(all.clone()).to_string(), &MORE);
}
