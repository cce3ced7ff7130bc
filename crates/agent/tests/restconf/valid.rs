//! All data in JSON, as libyang reads it by the modules: names, forms of values, arrays.

use serde_json::Value as Json;

use crate::restconf::ask::{Client, agent};
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
    let operational = "/restconf/ds/ietf-datastores:operational?with-origin";
    let tagged = "/restconf/data?content=config&with-defaults=report-all-tagged";
    for (file, path) in
        [("data.json", "/restconf/data"), ("origins.json", operational), ("tagged.json", tagged)]
    {
        let all = max.get(path).json();
        let all = all["ietf-restconf:data"].as_object().unwrap();
        for state in
            ["SNMP-VIEW-BASED-ACM-MIB:SNMP-VIEW-BASED-ACM-MIB", "ietf-restconf-monitoring:restconf-state"]
        {
            assert_eq!(all.contains_key(state), file != "tagged.json", "{file}: {state}");
        }
        yanglint.check(file, &Json::Object(all.clone()).to_string(), &MORE);
    }
}
