//! Messages as XML: a stranger's document becomes octets that convert back the same, or is refused with a
//! location; octets that are a message become a document with the same content.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_snmp::wire::{Message, TrapV1Message, V3Message, xml};
use trunkline_xml::{Reader, XmlError};

fn read(document: &[u8]) -> Result<Vec<u8>, XmlError> {
    let mut reader = Reader::new(document, xml::LIMITS);
    let Some(name) = reader.child()? else { return Err(reader.missing("a message")) };
    let octets = xml::read(&mut reader, name)?;
    reader.finish()?;
    Ok(octets)
}

fn write(octets: &[u8]) -> Option<Vec<u8>> {
    let mut document = Vec::new();
    let written = xml::write(octets, &mut document);
    assert!(written.is_ok() || document.is_empty());
    written.ok().map(|()| document)
}

/// The shortest encoding of the same content.
fn canonical(octets: &[u8]) -> Option<Vec<u8>> {
    let community = Message::decode(octets).map(|message| message.encode());
    let v3 = || V3Message::decode(octets).map(|message| message.encode());
    let trap = || TrapV1Message::decode(octets).map(|message| message.encode());
    community.or_else(|_| v3()).or_else(|_| trap()).ok()
}

fuzz_target!(|input: &[u8]| {
    match read(input) {
        // XML can express what a version does not have, which is refused as a message
        Ok(octets) => {
            if let Some(document) = write(&octets) {
                assert_eq!(read(&document).as_ref(), Ok(&octets));
            }
        }
        Err(error) => assert!(error.position.offset <= input.len()),
    }
    if let Some(document) = write(input) {
        assert_eq!(read(&document).ok(), canonical(input));
    }
});
