//! Requests as they should not be, octet by octet: each has its fault, and none leaves a subscription.

use super::OPEN;
use super::sink::Sink;
use super::support::Agent;
use super::talk::{SOAP_1_2, link, post};

/// In the form of the specification's examples.
const SUBSCRIBE: &str = r#"<s12:Envelope xmlns:s12="http://www.w3.org/2003/05/soap-envelope"
    xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/08/addressing"
    xmlns:wse="http://schemas.xmlsoap.org/ws/2004/08/eventing">
  <s12:Header>
    <wsa:Action>http://schemas.xmlsoap.org/ws/2004/08/eventing/Subscribe</wsa:Action>
    <wsa:MessageID>uuid:e1886c5c</wsa:MessageID>
    <wsa:To>http://localhost:8080/soap/events</wsa:To>
    <t:Community xmlns:t="urn:trunkline:soap">public</t:Community>
  </s12:Header>
  <s12:Body>
    <wse:Subscribe>
      <wse:Delivery><wse:NotifyTo><wsa:Address>http://NOTIFY</wsa:Address></wse:NotifyTo></wse:Delivery>
      <wse:Expires>P0Y0M0DT0H10M0.000S</wse:Expires>
      <wse:Filter Dialect="urn:trunkline:soap/eventing/names">linkDown</wse:Filter>
    </wse:Subscribe>
  </s12:Body>
</s12:Envelope>"#;

#[tokio::test]
async fn each_has_its_fault() {
    let (mut agent, mut sink) = (Agent::start(OPEN), Sink::start());
    let mut link = link(&agent).await;
    let subscribe = SUBSCRIBE.replace("http://NOTIFY", &sink.url("/"));
    let (status, body) = post(&mut link, &[SOAP_1_2], &subscribe).await;
    assert_eq!(status, 200, "{body}");
    for part in [
        "<wsa:RelatesTo>uuid:e1886c5c</wsa:RelatesTo>",
        "<wsa:Address>http://localhost:8080/soap/events</wsa:Address>",
        "<wse:Expires>PT600S</wse:Expires>",
    ] {
        assert!(body.contains(part), "{part}: {body}");
    }
    let dialect = "Dialect=\"urn:trunkline:soap/eventing/names\"";
    let cases = [
        ("P0Y0M0DT0H10M0.000S", "2026-11-22T00:00:00Z", 400, "wse:UnsupportedExpirationType"),
        ("P0Y0M0DT0H10M0.000S", "-PT1S", 400, "wse:InvalidExpirationTime"),
        ("P0Y0M0DT0H10M0.000S", "PT0S", 400, "wse:InvalidExpirationTime"),
        ("P0Y0M0DT0H10M0.000S", "soon", 400, "wse:InvalidExpirationTime"),
        ("<wse:Delivery>", "<wse:Delivery Mode=\"urn:pull\">", 400, "wse:DeliveryModeRequestedUnavailable"),
        (
            dialect,
            "Dialect=\"http://www.w3.org/TR/1999/REC-xpath-19991116\"",
            400,
            "wse:FilteringRequestedUnavailable",
        ),
        (dialect, "", 400, "wse:FilteringRequestedUnavailable"),
        ("linkDown", "linkSideways", 400, "wse:FilteringRequestedUnavailable"),
        ("wse:NotifyTo>", "wse:NotifyFrom>", 400, "wse:InvalidMessage"),
        ("wse:Delivery>", "wse:Post>", 400, "wse:InvalidMessage"),
        ("http://localhost", "gopher://localhost", 400, "wse:InvalidMessage"),
        ("http://localhost", "https://localhost", 500, "wse:EventSourceUnableToProcess"),
        ("</wse:Subscribe>", "</wse:Subscribe><wse:GetStatus/>", 400, "wse:InvalidMessage"),
        ("wse:Subscribe>", "wse:Pull>", 400, "wsa:ActionNotSupported"),
        ("<wse:Subscribe>", "<wse:Subscribe", 400, "wse:InvalidMessage"),
        (">public<", ">nobody's<", 401, "t:unauthorized"),
        ("t:Community", "t:Commune", 401, "t:unauthorized"),
        (
            "<wsa:To>",
            "<wsx:Now xmlns:wsx=\"urn:x\" s12:mustUnderstand=\"1\"/><wsa:To>",
            500,
            "MustUnderstand",
        ),
        ("2003/05/soap-envelope", "2004/05/soap-envelope", 500, "VersionMismatch"),
    ];
    for (from, to, expected, word) in cases {
        assert!(subscribe.contains(from), "{from}");
        let (status, body) = post(&mut link, &[SOAP_1_2], &subscribe.replace(from, to)).await;
        assert_eq!(status, expected, "{to}: {body}");
        assert!(body.contains(&format!("{word}</SOAP-ENV:Value>")), "{word}: {body}");
        let has_header = !matches!(word, "MustUnderstand" | "VersionMismatch");
        assert_eq!(body.contains("RelatesTo>uuid:e1886c5c<"), has_header, "{body}");
    }
    let unavailable = subscribe.replace(dialect, "");
    let (_, body) = post(&mut link, &[SOAP_1_2], &unavailable).await;
    assert!(body.contains("<wse:SupportedDialect>urn:trunkline:soap/eventing/names<"), "{body}");
    // Of all these the first alone has left a subscription.
    for _ in 1..16 {
        assert_eq!(post(&mut link, &[SOAP_1_2], &subscribe).await.0, 200);
    }
    let (status, body) = post(&mut link, &[SOAP_1_2], &subscribe).await;
    assert!(status == 500 && body.contains("wse:EventSourceUnableToProcess"), "{body}");
    assert!(sink.rest().is_empty() && agent.is_alive());
}

/// What a page in somebody's browser can send without a preflight is not a valid request.
#[tokio::test]
async fn media_type_and_action_must_fit() {
    let agent = Agent::start(OPEN);
    let mut link = link(&agent).await;
    let subscribe = SUBSCRIBE.replace("NOTIFY", "localhost:9/");
    let older = subscribe
        .replace("http://www.w3.org/2003/05/soap-envelope", "http://schemas.xmlsoap.org/soap/envelope/");
    let action = "\"http://schemas.xmlsoap.org/ws/2004/08/eventing/Subscribe\"";
    let xml = ("content-type", "text/xml");
    for (fields, body, expected, word) in [
        (vec![("content-type", "text/plain")], &subscribe, 415, "content type"),
        (vec![("content-type", "application/x-www-form-urlencoded")], &subscribe, 415, "content type"),
        (vec![("content-type", "multipart/form-data")], &older, 415, "content type"),
        (vec![], &subscribe, 415, "content type"),
        (vec![xml], &subscribe, 400, "t:wrongAction"),
        (vec![xml], &older, 500, "t:wrongAction"),
        (vec![xml, ("soapaction", "\"urn:other\"")], &older, 500, "t:wrongAction"),
        (vec![xml, ("soapaction", "\"\"")], &older, 200, "SubscribeResponse"),
        (vec![xml, ("soapaction", action)], &older, 200, "SubscribeResponse"),
        (vec![SOAP_1_2], &subscribe, 200, "SubscribeResponse"),
    ] {
        let (status, answer) = post(&mut link, &fields, body).await;
        assert_eq!(status, expected, "{fields:?}: {answer}");
        assert!(answer.contains(word), "{fields:?}: {answer}");
    }
}
