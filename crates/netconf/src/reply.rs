//! An answer, as a client reads it.

use thiserror::Error;
use trunkline_xml::{Event, Reader, XmlError};

use crate::document::{Document, Element, limits};
use crate::error::RpcError;
use crate::schema;
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
    /// Not one of the schema.
    #[error("the server's message is not valid: {0}")]
    Invalid(Box<RpcError>),
    /// A reply without what the operation must be answered by.
    #[error("the reply has {found} where {expected} or errors are expected (RFC 6241 section 4.4)")]
    Lacks {
        /// What must be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
}

/// What the reply to an operation that was done must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// `ok`.
    Ok,
    /// `data`.
    Data,
    /// Either of them, or what the operation returns: which, is not known here.
    Something,
}

impl Returns {
    /// Whether an element of a reply is what must be there.
    fn is(self, namespace: &str, name: &str) -> bool {
        match self {
            Returns::Ok => namespace == BASE && name == "ok",
            // Of its operation's module, as in RFC 6022 section 3.1; some servers take it for one of NETCONF.
            Returns::Data => name == "data",
            Returns::Something => true,
        }
    }

    fn lacks(self, found: Option<&str>) -> ReplyError {
        let expected = match self {
            Returns::Ok => "<ok/>",
            Returns::Data => "<data>",
            Returns::Something => "<ok/>, <data> or output",
        };
        let found = found.map_or_else(|| "nothing".to_owned(), |name| format!("<{name}>"));
        ReplyError::Lacks { expected, found }
    }

    /// Checks the begin of a whole reply that has no errors: data of any length is not read for it.
    ///
    /// # Errors
    /// [`ReplyError::Lacks`]; it is not a reply.
    pub fn check(self, message: &[u8], most: usize) -> Result<(), ReplyError> {
        let mut reader = Reader::new(message.trim_ascii_start(), limits(most));
        let mut first: Option<String> = None;
        loop {
            match reader.next()? {
                Event::Start(name) => {
                    let (is_reply, is_it) = (name.is(BASE, "rpc-reply"), self.is(name.namespace, name.local));
                    let (found, namespace) = (name.local.to_owned(), name.namespace.to_owned());
                    match reader.depth() {
                        1 if is_reply => {}
                        1 => return Err(ReplyError::Other { found, namespace }),
                        2 if is_it => return Ok(()),
                        // Some servers have more beside it.
                        2 => first = first.or(Some(found)),
                        _ => {}
                    }
                }
                Event::Text(_) | Event::End(_) => {}
                Event::Eof => return Err(self.lacks(first.as_deref())),
            }
        }
    }
}

/// Whether the data of a reply is empty: as much of it is read as that takes.
///
/// # Errors
/// It is not well-formed.
pub fn is_empty(message: &[u8], most: usize) -> Result<bool, ReplyError> {
    let mut reader = Reader::new(message.trim_ascii_start(), limits(most));
    // Within a warning beside the data.
    let mut skipped_from = None;
    loop {
        match reader.next()? {
            Event::Start(name) => {
                let depth = reader.depth();
                if depth == 2 && name.is(BASE, "rpc-error") {
                    skipped_from = Some(depth);
                } else if depth > 2 && skipped_from.is_none() {
                    return Ok(false);
                }
            }
            Event::Text(text) => {
                // Of `get-schema`.
                if reader.depth() == 2 && skipped_from.is_none() && !text.trim().is_empty() {
                    return Ok(false);
                }
            }
            Event::End(_) if skipped_from.is_some_and(|from| reader.depth() < from) => skipped_from = None,
            Event::End(_) => {}
            Event::Eof => return Ok(true),
        }
    }
}

