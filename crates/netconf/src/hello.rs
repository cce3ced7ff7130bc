//! The first message of each end (RFC 6241 section 8.1).

use thiserror::Error;
use trunkline_xml::{Writer, XmlError};

use crate::BASE;
use crate::document::{Document, Element, limits};
use crate::error::RpcError;
use crate::framing::Framing;
use crate::schema;

/// `:base:1.0`.
pub const BASE_1_0: &str = "urn:ietf:params:netconf:base:1.0";
/// `:base:1.1`.
pub const BASE_1_1: &str = "urn:ietf:params:netconf:base:1.1";

/// What an end can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hello {
    /// URIs, as they were sent.
    pub capabilities: Vec<String>,
    /// The session's number, which only the server sends.
    pub session_id: Option<u32>,
}

/// Why a session cannot begin. It ends without an answer (RFC 6241 section 8.1).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HelloError {
    /// Not well-formed.
    #[error("the hello is not well-formed: {0}")]
    Xml(#[from] XmlError),
    /// Another message.
    #[error("expected a hello, found {found} of the namespace \"{namespace}\"")]
    NotHello {
        /// The element.
        found: String,
        /// Its namespace.
        namespace: String,
    },
    /// An element that a hello does not have.
    #[error("a hello cannot contain {found}")]
    Unknown {
        /// The element.
        found: String,
    },
    /// A session's number that is none.
    #[error("the session-id must be a number from 1 to 4294967295, found \"{found}\"")]
    SessionId {
        /// What was sent.
        found: String,
    },
    /// A client must not number sessions.
    #[error("the hello of a client has a session-id")]
    SessionIdOfClient,
    /// A server must.
    #[error("the hello of a server has no session-id")]
    NoSessionId,
    /// Not one of the schema.
    #[error("the hello is not valid: {0}")]
    Invalid(Box<RpcError>),
    /// No list of capabilities.
    #[error("the hello has no capabilities")]
    NoCapabilities,
    /// Neither version is known to both.
    #[error("both ends must support {BASE_1_0} or {BASE_1_1}; the peer's hello has neither that we have")]
    NoCommonBase,
}

impl Hello {
    /// Reads a hello.
    ///
    /// # Errors
    /// It is none.
    pub fn read(octets: &[u8]) -> Result<Hello, HelloError> {
        Hello::of(&Document::read(octets, limits(MOST))?)
    }

    /// Reads a hello that is also one of the schema.
    ///
    /// # Errors
    /// It is none.
    pub fn read_valid(octets: &[u8]) -> Result<Hello, HelloError> {
        let document = Document::read(octets, limits(MOST))?;
        let hello = Hello::of(&document)?;
        schema::check(document.root()).map_err(|error| HelloError::Invalid(Box::new(error)))?;
        Ok(hello)
    }

    fn of(document: &Document) -> Result<Hello, HelloError> {
        let root = document.root();
        if !root.is(BASE, "hello") {
            let (found, namespace) = (root.name().into(), root.namespace().into());
            return Err(HelloError::NotHello { found, namespace });
        }
        let mut hello = Hello::default();
        let mut listed = false;
        for child in root.children() {
            match (child.namespace(), child.name()) {
                (BASE, "capabilities") if !listed => {
                    listed = true;
                    hello.capabilities = child.children().map(|it| it.value().to_owned()).collect();
                }
                (BASE, "session-id") if hello.session_id.is_none() => {
                    hello.session_id = Some(session_id(child)?);
                }
                // Others may extend it (RFC 6241 section 8.1 does not say so, but YANG's extensions of RFC 6241's schema do).
                (BASE, found) => return Err(HelloError::Unknown { found: found.into() }),
                _ => {}
            }
        }
        if !listed {
            return Err(HelloError::NoCapabilities);
        }
        Ok(hello)
    }

    /// Writes it.
    pub fn write(&self, output: &mut Vec<u8>) {
        let mut writer = Writer::new(output);
        writer.declaration().start("hello").attribute("xmlns", BASE).start("capabilities");
        for capability in &self.capabilities {
            writer.leaf("capability", capability);
        }
        writer.end("capabilities");
        if let Some(id) = self.session_id {
            writer.leaf("session-id", &id.to_string());
        }
        writer.end("hello");
    }

    /// Whether this capability is among them, whatever its parameters.
    #[must_use]
    pub fn has(&self, capability: &str) -> bool {
        self.parameters(capability).is_some()
    }

    /// The parameters of a capability that is announced: what is behind the `?` of its URI.
    #[must_use]
    pub fn parameters(&self, capability: &str) -> Option<&str> {
        let all = self.capabilities.iter().map(|it| it.split_once('?').unwrap_or((it, "")));
        all.filter(|(name, _)| *name == capability).map(|(_, parameters)| parameters).next()
    }

