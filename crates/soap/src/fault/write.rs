//! A fault into a message.

use super::{Code, Fault, FaultKind, Subject};
use crate::encoding::escape;
use crate::envelope::{self, Version};
use crate::namespace;

impl Fault {
    /// Its HTTP status: 500 in SOAP 1.1 (section 6.2); in 1.2 400 if the sender is at fault (part 2, table 20).
    pub fn status(&self, version: Version) -> u16 {
        match (version, self.kind.code()) {
            (Version::V1_2, Code::Sender) => 400,
            _ => 500,
        }
    }

    /// Appends the message with the fault.
    pub fn write(&self, version: Version, into: &mut Vec<u8>) {
        match version {
            Version::V1_1 => self.write_1_1(into),
            Version::V1_2 => self.write_1_2(into),
        }
    }

    /// SOAP 1.1 section 4.4.
    fn write_1_1(&self, into: &mut Vec<u8>) {
        envelope::begin(into, Version::V1_1, "");
        let code = match self.kind.code() {
            Code::VersionMismatch => "VersionMismatch",
            Code::MustUnderstand => "MustUnderstand",
            Code::Sender => "Client",
            Code::Receiver => "Server",
        };
        into.extend_from_slice(b"<SOAP-ENV:Fault>");
        into.extend_from_slice(format!("<faultcode>SOAP-ENV:{code}</faultcode><faultstring>").as_bytes());
        escape(into, &self.reason);
        into.extend_from_slice(b"</faultstring>");
        // Only faults that concern the body may have a detail.
        if matches!(self.kind.code(), Code::Sender | Code::Receiver) {
            into.extend_from_slice(b"<detail>");
            self.write_problem(into);
            into.extend_from_slice(b"</detail>");
        }
        into.extend_from_slice(b"</SOAP-ENV:Fault>");
        envelope::end(into);
    }

    /// SOAP 1.2 part 1 section 5.4.
    fn write_1_2(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(envelope::DECLARATION);
        into.extend_from_slice(b"<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"");
        into.extend_from_slice(namespace::SOAP_1_2.as_bytes());
        into.extend_from_slice(b"\">");
        self.write_header(into);
        let code = match self.kind.code() {
            Code::VersionMismatch => "VersionMismatch",
            Code::MustUnderstand => "MustUnderstand",
            Code::Sender => "Sender",
            Code::Receiver => "Receiver",
        };
        // Declared within the fault: Apache CXF resolves the subcode without the envelope.
        into.extend_from_slice(b"<SOAP-ENV:Body><SOAP-ENV:Fault xmlns:t=\"");
        into.extend_from_slice(namespace::GENERIC.as_bytes());
        into.extend_from_slice(b"\"><SOAP-ENV:Code>");
        into.extend_from_slice(format!("<SOAP-ENV:Value>SOAP-ENV:{code}</SOAP-ENV:Value>").as_bytes());
        let has_detail = matches!(self.kind.code(), Code::Sender | Code::Receiver);
        if has_detail {
            into.extend_from_slice(b"<SOAP-ENV:Subcode><SOAP-ENV:Value>t:");
            escape(into, self.kind.word());
            into.extend_from_slice(b"</SOAP-ENV:Value></SOAP-ENV:Subcode>");
        }
        into.extend_from_slice(b"</SOAP-ENV:Code><SOAP-ENV:Reason><SOAP-ENV:Text xml:lang=\"en\">");
        escape(into, &self.reason);
        into.extend_from_slice(b"</SOAP-ENV:Text></SOAP-ENV:Reason>");
        if has_detail {
            into.extend_from_slice(b"<SOAP-ENV:Detail>");
            self.write_problem(into);
            into.extend_from_slice(b"</SOAP-ENV:Detail>");
        }
        into.extend_from_slice(b"</SOAP-ENV:Fault>");
        envelope::end(into);
    }

    /// SOAP 1.2 part 1 sections 5.4.7 and 5.4.8.
    fn write_header(&self, into: &mut Vec<u8>) {
        match &self.kind {
            FaultKind::VersionMismatch => {
                into.extend_from_slice(b"<SOAP-ENV:Header><SOAP-ENV:Upgrade>");
                into.extend_from_slice(b"<SOAP-ENV:SupportedEnvelope qname=\"SOAP-ENV:Envelope\"/>");
                let older = format!(
                    "<SOAP-ENV:SupportedEnvelope qname=\"n:Envelope\" xmlns:n=\"{}\"/>",
                    namespace::SOAP_1_1
                );
                into.extend_from_slice(older.as_bytes());
                into.extend_from_slice(b"</SOAP-ENV:Upgrade></SOAP-ENV:Header>");
            }
            FaultKind::MustUnderstand { namespace, local } => {
                let mut writer = trunkline_xml::Writer::new(into);
                writer.start("SOAP-ENV:Header").start("SOAP-ENV:NotUnderstood");
                writer.attribute("qname", &format!("n:{local}")).attribute("xmlns:n", namespace);
                writer.end("SOAP-ENV:NotUnderstood").end("SOAP-ENV:Header");
            }
            _ => {}
        }
    }

    fn write_problem(&self, into: &mut Vec<u8>) {
        let Subject { name, oid, row, position, near } = &*self.subject;
        into.extend_from_slice(format!("<problem xmlns=\"{}\">", namespace::GENERIC).as_bytes());
        leaf(into, "kind", self.kind.word());
        for (element, text) in [("name", name), ("oid", oid), ("row", row)] {
            if let Some(text) = text {
                leaf(into, element, text);
            }
        }
        if let Some(position) = position {
            leaf(into, "position", &position.to_string());
        }
        near.iter().for_each(|near| leaf(into, "near", near));
        into.extend_from_slice(b"</problem>");
    }
}

fn leaf(into: &mut Vec<u8>, name: &str, text: &str) {
    into.extend_from_slice(format!("<{name}>").as_bytes());
    escape(into, text);
    into.extend_from_slice(format!("</{name}>").as_bytes());
}
