//! Positions in expressions count what the one who asks can see.

use trunkline_testkit::namespace::{ip, isolated};
use trunkline_transport::ssh::PasswordHash;

use crate::client::{Client, PASSWORD, configuration};
use crate::support::Agent;

fn xpath(client: &mut Client, select: &str) -> String {
    client.ask(&format!("<get><filter type=\"xpath\" select=\"{select}\"/></get>"))
}

/// The descriptions of the entries that an expression selects.
fn names(client: &mut Client, entries: &str) -> String {
    let reply = xpath(client, &format!("/IF-MIB/ifTable/ifEntry{entries}/ifDescr"));
    let values = reply.split("<ifDescr>").skip(1).map(|it| it.split('<').next().unwrap());
    values.collect::<Vec<_>>().join(" ")
}

#[test]
fn positions_count_what_can_be_seen() {
    isolated("positions::positions_count_what_can_be_seen", || {
        // Behind `lo`, which is 1.
        ip("link add name a index 2 type veth peer name b index 3");
        ip("link add name c index 4 type veth peer name d index 5");
        let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
        // sue sees b and d alone: ifIndex and ifDescr of 3 and 5.
        let sees: Vec<String> = [1, 2]
            .iter()
            .flat_map(|column| [3, 5].map(|row| format!("\"1.3.6.1.2.1.2.2.1.{column}.{row}\"")))
            .collect();
        let agent = Agent::start(&format!(
            "{}\n[[role]]\nname = \"some\"\nread = [{}]\n[[snmp.principal]]\nname = \"sue\"\nrole = \"some\"\npassword-hash = {hash:?}\n",
            configuration(""),
            sees.join(", ")
        ));
        let (mut ann, mut sue) = (Client::open(&agent, "ann"), Client::open(&agent, "sue"));
        for (entries, all, some) in [
            ("", "lo a b c d", "b d"),
            ("[1]", "lo", "b"),
            ("[2]", "a", "d"),
            ("[3]", "b", ""),
            ("[last()]", "d", "d"),
            ("[position() &lt; 3]", "lo a", "b d"),
            ("[last() = 2]", "", "b d"),
            ("[count(../ifEntry) = 2][1]", "", "b"),
            ("[ifIndex = 5]/preceding-sibling::ifEntry[1]", "c", "b"),
            ("[ifIndex = 3]/following-sibling::ifEntry[1]", "c", "d"),
            ("[ifIndex = 4]", "c", ""),
            ("[ifIndex = 3 or ifIndex = 4][2]", "c", ""),
        ] {
            assert_eq!(names(&mut ann, entries), all, "ann {entries}");
            assert_eq!(names(&mut sue, entries), some, "sue {entries}");
        }
        // A test of what she cannot see tells nothing.
        assert_eq!(names(&mut sue, "[../ifEntry/ifDescr = 'c']"), "");
        assert_eq!(names(&mut sue, "[not(ifType)]"), "b d");
    });
}
