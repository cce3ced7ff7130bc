//! What the operations of a client need that a server may not have: capabilities that its hello must announce (RFC 6241 section 8).
//!
//! A client must not send a parameter of a capability that is not there: what a server makes of it is not defined.

use thiserror::Error;

use crate::hello::Hello;
use crate::modules::{LIBRARY, Modules, library_filter};
use crate::operation::{Datastore, ErrorOption, TestOption, WithDefaults};
use crate::request::{Commit, EditConfig, Store};
use crate::{MONITORING, PUSH, RESTCONF_ROLES, ROLES};

/// A capability that is needed and not announced.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the server does not announce {capability} ({section}), which {what} needs")]
pub struct Missing {
    /// What it would have to announce: `:candidate:1.0`.
    pub capability: String,
    /// Where that is defined.
    pub section: &'static str,
    /// What needs it.
    pub what: String,
}

/// How a datastore or a file is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It is read, or locked.
    Read,
    /// It is written.
    Write,
}

/// Checks a place of `get-config`, `copy-config`, `delete-config`, `validate` and `lock`.
///
/// # Errors
/// [`Missing`].
pub fn store(hello: &Hello, store: Store<'_>, used: Use) -> Result<(), Missing> {
    match store {
        Store::Datastore(Datastore::Running) if used == Use::Write => {
            need(hello, "writable-running:1.0", "RFC 6241 section 8.2", "a change of running itself")
        }
        Store::Datastore(Datastore::Running) => Ok(()),
        Store::Datastore(Datastore::Candidate) => candidate(hello, "the candidate configuration"),
        Store::Datastore(Datastore::Startup) => {
            need(hello, "startup:1.0", "RFC 6241 section 8.7", "the startup configuration")
        }
        Store::Url(url) => {
            let scheme = url.split_once(':').map_or(url, |(scheme, _)| scheme);
            let announced = hello.parameters("urn:ietf:params:netconf:capability:url:1.0");
            let schemes = announced.and_then(|it| value(it, "scheme"));
            match schemes.is_some_and(|it| it.split(',').any(|it| it.eq_ignore_ascii_case(scheme))) {
                true => Ok(()),
                false => Err(Missing {
                    capability: format!(":url:1.0 with the scheme {scheme}"),
                    section: "RFC 6241 section 8.8",
                    what: "a URL as the place of a configuration".to_owned(),
                }),
            }
        }
    }
}

/// Checks requests on behalf of a role. A server that does not know them would carry them out with all that the user may do.
///
/// # Errors
/// [`Missing`].
pub fn role(hello: &Hello) -> Result<(), Missing> {
    if hello.has(ROLES) || hello.has(RESTCONF_ROLES) {
        return Ok(());
    }
    let what = "a request on behalf of a role".to_owned();
    Err(Missing { capability: ROLES.to_owned(), section: "of Trunkline", what })
}

/// Checks `edit-config`.
///
/// # Errors
/// [`Missing`].
pub fn edit(hello: &Hello, edit: &EditConfig<'_>) -> Result<(), Missing> {
    store(hello, Store::Datastore(edit.target), Use::Write)?;
    match edit.test_option {
        None => {}
        // RFC 6241 section 8.6.4.1: that one is of version 1.1.
        Some(TestOption::TestOnly) => {
            need(hello, "validate:1.1", "RFC 6241 section 8.6", "the test option test-only")?;
        }
        Some(_) => validate(hello, "a test option")?,
    }
    match edit.error_option {
        Some(ErrorOption::RollbackOnError) => {
            let what = "the error option rollback-on-error";
            need(hello, "rollback-on-error:1.0", "RFC 6241 section 8.5", what)
        }
        _ => Ok(()),
    }
}

/// Checks `validate`, or what else `what` is.
///
/// # Errors
/// [`Missing`].
pub fn validate(hello: &Hello, what: &str) -> Result<(), Missing> {
    match has(hello, "validate:1.1") {
        true => Ok(()),
        false => need(hello, "validate:1.0", "RFC 6241 section 8.6", what),
    }
}

/// Checks `discard-changes`, or what else `what` is.
///
/// # Errors
/// [`Missing`].
pub fn candidate(hello: &Hello, what: &str) -> Result<(), Missing> {
    need(hello, "candidate:1.0", "RFC 6241 section 8.3", what)
}

/// Checks `commit`.
///
/// # Errors
/// [`Missing`].
pub fn commit(hello: &Hello, commit: &Commit<'_>) -> Result<(), Missing> {
    candidate(hello, "a commit")?;
    if commit.persist.is_some() || commit.persist_id.is_some() {
        return persistent(hello, "a confirmed commit that outlives its session");
    }
    match commit.confirmed && !has(hello, "confirmed-commit:1.1") {
        true => need(hello, "confirmed-commit:1.0", "RFC 6241 section 8.4", "a confirmed commit"),
        false => Ok(()),
    }
}

