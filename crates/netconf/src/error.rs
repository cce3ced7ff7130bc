//! `rpc-error` in both directions (RFC 6241 section 4.3 and appendix A, RFC 7950 section 15).

use std::borrow::Cow;
use std::fmt;

use trunkline_xml::Writer;

use crate::document::Element;
use crate::push::refusal::{Hint, SubscriptionInfo};
use crate::{BASE, PUSH, SUBSCRIBED, YANG};

/// Where an error was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Secure transport.
    Transport,
    /// Messages.
    Rpc,
    /// Operations.
    Protocol,
    /// Content.
    Application,
}

/// What is wrong, in the words of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// The resource is used by somebody else.
    InUse,
    /// A value is not acceptable.
    InvalidValue,
    /// Request or response is too large.
    TooBig,
    /// An attribute is missing.
    MissingAttribute,
    /// An attribute's value is not correct.
    BadAttribute,
    /// An unexpected attribute.
    UnknownAttribute,
    /// An element is missing.
    MissingElement,
    /// An element's value is not correct.
    BadElement,
    /// An unexpected element.
    UnknownElement,
    /// An unexpected namespace.
    UnknownNamespace,
    /// Authorization failed.
    AccessDenied,
    /// Another session holds the lock.
    LockDenied,
    /// Not enough resources.
    ResourceDenied,
    /// Rolling back failed.
    RollbackFailed,
    /// What is to be created exists.
    DataExists,
    /// What is to be changed or deleted does not exist.
    DataMissing,
    /// The server does not have the operation.
    OperationNotSupported,
    /// The operation failed for another reason.
    OperationFailed,
    /// Deprecated by RFC 6241; old servers send it.
    PartialOperation,
    /// The message is not well-formed (`:base:1.1`).
    MalformedMessage,
}

impl Tag {
    /// Whether RFC 6241 appendix A has it in the layer of messages.
    const fn is_of_rpc(self) -> bool {
        use Tag::{
            BadAttribute, MalformedMessage, MissingAttribute, OperationFailed, ResourceDenied, TooBig,
            UnknownAttribute,
        };
        matches!(
            self,
            TooBig
                | MissingAttribute
                | BadAttribute
                | UnknownAttribute
                | ResourceDenied
                | OperationFailed
                | MalformedMessage
        )
    }
}

/// What an error adds to its tag, for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Info {
    /// The name of the attribute.
    BadAttribute(String),
    /// The name of the element.
    BadElement(String),
    /// The namespace.
    BadNamespace(String),
    /// The session that holds the lock; 0 for one that is not a NETCONF session.
    SessionId(u32),
    /// The instance that is not unique (RFC 7950 section 15.1).
    NonUnique(Path),
    /// The choice that has no case (RFC 7950 section 15.6).
    MissingChoice(String),
    /// Why a subscription is refused, and what would go (RFC 8639 and RFC 8641).
    Subscription(Box<SubscriptionInfo>),
}

/// A node, as an instance identifier with the prefixes that it uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// The expression.
    pub text: String,
    /// Prefixes and their namespaces.
    pub namespaces: Vec<(String, String)>,
}

/// An error that a server reports, or one that a warning is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RpcError {
    /// Where it was found.
    pub layer: Layer,
    /// What it is.
    pub tag: Tag,
    /// Whether it is only a warning.
    pub is_warning: bool,
    /// What the data model says beyond the tag, such as `data-not-unique`.
    pub app_tag: Option<Cow<'static, str>>,
    /// The node that it is about.
    pub path: Option<Box<Path>>,
    /// For a person.
    pub message: Option<String>,
    /// For a program.
    pub info: Vec<Info>,
}

impl RpcError {
    /// An error with what a person should know.
    #[must_use]
    pub fn new(layer: Layer, tag: Tag, message: impl Into<String>) -> Self {
        let (message, path, app_tag) = (Some(message.into()), None, None);
        let layer = if layer == Layer::Rpc && !tag.is_of_rpc() { Layer::Protocol } else { layer };
        RpcError { layer, tag, is_warning: false, app_tag, path, message, info: vec![] }
    }

    /// The same error with more for a program.
    #[must_use]
    pub fn with(mut self, info: Info) -> Self {
        self.info.push(info);
        self
    }

    /// The same error about this node.
    #[must_use]
    pub fn at(mut self, path: Path) -> Self {
        self.path = Some(Box::new(path));
        self
    }

