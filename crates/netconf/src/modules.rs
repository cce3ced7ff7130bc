//! Which namespaces the modules of a server have: as its hello announces them, and its YANG library.

use std::collections::BTreeMap;

use crate::document::Element;
use crate::hello::Hello;

/// `ietf-yang-library` (RFC 8525, and RFC 7895 before it).
pub const LIBRARY: &str = "urn:ietf:params:xml:ns:yang:ietf-yang-library";

/// The content of a subtree filter for what [`Modules::read_library`] reads, of a server that announces a YANG library; `None`: it
/// announces none.
#[must_use]
pub fn library_filter(hello: &Hello) -> Option<String> {
    let has = |version| hello.has(&format!("urn:ietf:params:netconf:capability:yang-library:{version}"));
    // RFC 8525 section 3 and RFC 7950 section 5.6.4: the version says which form there is.
    let filter = match (has("1.1"), has("1.0") || hello.has(LIBRARY)) {
        (true, _) => {
            "<yang-library xmlns=\"LIBRARY\"><module-set><name/><module><name/><namespace/></module></module-set></yang-library>"
        }
        (false, true) => {
            "<modules-state xmlns=\"LIBRARY\"><module><name/><revision/><namespace/></module></modules-state>"
        }
        (false, false) => return None,
    };
    Some(filter.replace("LIBRARY", LIBRARY))
}

/// A module as a server lists it, with its conformance.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its revision; empty if it has none.
    pub revision: String,
    /// Its namespace.
    pub namespace: String,
    /// The features that the server has.
    pub features: Vec<String>,
    /// The modules that say what it does differently.
    pub deviations: Vec<String>,
    /// Whether only its groupings and types are used.
    pub is_import_only: bool,
}

/// The forms of the whole list of modules that a server may have: contents of subtree filters, of which the first that selects something
/// counts.
#[must_use]
pub fn whole_libraries() -> [String; 2] {
    ["<yang-library xmlns=\"LIBRARY\"><module-set/></yang-library>", "<modules-state xmlns=\"LIBRARY\"/>"]
        .map(|it| it.replace("LIBRARY", LIBRARY))
}

/// The modules that a hello announces (RFC 6020 section 5.6.4).
#[must_use]
pub fn announced(hello: &Hello) -> Vec<Listed> {
    let read = |(namespace, parameters): (&str, &str)| {
        let value = |name: &str| {
            let mut all = parameters.split('&').filter_map(|it| it.trim().split_once('='));
            all.find(|(found, _)| *found == name).map(|(_, it)| it).unwrap_or_default()
        };
        let all = |name| value(name).split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect();
        let (name, revision, namespace) =
            (value("module").to_owned(), value("revision").to_owned(), namespace.to_owned());
        let (features, deviations) = (all("features"), all("deviations"));
        Listed { name, revision, namespace, features, deviations, is_import_only: false }
    };
    let all = hello.capabilities.iter().filter_map(|it| it.split_once('?')).map(read);
    all.filter(|it| !it.name.is_empty()).collect()
}

/// The modules of a library, both forms, from the `data` of a reply (RFC 8525 section 3, RFC 7895 section 2.2).
#[must_use]
pub fn listed(data: Element<'_>) -> Vec<Listed> {
    let sets = data.child(LIBRARY, "yang-library").into_iter().flat_map(Element::children);
    let sets = sets.filter(|it| it.is(LIBRARY, "module-set"));
    let modules = sets.chain(data.child(LIBRARY, "modules-state")).flat_map(Element::children);
    let read = |module: Element<'_>| {
        let value = |name| module.child(LIBRARY, name).map(|it| it.value().to_owned()).unwrap_or_default();
        let all = |name: &'static str| module.children().filter(move |it| it.is(LIBRARY, name));
        // The old form has a list of names and revisions.
        let deviation = |it: Element<'_>| it.child(LIBRARY, "name").unwrap_or(it).value().to_owned();
        Listed {
            name: value("name"),
            revision: value("revision"),
            namespace: value("namespace"),
            features: all("feature").map(|it| it.value().to_owned()).collect(),
            deviations: all("deviation").map(deviation).collect(),
            is_import_only: module.name() == "import-only-module" || value("conformance-type") == "import",
        }
    };
    let is_module = |it: &Element<'_>| it.is(LIBRARY, "module") || it.is(LIBRARY, "import-only-module");
    modules.filter(is_module).map(read).collect()
}

/// The modules of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Modules {
    namespaces: BTreeMap<String, String>,
    names: BTreeMap<String, String>,
}

impl Modules {
    /// Those that a hello announces (RFC 6020 section 5.6.4).
    #[must_use]
    pub fn of_hello(hello: &Hello) -> Modules {
        let mut modules = Modules::default();
        for capability in &hello.capabilities {
            let Some((namespace, parameters)) = capability.split_once('?') else { continue };
            let module = parameters.split('&').find_map(|it| it.trim().strip_prefix("module="));
            module.iter().for_each(|name| modules.add(name, namespace));
        }
        modules
    }

    /// Adds those of a YANG library, both forms, from the `data` of a reply.
    pub fn read_library(&mut self, data: Element<'_>) {
        let sets = data.child(LIBRARY, "yang-library").into_iter().flat_map(Element::children);
        let sets = sets.filter(|it| it.is(LIBRARY, "module-set"));
        for listed in sets.chain(data.child(LIBRARY, "modules-state")) {
            for module in listed.children().filter(|it| it.is(LIBRARY, "module")) {
                let value = |name| module.child(LIBRARY, name).map(Element::value);
                if let (Some(name), Some(namespace)) = (value("name"), value("namespace")) {
                    self.add(name, namespace);
                }
            }
        }
    }

