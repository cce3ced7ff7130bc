//! From XML to octets.

use std::borrow::Cow;
use std::str::FromStr;

use trunkline_smi::{Oid, Value};
use trunkline_xml::{Name, Reader, XmlError};

use super::write::FLAGS;
use super::{ENCODING, GENERIC_TRAPS, HEX, NAMESPACE, VERSIONS, kind_of, numbers_of};
use crate::usm::EngineMoment;
use crate::wire::{
    Bound, ErrorStatus, Exception, MAX_MESSAGE_SIZE, MIN_MAX_MESSAGE_SIZE, Message, MsgFlags, Pdu, PduKind,
    ScopedPdu, ScopedPduData, TrapV1, TrapV1Message, UsmParameters, V3Message, VarBind, Version,
    is_encodable,
};

/// Reads the message whose start tag, with this name, was read last, to its end, and returns its octets. Whether
/// a version allows such a PDU or value is not checked here: the engine does that.
///
/// # Errors
/// What is wrong, and where.
pub fn read(reader: &mut Reader<'_>, name: Name<'_>) -> Result<Vec<u8>, XmlError> {
    if matches!(name.of(NAMESPACE), Some("Message" | "SNMPv3Message")) {
        reader.know_attributes(&[ENCODING])?;
    }
    let octets = match name.of(NAMESPACE) {
        Some("Message") => community_message(reader)?,
        Some("SNMPv3Message") => v3_message(reader)?,
        None if matches!(name.local, "Message" | "SNMPv3Message") => {
            return Err(reader.wrong_namespace(name, NAMESPACE));
        }
        _ => return Err(reader.unexpected("Message or SNMPv3Message")),
    };
    if octets.len() > MAX_MESSAGE_SIZE {
        let expected = format!("a message of at most {MAX_MESSAGE_SIZE} octets");
        return Err(reader.invalid(&expected, &format!("one of {}", octets.len())));
    }
    Ok(octets)
}

fn community_message(reader: &mut Reader<'_>) -> Result<Vec<u8>, XmlError> {
    let version = field(reader, "version")?;
    let known = VERSIONS.into_iter().find(|known| known.name() == version.trim());
    let version = known.ok_or_else(|| reader.invalid("version v1 or v2c", &version))?;
    let community = string(reader, "community")?;
    reader.expect(NAMESPACE, "data")?;
    let octets = match pdu_start(reader)? {
        PduKind::TrapV1 if version == Version::V1 => {
            TrapV1Message { community, trap: trap_v1(reader)? }.encode()
        }
        PduKind::TrapV1 => return Err(reader.unexpected("a PDU of version v2c")),
        kind => Message { version, community, pdu: pdu(reader, kind)? }.encode(),
    };
    reader.end()?;
    reader.end()?;
    Ok(octets)
}

fn v3_message(reader: &mut Reader<'_>) -> Result<Vec<u8>, XmlError> {
    let version = field(reader, "msgVersion")?;
    if version.trim() != Version::V3.name() {
        return Err(reader.invalid("msgVersion v3", &version));
    }
    reader.expect(NAMESPACE, "msgGlobalData")?;
    let message_id = integer(reader, "msgID", 0)?;
    let max_size = integer(reader, "msgMaxSize", MIN_MAX_MESSAGE_SIZE as i32)?;
    let flags = flags(reader)?;
    let security_model = integer(reader, "msgSecurityModel", 1)?;
    reader.end()?;
    let security_parameters = security_parameters(reader)?;
    let data = msg_data(reader)?;
    reader.end()?;
    Ok(V3Message { message_id, max_size, flags, security_model, security_parameters, data }.encode())
}

fn flags(reader: &mut Reader<'_>) -> Result<MsgFlags, XmlError> {
    reader.expect(NAMESPACE, "msgFlags")?;
    if let Some(octets) = marked(reader)? {
        return match octets[..] {
            [octet] => Ok(MsgFlags::from_octet(octet)),
            _ => Err(reader.invalid("msgFlags of one octet", &format!("{} octets", octets.len()))),
        };
    }
    let text = reader.leaf()?;
    let mut octet = 0;
    for word in text.split_ascii_whitespace() {
        match FLAGS.iter().find(|(bit, known)| *known == word && octet & bit == 0) {
            Some((bit, _)) => octet |= bit,
            None => return Err(reader.invalid("msgFlags made of auth, priv and reportable", &text)),
        }
    }
    Ok(MsgFlags::from_octet(octet))
}

fn security_parameters(reader: &mut Reader<'_>) -> Result<Vec<u8>, XmlError> {
    reader.expect(NAMESPACE, "msgSecurityParameters")?;
    let octets = match reader.child()?.map(|name| name.of(NAMESPACE)) {
        None => return Ok(Vec::new()),
        Some(Some("octets")) => hex_content(reader)?,
        Some(Some("UsmSecurityParameters")) => usm_parameters(reader)?,
        Some(_) => return Err(reader.unexpected("UsmSecurityParameters or octets")),
    };
    reader.end()?;
    Ok(octets)
}