    /// The same error with what the data model calls it.
    #[must_use]
    pub fn called(mut self, app_tag: &'static str) -> Self {
        self.app_tag = Some(Cow::Borrowed(app_tag));
        self
    }

    /// An element that must be there is missing.
    #[must_use]
    pub fn missing_element(layer: Layer, name: &str, within: &str) -> Self {
        let message = format!("{within} has no {name}");
        RpcError::new(layer, Tag::MissingElement, message).with(Info::BadElement(name.to_owned()))
    }

    /// An element that cannot be where it is.
    #[must_use]
    pub fn unknown_element(layer: Layer, found: Element<'_>) -> Self {
        let within = found.parent().map_or("the message", Element::name);
        let message =
            format!("{within} cannot contain {} of the namespace \"{}\"", found.name(), found.namespace());
        RpcError::new(layer, Tag::UnknownElement, message).with(Info::BadElement(found.name().to_owned()))
    }

    /// An element with a value that its type does not have (RFC 7950 section 8.3.1). The tag has no place for its name, so the message has it.
    #[must_use]
    pub fn invalid_value(layer: Layer, found: Element<'_>, expected: &str) -> Self {
        let message = format!("{} must be {expected}, found \"{}\"", found.name(), shortened(found.value()));
        RpcError::new(layer, Tag::InvalidValue, message)
    }

    /// An element that is there more often than it may be.
    #[must_use]
    pub fn given_twice(layer: Layer, second: Element<'_>) -> Self {
        let message = format!("{} must be given once", second.name());
        RpcError::new(layer, Tag::BadElement, message).with(Info::BadElement(second.name().to_owned()))
    }

    /// Writes the element, whose prefix for the base namespace is given with its colon, or empty for the default namespace.
    pub fn write(&self, prefix: &str, output: &mut Vec<u8>) {
        let named = |name: &str| format!("{prefix}{name}");
        let mut writer = Writer::new(output);
        writer.start(&named("rpc-error"));
        writer.leaf(&named("error-type"), self.layer.name());
        writer.leaf(&named("error-tag"), self.tag.name());
        writer.leaf(&named("error-severity"), if self.is_warning { "warning" } else { "error" });
        if let Some(app_tag) = &self.app_tag {
            writer.leaf(&named("error-app-tag"), app_tag);
        }
        if let Some(path) = &self.path {
            path.write(&mut writer, &named("error-path"));
        }
        if let Some(message) = &self.message {
            writer.start(&named("error-message")).attribute("xml:lang", "en").text(message);
            writer.end(&named("error-message"));
        }
        if !self.info.is_empty() {
            writer.start(&named("error-info"));
            self.info.iter().for_each(|info| info.write(&mut writer, &named));
            writer.end(&named("error-info"));
        }
        writer.end(&named("rpc-error"));
    }

