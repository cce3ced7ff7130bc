//! `get-data` and `edit-data` (RFC 8526): operations on any datastore of RFC 8342.

use trunkline_yang::annotation::{Origin, OriginFilter};
use trunkline_yang::own::operations::DATASTORE;

use crate::document::Element;
use crate::error::{Layer, RpcError, Tag};
use crate::operation::{Content, Datastore, DefaultOperation, Filter, Parameters, WithDefaults};
use crate::{NMDA, WITH_DEFAULTS};

/// A datastore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// One of RFC 6241.
    Of(Datastore),
    /// What is to be in force: `running` without what is not active, and with all templates expanded.
    Intended,
    /// What is in force, and state.
    Operational,
}

/// `get-data`.
#[derive(Clone, Copy, Debug)]
pub struct GetData<'d> {
    /// What is read.
    pub store: Store,
    /// What of it.
    pub filter: Option<Filter<'d>>,
    /// Only configuration, or only state.
    pub config: Option<bool>,
    /// From where configuration must come.
    pub origins: Option<OriginFilter>,
    /// Levels of what is selected; `None`: all.
    pub levels: Option<u16>,
    /// Whether the reply says where configuration comes from.
    pub with_origin: bool,
    /// What becomes of defaults.
    pub with_defaults: Option<WithDefaults>,
    /// Which entries of a list.
    pub paging: Option<Element<'d>>,
}

/// `edit-data`.
#[derive(Clone, Copy, Debug)]
pub struct EditData<'d> {
    /// What is edited.
    pub store: Store,
    /// What happens to nodes that name no operation.
    pub default_operation: DefaultOperation,
    /// The edit.
    pub content: Content<'d>,
}

