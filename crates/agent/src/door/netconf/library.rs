//! The modules that are served (RFC 8525), and the same for clients of RFC 7895.

use std::hash::{DefaultHasher, Hash, Hasher};

use trunkline_yang::own::operations::DATASTORE;
use trunkline_yang::own::{ALL, OwnModule};
use trunkline_yang::schema::Module;

use super::Models;
use super::made::Made;

/// `yang-library`.
pub(super) fn make(models: &Models, made: &mut Made<'_>) {
    made.within("module-set", |made| {
        made.leaf("name", SET);
        for (name, revision, namespace, features) in listed(&models.modules) {
            made.within("module", |made| {
                made.leaf("name", name);
                // Those that are translated from a MIB have none.
                revision.iter().for_each(|revision| made.leaf("revision", revision));
                made.leaf("namespace", namespace);
                features.iter().for_each(|feature| made.leaf("feature", feature));
            });
        }
        for (name, revision) in IMPORTED {
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
    made.leaf("content-id", &models.content_id);
}

/// `modules-state`.
pub(super) fn make_state(models: &Models, made: &mut Made<'_>) {
    made.leaf("module-set-id", &models.content_id);
    for (name, revision, namespace, features) in listed(&models.modules) {
        made.within("module", |made| {
            made.leaf("name", name);
            made.leaf("revision", revision.unwrap_or_default());
            made.leaf("namespace", namespace);
            features.iter().for_each(|feature| made.leaf("feature", feature));
            made.leaf("conformance-type", "implement");
        });
    }
    for (name, revision) in IMPORTED {
        made.within("module", |made| {
            made.leaf("name", name);
            made.leaf("revision", revision);
            made.leaf("namespace", &format!("urn:ietf:params:xml:ns:yang:{name}"));
            made.leaf("conformance-type", "import");
        });
    }
}

/// Names the list of modules: another list has another name.
pub(super) fn content_id(modules: &[Module]) -> String {
    let mut hasher = DefaultHasher::new();
    listed(modules).for_each(|module| module.hash(&mut hasher));
    format!("{:016x}", hasher.finish())
}

/// A module: its name, revision, namespace and features.
type Listed<'m> = (&'m str, Option<&'m str>, &'m str, &'m [&'m str]);

fn listed(modules: &[Module]) -> impl Iterator<Item = Listed<'_>> {
    let translated = modules.iter().map(|it| (it.name, None, it.namespace.as_str(), &[][..]));
    let own = ALL.iter().map(|it: &&OwnModule| (it.name, Some(it.revision), it.namespace, it.features));
    translated.chain(own)
}

/// The only set of modules, and the only schema.
const SET: &str = "all";

/// What the others import, with their revisions.
pub(super) const IMPORTED: [(&str, &str); 4] = [
    ("ietf-inet-types", "2013-07-15"),
    ("ietf-yang-metadata", "2016-08-05"),
    ("ietf-yang-smiv2", "2012-06-22"),
    ("ietf-yang-types", "2013-07-15"),
];
