//! Faults of WS-Eventing (section 6 of the submission), and how they are written.

use trunkline_xml::Writer;

use super::write::{ANONYMOUS, heading};
use super::{NAMES, PUSH};
use crate::envelope::Version;
use crate::fault::{Code, Fault, FaultKind};

/// Why a request of WS-Eventing was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Notifications shall go another way than [`PUSH`].
    DeliveryModeRequestedUnavailable,
    /// A time in the past, zero, or an invalid time.
    InvalidExpirationTime,
    /// A date, where only durations are understood.
    UnsupportedExpirationType,
    /// A filter in another dialect than [`NAMES`], or of what there is not.
    FilteringRequestedUnavailable,
    /// The source cannot do it, or not now.
    EventSourceUnableToProcess,
    /// The subscription cannot be renewed.
    UnableToRenew,
    /// A violation of the specification, or a subscription that does not exist.
    InvalidMessage,
}

impl Refusal {
    const ALL: [Self; 7] = [
        Refusal::DeliveryModeRequestedUnavailable,
        Refusal::InvalidExpirationTime,
        Refusal::UnsupportedExpirationType,
        Refusal::FilteringRequestedUnavailable,
        Refusal::EventSourceUnableToProcess,
        Refusal::UnableToRenew,
        Refusal::InvalidMessage,
    ];

    /// The name in the namespace of WS-Eventing.
    pub const fn word(self) -> &'static str {
        match self {
            Refusal::DeliveryModeRequestedUnavailable => "DeliveryModeRequestedUnavailable",
            Refusal::InvalidExpirationTime => "InvalidExpirationTime",
            Refusal::UnsupportedExpirationType => "UnsupportedExpirationType",
            Refusal::FilteringRequestedUnavailable => "FilteringRequestedUnavailable",
            Refusal::EventSourceUnableToProcess => "EventSourceUnableToProcess",
            Refusal::UnableToRenew => "UnableToRenew",
            Refusal::InvalidMessage => "InvalidMessage",
        }
    }

    /// As a fault, with a sentence for people.
    pub fn fault(self, reason: impl Into<String>) -> Fault {
        Fault::new(FaultKind::Other(self.word().to_owned()), reason)
    }

    /// The one of a fault; `None` if WS-Eventing does not define it.
    pub fn of(fault: &Fault) -> Option<Self> {
        match &fault.kind {
            FaultKind::Malformed | FaultKind::TooMany => Some(Refusal::InvalidMessage),
            FaultKind::Other(word) => Refusal::ALL.into_iter().find(|refusal| refusal.word() == word),
            _ => None,
        }
    }

    const fn code(self) -> Code {
        match self {
            Refusal::EventSourceUnableToProcess | Refusal::UnableToRenew => Code::Receiver,
            _ => Code::Sender,
        }
    }
}

/// The fault as the answer to the request with this message ID, and the status of HTTP that goes with it.
pub fn write_fault(version: Version, relates_to: Option<&str>, fault: &Fault) -> (u16, Vec<u8>) {
    let refusal = Refusal::of(fault);
    let code = refusal.map_or_else(|| fault.kind.code(), Refusal::code);
    let mut octets = Vec::new();
    // These two concern the envelope and have their own form.
    if matches!(code, Code::VersionMismatch | Code::MustUnderstand) {
        fault.write(version, &mut octets);
        return (fault.status(version), octets);
    }
    let subcode = match refusal {
        Some(refusal) => format!("wse:{}", refusal.word()),
        None if fault.kind == FaultKind::UnknownOperation => "wsa:ActionNotSupported".to_owned(),
        None => format!("t:{}", fault.kind.word()),
    };
    let mut out = super::write::begin(&mut octets, version);
    heading(&mut out, ACTION, ANONYMOUS, None, relates_to);
    out.end("SOAP-ENV:Header").start("SOAP-ENV:Body").start("SOAP-ENV:Fault");
    match version {
        // The code of SOAP 1.1 is what the subcode is of SOAP 1.2.
        Version::V1_1 => {
            out.leaf("faultcode", &subcode);
            out.start("faultstring").attribute("xml:lang", "en").text(&fault.reason).end("faultstring");
            detail(&mut out, "detail", refusal);
        }
        Version::V1_2 => {
            let word = if code == Code::Receiver { "SOAP-ENV:Receiver" } else { "SOAP-ENV:Sender" };
            out.start("SOAP-ENV:Code").leaf("SOAP-ENV:Value", word);
            out.start("SOAP-ENV:Subcode").leaf("SOAP-ENV:Value", &subcode).end("SOAP-ENV:Subcode");
            out.end("SOAP-ENV:Code").start("SOAP-ENV:Reason");
            out.start("SOAP-ENV:Text").attribute("xml:lang", "en").text(&fault.reason);
            out.end("SOAP-ENV:Text").end("SOAP-ENV:Reason");
            detail(&mut out, "SOAP-ENV:Detail", refusal);
        }
    }
    out.end("SOAP-ENV:Fault");
    super::write::end(&mut out);
    let status = if version == Version::V1_2 && code == Code::Sender { 400 } else { 500 };
    (status, octets)
}

/// What would have been understood.
fn detail(out: &mut Writer<'_>, element: &str, refusal: Option<Refusal>) {
    let (name, text) = match refusal {
        Some(Refusal::DeliveryModeRequestedUnavailable) => ("wse:SupportedDeliveryMode", PUSH),
        Some(Refusal::FilteringRequestedUnavailable) => ("wse:SupportedDialect", NAMES),
        _ => return,
    };
    out.start(element).leaf(name, text).end(element);
}

/// `wsa:Action` of every fault.
const ACTION: &str = "http://schemas.xmlsoap.org/ws/2004/08/addressing/fault";