fn usm_parameters(reader: &mut Reader<'_>) -> Result<Vec<u8>, XmlError> {
    let engine_id = hex(reader, "msgAuthoritativeEngineID")?;
    let boots = integer(reader, "msgAuthoritativeEngineBoots", 0)?;
    let time = integer(reader, "msgAuthoritativeEngineTime", 0)?;
    let parameters = UsmParameters {
        engine_id,
        // both were found to be in range
        moment: EngineMoment::new(boots as u32, time as u32).unwrap_or_default(),
        user_name: string(reader, "msgUserName")?,
        authentication: hex(reader, "msgAuthenticationParameters")?,
        privacy: hex(reader, "msgPrivacyParameters")?,
    };
    reader.end()?;
    Ok(parameters.encode())
}

fn msg_data(reader: &mut Reader<'_>) -> Result<ScopedPduData, XmlError> {
    reader.expect(NAMESPACE, "msgData")?;
    let data = match reader.child()?.and_then(|name| name.of(NAMESPACE)) {
        Some("encryptedPDU") => ScopedPduData::Encrypted(hex_content(reader)?),
        Some("plaintext") => {
            let context_engine_id = hex(reader, "contextEngineID")?;
            let context_name = string(reader, "contextName")?;
            reader.expect(NAMESPACE, "data")?;
            let kind = pdu_start(reader)?;
            if kind == PduKind::TrapV1 {
                return Err(reader.unexpected("a PDU of version v3"));
            }
            let pdu = pdu(reader, kind)?;
            reader.end()?;
            reader.end()?;
            ScopedPduData::Plain(ScopedPdu { context_engine_id, context_name, pdu })
        }
        _ => return Err(reader.unexpected("plaintext or encryptedPDU")),
    };
    reader.end()?;
    Ok(data)
}

fn pdu_start(reader: &mut Reader<'_>) -> Result<PduKind, XmlError> {
    let name = reader.child()?.ok_or_else(|| reader.missing("a PDU"))?;
    let kind = name.of(NAMESPACE).and_then(kind_of);
    kind.ok_or_else(|| reader.unexpected("a PDU, such as get-request"))
}

fn pdu(reader: &mut Reader<'_>, kind: PduKind) -> Result<Pdu, XmlError> {
    let request_id = integer(reader, "request-id", i32::MIN)?;
    let [status, index] = numbers_of(kind);
    let error_status = if kind == PduKind::GetBulk {
        integer(reader, status, i32::MIN)?
    } else {
        let text = field(reader, status)?;
        let text = text.trim();
        let named = ErrorStatus::ALL.into_iter().find(|known| known.name() == text);
        by_name_or_number(reader, text, named.map(ErrorStatus::code), status)?
    };
    let error_index = integer(reader, index, i32::MIN)?;
    let bindings = bindings(reader)?;
    reader.end()?;
    Ok(Pdu { kind, request_id, error_status, error_index, bindings })
}

fn trap_v1(reader: &mut Reader<'_>) -> Result<TrapV1, XmlError> {
    let enterprise = identifier_of(reader, "enterprise")?;
    reader.expect(NAMESPACE, "agent-addr")?;
    let agent_addr = address(reader)?;
    let generic = field(reader, "generic-trap")?;
    let generic = generic.trim();
    let named = GENERIC_TRAPS.iter().position(|known| *known == generic);
    let generic = by_name_or_number(reader, generic, named.map(|at| at as i32), "generic-trap")?;
    let specific = integer(reader, "specific-trap", i32::MIN)?;
    reader.expect(NAMESPACE, "time-stamp")?;
    let time_stamp = number_content(reader, "time-stamp")?;
    let bindings = bindings(reader)?;
    reader.end()?;
    Ok(TrapV1 { enterprise, agent_addr, generic, specific, time_stamp, bindings })
}

fn bindings(reader: &mut Reader<'_>) -> Result<Vec<VarBind>, XmlError> {
    reader.expect(NAMESPACE, "variable-bindings")?;
    let mut bindings = Vec::new();
    while let Some(name) = reader.child()? {
        if !name.is(NAMESPACE, "VarBind") {
            return Err(reader.unexpected("VarBind"));
        }
        let name = identifier_of(reader, "name")?;
        let value = value(reader)?;
        reader.end()?;
        bindings.push(VarBind { name, value });
    }
    Ok(bindings)
}

