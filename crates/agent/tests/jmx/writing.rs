//! Sets, as far as the role may write.

use crate::java::{self, Login, Reader};
use crate::login::users;
use crate::support::Agent;

#[test]
fn what_a_role_may_write_is_set() {
    for home in java::homes() {
        let agent = Agent::start(&users("tcp://127.0.0.1:0"));
        let login = Login { password: Some(["ann", "maple syrup"]), ..Login::default() };
        let mut ann = Reader::start(&home, agent.address("tcp"), login);
        let system = "trunkline:type=system";
        let info = ann.ask(&format!("info|{system}"));
        assert!(info.contains(" sysContact:java.lang.String:w"), "{info}");
        assert!(
            info.contains(" sysLocation:java.lang.String ")
                || info.ends_with(" sysLocation:java.lang.String"),
            "{info}"
        );
        ann.check(&[
            (&format!("set|{system}|sysContact|s:noc@example.net"), "set"),
            (&format!("get|{system}|sysContact"), "noc@example.net"),
            (&format!("setall|{system}|sysContact|s:ann@example.net"), "[sysContact = ann@example.net]"),
            // All or none.
            (&format!("setall|{system}|sysContact|s:other|sysUpTime|l:1"), "[]"),
            (&format!("get|{system}|sysContact"), "ann@example.net"),
        ]);
        for (words, exception) in [
            (
                format!("set|{system}|sysLocation|s:here"),
                "java.lang.SecurityException: Access denied! sysLocation: noAccess",
            ),
            (
                format!("set|{system}|sysUpTime|l:1"),
                "javax.management.AttributeNotFoundException: sysUpTime cannot be set",
            ),
            (
                format!("set|{system}|sysNothing|l:1"),
                "javax.management.AttributeNotFoundException: No such attribute",
            ),
            (
                format!("set|{system}|sysContact|b:true"),
                "javax.management.InvalidAttributeValueException: sysContact: java.lang.Boolean",
            ),
            (
                format!("set|{system}|sysContact|s:{}", "x".repeat(300)),
                "javax.management.InvalidAttributeValueException: sysContact: wrongLength",
            ),
            // A class that is not on the list.
            (format!("set|{system}|sysContact|p:"), "class java.awt.Point is not on the list"),
            (
                "set|trunkline:type=ifTable|ifMtu|i:1".to_owned(),
                "javax.management.AttributeNotFoundException",
            ),
            ("set|trunkline:type=no|a|i:1".to_owned(), "javax.management.InstanceNotFoundException"),
        ] {
            let refused = ann.ask(&words);
            assert!(refused.starts_with("! ") && refused.contains(exception), "{words}: {refused}");
        }
        ann.check(&[(&format!("get|{system}|sysContact"), "ann@example.net")]);
    }
}
