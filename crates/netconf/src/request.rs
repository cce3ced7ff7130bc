//! Operations, as a client writes them (RFC 6241 sections 7 and 8): each function gives the element of one.

use trunkline_xml::{Event, Reader, Writer};

use crate::document::limits;
use crate::operation::{Datastore, DefaultOperation, ErrorOption, TestOption, WithDefaults};
use crate::{BASE, MONITORING, NOTIFICATION, WITH_DEFAULTS};

/// What of the data is wanted.
#[derive(Clone, Copy, Debug, Default)]
pub enum Select<'r> {
    /// All of it.
    #[default]
    Everything,
    /// The content of a subtree filter: XML.
    Subtree(&'r [u8]),
    /// An expression, and the namespaces of its prefixes.
    XPath(&'r str, &'r [(String, String)]),
}

/// Where a configuration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store<'r> {
    /// At the server.
    Datastore(Datastore),
    /// In a file that the server reaches.
    Url(&'r str),
}

/// `edit-config`.
#[derive(Clone, Copy, Debug)]
pub struct EditConfig<'r> {
    /// What is edited.
    pub target: Datastore,
    /// What happens to nodes that name no operation; the server's default is `merge`.
    pub default_operation: Option<DefaultOperation>,
    /// Whether it is validated and done.
    pub test_option: Option<TestOption>,
    /// What happens after an error.
    pub error_option: Option<ErrorOption>,
    /// The content of `config`: XML. It may be in one already.
    pub config: &'r [u8],
}

/// `commit`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Commit<'r> {
    /// Whether it is undone unless another commit confirms it.
    pub confirmed: bool,
    /// After how many seconds; the server's default is 600.
    pub timeout: Option<u32>,
    /// The name by which another session may confirm it.
    pub persist: Option<&'r str>,
    /// The name of the commit that is confirmed.
    pub persist_id: Option<&'r str>,
}

/// `create-subscription` (RFC 5277 section 2.1.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct CreateSubscription<'r> {
    /// The stream; the server's default is `NETCONF`.
    pub stream: Option<&'r str>,
    /// Which of its events.
    pub select: Select<'r>,
    /// From when on events are replayed.
    pub start: Option<&'r str>,
    /// When it ends.
    pub stop: Option<&'r str>,
}

/// `create-subscription`.
#[must_use]
pub fn create_subscription(subscription: CreateSubscription<'_>) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut writer = Writer::new(&mut octets);
    writer.start("create-subscription").attribute("xmlns", NOTIFICATION);
    let CreateSubscription { stream, select, start, stop } = subscription;
    stream.iter().for_each(|stream| {
        writer.leaf("stream", stream);
    });
    filter(&mut writer, select);
    for (name, time) in [("startTime", start), ("stopTime", stop)] {
        time.iter().for_each(|time| {
            writer.leaf(name, time);
        });
    }
    writer.end("create-subscription");
    octets
}

/// `get`.
#[must_use]
pub fn get(select: Select<'_>, with_defaults: Option<WithDefaults>) -> Vec<u8> {
    element("get", |writer| {
        filter(writer, select);
        defaults(writer, with_defaults);
    })
}

/// `get-config`.
#[must_use]
pub fn get_config(source: Store<'_>, select: Select<'_>, with_defaults: Option<WithDefaults>) -> Vec<u8> {
    element("get-config", |writer| {
        store(writer, "source", source);
        filter(writer, select);
        defaults(writer, with_defaults);
    })
}

/// `edit-config`.
#[must_use]
pub fn edit_config(edit: EditConfig<'_>) -> Vec<u8> {
    element("edit-config", |writer| {
        store(writer, "target", Store::Datastore(edit.target));
        word(writer, "default-operation", &DefaultOperation::WORDS, edit.default_operation);
        word(writer, "test-option", &TestOption::WORDS, edit.test_option);
        word(writer, "error-option", &ErrorOption::WORDS, edit.error_option);
        match is_whole(edit.config) {
            true => writer.raw(edit.config),
            false => writer.start("config").raw(edit.config).end("config"),
        };
    })
}

/// Whether the content has `config` around it already, as files of servers have: in itself it cannot be.
fn is_whole(config: &[u8]) -> bool {
    let mut reader = Reader::new(config.trim_ascii_start(), limits(config.len()));
    loop {
        match reader.next() {
            Ok(Event::Text(_)) => {}
            // Without a declaration it has the namespace of what it will be in.
            Ok(Event::Start(name)) => return name.is(BASE, "config") || name.is("", "config"),
            _ => return false,
        }
    }
}

/// `copy-config`.
#[must_use]
pub fn copy_config(target: Store<'_>, source: Store<'_>) -> Vec<u8> {
    element("copy-config", |writer| {
        store(writer, "target", target);
        store(writer, "source", source);
    })
}

/// `delete-config`.
#[must_use]
pub fn delete_config(target: Store<'_>) -> Vec<u8> {
    element("delete-config", |writer| store(writer, "target", target))
}

