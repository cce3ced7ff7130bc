//! The modules that are served (RFC 8525), and the same for clients of RFC 7895.

use std::hash::{DefaultHasher, Hash, Hasher};

use trunkline_yang::own::operations::{DATASTORE, NETCONF, URL};
use trunkline_yang::own::{ALL, DEVIATIONS, IPV6_ROUTING, LIBRARY, OwnModule, SNMP, SNMP_SUBMODULES};
use trunkline_yang::schema::Module;

use crate::made::Made;

/// What is served.
#[derive(Clone, Copy, Debug)]
pub struct Library<'m> {
    /// The modules that are translated from MIBs.
    pub modules: &'m [Module],
    /// Whether modules with data of their own are there too, and all datastores: of a device there is only its state.
    pub has_own: bool,
    /// Whether configurations are written to files.
    pub has_files: bool,
    /// The name of this list.
    pub content_id: &'m str,
}

/// `yang-library`.
pub fn make(library: Library<'_>, made: &mut Made<'_>) {
    let Library { has_own, has_files, content_id, .. } = library;
    made.within("module-set", |made| {
        made.leaf("name", SET);
        for Listed { name, revision, namespace, own } in library.listed() {
            made.within("module", |made| {
                made.leaf("name", name);
                // Those that are translated from a MIB have none.
                revision.iter().for_each(|revision| made.leaf("revision", revision));
                made.leaf("namespace", namespace);
                for submodule in submodules(name) {
                    made.within("submodule", |made| {
                        made.leaf("name", submodule);
                        revision.iter().for_each(|revision| made.leaf("revision", revision));
                    });
                }
                if let Some(own) = own {
                    features(own, has_files).for_each(|feature| made.leaf("feature", feature));
                    own.deviations().iter().for_each(|deviations| made.leaf("deviation", deviations.name));
                }
            });
        }
        for (name, revision) in imported() {
            made.within("import-only-module", |made| {
                made.leaf("name", name);
                made.leaf("revision", revision);
                made.leaf("namespace", &format!("urn:ietf:params:xml:ns:yang:{name}"));
            });
        }
    });
    made.within("schema", |made| {
        made.leaf("name", SET);
        made.leaf("module-set", SET);
    });
    let datastores: &[&str] =
        if has_own { &["running", "candidate", "intended", "operational"] } else { &["operational"] };
    for datastore in datastores {
        made.within("datastore", |made| {
            made.leaf("name", &format!("{}:{datastore}", DATASTORE.0));
            // What can be configured is a part of it, in all of them the same one.
            made.leaf("schema", SET);
        });
    }
    made.leaf("content-id", content_id);
}

/// `modules-state`, for clients of RFC 7895.
pub fn make_state(library: Library<'_>, made: &mut Made<'_>) {
    let Library { has_files, content_id, .. } = library;
    made.leaf("module-set-id", content_id);
    for Listed { name, revision, namespace, own } in library.listed() {
        made.within("module", |made| {
            made.leaf("name", name);
            made.leaf("revision", revision.unwrap_or_default());
            made.leaf("namespace", namespace);
            if let Some(own) = own {
                features(own, has_files).for_each(|feature| made.leaf("feature", feature));
                if let Some(deviations) = own.deviations() {
                    made.within("deviation", |made| {
                        made.leaf("name", deviations.name);
                        made.leaf("revision", deviations.revision);
                    });
                }
            }
            made.leaf("conformance-type", "implement");
            for submodule in submodules(name) {
                made.within("submodule", |made| {
                    made.leaf("name", submodule);
                    made.leaf("revision", revision.unwrap_or_default());
                });
            }
        });
    }
    for (name, revision) in imported() {
        made.within("module", |made| {
            made.leaf("name", name);
            made.leaf("revision", revision);
            made.leaf("namespace", &format!("urn:ietf:params:xml:ns:yang:{name}"));
            made.leaf("conformance-type", "import");
        });
    }
}

/// Names the list of modules: another list has another name.
#[must_use]
pub fn content_id(modules: &[Module], has_files: bool) -> String {
    let mut hasher = DefaultHasher::new();
    for Listed { name, revision, namespace, own } in listed(modules) {
        let features = own.map(|own| features(own, has_files).collect::<Vec<_>>());
        let deviations = own.and_then(OwnModule::deviations).map(|it| (it.name, it.revision));
        (name, revision, namespace, features, deviations).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// The features of a module.
pub fn features(module: &'static OwnModule, has_files: bool) -> impl Iterator<Item = &'static str> {
    let url = (has_files && module.name == NETCONF.name).then_some(URL);
    module.features.iter().copied().chain(url)
}

/// The submodules of a module, which have its revision.
#[must_use]
pub fn submodules(module: &str) -> &'static [&'static str] {
    match module {
        _ if module == SNMP.name => &SNMP_SUBMODULES,
        _ if module == IPV6_ROUTING.name => &["ietf-ipv6-router-advertisements"],
        _ => &[],
    }
}

/// A module that is served.
struct Listed<'m> {
    name: &'m str,
    revision: Option<&'m str>,
    namespace: &'m str,
    /// `None` of those that are translated from a MIB.
    own: Option<&'static OwnModule>,
}

impl<'m> Library<'m> {
    /// Its modules; the library itself is always one of them.
    fn listed(self) -> impl Iterator<Item = Listed<'m>> {
        let is_there =
            move |it: &Listed<'_>| self.has_own || it.own.is_none_or(|own| own.name == LIBRARY.name);
        listed(self.modules).filter(is_there)
    }
}

/// All modules. Deviations are behind what they are about, for clients that read modules in this order.
fn listed(modules: &[Module]) -> impl Iterator<Item = Listed<'_>> {
    let translated = modules.iter().map(|it| Listed {
        name: it.name,
        revision: None,
        namespace: &it.namespace,
        own: None,
    });
    let own = ALL.iter().chain(DEVIATIONS.iter().map(|(module, _)| module)).copied();
    let own = own.map(|it| Listed {
        name: it.name,
        revision: Some(it.revision),
        namespace: it.namespace,
        own: Some(it),
    });
    translated.chain(own)
}

/// The only set of modules, and the only schema.
const SET: &str = "all";

/// What the others import and what is not served, with the revisions.
pub fn imported() -> impl Iterator<Item = (&'static str, &'static str)> {
    IMPORTED.into_iter().filter(|(name, _)| ALL.iter().all(|module| module.name != *name))
}

/// What is imported by some.
const IMPORTED: [(&str, &str); 9] = [
    ("iana-crypt-hash", "2014-08-06"),
    ("ietf-inet-types", "2013-07-15"),
    ("ietf-netconf-acm", "2018-02-14"),
    ("ietf-network-instance", "2019-01-21"),
    ("ietf-restconf", "2017-01-26"),
    ("ietf-yang-metadata", "2016-08-05"),
    ("ietf-yang-schema-mount", "2019-01-14"),
    ("ietf-yang-smiv2", "2012-06-22"),
    ("ietf-yang-types", "2013-07-15"),
];
