//! From octets to XML, in one pass.

use trunkline_smi::Oid;
use trunkline_xml::{Writer, as_text};

use super::{ENCODING, GENERIC_TRAPS, HEX, NAMESPACE, element_of, numbers_of};
use crate::DecodeError;
use crate::wire::{
    BindingRef, Bound, ErrorStatus, MessageRef, MsgData, MsgFlags, PduKind, PduRef, RawValue, ScopedPduRef,
    TrapV1, TrapV1Message, USM, UsmParametersRef, V3MessageRef, VarBind, Version,
};

/// Appends the message in these octets as one element.
///
/// # Errors
/// What is wrong with the octets; nothing is appended then.
pub fn write(message: &[u8], into: &mut Vec<u8>) -> Result<(), DecodeError> {
    let before = into.len();
    let written = write_message(message, &mut Writer::new(into));
    if written.is_err() {
        into.truncate(before);
    }
    written
}

fn write_message(octets: &[u8], out: &mut Writer<'_>) -> Result<(), DecodeError> {
    match MessageRef::decode(octets) {
        Ok(message) => {
            begin_community(out, message.version, message.community);
            pdu(out, &message.pdu)?;
            end_community(out);
            Ok(())
        }
        Err(DecodeError::UnsupportedVersion { found }) if found == Version::V3.code() => {
            v3_message(octets, out)
        }
        Err(DecodeError::TrapV1 { .. }) => {
            let message = TrapV1Message::decode(octets)?;
            begin_community(out, Version::V1, &message.community);
            trap_v1(out, &message.trap);
            end_community(out);
            Ok(())
        }
        Err(error) => Err(error),
    }
}

fn begin_community(out: &mut Writer<'_>, version: Version, community: &[u8]) {
    out.start("Message").attribute("xmlns", NAMESPACE).leaf("version", version.name());
    string(out, "community", community);
    out.start("data");
}

fn end_community(out: &mut Writer<'_>) {
    out.end("data").end("Message");
}

fn v3_message(octets: &[u8], out: &mut Writer<'_>) -> Result<(), DecodeError> {
    let message = V3MessageRef::decode(octets)?;
    out.start("SNMPv3Message").attribute("xmlns", NAMESPACE).leaf("msgVersion", Version::V3.name());
    out.start("msgGlobalData");
    signed(out, "msgID", message.message_id);
    unsigned(out, "msgMaxSize", message.max_size as u64);
    flags(out, message.flags);
    signed(out, "msgSecurityModel", message.security_model);
    out.end("msgGlobalData").start("msgSecurityParameters");
    security_parameters(out, &message);
    out.end("msgSecurityParameters").start("msgData");
    match message.data {
        MsgData::Plain(scoped) => scoped_pdu(out, &scoped)?,
        MsgData::Encrypted(octets) => hex(out, "encryptedPDU", octets),
    }
    out.end("msgData").end("SNMPv3Message");
    Ok(())
}

/// Words where only known bits are set, else the octet.
fn flags(out: &mut Writer<'_>, flags: MsgFlags) {
    out.start("msgFlags");
    if flags.octet() >= 8 {
        out.attribute(ENCODING, HEX).hexadecimal(&[flags.octet()]);
    } else {
        let words = FLAGS.iter().filter(|(bit, _)| flags.octet() & bit != 0);
        for (index, (_, word)) in words.enumerate() {
            out.raw(if index > 0 { b" " } else { b"" }).raw(word.as_bytes());
        }
    }
    out.end("msgFlags");
}

/// The names of the msgFlags and their bits (RFC 3412 section 6.4).
pub(super) const FLAGS: [(u8, &str); 3] = [(1, "auth"), (2, "priv"), (4, "reportable")];

/// Taken apart where the User-based Security Model reads them and they would be put together as they are.
fn security_parameters(out: &mut Writer<'_>, message: &V3MessageRef<'_>) {
    let octets = message.security_parameters();
    let usm = if message.security_model == USM { message.usm().ok() } else { None };
    match usm.filter(|parameters| parameters.to_parameters().encode() == octets) {
        Some(parameters) => usm_parameters(out, &parameters),
        None if octets.is_empty() => {}
        None => hex(out, "octets", octets),
    }
}

fn usm_parameters(out: &mut Writer<'_>, parameters: &UsmParametersRef<'_>) {
    out.start("UsmSecurityParameters");
    hex(out, "msgAuthoritativeEngineID", parameters.engine_id);
    unsigned(out, "msgAuthoritativeEngineBoots", u64::from(parameters.moment.boots.get()));
    unsigned(out, "msgAuthoritativeEngineTime", u64::from(parameters.moment.time.get()));
    string(out, "msgUserName", parameters.user_name);
    hex(out, "msgAuthenticationParameters", parameters.authentication);
    hex(out, "msgPrivacyParameters", parameters.privacy);
    out.end("UsmSecurityParameters");
}

fn scoped_pdu(out: &mut Writer<'_>, scoped: &ScopedPduRef<'_>) -> Result<(), DecodeError> {
    out.start("plaintext");
    hex(out, "contextEngineID", scoped.context_engine_id);
    string(out, "contextName", scoped.context_name);
    out.start("data");
    pdu(out, &scoped.pdu)?;
    out.end("data").end("plaintext");
    Ok(())
}

