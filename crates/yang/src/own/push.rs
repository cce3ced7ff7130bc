//! Subscriptions (RFC 8639) and what RFC 8641 adds for datastores. Subscriptions and filters are not configured here: the subscriptions
//! are those of sessions.

use super::operations::DATASTORE;
use super::{OwnModule, OwnNode, boolean, container, identity, list, number, presence, text};

/// ietf-yang-push (RFC 8641).
pub static PUSH: OwnModule = OwnModule {
    name: "ietf-yang-push",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-yang-push",
    prefix: "yp",
    revision: "2019-09-09",
    features: &["on-change"],
    notifications: &[],
    nodes: &[],
};

/// ietf-subscribed-notifications (RFC 8639).
pub static SUBSCRIBED: OwnModule = OwnModule {
    name: SN.0,
    namespace: SN.1,
    prefix: "sn",
    revision: "2019-09-09",
    features: &["encode-xml", "replay", "subtree", "xpath"],
    notifications: &[],
    nodes: &[
        container(
            "streams",
            &[list(
                "stream",
                &["name"],
                &[
                    text("name"),
                    text("description"),
                    text("replay-support").empty(),
                    text("replay-log-creation-time"),
                    text("replay-log-aged-time"),
                ],
            )],
        ),
        container("subscriptions", &[list("subscription", &["id"], &SUBSCRIPTION)]),
    ],
};

const SN: (&str, &str) =
    ("ietf-subscribed-notifications", "urn:ietf:params:xml:ns:yang:ietf-subscribed-notifications");

const SUBSCRIPTION: [OwnNode; 11] = [
    number("id"),
    text("stream-xpath-filter"),
    text("stream"),
    text("replay-start-time"),
    identity("datastore", DATASTORE).of(&PUSH),
    text("datastore-xpath-filter").of(&PUSH),
    text("stop-time"),
    identity("encoding", ("sn", SN.1)),
    container(
        "receivers",
        &[list(
            "receiver",
            &["name"],
            &[text("name"), text("sent-event-records"), text("excluded-event-records"), text("state")],
        )],
    ),
    presence("periodic", &[number("period"), text("anchor-time")]).of(&PUSH),
    presence(
        "on-change",
        &[number("dampening-period"), boolean("sync-on-start"), text("excluded-change").many()],
    )
    .of(&PUSH),
];