fn value(reader: &mut Reader<'_>) -> Result<Bound, XmlError> {
    let name = reader.child()?.ok_or_else(|| reader.missing("a value"))?;
    let value = match name.of(NAMESPACE).unwrap_or_default() {
        "unSpecified" => return nothing(reader, Bound::Unspecified),
        "noSuchObject" => return nothing(reader, Bound::Exception(Exception::NoSuchObject)),
        "noSuchInstance" => return nothing(reader, Bound::Exception(Exception::NoSuchInstance)),
        "endOfMibView" => return nothing(reader, Bound::Exception(Exception::EndOfMibView)),
        "integer-value" => Value::Integer(number_content(reader, "integer-value")?),
        "string-value" => Value::OctetString(string_content(reader)?),
        "objectID-value" => Value::ObjectIdentifier(identifier(reader)?),
        "ipAddress-value" => Value::IpAddress(address(reader)?),
        "counter-value" => Value::Counter32(number_content(reader, "counter-value")?),
        "unsigned-integer-value" => Value::Unsigned32(number_content(reader, "unsigned-integer-value")?),
        "timeticks-value" => Value::TimeTicks(number_content(reader, "timeticks-value")?),
        "arbitrary-value" => Value::Opaque(hex_content(reader)?),
        "big-counter-value" => Value::Counter64(number_content(reader, "big-counter-value")?),
        _ => return Err(reader.unexpected("a value, such as integer-value")),
    };
    Ok(Bound::Value(value))
}

fn nothing(reader: &mut Reader<'_>, bound: Bound) -> Result<Bound, XmlError> {
    reader.end()?;
    Ok(bound)
}

/// The text of the next element, which has this name.
fn field<'i>(reader: &mut Reader<'i>, element: &str) -> Result<Cow<'i, str>, XmlError> {
    reader.expect(NAMESPACE, element)?;
    reader.leaf()
}

fn integer(reader: &mut Reader<'_>, element: &'static str, least: i32) -> Result<i32, XmlError> {
    let text = field(reader, element)?;
    let found: i32 = number(reader, text.trim(), element)?;
    if found < least {
        return Err(reader.invalid(&format!("{element} of {least} at least"), &text));
    }
    Ok(found)
}

fn number_content<N: FromStr>(reader: &mut Reader<'_>, what: &str) -> Result<N, XmlError> {
    let text = reader.leaf()?;
    number(reader, text.trim(), what)
}

/// A number in the range that this field has.
fn number<N: FromStr>(reader: &Reader<'_>, text: &str, field: &str) -> Result<N, XmlError> {
    text.parse().map_err(|_| reader.invalid(&format!("a number in the range of {field}"), text))
}

/// The number of something that has names too.
fn by_name_or_number(
    reader: &Reader<'_>,
    text: &str,
    named: Option<i32>,
    field: &str,
) -> Result<i32, XmlError> {
    let found = named.or_else(|| text.parse().ok());
    found.ok_or_else(|| reader.invalid(&format!("{field} by name or number"), text))
}

fn identifier_of(reader: &mut Reader<'_>, element: &str) -> Result<Oid, XmlError> {
    reader.expect(NAMESPACE, element)?;
    identifier(reader)
}

fn identifier(reader: &mut Reader<'_>) -> Result<Oid, XmlError> {
    let text = reader.leaf()?;
    let found = text.trim().parse().ok().filter(|oid: &Oid| is_encodable(oid));
    found.ok_or_else(|| reader.invalid("an object identifier, such as 1.3.6.1.2.1.1.3.0", &text))
}

fn address(reader: &mut Reader<'_>) -> Result<[u8; 4], XmlError> {
    let text = reader.leaf()?;
    let found: Result<std::net::Ipv4Addr, _> = text.trim().parse();
    found.map(|address| address.octets()).map_err(|_| reader.invalid("an IPv4 address", &text))
}

fn hex(reader: &mut Reader<'_>, element: &str) -> Result<Vec<u8>, XmlError> {
    reader.expect(NAMESPACE, element)?;
    hex_content(reader)
}

fn string(reader: &mut Reader<'_>, element: &str) -> Result<Vec<u8>, XmlError> {
    reader.expect(NAMESPACE, element)?;
    string_content(reader)
}

fn string_content(reader: &mut Reader<'_>) -> Result<Vec<u8>, XmlError> {
    match marked(reader)? {
        Some(octets) => Ok(octets),
        None => Ok(reader.leaf()?.into_owned().into_bytes()),
    }
}

/// The octets of an element that is marked to hold hexadecimal digits; of any other nothing is read.
fn marked(reader: &mut Reader<'_>) -> Result<Option<Vec<u8>>, XmlError> {
    match reader.attribute("", ENCODING).as_deref() {
        None => Ok(None),
        Some(HEX) => hex_content(reader).map(Some),
        Some(other) => Err(reader.invalid("encoding=\"hex\" or none", other)),
    }
}

fn hex_content(reader: &mut Reader<'_>) -> Result<Vec<u8>, XmlError> {
    let text = reader.leaf()?;
    let digits = text.trim().as_bytes();
    let digit = |octet: u8| char::from(octet).to_digit(16).map(|digit| digit as u8);
    let pairs = digits.chunks(2).map(|pair| match *pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    });
    let octets: Option<Vec<u8>> = pairs.collect();
    octets.ok_or_else(|| reader.invalid("hexadecimal digits, two for each octet", &text))
}