/// `lock`.
#[must_use]
pub fn lock(target: Datastore) -> Vec<u8> {
    element("lock", |writer| store(writer, "target", Store::Datastore(target)))
}

/// `unlock`.
#[must_use]
pub fn unlock(target: Datastore) -> Vec<u8> {
    element("unlock", |writer| store(writer, "target", Store::Datastore(target)))
}

/// `validate`.
#[must_use]
pub fn validate(source: Store<'_>) -> Vec<u8> {
    element("validate", |writer| store(writer, "source", source))
}

/// `commit`.
#[must_use]
pub fn commit(commit: Commit<'_>) -> Vec<u8> {
    element("commit", |writer| {
        if commit.confirmed {
            writer.start("confirmed").end("confirmed");
        }
        commit.timeout.iter().for_each(|seconds| {
            writer.leaf("confirm-timeout", &seconds.to_string());
        });
        commit.persist.iter().for_each(|name| {
            writer.leaf("persist", name);
        });
        commit.persist_id.iter().for_each(|name| {
            writer.leaf("persist-id", name);
        });
    })
}

/// `cancel-commit`.
#[must_use]
pub fn cancel_commit(persist_id: Option<&str>) -> Vec<u8> {
    element("cancel-commit", |writer| {
        persist_id.iter().for_each(|name| {
            writer.leaf("persist-id", name);
        });
    })
}

/// `discard-changes`.
#[must_use]
pub fn discard_changes() -> Vec<u8> {
    element("discard-changes", |_| {})
}

/// `kill-session`.
#[must_use]
pub fn kill_session(session_id: u32) -> Vec<u8> {
    element("kill-session", |writer| {
        writer.leaf("session-id", &session_id.to_string());
    })
}

/// `get-schema` (RFC 6022 section 3.1).
#[must_use]
pub fn get_schema(identifier: &str, version: Option<&str>, format: Option<&str>) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut writer = Writer::new(&mut octets);
    writer.start("get-schema").attribute("xmlns", MONITORING).leaf("identifier", identifier);
    for (name, value) in [("version", version), ("format", format)] {
        value.iter().for_each(|value| {
            writer.leaf(name, value);
        });
    }
    writer.end("get-schema");
    octets
}

/// An operation in the namespace of the `rpc` around it.
fn element(name: &str, content: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut writer = Writer::new(&mut octets);
    writer.start(name);
    content(&mut writer);
    writer.end(name);
    octets
}

fn store(writer: &mut Writer<'_>, role: &str, store: Store<'_>) {
    writer.start(role);
    match store {
        Store::Datastore(datastore) => {
            let (name, _) = Datastore::WORDS[datastore as usize];
            writer.start(name).end(name);
        }
        Store::Url(url) => {
            writer.leaf("url", url);
        }
    }
    writer.end(role);
}

fn filter(writer: &mut Writer<'_>, select: Select<'_>) {
    match select {
        Select::Everything => {}
        Select::Subtree(content) => {
            writer.start("filter").attribute("type", "subtree").raw(content).end("filter");
        }
        Select::XPath(select, namespaces) => {
            writer.start("filter").attribute("type", "xpath");
            for (prefix, namespace) in namespaces {
                writer.attribute(&format!("xmlns:{prefix}"), namespace);
            }
            writer.attribute("select", select).end("filter");
        }
    }
}

fn defaults(writer: &mut Writer<'_>, with_defaults: Option<WithDefaults>) {
    for (name, _) in WithDefaults::WORDS.iter().filter(|(_, meant)| with_defaults == Some(*meant)) {
        writer.start("with-defaults").attribute("xmlns", WITH_DEFAULTS).text(name).end("with-defaults");
    }
}

