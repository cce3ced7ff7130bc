//! The modules that are served (RFC 8525), and the same for clients of RFC 7895.

use std::hash::{DefaultHasher, Hash, Hasher};

use trunkline_yang::own::operations::{DATASTORE, NETCONF, URL};
use trunkline_yang::own::{ALL, OwnModule, SNMP, SNMP_SUBMODULES};
use trunkline_yang::schema::Module;

use crate::made::Made;

/// `yang-library`. `content_id`: the name of this list.
pub fn make(modules: &[Module], content_id: &str, has_files: bool, made: &mut Made<'_>) {
    made.within("module-set", |made| {
        made.leaf("name", SET);
        for (name, revision, namespace, features) in listed(modules, has_files) {
            made.within("module", |made| {
                made.leaf("name", name);
                // Those that are translated from a MIB have none.
                revision.iter().for_each(|revision| made.leaf("revision", revision));
                made.leaf("namespace", namespace);
                features.for_each(|feature| made.leaf("feature", feature));
                for submodule in submodules(name) {
                    made.within("submodule", |made| {
                        made.leaf("name", submodule);
                        revision.iter().for_each(|revision| made.leaf("revision", revision));
                    });
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
    for datastore in ["running", "candidate", "intended", "operational"] {
        made.within("datastore", |made| {
            made.leaf("name", &format!("{}:{datastore}", DATASTORE.0));
            // What can be configured is a part of it, in all of them the same one.
            made.leaf("schema", SET);
        });
    }
    made.leaf("content-id", content_id);
}

/// `modules-state`. `content_id`: the name of this list.
pub fn make_state(modules: &[Module], content_id: &str, has_files: bool, made: &mut Made<'_>) {
    made.leaf("module-set-id", content_id);
    for (name, revision, namespace, features) in listed(modules, has_files) {
        made.within("module", |made| {
            made.leaf("name", name);
            made.leaf("revision", revision.unwrap_or_default());
            made.leaf("namespace", namespace);
            features.for_each(|feature| made.leaf("feature", feature));
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
    for (name, revision, namespace, features) in listed(modules, has_files) {
        (name, revision, namespace, features.collect::<Vec<_>>()).hash(&mut hasher);
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
    if module == SNMP.name { &SNMP_SUBMODULES } else { &[] }
}

/// All modules: the name, revision, namespace and features of each.
fn listed(
    modules: &[Module],
    has_files: bool,
) -> impl Iterator<Item = (&str, Option<&str>, &str, impl Iterator<Item = &'static str>)> {
    let translated = modules.iter().map(|it| (it.name, None, it.namespace.as_str(), None));
    let own = ALL.iter().map(|it| (it.name, Some(it.revision), it.namespace, Some(*it)));
    translated.chain(own).map(move |(name, revision, namespace, own)| {
        let features = own.into_iter().flat_map(move |own| features(own, has_files));
        (name, revision, namespace, features)
    })
}

/// The only set of modules, and the only schema.
const SET: &str = "all";

/// What the others import and what is not served, with the revisions.
pub fn imported() -> impl Iterator<Item = (&'static str, &'static str)> {
    IMPORTED.into_iter().filter(|(name, _)| ALL.iter().all(|module| module.name != *name))
}

/// What is imported by some.
const IMPORTED: [(&str, &str); 8] = [
    ("ietf-inet-types", "2013-07-15"),
    ("ietf-netconf-acm", "2018-02-14"),
    ("ietf-network-instance", "2019-01-21"),
    ("ietf-restconf", "2017-01-26"),
    ("ietf-yang-metadata", "2016-08-05"),
    ("ietf-yang-schema-mount", "2019-01-14"),
    ("ietf-yang-smiv2", "2012-06-22"),
    ("ietf-yang-types", "2013-07-15"),
];
