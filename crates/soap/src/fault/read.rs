//! A fault in a message, as a client receives it.

use trunkline_xml::{Reader, XmlError};

use super::{Fault, FaultKind, Subject};
use crate::envelope::Version;
use crate::namespace;

/// Reads a fault whose start tag has been read, to its end.
pub fn read(reader: &mut Reader<'_>, version: Version) -> Result<Fault, XmlError> {
    let mut fault = Fault::new(FaultKind::Other(String::new()), "");
    let own = version.namespace();
    while let Some(name) = reader.child()? {
        match (name.local, name.namespace) {
            ("faultcode", "") => of_code(&mut fault, &reader.leaf()?),
            ("faultstring", "") => fault.reason = reader.leaf()?.into_owned(),
            ("detail", "") => detail(reader, &mut fault)?,
            ("Code", found) if found == own => code(reader, &mut fault)?,
            ("Reason", found) if found == own => {
                while reader.child()?.is_some() {
                    fault.reason = reader.leaf()?.into_owned();
                }
            }
            ("Detail", found) if found == own => detail(reader, &mut fault)?,
            _ => reader.skip()?,
        }
    }
    Ok(fault)
}

/// In SOAP 1.2 the code and its subcodes: the innermost is the most specific.
fn code(reader: &mut Reader<'_>, fault: &mut Fault) -> Result<(), XmlError> {
    while let Some(name) = reader.child()? {
        match name.local {
            "Value" => of_code(fault, &reader.leaf()?),
            "Subcode" => code(reader, fault)?,
            _ => reader.skip()?,
        }
    }
    Ok(())
}

fn of_code(fault: &mut Fault, code: &str) {
    let local = code.trim().rsplit(':').next().unwrap_or_default();
    fault.kind = match local {
        "VersionMismatch" => FaultKind::VersionMismatch,
        "MustUnderstand" => FaultKind::MustUnderstand { namespace: String::new(), local: String::new() },
        word => FaultKind::of_word(word),
    };
}

fn detail(reader: &mut Reader<'_>, fault: &mut Fault) -> Result<(), XmlError> {
    while let Some(name) = reader.child()? {
        if !name.is(namespace::GENERIC, "problem") {
            reader.skip()?;
            continue;
        }
        let mut subject = Subject::default();
        while let Some(name) = reader.child()? {
            let text = reader.leaf()?.into_owned();
            match name.local {
                "kind" => fault.kind = FaultKind::of_word(&text),
                "name" => subject.name = Some(text),
                "oid" => subject.oid = Some(text),
                "row" => subject.row = Some(text),
                "position" => subject.position = text.trim().parse().ok(),
                "near" => subject.near.push(text),
                _ => {}
            }
        }
        *fault.subject = subject;
    }
    Ok(())
}