/// Checks `cancel-commit`, or what else `what` is.
///
/// # Errors
/// [`Missing`].
pub fn persistent(hello: &Hello, what: &str) -> Result<(), Missing> {
    need(hello, "confirmed-commit:1.1", "RFC 6241 section 8.4", what)
}

/// Checks a mode of defaults (RFC 6243 section 4.3), also of a server of RESTCONF (RFC 8040 section 9.1.2).
///
/// # Errors
/// [`Missing`].
pub fn with_defaults(hello: &Hello, mode: Option<WithDefaults>) -> Result<(), Missing> {
    let Some(mode) = mode else { return Ok(()) };
    let word = WithDefaults::WORDS.iter().find(|(_, it)| *it == mode).map_or("", |(word, _)| *word);
    if hello.has("urn:ietf:params:restconf:capability:with-defaults:1.0") {
        return Ok(());
    }
    let missing = |capability: String| Missing {
        capability,
        section: "RFC 6243 section 4",
        what: format!("--with-defaults {word}"),
    };
    let announced = hello.parameters("urn:ietf:params:netconf:capability:with-defaults:1.0");
    let announced = announced.ok_or_else(|| missing(":with-defaults:1.0".to_owned()))?;
    let also = value(announced, "also-supported").unwrap_or_default();
    let mut modes = value(announced, "basic-mode").into_iter().chain(also.split(','));
    match modes.any(|it| it == word) {
        true => Ok(()),
        false => Err(missing(format!(":with-defaults:1.0 with the mode {word}"))),
    }
}

/// Checks `create-subscription`.
///
/// # Errors
/// [`Missing`].
pub fn notifications(hello: &Hello) -> Result<(), Missing> {
    need(hello, "notification:1.0", "RFC 5277 section 3.1.1", "a subscription to events")
}

/// Checks `establish-subscription` to data. If the server has a YANG library that may not be read, nothing is known.
///
/// # Errors
/// [`Missing`].
pub fn pushes(hello: &Hello, modules: &Modules) -> Result<(), Missing> {
    let is_known = modules.name(LIBRARY).is_some() || library_filter(hello).is_none();
    match modules.name(PUSH).is_some() || !is_known {
        true => Ok(()),
        false => Err(Missing {
            capability: "the module ietf-yang-push".to_owned(),
            section: "RFC 8641",
            what: "a subscription to data".to_owned(),
        }),
    }
}

/// Checks `get-schema`. `is_listed`: whether the YANG library has its module.
///
/// # Errors
/// [`Missing`].
pub fn schemas(hello: &Hello, is_listed: bool) -> Result<(), Missing> {
    match is_listed || hello.has(MONITORING) {
        true => Ok(()),
        false => Err(Missing {
            capability: "the module ietf-netconf-monitoring".to_owned(),
            section: "RFC 6022",
            what: "the text of a module".to_owned(),
        }),
    }
}

fn has(hello: &Hello, name: &str) -> bool {
    hello.has(&format!("urn:ietf:params:netconf:capability:{name}"))
}

fn need(hello: &Hello, name: &str, section: &'static str, what: &str) -> Result<(), Missing> {
    match has(hello, name) {
        true => Ok(()),
        false => Err(Missing { capability: format!(":{name}"), section, what: what.to_owned() }),
    }
}

