//! A message as the specification prints it, every message there and back, and what is refused.

use proptest::prelude::*;
use trunkline_xml::Limits;

use super::*;
use crate::fault::FaultKind;

const LIMITS: Limits = Limits::MESSAGE;

/// The form of example 2 in section 3.1 of WS-Eventing, with our filter.
const SUBSCRIBE: &str = r#"<s12:Envelope xmlns:s12="http://www.w3.org/2003/05/soap-envelope"
    xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/08/addressing"
    xmlns:wse="http://schemas.xmlsoap.org/ws/2004/08/eventing" xmlns:ew="http://www.example.com/warnings">
  <s12:Header>
    <wsa:Action>http://schemas.xmlsoap.org/ws/2004/08/eventing/Subscribe</wsa:Action>
    <wsa:MessageID>uuid:e1886c5c-5e86-48d1-8c77-fc1c28d47180</wsa:MessageID>
    <wsa:ReplyTo s12:mustUnderstand="1"><wsa:Address>http://www.example.com/MyEvEntsink</wsa:Address></wsa:ReplyTo>
    <wsa:To>http://www.example.org/oceanwatch/EventSource</wsa:To>
  </s12:Header>
  <s12:Body>
    <wse:Subscribe>
      <wse:EndTo><wsa:Address>http://www.example.com/MyEventSink</wsa:Address>
        <wsa:ReferenceProperties><ew:MySubscription>2597</ew:MySubscription></wsa:ReferenceProperties></wse:EndTo>
      <wse:Delivery><wse:NotifyTo><wsa:Address>http://www.other.example.com/OnStormWarning</wsa:Address>
        <wsa:ReferenceProperties><ew:MySubscription>2597</ew:MySubscription></wsa:ReferenceProperties>
      </wse:NotifyTo></wse:Delivery>
      <wse:Expires>P0DT1H</wse:Expires>
      <wse:Filter Dialect="urn:trunkline:soap/eventing/names">linkDown 1.3.6.1.4.1</wse:Filter>
    </wse:Subscribe>
  </s12:Body>
</s12:Envelope>"#;

#[test]
fn a_subscription_as_it_is_printed() {
    let asked = read_request(SUBSCRIBE.as_bytes(), LIMITS).unwrap();
    assert_eq!(asked.message_id.as_deref(), Some("uuid:e1886c5c-5e86-48d1-8c77-fc1c28d47180"));
    let Request::Subscribe(found) = asked.request else { panic!("{asked:?}") };
    assert_eq!(found.notify_to.address, "http://www.other.example.com/OnStormWarning");
    let mine = Parameter {
        namespace: "http://www.example.com/warnings".into(),
        local: "MySubscription".into(),
        text: "2597".into(),
    };
    assert_eq!(found.end_to.unwrap().parameters, [mine]);
    assert_eq!(found.expires, Some(Duration::from_secs(3600)));
    assert_eq!(found.filter, Some(vec!["linkDown".to_owned(), "1.3.6.1.4.1".to_owned()]));
}

#[test]
fn unknown_elements_have_their_fault() {
    let check = |from: &str, to: &str, kind: Refusal| {
        assert!(SUBSCRIBE.contains(from), "{from}");
        let refused = read_request(SUBSCRIBE.replace(from, to).as_bytes(), LIMITS).unwrap_err();
        assert_eq!((refused.version, Refusal::of(&refused.fault)), (Some(Version::V1_2), Some(kind)));
        assert_eq!(refused.message_id.as_deref(), Some("uuid:e1886c5c-5e86-48d1-8c77-fc1c28d47180"));
    };
    check("<wse:Delivery>", "<wse:Delivery Mode=\"urn:pull\">", Refusal::DeliveryModeRequestedUnavailable);
    check("P0DT1H", "2026-11-22T00:00:00Z", Refusal::UnsupportedExpirationType);
    check("P0DT1H", "-2026-11-22T00:00:00Z", Refusal::UnsupportedExpirationType);
    for wrong in ["-PT1S", "PT0S", "soon", "", "P1M2Y"] {
        check("P0DT1H", wrong, Refusal::InvalidExpirationTime);
    }
    check("<wse:NotifyTo>", "<wse:Other>", Refusal::InvalidMessage);
    check(
        "urn:trunkline:soap/eventing/names",
        "http://www.w3.org/TR/1999/REC-xpath-19991116",
        Refusal::FilteringRequestedUnavailable,
    );
    let kind = |text: &str| read_request(text.as_bytes(), LIMITS).unwrap_err().fault.kind;
    assert_eq!(kind(&SUBSCRIBE.replace("wse:Subscribe>", "wse:Pull>")), FaultKind::UnknownOperation);
    assert_eq!(kind(&SUBSCRIBE.replace("wse:NotifyTo", "wse:NotifyFrom")), FaultKind::Malformed);
    assert_eq!(kind(&SUBSCRIBE[..900]), FaultKind::Malformed);
    assert_eq!(kind(&SUBSCRIBE.replace("2003/05", "2004/05")), FaultKind::VersionMismatch);
    let strange = SUBSCRIBE.replace("<wsa:ReplyTo", "<ew:Now s12:mustUnderstand=\"1\"/><wsa:ReplyTo");
    assert!(matches!(kind(&strange), FaultKind::MustUnderstand { .. }));
}

