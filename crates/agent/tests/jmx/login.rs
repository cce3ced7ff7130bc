//! Who gets in: users with passwords, and nobody without.

use trunkline_transport::ssh::PasswordHash;

use crate::java::{self, Login, Reader};
use crate::support::Agent;

/// `ann` reads the system group, and writes its contact; `bob` is in no role.
pub fn users(listen: &str) -> String {
    let hash = PasswordHash::make(&"maple syrup".into()).unwrap().to_phc();
    format!(
        "[freshness]\ndefault = \"1h\"\n[jmx]\nlisten = [\"{listen}\"]\n[snmp]\nlisten = []\n\
         [[role]]\nname = \"some\"\nread = [\"1.3.6.1.2.1.1\", \"1.3.6.1.2.1.2.2.1.2.1\"]\n\
         write = [\"1.3.6.1.2.1.1.4\"]\n\
         [[snmp.principal]]\nname = \"ann\"\nrole = \"some\"\npassword-hash = {hash:?}\n\
         [[snmp.principal]]\nname = \"bob\"\npassword-hash = {hash:?}\n"
    )
}

#[test]
fn a_password_opens_a_connection_with_the_rights_of_its_user() {
    for home in java::homes() {
        let agent = Agent::start(&users("tcp://127.0.0.1:0"));
        let start =
            |password| Reader::start(&home, agent.address("tcp"), Login { password, ..Login::default() });
        let mut ann = start(Some(["ann", "maple syrup"]));
        assert_eq!(ann.login, "connected rmi://127.0.0.1 ann 1");
        let row = "trunkline:type=ifEntry,ifIndex=1";
        ann.check(&[
            // Only what she may read is there.
            ("names|trunkline:type=if*,*", "[trunkline:type=ifEntry,ifIndex=1, trunkline:type=ifTable]"),
            (&format!("attributes|{row}|ifDescr|ifMtu"), "[ifDescr=lo, ifMtu=null]"),
            ("registered|trunkline:type=interfaces", "false"),
            ("rows|trunkline:type=ifTable|0|-1|ifIndex,ifDescr,ifMtu", "[[1], [lo], [-2147483648]]"),
        ]);
        for (password, words) in [
            (None, "java.lang.SecurityException: Authentication failed! Credentials required"),
            (Some(["ann", "wrong"]), "java.lang.SecurityException: Authentication failed! wrong name"),
            (Some(["eve", "maple syrup"]), "java.lang.SecurityException: Authentication failed! wrong name"),
            (Some(["bob", "maple syrup"]), "java.lang.SecurityException: Access denied!"),
        ] {
            let refused = start(password);
            assert!(refused.login.contains(words), "{password:?}: {}", refused.login);
        }
        agent.wait_for("is refused over JMX");
    }
}
