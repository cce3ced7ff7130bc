//! An answer, as a client reads it.

use thiserror::Error;
use trunkline_xml::{Event, Reader, XmlError};

use crate::document::{Document, Element, limits};
use crate::error::RpcError;
use crate::{BASE, NOTIFICATION};

/// A message of a server after its hello.
#[derive(Debug)]
pub enum FromServer {
    /// The answer to a request.
    Reply(Reply),
    /// A notification (RFC 5277 section 4).
    Notification(Document),
}

/// The answer to a request.
#[derive(Debug)]
pub struct Reply {
    document: Document,
}

/// Why a message of a server cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplyError {
    /// Not well-formed.
    #[error("the server's message is not well-formed: {0}")]
    Xml(#[from] XmlError),
    /// Another message.
    #[error("expected a reply or a notification, found {found} of the namespace \"{namespace}\"")]
    Other {
        /// The element.
        found: String,
        /// Its namespace.
        namespace: String,
    },
}

impl FromServer {
    /// Reads a message of at most this many octets.
    ///
    /// # Errors
    /// It is neither.
    pub fn read(octets: &[u8], most: usize) -> Result<FromServer, ReplyError> {
        let document = Document::read(octets, limits(most))?;
        let root = document.root();
        if root.is(BASE, "rpc-reply") {
            return Ok(FromServer::Reply(Reply { document }));
        }
        if root.is(NOTIFICATION, "notification") {
            return Ok(FromServer::Notification(document));
        }
        Err(ReplyError::Other { found: root.name().into(), namespace: root.namespace().into() })
    }
}

/// Which request a message of a server answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answers {
    /// The one with this number.
    Request(String),
    /// One that the server could not read.
    Unread,
    /// None: it is a notification.
    Nothing,
}

impl Answers {
    /// Reads it from the begin of a message, whatever follows.
    ///
    /// # Errors
    /// The message is neither a reply nor a notification.
    pub fn of(message: &[u8], most: usize) -> Result<Answers, ReplyError> {
        let mut reader = Reader::new(message.trim_ascii_start(), limits(most));
        match reader.next()? {
            Event::Start(name) if name.namespace == BASE && name.local == "rpc-reply" => {
                let number = reader.attribute("", "message-id");
                Ok(number.map_or(Answers::Unread, |number| Answers::Request(number.into_owned())))
            }
            Event::Start(name) if name.namespace == NOTIFICATION && name.local == "notification" => {
                Ok(Answers::Nothing)
            }
            Event::Start(name) => {
                Err(ReplyError::Other { found: name.local.into(), namespace: name.namespace.into() })
            }
            _ => Err(ReplyError::Other { found: String::new(), namespace: String::new() }),
        }
    }
}

impl Reply {
    /// The request's number; a reply to what the server could not read has none.
    #[must_use]
    pub fn message_id(&self) -> Option<&str> {
        self.document.root().attribute("", "message-id")
    }

    /// What the server reports: none for `ok` and for data, unless they come with warnings.
    pub fn errors(&self) -> impl Iterator<Item = RpcError> {
        self.document.root().children().filter(|it| it.is(BASE, "rpc-error")).map(RpcError::read)
    }

    /// Whether the operation was done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.errors().all(|error| error.is_warning)
    }

    /// What it holds beside errors: `ok`, `data`, or what the operation returns.
    pub fn content(&self) -> impl Iterator<Item = Element<'_>> {
        self.document.root().children().filter(|it| !it.is(BASE, "rpc-error"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Tag;

    fn read(text: &str) -> Result<FromServer, ReplyError> {
        FromServer::read(text.as_bytes(), 10_000)
    }

    #[test]
    fn replies_are_not_notifications() {
        let text =
            format!("<rpc-reply xmlns='{BASE}' message-id='7'><data><a xmlns='u'>1</a></data></rpc-reply>");
        let Ok(FromServer::Reply(reply)) = read(&text) else { panic!("no reply") };
        assert!(reply.message_id() == Some("7") && reply.is_done());
        let data = reply.content().next().unwrap();
        assert_eq!(data.child("u", "a").map(Element::value), Some("1"));
        let event = format!("<notification xmlns='{NOTIFICATION}'><eventTime/></notification>");
        assert!(matches!(read(&event), Ok(FromServer::Notification(_))));
        assert!(matches!(read("<odd/>"), Err(ReplyError::Other { .. })));
        assert!(matches!(read("<odd"), Err(ReplyError::Xml(_))));
    }

    #[test]
    fn a_message_says_at_its_begin_what_it_answers() {
        let of = |text: &str| Answers::of(text.as_bytes(), 1000);
        let reply = |attributes: &str| format!("<n:rpc-reply xmlns:n='{BASE}' {attributes}><unfinished");
        assert_eq!(of(&reply("message-id='a&amp;1'")), Ok(Answers::Request("a&1".into())));
        assert_eq!(of(&reply("")), Ok(Answers::Unread));
        assert_eq!(of(&format!("<notification xmlns='{NOTIFICATION}'>")), Ok(Answers::Nothing));
        assert!(matches!(of("<rpc-reply/>"), Err(ReplyError::Other { .. })));
        assert!(matches!(of("rpc"), Err(ReplyError::Xml(_))));
    }

    #[test]
    fn a_warning_is_not_a_failure() {
        let error = |severity: &str| {
            format!(
                "<rpc-error><error-type>rpc</error-type><error-tag>too-big</error-tag><error-severity>{severity}</error-severity></rpc-error>"
            )
        };
        for (severity, done) in [("warning", true), ("error", false)] {
            let text = format!("<rpc-reply xmlns='{BASE}'>{}<ok/></rpc-reply>", error(severity));
            let Ok(FromServer::Reply(reply)) = read(&text) else { panic!("no reply") };
            assert_eq!(reply.is_done(), done);
            assert_eq!(reply.errors().map(|it| it.tag).collect::<Vec<_>>(), [Tag::TooBig]);
            assert_eq!(reply.content().count(), 1);
        }
    }
}
