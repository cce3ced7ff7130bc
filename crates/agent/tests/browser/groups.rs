//! Groups of other agents in the page: who may see that there are some, and the page without scripts.

use trunkline_transport::ssh::PasswordHash;

use super::raw::{Browser, ask, with_page};
use crate::restconf::client::PASSWORD;
use crate::support::{Agent, BOTH, PATIENCE};

/// A manager with a group of a device and of one that is not there; `noc` may see it and the device, `low` neither, and `nil` nothing.
pub fn manager(device: &Agent) -> String {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    with_page(&format!(
        "[[role]]\nname = \"fleet\"\nread = [\"1\"]\n[[role.access]]\ncontext = \"lan/*\"\nread = [\"1\"]\nwrite = [\"1.3.6.1.2.1.1\"]\n\
         [[role]]\nname = \"nothing\"\n[[role.access]]\ncontext = \"other\"\nread = [\"1\"]\n\
         [[snmp.principal]]\nname = \"nil\"\nrole = \"nothing\"\npassword-hash = \"{hash}\"\n\
         [[role]]\nname = \"low\"\nread = [\"1.3.6.1.2.1.1\"]\n\
         [[group]]\nname = \"lan\"\ninterval = \"1s\"\nmax-age = \"60s\"\nobjects = [\"sysName\"]\n\
         [[group.member]]\nname = \"sw1\"\naddress = \"udp://{}\"\ncommunity = \"public\"\n\
         [[group.member]]\nname = \"gone\"\naddress = \"udp://127.0.0.1:9\"\ncommunity = \"public\"\n\
         [[group.aggregate]]\nname = \"interfaces\"\nobject = \"1.3.6.1.2.1.2.1.0\"\nfunction = \"sum\"\n\
         [[group.aggregate]]\nname = \"interfaces_that_are_in_all_of_it\"\nobject = \"1.3.6.1.2.1.2.1.0\"\nfunction = \"sum\"\n\
         [[snmp.principal]]\nname = \"noc\"\nrole = \"fleet\"\npassword-hash = \"{hash}\"\n\
         [[snmp.principal]]\nname = \"low\"\nrole = \"low\"\npassword-hash = \"{hash}\"\n",
        device.udp(),
    ))
}

#[test]
fn groups_are_shown_to_those_who_may_read_them() {
    let device = Agent::start(&format!("[system]\nname = \"old switch\"\n{BOTH}"));
    let manager = Agent::start(&manager(&device));
    let noc = Browser::log_in(&manager, "noc");
    assert!(noc.session().contains("\"groups\":true"), "{}", noc.session());
    let all = noc.ask("GET /browser/plain/", &[], "").body;
    assert!(all.contains("<a href=\"../plain/groups\">Groups</a>"), "{all}");
    let page = || noc.ask("GET /browser/plain/groups", &[], "").body;
    let began = std::time::Instant::now();
    let is_read = |page: &str| page.contains("<td>no answer</td>") && page.contains("<td>up</td>");
    while !is_read(&page()) {
        assert!(began.elapsed() < PATIENCE, "{}", page());
    }
    let page = page();
    for part in [
        "<th scope=\"row\">lan</th><td>1 of 2</td><td>this agent</td>",
        "<th scope=\"row\">lan</th><td>interfaces</td>",
        "<th scope=\"row\"><a href=\"../../devices/lan.gone/browser/plain/\">gone</a></th><td>lan</td><td>",
        "<th scope=\"row\"><a href=\"../../devices/lan.sw1/browser/plain/\">sw1</a></th><td>lan</td><td>up</td>",
        "Members 1 to 2 of 2",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    // The worst come first.
    assert!(page.find(">gone<") < page.find(">sw1<"), "{page}");
    let one = noc.ask("GET /browser/plain/groups?has=sw1", &[], "").body;
    assert!(one.contains("Members 1 to 1 of 1") && one.contains(">sw1<") && !one.contains(">gone<"), "{one}");
    let none = noc.ask("GET /browser/plain/groups?has=%27+or+%27", &[], "").body;
    assert!(none.contains("There are no such members"), "{none}");
    // The page of a member is about its groups, of which it has none.
    assert!(!noc.ask("GET /devices/lan.sw1/browser/plain/", &[], "").body.contains("plain/groups"));
    let page = noc.ask("GET /devices/lan.sw1/browser/plain/groups", &[], "").body;
    assert!(
        page.contains("There are no groups that you may read.") || page.contains("There is nothing here"),
        "{page}"
    );
    let (low, nil) = (Browser::log_in(&manager, "low"), Browser::log_in(&manager, "nil"));
    // What the page says of everybody's rights.
    let (devices, none) =
        ("\"devices\":2,\"protected\":false,\"writable\":2}", "\"devices\":0,\"protected\":false}");
    for (who, rights, devices) in [
        (&noc, "\"reads\":true,\"writes\":false", devices),
        (&low, "\"reads\":true,\"writes\":false", none),
        (&nil, "\"reads\":false,\"writes\":false", none),
    ] {
        let session = who.session();
        assert!(session.contains(rights) && session.ends_with(devices), "{session}");
    }
    assert!(!low.session().contains("groups"), "{}", low.session());
    assert!(!low.ask("GET /browser/plain/", &[], "").body.contains("plain/groups"));
    let page = low.ask("GET /browser/plain/groups", &[], "").body;
    assert!(page.contains("There are no groups that you may read.") && !page.contains("gone"), "{page}");
    assert_eq!(ask(&manager, "GET /browser/plain/groups", &[], "").status, 303);
}