/// Whether a message may have an `rpc-error`: then it has to be read as a whole.
#[must_use]
pub fn may_have_errors(message: &[u8]) -> bool {
    // Hyphens are rarer than letters: data may be long.
    let mut rest = message;
    while let Some(at) = rest.iter().position(|it| *it == b'-') {
        let (before, behind) = (&rest[..at], &rest[at + 1..]);
        if before.ends_with(b"rpc") && behind.starts_with(b"error") {
            return true;
        }
        rest = behind;
    }
    false
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

impl FromServer {
    /// Checks it against the schema of the protocol.
    ///
    /// # Errors
    /// [`ReplyError::Invalid`].
    pub fn valid(self) -> Result<FromServer, ReplyError> {
        let (FromServer::Reply(Reply { document }) | FromServer::Notification(document)) = &self;
        match schema::check(document.root()) {
            Ok(()) => Ok(self),
            Err(error) => Err(ReplyError::Invalid(Box::new(error))),
        }
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

    /// Checks that it has what its operation must be answered by. Warnings alone stand for `ok` (RFC 6241 section 4.4).
    ///
    /// # Errors
    /// [`ReplyError::Lacks`].
    pub fn holds(&self, returns: Returns) -> Result<(), ReplyError> {
        let mut content = self.content();
        let first = content.next();
        let is_it = first.into_iter().chain(content).any(|it| returns.is(it.namespace(), it.name()));
        let is_warned = first.is_none() && returns != Returns::Data && self.errors().next().is_some();
        if is_it || is_warned { Ok(()) } else { Err(returns.lacks(first.map(Element::name))) }
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
    fn a_message_may_have_to_be_one_of_the_schema() {
        let valid = |text: &str| read(text).and_then(FromServer::valid);
        let reply = |inner: &str| format!("<rpc-reply xmlns='{BASE}' message-id='7'>{inner}</rpc-reply>");
        assert!(valid(&reply("<ok/>")).is_ok());
        let event = format!("<notification xmlns='{NOTIFICATION}'><eventTime/></notification>");
        for text in [reply("<ok/><data/>"), event] {
            let refused = valid(&text).unwrap_err();
            assert!(refused.to_string().starts_with("the server's message is not valid: "), "{refused}");
        }
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
            assert!(may_have_errors(text.as_bytes()) && !may_have_errors(b"<a-b>rpc-erro</a-b>-error"));
            let Ok(FromServer::Reply(reply)) = read(&text) else { panic!("no reply") };
            assert_eq!(reply.is_done(), done);
            assert_eq!(reply.errors().map(|it| it.tag).collect::<Vec<_>>(), [Tag::TooBig]);
            assert_eq!(reply.content().count(), 1);
        }
    }

    #[test]
    fn data_without_anything_is_empty() {
        let of = |inner: &str| {
            is_empty(format!("<rpc-reply xmlns='{BASE}'>{inner}</rpc-reply>").as_bytes(), 10_000)
        };
        let warning = "<rpc-error><error-message>no</error-message></rpc-error>";
        for (inner, expected) in [
            ("<data/>", true),
            (" <data> </data>\n", true),
            (&format!("{warning}<data/>"), true),
            ("<data><a/></data>", false),
            (&format!("{warning}<data><a/></data>"), false),
            ("<data>text</data>", false),
        ] {
            assert_eq!(of(inner), Ok(expected), "{inner}");
        }
        assert!(of("<data>").is_err());
    }

    #[test]
    fn a_reply_must_have_what_its_operation_is_answered_by() {
        use Returns::{Data, Ok as Done, Something};
        let warning = "<rpc-error><error-severity>warning</error-severity></rpc-error>";
        for (inner, returns, missing) in [
            ("<ok/>", Done, None),
            (" <ok/>", Something, None),
            ("<data><a/></data>", Data, None),
            ("<data xmlns='urn:module'>text</data>", Data, None),
            ("<id xmlns='urn:module'>1</id>", Something, None),
            ("", Done, Some("nothing where <ok/>")),
            ("\n", Data, Some("nothing where <data>")),
            ("", Something, Some("nothing where <ok/>, <data> or output")),
            ("<ok xmlns='urn:module'/>", Done, Some("<ok> where <ok/>")),
            ("<data/>", Done, Some("<data> where <ok/>")),
            ("<ok/>", Data, Some("<ok> where <data>")),
            ("<results xmlns='urn:module'><ok/></results><ok/>", Done, None),
            ("<results xmlns='urn:module'><data/></results>", Data, Some("<results> where <data>")),
            (warning, Done, None),
            (warning, Something, None),
            (warning, Data, Some("nothing where <data>")),
            (&format!("{warning}<data/>"), Data, None),
        ] {
            let text = format!("<rpc-reply xmlns='{BASE}' message-id='1'>{inner}</rpc-reply>");
            let Ok(FromServer::Reply(reply)) = read(&text) else { panic!("no reply") };
            let mut found = vec![reply.holds(returns)];
            if !may_have_errors(text.as_bytes()) {
                found.push(returns.check(text.as_bytes(), 1000));
            }
            for found in found {
                let words = found.err().map(|it| it.to_string());
                let is_it = match (&words, missing) {
                    (Some(words), Some(missing)) => words.contains(missing),
                    (found, missing) => found.is_none() && missing.is_none(),
                };
                assert!(is_it, "{text}: {words:?}");
            }
        }
        assert!(matches!(Done.check(b"<odd/>", 100), Err(ReplyError::Other { .. })));
        assert!(matches!(Done.check(b"<odd", 100), Err(ReplyError::Xml(_))));
    }
}