fn pdu(out: &mut Writer<'_>, pdu: &PduRef<'_>) -> Result<(), DecodeError> {
    let element = element_of(pdu.kind);
    out.start(element);
    signed(out, "request-id", pdu.request_id);
    let [status, index] = numbers_of(pdu.kind);
    match ErrorStatus::from_code(pdu.error_status).filter(|_| pdu.kind != PduKind::GetBulk) {
        Some(named) => _ = out.leaf(status, named.name()),
        None => signed(out, status, pdu.error_status),
    }
    signed(out, index, pdu.error_index);
    out.start("variable-bindings");
    for found in pdu.bindings() {
        let BindingRef { name, value } = found?;
        binding(out, &name.to_buf(), &value);
    }
    out.end("variable-bindings").end(element);
    Ok(())
}

fn trap_v1(out: &mut Writer<'_>, trap: &TrapV1) {
    out.start("trap").start("enterprise");
    dotted(out, &trap.enterprise);
    out.end("enterprise").start("agent-addr");
    address(out, trap.agent_addr);
    out.end("agent-addr");
    let generic = usize::try_from(trap.generic).ok().and_then(|number| GENERIC_TRAPS.get(number));
    match generic {
        Some(name) => _ = out.leaf("generic-trap", name),
        None => signed(out, "generic-trap", trap.generic),
    }
    signed(out, "specific-trap", trap.specific);
    unsigned(out, "time-stamp", u64::from(trap.time_stamp));
    out.start("variable-bindings");
    for VarBind { name, value } in &trap.bindings {
        owned_binding(out, name, value);
    }
    out.end("variable-bindings").end("trap");
}

fn owned_binding(out: &mut Writer<'_>, name: &Oid, value: &Bound) {
    use trunkline_smi::Value;
    let raw = match value {
        Bound::Unspecified => RawValue::Unspecified,
        Bound::Exception(exception) => RawValue::Exception(*exception),
        Bound::Value(Value::ObjectIdentifier(found)) => {
            begin_binding(out, name);
            identifier(out, found);
            return end_binding(out);
        }
        Bound::Value(Value::Integer(number)) => RawValue::Integer(*number),
        Bound::Value(Value::OctetString(octets)) => RawValue::OctetString(octets),
        Bound::Value(Value::IpAddress(octets)) => RawValue::IpAddress(*octets),
        Bound::Value(Value::Counter32(number)) => RawValue::Counter32(*number),
        Bound::Value(Value::Unsigned32(number)) => RawValue::Unsigned32(*number),
        Bound::Value(Value::TimeTicks(number)) => RawValue::TimeTicks(*number),
        Bound::Value(Value::Opaque(octets)) => RawValue::Opaque(octets),
        Bound::Value(Value::Counter64(number)) => RawValue::Counter64(*number),
    };
    binding(out, name, &raw);
}

fn begin_binding(out: &mut Writer<'_>, name: &[u32]) {
    out.raw(b"<VarBind><name>");
    dotted(out, name);
    out.raw(b"</name>");
}

fn end_binding(out: &mut Writer<'_>) {
    out.raw(b"</VarBind>");
}

fn binding(out: &mut Writer<'_>, name: &[u32], value: &RawValue<'_>) {
    begin_binding(out, name);
    match value {
        RawValue::Unspecified => _ = out.raw(b"<unSpecified/>"),
        RawValue::Exception(exception) => _ = out.start(exception.name()).end(exception.name()),
        RawValue::Integer(number) => signed(out, "integer-value", *number),
        RawValue::OctetString(octets) => string(out, "string-value", octets),
        RawValue::ObjectIdentifier(found) => identifier(out, &found.to_buf()),
        RawValue::IpAddress(octets) => {
            out.start("ipAddress-value");
            address(out, *octets);
            out.end("ipAddress-value");
        }
        RawValue::Counter32(number) => unsigned(out, "counter-value", u64::from(*number)),
        RawValue::Unsigned32(number) => unsigned(out, "unsigned-integer-value", u64::from(*number)),
        RawValue::TimeTicks(number) => unsigned(out, "timeticks-value", u64::from(*number)),
        RawValue::Opaque(octets) => hex(out, "arbitrary-value", octets),
        RawValue::Counter64(number) => unsigned(out, "big-counter-value", *number),
    }
    end_binding(out);
}

fn identifier(out: &mut Writer<'_>, sub_ids: &[u32]) {
    out.start("objectID-value");
    dotted(out, sub_ids);
    out.end("objectID-value");
}

fn dotted(out: &mut Writer<'_>, sub_ids: &[u32]) {
    for (position, &sub_id) in sub_ids.iter().enumerate() {
        if position > 0 {
            out.raw(b".");
        }
        out.unsigned(u64::from(sub_id));
    }
}

fn address(out: &mut Writer<'_>, octets: [u8; 4]) {
    dotted(out, &octets.map(u32::from));
}

fn signed(out: &mut Writer<'_>, element: &str, number: i32) {
    out.start(element).signed(i64::from(number)).end(element);
}

fn unsigned(out: &mut Writer<'_>, element: &str, number: u64) {
    out.start(element).unsigned(number).end(element);
}

fn hex(out: &mut Writer<'_>, element: &str, octets: &[u8]) {
    out.start(element);
    if !octets.is_empty() {
        out.hexadecimal(octets);
    }
    out.end(element);
}

/// Octets that may be text.
fn string(out: &mut Writer<'_>, element: &str, octets: &[u8]) {
    out.start(element);
    match printable(octets) {
        Some("") => {}
        Some(text) => _ = out.text(text),
        None => _ = out.attribute(ENCODING, HEX).hexadecimal(octets),
    }
    out.end(element);
}

/// UTF-8 without control characters but tab and line ends.
fn printable(octets: &[u8]) -> Option<&str> {
    let is_control = |character: char| character.is_control() && !matches!(character, '\t' | '\n' | '\r');
    as_text(octets).ok().filter(|text| !text.chars().any(is_control))
}