#[test]
fn requests_differ_from_other_messages() {
    let is = |text: &str| is_request(text.as_bytes(), LIMITS);
    assert!(is(SUBSCRIBE));
    // What is wrong of it has its fault of WS-Eventing.
    assert!(is(&SUBSCRIBE.replace("wse:Subscribe>", "wse:Pull>")));
    assert!(!is(&SUBSCRIBE.replace("2004/08/eventing", "2011/03/ws-evt")));
    assert!(!is(&SUBSCRIBE.replace("2003/05", "2004/05")) && !is(&SUBSCRIBE[..500]) && !is(""));
}

#[test]
fn durations() {
    for (text, seconds) in [
        ("PT10M", Some(600)),
        ("P1DT2H3M4S", Some(93_784)),
        ("P2D", Some(172_800)),
        ("PT0.5S", Some(1)),
        ("PT7.0S", Some(7)),
        ("P", None),
        ("PT", None),
        ("P1DT", None),
        ("-PT1S", None),
        ("P1Y", Some(31_622_400)),
        ("P1M", Some(2_678_400)),
        ("P0Y0M0DT0H10M0.000S", Some(600)),
        ("P1D1M", None),
        ("P101Y", None),
        ("P1", None),
        ("P9999999999Y9999999999M9999999999D", None),
        ("PT1S2M", None),
        ("PT1.S", None),
        ("PT99999999999S", None),
        ("P99999D", None),
    ] {
        assert_eq!(read_duration(text), seconds.map(Duration::from_secs), "{text}");
    }
    assert_eq!(write_duration(Duration::from_millis(90_999)), "PT90S");
}

#[test]
fn faults_have_the_text_of_the_specification() {
    for version in [Version::V1_1, Version::V1_2] {
        for (fault, code, subcode, status) in [
            (Refusal::UnableToRenew.fault("r"), "Receiver", "wse:UnableToRenew", 500),
            (Refusal::InvalidExpirationTime.fault("r"), "Sender", "wse:InvalidExpirationTime", 400),
            (Fault::new(FaultKind::Malformed, "r"), "Sender", "wse:InvalidMessage", 400),
            (Fault::new(FaultKind::UnknownOperation, "r"), "Sender", "wsa:ActionNotSupported", 400),
            (Fault::new(FaultKind::Forbidden, "r"), "Sender", "t:forbidden", 400),
        ] {
            let (found, octets) = write_fault(version, Some("urn:7"), &fault);
            let text = String::from_utf8(octets.clone()).unwrap();
            assert!(text.contains("<wsa:RelatesTo>urn:7</wsa:RelatesTo>"), "{text}");
            assert!(text.contains("addressing/fault</wsa:Action>"), "{text}");
            if version == Version::V1_1 {
                assert_eq!(found, 500);
                assert!(text.contains(&format!("<faultcode>{subcode}</faultcode>")), "{text}");
            } else {
                assert_eq!(found, status);
                let codes = format!("{code}</SOAP-ENV:Value><SOAP-ENV:Subcode><SOAP-ENV:Value>{subcode}<");
                assert!(text.contains(&codes), "{text}");
            }
            let read = read_answer(&octets, LIMITS).unwrap_err();
            assert_eq!((read.reason.as_str(), read.kind.word()), ("r", subcode.split_once(':').unwrap().1));
        }
        let (_, octets) = write_fault(version, None, &Refusal::DeliveryModeRequestedUnavailable.fault("r"));
        let text = String::from_utf8(octets).unwrap();
        assert!(text.contains(&format!("<wse:SupportedDeliveryMode>{PUSH}<")), "{text}");
    }
    let (status, octets) = write_fault(Version::V1_2, None, &Fault::new(FaultKind::VersionMismatch, "r"));
    assert!(status == 500 && String::from_utf8(octets).unwrap().contains("Upgrade"));
}

