//! Messages of WS-Eventing into octets.

use trunkline_smi::Value;
use trunkline_smi::module::ALL;
use trunkline_xml::Writer;

use super::{
    ADDRESSING, Answer, EVENTING, Ended, Endpoint, NAMES, Notification, PUSH, Request, Subscribe,
    write_duration,
};
use crate::envelope::Version;
use crate::namespace;

/// A request to the event source at `to`.
pub fn write_request(
    version: Version,
    to: &str,
    message_id: &str,
    identifier: Option<&str>,
    community: Option<&str>,
    request: &Request,
) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut out = begin(&mut octets, version);
    heading(&mut out, request.action(), to, Some(message_id), None);
    if let Some(identifier) = identifier {
        out.leaf("wse:Identifier", identifier);
    }
    if let Some(community) = community {
        out.leaf("t:Community", community);
    }
    out.end("SOAP-ENV:Header").start("SOAP-ENV:Body");
    match request {
        Request::Subscribe(subscription) => subscribe(&mut out, subscription),
        Request::Renew(expires) => {
            out.start("wse:Renew");
            if let Some(expires) = expires {
                out.leaf("wse:Expires", &write_duration(*expires));
            }
            out.end("wse:Renew");
        }
        Request::GetStatus => _ = out.start("wse:GetStatus").end("wse:GetStatus"),
        Request::Unsubscribe => _ = out.start("wse:Unsubscribe").end("wse:Unsubscribe"),
    }
    end(&mut out);
    octets
}

/// The answer to the request with this message ID.
pub fn write_answer(version: Version, relates_to: Option<&str>, answer: &Answer) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut out = begin(&mut octets, version);
    let action = match answer {
        Answer::Subscribed { .. } => "http://schemas.xmlsoap.org/ws/2004/08/eventing/SubscribeResponse",
        Answer::Renewed(_) => "http://schemas.xmlsoap.org/ws/2004/08/eventing/RenewResponse",
        Answer::Status(_) => "http://schemas.xmlsoap.org/ws/2004/08/eventing/GetStatusResponse",
        Answer::Unsubscribed => "http://schemas.xmlsoap.org/ws/2004/08/eventing/UnsubscribeResponse",
    };
    heading(&mut out, action, ANONYMOUS, None, relates_to);
    out.end("SOAP-ENV:Header").start("SOAP-ENV:Body");
    match answer {
        Answer::Subscribed { manager, identifier, expires } => {
            out.start("wse:SubscribeResponse").start("wse:SubscriptionManager");
            out.leaf("wsa:Address", manager).start("wsa:ReferenceParameters");
            out.leaf("wse:Identifier", identifier)
                .end("wsa:ReferenceParameters")
                .end("wse:SubscriptionManager");
            out.leaf("wse:Expires", &write_duration(*expires)).end("wse:SubscribeResponse");
        }
        Answer::Renewed(expires) => {
            out.start("wse:RenewResponse")
                .leaf("wse:Expires", &write_duration(*expires))
                .end("wse:RenewResponse");
        }
        Answer::Status(expires) => {
            out.start("wse:GetStatusResponse").leaf("wse:Expires", &write_duration(*expires));
            out.end("wse:GetStatusResponse");
        }
        // Section 3.4: the body is empty.
        Answer::Unsubscribed => {}
    }
    end(&mut out);
    octets
}

/// A notification to a subscriber, of the source at the address `from`.
pub fn write_event(
    version: Version,
    to: &Endpoint,
    from: &str,
    message_id: &str,
    event: &Notification,
) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut out = begin(&mut octets, version);
    out.start("wsa:From").leaf("wsa:Address", from).end("wsa:From");
    heading(&mut out, NOTIFICATION, &to.address, Some(message_id), None);
    parameters(&mut out, to);
    out.end("SOAP-ENV:Header").start("SOAP-ENV:Body").start("t:Notification");
    if let Some(name) = notification_name(&event.oid) {
        out.leaf("t:Name", &name);
    }
    out.leaf("t:Oid", &event.oid.to_string());
    out.start("t:UpTime").unsigned(event.uptime.into()).end("t:UpTime");
    for (oid, value) in &event.objects {
        let (kind, text) = value_text(value);
        out.start("t:Object").attribute("oid", &oid.to_string());
        if let Some(name) = object_name(oid) {
            out.attribute("name", &name);
        }
        out.attribute("type", kind).text(&text).end("t:Object");
    }
    out.end("t:Notification");
    end(&mut out);
    octets
}

/// SubscriptionEnd, to the address that the subscriber gave for it.
pub fn write_end(
    version: Version,
    to: &Endpoint,
    message_id: &str,
    (manager, identifier): (&str, &str),
    ended: Ended,
    reason: &str,
) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut out = begin(&mut octets, version);
    let action = "http://schemas.xmlsoap.org/ws/2004/08/eventing/SubscriptionEnd";
    heading(&mut out, action, &to.address, Some(message_id), None);
    parameters(&mut out, to);
    out.end("SOAP-ENV:Header").start("SOAP-ENV:Body").start("wse:SubscriptionEnd");
    out.start("wse:SubscriptionManager").leaf("wsa:Address", manager).start("wsa:ReferenceParameters");
    out.leaf("wse:Identifier", identifier).end("wsa:ReferenceParameters").end("wse:SubscriptionManager");
    out.leaf("wse:Status", ended.uri());
    out.start("wse:Reason").attribute("xml:lang", "en").text(reason).end("wse:Reason");
    out.end("wse:SubscriptionEnd");
    end(&mut out);
    octets
}