    /// Reads the element. What a server adds of its own is left out; a tag that is not of the standard is
    /// `operation-failed`, and its name part of the message.
    #[must_use]
    pub fn read(element: Element<'_>) -> RpcError {
        let value = |name: &str| element.child(BASE, name).map(Element::value);
        let layer = value("error-type").and_then(|name| Layer::ALL.into_iter().find(|it| it.name() == name));
        let tag = value("error-tag").unwrap_or_default();
        let known = Tag::ALL.into_iter().find(|it| it.name() == tag);
        let message = value("error-message").map(str::to_owned);
        let message = match known {
            Some(_) => message,
            None => Some(format!("{tag}: {}", message.unwrap_or_default())),
        };
        let info = element.child(BASE, "error-info");
        RpcError {
            layer: layer.unwrap_or(Layer::Application),
            tag: known.unwrap_or(Tag::OperationFailed),
            is_warning: value("error-severity") == Some("warning"),
            app_tag: value("error-app-tag").map(|it| Cow::Owned(it.to_owned())),
            path: element.child(BASE, "error-path").map(|it| Box::new(Path::read(it))),
            message,
            info: info.into_iter().flat_map(Element::children).filter_map(Info::read).collect(),
        }
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.tag.name())?;
        if let Some(app_tag) = &self.app_tag {
            write!(formatter, " ({app_tag})")?;
        }
        if let Some(path) = &self.path {
            write!(formatter, " at {}", path.text)?;
        }
        if let Some(message) = &self.message {
            write!(formatter, ": {message}")?;
        }
        for info in &self.info {
            // Servers may have said so in their words.
            let is_said = |id: &u32| {
                let words = format!("session {id}");
                self.message.as_ref().is_some_and(|message| message.contains(&words))
            };
            if let Info::SessionId(id) = info
                && !is_said(id)
            {
                write!(formatter, "; session {id} holds it")?;
            }
            if let Info::Subscription(info) = info
                && let Some(period) = info.hint(Hint::PeriodHint)
            {
                write!(formatter, "; a period of {period} hundredths of a second would do")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for RpcError {}

impl Path {
    /// Writes it as the value of an element.
    pub fn write(&self, writer: &mut Writer<'_>, name: &str) {
        writer.start(name);
        for (prefix, namespace) in &self.namespaces {
            writer.attribute(&format!("xmlns:{prefix}"), namespace);
        }
        writer.text(&self.text).end(name);
    }

    /// Keeps the declarations of the prefixes that the expression seems to use.
    fn read(element: Element<'_>) -> Path {
        let text = element.value().to_owned();
        let mut namespaces: Vec<(String, String)> = vec![];
        for (at, _) in text.match_indices(':') {
            let start = text[..at].rfind(|it: char| !(it.is_alphanumeric() || "-_.".contains(it)));
            let prefix = &text[start.map_or(0, |start| start + 1)..at];
            if let Some(namespace) = element.resolve(prefix).filter(|_| !prefix.is_empty())
                && namespaces.iter().all(|(known, _)| known != prefix)
            {
                namespaces.push((prefix.to_owned(), namespace.to_owned()));
            }
        }
        Path { text, namespaces }
    }
}

impl Info {
    fn write(&self, writer: &mut Writer<'_>, named: &impl Fn(&str) -> String) {
        match self {
            Info::BadAttribute(name) => writer.leaf(&named("bad-attribute"), name),
            Info::BadElement(name) => writer.leaf(&named("bad-element"), name),
            Info::BadNamespace(name) => writer.leaf(&named("bad-namespace"), name),
            Info::SessionId(id) => writer.leaf(&named("session-id"), &id.to_string()),
            Info::Subscription(info) => {
                info.write(writer);
                writer
            }
            Info::MissingChoice(name) => {
                writer.start("missing-choice").attribute("xmlns", YANG).text(name).end("missing-choice")
            }
            Info::NonUnique(path) => {
                writer.start("y:non-unique").attribute("xmlns:y", YANG);
                for (prefix, namespace) in &path.namespaces {
                    writer.attribute(&format!("xmlns:{prefix}"), namespace);
                }
                writer.text(&path.text).end("y:non-unique")
            }
        };
    }

    fn read(element: Element<'_>) -> Option<Info> {
        let value = || element.value().to_owned();
        Some(match (element.namespace(), element.name()) {
            (BASE, "bad-attribute") => Info::BadAttribute(value()),
            (BASE, "bad-element") => Info::BadElement(value()),
            (BASE, "bad-namespace") => Info::BadNamespace(value()),
            (BASE, "session-id") => Info::SessionId(element.value().parse().ok()?),
            (YANG, "missing-choice") => Info::MissingChoice(value()),
            (YANG, "non-unique") => Info::NonUnique(Path::read(element)),
            (SUBSCRIBED | PUSH, _) => Info::Subscription(Box::new(SubscriptionInfo::read(element)?)),
            _ => return None,
        })
    }
}

impl Layer {
    const ALL: [Layer; 4] = [Layer::Transport, Layer::Rpc, Layer::Protocol, Layer::Application];

    /// The values of `error-type`.
    pub(crate) const NAMES: [&'static str; 4] = {
        let mut names = [""; 4];
        let mut at = 0;
        while at < names.len() {
            names[at] = Layer::ALL[at].name();
            at += 1;
        }
        names
    };

    /// The value of `error-type`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Layer::Transport => "transport",
            Layer::Rpc => "rpc",
            Layer::Protocol => "protocol",
            Layer::Application => "application",
        }
    }
}

impl Tag {
    const ALL: [Tag; 20] = [
        Tag::InUse,
        Tag::InvalidValue,
        Tag::TooBig,
        Tag::MissingAttribute,
        Tag::BadAttribute,
        Tag::UnknownAttribute,
        Tag::MissingElement,
        Tag::BadElement,
        Tag::UnknownElement,
        Tag::UnknownNamespace,
        Tag::AccessDenied,
        Tag::LockDenied,
        Tag::ResourceDenied,
        Tag::RollbackFailed,
        Tag::DataExists,
        Tag::DataMissing,
        Tag::OperationNotSupported,
        Tag::OperationFailed,
        Tag::PartialOperation,
        Tag::MalformedMessage,
    ];