#[test]
fn both_spellings_of_the_specification_are_known() {
    for end in ["SourceCanceling", "SourceCancelling"] {
        assert_eq!(Ended::of(&format!("{EVENTING}/{end}")), Some(Ended::SourceCancelling));
    }
    assert_eq!(Ended::of("SourceCancelling"), None);
}

fn text() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9:/<&\"'.é-]{1,20}"
}

fn endpoint() -> impl Strategy<Value = Endpoint> {
    let parameter = ("(urn:[a-z]{1,5})?", "[A-Za-z]{1,8}", text())
        .prop_map(|(namespace, local, text)| Parameter { namespace, local, text });
    (text(), proptest::collection::vec(parameter, 0..3))
        .prop_map(|(address, parameters)| Endpoint { address, parameters })
}

fn expires() -> impl Strategy<Value = Option<Duration>> {
    proptest::option::of((1u64..1_000_000).prop_map(Duration::from_secs))
}

fn request() -> impl Strategy<Value = Request> {
    let filter = proptest::option::of(proptest::collection::vec("[a-zA-Z0-9:.]{1,12}", 0..4));
    let subscribe = (endpoint(), proptest::option::of(endpoint()), expires(), filter).prop_map(
        |(notify_to, end_to, expires, filter)| {
            Request::Subscribe(Subscribe { notify_to, end_to, expires, filter })
        },
    );
    prop_oneof![
        subscribe,
        expires().prop_map(Request::Renew),
        Just(Request::GetStatus),
        Just(Request::Unsubscribe),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i32>().prop_map(Value::Integer),
        proptest::collection::vec(any::<u8>(), 0..20).prop_map(Value::OctetString),
        "[ -~]{0,12}".prop_map(|text| Value::OctetString(text.into_bytes())),
        proptest::collection::vec(any::<u32>(), 2..8)
            .prop_map(|sub_ids| Value::ObjectIdentifier(Oid::try_from(sub_ids).unwrap())),
        any::<[u8; 4]>().prop_map(Value::IpAddress),
        any::<u32>().prop_map(Value::Counter32),
        any::<u32>().prop_map(Value::Unsigned32),
        any::<u32>().prop_map(Value::TimeTicks),
        any::<u64>().prop_map(Value::Counter64),
        proptest::collection::vec(any::<u8>(), 0..9).prop_map(Value::Opaque),
    ]
}

proptest! {
    #[test]
    fn requests_there_and_back(request in request(), identifier in proptest::option::of(text()), new in any::<bool>()) {
        let version = if new { Version::V1_2 } else { Version::V1_1 };
        let octets = write_request(version, "http://there/", "urn:1", identifier.as_deref(), Some("c&"), &request);
        let asked = read_request(&octets, LIMITS).unwrap();
        prop_assert!(is_request(&octets, LIMITS));
        prop_assert_eq!(asked, Asked {
            version, message_id: Some("urn:1".into()), identifier, community: Some("c&".into()), request,
        });
    }

    #[test]
    fn answers_there_and_back(manager in text(), identifier in text(), seconds in 0u64..1_000_000) {
        let expires = Duration::from_secs(seconds);
        for answer in [
            Answer::Subscribed { manager, identifier, expires },
            Answer::Renewed(expires), Answer::Status(expires), Answer::Unsubscribed,
        ] {
            let octets = write_answer(Version::V1_2, Some("urn:1"), &answer);
            prop_assert_eq!(read_answer(&octets, LIMITS).unwrap(), answer);
        }
    }

    #[test]
    fn notifications_there_and_back(
        to in endpoint(),
        from in text(),
        uptime in any::<u32>(),
        values in proptest::collection::vec(value(), 0..5),
    ) {
        let objects = values.into_iter().enumerate().map(|(at, value)| {
            (Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, at as u32 + 1, 7]), value)
        });
        let event = Notification {
            oid: Oid::from([1, 3, 6, 1, 6, 3, 1, 1, 5, 3]), uptime, objects: objects.collect(),
        };
        let octets = write_event(Version::V1_1, &to, &from, "urn:2", &event);
        prop_assert!(String::from_utf8_lossy(&octets).contains("IF-MIB::linkDown"));
        let posted = Posted { from: Some(from), told: Told::Notification(event) };
        prop_assert_eq!(read_event(&octets, LIMITS).unwrap(), posted);
        let octets = write_end(Version::V1_2, &to, "urn:3", ("http://a/", "4"), Ended::DeliveryFailure, "so < be it");
        let posted = Posted { from: None, told: Told::End(Ended::DeliveryFailure) };
        prop_assert_eq!(read_event(&octets, LIMITS).unwrap(), posted);
    }
}
