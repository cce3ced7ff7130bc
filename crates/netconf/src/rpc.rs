//! A request, and the reply that echoes it (RFC 6241 section 4).

use trunkline_xml::{Writer, XmlError};

use crate::document::{Document, Element, limits};
use crate::error::{Info, Layer, RpcError, Tag};
use crate::schema;
use crate::{BASE, RBAC};

/// A request: its operation, and what its reply repeats.
#[derive(Debug)]
pub struct Rpc {
    document: Document,
}

/// Why a message is not a request that can be carried out.
#[derive(Debug)]
pub enum NotRpc {
    /// Not XML: `malformed-message` in `:base:1.1`, where the reply has no `message-id`; in `:base:1.0` the session ends (RFC 6241
    /// appendix A).
    Malformed(XmlError),
    /// An `rpc` in another namespace than NETCONF's.
    Namespace {
        /// Its reply.
        reply: Vec<u8>,
    },
    /// Another message than `rpc`.
    Other {
        /// The element.
        found: String,
    },
    /// An `rpc` with something wrong; the reply has what can be repeated.
    Refused(Box<(Rpc, RpcError)>),
}

impl NotRpc {
    /// Its reply.
    #[must_use]
    pub fn reply(self) -> Vec<u8> {
        let mut octets = Vec::new();
        match self {
            NotRpc::Malformed(error) => malformed(&error, &mut octets),
            NotRpc::Namespace { reply } => octets = reply,
            NotRpc::Other { found } => {
                let words = format!("expected an rpc, found {found}");
                without_rpc(&RpcError::new(Layer::Rpc, Tag::MalformedMessage, words), None, &mut octets);
            }
            NotRpc::Refused(refused) => refused.0.errors(&[refused.1], &mut octets),
        }
        octets
    }
}

impl Rpc {
    /// Reads a message.
    ///
    /// # Errors
    /// It is not a request, or one without a `message-id` or without exactly one operation.
    pub fn read(octets: &[u8], most: usize) -> Result<Rpc, NotRpc> {
        let document = Document::read(octets, limits(most)).map_err(NotRpc::Malformed)?;
        let root = document.root();
        if root.name() == "rpc" && root.namespace() != BASE {
            let message = format!("rpc must be in the namespace {BASE}, found \"{}\"", root.namespace());
            let error = RpcError::new(Layer::Rpc, Tag::UnknownNamespace, message)
                .with(Info::BadElement("rpc".into()))
                .with(Info::BadNamespace(root.namespace().into()));
            let mut reply = Vec::new();
            without_rpc(&error, root.attribute("", "message-id"), &mut reply);
            return Err(NotRpc::Namespace { reply });
        }
        if !root.is(BASE, "rpc") {
            return Err(NotRpc::Other { found: root.name().chars().take(60).collect() });
        }
        let rpc = Rpc { document };
        match rpc.check() {
            Ok(()) => Ok(rpc),
            Err(error) => Err(rpc.refused(error)),
        }
    }

    fn check(&self) -> Result<(), RpcError> {
        let root = self.document.root();
        if root.attribute("", "message-id").is_none() {
            let error =
                RpcError::new(Layer::Rpc, Tag::MissingAttribute, "an rpc needs the attribute message-id");
            return Err(error
                .with(Info::BadAttribute("message-id".into()))
                .with(Info::BadElement("rpc".into())));
        }
        let mut operations = root.children();
        match (operations.next(), operations.next()) {
            (Some(_), None) => Ok(()),
            (None, _) => Err(RpcError::missing_element(Layer::Rpc, "operation", "rpc")),
            (_, Some(more)) => Err(RpcError::unknown_element(Layer::Rpc, more)),
        }
    }

    /// Checks it against the schema of the protocol.
    ///
    /// # Errors
    /// What is wrong, with its request, which has the attributes of the reply.
    pub fn valid(self) -> Result<Rpc, NotRpc> {
        match schema::check(self.document.root()) {
            Ok(()) => Ok(self),
            Err(error) => Err(self.refused(error)),
        }
    }

    /// Something is wrong with it.
    #[must_use]
    pub fn refused(self, error: RpcError) -> NotRpc {
        NotRpc::Refused(Box::new((self, error)))
    }

    /// The element of the operation.
    #[must_use]
    pub fn operation(&self) -> Element<'_> {
        let root = self.document.root();
        root.children().next().unwrap_or(root)
    }

    /// The role that the request is on behalf of, if it names one.
    #[must_use]
    pub fn role(&self) -> Option<&str> {
        self.document.root().attribute(RBAC, "role")
    }

    /// The prefix of the base namespace in the reply, with its colon; empty where it is the default namespace.
    #[must_use]
    pub fn prefix(&self) -> &str {
        let tag = self.document.root_tag();
        let name = tag.split([' ', '\t', '\n', '\r']).next().unwrap_or_default();
        name.split_once(':').map_or("", |(prefix, _)| &name[..=prefix.len()])
    }

    /// Octets that it takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.document.memory()
    }

    /// Begins the reply: `rpc-reply` with all attributes of the `rpc`, as they were written (RFC 6241 section 4.1).
    pub fn begin_reply(&self, output: &mut Vec<u8>) {
        let tag = self.document.root_tag();
        let attributes = tag.find([' ', '\t', '\n', '\r']).map_or("", |at| tag[at..].trim_end());
        for part in ["<", self.prefix(), "rpc-reply", attributes, ">"] {
            output.extend_from_slice(part.as_bytes());
        }
    }

    /// Ends it.
    pub fn end_reply(&self, output: &mut Vec<u8>) {
        for part in ["</", self.prefix(), "rpc-reply>"] {
            output.extend_from_slice(part.as_bytes());
        }
    }

    /// The whole reply of an operation that was done and has no data.
    pub fn ok(&self, output: &mut Vec<u8>) {
        self.begin_reply(output);
        for part in ["<", self.prefix(), "ok/>"] {
            output.extend_from_slice(part.as_bytes());
        }
        self.end_reply(output);
    }

    /// The whole reply of an operation that was not done.
    pub fn errors(&self, errors: &[RpcError], output: &mut Vec<u8>) {
        self.begin_reply(output);
        errors.iter().for_each(|error| error.write(self.prefix(), output));
        self.end_reply(output);
    }
}

