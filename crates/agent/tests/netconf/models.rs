//! Models that lie over tables of the tree: the paper's `/netconf`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use trunkline_testkit::namespace::{ip, isolated};

use crate::client::{Client, agent};

const PAPER: &str = "urn:trunkline:yang:netconf";

fn xpath(client: &mut Client, select: &str) -> String {
    let reply = client.ask(&format!("<get><filter type=\"xpath\" select=\"{select}\"/></get>"));
    let data = reply.strip_prefix("<data>").and_then(|it| it.strip_suffix("</data>"));
    data.unwrap_or_else(|| panic!("{reply}")).to_owned()
}

/// The values of a leaf.
fn values(data: &str, leaf: &str) -> Vec<String> {
    let (start, end) = (format!("<{leaf}>"), format!("</{leaf}>"));
    let parts = data.split(&start).skip(1);
    parts.map(|part| part.split_once(&end).expect("an end").0.to_owned()).collect()
}

/// EMANICS D7.1, line 100 of the text: with the quotes that it prints, and with those of XPath.
#[test]
fn the_packages_of_the_paper_are_found_by_their_text() {
    let agent = agent("");
    let mut ann = Client::open(&agent, "ann");
    let all = ann.get(
        "<HOST-RESOURCES-MIB><hrSWInstalledTable><hrSWInstalledEntry><hrSWInstalledName/></hrSWInstalledEntry>\
         </hrSWInstalledTable></HOST-RESOURCES-MIB>",
    );
    // An InternationalDisplayString has no display hint, so it is `binary` there.
    let text = |value: &String| String::from_utf8(BASE64.decode(value).unwrap()).unwrap();
    let all: Vec<String> = values(&all, "hrSWInstalledName").iter().map(text).collect();
    for word in ["java", "lib", "no package has this name"] {
        let expected: Vec<String> = all.iter().filter(|name| name.contains(word)).cloned().collect();
        for [open, close] in [["\u{2019}"; 2], ["'"; 2], ["\u{2018}", "\u{2019}"]] {
            let select = format!("/netconf/system/rpm-list/rpm[contains(text(),{open}{word}{close})]");
            assert_eq!(values(&xpath(&mut ann, &select), "rpm"), expected, "{select}");
        }
    }
    assert_eq!(values(&xpath(&mut ann, "/netconf/system"), "rpm"), all);
    // Whoever may not read that table does not read it here.
    assert_eq!(xpath(&mut Client::open(&agent, "bob"), "/netconf/system/rpm-list/rpm"), "");
}

/// EMANICS D7.1, lines 254 and 255.
#[test]
fn the_interfaces_of_the_paper_are_found_by_their_names() {
    isolated("models::the_interfaces_of_the_paper_are_found_by_their_names", || {
        ip("link add eth0 address 02:00:00:00:00:01 type veth peer name far");
        ip("link set eth0 up");
        ip("link set far up");
        ip("address add 192.0.2.1/24 dev eth0");
        ip("route add 198.51.100.0/24 via 192.0.2.2 metric 7");
        let agent = agent("");
        let mut ann = Client::open(&agent, "ann");
        let expected = ann.get(&format!(
            "<netconf xmlns='{PAPER}'><network><interfaces><iface><name>eth0</name></iface></interfaces></network></netconf>"
        ));
        for leaf in [
            "<name>eth0</name>",
            "<mac-address>02:00:00:00:00:01</mac-address>",
            "<mtu>1500</mtu><enabled>true</enabled><status>up</status>",
            "<address>192.0.2.1/24</address>",
        ] {
            assert!(expected.contains(leaf), "{leaf} in {expected}");
        }
        assert_eq!(expected.matches("<iface>").count(), 1, "{expected}");
        for select in [
            "//iface[name=\u{2019}eth0\u{2019}]",
            "//iface[name='eth0']",
            "/netconf/network/interfaces/iface[name=\u{2019}eth0\u{2019}]",
            "/netconf/network/interfaces/iface[name='eth0']",
        ] {
            let found = xpath(&mut ann, select);
            for leaf in ["name", "mac-address", "address", "status"] {
                assert_eq!(values(&found, leaf), values(&expected, leaf), "{select}: {found}");
            }
        }
        // More nodes and criteria, and parts that are joined.
        let routes = xpath(
            &mut ann,
            "//route[iface='eth0' and contains(gateway, '192.')] | //iface[position() = last()]/name",
        );
        assert!(
            routes.contains(
                "<route><destination>198.51.100.0/24</destination><gateway>192.0.2.2</gateway><iface>eth0</iface>\
                 <metric>7</metric></route>"
            ),
            "{routes}"
        );
        assert_eq!(values(&routes, "name").len(), 1, "{routes}");
    });
}
