//! Annotating shows every octet of anything, and calls wrong what the decoder refuses.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::common;

use common::{message, v3_message};
use proptest::collection::vec;
use proptest::prelude::*;
use trunkline_smi::Oid;
use trunkline_snmp::usm::EngineMoment;
use trunkline_snmp::wire::{
    Field, Message, MsgFlags, Pdu, PduKind, ScopedPdu, ScopedPduData, TSM, USM, UsmParameters, V3Message,
    V3MessageRef, annotate,
};
use trunkline_snmp::{DecodeError, Element};

/// Reads a message of any version as far as it is not encrypted.
fn decode(octets: &[u8]) -> Result<(), DecodeError> {
    match Message::decode(octets) {
        Err(DecodeError::UnsupportedVersion { found: 3 }) => {
            let message = V3MessageRef::decode(octets)?;
            if message.security_model == USM {
                message.usm()?;
            }
            let found = message.security_parameters().len();
            if message.security_model == TSM && found != 0 {
                let (element, offset) = (Element::SecurityParameters, 0);
                return Err(DecodeError::StringSize { element, offset, least: 0, most: 0, found });
            }
            V3Message::decode(octets).map(drop)
        }
        other => other.map(drop),
    }
}

fn check(octets: &[u8]) {
    let fields = annotate(octets);
    let mut at = 0;
    for field in &fields {
        assert_eq!(field.offset, at);
        assert!(field.header <= field.len);
        at += field.len;
    }
    assert_eq!(at, octets.len());
    let wrong = fields.iter().any(|field| field.wrong);
    match decode(octets) {
        Ok(_) => assert!(!wrong, "{fields:#?}"),
        // read by annotate, not by the decoder
        Err(DecodeError::UnsupportedVersion { .. } | DecodeError::TrapV1 { .. }) => {}
        Err(error) => assert!(wrong, "{error}: {fields:#?}"),
    }
}

proptest! {
    #[test]
    fn messages_and_their_mutations(message in message(), at in any::<prop::sample::Index>(), octet in any::<u8>()) {
        let mut octets = message.encode();
        check(&octets);
        let at = at.index(octets.len());
        octets[at] = octet;
        check(&octets);
        check(&octets[..at]);
    }

    #[test]
    fn messages_of_version_3_and_their_mutations(
        message in v3_message(),
        at in any::<prop::sample::Index>(),
        octet in any::<u8>(),
    ) {
        let mut octets = message.encode();
        check(&octets);
        let at = at.index(octets.len());
        octets[at] = octet;
        check(&octets);
        check(&octets[..at]);
    }

    #[test]
    fn noise(octets in vec(any::<u8>(), 0..200)) {
        check(&octets);
        check(&[&[0x30, octets.len() as u8 & 0x7f], &octets[..]].concat());
    }
}

#[test]
fn deep_nesting_ends() {
    let mut octets = vec![];
    for _ in 0..5000 {
        octets.extend([0x30, 0x80]);
    }
    check(&octets);
    let mut nested = vec![5, 0];
    for _ in 0..2000 {
        nested = [&[0x30, 0x84], &(nested.len() as u32).to_be_bytes()[..], &nested].concat();
    }
    check(&nested);
    let version = [&[2, 1, 3], &nested[..]].concat();
    check(&[&[0x30, 0x84], &(version.len() as u32).to_be_bytes()[..], &version].concat());
}

fn lines(octets: &[u8]) -> Vec<String> {
    let line = |f: &Field| format!("{}{} {} {}", " ".repeat(f.depth), f.len, f.name, f.detail);
    annotate(octets).iter().map(line).collect()
}

/// Every field of SNMPv3 by its name, and what is encrypted named so.
#[test]
fn a_message_of_version_3() {
    let parameters = UsmParameters {
        engine_id: b"\x80\x00\x00\x00\x06".to_vec(),
        moment: EngineMoment::new(300, 0).unwrap(),
        user_name: b"ann".to_vec(),
        authentication: vec![0xab; 12],
        privacy: vec![0xcd; 8],
    };
    let pdu = Pdu::read(PduKind::Get, 5, [&Oid::from([1, 3, 6])]);
    let scoped = ScopedPdu { context_engine_id: vec![1], context_name: b"lab".to_vec(), pdu };
    let message = V3Message {
        message_id: 77,
        max_size: 1472,
        flags: MsgFlags::from_octet(5),
        security_model: USM,
        security_parameters: parameters.encode(),
        data: ScopedPduData::Plain(scoped),
    };
    assert_eq!(
        lines(&message.encode()),
        [
            "2 message SEQUENCE, 96 octets",
            " 3 version INTEGER v3(3)",
            " 2 msgGlobalData SEQUENCE, 13 octets",
            "  3 msgID INTEGER 77",
            "  4 msgMaxSize INTEGER 1472",
            "  3 msgFlags OCTET STRING 05 (authNoPriv, reportable)",
            "  3 msgSecurityModel INTEGER USM(3)",
            " 2 msgSecurityParameters OCTET STRING, 45 octets",
            "  2 UsmSecurityParameters SEQUENCE, 43 octets",
            "   7 msgAuthoritativeEngineID OCTET STRING 80 00 00 00 06",
            "   4 msgAuthoritativeEngineBoots INTEGER 300",
            "   3 msgAuthoritativeEngineTime INTEGER 0",
            "   5 msgUserName OCTET STRING \"ann\"",
            "   14 msgAuthenticationParameters OCTET STRING ab ab ab ab ab ab ab ab ab ab ab ab",
            "   10 msgPrivacyParameters OCTET STRING cd cd cd cd cd cd cd cd",
            " 2 scopedPDU SEQUENCE, 29 octets",
            "  3 contextEngineID OCTET STRING 01",
            "  5 contextName OCTET STRING \"lab\"",
            "  2 GetRequest PDU, 19 octets",
            "   3 request-id INTEGER 5",
            "   3 error-status INTEGER noError(0)",
            "   3 error-index INTEGER 0",
            "   2 variable-bindings SEQUENCE OF, 8 octets",
            "    2 VarBind SEQUENCE, 6 octets",
            "     4 name OBJECT IDENTIFIER 1.3.6",
            "     2 value NULL",
        ]
    );
    let flags = MsgFlags::from_octet(2);
    let encrypted = V3Message { flags, data: ScopedPduData::Encrypted(vec![0; 40]), ..message };
    let shown = lines(&encrypted.encode());
    assert_eq!(shown[5], "  3 msgFlags OCTET STRING 02 (privacy without authentication)");
    assert_eq!(shown.last().unwrap(), " 42 encryptedPDU OCTET STRING, 40 octets, encrypted");
}