fn word<T: PartialEq>(writer: &mut Writer<'_>, name: &str, words: &[(&'static str, T)], meant: Option<T>) {
    for (word, _) in words.iter().filter(|(_, it)| Some(it) == meant.as_ref()) {
        writer.leaf(name, word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::operation::{Confirmed, Content, Edit, Filter, Operation, Place};

    /// Reads an operation as a server does.
    fn read<T>(operation: &[u8], then: impl FnOnce(Operation<'_>) -> T) -> T {
        let rpc = [format!("<rpc xmlns='{BASE}'>").as_bytes(), operation, b"</rpc>"].concat();
        let document = Document::read(&rpc, limits(10_000)).unwrap();
        then(Operation::read(document.root().children().next().unwrap()).unwrap())
    }

    #[test]
    fn reads_are_understood_by_a_server() {
        for (word, meant) in WithDefaults::WORDS {
            read(&get(Select::Subtree(b"<a xmlns='u'/>"), Some(meant)), |it| {
                let Operation::Get { filter: Some(Filter::Subtree(element)), with_defaults, .. } = it else {
                    panic!("{it:?}")
                };
                assert!(element.child("u", "a").is_some());
                assert_eq!(with_defaults, Some(meant), "{word}");
            });
        }
        let namespaces = [("p".to_owned(), "urn:p".to_owned())];
        let expression = "/p:a[b = \"1\" and c < 2]";
        read(&get_config(Store::Url("file:///a&b"), Select::XPath(expression, &namespaces), None), |it| {
            let Operation::GetConfig { source: Place::Url(url), filter: Some(filter), .. } = it else {
                panic!("{it:?}")
            };
            let Filter::XPath { select, element } = filter else { panic!("{filter:?}") };
            assert_eq!((url, select, element.resolve("p")), ("file:///a&b", expression, Some("urn:p")));
        });
        read(&get_schema("a", Some("2020-01-01"), Some("yang")), |it| {
            assert!(matches!(
                it,
                Operation::GetSchema { identifier: "a", version: Some("2020-01-01"), format: Some("yang") }
            ));
        });
    }

    #[test]
    fn a_subscription_has_what_was_given() {
        let namespaces = [("p".to_owned(), "urn:p".to_owned())];
        let all = CreateSubscription {
            stream: Some("A&B"),
            select: Select::XPath("/p:a", &namespaces),
            start: Some("2026-01-01T00:00:00Z"),
            stop: Some("2026-01-02T00:00:00Z"),
        };
        assert_eq!(
            String::from_utf8(create_subscription(all)).unwrap(),
            format!(
                "<create-subscription xmlns=\"{NOTIFICATION}\"><stream>A&amp;B</stream>\
                 <filter type=\"xpath\" xmlns:p=\"urn:p\" select=\"/p:a\"/><startTime>2026-01-01T00:00:00Z</startTime>\
                 <stopTime>2026-01-02T00:00:00Z</stopTime></create-subscription>"
            )
        );
        let least = create_subscription(CreateSubscription::default());
        assert_eq!(least, format!("<create-subscription xmlns=\"{NOTIFICATION}\"/>").into_bytes());
    }

    #[test]
    fn writes_are_understood_by_a_server() {
        for (_, target) in Datastore::WORDS {
            let contents =
                ["<a xmlns='u'>1</a>".to_owned(), "<config><a xmlns='u'>1</a></config>".to_owned()];
            let whole = format!("<nc:config xmlns:nc='{BASE}'><a xmlns='u'>1</a></nc:config>");
            let contents = contents.into_iter().chain([whole]);
            for ((_, error_option), config) in ErrorOption::WORDS.into_iter().zip(contents) {
                let edit = EditConfig {
                    target,
                    default_operation: Some(DefaultOperation::None),
                    test_option: Some(TestOption::TestOnly),
                    error_option: Some(error_option),
                    config: config.as_bytes(),
                };
                read(&edit_config(edit), |it| {
                    let Operation::EditConfig(Edit { target: place, content, .. }) = it else {
                        panic!("{it:?}")
                    };
                    let Operation::EditConfig(edit) = it else { return };
                    assert!(matches!(place, Place::Datastore(found) if found == target));
                    let Content::Config(config) = content else { panic!("{content:?}") };
                    assert_eq!(config.child("u", "a").map(|it| it.value()), Some("1"));
                    let found = (edit.default_operation, edit.test_option, edit.error_option);
                    assert_eq!(found, (DefaultOperation::None, TestOption::TestOnly, error_option));
                });
            }
            read(&lock(target), |it| {
                assert!(matches!(it, Operation::Lock { target: found } if found == target))
            });
            read(&unlock(target), |it| {
                assert!(matches!(it, Operation::Unlock { target: found } if found == target));
            });
        }
        let (running, startup) = (Store::Datastore(Datastore::Running), Store::Datastore(Datastore::Startup));
        read(&copy_config(startup, running), |it| {
            let is_it = matches!(
                it,
                Operation::CopyConfig {
                    target: Place::Datastore(Datastore::Startup),
                    source: Place::Datastore(Datastore::Running),
                    ..
                }
            );
            assert!(is_it, "{it:?}");
        });
        read(&delete_config(startup), |it| assert!(matches!(it, Operation::DeleteConfig { .. })));
        read(&validate(running), |it| assert!(matches!(it, Operation::Validate { .. })));
        read(&discard_changes(), |it| assert!(matches!(it, Operation::DiscardChanges)));
        read(&kill_session(7), |it| assert!(matches!(it, Operation::KillSession { session_id: 7 })));
        let commit_of = Commit { confirmed: true, timeout: Some(5), persist: Some("x"), persist_id: None };
        read(&commit(commit_of), |it| {
            let expected = Some(Confirmed { timeout: 5, persist: Some("x") });
            assert!(matches!(it, Operation::Commit { confirmed, .. } if confirmed == expected));
        });
        read(&commit(Commit { persist_id: Some("y"), ..Commit::default() }), |it| {
            assert!(matches!(it, Operation::Commit { confirmed: None, persist_id: Some("y") }));
        });
        read(&cancel_commit(Some("z")), |it| {
            assert!(matches!(it, Operation::CancelCommit { persist_id: Some("z") }));
        });
    }
}