pub(crate) fn value<'p>(parameters: &'p str, name: &str) -> Option<&'p str> {
    parameters
        .split('&')
        .find_map(|it| it.trim().split_once('=').filter(|(found, _)| *found == name))
        .map(|(_, it)| it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::DefaultOperation;

    fn hello(names: &[&str]) -> Hello {
        let uri = |name: &&str| format!("urn:ietf:params:netconf:capability:{name}");
        Hello { capabilities: names.iter().map(uri).collect(), session_id: Some(1) }
    }

    /// Each need with the capabilities that it is met by, and the words without.
    #[test]
    fn each_capability_is_needed_for_what_it_brings() {
        let of = |target| EditConfig {
            target,
            default_operation: Some(DefaultOperation::None),
            test_option: None,
            error_option: Some(ErrorOption::ContinueOnError),
            config: b"",
        };
        let (running, candidate_store) = (of(Datastore::Running), of(Datastore::Candidate));
        let tested = |test_option| EditConfig { test_option: Some(test_option), ..running };
        let rolled = EditConfig { error_option: Some(ErrorOption::RollbackOnError), ..running };
        let confirmed = Commit { confirmed: true, timeout: Some(5), ..Commit::default() };
        type Check<'c> = Box<dyn Fn(&Hello) -> Result<(), Missing> + 'c>;
        let cases: Vec<(Check<'_>, &[&str], &str)> = vec![
            (Box::new(|it| edit(it, &running)), &["writable-running:1.0"], ":writable-running:1.0"),
            (Box::new(|it| edit(it, &candidate_store)), &["candidate:1.0"], ":candidate:1.0"),
            (
                Box::new(|it| edit(it, &tested(TestOption::TestOnly))),
                &["writable-running:1.0", "validate:1.1"],
                ":validate:1.1",
            ),
            (
                Box::new(|it| edit(it, &tested(TestOption::Set))),
                &["writable-running:1.0", "validate:1.0"],
                ":validate:1.0",
            ),
            (
                Box::new(|it| edit(it, &rolled)),
                &["writable-running:1.0", "rollback-on-error:1.0"],
                ":rollback-on-error:1.0",
            ),
            (Box::new(|it| commit(it, &Commit::default())), &["candidate:1.0"], ":candidate:1.0"),
            (
                Box::new(|it| commit(it, &confirmed)),
                &["candidate:1.0", "confirmed-commit:1.0"],
                ":confirmed-commit:1.0",
            ),
            (
                Box::new(|it| commit(it, &Commit { persist: Some("x"), ..confirmed })),
                &["candidate:1.0", "confirmed-commit:1.1"],
                ":confirmed-commit:1.1",
            ),
            (
                Box::new(|it| commit(it, &Commit { persist_id: Some("x"), ..Commit::default() })),
                &["candidate:1.0", "confirmed-commit:1.1"],
                ":confirmed-commit:1.1",
            ),
            (Box::new(|it| persistent(it, "x")), &["confirmed-commit:1.1"], ":confirmed-commit:1.1"),
            (
                Box::new(|it| store(it, Store::Datastore(Datastore::Startup), Use::Read)),
                &["startup:1.0"],
                ":startup:1.0",
            ),
            (
                Box::new(|it| store(it, Store::Url("FILE:///x"), Use::Write)),
                &["url:1.0?scheme=ftp,file"],
                ":url:1.0 with the scheme FILE",
            ),
            (
                Box::new(|it| with_defaults(it, Some(WithDefaults::ReportAll))),
                &["with-defaults:1.0?basic-mode=explicit&also-supported=trim,report-all"],
                ":with-defaults:1.0",
            ),
            (
                Box::new(|it| with_defaults(it, Some(WithDefaults::Explicit))),
                &["with-defaults:1.0?basic-mode=explicit"],
                ":with-defaults:1.0",
            ),
            (Box::new(notifications), &["notification:1.0"], ":notification:1.0"),
            (Box::new(|it| schemas(it, false)), &[], "the module ietf-netconf-monitoring"),
        ];
        for (check, met_by, missing) in cases {
            if !met_by.is_empty() {
                assert_eq!(check(&hello(met_by)), Ok(()), "{met_by:?}");
            }
            // Each of them is needed.
            let last = met_by.len().saturating_sub(1);
            let said = check(&hello(&met_by[..last])).unwrap_err().to_string();
            assert!(said.starts_with(&format!("the server does not announce {missing} (RFC")), "{said}");
        }
        let nothing = hello(&[]);
        assert_eq!(store(&nothing, Store::Datastore(Datastore::Running), Use::Read), Ok(()));
        assert_eq!(with_defaults(&nothing, None), Ok(()));
        assert_eq!(schemas(&nothing, true), Ok(()));
        let other = hello(&["with-defaults:1.0?basic-mode=explicit", "url:1.0?scheme=ftp"]);
        let trim = with_defaults(&other, Some(WithDefaults::Trim)).unwrap_err();
        assert_eq!(trim.capability, ":with-defaults:1.0 with the mode trim");
        assert!(store(&other, Store::Url("file:///x"), Use::Read).is_err());
        // A library that may not be read says nothing.
        let (none, mut listed) = (Modules::default(), Modules::default());
        listed.add("ietf-yang-library", LIBRARY);
        let hidden = hello(&["yang-library:1.1?content-id=1"]);
        assert!(pushes(&nothing, &none).is_err() && pushes(&hidden, &listed).is_err());
        assert_eq!(pushes(&hidden, &none), Ok(()));
        listed.add("ietf-yang-push", PUSH);
        assert_eq!(pushes(&hidden, &listed), Ok(()));
        let restconf = "urn:ietf:params:restconf:capability:with-defaults:1.0".to_owned();
        let restconf = Hello { capabilities: vec![restconf], session_id: None };
        assert_eq!(with_defaults(&restconf, Some(WithDefaults::Trim)), Ok(()));
    }
}
