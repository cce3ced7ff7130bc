//! Messages of WS-Eventing from octets, strictly; everything bounded by the reader's limits.

use trunkline_smi::{Oid, Value};
use trunkline_xml::{Limits, Name, Reader};

use super::{
    ADDRESSING, Answer, Asked, EVENTING, Ended, Endpoint, MOST, NAMES, Notification, PUSH, Parameter, Posted,
    Refusal, Refused, Request, Subscribe, Told, read_duration,
};
use crate::envelope::Version;
use crate::fault::{Fault, FaultKind};
use crate::namespace;

/// The parts of a header that matter here.
#[derive(Default)]
struct Heading {
    /// The address of `wsa:From`, which only matters of what is posted to a subscriber.
    from: Option<String>,
    is_posted: bool,
    message_id: Option<String>,
    identifier: Option<String>,
    community: Option<String>,
}

/// A request to the event source.
///
/// # Errors
/// The fault to answer with.
pub fn read_request(octets: &[u8], limits: Limits) -> Result<Asked, Refused> {
    let mut reader = Reader::new(octets, limits);
    let version = open(&mut reader).map_err(|fault| Refused { version: None, message_id: None, fault })?;
    let mut heading = Heading::default();
    let request = request(&mut reader, version, &mut heading);
    let Heading { message_id, identifier, community, .. } = heading;
    match request {
        Ok(request) => Ok(Asked { version, message_id, identifier, community, request }),
        Err(fault) => Err(Refused { version: Some(version), message_id, fault }),
    }
}

fn request(reader: &mut Reader<'_>, version: Version, heading: &mut Heading) -> Result<Request, Fault> {
    let Some(name) = body(reader, version, heading)? else {
        return Err(malformed("the Body is empty: expected a WS-Eventing request"));
    };
    let request = match name.of(EVENTING) {
        Some("Subscribe") => Request::Subscribe(subscribe(reader)?),
        Some("Renew") => Request::Renew(wanted(only_expires(reader)?)?),
        Some("GetStatus") => nothing(reader, Request::GetStatus)?,
        Some("Unsubscribe") => nothing(reader, Request::Unsubscribe)?,
        _ => {
            let reason = "expected Subscribe, Renew, GetStatus or Unsubscribe of WS-Eventing (2004/08)";
            return Err(Fault::new(FaultKind::UnknownOperation, reason));
        }
    };
    close(reader)?;
    Ok(request)
}

/// The event source's answer.
///
/// # Errors
/// A fault in it, or a decoding error.
pub fn read_answer(octets: &[u8], limits: Limits) -> Result<Answer, Fault> {
    let mut reader = Reader::new(octets, limits);
    let version = open(&mut reader)?;
    let name = body(&mut reader, version, &mut Heading::default())?;
    let Some(name) = name else { return Ok(Answer::Unsubscribed) };
    let answer = match name.of(EVENTING) {
        Some("SubscribeResponse") => subscribed(&mut reader)?,
        Some("RenewResponse") => Answer::Renewed(some_expires(&mut reader)?),
        Some("GetStatusResponse") => Answer::Status(some_expires(&mut reader)?),
        Some("UnsubscribeResponse") => nothing(&mut reader, Answer::Unsubscribed)?,
        _ if name.is(version.namespace(), "Fault") => return Err(crate::fault::read(&mut reader, version)?),
        _ => return Err(malformed("expected a WS-Eventing answer")),
    };
    close(&mut reader)?;
    Ok(answer)
}

/// What is posted to a subscriber.
///
/// # Errors
/// A decoding error.
pub fn read_event(octets: &[u8], limits: Limits) -> Result<Posted, (Option<Version>, Fault)> {
    let mut reader = Reader::new(octets, limits);
    let version = open(&mut reader).map_err(|fault| (None, fault))?;
    posted(&mut reader, version).map_err(|fault| (Some(version), fault))
}

