//! Which notifications a target is sent, as data: the notification, the names of its bindings, the outcome.

use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::Oid;
use trunkline_tree::TreeBuilder;
use trunkline_tree::policy::{Guard, Principal, SecurityLevel, SecurityModel};

use crate::policy::rows::policy;

/// The traps of SNMPv2-MIB and IF-MIB, of the interfaces the third alone and no ifAdminStatus.
const ROWS: &str = "
    context lab
    group   usm nms traps
    group   v2c nms nothing
    access  traps   - usm authNoPriv notify=traps
    access  traps   lab usm authNoPriv read=traps
    access  nothing - any noAuthNoPriv notify=
    view    traps 1.3.6.1.6.3.1.1.5 1.3.6.1.2.1.2.2.1.*.3 -1.3.6.1.2.1.2.2.1.7.3";

fn check(level: SecurityLevel, context: &str, notification: &str, names: &str, expected: &str) {
    let tree = TreeBuilder::default().build(Instant::now()).unwrap();
    let guard = Guard::new(&tree, Arc::new(policy(ROWS)));
    let notification: Oid = notification.parse().unwrap();
    let names: Vec<Oid> = names.split_whitespace().map(|name| name.parse().unwrap()).collect();
    let names = names.iter().map(|name| &**name);
    let (model, context) = (SecurityModel::USM, context.as_bytes());
    let outcome =
        guard.check_notification(&Principal::new(model, b"nms", level), context, &notification, names);
    let outcome = outcome.map_or_else(|withheld| withheld.to_string(), |()| "sent".into());
    assert_eq!(outcome, expected, "{notification}");
}

const LINK_DOWN: &str = "1.3.6.1.6.3.1.1.5.3";
const ALWAYS: &str = "1.3.6.1.2.1.1.3.0 1.3.6.1.6.3.1.1.4.1.0";

#[test]
fn all_of_a_notification_must_be_in_the_view() {
    use SecurityLevel::{AuthNoPriv, AuthPriv};
    check(AuthNoPriv, "", LINK_DOWN, "", "sent");
    check(AuthPriv, "", LINK_DOWN, &format!("{ALWAYS} 1.3.6.1.2.1.2.2.1.1.3 1.3.6.1.2.1.2.2.1.8.3"), "sent");
    let other_row = format!("{ALWAYS} 1.3.6.1.2.1.2.2.1.1.3 1.3.6.1.2.1.2.2.1.8.4");
    check(AuthPriv, "", LINK_DOWN, &other_row, "notInView: 1.3.6.1.2.1.2.2.1.8.4");
    let other_column = format!("{ALWAYS} 1.3.6.1.2.1.2.2.1.7.3");
    check(AuthPriv, "", LINK_DOWN, &other_column, "notInView: 1.3.6.1.2.1.2.2.1.7.3");
    // Neither do sysUpTime.0 and snmpTrapOID.0 need to be in the view, nor does it help that they are passed over.
    check(AuthPriv, "", LINK_DOWN, "1.3.6.1.2.1.1.3.1", "notInView: 1.3.6.1.2.1.1.3.1");
    check(AuthPriv, "", "1.3.6.1.4.1.8072.4.0.2", ALWAYS, "notInView: 1.3.6.1.4.1.8072.4.0.2");
    check(AuthPriv, "", "1.3.6.1.6.3.1.1.4.1.0", "", "notInView: 1.3.6.1.6.3.1.1.4.1.0");
}

#[test]
fn a_target_without_a_notify_view_gets_nothing() {
    use SecurityLevel::{AuthPriv, NoAuthNoPriv};
    check(NoAuthNoPriv, "", LINK_DOWN, "", "noAccessEntry");
    check(AuthPriv, "lab", LINK_DOWN, "", "noSuchView");
    check(AuthPriv, "nowhere", LINK_DOWN, "", "noSuchContext");
}
