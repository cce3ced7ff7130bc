//! Notifications of NETCONF itself (RFC 5277 and 6470).

use super::{OwnModule, OwnNode, boolean, container, list, number, text};

/// Modules with notifications.
pub static EVENTS: [&OwnModule; 2] = [&STREAMS, &NETCONF_EVENTS];

/// notifications: `create-subscription` and the message `notification` (RFC 5277 section 4), by the name that others have given them.
pub static NOTIFICATIONS: OwnModule = OwnModule {
    name: "notifications",
    namespace: "urn:ietf:params:xml:ns:netconf:notification:1.0",
    prefix: "ncEvent",
    revision: "2008-07-14",
    features: &[],
    notifications: &[],
    nodes: &[],
};

/// nc-notifications: the streams of RFC 5277 section 3.4, whose schema is not YANG. Others translated it, and clients know it by
/// this name.
pub static STREAMS: OwnModule = OwnModule {
    name: "nc-notifications",
    namespace: "urn:ietf:params:xml:ns:netmod:notification",
    prefix: "manageEvent",
    revision: "2008-07-14",
    features: &[],
    notifications: &[container("replayComplete", &[]), container("notificationComplete", &[])],
    nodes: &[container(
        "netconf",
        &[container(
            "streams",
            &[list(
                "stream",
                &["name"],
                &[text("name"), text("description"), boolean("replaySupport"), text("replayLogCreationTime")],
            )],
        )],
    )],
};

/// ietf-netconf-notifications (RFC 6470).
pub static NETCONF_EVENTS: OwnModule = OwnModule {
    name: "ietf-netconf-notifications",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-netconf-notifications",
    prefix: "ncn",
    revision: "2012-02-06",
    features: &[],
    nodes: &[],
    notifications: &[
        container(
            "netconf-config-change",
            &[
                container("changed-by", &[text("server").empty(), USER, SESSION, HOST]),
                text("datastore"),
                list("edit", &[], &[text("target"), text("operation")]),
            ],
        ),
        container("netconf-session-start", &[USER, SESSION, HOST]),
        container(
            "netconf-session-end",
            &[USER, SESSION, HOST, number("killed-by"), text("termination-reason")],
        ),
        container(
            "netconf-confirmed-commit",
            &[USER, SESSION, HOST, text("confirm-event"), number("timeout")],
        ),
    ],
};

// A session.
const USER: OwnNode = text("username");
const SESSION: OwnNode = number("session-id");
const HOST: OwnNode = text("source-host");
