//! WS-Eventing messages: requests from strangers, answers, and notifications to a subscriber.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_soap::envelope::Version;
use trunkline_soap::eventing::{
    Posted, Told, is_request, read_answer, read_event, read_request, write_answer, write_event, write_request,
};
use trunkline_xml::Limits;

fuzz_target!(|octets: &[u8]| {
    if let Ok(asked) = read_request(octets, Limits::MESSAGE) {
        assert!(is_request(octets, Limits::MESSAGE));
        let (id, community) = (asked.identifier.as_deref(), asked.community.as_deref());
        let again = write_request(asked.version, "http://there/", "urn:1", id, community, &asked.request);
        assert!(read_request(&again, Limits::MESSAGE).is_ok());
    }
    if let Ok(answer) = read_answer(octets, Limits::MESSAGE) {
        let again = write_answer(Version::V1_2, None, &answer);
        assert_eq!(read_answer(&again, Limits::MESSAGE).unwrap(), answer);
    }
    if let Ok(Posted { from, told: Told::Notification(event) }) = read_event(octets, Limits::MESSAGE) {
        let from = Some(from.unwrap_or_default());
        let again = write_event(
            Version::V1_2,
            &Default::default(),
            from.as_deref().unwrap_or_default(),
            "urn:1",
            &event,
        );
        let posted = Posted { from, told: Told::Notification(event) };
        assert_eq!(read_event(&again, Limits::MESSAGE).unwrap(), posted);
    }
});