impl Store {
    /// Their names, which are identities.
    pub const WORDS: [(&'static str, Store); 5] = [
        ("running", Store::Of(Datastore::Running)),
        ("candidate", Store::Of(Datastore::Candidate)),
        ("startup", Store::Of(Datastore::Startup)),
        ("intended", Store::Intended),
        ("operational", Store::Operational),
    ];

    /// The datastore that an element names by its identity.
    ///
    /// # Errors
    /// `invalid-value`: there is none of this name.
    pub fn read(element: Element<'_>) -> Result<Store, RpcError> {
        let (namespace, name) = identity(element)?;
        let found = Store::WORDS.iter().find(|(word, _)| *word == name && namespace == DATASTORE.1);
        found.map(|(_, store)| *store).ok_or_else(|| {
            invalid(format!("there is no datastore {name} of the namespace \"{namespace}\" here"))
        })
    }
}

impl<'d> GetData<'d> {
    /// All that a filter selects.
    #[must_use]
    pub const fn of(store: Store, filter: Option<Filter<'d>>) -> GetData<'d> {
        GetData {
            store,
            filter,
            config: None,
            origins: None,
            levels: None,
            with_origin: false,
            with_defaults: None,
            paging: None,
        }
    }

    pub(crate) fn read(given: &mut Parameters<'d>) -> Result<GetData<'d>, RpcError> {
        let store = Store::read(given.require(NMDA, "datastore")?)?;
        let subtree = given.take(NMDA, "subtree-filter").map(Filter::Subtree);
        let filter = match given.take(NMDA, "xpath-filter") {
            Some(element) if subtree.is_some() => {
                return Err(RpcError::unknown_element(Layer::Protocol, element));
            }
            Some(element) => Some(Filter::XPath { select: element.value(), element }),
            None => subtree,
        };
        let config = given.one_of(NMDA, "config-filter", &[("true", true), ("false", false)])?;
        let with_origin = given.take(NMDA, "with-origin");
        let origins = origins(given, store)?;
        if with_origin.is_some() && store != Store::Operational {
            return Err(invalid("with-origin is for the operational datastore alone".into()));
        }
        let levels = match given.take(NMDA, "max-depth") {
            None => None,
            Some(element) if element.value() == "unbounded" => None,
            Some(element) => {
                let levels = element.value().parse().ok().filter(|levels| *levels > 0);
                Some(levels.ok_or_else(|| {
                    RpcError::invalid_value(
                        Layer::Protocol,
                        element,
                        "a number from 1 to 65535, or unbounded",
                    )
                })?)
            }
        };
        // It is in the module of this operation, where a grouping has put it; some send it in its own.
        let with_defaults = match given.one_of(NMDA, "with-defaults", &WithDefaults::WORDS)? {
            Some(given) => Some(given),
            None => given.one_of(WITH_DEFAULTS, "with-defaults", &WithDefaults::WORDS)?,
        };
        if with_defaults.is_some() && store == Store::Operational {
            // It would need the capability :with-operational-defaults.
            return Err(invalid("with-defaults is not for the operational datastore here".into()));
        }
        let (with_origin, paging) = (with_origin.is_some(), given.paging());
        Ok(GetData { store, filter, config, origins, levels, with_origin, with_defaults, paging })
    }
}

impl<'d> EditData<'d> {
    pub(crate) fn read(given: &mut Parameters<'d>) -> Result<EditData<'d>, RpcError> {
        let store = Store::read(given.require(NMDA, "datastore")?)?;
        let words = &DefaultOperation::WORDS;
        let default_operation = given.one_of(NMDA, "default-operation", words)?.unwrap_or_default();
        let content = given.content(NMDA)?;
        Ok(EditData { store, default_operation, content })
    }
}

fn origins(given: &mut Parameters<'_>, store: Store) -> Result<Option<OriginFilter>, RpcError> {
    let (only, but) = (given.all(NMDA, "origin-filter"), given.all(NMDA, "negated-origin-filter"));
    if let (Some(_), Some(second)) = (only.first(), but.first()) {
        return Err(RpcError::unknown_element(Layer::Protocol, *second));
    }
    if only.is_empty() && but.is_empty() {
        return Ok(None);
    }
    if store != Store::Operational {
        return Err(invalid("filters on origins are for the operational datastore alone".into()));
    }
    let origin = |element: &Element<'_>| {
        let (namespace, name) = identity(*element)?;
        Origin::of(namespace, name).ok_or_else(|| {
            invalid(format!("there is no origin {name} of the namespace \"{namespace}\" here"))
        })
    };
    let named = only.iter().chain(&but).map(origin).collect::<Result<Vec<_>, _>>()?;
    Ok(Some(OriginFilter::new(named, only.is_empty())))
}

/// The namespace and the name of an identity.
fn identity<'d>(element: Element<'d>) -> Result<(&'d str, &'d str), RpcError> {
    let (prefix, name) = element.value().split_once(':').unwrap_or(("", element.value()));
    match element.resolve(prefix) {
        Some(namespace) => Ok((namespace, name)),
        None => {
            Err(invalid(format!("the prefix {prefix} in the value of {} is not declared", element.name())))
        }
    }
}

fn invalid(message: String) -> RpcError {
    RpcError::new(Layer::Protocol, Tag::InvalidValue, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BASE;
    use crate::document::{Document, limits};
    use crate::operation::Operation;

    fn read(inner: &str) -> String {
        let text = format!(
            "<rpc xmlns='{BASE}' xmlns:ds='{}' xmlns:or='urn:ietf:params:xml:ns:yang:ietf-origin'>{inner}</rpc>",
            DATASTORE.1
        );
        let document = Document::read(text.as_bytes(), limits(10_000)).unwrap();
        match Operation::read(document.root().children().next().unwrap()) {
            Ok(Operation::GetData(given)) => {
                let filter = match given.filter {
                    None => String::new(),
                    Some(Filter::Subtree(element)) => {
                        element.children().map(|it| it.name().to_owned()).collect()
                    }
                    Some(Filter::XPath { select, .. }) => select.to_owned(),
                };
                let origins = given.origins.map(|filter| {
                    Origin::ALL
                        .into_iter()
                        .filter(|it| filter.passes(*it))
                        .map(Origin::name)
                        .collect::<Vec<_>>()
                });
                format!(
                    "{:?} {filter:?} {:?} {origins:?} {:?} {} {:?}",
                    given.store, given.config, given.levels, given.with_origin, given.with_defaults
                )
            }
            Ok(Operation::EditData(given)) => format!("{:?} {:?}", given.store, given.default_operation),
            Ok(Operation::Lock { target }) => format!("lock {target:?}"),
            Ok(operation) => format!("{operation:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn operations_of_nmda_are_read() {
        let get = |inner: &str| read(&format!("<get-data xmlns='{NMDA}'>{inner}</get-data>"));
        for (inner, meant) in [
            ("<datastore>ds:running</datastore>", "Of(Running) \"\" None None None false None"),
            (
                "<datastore xmlns:x='urn:ietf:params:xml:ns:yang:ietf-datastores'> x:operational </datastore>\
                 <subtree-filter><a xmlns='u'/></subtree-filter><config-filter>true</config-filter>\
                 <origin-filter>or:intended</origin-filter><origin-filter>or:system</origin-filter>\
                 <max-depth>3</max-depth><with-origin/>",
                "Operational \"a\" Some(true) Some([\"intended\", \"configuration-file\", \"system\"]) Some(3) true None",
            ),
            (
                "<datastore>ds:operational</datastore><xpath-filter>/a</xpath-filter>\
                 <negated-origin-filter>or:intended</negated-origin-filter><max-depth>unbounded</max-depth>",
                "Operational \"/a\" None Some([\"dynamic\", \"system\", \"learned\", \"default\", \"unknown\"]) None false None",
            ),
            (
                "<datastore>ds:intended</datastore><with-defaults>trim</with-defaults>",
                "Intended \"\" None None None false Some(Trim)",
            ),
            ("", "missing-element: get-data has no datastore"),
            (
                "<datastore>ds:nothing</datastore>",
                "invalid-value: there is no datastore nothing of the namespace \"urn:ietf:params:xml:ns:yang:ietf-datastores\" here",
            ),
            (
                "<datastore>x:running</datastore>",
                "invalid-value: the prefix x in the value of datastore is not declared",
            ),
            (
                "<datastore>ds:running</datastore><with-origin/>",
                "invalid-value: with-origin is for the operational datastore alone",
            ),
            (
                "<datastore>ds:running</datastore><origin-filter>or:system</origin-filter>",
                "invalid-value: filters on origins are for the operational datastore alone",
            ),
            (
                "<datastore>ds:operational</datastore><origin-filter>or:origin</origin-filter>",
                "invalid-value: there is no origin origin of the namespace \"urn:ietf:params:xml:ns:yang:ietf-origin\" here",
            ),
            (
                "<datastore>ds:operational</datastore><with-defaults>trim</with-defaults>",
                "invalid-value: with-defaults is not for the operational datastore here",
            ),
            (
                "<datastore>ds:running</datastore><max-depth>0</max-depth>",
                "invalid-value: max-depth must be a number from 1 to 65535, or unbounded, found \"0\"",
            ),
        ] {
            assert_eq!(get(inner), meant, "{inner}");
        }
        let edit = |inner: &str| read(&format!("<edit-data xmlns='{NMDA}'>{inner}</edit-data>"));
        let running = "<datastore>ds:running</datastore>";
        assert_eq!(edit(&format!("{running}<config/>")), "Of(Running) Merge");
        assert_eq!(
            edit(&format!("{running}<default-operation>none</default-operation><config/>")),
            "Of(Running) None"
        );
        assert_eq!(edit(running), "missing-element: edit-data has no config");
        let both = format!("{running}<subtree-filter/><xpath-filter>/a</xpath-filter>");
        assert!(get(&both).starts_with("unknown-element: get-data cannot contain xpath-filter"));
        let lock = |name: &str| {
            read(&format!("<lock><target><datastore xmlns='{NMDA}'>ds:{name}</datastore></target></lock>"))
        };
        assert_eq!(lock("candidate"), "lock Candidate");
        assert_eq!(lock("operational"), "invalid-value: operational can only be read");
    }
}
