//! The fields around the PDU in a message of SNMPv3, for people.

use super::{Annotator, hexadecimal, text};
use crate::wire::reader::{Found, Reader};
use crate::wire::v3::{MAX_USER_NAME, MsgFlags, TSM, USM};
use crate::wire::{MIN_MAX_MESSAGE_SIZE, Version, tag};
use crate::{DecodeError, Element};

impl Annotator {
    /// Everything after msgVersion (RFC 3412 section 6).
    pub(super) fn v3_contents(&mut self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        let header = reader.expect(tag::SEQUENCE, Element::HeaderData)?;
        self.container(&header, 1, Element::HeaderData.name(), "SEQUENCE");
        let mut contents = header.contents;
        let mut model = None;
        let result = self.header_data(&mut contents, &mut model);
        self.close(result, contents, Element::SecurityModel, 2);

        let parameters = reader.expect(tag::OCTET_STRING, Element::SecurityParameters)?;
        let name = Element::SecurityParameters.name();
        if model == Some(USM) {
            self.container(&parameters, 1, name, "OCTET STRING");
            let mut contents = parameters.contents;
            let result = self.usm_sequence(&mut contents);
            self.close(result, contents, Element::SecurityParameters, 2);
        } else if model == Some(TSM) {
            self.string(&parameters, Element::SecurityParameters, 0, 0, 1, hexadecimal);
        } else {
            let detail = format!("OCTET STRING {}", hexadecimal(parameters.contents.rest()));
            self.field(&parameters, 1, name, detail);
        }
        self.message_data(reader)
    }

    fn header_data(&mut self, reader: &mut Reader<'_>, model: &mut Option<i32>) -> Result<(), DecodeError> {
        let found = reader.expect(tag::INTEGER, Element::MessageId)?;
        self.integer_within(&found, Element::MessageId, 0, 2, |number| number.to_string());
        let found = reader.expect(tag::INTEGER, Element::MaxSize)?;
        let least = MIN_MAX_MESSAGE_SIZE as i32;
        self.integer_within(&found, Element::MaxSize, least, 2, |number| number.to_string());
        let found = reader.expect(tag::OCTET_STRING, Element::Flags)?;
        self.string(&found, Element::Flags, 1, 1, 2, say_flags);
        let found = reader.expect(tag::INTEGER, Element::SecurityModel)?;
        *model = self.integer_within(&found, Element::SecurityModel, 1, 2, |number| match number {
            USM => "USM(3)".into(),
            TSM => "TSM(4)".into(),
            other => other.to_string(),
        });
        Ok(())
    }

    /// UsmSecurityParameters (RFC 3414 section 2.4).
    fn usm_sequence(&mut self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        let found = reader.expect(tag::SEQUENCE, Element::SecurityParameters)?;
        self.container(&found, 2, "UsmSecurityParameters", "SEQUENCE");
        let mut contents = found.contents;
        let result = self.usm_contents(&mut contents);
        self.close(result, contents, Element::PrivacyParameters, 3);
        Ok(())
    }

    fn usm_contents(&mut self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        let any = usize::MAX;
        let found = reader.expect(tag::OCTET_STRING, Element::EngineId)?;
        self.string(&found, Element::EngineId, 0, any, 3, hexadecimal);
        for element in [Element::EngineBoots, Element::EngineTime] {
            let found = reader.expect(tag::INTEGER, element)?;
            self.integer_within(&found, element, 0, 3, |number| number.to_string());
        }
        let found = reader.expect(tag::OCTET_STRING, Element::UserName)?;
        self.string(&found, Element::UserName, 0, MAX_USER_NAME, 3, text);
        for element in [Element::AuthenticationParameters, Element::PrivacyParameters] {
            let found = reader.expect(tag::OCTET_STRING, element)?;
            self.string(&found, element, 0, any, 3, hexadecimal);
        }
        Ok(())
    }

    /// msgData (RFC 3412 section 6.7).
    fn message_data(&mut self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        let found = reader.any(Element::MessageData)?;
        let octets = found.contents.rest();
        match found.tag {
            tag::OCTET_STRING => {
                let detail = format!("OCTET STRING, {} octets, encrypted", octets.len());
                self.field(&found, 1, "encryptedPDU", detail);
            }
            tag::SEQUENCE => {
                self.container(&found, 1, Element::ScopedPdu.name(), "SEQUENCE");
                let mut contents = found.contents;
                let result = self.scoped_pdu(&mut contents);
                self.close(result, contents, Element::Pdu, 2);
            }
            other => {
                let detail =
                    DecodeError::UnknownMessageData { offset: found.offset, found: other }.to_string();
                self.wrong(found.offset, found.header() + octets.len(), 1, detail);
            }
        }
        Ok(())
    }

    fn scoped_pdu(&mut self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        let any = usize::MAX;
        let found = reader.expect(tag::OCTET_STRING, Element::ContextEngineId)?;
        self.string(&found, Element::ContextEngineId, 0, any, 2, hexadecimal);
        let found = reader.expect(tag::OCTET_STRING, Element::ContextName)?;
        self.string(&found, Element::ContextName, 0, any, 2, text);
        self.pdu(reader, Version::V3, 2)
    }

    /// An OCTET STRING of this many octets; `say` describes it.
    fn string(
        &mut self,
        found: &Found<'_>,
        element: Element,
        least: usize,
        most: usize,
        depth: usize,
        say: impl Fn(&[u8]) -> String,
    ) {
        let octets = found.contents.rest();
        self.field(found, depth, element.name(), format!("OCTET STRING {}", say(octets)));
        if !(least..=most).contains(&octets.len()) {
            let (offset, found) = (found.offset, octets.len());
            self.mark_wrong(&DecodeError::StringSize { element, offset, least, most, found });
        }
    }
}

/// The level and whether a Report is wanted.
fn say_flags(octets: &[u8]) -> String {
    let shown = hexadecimal(octets);
    let &[octet] = octets else { return shown };
    let flags = MsgFlags::from_octet(octet);
    let level = flags.level().map_or("privacy without authentication", |level| level.name());
    let reportable = if flags.is_reportable() { ", reportable" } else { "" };
    format!("{shown} ({level}{reportable})")
}