/// To within the Header.
pub(super) fn begin(octets: &mut Vec<u8>, version: Version) -> Writer<'_> {
    let mut out = Writer::new(octets);
    out.declaration().start("SOAP-ENV:Envelope").attribute("xmlns:SOAP-ENV", version.namespace());
    out.attribute("xmlns:wsa", ADDRESSING).attribute("xmlns:wse", EVENTING);
    out.attribute("xmlns:t", namespace::GENERIC).start("SOAP-ENV:Header");
    out
}

/// From within the Body.
pub(super) fn end(out: &mut Writer<'_>) {
    out.end("SOAP-ENV:Body").end("SOAP-ENV:Envelope");
}

/// Blocks of WS-Addressing.
pub(super) fn heading(
    out: &mut Writer<'_>,
    action: &str,
    to: &str,
    message_id: Option<&str>,
    relates_to: Option<&str>,
) {
    out.leaf("wsa:To", to).leaf("wsa:Action", action);
    if let Some(message_id) = message_id {
        out.leaf("wsa:MessageID", message_id);
    }
    if let Some(relates_to) = relates_to {
        out.leaf("wsa:RelatesTo", relates_to);
    }
}

/// The parameters that the receiver wants returned.
fn parameters(out: &mut Writer<'_>, to: &Endpoint) {
    for parameter in &to.parameters {
        if parameter.namespace.is_empty() {
            out.leaf(&parameter.local, &parameter.text);
        } else {
            let name = format!("p:{}", parameter.local);
            out.start(&name).attribute("xmlns:p", &parameter.namespace).text(&parameter.text).end(&name);
        }
    }
}

fn subscribe(out: &mut Writer<'_>, subscription: &Subscribe) {
    out.start("wse:Subscribe");
    if let Some(to) = &subscription.end_to {
        out.start("wse:EndTo");
        endpoint(out, to);
        out.end("wse:EndTo");
    }
    out.start("wse:Delivery").attribute("Mode", PUSH).start("wse:NotifyTo");
    endpoint(out, &subscription.notify_to);
    out.end("wse:NotifyTo").end("wse:Delivery");
    if let Some(expires) = subscription.expires {
        out.leaf("wse:Expires", &write_duration(expires));
    }
    if let Some(names) = &subscription.filter {
        out.start("wse:Filter").attribute("Dialect", NAMES).text(&names.join(" ")).end("wse:Filter");
    }
    out.end("wse:Subscribe");
}

fn endpoint(out: &mut Writer<'_>, to: &Endpoint) {
    out.leaf("wsa:Address", &to.address);
    if !to.parameters.is_empty() {
        out.start("wsa:ReferenceParameters");
        parameters(out, to);
        out.end("wsa:ReferenceParameters");
    }
}

/// `IF-MIB::linkDown`.
fn notification_name(oid: &[u32]) -> Option<String> {
    ALL.iter().find_map(|module| {
        let found = module.notifications.iter().find(|notification| notification.oid == oid)?;
        Some(format!("{}::{}", module.name, found.name))
    })
}

/// `IF-MIB::ifDescr.2`.
fn object_name(oid: &[u32]) -> Option<String> {
    let named = |module: &str, object: &str, index: &[u32]| {
        let index: String = index.iter().map(|sub_id| format!(".{sub_id}")).collect();
        format!("{module}::{object}{index}")
    };
    ALL.iter().find_map(|module| {
        let scalar =
            module.scalars.iter().find_map(|scalar| Some((scalar.name, oid.strip_prefix(scalar.oid)?)));
        let column = || {
            module.tables.iter().find_map(|table| match oid.strip_prefix(table.oid)? {
                [1, id, index @ ..] => Some((table.column(*id)?.name, index)),
                _ => None,
            })
        };
        scalar.or_else(column).map(|(object, index)| named(module.name, object, index))
    })
}

/// The type in the message, and the value in its lexical form.
fn value_text(value: &Value) -> (&'static str, String) {
    let hex = |octets: &[u8]| octets.iter().map(|octet| format!("{octet:02X}")).collect();
    match value {
        Value::Integer(number) => ("Integer32", number.to_string()),
        Value::OctetString(octets) => match trunkline_xml::as_text(octets) {
            // Text that an XML reader would change is written as octets.
            Ok(text) if !text.contains('\r') => ("string", text.to_owned()),
            _ => ("hexBinary", hex(octets)),
        },
        Value::Opaque(octets) => ("Opaque", hex(octets)),
        Value::ObjectIdentifier(oid) => ("ObjectIdentifier", oid.to_string()),
        Value::IpAddress(octets) => ("IpAddress", std::net::Ipv4Addr::from(*octets).to_string()),
        Value::Counter32(number) => ("Counter32", number.to_string()),
        Value::Unsigned32(number) => ("Unsigned32", number.to_string()),
        Value::TimeTicks(number) => ("TimeTicks", number.to_string()),
        Value::Counter64(number) => ("Counter64", number.to_string()),
    }
}

/// `wsa:Action` of a notification.
const NOTIFICATION: &str = "urn:trunkline:soap/Notification";
pub(super) const ANONYMOUS: &str = "http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous";