    /// The values of `error-tag`.
    pub(crate) const NAMES: [&'static str; 20] = {
        let mut names = [""; 20];
        let mut at = 0;
        while at < names.len() {
            names[at] = Tag::ALL[at].name();
            at += 1;
        }
        names
    };

    /// The value of `error-tag`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Tag::InUse => "in-use",
            Tag::InvalidValue => "invalid-value",
            Tag::TooBig => "too-big",
            Tag::MissingAttribute => "missing-attribute",
            Tag::BadAttribute => "bad-attribute",
            Tag::UnknownAttribute => "unknown-attribute",
            Tag::MissingElement => "missing-element",
            Tag::BadElement => "bad-element",
            Tag::UnknownElement => "unknown-element",
            Tag::UnknownNamespace => "unknown-namespace",
            Tag::AccessDenied => "access-denied",
            Tag::LockDenied => "lock-denied",
            Tag::ResourceDenied => "resource-denied",
            Tag::RollbackFailed => "rollback-failed",
            Tag::DataExists => "data-exists",
            Tag::DataMissing => "data-missing",
            Tag::OperationNotSupported => "operation-not-supported",
            Tag::OperationFailed => "operation-failed",
            Tag::PartialOperation => "partial-operation",
            Tag::MalformedMessage => "malformed-message",
        }
    }
}

/// The begin of a stranger's text, for a message.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, limits};

    fn read_back(error: &RpcError, prefix: &str) -> RpcError {
        let mut text = vec![];
        error.write(prefix, &mut text);
        let declared = if prefix.is_empty() {
            "xmlns".to_owned()
        } else {
            format!("xmlns:{}", &prefix[..prefix.len() - 1])
        };
        let whole = [format!("<r {declared}='{BASE}'>").as_bytes(), &text, b"</r>"].concat();
        let document = Document::read(&whole, limits(10_000)).unwrap();
        RpcError::read(document.root().child(BASE, "rpc-error").unwrap())
    }

    #[test]
    fn errors_of_every_tag_are_read_as_written() {
        for (at, tag) in Tag::ALL.into_iter().enumerate() {
            let error = RpcError::new(Layer::ALL[at % 4], tag, "a < b & \"c\"");
            for prefix in ["", "nc:"] {
                assert_eq!(read_back(&error, prefix), error, "{}", tag.name());
            }
        }
    }

    #[test]
    fn what_an_error_is_about_survives() {
        let path = Path {
            text: "/if:interfaces/if:interface[if:name='eth0:1']/ip:ipv4".into(),
            namespaces: vec![("if".into(), "urn:if".into()), ("ip".into(), "urn:ip".into())],
        };
        let unique = Path { text: "/if:a".into(), namespaces: vec![("if".into(), "urn:if".into())] };
        let error = RpcError::new(Layer::Application, Tag::OperationFailed, "twice")
            .called("data-not-unique")
            .at(path)
            .with(Info::NonUnique(unique))
            .with(Info::MissingChoice("c".into()))
            .with(Info::BadElement("b".into()))
            .with(Info::BadAttribute("a".into()))
            .with(Info::BadNamespace("n".into()))
            .with(Info::SessionId(7));
        assert_eq!(read_back(&error, ""), error);
        let words = error.to_string();
        assert_eq!(
            words,
            "operation-failed (data-not-unique) at /if:interfaces/if:interface[if:name='eth0:1']/ip:ipv4: twice; session 7 holds it"
        );
        let held = RpcError::new(Layer::Protocol, Tag::LockDenied, "session 7 holds the lock");
        let held = held.with(Info::SessionId(7));
        assert_eq!(held.to_string(), "lock-denied: session 7 holds the lock");
    }

    #[test]
    fn a_tag_of_nobody_is_a_failure_with_its_name() {
        let text = format!(
            "<rpc-error xmlns='{BASE}'><error-type>odd</error-type><error-tag>too-late</error-tag>\
             <error-severity>warning</error-severity><error-message>Sorry</error-message></rpc-error>"
        );
        let document = Document::read(text.as_bytes(), limits(1000)).unwrap();
        let error = RpcError::read(document.root());
        assert_eq!((error.tag, error.is_warning), (Tag::OperationFailed, true));
        assert_eq!(error.message.as_deref(), Some("too-late: Sorry"));
    }
}