/// Whether a message is a request of WS-Eventing, or looks like one as far as it can be read.
#[must_use]
pub fn is_request(octets: &[u8], limits: Limits) -> bool {
    let mut reader = Reader::new(octets, limits);
    let Ok(version) = open(&mut reader) else { return false };
    // What is wrong in the header is for the reader of the request that it is.
    let name = body(&mut reader, version, &mut Heading::default());
    name.is_ok_and(|name| name.is_some_and(|name| name.namespace == EVENTING))
}

fn posted(reader: &mut Reader<'_>, version: Version) -> Result<Posted, Fault> {
    let mut heading = Heading { is_posted: true, ..Heading::default() };
    let name = body(reader, version, &mut heading)?;
    let told = match name {
        Some(name) if name.is(namespace::GENERIC, "Notification") => {
            Told::Notification(notification(reader)?)
        }
        Some(name) if name.is(EVENTING, "SubscriptionEnd") => Told::End(ended(reader)?),
        _ => return Err(malformed("expected a Notification or a SubscriptionEnd")),
    };
    close(reader)?;
    Ok(Posted { from: heading.from, told })
}

fn malformed(reason: impl Into<String>) -> Fault {
    Fault::new(FaultKind::Malformed, reason)
}

fn open(reader: &mut Reader<'_>) -> Result<Version, Fault> {
    let name = reader.child()?.ok_or_else(|| malformed("there is no Envelope"))?;
    let versions = [Version::V1_1, Version::V1_2];
    let found = versions.into_iter().find(|version| name.is(version.namespace(), "Envelope"));
    found
        .ok_or_else(|| Fault::new(FaultKind::VersionMismatch, "expected an Envelope of SOAP 1.1 or SOAP 1.2"))
}

/// The header, and the first element within the body.
fn body<'i>(
    reader: &mut Reader<'i>,
    version: Version,
    heading: &mut Heading,
) -> Result<Option<Name<'i>>, Fault> {
    let own = version.namespace();
    let mut part = reader.child()?;
    if part.is_some_and(|name| name.is(own, "Header")) {
        header(reader, own, heading)?;
        part = reader.child()?;
    }
    if !part.is_some_and(|name| name.is(own, "Body")) {
        return Err(malformed("the Envelope has no Body"));
    }
    Ok(reader.child()?)
}

/// Blocks of WS-Addressing and ours are understood; others are skipped unless they must be.
fn header(reader: &mut Reader<'_>, own: &str, heading: &mut Heading) -> Result<(), Fault> {
    while let Some(name) = reader.child()? {
        if heading.is_posted && name.is(ADDRESSING, "From") {
            heading.from = Some(endpoint(reader)?.address);
        } else if name.is(ADDRESSING, "MessageID") {
            heading.message_id = Some(text(reader)?);
        } else if name.is(EVENTING, "Identifier") {
            heading.identifier = Some(text(reader)?);
        } else if name.is(namespace::GENERIC, "Community") {
            heading.community = Some(text(reader)?);
        } else {
            let flag = reader.attribute(own, "mustUnderstand");
            if flag.is_some_and(|flag| matches!(flag.trim(), "1" | "true")) && name.namespace != ADDRESSING {
                let (namespace, local) = (name.namespace.to_owned(), name.local.to_owned());
                let reason = format!("the header block {local} is not understood here");
                return Err(Fault::new(FaultKind::MustUnderstand { namespace, local }, reason));
            }
            reader.skip()?;
        }
    }
    Ok(())
}

fn close(reader: &mut Reader<'_>) -> Result<(), Fault> {
    if reader.child()?.is_some() || reader.child()?.is_some() {
        return Err(malformed("more elements follow: a message has one"));
    }
    Ok(reader.finish()?)
}

fn text(reader: &mut Reader<'_>) -> Result<String, Fault> {
    Ok(reader.leaf()?.trim().to_owned())
}

