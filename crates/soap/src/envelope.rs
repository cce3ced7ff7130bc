//! The envelope of SOAP 1.1 and 1.2, read and written.

use trunkline_xml::{Name, Reader, XmlError};

use crate::fault::{Fault, FaultKind};
use crate::namespace;

/// The version of SOAP, from the envelope's namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// SOAP 1.1 (W3C Note of 8 May 2000).
    V1_1,
    /// SOAP 1.2 (W3C Recommendation).
    V1_2,
}

impl Version {
    /// The envelope's namespace.
    pub const fn namespace(self) -> &'static str {
        match self {
            Version::V1_1 => namespace::SOAP_1_1,
            Version::V1_2 => namespace::SOAP_1_2,
        }
    }

    /// The content type of its messages over HTTP.
    pub const fn content_type(self) -> &'static str {
        match self {
            Version::V1_1 => "text/xml; charset=utf-8",
            Version::V1_2 => "application/soap+xml; charset=utf-8",
        }
    }

    /// The version whose messages have this media type (RFC 3902 for 1.2). `None` for a charset other than UTF-8;
    /// other parameters are ignored.
    pub fn of_media_type(media_type: &str) -> Option<Self> {
        let charset = parameter(media_type, "charset").unwrap_or("utf-8");
        if !["utf-8", "us-ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known)) {
            return None;
        }
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("text/xml") {
            Some(Version::V1_1)
        } else if essence.eq_ignore_ascii_case("application/soap+xml") {
            Some(Version::V1_2)
        } else {
            None
        }
    }

    fn of_namespace(found: &str) -> Option<Self> {
        [Version::V1_1, Version::V1_2].into_iter().find(|version| version.namespace() == found)
    }
}

/// Reads the beginning of a message up to the first element within the body, whose name is returned; header
/// blocks are skipped unless they must be understood. `None`: the body is empty.
///
/// # Errors
///
/// The answer to an invalid envelope: the version to write it in, if that is known, and the fault.
pub fn open<'i>(reader: &mut Reader<'i>) -> Result<(Version, Option<Name<'i>>), (Option<Version>, Fault)> {
    let name = match reader.child() {
        Ok(Some(name)) => name,
        Ok(None) => return Err((None, Fault::new(FaultKind::Malformed, "there is no Envelope"))),
        Err(error) => return Err((None, error.into())),
    };
    if name.local != "Envelope" {
        let reason = format!("the root element is {}, expected Envelope", shown(name));
        return Err((None, Fault::new(FaultKind::Malformed, reason)));
    }
    let Some(version) = Version::of_namespace(name.namespace) else {
        // SOAP 1.1 section 4.1.2, SOAP 1.2 part 1 section 5.4.7
        let reason = format!(
            "the Envelope is in the namespace {:?}; {} (SOAP 1.1) and {} (SOAP 1.2) are understood",
            excerpt(name.namespace),
            namespace::SOAP_1_1,
            namespace::SOAP_1_2
        );
        return Err((None, Fault::new(FaultKind::VersionMismatch, reason)));
    };
    body(reader, version).map(|first| (version, first)).map_err(|fault| (Some(version), fault))
}

/// A parameter of a media type, without its quotes.
pub fn parameter<'a>(media_type: &'a str, wanted: &str) -> Option<&'a str> {
    media_type.split(';').skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case(wanted).then(|| value.trim().trim_matches('"'))
    })
}

/// Reads the ends of the body and of the envelope, after the one element within the body.
pub fn close(reader: &mut Reader<'_>) -> Result<(), Fault> {
    if let Some(second) = reader.child()? {
        let reason = format!("{} follows the operation: a request has one operation", shown(second));
        return Err(Fault::new(FaultKind::Malformed, reason));
    }
    if let Some(second) = reader.child()? {
        let reason = format!("{} follows the Body: nothing is allowed there", shown(second));
        return Err(Fault::new(FaultKind::Malformed, reason));
    }
    Ok(reader.finish()?)
}

fn body<'i>(reader: &mut Reader<'i>, version: Version) -> Result<Option<Name<'i>>, Fault> {
    let own = version.namespace();
    let mut part = reader.child()?;
    if part.is_some_and(|name| name.is(own, "Header")) {
        headers(reader, version)?;
        part = reader.child()?;
    }
    match part {
        Some(name) if name.is(own, "Body") => Ok(reader.child()?),
        Some(name) => {
            let reason = format!("the Envelope contains {}, expected its Body", shown(name));
            Err(Fault::new(FaultKind::Malformed, reason))
        }
        None => Err(Fault::new(FaultKind::Malformed, "the Envelope has no Body")),
    }
}

/// SOAP 1.1 section 4.2.3, SOAP 1.2 part 1 section 2.4: no block is understood here; those that need not be are
/// skipped.
fn headers(reader: &mut Reader<'_>, version: Version) -> Result<(), Fault> {
    let mut not_understood: Option<(String, String)> = None;
    while let Some(name) = reader.child()? {
        if must_understand(reader, version)? && not_understood.is_none() {
            not_understood = Some((name.namespace.to_owned(), name.local.to_owned()));
        }
        reader.skip()?;
    }
    match not_understood {
        None => Ok(()),
        Some((namespace, local)) => {
            let reason = format!(
                "the header block {{{}}}{} is not understood here",
                excerpt(&namespace),
                excerpt(&local)
            );
            Err(Fault::new(FaultKind::MustUnderstand { namespace, local }, reason))
        }
    }
}

fn must_understand(reader: &Reader<'_>, version: Version) -> Result<bool, XmlError> {
    let own = version.namespace();
    let (target, for_us): (_, &[&str]) = match version {
        Version::V1_1 => ("actor", &["", namespace::ACTOR_NEXT]),
        Version::V1_2 => ("role", &["", namespace::ROLE_NEXT, namespace::ROLE_ULTIMATE]),
    };
    let is_ours = reader.attribute(own, target).is_none_or(|target| for_us.contains(&&*target));
    let flag = reader.attribute(own, "mustUnderstand");
    Ok(is_ours && flag.is_some_and(|flag| matches!(flag.trim(), "1" | "true")))
}

/// Appends the beginning of a message, up to within the body. `declarations` are further `xmlns` attributes of the
/// envelope, each with a blank before it.
pub fn begin(into: &mut Vec<u8>, version: Version, declarations: &str) {
    into.extend_from_slice(DECLARATION);
    into.extend_from_slice(b"<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"");
    into.extend_from_slice(version.namespace().as_bytes());
    into.push(b'"');
    into.extend_from_slice(declarations.as_bytes());
    into.extend_from_slice(b"><SOAP-ENV:Body>");
}

/// Appends the end of a message.
pub fn end(into: &mut Vec<u8>) {
    into.extend_from_slice(b"</SOAP-ENV:Body></SOAP-ENV:Envelope>");
}

/// The first line of every message.
pub(crate) const DECLARATION: &[u8] = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// A name as written in a fault.
pub(crate) fn shown(name: Name<'_>) -> String {
    if name.namespace.is_empty() {
        excerpt(name.local)
    } else {
        format!("{{{}}}{}", excerpt(name.namespace), excerpt(name.local))
    }
}

/// The beginning of a stranger's input.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 120;
    let mut letters = text.chars();
    let mut beginning: String = letters.by_ref().take(LONGEST).collect();
    if letters.next().is_some() {
        beginning.push('…');
    }
    beginning
}
