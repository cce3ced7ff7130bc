//! Notifications around the data, and those that have none.

use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use trunkline_netconf::push::refusal::Reason;
use trunkline_netconf::{NOTIFICATION, PUSH, SUBSCRIBED};
use trunkline_xml::Writer;

/// `yang:date-and-time`, to the microsecond: a replay begins at a time.
#[must_use]
pub fn date(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// The begin of a `notification` (RFC 5277 section 4), up to its content.
#[must_use]
pub fn begin(time: SystemTime) -> Vec<u8> {
    let mut octets = Vec::with_capacity(512);
    octets.extend_from_slice(format!("<notification xmlns=\"{NOTIFICATION}\"><eventTime>").as_bytes());
    octets.extend_from_slice(date(time).as_bytes());
    octets.extend_from_slice(b"</eventTime>");
    octets
}

/// Its end.
pub const END: &[u8] = b"</notification>";

/// The begin of a `push-update`, up to its data.
#[must_use]
pub fn begin_update(time: SystemTime, id: u32) -> Vec<u8> {
    let mut octets = begin(time);
    let head = format!("<push-update xmlns=\"{PUSH}\"><id>{id}</id><datastore-contents>");
    octets.extend_from_slice(head.as_bytes());
    octets
}

/// Its end, with that of the notification. `is_incomplete`: whether data is missing.
#[must_use]
pub const fn end_update(is_incomplete: bool) -> &'static str {
    match is_incomplete {
        true => "</datastore-contents><incomplete-update/></push-update></notification>",
        false => "</datastore-contents></push-update></notification>",
    }
}

/// Something that happens to a subscription (RFC 8639 section 2.7): a whole notification, of this name.
#[must_use]
pub fn state(time: SystemTime, name: &str, id: u32, reason: Option<Reason>) -> Vec<u8> {
    let mut octets = begin(time);
    let mut writer = Writer::new(&mut octets);
    writer.start(name).attribute("xmlns", SUBSCRIBED).leaf("id", &id.to_string());
    if let Some(reason) = reason {
        reason.write(&mut writer);
    }
    writer.end(name);
    octets.extend_from_slice(END);
    octets
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_netconf::document::{Document, limits};
    use trunkline_netconf::push::update::{Told, Update};

    #[test]
    fn what_happens_to_a_subscription_is_read_as_written() {
        let time = SystemTime::UNIX_EPOCH;
        let octets = state(time, "subscription-suspended", 7, Some(Reason::UpdateTooBig));
        let document = Document::read(&octets, limits(10_000)).unwrap();
        let update = Update::read(document.root()).unwrap();
        assert_eq!(update.id, Some(7));
        assert!(
            matches!(
                update.told,
                Told::State { name: "subscription-suspended", reason: Some("yp:update-too-big") }
            ),
            "{update:?}"
        );
        for is_incomplete in [false, true] {
            let whole = [&begin_update(time, 9)[..], b"<a xmlns='u'/>", end_update(is_incomplete).as_bytes()];
            let whole = whole.concat();
            assert!(whole.starts_with(b"<notification xmlns=\"urn:ietf:params:xml:ns:netconf:notification:1.0\"><eventTime>1970-01-01T00:00:00.000000Z</eventTime>"));
            let document = Document::read(&whole, limits(10_000)).unwrap();
            let update = Update::read(document.root()).unwrap();
            assert!(
                matches!(update.told, Told::Whole { is_incomplete: it, contents: Some(_) } if it == is_incomplete)
            );
        }
    }
}