    /// The framing after both hellos, at the server.
    ///
    /// # Errors
    /// The client's hello is not one of a client, or there is no common version.
    pub fn with_client(&self, client: &Hello) -> Result<Framing, HelloError> {
        match client.session_id {
            Some(_) => Err(HelloError::SessionIdOfClient),
            None => self.framing(client),
        }
    }

    /// The framing after both hellos, at the client, and the session's number.
    ///
    /// # Errors
    /// The server's hello is not one of a server, or there is no common version.
    pub fn with_server(&self, server: &Hello) -> Result<(Framing, u32), HelloError> {
        let id = server.session_id.ok_or(HelloError::NoSessionId)?;
        Ok((self.framing(server)?, id))
    }

    fn framing(&self, other: &Hello) -> Result<Framing, HelloError> {
        let both = |version| self.has(version) && other.has(version);
        match (both(BASE_1_1), both(BASE_1_0)) {
            (true, _) => Ok(Framing::Chunked),
            (false, true) => Ok(Framing::EndOfMessage),
            (false, false) => Err(HelloError::NoCommonBase),
        }
    }
}

fn session_id(element: Element<'_>) -> Result<u32, HelloError> {
    let found = element.value();
    let id = found.parse().ok().filter(|id| *id > 0);
    id.ok_or_else(|| HelloError::SessionId { found: found.chars().take(20).collect() })
}

/// Octets of a hello: some thousand modules.
pub const MOST: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(capabilities: &[&str], session_id: Option<u32>) -> Hello {
        Hello { capabilities: capabilities.iter().map(|&it| it.to_owned()).collect(), session_id }
    }

    #[test]
    fn a_hello_is_read_as_written() {
        let sent = hello(&[BASE_1_0, "urn:example:a?module=a&revision=2020-01-01"], Some(4));
        let mut text = vec![];
        sent.write(&mut text);
        assert_eq!(Hello::read(&text), Ok(sent.clone()));
        assert!(sent.has("urn:example:a") && !sent.has("urn:example"));
    }

    #[test]
    fn capabilities_may_be_surrounded_by_white_space() {
        let text = format!(
            "<nc:hello xmlns:nc='{BASE}'><nc:capabilities>\n <nc:capability>\n{BASE_1_0}\n</nc:capability></nc:capabilities></nc:hello>"
        );
        assert_eq!(Hello::read(text.as_bytes()), Ok(hello(&[BASE_1_0], None)));
    }

    #[test]
    fn the_newest_common_version_decides() {
        let [old, new, both] =
            [&[BASE_1_0][..], &[BASE_1_1], &[BASE_1_0, BASE_1_1]].map(|versions| hello(versions, None));
        assert_eq!(both.with_client(&both), Ok(Framing::Chunked));
        assert_eq!(both.with_client(&old), Ok(Framing::EndOfMessage));
        assert_eq!(new.with_client(&old), Err(HelloError::NoCommonBase));
        let server = Hello { session_id: Some(9), ..new.clone() };
        assert_eq!(both.with_server(&server), Ok((Framing::Chunked, 9)));
        assert_eq!(both.with_server(&new), Err(HelloError::NoSessionId));
        assert_eq!(both.with_client(&server), Err(HelloError::SessionIdOfClient));
    }

    #[test]
    fn a_hello_may_have_to_be_one_of_the_schema() {
        let with = |more: &str| {
            format!(
                "<hello xmlns='{BASE}'><capabilities><capability>{BASE_1_0}</capability></capabilities>{more}</hello>"
            )
        };
        let (good, more) = (with("<session-id>1</session-id>"), with("<more xmlns='urn:more'/>"));
        assert_eq!(Hello::read_valid(good.as_bytes()), Hello::read(good.as_bytes()));
        assert!(Hello::read(more.as_bytes()).is_ok());
        let refused = Hello::read_valid(more.as_bytes()).unwrap_err();
        assert!(refused.to_string().starts_with("the hello is not valid: unknown-element"), "{refused}");
    }

    #[test]
    fn another_message_than_a_hello_is_refused() {
        let read = |text: &str| Hello::read(text.as_bytes()).unwrap_err();
        assert!(matches!(read("<hello"), HelloError::Xml(_)));
        assert!(matches!(read("<hello/>"), HelloError::NotHello { .. }));
        let within = |inner: &str| read(&format!("<hello xmlns='{BASE}'>{inner}</hello>"));
        assert_eq!(within(""), HelloError::NoCapabilities);
        assert_eq!(within("<capabilities/><odd/>"), HelloError::Unknown { found: "odd".into() });
        for found in ["0", "-1", "x", "4294967296"] {
            let expected = HelloError::SessionId { found: found.into() };
            assert_eq!(within(&format!("<capabilities/><session-id>{found}</session-id>")), expected);
        }
    }
}
