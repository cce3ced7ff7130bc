//! What a request asks for: the operations of RFC 6241 and of its companions, with their parameters, as one value.
//!
//! Parameters are checked as far as the message alone allows. Whether a datastore exists, a capability was announced or somebody
//! may do it is for whoever carries it out.

use crate::document::Element;
use crate::error::{Layer, RpcError, Tag};
use crate::nmda::{EditData, GetData, Store};
use crate::push;
use crate::{
    BASE, MONITORING, NMDA, NOTIFICATION, PAGINATION, PARTIAL_LOCK, PUSH, SUBSCRIBED, WITH_DEFAULTS,
};

/// An operation and its parameters.
#[allow(missing_docs, reason = "the fields are the RFCs' parameters, by their names")]
#[derive(Clone, Copy, Debug)]
pub enum Operation<'d> {
    /// `get`: configuration and state.
    Get { filter: Option<Filter<'d>>, with_defaults: Option<WithDefaults>, paging: Option<Element<'d>> },
    /// `get-config`.
    GetConfig {
        source: Place<'d>,
        filter: Option<Filter<'d>>,
        with_defaults: Option<WithDefaults>,
        paging: Option<Element<'d>>,
    },
    /// `edit-config`.
    EditConfig(Edit<'d>),
    /// `copy-config`.
    CopyConfig { target: Place<'d>, source: Place<'d>, with_defaults: Option<WithDefaults> },
    /// `delete-config`.
    DeleteConfig { target: Place<'d> },
    /// `lock`.
    Lock { target: Datastore },
    /// `unlock`.
    Unlock { target: Datastore },
    /// `partial-lock` (RFC 5717 section 2.4.1): XPath expressions, whose prefixes are those in scope at their elements.
    PartialLock { element: Element<'d> },
    /// `partial-unlock`.
    PartialUnlock { lock_id: u32 },
    /// `close-session`.
    CloseSession,
    /// `kill-session`.
    KillSession { session_id: u32 },
    /// `commit`.
    Commit { confirmed: Option<Confirmed<'d>>, persist_id: Option<&'d str> },
    /// `cancel-commit`.
    CancelCommit { persist_id: Option<&'d str> },
    /// `discard-changes`.
    DiscardChanges,
    /// `validate`.
    Validate { source: Place<'d> },
    /// `get-schema` (RFC 6022 section 3.1).
    GetSchema { identifier: &'d str, version: Option<&'d str>, format: Option<&'d str> },
    /// `create-subscription` (RFC 5277 section 2.1.1).
    CreateSubscription {
        stream: Option<&'d str>,
        filter: Option<Filter<'d>>,
        start: Option<Element<'d>>,
        stop: Option<Element<'d>>,
    },
    /// `get-data` (RFC 8526 section 3.1.1).
    GetData(GetData<'d>),
    /// `edit-data` (RFC 8526 section 3.1.2).
    EditData(EditData<'d>),
    /// Subscriptions of RFC 8639 and RFC 8641.
    Subscription(push::Request<'d>),
    /// Whatever a data model defines.
    Other(Element<'d>),
}

/// A confirmed commit (RFC 6241 section 8.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmed<'d> {
    /// Seconds until it is undone.
    pub timeout: u32,
    /// The name by which another session may confirm it.
    pub persist: Option<&'d str>,
}

/// `edit-config`.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'d> {
    /// What is edited.
    pub target: Place<'d>,
    /// What happens to nodes that name no operation.
    pub default_operation: DefaultOperation,
    /// Whether it is validated and done.
    pub test_option: TestOption,
    /// What happens after an error.
    pub error_option: ErrorOption,
    /// The edit: a `config` element, or the URL of one.
    pub content: Content<'d>,
}

/// The content of an edit.
#[derive(Clone, Copy, Debug)]
pub enum Content<'d> {
    /// The element `config`.
    Config(Element<'d>),
    /// Where it is.
    Url(&'d str),
}

/// RFC 6241 section 7.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefaultOperation {
    /// Merged with what is there.
    #[default]
    Merge,
    /// Instead of what is there.
    Replace,
    /// Nothing, unless a node names an operation.
    None,
}

/// RFC 6241 section 7.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestOption {
    /// Validated, then done.
    #[default]
    TestThenSet,
    /// Done.
    Set,
    /// Validated only.
    TestOnly,
}

/// RFC 6241 section 7.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorOption {
    /// Nothing further is done.
    #[default]
    StopOnError,
    /// The rest is done, and all errors are reported.
    ContinueOnError,
    /// All is as before.
    RollbackOnError,
}

/// A datastore of RFC 6241.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Datastore {
    /// What is in force.
    Running,
    /// What is prepared.
    Candidate,
    /// What is in force after a restart.
    Startup,
}

/// What an operation reads or writes.
#[derive(Clone, Copy, Debug)]
pub enum Place<'d> {
    /// A datastore.
    Datastore(Datastore),
    /// A file (RFC 6241 section 8.8).
    Url(&'d str),
    /// A configuration in the message itself, which only a source can be.
    Config(Element<'d>),
}

/// What of the data is wanted.
#[derive(Clone, Copy, Debug)]
pub enum Filter<'d> {
    /// A tree with what is wanted (RFC 6241 section 6): the children of this element.
    Subtree(Element<'d>),
    /// An XPath expression (RFC 6241 section 8.9).
    XPath {
        /// The expression.
        select: &'d str,
        /// The element at which its prefixes are in scope.
        element: Element<'d>,
    },
}

/// What becomes of values that are defaults (RFC 6243 section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithDefaults {
    /// They are reported.
    ReportAll,
    /// They are reported and marked.
    ReportAllTagged,
    /// They are left out.
    Trim,
    /// They are reported if somebody set them.
    Explicit,
}

impl Datastore {
    /// Their names, in the order of the variants.
    pub const WORDS: [(&'static str, Datastore); 3] =
        [("running", Self::Running), ("candidate", Self::Candidate), ("startup", Self::Startup)];
}

impl DefaultOperation {
    /// Their names.
    pub const WORDS: [(&'static str, DefaultOperation); 3] =
        [("merge", Self::Merge), ("replace", Self::Replace), ("none", Self::None)];
}

impl TestOption {
    /// Their names.
    pub const WORDS: [(&'static str, TestOption); 3] =
        [("test-then-set", Self::TestThenSet), ("set", Self::Set), ("test-only", Self::TestOnly)];
}

impl ErrorOption {
    /// Their names.
    pub const WORDS: [(&'static str, ErrorOption); 3] = [
        ("stop-on-error", Self::StopOnError),
        ("continue-on-error", Self::ContinueOnError),
        ("rollback-on-error", Self::RollbackOnError),
    ];
}

impl WithDefaults {
    /// Their names.
    pub const WORDS: [(&'static str, WithDefaults); 4] = [
        ("report-all", Self::ReportAll),
        ("report-all-tagged", Self::ReportAllTagged),
        ("trim", Self::Trim),
        ("explicit", Self::Explicit),
    ];
}

impl<'d> Operation<'d> {
    /// Why it cannot be carried out for a message that comes without a session, if it cannot. It is called by this name.
    #[must_use]
    pub fn needs_session(&self, name: &str) -> Option<String> {
        let why = match self {
            Operation::Lock { .. }
            | Operation::Unlock { .. }
            | Operation::PartialLock { .. }
            | Operation::PartialUnlock { .. }
            | Operation::CloseSession
            | Operation::KillSession { .. }
            | Operation::CreateSubscription { .. }
            | Operation::Subscription(_) => format!("{name} needs a session"),
            Operation::Commit { confirmed: Some(confirmed), .. } if confirmed.persist.is_none() => {
                "a confirmed commit without persist ends with its session".to_owned()
            }
            Operation::CancelCommit { persist_id: None } => {
                "without persist-id a session cancels its own commit".to_owned()
            }
            _ => return None,
        };
        Some(format!("{why}, and a stored message comes without one"))
    }

    /// Reads the operation that this element is.
    ///
    /// # Errors
    /// A parameter is missing, unknown, or has a value that it cannot have.
    pub fn read(element: Element<'d>) -> Result<Operation<'d>, RpcError> {
        let mut given = Parameters::of(element);
        let operation = match (element.namespace(), element.name()) {
            (BASE, "get") => Operation::Get {
                filter: given.filter()?,
                with_defaults: given.with_defaults()?,
                paging: given.paging(),
            },
            (BASE, "get-config") => Operation::GetConfig {
                source: given.place("source")?,
                filter: given.filter()?,
                with_defaults: given.with_defaults()?,
                paging: given.paging(),
            },
            (BASE, "edit-config") => Operation::EditConfig(given.edit()?),
            (BASE, "copy-config") => Operation::CopyConfig {
                target: given.target()?,
                source: given.place("source")?,
                with_defaults: given.with_defaults()?,
            },
            (BASE, "delete-config") => Operation::DeleteConfig { target: given.target()? },
            (BASE, "lock") => Operation::Lock { target: given.datastore()? },
            (BASE, "unlock") => Operation::Unlock { target: given.datastore()? },
            (PARTIAL_LOCK, "partial-lock") => {
                given.take_all(PARTIAL_LOCK, "select")?;
                Operation::PartialLock { element }
            }
            (PARTIAL_LOCK, "partial-unlock") => {
                Operation::PartialUnlock { lock_id: given.number(PARTIAL_LOCK, "lock-id")? }
            }
            (BASE, "close-session") => Operation::CloseSession,
            (BASE, "kill-session") => {
                Operation::KillSession { session_id: given.number(BASE, "session-id")? }
            }
            (BASE, "commit") => given.commit()?,
            (BASE, "cancel-commit") => {
                Operation::CancelCommit { persist_id: given.take(BASE, "persist-id").map(Element::value) }
            }
            (BASE, "discard-changes") => Operation::DiscardChanges,
            (BASE, "validate") => Operation::Validate { source: given.place("source")? },
            (MONITORING, "get-schema") => Operation::GetSchema {
                identifier: given.require(MONITORING, "identifier")?.value(),
                version: given.take(MONITORING, "version").map(Element::value),
                format: given.take(MONITORING, "format").map(Element::value),
            },
            (NOTIFICATION, "create-subscription") => Operation::CreateSubscription {
                stream: given.take(NOTIFICATION, "stream").map(Element::value),
                // ncclient has it in the namespace of the other operations' filters.
                filter: given.filter_in(NOTIFICATION)?.or(given.filter()?),
                start: given.take(NOTIFICATION, "startTime"),
                stop: given.take(NOTIFICATION, "stopTime"),
            },
            (NMDA, "get-data") => Operation::GetData(GetData::read(&mut given)?),
            (NMDA, "edit-data") => Operation::EditData(EditData::read(&mut given)?),
            (SUBSCRIBED | PUSH, _) => match push::Request::read(element, &mut given)? {
                Some(request) => Operation::Subscription(request),
                None => return Ok(Operation::Other(element)),
            },
            (BASE, _) => return Err(not_supported(element)),
            _ => return Ok(Operation::Other(element)),
        };
        given.nothing_else()?;
        Ok(operation)
    }

    /// Its name, for logs and access rules.
    #[must_use]
    pub fn name(&self) -> &'d str {
        match self {
            Operation::Get { .. } => "get",
            Operation::GetConfig { .. } => "get-config",
            Operation::EditConfig(_) => "edit-config",
            Operation::CopyConfig { .. } => "copy-config",
            Operation::DeleteConfig { .. } => "delete-config",
            Operation::Lock { .. } => "lock",
            Operation::Unlock { .. } => "unlock",
            Operation::PartialLock { .. } => "partial-lock",
            Operation::PartialUnlock { .. } => "partial-unlock",
            Operation::CloseSession => "close-session",
            Operation::KillSession { .. } => "kill-session",
            Operation::Commit { .. } => "commit",
            Operation::CancelCommit { .. } => "cancel-commit",
            Operation::DiscardChanges => "discard-changes",
            Operation::Validate { .. } => "validate",
            Operation::GetSchema { .. } => "get-schema",
            Operation::CreateSubscription { .. } => "create-subscription",
            Operation::GetData(_) => "get-data",
            Operation::EditData(_) => "edit-data",
            Operation::Subscription(request) => request.name(),
            Operation::Other(element) => element.name(),
        }
    }
}

/// The answer to an operation that nobody here has.
#[must_use]
pub fn not_supported(element: Element<'_>) -> RpcError {
    let message =
        format!("there is no operation {} in the namespace \"{}\"", element.name(), element.namespace());
    RpcError::new(Layer::Protocol, Tag::OperationNotSupported, message)
}

/// The parameters of an operation, of which each is taken once.
pub(crate) struct Parameters<'d> {
    operation: Element<'d>,
    left: Vec<Element<'d>>,
}

impl<'d> Parameters<'d> {
    pub fn of(operation: Element<'d>) -> Self {
        Parameters { operation, left: operation.children().collect() }
    }

    pub fn take(&mut self, namespace: &str, name: &str) -> Option<Element<'d>> {
        let at = self.left.iter().position(|it| it.is(namespace, name))?;
        Some(self.left.remove(at))
    }

    fn take_all(&mut self, namespace: &str, name: &str) -> Result<(), RpcError> {
        self.require(namespace, name)?;
        self.left.retain(|it| !it.is(namespace, name));
        Ok(())
    }

    /// Whether there is one.
    pub fn has(&self, namespace: &str, name: &str) -> bool {
        self.left.iter().any(|it| it.is(namespace, name))
    }

    /// All parameters of a name.
    pub fn all(&mut self, namespace: &str, name: &str) -> Vec<Element<'d>> {
        self.left.extract_if(.., |it| it.is(namespace, name)).collect()
    }

    pub fn require(&mut self, namespace: &str, name: &str) -> Result<Element<'d>, RpcError> {
        let found = self.take(namespace, name);
        found.ok_or_else(|| RpcError::missing_element(Layer::Protocol, name, self.operation.name()))
    }

    pub fn nothing_else(self) -> Result<(), RpcError> {
        match self.left.first() {
            Some(found) => Err(RpcError::unknown_element(Layer::Protocol, *found)),
            None => Ok(()),
        }
    }

    pub fn number(&mut self, namespace: &str, name: &str) -> Result<u32, RpcError> {
        let element = self.require(namespace, name)?;
        let number = element.value().parse().ok();
        number
            .ok_or_else(|| RpcError::invalid_value(Layer::Protocol, element, "a number from 0 to 4294967295"))
    }

    /// A parameter that is one of some words.
    pub fn one_of<T: Copy>(
        &mut self,
        namespace: &str,
        name: &str,
        words: &[(&'static str, T)],
    ) -> Result<Option<T>, RpcError> {
        let Some(element) = self.take(namespace, name) else { return Ok(None) };
        let found = words.iter().find(|(word, _)| *word == element.value());
        let expected = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        found.map(|(_, meant)| Some(*meant)).ok_or_else(|| {
            RpcError::invalid_value(Layer::Protocol, element, &format!("one of {}", expected()))
        })
    }

    /// `source` or `target`: one element within.
    fn place(&mut self, name: &str) -> Result<Place<'d>, RpcError> {
        let element = self.require(BASE, name)?;
        let mut within = element.children();
        let Some(found) = within.next() else {
            return Err(RpcError::missing_element(Layer::Protocol, "datastore", name));
        };
        if let Some(more) = within.next() {
            return Err(RpcError::unknown_element(Layer::Protocol, more));
        }
        Ok(match (found.namespace(), found.name()) {
            (BASE, "running") => Place::Datastore(Datastore::Running),
            (BASE, "candidate") => Place::Datastore(Datastore::Candidate),
            (BASE, "startup") => Place::Datastore(Datastore::Startup),
            (BASE, "url") => Place::Url(found.value()),
            (BASE, "config") => Place::Config(found),
            // RFC 8526 sections 3.1 and 3.2.
            (NMDA, "datastore") => match Store::read(found)? {
                Store::Of(datastore) => Place::Datastore(datastore),
                Store::Intended if name == "source" => Place::Datastore(Datastore::Running),
                Store::Intended | Store::Operational => {
                    let message =
                        format!("{} can only be read", found.value().rsplit(':').next().unwrap_or_default());
                    return Err(RpcError::new(Layer::Protocol, Tag::InvalidValue, message));
                }
            },
            _ => return Err(RpcError::unknown_element(Layer::Protocol, found)),
        })
    }

    fn target(&mut self) -> Result<Place<'d>, RpcError> {
        match self.place("target")? {
            Place::Config(found) => Err(RpcError::unknown_element(Layer::Protocol, found)),
            place => Ok(place),
        }
    }

    fn datastore(&mut self) -> Result<Datastore, RpcError> {
        let target = self.operation.child(BASE, "target");
        match (self.target()?, target.and_then(|it| it.children().next())) {
            (Place::Datastore(datastore), _) => Ok(datastore),
            (_, Some(found)) => Err(RpcError::unknown_element(Layer::Protocol, found)),
            (_, None) => Err(RpcError::missing_element(Layer::Protocol, "datastore", "target")),
        }
    }

    fn filter(&mut self) -> Result<Option<Filter<'d>>, RpcError> {
        self.filter_in(BASE)
    }

    fn filter_in(&mut self, namespace: &str) -> Result<Option<Filter<'d>>, RpcError> {
        let Some(element) = self.take(namespace, "filter") else { return Ok(None) };
        // The RFC's examples have them without a namespace, and some clients in that of the operation.
        let attribute = |name| element.attribute("", name).or_else(|| element.attribute(BASE, name));
        match attribute("type") {
            None | Some("subtree") => Ok(Some(Filter::Subtree(element))),
            Some("xpath") => match attribute("select") {
                Some(select) => Ok(Some(Filter::XPath { select, element })),
                None => Err(RpcError::new(
                    Layer::Protocol,
                    Tag::MissingAttribute,
                    "a filter of type xpath needs the attribute select",
                )
                .with(crate::error::Info::BadAttribute("select".into()))
                .with(crate::error::Info::BadElement("filter".into()))),
            },
            Some(found) => {
                let message = format!("a filter's type must be subtree or xpath, found \"{found}\"");
                Err(RpcError::new(Layer::Protocol, Tag::BadAttribute, message)
                    .with(crate::error::Info::BadAttribute("type".into()))
                    .with(crate::error::Info::BadElement("filter".into())))
            }
        }
    }

    fn with_defaults(&mut self) -> Result<Option<WithDefaults>, RpcError> {
        self.one_of(WITH_DEFAULTS, "with-defaults", &WithDefaults::WORDS)
    }

    /// Which entries of a list (draft-ietf-netconf-list-pagination-nc-11 section 3).
    pub fn paging(&mut self) -> Option<Element<'d>> {
        self.take(PAGINATION, "list-pagination")
    }

    fn edit(&mut self) -> Result<Edit<'d>, RpcError> {
        let target = self.target()?;
        let default_operation = self.one_of(BASE, "default-operation", &DefaultOperation::WORDS)?;
        let test_option = self.one_of(BASE, "test-option", &TestOption::WORDS)?;
        let error_option = self.one_of(BASE, "error-option", &ErrorOption::WORDS)?;
        let content = self.content(BASE)?;
        Ok(Edit {
            target,
            default_operation: default_operation.unwrap_or_default(),
            test_option: test_option.unwrap_or_default(),
            error_option: error_option.unwrap_or_default(),
            content,
        })
    }

    /// The content of an edit.
    pub fn content(&mut self, namespace: &str) -> Result<Content<'d>, RpcError> {
        match (self.take(namespace, "config"), self.take(namespace, "url")) {
            (Some(config), None) => Ok(Content::Config(config)),
            (None, Some(url)) => Ok(Content::Url(url.value())),
            (Some(_), Some(url)) => Err(RpcError::unknown_element(Layer::Protocol, url)),
            (None, None) => Err(RpcError::missing_element(Layer::Protocol, "config", self.operation.name())),
        }
    }

    fn commit(&mut self) -> Result<Operation<'d>, RpcError> {
        let confirmed = self.take(BASE, "confirmed").is_some();
        let persist = self.take(BASE, "persist").map(Element::value);
        let timeout = match self.take(BASE, "confirm-timeout") {
            Some(element) => {
                let seconds = element.value().parse().ok().filter(|seconds| *seconds > 0);
                Some(seconds.ok_or_else(|| {
                    RpcError::invalid_value(
                        Layer::Protocol,
                        element,
                        "a number of seconds from 1 to 4294967295",
                    )
                })?)
            }
            None => None,
        };
        let persist_id = self.take(BASE, "persist-id").map(Element::value);
        if !confirmed && (persist.is_some() || timeout.is_some()) {
            return Err(RpcError::missing_element(Layer::Protocol, "confirmed", "commit"));
        }
        let confirmed = confirmed.then(|| Confirmed { timeout: timeout.unwrap_or(CONFIRM_TIMEOUT), persist });
        Ok(Operation::Commit { confirmed, persist_id })
    }
}

/// Seconds, if a confirmed commit says nothing (RFC 6241 section 8.4.1).
const CONFIRM_TIMEOUT: u32 = 600;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, limits};

    /// What is read, as Rust prints it without the elements; or the error.
    fn read(inner: &str) -> String {
        let text = format!("<rpc xmlns='{BASE}' xmlns:d='{WITH_DEFAULTS}'>{inner}</rpc>");
        let document = Document::read(text.as_bytes(), limits(10_000)).unwrap();
        let element = document.root().children().next().unwrap();
        match Operation::read(element) {
            Ok(Operation::Get { filter, with_defaults, paging }) => {
                let paging = paging.map(|it| format!(" {}", it.name())).unwrap_or_default();
                format!("get {} {with_defaults:?}{paging}", of(filter))
            }
            Ok(Operation::GetConfig { source, filter, .. }) => {
                format!("get-config {} {}", at(source), of(filter))
            }
            Ok(Operation::CopyConfig { target, source, .. }) => {
                format!("copy {} to {}", at(source), at(target))
            }
            Ok(Operation::EditConfig(edit)) => format!(
                "edit {} {:?} {:?} {:?}",
                at(edit.target),
                edit.default_operation,
                edit.test_option,
                edit.error_option
            ),
            Ok(Operation::Commit { confirmed, persist_id }) => format!("commit {confirmed:?} {persist_id:?}"),
            Ok(Operation::Lock { target }) => format!("lock {target:?}"),
            Ok(Operation::KillSession { session_id }) => format!("kill {session_id}"),
            Ok(operation) => operation.name().to_owned(),
            Err(error) => error.to_string(),
        }
    }

    fn of(filter: Option<Filter<'_>>) -> String {
        match filter {
            None => "all".into(),
            Some(Filter::Subtree(element)) => element.children().map(|it| it.name().to_owned()).collect(),
            Some(Filter::XPath { select, .. }) => select.into(),
        }
    }

    fn at(place: Place<'_>) -> String {
        match place {
            Place::Datastore(datastore) => format!("{datastore:?}"),
            Place::Url(url) => url.into(),
            Place::Config(element) => element.name().into(),
        }
    }

    #[test]
    fn operations_are_read() {
        for (text, meant) in [
            ("<get/>", "get all None"),
            ("<get><filter/></get>", "get  None"),
            (
                "<get><list-pagination xmlns='urn:ietf:params:xml:ns:yang:ietf-list-pagination-nc'/></get>",
                "get all None list-pagination",
            ),
            ("<get><filter type='subtree'><a xmlns='u'/></filter></get>", "get a None"),
            (
                "<get><filter type='xpath' select='/a'/><d:with-defaults>trim</d:with-defaults></get>",
                "get /a Some(Trim)",
            ),
            ("<get-config><source><startup/></source></get-config>", "get-config Startup all"),
            (
                "<edit-config><target><candidate/></target><config/></edit-config>",
                "edit Candidate Merge TestThenSet StopOnError",
            ),
            (
                "<edit-config><target><running/></target><default-operation>none</default-operation><test-option>set</test-option>\
                 <error-option>rollback-on-error</error-option><url>file:///a</url></edit-config>",
                "edit Running None Set RollbackOnError",
            ),
            (
                "<copy-config><target><url>file:///b</url></target><source><config/></source></copy-config>",
                "copy config to file:///b",
            ),
            ("<lock><target><candidate/></target></lock>", "lock Candidate"),
            ("<kill-session><session-id>4</session-id></kill-session>", "kill 4"),
            ("<commit/>", "commit None None"),
            ("<commit><confirmed/></commit>", "commit Some(Confirmed { timeout: 600, persist: None }) None"),
            (
                "<commit><confirmed/><confirm-timeout>5</confirm-timeout><persist>x</persist></commit>",
                "commit Some(Confirmed { timeout: 5, persist: Some(\"x\") }) None",
            ),
            ("<commit><persist-id>x</persist-id></commit>", "commit None Some(\"x\")"),
            ("<close-session/>", "close-session"),
            ("<discard-changes/>", "discard-changes"),
            ("<validate><source><candidate/></source></validate>", "validate"),
            ("<odd xmlns='urn:odd'><x/></odd>", "odd"),
        ] {
            assert_eq!(read(text), meant, "{text}");
        }
    }

    #[test]
    fn wrong_parameters_are_named() {
        for (text, error) in [
            ("<get-config/>", "missing-element: get-config has no source"),
            ("<get-config><source/></get-config>", "missing-element: source has no datastore"),
            (
                "<get-config><source><odd/></source></get-config>",
                "unknown-element: source cannot contain odd of the namespace \"urn:ietf:params:xml:ns:netconf:base:1.0\"",
            ),
            (
                "<lock><target><url>x</url></target></lock>",
                "unknown-element: target cannot contain url of the namespace \"urn:ietf:params:xml:ns:netconf:base:1.0\"",
            ),
            ("<get><odd xmlns=''/></get>", "unknown-element: get cannot contain odd of the namespace \"\""),
            (
                "<get><filter type='xpath'/></get>",
                "missing-attribute: a filter of type xpath needs the attribute select",
            ),
            (
                "<get><filter type='sql'/></get>",
                "bad-attribute: a filter's type must be subtree or xpath, found \"sql\"",
            ),
            (
                "<kill-session><session-id>x</session-id></kill-session>",
                "invalid-value: session-id must be a number from 0 to 4294967295, found \"x\"",
            ),
            ("<commit><persist>x</persist></commit>", "missing-element: commit has no confirmed"),
            (
                "<commit><confirmed/><confirm-timeout>0</confirm-timeout></commit>",
                "invalid-value: confirm-timeout must be a number of seconds from 1 to 4294967295, found \"0\"",
            ),
            (
                "<edit-config><target><running/></target></edit-config>",
                "missing-element: edit-config has no config",
            ),
            (
                "<fly/>",
                "operation-not-supported: there is no operation fly in the namespace \"urn:ietf:params:xml:ns:netconf:base:1.0\"",
            ),
        ] {
            assert_eq!(read(text), error, "{text}");
        }
    }
}