fn subscribe(reader: &mut Reader<'_>) -> Result<Subscribe, Fault> {
    let (mut notify_to, mut end_to, mut expires, mut filter) = (None, None, None, None);
    while let Some(name) = reader.child()? {
        match name.of(EVENTING) {
            Some("EndTo") => end_to = Some(endpoint(reader)?),
            Some("Delivery") => notify_to = Some(delivery(reader)?),
            Some("Expires") => expires = wanted(Some(duration(reader)?))?,
            Some("Filter") => filter = Some(names(reader)?),
            _ => reader.skip()?,
        }
    }
    let notify_to = notify_to
        .ok_or_else(|| malformed("Subscribe has no Delivery, which gives the address to send to"))?;
    Ok(Subscribe { notify_to, end_to, expires, filter })
}

fn delivery(reader: &mut Reader<'_>) -> Result<Endpoint, Fault> {
    if reader.attribute("", "Mode").is_some_and(|mode| mode.trim() != PUSH) {
        let reason = format!("only the delivery mode {PUSH} is supported");
        return Err(Refusal::DeliveryModeRequestedUnavailable.fault(reason));
    }
    let mut found = None;
    while let Some(name) = reader.child()? {
        if name.is(EVENTING, "NotifyTo") {
            found = Some(endpoint(reader)?);
        } else {
            reader.skip()?;
        }
    }
    found.ok_or_else(|| malformed("Delivery has no NotifyTo, which gives the address to send to"))
}

fn endpoint(reader: &mut Reader<'_>) -> Result<Endpoint, Fault> {
    let (mut address, mut parameters) = (None, Vec::new());
    while let Some(name) = reader.child()? {
        match name.of(ADDRESSING) {
            Some("Address") => address = Some(text(reader)?),
            Some("ReferenceParameters" | "ReferenceProperties") => {
                while let Some(name) = reader.child()? {
                    if parameters.len() == MOST {
                        return Err(Fault::new(
                            FaultKind::TooMany,
                            format!("at most {MOST} reference parameters are accepted"),
                        ));
                    }
                    let (namespace, local) = (name.namespace.to_owned(), name.local.to_owned());
                    parameters.push(Parameter { namespace, local, text: text(reader)? });
                }
            }
            _ => reader.skip()?,
        }
    }
    let address = address.ok_or_else(|| malformed("an endpoint without wsa:Address"))?;
    Ok(Endpoint { address, parameters })
}

fn duration(reader: &mut Reader<'_>) -> Result<std::time::Duration, Fault> {
    let text = text(reader)?;
    read_duration(&text).ok_or_else(|| {
        // What begins with a year is a date.
        let is_date = text.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit());
        let refusal =
            if is_date { Refusal::UnsupportedExpirationType } else { Refusal::InvalidExpirationTime };
        refusal.fault("expected Expires as a duration that is not negative, such as PT10M")
    })
}

/// A subscription for no time at all is useless (WS-Eventing section 6.2).
fn wanted(expires: Option<std::time::Duration>) -> Result<Option<std::time::Duration>, Fault> {
    match expires {
        Some(none) if none.is_zero() => {
            Err(Refusal::InvalidExpirationTime.fault("expected Expires to be more than zero"))
        }
        some => Ok(some),
    }
}

fn names(reader: &mut Reader<'_>) -> Result<Vec<String>, Fault> {
    // Without a dialect it is XPath (WS-Eventing section 3.1).
    if reader.attribute("", "Dialect").is_none_or(|dialect| dialect.trim() != NAMES) {
        let reason = format!("only filters with Dialect=\"{NAMES}\" are supported");
        return Err(Refusal::FilteringRequestedUnavailable.fault(reason));
    }
    let names: Vec<String> = reader.leaf()?.split_whitespace().map(str::to_owned).collect();
    if names.len() > MOST {
        return Err(Fault::new(FaultKind::TooMany, format!("at most {MOST} names are accepted in a filter")));
    }
    Ok(names)
}

fn only_expires(reader: &mut Reader<'_>) -> Result<Option<std::time::Duration>, Fault> {
    let mut expires = None;
    while let Some(name) = reader.child()? {
        if name.is(EVENTING, "Expires") {
            expires = Some(duration(reader)?);
        } else {
            reader.skip()?;
        }
    }
    Ok(expires)
}