/// The reply to what is not well-formed, which has no `message-id` to repeat.
pub fn malformed(error: &XmlError, output: &mut Vec<u8>) {
    without_rpc(&RpcError::new(Layer::Rpc, Tag::MalformedMessage, error.to_string()), None, output);
}

/// The reply to a message that is longer than this many octets and was not read, and so has no `message-id` to repeat.
pub fn too_big(most: usize, output: &mut Vec<u8>) {
    let message = format!("a message has at most {most} octets here");
    without_rpc(&RpcError::new(Layer::Rpc, Tag::TooBig, message), None, output);
}

/// A reply to something other than an `rpc` whose attributes could be repeated.
pub fn without_rpc(error: &RpcError, message_id: Option<&str>, output: &mut Vec<u8>) {
    let mut writer = Writer::new(output);
    writer.start("rpc-reply").attribute("xmlns", BASE);
    if let Some(message_id) = message_id {
        writer.attribute("message-id", message_id);
    }
    writer.raw(b"");
    error.write("", output);
    Writer::new(output).end("rpc-reply");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str) -> String {
        let mut output = vec![];
        match Rpc::read(text.as_bytes(), 10_000) {
            Ok(rpc) => rpc.ok(&mut output),
            Err(not_rpc) => output = not_rpc.reply(),
        }
        // Whatever was asked, the reply is XML.
        Document::read(&output, limits(10_000)).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn attributes_are_repeated_as_they_were_written() {
        // RFC 6241 section 4.1.
        assert_eq!(
            reply(
                "<rpc message-id=\"101\"\n xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"\n xmlns:ex=\"http://example.net/content/1.0\"\n ex:user-id=\"fred\">\n<get/></rpc>"
            ),
            "<rpc-reply message-id=\"101\"\n xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"\n xmlns:ex=\"http://example.net/content/1.0\"\n ex:user-id=\"fred\"><ok/></rpc-reply>"
        );
        assert_eq!(
            reply(
                "<nc:rpc  xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0' message-id='&lt;1&amp;' ><nc:get/></nc:rpc>"
            ),
            "<nc:rpc-reply  xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0' message-id='&lt;1&amp;'><nc:ok/></nc:rpc-reply>"
        );
    }

    #[test]
    fn a_request_may_have_to_be_one_of_the_schema() {
        let read = |source: &str| {
            let text = format!("<rpc xmlns='{BASE}' message-id='7'><get-config>{source}</get-config></rpc>");
            Rpc::read(text.as_bytes(), 10_000).and_then(Rpc::valid)
        };
        assert!(read("<source><running/></source>").is_ok());
        let Err(NotRpc::Refused(refused)) = read("<filter/><source><running/></source>") else { panic!() };
        let mut output = vec![];
        refused.0.errors(&[refused.1], &mut output);
        let text = String::from_utf8(output).unwrap();
        for part in ["message-id='7'", "<error-tag>missing-element<", "<bad-element>source<"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_request_is_its_reply() {
        let missing = reply(&format!("<rpc xmlns='{BASE}' odd='1'><get/></rpc>"));
        for part in
            ["odd='1'", "<error-tag>missing-attribute<", "<bad-attribute>message-id<", "<bad-element>rpc<"]
        {
            assert!(missing.contains(part), "{missing}");
        }
        assert!(reply(&format!("<rpc xmlns='{BASE}' message-id='1'/>")).contains("missing-element"));
        assert!(
            reply(&format!("<rpc xmlns='{BASE}' message-id='1'><get/><get/></rpc>"))
                .contains("unknown-element")
        );
        assert!(reply("<rpc>").contains("malformed-message"));
        let other = reply("<rpc message-id='&lt;1' xmlns='urn:other'><get/></rpc>");
        for part in [
            "<rpc-reply xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"&lt;1\">",
            "<error-tag>unknown-namespace<",
            "<bad-element>rpc<",
            "<bad-namespace>urn:other<",
        ] {
            assert!(other.contains(part), "{other}");
        }
        assert!(reply("<rpc><get/></rpc>").contains("<error-tag>unknown-namespace<"));
        let mut octets = vec![];
        too_big(10, &mut octets);
        assert!(String::from_utf8(octets).unwrap().contains("<error-tag>too-big<"));
        assert!(reply(&format!("<hello xmlns='{BASE}'/>")).contains("expected an rpc, found hello"));
    }
}
