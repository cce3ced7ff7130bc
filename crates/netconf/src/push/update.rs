//! What a client is sent for a subscription to data (RFC 8641 section 3.7), and what happens to the subscription (RFC 8639 section 2.7).

use crate::document::Element;
use crate::{PUSH, SUBSCRIBED};

/// A notification for a subscription.
#[derive(Clone, Debug)]
pub struct Update<'d> {
    /// The subscription, if it is named.
    pub id: Option<u32>,
    /// What it tells.
    pub told: Told<'d>,
}

/// What a notification tells.
#[derive(Clone, Debug)]
pub enum Told<'d> {
    /// All data that is selected (`push-update`).
    Whole {
        /// What it is in; `None`: there is nothing.
        contents: Option<Element<'d>>,
        /// Whether something is missing.
        is_incomplete: bool,
    },
    /// What has changed (`push-change-update`).
    Changes {
        /// In their order.
        edits: Vec<Edited<'d>>,
        /// Whether something is missing.
        is_incomplete: bool,
    },
    /// Something happened to the subscription.
    State {
        /// The name of the notification: `subscription-terminated`.
        name: &'d str,
        /// Why, by the name of an identity, with its module's prefix.
        reason: Option<&'d str>,
    },
}

/// A change.
#[derive(Clone, Copy, Debug)]
pub struct Edited<'d> {
    /// `create`, `delete`, `replace` and others.
    pub operation: &'d str,
    /// The node: `/ietf-interfaces:interfaces/interface=eth0`.
    pub target: &'d str,
    /// What it is in; `None` of a deletion.
    pub value: Option<Element<'d>>,
}

impl<'d> Update<'d> {
    /// Reads a `notification`; `None`: it is none for a subscription.
    #[must_use]
    pub fn read(notification: Element<'d>) -> Option<Update<'d>> {
        let told = notification.children().find(|it| matches!(it.namespace(), PUSH | SUBSCRIBED))?;
        let namespace = told.namespace();
        let id = told.child(namespace, "id").and_then(|id| id.value().trim().parse().ok());
        let is_incomplete = told.child(PUSH, "incomplete-update").is_some();
        let told = match (namespace, told.name()) {
            (PUSH, "push-update") => {
                Told::Whole { contents: told.child(PUSH, "datastore-contents"), is_incomplete }
            }
            (PUSH, "push-change-update") => {
                let patch = told.child(PUSH, "datastore-changes").and_then(patch);
                let edits = patch.into_iter().flat_map(Element::children).filter(|it| it.name() == "edit");
                Told::Changes { edits: edits.filter_map(Edited::read).collect(), is_incomplete }
            }
            (SUBSCRIBED, name) => {
                Told::State { name, reason: told.child(SUBSCRIBED, "reason").map(Element::value) }
            }
            _ => return None,
        };
        Some(Update { id, told })
    }
}

/// The patch. Its grouping has put it into the module of RFC 8641; some send it in its own.
fn patch(changes: Element<'_>) -> Option<Element<'_>> {
    changes.children().find(|it| it.name() == "yang-patch")
}

impl<'d> Edited<'d> {
    fn read(edit: Element<'d>) -> Option<Edited<'d>> {
        let child = |name: &str| edit.children().find(|it| it.name() == name);
        let (operation, target) = (child("operation")?.value(), child("target")?.value());
        Some(Edited { operation, target, value: child("value") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NOTIFICATION;
    use crate::document::{Document, limits};

    fn read(inner: &str) -> String {
        let text = format!(
            "<notification xmlns='{NOTIFICATION}'><eventTime>2026-11-25T00:00:00Z</eventTime>{inner}</notification>"
        );
        let document = Document::read(text.as_bytes(), limits(10_000)).unwrap();
        let Some(update) = Update::read(document.root()) else { return "none".into() };
        let told = match update.told {
            Told::Whole { contents, is_incomplete } => {
                let names: Vec<&str> =
                    contents.into_iter().flat_map(Element::children).map(Element::name).collect();
                format!("whole {names:?} {is_incomplete}")
            }
            Told::Changes { edits, is_incomplete } => {
                let edits: Vec<String> = edits
                    .iter()
                    .map(|it| format!("{} {} {}", it.operation, it.target, it.value.is_some()))
                    .collect();
                format!("changes {edits:?} {is_incomplete}")
            }
            Told::State { name, reason } => format!("{name} {reason:?}"),
        };
        format!("{:?} {told}", update.id)
    }

    #[test]
    fn updates_are_read() {
        for (inner, meant) in [
            (
                format!(
                    "<push-update xmlns='{PUSH}'><id>7</id><datastore-contents><a xmlns='u'/><b xmlns='u'/></datastore-contents>\
                     <incomplete-update/></push-update>"
                ),
                "Some(7) whole [\"a\", \"b\"] true",
            ),
            (format!("<push-update xmlns='{PUSH}'/>"), "None whole [] false"),
            (
                format!(
                    "<push-change-update xmlns='{PUSH}'><id>7</id><datastore-changes><yang-patch><patch-id>1</patch-id>\
                     <edit><edit-id>e1</edit-id><operation>create</operation><target>/m:a</target><value><a xmlns='u'/></value></edit>\
                     <edit><edit-id>e2</edit-id><operation>delete</operation><target>/m:b=c</target></edit>\
                     <edit><edit-id>e3</edit-id></edit></yang-patch></datastore-changes></push-change-update>"
                ),
                "Some(7) changes [\"create /m:a true\", \"delete /m:b=c false\"] false",
            ),
            (
                format!(
                    "<subscription-terminated xmlns='{SUBSCRIBED}'><id>9</id><reason>sn:no-such-subscription</reason>\
                     </subscription-terminated>"
                ),
                "Some(9) subscription-terminated Some(\"sn:no-such-subscription\")",
            ),
            ("<other xmlns='u'/>".into(), "none"),
        ] {
            assert_eq!(read(&inner), meant, "{inner}");
        }
    }
}