fn some_expires(reader: &mut Reader<'_>) -> Result<std::time::Duration, Fault> {
    only_expires(reader)?.ok_or_else(|| malformed("an answer without Expires"))
}

fn nothing<T>(reader: &mut Reader<'_>, found: T) -> Result<T, Fault> {
    while reader.child()?.is_some() {
        reader.skip()?;
    }
    Ok(found)
}

fn subscribed(reader: &mut Reader<'_>) -> Result<Answer, Fault> {
    let (mut manager, mut expires) = (None, None);
    while let Some(name) = reader.child()? {
        match name.of(EVENTING) {
            Some("SubscriptionManager") => manager = Some(endpoint(reader)?),
            Some("Expires") => expires = Some(duration(reader)?),
            _ => reader.skip()?,
        }
    }
    let manager = manager.ok_or_else(|| malformed("an answer without SubscriptionManager"))?;
    let is_identifier = |found: &&Parameter| found.namespace == EVENTING && found.local == "Identifier";
    let identifier = manager.parameters.iter().find(is_identifier).map(|found| found.text.clone());
    Ok(Answer::Subscribed {
        manager: manager.address,
        identifier: identifier.unwrap_or_default(),
        expires: expires.ok_or_else(|| malformed("an answer without Expires"))?,
    })
}

fn ended(reader: &mut Reader<'_>) -> Result<Ended, Fault> {
    let mut status = None;
    while let Some(name) = reader.child()? {
        if name.is(EVENTING, "Status") {
            let uri = text(reader)?;
            status = Ended::of(&uri);
        } else {
            reader.skip()?;
        }
    }
    status.ok_or_else(|| malformed("a SubscriptionEnd without a known Status"))
}

fn notification(reader: &mut Reader<'_>) -> Result<Notification, Fault> {
    let (mut oid, mut uptime, mut objects) = (None, 0, Vec::new());
    while let Some(name) = reader.child()? {
        match name.of(namespace::GENERIC) {
            Some("Oid") => oid = Some(read_oid(reader)?),
            Some("UpTime") => {
                let text = text(reader)?;
                uptime = text.parse().map_err(|_| malformed("UpTime is not a number of hundredths"))?;
            }
            Some("Object") => objects.push(object(reader)?),
            _ => reader.skip()?,
        }
    }
    let oid = oid.ok_or_else(|| malformed("a Notification without Oid"))?;
    Ok(Notification { oid, uptime, objects })
}

fn read_oid(reader: &mut Reader<'_>) -> Result<Oid, Fault> {
    text(reader)?.parse().map_err(|_| malformed("not an object identifier"))
}

fn object(reader: &mut Reader<'_>) -> Result<(Oid, Value), Fault> {
    let oid: Option<Oid> = reader.attribute("", "oid").and_then(|text| text.parse().ok());
    let kind = reader.attribute("", "type").unwrap_or_default().into_owned();
    let text = reader.leaf()?;
    let oid = oid.ok_or_else(|| malformed("an Object without its oid"))?;
    let value = value(&kind, &text).ok_or_else(|| malformed(format!("{oid} is not a valid {kind}")))?;
    Ok((oid, value))
}

fn value(kind: &str, text: &str) -> Option<Value> {
    Some(match kind {
        "Integer32" => Value::Integer(text.trim().parse().ok()?),
        "string" => Value::OctetString(text.as_bytes().to_vec()),
        "hexBinary" => Value::OctetString(unhex(text.trim())?),
        "Opaque" => Value::Opaque(unhex(text.trim())?),
        "ObjectIdentifier" => Value::ObjectIdentifier(text.trim().parse().ok()?),
        "IpAddress" => Value::IpAddress(text.trim().parse::<std::net::Ipv4Addr>().ok()?.octets()),
        "Counter32" => Value::Counter32(text.trim().parse().ok()?),
        "Unsigned32" => Value::Unsigned32(text.trim().parse().ok()?),
        "TimeTicks" => Value::TimeTicks(text.trim().parse().ok()?),
        "Counter64" => Value::Counter64(text.trim().parse().ok()?),
        _ => return None,
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
}