    /// Adds a module; the first one of a name counts.
    pub fn add(&mut self, name: &str, namespace: &str) {
        if !name.is_empty() && !namespace.is_empty() {
            self.namespaces.entry(name.to_owned()).or_insert_with(|| namespace.to_owned());
            self.names.entry(namespace.to_owned()).or_insert_with(|| name.to_owned());
        }
    }

    /// Adds a prefix that a user has declared; it counts more than a module of that name.
    pub fn declare(&mut self, prefix: &str, namespace: &str) {
        self.namespaces.insert(prefix.to_owned(), namespace.to_owned());
        self.names.entry(namespace.to_owned()).or_insert_with(|| prefix.to_owned());
    }

    /// The namespace of a module, or of a prefix.
    #[must_use]
    pub fn namespace(&self, module: &str) -> Option<&str> {
        self.namespaces.get(module).map(String::as_str)
    }

    /// The module that has a namespace.
    #[must_use]
    pub fn name(&self, namespace: &str) -> Option<&str> {
        self.names.get(namespace).map(String::as_str)
    }

    /// All of them, with their namespaces.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.namespaces.iter().map(|(name, namespace)| (name.as_str(), namespace.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, limits};

    #[test]
    fn the_library_has_the_form_that_is_announced() {
        let of = |capability: &str| {
            let hello = Hello { capabilities: vec![capability.to_owned()], session_id: None };
            library_filter(&hello).map(|it| it.split(' ').next().unwrap_or_default().to_owned())
        };
        let library = "urn:ietf:params:netconf:capability:yang-library";
        for (capability, form) in [
            (format!("{library}:1.1?revision=2019-01-04&content-id=1"), Some("<yang-library")),
            (format!("{library}:1.0?revision=2016-06-21&module-set-id=1"), Some("<modules-state")),
            (format!("{LIBRARY}?module=ietf-yang-library&revision=2016-06-21"), Some("<modules-state")),
            ("urn:other".to_owned(), None),
        ] {
            assert_eq!(of(&capability).as_deref(), form, "{capability}");
        }
    }

    #[test]
    fn modules_are_announced_or_listed() {
        let hello = Hello {
            capabilities: [
                "urn:a?module=a&revision=2020-01-01",
                "urn:b?revision=1&module=b",
                "urn:c",
                "?module=d",
            ]
            .map(str::to_owned)
            .to_vec(),
            session_id: None,
        };
        let mut modules = Modules::of_hello(&hello);
        assert_eq!(modules.iter().collect::<Vec<_>>(), [("a", "urn:a"), ("b", "urn:b")]);
        let library = format!(
            "<data><yang-library xmlns='{LIBRARY}'><module-set><name>x</name><module><name>e</name><namespace>urn:e</namespace></module>\
             <module><name>a</name><namespace>urn:other</namespace></module><import-only-module><name>f</name>\
             <namespace>urn:f</namespace></import-only-module></module-set></yang-library>\
             <modules-state xmlns='{LIBRARY}'><module><name>g</name><namespace>urn:g</namespace></module></modules-state></data>"
        );
        modules.read_library(Document::read(library.as_bytes(), limits(10_000)).unwrap().root());
        let known = ["a", "e", "f", "g"].map(|name| modules.namespace(name));
        assert_eq!(known, [Some("urn:a"), Some("urn:e"), None, Some("urn:g")]);
        assert_eq!((modules.name("urn:g"), modules.name("urn:f")), (Some("g"), None));
        modules.declare("a", "urn:g");
        assert_eq!((modules.namespace("a"), modules.name("urn:g")), (Some("urn:g"), Some("g")));
    }

    #[test]
    fn lists_have_what_a_server_has_of_each_module() {
        let capability = "urn:a?module=a&revision=2020-01-01&features=x,y&deviations=d".to_owned();
        let hello = Hello { capabilities: vec![capability, "urn:b".to_owned()], session_id: None };
        let of = |name: &str, features: &[&str], is_import_only| Listed {
            name: name.into(),
            revision: "2020-01-01".into(),
            namespace: format!("urn:{name}"),
            features: features.iter().map(|it| (*it).to_owned()).collect(),
            deviations: vec!["d".into()],
            is_import_only,
        };
        assert_eq!(announced(&hello), [of("a", &["x", "y"], false)]);
        let module = |kind: &str, name: &str, more: &str| {
            format!(
                "<{kind}><name>{name}</name><revision>2020-01-01</revision><namespace>urn:{name}</namespace><feature>x</feature>{more}</{kind}>"
            )
        };
        let plain = "<deviation>d</deviation>";
        let old = "<deviation><name>d</name><revision>2020-01-01</revision></deviation>";
        let text = format!(
            "<data><yang-library xmlns='{LIBRARY}'><module-set><name>s</name>{}{}</module-set><schema/></yang-library>\
             <modules-state xmlns='{LIBRARY}'><module-set-id>1</module-set-id>{}{}</modules-state></data>",
            module("module", "a", plain),
            module("import-only-module", "b", plain),
            module("module", "c", &format!("{old}<conformance-type>implement</conformance-type>")),
            module("module", "e", &format!("{old}<conformance-type>import</conformance-type>")),
        );
        let document = Document::read(text.as_bytes(), limits(10_000)).unwrap();
        let expected =
            [("a", false), ("b", true), ("c", false), ("e", true)].map(|(name, is)| of(name, &["x"], is));
        assert_eq!(listed(document.root()), expected);
        assert!(whole_libraries().iter().all(|it| it.contains(LIBRARY)));
    }
}
